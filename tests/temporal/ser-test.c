/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SER films of every kind are read as they were written, whatever the flag for the order of bytes says; broken headers are refused. */
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "ser.h"

#define WIDTH  24
#define HEIGHT 10
#define N      3

static gchar *folder, *film;

/* A slope, as the sky is; the low byte turns over many times.  Colours of a mosaic lie far apart. */
static guint16 *
slope (gint colours, gint bits, gboolean is_mosaic)
{
  const gint n = N * WIDTH * HEIGHT * colours, highest = (1 << bits) - 1;
  guint16   *values = g_new (guint16, n);

  for (gint i = 0; i < n; i++)
    values[i] = (guint16) ((highest / 3 + 5 * (i / colours) + 100 * (i % colours)) % (highest + 1));
  for (gint i = 0; i < n && is_mosaic; i++)
    values[i] = (guint16) ((values[i] + (i % 2) * (highest / 5) + (i / WIDTH % 2) * (highest / 3)) % (highest + 1));
  return values;
}

static void
expect_film (const FilmPlan *plan, const guint16 *values, const gchar *what)
{
  static const gchar *const patterns[] = { "RGGB", "GRBG", "GBRG", "BGGR" };        /* 8 to 11, by the format's description */
  const gboolean is_mosaic = plan->colour >= 8 && plan->colour < 100;
  const gint     colours = plan->colour >= 100 ? 3 : 1, n = WIDTH * HEIGHT;

  files_ser (film, plan, values);
  for (gint f = 0; f < plan->n; f++)
    {
      CountPlane plane = { 0 };
      SerHeader  header;
      GError    *error = NULL;
      gdouble    start, worst = 0.0;

      if (! ser_read_frame (film, f, &plane, &header, &start, &error))
        {
          expect (FALSE, "%s: %s", what, error->message);
          g_error_free (error);
          return;
        }
      expect (plane.width == WIDTH && plane.height == HEIGHT && header.n == plan->n && header.promised == plan->promised, "%s: sizes", what);
      expect (g_str_equal (header.pattern, is_mosaic ? patterns[plan->colour - 8] : ""), "%s: its pattern is \"%s\"", what, header.pattern);
      for (gint i = 0; i < n; i++)
        {
          const guint16 *p = values + (f * n + i) * colours;
          const gdouble  wanted = colours == 1 ? p[0] : plan->colour == 100 ? 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]
                                                                            : 0.2126 * p[2] + 0.7152 * p[1] + 0.0722 * p[0];

          worst = MAX (worst, fabs (plane.pixels[i] - wanted));
        }
      expect (worst <= (colours == 1 ? 0.0 : 0.02), "%s, frame %d: off by %g", what, f, worst);
      expect (plan->first_tick ? fabs (start - (1709331330.0 + f)) < 1e-5 : isnan (start), "%s, frame %d: time %.6f", what, f, start);
      count_plane_clear (&plane);
    }
}

static void
kinds (void)
{
  static const gint colours[] = { 0, 8, 9, 10, 11, 100, 101 }, depths[] = { 8, 12, 16 };

  for (guint c = 0; c < G_N_ELEMENTS (colours); c++)
    for (guint d = 0; d < G_N_ELEMENTS (depths); d++)
      for (gint flag = 0; flag < 2; flag++)
        for (gint big = 0; big < 2; big++)
          {
            const FilmPlan plan = { .colour = colours[c], .flag = flag, .width = WIDTH, .height = HEIGHT, .bits = depths[d], .promised = N,
                                    .n = N, .is_big_endian = big, .first_tick = flag ? G_GINT64_CONSTANT (638449281300000000) : 0 };
            guint16       *values = slope (colours[c] >= 100 ? 3 : 1, depths[d], colours[c] >= 8 && colours[c] < 100);
            gchar         *what = g_strdup_printf ("colour %d, %d bits, flag %d, %s endian", plan.colour, plan.bits, flag, big ? "big" : "little");

            expect_film (&plan, values, what);
            g_free (what);
            g_free (values);
          }
}

static void
expect_refused (const gchar *text, gsize length, const gchar *what, const gchar *word)
{
  SerHeader  header;
  CountPlane plane = { 0 };
  GError    *error = NULL;
  gdouble    start;

  g_file_set_contents (film, text, length, NULL);
  expect (! ser_read_frame (film, 0, &plane, &header, &start, &error) && error && strstr (error->message, film) && strstr (error->message, word),
          "%s: %s, but should be refused with its name and \"%s\"", what, error ? error->message : "it is read", word);
  g_clear_error (&error);
  count_plane_clear (&plane);
}

static void
put (gchar *text, gsize at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (text + at, &value, 4);
}

static void
broken (void)
{
  static const struct { gsize at; guint32 value; const gchar *what; } bad[] = {
    { 0, 0, "another beginning" }, { 18, 16, "a mosaic of cyan" }, { 18, 19, "another mosaic of cyan" }, { 18, 7, "unknown colours" }, { 18, 12, "unknown colours" }, { 26, 0, "no width" }, { 26, -1, "a negative width" },
    { 26, 65536, "a frame of 4 Gpix" }, { 30, 0x7fffffff, "an endless height" }, { 34, 0, "no bits" }, { 34, 17, "17 bits" }, { 34, -1, "negative bits" } };
  FilmPlan  plan = { .width = WIDTH, .height = HEIGHT, .bits = 16, .promised = N, .n = N };
  guint16  *values = slope (1, 16, FALSE);
  gchar    *text;
  gsize     length;
  SerHeader header;

  files_ser (film, &plan, values);
  g_file_get_contents (film, &text, &length, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      gchar *copy = g_memdup2 (text, length);

      put (copy, bad[i].at, bad[i].value);
      if (bad[i].value == 65536)
        put (copy, 30, 65536);
      expect_refused (copy, length, bad[i].what, bad[i].value == 16 || bad[i].value == 19 ? "mosaic of cyan, magenta and yellow; make colours or grey of it" : "");
      g_free (copy);
    }
  for (gsize n = 0; n < 178 + 2 * WIDTH * HEIGHT; n += 13)
    expect_refused (text, n, "a film that is cut in its first frame", "");
  g_file_set_contents (film, text, length - 5, NULL);
  expect (ser_read_header (film, &header, NULL) && header.n == N - 1 && header.promised == N, "of a cut film the whole frames are used");
  put (text, 38, 0);
  expect_refused (text, 178 + 2 * WIDTH * HEIGHT - 1, "no frame, and no count of them", "no whole frame");
  g_file_set_contents (film, text, 178 + 2 * N * WIDTH * HEIGHT, NULL);
  expect (ser_read_header (film, &header, NULL) && header.n == N && header.promised == 0 && ! header.has_times,
          "frames that are not counted are as many as the file has room for: %d", header.n);
  put (text, 38, (guint32) -1);
  g_file_set_contents (film, text, length, NULL);
  expect (ser_read_header (film, &header, NULL) && header.n == N, "a negative count is more than there is");
  g_free (text);
  g_free (values);
}

/* The times behind the last frame have room for more frames, but are none. */
static void
beyond (void)
{
  const FilmPlan plan = { .width = 4, .height = 1, .bits = 8, .promised = 2, .n = 2, .first_tick = G_GINT64_CONSTANT (638449281300000000) };
  const guint16  values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  const gint     bad[] = { 2, 3, -1 };

  files_ser (film, &plan, values);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      CountPlane plane = { 0 };
      SerHeader  header;
      GError    *error = NULL;
      gdouble    start;
      gchar     *words = g_strdup_printf ("has no whole frame %d, but 2", bad[i]);

      expect (! ser_read_frame (film, bad[i], &plane, &header, &start, &error) && error && strstr (error->message, words), "frame %d of 2: %s",
              bad[i], error ? error->message : "read");
      count_plane_clear (&plane);
      g_clear_error (&error);
      g_free (words);
    }
}

int
ser_test (int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED)
{
  folder = files_folder ();
  film = g_build_filename (folder, "film.ser", NULL);
  kinds ();
  broken ();
  beyond ();
  files_remove (folder);
  g_free (film);
  g_free (folder);
  return expect_told ();
}
