/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-math.h: what C computes with as the device does, and as every processor does.  A part of tessera.h.
 */
#ifndef TESSERA_MATH_H
#define TESSERA_MATH_H

/* The C side of the dialect in which opencl/math is written (OpenCL: opencl/kernels/shared/tessera-dialect.h). */
#define TESSERA_GLOBAL
#define tessera_long     gint64
#define tessera_floor(x) __builtin_floorf (x)
#define tessera_abs(x)   __builtin_fabsf (x)

static inline gint
tessera_as_int (gfloat x)
{
  union { gfloat f; gint i; } bits = { .f = x };

  return bits.i;
}

static inline gfloat
tessera_as_float (gint x)
{
  union { gint i; gfloat f; } bits = { .i = x };

  return bits.f;
}

/* For tables and taps: the same bits on every system, unlike libm (portable.c).  Ranges: 0..1 for sRGB's curve;
 * 0 and less for exp; -180..180 for an angle. */
TESSERA_API gdouble tessera_linear      (gdouble perceptual) G_GNUC_CONST;
TESSERA_API gdouble tessera_perceptual  (gdouble linear) G_GNUC_CONST;
TESSERA_API gdouble tessera_exp         (gdouble x) G_GNUC_CONST;
TESSERA_API gdouble tessera_sin_degrees (gdouble angle) G_GNUC_CONST;
TESSERA_API gdouble tessera_cos_degrees (gdouble angle) G_GNUC_CONST;

#endif
