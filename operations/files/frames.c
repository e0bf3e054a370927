/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames that were used last. */
#include "frames.h"

#define LEAST_BYTES ((gsize) 64 << 20)

/* Busy: a thread decodes it, without the lock. */
typedef struct
{
  gchar       *key;
  FramePixels *pixels;          /* NULL while it is busy */
  guint64      used;
} Entry;

struct _FrameCache
{
  GMutex      mutex;
  GCond       decoded;
  GHashTable *entries;          /* by key */
  gsize       bytes, most;
  guint64     clock;
};

static gsize
bytes_of (const FramePixels *pixels)
{
  return sizeof (gfloat) * (gsize) pixels->plane.width * (gsize) pixels->plane.height;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  if (entry->pixels)
    frame_pixels_unref (entry->pixels);
  g_free (entry->key);
  g_free (entry);
}

FrameCache *
frame_cache_new (gsize bytes)
{
  FrameCache *cache = g_new0 (FrameCache, 1);

  g_mutex_init (&cache->mutex);
  g_cond_init (&cache->decoded);
  cache->entries = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, entry_free);
  cache->most = bytes;
  return cache;
}

void
frame_cache_free (FrameCache *cache)
{
  g_hash_table_destroy (cache->entries);
  g_mutex_clear (&cache->mutex);
  g_cond_clear (&cache->decoded);
  g_free (cache);
}

FrameCache *
frame_cache_shared (void)
{
  static FrameCache *cache;

  if (g_once_init_enter (&cache))
    {
      guint64 tiles;

      g_object_get (gegl_config (), "tile-cache-size", &tiles, NULL);
      g_once_init_leave (&cache, frame_cache_new (MAX ((gsize) tiles / 2, LEAST_BYTES)));
    }
  return cache;
}

/* The least recently used go, but not the one that is kept now. */
static void
make_room (FrameCache *cache, const Entry *kept)
{
  while (cache->bytes > cache->most)
    {
      GHashTableIter iter;
      gpointer       value;
      Entry         *oldest = NULL;

      g_hash_table_iter_init (&iter, cache->entries);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        {
          Entry *entry = value;

          if (entry != kept && entry->pixels && (! oldest || entry->used < oldest->used))
            oldest = entry;
        }
      if (! oldest)
        return;
      cache->bytes -= bytes_of (oldest->pixels);
      g_hash_table_remove (cache->entries, oldest->key);
    }
}

/* With the lock, which is given away meanwhile. */
static FramePixels *
decode (FrameCache *cache, const gchar *key, const Frame *frame, GError **error)
{
  Entry       *entry = g_new0 (Entry, 1);
  FramePixels *pixels;

  entry->key = g_strdup (key);
  g_hash_table_insert (cache->entries, entry->key, entry);
  g_mutex_unlock (&cache->mutex);
  pixels = frame_decode (frame, error);
  g_mutex_lock (&cache->mutex);
  if (pixels)
    {
      entry->pixels = frame_pixels_ref (pixels);
      entry->used = ++cache->clock;
      cache->bytes += bytes_of (pixels);
      make_room (cache, entry);
    }
  else
    g_hash_table_remove (cache->entries, key);
  g_cond_broadcast (&cache->decoded);
  return pixels;
}

FramePixels *
frame_cache_get (FrameCache *cache, const Frame *frame, gint width, gint height, GError **error)
{
  g_autofree gchar *key = frame_key (frame);
  FramePixels *pixels = NULL;
  Entry       *entry;

  g_mutex_lock (&cache->mutex);
  while ((entry = g_hash_table_lookup (cache->entries, key)) && ! entry->pixels)
    g_cond_wait (&cache->decoded, &cache->mutex);
  if (entry)
    {
      entry->used = ++cache->clock;
      pixels = frame_pixels_ref (entry->pixels);
    }
  else
    pixels = decode (cache, key, frame, error);
  g_mutex_unlock (&cache->mutex);
  if (pixels && ((width > 0 && pixels->plane.width != width) || (height > 0 && pixels->plane.height != height)))
    {
      g_autofree gchar *name = frame_name (frame);

      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_SIZE, "%s is %d x %d, not %d x %d", name, pixels->plane.width, pixels->plane.height,
                   width, height);
      frame_pixels_unref (pixels);
      return NULL;
    }
  return pixels;
}
