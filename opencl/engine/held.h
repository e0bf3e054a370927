/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A result that stays on the device: the pixels as they would travel, row by row.
 */
#ifndef TESSERA_HELD_H
#define TESSERA_HELD_H

#include <gegl.h>

#include "memory.h"

typedef struct
{
  gint                 references;
  const TesseraDevice *device;
  TesseraMemory       *memory;
  const Babl          *format;          /* of the pixels */
  gsize                pixel;           /* bytes of one */
  GeglRectangle        rect;            /* where they lie in the picture */
} TesseraHeld;

/* NULL: there is no room for it beside requests. */
TesseraHeld *tessera_held_new    (const TesseraDevice *device, const GeglRectangle *rect, const Babl *format);
TesseraHeld *tessera_held_ref    (TesseraHeld *held);
void         tessera_held_unref  (TesseraHeld *held);
/* In place of the only unref: the device may still write there. */
void         tessera_held_lose   (TesseraHeld *held);
/* Bytes of the device's memory that such results have. */
gsize        tessera_held_bytes  (void);
/* Brings all of it to `rows`; 0 or an error.  *idle FALSE: the device may still write there. */
gint         tessera_held_fetch  (const TesseraHeld *held, guchar *rows, gboolean *idle);
/* A buffer of some of its pixels; NULL: the device fails. */
GeglBuffer  *tessera_held_part   (const TesseraHeld *held, const GeglRectangle *part);

#endif
