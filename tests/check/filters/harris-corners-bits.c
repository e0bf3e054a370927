/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Tests of every bit of response and corners of tessera:harris-corners.
 *
 * Planes of Y~ need no conversion.  There response and corners must be the floats of harris-steps.h, on both paths. */
#include "harris-corners.h"

#include <float.h>

#include "harris-steps.h"

#define EXACT_CASES 48
#define SQUARE      16          /* of the checkerboard */
#define CROSSINGS   225         /* of 16 x 16 squares */

/* A picture of Y~, or of Y~ times alpha and alpha. */
typedef struct
{
  CheckCase c;
  CheckLeg  leg;
  gfloat   *plane;              /* Y~ times alpha */
  gfloat   *alpha;              /* NULL: opaque */
  gboolean  may_vanish;         /* a device may flush all of R */
} Picture;

static GeglBuffer *
picture_buffer (const Picture *picture)
{
  const GeglRectangle box = check_image_box (&picture->c);
  const gsize         n = (gsize) box.width * box.height;
  const Babl         *format = babl_format (picture->alpha ? "Y~aA float" : "Y~ float");
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  gfloat             *pixels = g_new (gfloat, 2 * n);

  for (gsize i = 0; i < n && picture->alpha; i++)
    {
      pixels[2 * i] = picture->plane[i];
      pixels[2 * i + 1] = picture->alpha[i];
    }
  gegl_buffer_set (buffer, &box, 0, format, picture->alpha ? pixels : picture->plane, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

/* What the operation makes of it: a component of floats for each pixel of `roi`, or four.  NULL for the default color. */
static gfloat *
computed (const Picture *picture, GeglBuffer *buffer, gint result, const gchar *color, const GeglRectangle *roi,
          const Babl *format)
{
  CheckCase c = picture->c;
  GeglNode *graph = gegl_node_new (), *node, *source;
  gfloat   *pixels = g_new0 (gfloat, (gsize) roi->width * roi->height * babl_format_get_n_components (format));

  c.value[RESULT] = result;
  node = check_operation_node (&check_harris_corners, &c, graph);
  if (color)
    {
      GeglColor *value = gegl_color_new (color);

      gegl_node_set (node, "color", value, NULL);
      g_object_unref (value);
    }
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  gegl_node_link (source, node);
  tessera_set_opencl_mode (picture->leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  check_set_engine (&c);
  gegl_node_blit (node, 1.0, roi, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  tessera_set_band_rows (0);
  g_object_unref (graph);
  return pixels;
}

/* The steps' response; 1 where there is a corner. */
static void
stepped (const Picture *picture, gfloat *response, gfloat *marks)
{
  const gdouble    *values = picture->c.value;
  const HarrisPlane plane = { picture->c.field[CHECK_WIDTH], picture->c.field[CHECK_HEIGHT], picture->plane };

  harris_response (&plane, values[SIGMA], values[K], response);
  for (gint y = 0; y < plane.height; y++)
    for (gint x = 0; x < plane.width; x++)
      {
        const gsize at = (gsize) y * plane.width + x;

        marks[at] = harris_is_corner (response, plane.width, plane.height, values[THRESHOLD], x, y)
                    && (! picture->alpha || picture->alpha[at] != 0);
      }
}

/* A device may flush what is below FLT_MIN. */
static gboolean
is_same (gfloat a, gfloat b)
{
  return a == b || (isnan (a) && isnan (b)) || fabsf (a - b) <= FLT_MIN;
}

static void
compare (const Picture *picture, GeglBuffer *buffer, gint result, const gfloat *wanted, GString *why)
{
  const GeglRectangle box = check_image_box (&picture->c), roi = check_roi (&check_harris_corners, &picture->c);
  gfloat             *found = computed (picture, buffer, result, NULL, &roi, babl_format ("Y float"));
  gint                bad = 0, any = 0;

  for (gint i = 0; i < roi.width * roi.height; i++)
    any += found[i] != 0;
  for (gint i = 0; i < roi.width * roi.height && (any || ! picture->may_vanish); i++)
    {
      const gint   x = roi.x - box.x + i % roi.width, y = roi.y - box.y + i / roi.width;
      const gfloat expected = wanted[(gsize) y * box.width + x];

      if (! is_same (found[i], expected) && ! bad++)
        g_string_append_printf (why, "  %s %.9g instead of %.9g at (%d, %d)\n", check_harris_corners.properties[RESULT].nicks[result], found[i], expected, x, y);
    }
  if (bad > 1)
    g_string_append_printf (why, "  and at %d more pixels of %d\n", bad - 1, roi.width * roi.height);
  g_free (found);
}

/* No two corners touch. */
static gint
count_apart (const gfloat *marks, gint width, gint height, GString *why)
{
  gint count = 0;

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      if (marks[(gsize) y * width + x] == 1)
        {
          gint around = 0;

          for (gint row = MAX (y - 1, 0); row <= MIN (y + 1, height - 1); row++)
            for (gint column = MAX (x - 1, 0); column <= MIN (x + 1, width - 1); column++)
              around += marks[(gsize) row * width + column] == 1;
          if (around != 1)
            g_string_append_printf (why, "  the corner at (%d, %d) touches another\n", x, y);
          count++;
        }
  return count;
}

/* corners_wanted: -1, any number. */
static void
check_picture (const Picture *picture, const gchar *what, gint corners_wanted, const CheckOptions *options, CheckStats *stats)
{
  const gint  width = picture->c.field[CHECK_WIDTH], height = picture->c.field[CHECK_HEIGHT];
  const gsize n = (gsize) width * height;
  GeglBuffer *buffer = picture_buffer (picture);
  gfloat     *response = g_new (gfloat, n), *marks = g_new (gfloat, n);
  GString    *why = g_string_new (NULL);
  gchar      *title = g_strdup_printf ("harris-corners, %s leg: every bit of %s", check_leg_name (picture->leg), what), *text;
  gint        count;

  stepped (picture, response, marks);
  compare (picture, buffer, RESPONSE, response, why);
  compare (picture, buffer, CORNERS, marks, why);
  count = count_apart (marks, width, height, why);
  if (corners_wanted >= 0 && count != corners_wanted)
    g_string_append_printf (why, "  the steps have %d corners instead of %d\n", count, corners_wanted);
  if ((text = check_take_warnings ()))
    g_string_append_printf (why, "  warning: %s", text);
  if (why->len)
    check_describe (&check_harris_corners, &picture->c, why);
  check_verdict (stats, why->len == 0, title, why, options->quiet);
  g_free (text);
  g_free (title);
  g_free (response);
  g_free (marks);
  g_string_free (why, TRUE);
  g_object_unref (buffer);
}

/* Exactly the largest response: R > threshold^4 is strict, and threshold^4 is rounded once. */
static gdouble
threshold_at_the_largest (const Picture *picture)
{
  const HarrisPlane plane = { picture->c.field[CHECK_WIDTH], picture->c.field[CHECK_HEIGHT], picture->plane };
  gfloat           *response = g_new (gfloat, plane.width * plane.height), largest = 0;

  harris_response (&plane, picture->c.value[SIGMA], picture->c.value[K], response);
  for (gint i = 0; i < plane.width * plane.height; i++)
    largest = response[i] > largest ? response[i] : largest;
  g_free (response);
  return sqrt (sqrt (MIN (largest, 0.06f)));
}

/* Any content but denormal numbers, any region and origin; every third has holes, with NaN in some of them. */
static void
check_drawn (const CheckOptions *options, CheckStats *stats, CheckLeg leg, gint number)
{
  Picture     picture = { .leg = leg };
  CheckCase  *c = &picture.c;
  CheckRandom random = { check_hash (options->seed + 9000 + (guint64) number) };
  gchar      *what = g_strdup_printf ("picture %d of Y~%s", number, number % 3 ? "" : "aA");
  const gint  kind = number % 4;        /* of threshold */
  gsize       n;

  check_draw (&check_harris_corners, options->seed, 9000 + number, 90, c);
  if (kind == 1)
    c->field[CHECK_ROI_W] = c->field[CHECK_ROI_H] = 0;
  c->field[CHECK_FORMAT] = CHECK_FORMAT_Y_FLOAT;
  c->field[CHECK_SPACE] = 0;
  c->field[CHECK_CONTENT] = number % CHECK_CONTENT_DENORMAL;
  picture.plane = check_paint (&check_harris_corners, c);
  n = (gsize) c->field[CHECK_WIDTH] * c->field[CHECK_HEIGHT];
  if (number % 3 == 0)
    picture.alpha = g_new (gfloat, n);
  for (gsize i = 0; i < n && picture.alpha; i++)
    {
      picture.alpha[i] = check_chance (&random, 30) ? 0 : check_chance (&random, 50) ? 1 : (gfloat) check_uniform (&random);
      picture.plane[i] = picture.alpha[i] == 0 ? (check_chance (&random, 20) ? NAN : 0) : picture.plane[i] * picture.alpha[i];
    }
  c->value[THRESHOLD] = kind == 0 ? 0 : kind == 1 ? threshold_at_the_largest (&picture)
                        : 0.2 * check_uniform (&random) * check_uniform (&random);
  check_picture (&picture, what, -1, options, stats);
  g_free (picture.plane);
  g_free (picture.alpha);
  g_free (what);
}

static gfloat
checkerboard (gint x, gint y)
{
  return (x / SQUARE + y / SQUARE) % 2 ? 0.75f : 0.25f;
}

/* Each of another shape, symmetric about the centre of a pixel. */
static gfloat
blobs (gint x, gint y)
{
  const gint dx = x % 32 - 16, dy = y % 32 - 16, which = x / 32 + 8 * (y / 32), radius = which % 5;
  const gint sizes[] = { MAX (ABS (dx), ABS (dy)), ABS (dx) + ABS (dy), (gint) sqrt (dx * dx + dy * dy) };

  return sizes[which % 3] <= radius ? 0.25f + 0.0625f * (gfloat) (which % 9) : 0.125f;
}

/* So faint that R is a few of the least floats, and many are equal. */
static gfloat
faint (gint x, gint y)
{
  return 6e-11f * (gfloat) (check_hash ((guint64) (y * 1000 + x)) >> 40) / 16777216;
}

static gfloat
plateau (gint x G_GNUC_UNUSED, gint y G_GNUC_UNUSED)
{
  return 0.5f;
}

static Picture
picture_new (CheckLeg leg, gint size, gfloat (*paint) (gint x, gint y))
{
  Picture picture = { .leg = leg, .plane = g_new (gfloat, (gsize) size * size) };

  check_default_values (&check_harris_corners, picture.c.value);
  picture.c.field[CHECK_WIDTH] = picture.c.field[CHECK_HEIGHT] = size;
  for (gint i = 0; i < size * size; i++)
    picture.plane[i] = paint (i % size, i / size);
  return picture;
}

static void
check_ties (const CheckOptions *options, CheckStats *stats, CheckLeg leg)
{
  Picture squares = picture_new (leg, 16 * SQUARE, checkerboard), dots = picture_new (leg, 256, blobs);
  Picture flat = picture_new (leg, 50, plateau), least = picture_new (leg, 200, faint);

  flat.c.value[THRESHOLD] = least.c.value[THRESHOLD] = 0;
  least.may_vanish = leg == CHECK_LEG_OPENCL;
  check_picture (&squares, "a checkerboard", CROSSINGS, options, stats);
  check_picture (&dots, "blobs", -1, options, stats);
  check_picture (&flat, "a plane at threshold 0", 0, options, stats);
  check_picture (&least, "equal responses", -1, options, stats);
  g_free (least.plane);
  g_free (squares.plane);
  g_free (dots.plane);
  g_free (flat.plane);
}

/* Crosses in another color, those of corners outside the region too; no other pixel changes. */
static void
check_crosses (const CheckOptions *options, CheckStats *stats, CheckLeg leg, const gchar *space)
{
  static const gdouble light[4] = { 0, 0, 1, 1 };
  const Babl         *format = babl_format_with_space (DRAWN_IN, babl_space (space));
  gfloat              blue[4];
  Picture             picture = picture_new (leg, 16 * SQUARE, checkerboard);
  const gint          size = 16 * SQUARE;
  const GeglRectangle box = { 0, 0, size, size }, roi = { 17, 33, 200, 190 };
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  gfloat             *in = g_new (gfloat, 4 * (gsize) size * size), *marks, *found;
  GString            *why = g_string_new (NULL);
  gint                marked = 0, bad = 0;

  babl_process (babl_fish (babl_format ("RGBA double"), format), light, blue, 1);
  for (gint i = 0; i < 4 * size * size; i++)
    in[i] = i % 4 < 3 ? picture.plane[i / 4] : 0.5f;
  gegl_buffer_set (buffer, &box, 0, format, in, GEGL_AUTO_ROWSTRIDE);
  marks = computed (&picture, buffer, CORNERS, NULL, &box, babl_format ("Y float"));
  found = computed (&picture, buffer, OVERLAY, "rgb(0.0, 0.0, 1.0)", &roi, format);
  for (gint i = 0; i < roi.width * roi.height; i++)
    {
      const gint x = roi.x + i % roi.width, y = roi.y + i / roi.width;
      gboolean   crossed = FALSE;

      for (gint k = -ARM; k <= ARM; k++)
        crossed |= marks[y * size + x + k] == 1 || marks[(y + k) * size + x] == 1;
      marked += crossed;
      for (gint k = 0; k < 4; k++)
        bad += ! (fabsf (found[4 * i + k] - (crossed ? blue[k] : in[4 * (y * size + x) + k])) <= (crossed ? 2e-6f : 0));
    }
  if (bad || ! marked)
    g_string_append_printf (why, "  %d of %d components are wrong; %d pixels are marked\n", bad, 4 * roi.width * roi.height,
                            marked);
  check_verdict (stats, why->len == 0, "harris-corners: crosses", why, options->quiet);
  g_free (picture.plane);
  g_free (in);
  g_free (marks);
  g_free (found);
  g_object_unref (buffer);
  g_string_free (why, TRUE);
}

void
check_harris_bits (const CheckOptions *options, CheckStats *stats)
{
  static const CheckLeg legs[] = { CHECK_LEG_C, CHECK_LEG_OPENCL };

  for (guint i = 0; i < G_N_ELEMENTS (legs); i++)
    if (options->legs & legs[i])
      {
        check_ties (options, stats, legs[i]);
        check_crosses (options, stats, legs[i], "sRGB");
        check_crosses (options, stats, legs[i], "Apple");       /* GEGL's own way from "rgb(...)" to its floats crashes */
        for (gint number = 0; number < EXACT_CASES; number++)
          check_drawn (options, stats, legs[i], number);
      }
}
