/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, the median of small squares by networks of minima and maxima
 * (opencl/math/tessera-median-networks.h): without branches, a vector of samples at a time.
 *
 * For each row of the result, its columns are sorted once, in rows of integer keys.  The median is taken from
 * the sorted columns.
 */
#include "config.h"

#include "median-blur.h"

#include "../opencl/math/tessera-median-networks.h"

#include <string.h>

#define MOST_SIDE 7

/* No two rows overlap. */
#ifdef __clang__
#define INDEPENDENT _Pragma ("clang loop vectorize (assume_safety)")
#else
#define INDEPENDENT _Pragma ("GCC ivdep")
#endif

#define SWAP(a, b) \
  { \
    const gint less = v[a] < v[b] ? v[a] : v[b], more = v[a] < v[b] ? v[b] : v[a]; \
    v[a] = less; \
    v[b] = more; \
  }
#define LOAD_ROW(k) v[k] = rows[k][i];
#define STORE_ROW(k) sorted[k][i] = v[k];
#define LOAD_3(r, i) v[3 * r] = s ## r[i]; v[3 * r + 1] = s ## r[i + 4]; v[3 * r + 2] = s ## r[i + 8];
#define LOAD_5(r, i) v[5 * r] = s ## r[i]; v[5 * r + 1] = s ## r[i + 4]; v[5 * r + 2] = s ## r[i + 8]; \
  v[5 * r + 3] = s ## r[i + 12]; v[5 * r + 4] = s ## r[i + 16];
#define LOAD_7(r, i) v[7 * r] = s ## r[i]; v[7 * r + 1] = s ## r[i + 4]; v[7 * r + 2] = s ## r[i + 8]; \
  v[7 * r + 3] = s ## r[i + 12]; v[7 * r + 4] = s ## r[i + 16]; v[7 * r + 5] = s ## r[i + 20]; \
  v[7 * r + 6] = s ## r[i + 24];
#define ROWS_3(F) F (0) F (1) F (2)
#define ROWS_5(F) ROWS_3 (F) F (3) F (4)
#define ROWS_7(F) ROWS_5 (F) F (5) F (6)
#define NAME_ROW(k) const gint *restrict s ## k = sorted[k];

typedef void (*SortColumns) (gint *const *rows, gint *const *sorted, gint count);
typedef void (*TakeMedians) (gint *const *sorted, gint *restrict out, gint count);

/* sort_columns_N: `count` columns of N keys, rows[0..N-1][i], to sorted[0..N-1][i].
 * take_medians_N: out[i] of the columns i, i + 4 .. i + 4 (N-1): RGBA is interleaved. */
#define NETWORK(N, N2) \
TESSERA_CLONES static void \
sort_columns_ ## N (gint *const *rows_in, gint *const *sorted_out, gint count) \
{ \
  const gint *rows[N]; \
  gint       *sorted[N]; \
  gint        v[N]; \
\
  memcpy (rows, rows_in, sizeof rows); \
  memcpy (sorted, sorted_out, sizeof sorted); \
  INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      ROWS_ ## N (LOAD_ROW) \
      MEDIAN_SORT_ ## N (SWAP) \
      ROWS_ ## N (STORE_ROW) \
    } \
} \
\
TESSERA_CLONES static void \
take_medians_ ## N (gint *const *sorted, gint *restrict out, gint count) \
{ \
  ROWS_ ## N (NAME_ROW) \
  gint v[N2]; \
\
  INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      ROWS_ ## N (LOAD_COLUMNS_ ## N) \
      MEDIAN_ ## N2 (SWAP) \
      out[i] = v[MEDIAN_PLACE_ ## N2]; \
    } \
}
#define LOAD_COLUMNS_3(r) LOAD_3 (r, i)
#define LOAD_COLUMNS_5(r) LOAD_5 (r, i)
#define LOAD_COLUMNS_7(r) LOAD_7 (r, i)

NETWORK (3, 9)
NETWORK (5, 25)
NETWORK (7, 49)

static const SortColumns sort_columns[] = { NULL, sort_columns_3, sort_columns_5, sort_columns_7 };
static const TakeMedians take_medians[] = { NULL, take_medians_3, take_medians_5, take_medians_7 };

gboolean
median_has_network (const MedianParams *params)
{
  return params->radius >= 1 && params->radius < (gint) G_N_ELEMENTS (sort_columns) && ! params->is_circle
         && params->rank == (params->count + 1) / 2;
}

TESSERA_CLONES static void
make_keys (const gfloat *restrict pixels, gint *restrict keys, gint count)
{
  for (gint i = 0; i < count; i++)
    keys[i] = median_key (tessera_as_int (pixels[i]));
}

TESSERA_CLONES static void
put_values (const gint *restrict keys, gfloat *restrict pixels, gint count)
{
  for (gint i = 0; i < count; i++)
    pixels[i] = tessera_as_float (median_bits (keys[i]));
}

/* Row y of the result needs rows y to y + 2 radius of the pixels.  It replaces the middle one, whose keys are
 * already made. */
void
median_by_network (const MedianBlock *block)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius, side = 2 * radius + 1;
  const gint          all = 4 * block->around.width, count = all - 8 * radius;
  gint               *memory = gegl_scratch_new (gint, (2 * (gsize) side + 1) * all);
  gfloat             *alphas = gegl_scratch_new (gfloat, count / 4);
  gint               *keys[MOST_SIDE], *sorted[MOST_SIDE], *medians = memory + 2 * side * all;

  for (gint k = 0; k < side; k++)
    {
      keys[k] = memory + k * all;
      sorted[k] = memory + (side + k) * all;
    }
  for (gint y = 0; y < block->around.height; y++)
    {
      gfloat *middle = block->pixels + (gsize) (y - radius) * all + 4 * radius;

      make_keys (block->pixels + (gsize) y * all, keys[y % side], all);
      if (y < 2 * radius)
        continue;
      sort_columns[radius] (keys, sorted, all);
      take_medians[radius] (sorted, medians, count);
      for (gint x = 0; x < count / 4; x++)
        alphas[x] = middle[4 * x + 3];
      put_values (medians, middle, count);
      for (gint x = 0; x < count / 4 && params->channels == 3; x++)
        middle[4 * x + 3] = alphas[x];
    }
  gegl_scratch_free (alphas);
  gegl_scratch_free (memory);
}
