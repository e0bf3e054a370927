/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Work in a process of its own, which may die of what it reads, and is ended when it takes too long.
 *
 * CFITSIO 4.2 (Debian 12) dies where a tile has no width, writes behind the numbers where an HCOMPRESS tile names another size, reads behind the end
 * of RICE codes, and goes on for ever where GZIP's end early.  Debian 13's and later ones have other faults. */
#ifndef FITS_APART_H
#define FITS_APART_H

#include <glib.h>

typedef struct
{
  gint     pipe;                /* -1: there is no process */
  gint64   id;
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
