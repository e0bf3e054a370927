/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Numbers as text. */
#include "sequence.h"

#include <math.h>

void
row_add_number (GString *text, gchar before, const gchar *format, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, before);
  if (isfinite (number))
    g_string_append (text, g_ascii_formatd (digits, sizeof digits, format, number));
}
