/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A result of an operation, a number among its properties, for the dialog that GIMP 3 makes of them. */
#ifndef DIALOG_H
#define DIALOG_H

#include <gegl.h>
#include <gegl-plugin.h>

/* The property has another value now.  Whoever watches it on the operation's node hears of that, later and once: GIMP 3's dialog.
 * The operation does not, which would make its node compute again.  From the thread that computes. */
void dialog_show (GeglOperation *operation, const gchar *property);

#endif
