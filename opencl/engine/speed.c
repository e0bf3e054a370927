/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path is faster here, the rule behind TESSERA_OPENCL=auto, and how high bands
 * should be: both from what was measured, beforehand and in this process.
 *
 * 1. A processor as OpenCL device: C.  Both run on the same cores, and the device
 *    has copies to make.  (4 Mpix RGBA float, ms, C and PoCL, 2026-11: motion blur
 *    35 and 177 on two cores with PoCL 3.1, 8.8 and 37 on 16 with PoCL 5; bilateral
 *    grid 81 and 260, 16 and 62; by luminance 43 and 210, 5.8 and 28.)
 * 2. Tiny requests: C.  Sending and waiting alone take longer.  (0.01 Mpix, H200 and
 *    16 threads of C, 2026-11: 0.2 to 0.3 ms and 0.1 to 0.2; from 0.03 on it depends.)
 * 3. Else the device, until this process knows better: the time of each request is
 *    kept by filter, kind (reach, cost class) and size; small requests are given to C
 *    twice to learn its time, which is taken for larger ones until there is better.
 *    Where C is then a tenth faster it is taken, and now and again the device is tried
 *    anew; so a busy device is left, and found again.
 *
 * Bands: with n of them a request takes what the host reads and writes, (upload + run +
 * download) / n at the ends of the pipeline, and n times what the host spends on a
 * band's commands: least at n = sqrt (stages / submit).
 */
#include "speed.h"

#include <math.h>

#define TINY_PIXELS   (1 << 14)
#define TRIAL_PIXELS  (1 << 18)         /* up to here C is tried out */
#define TRIALS        2
#define SIZES         16                /* one a power of two, from TINY_PIXELS on */
#define RETRY         64                /* after so many requests the device is tried again */
#define MARGIN        1.1
#define NEWS          0.25              /* weight of the latest request */

#define SUBMIT_SECONDS 1.5e-4           /* H200, 2026-11, waking 16 threads included */
#define SETTLED        4                /* requests of a size after which its bands stay */
#define BUS            4e10             /* bytes a second, until a request has been measured */

/* What is known of a filter's requests of one kind; times in seconds a pixel, by size,
 * moving with the news; 0: unknown. */
typedef struct
{
  gdouble c[SIZES], device[SIZES];
  guint   c_count, device_count[SIZES];
  guint   since_retry;
  gdouble stages;                       /* upload, run and download, the least */
  gdouble submit;                       /* seconds a band, the least: the first ones pay for memory */
  guint   bands[SIZES];                 /* the last answer ... */
  guint   answers[SIZES];               /* ... and how many there were */
} Speed;

static GMutex      lock;                /* guards what follows */
static GHashTable *speeds;              /* "filter/kind" -> Speed */

static Speed *
speed_locked (const gchar *filter, guint kind)
{
  gchar *key = g_strdup_printf ("%s/%u", filter, kind);
  Speed *speed;

  if (! speeds)
    speeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  speed = g_hash_table_lookup (speeds, key);
  if (speed)
    g_free (key);
  else
    {
      speed = g_new0 (Speed, 1);
      speed->submit = SUBMIT_SECONDS;
      g_hash_table_insert (speeds, key, speed);
    }
  return speed;
}

static guint
size_class (guint64 pixels)
{
  return MIN (g_bit_storage (pixels / TINY_PIXELS), SIZES) - 1;
}

/* The known value of the nearest size; 0 where there is none. */
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
  /* The device's first of a size pays for memory. */
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

/* ----------------------------------------------------------------- bands -- */

guint
tessera_speed_bands (const gchar *filter, guint kind, guint64 pixels, guint64 bytes)
{
  const guint size = size_class (MAX (pixels, TINY_PIXELS));
  Speed      *speed;
  gdouble     stages;
  guint       bands;

  g_mutex_lock (&lock);
  speed = speed_locked (filter, kind);
  stages = speed->stages > 0 ? speed->stages * pixels : bytes / BUS;
  bands = (guint) (sqrt (stages / speed->submit) + 0.5);
  /* Settled after a few requests, and a number nearly the same is not taken: else what is
   * pooled would never fit. */
  if (speed->answers[size]++ >= SETTLED
      || ABS ((gint) bands - (gint) speed->bands[size]) * 4 <= (gint) speed->bands[size])
    bands = speed->bands[size];
  else
    speed->bands[size] = bands;
  g_mutex_unlock (&lock);
  return MAX (bands, 1);
}

gboolean
tessera_speed_settled (const gchar *filter, guint kind, guint64 pixels)
{
  gboolean settled;

  g_mutex_lock (&lock);
  settled = speed_locked (filter, kind)->answers[size_class (MAX (pixels, TINY_PIXELS))] > SETTLED;
  g_mutex_unlock (&lock);
  return settled;
}

void
tessera_speed_note_bands (const gchar *filter, guint kind, guint64 pixels, guint bands,
                          gdouble device_seconds, gdouble submit_seconds)
{
  Speed *speed;

  if (bands == 0 || device_seconds <= 0)
    return;
  g_mutex_lock (&lock);
  speed = speed_locked (filter, kind);
  speed->stages = speed->stages > 0 ? MIN (speed->stages, device_seconds / pixels) : device_seconds / pixels;
  speed->submit = MIN (speed->submit, submit_seconds / bands + SUBMIT_SECONDS / 2);
  g_mutex_unlock (&lock);
}
