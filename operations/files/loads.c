/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Reading pictures: see loads.h. */
#include "loads.h"

#include <operation/gegl-operation-handlers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "loads-upright.h"
#include "loads-whole.h"
#include "tessera.h"

#define COPIED 65536            /* bytes at a time */

#ifdef __GLIBC__
int __cxa_thread_atexit_impl (void (*function) (gpointer data), gpointer data, gpointer library);
extern gpointer __dso_handle;
#endif

/* Of the thread that reads. */
static _Thread_local const gchar *being_read;
static _Thread_local void       (*say_failed) (const gchar *path);
static _Thread_local gboolean     is_decoding;
static _Thread_local gchar       *complaint;            /* the first that GEGL's loader had; or NULL */
static _Thread_local gchar       *copy;                 /* of what is read, which is temporary; or NULL */
static GPrivate                   reason = G_PRIVATE_INIT (g_free);

gboolean
loads_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *loader = NULL;

  if (dot && ! strchr (dot, '/') && gegl_has_operation ("gegl:load"))           /* now its modules are there */
    loader = gegl_operation_handlers_get_loader (dot);
  return loader && strcmp (loader, "gegl:magick-load") != 0;
}

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
  GeglNode     *node = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
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

/* The whole file, or of one without its end all up to that, and the end; the byte at `place`, if there is one, is 1. */
static gboolean
write_copy (FILE *from, FILE *to, const Walked *walked, gint64 place)
{
  guint8 bytes[COPIED];
  gint64 at = 0, end = walked->tail ? walked->end : G_MAXINT64;
  gsize  n = 1;

  for (; at < end && n > 0; at += (gint64) n)
    {
      n = fread (bytes, 1, (gsize) MIN (end - at, COPIED), from);
      if (place >= at && place < at + (gint64) n)
        bytes[place - at] = 1;
      if (fwrite (bytes, 1, n, to) != n)
        return FALSE;
    }
  return ! ferror (from) && (! walked->tail || (at == end && fwrite (walked->tail, 1, walked->n, to) == walked->n));
}

/* GEGL's loaders read on where the end of a file is missing: they are given a copy that has one.  Some kinds of TIFF they
 * turn a little, and others not: of one that is to be turned they are given a copy that is not, by its byte at `place`. */
static GeglBuffer *
decode_copy (const gchar *path, Walked *walked, gint64 place)
{
  g_autofree gchar *name = g_strconcat ("tessera-XXXXXX", strrchr (path, '.'), NULL);
  const gint        file = g_file_open_tmp (name, &copy, NULL);
  FILE             *to = file >= 0 ? fdopen (file, "wb") : NULL, *from = g_fopen (path, "rb");
  GeglBuffer       *buffer = NULL;
  gboolean          good = to && from && write_copy (from, to, walked, place);

  if (to)
    good = fclose (to) == 0 && good;
  if (from)
    fclose (from);
  if (good)
    buffer = decode (copy);
  else
    walked->wrong = "a temporary copy of it, which GEGL needs, cannot be written";
  if (copy)
    g_unlink (copy);
  g_clear_pointer (&copy, g_free);
  return buffer;
}

GeglBuffer *
loads_picture (const gchar *path)
{
  Walked      walked;
  GeglBuffer *buffer = NULL;
  gint64      place = -1;
  gint        orientation = 1;

  g_clear_pointer (&complaint, g_free);
  walked.wrong = "GEGL has no loader for this kind of file";
  if (loads_ending (path))
    walked = loads_walk (path);
  if (! walked.wrong)
    {
      orientation = loads_orientation (path, &walked, &place);
      buffer = walked.tail || (orientation != 1 && place >= 0) ? decode_copy (path, &walked, place) : decode (path);
    }
  if (! buffer)
    {
      g_private_replace (&reason, complaint ? g_strdup_printf ("GEGL says %s", complaint) : g_strdup (walked.wrong ? walked.wrong : "GEGL cannot read it"));
      g_clear_pointer (&complaint, g_free);
      return NULL;
    }
  if (orientation != 1)
    {
      GeglBuffer *upright = loads_upright (buffer, orientation);

      g_object_unref (buffer);
      buffer = upright;
    }
  return buffer;
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
      _exit (2);
    }
}

#ifdef __GLIBC__
static void
leave_thread (gpointer data G_GNUC_UNUSED)
{
  leave ();
}
#endif

/* Before what others have registered, as a driver that another thread still uses: glibc's exit begins with what its own thread leaves. */
static void
watch (void)
{
#ifdef __GLIBC__
  static _Thread_local gboolean is_watched;

  if (! is_watched)
    __cxa_thread_atexit_impl (leave_thread, NULL, &__dso_handle);
  is_watched = TRUE;
#else
  atexit (leave);                       /* each time: they may have registered since */
#endif
}

void
loads_begin (const gchar *path, void (*failed) (const gchar *path))
{
  watch ();
  being_read = path;
  say_failed = failed;
}

void
loads_end (void)
{
  being_read = NULL;
}
