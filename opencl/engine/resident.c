/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A buffer whose pixels are on the device.  It has a back end of ours.  Another of our filters reads them there.  Whoever else asks
 * for the first tile gets all of them to the host, once: from then on the host's are the picture, and the device's memory is free.
 * So a filter of GEGL's, a cache, a part of the buffer (gegl:crop) or a second reader see pixels as of any buffer.  Who writes whole
 * tiles need not ask for them first, but then the buffer tells that it has changed, and the device is not asked any more.
 *
 * What a device has lost is computed again, in C: by the same request, with the settings as they were.
 *
 * Price: 1.95 (chain of four others, 24 Mpix float), 1.6 (u8); two filters 1.3 (H200, 2026-11-30).
 */
#include "config.h"

#include "resident.h"

#include <gegl-plugin.h>
#include <gegl-buffer-backend.h>
#include <string.h>

#include "breaker.h"
#include "counters.h"
#include "messages.h"
#include "status.h"
#include "tessera.h"

typedef struct _Again Again;

typedef struct
{
  GeglTileBackend      parent_instance;
  GMutex               lock;            /* guards the members up to is_changed */
  TesseraHeld         *held;            /* NULL: it is on the host */
  guchar              *rows;            /* there */
  gboolean             is_changed;      /* somebody has written into the buffer */
  const gchar         *filter;
  const Babl          *format;
  gsize                pixel;
  GeglRectangle        rect;
  gint                 tile_width, tile_height;
  Again               *again;           /* how its pixels are made */
} TesseraResident;

typedef struct
{
  GeglTileBackendClass parent_class;
} TesseraResidentClass;

static GType tessera_resident_get_type (void) G_GNUC_CONST;

G_DEFINE_TYPE (TesseraResident, tessera_resident, GEGL_TYPE_TILE_BACKEND)

/* ------------------------------------------------------------------- again -- */

/* What it takes to compute a result again.  An input that is on the device too is not held for that, but what it takes to compute it. */
struct _Again
{
  gint            references;
  GeglOperation  *operation;
  GeglNode       *node;                 /* whose formats `run` may ask for */
  TesseraRequest  request;              /* as the class made it */
  TesseraRun      run;
  gpointer        properties;
  Again          *input, *aux;          /* in place of the request's, or NULL */
  const Babl     *format;               /* of the result */
};

static void
again_unref (Again *again)
{
  if (! again || ! g_atomic_int_dec_and_test (&again->references))
    return;
  g_object_unref (again->operation);
  g_object_unref (again->node);
  g_clear_object (&again->request.input);
  g_clear_object (&again->request.aux);
  g_free (again->properties);
  again_unref (again->input);
  again_unref (again->aux);
  g_free (again);
}

static void compute_again (const Again *again, GeglBuffer *output);

/* A reference. */
static GeglBuffer *
input_again (const Again *made, GeglBuffer *input)
{
  GeglBuffer *buffer;

  if (! made)
    return input ? g_object_ref (input) : NULL;
  buffer = gegl_buffer_new (&made->request.roi, made->format);
  compute_again (made, buffer);
  return buffer;
}

static void
compute_again (const Again *again, GeglBuffer *output)
{
  TesseraRequest request = again->request;

  request.input = input_again (again->input, request.input);
  request.aux = input_again (again->aux, request.aux);
  request.output = output;
  request.is_in_c = TRUE;
  again->run (&request, again->properties);
  g_clear_object (&request.input);
  g_clear_object (&request.aux);
}

/* ------------------------------------------------------------- to the host -- */

static gsize
row_bytes (const TesseraResident *self)
{
  return self->rect.width * self->pixel;
}

static void
compute_lost (TesseraResident *self)
{
  GeglBuffer *output = gegl_buffer_linear_new_from_data (self->rows, self->format, &self->rect, row_bytes (self), NULL, NULL);

  compute_again (self->again, output);
  g_object_unref (output);
}

/* The device may still write into what could not be fetched: that stays. */
static void
settle_locked (TesseraResident *self)
{
  const gsize bytes = row_bytes (self) * self->rect.height;
  gboolean    idle;
  gint        status;

  if (! self->held)
    return;
  self->rows = tessera_large_new (bytes);
  status = tessera_held_fetch (self->held, self->rows, &idle);
  tessera_count (fetches, 1);
  if (status != 0)
    {
      if (tessera_first_time (self->filter))
        tessera_log ("%s: %s while its result was fetched from the device; computed in C instead", self->filter, tessera_error_name (status));
      tessera_breaker_fail (self->filter);
      tessera_count (fallbacks, 1);
      if (! idle)
        self->rows = tessera_large_new (bytes);
      compute_lost (self);
    }
  tessera_held_unref (g_steal_pointer (&self->held));
}

/* ------------------------------------------------------------------- tiles -- */

/* The part of the tile that has pixels, in the picture's coordinates; FALSE: none. */
static gboolean
part_of_tile (const TesseraResident *self, gint x, gint y, GeglRectangle *part)
{
  const GeglRectangle tile = { x * self->tile_width, y * self->tile_height, self->tile_width, self->tile_height };

  return gegl_rectangle_intersect (part, &tile, &self->rect);
}

static void
copy_part (TesseraResident *self, gint x, gint y, const GeglRectangle *part, guchar *tile, gboolean stores)
{
  const gsize bytes = part->width * self->pixel, row = self->tile_width * self->pixel;
  guchar     *at = tile + (part->y - y * self->tile_height) * row + (part->x - x * self->tile_width) * self->pixel;
  guchar     *rows = self->rows + (part->y - self->rect.y) * row_bytes (self) + (part->x - self->rect.x) * self->pixel;

  for (gint i = 0; i < part->height; i++, at += row, rows += row_bytes (self))
    memcpy (stores ? rows : at, stores ? at : rows, bytes);
}

static gpointer
get_tile (TesseraResident *self, gint x, gint y)
{
  const gint    bytes = gegl_tile_backend_get_tile_size (GEGL_TILE_BACKEND (self));
  GeglRectangle part;
  GeglTile     *tile;

  if (! part_of_tile (self, x, y, &part))
    return NULL;
  tile = gegl_tile_new (bytes);
  if (part.width < self->tile_width || part.height < self->tile_height)
    memset (gegl_tile_get_data (tile), 0, bytes);
  g_mutex_lock (&self->lock);
  settle_locked (self);
  copy_part (self, x, y, &part, gegl_tile_get_data (tile), FALSE);
  g_mutex_unlock (&self->lock);
  gegl_tile_mark_as_stored (tile);
  return tile;
}

/* A tile that GEGL's cache gives up, with what somebody has written; NULL: it is empty from now on. */
static void
set_tile (TesseraResident *self, gint x, gint y, GeglTile *tile)
{
  const gint    bytes = gegl_tile_backend_get_tile_size (GEGL_TILE_BACKEND (self));
  guchar       *nothing = tile ? NULL : g_malloc0 (bytes);
  GeglRectangle part;

  g_mutex_lock (&self->lock);
  self->is_changed = TRUE;
  if (part_of_tile (self, x, y, &part))
    {
      settle_locked (self);
      copy_part (self, x, y, &part, tile ? gegl_tile_get_data (tile) : nothing, TRUE);
    }
  g_mutex_unlock (&self->lock);
  g_free (nothing);
  if (tile)
    gegl_tile_mark_as_stored (tile);
}

static gpointer
command (GeglTileSource *source, GeglTileCommand what, gint x, gint y, gint z, gpointer data)
{
  TesseraResident *self = (TesseraResident *) source;
  GeglRectangle    part;

  switch (what)
    {
    case GEGL_TILE_GET:
      return z == 0 ? get_tile (self, x, y) : NULL;     /* GEGL makes smaller ones of these */
    case GEGL_TILE_SET:
      if (z == 0)
        set_tile (self, x, y, data);
      return NULL;
    case GEGL_TILE_VOID:
      if (z == 0 && (! data || *(const guint64 *) data == ~ (guint64) 0))
        set_tile (self, x, y, NULL);
      return NULL;
    case GEGL_TILE_EXIST:
      return GINT_TO_POINTER (z == 0 && part_of_tile (self, x, y, &part));
    case GEGL_TILE_IDLE:
    case GEGL_TILE_FLUSH:
    case GEGL_TILE_REFETCH:
    case GEGL_TILE_REINIT:
      return NULL;
    default:
      return gegl_tile_backend_command (GEGL_TILE_BACKEND (source), what, x, y, z, data);
    }
}

/* ------------------------------------------------------------------ buffer -- */

static void
finalize (GObject *object)
{
  TesseraResident *self = (TesseraResident *) object;

  tessera_held_unref (self->held);
  if (self->rows)
    tessera_large_free (self->rows);
  again_unref (self->again);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (tessera_resident_parent_class)->finalize (object);
}

static void
tessera_resident_class_init (TesseraResidentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
tessera_resident_init (TesseraResident *self)
{
  g_mutex_init (&self->lock);
  GEGL_TILE_SOURCE (self)->command = command;
}

static GQuark
resident_quark (void)
{
  return g_quark_from_static_string ("tessera-resident");
}

static TesseraResident *
resident_of (GeglBuffer *buffer)
{
  return g_object_get_qdata (G_OBJECT (buffer), resident_quark ());
}

static void
note_change (GeglBuffer *buffer G_GNUC_UNUSED, const GeglRectangle *changed G_GNUC_UNUSED, TesseraResident *self)
{
  g_mutex_lock (&self->lock);
  self->is_changed = TRUE;
  g_mutex_unlock (&self->lock);
}

/* The buffer owns the back end, and lives no longer. */
GeglBuffer *
tessera_resident_new (TesseraHeld *held, GeglBuffer *like, const gchar *filter)
{
  gint             width, height;
  TesseraResident *self;
  GeglBuffer      *buffer;

  g_object_get (like, "tile-width", &width, "tile-height", &height, NULL);
  self = g_object_new (tessera_resident_get_type (), "tile-width", width, "tile-height", height, "format", held->format, NULL);
  self->held = held;
  self->filter = filter;
  self->format = held->format;
  self->pixel = held->pixel;
  self->rect = held->rect;
  self->tile_width = width;
  self->tile_height = height;
  gegl_tile_backend_set_extent (GEGL_TILE_BACKEND (self), &held->rect);
  gegl_tile_backend_set_flush_on_destroy (GEGL_TILE_BACKEND (self), FALSE);
  buffer = gegl_buffer_new_for_backend (&held->rect, GEGL_TILE_BACKEND (self));
  g_object_set_qdata (G_OBJECT (buffer), resident_quark (), self);
  gegl_buffer_signal_connect (buffer, "changed", G_CALLBACK (note_change), self);
  g_object_unref (self);
  tessera_count (stays, 1);
  return buffer;
}

/* Where the pixels are on whatever device, in the buffer's own format; NULL: they are on the host. */
static TesseraHeld *
held_of (GeglBuffer *buffer)
{
  TesseraResident *self = resident_of (buffer);
  TesseraHeld     *held = NULL;

  if (! self)
    return NULL;
  g_mutex_lock (&self->lock);
  if (! self->is_changed)
    held = tessera_held_ref (self->held);
  g_mutex_unlock (&self->lock);
  return held;
}

TesseraHeld *
tessera_resident_held (GeglBuffer *buffer, const TesseraDevice *device, const Babl *format)
{
  TesseraHeld *held = held_of (buffer);

  if (held && held->device == device && held->format == format)
    return held;
  tessera_held_unref (held);
  return NULL;
}

gboolean
tessera_is_resident (GeglBuffer *buffer)
{
  TesseraHeld *held = buffer ? held_of (buffer) : NULL;

  tessera_held_unref (held);
  return held != NULL;
}

/* How an input is made, if it is on the device; else it is held. */
static Again *
again_of (GeglBuffer **input)
{
  Again *made = *input && tessera_is_resident (*input) ? resident_of (*input)->again : NULL;

  if (made)
    g_atomic_int_inc (&made->references);
  *input = made || ! *input ? NULL : g_object_ref (*input);
  return made;
}

void
tessera_resident_insure (GeglBuffer *resident, const TesseraRequest *request, TesseraRun run, gconstpointer properties, gsize size)
{
  GeglOperation *operation = request->errand.operation;
  Again         *again = g_new (Again, 1);

  *again = (Again) { .references = 1, .operation = g_object_ref (operation), .node = g_object_ref (operation->node), .request = *request,
                     .run = run, .properties = g_memdup2 (properties, size), .format = gegl_buffer_get_format (resident) };
  again->request.resident = NULL;
  again->request.output = NULL;
  again->input = again_of (&again->request.input);
  again->aux = again_of (&again->request.aux);
  resident_of (resident)->again = again;
}

GeglBuffer *
tessera_resident_part (GeglBuffer *buffer, const GeglRectangle *part)
{
  TesseraHeld *held = held_of (buffer);
  GeglBuffer  *some = held && gegl_rectangle_contains (&held->rect, part) ? tessera_held_part (held, part) : NULL;

  tessera_held_unref (held);
  return some ? some : g_object_ref (buffer);
}

void
tessera_resident_settle (GeglBuffer *buffer)
{
  TesseraResident *self = buffer ? resident_of (buffer) : NULL;

  if (! self)
    return;
  g_mutex_lock (&self->lock);
  settle_locked (self);
  g_mutex_unlock (&self->lock);
}
