/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that stay on the device between two of our filters.  Who needs one counts on it; the last one gives its memory back.
 * A filter in a chain has two, its input and its result.  All of them have a part of what requests may have, so that these still fit.
 */
#include "held.h"

#include "system.h"
#include "pool.h"
#include "queue.h"
#include "status.h"

#define HELD_PART 2             /* of the budget, for all of them */

static GMutex lock;             /* guards the number */
static gsize  held_bytes;

gsize
tessera_held_bytes (void)
{
  gsize bytes;

  g_mutex_lock (&lock);
  bytes = held_bytes;
  g_mutex_unlock (&lock);
  return bytes;
}

static gboolean
reserve (const TesseraDevice *device, gsize bytes)
{
  gboolean fits;

  g_mutex_lock (&lock);
  fits = held_bytes + bytes <= tessera_budget (device) / HELD_PART;
  if (fits)
    held_bytes += bytes;
  g_mutex_unlock (&lock);
  return fits;
}

static gsize
bytes_of (const TesseraHeld *held)
{
  return (gsize) held->rect.width * held->rect.height * held->pixel;
}

static void
release (TesseraHeld *held)
{
  g_mutex_lock (&lock);
  held_bytes -= bytes_of (held);
  g_mutex_unlock (&lock);
  g_free (held);
}

TesseraHeld *
tessera_held_new (const TesseraDevice *device, const GeglRectangle *rect, const Babl *format)
{
  TesseraHeld *held = g_new (TesseraHeld, 1);

  *held = (TesseraHeld) { .references = 1, .device = device, .format = format, .pixel = babl_format_get_bytes_per_pixel (format), .rect = *rect };
  if (! reserve (device, bytes_of (held)))
    g_clear_pointer (&held, g_free);
  else if (tessera_pool_take (device, bytes_of (held), FALSE, FALSE, &held->memory) != 0)
    release (g_steal_pointer (&held));
  return held;
}

TesseraHeld *
tessera_held_ref (TesseraHeld *held)
{
  if (held)
    g_atomic_int_inc (&held->references);
  return held;
}

void
tessera_held_unref (TesseraHeld *held)
{
  if (! held || ! g_atomic_int_dec_and_test (&held->references))
    return;
  tessera_pool_give (held->memory);
  release (held);
}

void
tessera_held_lose (TesseraHeld *held)
{
  tessera_pool_lose (held->memory);
  release (held);
}

static gsize
row_bytes (const TesseraHeld *held)
{
  return held->rect.width * held->pixel;
}

static gint
download (TesseraQueue *queue, const TesseraHeld *held, gint first, gint n, guchar *rows)
{
  TesseraEvent *event = NULL;
  const gint    status = tessera_enqueue_download (queue, LANE_RUN, held->memory, first * row_bytes (held), rows, n * row_bytes (held), NULL, &event);

  tessera_queue_flush (queue, LANE_RUN);
  return tessera_event_finish (status, event);
}

static gint
fetch (const TesseraHeld *held, gint first, gint n, guchar *rows, gboolean *idle)
{
  TesseraQueue *queue = NULL;
  gint          status, end_status;

  *idle = TRUE;
  if (tessera_has_forked ())            /* the driver would wait for ever */
    return tessera_error (TESSERA_FAILED);
  status = tessera_queue_take (held->device, TRUE, FALSE, &queue);
  if (status != 0)
    return status;
  status = download (queue, held, first, n, rows);
  end_status = tessera_queue_give (queue, status == 0);
  *idle = end_status == 0;
  return status != 0 ? status : end_status;
}

gint
tessera_held_fetch (const TesseraHeld *held, guchar *rows, gboolean *idle)
{
  return fetch (held, 0, held->rect.height, rows, idle);
}

GeglBuffer *
tessera_held_part (const TesseraHeld *held, const GeglRectangle *part)
{
  guchar     *rows = g_malloc (part->height * row_bytes (held));
  GeglBuffer *buffer = NULL;
  gboolean    idle;

  if (fetch (held, part->y - held->rect.y, part->height, rows, &idle) == 0)
    {
      buffer = gegl_buffer_new (part, held->format);
      gegl_buffer_set (buffer, part, 0, held->format, rows + (part->x - held->rect.x) * held->pixel, (gint) row_bytes (held));
    }
  if (idle)
    g_free (rows);
  return buffer;
}
