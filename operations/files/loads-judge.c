/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early, or are damaged: see loads-judge.h. */
#include "loads-judge.h"

#include <string.h>
#include <glib/gstdio.h>

#include "loads-plain.h"
#include "loads-upright.h"

static gboolean
is_called (const gchar *path, const gchar *const *endings)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);
  gboolean          is = FALSE;

  for (; *endings; endings++)
    is = is || g_str_has_suffix (lower, *endings);
  return is;
}

/* Raw photographs are TIFFs too, of which GEGL asks another library. */
static void
judge_tiff_file (const gchar *path G_GNUC_UNUSED, FILE *file, Judged *judged)
{
#ifdef HAVE_LIBTIFF
  static const gchar *const endings[] = { ".tif", ".tiff", NULL };

  judged->wrong = is_called (path, endings) ? judge_tiff (path) : NULL;
#endif
  judged->orientation = upright_of_tiff (file, &judged->place);
}

/* With offsets of 32 bits or of 64. */
static gboolean
is_tiff (const guint8 *head)
{
  return memcmp (head, "II*\0", 4) == 0 || memcmp (head, "MM\0*", 4) == 0
         || memcmp (head, "II+\0", 4) == 0 || memcmp (head, "MM\0+", 4) == 0;
}

/* Of a kind that has a library.  FALSE: it is none. */
static gboolean
judge_by_library (const gchar *path, FILE *file, const guint8 head[PLAIN_HEAD], Judged *judged)
{
  if (memcmp (head, "\xff\xd8\xff", 3) == 0)
    {
#ifdef HAVE_LIBJPEG
      judge_jpeg (file, judged);
#endif
    }
  else if (memcmp (head, "\x89PNG\r\n\x1a\n", 8) == 0)
    {
#ifdef HAVE_LIBPNG
      judge_png (file, judged);
#endif
    }
  else if (memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "WEBP", 4) == 0)
    {
#ifdef HAVE_LIBWEBP
      judge_webp (file, judged);
#endif
    }
  else if (memcmp (head, "\x76\x2f\x31\x01", 4) == 0)
    {
#ifdef HAVE_OPENEXR
      judged->wrong = judge_exr (path);
#endif
    }
  else if (is_tiff (head))
    judge_tiff_file (path, file, judged);
  else
    return FALSE;
  return TRUE;
}

static void
judge_file (const gchar *path, FILE *file, gint64 size, Judged *judged)
{
  static const gchar *const refused[] = { ".jpg", ".jpeg", ".exr", ".gegl", NULL };
  guint8       head[PLAIN_HEAD];
  const gsize  n = fread (head, 1, sizeof head, file);
  const gchar *wrong = NULL;

  memset (head + n, 0, sizeof head - n);
  rewind (file);
  if (judge_by_library (path, file, head, judged))
    return;
  if (! plain_judge (file, size, head, &wrong) && is_called (path, refused))
    wrong = "it is not what its name says";
  judged->wrong = g_strdup (wrong);
}

Judged
loads_judge (const gchar *path)
{
  GStatBuf about;
  FILE    *file = g_stat (path, &about) == 0 && S_ISREG (about.st_mode) ? g_fopen (path, "rb") : NULL;
  Judged   judged = { .orientation = UPRIGHT, .place = -1 };

  if (! file)
    judged.wrong = g_strdup ("it is no file, or cannot be opened");
  else
    {
      judge_file (path, file, about.st_size, &judged);
      fclose (file);
    }
  if (judged.wrong)
    g_clear_object (&judged.picture);
  return judged;
}
