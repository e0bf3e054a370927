/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, the median of small squares of bytes: the networks of median-blur-network.c, on the stored bytes
 * themselves, of which a vector holds four times as many.  No sample may be left out.
 * Price: 4.0 (median 1, u8; EPYC, 2026-11-30).
 */
#include "config.h"

#include "median-blur.h"

#include "../../opencl/math/tessera-median-networks.h"

#include <string.h>

#define RUN       64         /* bytes of whole pixels */

#define SWAP(a, b) \
  { \
    const guint8 less = v[a] < v[b] ? v[a] : v[b], more = v[a] < v[b] ? v[b] : v[a]; \
    v[a] = less; \
    v[b] = more; \
  }

/* sort_N: `count` columns of N bytes, rows[0..N-1][i], to sorted[0..N-1][i].
 * take_N: out[i] of the columns i, i + step .. i + step (N-1): the values of a pixel are interleaved. */
#define NETWORK(N, N2) \
TESSERA_CLONES static void \
sort_ ## N (const guint8 *const *rows_in, guint8 *const *sorted_out, gint count) \
{ \
  const guint8 *rows[N]; \
  guint8       *sorted[N]; \
\
  memcpy (rows, rows_in, sizeof rows); \
  memcpy (sorted, sorted_out, sizeof sorted); \
  MEDIAN_INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      guint8 v[N]; \
\
      MEDIAN_UNROLL for (gint k = 0; k < N; k++) \
        v[k] = rows[k][i]; \
      MEDIAN_SORT_ ## N (SWAP) \
      MEDIAN_UNROLL for (gint k = 0; k < N; k++) \
        sorted[k][i] = v[k]; \
    } \
} \
\
TESSERA_CLONES static void \
take_ ## N (guint8 *const *sorted_in, gint step, guint8 *restrict out, gint count) \
{ \
  const guint8 *sorted[N]; \
\
  memcpy (sorted, sorted_in, sizeof sorted); \
  MEDIAN_INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      guint8 v[N2]; \
\
      MEDIAN_UNROLL for (gint r = 0; r < N; r++) \
        MEDIAN_UNROLL for (gint c = 0; c < N; c++) \
          v[N * r + c] = sorted[r][i + step * c]; \
      MEDIAN_ ## N2 (SWAP) \
      out[i] = v[MEDIAN_PLACE_ ## N2]; \
    } \
}

NETWORK (3, 9)
NETWORK (5, 25)
NETWORK (7, 49)

/* By radius. */
static void (*const sort_columns[]) (const guint8 *const *rows, guint8 *const *sorted, gint count)
  = { NULL, sort_3, sort_5, sort_7 };
static void (*const take_medians[]) (guint8 *const *sorted, gint step, guint8 *out, gint count)
  = { NULL, take_3, take_5, take_7 };

TESSERA_CLONES static void
keep_alphas (const guint8 *restrict bytes, gint values, guint8 *restrict out, gint count)
{
  for (gint i = values - 1; i < count; i += values)
    out[i] = bytes[i];
}

void
median_keep_alphas (const MedianBytes *block)
{
  const gint radius = block->params->radius, values = block->values, all = values * block->width, count = all - 2 * radius * values;

  for (gint y = 0; y < block->height - 2 * radius; y++)
    keep_alphas (block->bytes + (gsize) (y + radius) * all + values * radius, values, block->out + (gsize) y * count, count);
}

/* The least of the k-th bytes of all whole runs. */
TESSERA_CLONES static void
find_least (const guint8 *restrict bytes, gsize n, guint8 *restrict least)
{
  memset (least, 255, RUN);
  for (gsize i = 0; i + RUN <= n; i += RUN)
    for (gint k = 0; k < RUN; k++)
      least[k] = MIN (least[k], bytes[i + k]);
}

gboolean
median_bytes_are_whole (const guint8 *bytes, gsize n_pixels, gint values)
{
  const gsize n = n_pixels * values;
  guint8      least[RUN];
  gboolean    any = FALSE;

  if (values % 2)
    return TRUE;
  find_least (bytes, n, least);
  for (gint k = values - 1; k < RUN; k += values)
    any |= least[k] == 0;
  for (gsize i = n / RUN * RUN + values - 1; i < n; i += values)
    any |= bytes[i] == 0;
  return ! any;
}

void
median_by_bytes (const MedianBytes *block)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius, side = 2 * radius + 1, values = block->values;
  const gint          all = values * block->width, count = all - 2 * radius * values;
  tessera_autoscratch guint8 *memory = gegl_scratch_new (guint8, (gsize) side * all);
  guint8             *sorted[MEDIAN_SIDE];

  for (gint k = 0; k < side; k++)
    sorted[k] = memory + (gsize) k * all;
  for (gint y = 0; y < block->height - 2 * radius; y++)
    {
      const guint8 *rows[MEDIAN_SIDE];
      guint8       *out = block->out + (gsize) y * count;

      for (gint k = 0; k < side; k++)
        rows[k] = block->bytes + (gsize) (y + k) * all;
      sort_columns[radius] (rows, sorted, all);
      take_medians[radius] (sorted, values, out, count);
    }
  if (median_keeps_alpha (block))
    median_keep_alphas (block);
}
