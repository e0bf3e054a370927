/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Loaded before GLib: there are no more threads for those of the name in NO_THREAD. */
#include <dlfcn.h>
#include <glib.h>

typedef GThread *(*New) (const gchar *name, GThreadFunc function, gpointer data);
typedef GThread *(*TryNew) (const gchar *name, GThreadFunc function, gpointer data, GError **error);

static gboolean
is_denied (const gchar *name)
{
  return name && g_strcmp0 (name, g_getenv ("NO_THREAD")) == 0;
}

GThread *
g_thread_new (const gchar *name, GThreadFunc function, gpointer data)
{
  if (is_denied (name))
    g_error ("creating thread '%s': none is left", name);
  return ((New) dlsym (RTLD_NEXT, "g_thread_new")) (name, function, data);
}

GThread *
g_thread_try_new (const gchar *name, GThreadFunc function, gpointer data, GError **error)
{
  if (! is_denied (name))
    return ((TryNew) dlsym (RTLD_NEXT, "g_thread_try_new")) (name, function, data, error);
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "none is left");
  return NULL;
}
