/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * FITS files of floats, without CFITSIO: the same bytes from the same pixels.
 *
 * A file is written beside its place, under a name that the next try takes again, and then moved there. */
#include "fits.h"

#include <stdio.h>
#include <string.h>

#include "saving.h"

#define CARD  80
#define BLOCK 2880
#define CHUNK 4096              /* pixels */

/* The rest of a card is spaces, and what is not printed is none. */
static void
add_card (GString *head, const gchar *text)
{
  const gsize n = MIN (strlen (text), CARD);

  for (gsize i = 0; i < CARD; i++)
    g_string_append_c (head, i < n && text[i] >= ' ' && text[i] <= '~' ? text[i] : ' ');
}

static void
add_number (GString *head, const gchar *key, gint value)
{
  g_autofree gchar *text = g_strdup_printf ("%-8s= %20d", key, value);

  add_card (head, text);
}

static GString *
head_of (const CountPlane *plane, const gchar *const *cards)
{
  GString *head = g_string_new (NULL);

  add_card (head, "SIMPLE  =                    T");
  add_number (head, "BITPIX", -32);
  add_number (head, "NAXIS", 2);
  add_number (head, "NAXIS1", plane->width);
  add_number (head, "NAXIS2", plane->height);
  for (; cards && *cards; cards++)
    add_card (head, *cards);
  add_card (head, "END");
  while (head->len % BLOCK != 0)
    g_string_append_c (head, ' ');
  return head;
}

static gboolean
write_pixels (FILE *file, const CountPlane *plane)
{
  static const gchar zeros[BLOCK];
  const gsize        n = (gsize) plane->width * plane->height, beyond = n * 4 % BLOCK;
  guint32            bits[CHUNK];

  for (gsize i = 0; i < n; i += CHUNK)
    {
      const gsize count = MIN (CHUNK, n - i);

      memcpy (bits, plane->pixels + i, count * 4);
      for (gsize k = 0; k < count; k++)
        bits[k] = GUINT32_TO_BE (bits[k]);
      if (fwrite (bits, 4, count, file) != count)
        return FALSE;
    }
  return beyond == 0 || fwrite (zeros, 1, BLOCK - beyond, file) == BLOCK - beyond;
}

gboolean
fits_write (const gchar *path, const CountPlane *plane, const gchar *const *cards, GError **error)
{
  g_autoptr (GString) head = head_of (plane, cards);
  FILE          *file = saving_open_part (path);
  const gboolean good = file && fwrite (head->str, 1, head->len, file) == head->len && write_pixels (file, plane);

  return saving_close_part (file, path, good, error);
}
