/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * median-codes: tessera:median-blur on the device beside C, on pictures that its search among codes finds hard (opencl/kernels/median-blur-codes.h): keys of
 * which the samples show nothing, keys that differ in their last bits alone, few and many keys, tiles that the picture ends in. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "tessera-control.h"

#include "../engine/verdict.h"
#include "../../opencl/math/tessera-median-codes.h"

/* Pixels of the smallest group's tile. */
#define WIDE 16
#define HIGH 8

typedef enum { UNSEEN, CLOSE, FEW, MANY, LACKING, FLAT, N_KINDS } Kind;

static const gchar *const kinds[] = { "unseen by the samples", "close", "few", "many", "lacking", "flat" };

typedef struct
{
  Kind     kind;
  gint     width, height, radius;
  gdouble  percentile;
  gboolean is_circle;
} Job;

/* An eighth of all, and up to 7 times the least that a float can grow by. */
static gfloat
close_value (CheckRandom *random)
{
  gfloat value = (1 + check_below (random, 8)) / 8.0f;

  for (gint steps = check_below (random, 8); steps > 0; steps--)
    value = nextafterf (value, 2.0f);
  return value;
}

/* The whole of what is asked for is one tile.  Its samples are alike, and all else is greater. */
static void
hide_from_samples (gfloat *pixels, const Job *job)
{
  for (gint i = 0; i < CODED_SAMPLES; i++)
    for (gint c = 0; c < 3; c++)
      pixels[4 * CODED_PLACE (i, job->width * job->height) + c] = 0.25f;
}

static GeglBuffer *
picture_of (const Job *job, CheckRandom *random)
{
  const gsize        n = (gsize) job->width * job->height;
  GeglBuffer        *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, job->width, job->height), babl_format ("R'G'B'A float"));
  g_autofree gfloat *pixels = g_new (gfloat, 4 * n);

  for (gsize i = 0; i < 4 * n; i++)
    pixels[i] = job->kind == CLOSE ? close_value (random) : job->kind == FEW ? check_below (random, 4) / 3.0f : job->kind == FLAT ? 0.5f
                : 0.5f + 0.5f * check_uniform (random);
  for (gsize i = 0; i < n; i++)
    pixels[4 * i + 3] = job->kind == LACKING && check_chance (random, 60) ? 0.0f : 1.0f;
  if (job->kind == UNSEEN)
    hide_from_samples (pixels, job);
  gegl_buffer_set (buffer, NULL, 0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

static gfloat *
blurred (GeglBuffer *picture, const Job *job, const GeglRectangle *roi, TesseraOpenclMode mode)
{
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", picture, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:median-blur", "radius", job->radius, "percentile", job->percentile, NULL);
  GParamSpec *spec = gegl_node_find_property (node, "neighborhood");
  gfloat     *pixels = g_new (gfloat, 4 * (gsize) roi->width * roi->height);

  gegl_node_set (node, "neighborhood", g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), job->is_circle ? "circle" : "square")->value, NULL);
  gegl_node_link (source, node);
  tessera_set_opencl_mode (mode);
  gegl_node_blit (node, 1.0, roi, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
  return pixels;
}

static void
check_job (const Job *job, CheckRandom *random)
{
  const gint          r = job->kind == UNSEEN ? job->radius : 0;
  const GeglRectangle roi = { r, r, job->width - 2 * r, job->height - 2 * r };
  GeglBuffer         *picture = picture_of (job, random);
  g_autofree gfloat  *in_c = blurred (picture, job, &roi, TESSERA_OPENCL_OFF), *on_device = blurred (picture, job, &roi, TESSERA_OPENCL_FORCE);
  gint                bad = 0;

  for (gint i = 0; i < 4 * roi.width * roi.height; i++)
    bad += memcmp (in_c + i, on_device + i, sizeof (gfloat)) != 0;
  expect (bad == 0, "%s, %d x %d, radius %d, percentile %g, %s: %d values are not those of C", kinds[job->kind], job->width, job->height, job->radius,
          job->percentile, job->is_circle ? "circle" : "square", bad);
  g_object_unref (picture);
}

int
main (void)
{
  static const gint    radii[] = { 3, 14, 31, 50, 63 };
  static const gdouble percentiles[] = { 50, 0, 100, 3, 80 };
  CheckRandom          random = { 20261128 };

  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  for (gint kind = 0; kind < N_KINDS; kind++)
    for (guint i = 0; i < G_N_ELEMENTS (radii); i++)
      for (gint is_circle = 0; is_circle < 2; is_circle++)
        {
          const gint around = 2 * radii[i];
          const Job  job = {
            kind, kind == UNSEEN ? WIDE + around : 1 + check_below (&random, 70), kind == UNSEEN ? HIGH + around : 1 + check_below (&random, 70), radii[i],
            percentiles[check_below (&random, G_N_ELEMENTS (percentiles))], is_circle
          };

          check_job (&job, &random);
        }
  gegl_exit ();
  return expect_told ();
}
