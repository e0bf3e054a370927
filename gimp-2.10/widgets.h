/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One control for each property, made from its GParamSpec.
 */
#ifndef TESSERA_WIDGETS_H
#define TESSERA_WIDGETS_H

#include "plug-in.h"

#include <libgimp/gimpui.h>

/* A table of controls on the properties of the node, which they change; then `changed (data)`. */
GtkWidget *widgets_new (GeglNode *node, void (*changed) (gpointer data), gpointer data);

#endif
