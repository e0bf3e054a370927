/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation with whose settings a device is checked, for requests whose own operation does not tell. */
#ifndef TRIAL_H
#define TRIAL_H

#include <gegl.h>
#include <gegl-plugin.h>

/* For good, and the same for all threads; `node` is static.  Behind the operation: properties as gegl_node_set takes them. */
GeglOperation *trial_operation (gsize *node, const gchar *operation, const gchar *property, ...) G_GNUC_NULL_TERMINATED;

#endif
