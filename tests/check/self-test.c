/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Proves that the harness sees what it is for: every wrong kind of
 * tessera:wrong (tessera-wrong.c) must be caught, the correct one must pass, and a
 * written guard must be noticed. */
#include "check.h"

#define CASES 200

static const gchar *const kinds[] =
  { "correct", "shifted", "skipped-column", "border", "roi", "threads", "device", "nan", "decline",
    "source", "half", "bands", "stale", "box", "hidden", NULL };

static const gchar *
working (const gdouble *values)
{
  return strcmp (kinds[(gint) values[0]], "hidden") == 0 ? "RGBA float" : "RaGaBaA float";
}

static void
halo (const gdouble *values G_GNUC_UNUSED, gint *x, gint *y)
{
  *x = 2;
  *y = 0;
}

static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 3;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  const RefImage *image = args->image;
  gdouble        *out = result->out, *scale = result->scale;

  for (gint y = result->y; y < result->y + result->height; y++)
    for (gint x = result->x; x < result->x + result->width; x++)
      for (gint k = 0; k < 4; k++, out++, scale++)
        for (gint i = -1; i <= 1; i++)
          {
            gint    column = CLAMP (x + i, 0, image->width - 1);
            gdouble value = image->pixels[((gsize) y * image->width + column) * 4 + k];

            *out += value * (i ? 0.25 : 0.5);
            *scale = fmax (*scale, fabs (value));
          }
  if (args->straight)
    check_excuse_lost_colour (result);
}

static const CheckFilter check_wrong =
{
  .name = "wrong",
  .operation = "tessera:wrong",
  .n_properties = 1,
  .properties = { { "kind", CHECK_ENUM, CHECK_UNIFORM, 0, G_N_ELEMENTS (kinds) - 2, 0, 0, kinds } },
  .working = working, .halo = halo, .cost = cost, .reference = reference,
  .to_reference = { 5e-7, "three products" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic"
};

/* Cases and laws of one kind until one fails; says which and why. */
static gboolean
is_caught (gint kind, const CheckOptions *options, GString *by)
{
  CheckStats stats = { 0 };
  guint      legs = strcmp (kinds[kind], "decline") ? CHECK_LEGS_ALL : CHECK_LEG_OPENCL | CHECK_LEG_REFERENCE;
  gboolean   caught = FALSE, is_stale = ! strcmp (kinds[kind], "stale");
  gint       most = strcmp (kinds[kind], "correct") ? 5 * CASES : CASES;        /* few cases show some of them */

  for (gint i = 0; i < most && ! caught; i++)
    {
      CheckCase c;
      GString  *why = g_string_new (NULL);

      check_draw (&check_wrong, options->seed, i, MAX (options->max_size, 700), &c);   /* large enough for threads */
      c.value[0] = kind;
      if (is_stale)
        c.field[CHECK_LAW] = CHECK_LAW_UPDATE;
      else if (! strcmp (kinds[kind], "hidden"))        /* this law alone sees it */
        c.field[CHECK_LAW] = CHECK_LAW_HIDDEN;
      else if (i % 2)
        for (gint law = (i / 2) % CHECK_LAWS; ; law = (law + 1) % CHECK_LAWS)
          if (check_laws_of (&check_wrong, c.value) & (1u << law))
            {
              c.field[CHECK_LAW] = law;
              break;
            }
      caught = ! check_case (&check_wrong, &c, legs, &stats, why);
      if (caught)
        {
          gchar **lines = g_strsplit (why->str, "\n", 3);

          g_string_printf (by, "case %d, law %s: %s %s", i, check_law_name (c.field[CHECK_LAW]),
                           g_strstrip (lines[0]), lines[1] ? g_strstrip (lines[1]) : "");
          g_strfreev (lines);
        }
      g_string_free (why, TRUE);
    }
  return caught;
}

/* One changed byte in front, behind, and at the end of a row. */
static gboolean
guards_watch (void)
{
  GString     *why = g_string_new (NULL);
  CheckGuarded guarded;
  gboolean     good;

  check_guarded_init (&guarded, 5, 3, 16, 2);
  good = check_guarded_whole (&guarded, why);
  memset (check_guarded_data (&guarded), 0, 5 * 16);
  good &= check_guarded_whole (&guarded, why);
  for (gint i = 0; i < 3; i++)
    {
      gssize  places[] = { -1, 5 * 16, (gssize) (guarded.stride * 3) };
      guint8 *byte = check_guarded_data (&guarded) + places[i];
      guint8  held = *byte;

      *byte ^= 1;
      good &= ! check_guarded_whole (&guarded, why);
      *byte = held;
    }
  check_guarded_clear (&guarded);
  g_string_free (why, TRUE);
  return good;
}

/* What shrinking tries: a case without the second image that it had, which had a space of its own. */
static gboolean
runs_without_aux (GString *why)
{
  CheckStats stats = { 0 };
  CheckCase  c;

  check_draw (&check_bilateral_grid, 1, 0, 20, &c);
  c.field[CHECK_AUX] = 0;
  c.field[CHECK_AUX_SPACE] = 1;
  check_normalise (&check_bilateral_grid, &c);
  return check_case (&check_bilateral_grid, &c, CHECK_LEG_C | CHECK_LEG_REFERENCE, &stats, why);
}

/* `kind` of the filter, its kernel new to the engine: the pixels, and whether the device answered. */
static gboolean
runs_anew (const gchar *kind, TesseraOpenclMode mode, CheckPixels *pixels, GString *why)
{
  CheckCase       c;
  CheckSource    *source;
  GeglRectangle   roi;
  TesseraCounters before, after;

  check_draw (&check_wrong, 1, 0, 100, &c);
  memset (c.field, 0, sizeof c.field);
  for (c.value[0] = 0; strcmp (kinds[(gint) c.value[0]], kind); c.value[0]++)
    ;
  c.field[CHECK_WIDTH] = 61;
  c.field[CHECK_HEIGHT] = 50;
  source = check_source_draw (&check_wrong, &c);
  roi = check_roi (&check_wrong, &c);
  tessera_set_fault ("build:1000000000");       /* forgets the programs */
  tessera_set_fault (NULL);
  tessera_set_opencl_mode (mode);
  tessera_get_counters (&before);
  check_blit (&check_wrong, &c, source, NULL, &roi, pixels, why);
  tessera_get_counters (&after);
  check_source_free (source);
  return after.device_requests > before.device_requests;
}

/* A kernel that is right as the filter is by default, and wrong with another setting: the engine compares it with C
 * as it is set, and takes C. */
static void
proof_sees (CheckStats *stats)
{
  CheckPixels in_c = { 0 }, answer = { 0 };
  GString    *why = g_string_new (NULL);

  tessera_set_proof (TRUE);
  check_verdict (stats, runs_anew ("correct", TESSERA_OPENCL_TRY, &answer, why), "self-test: a right kernel is proven",
                 why, FALSE);
  check_pixels_clear (&answer);
  runs_anew ("device", TESSERA_OPENCL_OFF, &in_c, why);
  check_verdict (stats, ! runs_anew ("device", TESSERA_OPENCL_TRY, &answer, why), "self-test: a wrong kernel is refused",
                 why, FALSE);
  check_verdict (stats, check_same_bits (&answer, &in_c, "C instead of a wrong kernel vs C", why),
                 "self-test: C instead of a wrong kernel", why, FALSE);
  tessera_set_proof (FALSE);
  tessera_set_fault ("build:1000000000");       /* the others of this test are to run */
  tessera_set_fault (NULL);
  check_pixels_clear (&answer);
  check_pixels_clear (&in_c);
  g_string_free (why, TRUE);
}

/* Alone, with two threads, on a busy machine, with a device that does all the work, and where both are idle. */
static gboolean
limits_time (GString *why)
{
  static const gint64 times[][3] = { { 100, 100, 100 }, { 100, 190, 100 }, { 100, 60, 60 }, { 100, 3, 25 }, { 100, 0, 25 } };
  gboolean            good = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      const gint64 spent = check_time_spent (times[i][0], times[i][1]);

      if (spent == times[i][2])
        continue;
      good = FALSE;
      g_string_append_printf (why, "  %d of the clock, %d of the processor: %d instead of %d\n", (gint) times[i][0], (gint) times[i][1], (gint) spent,
                              (gint) times[i][2]);
    }
  return good;
}

/* A table that leaves out a property, or excuses one that there is not. */
static gboolean
compares_tables (GString *why)
{
  static const CheckUndrawn kind[] = { { "kind", "an example" }, { NULL, NULL } };
  static const CheckUndrawn absent[] = { { "absent", "an example" }, { NULL, NULL } };
  g_autoptr (GString) seen = g_string_new (NULL);
  CheckFilter table = check_wrong;
  gboolean    good = check_properties (&table, why);

  table.undrawn = absent;
  good = ! check_properties (&table, seen) && good;
  table.undrawn = kind;
  good = ! check_properties (&table, seen) && good;
  table.n_properties = 0;
  good = check_properties (&table, why) && good;
  table.undrawn = NULL;
  return ! check_properties (&table, seen) && good;
}

void
check_self_test (const CheckOptions *options,
                 CheckStats         *stats)
{
  g_autoptr (GString) why = g_string_new (NULL);

  gegl_load_module_directory (CHECK_MODULE_DIR);
  check_verdict (stats, guards_watch (), "self-test: written guards", NULL, FALSE);
  check_verdict (stats, runs_without_aux (why), "self-test: a case without the second image that it had", why, FALSE);
  check_verdict (stats, limits_time (why), "self-test: what a time limit counts", why, FALSE);
  if (! check_exists (&check_wrong))
    {
      check_verdict (stats, FALSE, "self-test: tessera:wrong is missing", NULL, FALSE);
      return;
    }
  check_verdict (stats, compares_tables (why), "self-test: a table that leaves out a property", why, FALSE);
  if (options->legs & CHECK_LEG_OPENCL)
    proof_sees (stats);
  for (gint kind = 0; kinds[kind]; kind++)
    {
      GString *by = g_string_new ("  no case failed\n");
      gboolean caught = is_caught (kind, options, by), expected = kind != 0;
      gchar   *title = g_strdup_printf ("self-test: %s was %s", kinds[kind], caught ? "caught" : "not caught");

      check_verdict (stats, caught == expected, title, by, FALSE);
      if (caught && expected)
        g_print ("self-test: %s caught by %s\n", kinds[kind], by->str);
      g_free (title);
      g_string_free (by, TRUE);
    }
}
