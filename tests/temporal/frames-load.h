/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:fits-load as a graph has it. */
#ifndef FRAMES_LOAD_H
#define FRAMES_LOAD_H

#include <glib.h>

/* Files are written into the folder. */
void frames_load (const gchar *folder);

#endif
