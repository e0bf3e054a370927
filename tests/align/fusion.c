/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:combine by exposure and by focus against their definitions (data/doc/align.md), in double and plane by plane; in pieces, on other numbers of
 * threads; and inputs whose answer is known: one picture, equal ones, black, white, a step, what has no place or no number. */
#include <gegl.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "tessera.h"
#include "../engine/verdict.h"
#include "../match/matching.h"

#define MOST  5
#define CLOSE 1e-5              /* of float, through eight levels and the fourth power of an energy */

typedef enum { EXPOSURE, FOCUS } Method;
static const gchar *const names[] = { "exposure", "focus" };

/* ----------------------------------------------------------- the definition -- */

typedef struct { gint width, height; gdouble *at; } Plane;

static Plane
plane_new (gint width, gint height)
{
  return (Plane) { width, height, g_new0 (gdouble, width * height) };
}

static gdouble
value (Plane plane, gint x, gint y)
{
  return plane.at[CLAMP (y, 0, plane.height - 1) * plane.width + CLAMP (x, 0, plane.width - 1)];
}

static const gdouble kernel[5] = { 1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0 };

static Plane
half (Plane fine)
{
  Plane coarse = plane_new ((fine.width + 1) / 2, (fine.height + 1) / 2);

  for (gint i = 0; i < coarse.width * coarse.height; i++)
    for (gint m = -2; m <= 2; m++)
      for (gint n = -2; n <= 2; n++)
        coarse.at[i] += kernel[m + 2] * kernel[n + 2] * value (fine, 2 * (i % coarse.width) + m, 2 * (i / coarse.width) + n);
  return coarse;
}

/* Burt and Adelson's: 4 times the sum over the places that are whole. */
static Plane
twice (Plane coarse, gint width, gint height)
{
  Plane fine = plane_new (width, height);

  for (gint i = 0; i < width * height; i++)
    for (gint m = -2; m <= 2; m++)
      for (gint n = -2; n <= 2; n++)
        {
          const gint x = i % width - m, y = i / width - n;

          if (x % 2 == 0 && y % 2 == 0)
            fine.at[i] += 4 * kernel[m + 2] * kernel[n + 2] * value (coarse, x / 2, y / 2);
        }
  return fine;
}

/* A frame: colours, alpha (0: no value), and what its weights come from. */
typedef struct { Plane colour[3], alpha, weight; } Frame;

static gdouble
curve (gdouble light)
{
  if (light < 0)
    return -curve (-light);
  return light <= 0.0031308 ? 12.92 * light : 1.055 * pow (light, 1 / 2.4) - 0.055;
}

static gdouble
light_of (gdouble v)
{
  if (v < 0)
    return -light_of (-v);
  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

static Frame
frame_of (GeglBuffer *buffer, const GeglRectangle *box)
{
  const gint n = box->width * box->height;
  gfloat    *pixels = g_new (gfloat, 4 * n);
  Frame      frame = { .alpha = plane_new (box->width, box->height), .weight = plane_new (box->width, box->height) };

  for (gint c = 0; c < 3; c++)
    frame.colour[c] = plane_new (box->width, box->height);
  gegl_buffer_get (buffer, box, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint i = 0; i < n; i++)
    {
      const gfloat *in = pixels + 4 * i;

      if (! (in[3] > 0) || ! isfinite (in[0] + in[1] + in[2] + in[3]))
        continue;
      frame.alpha.at[i] = in[3];
      for (gint c = 0; c < 3; c++)
        frame.colour[c].at[i] = curve ((gdouble) in[c] / in[3]);
    }
  g_free (pixels);
  return frame;
}

/* Of what is there, with weights; where nothing is within reach, of the next level. */
static Plane
filled (Plane colour, Plane there)
{
  Plane whole = plane_new (colour.width, colour.height), more = { 0 };

  if (colour.width > 1 || colour.height > 1)
    {
      Plane less = half (colour), fewer = half (there), below = filled (less, fewer);

      more = twice (below, colour.width, colour.height);
      g_free (less.at);
      g_free (fewer.at);
      g_free (below.at);
    }
  for (gint i = 0; i < colour.width * colour.height; i++)
    whole.at[i] = there.at[i] > 0 ? colour.at[i] / there.at[i] : more.at ? more.at[i] : 0;
  g_free (more.at);
  return whole;
}

static void
fill (Frame *frame)
{
  const gint n = frame->alpha.width * frame->alpha.height;
  Plane      there = plane_new (frame->alpha.width, frame->alpha.height);

  for (gint i = 0; i < n; i++)
    there.at[i] = frame->alpha.at[i] > 0;
  for (gint c = 0; c < 3; c++)
    {
      Plane whole = filled (frame->colour[c], there);

      g_free (frame->colour[c].at);
      frame->colour[c] = whole;
    }
  g_free (there.at);
}

static gdouble
grey (const Frame *frame, gint x, gint y)
{
  gfloat  weights[3];           /* sRGB's, adapted to D50 */
  gdouble sum = 0;

  tessera_luminance (babl_format ("RGBA float"), weights);
  for (gint c = 0; c < 3; c++)
    sum += weights[c] * CLAMP (value (frame->colour[c], x, y), 0, 1);
  return sum;
}

static Plane
smoothed (Plane plane, gint levels)
{
  Plane less, below, whole;

  if (levels == 0 || (plane.width == 1 && plane.height == 1))
    {
      whole = plane_new (plane.width, plane.height);
      memcpy (whole.at, plane.at, plane.width * plane.height * sizeof *plane.at);
      return whole;
    }
  less = half (plane);
  below = smoothed (less, levels - 1);
  whole = twice (below, plane.width, plane.height);
  g_free (less.at);
  g_free (below.at);
  return whole;
}

static void
weigh (Frame *frame, Method method)
{
  const gint width = frame->alpha.width, n = width * frame->alpha.height;
  Plane      energy = plane_new (width, frame->alpha.height), smooth;

  for (gint i = 0; i < n; i++)
    {
      const gint    x = i % width, y = i / width;
      const gdouble contrast = fabs (4 * grey (frame, x, y) - grey (frame, x - 1, y) - grey (frame, x + 1, y) - grey (frame, x, y - 1) - grey (frame, x, y + 1));
      gdouble       mean = 0, spread = 0, far = 0;

      for (gint c = 0; c < 3; c++)
        mean += CLAMP (frame->colour[c].at[i], 0, 1) / 3;
      for (gint c = 0; c < 3; c++)
        {
          spread += pow (CLAMP (frame->colour[c].at[i], 0, 1) - mean, 2) / 3;
          far += pow (CLAMP (frame->colour[c].at[i], 0, 1) - 0.5, 2) / 3;
        }
      energy.at[i] = contrast * contrast;
      frame->weight.at[i] = frame->alpha.at[i] * (1 + contrast) * (1 + sqrt (spread)) * exp (-far / (2 * 0.3 * 0.3));
    }
  smooth = smoothed (energy, 3);
  for (gint i = 0; i < n && method == FOCUS; i++)
    frame->weight.at[i] = frame->alpha.at[i] * pow (1 + smooth.at[i] / 1e-6, 4);
  g_free (energy.at);
  g_free (smooth.at);
}

/* One colour of all frames, from this level on. */
static Plane
blend (const Plane *colours, const Plane *weights, gint n)
{
  const gint width = colours[0].width, height = colours[0].height;
  const gboolean is_last = MIN ((width + 1) / 2, (height + 1) / 2) < 4 || (width == 1 && height == 1);
  Plane      result = plane_new (width, height), below[2][MOST] = { 0 }, sum = plane_new (width, height);

  for (gint k = 0; k < n; k++)
    {
      Plane more = { 0 };

      if (! is_last)
        {
          below[0][k] = half (colours[k]);
          below[1][k] = half (weights[k]);
          more = twice (below[0][k], width, height);
        }
      for (gint i = 0; i < width * height; i++)
        {
          result.at[i] += weights[k].at[i] * (colours[k].at[i] - (more.at ? more.at[i] : 0));
          sum.at[i] += weights[k].at[i];
        }
      g_free (more.at);
    }
  for (gint i = 0; i < width * height; i++)
    result.at[i] = sum.at[i] > 0 ? result.at[i] / sum.at[i] : 0;
  if (! is_last)
    {
      Plane coarse = blend (below[0], below[1], n), more = twice (coarse, width, height);

      for (gint i = 0; i < width * height; i++)
        result.at[i] += more.at[i];
      g_free (coarse.at);
      g_free (more.at);
    }
  for (gint k = 0; k < n; k++)
    {
      g_free (below[0][k].at);
      g_free (below[1][k].at);
    }
  g_free (sum.at);
  return result;
}

static void
normalise (Frame *frames, gint n)
{
  for (gint i = 0; i < frames[0].alpha.width * frames[0].alpha.height; i++)
    {
      gdouble sum = 0;

      for (gint k = 0; k < n; k++)
        sum += frames[k].weight.at[i];
      for (gint k = 0; k < n && sum > 0; k++)
        frames[k].weight.at[i] /= sum;
    }
}

/* RGBA of linear light. */
static gdouble *
wanted_of (GeglBuffer **pictures, gint n, Method method, const GeglRectangle *box)
{
  const gint size = box->width * box->height;
  gdouble   *wanted = g_new0 (gdouble, 4 * size);
  Frame      frames[MOST] = { { .alpha = { .width = 0 } } };   /* of no picture, nothing */
  Plane      colours[MOST], weights[MOST];

  for (gint k = 0; k < n; k++)
    {
      frames[k] = frame_of (pictures[k], box);
      fill (&frames[k]);
      weigh (&frames[k], method);
    }
  normalise (frames, n);
  for (gint k = 0; k < n; k++)
    for (gint i = 0; i < size; i++)
      wanted[4 * i + 3] = MAX (wanted[4 * i + 3], frames[k].alpha.at[i]);
  for (gint c = 0; c < 3; c++)
    {
      Plane result;

      for (gint k = 0; k < n; k++)
        {
          colours[k] = frames[k].colour[c];
          weights[k] = frames[k].weight;
        }
      result = blend (colours, weights, n);
      for (gint i = 0; i < size; i++)
        wanted[4 * i + c] = wanted[4 * i + 3] > 0 ? light_of (result.at[i]) : 0;
      g_free (result.at);
    }
  for (gint k = 0; k < n; k++)
    for (gint c = 0; c < 5; c++)
      g_free (c < 3 ? frames[k].colour[c].at : c < 4 ? frames[k].alpha.at : frames[k].weight.at);
  return wanted;
}

/* ----------------------------------------------------------------- pictures -- */

/* RaGaBaA; a smooth picture, darker and lighter by `stops`, with noise; with `holes` some pixels are half transparent, transparent, or no number. */
static GeglBuffer *
picture (CheckRandom *random, const GeglRectangle *where, gdouble stops, gboolean holes)
{
  GeglBuffer *buffer = gegl_buffer_new (where, babl_format ("RaGaBaA float"));
  gfloat     *pixels = g_new (gfloat, 4 * where->width * where->height);

  for (gint i = 0; i < where->width * where->height; i++)
    {
      const gdouble kind = holes ? check_uniform (random) : 0, base = 0.3 + 0.25 * sin (i % where->width * 0.3) * cos (i / where->width * 0.2);
      gfloat       *pixel = pixels + 4 * i;

      pixel[3] = kind < 0.7 ? 1.0f : kind < 0.85 ? 0.5f : 0.0f;
      for (gint c = 0; c < 3; c++)
        pixel[c] = pixel[3] * (gfloat) ((base + 0.1 * c + 0.1 * check_uniform (random)) * exp2 (stops));
      if (check_uniform (random) < 0.02)
        pixel[1] = holes ? -0.01f : 7.0f * pixel[3];
      if (kind > 0.65 && kind < 0.68)
        pixel[i % 3] = kind < 0.665 ? NAN : INFINITY;
    }
  gegl_buffer_set (buffer, where, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

/* The picture that the operation makes of them, RGBA of linear light, or the piece of it. */
static gfloat *
combined (GeglBuffer **pictures, gint n, gint method, const GeglRectangle *piece)
{
  GListStore *list = g_list_store_new (GEGL_TYPE_BUFFER);
  GeglNode   *graph = gegl_node_new (), *node;
  gfloat     *got = g_new (gfloat, 4 * piece->width * piece->height);

  for (gint i = 0; i < n; i++)
    g_list_store_append (list, pictures[i]);
  node = gegl_node_new_child (graph, "operation", "tessera:combine", "pictures", list, "method", method, NULL);
  gegl_node_blit (node, 1.0, piece, babl_format ("RGBA float"), got, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (list);
  g_object_unref (graph);
  return got;
}

static gfloat *
fused (GeglBuffer **pictures, gint n, Method method)
{
  return combined (pictures, n, 3 + (gint) method, gegl_buffer_get_extent (pictures[0]));
}

static gboolean
same (const gfloat *a, const gfloat *b, const GeglRectangle *box)
{
  return memcmp (a, b, 4 * sizeof *a * box->width * box->height) == 0;
}

/* One of all pixels of that light. */
static GeglBuffer *
plain (const GeglRectangle *box, gfloat light, gfloat alpha)
{
  GeglBuffer  *buffer = gegl_buffer_new (box, babl_format ("RGBA float"));
  const gfloat pixel[4] = { light, light, light, alpha };

  gegl_buffer_set_color_from_pixel (buffer, box, pixel, babl_format ("RGBA float"));
  return buffer;
}

/* -------------------------------------------------------------------- tests -- */

static void
check_definition (CheckRandom *random, const GeglRectangle *box, gint n, Method method, gboolean holes)
{
  const GeglRectangle piece = { box->x + box->width / 3, box->y + box->height / 2, (box->width + 2) / 3, (box->height + 3) / 4 };
  GeglBuffer *pictures[MOST];
  gdouble    *wanted, worst = 0;
  gfloat     *got, *part;
  gint        differ = 0;

  for (gint k = 0; k < n; k++)
    pictures[k] = picture (random, k && holes ? GEGL_RECTANGLE (box->x + 4 * k - 9, box->y - 3 * k + 8, box->width, box->height) : box, 1.5 * k - 1.5, holes);
  wanted = wanted_of (pictures, n, method, box);
  part = combined (pictures, n, 3 + (gint) method, &piece);
  got = fused (pictures, n, method);
  for (gint i = 0; i < 4 * box->width * box->height; i++)
    worst = fmax (worst, isfinite (got[i]) ? fabs (got[i] - wanted[i]) / fmax (1, fabs (wanted[i])) : INFINITY);
  for (gint i = 0; i < piece.width * piece.height; i++)
    differ += memcmp (part + 4 * i, got + 4 * ((i / piece.width + piece.y - box->y) * box->width + i % piece.width + piece.x - box->x), 16) != 0;
  expect (worst < CLOSE, "%s of %d, %d x %d%s: %g off its definition", names[method], n, box->width, box->height, holes ? ", with holes" : "", worst);
  expect (differ == 0, "%s of %d, %d x %d: %d pixels of a piece differ from those of the whole", names[method], n, box->width, box->height, differ);
  for (gint k = 0; k < n; k++)
    g_object_unref (pictures[k]);
  g_free (wanted);
  g_free (part);
  g_free (got);
}

static void
check_threads (CheckRandom *random, Method method)
{
  const GeglRectangle box = { 3, -4, 301, 222 };
  GeglBuffer         *pictures[3];
  gfloat             *one, *more;
  gint                threads;

  for (gint k = 0; k < 3; k++)
    pictures[k] = picture (random, &box, k - 1.0, TRUE);
  g_object_get (gegl_config (), "threads", &threads, NULL);
  g_object_set (gegl_config (), "threads", 1, NULL);
  one = fused (pictures, 3, method);
  g_object_set (gegl_config (), "threads", 5, NULL);
  more = fused (pictures, 3, method);
  g_object_set (gegl_config (), "threads", threads, NULL);
  expect (same (one, more, &box), "%s: the same bits on one thread and on five", names[method]);
  for (gint k = 0; k < 3; k++)
    g_object_unref (pictures[k]);
  g_free (one);
  g_free (more);
}

/* One picture is itself, and equal ones are nearly: a level's detail, its product with the weights, their sum and its quotient are each rounded, and so
 * is what is added to it: 8 roundings of 2^-24 a level, of values up to 1 here; the curve's slope in light is 2.3 at most, and its own error 4e-7. */
static void
check_equal (CheckRandom *random, Method method)
{
  const GeglRectangle box = { 0, 0, 150, 97 };
  GeglBuffer *pictures[3] = { picture (random, &box, 0, FALSE) };
  gfloat     *mean = combined (pictures, 1, 0, &box), *alone = fused (pictures, 1, method), *equal;
  gdouble     worst = 0;

  pictures[1] = pictures[2] = pictures[0];
  equal = fused (pictures, 3, method);
  for (gint i = 0; i < 4 * box.width * box.height; i++)
    worst = fmax (worst, fabs (equal[i] - mean[i]) / fmax (1, mean[i]));
  expect (same (mean, alone, &box), "%s: one picture is itself", names[method]);
  expect (worst < 2.3 * 8 * 5 * 0x1p-24 + 8e-7, "%s: three equal pictures are %g off", names[method], worst);
  g_object_unref (pictures[0]);
  g_free (mean);
  g_free (alone);
  g_free (equal);
}

/* What is transparent everywhere takes no part, nor do the colours that are hidden where it is so. */
static void
check_hidden (CheckRandom *random, Method method)
{
  const GeglRectangle box = { 0, 0, 90, 60 }, left = { 0, 0, 40, 60 };
  GeglBuffer         *pictures[3] = { picture (random, &box, -1, FALSE), picture (random, &box, 1, FALSE), plain (&box, 9.0f, 0.0f) };
  GeglBuffer         *straight = gegl_buffer_new (&box, babl_format ("RGBA float"));
  const gfloat        hidden[2][4] = { { 5.0f, 0.0f, NAN, 0.0f }, { 0.1f, 0.2f, 0.3f, 0.0f } };
  gfloat             *two = fused (pictures, 2, method), *three = fused (pictures, 3, method), *got[2];

  gegl_buffer_copy (pictures[1], &box, GEGL_ABYSS_NONE, straight, &box);
  pictures[2] = (g_object_unref (pictures[2]), straight);
  for (gint i = 0; i < 2; i++)
    {
      gegl_buffer_set_color_from_pixel (straight, &left, hidden[i], babl_format ("RGBA float"));
      got[i] = fused ((GeglBuffer *[]) { pictures[0], straight }, 2, method);
    }
  expect (same (two, three, &box), "%s: a transparent picture takes no part", names[method]);
  expect (same (got[0], got[1], &box), "%s: hidden colours take no part", names[method]);
  for (gint i = 0; i < 3; i++)
    g_object_unref (pictures[i]);
  g_free (two);
  g_free (three);
  g_free (got[0]);
  g_free (got[1]);
}

/* Black, white, both, and transparent ones: finite, and between them. */
static void
check_plain (Method method)
{
  const GeglRectangle box = { 0, 0, 33, 20 };
  static const gfloat lights[][3] = { { 0, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0.2f, 0.2f, 1 }, { 0, 1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (lights); i++)
    {
      GeglBuffer *pictures[2] = { plain (&box, lights[i][0], lights[i][2]), plain (&box, lights[i][1], lights[i][2]) };
      gfloat     *got = fused (pictures, 2, method);
      const gdouble wanted = lights[i][2] > 0 ? light_of ((curve (lights[i][0]) + curve (lights[i][1])) / 2) : 0;       /* black and white are equally far from grey */
      gdouble     worst = 0;

      for (gint j = 0; j < box.width * box.height; j++)
        worst = fmax (worst, fmax (fabs (got[4 * j] - wanted), fabs (got[4 * j + 3] - lights[i][2])));
      expect (worst < 2e-6, "%s of plain %g and %g, alpha %g: %g off", names[method], lights[i][0], lights[i][1], lights[i][2], worst);
      g_object_unref (pictures[0]);
      g_object_unref (pictures[1]);
      g_free (got);
    }
}

/* Frame k of n.  Exposure: a step, two stops apart, colored or grey.  Focus: a step that is the softer the higher k is. */
static gdouble
step_light (Method method, gint k, gint n, gint from_edge, gdouble bright)
{
  const gdouble scale = exp2 (2.0 * k - (n - 1));

  if (method == EXPOSURE)
    return fmin (1, (from_edge < 0 ? 0.03 : bright) * scale);
  return 0.03 + (bright - 0.03) * (k ? 1 / (1 + exp (-(from_edge + 0.5) / (4.0 * k))) : from_edge >= 0);
}

static GeglBuffer *
step (Method method, gint k, gint n, gboolean is_grey, const GeglRectangle *box)
{
  GeglBuffer *buffer = gegl_buffer_new (box, babl_format ("RGBA float"));

  for (gint x = 0; x < box->width; x++)
    {
      gfloat pixel[4] = { 0, 0, 0, 1 };

      for (gint c = 0; c < 3; c++)
        pixel[c] = (gfloat) step_light (method, k, n, x - box->width / 2, is_grey ? 0.5 : 0.5 - 0.1 * c);
      gegl_buffer_set_color_from_pixel (buffer, GEGL_RECTANGLE (x, 0, 1, box->height), pixel, babl_format ("RGBA float"));
    }
  return buffer;
}

/* The sides of a step are flat, so what is beside it is a halo: where the weights of both sides differ, they meet over some width on each level.
 * `halo`: the most by which the result leaves the range between its far ends; `back`: the most by which it goes back from one pixel to the next; both over
 * the height of the step. */
static void
check_step (Method method, gint n, gboolean is_grey, gdouble most_halo, gdouble most_back)
{
  const GeglRectangle box = { 0, 0, 256, 64 };
  GeglBuffer         *pictures[3];
  gfloat             *got, *row;
  gdouble             low, high, halo = 0, back = 0;

  for (gint k = 0; k < n; k++)
    pictures[k] = step (method, k, n, is_grey, &box);
  got = fused (pictures, n, method);
  row = got + 4 * 32 * box.width;
  low = curve (row[0]);
  high = curve (row[4 * (box.width - 1)]);
  for (gint x = 1; x < box.width; x++)
    {
      const gdouble v = curve (row[4 * x]);

      halo = fmax (halo, fmax (v - high, low - v) / (high - low));
      back = fmax (back, (curve (row[4 * (x - 1)]) - v) / (high - low));
    }
  expect (high > low && halo <= most_halo && back <= most_back, "%s of a step in %d frames%s: %.4f of the step beyond its sides, %.4f back from one pixel to the next",
          names[method], n, is_grey ? ", grey" : "", halo, back);
  for (gint k = 0; k < n; k++)
    g_object_unref (pictures[k]);
  g_free (got);
}

/* A square of light below 0, as deconvolved and resampled pictures have it, makes no lamp of its surroundings; one that is far off, no infinity. */
static void
check_dark (Method method, gdouble below, gdouble most)
{
  const GeglRectangle box = { 0, 0, 96, 80 };
  const gfloat        light[2][4] = { { 0.2f, 0.2f, 0.2f, 1 }, { 0.3f, 0.3f, 0.3f, 1 } }, dark[4] = { below, below, below, 1 };
  GeglBuffer         *pictures[2];
  gfloat             *got;
  gdouble             largest = 0;

  for (gint k = 0; k < 2; k++)
    {
      pictures[k] = gegl_buffer_new (&box, babl_format ("RGBA float"));
      gegl_buffer_set_color_from_pixel (pictures[k], &box, light[k], babl_format ("RGBA float"));
    }
  gegl_buffer_set_color_from_pixel (pictures[0], GEGL_RECTANGLE (40, 40, 4, 4), dark, babl_format ("RGBA float"));
  got = fused (pictures, 2, method);
  for (gint i = 0; i < 4 * box.width * box.height; i++)
    largest = isfinite (got[i]) ? fmax (largest, i % 4 < 3 ? got[i] : 0) : INFINITY;
  expect (largest <= most, "%s with pixels of %g among 0.2 and 0.3: up to %g", names[method], below, largest);
  for (gint k = 0; k < 2; k++)
    g_object_unref (pictures[k]);
  g_free (got);
}

/* Grey stays grey, in Y as in RGB. */
static void
check_grey (Method method)
{
  const GeglRectangle box = { 0, 0, 70, 50 };
  GeglBuffer         *pictures[2], *coloured[2];
  gfloat             *got, *wanted;
  gdouble             worst = 0, colour = 0;

  for (gint k = 0; k < 2; k++)
    {
      guint16 *pixels = g_new (guint16, box.width * box.height);

      for (gint i = 0; i < box.width * box.height; i++)
        pixels[i] = (guint16) ((i * 7919 + k * 104729) % 30000 + k * 30000);
      pictures[k] = gegl_buffer_new (&box, babl_format ("Y' u16"));
      gegl_buffer_set (pictures[k], NULL, 0, NULL, pixels, GEGL_AUTO_ROWSTRIDE);
      coloured[k] = gegl_buffer_new (&box, babl_format ("R'G'B' float"));
      gegl_buffer_copy (pictures[k], NULL, GEGL_ABYSS_NONE, coloured[k], NULL);
      g_free (pixels);
    }
  got = fused (pictures, 2, method);
  wanted = fused (coloured, 2, method);
  for (gint i = 0; i < box.width * box.height; i++)
    {
      colour = fmax (colour, fmax (fabs (got[4 * i] - got[4 * i + 1]), fabs (got[4 * i] - got[4 * i + 2])));
      worst = fmax (worst, fabs (got[4 * i] - wanted[4 * i]));
    }
  expect (colour < 1e-6 && worst < CLOSE, "%s of greys: colours of %g, %g off what it is as RGB", names[method], colour, worst);
  for (gint k = 0; k < 2; k++)
    {
      g_object_unref (pictures[k]);
      g_object_unref (coloured[k]);
    }
  g_free (got);
  g_free (wanted);
}

void
fused_pictures (void)
{
  static const GeglRectangle boxes[] = { { -7, 5, 61, 43 }, { 0, 0, 64, 64 }, { 0, 0, 1, 1 }, { 2, 2, 1, 37 }, { 0, 0, 3, 7 }, { 0, 0, 17, 8 }, { 5, 0, 130, 9 } };
  CheckRandom                random = { 20261130 };

  for (gint method = 0; method < 2; method++)
    {
      for (guint b = 0; b < G_N_ELEMENTS (boxes); b++)
        for (gint n = 2; n <= MOST; n += 1 + n / 3)
          for (gint holes = 0; holes < 2; holes++)
            check_definition (&random, &boxes[b], n, (Method) method, holes);
      check_threads (&random, (Method) method);
      check_equal (&random, (Method) method);
      check_hidden (&random, (Method) method);
      check_plain ((Method) method);
      check_grey ((Method) method);
      check_dark ((Method) method, -1, light_of (curve (0.3) + 0.3 * (curve (0.3) - curve (-1))));      /* the halo of a step of that height */
      check_dark ((Method) method, -1e30, G_MAXFLOAT);
    }
  for (gint n = 1; n <= 3; n++)
    for (gint is_grey = 0; is_grey < 2; is_grey++)
      {
        check_step (EXPOSURE, n, is_grey, 0.3, 0.05);
        check_step (FOCUS, n, is_grey, 0.02, 0.01);
      }
}
