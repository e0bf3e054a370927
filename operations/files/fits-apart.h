/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Work in a process of its own, which may die of what it reads, and is ended when it takes too long.
 *
 * CFITSIO 4.2 (Debian 12) divides by the width of a tile, which may be 0, writes behind the numbers where the code of
 * an HCOMPRESS tile names another size, reads behind codes, and asks for memory for ever where GZIP's ends early.
 * tests/temporal/fits-damage.c has the files. */
#ifndef FITS_APART_H
#define FITS_APART_H

#include <glib.h>

typedef struct
{
  gint   pipe;                  /* -1: there is no process */
  gint64 id;
} FitsProcess;

/* Of the process: it tells what it finds by fits_tell. */
typedef void (*FitsWork) (gpointer data, gint pipe);

/* `seconds`: of the processor. */
FitsProcess fits_apart       (FitsWork work, gpointer data, gint seconds);
void        fits_apart_end   (FitsProcess *process);
void        fits_tell        (gint pipe, gconstpointer data, gsize bytes);
/* FALSE: the process has ended. */
gboolean    fits_hear        (const FitsProcess *process, gpointer data, gsize bytes);

/* Was CFITSIO built for several threads? */
gboolean    fits_has_threads (void);
/* It is used between these, so that no process begins while a thread holds a lock of CFITSIO's. */
void        fits_begin       (void);
void        fits_end         (void);

#endif
