/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * OpenCL programs and their kernels.
 */
#ifndef TESSERA_PROGRAM_H
#define TESSERA_PROGRAM_H

#include "compile.h"
#include "device.h"
#include "queue.h"

typedef struct _TesseraProgram TesseraProgram;

typedef struct
{
  guint   bytes;                /* clSetKernelArg's size */
  gconstpointer value;          /* NULL: local memory */
} TesseraRawArg;

/* The kernels that serve all filters. */
extern const TesseraText tessera_engine_text;

/* The program of a source text, built on first use.  A text that the compiler refuses (TESSERA_REFUSED) is
 * not tried again; after any other failure it is.  A failure has been told, once, with the compiler's message. */
gint  tessera_program_get (const TesseraDevice *device, const TesseraText *text, TesseraProgram **program);
/* Does tessera_program_get answer at once?  *is_refused: with a status that it gives for good. */
gboolean tessera_program_is_done (const TesseraDevice *device, const TesseraText *text, gboolean *is_refused);
/* Refuses the program from now on, because it gives other results than C.  The status that tessera_program_get then gives. */
gint     tessera_program_refuse     (TesseraProgram *program);
/* `variant`: of the kernel, each of which has to be proven for itself. */
gint  tessera_program_launch (TesseraProgram *program, TesseraQueue *queue, const gchar *kernel, guint variant,
                              const gsize offset[3], const gsize size[3], const gsize group[3],
                              const TesseraRawArg *args, guint n_args, TesseraEvent **event);
/* Forgets the programs that did not build, or all of them (then no request may be running). */
void  tessera_program_forget (gboolean all);

#endif
