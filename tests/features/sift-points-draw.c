/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-points: the pictures and the settings. */
#include "sift-points.h"

#define LONGEST 400
#define HIGHEST 300
#define WIDEST  7000

static gdouble
between (CheckRandom *random, gdouble low, gdouble high)
{
  return low + (high - low) * check_uniform (random);
}

static gdouble
log_between (CheckRandom *random, gdouble low, gdouble high)
{
  return low * pow (high / low, check_uniform (random));
}

/* -------------------------------------------------------------- contents -- */

/* Noise that is smooth over `step` pixels. */
static void
add_noise (CheckRandom *random, gint step, gdouble amount, gint width, gint height, gfloat *pixels)
{
  const gint columns = width / step + 2, rows = height / step + 2;
  gdouble   *grid = g_new (gdouble, columns * rows);

  for (gint i = 0; i < columns * rows; i++)
    grid[i] = amount * (check_uniform (random) - 0.5);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gdouble u = (gdouble) (x % step) / step, v = (gdouble) (y % step) / step;
        const gdouble a = u * u * (3 - 2 * u), b = v * v * (3 - 2 * v);
        const gdouble *at = grid + y / step * columns + x / step;

        pixels[y * width + x] += (1 - b) * ((1 - a) * at[0] + a * at[1]) + b * ((1 - a) * at[columns] + a * at[columns + 1]);
      }
  g_free (grid);
}

static void
draw_noise (CheckRandom *random, gint width, gint height, gfloat *pixels)
{
  const gint first = 1 + check_below (random, 4);

  for (gint i = 0; i < width * height; i++)
    pixels[i] = 0.5f;
  for (gint step = first; step <= 40; step *= 2)
    add_noise (random, step, between (random, 0.1, 0.6), width, height, pixels);
}

static void
draw_blobs (CheckRandom *random, gboolean centred, gint width, gint height, gfloat *pixels)
{
  const gint n = 1 + width * height / 600;

  for (gint blob = 0; blob < n; blob++)
    {
      const gdouble sigma = log_between (random, 0.8, 12.0), amount = between (random, -0.7, 0.7);
      gdouble       x = between (random, 0, width), y = between (random, 0, height);
      const gint    reach = ceil (4 * sigma);

      if (centred)
        {
          x = floor (x);
          y = floor (y);
        }
      for (gint row = MAX (0, y - reach); row < MIN (height, y + reach + 1); row++)
        for (gint column = MAX (0, x - reach); column < MIN (width, x + reach + 1); column++)
          pixels[row * width + column] += amount * exp (-((row - y) * (row - y) + (column - x) * (column - x))
                                                        / (2 * sigma * sigma));
    }
}

static void
draw_checkerboard (CheckRandom *random, gint width, gint height, gfloat *pixels)
{
  const gint   side = check_chance (random, 70) ? 16 : 5 + check_below (random, 20);
  const gfloat values[2] = { check_chance (random, 50) ? 0.0 : between (random, 0, 0.5),
                             check_chance (random, 50) ? 1.0 : between (random, 0.5, 1) };

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      pixels[y * width + x] = values[(x / side + y / side) % 2];
}

/* Flat rectangles and discs. */
static void
draw_plateaus (CheckRandom *random, gint width, gint height, gfloat *pixels)
{
  for (gint i = 0; i < 1 + width * height / 900; i++)
    {
      const gint    reach = 1 + check_below (random, 14), x = check_below (random, width), y = check_below (random, height);
      const gint    flat = 1 + check_below (random, 3);
      const gdouble value = check_below (random, 5) / 4.0;

      for (gint row = MAX (0, y - reach); row <= MIN (height - 1, y + reach); row++)
        for (gint column = MAX (0, x - reach); column <= MIN (width - 1, x + reach); column++)
          if (flat == 1 || (row - y) * (row - y) + (column - x) * (column - x) <= reach * reach)
            pixels[row * width + column] = value;
    }
}

static void
draw_photograph (CheckRandom *random, const gchar *path, gint width, gint height, gfloat *pixels)
{
  GeglNode      *graph = gegl_node_new (), *node = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  GeglRectangle  box = gegl_node_get_bounding_box (node), part = { 0, 0, width, height };

  part.x = check_below (random, MAX (1, box.width - width));
  part.y = check_below (random, MAX (1, box.height - height));
  gegl_node_blit (node, 1.0, &part, babl_format ("Y~ float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
}

static void
scale (gdouble factor, gint n, gfloat *pixels)
{
  for (gint i = 0; i < n; i++)
    pixels[i] *= factor;
}

static void
draw_content (SiftCase *c, CheckRandom *random, const gchar *const *photographs)
{
  static const gfloat specials[] = { NAN, INFINITY, -INFINITY };
  const gint          width = c->box.width, height = c->box.height, n = width * height;

  c->luminance = g_new0 (gfloat, n);
  switch (c->content)
    {
    case SIFT_BLOBS:
    case SIFT_CENTRED:
      draw_blobs (random, c->content == SIFT_CENTRED, width, height, c->luminance);
      break;
    case SIFT_CHECKERBOARD:
      draw_checkerboard (random, width, height, c->luminance);
      break;
    case SIFT_PLATEAUS:
      draw_plateaus (random, width, height, c->luminance);
      break;
    case SIFT_PHOTOGRAPH:
      draw_photograph (random, photographs[check_below (random, g_strv_length ((gchar **) photographs))], width, height,
                       c->luminance);
      break;
    case SIFT_FLAT:
      for (gint i = 0; i < n; i++)
        c->luminance[i] = 0.4f;
      break;
    default:
      draw_noise (random, width, height, c->luminance);
      break;
    }
  if (c->content == SIFT_DENORMALS)
    scale (1e-39, n, c->luminance);
  if (c->content == SIFT_FAINT)
    for (gint i = 0; i < n; i++)
      c->luminance[i] = 0.7f + 2e-6f * c->luminance[i];
  if (c->content == SIFT_HDR)
    scale (log_between (random, 10, 1e30), n, c->luminance);
  if (c->content == SIFT_SPECIALS)
    for (gint i = 0; i < 1 + n / 300; i++)
      c->luminance[check_below (random, n)] = specials[check_below (random, G_N_ELEMENTS (specials))];
}

/* -------------------------------------------------------------- settings -- */

/* Is the number of taps of a blur left open?  4 sigma is then a whole number but for what rounding makes of the formula. */
static gboolean
has_open_radius (const RefSiftSettings *settings)
{
  for (gint layer = 0; layer <= settings->intervals + 2; layer++)
    {
      gdouble sigma;

      reference_sift_radius (settings, layer, &sigma);
      if (fabs (4 * sigma - floor (4 * sigma + 0.5)) < 1e-9 && layer > 0)
        return TRUE;
    }
  return FALSE;
}

static void
draw_settings (SiftCase *c, CheckRandom *random)
{
  RefSiftSettings *s = &c->settings;

  *s = (RefSiftSettings) { 0, 3, 0.04, 10, 1.6, TRUE, 0, 0, FALSE };
  if (check_chance (random, 40))
    s->octaves = check_chance (random, 20) ? 16 : 1 + check_below (random, 4);
  if (check_chance (random, 50))
    s->intervals = 1 + check_below (random, REF_SIFT_MOST_INTERVALS);
  if (check_chance (random, 60))
    s->contrast_threshold = check_chance (random, 20) ? 0 : log_between (random, 0.002, 0.5);
  if (check_chance (random, 40))
    s->edge_threshold = check_chance (random, 10) ? 2 : log_between (random, 2, 100);
  do
    s->sigma = check_chance (random, 50) ? 1.6 : check_chance (random, 30) ? 0.8 + check_below (random, 33) / 10.0
                                                                          : between (random, 0.8, 4);
  while (has_open_radius (s));
  s->upsample = check_chance (random, 65);
  if (check_chance (random, 30))
    s->max_features = check_chance (random, 20) ? 1000000 : 1 + check_below (random, 60);
  if (c->content == SIFT_DENORMALS || c->content == SIFT_FAINT)
    s->contrast_threshold = 0;
}

static void
draw_box (SiftCase *c, CheckRandom *random)
{
  const gint largest = check_chance (random, 10) ? LONGEST : 150;

  c->box.width = (gint) log_between (random, 20, largest + 0.999);
  c->box.height = (gint) log_between (random, 20, MIN (largest, HIGHEST) + 0.999);
  if (check_chance (random, 12))
    c->box.width = 1 + check_below (random, 24);
  if (check_chance (random, 12))
    c->box.height = 1 + check_below (random, 24);
  if (c->content == SIFT_FAINT || c->content == SIFT_DENORMALS)         /* many are found */
    {
      c->box.width = MIN (c->box.width, 64);
      c->box.height = MIN (c->box.height, 64);
    }
  if (check_chance (random, 40))
    {
      c->box.x = check_below (random, 4000) - 2000;
      c->box.y = check_below (random, 4000) - 2000;
    }
}

/* ------------------------------------------------------------------ case -- */

/* What a conversion makes of the luminance is off by some 1e-7.  It must not decide anything. */
static void
soften (SiftCase *c)
{
  static const SiftContent contents[] = { SIFT_NOISE, SIFT_BLOBS, SIFT_PHOTOGRAPH };

  c->content = contents[c->content % G_N_ELEMENTS (contents)];
  c->settings.contrast_threshold = MAX (c->settings.contrast_threshold, 0.01);
  c->settings.max_features = 0;
  c->settings.input_error = 1e-6;
}

static void
draw_default (SiftCase *c, SiftContent content, gint width, gint height)
{
  c->box = (GeglRectangle) { -3, 7, width, height };
  c->content = content;
  c->format = SIFT_Y;
  c->settings = (RefSiftSettings) { 0, 3, 0.04, 10, 1.6, TRUE, 0, 0, FALSE };
}

/* The one pixel that an octave of 11 pixels has inside its frame. */
static void
draw_smallest (SiftCase *c)
{
  for (gint y = 0; y < 11; y++)
    for (gint x = 0; x < 11; x++)
      c->luminance[11 * y + x] = exp (-((x - 5.1) * (x - 5.1) + (y - 4.9) * (y - 4.9)) / (2 * 2.2 * 2.2));
  c->settings.upsample = FALSE;
}

/* The first cases are 1x1, the largest size, the checkerboard of 225 crossings, the smallest octave, and one that is cut into
 * strips: they have at most 32 MiB a level in the specification, and 8 in the product. */
void
sift_case_draw (guint64 seed, gint number, const gchar *const *photographs, SiftCase *c)
{
  CheckRandom random = { check_hash (seed ^ check_hash (number)) };

  *c = (SiftCase) { .seed = seed, .number = number, .content = check_below (&random, SIFT_CONTENTS) };
  if (c->content == SIFT_FLAT && check_chance (&random, 70))
    c->content = SIFT_FAINT;
  c->format = check_chance (&random, 60) ? SIFT_Y : check_below (&random, SIFT_FORMATS);
  draw_box (c, &random);
  draw_settings (c, &random);
  if (number == 0)
    draw_default (c, SIFT_FLAT, 1, 1);
  if (number == 1)
    draw_default (c, SIFT_PHOTOGRAPH, LONGEST, HIGHEST);
  if (number == 2)
    draw_default (c, SIFT_CHECKERBOARD, 256, 256);
  if (number == 3)
    draw_default (c, SIFT_FLAT, 11, 11);
  if (number == 4)
    draw_default (c, SIFT_BLOBS, WIDEST, 200);
  c->settings.root = number % 3 == 2;
  if (c->format > SIFT_YA)
    soften (c);
  draw_content (c, &random, photographs);
  if (number == 3)
    draw_smallest (c);
}

void
sift_case_clear (SiftCase *c)
{
  g_free (c->luminance);
  c->luminance = NULL;
}

gchar *
sift_case_text (const SiftCase *c)
{
  static const gchar *const contents[] = { "noise", "blobs", "centred blobs", "checkerboard", "plateaus", "photograph",
                                           "NaN and Inf", "denormals", "HDR", "flat", "faint noise" };
  static const gchar *const formats[] = { "Y~ float", "Y~aA float", "RGBA float", "R'G'B'A u8" };
  const RefSiftSettings    *s = &c->settings;

  return g_strdup_printf ("%s in %s, %dx%d at %d,%d, octaves=%d intervals=%d contrast-threshold=%.17g edge-threshold=%.17g "
                          "sigma=%.17g upsample=%d max-features=%d normalization=%s; repeat: %s --seed %" G_GUINT64_FORMAT " --case %d",
                          contents[c->content], formats[c->format], c->box.width, c->box.height, c->box.x, c->box.y, s->octaves,
                          s->intervals, s->contrast_threshold, s->edge_threshold, s->sigma, s->upsample, s->max_features, s->root ? "root" : "l2",
                          g_get_prgname (), c->seed, c->number);
}

/* ---------------------------------------------------------------- buffer -- */

/* A patch of the picture is transparent. */
static gboolean
is_hidden (const SiftCase *c, gint x, gint y)
{
  return c->format != SIFT_Y && x >= c->box.width / 3 && x < c->box.width / 2 && y >= c->box.height / 4 && y < c->box.height / 2;
}

GeglBuffer *
sift_case_buffer (const SiftCase *c)
{
  static const gchar *const written[] = { "Y~ float", "Y~aA float", "R~G~B~A float", "R~G~B~A float" };
  static const gchar *const stored[] = { "Y~ float", "Y~aA float", "RGBA float", "R'G'B'A u8" };
  GeglBuffer *buffer = gegl_buffer_new (&c->box, babl_format (stored[c->format]));
  const Babl *format = babl_format (written[c->format]);
  const gint  components = babl_format_get_n_components (format);
  gfloat     *pixels = g_new (gfloat, (gsize) components * c->box.width * c->box.height);

  for (gint y = 0; y < c->box.height; y++)
    for (gint x = 0; x < c->box.width; x++)
      {
        const gsize    at = (gsize) y * c->box.width + x;
        const gboolean hidden = is_hidden (c, x, y);

        if (hidden)
          c->luminance[at] = 0.0f;
        for (gint i = 0; i < components; i++)
          pixels[at * components + i] = components > 1 && i == components - 1 ? (hidden ? 0.0f : 1.0f)
                                        : hidden && components == 4 ? (gfloat) ((x + y) % 2) : c->luminance[at];
      }
  gegl_buffer_set (buffer, NULL, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}
