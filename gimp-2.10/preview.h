/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a filter makes of a piece of the layer, with a list of sizes and a switch below it.
 */
#ifndef TESSERA_PREVIEW_H
#define TESSERA_PREVIEW_H

#include "plug-in.h"

#include <libgimp/gimpui.h>

GtkWidget *preview_new    (Layer *layer);
/* The settings have changed: it is drawn anew a little later. */
void       preview_update (GtkWidget *preview);
/* The keyboard goes to its switch; from there Tab leads to what follows. */
void       preview_take_focus (GtkWidget *preview);
/* It asks for so many pixels less of height, as far as something is still seen. */
void       preview_lower      (GtkWidget *preview, gint pixels);

#endif
