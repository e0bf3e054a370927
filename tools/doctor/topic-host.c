/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Topics without OpenCL: versions and machine, operations, environment.
 */
#include "config.h"
#include "doctor.h"

#include <glib/gstdio.h>
#include <string.h>

static Part *
run_host (Doctor *doctor, const gchar *gegl_path)
{
  const gchar *environment[] = { "GEGL_USE_OPENCL", "no", "GEGL_PATH", gegl_path, NULL };

  return part_run (doctor, "host", environment);
}

/* The rest of the first line of `path` that begins with `name`, after the colon. */
static gchar *
system_line (const gchar *path, const gchar *name)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (! g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("unknown");
  lines = g_strsplit (text, "\n", -1);
  for (gint i = 0; lines[i]; i++)
    if (g_str_has_prefix (lines[i], name) && strchr (lines[i], ':'))
      return g_strdup (g_strstrip (strchr (lines[i], ':') + 1));
  return g_strdup ("unknown");
}

/* The file system that holds `path`, "" where unknown. */
static gchar *
file_system (const gchar *path)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  gchar *type = NULL;
  gsize  longest = 0;

  if (! g_file_get_contents ("/proc/self/mounts", &text, NULL, NULL))
    return g_strdup ("");
  lines = g_strsplit (text, "\n", -1);
  for (gint i = 0; lines[i]; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], " ", 4);
      gsize   length = fields[0] && fields[1] && fields[2] ? strlen (fields[1]) : 0;

      if (length > 0 && length >= longest && g_str_has_prefix (path, fields[1])
          && (length == 1 || path[length] == '/' || path[length] == '\0'))
        {
          longest = length;
          g_free (type);
          type = g_strdup (fields[2]);
        }
    }
  return type ? type : g_strdup ("");
}

static void
report_swap (Doctor *doctor, const Part *host, gdouble memory_mib)
{
  const gchar *swap = part_get (host, "swap");
  gdouble      cache = part_number (host, "cache") / 1048576.0;
  g_autofree gchar *type = NULL;

  report_fact (doctor, "tile cache", "%.0f MiB (GEGL_CACHE_SIZE, in GIMP: Preferences, System Resources)", cache);
  if (! swap || ! *swap || g_ascii_strcasecmp (swap, "RAM") == 0)
    {
      report_fact (doctor, "swap", "in memory");
      return;
    }
  type = file_system (swap);
  report_fact (doctor, "swap", "%s%s%s%s (GEGL_SWAP)", swap, *type ? " (" : "", type, *type ? ")" : "");
  if (g_file_test (swap, G_FILE_TEST_EXISTS) && g_access (swap, 2) != 0)
    report_remark (doctor, "GEGL's swap folder %s cannot be written.", swap);
  if (! g_str_equal (type, "tmpfs") && cache < memory_mib / 4)
    report_remark (doctor, "Tiles that do not fit the cache go to that disk, which is some ten times "
                   "slower. With %.0f MiB of memory, GEGL_CACHE_SIZE=%.0f is reasonable for gegl.",
                   memory_mib, memory_mib / 4);
}

/* Large results of the device are GEGL's tiles, or are written. */
static void
report_tiles (Doctor *doctor, const Part *host)
{
  const gchar *refused = part_get (host, "tiles");

  if (refused && ! *refused)
    report_fact (doctor, "tiles", "this GEGL shares our memory: large results are not copied");
  else if (refused)
    {
      report_fact (doctor, "tiles", "large results are copied");
      report_remark (doctor, "GEGL %s %s. So large results of OpenCL are copied, which takes longer.", part_get (host, "gegl"), refused);
    }
}

static void
topic_machine (Doctor *doctor, const Part *host)
{
  g_autofree gchar *processor = system_line ("/proc/cpuinfo", "model name");
  g_autofree gchar *total = system_line ("/proc/meminfo", "MemTotal");
  g_autofree gchar *available = system_line ("/proc/meminfo", "MemAvailable");
  gdouble mebibytes = g_ascii_strtod (total, NULL) / 1024.0;
  gint    threads = (gint) part_number (host, "threads");

  report_topic (doctor, "Versions and machine");
  report_fact (doctor, "Tessera", "%s", TESSERA_VERSION);
  report_fact (doctor, "GEGL", "%s", part_get (host, "gegl") ? part_get (host, "gegl") : "does not start");
  report_fact (doctor, "babl", "%s", part_get (host, "babl") ? part_get (host, "babl") : "unknown");
  report_fact (doctor, "processor", "%s, %u threads", processor, g_get_num_processors ());
  report_fact (doctor, "memory", "%.0f MiB, %.0f available", mebibytes,
               g_ascii_strtod (available, NULL) / 1024.0);
  if (host->end == PART_DONE)
    {
      report_fact (doctor, "GEGL uses", "%d threads (GEGL_THREADS)", threads);
      if (threads < (gint) g_get_num_processors ())
        report_remark (doctor, "GEGL uses %d of %u threads%s", threads, g_get_num_processors (),
                       g_getenv ("GEGL_THREADS") ? ": GEGL_THREADS is set." : ".");
      report_swap (doctor, host, mebibytes);
      report_tiles (doctor, host);
    }
}

/* ---------------------------------------------------------- operations -- */

static void
report_path (Doctor *doctor, const gchar *gegl_path, const Part *host)
{
  g_auto (GStrv) folders = g_strsplit (gegl_path, G_SEARCHPATH_SEPARATOR_S, -1);

  report_fact (doctor, "GEGL_PATH", "%s", gegl_path);
  for (gint i = 0; folders[i]; i++)
    if (*folders[i] && ! g_file_test (folders[i], G_FILE_TEST_IS_DIR))
      report_problem (doctor, "gegl-path-folder", "Take it out of GEGL_PATH, or unset GEGL_PATH.",
                      "GEGL_PATH names %s, which is no folder.", folders[i]);
  if (host->end == PART_DONE && part_number (host, "system") != 1)
    report_problem (doctor, "gegl-path-system",
                    "Append GEGL's own folder: GEGL_PATH=$GEGL_PATH" G_SEARCHPATH_SEPARATOR_S DOCTOR_PLUGINS_DIR
                    " (or wherever GEGL is installed).",
                    "GEGL's own operations are missing: GEGL_PATH replaces the system's folder.");
}

static void
report_accident (Doctor *doctor, const Part *host)
{
  g_autofree gchar *accident = part_accident (host);
  const gchar *said = part_error (host, NULL, NULL);

  if (accident)
    report_problem (doctor, "gegl-start",
                    "Look for a broken module or a stray .json file in GEGL's plug-in folders (GEGL_PATH, "
                    DOCTOR_PLUGINS_DIR ", ~/.local/share/gegl-0.4/plug-ins).",
                    "GEGL itself %s%s%s", accident, said ? ": " : "", said ? said : "");
}

static gboolean
has_word (const gchar *words, const gchar *word)
{
  g_auto (GStrv) list = g_strsplit (words ? words : "", " ", -1);

  return g_strv_contains ((const gchar *const *) list, word);
}

static void
report_operations (Doctor *doctor, const Part *host)
{
  g_auto (GStrv) expected = g_strsplit (DOCTOR_OPERATIONS, " ", -1);
  g_auto (GStrv) found = g_strsplit (part_get (host, "operations") ? part_get (host, "operations") : "", " ", -1);

  for (gint i = 0; found[i] && *found[i]; i++)
    {
      const gchar *file = part_get (host, "file.%s", found[i]);

      report_fact (doctor, found[i], "%s", file ? file : "found");
    }
  for (gint i = 0; expected[i]; i++)
    if (! g_strv_contains ((const gchar *const *) found, expected[i]) && found[0] && *found[0])
      report_problem (doctor, "operation-missing",
                      "Install Tessera anew (./run install); GEGL says on stderr why it refuses a module.",
                      "GEGL does not find %s.", expected[i]);
  if (host->end == PART_DONE && (! found[0] || ! *found[0]))
    {
      doctor->broken = TRUE;
      report_problem (doctor, "no-operations",
                      g_getenv ("GEGL_PATH")
                        ? "Unset GEGL_PATH, or add the folder of Tessera's modules to it."
                        : "./run install puts them where gegl and GIMP look.",
                      "GEGL finds none of Tessera's operations.");
    }
}

/* GIMP is started from the desktop, where nobody sets GEGL_PATH. */
static void
report_without_path (Doctor *doctor, const Part *plain)
{
  g_auto (GStrv) expected = g_strsplit (DOCTOR_OPERATIONS, " ", -1);
  guint    found = 0;

  for (gint i = 0; expected[i]; i++)
    found += has_word (part_get (plain, "operations"), expected[i]);
  if (found == g_strv_length (expected))
    report_fact (doctor, "without GEGL_PATH", "all are found: they are installed, so GIMP has them");
  else if (found == 0)
    report_fact (doctor, "without GEGL_PATH", "none is found: they are not installed; ./run install gives them to GIMP");
  else
    report_fact (doctor, "without GEGL_PATH", "only %u of the %u are found: the installation is incomplete; ./run install "
                 "completes it", found, g_strv_length (expected));
}

/* `plain`: without GEGL_PATH where that is set, else NULL. */
static void
topic_operations (Doctor *doctor, const gchar *gegl_path, const Part *plain, const Part *host)
{
  report_topic (doctor, "Operations");
  if (gegl_path)
    report_path (doctor, gegl_path, host);
  report_accident (doctor, host);
  if (host->end != PART_DONE)
    doctor->broken = TRUE;
  report_operations (doctor, host);
  if (part_get (host, "libtessera"))
    report_fact (doctor, "libtessera", "%s", part_get (host, "libtessera"));
  if (part_get (host, "libgegl-0"))
    report_fact (doctor, "libgegl", "%s", part_get (host, "libgegl-0"));
  if (plain)
    {
      report_without_path (doctor, plain);
      report_accident (doctor, plain);
    }
}

void
topic_host (Doctor *doctor, gchar ***operations)
{
  const gchar *gegl_path = g_getenv ("GEGL_PATH");
  Part        *host = run_host (doctor, gegl_path ? gegl_path : "");
  Part        *plain = gegl_path && ! doctor->quick ? run_host (doctor, "") : NULL;

  topic_machine (doctor, host);
  topic_operations (doctor, gegl_path, plain, host);
  if (part_get (host, "operations") && *part_get (host, "operations"))
    *operations = g_strsplit (part_get (host, "operations"), " ", -1);
  part_free (host);
  if (plain)
    part_free (plain);
}
