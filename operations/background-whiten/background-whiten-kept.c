/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Prepared frames that were used last, within a quarter of what GEGL may use for tiles; see background-whiten.h.
 */
#include "background-whiten.h"

#include <gegl.h>

#define LEAST_BYTES ((gsize) 64 << 20)

static GMutex      lock;                /* guards what follows */
static GHashTable *frames;              /* by key */
static gsize       bytes;
static guint64     clock_of_use;

static gsize
bytes_of (const KeptFrame *frame)
{
  return 3 * sizeof (gfloat) * (gsize) frame->plane.width * frame->plane.height;       /* with what its shift is found from */
}

static gsize
most_bytes (void)
{
  guint64 tiles;

  g_object_get (gegl_config (), "tile-cache-size", &tiles, NULL);
  return MAX ((gsize) tiles / 4, LEAST_BYTES);
}

void
kept_frame_unref (KeptFrame *frame)
{
  if (! g_atomic_int_dec_and_test (&frame->references))
    return;
  count_plane_clear (&frame->plane);
  g_clear_pointer (&frame->shift, shift_frame_free);
  tessera_kept_unref (frame->on_device);
  g_free (frame->key);
  g_free (frame);
}

KeptFrame *
kept_frame_find (const gchar *key)
{
  KeptFrame *frame;

  g_mutex_lock (&lock);
  frame = frames ? g_hash_table_lookup (frames, key) : NULL;
  if (frame)
    {
      g_atomic_int_inc (&frame->references);
      frame->used = ++clock_of_use;
    }
  g_mutex_unlock (&lock);
  return frame;
}

static void
drop_oldest_locked (gsize most, const KeptFrame *newest)
{
  while (bytes > most)
    {
      GHashTableIter iter;
      gpointer       value;
      KeptFrame     *oldest = NULL;

      g_hash_table_iter_init (&iter, frames);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        {
          KeptFrame *frame = value;

          if (frame != newest && (! oldest || frame->used < oldest->used))
            oldest = frame;
        }
      if (! oldest)
        return;
      bytes -= bytes_of (oldest);
      g_hash_table_remove (frames, oldest->key);
      kept_frame_unref (oldest);
    }
}

/* Another thread may have been faster.  Then its frame is the one. */
KeptFrame *
kept_frame_add (const gchar *key, CountPlane *plane)
{
  const gsize most = most_bytes ();
  KeptFrame  *frame = g_new0 (KeptFrame, 1), *other;

  *frame = (KeptFrame) { .references = 2, .key = g_strdup (key), .plane = *plane };     /* the caller's, and this one */
  g_mutex_lock (&lock);
  if (! frames)
    frames = g_hash_table_new (g_str_hash, g_str_equal);
  other = g_hash_table_lookup (frames, key);
  if (other)
    g_atomic_int_inc (&other->references);
  else
    {
      frame->on_device = tessera_kept_new ();
      frame->used = ++clock_of_use;
      g_hash_table_insert (frames, frame->key, frame);
      bytes += bytes_of (frame);
      drop_oldest_locked (most, frame);
    }
  g_mutex_unlock (&lock);
  if (! other)
    return frame;
  frame->references = 1;
  kept_frame_unref (frame);
  return other;
}
