/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Requests under many limits: never a byte more, the same result, and the device
 * wherever one band fits. */
#include "accounting.h"

#define MOST_AHEAD 4            /* bands in flight, plan.h */
#define OBJECTS    24           /* of a band, at most: each is rounded up a little */

static const guint limits[] = { 1, 2, 3, 5, 8, 16, 33, 64, 100 };

/* Device requests and fall-backs of one run. */
typedef struct
{
  guint64 device, fallbacks, bands;
  Ledger  ledger;
  Plan    plan;
} Outcome;

static void
run_once (const Picture *picture, gpointer pixels, guint limit, guint rows, Outcome *outcome)
{
  TesseraCounters before, after;

  tessera_set_memory (limit);
  tessera_set_band_rows (rows);
  tessera_trim ();
  ledger_restart ();
  plan_restart (rows, limit ? (guint64) limit * MIB : G_MAXUINT64);
  memset (pixels, 0xa5, picture_bytes (picture));
  tessera_get_counters (&before);
  picture_blit (picture, pixels);
  tessera_get_counters (&after);
  *outcome = (Outcome) { after.device_requests - before.device_requests, after.fallbacks - before.fallbacks,
                         after.bands - before.bands, ledger_read (), plan_read () };
}

/* The lines on stderr and the counters tell the same. */
static void
check_books (const Ledger *ledger, const gchar *name, guint limit)
{
  TesseraCounters c;

  tessera_get_counters (&c);
  expect (! ledger->is_wrong && ledger->device == c.live_bytes && ledger->pinned == c.live_pinned_bytes
          && ledger->most_device == c.peak_bytes && ledger->most_pinned == c.peak_pinned_bytes,
          "%s, %u MiB: the lines say %" G_GUINT64_FORMAT " (at most %" G_GUINT64_FORMAT ") bytes and %" G_GUINT64_FORMAT
          " (%" G_GUINT64_FORMAT ") pinned, the counters %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT ") and %"
          G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT ")", name, limit, ledger->device, ledger->most_device, ledger->pinned,
          ledger->most_pinned, c.live_bytes, c.peak_bytes, c.live_pinned_bytes, c.peak_pinned_bytes);
}

/* Under `limit`; TRUE if a request fell back. */
static gboolean
check_limit (const Picture *picture, const Case *c, const gchar *name, guint limit, gconstpointer in_c, gpointer pixels)
{
  const guint64 most = (guint64) limit * MIB;
  Outcome       o;

  run_once (picture, pixels, limit, 0, &o);
  check_books (&o.ledger, name, limit);
  expect (o.ledger.peak_device <= most, "%s, %u MiB: held %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " too many",
          name, limit, o.ledger.peak_device, o.ledger.peak_device - most);
  expect_same (picture, in_c, pixels, name, "limit in MiB", limit);
  expect (o.plan.requests > 0 && o.device + o.fallbacks == o.plan.requests, "%s, %u MiB: of %u requests %" G_GUINT64_FORMAT
          " on the device, %" G_GUINT64_FORMAT " fallbacks", name, limit, o.plan.requests, o.device, o.fallbacks);
  if (c->setting->range <= 2)           /* else more of the grid than its memory is planned for */
    expect (o.device >= o.plan.must && o.device <= o.plan.may, "%s, %u MiB: of %u requests %" G_GUINT64_FORMAT " on the device,"
            " though %u to %u fit; the lowest band needs %" G_GUINT64_FORMAT " bytes (held %" G_GUINT64_FORMAT ")", name, limit,
            o.plan.requests, o.device, o.plan.must, o.plan.may, o.plan.least, o.ledger.peak_device);
  return o.fallbacks > 0;
}

/* Without a limit: no more than was planned for the bands in flight, rounded up by an
 * eighth, and what is left of higher bands: they end where tiles do. */
static void
check_plan (const Picture *picture, const Case *c, const gchar *name, gconstpointer in_c, gpointer pixels)
{
  const gint heights[] = { c->height, (c->height + 2) / 3, (c->height + 9) / 10 };

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      Outcome o;
      guint64 planned;

      run_once (picture, pixels, 0, heights[i], &o);
      check_books (&o.ledger, name, 0);
      planned = MIN (o.bands, MOST_AHEAD) * (o.plan.at_rows * 5 / 4 + OBJECTS * 4096) + o.plan.slack;
      expect (o.device > 0 && o.device == o.plan.requests, "%s, bands of %d rows: of %u requests %" G_GUINT64_FORMAT " on the device",
              name, heights[i], o.plan.requests, o.device);
      expect_same (picture, in_c, pixels, name, "rows a band", heights[i]);
      if (c->setting->range <= 2)       /* what the grid's memory is planned for */
        expect (o.ledger.peak_device <= planned, "%s, %" G_GUINT64_FORMAT " bands of %d rows: held %" G_GUINT64_FORMAT
                " bytes, planned %" G_GUINT64_FORMAT " at most", name, o.bands, heights[i], o.ledger.peak_device, planned);
    }
}

/* One band a request, nothing rounded up: not a byte more than the filter says. */
static void
check_tight (const Picture *picture, const Case *c, const gchar *name, gpointer pixels)
{
  Outcome o;

  tessera_set_tight_memory (TRUE);
  run_once (picture, pixels, 0, c->height, &o);
  tessera_set_tight_memory (FALSE);
  if (c->setting->range <= 2 && o.bands == o.plan.requests)
    expect (o.ledger.peak_device <= o.plan.at_rows + o.plan.slack, "%s, a band a request: held %" G_GUINT64_FORMAT " bytes, planned %"
            G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, name, o.ledger.peak_device, o.plan.at_rows, o.plan.slack);
}

static void
check_case (const Case *c)
{
  gchar   *name = case_name (c);
  GString *in_c_at = g_string_new (NULL);
  Picture  picture;
  gpointer in_c, pixels;

  picture_init (&picture, c);
  in_c = g_malloc (picture_bytes (&picture));
  pixels = g_malloc (picture_bytes (&picture));
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  picture_blit (&picture, in_c);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  check_plan (&picture, c, name, in_c, pixels);
  check_tight (&picture, c, name, pixels);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      if (i > 0 && plan_read ().requests > 0 && plan_read ().whole * MOST_AHEAD < (guint64) limits[i - 1] * MIB / 2)
        break;                          /* limits that are far away */
      if (check_limit (&picture, c, name, limits[i], in_c, pixels))
        g_string_append_printf (in_c_at, "%s%u", in_c_at->len ? ", " : "", limits[i]);
    }
  g_print ("%s: lowest band %.2f MiB, whole %.2f MiB; in C at %s MiB\n", name, plan_read ().least / (gdouble) MIB,
           plan_read ().whole / (gdouble) MIB, in_c_at->len ? in_c_at->str : "no");
  picture_clear (&picture);
  g_free (in_c);
  g_free (pixels);
  g_string_free (in_c_at, TRUE);
  g_free (name);
}

void
accounting_limits (const Setting *settings, guint n, gboolean more)
{
  static const gchar *const formats[] = { NULL, "R'G'B'A u8", "RGBA u16", "RGBA half", "Y' double", "Y' u8" };
  static const struct { gint width, height; guint format, end; gboolean more; } sizes[] = {
    { 37, 29, 0, 2, FALSE }, { 480, 330, 0, 2, FALSE }, { 2500, 60, 0, 1, FALSE }, { 120, 1300, 0, 1, FALSE },
    { 480, 330, 2, G_N_ELEMENTS (formats), TRUE }, { 120, 1300, 1, 2, TRUE }, { 1200, 900, 0, 2, TRUE }
  };

  for (guint i = 0; i < n; i++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      for (guint f = sizes[s].format; f < sizes[s].end; f++)
        if (sizes[s].more == more && sizes[s].width * (gdouble) sizes[s].height * settings[i].cost <= 4e7)
          check_case (&(Case) { &settings[i], formats[f], sizes[s].width, sizes[s].height });
  tessera_set_memory (0);
  tessera_set_band_rows (0);
}
