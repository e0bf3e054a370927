/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What lies over and over in two pictures: see direct-repeats.h.
 */
#include "direct-repeats.h"

#include <math.h>
#include <string.h>

#include "direct-shift.h"
#include "direct-step.h"
#include "direct-vote.h"
#include "matrix.h"

#define FIRST       1           /* levels that are looked at */
#define LAST        3
#define LARGE       2           /* ... whose blocks are large */
#define NEAR        16          /* pixels of a level, that a pattern may be apart, or some times that */
#define FAR         100         /* ... of level 3 */
#define ALL         3           /* times the blocks that another shift must show, at least */
#define LEAST       12          /* ... and as many as these */
#define AS_WELL     0.7         /* of them, that agree */
#define HALFWAY     0.7         /* ... of that, halfway to it: more is the same peak */

static const gdouble identity[9] = MATRIX_IDENTITY;

/* Of those that differ nothing is known. */
static void
leave_out (const guint8 *says, gint across, gint down, gint finer, DirectPlane *plane)
{
  for (gint i = 0; i < plane->width * plane->height; i++)
    {
      const gint column = MIN ((i % plane->width << finer) / DIRECT_BLOCK, across - 1), row = MIN ((i / plane->width << finer) / DIRECT_BLOCK, down - 1);

      for (gint c = 0; c < DIRECT_COLORS && says[row * across + column] == DIRECT_DIFFERENT; c++)
        plane->values[c][i] = plane->known[c][i] = 0.0f;
    }
}

/* What agrees, of A and of B as it lies on it; levels FIRST to LAST. */
static void
take_same (const DirectPicture *a, const DirectPicture *b, const gdouble matrix[9], DirectPicture *of_a, DirectPicture *of_b)
{
  const gint         n = direct_blocks_of (a, FIRST), across = direct_blocks_across (a, FIRST);
  g_autofree guint8 *says = g_new (guint8, n + 1);
  gdouble            there[9], gains[DIRECT_COLORS];

  memset (of_a, 0, sizeof *of_a);
  memset (of_b, 0, sizeof *of_b);
  memcpy (there, matrix, sizeof there);
  for (gint level = FIRST; level <= LAST; level++)
    {
      const DirectPlane *from = &a->levels[level];
      DirectPlane       *to = &of_a->levels[level], *laid = &of_b->levels[level];

      matrix_enlarge (0.5, 0.5, there);
      direct_plane_init (to, from->width, from->height);
      direct_plane_init (laid, from->width, from->height);
      direct_plane_lay (from, &b->levels[level], there, laid, gains);
      if (level == FIRST)
        direct_compare (a, b, level, there, says);
      leave_out (says, across, n / across, level - FIRST, laid);
      for (gint c = 0; c < DIRECT_COLORS; c++)
        {
          memcpy (to->known[c], laid->known[c], sizeof (gfloat) * from->width * from->height);
          for (gint i = 0; i < from->width * from->height; i++)
            to->values[c][i] = to->known[c][i] * from->values[c][i];
          of_a->noise[c] = a->noise[c];
          of_b->noise[c] = b->noise[c] / (gains[c] * gains[c]);
        }
    }
}

/* The share of the blocks of a level that agree after a shift; 0: too few show something there. */
static gdouble
share_after (const DirectPicture *a, const DirectPicture *b, gint level, gdouble x, gdouble y, gint least)
{
  gdouble shifted[9];
  gint    seen, agree;

  matrix_place (1, x, y, shifted);
  direct_vote (a, b, level, shifted, &seen, &agree);
  return seen >= least && seen > 0 ? (gdouble) agree / seen : 0;
}

/* Do most blocks of a level show the same after this other shift too, and fewer halfway there?  Then there is no knowing. */
static gboolean
repeats_after (const DirectPicture *a, const DirectPicture *b, gint level, gdouble x, gdouble y)
{
  gdouble shifted[9], share;
  gint    seen, agree;

  matrix_place (1, x, y, shifted);
  if (! direct_step_all (&a->levels[level], &b->levels[level], MODEL_TRANSLATION, TRUE, shifted))
    return FALSE;
  direct_vote (a, b, level, identity, &seen, &agree);
  share = share_after (a, b, level, shifted[2], shifted[5], MAX (seen / ALL, LEAST));
  return share > AS_WELL && share_after (a, b, level, 0.5 * shifted[2], 0.5 * shifted[5], 0) < HALFWAY * share;
}

/* The shifts are those of a level, up to `most` of its pixels.  The blocks are large ones, or small ones where the pictures share a strip alone. */
static gboolean
repeats_at (const DirectPicture *a, const DirectPicture *b, gint level, gint most)
{
  gint       shifts[DIRECT_OTHERS][2];
  const gint n = direct_others (&a->levels[level], &b->levels[level], identity, DIRECT_AROUND >> level, most, shifts);

  for (gint i = 0; i < n; i++)
    for (gint blocks = MIN (level, LARGE); blocks >= FIRST; blocks--)
      {
        const gdouble times = pow (2, level - blocks);

        if (repeats_after (a, b, blocks, times * shifts[i][0], times * shifts[i][1]))
          return TRUE;
      }
  return FALSE;
}

gboolean
direct_repeats (const DirectPicture *a, const DirectPicture *b, const gdouble matrix[9])
{
  DirectPicture of_a, of_b;
  gboolean      repeats;

  if (direct_blocks_of (a, FIRST) == 0)
    return FALSE;
  take_same (a, b, matrix, &of_a, &of_b);
  repeats = repeats_at (&of_a, &of_b, 1, NEAR) || repeats_at (&of_a, &of_b, 2, NEAR) || repeats_at (&of_a, &of_b, 3, FAR);
  direct_picture_clear (&of_a);
  direct_picture_clear (&of_b);
  return repeats;
}
