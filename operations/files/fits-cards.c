/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits-cards.h"

#include <math.h>
#include <string.h>

#define CARD        80
#define KEY         8
#define MOST_BLOCKS 2000        /* of a header */

/* Of a text two quotes are one, and spaces at its end are none.  Of other values what stands before the slash. */
static gchar *
value_of (const gchar *card)
{
  GString     *value = g_string_new (NULL);
  const gchar *p = card + KEY + 2, *end = card + CARD;

  while (p < end && *p == ' ')
    p++;
  if (p < end && *p == '\'')
    for (p++; p < end && (*p != '\'' || (p + 1 < end && p[1] == '\'')); p++)
      {
        p += *p == '\'';
        g_string_append_c (value, *p);
      }
  else
    for (; p < end && *p != '/'; p++)
      g_string_append_c (value, *p == 'D' ? 'E' : *p);          /* FORTRAN's exponents */
  g_strchomp (value->str);
  return g_string_free (value, FALSE);
}

static gboolean
is_end (const gchar *card)
{
  return memcmp (card, "END     ", KEY) == 0;
}

static void
add_card (FitsCards *cards, const gchar *card)
{
  gchar *key;

  if (memcmp (card + KEY, "= ", 2) != 0 || memchr (card, '\0', CARD))
    return;
  key = g_strchomp (g_strndup (card, KEY));
  if (g_hash_table_contains (cards->values, key))
    g_free (key);
  else
    g_hash_table_insert (cards->values, key, value_of (card));
}

const gchar *
fits_cards_text (const FitsCards *cards, const gchar *key)
{
  const gchar *value = g_hash_table_lookup (cards->values, key);

  return value && *value ? value : NULL;
}

gdouble
fits_cards_number (const FitsCards *cards, const gchar *key)
{
  const gchar *value = fits_cards_text (cards, key);
  gchar       *end;
  gdouble      number;

  if (! value)
    return NAN;
  number = g_ascii_strtod (value, &end);
  return end != value && (*end == '\0' || *end == ' ') ? number : NAN;
}

/* -1: it is none, or less than 0 or more than a file can have. */
static gint64
count_of (const FitsCards *cards, const gchar *key, gint64 otherwise)
{
  const gdouble number = fits_cards_number (cards, key);

  if (! fits_cards_text (cards, key))
    return otherwise;
  return number >= 0.0 && number < 1e15 && number == floor (number) ? (gint64) number : -1;
}

/* a * b, or -1 if that is more than a file can have or one of them is less than 0. */
static gint64
times (gint64 a, gint64 b)
{
  return a < 0 || b < 0 || (b > 0 && a > G_MAXINT64 / 16 / b) ? -1 : a * b;
}

static gboolean
find_sizes (FitsCards *cards)
{
  const gdouble bits = fits_cards_number (cards, "BITPIX");
  const gint64  axes = count_of (cards, "NAXIS", -1), groups = count_of (cards, "GCOUNT", 1), more = count_of (cards, "PCOUNT", 0);
  gint64        n = axes > 0;

  if (! (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == -32 || bits == -64) || axes < 0 || axes > FITS_AXES || groups < 0 || more < 0)
    return FALSE;
  cards->bits = (gint) bits;
  cards->axes = (gint) axes;
  for (gint i = 0; i < axes; i++)
    {
      g_autofree gchar *key = g_strdup_printf ("NAXIS%d", i + 1);

      cards->sizes[i] = count_of (cards, key, -1);
      n = times (n, cards->sizes[i]);
    }
  if (n < 0)
    return FALSE;
  cards->bytes = times (times (n + more, groups), ABS (cards->bits) / 8);
  return cards->bytes >= 0 && cards->bytes < G_MAXINT64 / 4;
}

gboolean
fits_cards_read (FitsCards *cards, FramesFile *file, gint64 offset, GError **error)
{
  gchar    block[FITS_BLOCK];
  gboolean is_done = FALSE;

  *cards = (FitsCards) { .values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free), .data = offset };
  for (gint i = 0; i < MOST_BLOCKS && ! is_done; i++)
    {
      if (! frames_file_read (file, cards->data, sizeof block, block, NULL)
          || (i == 0 && memcmp (block, offset ? "XTENSION= " : "SIMPLE  = ", KEY + 2) != 0))
        break;
      cards->data += sizeof block;
      for (gint k = 0; k < FITS_BLOCK && ! is_done; k += CARD)
        {
          is_done = is_end (block + k);
          if (! is_done)
            add_card (cards, block + k);
        }
    }
  cards->is_image = offset == 0 || g_strcmp0 (fits_cards_text (cards, "XTENSION"), "IMAGE") == 0;
  if (is_done && find_sizes (cards))
    return TRUE;
  fits_cards_clear (cards);
  return frames_refuse (file->path, is_done ? "has a header that says what cannot be" : offset ? "has no image" : "is no FITS file", error);
}

void
fits_cards_clear (FitsCards *cards)
{
  g_clear_pointer (&cards->values, g_hash_table_destroy);
}

gint64
fits_cards_end (const FitsCards *cards)
{
  return cards->data + (cards->bytes + FITS_BLOCK - 1) / FITS_BLOCK * FITS_BLOCK;
}
