/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sharpness FRAME N: the gradient energy that the mean of N frames should have, in parts of that of FRAME; from the definition of
 * the kernel alone.  N - 1 of the frames are turned a little, so that their pixels lie anywhere between those of the first.
 *
 * Where phases are of all kinds, the mean over them of a resampled frame is the scene times the kernel's transform, h (x) h (y).
 * What the kernel lets through of the scene's copies around whole frequencies, p (x) p (y) - h (x)^2 h (y)^2 in energy with
 * p (f) = sum over k of h (f + k)^2, has another phase at each pixel and in each frame.  So the mean has at one frequency
 *   ((1 + (N - 1) h h) / N)^2 + (N - 1) / N^2 (p p - h^2 h^2)
 * of the energy.  It is weighed with the frame's spectrum and that of a difference of neighbours, over windows of SIDE pixels. */
#include "align.h"

#include <math.h>
#include <stdlib.h>

#define SIDE 96
#define HALF (SIDE / 2)
#define FINE 256                /* points of the kernel in a pixel */

/* The transform of the kernel of 6 pixels, weights that are 1 together. */
static gdouble
response (gdouble f)
{
  gdouble sum = 0;

  for (gint i = 0; i < 6 * FINE; i++)
    {
      const gdouble t = (i + 0.5) / FINE - 3;
      gdouble       all = 0;

      for (gint k = -5; k < 6; k++)
        all += lanczos (t + k, 3);
      sum += lanczos (t, 3) / all * cos (2 * G_PI * f * t);
    }
  return sum / FINE;
}

/* Of rows or columns: out[f] of `step` apart. */
static void
transform (const gdouble *in, gdouble *out, gint step)
{
  for (gint f = 0; f <= HALF; f++)
    for (gint part = 0; part < 2; part++)
      {
        gdouble sum = 0;

        for (gint i = 0; i < SIDE; i++)
          sum += in[i * step] * (part ? sin (2 * G_PI * (f * i % SIDE) / SIDE) : cos (2 * G_PI * (f * i % SIDE) / SIDE));
        out[(2 * f + part) * step] = sum;
      }
}

/* Adds the energy at frequencies 0 to 1/2 in x and y; real transforms of both directions have it all. */
static void
add_window (const Photo *photo, gint x, gint y, gint c, gdouble energy[HALF + 1][HALF + 1])
{
  static gdouble in[SIDE][SIDE], down[SIDE + 2][SIDE], turned[SIDE], out[SIDE + 2];
  gdouble        mean = 0;

  for (gint i = 0; i < SIDE * SIDE; i++)
    mean += photo->values[3 * ((y + i / SIDE) * photo->width + x + i % SIDE) + c] / (SIDE * SIDE);
  for (gint i = 0; i < SIDE * SIDE; i++)
    in[i / SIDE][i % SIDE] = (photo->values[3 * ((y + i / SIDE) * photo->width + x + i % SIDE) + c] - mean)
                             * pow (sin (G_PI * (i / SIDE + 0.5) / SIDE) * sin (G_PI * (i % SIDE + 0.5) / SIDE), 2);
  for (gint i = 0; i < SIDE; i++)
    transform (&in[0][i], &down[0][i], SIDE);
  for (gint j = 0; j < SIDE + 2; j++)
    {
      for (gint i = 0; i < SIDE; i++)
        turned[i] = down[j][i];
      transform (turned, out, 1);
      for (gint f = 0; f <= HALF; f++)
        energy[j / 2][f] += out[2 * f] * out[2 * f] + out[2 * f + 1] * out[2 * f + 1];
    }
}

gint
main (gint argc, gchar **argv)
{
  static gdouble energy[HALF + 1][HALF + 1], h[HALF + 1], p[HALF + 1];
  const gint     n = argc == 3 ? atoi (argv[2]) : 0;
  gdouble        kept = 0, all = 0;
  Photo          photo;

  if (n < 1)
    return 2;
  gegl_init (NULL, NULL);
  photo = photo_load (argv[1]);
  for (gint y = SIDE / 2; y + SIDE <= photo.height; y += SIDE)
    for (gint x = SIDE / 2; x + SIDE <= photo.width; x += SIDE)
      for (gint c = 0; c < 3; c++)
        add_window (&photo, x, y, c, energy);
  for (gint i = 0; i <= HALF; i++)
    {
      h[i] = response ((gdouble) i / SIDE);
      for (gint k = -2; k <= 2; k++)
        p[i] += pow (response ((gdouble) i / SIDE + k), 2);
    }
  for (gint i = 0; i <= HALF; i++)
    for (gint j = 0; j <= HALF; j++)
      {
        const gdouble weight = energy[i][j] * pow (sin (G_PI * j / SIDE), 2) * (j == HALF ? 0.5 : 1) * (i % HALF ? 1 : 0.5);
        const gdouble hh = h[i] * h[j];

        all += weight;
        kept += weight * (pow ((1 + (n - 1) * hh) / n, 2) + (n - 1.0) / (n * n) * (p[i] * p[j] - hh * hh));
      }
  g_print ("%.4f\n", kept / all);
  photo_free (&photo);
  gegl_exit ();
  return 0;
}
