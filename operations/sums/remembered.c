/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Answers of earlier requests; see remembered.h. */
#include "config.h"

#include "remembered.h"

#include <gegl-plugin.h>
#include <string.h>

#define XXH_INLINE_ALL          /* nothing is linked */
#include <xxhash.h>

#define STRIP 128               /* rows that one thread looks at: of one row of tiles, mostly */
#define SPEED 8e9               /* bytes a second that are looked at: 13e9 on a thread (EPYC, 2026-11-30) */

typedef struct
{
  GBytes *question;
  guint64 pixels[2];
  GBytes *answer;               /* NULL: the question was asked, and what it was asked of is not known */
} Entry;

static GMutex lock;             /* guards all entries */
static gint   changes;          /* of all inputs that were asked of: an answer during which one changes is of no pixels that anybody knows */

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_bytes_unref (entry->question);
  g_clear_pointer (&entry->answer, g_bytes_unref);
  g_free (entry);
}

/* ------------------------------------------------------------------ pixels -- */

typedef struct
{
  GeglBuffer          *buffer;
  const GeglRectangle *area;
  guint64              sum[2];  /* under the lock */
  GMutex               lock;
} Looking;

/* Pieces are tiles, or rows of them; where a piece lies is a part of what it is. */
static void
add_strip (Looking *looking, const GeglRectangle *strip)
{
  const Babl         *format = gegl_buffer_get_format (looking->buffer);
  GeglBufferIterator *pieces = gegl_buffer_iterator_new (looking->buffer, strip, 0, format, GEGL_ACCESS_READ, GEGL_ABYSS_NONE, 1);
  guint64             sum[2] = { 0, 0 };

  while (gegl_buffer_iterator_next (pieces))
    {
      const GeglRectangle *at = &pieces->items[0].roi;
      const guint64        place = XXH3_64bits (at, sizeof *at);
      const XXH128_hash_t  of = XXH3_128bits_withSeed (pieces->items[0].data, (gsize) pieces->length * babl_format_get_bytes_per_pixel (format), place);

      sum[0] += of.low64;
      sum[1] += of.high64;
    }
  g_mutex_lock (&looking->lock);
  looking->sum[0] += sum[0];
  looking->sum[1] += sum[1];
  g_mutex_unlock (&looking->lock);
}

static void
look_at_strips (gsize first, gsize n, gpointer data)
{
  Looking   *looking = data;
  const gint end = looking->area->y + looking->area->height;

  for (gsize i = first; i < first + n; i++)
    {
      const gint y = looking->area->y + (gint) i * STRIP;

      add_strip (looking, GEGL_RECTANGLE (looking->area->x, y, looking->area->width, MIN (STRIP, end - y)));
    }
}

static void
look (Remembered *asked)
{
  const GeglRectangle *area = &asked->request->roi;
  Looking              looking = { .buffer = asked->request->input, .area = area };

  g_mutex_init (&looking.lock);
  gegl_buffer_flush_ext (looking.buffer, NULL);         /* a filter of GEGL's may have left it on its device */
  tessera_spread_range ((area->height + STRIP - 1) / STRIP, 512.0 / area->width, look_at_strips, &looking);
  g_mutex_clear (&looking.lock);
  memcpy (asked->pixels, looking.sum, sizeof asked->pixels);
  asked->knows_pixels = TRUE;
}

static void
count_change (void)
{
  g_atomic_int_inc (&changes);
}

/* --------------------------------------------------------------- questions -- */

/* What the answer depends on beside the pixels; and which path answers, so that another mode has another answer, as it asks for. */
static GBytes *
question_of (const TesseraRequest *request, gconstpointer settings, gsize bytes)
{
  struct
  {
    const Babl   *stored, *read;
    GeglRectangle roi, bounds;
    guint         path, uses_opencl;
  } place;
  GByteArray *text = g_byte_array_new ();

  memset (&place, 0, sizeof place);
  place.stored = gegl_buffer_get_format (request->input);
  place.read = request->input_format;
  place.roi = request->roi;
  place.bounds = request->bounds;
  place.path = tessera_remembers ();
  place.uses_opencl = tessera_uses_opencl (request->errand.operation);
  g_byte_array_append (text, (const guint8 *) &place, sizeof place);
  g_byte_array_append (text, settings, bytes);
  return g_byte_array_free_to_bytes (text);
}

static GPtrArray *
entries_locked (GeglOperation *operation)
{
  const GQuark name = g_quark_from_static_string ("tessera-remembered");
  GPtrArray   *entries = g_object_get_qdata (G_OBJECT (operation), name);

  if (entries)
    return entries;
  entries = g_ptr_array_new_with_free_func (entry_free);
  g_object_set_qdata_full (G_OBJECT (operation), name, entries, (GDestroyNotify) g_ptr_array_unref);
  return entries;
}

static Entry *
entry_locked (const Remembered *asked)
{
  GPtrArray *entries = entries_locked (asked->request->errand.operation);

  for (guint i = 0; i < entries->len; i++)
    if (g_bytes_equal (((Entry *) g_ptr_array_index (entries, i))->question, asked->question))
      return g_ptr_array_index (entries, i);
  return NULL;
}

static gsize
bytes_of (const Entry *entry)
{
  return entry->answer ? g_bytes_get_size (entry->answer) : 0;
}

/* The oldest go first. */
static void
make_room_locked (GPtrArray *entries, gsize bytes)
{
  gsize all = bytes;

  for (guint i = 0; i < entries->len; i++)
    all += bytes_of (g_ptr_array_index (entries, i));
  while (entries->len > 0 && (all > REMEMBERED_BYTES || entries->len >= REMEMBERED_MOST))
    {
      all -= bytes_of (g_ptr_array_index (entries, 0));
      g_ptr_array_remove_index (entries, 0);
    }
}

/* In place of what was there.  Where the pixels are not known, it is only known that the question was asked. */
static void
put (const Remembered *asked, gconstpointer answer, gsize bytes)
{
  Entry     *entry = g_new0 (Entry, 1), *old;
  GPtrArray *entries;

  entry->question = g_bytes_ref (asked->question);
  if (asked->knows_pixels)
    entry->answer = g_bytes_new (answer, bytes);
  memcpy (entry->pixels, asked->pixels, sizeof entry->pixels);
  g_mutex_lock (&lock);
  entries = entries_locked (asked->request->errand.operation);
  old = entry_locked (asked);
  if (old)
    g_ptr_array_remove (entries, old);
  make_room_locked (entries, bytes);
  g_ptr_array_add (entries, entry);
  g_mutex_unlock (&lock);
  if (asked->knows_pixels)
    tessera_answer_parts (asked->request->errand.operation);
}

static gboolean
was_asked (const Remembered *asked)
{
  gboolean was;

  g_mutex_lock (&lock);
  was = entry_locked (asked) != NULL;
  g_mutex_unlock (&lock);
  return was;
}

static GBytes *
take_answer (const Remembered *asked)
{
  const Entry *entry;
  GBytes      *answer = NULL;

  g_mutex_lock (&lock);
  entry = entry_locked (asked);
  if (entry && entry->answer && memcmp (entry->pixels, asked->pixels, sizeof entry->pixels) == 0)
    answer = g_bytes_ref (entry->answer);
  g_mutex_unlock (&lock);
  return answer;
}

GBytes *
remembered_find (const TesseraRequest *request, gconstpointer settings, gsize bytes, Remembered *asked)
{
  GBytes *answer = NULL;

  *asked = (Remembered) { .request = request };
  if (! tessera_remembers () || ! request->errand.operation || ! request->input || gegl_rectangle_is_empty (&request->roi))
    return NULL;
  if (! g_signal_handler_find (request->input, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, count_change, NULL))
    gegl_buffer_signal_connect (request->input, "changed", count_change, NULL);
  asked->changes = g_atomic_int_get (&changes);
  asked->question = question_of (request, settings, bytes);
  if (was_asked (asked))
    {
      look (asked);
      answer = take_answer (asked);
    }
  if (answer)
    remembered_give_up (asked);
  asked->began = g_get_monotonic_time ();
  return answer;
}

void
remembered_keep (Remembered *asked, gconstpointer answer, gsize bytes)
{
  const gdouble seconds = (g_get_monotonic_time () - asked->began) / 1e6;

  if (! asked->question)
    return;
  if (! asked->knows_pixels
      && seconds > REMEMBERED_WORTH / SPEED * asked->request->roi.width * asked->request->roi.height
                   * babl_format_get_bytes_per_pixel (gegl_buffer_get_format (asked->request->input)))
    look (asked);
  asked->knows_pixels &= g_atomic_int_get (&changes) == asked->changes;
  if (bytes <= REMEMBERED_BYTES)
    put (asked, answer, asked->knows_pixels ? bytes : 0);
  remembered_give_up (asked);
}

void
remembered_give_up (Remembered *asked)
{
  g_clear_pointer (&asked->question, g_bytes_unref);
}
