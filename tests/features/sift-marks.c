/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-marks: what tessera:sift draws of random pictures, against the reference's keypoints (tests/check/references/sift.h).
 * Marks on the picture and alone, dots, how many there are; in C and on the device, of the whole and of a part.
 *
 *   sift-marks [--seed S] [--cases N] [--case K] PHOTOGRAPH... */
#include "sift-points.h"

#include "../engine/verdict.h"
#include "sift-test.h"

#define USUAL_SEED 20261123
#define LINE       1.5
#define RIM        3.5                  /* one pixel more on either side */
#define DARKNESS   0.5
/* Coverage is computed in float: of distances to some hundred pixels, 2^-24 of them, a few times.  Colors are babl's. */
#define NEAR       1e-4

static gint64  seed = USUAL_SEED;
static gint    n_cases = 24, only_case = -1;
static gchar **photographs;

static const GOptionEntry entries[] =
{
  { "seed", 's', 0, G_OPTION_ARG_INT64, &seed, "Seed of the run", "S" },
  { "cases", 'n', 0, G_OPTION_ARG_INT, &n_cases, "Cases", "N" },
  { "case", 'c', 0, G_OPTION_ARG_INT, &only_case, "This case alone", "K" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &photographs, NULL, "PHOTOGRAPH..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

typedef enum { OVERLAY, POINTS, MASK, RESULTS } Result;

static const gchar *const results[RESULTS] = { "overlay", "points", "mask" };

typedef struct
{
  SiftCase c;
  gdouble  draw_scale;
  gint     draw_max;
  gfloat   color[4];
  gboolean by_octave;
} Drawing;

/* Behind the sRGB curve, of the octaves -1, 0, 1 ...; of -1 the last one. */
#define COLORS 8
static const guint8 octave_colors[COLORS][3] = { { 255, 176, 0 }, { 255, 98, 64 }, { 236, 72, 160 }, { 168, 104, 255 },
                                                 { 72, 148, 255 }, { 32, 208, 208 }, { 96, 220, 96 }, { 255, 240, 64 } };

/* ------------------------------------------------------------- operation -- */

/* Marks are blended in linear light, whatever is stored. */
static const Babl *
format_of (Result result)
{
  return babl_format (result == MASK ? "Y float" : "RGBA float");
}

/* The result's floats in `roi`; *count is the property. */
static gfloat *
drawn (const Drawing *drawing, GeglBuffer *buffer, Result result, const GeglRectangle *roi, gboolean on_device, gint *count)
{
  const RefSiftSettings *s = &drawing->c.settings;
  GeglNode              *graph = gegl_node_new (), *source, *node;
  GeglColor             *color = gegl_color_new (NULL);
  GParamSpec            *spec;
  gfloat                *pixels = g_new0 (gfloat, (gsize) roi->width * roi->height * (result == MASK ? 1 : 4));

  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  gegl_color_set_pixel (color, babl_format ("R'G'B'A float"), drawing->color);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  node = gegl_node_new_child (graph, "operation", "tessera:sift", "octaves", s->octaves, "intervals", s->intervals,
                              "contrast-threshold", s->contrast_threshold, "edge-threshold", s->edge_threshold, "sigma", s->sigma,
                              "upsample", s->upsample, "max-features", s->max_features, "draw-scale", drawing->draw_scale,
                              "draw-max", drawing->draw_max, "by-octave", drawing->by_octave, "color", color, NULL);
  spec = gegl_node_find_property (node, "result");
  gegl_node_set (node, drawing->c.number % 2 ? "result" : "output",
                 g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), results[result])->value, NULL);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, roi, format_of (result), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "count", count, NULL);
  g_object_unref (color);
  g_object_unref (graph);
  return pixels;
}

/* ------------------------------------------------------------- reference -- */

static void
expect_mask (const Drawing *drawing, const RefSift *reference, gfloat *expected)
{
  for (gsize i = 0; i < reference->n; i++)
    {
      const gint x = (gint) floor (reference->points[i].x + 0.5), y = (gint) floor (reference->points[i].y + 0.5);

      expected[(gsize) y * drawing->c.box.width + x] = 1;
    }
}

/* The color of each pixel: of the points whose line covers it most, of those that cover all of it the first octave's.  DOUBTFUL where
 * two octaves cover a part of it alike. */
#define DOUBTFUL 255
#define ALIKE    1e-6

static guint8 *
find_octaves (const Drawing *drawing, const RefPoint **points, gsize n, const gdouble *line)
{
  const gint       width = drawing->c.box.width, height = drawing->c.box.height;
  const gsize      pixels = (gsize) width * height;
  const RefPoint **group = g_new (const RefPoint *, n);
  gdouble         *own = g_new (gdouble, pixels);
  guint8          *octaves = g_malloc0 (pixels), *seen = g_malloc0 (pixels);

  for (gint octave = -1; octave < COLORS - 1; octave++)
    {
      gsize n_group = 0;

      for (gsize i = 0; i < n; i++)
        if (points[i]->octave == octave)
          group[n_group++] = points[i];
      reference_sift_cover (group, n_group, drawing->draw_scale, LINE, width, height, own);
      for (gsize i = 0; i < pixels; i++)
        if (n_group > 0 && own[i] > line[i] - ALIKE && ! (seen[i] && own[i] == 1))
          octaves[i] = seen[i]++ ? DOUBTFUL : (octave + COLORS) % COLORS;
    }
  g_free (group);
  g_free (own);
  g_free (seen);
  return octaves;
}

/* The color over black over the picture, or over nothing. */
static void
expect_marks (const Drawing *drawing, const RefSift *reference, const gfloat *picture, const gfloat *found, gfloat *expected)
{
  const gint       width = drawing->c.box.width, height = drawing->c.box.height;
  const RefPoint **points;
  const gsize      n = reference_sift_strongest (reference, drawing->draw_max, &points), pixels = (gsize) width * height;
  gdouble         *line = g_new (gdouble, pixels), *rim = g_new (gdouble, pixels);
  gfloat           color[COLORS][4];
  guint8          *octaves;

  babl_process (babl_fish (babl_format ("R'G'B'A float"), format_of (OVERLAY)), drawing->color, color[0], 1);
  for (gint i = 0; i < COLORS && drawing->by_octave; i++)
    babl_process (babl_fish (babl_format ("R'G'B' u8"), format_of (OVERLAY)), octave_colors[i], color[i], 1);
  reference_sift_cover (points, n, drawing->draw_scale, LINE, width, height, line);
  reference_sift_cover (points, n, drawing->draw_scale, RIM, width, height, rim);
  octaves = drawing->by_octave ? find_octaves (drawing, points, n, line) : g_malloc0 (pixels);
  for (gsize i = 0; i < pixels; i++)
    {
      const gdouble a = line[i], b = (1 - a) * DARKNESS * rim[i];
      const gdouble under = (1 - a - b) * (picture ? picture[4 * i + 3] : 0);
      const gdouble alpha = a + b + under;

      for (gint c = 0; c < 3; c++)
        expected[4 * i + c] = alpha > 0 ? (a * color[octaves[i] % COLORS][c] + (under > 0 ? under * picture[4 * i + c] : 0)) / alpha : 0;
      expected[4 * i + 3] = alpha;
      if (picture && a == 0 && b == 0)
        memcpy (expected + 4 * i, picture + 4 * i, 4 * sizeof (gfloat));
      if (octaves[i] == DOUBTFUL && a > 0)
        memcpy (expected + 4 * i, found + 4 * i, 3 * sizeof (gfloat));
    }
  free (points);
  g_free (octaves);
  g_free (line);
  g_free (rim);
}

static gboolean
is_near (gfloat found, gfloat expected)
{
  return fabsf (found - expected) <= NEAR * MAX (1, fabsf (expected)) || (isnan (found) && isnan (expected)) || found == expected;
}

static void
compare (const Drawing *drawing, Result result, const gfloat *found, const gfloat *expected, const gchar *text)
{
  const gint  components = result == MASK ? 1 : 4;
  const gsize n = (gsize) drawing->c.box.width * drawing->c.box.height * components;
  gsize       bad = 0, first = 0;

  for (gsize i = n; i-- > 0;)
    if (! is_near (found[i], expected[i]))
      {
        bad++;
        first = i;
      }
  expect (! bad, "%s: %zu of %zu, the first %.7g, not %.7g, at %d, %d (%d): %s", results[result], bad, n, found[first],
          expected[first], (gint) (first / components % drawing->c.box.width), (gint) (first / components / drawing->c.box.width),
          (gint) (first % components), text);
}

/* ------------------------------------------------------------------ case -- */

static void
draw (gint number, Drawing *drawing)
{
  CheckRandom random = { check_hash (seed ^ check_hash (number + 1000)) };

  sift_case_draw (seed, number, (const gchar *const *) photographs, &drawing->c);
  drawing->draw_scale = check_chance (&random, 40) ? 2 : check_chance (&random, 20) ? 0
                        : 20 * check_uniform (&random) * check_uniform (&random);
  drawing->draw_max = check_chance (&random, 30) ? 2000 : check_chance (&random, 30) ? 0 : 1 + check_below (&random, 30);
  for (gint c = 0; c < 4; c++)
    drawing->color[c] = c < 3 ? check_below (&random, 256) / 255.0 : 1;
  drawing->by_octave = check_chance (&random, 50);
}

/* Bit for bit, except that any NaN equals any other: of one under a mark each device makes its own. */
static gboolean
are_same (const gfloat *one, const gfloat *other, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (memcmp (one + i, other + i, sizeof *one) && ! (isnan (one[i]) && isnan (other[i])))
      return FALSE;
  return TRUE;
}

/* A part of it has the same bits. */
static void
check_part (const Drawing *drawing, GeglBuffer *buffer, Result result, const gfloat *whole, const gchar *text)
{
  const GeglRectangle *box = &drawing->c.box;
  const GeglRectangle  part = { box->x + box->width / 3, box->y + box->height / 4, MAX (1, box->width / 2),
                                MAX (1, box->height / 3) };
  const gint           components = result == MASK ? 1 : 4;
  gint                 count, bad = 0;
  gfloat              *found = drawn (drawing, buffer, result, &part, FALSE, &count);

  for (gint y = 0; y < part.height; y++)
    bad += memcmp (found + (gsize) y * part.width * components,
                   whole + ((gsize) (y + part.y - box->y) * box->width + part.x - box->x) * components,
                   part.width * components * sizeof (gfloat)) != 0;
  expect (! bad, "%s: %d rows of a part are not those of the whole: %s", results[result], bad, text);
  g_free (found);
}

static void
check_result (const Drawing *drawing, GeglBuffer *buffer, Result result, const RefSift *reference, const gchar *text)
{
  const GeglRectangle *box = &drawing->c.box;
  const gsize          n = (gsize) box->width * box->height;
  gint                 count, on_device;
  gfloat              *found = drawn (drawing, buffer, result, box, FALSE, &count);
  gfloat              *other = drawn (drawing, buffer, result, box, TRUE, &on_device);
  gfloat              *expected = g_new0 (gfloat, 4 * n), *picture = g_new (gfloat, 4 * n);

  gegl_buffer_get (buffer, NULL, 1.0, format_of (OVERLAY), picture, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  if (result == MASK)
    expect_mask (drawing, reference, expected);
  else
    expect_marks (drawing, reference, result == OVERLAY ? picture : NULL, found, expected);
  compare (drawing, result, found, expected, text);
  expect (are_same (found, other, n * (result == MASK ? 1 : 4)), "%s: OpenCL draws something else than C: %s", results[result], text);
  expect (count == (gint) reference->n && on_device == count, "count %d, in OpenCL %d, not %zu: %s", count, on_device,
          reference->n, text);
  check_part (drawing, buffer, result, found, text);
  g_free (found);
  g_free (other);
  g_free (expected);
  g_free (picture);
}

/* Is the luminance read as it is?  An overlay reads what it draws on, which has colors if it has alpha. */
static gboolean
is_exact (const Drawing *drawing, Result result)
{
  return drawing->c.format == SIFT_Y || (drawing->c.format == SIFT_YA && result != OVERLAY);
}

/* Only of pictures whose luminance is exact, and whose keypoints are beyond doubt. */
static void
one_case (gint number)
{
  Drawing     drawing;
  RefSift     reference;
  GeglBuffer *buffer;
  gchar      *text;

  draw (number, &drawing);
  buffer = sift_case_buffer (&drawing.c);
  text = sift_case_text (&drawing.c);
  reference_sift (drawing.c.luminance, drawing.c.box.width, drawing.c.box.height, &drawing.c.settings, &reference);
  for (Result result = 0; result < RESULTS && reference.n_doubts == 0; result++)
    if (is_exact (&drawing, result))
      check_result (&drawing, buffer, result, &reference, text);
  reference_sift_free (&reference);
  g_free (text);
  g_object_unref (buffer);
  sift_case_clear (&drawing.c);
}

/* ------------------------------------------------------------------ main -- */

int
sift_marks_test (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gint            code;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || ! photographs)
    return 2;
  g_option_context_free (context);
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  if (! gegl_has_operation ("tessera:sift"))
    g_error ("tessera:sift is missing");
  for (gint i = only_case >= 0 ? only_case : 5; i <= (only_case >= 0 ? only_case : 4 + n_cases); i++)
    one_case (i);
  code = expect_told ();
  g_strfreev (photographs);
  gegl_exit ();
  return code;
}
