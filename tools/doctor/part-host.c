/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Parts that need GEGL but no filter: what it is and has; how it starts with OpenCL.
 */
#include "graph.h"

#include "doctor.h"
#include "tessera-control.h"

#include <string.h>

/* Where the libraries and modules of this process come from, where the system says so. */
static void
say_files (gchar **operations)
{
  static const gchar *const libraries[] = { "libgegl-0", "libtessera", NULL };
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (! g_file_get_contents ("/proc/self/maps", &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (gint i = 0; lines[i]; i++)
    {
      const gchar *path = strchr (lines[i], '/');
      g_autofree gchar *base = path ? g_path_get_basename (path) : NULL;

      for (gint k = 0; base && libraries[k]; k++)
        if (g_str_has_prefix (base, libraries[k]))
          say (libraries[k], "%s", path);
      for (gint k = 0; base && operations && operations[k]; k++)
        {
          const gchar *name = strchr (operations[k], ':') + 1;
          g_autofree gchar *module = g_strdup_printf ("tessera-%s", name);
          gsize        length = strlen (module);

          if (strncmp (base, module, length) == 0
              && (base[length] == '.' || g_str_has_prefix (base + length, "-x86_64")))
            {
              g_autofree gchar *key = g_strdup_printf ("file.%s", operations[k]);

              say (key, "%s", path);
            }
        }
    }
}

gint
run_part_host (void)
{
  gchar  **all, **ours, *swap = NULL, *joined;
  guint    n = 0;
  guint64  cache = 0;
  gint     major, minor, micro, threads = 0;

  gegl_get_version (&major, &minor, &micro);
  say ("gegl", "%d.%d.%d", major, minor, micro);
  babl_get_version (&major, &minor, &micro);
  say ("babl", "%d.%d.%d", major, minor, micro);
  say_doing ("loading GEGL's modules");
  gegl_init (NULL, NULL);
  g_object_get (gegl_config (), "swap", &swap, "tile-cache-size", &cache, "threads", &threads, NULL);
  say ("swap", "%s", swap ? swap : "");
  say ("cache", "%" G_GUINT64_FORMAT, cache);
  say ("threads", "%d", threads);
  say ("tiles", "%s", tessera_tiles_refused () ? tessera_tiles_refused () : "");
  all = gegl_list_operations (&n);
  ours = graph_operations ();
  joined = g_strjoinv (" ", ours);
  say ("operations", "%s", joined);
  say ("all", "%u", n);
  say ("system", "%d", gegl_has_operation ("gegl:gaussian-blur") && gegl_has_operation ("gegl:load"));
  say_files (ours);
  say_doing ("leaving GEGL");
  g_free (joined);
  g_strfreev (ours);
  g_free (all);
  g_free (swap);
  gegl_exit ();
  return 0;
}

/* GEGL with OpenCL, as GEGL_USE_OPENCL says. */
gint
run_part_start (void)
{
  gint64   began = g_get_monotonic_time ();
  gboolean on = FALSE;

  say_doing ("starting GEGL with OpenCL");
  gegl_init (NULL, NULL);
  g_object_get (gegl_config (), "use-opencl", &on, NULL);
  say ("on", "%d", on);
  say ("ms", "%.0f", (g_get_monotonic_time () - began) / 1e3);
  say ("device", "%s", on && tessera_device_name () ? tessera_device_name () : "");
  say_doing ("leaving GEGL");
  gegl_exit ();
  return 0;
}
