/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws one case from a seed and a number. */
#include "check.h"

#define BUDGET 2.0e6            /* reads of the reference in one case */
#define MAX_PIXELS 90000
#define MOST_BANDS 24

static gint
draw_length (CheckRandom *random, gint max)
{
  static const gint primes[] = { 2, 3, 5, 7, 11, 13, 31, 61, 127, 251, 509 };
  static const gint groups[] = { 8, 16, 64 };
  gint              kind = check_below (random, 100);
  gint              length;

  if (kind < 12)
    length = 1;
  else if (kind < 22)
    length = primes[check_below (random, G_N_ELEMENTS (primes))];
  else if (kind < 40)
    {
      gint group = groups[check_below (random, G_N_ELEMENTS (groups))];

      length = group * (1 + check_below (random, 3)) + check_below (random, 3) - 1;
    }
  else
    length = (gint) check_power (max + 1.0, check_uniform (random));
  return CLAMP (length, 1, max);
}

static gint
draw_origin (CheckRandom *random)
{
  static const gint origins[] = { 0, 0, -1, 1, -7, 13, -64, 127, -1000, 4097, 1 << 20, -(1 << 20) - 3 };

  return origins[check_below (random, G_N_ELEMENTS (origins))];
}

static gdouble
draw_value (CheckRandom *random, const CheckProperty *property)
{
  gdouble span = property->max - property->min;
  gdouble low = property->min > 0 ? property->min : MIN (0.05, property->max / 100);
  gdouble value;
  gint    kind = check_below (random, 100);

  if (property->kind == CHECK_ENUM || property->kind == CHECK_TEXT || property->kind == CHECK_BOOLEAN)
    return check_below (random, (gint) property->max + 1);
  if (kind < 5)
    return property->min;
  if (kind < 9)
    return property->max;
  if (kind < 22)
    return property->def;
  value = property->draw == CHECK_LOG ? low * check_power (property->max / low, check_uniform (random))
                                      : property->min + span * check_uniform (random);
  if (property->kind == CHECK_INT || kind < 35)
    value = floor (value + 0.5);
  else if (kind < 55 && property->grid > 0)
    value = floor (value / property->grid + 0.5) * property->grid;
  return CLAMP (value, property->min, property->max);
}

static void
draw_roi (CheckRandom *random, const CheckFilter *filter, CheckCase *c)
{
  GeglRectangle box = check_output_box (filter, c);
  gint          kind = check_below (random, 100);
  gint          x0 = box.x - c->field[CHECK_X], y0 = box.y - c->field[CHECK_Y];
  gint          w = 1 + check_below (random, box.width), h = 1 + check_below (random, box.height);

  if (kind < 45)
    return;
  if (kind < 60)
    w = h = 1;
  else if (kind < 68)
    w = box.width, h = 1 + check_below (random, 3);
  else if (kind < 76)
    h = box.height, w = 1 + check_below (random, 3);
  w = MIN (w, box.width);
  h = MIN (h, box.height);
  c->field[CHECK_ROI_X] = x0 + check_below (random, box.width - w + 1);
  c->field[CHECK_ROI_Y] = y0 + check_below (random, box.height - h + 1);
  c->field[CHECK_ROI_W] = w;
  c->field[CHECK_ROI_H] = h;
}

static gdouble
cost_of (const CheckFilter *filter, const gdouble *values)
{
  gint x, y;

  check_halo (filter, values, &x, &y);
  return filter->cost ? filter->cost (values) : (2.0 * x + 1) * (2.0 * y + 1);
}

/* Keeps image and region small enough for the reference: first the region
 * becomes a part of the output, or the image itself is made smaller. */
static void
bound_cost (CheckRandom *random, const CheckFilter *filter, CheckCase *c)
{
  gdouble  cost = cost_of (filter, c->value);
  gboolean by_roi = check_chance (random, 50);

  while (c->field[CHECK_WIDTH] * c->field[CHECK_HEIGHT] > MAX_PIXELS)
    c->field[c->field[CHECK_WIDTH] > c->field[CHECK_HEIGHT] ? CHECK_WIDTH : CHECK_HEIGHT] /= 2;
  for (gint i = 0; i < 40; i++)
    {
      GeglRectangle roi;

      check_normalise (filter, c);
      roi = check_roi (filter, c);
      if ((gdouble) roi.width * roi.height * cost <= BUDGET)
        break;
      if (by_roi || c->field[CHECK_WIDTH] * c->field[CHECK_HEIGHT] <= 4)
        {
          c->field[CHECK_ROI_X] = roi.x - c->field[CHECK_X];
          c->field[CHECK_ROI_Y] = roi.y - c->field[CHECK_Y];
          c->field[CHECK_ROI_W] = roi.width > roi.height ? roi.width / 2 : roi.width;
          c->field[CHECK_ROI_H] = roi.width > roi.height ? roi.height : MAX (roi.height / 2, 1);
        }
      else
        c->field[c->field[CHECK_WIDTH] > c->field[CHECK_HEIGHT] ? CHECK_WIDTH : CHECK_HEIGHT] /= 2;
    }
}

/* Each band reads its halo anew: hundreds of them take seconds, and show no more than some. */
static void
bound_bands (const CheckFilter *filter, CheckCase *c)
{
  const GeglRectangle roi = check_roi (filter, c);
  const gint          rows = MAX (roi.height, c->field[CHECK_HEIGHT]);

  if (c->field[CHECK_BANDS])
    c->field[CHECK_BANDS] = MAX (c->field[CHECK_BANDS], (rows + MOST_BANDS - 1) / MOST_BANDS);
}

/* babl gives a grey NaN or Inf of another space an alpha of NaN; with alpha, where it changes the curve. */
static gboolean
babl_mixes (const CheckFilter *filter, const CheckCase *c)
{
  const gint n = check_components (filter, c);

  return n % 2 || (n == 2 && babl_get_model_flags (check_working_format (filter, c)) & BABL_MODEL_FLAG_NONLINEAR);
}

static void
draw_buffers (CheckRandom *random, const CheckFilter *filter, CheckCase *c)
{
  static const gint bands[] = { 0, 0, 1, 3, 17, 64 };
  static const gint threads[] = { 0, 0, 0, 1, 3 };
  static const gint alphas[] = { CHECK_ALPHA_OPAQUE, CHECK_ALPHA_OPAQUE, CHECK_ALPHA_OPAQUE, CHECK_ALPHA_OPAQUE,
                                 CHECK_ALPHA_RANDOM, CHECK_ALPHA_RANDOM, CHECK_ALPHA_RANDOM,
                                 CHECK_ALPHA_ZERO, CHECK_ALPHA_PATCHES, CHECK_ALPHA_PATCHES };

  if (check_chance (random, 55))
    c->field[CHECK_FORMAT] = check_below (random, CHECK_FORMATS_DRAWN);
  if (check_chance (random, 20))
    c->field[CHECK_SPACE] = 1 + check_below (random, 2);
  c->field[CHECK_STORAGE] = check_below (random, CHECK_STORAGES);
  c->field[CHECK_TILE_W] = 1 + check_below (random, 70);
  c->field[CHECK_TILE_H] = 1 + check_below (random, 70);
  c->field[CHECK_CONTENT] = check_below (random, CHECK_CONTENT_NAN);
  c->field[CHECK_ALPHA] = alphas[check_below (random, G_N_ELEMENTS (alphas))];
  if (check_chance (random, 15))
    c->field[CHECK_SPECIALS] = 1 + check_below (random, 100);
  if (c->field[CHECK_SPACE] && babl_mixes (filter, c))
    c->field[CHECK_SPECIALS] = 0;
  c->field[CHECK_SINK] = check_chance (random, 30) ? check_below (random, CHECK_SINKS) : CHECK_SINK_BLIT;
  c->field[CHECK_PAD] = check_below (random, 5);
  c->field[CHECK_BANDS] = bands[check_below (random, G_N_ELEMENTS (bands))];
  c->field[CHECK_SENT] = check_below (random, 2);
  c->field[CHECK_THREADS] = threads[check_below (random, G_N_ELEMENTS (threads))];
  if (filter->has_aux && check_chance (random, 30))
    {
      c->field[CHECK_AUX] = 1 + (check_chance (random, 60) ? 0 : check_below (random, CHECK_FORMATS_DRAWN));
      c->field[CHECK_AUX_CONTENT] = check_below (random, CHECK_CONTENT_NAN);
    }
}

/* A second image often has a box of its own, in the image, over its edge or beside it, and a space of its own. */
static void
draw_aux (const CheckFilter *filter, CheckCase *c)
{
  CheckRandom random = { check_hash (c->content_seed + 81) };
  const gint  w = c->field[CHECK_WIDTH], h = c->field[CHECK_HEIGHT];

  if (! filter->has_aux || ! c->field[CHECK_AUX])
    return;
  if (check_chance (&random, 50))
    {
      c->field[CHECK_AUX_W] = 1 + check_below (&random, w + 20);
      c->field[CHECK_AUX_H] = 1 + check_below (&random, h + 20);
      c->field[CHECK_AUX_X] = check_below (&random, w + c->field[CHECK_AUX_W] + 60) - c->field[CHECK_AUX_W] - 30;
      c->field[CHECK_AUX_Y] = check_below (&random, h + c->field[CHECK_AUX_H] + 60) - c->field[CHECK_AUX_H] - 30;
    }
  if (check_chance (&random, 40))
    c->field[CHECK_AUX_SPACE] = 1 + check_below (&random, 3);
}

/* Every eighth case is one of the settings that chance would miss.  Settings that name their region come last, and cost what they cost. */
static void
draw_corner (const CheckFilter *filter, CheckCase *c, gboolean has_region)
{
  const gchar *corner;
  GError      *error = NULL;
  gint         n = 0;

  while (filter->corners && filter->corners[n])
    n++;
  if (! n || c->number % 8 != 7)
    return;
  corner = filter->corners[c->number / 8 % n];
  if ((strstr (corner, "roi-w") != NULL) == has_region && ! check_override (filter, c, corner, &error))
    g_error ("%s", error->message);
}

void
check_draw (const CheckFilter *filter,
            guint64            seed,
            gint               number,
            gint               max_size,
            CheckCase         *c)
{
  CheckRandom random = { check_hash (seed ^ check_hash ((guint64) number + 1)) };

  memset (c, 0, sizeof *c);
  c->seed = seed;
  c->number = number;
  c->content_seed = check_next (&random);
  c->field[CHECK_WIDTH] = draw_length (&random, max_size);
  c->field[CHECK_HEIGHT] = draw_length (&random, max_size);
  c->field[CHECK_X] = draw_origin (&random);
  c->field[CHECK_Y] = check_chance (&random, 40) ? c->field[CHECK_X] : draw_origin (&random);
  for (gint i = 0; i < filter->n_properties; i++)
    c->value[i] = draw_value (&random, &filter->properties[i]);
  draw_buffers (&random, filter, c);
  draw_aux (filter, c);
  check_draw_curves (c);
  draw_corner (filter, c, FALSE);
  draw_roi (&random, filter, c);
  bound_cost (&random, filter, c);
  bound_bands (filter, c);
  draw_corner (filter, c, TRUE);
  check_normalise (filter, c);
}

/* All that hold of these properties in turn. */
static gint
law_for (const CheckFilter *filter, const CheckCase *c, gint number)
{
  guint laws = check_laws_of (filter, c->value);
  gint  law = 1 + number % (CHECK_LAWS - 1);

  while (! (laws & (1u << law)))
    law = law + 1 < CHECK_LAWS ? law + 1 : 1;
  return law;
}

/* Image and reach such that a filter does not reach everywhere from anywhere. */
static void
narrow (const CheckFilter *filter, CheckCase *c)
{
  static const gchar *const reaches[] = { "radius", "length", "std-dev", "std-dev-x", "std-dev-y", NULL };
  gint                      x, y, least;

  c->field[CHECK_WIDTH] = MAX (c->field[CHECK_WIDTH], 24);
  c->field[CHECK_HEIGHT] = MAX (c->field[CHECK_HEIGHT], 24);
  least = MIN (c->field[CHECK_WIDTH], c->field[CHECK_HEIGHT]);
  for (gint k = 0; k < 12; k++)
    {
      check_halo (filter, c->value, &x, &y);
      if (MAX (x, y) <= least / 5)
        return;
      for (gint i = 0; i < filter->n_properties; i++)
        if (g_strv_contains (reaches, filter->properties[i].name))
          c->value[i] = filter->properties[i].kind == CHECK_INT ? floor (c->value[i] / 2) : c->value[i] / 2;
      check_normalise (filter, c);
    }
}

/* What a filter needs of its input and what a change reaches is most where the image is repeated; and what it needs
 * shows only where it does not need all.  An edge that moves matters most where the image is not repeated. */
void
check_draw_law (const CheckFilter *filter,
                gint               number,
                CheckCase         *c)
{
  const gint     law = law_for (filter, c, number);
  const gint     turn = number / (CHECK_LAWS - 1);
  const gboolean repeats = law == CHECK_LAW_MOVE ? turn % 2 == 0
                           : (law == CHECK_LAW_UPDATE || law == CHECK_LAW_NEIGHBOUR) && turn % 4 < 3;
  GeglRectangle  box;

  c->field[CHECK_LAW] = law;
  if (law == CHECK_LAW_MOVE)
    narrow (filter, c);
  if (repeats)
    for (gint i = 0; i < filter->n_properties; i++)
      for (gint k = 0; ! strcmp (filter->properties[i].name, "border") && filter->properties[i].nicks[k]; k++)
        if (! strcmp (filter->properties[i].nicks[k], "loop"))
          {
            c->value[i] = k;
            narrow (filter, c);
            if (law == CHECK_LAW_UPDATE)
              c->field[CHECK_ROI_W] = c->field[CHECK_ROI_H] = 0;        /* the far side is in it */
          }
  check_normalise (filter, c);
  box = check_output_box (filter, c);
  if (law == CHECK_LAW_NEIGHBOUR && ! c->field[CHECK_ROI_W] && box.width > 0 && box.height > 0)
    {
      c->field[CHECK_ROI_X] = box.x - c->field[CHECK_X];
      c->field[CHECK_ROI_Y] = box.y - c->field[CHECK_Y];
      c->field[CHECK_ROI_W] = (box.width + 2) / 3;
      c->field[CHECK_ROI_H] = (box.height + 1) / 2;
    }
}

void
check_default_values (const CheckFilter *filter,
                      gdouble           *values)
{
  for (gint i = 0; i < filter->n_properties; i++)
    values[i] = filter->properties[i].def;
}

GeglRectangle
check_image_box (const CheckCase *c)
{
  return (GeglRectangle) { c->field[CHECK_X], c->field[CHECK_Y],
                           c->field[CHECK_WIDTH], c->field[CHECK_HEIGHT] };
}

GeglRectangle
check_output_box (const CheckFilter *filter,
                  const CheckCase   *c)
{
  GeglRectangle box = check_image_box (c);

  if (filter->bounds)
    filter->bounds (c->value, &box);
  return box;
}

GeglRectangle
check_roi (const CheckFilter *filter,
           const CheckCase   *c)
{
  GeglRectangle roi = { c->field[CHECK_X] + c->field[CHECK_ROI_X],
                        c->field[CHECK_Y] + c->field[CHECK_ROI_Y],
                        c->field[CHECK_ROI_W], c->field[CHECK_ROI_H] };

  return roi.width > 0 && roi.height > 0 ? roi : check_output_box (filter, c);
}

/* Makes the parts fit each other after an override or a step of the shrinker:
 * the region inside the output, sizes positive. */
void
check_normalise (const CheckFilter *filter,
                 CheckCase         *c)
{
  GeglRectangle box, roi;

  if (filter->only_srgb)
    c->field[CHECK_SPACE] = 0;
  c->field[CHECK_WIDTH] = MAX (c->field[CHECK_WIDTH], 1);
  c->field[CHECK_HEIGHT] = MAX (c->field[CHECK_HEIGHT], 1);
  c->field[CHECK_TILE_W] = MAX (c->field[CHECK_TILE_W], 1);
  c->field[CHECK_TILE_H] = MAX (c->field[CHECK_TILE_H], 1);
  if (! c->field[CHECK_AUX])
    c->field[CHECK_AUX_CONTENT] = c->field[CHECK_AUX_SPACE] = 0;
  if (! c->field[CHECK_AUX] || c->field[CHECK_AUX_W] <= 0 || c->field[CHECK_AUX_H] <= 0)
    c->field[CHECK_AUX_X] = c->field[CHECK_AUX_Y] = c->field[CHECK_AUX_W] = c->field[CHECK_AUX_H] = 0;
  for (gint i = 0; i < filter->n_properties; i++)
    c->value[i] = CLAMP (c->value[i], filter->properties[i].min, filter->properties[i].max);
  box = check_output_box (filter, c);
  if (c->field[CHECK_ROI_W] <= 0 || c->field[CHECK_ROI_H] <= 0)
    {
      c->field[CHECK_ROI_X] = c->field[CHECK_ROI_Y] = 0;
      c->field[CHECK_ROI_W] = c->field[CHECK_ROI_H] = 0;
      return;
    }
  roi = check_roi (filter, c);
  roi.width = MIN (roi.width, box.width);
  roi.height = MIN (roi.height, box.height);
  roi.x = CLAMP (roi.x, box.x, box.x + box.width - roi.width);
  roi.y = CLAMP (roi.y, box.y, box.y + box.height - roi.height);
  c->field[CHECK_ROI_X] = roi.x - c->field[CHECK_X];
  c->field[CHECK_ROI_Y] = roi.y - c->field[CHECK_Y];
  c->field[CHECK_ROI_W] = roi.width;
  c->field[CHECK_ROI_H] = roi.height;
}
