/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that does nothing, as if a compiler had got it wrong, is found out by the engine's check at its first
 * use: each kernel that a filter runs with these settings.  And a check that fails says nothing about a request
 * whose kernels others have proven meanwhile.  And what is cut is launched once, not twice. */
#include "driver-kernels.h"

#include "driver-walk.h"

#include <gegl-buffer-backend.h>

static const struct { DriverCase c; const gchar *kernels[8]; } rows[] = {
  { { .name = "wide gaussian-blur", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=30 std-dev-y=20",
      .format = "RaGaBaA float", .width = 140, .height = 90 },
    { "gaussian_down", "gaussian_up_columns", "gaussian_up_rows", "separable_rows", "separable_columns", "tile_16" } },
  { { .name = "wide median-blur", .operation = "tessera:median-blur", .settings = "radius=12", .format = "R'G'B'A float",
      .width = 60, .height = 50 },
    { "median_keys", "median_search" } },
  { { .name = "dense bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", .format = "RGBA float",
      .width = 61, .height = 50, .measures = TRUE },
    { "grid_blur_xy", "grid_slice" } },
  { { .name = "sparse bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=1 range-sigma=0.01 guide=channels tone=linear", .format = "RGBA float",
      .width = 30, .height = 36, .measures = TRUE },
    { "grid_sparse_build", "grid_sparse_slice" } },
  { { .name = "sobel", .operation = "tessera:sobel", .settings = "", .format = "RGBA float", .width = 61, .height = 50 },
    { "extend_pixels", "sobel_luminance" } }
};

/* -------------------------------------------------- proven by others -- */

#define CHECKS 4                /* after so many requests each kernel is proven, or needs no proof any more */
#define SIDE   64               /* of a tile */

/* A picture that nobody can read until it may go. */
typedef struct
{
  GeglTileBackend parent_instance;
  GeglBuffer     *picture;
  gint            is_held, may_go;      /* atomic */
} Held;

typedef GeglTileBackendClass HeldClass;

static GType held_get_type (void);

G_DEFINE_TYPE (Held, held, GEGL_TYPE_TILE_BACKEND)

/* FALSE if it does not come true within half a minute. */
static gboolean
wait_for (gint *flag)
{
  for (gint ms = 0; ms < 30000 && ! g_atomic_int_get (flag); ms++)
    g_usleep (1000);
  return g_atomic_int_get (flag);
}

static gpointer
held_command (GeglTileSource *source, GeglTileCommand command, gint x, gint y, gint z, gpointer data G_GNUC_UNUSED)
{
  Held       *held = (Held *) source;
  const Babl *format = gegl_buffer_get_format (held->picture);
  GeglTile   *tile;

  if (command != GEGL_TILE_GET || z != 0)
    return NULL;
  g_atomic_int_set (&held->is_held, TRUE);
  wait_for (&held->may_go);
  tile = gegl_tile_new (SIDE * SIDE * babl_format_get_bytes_per_pixel (format));
  gegl_buffer_get (held->picture, GEGL_RECTANGLE (x * SIDE, y * SIDE, SIDE, SIDE), 1.0, format, gegl_tile_get_data (tile),
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_tile_mark_as_stored (tile);
  return tile;
}

static void
held_class_init (HeldClass *klass G_GNUC_UNUSED)
{
}

static void
held_init (Held *held)
{
  GEGL_TILE_SOURCE (held)->command = held_command;
}

typedef struct
{
  const DriverCase *c;
  DriverPicture     picture;
  gfloat           *pixels;
} Asked;

static gpointer
ask (gpointer data)
{
  Asked *asked = data;

  asked->pixels = driver_run (asked->c, &asked->picture);
  return NULL;
}

/* The check beside a first request fails.  Others prove its kernels while it reads its picture: its result stays. */
static void
proven_by_others (const DriverCase *c)
{
  const Babl     *format = babl_format (c->format);
  GString        *why = g_string_new (NULL);
  Held           *held = g_object_new (held_get_type (), "tile-width", SIDE, "tile-height", SIDE, "format", format, NULL);
  Asked           asked = { .c = c };
  Walk            walk;
  GThread        *thread;
  TesseraCounters before, after;
  DriverCapture   capture;
  DriverSaid      said;
  gboolean        has_failed = FALSE;

  driver_verdict (walk_init (&walk, c), c->name, "  does not run on the device in several bands\n");
  held->picture = walk.picture.input;
  gegl_tile_backend_set_extent (GEGL_TILE_BACKEND (held), gegl_buffer_get_extent (held->picture));
  asked.picture = walk.picture;
  asked.picture.input = gegl_buffer_new_for_backend (gegl_buffer_get_extent (held->picture), GEGL_TILE_BACKEND (held));
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  forget_objects ();
  driver_capture_begin (&capture);
  stub.set_plan ("from EnqueueNDRangeKernel:1:CL_INVALID_OPERATION");
  thread = g_thread_new ("held", ask, &asked);
  for (gint ms = 0; ms < 30000 && wait_for (&held->is_held) && ! (has_failed = stub.met ()); ms++)
    g_usleep (1000);
  stub.set_plan (NULL);
  for (guint i = 0; i < CHECKS; i++)
    g_free (driver_run (c, &walk.picture));
  tessera_get_counters (&before);
  g_atomic_int_set (&held->may_go, TRUE);
  g_thread_join (thread);
  tessera_get_counters (&after);
  driver_capture_end (&capture, &said);
  if (! has_failed)
    g_string_append (why, "  the check beside the request did not fail\n");
  driver_same (c, asked.pixels, walk.in_c, "the request and C", why);
  if (after.device_requests != before.device_requests + 1 || after.fallbacks != before.fallbacks)
    g_string_append (why, "  the device's result was thrown away\n");
  if (said.lines || said.warnings)
    g_string_append (why, said.text->str);
  driver_verdict (! why->len, "a failed check of kernels that others have proven", why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (asked.pixels);
  g_object_unref (asked.picture.input);
  g_object_unref (held);
  walk_clear (&walk);
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
        for (guint k = 0; rows[i].kernels[k]; k++)
          {
            gchar *plan = g_strconcat ("skip ", rows[i].kernels[k], NULL);

            walk_lie (&walk, plan);
            g_free (plan);
          }
      else
        driver_verdict (FALSE, rows[i].c.name, "  does not run on the device in several bands\n");
      walk_clear (&walk);
    }
  proven_by_others (&rows[G_N_ELEMENTS (rows) - 1].c);
  cut_in_columns ();
}
