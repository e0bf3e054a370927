/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of SIFT share.  sift-octaves.c leads: for each octave, strip by strip, sift-levels.c makes the Gaussian
 * levels (in C or on the device), sift-candidates.c the extremes of their differences, sift-places.c places and angles,
 * sift-describe.c descriptors, sift-list.c the list of all.
 */
#ifndef SIFT_PARTS_H
#define SIFT_PARTS_H

#include "sift.h"

#include "../opencl/math/tessera-extreme.h"

#define SIFT_MOST_LEVELS (SIFT_MOST_INTERVALS + 3)
#define SIFT_MOST_TAPS   256            /* sigma 4, 1 interval: 223 */
#define SIFT_WALK        8              /* how far a point may lie from its candidate, along an axis */
#define SIFT_NONE        0xffff         /* a candidate or place that is none */

/* ---------------------------------------------------------------- levels -- */

typedef struct
{
  gint   radius;
  gint   offsets[SIFT_MOST_TAPS];       /* from -radius to radius */
  gfloat weights[SIFT_MOST_TAPS];
} SiftBlur;

/* What all octaves have in common. */
typedef struct
{
  SiftSettings settings;
  gint         n_levels;                /* intervals + 3 */
  SiftBlur     first;                   /* of the first octave's first level */
  SiftBlur     blurs[SIFT_MOST_LEVELS]; /* [i] makes level i of level i - 1, from 1 on */
  gint         reach;                   /* rows of the levels that a point in a strip may read above and below it */
  gint         halo;                    /* rows of the input that these need; with the first blur */
} SiftScales;

/* Some rows of an octave, from `top` on.  Pixel (x, y) of level l is
 * level[l][(y - top) row + x pixel]; differences are of neighbouring levels. */
typedef struct
{
  gint          width, height;          /* of the octave */
  gint          top, rows;
  gint          n;
  gsize         row, pixel;             /* floats */
  const gfloat *level[SIFT_MOST_LEVELS];
} SiftLevels;

static inline gdouble
sift_level (const SiftLevels *levels, gint l, gint x, gint y)
{
  return levels->level[l][(y - levels->top) * levels->row + x * levels->pixel];
}

/* A float, as the candidates were found. */
static inline gdouble
sift_difference (const SiftLevels *levels, gint l, gint x, gint y)
{
  const gsize at = (y - levels->top) * levels->row + x * levels->pixel;

  return levels->level[l + 1][at] - levels->level[l][at];
}

#define SIFT_SLACK 8            /* floats behind a row's last pixel that loops may read, so that they run in whole vectors */

static inline gint
sift_whole (gint n)
{
  return (n + SIFT_SLACK - 1) / SIFT_SLACK * SIFT_SLACK;
}

/* n pixels of a row, from x on, their floats one behind another, and what follows up to whole vectors of them. */
static inline const gfloat *
sift_row (const SiftLevels *levels, gint l, gint x, gint y, gint n, gfloat *room)
{
  const gfloat *from = levels->level[l] + (y - levels->top) * levels->row + x * levels->pixel;

  if (levels->pixel == 1)
    return from;
  for (gint i = 0; i < n; i++)
    room[i] = from[i * levels->pixel];
  return room;
}

/* Memory that grows. */
typedef struct
{
  gfloat *floats;
  gsize   n;
} SiftRoom;

static inline gfloat *
sift_room (SiftRoom *room, gsize n)
{
  if (n > room->n)
    {
      tessera_large_free (room->floats);
      *room = (SiftRoom) { tessera_large_new (n * sizeof (gfloat)), n };
    }
  return room->floats;
}

typedef struct
{
  gint top, bottom;
} SiftRows;

/* The rows of an octave's base that a strip needs. */
typedef struct
{
  const SiftScales *scales;
  gboolean          is_first;           /* the first level is not the base but its blur */
  gint              width, height;      /* of the octave */
  gint              top, rows;          /* of the base */
  gfloat           *base;               /* rows of `width` floats */
  gfloat            least;              /* of the differences that make a candidate */
  SiftRoom         *planes;             /* for the levels in C */
  SiftRoom         *pixels;             /* the levels as the device gives them: n_levels floats a pixel, and the candidate's bits */
  gboolean          is_planar;          /* C made them */
  gint              most_rows;          /* that are asked for, of any strip of the octave */
  gint              planes_top;         /* first row of the levels in `planes`, ... */
  SiftRows          made[SIFT_MOST_LEVELS];     /* ... and what has been made of each; the next strip need not make it again */
  SiftLevels        levels;             /* the result */
} SiftStrip;

void sift_scales_init (SiftScales *scales, const SiftSettings *settings);

/* 2 to the power x, the same bits everywhere. */
gdouble sift_exp2 (gdouble x);

extern const TesseraFilter sift_filter;

/* Makes the levels of rows `top` to `bottom` of the octave, on the device or in C.  FALSE: tessera_process was. */
gboolean sift_strip_make (const TesseraRequest *like, SiftStrip *strip, gint top, gint bottom);

/* ------------------------------------------------------------ candidates -- */

typedef struct
{
  gint layer, row, column;
} SiftCandidate;

/* Those of the octave's rows `top` to `bottom`, by row, column, layer; free with g_free. */
gint sift_candidates (const SiftStrip *strip, gint top, gint bottom, SiftCandidate **candidates);

/* ---------------------------------------------------------------- places -- */

typedef struct
{
  gint    layer, row, column;
  gdouble dx, dy, dlayer;
  gdouble sigma;                /* its size, in pixels of the octave */
  gdouble response;
} SiftPlace;

#define SIFT_BINS        36
#define SIFT_MOST_ANGLES (SIFT_BINS / 2)

typedef struct
{
  gint    bin;
  gdouble angle;
} SiftAngle;

/* FALSE: the candidate is none. */
gboolean sift_refine (const SiftLevels *levels, const SiftSettings *settings, const SiftCandidate *candidate,
                      SiftPlace *place);

gint     sift_angles (const SiftLevels *levels, const SiftPlace *place, SiftAngle angles[SIFT_MOST_ANGLES]);

/* ------------------------------------------------------------ descriptor -- */

void     sift_describe (const SiftLevels *levels, const SiftPlace *place, gdouble angle,
                        guint8 descriptor[SIFT_LENGTH]);

/* ------------------------------------------------------------------ list -- */

/* The points of all strips, sorted; of two strips' candidates that came to one place one stays.  The list takes the data of the array. */
void     sift_list_finish (GArray *points, gint max_features, SiftList *list);

#endif
