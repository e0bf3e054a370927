/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a check of kernels costs and does to others; and surveys whose bands come again. */
#include "driver-checks.h"

#include "driver-walk.h"

#define CHECKS 4                /* after so many requests each kernel is proven, or needs no proof any more */

static const DriverCase equalize = { .name = "equalize", .operation = "tessera:equalize", .settings = "", .format = "RGBA float",
                                     .width = 61, .height = 37 };

/* In more bands than are on their way at once. */
static const DriverCase local = { .name = "equalize", .operation = "tessera:equalize", .settings = "clip-limit=2 tiles=2 bins=256",
                                  .format = "RGBA float", .width = 20, .height = 90 };

static const DriverCase label = { .name = "label", .operation = "tessera:label", .settings = "threshold=0.4",
                                  .format = "R'G'B'A u8", .width = 61, .height = 37 };
static const DriverCase points = { .name = "sift", .operation = "tessera:sift", .settings = "contrast-threshold=0",
                                  .format = "R'G'B'A u8", .width = 61, .height = 37 };

/* -------------------------------------------------------------------- tests -- */

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

/* A check compares what the request has computed: it asks the device for nothing.  Its arithmetic is tried once before, by one launch. */
static void
checked_by_itself (void)
{
  Walk   walk;
  gint64 own, before, first;
  gchar *text;

  driver_verdict (walk_init (&walk, &equalize), equalize.name, "  does not run on the device in several bands\n");
  own = launches_of (&equalize, &walk.picture);
  forget_objects ();
  before = stub.calls ("EnqueueNDRangeKernel");
  g_free (driver_run (&equalize, &walk.picture));
  first = stub.calls ("EnqueueNDRangeKernel") - before;
  text = g_strdup_printf ("  %" G_GINT64_FORMAT " launches of the first request, %" G_GINT64_FORMAT " of a later one\n", first, own);
  driver_verdict (own > 0 && first <= own + 1, "a check launches nothing", text);
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
 * loses results when several threads ask.  The check must not ask. */
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

/* A picture in which nothing is found says nothing of the kernels: the next one is compared, too. */
static void
blank_first (const DriverCase *c, const gchar *plan)
{
  DriverPicture   picture, blank;
  TesseraCounters before, after;
  GString        *why = g_string_new (NULL);
  gfloat         *in_c, *pixels;
  Captured        capture;
  DriverSaid      said;

  driver_now ("a blank picture first");
  driver_picture_init (&picture, c, 1);
  driver_picture_init (&blank, c, 2);
  gegl_buffer_clear (blank.input, NULL);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (c, &picture);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_trim ();
  forget_objects ();
  stub.set_plan (plan);
  captured_begin (&capture);
  g_free (driver_run (c, &blank));
  tessera_get_counters (&before);
  pixels = driver_run (c, &picture);
  tessera_get_counters (&after);
  driver_captured_end (&capture, &said);
  driver_same (c, pixels, in_c, "the picture behind a blank one and C", why);
  if (after.fallbacks == before.fallbacks || said.lines != 1)
    g_string_append_printf (why, "  %d lines: %s\n", said.lines, said.text->str);
  stub.set_plan (NULL);
  forget_objects ();
  driver_said_clear (&said);
  driver_verdict (! why->len, plan, why->str);
  g_string_free (why, TRUE);
  g_free (pixels);
  g_free (in_c);
  driver_picture_clear (&blank);
  driver_picture_clear (&picture);
}

/* ---------------------------------------------------------------------- all -- */

void
checks_walk (void)
{
  checked_by_itself ();
  counted_once ();
  converted_by_nobody ();
  blank_first (&label, "skip label_join");
  blank_first (&label, "skip label_rank");
  blank_first (&equalize, "skip equalize_map");
  blank_first (&points, "skip sift_turn");
}
