/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-points: a file against the reference.
 *
 * Levels and candidates have the same bits, so the keypoints are the same and in the same order.  Places and angles are in double.
 * There a sum may be written in another order, and exp and atan2 are libm's here and our own in the product, each within an ulp or two.
 * Numbers therefore agree to the digits that are printed.  A keypoint is excused where the reference has a doubt.
 *
 * Descriptors are in float, and in double here.  An element is the reference's before it is rounded, rounded: to either number if it
 * lies within ELEMENT, and what the angle and the place may be off, of the middle between two.  So none is off by more than 1.
 * What ELEMENT is made of, in units of a pixel's weighed gradient: a share of directions is off by 1.5e-6 (the arc 2e-7, and five
 * numbers below 8 are rounded), one of rows and one of columns by 1.4e-6 each (two products and two sums below 5), length and weight
 * by 1.2e-6, products by 3e-7: 6e-6 in all.  60 numbers or so are added in a histogram, and 8 of these: 4e-6 of the sum.  If all went the
 * same way, and the gradients of an element's pixels were twice what it has of them, an element of 255 would be off by 5e-3: ELEMENT.
 * Seen in nine runs of 25 to 60 cases: 1.4e-4 in photographs; 5.6e-4 where gradients repeat, so that errors go the same way.
 * A root of a share moves by what its share moves: 0.5 at 0, where a root is steep, and 0.003 at 50.
 *
 * Where babl or the operation converts the luminance, that is off by some 1e-7.  The reference says what that can do to each
 * decision, place and angle. */
#include "sift-points.h"

#define DIGITS      0.50001             /* of a unit of the last digit */
#define ELEMENT     5e-3
#define PER_DEGREE  40.0                /* elements move by so much at most with the angle, */
#define PER_PIXEL   600.0               /* and with the place or size */
#define CONVERTED   0.02                /* what an error of the luminance does besides */

static gboolean
is_near (gdouble value, gdouble reference, gdouble unit, gdouble error)
{
  return fabs (value - reference) <= DIGITS * unit + error + 1e-12 * fabs (reference);
}

static gboolean
is_place (const SiftCase *c, const SiftRow *row, const RefPoint *point)
{
  return row->octave == point->octave && row->layer == point->layer
         && is_near (row->x, point->x + c->box.x, 1e-4, point->place_error)
         && is_near (row->y, point->y + c->box.y, 1e-4, point->place_error)
         && is_near (row->sigma, point->sigma, 1e-4, point->place_error)
         && is_near (remainder (row->angle - point->angle, 360), 0, 1e-4, point->angle_error);
}

gdouble
sift_element_error (const SiftCase *c, const RefPoint *point, gint e)
{
  const gdouble plain = (c->settings.input_error > 0 ? CONVERTED : ELEMENT) + PER_DEGREE * point->angle_error + PER_PIXEL * point->place_error;
  const gdouble share = pow (point->elements[e] / 512.0, 2), of_sum = plain / MAX (point->sum, 512.0);

  if (! c->settings.root)
    return plain;
  return 512.0 * sqrt (share + of_sum) - point->elements[e] + point->elements[e] * 0.5 * REF_SIFT_LENGTH * of_sum;
}

static gchar *
elements_differ (const SiftCase *c, const SiftRow *row, const RefPoint *point, SiftCount *count)
{
  for (gint e = 0; e < REF_SIFT_LENGTH; e++)
    {
      const gdouble error = sift_element_error (c, point, e);
      const gdouble off = fabs (row->descriptor[e] - point->elements[e]);

      if (! (off <= 0.5 + error))
        return g_strdup_printf ("element %d is %d, not %.9g, of keypoint", e, row->descriptor[e], point->elements[e]);
      count->rounded += error < 0.01 && fabs (off - 0.5) <= error;
    }
  return NULL;
}

/* ---------------------------------------------------------------- doubts -- */

static gboolean
is_excused (const RefSift *reference, gint octave, gdouble x, gdouble y, gdouble response)
{
  if (response >= reference->cut_low - 0.5e-6 && response <= reference->cut_high + 0.5e-6
      && reference->cut_low <= reference->cut_high)
    return TRUE;
  for (gsize i = 0; i < reference->n_doubts; i++)
    {
      const RefDoubt *doubt = reference->doubts + i;

      if (doubt->octave == octave && fabs (x - doubt->x) <= doubt->reach && fabs (y - doubt->y) <= doubt->reach)
        return TRUE;
    }
  return FALSE;
}

/* The next point of the reference that is the row's, where all before it are excused; else the same. */
static gsize
skip_excused (const SiftCase *c, const RefSift *reference, gsize from, const SiftRow *row)
{
  for (gsize i = from; i < reference->n; i++)
    {
      const RefPoint *point = reference->points + i;

      if (row && is_place (c, row, point))
        return i;
      if (! is_excused (reference, point->octave, point->x, point->y, point->response))
        return row ? from : i;
    }
  return row ? from : reference->n;
}

/* --------------------------------------------------------------- compare -- */

static gchar *
compare (const SiftCase *c, const GArray *rows, const RefSift *reference, SiftCount *count)
{
  gsize at = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const SiftRow  *row = &g_array_index (rows, SiftRow, i);
      const gsize     next = skip_excused (c, reference, at, row);
      const RefPoint *point = reference->points + next;
      gchar          *why;

      count->excused += next - at;
      at = next;
      if (at == reference->n || ! is_place (c, row, point))
        {
          if (is_excused (reference, row->octave, row->x - c->box.x, row->y - c->box.y, row->response))
            {
              count->excused++;
              continue;
            }
          return at == reference->n
                 ? g_strdup_printf ("keypoint %u at %.4f, %.4f, octave %d: the reference has only %zu", i, row->x, row->y,
                                    row->octave, at)
                 : g_strdup_printf ("keypoint %u at %.4f, %.4f, sigma %.4f, angle %.4f, octave %d, layer %d; the reference's next "
                                    "is at %.6f, %.6f, sigma %.6f, angle %.6f, octave %d, layer %d (%zu and %u)", i, row->x,
                                    row->y, row->sigma, row->angle, row->octave, row->layer, point->x + c->box.x,
                                    point->y + c->box.y, point->sigma, point->angle, point->octave, point->layer, reference->n,
                                    rows->len);
        }
      at++;
      if (! is_near (row->response, point->response, 1e-6, point->place_error * point->response + c->settings.input_error))
        return g_strdup_printf ("response %.6f, not %.9g, of keypoint %u", row->response, point->response, i);
      why = elements_differ (c, row, point, count);
      if (why)
        {
          gchar *text = g_strdup_printf ("%s %u at %.4f, %.4f", why, i, row->x, row->y);

          g_free (why);
          return text;
        }
    }
  count->excused += skip_excused (c, reference, at, NULL) - at;
  at = skip_excused (c, reference, at, NULL);
  if (at < reference->n)
    return g_strdup_printf ("keypoint at %.6f, %.6f, octave %d, layer %d, is missing (%zu, not %u)",
                            reference->points[at].x + c->box.x, reference->points[at].y + c->box.y, reference->points[at].octave,
                            reference->points[at].layer, reference->n, rows->len);
  return NULL;
}

gchar *
sift_differs (const SiftCase *c, const GArray *rows, const RefSift *reference, SiftCount *count)
{
  count->points += rows->len;
  count->doubts += reference->n_doubts;
  return compare (c, rows, reference, count);
}
