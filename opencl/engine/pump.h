/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The band pump: a request on the device, band by band.
 */
#ifndef TESSERA_PUMP_H
#define TESSERA_PUMP_H

#include "tessera.h"
#include "internal.h"

/* What a request cost, for the log.  Times in seconds; upload, run and download
 * overlap with read and write. */
typedef struct
{
  guint        bands;
  gdouble      read, upload, run, download, write;
  const gchar *failed_at;       /* the stage in which an error came up */
} TesseraTimings;

/* geometry.c: tessera_invalidated must know what the last result was computed of. */
void tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds);

/* Computes request->roi.  0, or the first error: the output is then undefined. */
gint tessera_pump (const TesseraRequest *request, const TesseraDevice *device,
                   TesseraProgram *program, TesseraProgram *engine_program,
                   TesseraTimings *timings);

#endif
