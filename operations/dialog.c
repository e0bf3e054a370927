/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * GIMP 3 connects its settings to "notify::NAME" of a node, for each property, in both directions.  GEGL emits it nowhere, so that the
 * direction from the node is free.
 *
 * It is not emitted while GIMP computes, because GIMP then asks for the picture anew.  A program without a main loop is told nothing,
 * and nothing waits there for ever.
 */
#include "dialog.h"

typedef struct
{
  GWeakRef    node;
  GParamSpec *spec;
} Change;

static void
change_free (gpointer data)
{
  Change *change = data;

  g_weak_ref_clear (&change->node);
  g_param_spec_unref (change->spec);
  g_free (change);
}

static gboolean
notify_node (gpointer data)
{
  Change               *change = data;
  g_autoptr (GeglNode)  node = g_weak_ref_get (&change->node);

  if (node)
    g_object_notify_by_pspec (G_OBJECT (node), change->spec);
  return G_SOURCE_REMOVE;
}

void
dialog_show (GeglOperation *operation, const gchar *property)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (operation), property);
  const GQuark name = g_quark_from_string (property);

  if (operation->node && g_main_context_is_owner (NULL)
      && g_signal_has_handler_pending (operation->node, g_signal_lookup ("notify", G_TYPE_OBJECT), name, FALSE))
    {
      Change *change = g_new0 (Change, 1);

      g_weak_ref_init (&change->node, operation->node);
      change->spec = g_param_spec_ref (spec);
      g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, notify_node, change, change_free);
    }
}
