/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See verdict.h. */
#include "verdict.h"

static gint passed, failed;

void
expect (gboolean good, const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  if (good)
    {
      passed++;
      return;
    }
  failed++;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_print ("FAIL %s\n", text);
  g_free (text);
}

gint
expect_told (void)
{
  g_print ("%d passed, %d failed\n", passed, failed);
  return failed || ! passed;
}
