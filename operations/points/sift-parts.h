/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of SIFT share.  sift-find.c makes the request, sift-list.c sorts what was found.  In C sift-octaves.c
 * leads: for each octave, strip by strip, sift-levels.c makes the Gaussian levels, sift-candidates.c the extremes of their differences,
 * sift-places.c places and angles, sift-describe.c descriptors.  sift-device.c does all that on the device.
 */
#ifndef SIFT_PARTS_H
#define SIFT_PARTS_H

#include <math.h>

#include "perceived.h"
#include "sift.h"

#include "../../opencl/math/tessera-extreme.h"
#include "../../opencl/math/tessera-portable.h"
#include "../../opencl/math/tessera-sift.h"

#define SIFT_MOST_LEVELS (SIFT_MOST_INTERVALS + 3)
#define SIFT_MOST_TAPS   256            /* sigma 4, 1 interval: 223 */
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

/* The rows of an octave that were made last.  Pixel (x, y) of level l is level[l][rows[y] + x]; differences are of neighbouring
 * levels. */
typedef struct
{
  gint          width, height;          /* of the octave */
  gint          n;
  gsize        *rows;                   /* of all the octave; one takes the place of another */
  const gfloat *level[SIFT_MOST_LEVELS];
} SiftLevels;

#define SIFT_SLACK 8            /* floats behind a row's last pixel that loops may read, so that they run in whole vectors */

static inline gint
sift_whole (gint n)
{
  return (n + SIFT_SLACK - 1) / SIFT_SLACK * SIFT_SLACK;
}

/* A row, from x on. */
static inline const gfloat *
sift_row (const SiftLevels *levels, gint l, gint x, gint y)
{
  return levels->level[l] + levels->rows[y] + x;
}

#define SIFT_AHEAD 4            /* rows */
#define SIFT_LINE  16           /* floats of a line of the cache */

/* Asks for n pixels of a row that will soon be read, if there is one.
 * Price: 1.1 (SIFT of 4 Mpix with 21,564 points; EPYC, 2 cores, 2026-11-23). */
static inline void
sift_expect (const SiftLevels *levels, gint l, gint x, gint y, gint n)
{
  if (y < levels->height)
    for (gint i = 0; i < n; i += SIFT_LINE)
      __builtin_prefetch (sift_row (levels, l, x + i, y));
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

typedef struct SiftTile SiftTile;

/* The levels of an octave, which are made from its top to its bottom. */
typedef struct
{
  const SiftScales *scales;
  gboolean          is_first;           /* the first level is not the base but its blur */
  gint              width, height;      /* of the octave */
  gfloat            least;              /* of the differences that make a candidate */
  gfloat           *next;               /* what the next octave begins with; NULL: there is none */
  gint              strip_rows;         /* whose points can be found together */
  SiftLevels        levels;             /* the result */
  /* sift-levels.c: */
  const gfloat     *base;               /* its next rows */
  gint              fed, ahead;         /* rows of the base that were taken, and how many more that is than of the last level */
  gint              made, makes;        /* rows of the last level, and those that there will be */
  gint              n_tiles;
  SiftTile         *tiles;
} SiftOctave;

void sift_scales_init (SiftScales *scales, const SiftSettings *settings, gboolean describes);

/* Before it the octave's first members are set. */
void sift_levels_begin (SiftOctave *octave, SiftRoom *planes, SiftRoom *sums);

/* The base's next n rows, of `width` floats, and what can be made of them. */
void sift_levels_feed  (SiftOctave *octave, const gfloat *base, gint n);

void sift_levels_end   (SiftOctave *octave);

/* ------------------------------------------------------------ candidates -- */

/* Those of the octave's rows `top` to `bottom`, in any order; free with g_free. */
gint sift_candidates (const SiftOctave *octave, gint top, gint bottom, SiftCandidate **candidates);

/* ---------------------------------------------------------------- places -- */

typedef struct
{
  gint    layer, row, column;
  gdouble dx, dy;
  gdouble sigma;                /* its size, in pixels of the octave */
  gdouble response;
} SiftPlace;

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

void     sift_describe (const SiftLevels *levels, const SiftPlace *place, gdouble angle, gboolean is_root,
                        guint8 descriptor[SIFT_LENGTH]);

/* ---------------------------------------------------------------- search -- */

/* The parameters of the request for a picture's points. */
typedef struct
{
  SiftScales scales;
  gfloat     least;             /* of the differences that make a candidate */
  gdouble    numbers[3];        /* settings for the device: both thresholds, sigma */
  gboolean   describes;
  Perceived  input;             /* what request->input_format is read as */
  gint       components;
  gfloat     weights[3];        /* of luminance */
} SiftSearch;

/* The size of octave `i`, from 0 on.  FALSE: there is none. */
gboolean sift_octave (const SiftSearch *search, const GeglRectangle *bounds, gint i, gint *width, gint *height);

/* Makes the answer of the points, which are in any order, and some of them there several times. */
void sift_answer (const TesseraRequest *request, const SiftPoint *points, gsize n);

extern const TesseraFilter sift_filter;

/* Its `spread`, `device` and `scratch_bytes`. */
void  sift_in_c         (const TesseraRequest *request);
gint  sift_on_device    (TesseraBand *band);
gsize sift_device_bytes (const TesseraRequest *request, gint width, gint height);

#endif
