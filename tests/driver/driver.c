/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pictures, runs, stderr and verdicts for the tests with the stub driver. */
#include "driver.h"

#include <gmodule.h>
#include <signal.h>
#include <stdlib.h>

#include "../engine/apply-settings.h"
#include "../engine/history.h"

StubIcd stub;

static gint   passed, failed;
static gchar *vendors;          /* a folder of ours for the ICD loader, or NULL */

/* -------------------------------------------------------------- verdicts -- */

void
driver_verdict (gboolean good, const gchar *name, const gchar *text)
{
  if (good)
    passed++;
  else
    {
      failed++;
      printf ("FAIL %s\n%s", name, text ? text : "");
      fflush (stdout);
    }
}

int
driver_finish (void)
{
  if (vendors)
    {
      gchar *list = g_build_filename (vendors, "stub.icd", NULL);

      g_remove (list);
      g_rmdir (vendors);
      g_free (list);
    }
  printf ("%d passed, %d failed\n", passed, failed);
  return failed || ! passed;
}

/* --------------------------------------------------------------- crashes -- */

#ifndef __SANITIZE_ADDRESS__
static gchar crash_text[512];

static void
crashed (int number)
{
  if (write (1, crash_text, strlen (crash_text)) < 0)
    _exit (1);
  signal (number, SIG_DFL);
  raise (number);
}

void
driver_now (const gchar *what)
{
  g_snprintf (crash_text, sizeof crash_text, "FAIL crashed in %s\n", what);
  signal (SIGSEGV, crashed);
  signal (SIGABRT, crashed);
  signal (SIGBUS, crashed);
  signal (SIGFPE, crashed);
}
#else
void
driver_now (const gchar *what G_GNUC_UNUSED)
{
}
#endif

/* ----------------------------------------------------------------- start -- */

/* The stub beside this program, in the place of every other driver, where nobody has said so. */
static void
name_stub (void)
{
  gchar *self = g_file_read_link ("/proc/self/exe", NULL);
  gchar *folder = g_path_get_dirname (self ? self : ""), *library = g_build_filename (folder, "libstub-icd.so", NULL);

  if (! g_getenv ("STUB_ICD_LIBRARY") && g_file_test (library, G_FILE_TEST_EXISTS))
    {
      gchar *list, *text = g_strconcat (library, "\n", NULL);

      vendors = g_dir_make_tmp ("tessera-driver-XXXXXX", NULL);
      list = g_build_filename (vendors, "stub.icd", NULL);
      g_file_set_contents (list, text, -1, NULL);
      g_setenv ("STUB_ICD_LIBRARY", library, TRUE);
      g_setenv ("OCL_ICD_VENDORS", vendors, TRUE);
      g_free (list);
      g_free (text);
    }
  g_free (library);
  g_free (folder);
  g_free (self);
}

static gboolean
open_stub (void)
{
  const gchar *path = g_getenv ("STUB_ICD_LIBRARY");
  GModule     *module = path ? g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL) : NULL;
  gboolean     complete = module != NULL;

#define LOAD(type, name, arguments) \
  complete = complete && g_module_symbol (module, "stub_icd_" #name, (gpointer *) &stub.name);
  STUB_ICD_API (LOAD)
#undef LOAD
  return complete;
}

gboolean
driver_start (int *argc, char ***argv, gboolean device)
{
  const gchar *bad = NULL, *name = NULL;

  name_stub ();
  if (! open_stub ())
    bad = "there is no libstub-icd.so (STUB_ICD_LIBRARY, or beside this program)";
  else
    {
      g_setenv ("GEGL_TILE_SIZE", "16x8", FALSE);
      gegl_init (argc, argv);
      tessera_set_tile_pixels (1);      /* results of any size go straight into tiles */
      g_object_set (gegl_config (), "threads", g_getenv ("GEGL_THREADS") ? atoi (g_getenv ("GEGL_THREADS")) : 2, NULL);
      if (device && ! (name = tessera_device_name ()))
        bad = "there is no OpenCL device";
      else if (device && ! strstr (name, "(Stub "))
        bad = "the device is not the stub's";
      else if (g_strcmp0 (g_getenv ("GEGL_USE_OPENCL"), "no") != 0 && stub.calls ("GetPlatformInfo") + stub.calls ("GetDeviceIDs") < 1)
        bad = "nobody has called the stub (OCL_ICD_VENDORS?)";
    }
  failed += bad != NULL;
  if (bad)
    printf ("FAIL start: %s\n", bad);
  else if (name)
    printf ("device: %s\n", name);
  return ! bad;
}

/* -------------------------------------------------------------- pictures -- */

static guint32
next_random (guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* A star in every ninth square of 8 x 8, of one of some brightnesses, at a place within it. */
static gfloat
star_at (gint x, gint y)
{
  guint32    state = ((guint32) (y >> 3) * 131 + (guint32) (x >> 3) + 1) * 2654435761u | 1;
  const gint bits = (gint) (next_random (&state) >> 8), dx = (x & 7) - 2 - bits % 4, dy = (y & 7) - 2 - bits / 4 % 4;

  return bits % 9 != 0 ? 0.0f : 0.5f / (1 + dx * dx + dy * dy) * (bits % 5 + 1) / 5;
}

/* Whose stars are two pixels further left and one further up than the other's. */
static GeglBuffer *
paint_sky (const DriverCase *c, guint32 seed, gboolean is_other)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, c->width, c->height), babl_format (c->format));
  gfloat     *pixels = g_new (gfloat, (gsize) c->width * c->height);
  guint32     state = seed * 2654435761u | 1;

  for (gint y = 0; y < c->height; y++)
    for (gint x = 0; x < c->width; x++)
      {
        const guint32 bits = next_random (&state);

        pixels[y * c->width + x] = bits % 199 == 0 ? 0.9f
                                   : 0.2f + star_at (x + 2 * is_other, y + is_other) + (gint) (bits >> 20) / 131072.0f;
      }
  gegl_buffer_set (buffer, NULL, 0, babl_format ("Y float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static GeglBuffer *
paint (const DriverCase *c, guint32 seed)
{
  const GeglRectangle box = { 0, 0, c->width, c->height };
  const Babl         *format = babl_format (c->format);
  const gboolean      is_own = babl_format_get_n_components (format) == 4
                               && babl_format_get_type (format, 0) == babl_type ("float");
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  gfloat             *pixels = g_new (gfloat, (gsize) c->width * c->height * 4), *at = pixels;
  guint32             state = seed * 2654435761u | 1;

  for (gint y = 0; y < c->height; y++)
    for (gint x = 0; x < c->width; x++, at += 4)
      {
        gfloat base = ((x / 9 + y / 7) & 1 ? 0.7f : 0.125f) + 0.1f * x / c->width;

        for (gint i = 0; i < 3; i++)
          at[i] = base + (gint) (next_random (&state) >> 20) / 16384.0f;
        at[3] = 0.25f + (gint) (next_random (&state) >> 20) / 8192.0f;
      }
  gegl_buffer_set (buffer, &box, 0, is_own ? format : babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

void
driver_picture_init (DriverPicture *picture, const DriverCase *c, guint32 seed)
{
  if (c->is_sky)
    *picture = (DriverPicture) { paint_sky (c, seed, FALSE), paint_sky (c, seed + 77, TRUE), c->width, c->height };
  else
    *picture = (DriverPicture) { paint (c, seed), c->has_aux ? paint (c, seed + 77) : NULL, c->width, c->height };
}

void
driver_picture_clear (DriverPicture *picture)
{
  g_clear_object (&picture->input);
  g_clear_object (&picture->aux);
}

/* ------------------------------------------------------------------ runs -- */

static void
connect_buffer (GeglNode *graph, GeglNode *node, const gchar *pad, GeglBuffer *buffer)
{
  if (buffer)
    gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL),
                          "output", node, pad);
}

static gsize
pixels_bytes (const DriverCase *c, const Babl *format)
{
  return (gsize) c->width * c->height * babl_format_get_bytes_per_pixel (format);
}

/* Returns how many there are; `numbers` may be NULL. */
static guint
take_results (const DriverCase *c, GeglNode *node, gchar *numbers)
{
  gchar **names = g_strsplit (c->results ? c->results : "", " ", -1);
  guint   n = g_strv_length (names);

  for (guint i = 0; i < n && numbers; i++)
    {
      GValue value = G_VALUE_INIT;
      gfloat number;

      g_value_init (&value, G_TYPE_FLOAT);
      gegl_node_get_property (node, names[i], &value);
      number = g_value_get_float (&value);
      memcpy (numbers + i * sizeof number, &number, sizeof number);
      g_value_unset (&value);
    }
  g_strfreev (names);
  return n;
}

gsize
driver_bytes_of (const DriverCase *c, const Babl *format)
{
  return pixels_bytes (c, format) + take_results (c, NULL, NULL) * sizeof (gfloat);
}

gpointer
driver_run_to (const DriverCase *c, const DriverPicture *picture, const Babl *format, gboolean to_buffer)
{
  const GeglRectangle roi = { 0, 0, picture->width, picture->height };
  GeglNode           *graph = gegl_node_new ();
  GeglNode           *node = gegl_node_new_child (graph, "operation", c->operation, NULL);
  gpointer            pixels = g_malloc0 (driver_bytes_of (c, format));

  g_object_set (node, "dont-cache", TRUE, NULL);
  apply_settings (node, c->settings);
  history_give (node, picture->width, picture->height);
  connect_buffer (graph, node, "input", picture->input);
  connect_buffer (graph, node, "aux", picture->aux);
  if (to_buffer)
    {
      GeglBuffer *result = gegl_buffer_new (&roi, format);
      GeglNode   *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", result, NULL);

      gegl_node_connect_to (node, "output", sink, "input");
      gegl_node_process (sink);
      gegl_buffer_get (result, &roi, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      g_object_unref (result);
    }
  else
    gegl_node_blit (node, 1.0, &roi, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  take_results (c, node, (gchar *) pixels + pixels_bytes (c, format));
  g_object_unref (graph);
  return pixels;
}

gfloat *
driver_run (const DriverCase *c, const DriverPicture *picture)
{
  return driver_run_to (c, picture, babl_format (c->format), FALSE);
}

gboolean
driver_same (const DriverCase *c, gconstpointer a, gconstpointer b, const gchar *what, GString *why)
{
  const Babl   *format = babl_format (c->format);
  const gsize   pixel = babl_format_get_bytes_per_pixel (format), n = driver_bytes_of (c, format);
  const guint8 *p = a, *q = b;

  for (gsize i = 0; i < n; i++)
    if (p[i] != q[i])
      {
        g_string_append_printf (why, "  %s: at x %d, y %d, byte %d of the pixel, %d and %d", what, (gint) (i / pixel % c->width),
                                (gint) (i / pixel / c->width), (gint) (i % pixel), p[i], q[i]);
        if (babl_format_get_type (format, 0) == babl_type ("float"))
          g_string_append_printf (why, ": %.9g and %.9g", ((const gfloat *) a)[i / sizeof (gfloat)], ((const gfloat *) b)[i / sizeof (gfloat)]);
        g_string_append_c (why, '\n');
        return FALSE;
      }
  return TRUE;
}

/* ---------------------------------------------------------------- stderr -- */

void
driver_captured_end (Captured *captured, DriverSaid *said)
{
  gchar **lines;

  *said = (DriverSaid) { 0, 0, g_string_new (NULL) };
  lines = captured_end (captured, said->text, &said->lines);
  for (gint i = 0; lines[i]; i++)
    said->warnings += strstr (lines[i], "-WARNING **") || strstr (lines[i], "-CRITICAL **");
  g_strfreev (lines);
}

void
driver_said_clear (DriverSaid *said)
{
  g_string_free (said->text, TRUE);
  said->text = NULL;
}

/* --------------------------------------------------------------- objects -- */

gboolean
driver_same_live (const StubLive *before, const StubLive *after, GString *why)
{
  if (memcmp (before, after, sizeof *before) == 0)
    return TRUE;
  g_string_append_printf (why, "  the driver's live objects: queues %+d, memories %+d, programs %+d, kernels %+d, "
                          "events %+d\n", (gint) (after->queues - before->queues),
                          (gint) (after->memories - before->memories), (gint) (after->programs - before->programs),
                          (gint) (after->kernels - before->kernels), (gint) (after->events - before->events));
  return FALSE;
}
