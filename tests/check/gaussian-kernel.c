/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * gaussian-kernel [STEP]: for sigma from 8 to 500 in steps of STEP (0.25), what each pixel of a cell
 * gets of each pixel around it, from the weights and taps that gaussian.c makes, against the
 * truncated normalised Gaussian.  Sum of |difference| below 1/1000 on an axis keeps a blur of both
 * axes within 1/1000 of max - min; nothing may reach beyond ceil (4 sigma).  Cells are the same everywhere.
 */
#include "gaussian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 2048               /* of the kernels on either side */

/* What pixels of cell 0 and around give to the filtered cell 0; pixel 0 is the cell's first. */
static void
filtered_cell (const GaussianAxis *axis, const SeparableTaps *taps, gdouble *kernel)
{
  const gint step = axis->step;

  for (gint i = 0; i <= 2 * ROOM; i++)
    kernel[i] = 0.0;
  for (gint i = 0; i < taps->n; i++)
    if (step == 1)
      kernel[ROOM + taps->offsets[i]] += taps->weights[i];
    else
      for (gint j = 0; j < 3 * step; j++)
        kernel[ROOM + (taps->offsets[i] - 1) * step + j] += (gdouble) taps->weights[i] * axis->down[j];
}

static gdouble
effective (const GaussianAxis *axis, const gdouble *cell, gint phase, gint y)
{
  gdouble sum = 0.0;

  if (axis->step == 1)
    return cell[ROOM + y];
  for (gint q = 0; q < 3; q++)
    {
      gint from = y - (q - 1) * axis->step;

      if (abs (from) <= ROOM)
        sum += axis->up[3 * phase + q] * cell[ROOM + from];
    }
  return sum;
}

/* The largest sum of |effective - g| over the phases; the farthest pixel. */
static gdouble
distance (gdouble sigma, const GaussianAxis *axis, const SeparableTaps *taps, gint *reach)
{
  static gdouble cell[2 * ROOM + 1];
  const gint     r = (gint) ceil (3.0 * sigma);
  gdouble        sum = 0.0, worst = 0.0;

  filtered_cell (axis, taps, cell);
  for (gint i = -r; i <= r; i++)
    sum += exp (-0.5 * i * i / (sigma * sigma));
  *reach = 0;
  for (gint phase = 0; phase < axis->step; phase++)
    {
      gdouble total = 0.0;

      for (gint y = -ROOM; y <= ROOM; y++)
        {
          const gint d = y - phase;
          gdouble    k = effective (axis, cell, phase, y);

          total += fabs (k - (abs (d) <= r ? exp (-0.5 * d * d / (sigma * sigma)) / sum : 0.0));
          if (k != 0.0)
            *reach = MAX (*reach, abs (d));
        }
      worst = MAX (worst, total);
    }
  return worst;
}

/* A plane without end has pixels left of 0 too. */
static gboolean
cells_go_on (const Gaussian *gaussian)
{
  const TesseraRequest plane = { .bounds = gegl_rectangle_infinite_plane (), .params = gaussian };
  const gint           step = gaussian->x.step;

  for (gint x = -3 * step; x < 0; x++)
    {
      GaussianSpan here, there, y;

      gaussian_spans (&plane, GEGL_RECTANGLE (x, 0, 100, 1), &here, &y);
      gaussian_spans (&plane, GEGL_RECTANGLE (x + 10 * step, 0, 100, 1), &there, &y);
      if (step > 1 && (here.first + 10 != there.first || here.n != there.n || here.phase != there.phase))
        return FALSE;
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  const gdouble step = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 0.25;
  Gaussian     *gaussian = g_new0 (Gaussian, 1);
  gdouble       worst = 0.0, worst_sigma = 0.0;
  gint          n = 0, bad = 0;

  for (gdouble sigma = 8.0; sigma <= 500.0; sigma = MIN (sigma + step, sigma < 500.0 ? 500.0 : 501.0))
    {
      gint    reach;
      gdouble error;

      n++;
      gaussian_init (gaussian, sigma, sigma);
      error = distance (sigma, &gaussian->x, &gaussian->fir.x, &reach);
      if (error > worst)
        {
          worst = error;
          worst_sigma = sigma;
        }
      if (error > (gaussian->x.step == 1 ? (2 * ceil (3 * sigma) + 7) * 0x1p-24 : 1e-3) || reach > gaussian_reach (sigma, sigma).left || reach > (gint) ceil (4.0 * sigma))
        {
          printf ("sigma %g: %.3e off, reaches %d\n", sigma, error, reach);
          bad++;
        }
      else if (! cells_go_on (gaussian))
        {
          printf ("sigma %g: other cells left of 0\n", sigma);
          bad++;
        }
    }
  printf ("gaussian-kernel: at most %.3e off (sigma %g)\n", worst, worst_sigma);
  printf ("%d passed, %d failed\n", n - bad, bad);
  g_free (gaussian);
  return bad > 0;
}
