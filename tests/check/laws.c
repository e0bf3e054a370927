/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What must hold of one path alone, without a reference, mostly bit for
 * bit.  These cases feed the filter's own format: babl's
 * conversions may differ by some 1e-7 with the length of a run. */
#include "check.h"

#define ALWAYS ((1u << CHECK_LAW_SPLIT) | (1u << CHECK_LAW_THREADS) | (1u << CHECK_LAW_TWICE)   \
                | (1u << CHECK_LAW_BANDS) | (1u << CHECK_LAW_PROCESSOR)                         \
                | (1u << CHECK_LAW_LOCALITY) | (1u << CHECK_LAW_CONCURRENT)                     \
                | (1u << CHECK_LAW_UPDATE) | (1u << CHECK_LAW_NATIVE) | (1u << CHECK_LAW_HIDDEN) \
                | (1u << CHECK_LAW_MOVE) | (1u << CHECK_LAW_NEIGHBOUR))

guint
check_laws_of (const CheckFilter *filter,
               const gdouble     *values)
{
  guint laws = ALWAYS | filter->holds | (filter->laws ? filter->laws (values) : 0);

  if (filter->exact_shift)
    laws |= 1u << CHECK_LAW_TRANSLATION;
  if (filter->neutral)
    laws |= 1u << CHECK_LAW_NEUTRAL;
  if (filter->delivers)         /* it has no other format to deliver, or is no image of colours */
    laws &= ~(1u << CHECK_LAW_NATIVE);
  if (filter->whole)
    laws &= ~(1u << CHECK_LAW_LOCALITY);
  return laws;
}

/* One run of the case as drawn. */
static gboolean
run_whole (const CheckFilter *filter, const CheckCase *c, const gfloat *painted, CheckLeg leg,
           CheckPixels *pixels, GString *why)
{
  CheckSource  *source = painted ? check_source_new (filter, c, painted) : check_source_draw (filter, c);
  CheckSource  *aux = check_aux_draw (filter, c);
  GeglRectangle roi = check_roi (filter, c);
  gboolean      good = check_run (filter, c, source, aux, &roi, leg, pixels, why);

  check_source_free (source);
  check_source_free (aux);
  return good;
}

/* The case against itself with some fields changed. */
static gboolean
same_as (const CheckFilter *filter, const CheckCase *c, const CheckCase *changed, CheckLeg leg,
         const gchar *what, GString *why)
{
  CheckPixels a = { 0 }, b = { 0 };
  gboolean    good = run_whole (filter, c, NULL, leg, &a, why)
                     & run_whole (filter, changed, NULL, leg, &b, why);

  good = good && check_same_bits (&b, &a, what, why);
  check_pixels_clear (&a);
  check_pixels_clear (&b);
  return good;
}

static gboolean
changed_field (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, CheckField field,
               gint first, gint second, const gchar *what, GString *why)
{
  CheckCase a = *c, b = *c;

  a.field[field] = first;
  b.field[field] = second;
  return same_as (filter, &a, &b, leg, what, why);
}

static void
copy_part (CheckPixels *whole, const CheckPixels *part)
{
  for (gint y = 0; y < part->roi.height; y++)
    memcpy (whole->pixels + ((gsize) (part->roi.y - whole->roi.y + y) * whole->roi.width
                             + part->roi.x - whole->roi.x) * 4,
            part->pixels + (gsize) y * part->roi.width * 4, (gsize) part->roi.width * 16);
}

/* Cuts 0 .. length into at most 4 pieces; returns their number. */
static gint
random_cuts (CheckRandom *random, gint length, gint cuts[5])
{
  gint n = 1 + check_below (random, MIN (length, 4));

  cuts[0] = 0;
  for (gint i = 1; i < n; i++)
    cuts[i] = cuts[i - 1] + 1 + check_below (random, length - cuts[i - 1] - (n - i));
  cuts[n] = length;
  return n;
}

static gboolean
law_split (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  CheckRandom   random = { check_hash (c->content_seed + 77) };
  GeglRectangle roi = check_roi (filter, c);
  CheckSource  *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  CheckPixels   whole = { 0 }, parts = { roi, g_new0 (gfloat, (gsize) roi.width * roi.height * 4) };
  gint          xs[5], ys[5], nx = random_cuts (&random, roi.width, xs), ny = random_cuts (&random, roi.height, ys);
  gboolean      good = check_run (filter, c, source, aux, &roi, leg, &whole, why);

  for (gint j = 0; j < ny && good; j++)
    for (gint i = 0; i < nx && good; i++)
      {
        GeglRectangle area = { roi.x + xs[i], roi.y + ys[j], xs[i + 1] - xs[i], ys[j + 1] - ys[j] };
        CheckPixels   part = { 0 };

        good = check_run (filter, c, source, aux, &area, leg, &part, why);
        copy_part (&parts, &part);
        check_pixels_clear (&part);
      }
  good = good && check_same_bits (&parts, &whole, "in parts vs in one", why);
  check_source_free (source);
  check_source_free (aux);
  check_pixels_clear (&whole);
  check_pixels_clear (&parts);
  return good;
}

static gboolean
law_translation (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  CheckRandom random = { check_hash (c->content_seed + 78) };
  CheckCase   moved = *c;
  CheckPixels a = { 0 }, b = { 0 };
  gboolean    good;

  moved.field[CHECK_X] += check_below (&random, 2000) - 1000;
  moved.field[CHECK_Y] += check_chance (&random, 30) ? 1 << 19 : check_below (&random, 200);
  good = run_whole (filter, c, NULL, leg, &a, why) & run_whole (filter, &moved, NULL, leg, &b, why);
  b.roi = a.roi;
  good = good && check_same_bits (&b, &a, "moved vs in place", why);
  check_pixels_clear (&a);
  check_pixels_clear (&b);
  return good;
}

/* Is image coordinate p, repeated every n pixels, within reach of [low, high)? */
static gboolean
within (gint p, gint n, gint low, gint high)
{
  gint first = low + (((p - low) % n) + n) % n;

  return first < high;
}

/* NaN and Inf beyond the halo (in a repeated image too) change no bit. */
static gboolean
law_locality (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  GeglRectangle roi = check_roi (filter, c);
  gint          w = c->field[CHECK_WIDTH], h = c->field[CHECK_HEIGHT], n = check_components (filter, c);
  gint          x0 = roi.x - c->field[CHECK_X], y0 = roi.y - c->field[CHECK_Y], hx, hy;
  gfloat       *painted = check_paint (filter, c), *spoiled;
  CheckPixels   a = { 0 }, b = { 0 };
  gboolean      good;

  check_halo (filter, c->value, &hx, &hy);
  spoiled = g_memdup2 (painted, (gsize) w * h * n * sizeof (gfloat));
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      if (! within (x, w, x0 - hx, x0 + roi.width + hx) || ! within (y, h, y0 - hy, y0 + roi.height + hy))
        for (gint k = 0; k < n; k++)
          spoiled[((gsize) y * w + x) * n + k] = (x + y + k) % 3 ? NAN : INFINITY;
  good = run_whole (filter, c, painted, leg, &a, why) & run_whole (filter, c, spoiled, leg, &b, why);
  good = good && check_same_bits (&b, &a, "NaN beyond the halo vs none", why);
  g_free (painted);
  g_free (spoiled);
  check_pixels_clear (&a);
  check_pixels_clear (&b);
  return good;
}

/* What has alpha 0 in both has no colour. */
static void
forget_unseen (const CheckPixels *in, CheckPixels *out)
{
  for (gsize i = 0; i < (gsize) in->roi.width * in->roi.height; i++)
    if (in->pixels[4 * i + 3] == 0 && out->pixels[4 * i + 3] == 0)
      memcpy (out->pixels + 4 * i, in->pixels + 4 * i, 4 * sizeof (gfloat));
}

/* Constant in, constant out. */
static gboolean
law_unchanged (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, const gchar *what, GString *why)
{
  CheckCase     plain = *c;
  CheckSource  *source;
  GeglRectangle roi;
  CheckPixels   out = { 0 }, in = { 0 };
  gboolean      good;

  check_normalise (filter, &plain);
  source = check_source_draw (filter, &plain);
  roi = check_roi (filter, &plain);
  good = check_run (filter, &plain, source, NULL, &roi, leg, &out, why);
  in.roi = roi;
  in.pixels = g_new (gfloat, (gsize) roi.width * roi.height * 4);
  gegl_buffer_get (source->buffer, &roi, 1.0, check_working_format (filter, &plain), in.pixels,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  forget_unseen (&in, &out);
  good = good && check_near (&out, &in, 2 * filter->to_reference.value, what, why);
  check_source_free (source);
  check_pixels_clear (&in);
  check_pixels_clear (&out);
  return good;
}

/* The response to one pixel of 1, wholly inside the image, sums to 1. */
static gboolean
law_impulse (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  CheckCase   impulse = *c;
  CheckPixels out = { 0 };
  gint        hx, hy;
  gdouble     sum[4] = { 0 }, allowed;
  gboolean    good;

  check_halo (filter, c->value, &hx, &hy);
  impulse.field[CHECK_WIDTH] = 2 * hx + 3;
  impulse.field[CHECK_HEIGHT] = 2 * hy + 3;
  impulse.field[CHECK_ROI_X] = impulse.field[CHECK_ROI_Y] = 0;  /* the image, not what it grows to */
  impulse.field[CHECK_ROI_W] = impulse.field[CHECK_WIDTH];
  impulse.field[CHECK_ROI_H] = impulse.field[CHECK_HEIGHT];
  impulse.field[CHECK_CONTENT] = CHECK_CONTENT_IMPULSE;
  check_normalise (filter, &impulse);
  good = run_whole (filter, &impulse, NULL, leg, &out, why);
  for (gsize i = 0; i < (gsize) out.roi.width * out.roi.height * 4; i++)
    sum[i % 4] += out.pixels[i];
  allowed = 4 * filter->to_reference.value + 1e-6;
  for (gint k = 0; k < 4 && good; k++)
    if (! (fabs (sum[k] - 1) <= allowed))
      {
        g_string_append_printf (why, "  the response to an impulse sums to %.9g in channel %d\n", sum[k], k);
        good = FALSE;
      }
  check_pixels_clear (&out);
  return good;
}

/* Reverses rows of pixels (along x) or the order of the rows (along y). */
static void
mirror (gfloat *pixels, gint w, gint h, gboolean along_y)
{
  for (gint y = 0; y < (along_y ? h / 2 : h); y++)
    for (gint x = 0; x < (along_y ? w : w / 2); x++)
      for (gint k = 0; k < 4; k++)
        {
          gsize  a = ((gsize) y * w + x) * 4 + k;
          gsize  b = along_y ? ((gsize) (h - 1 - y) * w + x) * 4 + k
                             : ((gsize) y * w + w - 1 - x) * 4 + k;
          gfloat held = pixels[a];

          pixels[a] = pixels[b];
          pixels[b] = held;
        }
}

static gboolean
law_mirror (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  gboolean    along_y = c->field[CHECK_LAW] == CHECK_LAW_MIRROR_Y;
  CheckCase   straight = *c, mirrored;
  gfloat     *painted;
  CheckPixels a = { 0 }, b = { 0 };
  gboolean    good;

  straight.field[CHECK_ROI_X] = straight.field[CHECK_ROI_Y] = 0;        /* the image, not what it grows to */
  straight.field[CHECK_ROI_W] = straight.field[CHECK_WIDTH];
  straight.field[CHECK_ROI_H] = straight.field[CHECK_HEIGHT];
  check_normalise (filter, &straight);
  mirrored = straight;
  if (filter->mirror)
    filter->mirror (mirrored.value, along_y);
  painted = check_paint (filter, &straight);
  good = run_whole (filter, &straight, painted, leg, &a, why);
  mirror (painted, c->field[CHECK_WIDTH], c->field[CHECK_HEIGHT], along_y);
  good &= run_whole (filter, &mirrored, painted, leg, &b, why);
  if (good)
    mirror (b.pixels, b.roi.width, b.roi.height, along_y);
  good = good && check_near (&b, &a, 4 * filter->to_reference.value, "mirrored vs straight", why);
  g_free (painted);
  check_pixels_clear (&a);
  check_pixels_clear (&b);
  return good;
}

/* Sets what the law needs of a case that was drawn without it in mind. */
static void
prepare (const CheckFilter *filter, CheckCase *c)
{
  gint    law = c->field[CHECK_LAW];
  gint   *content = &c->field[CHECK_CONTENT];

  c->field[CHECK_FORMAT] = CHECK_FORMAT_WORKING;
  if (c->field[CHECK_AUX])
    c->field[CHECK_AUX] = 1 + CHECK_FORMAT_WORKING;
  c->field[CHECK_AUX_SPACE] = 0;
  if (law == CHECK_LAW_NATIVE && c->field[CHECK_SPACE] == CHECK_SPACE_LINEAR)
    c->field[CHECK_SPACE] = 0;          /* babl's R~G~B~A are not to be compared with */
  if (law >= CHECK_LAW_MOVE)
    c->field[CHECK_SPECIALS] = 0;       /* gegl:over leaves alone what nothing lies over, NaN too */
  if (law == CHECK_LAW_MOVE)
    {
      c->field[CHECK_FORMAT] = CHECK_FORMAT_PREMULTIPLIED;      /* that of gegl:over, so that nothing is converted */
      c->field[CHECK_SPACE] = 0;
    }
  if (law < CHECK_LAW_NEIGHBOUR)
    return;
  c->field[CHECK_AUX] = 0;
  c->field[CHECK_ALPHA] = law == CHECK_LAW_CONSTANT ? CHECK_ALPHA_OPAQUE : c->field[CHECK_ALPHA];
  if (law == CHECK_LAW_NEIGHBOUR)
    {
      c->field[CHECK_ALPHA] = CHECK_ALPHA_OPAQUE;
      *content = CHECK_CONTENT_NOISE;
      if (filter->whole)        /* the neighbour's own format, so that nothing is converted */
        {
          c->field[CHECK_FORMAT] = CHECK_FORMAT_RGBA_FLOAT;
          c->field[CHECK_SPACE] = 0;
        }
    }
  else if (law == CHECK_LAW_CONSTANT)
    *content = CHECK_CONTENT_CONSTANT;
  else if (*content == CHECK_CONTENT_HDR || *content == CHECK_CONTENT_NAN)
    *content = CHECK_CONTENT_NOISE;
}

/* Nothing to convert: babl asserts that there is. */
static gboolean
empty_output (const CheckFilter *filter, const CheckCase *c)
{
  GeglRectangle roi = check_roi (filter, c);

  return gegl_rectangle_is_empty (&roi);
}

gboolean
check_law (const CheckFilter *filter,
           const CheckCase   *drawn,
           CheckLeg           leg,
           GString           *why)
{
  CheckCase   c = *drawn;

  if (c.field[CHECK_LAW] == CHECK_LAW_HIDDEN)
    return check_law_hidden (filter, &c, leg, why);
  if (c.field[CHECK_LAW] == CHECK_LAW_NEUTRAL)
    return check_law_neutral (filter, &c, leg, why);
  prepare (filter, &c);
  switch (c.field[CHECK_LAW])
    {
    case CHECK_LAW_SPLIT:       return law_split (filter, &c, leg, why);
    case CHECK_LAW_THREADS:     return changed_field (filter, &c, leg, CHECK_THREADS, 1, 4, "4 threads vs 1", why);
    case CHECK_LAW_TWICE:       return same_as (filter, &c, &c, leg, "second run vs first", why);
    case CHECK_LAW_BANDS:       return changed_field (filter, &c, leg, CHECK_BANDS, 0, 1 + (gint) (c.content_seed % 20),
                                                      "low bands vs usual", why);
    case CHECK_LAW_PROCESSOR:   return changed_field (filter, &c, leg, CHECK_SINK, CHECK_SINK_BLIT,
                                                      CHECK_SINK_PROCESSOR, "processor vs blit", why);
    case CHECK_LAW_TRANSLATION: return law_translation (filter, &c, leg, why);
    case CHECK_LAW_LOCALITY:    return law_locality (filter, &c, leg, why);
    case CHECK_LAW_CONCURRENT:  return check_law_concurrent (filter, &c, leg, why);
    case CHECK_LAW_UPDATE:      return check_law_update (filter, &c, leg, why);
    case CHECK_LAW_NATIVE:      return empty_output (filter, &c) || check_law_native (filter, &c, leg, why);
    case CHECK_LAW_MOVE:        return check_law_move (filter, &c, leg, why);
    case CHECK_LAW_NEIGHBOUR:   return check_law_neighbour (filter, &c, leg, why);
    case CHECK_LAW_CONSTANT:    return law_unchanged (filter, &c, leg, "constant in vs out", why);
    case CHECK_LAW_IMPULSE:     return law_impulse (filter, &c, leg, why);
    case CHECK_LAW_MIRROR_X:
    case CHECK_LAW_MIRROR_Y:    return law_mirror (filter, &c, leg, why);
    default:                    return TRUE;
    }
}
