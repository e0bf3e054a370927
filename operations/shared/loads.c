/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Reading pictures: see loads.h. */
#include "loads.h"

#include <operation/gegl-operation-handlers.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loads-whole.h"
#include "tessera.h"

#ifdef __GLIBC__
int __cxa_thread_atexit_impl (void (*function) (gpointer data), gpointer data, gpointer library);
extern gpointer __dso_handle;
#endif

/* Of the thread that reads. */
static _Thread_local const gchar *being_read;
static _Thread_local void       (*say_failed) (const gchar *path);

gboolean
loads_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *loader = NULL;

  if (dot && ! strchr (dot, '/') && gegl_has_operation ("gegl:load"))           /* now its modules are there */
    loader = gegl_operation_handlers_get_loader (dot);
  return loader && strcmp (loader, "gegl:magick-load") != 0;
}

GeglNode *
loads_node (GeglNode *graph, const gchar *path, GeglRectangle *box)
{
  GeglNode *node;

  if (! loads_ending (path) || ! loads_whole (path))
    return NULL;
  node = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  *box = gegl_node_get_bounding_box (node);
  return gegl_rectangle_is_empty (box) || tessera_is_endless (box) ? NULL : node;       /* endless: GEGL guesses a size */
}

GeglBuffer *
loads_picture (const gchar *path)
{
  g_autoptr (GeglNode) graph = gegl_node_new ();
  GeglNode     *node;
  GeglBuffer   *buffer = NULL;
  GeglRectangle box;

  if ((node = loads_node (graph, path, &box)))
    {
      GeglNode *sink = gegl_node_new_child (graph, "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);

      gegl_node_link (node, sink);
      gegl_node_process (sink);
    }
  return buffer;
}

static void
leave (void)
{
  if (being_read)
    {
      say_failed (being_read);
      _exit (2);
    }
}

#ifdef __GLIBC__
static void
leave_thread (gpointer data G_GNUC_UNUSED)
{
  leave ();
}
#endif

/* Before what others have registered, as a driver that another thread still uses: glibc's exit begins with what its own thread leaves. */
static void
watch (void)
{
#ifdef __GLIBC__
  static _Thread_local gboolean is_watched;

  if (! is_watched)
    __cxa_thread_atexit_impl (leave_thread, NULL, &__dso_handle);
  is_watched = TRUE;
#else
  atexit (leave);                       /* each time: they may have registered since */
#endif
}

void
loads_begin (const gchar *path, void (*failed) (const gchar *path))
{
  watch ();
  being_read = path;
  say_failed = failed;
}

void
loads_end (void)
{
  being_read = NULL;
}
