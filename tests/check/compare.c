/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Compares legs.  A difference from the reference is allowed up to tolerance * scale + slack
 * (reference.h) and the smallest normal float, which a device may flush. */
#include "check.h"

#include <float.h>

static const gchar *const pair_names[] = { "C vs reference", "OpenCL vs reference", "OpenCL vs C" };

/* What went wrong in one comparison. */
typedef struct
{
  guint64 bad;
  gint    x0, y0, x1, y1;       /* of the bad pixels */
  gint    x, y, channel;        /* the worst */
  gdouble units, error, got, wanted, allowed;
} Damage;

/* Distance in representable floats. */
static gint64
ulp_distance (gdouble a, gdouble b)
{
  gfloat value[2] = { (gfloat) a, (gfloat) b };
  gint32 bits[2];
  gint64 order[2];

  if (isnan (a) || isnan (b))
    return -1;
  memcpy (bits, value, sizeof bits);
  for (gint i = 0; i < 2; i++)
    order[i] = bits[i] < 0 ? (gint64) G_MININT32 - bits[i] : bits[i];
  return ABS (order[0] - order[1]);
}

static void
note_damage (Damage *damage, gint x, gint y, gint channel, gdouble units, gdouble got, gdouble wanted,
             gdouble allowed)
{
  if (! damage->bad)
    {
      damage->x0 = damage->x1 = x;
      damage->y0 = damage->y1 = y;
    }
  damage->x0 = MIN (damage->x0, x);
  damage->x1 = MAX (damage->x1, x);
  damage->y0 = MIN (damage->y0, y);
  damage->y1 = MAX (damage->y1, y);
  if (! damage->bad || units > damage->units)
    {
      damage->x = x, damage->y = y, damage->channel = channel;
      damage->units = units, damage->got = got, damage->wanted = wanted, damage->allowed = allowed;
      damage->error = fabs (got - wanted);
    }
  damage->bad++;
}

static void
describe_damage (const Damage *damage, const gchar *what, const gchar *reason, const gdouble *truth, GString *why)
{
  g_string_append_printf (why, "  %s: %" G_GUINT64_FORMAT " bad components in (%d, %d) .. (%d, %d)\n",
                          what, damage->bad, damage->x0, damage->y0, damage->x1, damage->y1);
  g_string_append_printf (why, "    worst at (%d, %d) channel %d: got %.9g, wanted %.9g",
                          damage->x, damage->y, damage->channel, damage->got, damage->wanted);
  if (truth)
    g_string_append_printf (why, ", reference %.9g", *truth);
  g_string_append_c (why, '\n');
  g_string_append_printf (why, "    error %.3g, relative %.3g, %" G_GINT64_FORMAT
                          " ulp, allowed %.3g (%s)\n", damage->error,
                          damage->error / fabs (damage->wanted), 
                          ulp_distance (damage->got, damage->wanted), damage->allowed, reason);
}

void
check_truth_clear (CheckTruth *truth)
{
  g_clear_pointer (&truth->out, g_free);
  g_clear_pointer (&truth->scale, g_free);
  g_clear_pointer (&truth->slack, g_free);
}

static gdouble *
read_double (CheckSource *source, const Babl *format)
{
  gsize    n = (gsize) source->box.width * source->box.height * 4;
  gfloat  *pixels = g_new (gfloat, n);
  gdouble *wide = g_new (gdouble, n);

  gegl_buffer_get (source->buffer, &source->box, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE,
                   GEGL_ABYSS_NONE);
  for (gsize i = 0; i < n; i++)
    wide[i] = pixels[i];
  g_free (pixels);
  if (check_is_own_conversion (source, format))
    check_convert_source (source, format, wide);
  return wide;
}

/* babl's fast paths take runs of pixels, so one pixel may be converted in two ways: decoding
 * sRGB is off by up to 7e-7, encoding by 3e-7. */
#define BABL_ERROR 1e-6

/* Between premultiplied and perceptual babl's paths differ by up to 9e-3 where alpha is below
 * some 1e-3 (babl 0.1.98, by the length of the run). */
static gdouble
conversion_error (const CheckSource *source, const Babl *working, const gdouble *pixels, gsize n)
{
  gboolean hard = ! check_is_own_conversion (source, working)
                  && (babl_get_model_flags (source->format) & BABL_MODEL_FLAG_ASSOCIATED)
                  && (babl_get_model_flags (working) & BABL_MODEL_FLAG_NONLINEAR);

  gdouble  error = BABL_ERROR;

  for (gsize i = 0; hard && i < 4 * n; i++)
    if (! (fabs (pixels[i]) < 1e6))
      return 1e38;              /* what is finite on one path overflows on the other */
    else if (i % 4 == 3 && fabs (pixels[i]) < 2e-3)
      error = 1e-2;
  return error;
}

/* The pixels of a second image that has a box of its own, as the first one's box has them: beyond its edge its nearest. */
static gdouble *
read_aux (CheckSource *aux, const Babl *format, const GeglRectangle *box)
{
  gdouble *pixels = read_double (aux, format), *result = g_new (gdouble, (gsize) box->width * box->height * 4);

  for (gint y = 0; y < box->height; y++)
    for (gint x = 0; x < box->width; x++)
      {
        const gsize from_x = CLAMP (box->x + x - aux->box.x, 0, aux->box.width - 1);
        const gsize from_y = CLAMP (box->y + y - aux->box.y, 0, aux->box.height - 1);

        memcpy (result + ((gsize) y * box->width + x) * 4, pixels + (from_y * aux->box.width + from_x) * 4,
                4 * sizeof (gdouble));
      }
  g_free (pixels);
  return result;
}

void
check_truth_init (CheckTruth          *truth,
                  const CheckFilter   *filter,
                  const CheckCase     *c,
                  CheckSource         *source,
                  CheckSource         *aux,
                  const GeglRectangle *roi)
{
  const Babl        *format = check_working_format (filter, c);
  gsize              n = (gsize) roi->width * roi->height * 4;
  gsize              n_input = (gsize) source->box.width * source->box.height;
  gdouble           *pixels = read_double (source, format);
  gdouble           *aux_pixels = aux ? read_aux (aux, format, &source->box) : NULL;
  RefImage           image = { source->box.width, source->box.height, pixels,
                               ! check_is_exact (source->format, format)
                               ? conversion_error (source, format, pixels, n_input) : 0 };
  RefImage           guide = { source->box.width, source->box.height, aux_pixels,
                               c->field[CHECK_AUX] > 1 || c->field[CHECK_AUX_SPACE] ? conversion_error (aux, format, aux_pixels, n_input) : 0 };
  CheckReferenceArgs args = { &image, aux ? &guide : NULL, c->value,
                               babl_format_get_space (source->format), { 0 }, FALSE, FALSE, check_is_seen (filter, c) };
  RefResult          result = { roi->x - source->box.x, roi->y - source->box.y, roi->width, roi->height,
                                NULL, NULL, NULL };

  truth->roi = *roi;
  result.out = truth->out = g_new0 (gdouble, n);
  result.scale = truth->scale = g_new0 (gdouble, n);
  result.slack = truth->slack = g_new0 (gdouble, n);
  babl_space_get_rgb_luminance (babl_format_get_space (source->format), &args.weights[0],
                                &args.weights[1], &args.weights[2]);
  args.straight = ! (babl_get_model_flags (source->format) & BABL_MODEL_FLAG_ASSOCIATED);
  args.perceptual = check_is_curved (source->format);
  filter->reference (&args, &result);
  g_free (pixels);
  g_free (aux_pixels);
}

void
check_excuse_lost_colour (RefResult *result)
{
  for (gsize i = 0; i < (gsize) result->width * result->height; i++)
    for (gint c = 0; c < 3; c++)
      {
        const gdouble value = result->out[4 * i + c], alpha = fabs (result->out[4 * i + 3]);

        if (! (alpha <= G_MAXFLOAT && alpha >= 1e-4)
            || (isfinite (value) && 12.93 * fabs (value) >= G_MAXFLOAT * MIN (alpha, 1)))
          result->slack[4 * i + c] = INFINITY;  /* straight, on the line of the curve or on babl's way, it overflows */
      }
}

/* In units of u = 2^-24: linear light l of v is 15.2 l off (tests/formats/truth.c), of which the slope of the way
 * back, (v + 0.055) / 2.4 l, leaves 6.4 (v + 0.055); on the straight part 2 v; read as a float, v more.  A device
 * may flush the linear light. */
#define ROUND_TRIP        (8 * 0x1p-24)
#define LOST_LIGHT        (12.92 * FLT_MIN)
#define LARGEST_TO_DECODE 1.19e16       /* linear light of 1.1972e16 is the largest float */
#define LEAST_TO_ENCODE   (-G_MAXFLOAT / 12.93)         /* the curve of negative light is a line */

void
check_excuse_round_trip (RefResult *result)
{
  for (gsize i = 0; i < (gsize) result->width * result->height; i++)
    for (gint c = 0; c < 3; c++)
      {
        const gdouble value = result->out[4 * i + c];

        if (isfinite (value))
          result->slack[4 * i + c] += value > LARGEST_TO_DECODE || value < LEAST_TO_ENCODE
                                        ? INFINITY : ROUND_TRIP * (fabs (value) + 0.055) + LOST_LIGHT;
      }
}

/* Linear light l that leaves as v = encode (l): v is 12 u (v + 0.055) off (tests/formats/truth.c), which the slope of
 * the way back, 2.4 l / (v + 0.055), makes 28.8 u l; on the straight part 3 u l. */
#define ENCODED (28.8 * 0x1p-24)

static void
excuse_encoding (RefResult *result)
{
  for (gsize i = 0; i < (gsize) result->width * result->height * 4; i++)
    if (i % 4 < 3 && isfinite (result->out[i]))
      result->slack[i] += result->out[i] < LEAST_TO_ENCODE ? INFINITY : ENCODED * fabs (result->out[i]) + FLT_MIN;
}

/* By alpha and by 1 / alpha: two roundings each way. */
#define ASSOCIATION (4 * 0x1p-24)

void
check_excuse_delivery (const CheckReferenceArgs *args, gboolean straight, gboolean perceptual, RefResult *result)
{
  if (args->straight != straight)
    {
      for (gsize i = 0; i < (gsize) result->width * result->height * 4; i++)
        if (i % 4 < 3 && isfinite (result->out[i]))
          result->slack[i] += ASSOCIATION * fabs (result->out[i]);
      check_excuse_lost_colour (result);
    }
  if (perceptual && ! args->perceptual)
    check_excuse_round_trip (result);
  else if (args->perceptual && ! perceptual)
    excuse_encoding (result);
}

/* The error in units of what is allowed; above 1 is a failure. */
static gdouble
units_of (gdouble got, gdouble wanted, gdouble allowed)
{
  if (isnan (got) || isnan (wanted))
    return isnan (got) && isnan (wanted) ? 0 : INFINITY;
  if (got == wanted)
    return 0;
  if (isinf (got) || isinf (wanted))
    {
      gdouble finite = isinf (got) ? wanted : got, other = isinf (got) ? got : wanted;

      return ! isinf (finite) && (finite > 0) == (other > 0) && fabs (finite) + allowed >= FLT_MAX
               ? 0 : INFINITY;
    }
  return fabs (got - wanted) / allowed;
}

/* C against OpenCL: one answer, of which zero has its sign, too; any NaN is any other. */
static const CheckTolerance bits = { 0, "every bit" };

static gdouble
units_of_bits (gfloat got, gfloat wanted)
{
  return (isnan (got) && isnan (wanted)) || memcmp (&got, &wanted, sizeof got) == 0 ? 0 : INFINITY;
}

gboolean
check_against (const CheckFilter *filter,
               const CheckCase   *c,
               const CheckTruth  *truth,
               const CheckPixels *got,
               const CheckPixels *other,
               CheckPair          pair,
               CheckStats        *stats,
               GString           *why)
{
  gboolean              between = pair == CHECK_PAIR_C_OPENCL;
  const CheckTolerance *tolerance = between ? &bits : &filter->to_reference;
  gboolean              converted = ! check_is_exact (check_source_format (filter, c), check_working_format (filter, c)) || c->field[CHECK_AUX] > 1;
  gdouble               relative = tolerance->value + (converted ? 2e-6 : 0);
  const gdouble         below = filter->below ? filter->below (c->value) : INFINITY;
  gint                  w = truth->roi.width;
  gsize                 n = (gsize) w * truth->roi.height * 4, excused = 0, worst = 0;
  Damage                damage = { 0 };

  for (gsize i = 0; i < n; i++)
    {
      gdouble slack = ! between || converted || filter->slack_between ? truth->slack[i] : 0;
      gdouble scale = isfinite (truth->scale[i]) ? truth->scale[i] : FLT_MAX;
      gdouble allowed = relative * scale + slack + FLT_MIN;
      gdouble wanted = between ? (gdouble) other->pixels[i] : truth->out[i];
      gdouble units;

      if (got->pixels[i] >= below && below < INFINITY && ! converted && i % 4 < 3)
        note_damage (&damage, (gint) (i / 4) % w + truth->roi.x, (gint) (i / 4) / w + truth->roi.y, i % 4, INFINITY,
                     got->pixels[i], below, 0);
      if (isinf (slack) || isnan (slack))
        {
          excused++;
          continue;
        }
      units = between ? units_of_bits (got->pixels[i], other->pixels[i]) : units_of (got->pixels[i], wanted, allowed);
      stats->worst_units[pair] = MAX (stats->worst_units[pair], units);
      if (units > 0 && isfinite (got->pixels[i]) && fabs (wanted) < 16)
        stats->worst_abs[pair] = MAX (stats->worst_abs[pair], fabs (got->pixels[i] - wanted));
      if (units > 1)
        {
          if (! damage.bad || units > damage.units)
            worst = i;
          note_damage (&damage, (gint) (i / 4) % w + truth->roi.x, (gint) (i / 4) / w + truth->roi.y,
                       i % 4, units, got->pixels[i], wanted, allowed);
        }
    }
  stats->compared++;
  stats->excused += (gdouble) excused / MAX (n, 1);
  if (damage.bad)
    describe_damage (&damage, pair_names[pair], tolerance->reason, &truth->out[worst], why);
  return ! damage.bad;
}

static gboolean
compare_pixels (const CheckPixels *a, const CheckPixels *b, gdouble tolerance, const gchar *what, GString *why)
{
  gsize  n = (gsize) a->roi.width * a->roi.height * 4;
  gint   w = a->roi.width;
  Damage damage = { 0 };

  for (gsize i = 0; i < n; i++)
    {
      gdouble p = a->pixels[i], q = b->pixels[i];
      gdouble units = tolerance > 0 ? units_of (p, q, tolerance)
                      : (isnan (p) && isnan (q)) || ! memcmp (a->pixels + i, b->pixels + i, 4) ? 0
                      : isnan (p) || isnan (q) ? INFINITY : 1 + (gdouble) ulp_distance (p, q);

      if (units > 1 || (tolerance == 0 && units > 0))
        note_damage (&damage, (gint) (i / 4) % w + a->roi.x, (gint) (i / 4) / w + a->roi.y, i % 4, units,
                     p, q, tolerance);
    }
  if (damage.bad)
    describe_damage (&damage, what, tolerance > 0 ? "law, to tolerance" : "law, bit-equal", NULL, why);
  return ! damage.bad;
}

gboolean
check_same_bits (const CheckPixels *a,
                 const CheckPixels *b,
                 const gchar       *what,
                 GString           *why)
{
  return compare_pixels (a, b, 0, what, why);
}

gboolean
check_near (const CheckPixels *a,
            const CheckPixels *b,
            gdouble            tolerance,
            const gchar       *what,
            GString           *why)
{
  return compare_pixels (a, b, tolerance, what, why);
}
