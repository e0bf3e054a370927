/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles.h: what the parts of `tiles` share. */
#ifndef TILES_H
#define TILES_H

#include <gegl.h>
#include <gegl-plugin.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define WIDTH   331
#define HEIGHT  207
#define SIDE    16              /* of tiles */
#define THREADS 4

extern const GeglRectangle whole;       /* the picture */

TesseraCounters counters   (void);
/* Free them: RaGaBaA float. */
gfloat         *pixels_of  (GeglBuffer *buffer, const GeglRectangle *roi);
gboolean        has_pixels (GeglBuffer *buffer, const GeglRectangle *roi, const gfloat *expected);
void            black_out  (GeglBuffer *buffer, const GeglRectangle *rect);

/* tiles-output.c: what becomes of the output.  `few` under valgrind. */
void            test_output (GeglBuffer *input, const gfloat *expected, gboolean few);

/* The filter's result for `roi` into `output`; how many tiles were sent. */
guint64         compute_into (GeglBuffer *input, GeglBuffer *output, const GeglRectangle *roi);

/* tiles-foreign.c */
void            foreign     (GeglBuffer *input, const gfloat *expected);

#endif
