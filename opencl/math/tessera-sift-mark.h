/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How tessera:sift shows a point: a circle with the radius at its angle, and a dark rim around both.
 * Dialect: the common part of C and OpenCL C with doubles; C needs math.h.
 */
#define MARK_LINE         1.5           /* width, in pixels */
#define MARK_RIM          3.5           /* width of the line with its dark rim */
#define MARK_RIM_COVERAGE 0.5f
#define MARK_CELL         32            /* pixels of a cell, along an axis: the marks of each are listed for the device */

typedef struct
{
  double x, y, radius;
  double end_x, end_y;          /* of the line from the middle */
  int    color;
  int    unused;                /* doubles begin at a multiple of 8, whatever the compiler */
} SiftMark;

/* From a pixel to the nearest part of a mark. */
static inline double
mark_distance (SiftMark mark, double x, double y)
{
  const double dx = x - mark.x, dy = y - mark.y, ex = mark.end_x - mark.x, ey = mark.end_y - mark.y;
  const double place = (dx * ex + dy * ey) / (mark.radius * mark.radius);
  const double along = place > 1.0 ? 1.0 : place < 0.0 ? 0.0 : place;
  const double lx = dx - along * ex, ly = dy - along * ey;
  const double circle = fabs (sqrt (dx * dx + dy * dy) - mark.radius), line = sqrt (lx * lx + ly * ly);

  return circle < line ? circle : line;
}

/* Of a pixel, by a line of some width. */
static inline float
mark_coverage (double width, double distance)
{
  const double part = 0.5 * width + 0.5 - distance;

  return (float) (part > 1.0 ? 1.0 : part < 0.0 ? 0.0 : part);
}

/* A component of a pixel of which `below` shows under `part` of another; alpha is their sum. */
static inline float
mark_mixed (float pixel, float below, float over, float part, float alpha)
{
  return below > 0.0f ? (pixel * below + over * part) / alpha : over;
}
