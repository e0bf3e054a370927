/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches for other programs: COLMAP's list, and a project of hugin with control points. */
#include "match.h"

#include <gio/gio.h>
#include <string.h>

#define SQUARES   8             /* along a side of a picture; hugin is given a control point of each, at most */
#define VIEW      50            /* degrees from left to right, which hugin takes where nothing is known */

/* ----------------------------------------------------------------- COLMAP -- */

static gboolean
are_different (GPtrArray *sides, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < sides->len; i++)
    {
      gchar *name = side_picture (g_ptr_array_index (sides, i));

      if (g_hash_table_contains (names, name))
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "two pictures are called %s; COLMAP tells them by their names", name);
          g_free (name);
          return FALSE;
        }
      g_hash_table_add (names, name);
    }
  return TRUE;
}

gboolean
colmap_names (GPtrArray *sides, GError **error)
{
  for (guint i = 0; i < sides->len; i++)
    {
      g_autofree gchar *name = side_picture (g_ptr_array_index (sides, i));

      if (strpbrk (name, " \t\n\r") || ! *name)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "COLMAP's list of matches cannot hold the name \"%s\"", name);
          return FALSE;
        }
    }
  return are_different (sides, error);
}

void
append_colmap (GString *text, const Comparison *comparison)
{
  g_autofree gchar *a = side_picture (comparison->a), *b = side_picture (comparison->b);

  g_string_append_printf (text, "%s %s\n", a, b);
  for (gint i = 0; i < comparison->n_matches; i++)
    g_string_append_printf (text, "%d %d\n", comparison->matches[i].a, comparison->matches[i].b);
  g_string_append_c (text, '\n');
}

/* ------------------------------------------------------------------ hugin -- */

gboolean
hugin_names (GPtrArray *sides, GError **error)
{
  for (guint i = 0; i < sides->len; i++)
    {
      const Side       *side = g_ptr_array_index (sides, i);
      g_autofree gchar *name = side_name (side);

      if (strpbrk (side->path, "\"\n\r"))
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "hugin's project cannot hold the name %s", name);
          return FALSE;
        }
    }
  return TRUE;
}

/* Below the project's folder from there on, else from the root. */
static gchar *
path_from (const gchar *project, const gchar *path)
{
  g_autofree gchar *whole = g_canonicalize_filename (path, NULL), *there = g_canonicalize_filename (strcmp (project, "-") == 0 ? "./-" : project, NULL);
  g_autofree gchar *folder = g_path_get_dirname (there);
  const gsize       length = strlen (folder);

  if (g_str_has_prefix (whole, folder) && whole[length] == G_DIR_SEPARATOR)
    return g_strdup (whole + length + 1);
  return g_steal_pointer (&whole);
}

/* The first picture of the same size: they are likely to be of one lens at one length. */
static guint
lens_of (GPtrArray *sides, guint i)
{
  const Keypoints *own = &((const Side *) g_ptr_array_index (sides, i))->keypoints;
  guint            first = 0;

  for (; first < i; first++)
    {
      const Keypoints *other = &((const Side *) g_ptr_array_index (sides, first))->keypoints;

      if (own->width == other->width && own->height == other->height)
        break;
    }
  return first;
}

void
append_hugin_begin (GString *text, GPtrArray *sides, const gchar *path)
{
  g_string_append (text, "# hugin project file\n#hugin_ptoversion 2\np f2 w3000 h1500 v360 n\"TIFF_m c:LZW r:CROP\"\nm g1 i0 f0 m2 p0.00784314\n\n");
  for (guint i = 0; i < sides->len; i++)
    {
      const Side       *side = g_ptr_array_index (sides, i);
      const guint       lens = lens_of (sides, i);
      g_autofree gchar *name = path_from (path, side->path), *view = lens < i ? g_strdup_printf ("=%u", lens) : g_strdup (G_STRINGIFY (VIEW));

      g_string_append_printf (text, "i w%d h%d f0 v%s r0 p0 y0 TrX0 TrY0 TrZ0 Tpy0 Tpp0 j0 a0 b0 c0 d0 e0 g0 t0 Ra0 Rb0 Rc0 Rd0 Re0 Eev0 Er1 Eb1 "
                              "Va1 Vb0 Vc0 Vd0 Vx0 Vy0 Vm5 n\"%s\"\n", side->keypoints.width, side->keypoints.height, view, name);
    }
  g_string_append_c (text, '\n');
}

/* Which of the squares of a picture's A a place lies in. */
static gint
square_of (const Keypoints *keypoints, const MatchPlace *place)
{
  const gint column = (gint) CLAMP (place->x * SQUARES / keypoints->width, 0, SQUARES - 1);
  const gint row = (gint) CLAMP (place->y * SQUARES / keypoints->height, 0, SQUARES - 1);

  return row * SQUARES + column;
}

/* Of each square the match whose descriptors are the most alike: more would not help hugin, and slow it down. */
void
append_hugin (GString *text, const Comparison *comparison)
{
  const Keypoints *a = &comparison->a->keypoints, *b = &comparison->b->keypoints;
  const Match     *best[SQUARES * SQUARES] = { NULL };

  for (gint i = 0; i < comparison->n_matches && comparison->consensus.is_aligned; i++)
    if (comparison->is_inlier[i])
      {
        const Match  *match = &comparison->matches[i];
        const Match **of_square = &best[square_of (a, &a->places[match->a])];

        if (! *of_square || match->distance < (*of_square)->distance)
          *of_square = match;
      }
  for (gint i = 0; i < SQUARES * SQUARES; i++)
    if (best[i])
      {
        g_string_append_printf (text, "c n%d N%d", comparison->number_a, comparison->number_b);
        append_number (text, " x", "%.4f", a->places[best[i]->a].x, "");
        append_number (text, " y", "%.4f", a->places[best[i]->a].y, "");
        append_number (text, " X", "%.4f", b->places[best[i]->b].x, "");
        append_number (text, " Y", "%.4f", b->places[best[i]->b].y, " t0\n");
      }
}

/* What is to be found: how each picture but the first is turned, and the view of each lens. */
void
append_hugin_end (GString *text, GPtrArray *sides)
{
  g_string_append_c (text, '\n');
  for (guint i = 0; i < sides->len; i++)
    if (lens_of (sides, i) == i)
      g_string_append_printf (text, "v v%u\n", i);
  for (guint i = 1; i < sides->len; i++)
    g_string_append_printf (text, "v r%u\nv p%u\nv y%u\n", i, i, i);
  g_string_append (text, "v\n");
}
