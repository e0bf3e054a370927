/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the test images show.  Every value is a function of the case's content
 * seed and the pixel's place alone, so that a smaller image shows a part of
 * the larger one.  None comes from libm, so that every system draws the same. */
#include "check.h"

typedef struct
{
  guint64 seed;
  gint    content, width, height;
} Painter;

static guint64
place_hash (const Painter *p, gint x, gint y, gint channel)
{
  return check_hash (p->seed ^ check_hash (((guint64) (guint) y << 34) ^ ((guint64) (guint) x << 3)
                                           ^ (guint64) channel));
}

static gdouble
place_uniform (const Painter *p, gint x, gint y, gint channel)
{
  return (place_hash (p, x, y, channel) >> 11) * (1.0 / 9007199254740992.0);
}

/* Nearly: the sum of four uniform numbers. */
static gdouble
gaussian (const Painter *p, gint x, gint y, gint channel)
{
  const guint64 hash = place_hash (p, x, y, channel);
  const guint   sum = (hash & 0xffff) + (hash >> 16 & 0xffff) + (hash >> 32 & 0xffff) + (hash >> 48);

  return (sum / 65536.0 - 2) * 1.7320508;
}

static gdouble
wave (gdouble radians)
{
  return tessera_sin_degrees (radians * 57.29578);
}

/* Smooth light, hard edges, texture and a little sensor noise: what makes a
 * photograph, without one. */
static gdouble
natural (const Painter *p, gint x, gint y, gint channel)
{
  gdouble px = x + (gdouble) (p->seed & 1023), py = y + (gdouble) ((p->seed >> 10) & 1023);
  gdouble light = 0.45 + 0.25 * wave (px / 37 + channel) + 0.2 * wave (py / 53 - 0.5 * channel);
  gdouble dx = fmod (px, 90) - 45, dy = fmod (py, 70) - 35;

  if (dx * dx + dy * dy < 500)
    light = 0.9 - 0.2 * channel;
  else if (fmod (px + 2 * py, 61) < 4)
    light *= 0.2;
  light += 0.05 * wave (px * 1.7) * wave (py * 2.3) + 0.01 * gaussian (p, x, y, channel);
  return CLAMP (light, 0, 1);
}

static gdouble
ties (const Painter *p, gint x, gint y, gint channel)
{
  static const gdouble units[] = { 0.125, 0.1, 0.05, 1.0 / 3, 0.25 };
  gdouble              unit = units[p->seed % G_N_ELEMENTS (units)];

  return unit * (gdouble) (place_hash (p, x, y, channel) % 9);
}

/* For the bilateral grid with a range sigma of 0.5: small planes, and those from 2^22 on, of which each float is one. */
static gdouble
far (const Painter *p, gint x, gint y, gint channel)
{
  const guint64 hash = place_hash (p, x, y, channel);

  return hash & 1 ? 0x1p21 + 0.25 * (gdouble) (hash / 2 % 41) : 10 * place_uniform (p, x, y, channel + 4);
}

static gdouble
paint (const Painter *p, gint x, gint y, gint channel)
{
  gdouble u = place_uniform (p, x, y, channel);

  switch (p->content)
    {
    case CHECK_CONTENT_GAUSSIAN: return 0.5 + 0.2 * gaussian (p, x, y, channel);
    case CHECK_CONTENT_RUNS:     return place_hash (p, x / 5, y, channel) & 1;
    case CHECK_CONTENT_CONSTANT: return place_uniform (p, -1, -1, channel);
    case CHECK_CONTENT_IMPULSE:  return x == p->width / 2 && y == p->height / 2;
    case CHECK_CONTENT_STEP:     return (x < p->width / 2) ^ (channel == 1);
    case CHECK_CONTENT_RAMP:     return channel == 1 ? y / (gdouble) p->height : x / (gdouble) p->width;
    case CHECK_CONTENT_TIES:     return ties (p, x, y, channel);
    case CHECK_CONTENT_NATURAL:  return natural (p, x, y, channel);
    case CHECK_CONTENT_NEGATIVE: return 2 * u - 1;
    case CHECK_CONTENT_HDR:      return 1e4 * check_power (1e26, u);
    case CHECK_CONTENT_DENORMAL: return floor (u * 8000) * 1.401298464324817e-45;
    case CHECK_CONTENT_NAN:      return NAN;
    case CHECK_CONTENT_FAR:      return far (p, x, y, channel);
    case CHECK_CONTENT_FAINT:    return x >= p->width / 2 ? 1 : 1e-8 * (gdouble) (place_hash (p, x, y, channel) & 1);
    default:                     return u;
    }
}

#define BLOCK 16                /* pixels; that of a tile in half of the runs */

/* Is the pixel one of a hole in the picture? */
static gboolean
in_hole (const Painter *p, gint mode, gint x, gint y)
{
  const gint dx = x % 24 - 12, dy = y % 20 - 10, margin = 1 + (gint) (p->seed % 9);

  switch (mode)
    {
    case CHECK_ALPHA_PATCHES:   return ! (place_hash (p, x / 4, y / 4, 3) & 1);
    case CHECK_ALPHA_ISLANDS:   return dx * dx + dy * dy > 49;
    case CHECK_ALPHA_BORDER:    return MIN (x, y) < margin || p->width - x <= margin || p->height - y <= margin;
    case CHECK_ALPHA_SCATTERED: return place_hash (p, x, y, 5) % 8 == 0;
    case CHECK_ALPHA_BLOCKS:    return place_hash (p, x / BLOCK, y / BLOCK, 3) & 1;
    default:                    return FALSE;
    }
}

/* Around the holes the picture is opaque, or as transparent as it likes. */
static gdouble
paint_alpha (const Painter *p, gint mode, gint x, gint y)
{
  if (mode == CHECK_ALPHA_RANDOM)
    return place_uniform (p, x, y, 3);
  if (mode == CHECK_ALPHA_ZERO)
    return 0;
  if (in_hole (p, mode, x, y))
    return 0;
  return mode == CHECK_ALPHA_PATCHES || (mode > CHECK_ALPHA_PATCHES && p->seed >> 7 & 1) ? place_uniform (p, x, y, 3) : 1;
}

static gfloat
paint_special (guint64 hash)
{
  return hash % 5 == 0 ? -0.0f : hash & 1 ? NAN : hash & 2 ? INFINITY : -INFINITY;
}

gfloat *
check_paint (const CheckFilter *filter,
             const CheckCase   *c)
{
  gint     content = c->field[CHECK_CONTENT];
  Painter  p = { c->content_seed, content, c->field[CHECK_WIDTH], c->field[CHECK_HEIGHT] };
  gint     n = check_components (filter, c);
  gfloat  *pixels = g_new (gfloat, (gsize) p.width * p.height * n), *out = pixels;
  gboolean all = content == CHECK_CONTENT_NAN || content == CHECK_CONTENT_IMPULSE;

  for (gint y = 0; y < p.height; y++)
    for (gint x = 0; x < p.width; x++)
      for (gint channel = 0; channel < n; channel++, out++)
        {
          *out = (gfloat) (channel != (n == 2 ? 1 : 3) || all ? paint (&p, x, y, channel)
                                              : paint_alpha (&p, c->field[CHECK_ALPHA], x, y));
          if ((gint) (place_hash (&p, x, y, 10 + channel) % 10000) < c->field[CHECK_SPECIALS])
            *out = paint_special (place_hash (&p, x, y, 20 + channel));
        }
  return pixels;
}
