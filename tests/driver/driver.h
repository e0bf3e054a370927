/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What driver-faults and driver-threads share: the filters and their settings,
 * pictures, one run through a GEGL graph, and the stub driver. */
#ifndef DRIVER_H
#define DRIVER_H

#include <gegl.h>

#include <stdio.h>
#include <string.h>

#include "tessera-control.h"

#include "../engine/captured.h"
#include "stub-icd.h"
#include "../../tools/connect.h"

/* The stub itself; it must be open before anything else. */
extern StubIcd stub;

typedef struct
{
  const gchar *name;
  const gchar *operation;
  const gchar *settings;        /* "length=13 border=loop" */
  const gchar *format;          /* of the picture */
  gint         width, height;
  gboolean     has_aux;
  gboolean     measures;        /* brings a few bytes back before the kernels run */
  gboolean     is_variant;      /* of an earlier case's operation */
  gboolean     is_whole;        /* a request of it is one band */
  gboolean     is_sky;          /* its pictures have stars, the aux has them elsewhere, and hot pixels */
  const gchar *results;         /* properties that are numbers: they come behind the pixels, as floats */
} DriverCase;

typedef struct
{
  GeglBuffer *input, *aux;
  gint        width, height;
} DriverPicture;

/* Opens GEGL and the stub; FALSE, and a line that says why, where the stub is not
 * the driver or (`device`: it must) there is no device. */
gboolean driver_start         (int *argc, char ***argv, gboolean device);

/* Noise, steps and a ramp; the same for the same seed, without denormals. */
void     driver_picture_init  (DriverPicture *picture, const DriverCase *c, guint32 seed);
void     driver_picture_clear (DriverPicture *picture);

/* Runs the operation through a graph of its own; free the pixels, with the results behind them. */
gfloat  *driver_run           (const DriverCase *c, const DriverPicture *picture);
/* The same in a format of one's own, or by way of gegl:write-buffer, for which the engine may deliver it so. */
gpointer driver_run_to        (const DriverCase *c, const DriverPicture *picture, const Babl *format,
                               gboolean to_buffer);
gsize    driver_bytes_of      (const DriverCase *c, const Babl *format);
/* TRUE when alike to the bit; else appends where they first differ to `why`. */
gboolean driver_same          (const DriverCase *c, gconstpointer a, gconstpointer b, const gchar *what,
                               GString *why);

/* What the process says on stderr in between. */
typedef struct
{
  gint     lines;               /* that begin with "tessera:" */
  gint     warnings;            /* GLib's */
  GString *text;                /* all of it */
} DriverSaid;

void     driver_captured_end  (Captured *captured, DriverSaid *said);
void     driver_said_clear    (DriverSaid *said);

/* Verdicts; prints `text` where it is bad. */
void     driver_verdict       (gboolean good, const gchar *name, const gchar *text);
/* What to name should the process crash. */
void     driver_now           (const gchar *what);
/* The last line of output; returns the exit code. */
int      driver_finish        (void);

/* "lives" and their difference, for messages. */
gboolean driver_same_live     (const StubLive *before, const StubLive *after, GString *why);

#endif
