/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h and a dialect (tessera.h or
 * tessera-dialect.h) before it.
 *
 * Bilateral grid: where a value lies on the range axis, and the sparse cells.
 *
 * A value v lies at p = v/r planes.  It is added to the plane nearest to p and
 * read between floor(p) and floor(p) + 1.  p is one float product v * (1/r), the
 * same on every path.  So no two paths disagree about a cell.  Beyond 2^22 planes
 * floats are half a plane apart, and more.  There every float is a plane of its
 * own, numbered by its bits, and the result is v to 6e-7.  Planes are ints that
 * grow with v, whatever its magnitude.
 */
#define GRID_EXACT     4194304.0f       /* 2^22 */
#define GRID_FARTHEST  1e37f            /* |p| above: passes through unchanged */
#define GRID_LARGEST   3.402823466e38f
#define GRID_PART      16               /* pixels on a side that are summed at once */

typedef struct
{
  int   plane;          /* floor (p) */
  float fraction;       /* p - floor (p) */
  int   up;             /* 1 where floor (p) + 1 is the nearer plane */
} GridPlace;

/* FALSE for NaN, for Inf and beyond GRID_FARTHEST. */
static inline int
grid_counts (float p)
{
  return tessera_abs (p) <= GRID_FARTHEST;
}

/* Whether a colour under this alpha has weight.  Under alpha 0 it has none, whatever is stored there. */
static inline int
grid_weighs (float value, float alpha)
{
  return (alpha != 0.0f) & (tessera_abs (alpha) <= GRID_LARGEST) & (tessera_abs (value * alpha) <= GRID_LARGEST);
}

static inline int
grid_far_plane (float p)
{
  int distance = tessera_as_int (tessera_abs (p)) - tessera_as_int (GRID_EXACT) + (int) GRID_EXACT;

  return p < 0.0f ? -distance : distance;
}

static inline GridPlace
grid_place (float p)
{
  GridPlace place;
  float     below = tessera_floor (p);
  int       is_far = ! (tessera_abs (p) < GRID_EXACT);

  place.plane = is_far ? grid_far_plane (p) : bin_index (below, -GRID_EXACT, GRID_EXACT);
  place.fraction = is_far ? 0.0f : p - below;
  place.up = place.fraction >= 0.5f;
  return place;
}

static inline float
grid_lerp (float a, float b, float t)
{
  return a + t * (b - a);
}

/* [1 2 1], not divided by 4.  The factor of 64 that three passes make cancels in the division at the end. */
static inline float
grid_121 (float before, float here, float after)
{
  return (before + after) + 2.0f * here;
}

/* --- sparse cells ----------------------------------------------------------
 *
 * A cell is a hash table of `capacity` entries, a power of two.  An entry has 4 + 2 `values` words:
 * the plane; the part at work, -1 in an empty entry; the `values` sums and the count of the finished
 * parts; the same of the part at work.  Sums and counts are floats in the bits of ints.  Like the dense
 * grid, a table adds part by part, so that the sums have the same bits. */

#define GRID_ENTRY(values) (4 + 2 * (values))

/* `odd` is a number that nobody knows beforehand.  Else a picture could be made whose planes all meet in one slot,
 * which would keep a machine busy for hours.  The sums do not depend on the slots. */
static inline int
grid_slot (int plane, int capacity, int odd)
{
  unsigned int mixed = (unsigned int) plane * (unsigned int) odd;

  mixed ^= mixed >> 15;
  mixed *= 2246822519u;
  mixed ^= mixed >> 13;
  return (int) mixed & (capacity - 1);
}

/* Where the entry of `plane` begins.  If there is none, the empty one that it would take.  A table is never full. */
static inline int
grid_find (TESSERA_GLOBAL const int *table, int capacity, int odd, int values, int plane)
{
  int slot = grid_slot (plane, capacity, odd);
  int at = slot * GRID_ENTRY (values);

  /* `left` ends the search in a table that a failing device has not built. */
  for (int left = capacity; left > 0 && table[at + 1] != -1 && table[at] != plane; left--)
    {
      slot = (slot + 1) & (capacity - 1);
      at = slot * GRID_ENTRY (values);
    }
  return at;
}

static inline void
grid_add (TESSERA_GLOBAL int *sum, float value)
{
  *sum = tessera_as_int (tessera_as_float (*sum) + value);
}

/* Adds the sums at work to the finished ones. */
static inline void
grid_flush (TESSERA_GLOBAL int *entry, int values)
{
  for (int k = 2; k < 3 + values; k++)
    {
      grid_add (entry + k, tessera_as_float (entry[k + values + 1]));
      entry[k + values + 1] = 0;
    }
}

/* Makes the entry of `plane` ready for pixels of `part`.  Returns where its sums at work begin. */
static inline int
grid_enter (TESSERA_GLOBAL int *table, int capacity, int odd, int values, int plane, int part)
{
  int at = grid_find (table, capacity, odd, values, plane);

  if (table[at + 1] == -1)
    {
      table[at] = plane;
      for (int k = 2; k < GRID_ENTRY (values); k++)
        table[at + k] = 0;
    }
  else if (table[at + 1] != part)
    grid_flush (table + at, values);
  table[at + 1] = part;
  return at + 3 + values;
}

static inline void
grid_clear_table (TESSERA_GLOBAL int *table, int capacity, int values)
{
  for (int slot = 0; slot < capacity; slot++)
    table[slot * GRID_ENTRY (values) + 1] = -1;
}

static inline void
grid_finish_table (TESSERA_GLOBAL int *table, int capacity, int values)
{
  for (int slot = 0; slot < capacity; slot++)
    if (table[slot * GRID_ENTRY (values) + 1] != -1)
      grid_flush (table + slot * GRID_ENTRY (values), values);
}

static inline float
grid_sum_at (TESSERA_GLOBAL const int *tables, tessera_long entry, int sum)
{
  return entry < 0 ? 0.0f : tessera_as_float (tables[entry + 2 + sum]);
}

/* One sum at a place, from the 4 x 4 x 4 raw cells around it: blurred to 2 x 2 x 2 cells, then interpolated in y
 * and in x.  out[0] is that of the place's plane, out[1] that of the next.
 *
 * found[z][y][x]: where the cells' entries begin in `tables`, -1 if there is none.  `counts`: the sum by which values
 * are moved to another plane, -1 if values are absolute. */
static inline void
grid_gather (TESSERA_GLOBAL const int *tables, const tessera_long *found, int sum, int counts,
             float fx, float fy, float *out)
{
  float planes[4][2][2], moved[4][2][2];

  for (int z = 0; z < 4; z++)
    for (int pass = 0; pass < 2; pass++)
      {
        int   which = pass ? counts : sum;
        float rows[4][2];

        for (int y = 0; y < 4; y++)
          for (int x = 0; x < 2; x++)
            {
              const tessera_long *at = found + (z * 4 + y) * 4 + x;

              rows[y][x] = which < 0 ? 0.0f
                           : grid_121 (grid_sum_at (tables, at[0], which),
                                       grid_sum_at (tables, at[1], which),
                                       grid_sum_at (tables, at[2], which));
            }
        for (int y = 0; y < 2; y++)
          for (int x = 0; x < 2; x++)
            {
              float blurred = grid_121 (rows[y][x], rows[y + 1][x], rows[y + 2][x]);

              if (pass)
                moved[z][y][x] = blurred;
              else
                planes[z][y][x] = blurred;
            }
      }
  for (int z = 0; z < 2; z++)
    {
      float corner[2][2];

      for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
          corner[y][x] = grid_121 (planes[z][y][x] - moved[z][y][x], planes[z + 1][y][x],
                                   planes[z + 2][y][x] + moved[z + 2][y][x]);
      out[z] = grid_lerp (grid_lerp (corner[0][0], corner[1][0], fy),
                          grid_lerp (corner[0][1], corner[1][1], fy), fx);
    }
}
