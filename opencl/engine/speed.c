/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path is faster here: the rule behind TESSERA_OPENCL=auto.  It follows measurements, made beforehand and
 * in this process.
 *
 * 1. A processor as OpenCL device: C.  Both run on the same cores, and the device also has to
 *    copy.  (4 Mpix RGBA float, ms, C and PoCL, 2026-11: motion blur
 *    35 and 177 on two cores with PoCL 3.1, 8.8 and 37 on 16 with PoCL 5; bilateral
 *    grid 81 and 260, 16 and 62; by luminance 43 and 210, 5.8 and 28.)
 * 2. Tiny requests: C.  Sending and waiting alone take longer.  (0.01 Mpix, H200 and
 *    16 threads of C, 2026-11: 0.2 to 0.3 ms and 0.1 to 0.2; from 0.03 on it depends.)
 * 3. Else the device, until this process knows better.  The time of each request is kept by filter,
 *    kind (reach, cost class) and size.  Small requests are given to C twice to learn its time, which
 *    is taken for larger ones until they have their own.  If C is a tenth faster, it is taken, and the
 *    device is tried again now and then.  So a busy device is left alone, and found again.
 *
 * Price: 1.7 for 2 (sobel, 0.01 Mpix), Price: 1.8 for 3 (sobel, 0.05 Mpix; H200, 2026-11-22).
 */
#include "speed.h"

#define TINY_PIXELS   (1 << 14)
#define TRIAL_PIXELS  (1 << 18)         /* C is tried out up to this size */
#define TRIALS        2
#define SIZES         16                /* one a power of two, from TINY_PIXELS on */
#define RETRY         64                /* after this many requests the device is tried again */
#define MARGIN        1.1
#define NEWS          0.25              /* weight of the latest request */

/* The known times of a filter's requests of one kind, by size: seconds a pixel, averaged with more weight on
 * the latest; 0: unknown. */
typedef struct
{
  gdouble c[SIZES], device[SIZES];
  guint   c_count, device_count[SIZES];
  guint   since_retry;
} Speed;

static GMutex      lock;                /* guards what follows */
static GHashTable *speeds;              /* "filter/kind" -> Speed */

static Speed *
speed_locked (const gchar *filter, guint kind)
{
  g_autofree gchar *key = g_strdup_printf ("%s/%u", filter, kind);
  Speed *speed;

  if (! speeds)
    speeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  speed = g_hash_table_lookup (speeds, key);
  if (! speed)
    {
      speed = g_new0 (Speed, 1);
      g_hash_table_insert (speeds, g_steal_pointer (&key), speed);
    }
  return speed;
}

static guint
size_class (guint64 pixels)
{
  return MIN (g_bit_storage (pixels / TINY_PIXELS), SIZES) - 1;
}

/* The known value of the nearest size; 0 if there is none. */
static gdouble
nearest (const gdouble values[SIZES], guint size)
{
  for (guint far = 0; far < SIZES; far++)
    {
      if (size + far < SIZES && values[size + far] > 0)
        return values[size + far];
      if (size >= far && values[size - far] > 0)
        return values[size - far];
    }
  return 0;
}

/* ------------------------------------------------------------------ path -- */

void
tessera_speed_note (const gchar *filter, guint kind, guint64 pixels, gboolean on_device, gdouble seconds)
{
  const gdouble value = seconds / pixels;
  guint         size;
  Speed        *speed;
  gdouble      *known;

  if (pixels <= TINY_PIXELS)
    return;
  size = size_class (pixels);
  g_mutex_lock (&lock);
  speed = speed_locked (filter, kind);
  known = on_device ? &speed->device[size] : &speed->c[size];
  if (on_device)
    speed->device_count[size]++;
  else
    speed->c_count++;
  /* The device's first request of a size pays for memory. */
  if (! on_device || speed->device_count[size] > 1)
    *known = *known > 0 ? *known + (value - *known) * NEWS : value;
  g_mutex_unlock (&lock);
}

gboolean
tessera_speed_prefers_c (const gchar *filter, guint kind, guint64 pixels, gdouble *c, gdouble *device)
{
  guint    size;
  Speed   *speed;
  gboolean prefers;

  *c = *device = 0;
  if (pixels <= TINY_PIXELS)
    return TRUE;
  size = size_class (pixels);
  g_mutex_lock (&lock);
  speed = speed_locked (filter, kind);
  if (speed->device[size] <= 0)
    prefers = FALSE;
  else if (speed->c_count < TRIALS)
    prefers = pixels <= TRIAL_PIXELS;
  else
    {
      *c = nearest (speed->c, size) * pixels;
      *device = speed->device[size] * pixels;
      prefers = *c * MARGIN < *device && ++speed->since_retry % RETRY != 0;
    }
  g_mutex_unlock (&lock);
  return prefers;
}
