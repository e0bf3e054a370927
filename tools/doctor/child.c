/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Runs this program again as a child for one part, with a time limit.  A child
 * writes to files and not into pipes: what it said before it crashed, hung or
 * left processes of its own behind is there.
 */
#include "doctor.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define MOST_COMPUTING 3        /* times the limit: a driver may well compile for that long */

typedef struct
{
  GMainLoop   *loop;
  GSubprocess *process;
  const gchar *output;
  goffset      said;            /* bytes */
  gint         limit;
  OwnTime      step, whole;     /* since it said something, and since it began */
  gboolean     ended;
  gint         seconds_to_die;  /* once it is killed */
} Waiting;

static void
on_end (GObject *process, GAsyncResult *result, gpointer data)
{
  Waiting *waiting = data;

  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  waiting->ended = TRUE;
  g_main_loop_quit (waiting->loop);
}

static goffset
size_of (const gchar *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 ? status.st_size : 0;
}

/* Each second: has it said what it does next?  If not, did it do nothing for too long? */
static gboolean
on_second (gpointer data)
{
  Waiting     *waiting = data;
  const gchar *pid = g_subprocess_get_identifier (waiting->process);
  goffset      said = size_of (waiting->output);

  own_time_look (&waiting->step, pid);
  own_time_look (&waiting->whole, pid);
  if (said != waiting->said)
    waiting->step.computed = waiting->step.waited = waiting->step.idle = 0;
  waiting->said = said;
  if (waiting->seconds_to_die > 0)
    {
      if (--waiting->seconds_to_die == 0)
        g_main_loop_quit (waiting->loop);
      return G_SOURCE_CONTINUE;
    }
  if (waiting->step.idle > waiting->limit
      || waiting->step.computed > (gdouble) MOST_COMPUTING * waiting->limit)
    g_main_loop_quit (waiting->loop);
  return G_SOURCE_CONTINUE;
}

/* Does the child end by itself?  If not it is killed; one that a driver keeps even
 * from being killed is left alone, with what still waits for it. */
static gboolean
wait_for (GSubprocess *process, const gchar *output, gint limit, gboolean *busy)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  guint    timer = g_timeout_add_seconds (1, on_second, waiting);
  gboolean in_time;

  waiting->loop = g_main_loop_new (NULL, FALSE);
  waiting->process = process;
  waiting->output = output;
  waiting->limit = limit;
  waiting->step.looked = waiting->whole.looked = g_get_monotonic_time ();
  g_subprocess_wait_async (process, NULL, on_end, waiting);
  g_main_loop_run (waiting->loop);
  in_time = waiting->ended;
  *busy = waiting->whole.waited > 0.25 * (waiting->whole.computed + waiting->whole.waited + waiting->whole.idle);
  if (! in_time)
    {
      waiting->seconds_to_die = 10;
      g_subprocess_force_exit (process);
      g_main_loop_run (waiting->loop);
    }
  g_source_remove (timer);
  if (waiting->ended)
    {
      g_main_loop_unref (waiting->loop);
      g_free (waiting);
    }
  return in_time;
}

static GSubprocess *
start (Doctor *doctor, const gchar *name, const gchar *const *environment, const gchar *output,
       const gchar *errors)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  GSubprocess         *process;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *budget = g_strdup_printf ("%d", doctor->budget);

  for (gint i = 0; environment && environment[i]; i += 2)
    if (*environment[i + 1])
      g_subprocess_launcher_setenv (launcher, environment[i], environment[i + 1], TRUE);
    else
      g_subprocess_launcher_unsetenv (launcher, environment[i]);
  process = g_subprocess_launcher_spawn (launcher, &error, doctor->self, "--device-part", name,
                                         "--part-output", output, "--part-errors", errors,
                                         "--budget", budget, doctor->quick ? "--quick" : NULL, NULL);
  if (! process)
    fprintf (stderr, "tessera-doctor: %s\n", error->message);
  return process;
}

static void
parse (Part *part, Doctor *doctor, const gchar *output, const gchar *errors)
{
  g_autofree gchar *text = NULL, *said = NULL;
  g_auto (GStrv) lines = NULL;

  g_file_get_contents (output, &text, NULL, NULL);
  lines = g_strsplit (text ? text : "", "\n", -1);
  put_object (doctor->parts, part->name);
  for (gint i = 0; lines[i]; i++)
    {
      gchar *equals = strchr (lines[i], '='), *value;

      if (! equals)
        continue;
      *equals = '\0';
      value = g_strcompress (equals + 1);
      put_text (doctor->parts, lines[i], value);
      g_hash_table_replace (part->values, g_strdup (lines[i]), value);
    }
  json_builder_end_object (doctor->parts);
  g_file_get_contents (errors, &said, NULL, NULL);
  part->errors = g_strsplit (said ? said : "", "\n", -1);
}

Part *
part_run (Doctor *doctor, const gchar *name, const gchar *const *environment)
{
  static guint number;
  Part        *part = g_new0 (Part, 1);
  g_autofree gchar *output = g_strdup_printf ("%s/%u.out", doctor->folder, ++number);
  g_autofree gchar *errors = g_strdup_printf ("%s/%u.err", doctor->folder, number);
  GSubprocess *process = start (doctor, name, environment, output, errors);

  part->name = name;
  part->timeout = doctor->timeout;
  part->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (! process)
    part->end = PART_FAILED;
  else if (! wait_for (process, output, doctor->timeout, &part->busy))
    part->end = PART_HUNG;
  else if (g_subprocess_get_if_signaled (process))
    {
      part->end = PART_CRASHED;
      part->code = g_subprocess_get_term_sig (process);
    }
  else
    {
      part->code = g_subprocess_get_exit_status (process);
      part->end = part->code == 0 ? PART_DONE : PART_FAILED;
    }
  g_clear_object (&process);
  parse (part, doctor, output, errors);
  remove (output);
  remove (errors);
  return part;
}

const gchar *
part_get (const Part *part, const gchar *key_format, ...)
{
  va_list arguments;
  g_autofree gchar *key = NULL;

  va_start (arguments, key_format);
  key = g_strdup_vprintf (key_format, arguments);
  va_end (arguments);
  return g_hash_table_lookup (part->values, key);
}

gdouble
part_as_number (const gchar *value)
{
  return value ? g_ascii_strtod (value, NULL) : -1.0;
}

const gchar *
part_error (const Part *part, const gchar *text, const gchar *another)
{
  for (gint i = 0; part->errors[i]; i++)
    if (*part->errors[i] && (! text || strstr (part->errors[i], text))
        && (! another || strstr (part->errors[i], another)))
      return part->errors[i];
  return NULL;
}

gchar *
part_accident (const Part *part)
{
  const gchar *doing = part_get (part, "doing");

  doing = doing ? doing : "starting";
  switch (part->end)
    {
    case PART_CRASHED:
      return g_strdup_printf ("crashed (signal %d) while %s", part->code, doing);
    case PART_HUNG:
      return g_strdup_printf ("did not answer within %d s while %s", part->timeout, doing);
    case PART_FAILED:
      return g_strdup_printf ("ended with exit code %d while %s", part->code, doing);
    default:
      return NULL;
    }
}

void
part_free (Part *part)
{
  g_hash_table_unref (part->values);
  g_strfreev (part->errors);
  g_free (part);
}

/* ------------------------------------------------------------- children -- */

static void
say_text (const gchar *key, const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  g_autofree gchar *escaped = g_strescape (valid, NULL);

  printf ("%s=%s\n", key, escaped);
  fflush (stdout);
}

void
say (const gchar *key, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  say_text (key, text);
}

void
say_doing (const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  say_text ("doing", text);
}
