/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C with doubles.  From candidates of SIFT to points, for sift.cl.  Sums have the order that they have in C: the work-items
 * of a group make what is added side by side, a chunk at a time, and then each adds up what belongs to bins of its own.
 *
 * How many there are is known on the device alone.  So as many groups as fill a device are launched, and each takes one after
 * another.
 */
#define SIFT_LEVELS global const float *levels, int rows, int width, int top, int height
#define SIFT_CHUNK  128         /* samples; a multiple of each group's size, and no less than a descriptor has numbers */
#define SIFT_RADIUS 128         /* at most, of a window */
#define SIFT_OWNERS 32          /* two for each of the 4 x 4 cells: even and odd directions */
#define SIFT_EIGHTH 5           /* sums that each has: directions 0, 2, 4, 6, 8, or 1, 3, 5, 7 */

/* counts[] */
#define SIFT_CANDIDATES 0
#define SIFT_PLACES     1
#define SIFT_POINTS     2       /* of all strips so far; no more are written than there is room for, but all are counted */
#define SIFT_BEFORE     3       /* ... of the strips before this one */
#define SIFT_MOST       4       /* candidates of any strip before */

typedef struct
{
  int    layer, row, column, unused;
  double dx, dy, sigma, response;
} SiftPlace;

/* Begins a strip.  One work-item. */
kernel void sift_begin (global int *counts, int is_first)
{
  if (get_global_id (0) > 0)
    return;
  counts[SIFT_MOST] = is_first ? 0 : max (counts[SIFT_MOST], counts[SIFT_CANDIDATES]);
  counts[SIFT_POINTS] = is_first ? 0 : counts[SIFT_POINTS];
  counts[SIFT_BEFORE] = counts[SIFT_POINTS];
  counts[SIFT_CANDIDATES] = counts[SIFT_PLACES] = 0;
}

static void
sift_note (global int *counts, global SiftCandidate *candidates, int most, int layer, int row, int column)
{
  int i = atomic_inc (counts + SIFT_CANDIDATES);

  if (i < most)
    {
      candidates[i].layer = layer;
      candidates[i].row = row;
      candidates[i].column = column;
    }
}

/* ---------------------------------------------------------------- places -- */

static int
sift_fit_at (global const float *levels, long plane, int width, int top, const SiftCandidate *at, SiftFit *f)
{
  global const float *low = levels + (at->layer - 1) * plane + (long) (at->row - top - 1) * width + at->column - 1;
  double              d[27];

  for (int i = 0; i < 27; i++)
    {
      const long here = i / 9 * plane + i / 3 % 3 * width + i % 3;

      d[i] = low[here + plane] - low[here];
    }
  return sift_fit (d, f);
}

/* One work-item takes one candidate after another; `items` of them; any group; no local memory; 54 reads for each step. */
kernel void sift_refine (SIFT_LEVELS, int intervals, global const double *numbers, global int *counts,
                         global const SiftCandidate *candidates, global SiftPlace *places, int most, int items)
{
  const int n = min (counts[SIFT_CANDIDATES], most);

  for (int i = get_global_id (0); i < n; i += items)
    {
      const SiftCandidate candidate = candidates[i];
      SiftCandidate       at = candidate;
      SiftFit             f;
      int                 step = 0;

      for (int round = 0; round < SIFT_ROUNDS && step == 0; round++)
        step = sift_fit_at (levels, (long) rows * width, width, top, &at, &f)
               ? sift_step (&f, &candidate, width, height, intervals, &at) : -1;
      if (step > 0 && sift_holds (&f, numbers[0], numbers[1], intervals))
        {
          global SiftPlace *place = places + atomic_inc (counts + SIFT_PLACES);

          place->layer = at.layer;
          place->row = at.row;
          place->column = at.column;
          place->dx = f.dx;
          place->dy = f.dy;
          place->sigma = numbers[2] * sift_power_of_2 ((at.layer + f.ds) / intervals);
          place->response = sift_response (&f);
        }
    }
}

/* ---------------------------------------------------------------- angles -- */

/* exp (-i^2 / (times s s)) */
static inline double
sift_weight (int i, double times, double s)
{
  return portable_exp (-(i * i) / (times * s * s));
}

/* The gradient at a pixel of a level. */
static inline double2
sift_gradient (global const float *at, int width)
{
  return (double2) ((double) at[1] - at[-1], (double) at[width] - at[-width]);
}

/* A point for each peak.  One work-item. */
static void
sift_note_peaks (local const double *bins, global const SiftPlace *place, global int *counts, global SiftPoint *points, int most,
                 int octave, int x_0, int y_0, int is_doubled)
{
  const double scale = ldexp (1.0, octave), shift = is_doubled ? 0.25 : 0.0;
  double       highest = 0.0;

  for (int b = 0; b < SIFT_BINS; b++)
    highest = SIFT_MOST_OF (highest, bins[b]);
  for (int b = 0; b < SIFT_BINS; b++)
    {
      const double left = bins[(b + SIFT_BINS - 1) % SIFT_BINS], right = bins[(b + 1) % SIFT_BINS];
      int          i;

      if (! sift_is_peak (left, bins[b], right, highest))
        continue;
      i = atomic_inc (counts + SIFT_POINTS);
      if (i >= most)
        continue;
      points[i].octave = octave;
      points[i].layer = place->layer;
      points[i].row = place->row;
      points[i].column = place->column;
      points[i].bin = b;
      points[i].unused = 0;
      points[i].x = sift_place_of (x_0, (place->column + place->dx) * scale - shift);
      points[i].y = sift_place_of (y_0, (place->row + place->dy) * scale - shift);
      points[i].sigma = place->sigma * scale;
      points[i].angle = sift_peak_angle (b, left, bins[b], right);
      points[i].response = place->response;
    }
}

/* One group takes one place after another; `groups` of them; up to SIFT_CHUNK work-items; 4 kB of local memory. */
kernel void sift_turn (SIFT_LEVELS, global int *counts, global const SiftPlace *places, global SiftPoint *points, int most,
                       int octave, int x_0, int y_0, int is_doubled, int items)
{
  local double lengths[SIFT_CHUNK], weights[SIFT_RADIUS], raw[SIFT_BINS], bins[SIFT_BINS];
  local int    which[SIFT_CHUNK];
  const int    size = get_local_size (0), me = get_local_id (0), n = counts[SIFT_PLACES];

  for (int p = get_global_id (0) / size; p < n; p += items / size)
    {
      const int    row = places[p].row, column = places[p].column, radius = (int) floor (ANGLE_REACH * places[p].sigma + 0.5);
      const int    left = max (column - radius, 1), right = min (column + radius, width - 2);
      const int    first = max (row - radius, 1), last = min (row + radius, height - 2), across = right - left + 1;
      const int    all = across * (last - first + 1);
      const double s = ANGLE_SIGMA * places[p].sigma;
      global const float *level = levels + ((long) places[p].layer * rows - top) * width;

      for (int i = me; i <= radius; i += size)
        weights[i] = sift_weight (i, 2.0, s);
      for (int b = me; b < SIFT_BINS; b += size)
        raw[b] = 0.0;
      barrier (CLK_LOCAL_MEM_FENCE);
      for (int start = 0; start < all; start += SIFT_CHUNK)
        {
          const int m = min (SIFT_CHUNK, all - start);

          for (int k = me; k < m; k += size)
            {
              const int     y = first + (start + k) / across, x = left + (start + k) % across;
              const double2 g = sift_gradient (level + (long) y * width + x, width);

              lengths[k] = weights[abs (y - row)] * weights[abs (x - column)] * sqrt (g.x * g.x + g.y * g.y);
              which[k] = sift_bin (angle_of (g.x, g.y));
            }
          barrier (CLK_LOCAL_MEM_FENCE);
          for (int b0 = 0; b0 < SIFT_BINS; b0 += size)          /* as often for each work-item: TRAPS.md, PoCL */
            {
              const int b = b0 + me;
              double    sum = b < SIFT_BINS ? raw[b] : 0.0;

              for (int k = 0; k < m; k++)
                sum += which[k] == b ? lengths[k] : 0.0;
              if (b < SIFT_BINS)
                raw[b] = sum;
            }
          barrier (CLK_LOCAL_MEM_FENCE);
        }
      for (int b = me; b < SIFT_BINS; b += size)
        bins[b] = sift_smoothed (raw[(b + SIFT_BINS - 2) % SIFT_BINS], raw[(b + SIFT_BINS - 1) % SIFT_BINS], raw[b],
                                 raw[(b + 1) % SIFT_BINS], raw[(b + 2) % SIFT_BINS]);
      barrier (CLK_LOCAL_MEM_FENCE);
      if (me == 0)
        sift_note_peaks (bins, places + p, counts, points, most, octave, x_0, y_0, is_doubled);
    }
}

/* ----------------------------------------------------------- descriptors -- */

/* A pixel of the window: the first of the four cells that share it, its place between them and between two directions. */
typedef struct
{
  int    cell;                  /* (y 8 + x) 8 + direction; -1: outside */
  double x, y, direction;
  double length;                /* of the gradient, weighed */
} SiftSample;

static inline SiftSample
sift_sample (double2 g, int right, int below, const SiftFrame *frame, double weight)
{
  const double turned = (frame->angle - angle_of (g.x, g.y)) * (DIRECTIONS / 360.0);
  const double across = turned == turned ? (right * frame->cosine + below * frame->sine) + (CELLS / 2 - 0.5) : CELLS;
  const double down = (below * frame->cosine - right * frame->sine) + (CELLS / 2 - 0.5);
  const double direction = turned < 0.0 ? turned + DIRECTIONS : turned > 0.0 ? turned : 0.0;
  const double inner_x = SIFT_LEAST_OF (across + 1.0, CELLS - across), inner_y = SIFT_LEAST_OF (down + 1.0, CELLS - down);
  const int    x = (int) (across + 1.0), y = (int) (down + 1.0), turn = (int) direction;        /* floors; of x and y one more */
  SiftSample   sample;

  sample.cell = SIFT_LEAST_OF (inner_x, inner_y) > 0.0 ? (y << 3 | x) << 3 | (turn & (DIRECTIONS - 1)) : -1;
  sample.x = across - (x - 1);
  sample.y = down - (y - 1);
  sample.direction = direction - turn;
  sample.length = sqrt (g.x * g.x + g.y * g.y) * weight;
  return sample;
}

/* What a chunk's samples add to the cells and directions of one owner. */
static void
sift_collect (local const int *cell, local const double *x, local const double *y, local const double *direction,
              local const double *length, int m, int owner, local double *sums)
{
  const int column = 1 + (owner >> 1) % CELLS, row = 1 + (owner >> 1) / CELLS, odd = owner & 1;

  for (int k = 0; k < m; k++)
    {
      const int c = cell[k], right = column - (c >> 3 & 7), below = row - (c >> 6), is_next = (c ^ odd) & 1;

      if (c >= 0 && (right & ~1) == 0 && (below & ~1) == 0)
        {
          const double part = length[k] * (below ? y[k] : 1.0 - y[k]) * (right ? x[k] : 1.0 - x[k]);

          sums[((c & 7) + is_next) >> 1] += part * (is_next ? direction[k] : 1.0 - direction[k]);
        }
    }
}

/* The owners' sums as the numbers of a descriptor.  Beyond the last direction lies the first one. */
static void
sift_gather (local const double *sums, local double *values, int me, int size)
{
  for (int k = me; k < SIFT_LENGTH; k += size)
    {
      local const double *even = sums + k / DIRECTIONS * 2 * SIFT_EIGHTH;

      values[k] = even[(k & 1) * SIFT_EIGHTH + k % DIRECTIONS / 2] + (k % DIRECTIONS == 0 ? even[DIRECTIONS / 2] : 0.0);
    }
}

static double
sift_length_of (local const double *values)
{
  double sum = 0.0;

  for (int i = 0; i < SIFT_LENGTH; i++)
    sum += values[i] * values[i];
  return sqrt (sum);
}

/* The weights of a window, by distance; no sums yet. */
static void
sift_begin_window (double sigma, int radius, int me, int size, local double *weights, local double *sums)
{
  for (int k = me; k <= radius; k += size)
    weights[k] = sift_weight (k, 8.0, CELL * sigma);
  for (int k = me; k < SIFT_OWNERS * SIFT_EIGHTH; k += size)
    sums[k] = 0.0;
}

/* Where each row of a window begins, and how many of its pixels count. */
static void
sift_window_rows (const SiftFrame *frame, int radius, int width, int height, int column, int row, int me, int size,
                  local int *first, local int *counted)
{
  for (int j = me; j <= 2 * radius; j += size)
    {
      const int y = row + j - radius;
      int       from = 0, to = -1;

      if (y >= 1 && y <= height - 2 && sift_row_span (frame, j - radius, radius, &from, &to))
        {
          from = max (from, 1 - column);
          to = min (to, width - 2 - column);
        }
      first[j] = from;
      counted[j] = max (to - from + 1, 0);
    }
}

/* One group takes one point after another; `groups` of them; up to SIFT_OWNERS work-items; 11 kB of local memory. */
kernel void sift_describe (SIFT_LEVELS, global const int *counts, global SiftPoint *points, int most, int items)
{
  local double lengths[SIFT_CHUNK], xs[SIFT_CHUNK], ys[SIFT_CHUNK], directions[SIFT_CHUNK], weights[SIFT_RADIUS];
  local double sums[SIFT_OWNERS * SIFT_EIGHTH];
  local int    cells[SIFT_CHUNK], first[2 * SIFT_RADIUS], counted[2 * SIFT_RADIUS];
  const int    size = get_local_size (0), me = get_local_id (0), n = min (counts[SIFT_POINTS], most);

  for (int p = counts[SIFT_BEFORE] + get_global_id (0) / size; p < n; p += items / size)
    {
      const int       row = points[p].row, column = points[p].column;
      const double    sigma = ldexp (points[p].sigma, -points[p].octave);
      const SiftFrame frame = sift_frame (sigma, points[p].angle);
      const int       radius = sift_window_radius (sigma), n_rows = 2 * radius + 1;
      global const float *level = levels + ((long) points[p].layer * rows - top) * width;
      int             j = 0, i = me, all = 0;
      double          longest, length;

      sift_begin_window (sigma, radius, me, size, weights, sums);
      sift_window_rows (&frame, radius, width, height, column, row, me, size, first, counted);
      barrier (CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k < n_rows; k++)
        all += counted[k];
      for (; j < n_rows && i >= counted[j]; j++)
        i -= counted[j];
      for (int start = 0; start < all; start += SIFT_CHUNK)
        {
          const int m = min (SIFT_CHUNK, all - start);

          for (int k = me; k < m; k += size)
            {
              const int        right = first[j] + i, below = j - radius;
              const double2    g = sift_gradient (level + (long) (row + below) * width + column + right, width);
              const SiftSample sample = sift_sample (g, right, below, &frame, weights[abs (below)] * weights[abs (right)]);

              cells[k] = sample.cell;
              xs[k] = sample.x;
              ys[k] = sample.y;
              directions[k] = sample.direction;
              lengths[k] = sample.length;
              for (i += size; j < n_rows && i >= counted[j]; j++)
                i -= counted[j];
            }
          barrier (CLK_LOCAL_MEM_FENCE);
          for (int k = 0; k < SIFT_OWNERS; k += size)           /* here too */
            sift_collect (cells, xs, ys, directions, lengths, m, k + me, sums + (k + me) * SIFT_EIGHTH);
          barrier (CLK_LOCAL_MEM_FENCE);
        }
      sift_gather (sums, lengths, me, size);
      barrier (CLK_LOCAL_MEM_FENCE);
      longest = CLIP * sift_length_of (lengths);
      barrier (CLK_LOCAL_MEM_FENCE);
      for (int k = me; k < SIFT_LENGTH; k += size)
        lengths[k] = SIFT_LEAST_OF (lengths[k], longest);
      barrier (CLK_LOCAL_MEM_FENCE);
      length = sift_length_of (lengths);
      for (int k = me; k < SIFT_LENGTH; k += size)
        points[p].descriptor[k] = (uchar) sift_element (lengths[k], SIFT_MOST_OF (length, LEAST_LENGTH));
      barrier (CLK_LOCAL_MEM_FENCE);
    }
}

/* What the check of a device compares. */
kernel void sift_answer (global int *output, int a, int b)
{
  if (get_global_id (0) == 0)
    {
      output[0] = a;
      output[1] = b;
    }
}
