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
 * 3. A setting for which the filter has no fast kernel (TesseraRequest.has_slow_kernel, choice.c): C.  (Median of
 *    radius 100, 1 Mpix, H200 and 16 threads of C, 2026-11: 1132 and 109 ms.)
 * 4. Else the device, until this process knows better.  The time of each request is kept by filter, kind (reach, cost
 *    class) and size.  C's time comes from two small requests; from a part of a larger one that C computes beside the
 *    device, so seldom that it costs little; and, where these say that C may be the faster one, from a whole request.
 *    What cannot be parted is given to C once, if the device took far longer than for smaller requests.  If C is a
 *    tenth faster, it is taken, and the device is tried again now and then.  So a busy device is left alone, and found
 *    again.
 *
 * Price: 1.7 for 2 (sobel, 0.01 Mpix), Price: 1.8 for 4 (sobel, 0.05 Mpix; H200, 2026-11-22).
 */
#include "speed.h"

#define TINY_PIXELS   (1 << 14)
#define SMALL_PIXELS  (1 << 18)         /* C is given whole requests up to this size, to learn its time */
#define TRIALS        2                 /* ... so many, or a larger one, or a part */
#define SIZES         16                /* one a power of two, from TINY_PIXELS on */
#define MARGIN        1.1
#define CLOSE         1.2               /* C is given a request of a new size if it takes at most so much longer, */
#define CLOSE_SMALL   2.0               /* or a small one, which costs little */
#define FAR           4                 /* a size may cost so much more than the next smaller one, a pixel */
#define NEWS          0.25              /* weight of the latest request */

/* What the device's first request of a size may take for memory and for a driver that compiles when a kernel first
 * runs, in seconds. */
#define FIRST(pixels) (0.1 + 1e-7 * (pixels))

/* The device is tried again after so many requests that took C so many times what the trial may cost. */
#define RETRY         64
#define RETRY_SHARE   16

/* A part is tried when the device's requests took so many times what the last one did. */
#define SHARE         20                /* C's time is not known for this kind */
#define SHARE_KNOWN   200
#define FIRST_PRICE   2e-3              /* of a trial before there was one */

/* The known times of a filter's requests of one kind, by size: seconds a pixel, averaged with more weight on
 * the latest; 0: unknown. */
typedef struct
{
  gdouble c[SIZES], device[SIZES];
  guint   c_count, device_count[SIZES];
  guint   n_in_c;               /* requests in C since the device was tried, ... */
  gdouble in_c;                 /* ... and their seconds */
} Speed;

/* The trials of a filter. */
typedef struct
{
  gdouble since, price;         /* seconds: of the device since the last one, which took `price` */
} Trials;

static GMutex      lock;                /* guards what follows */
static GHashTable *speeds;              /* "filter/kind" -> Speed */
static GHashTable *trials;              /* filter -> Trials */

/* What a table has of the key; `fresh` at first. */
static gpointer
known_locked (GHashTable **table, const gchar *key, gconstpointer fresh, gsize bytes)
{
  gpointer known;

  if (! *table)
    *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  known = g_hash_table_lookup (*table, key);
  if (! known)
    {
      known = g_memdup2 (fresh, bytes);
      g_hash_table_insert (*table, g_strdup (key), known);
    }
  return known;
}

static Speed *
speed_locked (const gchar *filter, guint kind)
{
  static const Speed fresh;
  g_autofree gchar  *key = g_strdup_printf ("%s/%u", filter, kind);

  return known_locked (&speeds, key, &fresh, sizeof fresh);
}

static Trials *
trials_locked (const gchar *filter)
{
  static const Trials fresh = { .price = FIRST_PRICE };

  return known_locked (&trials, filter, &fresh, sizeof fresh);
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

/* ------------------------------------------------------------------ note -- */

/* A weight of 1: the value alone. */
static void
learn (gdouble *known, gdouble value, gdouble weight)
{
  *known = *known > 0 ? *known + (value - *known) * weight : value;
}

/* Of the device's first request of a size, what its circumstances do not explain counts; the second one takes its place.
 * A device that was left alone and is found faster is believed at once. */
static void
note_device_locked (Speed *speed, guint size, guint64 pixels, gdouble seconds)
{
  const gboolean is_first = speed->device_count[size]++ == 0, is_second = speed->device_count[size] == 2;
  const gdouble  counted = is_first ? MAX (0, seconds - FIRST (pixels)) : seconds, value = counted / pixels;
  gdouble       *known = &speed->device[size], c = nearest (speed->c, size);
  const gboolean is_found = c > 0 && c * MARGIN < *known && value < *known;

  if (counted > 0)
    learn (known, value, is_second || is_found ? 1 : NEWS);
}

static void
note_c_locked (Speed *speed, guint size, guint64 pixels, gdouble seconds)
{
  learn (&speed->c[size], seconds / pixels, NEWS);
  speed->c_count += pixels > SMALL_PIXELS ? TRIALS : 1;
  speed->n_in_c++;
  speed->in_c += seconds;
}

void
tessera_speed_note (const gchar *filter, guint kind, guint64 pixels, gboolean on_device, gdouble seconds)
{
  if (pixels <= TINY_PIXELS)
    return;
  g_mutex_lock (&lock);
  (on_device ? note_device_locked : note_c_locked) (speed_locked (filter, kind), size_class (pixels), pixels, seconds);
  g_mutex_unlock (&lock);
}

gboolean
tessera_speed_wants_trial (const gchar *filter, guint kind, guint64 pixels, gdouble seconds)
{
  gboolean wants;
  Trials  *known;

  if (pixels <= TINY_PIXELS)
    return FALSE;
  g_mutex_lock (&lock);
  known = trials_locked (filter);
  known->since += seconds;
  wants = known->since >= known->price * (speed_locked (filter, kind)->c_count < TRIALS ? SHARE : SHARE_KNOWN);
  if (wants)
    known->since = 0;           /* no second thread tries meanwhile */
  g_mutex_unlock (&lock);
  return wants;
}

void
tessera_speed_note_trial (const gchar *filter, guint kind, guint64 pixels, gdouble seconds)
{
  Speed  *speed;
  gdouble *c;

  g_mutex_lock (&lock);
  trials_locked (filter)->price = seconds;
  if (pixels > TINY_PIXELS)
    {
      speed = speed_locked (filter, kind);
      c = &speed->c[size_class (pixels)];
      learn (c, seconds / pixels, seconds / pixels < *c ? 1 : NEWS);
      speed->c_count += TRIALS;
    }
  g_mutex_unlock (&lock);
}

/* ------------------------------------------------------------------ path -- */

/* Is the device tried again, which may lose so many seconds?  Of a first request alone little is known, so the second
 * comes sooner. */
static gboolean
is_turn_locked (Speed *speed, guint size, gdouble loss)
{
  const gboolean is_turn = speed->device_count[size] == 1 ? speed->in_c >= loss
                           : speed->n_in_c >= RETRY && speed->in_c >= RETRY_SHARE * loss;

  if (is_turn)
    {
      speed->n_in_c = 0;
      speed->in_c = 0;
    }
  return is_turn;
}

/* C's time is not known: is it worth a request? */
static gboolean
deserves_trial (const Speed *speed, guint size, guint64 pixels)
{
  gdouble smaller = 0;

  for (guint i = 0; i < size; i++)
    smaller = speed->device[i] > 0 ? speed->device[i] : smaller;
  return pixels <= SMALL_PIXELS || (smaller > 0 && smaller * FAR < speed->device[size]);
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
    prefers = deserves_trial (speed, size, pixels);
  else
    {
      const gdouble margin = speed->c[size] > 0 ? MARGIN : 1 / (pixels <= SMALL_PIXELS ? CLOSE_SMALL : CLOSE);

      *c = nearest (speed->c, size) * pixels;
      *device = speed->device[size] * pixels;
      prefers = *c * margin < *device && ! is_turn_locked (speed, size, *device - *c);
    }
  g_mutex_unlock (&lock);
  return prefers;
}
