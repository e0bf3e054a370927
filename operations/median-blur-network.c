/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, the median of small squares by networks of minima and maxima
 * (opencl/math/tessera-median-networks.h): without branches, a vector of samples at a time.
 *
 * For each row of the result, its columns are sorted once, in rows of integer keys.  The median is taken from
 * the sorted columns.
 *
 * Where samples are left out, every other of the places that lack one, counted over a neighbourhood column by column, comes
 * before all samples and the rest after them.  The middle place then has the median of the samples.  Which of the two a
 * place is depends on whether the columns before it lack an even number or an odd one.  So each column is sorted twice.
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

/* take_medians_N where samples are left out: `others` are the columns whose first lacking place is the last in order;
 * odd: -1 if a column lacks an odd number, else 0. */
typedef void (*TakeLackingMedians) (gint *const *sorted, gint *const *others, const gint *restrict odd,
                                    gint *restrict out, gint count);

#define NAME_OTHER(k) const gint *restrict t ## k = others[k];
#define PICK(N, r, c) v[N * r + c] = (s ## r[i + 4 * c] & ~p ## c) | (t ## r[i + 4 * c] & p ## c);
#define PICK_3(r) PICK (3, r, 0) PICK (3, r, 1) PICK (3, r, 2)
#define PICK_5(r) PICK (5, r, 0) PICK (5, r, 1) PICK (5, r, 2) PICK (5, r, 3) PICK (5, r, 4)
#define PICK_7(r) PICK (7, r, 0) PICK (7, r, 1) PICK (7, r, 2) PICK (7, r, 3) PICK (7, r, 4) PICK (7, r, 5) PICK (7, r, 6)

#define LACKING_NETWORK(N, N2) \
TESSERA_CLONES static void \
take_lacking_ ## N (gint *const *sorted, gint *const *others, const gint *restrict odd, gint *restrict out, gint count) \
{ \
  ROWS_ ## N (NAME_ROW) \
  ROWS_ ## N (NAME_OTHER) \
  gint v[N2]; \
\
  INDEPENDENT \
  for (gint i = 0; i < count; i++) \
    { \
      const gint p0 = 0, p1 = odd[i], p2 = p1 ^ odd[i + 4]; \
      PARITIES_ ## N \
      ROWS_ ## N (PICK_ ## N) \
      MEDIAN_ ## N2 (SWAP) \
      out[i] = v[MEDIAN_PLACE_ ## N2]; \
    } \
}
#define PARITIES_3
#define PARITIES_5 const gint p3 = p2 ^ odd[i + 8], p4 = p3 ^ odd[i + 12];
#define PARITIES_7 PARITIES_5 const gint p5 = p4 ^ odd[i + 16], p6 = p5 ^ odd[i + 20];

LACKING_NETWORK (3, 9)
LACKING_NETWORK (5, 25)
LACKING_NETWORK (7, 49)

static const SortColumns sort_columns[] = { NULL, sort_columns_3, sort_columns_5, sort_columns_7 };
static const TakeMedians take_medians[] = { NULL, take_medians_3, take_medians_5, take_medians_7 };
static const TakeLackingMedians take_lacking[] = { NULL, take_lacking_3, take_lacking_5, take_lacking_7 };

gboolean
median_has_network (const MedianParams *params, gboolean lacks)
{
  return params->radius >= 1 && params->radius < (gint) G_N_ELEMENTS (sort_columns) && ! params->is_circle
         && params->rank == (params->count + 1) / 2 && (! lacks || params->percentile == 50.0);
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

/* A pixel stays where no sample was left. */
TESSERA_CLONES static void
put_some_values (const gint *restrict keys, gfloat *restrict pixels, gint count)
{
  for (gint i = 0; i < count; i++)
    pixels[i] = keys[i] == MEDIAN_LEAST ? pixels[i] : tessera_as_float (median_bits (keys[i]));
}

/* The keys of a row's places that are left out.  Returns how many pixels lack their colours. */
static gint
leave_out (const MedianBlock *block, gint y, gint *keys)
{
  const gfloat *row = block->pixels + 4 * (gsize) y * block->around.width;
  gint          count = 0;

  for (gint x = 0; x < block->around.width; x++)
    if (row[4 * x + 3] == 0.0f)
      {
        count++;
        for (gint c = 0; c < 4; c++)
          if (median_is_left_out (block, block->around.x + x, block->around.y + y, c, row[4 * x + 3]))
            keys[4 * x + c] = MEDIAN_OUTSIDE;
      }
  return count;
}

/* Of `count` columns of keys both kinds (take_lacking_N), in rows, and `odd`. */
TESSERA_CLONES static void
share_out (gint *const *keys, gint side, gint *const *firsts, gint *const *others, gint *restrict odd, gint count)
{
  for (gint i = 0; i < count; i++)
    odd[i] = 0;
  for (gint k = 0; k < side; k++)
    {
      const gint *restrict from = keys[k];
      gint *restrict       first = firsts[k], *restrict other = others[k];

      for (gint i = 0; i < count; i++)
        {
          const gint lacks = from[i] == MEDIAN_OUTSIDE ? -1 : 0;
          const gint least = MEDIAN_LEAST, most = MEDIAN_OUTSIDE;

          first[i] = lacks ? (odd[i] ? most : least) : from[i];
          other[i] = lacks ? (odd[i] ? least : most) : from[i];
          odd[i] ^= lacks;
        }
    }
}

/* Rows of `all` keys: those of the pixels, in turns, and what is made of them for a row of the result. */
typedef struct
{
  gint  all, count;             /* of the pixels, of the result */
  gint *keys[MOST_SIDE], *sorted[MOST_SIDE];
  gint  lacking[MOST_SIDE];     /* pixels of these keys */
  gint *firsts[MOST_SIDE], *others[MOST_SIDE], *odd;    /* if the block lacks samples */
  gint *medians;
} Rows;

static gint *
rows_init (Rows *rows, const MedianBlock *block)
{
  const gint side = 2 * block->params->radius + 1;
  gint      *memory, *next;

  rows->all = 4 * block->around.width;
  rows->count = rows->all - 8 * block->params->radius;
  memory = next = gegl_scratch_new (gint, ((block->lacks ? 4 : 2) * (gsize) side + 2) * rows->all);
  rows->medians = next;
  rows->odd = next += rows->all;
  for (gint k = 0; k < side; k++)
    {
      rows->keys[k] = next += rows->all;
      rows->sorted[k] = next += rows->all;
      if (block->lacks)
        {
          rows->firsts[k] = next += rows->all;
          rows->others[k] = next += rows->all;
        }
    }
  return memory;
}

static void
find_medians (const Rows *rows, gint radius, gboolean lacks)
{
  if (! lacks)
    {
      sort_columns[radius] (rows->keys, rows->sorted, rows->all);
      take_medians[radius] (rows->sorted, rows->medians, rows->count);
      return;
    }
  share_out (rows->keys, 2 * radius + 1, rows->firsts, rows->others, rows->odd, rows->all);
  sort_columns[radius] (rows->firsts, rows->sorted, rows->all);
  sort_columns[radius] (rows->others, rows->others, rows->all);
  take_lacking[radius] (rows->sorted, rows->others, rows->odd, rows->medians, rows->count);
}

/* Row y of the result needs rows y to y + 2 radius of the pixels.  It replaces the middle one, whose keys are
 * already made. */
void
median_by_network (const MedianBlock *block)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius, side = 2 * radius + 1;
  Rows                rows;
  gint               *memory = rows_init (&rows, block);
  gfloat             *alphas = gegl_scratch_new (gfloat, rows.count / 4);

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
      find_medians (&rows, radius, lacking > 0);
      for (gint x = 0; x < rows.count / 4; x++)
        alphas[x] = middle[4 * x + 3];
      if (lacking > 0)
        put_some_values (rows.medians, middle, rows.count);
      else
        put_values (rows.medians, middle, rows.count);
      for (gint x = 0; x < rows.count / 4 && params->channels == 3; x++)
        middle[4 * x + 3] = alphas[x];
    }
  gegl_scratch_free (alphas);
  gegl_scratch_free (memory);
}
