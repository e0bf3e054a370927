/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a child and its children did of the time that passed: they computed, they waited
 * for a processor, or they did nothing.  A child that waits on a busy machine is no
 * driver that hangs.  Only Linux tells; elsewhere all the time counts as nothing done.
 */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"

typedef struct
{
  gint    pid, parent;
  gdouble computed;             /* seconds, with those of children that have ended */
  gboolean is_ours;
} Process;

/* The state, and if `process` is not NULL the rest, of a stat file of /proc; 0 where there is none. */
static gchar
read_stat (const gchar *path, Process *process)
{
  g_autofree gchar *text = NULL;
  gchar        *at, state = 0;
  unsigned long ticks[4];

  if (! g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  at = strrchr (text, ')');
  if (at && at[1] == ' ')
    state = at[2];
  if (state && process)
    {
      if (sscanf (at + 3, "%d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &process->parent, &ticks[0],
                  &ticks[1], &ticks[2], &ticks[3]) == 5)
        process->computed = (gdouble) (ticks[0] + ticks[1] + ticks[2] + ticks[3]) / tessera_ticks ();
      else
        state = 0;
    }
  return state;
}

/* `pid` and its descendants, with what they computed. */
static GArray *
family (gint pid)
{
  GArray      *all = g_array_new (FALSE, TRUE, sizeof (Process));
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const gchar *name;
  gboolean     grows = TRUE;

  while (dir && (name = g_dir_read_name (dir)))
    {
      Process process = { .pid = atoi (name) };
      g_autofree gchar *path = g_strdup_printf ("/proc/%s/stat", name);

      process.is_ours = process.pid == pid;
      if (process.pid > 0 && read_stat (path, &process))
        g_array_append_val (all, process);
    }
  while (grows)
    {
      grows = FALSE;
      for (guint i = 0; i < all->len; i++)
        for (guint k = 0; k < all->len; k++)
          {
            Process *child = &g_array_index (all, Process, i), *parent = &g_array_index (all, Process, k);

            if (! child->is_ours && parent->is_ours && child->parent == parent->pid)
              child->is_ours = grows = TRUE;
          }
    }
  for (guint i = all->len; i-- > 0;)
    if (! g_array_index (all, Process, i).is_ours)
      g_array_remove_index_fast (all, i);
  return all;
}

/* Could one of its threads go on at once, had it a processor?  (One that waits in the kernel, `D`, may
 * be what a broken driver leaves behind.) */
static gboolean
wants_processor (gint pid)
{
  g_autofree gchar *folder = g_strdup_printf ("/proc/%d/task", pid);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  gboolean     wants = FALSE;

  while (dir && ! wants && (name = g_dir_read_name (dir)))
    {
      g_autofree gchar *path = g_strdup_printf ("%s/%s/stat", folder, name);

      wants = read_stat (path, NULL) == 'R';
    }
  return wants;
}

void
own_time_look (OwnTime *self, const gchar *pid)
{
  gint64   now = g_get_monotonic_time ();
  gdouble  passed = (now - self->looked) / 1e6, so_far = 0, computed;
  g_autoptr (GArray) ours = family (pid ? atoi (pid) : -1);
  gboolean wants = FALSE;

  for (guint i = 0; i < ours->len; i++)
    {
      so_far += g_array_index (ours, Process, i).computed;
      wants = wants || wants_processor (g_array_index (ours, Process, i).pid);
    }
  computed = CLAMP (so_far - self->so_far, 0, passed);          /* many threads count as one */
  self->computed += computed;
  *(wants ? &self->waited : &self->idle) += passed - computed;
  self->so_far = so_far;
  self->looked = now;
}

gchar *
own_time_load (void)
{
  g_autofree gchar *text = NULL;

  if (! g_file_get_contents ("/proc/loadavg", &text, NULL, NULL))
    return g_strdup ("others use its processors");
  return g_strdup_printf ("load %.0f on %u processor%s", g_ascii_strtod (text, NULL), g_get_num_processors (),
                          g_get_num_processors () == 1 ? "" : "s");
}
