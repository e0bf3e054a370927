/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The generator of star fields: the same bits everywhere, the noise that it promises, files that hold the frames. */
#include "stars.h"

#include "stars-random.h"
#include "../engine/verdict.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define BLOCK 2880

static guint64
hash_of (const guint16 *adu, gsize n)
{
  guint64 hash = 0xcbf29ce484222325u;

  for (gsize i = 0; i < n; i++)
    hash = (hash ^ adu[i]) * 0x100000001b3u;
  return hash;
}

/* Every preset, with cosmic rays and seeing. */
static void
same_bits (void)
{
  const guint64 hashes[] = { 0xc32116299e2488d9u, 0x5e7f0695c62c6931u, 0x1f575dbd906f560au, 0xc18c9a0be09c14bbu };

  for (gint i = 0; i < 4; i++)
    {
      StarsSettings settings;
      StarsField   *field;
      guint16       adu[96 * 80], again[96 * 80];

      stars_preset (&settings, 'A' + i, 17);
      settings.width = 96;
      settings.height = 80;
      settings.frames = 6;
      settings.cosmic_rays = 2;
      settings.seeing = 0.1;
      settings.n_objects = 1;
      field = stars_field_new (&settings);
      stars_frame (field, 5, adu);
      expect (hash_of (adu, 96 * 80) == hashes[i], "preset %c: the hash of frame 5 is 0x%" G_GINT64_MODIFIER "x", 'A' + i, hash_of (adu, 96 * 80));
      stars_frame (field, 0, again);
      stars_frame (field, 5, again);
      expect (memcmp (adu, again, sizeof adu) == 0, "preset %c: a frame depends on those made before", 'A' + i);
      stars_field_free (field);
    }
}

/* Mean and variance of n numbers within 5 sigma; `fourth`: the fourth moment about the mean, by the variance squared. */
static void
moments (const gchar *name, gdouble mean, gdouble variance, gdouble fourth, gdouble (*one) (StarsRandom *, gdouble), gdouble argument)
{
  const gint  n = 200000;
  StarsRandom random = stars_random (1, 2, (guint) argument);
  gdouble     sum = 0, squares = 0;

  for (gint i = 0; i < n; i++)
    {
      const gdouble value = one (&random, argument) - mean;

      sum += value;
      squares += value * value;
    }
  expect (fabs (sum / n) < 5 * sqrt (variance / n), "%s %g: the mean is off by %g", name, argument, sum / n);
  expect (fabs (squares / n - variance) < 5 * variance * sqrt ((fourth - 1) / n), "%s %g: the variance is %g", name, argument, squares / n);
}

static gdouble
normal (StarsRandom *random, gdouble unused G_GNUC_UNUSED)
{
  return stars_normal (random);
}

static gdouble
uniform (StarsRandom *random, gdouble unused G_GNUC_UNUSED)
{
  return stars_uniform (random);
}

static void
noise (void)
{
  const gdouble means[] = { 0.01, 1, 9.5, 10.5, 100, 30000 };

  moments ("uniform", 0.5, 1.0 / 12, 1.8, uniform, 0);
  moments ("normal", 0, 1, 3, normal, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (means); i++)
    moments ("poisson", means[i], means[i], 3 + 1 / means[i], stars_poisson, means[i]);
  for (gdouble x = 1e-9; x < 1e9; x *= 1.37)
    expect (fabs (stars_log (x) - log (x)) <= 1e-15 * MAX (1, fabs (log (x))), "log %g is %.17g", x, stars_log (x));
  for (gdouble z = -8; z < 8; z += 0.0173)
    expect (fabs (stars_phi (z) - erfc (-z / sqrt (2)) / 2) < 1e-10, "phi %g is %.12g", z, stars_phi (z));
}

/* Without noise: the light of the sky and of each star and object, no more and no less. */
static void
light (void)
{
  StarsSettings settings;
  StarsField   *field;
  gdouble      *electrons, wanted = 0, sum = 0, squares = 0, snr;

  stars_preset (&settings, 'B', 3);
  settings.width = settings.height = 128;
  settings.density = 0;
  settings.gradient = settings.brightening = 0;
  settings.n_objects = 2;
  field = stars_field_new (&settings);
  electrons = g_new (gdouble, 128 * 128);
  stars_light (field, 3, electrons);
  for (gint i = 0; i < 128 * 128; i++)
    sum += electrons[i] - settings.sky;
  wanted = field->objects[0].flux + field->objects[1].flux;
  expect (fabs (sum - wanted) < 1e-6 * wanted, "the objects' light is %g, not %g", sum, wanted);
  field->objects[1].x = field->objects[1].y = 64 - field->shifts[0].x;
  field->objects[0].flux = 0;
  stars_light (field, 0, electrons);
  for (gint i = 0; i < 128 * 128; i++)
    squares += (electrons[i] - settings.sky) * (electrons[i] - settings.sky);
  snr = sqrt (squares / (settings.sky + settings.read_noise * settings.read_noise));
  expect (fabs (snr - 8) < 0.01, "the SNR of the second object is %g", snr);
  g_free (electrons);
  stars_field_free (field);
}

static void
files (void)
{
  StarsSettings settings;
  StarsField   *field;
  gchar        *folder = g_dir_make_tmp ("stars-XXXXXX", NULL), *fits = g_build_filename (folder, "a.fits", NULL), *pgm = g_build_filename (folder, "a.pgm", NULL);
  gchar        *a, *b;
  gsize         n, m, wrong = 0;
  guint16       adu[50 * 31];

  stars_preset (&settings, 'A', 4);
  settings.width = 50;
  settings.height = 31;
  settings.n_objects = 0;
  field = stars_field_new (&settings);
  stars_frame (field, 2, adu);
  expect (stars_write_fits (field, 2, fits, NULL) && stars_write_pgm (field, 2, pgm, NULL), "a file could not be written in %s", folder);
  if (g_file_get_contents (fits, &a, &n, NULL) && g_file_get_contents (pgm, &b, &m, NULL))
    {
      expect (n == 2 * BLOCK + (2 * 50 * 31 + BLOCK - 1) / BLOCK * BLOCK - BLOCK, "the FITS file has %" G_GSIZE_FORMAT " bytes", n);
      expect (m == strlen ("P5\n50 31\n65535\n") + 2 * 50 * 31, "the PGM file has %" G_GSIZE_FORMAT " bytes", m);
      for (gsize i = 0; i < 50 * 31; i++)
        {
          const guint8 *of_fits = (guint8 *) a + BLOCK + 2 * i, *of_pgm = (guint8 *) b + m - 2 * 50 * 31 + 2 * i;

          wrong += (gint16) (of_fits[0] << 8 | of_fits[1]) + 32768 != adu[i] || (of_pgm[0] << 8 | of_pgm[1]) != adu[i];
        }
      expect (wrong == 0, "%" G_GSIZE_FORMAT " pixels of the files are others", wrong);
      g_free (a);
      g_free (b);
    }
  g_unlink (fits);
  g_unlink (pgm);
  g_rmdir (folder);
  g_free (fits);
  g_free (pgm);
  g_free (folder);
  stars_field_free (field);
}

void
stars (void)
{
  same_bits ();
  noise ();
  light ();
  files ();
}
