/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Operations with which devices are checked; see trial.h. */
#include "config.h"

#include "trial.h"

GeglOperation *
trial_operation (gsize *node, const gchar *operation, const gchar *property, ...)
{
  if (g_once_init_enter (node))
    {
      GeglNode *made = gegl_node_new ();
      va_list   properties;

      gegl_node_set (made, "operation", operation, NULL);
      va_start (properties, property);
      gegl_node_set_valist (made, property, properties);
      va_end (properties);
      g_once_init_leave (node, GPOINTER_TO_SIZE (made));
    }
  return gegl_node_get_gegl_operation (GSIZE_TO_POINTER (*node));
}
