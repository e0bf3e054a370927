/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, the median of small squares by networks of minima and maxima
 * (opencl/math/tessera-median-networks.h): without branches, a vector of samples at a time.
 *
 * For each row of the result, its columns are sorted once, in rows of integer keys.  The median is taken from
 * the sorted columns.
 *
 * Where samples are left out, half of the places that lack one, rounded up, come before all samples and the rest after
 * them.  The middle place then has the median of the samples.  In a sorted column it is half of them, rounded down.  Of the
 * columns that lack an odd number every other one is then moved: its last place comes before all.
 */
#include "config.h"

#include "median-blur.h"
#include "planes.h"

#include "../../opencl/math/tessera-median-networks.h"

#include <string.h>

#define SWAP(a, b) \
  { \
    const gint less = v[a] < v[b] ? v[a] : v[b], more = v[a] < v[b] ? v[b] : v[a]; \
    v[a] = less; \
    v[b] = more; \
  }

typedef void (*SortColumns) (gint *const *rows, gint *const *sorted, gint *restrict odd, gint count);
typedef void (*TakeMedians) (gint *const *sorted, const gint *restrict odd, gint *restrict out, gint count);

/* sort_KIND_N: `count` columns of N keys, rows[0..N-1][i], to sorted[0..N-1][i]; odd: -1 if a column lacks an odd number, else 0.
 * take_KIND_N: out[i] of the columns i, i + 4 .. i + 4 (N-1): RGBA is interleaved.
 * Where samples are left out (LACKS), the second of two places that lack a sample becomes MEDIAN_LEAST, which has the other bits
 * of MEDIAN_OUTSIDE. */
#define NETWORK(kind, LACKS, N, N2) \
TESSERA_CLONES static void \
sort_ ## kind ## _ ## N (gint *const *rows_in, gint *const *sorted_out, gint *restrict odd G_GNUC_UNUSED, gint count) \
{ \
  const gint *rows[N]; \
  gint       *sorted[N]; \
\
  memcpy (rows, rows_in, sizeof rows); \
  memcpy (sorted, sorted_out, sizeof sorted); \
  MEDIAN_INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      gint v[N], is_odd = 0; \
\
      MEDIAN_UNROLL for (gint k = 0; k < N; k++) \
        { \
          const gint lacks = LACKS && rows[k][i] == MEDIAN_OUTSIDE ? -1 : 0; \
\
          v[k] = rows[k][i] ^ (lacks & is_odd); \
          is_odd ^= lacks; \
        } \
      MEDIAN_SORT_ ## N (SWAP) \
      MEDIAN_UNROLL for (gint k = 0; k < N; k++) \
        sorted[k][i] = v[k]; \
      if (LACKS) \
        odd[i] = is_odd; \
    } \
} \
\
TESSERA_CLONES static void \
take_ ## kind ## _ ## N (gint *const *sorted_in, const gint *restrict odd G_GNUC_UNUSED, gint *restrict out, gint count) \
{ \
  const gint *sorted[N]; \
\
  memcpy (sorted, sorted_in, sizeof sorted); \
  MEDIAN_INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      gint v[N2], is_odd = 0; \
\
      MEDIAN_UNROLL for (gint r = 0; r < N; r++) \
        MEDIAN_UNROLL for (gint c = 0; c < N; c++) \
          v[N * r + c] = sorted[r][i + 4 * c]; \
      MEDIAN_UNROLL for (gint c = 0; c < (LACKS ? N : 0); c++) \
        { \
          const gint moves = odd[i + 4 * c] & ~is_odd; \
\
          MEDIAN_UNROLL for (gint r = N - 1; r > 0; r--) \
            v[N * r + c] = (v[N * r + c] & ~moves) | (v[N * (r - 1) + c] & moves); \
          v[c] = (v[c] & ~moves) | (MEDIAN_LEAST & moves); \
          is_odd ^= odd[i + 4 * c]; \
        } \
      MEDIAN_ ## N2 (SWAP) \
      out[i] = v[MEDIAN_PLACE_ ## N2]; \
    } \
}

NETWORK (whole, FALSE, 3, 9)
NETWORK (whole, FALSE, 5, 25)
NETWORK (whole, FALSE, 7, 49)
NETWORK (lacking, TRUE, 3, 9)
NETWORK (lacking, TRUE, 5, 25)
NETWORK (lacking, TRUE, 7, 49)

/* [are samples left out][radius] */
static const SortColumns sort_columns[2][4] = { { NULL, sort_whole_3, sort_whole_5, sort_whole_7 },
                                                { NULL, sort_lacking_3, sort_lacking_5, sort_lacking_7 } };
static const TakeMedians take_medians[2][4] = { { NULL, take_whole_3, take_whole_5, take_whole_7 },
                                                { NULL, take_lacking_3, take_lacking_5, take_lacking_7 } };

gboolean
median_has_network (const MedianParams *params, gboolean lacks)
{
  return params->radius >= 1 && params->radius < (gint) G_N_ELEMENTS (sort_columns[0]) && ! params->is_circle
         && params->rank == (params->count + 1) / 2 && (! lacks || params->percentile == 50.0);
}

TESSERA_CLONES static void
make_keys (const gfloat *restrict pixels, gint *restrict keys, gint count)
{
  for (gint i = 0; i < count; i++)
    keys[i] = median_key (tessera_as_int (pixels[i]));
}

/* A pixel stays where no sample was left. */
TESSERA_CLONES static void
put_values (const gint *restrict keys, gfloat *restrict pixels, gint count, gboolean lacks)
{
  if (lacks)
    for (gint i = 0; i < count; i++)
      pixels[i] = keys[i] == MEDIAN_LEAST ? pixels[i] : tessera_as_float (median_bits (keys[i]));
  else
    for (gint i = 0; i < count; i++)
      pixels[i] = tessera_as_float (median_bits (keys[i]));
}

static const gint colours[4] = { -1, -1, -1, 0 };

/* Returns how many pixels lack their colours.  If it is none, nothing changes. */
TESSERA_CLONES static gint
leave_out_colours (const gfloat *restrict pixels, gint n, gint *restrict keys)
{
  gint count = 0;

  if (planes_alpha_is (1.0f, pixels, n))
    return 0;
  for (gint x = 0; x < n; x++)
    {
      const gint lacks = -(pixels[4 * x + 3] == 0.0f);

      count -= lacks;
      for (gint c = 0; c < 4; c++)
        keys[4 * x + c] = (keys[4 * x + c] & ~(lacks & colours[c])) | (MEDIAN_OUTSIDE & lacks & colours[c]);
    }
  return count;
}

/* The keys of a row's places that are left out.  Returns how many pixels lack their colours. */
static gint
leave_out (const MedianBlock *block, gint y, gint *keys)
{
  const gfloat *row = block->pixels + 4 * (gsize) y * block->around.width;
  const gint    count = leave_out_colours (row, block->around.width, keys);

  for (gint x = 0; x < block->around.width && count > 0 && block->params->channels == 4; x++)
    if (median_is_left_out (block, block->around.x + x, block->around.y + y, 3, row[4 * x + 3]))
      keys[4 * x + 3] = MEDIAN_OUTSIDE;
  return count;
}

/* Rows of `all` keys: those of the pixels, in turns, and what is made of them for a row of the result. */
typedef struct
{
  gint  all, count;             /* of the pixels, of the result */
  gint *keys[MEDIAN_SIDE], *sorted[MEDIAN_SIDE];
  gint  lacking[MEDIAN_SIDE];     /* pixels of these keys */
  gint *odd, *medians;
} Rows;

/* Returns what is to be freed. */
static gint *
rows_init (Rows *rows, const MedianBlock *block)
{
  const gint side = 2 * block->params->radius + 1;
  gint      *memory, *next;

  rows->all = 4 * block->around.width;
  rows->count = rows->all - 8 * block->params->radius;
  memory = next = gegl_scratch_new (gint, (2 * (gsize) side + 2) * rows->all);
  rows->medians = next;
  rows->odd = next += rows->all;
  for (gint k = 0; k < side; k++)
    {
      rows->keys[k] = next += rows->all;
      rows->sorted[k] = next += rows->all;
    }
  return memory;
}

/* Row y of the result needs rows y to y + 2 radius of the pixels.  It replaces the middle one, whose keys are
 * already made. */
void
median_by_network (const MedianBlock *block)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius, side = 2 * radius + 1;
  Rows                rows;
  tessera_autoscratch gint   *memory G_GNUC_UNUSED = rows_init (&rows, block);
  tessera_autoscratch gfloat *alphas = gegl_scratch_new (gfloat, rows.count / 4);

  for (gint y = 0; y < block->around.height; y++)
    {
      gfloat *middle = block->pixels + (gsize) (y - radius) * rows.all + 4 * radius;
      gint    lacking = 0;

      make_keys (block->pixels + (gsize) y * rows.all, rows.keys[y % side], rows.all);
      rows.lacking[y % side] = block->lacks ? leave_out (block, y, rows.keys[y % side]) : 0;
      for (gint k = 0; k < MIN (y + 1, side); k++)
        lacking += rows.lacking[k];
      if (y < 2 * radius || (lacking == side * block->around.width && params->channels == 3))
        continue;               /* all stay */
      sort_columns[lacking > 0][radius] (rows.keys, rows.sorted, rows.odd, rows.all);
      take_medians[lacking > 0][radius] (rows.sorted, rows.odd, rows.medians, rows.count);
      for (gint x = 0; x < rows.count / 4; x++)
        alphas[x] = middle[4 * x + 3];
      put_values (rows.medians, middle, rows.count, lacking > 0);
      for (gint x = 0; x < rows.count / 4 && params->channels == 3; x++)
        middle[4 * x + 3] = alphas[x];
    }
}
