/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a part of the result needs of each level.
 */
#include "config.h"

#include "denoise.h"

#define WINDOWS 14              /* pixels around, that two stages of windows of 8 see */

static GeglRectangle
grown (const GeglRectangle *rect, gint by)
{
  return (GeglRectangle) { rect->x - by, rect->y - by, rect->width + 2 * by, rect->height + 2 * by };
}

/* Of the image, and of another rectangle. */
static GeglRectangle
within (GeglRectangle rect, const DenoiseParts *parts, gint level)
{
  gegl_rectangle_intersect (&rect, &rect, GEGL_RECTANGLE (0, 0, parts->width[level], parts->height[level]));
  return rect;
}

/* The pixels of the next level between which those of rect lie. */
static GeglRectangle
coarse_of (const GeglRectangle *rect)
{
  const gint left = (rect->x - 1) >> 1, top = (rect->y - 1) >> 1;

  return (GeglRectangle) { left, top, ((rect->x + rect->width) >> 1) - left + 1, ((rect->y + rect->height) >> 1) - top + 1 };
}

static GeglRectangle
fine_of (const GeglRectangle *rect)
{
  return (GeglRectangle) { 2 * rect->x, 2 * rect->y, 2 * rect->width, 2 * rect->height };
}

static GeglRectangle
hull (const GeglRectangle *a, const GeglRectangle *b)
{
  GeglRectangle both;

  gegl_rectangle_bounding_box (&both, a, b);
  return both;
}

DenoiseParts
denoise_parts (const GeglRectangle *bounds, const GeglRectangle *part)
{
  DenoiseParts p;

  for (gint level = 0; level < DENOISE_LEVELS; level++)
    {
      p.width[level] = (bounds->width + (1 << level) - 1) >> level;
      p.height[level] = (bounds->height + (1 << level) - 1) >> level;
    }
  p.made[0] = within (grown (part, DENOISE_WINDOW / 2), &p, 0);
  for (gint level = 1; level < DENOISE_LEVELS; level++)
    p.made[level] = within (coarse_of (&p.made[level - 1]), &p, level);
  for (gint level = DENOISE_LEVELS - 2; level >= 0; level--)
    {
      const GeglRectangle children = fine_of (&p.made[level + 1]), both = hull (&p.made[level], &children);

      p.made[level] = within (both, &p, level);
    }
  for (gint level = DENOISE_LEVELS - 1; level >= 0; level--)
    {
      p.read[level] = within (grown (&p.made[level], WINDOWS), &p, level);
      if (level + 1 < DENOISE_LEVELS)
        {
          const GeglRectangle children = fine_of (&p.read[level + 1]), both = hull (&p.read[level], &children);

          p.read[level] = within (both, &p, level);
        }
    }
  return p;
}
