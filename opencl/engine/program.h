/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * OpenCL programs and their kernels.
 */
#ifndef TESSERA_PROGRAM_H
#define TESSERA_PROGRAM_H

#include "device.h"
#include "queue.h"

typedef struct _TesseraProgram TesseraProgram;

typedef struct
{
  guint   bytes;                /* clSetKernelArg's size */
  gconstpointer value;          /* NULL: local memory */
} TesseraRawArg;

/* The program of a source text, built on first use.  A text that the compiler refuses is
 * not tried again; after any other failure it is.  The compiler's message is logged once. */
gint  tessera_program_get (const TesseraDevice *device, const gchar *name,
                           const gchar *source, TesseraProgram **program);
/* Will tessera_program_get give this status again the next time? */
gboolean tessera_program_is_refused (gint status);
/* Refuses the program from now on, because it gives other results than C.  The status that tessera_program_get then gives. */
gint     tessera_program_refuse     (TesseraProgram *program);
gint  tessera_program_launch (TesseraProgram *program, TesseraQueue *queue, const gchar *kernel,
                              const gsize offset[3], const gsize size[3], const gsize group[3],
                              const TesseraRawArg *args, guint n_args, TesseraEvent **event);
/* Forgets the programs that did not build, or all of them (then no request may be running). */
void  tessera_program_forget (gboolean all);

#endif
