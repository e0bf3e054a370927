/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The zero point as stars show it whose magnitudes are in a catalogue.
 *
 * A star of a solved frame is the one of the catalogue that lies within NEAR pixels, if no other is near that could be it too.  Its light
 * is measured as an object's is.  A star that several frames show counts once, with its median; the zero point of a chain of frames, whose
 * air is one scale, is the median over its stars.  It is not believed where the pairs could be chance, or their magnitudes do not go with
 * their light: then the catalogue is of another place, or of another band. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "../progress.h"
#include "detect.h"
#include "frames-file.h"
#include "median.h"

#define NEAR       2.0          /* pixels */
#define BLENDS     3.0          /* fwhm: what lies nearer is measured with the star ... */
#define FAINTER    2.5          /* ... unless it is so many magnitudes fainter */
#define AROUND     15           /* pixels on each side whose median is the sky */
#define FEWEST     5            /* stars */
#define BEYOND     3.0          /* ... and so many times as many as by chance */
#define MOST_APART 0.25         /* magnitudes, a standard deviation */
#define FRAMES     5            /* of a chain, that are measured at most */
#define SAME       0.3          /* pixels: a star that the catalogue has twice */
#define PER_DEGREE (G_PI / 180.0)
#define TEXT_MARK "\357\273\277"      /* a mark before the text, of some programs */

/* On the sphere. */
typedef struct
{
  gdouble at[3], magnitude;
  guint   number;
} Known;

/* By one star, in one frame. */
typedef struct
{
  guint  number;
  gfloat zero;
} Seen;

/* ---------------------------------------------------------------- catalogue -- */

static void
to_sphere (gdouble ra, gdouble dec, gdouble at[3])
{
  at[0] = cos (dec * PER_DEGREE) * cos (ra * PER_DEGREE);
  at[1] = cos (dec * PER_DEGREE) * sin (ra * PER_DEGREE);
  at[2] = sin (dec * PER_DEGREE);
}

/* Radians, exact for small ones. */
static gdouble
apart (const gdouble a[3], const gdouble b[3])
{
  return 2.0 * asin (MIN (1.0, hypot (hypot (a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / 2.0));
}

static const gchar *
separator_of (const gchar *line)
{
  static const gchar *const separators[] = { ",", ";", "\t", "|", " " };

  for (guint i = 0; i + 1 < G_N_ELEMENTS (separators); i++)
    if (strstr (line, separators[i]))
      return separators[i];
  return " ";
}

/* Without the quotes that some programs put around it. */
static gchar *
word_of (gchar *word)
{
  const gsize n = strlen (g_strstrip (word));

  if (n > 1 && *word == '"' && word[n - 1] == '"')
    {
      word[n - 1] = '\0';
      word++;
    }
  return word;
}

static gdouble
number_in (gchar **words, gint column)
{
  const gboolean is_there = (gint) g_strv_length (words) > column;
  gchar         *word = is_there ? word_of (words[column]) : NULL, *end = NULL;
  const gdouble  number = word && *word ? g_ascii_strtod (word, &end) : NAN;

  return end && ! *end ? number : NAN;
}

static gint
column_of (gchar **words, const gchar *name)
{
  for (gint i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (word_of (words[i]), name) == 0)
      return i;
  return -1;
}

/* A row that lacks a number has no magnitude, as some of Gaia's. */
static void
add_known (GArray *all, gchar **words, const gint columns[3])
{
  const gdouble ra = number_in (words, columns[0]), dec = number_in (words, columns[1]);
  Known         known = { .magnitude = number_in (words, columns[2]), .number = all->len };

  if (! (fabs (ra) <= 360.0 && fabs (dec) <= 90.0 && isfinite (known.magnitude)))
    return;
  to_sphere (ra, dec, known.at);
  g_array_append_val (all, known);
}

GArray *
zero_catalogue (const gchar *path, GError **error)
{
  static const gchar *const names[] = { "ra", "dec", "mag" };
  g_autofree gchar *text = NULL;
  g_auto (GStrv)    lines = NULL;
  const gchar      *separator = NULL;
  gint              columns[3] = { -1, -1, -1 };
  GArray           *all;

  if (! g_file_get_contents (path, &text, NULL, error))
    return NULL;
  all = g_array_new (FALSE, FALSE, sizeof (Known));
  lines = g_strsplit (g_str_has_prefix (text, TEXT_MARK) ? text + strlen (TEXT_MARK) : text, "\n", -1);
  for (gint i = 0; lines[i]; i++)
    {
      g_auto (GStrv) words = NULL;

      lines[i][strcspn (lines[i], "\r")] = '\0';
      if (*lines[i] == '#' || ! lines[i][strspn (lines[i], " \t")])
        continue;
      words = g_strsplit (lines[i], separator ? separator : separator_of (lines[i]), -1);
      if (separator)
        add_known (all, words, columns);
      else
        for (gint k = 0; k < 3; k++)
          columns[k] = column_of (words, names[k]);
      separator = separator ? separator : separator_of (lines[i]);
      if (MIN (columns[0], MIN (columns[1], columns[2])) < 0)
        break;
    }
  if (all->len > 0)
    return all;
  g_array_unref (all);
  frames_refuse (path, "is no catalogue of stars: its first line has to name the columns ra, dec (degrees) and mag, and rows with numbers have to follow", error);
  return NULL;
}

/* -------------------------------------------------------------------- pairs -- */

/* Of one frame. */
typedef struct
{
  CountPlane    plane;
  Sky          *sky;
  const GArray *near;           /* Known: those that may be in the frame */
  gdouble       pixel, fwhm;    /* pixel: radians */
  gdouble       correction;     /* magnitudes */
} Shot;

static void
place_of (const Shot *shot, gdouble x, gdouble y, gdouble at[3])
{
  gdouble ra, dec;

  sky_place (shot->sky, x, y, &ra, &dec);
  to_sphere (ra, dec, at);
}

/* Around the middle as far as the corners. */
static GArray *
known_near (Shot *shot, const GArray *catalogue, gdouble radius)
{
  const gdouble middle_x = (shot->plane.width - 1) / 2.0, middle_y = (shot->plane.height - 1) / 2.0;
  gdouble       middle[3], beside[3];
  GArray       *near = g_array_new (FALSE, FALSE, sizeof (Known));

  place_of (shot, middle_x, middle_y, middle);
  place_of (shot, middle_x + 1.0, middle_y, beside);
  shot->pixel = apart (middle, beside);
  for (guint i = 0; i < catalogue->len; i++)
    if (apart (middle, g_array_index (catalogue, Known, i).at) <= radius * shot->pixel)
      g_array_append_vals (near, &g_array_index (catalogue, Known, i), 1);
  return near;
}

/* NULL: there is none, or more than one that could be it. */
static const Known *
known_at (const Shot *shot, gdouble x, gdouble y)
{
  const Known *best = NULL;
  gdouble      at[3];

  place_of (shot, x, y, at);
  for (guint i = 0; i < shot->near->len; i++)
    {
      const Known *known = &g_array_index (shot->near, Known, i);

      if (apart (at, known->at) <= NEAR * shot->pixel && (! best || known->magnitude < best->magnitude))
        best = known;
    }
  for (guint i = 0; best && i < shot->near->len; i++)
    {
      const Known *known = &g_array_index (shot->near, Known, i);

      if (apart (known->at, best->at) > SAME * shot->pixel && apart (at, known->at) <= BLENDS * shot->fwhm * shot->pixel
          && known->magnitude < best->magnitude + FAINTER)
        best = NULL;
    }
  return best;
}

/* As of an object in a whitened frame; NaN: not all of it is known. */
static gdouble
light_of_star (const Shot *shot, gint x, gint y)
{
  const gint  side = 2 * AROUND + 1;
  CountPlane  around;
  gfloat     *values = g_new (gfloat, side * side);
  gsize       n = 0;
  gfloat      sky;
  gdouble     light = NAN;

  if (x >= AROUND && y >= AROUND && x < shot->plane.width - AROUND && y < shot->plane.height - AROUND && isfinite (light_at (&shot->plane, x, y)))
    {
      count_plane_init (&around, side, side);
      for (gint j = 0; j < side; j++)
        memcpy (around.pixels + j * side, shot->plane.pixels + (gsize) (y - AROUND + j) * shot->plane.width + x - AROUND, side * sizeof (gfloat));
      for (gint i = 0; i < side * side; i++)
        if (isfinite (around.pixels[i]))
          values[n++] = around.pixels[i];
      sky = median_of (values, n);
      for (gint i = 0; i < side * side; i++)
        around.pixels[i] -= sky;
      light = detect_flux (&around, AROUND, AROUND, shot->fwhm);
      count_plane_clear (&around);
    }
  g_free (values);
  return light;
}

/* How many of so many stars one meets by chance; those that are fainter than all that were met are none that could be. */
static gdouble
chance (const Shot *shot, gdouble faintest, gdouble radius, guint stars)
{
  gint n = 0;

  for (guint i = 0; i < shot->near->len; i++)
    n += g_array_index (shot->near, Known, i).magnitude <= faintest;
  return stars * n * (NEAR / radius) * (NEAR / radius);
}

/* Adds what each star shows that is known; the number that would be by chance. */
static gdouble
add_seen (Shot *shot, const GArray *catalogue, GArray *seen)
{
  const gdouble      radius = hypot (shot->plane.width, shot->plane.height) / 2.0 + NEAR;
  g_autoptr (GArray) stars = light_stars (&shot->plane), near = known_near (shot, catalogue, radius);
  gdouble            faintest = -INFINITY;

  shot->near = near;
  for (guint i = 0; i < stars->len; i++)
    {
      const LightStar *star = &g_array_index (stars, LightStar, i);
      const Known     *known = known_at (shot, star->x, star->y);
      const gdouble    light = known ? light_of_star (shot, star->x, star->y) : NAN;

      if (light > 0.0)
        {
          const Seen one = { known->number, (gfloat) (known->magnitude + 2.5 * log10 (light) - shot->correction) };

          g_array_append_val (seen, one);
          faintest = MAX (faintest, known->magnitude);
        }
    }
  return chance (shot, faintest, radius, stars->len);
}

/* ------------------------------------------------------------------- verdict -- */

static gint
by_number (gconstpointer a, gconstpointer b)
{
  const Seen *p = a, *q = b;

  return (p->number > q->number) - (p->number < q->number);
}

/* One for each star. */
static GArray *
zeros_of (GArray *seen)
{
  GArray            *zeros = g_array_new (FALSE, FALSE, sizeof (gfloat));
  g_autofree gfloat *values = g_new (gfloat, seen->len + 1);
  guint              n;

  g_array_sort (seen, by_number);
  for (guint i = 0; i < seen->len; i += n)
    {
      const guint number = g_array_index (seen, Seen, i).number;
      gfloat      zero;

      for (n = 0; i + n < seen->len && g_array_index (seen, Seen, i + n).number == number; n++)
        values[n] = g_array_index (seen, Seen, i + n).zero;
      zero = median_of (values, n);
      g_array_append_val (zeros, zero);
    }
  return zeros;
}

/* FALSE: the frame says nothing; its file may be gone. */
static gboolean
measure (Sequence *sequence, const FrameRow *row, Sky *sky, const GArray *catalogue, gdouble fwhm, GArray *seen, gdouble *by_chance)
{
  Shot     shot = { .sky = sky, .fwhm = fwhm, .correction = 2.5 * log10 (row->quality.transparency) };
  gboolean success = isfinite (shot.correction) && sequence_frame (sequence, row->index, &shot.plane, NULL, NULL);

  if (success)
    *by_chance += add_seen (&shot, catalogue, seen);
  count_plane_clear (&shot.plane);
  return success;
}

/* NULL: it is believed. */
static gchar *
doubt (const ZeroPoint *found, gdouble by_chance, gdouble width)
{
  if (found->frames == 0)
    return g_strdup ("no frame whose stars are known is solved");
  if (found->stars < FEWEST)
    return g_strdup_printf ("%d of its stars are in the frames that are solved, alone and not full, and %d are needed", found->stars, FEWEST);
  if (found->stars < FEWEST + BEYOND * by_chance)
    return g_strdup_printf ("%d of its stars lie where stars are, and by chance it would be %.1f", found->stars, by_chance);
  if (! (width <= MOST_APART))
    return g_strdup_printf ("its magnitudes differ from the light of %d stars by %.2f, a standard deviation; up to %g is believed", found->stars, width, MOST_APART);
  return NULL;
}

/* The frames of a chain that are solved, a few from all over it. */
static ZeroPoint
zero_of_chain (Sequence *sequence, const Tables *tables, gint chain, const GArray *catalogue, gdouble fwhm, gchar **why)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (gint)), seen = g_array_new (FALSE, FALSE, sizeof (Seen)), zeros = NULL;
  ZeroPoint          found = { .chain = chain, .zero = NAN, .error = NAN };
  gdouble            by_chance = 0.0, width = NAN;
  gfloat            *values;
  Sky               *sky;

  for (gint i = 0; i < (gint) tables->solved->len; i++)
    {
      const FrameRow *row = solved_frame (tables, i, &sky);

      if (row && row->chain == chain)
        g_array_append_val (rows, i);
    }
  for (guint k = 0; k < MIN (rows->len, FRAMES); k++)
    {
      const FrameRow *row = solved_frame (tables, g_array_index (rows, gint, (2 * k + 1) * rows->len / (2 * MIN (rows->len, FRAMES))), &sky);

      found.frames += measure (sequence, row, sky, catalogue, fwhm, seen, &by_chance);
    }
  zeros = zeros_of (seen);
  values = (gfloat *) (gpointer) zeros->data;
  found.stars = (gint) zeros->len;
  if (found.stars > 0)
    {
      found.zero = median_of (values, zeros->len);
      for (guint i = 0; i < zeros->len; i++)
        values[i] = fabsf (values[i] - (gfloat) found.zero);
      width = 1.4826 * median_of (values, zeros->len);
      found.error = 1.2533 * width / sqrt (zeros->len);
      by_chance *= (gdouble) zeros->len / seen->len;            /* what is by chance is so in each frame of one field, too */
    }
  *why = doubt (&found, by_chance, width);
  if (*why)
    found.zero = found.error = NAN;
  return found;
}

static void
say (const ZeroPoint *found, gboolean is_one, const gchar *why)
{
  g_autofree gchar *which = is_one ? g_strdup ("") : g_strdup_printf (" of chain %d", found->chain);

  if (why)
    progress_say ("the catalogue shows no zero point%s, so there are no magnitudes: %s", which, why);
  else
    progress_say ("zero point%s: %.3f +- %.3f magnitudes, by %d stars in %d frame%s", which, found->zero, found->error, found->stars, found->frames, found->frames == 1 ? "" : "s");
}

/* What the files say of it does not count then. */
static void
set (Tables *tables, const ZeroPoint *found, ReportSettings *report)
{
  for (guint i = 0; i < tables->frames->len; i++)
    {
      FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      if (row->chain == found->chain)
        row->facts.zero_point = found->zero;
    }
  if (isfinite (found->error))
    report->zero_error = isfinite (report->zero_error) ? MAX (report->zero_error, found->error) : found->error;
}

GArray *
zero_find (Sequence *sequence, Tables *tables, const GArray *catalogue, ReportSettings *report)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (ZeroPoint));
  gint    last = -1;

  for (guint i = 0; i < tables->frames->len; i++)
    last = MAX (last, g_array_index (tables->frames, FrameRow, i).chain);
  for (gint chain = 0; chain <= last; chain++)
    {
      g_autofree gchar *why = NULL;
      const ZeroPoint   found = zero_of_chain (sequence, tables, chain, catalogue, report->fwhm, &why);

      set (tables, &found, report);
      say (&found, last == 0, why);
      g_array_append_val (all, found);
    }
  return all;
}
