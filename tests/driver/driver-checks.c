/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check of kernels runs beside the request that uses them first, the first one of a filter or a later one.  What it
 * ran is proven for all.  If it fails, it says nothing about a request whose kernels others have proven meanwhile. */
#include "driver-checks.h"

#include "driver-walk.h"

#include <gegl-buffer-backend.h>

#define CHECKS 4                /* after so many requests each kernel is proven, or needs no proof any more */
#define SIDE   64               /* columns of a tile */
#define ROWS   8                /* of a tile */
#define WAIT   10000            /* ms in which something has to come true */

static const DriverCase sobel = { .name = "sobel", .operation = "tessera:sobel", .settings = "", .format = "RGBA float",
                                  .width = 61, .height = 50 };
static const DriverCase median_1 = { .name = "median-blur, radius 1", .operation = "tessera:median-blur", .settings = "radius=1",
                                     .format = "RGBA float", .width = 61, .height = 50 };
static const DriverCase median_2 = { .name = "median-blur, radius 2", .operation = "tessera:median-blur", .settings = "radius=2",
                                     .format = "RGBA float", .width = 61, .height = 50 };
/* As large as the pictures of a check. */
static const DriverCase equalize = { .name = "equalize", .operation = "tessera:equalize", .settings = "", .format = "RGBA float",
                                     .width = 61, .height = 37 };

/* In more bands than are on their way at once. */
static const DriverCase local = { .name = "equalize", .operation = "tessera:equalize", .settings = "clip-limit=2 tiles=2 bins=256",
                                  .format = "RGBA float", .width = 20, .height = 90 };

static const DriverCase label = { .name = "label", .operation = "tessera:label", .settings = "threshold=0.4",
                                  .format = "R'G'B'A u8", .width = 61, .height = 37 };

/* ------------------------------------------------------------ a held picture -- */

/* The rows from `from_row` on can not be read until they may go. */
typedef struct
{
  GeglTileBackend parent_instance;
  GeglBuffer     *picture;
  gint            from_row;
  gint            is_held, may_go;      /* atomic */
} Held;

typedef GeglTileBackendClass HeldClass;

static GType held_get_type (void);

G_DEFINE_TYPE (Held, held, GEGL_TYPE_TILE_BACKEND)

/* FALSE if it does not come true soon. */
static gboolean
wait_for (gint *flag)
{
  for (gint ms = 0; ms < 2 * WAIT && ! g_atomic_int_get (flag); ms++)
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
  if (y * ROWS >= held->from_row)
    {
      g_atomic_int_set (&held->is_held, TRUE);
      wait_for (&held->may_go);
    }
  tile = gegl_tile_new (SIDE * ROWS * babl_format_get_bytes_per_pixel (format));
  gegl_buffer_get (held->picture, GEGL_RECTANGLE (x * SIDE, y * ROWS, SIDE, ROWS), 1.0, format, gegl_tile_get_data (tile),
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

/* ----------------------------------------------------------- a held request -- */

typedef struct
{
  Walk            walk;
  Held           *held;
  DriverPicture   picture;
  GThread        *thread;
  gfloat         *pixels;
  Captured        capture;
  TesseraCounters before;       /* it was let go */
} HeldRequest;

static gpointer
ask (gpointer data)
{
  HeldRequest *request = data;

  request->pixels = driver_run (request->walk.c, &request->picture);
  return NULL;
}

/* Makes the picture and C's result of it.  All is made anew and proven anew. */
static void
held_begin (HeldRequest *request, const DriverCase *c, gint from_row)
{
  const GeglRectangle *extent;

  driver_now (c->name);
  driver_verdict (walk_init (&request->walk, c), c->name, "  does not run on the device in several bands\n");
  extent = gegl_buffer_get_extent (request->walk.picture.input);
  request->held = g_object_new (held_get_type (), "tile-width", SIDE, "tile-height", ROWS, "format", babl_format (c->format), NULL);
  request->held->picture = request->walk.picture.input;
  request->held->from_row = from_row;
  gegl_tile_backend_set_extent (GEGL_TILE_BACKEND (request->held), extent);
  request->picture = request->walk.picture;
  request->picture.input = gegl_buffer_new_for_backend (extent, GEGL_TILE_BACKEND (request->held));
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  forget_objects ();
  captured_begin (&request->capture);
}

/* It runs until it reads what is held. */
static void
held_ask (HeldRequest *request)
{
  request->thread = g_thread_new ("held", ask, request);
  wait_for (&request->held->is_held);
}

static void
held_let_go (HeldRequest *request)
{
  tessera_get_counters (&request->before);
  g_atomic_int_set (&request->held->may_go, TRUE);
  g_thread_join (request->thread);
}

/* It ran on the device, is right, and nothing was said. */
static void
held_end (HeldRequest *request, const gchar *title, GString *why)
{
  TesseraCounters after;
  DriverSaid      said;

  tessera_get_counters (&after);
  driver_captured_end (&request->capture, &said);
  driver_same (request->walk.c, request->pixels, request->walk.in_c, "the request and C", why);
  if (after.device_requests != request->before.device_requests + 1 || after.fallbacks != request->before.fallbacks)
    g_string_append (why, "  the device's result was thrown away\n");
  if (said.lines || said.warnings)
    g_string_append (why, said.text->str);
  driver_verdict (! why->len, title, why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (request->pixels);
  g_object_unref (request->picture.input);
  g_object_unref (request->held);
  walk_clear (&request->walk);
}

/* -------------------------------------------------------------------- tests -- */

/* The check beside a first request fails.  Others prove its kernels while it reads its picture: its result stays. */
static void
proven_by_others (void)
{
  HeldRequest request = { 0 };
  GString    *why = g_string_new (NULL);
  gboolean    has_failed = FALSE;

  held_begin (&request, &sobel, 0);
  stub.set_plan ("from EnqueueNDRangeKernel:1:CL_INVALID_OPERATION");
  held_ask (&request);
  for (gint ms = 0; ms < WAIT && ! (has_failed = stub.met ()); ms++)
    g_usleep (1000);
  stub.set_plan (NULL);
  for (guint i = 0; i < CHECKS; i++)
    g_free (driver_run (&sobel, &request.walk.picture));
  held_let_go (&request);
  if (! has_failed)
    g_string_append (why, "  the check beside the request did not fail\n");
  held_end (&request, "a failed check of kernels that others have proven", why);
}

/* What a request launches once its kernels are proven. */
static gint64
launches_of (const DriverCase *c, const DriverPicture *picture)
{
  gint64 before = 0;

  for (guint i = 0; i <= CHECKS; i++)
    {
      before = stub.calls ("EnqueueNDRangeKernel");
      g_free (driver_run (c, picture));
    }
  return stub.calls ("EnqueueNDRangeKernel") - before;
}

/* Another radius needs a kernel that no request has used yet.  It is checked before the last band has been read. */
static void
later_request (void)
{
  HeldRequest request = { 0 };
  GString    *why = g_string_new (NULL);
  gint64      own, before;
  gboolean    is_checked = FALSE;

  held_begin (&request, &median_2, 40);
  tessera_set_band_rows (10);
  own = launches_of (&median_2, &request.walk.picture);
  forget_objects ();
  g_free (driver_run (&median_1, &request.walk.picture));
  before = stub.calls ("EnqueueNDRangeKernel");
  held_ask (&request);
  for (gint ms = 0; ms < WAIT && ! is_checked; ms++)
    {
      is_checked = stub.calls ("EnqueueNDRangeKernel") - before > own;  /* more than it can launch itself */
      g_usleep (1000);
    }
  held_let_go (&request);
  if (! is_checked)
    g_string_append (why, "  it was not checked while it ran\n");
  held_end (&request, "a later request that needs a new kernel", why);
}

/* Two requests of the engine make one of the operation, each with kernels of its own.  One check of three pictures
 * proves them all. */
static void
checked_once (void)
{
  const gint64 most = 1 + 3 + 1;        /* the request, the check, and some for tiles */
  Walk         walk;
  gint64       own, before, first;
  gchar       *text;

  driver_verdict (walk_init (&walk, &equalize), equalize.name, "  does not run on the device in several bands\n");
  own = launches_of (&equalize, &walk.picture);
  forget_objects ();
  before = stub.calls ("EnqueueNDRangeKernel");
  g_free (driver_run (&equalize, &walk.picture));
  first = stub.calls ("EnqueueNDRangeKernel") - before;
  text = g_strdup_printf ("  %" G_GINT64_FORMAT " launches of the first request, %" G_GINT64_FORMAT " of a later one\n", first, own);
  driver_verdict (own > 0 && first <= most * own, "two requests, one check", text);
  g_free (text);
  walk_clear (&walk);
}

/* The counts of all bands of a survey are added.  Where one of them fails for want of memory, it comes again, and no pixel
 * counts twice. */
static void
counted_once (void)
{
  TesseraCounters before, after;
  GString        *why = g_string_new (NULL);
  Walk            walk;
  gint64          n;

  driver_verdict (walk_init (&walk, &local), local.name, "  does not run on the device in several bands\n");
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  n = launches_of (&local, &walk.picture);
  for (gint64 i = 1; i <= n; i++)
    {
      gchar  *plan = g_strdup_printf ("fail EnqueueNDRangeKernel:%" G_GINT64_FORMAT ":CL_MEM_OBJECT_ALLOCATION_FAILURE", i);
      gfloat *result;

      tessera_get_counters (&before);
      stub.set_plan (plan);
      result = driver_run (&local, &walk.picture);
      stub.set_plan (NULL);
      tessera_get_counters (&after);
      driver_same (&local, result, walk.in_c, plan, why);
      if (i <= n / 2 && after.fallbacks != before.fallbacks)    /* the others need the pixels that the survey has kept */
        g_string_append_printf (why, "  %s: in C\n", plan);
      g_free (result);
      g_free (plan);
    }
  driver_verdict (! why->len, "a survey whose band comes again", why->str);
  g_string_free (why, TRUE);
  walk_clear (&walk);
}

/* What `label` computes from floats leaves as floats, wherever it goes.  GEGL's OpenCL converts it on its way into bytes, and
 * loses results when several threads ask.  The check, on two threads, must not ask. */
static void
converted_by_nobody (void)
{
  TesseraCounters before, after;
  DriverPicture   picture;
  GString        *why = g_string_new (NULL);

  driver_now (label.name);
  driver_picture_init (&picture, &label, 1);
  tessera_set_delivery (TRUE);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  forget_objects ();
  stub.set_plan ("skip rgbaf_to_rgba_gamma_u8");        /* GEGL's */
  tessera_get_counters (&before);
  g_free (driver_run_to (&label, &picture, babl_format (label.format), TRUE));
  tessera_get_counters (&after);
  if (after.device_requests != before.device_requests + 1)
    g_string_append (why, "  not on the device\n");
  if (stub.met ())
    g_string_append (why, "  GEGL's OpenCL converted a result of the check\n");
  stub.set_plan (NULL);
  tessera_set_delivery (FALSE);
  driver_verdict (! why->len, "a check converts nothing", why->str);
  driver_picture_clear (&picture);
  g_string_free (why, TRUE);
}

/* ---------------------------------------------------------------------- all -- */

void
checks_walk (void)
{
  proven_by_others ();
  later_request ();
  checked_once ();
  counted_once ();
  converted_by_nobody ();
}
