/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that does nothing, as if a compiler had got it wrong, is found out by the engine's check at its first
 * use: each kernel that a filter runs with these settings.  And what is cut is launched once, not twice. */
#include "driver-kernels.h"

#include "driver-walk.h"

#define MOST_KERNELS 128

#define CASE(text, of, with, in) .name = text, .operation = "tessera:" of, .settings = with, .format = in, .width = 61, .height = 50
#define GRID(text, with, in)     CASE (text, "bilateral-grid", with, in), .measures = TRUE
#define LABEL(text, with, in)    CASE (text, "label", with, in), .is_whole = TRUE, .results = "count"

/* `kernel`: what a row is there for; it must be among those that run. */
static const struct { DriverCase c; const gchar *kernel; } rows[] = {
  { { CASE ("wide gaussian-blur", "gaussian-blur", "std-dev-x=30 std-dev-y=20", "RaGaBaA float") }, "gaussian_up_columns" },
  { { CASE ("narrow gaussian-blur", "gaussian-blur", "std-dev-x=2 std-dev-y=3", "RGBA float") }, "separable_columns" },
  { { CASE ("wide unsharp-mask, opaque", "unsharp-mask", "std-dev=25", "RGB float") }, "unsharp_up_rows" },
  { { CASE ("wide unsharp-mask", "unsharp-mask", "std-dev=25", "RGBA float") }, "unsharp_weighed_up_rows" },
  { { CASE ("narrow unsharp-mask, opaque", "unsharp-mask", "std-dev=2", "RGB float") }, "unsharp_columns" },
  { { CASE ("narrow unsharp-mask", "unsharp-mask", "std-dev=2", "RGBA float") }, "unsharp_weighed_columns" },
  { { CASE ("mean-blur", "mean-blur", "radius=3", "RGBA float") }, "mean_sums" },
  { { CASE ("narrow median-blur", "median-blur", "radius=1", "R'G'B'A float") }, "median_lacking_9" },
  { { CASE ("wide median-blur", "median-blur", "radius=12", "R'G'B'A float") }, "median_select_square" },
  { { CASE ("round median-blur", "median-blur", "radius=5 neighborhood=circle", "R'G'B'A float") }, "median_select_circle" },
  { { CASE ("widest median-blur", "median-blur", "radius=64", "R'G'B'A float") }, "median_search" },
  { { CASE ("motion-blur", "motion-blur", "length=13.5 angle=27", "RGBA float") }, "motion_blur_gather" },
  { { GRID ("dense bilateral-grid", "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", "RGBA float") }, "grid_splat" },
  { { GRID ("bilateral-grid of few planes", "spatial-sigma=25 range-sigma=0.5 guide=luminance tone=linear", "RGBA float") }, "grid_splat" },
  { { GRID ("sparse bilateral-grid", "spatial-sigma=1 range-sigma=0.01 guide=channels tone=linear", "RGBA float") }, "grid_sparse_slice" },
  { { CASE ("detail", "detail", "radius=5", "RGBA float"), .measures = TRUE }, "grid_plane_slice" },
  { { CASE ("sharpen-lens", "sharpen-lens", "radius=0.7 iterations=3", "RGBA float") }, "lens_finish" },
  { { CASE ("tone", "tone", "radius=5 compression=1", "RGBA float"), .measures = TRUE, .is_whole = TRUE }, "tone_apply" },
  { { CASE ("equalize in tiles", "equalize", "tiles=2 bins=256", "RGBA float") }, "equalize_map" },
  { { CASE ("equalize by channels", "equalize", "tiles=1 bins=512 mode=channels", "R'G'B'A u8") }, "equalize_map" },
  { { CASE ("cielab forward", "cielab", "", "RGBA float") }, "cielab_forward" },
  { { CASE ("cielab inverse", "cielab", "direction=inverse encoding=display", "RGBA float") }, "cielab_inverse" },
  { { CASE ("convolution of full rank", "convolution", "preset=emboss", "RGBA float") }, "convolution_direct" },
  { { CASE ("convolution of rank 1", "convolution", "preset=gaussian", "RGBA float") }, "convolution_columns" },
  { { LABEL ("label in colors", "threshold=0.4", "RGBA float") }, "label_colors" },
  { { LABEL ("label in colors, 8 bits", "threshold=0.4", "R'G'B'A u8") }, "label_bytes" },
  { { LABEL ("label as index", "threshold=0.4 min-area=3 result=index", "RGBA float") }, "label_values" },
  { { CASE ("sobel", "sobel", "", "RGBA float") }, "sobel_luminance" },
  { { CASE ("sobel by channels", "sobel", "input-channel=channels", "RGBA float") }, "sobel_channels" },
  { { CASE ("harris-corners", "harris-corners", "sigma=2 threshold=0.02", "RGBA float") }, "harris_cross" },
  { { CASE ("sift", "sift", "octaves=2 contrast-threshold=0.02", "RGBA float"), .results = "count" }, "sift_marks" },
  { { CASE ("estimate-shift", "estimate-shift", "method=pyramid max-shift=4 reject-hot=1", "RGBA float"), .has_aux = TRUE, .is_whole = TRUE, .is_sky = TRUE,
      .results = "shift-x shift-y error pixels steps" },
    "shift_add_projections" },
  { { CASE ("background-whiten", "background-whiten", "history=6 result=whitened", "RGBA float"), .is_whole = TRUE }, "whiten_pixels" }
};

/* Not skipped: without what they write first, the others read and write anywhere. */
static const gchar *const first[] = { "sift_begin", "grid_measure_begin", "grid_plane_measure_begin", "label_find", NULL };

/* Skipped without a trace: labels have longer ways to their roots, and the grid does not read what lies beyond the border. */
static const struct { const gchar *kernel, *operation; } needless[] = {
  { "label_shorten", "tessera:label" }, { "extend_pixels", "tessera:bilateral-grid" }, { "extend_pixels", "tessera:detail" }, { "extend_pixels", "tessera:tone" }
};

/* ---------------------------------------------------------------- a row -- */

/* What has run since the process began, in the order of the first launch. */
static guint
kernels_now (TesseraKernelTime *times)
{
  return MIN (tessera_get_kernel_times (times, MOST_KERNELS), MOST_KERNELS);
}

/* The names of what the operation launches, each once. */
static GPtrArray *
kernels_of (const Walk *walk)
{
  TesseraKernelTime before[MOST_KERNELS], after[MOST_KERNELS];
  GPtrArray        *names = g_ptr_array_new ();
  guint             n_before, n_after;

  tessera_set_profiling (TRUE);
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  n_before = kernels_now (before);
  g_free (driver_run (walk->c, &walk->picture));
  n_after = kernels_now (after);
  tessera_set_profiling (FALSE);
  for (guint i = 0; i < n_after; i++)
    if (after[i].launches > (i < n_before ? before[i].launches : 0)
        && ! g_ptr_array_find_with_equal_func (names, after[i].kernel, g_str_equal, NULL))
      g_ptr_array_add (names, (gpointer) after[i].kernel);
  return names;
}

static gboolean
is_needless (const gchar *kernel, const DriverCase *c)
{
  for (guint i = 0; i < G_N_ELEMENTS (needless); i++)
    if (strcmp (kernel, needless[i].kernel) == 0 && strcmp (c->operation, needless[i].operation) == 0)
      return TRUE;
  return FALSE;
}

static void
walk_kernels (Walk *walk, const gchar *kernel)
{
  GPtrArray *names = kernels_of (walk);
  gchar     *title = g_strdup_printf ("%s runs %s", walk->c->name, kernel);

  driver_verdict (g_ptr_array_find_with_equal_func (names, kernel, g_str_equal, NULL), title, "  it does not\n");
  g_free (title);
  printf ("%s without:", walk->c->name);
  for (guint i = 0; i < names->len; i++)
    printf (" %s", (const gchar *) names->pdata[i]);
  printf ("\n");
  for (guint i = 0; i < names->len; i++)
    if (! g_strv_contains (first, names->pdata[i]))
      {
        gchar *plan = g_strconcat ("skip ", names->pdata[i], NULL);

        if (! is_needless (names->pdata[i], walk->c))
          walk_lie (walk, plan);
        else if (! walk_fault (walk, plan, FORGET_OBJECTS))
          driver_verdict (FALSE, plan, "  was not met\n");
        g_free (plan);
      }
  g_ptr_array_free (names, TRUE);
}

/* ------------------------------------------------------ cut in columns -- */

#define NARROW 2048             /* columns of which two rows are launched whole, with the radius below */
#define TIMES  4                /* of so many more each row is cut */

/* What the search for the median launches for two rows.  It does not run, because it would take seconds. */
static TesseraKernelTime
launched (gint width)
{
  const DriverCase  c = { .name = "median-blur", .operation = "tessera:median-blur", .settings = "radius=100",
                          .format = "R'G'B'A float", .width = width, .height = 2 };
  TesseraKernelTime times[MOST_KERNELS], found = { 0 };
  DriverPicture     picture;
  guint             n;

  driver_picture_init (&picture, &c, 1);
  for (gint run = 0; run < 2; run++)
    {
      if (run == 1)
        g_free (driver_run (&c, &picture));
      n = kernels_now (times);
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
          walk_kernels (&walk, rows[i].kernel);
        }
      else
        driver_verdict (FALSE, rows[i].c.name, "  does not run on the device in several bands\n");
      walk_clear (&walk);
    }
  cut_in_columns ();
}
