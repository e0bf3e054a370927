/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See progress.h. */
#include "progress.h"

#include <stdio.h>

#include "system.h"

#define WIDTH 24

static const gchar *program = "tessera";
static gint64   began;
static gdouble  done, all;
static gboolean is_shown;

static void
clear_line (void)
{
  if (is_shown)
    fputs ("\r\033[K", stderr);
  is_shown = FALSE;
}

static void
show (const gchar *text)
{
  const gdouble part = CLAMP (done / all, 0.0, 1.0), passed = (g_get_monotonic_time () - began) / 1e6;
  const gint    filled = (gint) (part * WIDTH), left = part > 0.0 ? (gint) (passed * (1.0 - part) / part + 0.5) : 0;

  if (! tessera_is_terminal (stderr))
    return;
  clear_line ();
  fputc ('[', stderr);
  for (gint i = 0; i < WIDTH; i++)
    fputc (i < filled ? '#' : '.', stderr);
  fprintf (stderr, "] %3d %%", (gint) (100 * part));
  if (part > 0.0)
    fprintf (stderr, ", %d:%02d left", left / 60, left % 60);
  fprintf (stderr, "  %s", text);
  fflush (stderr);
  is_shown = TRUE;
}

void
progress_name (const gchar *name)
{
  program = name;
}

void
progress_begin (gdouble steps)
{
  began = g_get_monotonic_time ();
  done = 0.0;
  all = steps;
}

void
progress_step (gdouble steps, const gchar *format, ...)
{
  va_list words;
  g_autofree gchar *text = NULL;

  va_start (words, format);
  text = g_strdup_vprintf (format, words);
  va_end (words);
  done += steps;
  show (text);
}

void
progress_end (void)
{
  clear_line ();
  fflush (stderr);
}

void
progress_say (const gchar *format, ...)
{
  va_list words;

  clear_line ();
  fprintf (stderr, "%s: ", program);
  va_start (words, format);
  vfprintf (stderr, format, words);
  va_end (words);
  fputc ('\n', stderr);
}
