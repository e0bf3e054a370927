/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The window of a descriptor, in float: the weight of a pixel, its gradient's length and direction, its shares of cells and
 * directions.  Sums, products and a quotient alone, so the same bits in C and on a device that divides correctly rounded.
 * Dialect: the common part of C and OpenCL C.  Needs tessera-sift.h.
 */
#define WINDOW_SLOTS  8         /* histograms, to which a window's pixels are given in turns */
#define WINDOW_PADDED (CELLS + 2)       /* cells along an axis: one on each side takes what falls beside the frame */
#define WINDOW_ROW    8         /* by which their numbers go up from row to row */
#define WINDOW_HALF   2.5f      /* WINDOW */
#define WINDOW_MOST   3.402823466e38f

/* The frame of a point's angle. */
typedef struct
{
  float cosine, sine;           /* of the angle, over the width of a cell */
  float angle;                  /* in directions, 0 to 8 */
  float fall;                   /* of the weights: they are exp (-i^2 fall) */
} SiftFrame;

static inline SiftFrame
sift_frame (double sigma, double angle)
{
  const double cell = CELL * sigma;
  SiftFrame    frame;

  frame.cosine = (float) (portable_cos_degrees (angle - 180.0) / -cell);
  frame.sine = (float) (portable_sin_degrees (angle - 180.0) / -cell);
  frame.angle = (float) (angle * (DIRECTIONS / 360.0));
  frame.fall = (float) (1.0 / (8.0 * cell * cell));
  return frame;
}

/* The part of a row that may lie in the window, pixels from the place; 0: none. */
static inline int
sift_row_span (const SiftFrame *frame, int below, int radius, int *first, int *last)
{
  float least = (float) -radius, most = (float) radius;

  for (int i = 0; i < 2; i++)
    {
      const float slope = i == 0 ? frame->cosine : -frame->sine, offset = (float) below * (i == 0 ? frame->sine : frame->cosine);
      const float a = (-WINDOW_HALF - offset) / slope, b = (WINDOW_HALF - offset) / slope;

      if (tessera_abs (slope) > 1e-9f)
        {
          least = SIFT_MOST_OF (least, SIFT_LEAST_OF (a, b) - 1.0f);
          most = SIFT_LEAST_OF (most, SIFT_MOST_OF (a, b) + 1.0f);
        }
    }
  *first = (int) -tessera_floor (-least);
  *last = (int) tessera_floor (most);
  return least <= most && *first <= *last;
}

/* exp (x), within 4e-7 of itself, for x from -1.8 to 0: a window's go to -1.76.  Of x + 0.9; the polynomial is through
 * Chebyshev's points. */
static inline float
window_exp (float x)
{
  const float y = x + 0.9f;
  float       sum = 0x1.5a09fap-14f;

  sum = sum * y + 0x1.30b9e8p-11f;
  sum = sum * y + 0x1.bbf5e0p-9f;
  sum = sum * y + 0x1.1569f2p-6f;
  sum = sum * y + 0x1.158d5cp-4f;
  sum = sum * y + 0x1.a05484p-3f;
  sum = sum * y + 0x1.a053ccp-2f;
  return sum * y + 0x1.a053cap-2f;
}

/* Of a pixel that lies i rows or columns from the place; that of both is the product. */
static inline float
window_weight (int i, float fall)
{
  return window_exp (-((float) (i * i) * fall));
}

/* sqrt (1 + z) for z from 0 to 1, within 1.3e-7 of itself. */
static inline float
window_root (float z)
{
  float sum = 0x1.62065cp-10f;

  sum = sum * z - 0x1.dd3e98p-8f;
  sum = sum * z + 0x1.398166p-6f;
  sum = sum * z - 0x1.2586f8p-5f;
  sum = sum * z + 0x1.f9ec0cp-5f;
  sum = sum * z - 0x1.ffa478p-4f;
  sum = sum * z + 0x1.fffef2p-2f;
  return sum * z + 1.0f;
}

/* atan (q) / q in eighths of a turn, for z = q^2 from 0 to 1; within 2e-7. */
static inline float
window_arc (float z)
{
  float sum = 0x1.cda776p-9f;

  sum = sum * z - 0x1.482a70p-6f;
  sum = sum * z + 0x1.b782e8p-5f;
  sum = sum * z - 0x1.84e39cp-4f;
  sum = sum * z + 0x1.14e252p-3f;
  sum = sum * z - 0x1.723894p-3f;
  sum = sum * z + 0x1.04a74ap-2f;
  sum = sum * z - 0x1.b29862p-2f;
  return sum * z + 0x1.45f306p+0f;
}

/* A pixel of the window. */
typedef struct
{
  int   cell;                   /* the first of the 2 x 2 padded cells that share it; 0 outside */
  float across, down;           /* towards the second one */
  float direction;              /* 0 to 8 */
  float length;                 /* of the gradient, weighed; 0 outside, and where it is beyond all floats */
} SiftSample;

/* `right` and `below` the place.  No branch, so that C runs in vectors. */
static inline SiftSample
sift_sample (float dx, float dy, int right, int below, const SiftFrame *frame, float weight)
{
  const float ax = tessera_abs (dx), ay = tessera_abs (dy);
  const float low = ax < ay ? ax : ay, high = ax < ay ? ay : ax;
  const float q = low / (high > 0.0f ? high : 1.0f), z = q * q;
  const float length = high * window_root (z) * weight;
  const float x = ((float) right * frame->cosine + (float) below * frame->sine) + (CELLS / 2 + 0.5f);
  const float y = ((float) below * frame->cosine - (float) right * frame->sine) + (CELLS / 2 + 0.5f);
  const float inner_x = SIFT_LEAST_OF (x, CELLS + 1 - x), inner_y = SIFT_LEAST_OF (y, CELLS + 1 - y);
  const float inner = length <= WINDOW_MOST ? SIFT_LEAST_OF (inner_x, inner_y) : 0.0f;
  float       arc = window_arc (z) * q;
  SiftSample  sample;

  arc = ax < ay ? 2.0f - arc : arc;
  arc = dx < 0.0f ? 4.0f - arc : arc;
  arc = dy < 0.0f ? 8.0f - arc : arc;
  arc = frame->angle - arc;
  arc = arc < 0.0f ? arc + DIRECTIONS : arc;
  sample.cell = inner > 0.0f ? (int) y * WINDOW_ROW + (int) x : 0;
  sample.across = x - (float) (int) x;
  sample.down = y - (float) (int) y;
  sample.direction = inner > 0.0f ? arc : 0.0f;
  sample.length = inner > 0.0f ? length : 0.0f;
  return sample;
}

/* The share of direction d, from 0 to 7, in one of 0 to 8: those beside it have all of it, the others 0. */
static inline float
window_share (float direction, float d)
{
  const float off = tessera_abs (direction - d), beside = 1.0f - off, around = off - (DIRECTIONS - 1);

  return beside > 0.0f ? beside : around > 0.0f ? around : 0.0f;
}

/* The sum of what the slots have.  In OpenCL they lie beside one another in local memory. */
#define WINDOW_SUM(slot, apart) \
  (((slot[0] + slot[apart]) + (slot[2 * (apart)] + slot[3 * (apart)])) \
   + ((slot[4 * (apart)] + slot[5 * (apart)]) + (slot[6 * (apart)] + slot[7 * (apart)])))
