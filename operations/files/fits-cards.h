/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The header of a FITS file: cards of 80 characters, KEY = value / words, in blocks of 2880 bytes, the last of which is END. */
#ifndef FITS_CARDS_H
#define FITS_CARDS_H

#include "frames-file.h"

#define FITS_BLOCK 2880
#define FITS_AXES  8            /* at most */

typedef struct
{
  GHashTable *values;           /* by key: text without quotes */
  gint64      data;             /* where the data begins */
  gint64      bytes;            /* of the data, without what fills its last block */
  gboolean    is_image;         /* the file's first part, or an IMAGE */
  gint        bits, axes;
  gint64      sizes[FITS_AXES];
} FitsCards;

/* The header at `offset`.  FALSE: there is none, or it says what cannot be. */
gboolean     fits_cards_read   (FitsCards *cards, FramesFile *file, gint64 offset, GError **error);
void         fits_cards_clear  (FitsCards *cards);
const gchar *fits_cards_text   (const FitsCards *cards, const gchar *key);
/* NaN where there is no such number. */
gdouble      fits_cards_number (const FitsCards *cards, const gchar *key);
/* Where the next header is. */
gint64       fits_cards_end    (const FitsCards *cards);

/* A number of n bytes, as FITS has them. */
static inline guint64
fits_big_endian (const guint8 *bytes, gint n)
{
  guint64 value = 0;

  for (gint i = 0; i < n; i++)
    value = value << 8 | bytes[i];
  return value;
}

#endif
