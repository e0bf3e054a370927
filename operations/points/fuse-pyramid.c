/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pyramids of pixels of four floats (P. J. Burt, E. H. Adelson, The Laplacian Pyramid as a Compact Image Code, 1983), with
 * the kernel 1 4 6 4 1 / 16.  Beyond the border the last pixel repeats itself.  First along columns, then along rows.
 */
#include "fuse.h"

#include <string.h>

#include "planes.h"

#define LEAST 4                 /* pixels of the smaller side of the last level that is blended, unless the picture has less */

void
fuse_pyramid_init (FusePyramid *pyramid, gint width, gint height)
{
  gsize n = 0;

  *pyramid = (FusePyramid) { 0 };
  for (gint w = width, h = height;; w = (w + 1) / 2, h = (h + 1) / 2)
    {
      pyramid->levels[pyramid->n++] = (FuseLevel) { w, h, NULL };
      n += 4 * (gsize) w * h;
      if (w == 1 && h == 1)
        break;
    }
  while (pyramid->blended + 1 < pyramid->n
         && MIN (pyramid->levels[pyramid->blended + 1].width, pyramid->levels[pyramid->blended + 1].height) >= LEAST)
    pyramid->blended++;
  pyramid->memory = tessera_large_new (n * sizeof (gfloat));
  for (gint l = 0; l < pyramid->n; l++)
    pyramid->levels[l].pixels = l ? pyramid->levels[l - 1].pixels + 4 * (gsize) pyramid->levels[l - 1].width * pyramid->levels[l - 1].height
                                  : pyramid->memory;
}

void
fuse_pyramid_clear (FusePyramid *pyramid)
{
  g_clear_pointer (&pyramid->memory, tessera_large_free);
}

static inline gfloat *
row_of (const FuseLevel *level, gint y)
{
  return level->pixels + 4 * (gsize) level->width * CLAMP (y, 0, level->height - 1);
}

/* `margin` pixels on each side of a row. */
static void
repeat_ends (gfloat *row, gint width, gint margin)
{
  for (gint i = 1; i <= margin; i++)
    {
      memcpy (row - 4 * i, row, 4 * sizeof *row);
      memcpy (row + 4 * (width - 1 + i), row + 4 * (width - 1), 4 * sizeof *row);
    }
}

/* ------------------------------------------------------------- up and down -- */

TESSERA_CLONES static void
sum_five (const gfloat *restrict a, const gfloat *restrict b, const gfloat *restrict c, const gfloat *restrict d,
          const gfloat *restrict e, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    out[i] = (a[i] + e[i]) * 0.0625f + (b[i] + d[i]) * 0.25f + c[i] * 0.375f;
}

static void
reduce_along (const gfloat *row, gint width, gfloat *out)
{
  const Pixel *in = (const Pixel *) row;

  for (gint x = 0; x < width; x++)
    {
      const Pixel *p = in + 2 * x;

      ((Pixel *) out)[x] = (p[-2] + p[2]) * 0.0625f + (p[-1] + p[1]) * 0.25f + p[0] * 0.375f;
    }
}

/* Level `l` from the one before. */
typedef struct
{
  const FusePyramid *pyramid, *sums;
  gint               l;
  gboolean           is_first;  /* nothing is in the sums */
} Step;

static void
reduce_rows (gsize from, gsize n, gpointer data)
{
  const Step        *step = data;
  const FuseLevel   *fine = &step->pyramid->levels[step->l - 1], *coarse = fine + 1;
  g_autofree gfloat *room = g_new (gfloat, 4 * (fine->width + 5));      /* one more: 2 x + 2 of the last one of an even width */
  gfloat            *row = room + 8;

  for (gint y = (gint) from; y < (gint) (from + n); y++)
    {
      sum_five (row_of (fine, 2 * y - 2), row_of (fine, 2 * y - 1), row_of (fine, 2 * y), row_of (fine, 2 * y + 1),
                row_of (fine, 2 * y + 2), 4 * fine->width, row);
      repeat_ends (row, fine->width, 2);
      reduce_along (row, coarse->width, row_of (coarse, y));
    }
}

TESSERA_CLONES static void
sum_three (const gfloat *restrict a, const gfloat *restrict b, const gfloat *restrict c, gboolean is_between, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n && is_between; i++)
    out[i] = (b[i] + c[i]) * 0.5f;
  for (gint i = 0; i < n && ! is_between; i++)
    out[i] = (a[i] + c[i]) * 0.125f + b[i] * 0.75f;
}

/* Row y of the level before, as this one has it.  `room`: a row of this one and a pixel on each side. */
static void
expand_row (const FuseLevel *coarse, gint y, gint width, gfloat *room, gfloat *out)
{
  gfloat      *row = room + 4;
  const Pixel *in = (const Pixel *) row;
  Pixel       *to = (Pixel *) out;

  sum_three (row_of (coarse, y / 2 - 1), row_of (coarse, y / 2), row_of (coarse, y / 2 + 1), y % 2, 4 * coarse->width, row);
  repeat_ends (row, coarse->width, 1);
  for (gint x = 0; 2 * x < width; x++)
    to[2 * x] = (in[x - 1] + in[x + 1]) * 0.125f + in[x] * 0.75f;
  for (gint x = 0; 2 * x + 1 < width; x++)
    to[2 * x + 1] = (in[x] + in[x + 1]) * 0.5f;
}

/* ------------------------------------------------------------ what is done -- */

/* A row of a level, and the same of the next one, expanded. */
typedef void (*RowWork) (const Step *step, gint y, gfloat *row, const gfloat *expanded, gint width);

static void
with_expanded (const Step *step, gsize from, gsize n, RowWork work)
{
  const FuseLevel   *fine = &step->pyramid->levels[step->l], *coarse = fine + 1;
  g_autofree gfloat *room = g_new (gfloat, 4 * (coarse->width + 2)), *expanded = g_new (gfloat, 4 * fine->width);

  for (gint y = (gint) from; y < (gint) (from + n); y++)
    {
      expand_row (coarse, y, fine->width, room, expanded);
      work (step, y, row_of (fine, y), expanded, fine->width);
    }
}

static void
spread_rows (FusePyramid *pyramid, FusePyramid *sums, gint l, gboolean is_first, GeglParallelDistributeRangeFunc work)
{
  Step step = { pyramid, sums, l, is_first };

  tessera_spread_range (pyramid->levels[l].height, 64.0 * 64.0 / pyramid->levels[l].width, work, &step);
}

void
fuse_reduce (FusePyramid *pyramid, gint last)
{
  for (gint l = 1; l <= last; l++)
    spread_rows (pyramid, NULL, l, FALSE, reduce_rows);
}

static void
fill_row (const Step *step G_GNUC_UNUSED, gint y G_GNUC_UNUSED, gfloat *row, const gfloat *expanded, gint width)
{
  for (gint i = 0; i < 4 * width; i += 4)
    for (gint c = 0; c < 3; c++)
      row[i + c] = row[i + 3] > 0.0f ? row[i + c] / row[i + 3] : expanded[i + c];
}

static void
fill_rows (gsize from, gsize n, gpointer data)
{
  with_expanded (data, from, n, fill_row);
}

void
fuse_fill (FusePyramid *pyramid)
{
  gfloat *top = pyramid->levels[pyramid->n - 1].pixels;

  fuse_reduce (pyramid, pyramid->n - 1);
  for (gint c = 0; c < 3; c++)
    top[c] = top[3] > 0.0f ? top[c] / top[3] : 0.0f;
  for (gint l = pyramid->n - 2; l >= 0; l--)
    spread_rows (pyramid, NULL, l, FALSE, fill_rows);
}

static void
smooth_row (const Step *step G_GNUC_UNUSED, gint y G_GNUC_UNUSED, gfloat *row, const gfloat *expanded, gint width)
{
  for (gint i = 3; i < 4 * width; i += 4)
    row[i] = expanded[i];
}

static void
smooth_rows (gsize from, gsize n, gpointer data)
{
  with_expanded (data, from, n, smooth_row);
}

void
fuse_smooth (FusePyramid *pyramid, gint last)
{
  last = MIN (last, pyramid->n - 1);
  fuse_reduce (pyramid, last);
  for (gint l = last - 1; l >= 0; l--)
    spread_rows (pyramid, NULL, l, FALSE, smooth_rows);
}

static void
add_row (const Step *step, gint y, gfloat *row, const gfloat *expanded, gint width)
{
  const Pixel *in = (const Pixel *) row, *less = (const Pixel *) expanded;
  Pixel       *out = (Pixel *) row_of (&step->sums->levels[step->l], y);

  for (gint x = 0; x < width; x++)
    {
      const Pixel detail = in[x] - less[x], weight = { in[x][3], in[x][3], in[x][3], in[x][3] };

      out[x] = (step->is_first ? (Pixel) { 0 } : out[x]) + weight * (Pixel) { detail[0], detail[1], detail[2], 1.0f };
    }
}

static void
add_rows (gsize from, gsize n, gpointer data)
{
  with_expanded (data, from, n, add_row);
}

static void
add_last_rows (gsize from, gsize n, gpointer data)
{
  const Step        *step = data;
  const FuseLevel   *level = &step->pyramid->levels[step->l];
  g_autofree gfloat *nothing = g_new0 (gfloat, 4 * level->width);

  for (gint y = (gint) from; y < (gint) (from + n); y++)
    add_row (step, y, row_of (level, y), nothing, level->width);
}

void
fuse_add (FusePyramid *frame, FusePyramid *sums, gboolean is_first)
{
  fuse_reduce (frame, frame->blended);
  for (gint l = 0; l <= frame->blended; l++)
    spread_rows (frame, sums, l, is_first, l == frame->blended ? add_last_rows : add_rows);
}

static void
divide_row (gfloat *row, const gfloat *more, gint width)
{
  for (gint i = 0; i < 4 * width; i += 4)
    for (gint c = 0; c < 3; c++)
      row[i + c] = (row[i + 3] > 0.0f ? row[i + c] / row[i + 3] : 0.0f) + (more ? more[i + c] : 0.0f);
}

static void
collapse_row (const Step *step G_GNUC_UNUSED, gint y G_GNUC_UNUSED, gfloat *row, const gfloat *expanded, gint width)
{
  divide_row (row, expanded, width);
}

static void
collapse_rows (gsize from, gsize n, gpointer data)
{
  with_expanded (data, from, n, collapse_row);
}

void
fuse_collapse (FusePyramid *sums)
{
  const FuseLevel *last = &sums->levels[sums->blended];

  for (gint y = 0; y < last->height; y++)
    divide_row (row_of (last, y), NULL, last->width);
  for (gint l = sums->blended - 1; l >= 0; l--)
    spread_rows (sums, NULL, l, FALSE, collapse_rows);
}
