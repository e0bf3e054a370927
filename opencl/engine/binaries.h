/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a compiler has made, kept in files of the user's cache folder.
 */
#ifndef TESSERA_BINARIES_H
#define TESSERA_BINARIES_H

#include "device.h"

/* Names what the compiler of this device makes of the source with these options.  NULL: nothing of this device is kept. */
gchar  *tessera_binary_key   (const TesseraDevice *device, const gchar *source, const gchar *options);
gboolean tessera_binary_is_kept (const gchar *key);
/* NULL: nothing is kept under the key, or it is not what was written. */
GBytes *tessera_binary_read  (const gchar *key);
/* Whole or not at all: a disk that is full costs nothing but the time of the next build. */
void    tessera_binary_write (const gchar *key, gconstpointer data, gsize bytes);
void    tessera_binary_drop  (const gchar *key);

#endif
