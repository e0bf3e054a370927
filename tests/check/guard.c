/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Destinations with canaries before, after and between their rows.  Pixels
 * start as a NaN of a payload that no arithmetic makes: "never written". */
#include "check.h"

#define CANARY 0xa5
#define UNWRITTEN 0xff

void
check_guarded_init (CheckGuarded *guarded,
                    gint          width,
                    gint          height,
                    gint          bytes_per_pixel,
                    gint          pad)
{
  guarded->width = width;
  guarded->height = height;
  guarded->row_bytes = (gsize) width * bytes_per_pixel;
  guarded->stride = guarded->row_bytes + (gsize) pad * bytes_per_pixel;
  guarded->bytes = 2 * CHECK_GUARD + guarded->stride * height;
  guarded->memory = g_malloc (guarded->bytes);
  memset (guarded->memory, CANARY, guarded->bytes);
  for (gint y = 0; y < height; y++)
    memset (guarded->memory + CHECK_GUARD + y * guarded->stride, UNWRITTEN, guarded->row_bytes);
}

guint8 *
check_guarded_data (CheckGuarded *guarded)
{
  return guarded->memory + CHECK_GUARD;
}

static gsize
count_changed (const guint8 *bytes, gsize n)
{
  gsize changed = 0;

  for (gsize i = 0; i < n; i++)
    changed += bytes[i] != CANARY;
  return changed;
}

gboolean
check_guarded_whole (const CheckGuarded *guarded,
                     GString            *why)
{
  const guint8 *data = guarded->memory + CHECK_GUARD;
  gsize         changed = count_changed (guarded->memory, CHECK_GUARD);

  for (gint y = 0; y < guarded->height; y++)
    changed += count_changed (data + y * guarded->stride + guarded->row_bytes,
                              guarded->stride - guarded->row_bytes);
  changed += count_changed (data + guarded->stride * guarded->height, CHECK_GUARD);
  if (changed)
    g_string_append_printf (why, "  %" G_GSIZE_FORMAT " guard bytes around the destination changed\n",
                            changed);
  return ! changed;
}

void
check_guarded_clear (CheckGuarded *guarded)
{
  g_clear_pointer (&guarded->memory, g_free);
}
