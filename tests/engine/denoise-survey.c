/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The counts of tessera:denoise's surveys are C's on the device, to the last one, in bands of any height and with the picture kept there,
 * also where sums do not fit 32 bits; and they are those of the blocks that are there. */
#include "config.h"

#include "../../operations/denoise/denoise.h"
#include "denoise.cl.h"
#include "tessera-control.h"
#include "verdict.h"

#include <gegl.h>
#include <math.h>
#include <string.h>

#define WIDTH  331
#define HEIGHT 214

static const TesseraFilter tones_filter = {
  .name = "denoise", .source = tessera_denoise_cl, .survey_area = denoise_tones_area, .survey = denoise_tones_survey,
  .merge = denoise_tones_merge
};
static const TesseraFilter planes_filter = {
  .name = "denoise", .source = tessera_denoise_cl, .scratch_bytes = denoise_planes_bytes, .survey_area = denoise_planes_area,
  .survey = denoise_planes_survey, .merge = denoise_planes_merge
};

typedef struct
{
  DenoiseTones  tones;
  DenoisePlanes planes;
} Counts;

/* A ramp with noise, and where `odd` holes of all kinds, black, white and what is huge. */
static GeglBuffer *
picture (gboolean odd)
{
  static const gfloat strange[] = { NAN, INFINITY, 2.6e11f, 2.8e11f, -1e30f, 0.0f, 1.0f, 1e-42f };
  const GeglRectangle box = { -17, 5, WIDTH, HEIGHT };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B'A float"));
  GRand              *rand = g_rand_new_with_seed (7);
  g_autofree gfloat  *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint i = 0; i < 4 * WIDTH * HEIGHT; i++)
    {
      const gint x = i / 4 % WIDTH, y = i / 4 / WIDTH;

      pixels[i] = i % 4 == 3 ? 1.0f : (gfloat) (0.05 + 0.9 * x / WIDTH + (0.002 + 0.1 * y / HEIGHT) * (g_rand_double (rand) - 0.5));
      if (odd && g_rand_int_range (rand, 0, 40) == 0)
        pixels[i] = i % 4 == 3 ? 0.0f : strange[g_rand_int_range (rand, 0, G_N_ELEMENTS (strange))];
      if (odd && y > HEIGHT * 3 / 4 && i % 4 == 2)
        pixels[i] = 0.0f;
    }
  gegl_buffer_set (buffer, &box, 0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_rand_free (rand);
  return buffer;
}

static void
count (GeglBuffer *buffer, gboolean keeps, guint seen, Counts *counts)
{
  DenoiseKept    kept = { .pixels = tessera_kept_new (), .is_begun = ! keeps };
  Denoise       *d = g_new0 (Denoise, 1);
  const Babl    *format = babl_format ("R'G'B'A float");
  TesseraRequest request = { .filter = &tones_filter, .input = buffer, .input_format = format, .output_format = format,
                             .roi = *gegl_buffer_get_extent (buffer), .bounds = *gegl_buffer_get_extent (buffer),
                             .halo = DENOISE_SURVEY_HALO, .params = d };
  gdouble        sigma[3][DENOISE_KNOTS];

  d->bounds = request.bounds;
  d->kept = &kept;
  d->seen = seen;
  for (gint k = 0; k < 3 * DENOISE_KNOTS; k++)
    sigma[k / DENOISE_KNOTS][k % DENOISE_KNOTS] = 0.002 + 0.001 * (k % 7);
  denoise_make_tones (d, sigma);
  expect (tessera_survey (&request, &counts->tones, sizeof counts->tones), "tones are counted");
  request.filter = &planes_filter;
  request.is_blind = kept.is_whole && tessera_is_kept (kept.pixels);
  expect (tessera_survey (&request, &counts->planes, sizeof counts->planes), "planes are counted");
  tessera_kept_unref (kept.pixels);
  g_free (d);
}

/* Every block that has no hole and is not clipped counts once, in each channel. */
static void
all_there (const Counts *counts)
{
  const guint32 blocks = (WIDTH - 4) / 8 * ((HEIGHT - 4) / 8);
  guint64       n = 0, planes = 0, most = 0;

  for (gint i = 0; i < 3 * SURVEY_TONES * TONE_CLASSES; i++)
    n += (&counts->tones.n[0][0][0])[i];
  for (gint class = 0; class < PLANE_CLASSES; class++)
    {
      planes += counts->planes.n[class];
      for (gint i = 0; i < 3 * 64; i++)
        most = MAX (most, (&counts->planes.squares[class][0][0])[i]);
    }
  expect (n == 3 * blocks && planes == blocks && counts->tones.blocks == blocks, "%u blocks: %" G_GUINT64_FORMAT " tones, %" G_GUINT64_FORMAT
          " planes, %u counted", blocks, n, planes, counts->tones.blocks);
  expect (counts->tones.alive[0] == 64 * blocks, "%u pixels of red are not clipped", counts->tones.alive[0]);
  expect (most >> 32 > 0, "the largest sum of squares is %" G_GUINT64_FORMAT ", which shows no carry", most);
}

static void
compare (gboolean odd)
{
  GeglBuffer *buffer = picture (odd);
  Counts     *in_c = g_new0 (Counts, 1), *on_device = g_new0 (Counts, 1);

  for (guint seen = 3; seen <= 7; seen += 4)
    {
      tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
      count (buffer, FALSE, seen, in_c);
      if (! odd)
        all_there (in_c);
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      for (gint rows = 0; rows <= 54; rows += 27)
        for (gint keeps = 0; keeps < 2; keeps++)
          {
            tessera_set_band_rows (rows);
            count (buffer, keeps, seen, on_device);
            expect (memcmp (&in_c->tones, &on_device->tones, sizeof in_c->tones) == 0, "%s picture, bands of %d rows%s: tones as in C",
                    odd ? "an odd" : "a plain", rows, keeps ? ", kept" : "");
            expect (memcmp (&in_c->planes, &on_device->planes, sizeof in_c->planes) == 0, "%s picture, bands of %d rows%s: planes as in C",
                    odd ? "an odd" : "a plain", rows, keeps ? ", kept" : "");
          }
      tessera_set_band_rows (0);
    }
  g_free (in_c);
  g_free (on_device);
  g_object_unref (buffer);
}

/* The pixels are lost between two requests, for want of memory.  The first bands have no block. */
static void
lose_pixels (void)
{
  GeglBuffer *buffer = picture (FALSE);

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_proof (FALSE);
  for (gint rows = 0; rows <= 3; rows++)
    {
      DenoiseKept          kept = { .pixels = tessera_kept_new (), .is_whole = TRUE };
      g_autofree Denoise  *d = g_new0 (Denoise, 1);
      g_autofree gpointer  counts = g_new0 (DenoisePlanes, 1);
      const Babl          *format = babl_format ("R'G'B'A float");
      const TesseraRequest request = { .filter = &planes_filter, .input = buffer, .input_format = format, .output_format = format,
                                       .roi = *gegl_buffer_get_extent (buffer), .bounds = *gegl_buffer_get_extent (buffer),
                                       .halo = DENOISE_SURVEY_HALO, .params = d, .is_blind = TRUE };

      d->bounds = request.bounds;
      d->kept = &kept;
      tessera_set_band_rows (rows);
      expect (! tessera_survey (&request, counts, sizeof (DenoisePlanes)), "bands of %d rows: the device counts pixels that it has not", rows);
      tessera_kept_unref (kept.pixels);
    }
  tessera_set_band_rows (0);
  tessera_set_proof (TRUE);
  g_object_unref (buffer);
}

int
main (int argc, char **argv)
{
  gint result;

  gegl_init (&argc, &argv);
  tessera_set_remembering (FALSE);
  compare (FALSE);
  compare (TRUE);
  lose_pixels ();
  result = expect_told ();
  gegl_exit ();
  return result;
}
