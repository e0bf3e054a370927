/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Star fields: few points, all alike, in the dark.  The shift is found as sequences find it (shift.h), from the whole picture.  It is believed if
 * the stars of one picture are found again in the other one, far more than chance would have it; their pairs then say how exact it is, and
 * whether the field has turned a little besides.
 */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "align-stars.h"

#include <math.h>
#include <stdlib.h>

#include "counts.h"
#include "matrix.h"
#include "median.h"
#include "shift.h"
#include "star-middle.h"

#define MOST_SHIFT  512         /* pixels, and a quarter of the larger side */
#define RING        5           /* pixels around a star, where the sky is */
#define STAR        8.0         /* sigma above it */
#define TRACE       4.0         /* ... that a star of the other picture has at least */
#define HOT         4.0         /* a pixel that is as many times above its neighbours is no star */
#define MOST_STARS  2000
#define FEWEST      8           /* stars that are found again */
#define SHARE       0.4         /* ... of those that could be */
#define CROWDED     0.15        /* of the places: where more of them look like stars, this is no star field */
#define CHANCE      1e-4
#define PARTS       3           /* of the picture, across and down */
#define NEAR        2.0         /* pixels between both stars of a pair */
#define BRIGHTEST   200         /* stars that other shifts are tried with */
#define STEP        3           /* pixels between those: a trace is looked for within one */
#define MOST        0.7         /* of them, that another shift may find again */
#define SEED        1

typedef struct
{
  gdouble x, y, height;
} Star;

typedef struct
{
  CountPlane plane;
  gfloat    *heights;           /* of the softened plane above the sky around; 0 near the edge */
  gdouble    sigma;             /* of them */
  Star      *stars;             /* the brightest first */
  gint       n;
} Field;

/* ------------------------------------------------------------------- stars -- */

static gint
by_height (const void *a, const void *b)
{
  const Star *p = a, *q = b;

  if (p->height != q->height)
    return p->height < q->height ? 1 : -1;
  return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

static void
find_heights (Field *field)
{
  static const gint ring[8][2] = { { RING, 0 }, { -RING, 0 }, { 0, RING }, { 0, -RING }, { 4, 4 }, { -4, 4 }, { 4, -4 }, { -4, -4 } };
  const gint        width = field->plane.width, height = field->plane.height;
  const gsize       n = (gsize) width * height;
  gfloat           *soft = g_new0 (gfloat, n), *sizes = g_new (gfloat, n);
  gsize             m = 0;

  field->heights = g_new0 (gfloat, n);
  for (gint y = 1; y < height - 1; y++)
    for (gint x = 1; x < width - 1; x++)
      soft[(gsize) y * width + x] = star_soft (field->plane.pixels + (gsize) y * width + x, width);
  for (gint y = RING + 1; y < height - RING - 1; y++)
    for (gint x = RING + 1; x < width - RING - 1; x++)
      {
        const gsize at = (gsize) y * width + x;
        gfloat      sky = 0;

        for (gint k = 0; k < 8; k++)
          sky += soft[at + ring[k][1] * width + ring[k][0]] / 8;
        field->heights[at] = soft[at] - sky;
        if (! isfinite (field->heights[at]))
          field->heights[at] = 0;
        sizes[m++] = fabsf (field->heights[at]);
      }
  field->sigma = m > 0 ? 1.4826 * median_of (sizes, m) : 0;
  g_free (sizes);
  g_free (soft);
}

/* A pixel that shines alone is the camera's. */
static gboolean
is_hot (const Field *field, gsize at)
{
  const gint    width = field->plane.width;
  const gfloat *p = field->plane.pixels + at;
  const gfloat  sky = MIN (MIN (p[-RING], p[RING]), MIN (p[-RING * width], p[RING * width]));

  return p[0] - sky > HOT * (MAX (MAX (p[-1], p[1]), MAX (p[-width], p[width])) - sky);
}

static void
find_stars (Field *field)
{
  const gint width = field->plane.width, height = field->plane.height;
  GArray    *stars = g_array_new (FALSE, FALSE, sizeof (Star));

  for (gint y = RING + 1; y < height - RING - 1; y++)
    for (gint x = RING + 1; x < width - RING - 1; x++)
      {
        const gsize   at = (gsize) y * width + x;
        const gfloat *h = field->heights + at;

        if (h[0] > STAR * field->sigma && h[0] > h[-1] && h[0] >= h[1] && h[0] > h[-width] && h[0] >= h[width] && ! is_hot (field, at))
          {
            const Star star = { x + star_top (h[-1], h[0], h[1]), y + star_top (h[-width], h[0], h[width]), h[0] };

            g_array_append_val (stars, star);
          }
      }
  g_array_sort (stars, by_height);
  field->n = MIN (stars->len, MOST_STARS);
  field->stars = (Star *) g_array_free (stars, FALSE);
}

static gboolean
field_init (Field *field, const RefinePicture *picture, gint width, gint height)
{
  const GeglRectangle part = { picture->bounds.x, picture->bounds.y, width, height };

  *field = (Field) { .n = 0 };
  count_plane_init (&field->plane, width, height);
  counts_read (picture->buffer, &part, &field->plane);
  find_heights (field);
  if (field->sigma > 0)
    find_stars (field);
  return field->n >= FEWEST;
}

static void
field_clear (Field *field)
{
  count_plane_clear (&field->plane);
  g_free (field->heights);
  g_free (field->stars);
}

/* ------------------------------------------------------------------ belief -- */

/* Is there a trace of a star within a pixel? */
static gboolean
has_trace (const Field *field, gdouble x, gdouble y)
{
  const gint column = (gint) floor (x + 0.5), row = (gint) floor (y + 0.5);

  for (gint k = 0; k < 9; k++)
    if (field->heights[(gsize) (row + k / 3 - 1) * field->plane.width + column + k % 3 - 1] > TRACE * field->sigma)
      return TRUE;
  return FALSE;
}

static gboolean
is_inside (const Field *field, gdouble x, gdouble y)
{
  return x >= RING + 2 && y >= RING + 2 && x < field->plane.width - RING - 2 && y < field->plane.height - RING - 2;
}

/* Of the places of a picture, which part has a trace by chance. */
static gdouble
crowd_of (const Field *field)
{
  gint n = 0, traces = 0;

  for (gint y = RING + 2; y < field->plane.height - RING - 2; y += 3)
    for (gint x = RING + 2; x < field->plane.width - RING - 2; x += 3, n++)
      traces += has_trace (field, x, y);
  return n > 0 ? (traces + 1.0) / n : 1.0;
}

/* Of the stars that could be found again, the part that has to be. */
static gdouble
least_share (gdouble chance)
{
  return MAX (SHARE, 3 * chance);
}

/* The stars of A that are found again in B, of those that lie there: more than chance among all shifts that were looked at? */
static gboolean
are_found (const Field *a, const Field *b, const Shift *shift, gdouble chance, gint *found, gint *of)
{
  gdouble often = 4.0 * MOST_SHIFT * MOST_SHIFT;

  *found = *of = 0;
  for (gint i = 0; i < a->n; i++)
    if (is_inside (b, a->stars[i].x + shift->x, a->stars[i].y + shift->y))
      {
        *of += 1;
        *found += has_trace (b, a->stars[i].x + shift->x, a->stars[i].y + shift->y);
      }
  for (gint k = 1; k <= *found && often > 1e-300; k++)
    often *= chance * (*of - k + 1) / k;
  return chance <= CROWDED && *found >= FEWEST && *found >= least_share (chance) * *of && often <= CHANCE;
}

/* Stars of both that lie on one another after the shift, as matches. */
static gint
pair (const Field *a, const Field *b, const Shift *shift, MatchPlace *in_a, MatchPlace *in_b, Match *matches)
{
  gint n = 0;

  for (gint i = 0; i < a->n; i++)
    {
      gdouble least = NEAR * NEAR;
      gint    nearest = -1;

      for (gint k = 0; k < b->n; k++)
        {
          const gdouble x = b->stars[k].x - shift->x - a->stars[i].x, y = b->stars[k].y - shift->y - a->stars[i].y;

          if (x * x + y * y < least)
            {
              least = x * x + y * y;
              nearest = k;
            }
        }
      if (nearest >= 0)
        {
          in_a[n] = (MatchPlace) { a->stars[i].x, a->stars[i].y, 1, 0 };
          in_b[n] = (MatchPlace) { b->stars[nearest].x, b->stars[nearest].y, 1, 0 };
          matches[n] = (Match) { n, n, 0 };
          n++;
        }
    }
  return n;
}

/* With the whole movement: in each part of the picture where several stars could be?  A shift holds in some part of two photographs of one scene, whatever
 * the camera did besides. */
static gboolean
are_found_everywhere (const Field *a, const Field *b, gdouble chance, const gdouble matrix[9])
{
  gint    found[PARTS * PARTS] = { 0 }, of[PARTS * PARTS] = { 0 };
  gdouble inverse[9];

  if (! matrix_invert (matrix, inverse))
    return FALSE;
  for (gint i = 0; i < a->n; i++)
    {
      const gint part = (gint) (PARTS * a->stars[i].y / a->plane.height) * PARTS + (gint) (PARTS * a->stars[i].x / a->plane.width);
      gdouble    x, y;

      matrix_map (inverse, a->stars[i].x, a->stars[i].y, &x, &y);
      if (is_inside (b, x, y))
        {
          of[part]++;
          found[part] += has_trace (b, x, y);
        }
    }
  for (gint i = 0; i < PARTS * PARTS; i++)
    if (of[i] >= FEWEST && found[i] < least_share (chance) * of[i])
      return FALSE;
  return TRUE;
}

/* A grid of lights, or of windows: after another shift, of up to half the picture, most of the brightest are found again too. */
static gboolean
repeats (const Field *a, const Field *b, const Shift *shift)
{
  const gint across = a->plane.width / 2 / STEP, down = a->plane.height / 2 / STEP, n = MIN (a->n, BRIGHTEST);

  for (gint y = -down; y <= down; y++)
    for (gint x = -across; x <= across; x++)
      {
        gint found = 0, of = 0;

        for (gint i = 0; i < n; i++)
          {
            const gdouble to_x = a->stars[i].x + shift->x + STEP * x, to_y = a->stars[i].y + shift->y + STEP * y;

            if (is_inside (b, to_x, to_y))
              {
                of++;
                found += has_trace (b, to_x, to_y);
              }
          }
        if (MAX (abs (x), abs (y)) > 1 && of >= MAX (FEWEST, n / 8) && found > MOST * of)
          return TRUE;
      }
  return FALSE;
}

static void
take (const Field *a, const Field *b, ConsensusModel model, const Shift *shift, gint width, gint height, Consensus *consensus)
{
  g_autofree MatchPlace *in_a = g_new (MatchPlace, a->n), *in_b = g_new (MatchPlace, a->n);
  g_autofree Match      *matches = g_new (Match, a->n);
  const gdouble chance = crowd_of (b);
  Consensus     second;
  gint          found, of, n;

  if (! are_found (a, b, shift, chance, &found, &of))
    return;
  n = pair (a, b, shift, in_a, in_b, matches);
  consensus_propose (in_a, in_b, matches, n, model, SEED, width, height, width, height, NULL, consensus, &second);
  if (! consensus->is_aligned)
    return;
  if (consensus->model == MODEL_TRANSLATION)
    {
      matrix_place (1, -shift->x, -shift->y, consensus->matrix);
      consensus->error = MIN (consensus->error, 3 * shift->error);
    }
  if (! are_found_everywhere (a, b, chance, consensus->matrix) || repeats (a, b, shift))
    {
      consensus->is_aligned = FALSE;
      return;
    }
  g_snprintf (consensus->reason, sizeof consensus->reason, _("found as a star field is, by its shift: %d of %d stars are found again"), found, of);
}

gboolean
align_stars (const RefinePicture *reference, const RefinePicture *moving, ConsensusModel model, Consensus *consensus)
{
  const gint    width = MIN (reference->bounds.width, moving->bounds.width), height = MIN (reference->bounds.height, moving->bounds.height);
  ShiftSettings settings = SHIFT_DEFAULTS;
  Field         a = { 0 }, b = { 0 };
  Shift         shift = { 0 };

  *consensus = (Consensus) { .is_aligned = FALSE };
  if (MIN (width, height) < 8 * RING)
    return FALSE;
  if (field_init (&a, reference, width, height) && field_init (&b, moving, width, height))
    {
      ShiftFrame *frames[2];

      settings.max_shift = MIN (MOST_SHIFT, MAX (width, height) / 4);
      frames[0] = shift_frame_new (&a.plane, &settings);
      frames[1] = shift_frame_new (&b.plane, &settings);
      shift_between (frames[0], frames[1], &settings, &shift);
      shift_frame_free (frames[0]);
      shift_frame_free (frames[1]);
      if (shift_is_sure (&shift))
        take (&a, &b, model, &shift, width, height, consensus);
    }
  field_clear (&a);
  field_clear (&b);
  return consensus->is_aligned;
}
