/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The environment variables that Tessera and GEGL read, and GIMP's preference.
 */
#include "doctor.h"

#include <string.h>

static gboolean
is_one_of (const gchar *value, const gchar *words)
{
  g_autofree gchar *lower = g_ascii_strdown (value, -1);
  g_auto (GStrv) list = g_strsplit (words, " ", -1);

  return g_strv_contains ((const gchar *const *) list, lower);
}

static void
check_words (Doctor *doctor, const gchar *name, const gchar *value)
{
  g_auto (GStrv) words = g_strsplit_set (value, ":;, \t", -1);

  for (gint i = 0; words[i]; i++)
    if (*words[i] && ! is_one_of (words[i], "timings paths memory all help"))
      report_problem (doctor, "environment", "Set it to timings, paths, memory, or several with commas; or unset it.",
                      "%s=%s: %s is not one of its words.", name, value, words[i]);
}

static void
check_memory (Doctor *doctor, const gchar *name, const gchar *value)
{
  gchar  *end;
  guint64 mebibytes = g_ascii_strtoull (value, &end, 10);

  if (*end || mebibytes == 0 || mebibytes > G_MAXINT || ! g_ascii_isdigit (*value))
    report_problem (doctor, "environment", "Set it to a number of MiB, or unset it.",
                    "%s=%s is not a number of MiB; it is ignored.", name, value);
  else if (mebibytes < 64)
    report_remark (doctor, "%s=%s leaves little room: large filters go to C.", name, value);
}

static void
check_variable (Doctor *doctor, const gchar *name, const gchar *value)
{
  if (g_str_equal (name, "TESSERA_OPENCL"))
    {
      if (! g_strv_contains ((const gchar *const []) { "auto", "own", "off", "try", "force", NULL }, value))
        report_problem (doctor, "environment", "Set it to auto, own, off, try or force; or unset it.",
                        "TESSERA_OPENCL=%s is none of auto, own, off, try, force; auto is taken.", value);
      else if (g_str_equal (value, "off"))
        report_remark (doctor, "TESSERA_OPENCL=off: the filters run in C whatever this report says.");
      else if (g_str_equal (value, "own"))
        report_remark (doctor, "TESSERA_OPENCL=own: while OpenCL is off in GEGL the filters open a graphics card themselves; this report is of GEGL's device.");
      else if (g_str_equal (value, "force"))
        report_remark (doctor, "TESSERA_OPENCL=force is for tests: a filter fails where OpenCL does.");
    }
  else if (g_str_equal (name, "TESSERA_DEBUG"))
    check_words (doctor, name, value);
  else if (g_str_equal (name, "TESSERA_MEMORY"))
    check_memory (doctor, name, value);
  else if (g_str_equal (name, "TESSERA_FAULT"))
    report_problem (doctor, "environment", "Unset TESSERA_FAULT.",
                    "TESSERA_FAULT=%s makes OpenCL fail on purpose; it is for tests.", value);
  else if (g_str_equal (name, "GEGL_USE_OPENCL") && ! is_one_of (value, "yes no cpu gpu accelerator"))
    report_problem (doctor, "environment", "Set it to yes, no, gpu, cpu or accelerator; or unset it.",
                    "GEGL_USE_OPENCL=%s is none of yes, no, gpu, cpu, accelerator; GEGL ignores it.", value);
}

/* What the gimprc below `folder` says of OpenCL. */
static void
report_gimprc (Doctor *doctor, const gchar *label, const gchar *folder)
{
  g_autofree gchar *path = g_build_filename (folder, "gimprc", NULL), *text = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    report_fact (doctor, label, "%s", strstr (text, "(use-opencl yes)")
                 ? "OpenCL is on in its preferences; it takes a GPU, unless GEGL_USE_OPENCL=cpu"
                 : "OpenCL is off in its preferences: filters run in C there, whatever GEGL_USE_OPENCL says");
}

static void
report_gimp (Doctor *doctor)
{
  const gchar *own = g_getenv ("GIMP3_DIRECTORY") ? g_getenv ("GIMP3_DIRECTORY") : g_getenv ("GIMP2_DIRECTORY");
  g_autofree gchar *folder = g_build_filename (g_get_user_config_dir (), "GIMP", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *version;

  if (own && g_path_is_absolute (own))
    report_gimprc (doctor, "GIMP", own);
  while (dir && (version = g_dir_read_name (dir)))
    {
      g_autofree gchar *label = g_strdup_printf ("GIMP %s", version);
      g_autofree gchar *path = g_build_filename (folder, version, NULL);

      report_gimprc (doctor, label, path);
    }
}

void
topic_environment (Doctor *doctor)
{
  static const gchar *const names[] = {
    "GEGL_USE_OPENCL", "TESSERA_OPENCL", "TESSERA_MEMORY", "TESSERA_DEBUG", "TESSERA_FAULT",
    "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES", "CUDA_VISIBLE_DEVICES",
    "RUSTICL_ENABLE", NULL
  };
  guint set = 0;

  report_topic (doctor, "Settings");
  for (gint i = 0; names[i]; i++)
    {
      const gchar *value = g_getenv (names[i]);

      if (! value || ! *value)
        continue;
      set++;
      report_fact (doctor, names[i], "%s", value);
      check_variable (doctor, names[i], value);
    }
  if (set == 0)
    report_line ("none of the environment variables that matter here is set");
  report_gimp (doctor);
}
