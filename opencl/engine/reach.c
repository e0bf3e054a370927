/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory that the device reads and writes by itself: pinned memory of the pool that a caller has for a while.
 *
 * A buffer says where its pixels lie.  Whether the device reaches them is known here, by their address.
 */
#include "config.h"

#include "reach.h"

#include "choice.h"
#include "pool.h"
#include "settings.h"
#include "tessera.h"

static const gchar key[] = "tessera-pixels";

typedef struct
{
  TesseraMemory *memory;
  gboolean       is_lost;
} Reached;

static GMutex  lock;            /* guards what follows */
static GArray *all;             /* Reached */

static gboolean
holds (const Reached *reached, gconstpointer from, gsize bytes)
{
  const guchar *begin = reached->memory->pointer, *pixels = from;

  return pixels >= begin && pixels < begin + reached->memory->bytes && bytes <= (gsize) (begin + reached->memory->bytes - pixels);
}

static Reached *
find_locked (gconstpointer from, gsize bytes)
{
  for (guint i = 0; all && i < all->len; i++)
    if (holds (&g_array_index (all, Reached, i), from, bytes))
      return &g_array_index (all, Reached, i);
  return NULL;
}

gpointer
tessera_reached_new (gsize bytes)
{
  const TesseraDevice *device = tessera_mode () == TESSERA_OPENCL_OFF ? NULL : tessera_current_device ();
  Reached              reached = { NULL, FALSE };

  if (! device || tessera_pool_take (device, bytes, TRUE, FALSE, &reached.memory) != 0)
    return tessera_large_new (bytes);
  g_mutex_lock (&lock);
  if (! all)
    all = g_array_new (FALSE, FALSE, sizeof (Reached));
  g_array_append_val (all, reached);
  g_mutex_unlock (&lock);
  return reached.memory->pointer;
}

void
tessera_reached_free (gpointer memory)
{
  Reached  reached = { NULL, FALSE };
  Reached *found;

  g_mutex_lock (&lock);
  if (memory && (found = find_locked (memory, 1)))
    {
      reached = *found;
      g_array_remove_index_fast (all, found - (Reached *) all->data);
    }
  g_mutex_unlock (&lock);
  if (! reached.memory)
    tessera_large_free (memory);
  else if (reached.is_lost)
    tessera_memory_abandon (reached.memory);
  else
    tessera_pool_give (reached.memory);
}

GeglBuffer *
tessera_reached_buffer (gconstpointer pixels, const Babl *format, const GeglRectangle *extent)
{
  GeglBuffer *buffer = gegl_buffer_linear_new_from_data ((gpointer) pixels, format, extent, GEGL_AUTO_ROWSTRIDE, NULL, NULL);

  g_object_set_data (G_OBJECT (buffer), key, (gpointer) pixels);
  return buffer;
}

guchar *
tessera_reach_pixels (GeglBuffer *buffer, const Babl *format, const GeglRectangle *part)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (buffer);
  guchar              *pixels = g_object_get_data (G_OBJECT (buffer), key);

  if (! pixels || gegl_buffer_get_format (buffer) != format || ! gegl_rectangle_contains (extent, part))
    return NULL;
  return pixels + ((part->y - extent->y) * (gsize) extent->width + part->x - extent->x) * babl_format_get_bytes_per_pixel (format);
}

guchar *
tessera_reach_rows (GeglBuffer *buffer, const Babl *format, const GeglRectangle *rows, const TesseraDevice *device)
{
  guchar  *pixels = rows->width == gegl_buffer_get_extent (buffer)->width ? tessera_reach_pixels (buffer, format, rows) : NULL;
  Reached *found;

  if (! pixels)
    return NULL;
  g_mutex_lock (&lock);
  found = find_locked (pixels, (gsize) rows->height * rows->width * babl_format_get_bytes_per_pixel (format));
  if (found && found->memory->context != device->context)
    found = NULL;
  g_mutex_unlock (&lock);
  return found ? pixels : NULL;
}

void
tessera_reach_lose (gconstpointer pixels)
{
  Reached *found;

  g_mutex_lock (&lock);
  if ((found = find_locked (pixels, 1)))
    found->is_lost = TRUE;
  g_mutex_unlock (&lock);
}

gboolean
tessera_reached_is_lost (gconstpointer memory)
{
  Reached *found;
  gboolean is_lost;

  g_mutex_lock (&lock);
  found = find_locked (memory, 1);
  is_lost = found && found->is_lost;
  g_mutex_unlock (&lock);
  return is_lost;
}
