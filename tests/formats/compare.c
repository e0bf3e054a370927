/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Device, babl, C path and formula on the same pixels, on all threads. */
#include "formats.h"

#include <float.h>
#include <math.h>

#define BABL_RELATIVE 1e-5      /* more than that off the formula: babl is wrong there */

typedef struct
{
  const FormatsConversion *conversion;
  const FormatsDomain     *domain;
  const guint8            *device, *babl, *c_path;
  gboolean                 exact;
  FormatsStats            *stats;
  GMutex                   lock;
} Comparison;

/* One component. */
typedef struct
{
  const FormatsKind *kind;
  FormatsBound       truth;
  gdouble            unit;              /* of distances */
  gdouble            low, high;         /* what the device may give */
} Place;

/* ----------------------------------------------------------- distances -- */

/* Halves in order, one apart. */
static gdouble
half_order (guint16 code)
{
  return code & 0x8000 ? -(gdouble) (code & 0x7fff) : code;
}

/* What is compared: codes for integers and halves, else values.  NaN stays NaN. */
static gdouble
ordinal (const FormatsKind *kind, const guint8 *pixel, gint component)
{
  guint   code = formats_code (kind, pixel, component);
  gdouble value = kind->type == TYPE_U8 || kind->type == TYPE_U16 ? code : formats_load (kind, pixel, component);

  return kind->type == TYPE_HALF && ! isnan (value) ? half_order (code) : value;
}

static gdouble
float_or_infinity (gdouble value)
{
  return fabs (value) > FLT_MAX * (1 + 0x1p-25) ? copysign (INFINITY, value) : value;
}

/* A float's unit is the ulp of the formula's value, or of the terms it is the small
 * difference of. */
static void
set_place (Place *place)
{
  const FormatsBound *truth = &place->truth;
  gdouble             value = truth->value, error = truth->error, most;

  switch (place->kind->type)
    {
    case TYPE_U8:
    case TYPE_U16:
      most = place->kind->type == TYPE_U8 ? 255 : 65535;
      place->truth.value = isnan (value) ? value : CLAMP (value, 0, most);
      place->low = CLAMP (floor (value - error + 0.5), 0, most);
      place->high = CLAMP (floor (value + error + 0.5), 0, most);
      place->unit = 1;
      break;
    case TYPE_HALF:
      place->low = half_order (formats_to_half (value - error));
      place->high = half_order (formats_to_half (value + error));
      place->truth.value = isnan (value) ? value : half_order (formats_to_half (value));
      place->unit = 1;
      break;
    default:                    /* without an error of its own the formula is rounded once */
      place->low = float_or_infinity (error > 0 ? value - error : (gfloat) value);
      place->high = float_or_infinity (error > 0 ? value + error : (gfloat) value);
      place->truth.value = float_or_infinity (value);
      place->unit = isfinite (value) ? ldexp (1, MAX (ilogb (fmax (fmax (fabs (value), error * 0x1p19), FLT_MIN)), -126) - 23) : 1;
    }
}

static gdouble
distance (gdouble a, gdouble b, gdouble unit)
{
  if (a == b || (isnan (a) && isnan (b)))
    return 0;
  return isfinite (a) && isfinite (b) ? fabs (a - b) / unit : INFINITY;
}

/* ------------------------------------------------------------- verdicts -- */

/* The same bits; any NaN is the same as any other. */
static gboolean
alike (const FormatsKind *kind, const guint8 *a, const guint8 *b, gint component)
{
  return formats_code (kind, a, component) == formats_code (kind, b, component)
         || (isnan (ordinal (kind, a, component)) && isnan (ordinal (kind, b, component)));
}

static gchar *
failure_text (const Comparison *comparison, gsize pixel, gint c, const Place *place, gdouble device, gdouble babl,
              gdouble c_path)
{
  const FormatsKind *from = comparison->conversion->from;
  GString           *text = g_string_new ("pixel (");

  for (gint i = 0; i < from->components; i++)
    g_string_append_printf (text, "%s%.9g", i ? ", " : "",
                            from->type == TYPE_FLOAT || from->type == TYPE_HALF
                            ? formats_load (from, comparison->domain->pixels + pixel * from->bytes, i)
                            : formats_code (from, comparison->domain->pixels + pixel * from->bytes, i));
  g_string_append_printf (text, ") component %d: device %.9g, C %.9g, babl %.9g, formula %.10g, allowed %.10g to %.10g",
                          c, device, c_path, babl, place->truth.value, place->low, place->high);
  return g_string_free (text, FALSE);
}

static gboolean
babl_is_wrong (const Place *place, gdouble babl)
{
  gdouble allowed = place->kind->type == TYPE_FLOAT
                    ? BABL_RELATIVE * fabs (place->truth.value) + 4 * place->truth.error : 1.5 + place->high - place->low;

  if (isnan (babl) || isnan (place->truth.value))
    return isnan (babl) != isnan (place->truth.value) && place->unit == 1 ? place->kind->type >= TYPE_HALF
           : isnan (babl) != isnan (place->truth.value);
  return distance (babl, place->truth.value, 1) > allowed;
}

static gboolean
within (const Place *place, gdouble device)
{
  const FormatsKind *kind = place->kind;
  const gdouble      truth = place->truth.value, most = kind->type == TYPE_U8 ? 255 : 65535;
  const gboolean     is_end = kind->type >= TYPE_HALF ? isinf (device) : device == 0 || device == most;

  if (isnan (truth))
    return kind->type >= TYPE_HALF ? isnan (device) : device == (kind->type == TYPE_U8 ? 255 : 0);
  if (device == 0 && truth == 0 && place->truth.error == 0 && kind->type >= TYPE_HALF)
    return signbit (device) == signbit (truth);
  if (device >= place->low && device <= place->high)
    return TRUE;
  if (place->truth.overflows && kind->colours == 1)     /* infinities of either sign meet in a sum */
    return is_end || isnan (device);
  return place->truth.overflows && is_end && (device > 0) == (truth > 0);
}

static void
take_distances (FormatsStats *stats, const Place *place, gdouble device, gdouble babl)
{
  gdouble truth = place->truth.value, error, allowed;

  if (isnan (truth) || place->truth.overflows || isinf (place->low) || isinf (place->high))
    return;
  error = distance (device, truth, place->unit);
  stats->device_formula = fmax (stats->device_formula, error);
  if (! babl_is_wrong (place, babl))
    {
      stats->device_babl = fmax (stats->device_babl, distance (device, babl, place->unit));
      stats->babl_formula = fmax (stats->babl_formula, distance (babl, truth, place->unit));
    }
  else
    stats->babl_wrong++;
  allowed = fmax (place->high - truth, truth - place->low) / place->unit;
  if (place->kind->type <= TYPE_U16)
    allowed = 0.5 + place->truth.error;
  if (allowed > 0 && error / allowed > stats->share)
    {
      stats->share = error / allowed;
      stats->allowed = allowed;
    }
}

static void
compare_component (const Comparison *comparison, FormatsStats *stats, gsize pixel, gint c, Place *place)
{
  const FormatsKind *kind = place->kind;
  const gsize        offset = pixel * kind->bytes;
  const gdouble      device = ordinal (kind, comparison->device + offset, c);
  const gdouble      babl = ordinal (kind, comparison->babl + offset, c);
  const gdouble      c_path = ordinal (kind, comparison->c_path + offset, c);
  gboolean           good;

  set_place (place);
  good = within (place, device);
  stats->components++;
  stats->not_babl += ! alike (kind, comparison->device + offset, comparison->babl + offset, c);
  /* Debian 13's babl makes 0 of values beyond 8e6.  Floats that only change places are held to the
     formula's bits; babl chooses its way by time, and some of its ways lose four in a million of them. */
  if (comparison->exact && (kind->type != TYPE_FLOAT || comparison->conversion->from->type != TYPE_FLOAT)
      && ! isnan (place->truth.value) && ! babl_is_wrong (place, babl)
      && distance (device, babl, 1) > formats_babl_error (comparison->conversion, place->truth.value))
    good = FALSE;
  if (good)
    take_distances (stats, place, device, babl);
  if (! alike (kind, comparison->device + offset, comparison->c_path + offset, c))
    {
      good = FALSE;
      stats->c_differs++;
      stats->c_device = fmax (stats->c_device, distance (device, c_path, place->unit));
    }
  if (! good && ! stats->failed++)
    stats->first = failure_text (comparison, pixel, c, place, device, babl, c_path);
}

static void
merge (FormatsStats *into, FormatsStats *part)
{
  into->components += part->components;
  into->not_babl += part->not_babl;
  into->babl_wrong += part->babl_wrong;
  into->c_differs += part->c_differs;
  into->device_babl = fmax (into->device_babl, part->device_babl);
  into->device_formula = fmax (into->device_formula, part->device_formula);
  into->babl_formula = fmax (into->babl_formula, part->babl_formula);
  into->c_device = fmax (into->c_device, part->c_device);
  if (part->share > into->share)
    {
      into->share = part->share;
      into->allowed = part->allowed;
    }
  if (into->first)
    g_free (part->first);
  else
    into->first = part->first;
  into->failed += part->failed;
}

static void
compare_range (gsize first, gsize n, gpointer data)
{
  Comparison              *comparison = data;
  const FormatsConversion *conversion = comparison->conversion;
  FormatsStats             stats = { 0 };

  for (gsize pixel = first; pixel < first + n; pixel++)
    {
      FormatsBound truth[4];

      formats_truth (conversion, comparison->domain->pixels + pixel * conversion->from->bytes, truth);
      for (gint c = 0; c < conversion->to->components; c++)
        {
          Place place = { conversion->to, truth[c], 1, 0, 0 };

          compare_component (comparison, &stats, pixel, c, &place);
        }
    }
  g_mutex_lock (&comparison->lock);
  merge (comparison->stats, &stats);
  g_mutex_unlock (&comparison->lock);
}

void
formats_compare (const FormatsConversion *conversion, const FormatsDomain *domain, const guint8 *device,
                 const guint8 *babl, const guint8 *c_path, FormatsStats *stats)
{
  Comparison comparison = { .conversion = conversion, .domain = domain, .device = device, .babl = babl,
                            .c_path = c_path, .exact = formats_is_exact (conversion), .stats = stats };

  g_mutex_init (&comparison.lock);
  gegl_parallel_distribute_range (domain->n, 4096, compare_range, &comparison);
  g_mutex_clear (&comparison.lock);
}
