/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is in a file: see content.h. */
#include "content.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "tessera.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define TICK   (SECOND / 50)    /* of the clock with which most file systems note a change; it is at most as long */
#define PIECE  65536            /* bytes */
#define PIECES 32               /* that are read at a time */
#define DIGEST 32               /* bytes */

/* -------------------------------------------------------------------- state -- */

/* Times without a fraction are those of a disk that has none. */
static gint64
clock_of (const FileState *state)
{
  return state->changed % SECOND == 0 ? 2 * SECOND : TICK;
}

gboolean
file_state (const gchar *path, FileState *state)
{
  gint64 age;

  do
    {
      if (! tessera_file_state (path, state))
        return FALSE;
      age = g_get_real_time () * 1000 - state->changed;
      if (age >= 0 && age < clock_of (state))
        g_usleep ((gulong) ((clock_of (state) - age) / 1000 + 1));
    }
  while (age >= 0 && age < clock_of (state));
  return TRUE;
}

gboolean
file_state_same (const FileState *a, const FileState *b)
{
  return a->size == b->size && a->time == b->time && a->changed == b->changed && a->number == b->number;
}

gchar *
file_state_text (const FileState *state)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT, state->size, state->time, state->changed,
                          state->number);
}

gboolean
file_state_parse (gchar *const *words, FileState *state)
{
  gint64 numbers[3];

  for (gint i = 0; i < 3; i++)
    if (! words[i] || ! g_ascii_string_to_signed (words[i], 10, G_MININT64, G_MAXINT64, &numbers[i], NULL))
      return FALSE;
  *state = (FileState) { .size = numbers[0], .time = numbers[1], .changed = numbers[2] };
  return words[3] && g_ascii_string_to_unsigned (words[3], 10, 0, G_MAXUINT64, &state->number, NULL);
}

/* --------------------------------------------------------------------- hash -- */

typedef struct
{
  const guint8 *bytes;
  gsize         n;
  guint8       *digests;        /* of each piece */
} Hashing;

static void
hash_pieces (gsize first, gsize n, gpointer data)
{
  const Hashing *hashing = data;

  for (gsize i = first; i < first + n; i++)
    {
      g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
      gsize length = DIGEST;

      g_checksum_update (sum, hashing->bytes + i * PIECE, (gssize) MIN (PIECE, hashing->n - i * PIECE));
      g_checksum_get_digest (sum, hashing->digests + i * DIGEST, &length);
    }
}

/* Some bytes more; all but the last are whole pieces. */
static void
add_bytes (GChecksum *all, const guint8 *bytes, gsize n)
{
  const gsize        pieces = (n + PIECE - 1) / PIECE;
  g_autofree guint8 *digests = g_malloc (pieces * DIGEST);

  if (pieces == 0)
    return;
  tessera_spread_range (pieces, 0.5, hash_pieces, &(Hashing) { bytes, n, digests });
  g_checksum_update (all, digests, (gssize) (pieces * DIGEST));
}

void
content_of_bytes (gconstpointer bytes, gsize n, gchar *hash)
{
  g_autoptr (GChecksum) all = g_checksum_new (G_CHECKSUM_SHA256);

  add_bytes (all, bytes, n);
  g_strlcpy (hash, g_checksum_get_string (all), CONTENT_LENGTH);
}

gboolean
content_of_file (const gchar *path, gchar *hash)
{
  g_autoptr (GChecksum) all = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *bytes = g_malloc (PIECES * PIECE);
  FILE    *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_fopen (path, "rb") : NULL;     /* a pipe would be waited for */
  gboolean success;
  gsize    n;

  if (! file)
    return FALSE;
  do
    {
      n = fread (bytes, 1, PIECES * PIECE, file);
      add_bytes (all, bytes, n);
    }
  while (n == PIECES * PIECE);
  success = ! ferror (file);
  fclose (file);
  g_strlcpy (hash, g_checksum_get_string (all), CONTENT_LENGTH);
  return success;
}
