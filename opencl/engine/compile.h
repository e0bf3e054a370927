/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * From a source text to a program of the driver's.
 */
#ifndef TESSERA_COMPILE_H
#define TESSERA_COMPILE_H

#include "device.h"

/* What a program is made of. */
typedef struct
{
  const gchar *name, *source;
  const gchar *define;          /* "NAME=NUMBER", or NULL */
} TesseraText;

/* The program that was kept of it, or else that the compiler makes.  A failure has been told, once, with the compiler's
 * message.  *key: under which it is kept, or NULL; free it.  *object: a cl_program, or NULL. */
gint tessera_compile (const TesseraDevice *device, const TesseraText *text, gpointer *object, gchar **key);

/* Nothing is kept of it, where that is looked for: the compiler takes its time. */
gboolean tessera_compiles_slowly (const TesseraDevice *device, const TesseraText *text);

/* What is kept under the key goes. */
void tessera_compile_forget (const gchar *key);

#endif
