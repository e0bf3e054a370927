/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C with doubles.  From candidates of SIFT to points, for sift.cl.  Sums have the order that they have in C: the work-items
 * of a group make what is added side by side, a chunk at a time, and then each adds up what belongs to bins of its own.
 *
 * How many there are is known on the device alone.  So as many groups as fill a device are launched, and each takes one after
 * another.
 */
#define SIFT_LEVELS global const float *levels, int rows, int width, int top, int height
#define SIFT_CHUNK  128         /* pixels of an angle's window; a multiple of each group's size */
#define SIFT_SHARED 64          /* of a descriptor's; also of WINDOW_SLOTS, so that each chunk begins with the first slot */
#define SIFT_RADIUS 128         /* at most, of a window */
#define SIFT_OWNERS 32          /* of a descriptor's sums: of the 8 slots four each, for a quarter of the cells */

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

/* Begins a strip; before the first one all are 0.  One work-item. */
kernel void sift_begin (global int *counts)
{
  if (get_global_id (0) > 0)
    return;
  counts[SIFT_MOST] = max (counts[SIFT_MOST], counts[SIFT_CANDIDATES]);
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
        weights[i] = portable_exp (-(i * i) / (2.0 * s * s));
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

/* A program for points alone has none. */
#ifndef SIFT_DESCRIBES
#define SIFT_DESCRIBES 1
#endif
#if SIFT_DESCRIBES

/* The owner's place among 32: the slot whose pixels it adds, and a parity of rows and of columns.  Of the 2 x 2 cells that share
 * a pixel one has that parity, and of all cells 2 x 2. */
#define OWNER_SLOT(owner)   ((owner) & (WINDOW_SLOTS - 1))
#define OWNER_COLUMN(owner) ((owner) >> 3 & 1)
#define OWNER_ROW(owner)    ((owner) >> 4)

/* A chunk's pixels. */
typedef struct
{
  local int   *cell;            /* 8 row + column of the first cell */
  local float *across, *down, *direction, *length;
} SiftChunk;

/* What m pixels of a chunk add to the cells of one owner. */
static void
sift_collect (const SiftChunk *chunk, int m, int owner, local float *sums)
{
  for (int k = OWNER_SLOT (owner); k < m; k += WINDOW_SLOTS)
    {
      const int   right = (chunk->cell[k] ^ OWNER_COLUMN (owner)) & 1, below = (chunk->cell[k] >> 3 ^ OWNER_ROW (owner)) & 1;
      const int   column = (chunk->cell[k] & 7) + right - 1, row = (chunk->cell[k] >> 3) + below - 1;
      const float down = chunk->down[k], across = chunk->across[k], direction = chunk->direction[k];
      const float part = chunk->length[k] * (below ? down : 1.0f - down) * (right ? across : 1.0f - across);

      if (column >= 0 && column < CELLS && row >= 0 && row < CELLS)
        {
          const int     d = (int) direction & (DIRECTIONS - 1), next = (d + 1) & (DIRECTIONS - 1);
          local float  *cell = sums + ((row >> 1) * 2 + (column >> 1)) * DIRECTIONS * SIFT_OWNERS + owner;

          cell[d * SIFT_OWNERS] += part * window_share (direction, (float) d);
          cell[next * SIFT_OWNERS] += part * window_share (direction, (float) next);
        }
    }
}

/* Number k of a descriptor, of what its owners have. */
static float
sift_sum (local const float *sums, int k)
{
  const int column = k / DIRECTIONS % CELLS, row = k / DIRECTIONS / CELLS;
  const int owner = ((row + 1) & 1) << 4 | ((column + 1) & 1) << 3;
  local const float *slots = sums + (((row >> 1) * 2 + (column >> 1)) * DIRECTIONS + k % DIRECTIONS) * SIFT_OWNERS + owner;

  return WINDOW_SUM (slots, 1);
}

/* The squares' sum, or that of the numbers themselves, as C adds it up, of values that are `most` at most: a sum for each direction. */
static void
sift_add_up (local const float *values, double most, int is_plain, local double *sums, int me, int size)
{
  for (int d0 = 0; d0 < DIRECTIONS; d0 += size)         /* as often for each work-item: TRAPS.md, PoCL */
    {
      const int d = (d0 + me) & (DIRECTIONS - 1);
      double    sum = 0.0;

      for (int i = d; i < SIFT_LENGTH; i += DIRECTIONS)
        sum += SIFT_LEAST_OF (values[i], most) * (is_plain ? 1.0 : SIFT_LEAST_OF (values[i], most));
      if (d0 + me < DIRECTIONS)
        sums[d] = sum;
    }
}

/* Where each row of a window begins, and how many of its pixels count. */
static void
sift_window_rows (const SiftFrame *frame, int radius, int width, int height, int column, int row, int me, int size,
                  local short *first, local short *counted)
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
      first[j] = (short) from;
      counted[j] = (short) max (to - from + 1, 0);
    }
}

/* A work-item's next pixel of a window: pixel i of row j. */
typedef struct
{
  int j, i;
} SiftWalk;

static inline void
sift_walk (SiftWalk *walk, int by, int n_rows, local const short *counted)
{
  for (walk->i += by; walk->j < n_rows && walk->i >= counted[walk->j]; walk->j++)
    walk->i -= counted[walk->j];
}

/* The work-item's pixels of m of a chunk, around the place `at`. */
static void
sift_fill (global const float *at, int width, const SiftFrame *frame, int radius, local const float *weights, local const short *first,
           local const short *counted, SiftWalk *walk, int m, int me, int size, const SiftChunk *chunk)
{
  for (int k = me; k < m; k += size)
    {
      const int        right = first[walk->j] + walk->i, below = walk->j - radius;
      global const float *pixel = at + (long) below * width + right;
      const SiftSample sample = sift_sample (pixel[1] - pixel[-1], pixel[width] - pixel[-width], right, below, frame,
                                             weights[abs (below)] * weights[abs (right)]);

      chunk->cell[k] = sample.cell;
      chunk->across[k] = sample.across;
      chunk->down[k] = sample.down;
      chunk->direction[k] = sample.direction;
      chunk->length[k] = sample.length;
      sift_walk (walk, size, 2 * radius + 1, counted);
    }
}

/* One group takes one point after another; `groups` of them; up to SIFT_OWNERS work-items; 8 kB of local memory. */
kernel void sift_describe (SIFT_LEVELS, global const int *counts, global SiftPoint *points, int most, int items, int is_root)
{
  local float  across[SIFT_SHARED], down[SIFT_SHARED], directions[SIFT_SHARED], lengths[SIFT_SHARED], weights[SIFT_RADIUS];
  local float  sums[4 * DIRECTIONS * SIFT_OWNERS], values[SIFT_LENGTH];
  local double squares[DIRECTIONS];
  local int    cells[SIFT_SHARED];
  local short  first[2 * SIFT_RADIUS], counted[2 * SIFT_RADIUS];
  const SiftChunk chunk = { cells, across, down, directions, lengths };
  const int    size = get_local_size (0), me = get_local_id (0), n = min (counts[SIFT_POINTS], most);

  for (int p = counts[SIFT_BEFORE] + get_global_id (0) / size; p < n; p += items / size)
    {
      const int       row = points[p].row, column = points[p].column;
      const double    sigma = ldexp (points[p].sigma, -points[p].octave);
      const SiftFrame frame = sift_frame (sigma, points[p].angle);
      const int       radius = sift_window_radius (sigma);
      global const float *at = levels + ((long) points[p].layer * rows + row - top) * width + column;
      SiftWalk        walk = { 0, 0 };
      int             all = 0;
      double          longest, length;

      for (int k = me; k <= radius; k += size)
        weights[k] = window_weight (k, frame.fall);
      for (int k = me; k < 4 * DIRECTIONS * SIFT_OWNERS; k += size)
        sums[k] = 0.0f;
      sift_window_rows (&frame, radius, width, height, column, row, me, size, first, counted);
      barrier (CLK_LOCAL_MEM_FENCE);
      for (int k = 0; k <= 2 * radius; k++)
        all += counted[k];
      sift_walk (&walk, me, 2 * radius + 1, counted);
      for (int start = 0; start < all; start += SIFT_SHARED)
        {
          const int m = min (SIFT_SHARED, all - start);

          sift_fill (at, width, &frame, radius, weights, first, counted, &walk, m, me, size, &chunk);
          barrier (CLK_LOCAL_MEM_FENCE);
          for (int k = 0; k < SIFT_OWNERS; k += size)           /* here too */
            sift_collect (&chunk, m, k + me, sums);
          barrier (CLK_LOCAL_MEM_FENCE);
        }
      for (int k = me; k < SIFT_LENGTH; k += size)
        values[k] = sift_sum (sums, k);
      barrier (CLK_LOCAL_MEM_FENCE);
      sift_add_up (values, HUGE_VAL, 0, squares, me, size);
      barrier (CLK_LOCAL_MEM_FENCE);
      longest = CLIP * sqrt (WINDOW_SUM (squares, 1));
      barrier (CLK_LOCAL_MEM_FENCE);
      sift_add_up (values, longest, is_root, squares, me, size);
      barrier (CLK_LOCAL_MEM_FENCE);
      length = WINDOW_SUM (squares, 1);
      length = SIFT_MOST_OF (is_root ? length : sqrt (length), LEAST_LENGTH);
      for (int k = me; k < SIFT_LENGTH; k += size)
        points[p].descriptor[k] = (uchar) sift_element (sift_scaled (SIFT_LEAST_OF (values[k], longest), length, is_root));
      barrier (CLK_LOCAL_MEM_FENCE);
    }
}
#endif
