/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:denoise in C, piece by piece: planes, their means of 2 x 2 pixels, windows on each level, what the coarse levels
 * know better, the joint step, and back.
 */
#include "config.h"

#include "denoise.h"
#include "planes.h"

#include <string.h>

#define PIECE_WIDTH  768        /* of the result, at most */
#define PIECE_HEIGHT 512
#define CHUNK        512        /* pixels of a row */
#define ROWS         16         /* that are read at once */
#define FAR          1e18f      /* Y of what the joint step leaves out: it is like nothing */

/* The planes of a piece on all levels. */
typedef struct
{
  const Denoise *d;
  DenoiseMemory  planes, windows, rows;
  DenoiseParts   parts;
  DenoisePlane   seen[DENOISE_LEVELS][3];       /* roi: parts.read */
  DenoisePlane   made[DENOISE_LEVELS][3];       /* roi: parts.made */
} Piece;

/* ---------------------------------------------------------------- planes -- */

TESSERA_CLONES static void
look_up (const gfloat *restrict table, gint n_table, gfloat scale, gfloat *restrict values, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = denoise_table (table, n_table, values[i] * scale);
}

TESSERA_CLONES static void
mix_planes (const gfloat *restrict r, const gfloat *restrict g, const gfloat *restrict b, const gfloat *restrict alpha,
            gfloat *restrict y, gfloat *restrict u, gfloat *restrict v, gint n)
{
  for (gint i = 0; i < n; i++)
    {
      const gboolean is_plain = (alpha[i] != 0.0f) & denoise_is_plain (r[i]) & denoise_is_plain (g[i]) & denoise_is_plain (b[i]);
      const gfloat   hole = denoise_hole ();

      y[i] = is_plain ? denoise_y (r[i], g[i], b[i]) : hole;
      u[i] = is_plain ? denoise_u (r[i], b[i]) : hole;
      v[i] = is_plain ? denoise_v (r[i], g[i], b[i]) : hole;
    }
}

void
denoise_to_planes (const Denoise *d, const gfloat *pixels, gint n, gfloat *y, gfloat *u, gfloat *v)
{
  gfloat tones[3][CHUNK], alpha[CHUNK];

  for (gint i = 0; i < n; i += CHUNK)
    {
      const gint m = MIN (CHUNK, n - i);

      planes_take_apart (pixels + 4 * i, m, tones[0], tones[1], tones[2], alpha);
      for (gint c = 0; c < 3; c++)
        look_up (d->tones[c], DENOISE_FORWARD, DENOISE_FORWARD - 1, tones[c], m);
      mix_planes (tones[0], tones[1], tones[2], alpha, y + i, u + i, v + i, m);
    }
}

/* Pixels of a row, which are the input's on the way in; holes stay what they are, and channels that d->stays. */
static void
from_planes (const Denoise *d, const gfloat *y, const gfloat *u, const gfloat *v, gfloat *pixels, gint n)
{
  gfloat tones[3][CHUNK];

  for (gint i = 0; i < n; i += CHUNK)
    {
      const gint m = MIN (CHUNK, n - i);

      for (gint k = 0; k < m; k++)
        {
          tones[0][k] = denoise_r (y[i + k], u[i + k], v[i + k]);
          tones[1][k] = denoise_g (y[i + k], v[i + k]);
          tones[2][k] = denoise_b (y[i + k], u[i + k], v[i + k]);
        }
      for (gint c = 0; c < 3; c++)
        {
          look_up (d->inverse[c], DENOISE_INVERSE, d->scale[c], tones[c], m);
          for (gint k = 0; k < m && ! (d->stays & 1u << c); k++)
            pixels[4 * (i + k) + c] = y[i + k] == y[i + k] ? tones[c][k] : pixels[4 * (i + k) + c];
        }
    }
}

static gfloat *
row_of (const DenoisePlane *plane, gint y)
{
  return plane->pixels + (gsize) (y - plane->roi.y) * plane->roi.width;
}

static void
read_planes (const TesseraRequest *request, const Piece *p)
{
  const GeglRectangle *bounds = &p->d->bounds, *roi = &p->parts.read[0];
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * ROWS * roi->width);

  for (gint y = roi->y; y < roi->y + roi->height; y += ROWS)
    {
      const gint n = MIN (ROWS, roi->y + roi->height - y);

      tessera_read_input (request, GEGL_RECTANGLE (bounds->x + roi->x, bounds->y + y, roi->width, n), pixels);
      denoise_to_planes (p->d, pixels, n * roi->width, row_of (&p->seen[0][0], y), row_of (&p->seen[0][1], y),
                         row_of (&p->seen[0][2], y));
    }
}

/* ---------------------------------------------------------------- levels -- */

/* The mean of the pixels of `fine` that pixel (x, y) of the next level covers; it has width x height pixels. */
static inline gfloat
mean_at (const DenoisePlane *fine, gint width, gint height, gint x, gint y)
{
  const gfloat *above = row_of (fine, 2 * y) - fine->roi.x, *below = row_of (fine, MIN (2 * y + 1, height - 1)) - fine->roi.x;
  const gint    right = MIN (2 * x + 1, width - 1);

  return denoise_mean (above[2 * x], above[right], below[2 * x], below[right]);
}

/* A row of such means from x on, none at the right edge of an odd width. */
TESSERA_CLONES static void
mean_row (const gfloat *restrict above, const gfloat *restrict below, gfloat *restrict out, gint n)
{
  for (gint x = 0; x < n; x++)
    out[x] = denoise_mean (above[2 * x], above[2 * x + 1], below[2 * x], below[2 * x + 1]);
}

static void
mean_plane_row (const DenoisePlane *fine, gint width, gint height, gint left, gint y, gint n, gfloat *out)
{
  const gint whole = MIN (n, width / 2 - left);

  mean_row (row_of (fine, 2 * y) + 2 * left - fine->roi.x, row_of (fine, MIN (2 * y + 1, height - 1)) + 2 * left - fine->roi.x, out, whole);
  if (whole < n)
    out[whole] = mean_at (fine, width, height, left + whole, y);
}

static void
halve (const Piece *p, gint level, gint plane)
{
  const DenoisePlane  *to = &p->seen[level][plane];
  const GeglRectangle *roi = &to->roi;

  for (gint y = roi->y; y < roi->y + roi->height; y++)
    mean_plane_row (&p->seen[level - 1][plane], p->parts.width[level - 1], p->parts.height[level - 1], roi->x, y, roi->width, row_of (to, y));
}

TESSERA_CLONES static void
correct_row (const gfloat *restrict coarse, gfloat *restrict mean, gint n)
{
  for (gint x = 0; x < n; x++)
    mean[x] = denoise_correction (coarse[x], mean[x]);
}

/* What the coarse level says, less what the fine one says of the same pixels, in place of the former. */
static void
find_corrections (const Piece *p, gint level, gint plane)
{
  const DenoisePlane  *coarse = &p->made[level][plane];
  const GeglRectangle *roi = &coarse->roi;
  tessera_autoscratch gfloat *means = gegl_scratch_new (gfloat, roi->width);

  for (gint y = roi->y; y < roi->y + roi->height; y++)
    {
      gfloat *row = row_of (coarse, y);

      mean_plane_row (&p->made[level - 1][plane], p->parts.width[level - 1], p->parts.height[level - 1], roi->x, y, roi->width, means);
      correct_row (row, means, roi->width);
      memcpy (row, means, roi->width * sizeof (gfloat));
    }
}

/* Adds them, bilinear. */
static void
add_corrections (const Piece *p, gint level, gint plane)
{
  const DenoisePlane  *fine = &p->made[level - 1][plane], *coarse = &p->made[level][plane];
  const GeglRectangle *roi = &fine->roi;
  const GeglRectangle *there = &coarse->roi;    /* where it ends, the image ends, or what results need */

  for (gint y = roi->y; y < roi->y + roi->height; y++)
    {
      gfloat       *out = row_of (fine, y);
      const gfloat *near = row_of (coarse, y >> 1) - coarse->roi.x;
      const gfloat *over = row_of (coarse, CLAMP ((y >> 1) + (y & 1 ? 1 : -1), there->y, there->y + there->height - 1)) - coarse->roi.x;

      for (gint x = roi->x; x < roi->x + roi->width; x++)
        {
          const gint at = x >> 1, beside = CLAMP (at + (x & 1 ? 1 : -1), there->x, there->x + there->width - 1);

          out[x - roi->x] += denoise_between (near[at], near[beside], over[at], over[beside]);
        }
    }
}

/* Step 5 and 6 of a plane: made[0]. */
static void
clean_plane (Piece *p, gint plane)
{
  for (gint level = 1; level < DENOISE_LEVELS; level++)
    halve (p, level, plane);
  for (gint level = DENOISE_LEVELS - 1; level >= 0; level--)
    {
      denoise_windows (&p->seen[level][plane], &p->made[level][plane], p->parts.width[level], p->parts.height[level],
                       p->d->noise[level][plane], plane == 0 ? 2 : 4, &p->windows);
      if (level + 1 == DENOISE_LEVELS)
        continue;
      find_corrections (p, level + 1, plane);
      add_corrections (p, level + 1, plane);
    }
}

static void
copy_plane (const Piece *p, gint plane)
{
  const DenoisePlane  *to = &p->made[0][plane], *from = &p->seen[0][plane];
  const GeglRectangle *roi = &to->roi;

  for (gint y = roi->y; y < roi->y + roi->height; y++)
    memcpy (row_of (to, y), row_of (from, y) + roi->x - from->roi.x, roi->width * sizeof (gfloat));
}

/* ----------------------------------------------------------------- joint -- */

/* A part of made[0] with a margin; what the step leaves out is far from everything. */
typedef struct
{
  GeglRectangle roi;            /* with the margin */
  gfloat       *planes[3];
} Joint;

static void
fill_joint_row (const Piece *p, const Joint *joint, gint y)
{
  const GeglRectangle *roi = &p->made[0][0].roi;
  const gsize          at = (gsize) (y - joint->roi.y) * joint->roi.width;

  for (gint x = 0; x < joint->roi.width; x++)
    {
      const gint     column = joint->roi.x + x - roi->x;
      const gboolean is_inside = y >= roi->y && y < roi->y + roi->height && column >= 0 && column < roi->width;
      const gsize    from = is_inside ? (gsize) (y - roi->y) * roi->width + column : 0;
      const gfloat   here = is_inside ? p->made[0][0].pixels[from] : denoise_hole ();
      const gboolean counts = here == here;

      joint->planes[0][at + x] = counts ? here : FAR;
      joint->planes[1][at + x] = counts ? p->made[0][1].pixels[from] : 0.0f;
      joint->planes[2][at + x] = counts ? p->made[0][2].pixels[from] : 0.0f;
    }
}

/* The sums of a chunk of n pixels of a row; y, u, v: its first pixel, with the margin's rows `stride` floats apart. */
TESSERA_CLONES static void
join_row (const Denoise *d, const gfloat *restrict y, const gfloat *restrict u, const gfloat *restrict v, gsize stride, gint n,
          gfloat *restrict out_u, gfloat *restrict out_v)
{
  const gint   reach = DENOISE_WINDOW / 2;
  const gfloat share = d->share, mix = d->mix;
  gfloat       sum_u[CHUNK], sum_v[CHUNK], sum[CHUNK];

  for (gint i = 0; i < n; i++)
    sum_u[i] = sum_v[i] = sum[i] = 0.0f;
  for (gint dy = -reach; dy <= reach; dy++)
    for (gint dx = -reach; dx <= reach; dx++)
      {
        const gfloat  weight = d->weights[(dy + reach) * DENOISE_WINDOW + dx + reach];
        const gssize  at = dy * (gssize) stride + dx;
        const gfloat *tap_y = y + at, *tap_u = u + at, *tap_v = v + at;

        for (gint i = 0; i < n; i++)
          {
            const gfloat like = denoise_likeness (tap_y[i] - y[i], tap_u[i] - u[i], tap_v[i] - v[i], share, weight);

            sum_u[i] += like * tap_u[i];
            sum_v[i] += like * tap_v[i];
            sum[i] += like;
          }
      }
  for (gint i = 0; i < n; i++)
    {
      const gfloat one = denoise_reciprocal (sum[i]);

      out_u[i] = u[i] + mix * (sum_u[i] * one - u[i]);
      out_v[i] = v[i] + mix * (sum_v[i] * one - v[i]);
    }
}

/* ---------------------------------------------------------------- pieces -- */

static void
write_piece (const TesseraRequest *request, Piece *p, const GeglRectangle *piece)
{
  const Denoise       *d = p->d;
  const GeglRectangle *made = &p->made[0][0].roi;
  const gint           reach = DENOISE_WINDOW / 2, x0 = piece->x - d->bounds.x, y0 = piece->y - d->bounds.y;
  Joint                joint = { .roi = { x0 - reach, y0 - reach, piece->width + 2 * reach, piece->height + 2 * reach } };
  const gsize          size = d->mix > 0.0f ? (gsize) joint.roi.width * joint.roi.height : 0;
  gfloat *const        memory = denoise_memory (&p->rows, 3 * size + 4 * (gsize) ROWS * piece->width + 2 * piece->width);
  gfloat *const        pixels = memory + 3 * size, *const mixed = pixels + 4 * (gsize) ROWS * piece->width;

  for (gint plane = 0; plane < 3; plane++)
    joint.planes[plane] = memory + plane * size;
  for (gint y = 0; y < joint.roi.height && size > 0; y++)
    fill_joint_row (p, &joint, joint.roi.y + y);
  for (gint top = 0; top < piece->height; top += ROWS)
    {
      const GeglRectangle rows = { piece->x, piece->y + top, piece->width, MIN (ROWS, piece->height - top) };

      tessera_read_input (request, &rows, pixels);
      for (gint y = top; y < top + rows.height; y++)
        {
          const gsize   at = (gsize) (y + reach) * joint.roi.width + reach;
          const gint    from = x0 - made->x;
          const gfloat *planes[3];

          for (gint plane = 0; plane < 3; plane++)
            planes[plane] = row_of (&p->made[0][plane], y0 + y) + from;
          for (gint x = 0; x < piece->width && size > 0; x += CHUNK)
            join_row (d, joint.planes[0] + at + x, joint.planes[1] + at + x, joint.planes[2] + at + x, joint.roi.width,
                      MIN (CHUNK, piece->width - x), mixed + x, mixed + piece->width + x);
          from_planes (d, planes[0], size > 0 ? mixed : planes[1], size > 0 ? mixed + piece->width : planes[2],
                       pixels + 4 * (gsize) (y - top) * piece->width, piece->width);
        }
      tessera_write_output (request, &rows, pixels, 4 * sizeof (gfloat) * piece->width);
    }
}

static gsize
give_planes (Piece *p, gfloat *memory)
{
  gsize n = 0;

  for (gint level = 0; level < DENOISE_LEVELS; level++)
    for (gint plane = 0; plane < 3; plane++)
      {
        p->seen[level][plane] = (DenoisePlane) { p->parts.read[level], memory ? memory + n : NULL };
        n += (gsize) p->parts.read[level].width * p->parts.read[level].height;
        p->made[level][plane] = (DenoisePlane) { p->parts.made[level], memory ? memory + n : NULL };
        n += (gsize) p->parts.made[level].width * p->parts.made[level].height;
      }
  return n;
}

static void
compute_piece (const TesseraRequest *request, Piece *p, const GeglRectangle *piece)
{
  const Denoise      *d = p->d;
  const GeglRectangle part = { piece->x - d->bounds.x, piece->y - d->bounds.y, piece->width, piece->height };

  p->parts = denoise_parts (&d->bounds, &part);
  give_planes (p, denoise_memory (&p->planes, give_planes (p, NULL)));
  read_planes (request, p);
  for (gint plane = 0; plane < 3; plane++)
    if (d->changes[plane])
      clean_plane (p, plane);
    else
      copy_plane (p, plane);
  write_piece (request, p, piece);
}

void
denoise_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const gint across = (area->width + PIECE_WIDTH - 1) / PIECE_WIDTH, down = (area->height + PIECE_HEIGHT - 1) / PIECE_HEIGHT;
  Piece      p = { .d = request->params };

  for (gint j = 0; j < down; j++)
    for (gint i = 0; i < across; i++)
      {
        const gint left = (gint64) area->width * i / across, right = (gint64) area->width * (i + 1) / across;
        const gint top = (gint64) area->height * j / down, bottom = (gint64) area->height * (j + 1) / down;

        compute_piece (request, &p, GEGL_RECTANGLE (area->x + left, area->y + top, right - left, bottom - top));
      }
  tessera_large_free (p.planes.floats);
  tessera_large_free (p.windows.floats);
  tessera_large_free (p.rows.floats);
}
