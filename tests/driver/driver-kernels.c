/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that does nothing, as if a compiler had got it wrong, is found out by the engine's check at its first
 * use: each kernel that a filter runs with these settings.  And what is cut is launched once, not twice. */
#include "driver-kernels.h"

#include "driver-walk.h"

static const struct { DriverCase c; const gchar *kernels[16]; } rows[] = {
  { { .name = "wide gaussian-blur", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=30 std-dev-y=20",
      .format = "RaGaBaA float", .width = 140, .height = 90 },
    { "gaussian_down", "gaussian_up_columns", "gaussian_up_rows", "separable_rows", "separable_columns", "tile_16" } },
  { { .name = "wide median-blur", .operation = "tessera:median-blur", .settings = "radius=12", .format = "R'G'B'A float",
      .width = 60, .height = 50 },
    { "median_keys", "median_select_square" } },
  { { .name = "round median-blur", .operation = "tessera:median-blur", .settings = "radius=5 neighborhood=circle", .format = "R'G'B'A float",
      .width = 60, .height = 50 },
    { "median_select_circle" } },
  { { .name = "widest median-blur", .operation = "tessera:median-blur", .settings = "radius=64", .format = "R'G'B'A float",
      .width = 60, .height = 50 },
    { "median_search" } },
  { { .name = "dense bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", .format = "RGBA float",
      .width = 61, .height = 50, .measures = TRUE },
    { "grid_blur_xy", "grid_slice" } },
  { { .name = "sparse bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=1 range-sigma=0.01 guide=channels tone=linear", .format = "RGBA float",
      .width = 30, .height = 36, .measures = TRUE },
    { "grid_sparse_build", "grid_sparse_slice" } },
  { { .name = "equalize", .operation = "tessera:equalize", .settings = "tiles=2 bins=256", .format = "RGBA float", .width = 61, .height = 50 },
    { "equalize_keep", "equalize_count", "equalize_map" } },
  { { .name = "sobel", .operation = "tessera:sobel", .settings = "", .format = "RGBA float", .width = 61, .height = 50 },
    { "extend_pixels", "sobel_luminance" } },
  { { .name = "harris-corners", .operation = "tessera:harris-corners", .settings = "sigma=2 threshold=0.02", .format = "RGBA float",
      .width = 61, .height = 50 },
    { "harris_see", "harris_multiply", "harris_respond", "harris_mark", "harris_cross" } },
  { { .name = "sift", .operation = "tessera:sift", .settings = "octaves=2 contrast-threshold=0.02", .format = "RGBA float",
      .width = 61, .height = 50, .results = "count" },
    { "sift_see", "sift_double", "sift_along", "sift_down", "sift_copy", "sift_halve", "sift_scan", "sift_refine", "sift_turn", "sift_describe",
      "sift_answer" } },
  { { .name = "estimate-shift", .operation = "tessera:estimate-shift", .settings = "method=pyramid max-shift=4", .format = "RGBA float",
      .width = 61, .height = 50, .has_aux = TRUE, .is_whole = TRUE, .results = "shift-x shift-y error pixels steps" },
    { "shift_medians", "shift_count_excesses", "shift_count_slopes", "shift_hot", "shift_soften_tiles",
      "shift_choose", "shift_mark", "shift_sum_tiles" } },
  { { .name = "background-whiten", .operation = "tessera:background-whiten", .settings = "trial=1 history=6 result=whitened",
      .format = "RGBA float", .width = 61, .height = 50, .is_whole = TRUE },
    { "whiten_pixels" } }
};

/* sift_begin, which makes the counts 0, is not among them: without it the others write anywhere. */

/* ------------------------------------------------------ cut in columns -- */

#define NARROW 2048             /* columns of which two rows are launched whole, with the radius below */
#define TIMES  4                /* of so many more each row is cut */

/* What the search for the median launches for two rows.  It does not run, because it would take seconds. */
static TesseraKernelTime
launched (gint width)
{
  const DriverCase  c = { .name = "median-blur", .operation = "tessera:median-blur", .settings = "radius=100",
                          .format = "R'G'B'A float", .width = width, .height = 2 };
  TesseraKernelTime times[64], found = { 0 };
  DriverPicture     picture;
  guint             n;

  driver_picture_init (&picture, &c, 1);
  for (gint run = 0; run < 2; run++)
    {
      if (run == 1)
        g_free (driver_run (&c, &picture));
      n = MIN (tessera_get_kernel_times (times, G_N_ELEMENTS (times)), G_N_ELEMENTS (times));
      for (guint i = 0; i < n; i++)
        if (strcmp (times[i].kernel, "median_search") == 0)
          found = (TesseraKernelTime) { .launches = times[i].launches - found.launches, .reads = times[i].reads - found.reads };
    }
  driver_picture_clear (&picture);
  return found;
}

/* A row that would keep a small device busy for long is launched in parts, which do not overlap. */
static void
cut_in_columns (void)
{
  TesseraKernelTime narrow, wide;
  gchar            *text;

  driver_now ("a launch that is cut in columns");
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_band_rows (0);
  tessera_set_proof (FALSE);
  tessera_set_profiling (TRUE);
  stub.set_plan ("skip median_search");
  narrow = launched (NARROW);
  wide = launched (TIMES * NARROW);
  stub.set_plan (NULL);
  tessera_set_profiling (FALSE);
  tessera_set_proof (TRUE);
  text = g_strdup_printf ("  %.0f reads in %" G_GUINT64_FORMAT " launches, of %d times the columns %.0f in %" G_GUINT64_FORMAT "\n",
                          narrow.reads, narrow.launches, TIMES, wide.reads, wide.launches);
  driver_verdict (narrow.launches == 1 && wide.launches > 2 && wide.reads == TIMES * narrow.reads,
                  "a launch that is cut in columns", text);
  g_free (text);
}

/* ------------------------------------------------------------------- all -- */

void
kernels_walk (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Walk walk;

      if (walk_init (&walk, &rows[i].c))
        {
          walk_cut (&walk);
          for (guint k = 0; rows[i].kernels[k]; k++)
            {
              gchar *plan = g_strconcat ("skip ", rows[i].kernels[k], NULL);

              walk_lie (&walk, plan);
              g_free (plan);
            }
        }
      else
        driver_verdict (FALSE, rows[i].c.name, "  does not run on the device in several bands\n");
      walk_clear (&walk);
    }
  cut_in_columns ();
}
