/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What stderr says meanwhile. */
#ifndef CAPTURED_H
#define CAPTURED_H

#include <glib/gstdio.h>
#include <stdio.h>
#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

typedef struct
{
  gchar *path;
  gint   saved;
} Captured;

static inline void
captured_begin (Captured *captured)
{
  gint fd = g_file_open_tmp ("tessera-test-XXXXXX", &captured->path, NULL);

  if (fd < 0)
    g_error ("no temporary file for stderr");
  fflush (stderr);
  captured->saved = dup (2);
  dup2 (fd, 2);
  g_close (fd, NULL);
}

/* Its lines, to be freed.  Those with something in them go to `text` too, and those that begin with "tessera:" are counted. */
static inline gchar **
captured_end (Captured *captured, GString *text, gint *n)
{
  gchar *all = NULL, **lines;

  fflush (stderr);
  dup2 (captured->saved, 2);
  g_close (captured->saved, NULL);
  g_file_get_contents (captured->path, &all, NULL, NULL);
  g_remove (captured->path);
  g_free (captured->path);
  lines = g_strsplit (all ? all : "", "\n", -1);
  g_free (all);
  *n = 0;
  for (gint i = 0; lines[i]; i++)
    {
      *n += g_str_has_prefix (lines[i], "tessera:");
      if (*lines[i])
        g_string_append_printf (text, "  stderr: %s\n", lines[i]);
    }
  return lines;
}

#endif
