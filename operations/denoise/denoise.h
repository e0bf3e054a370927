/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the parts of tessera:denoise share.  Positions count from the image's origin; level l has pixels of
 * 2^l x 2^l of the image's.
 */
#ifndef DENOISE_H
#define DENOISE_H

#include "tessera.h"

#include "../../opencl/math/tessera-index.h"
#include "../../opencl/math/tessera-denoise.h"
#include "../../opencl/math/tessera-denoise-survey.h"

#define DENOISE_LEVELS 3
#define DENOISE_KNOTS  33       /* of a noise curve, uniform on 0..1 */
#define DENOISE_ROUGH  195      /* NOISE_FLOATS of tessera-dct.h */
#define DENOISE_REACH  72
#define DENOISE_LEAST  (0.25 / 255.0)   /* of a sigma */

/* --- denoise-survey.c ------------------------------------------------------------- */

/* The first pass, of R', G', B'. */
typedef struct
{
  guint32 n[3][SURVEY_TONES][TONE_CLASSES];
  guint32 alive[3], blocks;             /* pixels that are not clipped, of all blocks that may count */
  guint64 means[3][SURVEY_TONES];       /* 65536 times each block's mean, within 0..1 */
} DenoiseTones;

/* The second pass, of Y, U, V. */
typedef struct
{
  guint32 n[PLANE_CLASSES];
  guint64 squares[PLANE_CLASSES][3][64];        /* 65536 times each coefficient's square, which is 2^15 at most */
} DenoisePlanes;

/* The energy at a part of its class, 0..1. */
gdouble denoise_class_at (gint class, gdouble part);

/* TesseraFilter.survey_area, survey and merge of each; params is a Denoise whose bounds, and for the second pass tables of tones,
 * are set.  The halo is what a block needs beyond its first pixel. */
#define DENOISE_SURVEY_HALO ((TesseraHalo) { .right = SURVEY_SIDE - 1, .bottom = SURVEY_SIDE - 1 })

void  denoise_tones_area    (const TesseraRequest *request, const GeglRectangle *area, gpointer part);
gint  denoise_tones_survey  (TesseraBand *band, TesseraMemory *part);
void  denoise_tones_merge   (const TesseraRequest *request, const GeglRectangle *area, gpointer result, gconstpointer part);
void  denoise_planes_area   (const TesseraRequest *request, const GeglRectangle *area, gpointer part);
gint  denoise_planes_survey (TesseraBand *band, TesseraMemory *part);
void  denoise_planes_merge  (const TesseraRequest *request, const GeglRectangle *area, gpointer result, gconstpointer part);
gsize denoise_planes_bytes  (const TesseraRequest *request, gint width, gint height);   /* scratch_bytes */

/* --- denoise-curve.c -------------------------------------------------------------- */

/* Sigma at the knots of each channel, from the first survey; the number of channels that have one of their own. */
gint denoise_curves (const DenoiseTones *tones, gdouble sigma[3][DENOISE_KNOTS]);

/* Bits of channels: those that are clipped in nearly all of the picture, and stay as they are; those that are not clipped in many
 * blocks, so that the second survey looks at whether they are. */
guint denoise_clipped (const DenoiseTones *tones);
guint denoise_seen    (const DenoiseTones *tones);

/* --- denoise-strength.c ----------------------------------------------------------- */

/* P^2 of Y, U and V by vertical, then horizontal frequency, from the second survey; the blocks of the second set.  Too few blocks
 * are 0, and say 1. */
gdouble denoise_strengths (const DenoisePlanes *planes, gdouble squares[3][64]);
/* Their mean, as n blocks alone say it; of none, as it is. */
gdouble denoise_mean_strength (const gdouble squares[3][64], gdouble n);

/* --- denoise-tables.c ------------------------------------------------------------- */

/* The pixels of the whole image, which the first survey leaves on the device. */
typedef struct
{
  TesseraKept *pixels;
  gboolean     is_begun, is_whole;
} DenoiseKept;

typedef struct
{
  GeglRectangle bounds;
  DenoiseKept  *kept;
  gfloat        tones[3][DENOISE_FORWARD];      /* T */
  gfloat        inverse[3][DENOISE_INVERSE];
  gfloat        scale[3];                       /* values of `inverse` for 1 of T */
  guint         seen;                           /* channels by which the second survey knows what is clipped */
  guint         stays;                          /* channels that are not touched */
  gboolean      changes[3];                     /* Y, U, V: else it is copied */
  gfloat        noise[DENOISE_LEVELS][3][DENOISE_ROUGH];
  gfloat        mix;                            /* of the joint step; 0: it is left out */
  gfloat        share;                          /* 1/(16 s2) */
  gfloat        weights[DENOISE_WINDOW * DENOISE_WINDOW];
} Denoise;

/* ln x for x > 0, of sums, products and quotients alone: the same bits everywhere. */
gdouble denoise_logarithm (gdouble x);

/* T of each channel and its inverse. */
void denoise_make_tones (Denoise *d, gdouble sigma[3][DENOISE_KNOTS]);
/* The noise of planes and levels with the sliders; `joint`: the joint step is not left out if the noise is coarse. */
void denoise_make_noise (Denoise *d, gdouble squares[3][64], const gdouble sliders[2], gdouble detail, gboolean joint);

/* --- denoise-geometry.c ----------------------------------------------------------- */

/* What a part of the result needs on each level. */
typedef struct
{
  GeglRectangle read[DENOISE_LEVELS];   /* pixels of the planes */
  GeglRectangle made[DENOISE_LEVELS];   /* ... that are cleaned */
  gint          width[DENOISE_LEVELS], height[DENOISE_LEVELS];  /* of the image */
} DenoiseParts;

DenoiseParts denoise_parts (const GeglRectangle *bounds, const GeglRectangle *part);

/* --- denoise-windows.c ------------------------------------------------------------ */

/* A rectangle of a plane in memory. */
typedef struct
{
  GeglRectangle roi;
  gfloat       *pixels;         /* roi.width floats a row */
} DenoisePlane;

/* Memory that is used again; it grows. */
typedef struct
{
  gfloat *floats;
  gsize   n;
} DenoiseMemory;

gfloat *denoise_memory (DenoiseMemory *memory, gsize n);

/* Cleans to->roi with windows every `step` pixels; `from` holds what it needs.  The level has width x height pixels. */
void denoise_windows (const DenoisePlane *from, const DenoisePlane *to, gint width, gint height, const gfloat *noise, gint step,
                      DenoiseMemory *memory);

/* --- denoise-rows.c --------------------------------------------------------------- */

/* TesseraFilter.area; params is a Denoise. */
void denoise_area (const TesseraRequest *request, const GeglRectangle *area);

/* Planes from n pixels; a hole is NaN. */
void denoise_to_planes (const Denoise *d, const gfloat *pixels, gint n, gfloat *y, gfloat *u, gfloat *v);

/* --- denoise-device.c ------------------------------------------------------------- */

/* Where a band's pixels lie on the device: its input, or those of the whole image. */
typedef struct
{
  TesseraMemory *memory;
  gint           x, y, stride;
} DenoisePixels;

DenoisePixels denoise_pixels (TesseraBand *band);

/* Leaves a band's pixels there, where there is room; returns what a launch returns. */
gint denoise_keep_pixels (TesseraBand *band);

/* TesseraFilter.device and scratch_bytes. */
gint  denoise_device        (TesseraBand *band);
gsize denoise_scratch_bytes (const TesseraRequest *request, gint width, gint height);

#endif
