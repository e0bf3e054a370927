/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-doctor: says what GEGL, Tessera and OpenCL do on this machine, what is
 * wrong and what helps.  Exit code: 0 all is well, 1 something to act on, 2 the
 * doctor could not examine the filters.
 */
#include "doctor.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "../version.h"

static gboolean quick;
static gint     timeout = 120, budget = 120;
static gchar   *json, *part_name, *part_output, *part_errors;

static const GOptionEntry options[] = {
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Write everything to FILE too, as JSON", "FILE" },
  { "quick", 0, 0, G_OPTION_ARG_NONE, &quick, "Small pictures: rough times, fewer comparisons", NULL },
  { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout, "Longest wait for a driver, in seconds (120)", "N" },
  { "budget", 0, 0, G_OPTION_ARG_INT, &budget, "Time for timing the filters in C, and on the device, in seconds (120)", "N" },
  VERSION_OPTION,
  { "device-part", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &part_name, NULL, "NAME" },
  { "part-output", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &part_output, NULL, "FILE" },
  { "part-errors", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &part_errors, NULL, "FILE" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static gint
run_part (void)
{
  if ((part_output && ! freopen (part_output, "w", stdout))
      || (part_errors && ! freopen (part_errors, "w", stderr)))
    return 9;
  setvbuf (stderr, NULL, _IONBF, 0);
  if (strcmp (part_name, "host") == 0)
    return run_part_host ();
  if (strcmp (part_name, "icds") == 0)
    return run_part_icds ();
  if (strcmp (part_name, "list") == 0)
    return run_part_list ();
  if (strcmp (part_name, "start") == 0)
    return run_part_start ();
  if (strcmp (part_name, "filters") == 0)
    return run_part_filters (quick);
  if (strcmp (part_name, "transfer") == 0)
    return run_part_transfer (quick);
  if (strcmp (part_name, "speed") == 0)
    return run_part_speed (quick, budget);
  return 9;
}

static gint
examine (Doctor *doctor)
{
  Choice choice = { NULL, NULL, FALSE, FALSE };
  g_auto (GStrv) operations = NULL;
  g_autofree gchar *summary = NULL;
  gint   code;

  printf ("Tessera's doctor. It looks and measures for a minute or two (--quick: less), and changes nothing.\n");
  topic_host (doctor, &operations);
  topic_environment (doctor);
  topic_opencl (doctor, &choice);
  topic_device (doctor, &choice, operations);
  topic_transfer (doctor, &choice);
  topic_speed (doctor, &choice, operations);
  summary = choice.kind
              ? g_strdup_printf ("The filters run; C and OpenCL on %s agree.", choice.title)
              : g_strdup ("The filters run, in C; OpenCL is off or has no device.");
  code = report_finish (doctor, summary);
  g_free (choice.title);
  return code;
}

static void
clear (Doctor *doctor)
{
  g_rmdir (doctor->folder);
  g_free (doctor->folder);
  g_free (doctor->self);
  g_free (doctor->topic);
  g_object_unref (doctor->facts);
  g_object_unref (doctor->parts);
  g_object_unref (doctor->issues);
  g_object_unref (doctor->remarks);
  g_ptr_array_unref (doctor->problems);
  g_ptr_array_unref (doctor->remedies);
  g_ptr_array_unref (doctor->remark_texts);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- what Tessera finds on this machine");
  GError         *error = NULL;
  Doctor          doctor = { .quick = FALSE };
  gint            code;

  setlocale (LC_CTYPE, "");
  g_option_context_set_description (context,
    "Exit code: 0 all is well, 1 something to act on, 2 the filters could not be examined.\n"
    "GEGL_USE_OPENCL=gpu|cpu|accelerator says which kind of device to look at; without it a GPU,\n"
    "else a processor.");
  g_option_context_add_main_entries (context, options, NULL);
  if (! g_option_context_parse (context, &argc, &argv, &error) || argc > 1)
    {
      fprintf (stderr, "tessera-doctor: %s\n", error ? error->message : "no such argument; see --help");
      return 2;
    }
  g_option_context_free (context);
  if (part_name)
    return run_part ();
  doctor.quick = quick;
  doctor.timeout = MAX (timeout, 1);
  doctor.budget = MAX (budget, 0);
  doctor.self = g_file_read_link ("/proc/self/exe", NULL);
  if (! doctor.self)
    doctor.self = g_find_program_in_path (argv[0]);
  doctor.folder = g_dir_make_tmp ("tessera-doctor-XXXXXX", &error);
  if (! doctor.folder || ! doctor.self)
    {
      fprintf (stderr, "tessera-doctor: %s\n", error ? error->message : "it does not find itself");
      return 2;
    }
  doctor.facts = json_builder_begin_object (json_builder_new ());
  doctor.parts = json_builder_begin_object (json_builder_new ());
  doctor.issues = json_builder_begin_array (json_builder_new ());
  doctor.remarks = json_builder_begin_array (json_builder_new ());
  doctor.problems = g_ptr_array_new_with_free_func (g_free);
  doctor.remedies = g_ptr_array_new_with_free_func (g_free);
  doctor.remark_texts = g_ptr_array_new_with_free_func (g_free);
  code = examine (&doctor);
  if (json && ! report_write_json (&doctor, json, code))
    code = MAX (code, 2);
  clear (&doctor);
  return code;
}
