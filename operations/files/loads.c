/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Reading pictures: see loads.h. */
#include "loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib/gstdio.h>

#include "loads-ending.h"
#include "loads-judge.h"
#include "loads-upright.h"
#include "system.h"
#include "tessera.h"

#define COPIED 65536            /* bytes at a time */

/* Of the thread that reads. */
static _Thread_local const gchar *being_read;
static _Thread_local void       (*say_failed) (const gchar *path);
static _Thread_local gboolean     is_decoding;
static _Thread_local gchar       *complaint;            /* the first that GEGL's loader had; or NULL */
static _Thread_local gchar       *copy;                 /* of what is read, which is temporary; or NULL */
static GPrivate                   reason = G_PRIVATE_INIT (g_free);

/* ---------------------------------------------------------------- complaints -- */

/* libtiff says of what it mends that it discards or lacks some, and hands on what libjpeg says; what GEGL takes for a warning is none then. */
static gboolean
is_of_damage (GLogLevelFlags level, const gchar *message)
{
  static const gchar *const words[] = { "corrupt", "premature", "discarding", "not enough" };
  g_autofree gchar *lower = g_ascii_strdown (message ? message : "", -1);

  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    return ! strstr (lower, "space from icc");          /* a picture whose profile makes no sense is one all the same */
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (lower, words[i]))
      return TRUE;
  return FALSE;
}

/* A loader's, in the thread that reads: GEGL's modules have no domain. */
static void
hear (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data)
{
  if (! is_decoding || domain || ! is_of_damage (level, message))
    g_log_default_handler (domain, level, message, data);
  else if (! complaint)
    complaint = g_strstrip (g_strdup (message));
}

void
loads_listen (void)
{
  g_log_set_default_handler (hear, NULL);
}

/* ------------------------------------------------------------------- reading -- */

/* What GEGL makes of the file; NULL: nothing. */
static GeglBuffer *
decode (const gchar *path)
{
  g_autoptr (GeglNode) graph = gegl_node_new ();
  GeglNode     *node = gegl_node_new_child (graph, "operation", loads_operation (path), "path", path, NULL);
  GeglBuffer   *buffer = NULL;
  GeglRectangle box;

  is_decoding = TRUE;
  box = gegl_node_get_bounding_box (node);
  if (! gegl_rectangle_is_empty (&box) && ! tessera_is_endless (&box))          /* endless: GEGL guesses a size */
    {
      GeglNode *sink = gegl_node_new_child (graph, "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);

      gegl_node_link (node, sink);
      gegl_node_process (sink);
    }
  is_decoding = FALSE;
  if (complaint)
    g_clear_object (&buffer);
  return buffer;
}

/* The byte at `place` is 1. */
static gboolean
write_copy (FILE *from, FILE *to, gint64 place)
{
  guint8 bytes[COPIED];
  gsize  n;

  for (gint64 at = 0; (n = fread (bytes, 1, sizeof bytes, from)) > 0; at += (gint64) n)
    {
      if (place >= at && place < at + (gint64) n)
        bytes[place - at] = 1;
      if (fwrite (bytes, 1, n, to) != n)
        return FALSE;
    }
  return ! ferror (from);
}

/* Some kinds of TIFF GEGL's loader turns a little, and others not: of one that is to be turned it is given a copy that
 * is not, by its byte at `place`. */
static GeglBuffer *
decode_copy (const gchar *path, Judged *judged)
{
  g_autofree gchar *name = g_strconcat ("tessera-XXXXXX", strrchr (path, '.'), NULL);
  FILE             *to, *from = g_fopen (path, "rb");
  GeglBuffer       *buffer = NULL;
  gboolean          good;

  copy = g_build_filename (g_get_tmp_dir (), name, NULL);
  to = tessera_file_new (copy, path);
  if (! to)
    g_clear_pointer (&copy, g_free);
  good = to && from && write_copy (from, to, judged->place);

  if (to)
    good = fclose (to) == 0 && good;
  if (from)
    fclose (from);
  if (good)
    buffer = decode (copy);
  else
    judged->wrong = g_strdup ("a temporary copy of it, which GEGL needs, cannot be written");
  if (copy)
    g_unlink (copy);
  g_clear_pointer (&copy, g_free);
  return buffer;
}

/* What GEGL said comes first. */
static void
keep_reason (const gchar *wrong)
{
  g_private_replace (&reason, complaint ? g_strdup_printf ("GEGL says %s", complaint)
                                        : g_strdup (wrong ? wrong : "GEGL cannot read it"));
  g_clear_pointer (&complaint, g_free);
}

/* As it is stored. */
static GeglBuffer *
read_stored (const gchar *path, gint *orientation)
{
  Judged judged;

  g_clear_pointer (&complaint, g_free);
  judged = loads_ending (path) ? loads_judge (path)
                               : (Judged) { .wrong = g_strdup ("GEGL has no loader for this kind of file") };
  if (! judged.wrong && ! judged.picture)
    judged.picture = judged.orientation != UPRIGHT && judged.place >= 0 ? decode_copy (path, &judged) : decode (path);
  if (! judged.picture)
    keep_reason (judged.wrong);
  g_free (judged.wrong);
  *orientation = judged.orientation;
  return judged.picture;
}

GeglBuffer *
loads_stored (const gchar *path)
{
  gint orientation;

  return read_stored (path, &orientation);
}

GeglBuffer *
loads_picture (const gchar *path)
{
  gint        orientation;
  GeglBuffer *buffer = read_stored (path, &orientation), *upright;

  if (! buffer || orientation == UPRIGHT)
    return buffer;
  upright = loads_upright (buffer, orientation);
  g_object_unref (buffer);
  return upright;
}

const gchar *
loads_reason (void)
{
  const gchar *words = g_private_get (&reason);

  return words ? words : "";
}

GeglNode *
loads_node (GeglNode *graph, const gchar *path, GeglRectangle *box)
{
  g_autoptr (GeglBuffer) buffer = loads_picture (path);

  if (! buffer)
    return NULL;
  *box = *gegl_buffer_get_extent (buffer);
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

/* ------------------------------------------------------- the end of the process -- */

static void
leave (void)
{
  if (copy)
    g_unlink (copy);
  if (being_read)
    {
      say_failed (being_read);
      _Exit (2);
    }
}

void
loads_begin (const gchar *path, void (*failed) (const gchar *path))
{
  tessera_when_leaving (leave);
  being_read = path;
  say_failed = failed;
}

void
loads_end (void)
{
  being_read = NULL;
}
