/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A request on the device, and one of its bands.  Only types.  What happens to them:
 *
 * plan.c cuts a request into bands.  Each is read on all threads into pinned memory, uploaded, decoded, its border extended
 * (arrivals.c), passed through the filter's kernels (passes.c), encoded, downloaded and written (results.c).  Three queues upload,
 * run and download side by side, while one parallel job reads a band, writes another and enqueues a third (pump.c, bands.c).
 *
 * `measure` brings a few bytes to the host before the passes.  `arrived` works on the first rows while others are still read.
 * `survey` counts over the whole image before a second request (equalize).  A `whole` request cannot be cut (label).
 *
 * Any error ends in process.c, which computes the same rectangle in C.  One that may mean memory leads to fewer bands, then lower
 * ones, then C.  Nothing that a device did is believed before it is known to have happened: each upload, clear and launch has an
 * event, which is looked at before a value is used, a band is delivered or a table is kept.  An upload is waited for.  A launch or
 * a clear has happened when a later command of its queue has, and its own event tells no error; whether that event has ended is
 * not asked, because NVIDIA's driver knows it late.  Memory goes back to the pool when the device is known to be done with it.
 * No lock is held while the driver is called, but for launches on PoCL 5, which must not overlap.
 *
 * A large result goes into tiles of ours: the device orders a band by the output's tiles, and GEGL is handed their memory.  Tiles
 * that the region covers in part, and edge tiles that the output already has, are copied.
 */
#ifndef TESSERA_JOB_H
#define TESSERA_JOB_H

#include "formats.h"
#include "held.h"
#include "memory.h"
#include "plan.h"
#include "program.h"
#include "queue.h"
#include "request.h"
#include "tiles.h"

#define MAX_MEMORIES 40
#define MAX_TABLES   80                 /* a history of 64 frames, and some */
#define MOST_UPLOADS (MOST_SLICES + 4)  /* the last slice is cut in three (pump.c), and one is spare */

/* The times of a request, in seconds.  The stages overlap. */
typedef struct
{
  guint        bands;
  gdouble      read, upload, run, download, write, submit;   /* submit: the host's time for commands */
  const gchar *failed_at;       /* the stage in which an error came up */
  GPtrArray   *unproven;        /* TesseraProofMark: used kernels that are not yet known to give C's results */
  TesseraHeld *stays;           /* the result, if it stays on the device, or NULL */
} TesseraTimings;

/* A table on the device, for all bands of a request. */
typedef struct
{
  gconstpointer  data;                  /* the filter's table, or what names it */
  gsize          bytes;
  TesseraMemory *memory;
  TesseraKept   *kept;                  /* held while the request runs; NULL: nothing is kept */
  gpointer       copy;                  /* the copy that travels, unless the table stays for good */
  TesseraEvent  *uploaded;              /* NULL: it is known to be there */
} TableState;

/* The state that all bands of a request share. */
typedef struct
{
  const TesseraRequest *request;
  const TesseraSurvey  *survey;         /* in place of an output, or NULL */
  const TesseraDevice  *device;
  TesseraProgram       *program, *engine_program;
  TesseraQueue         *queue;
  TesseraTimings       *timings;
  TesseraTravel         input, aux, output;
  TableState            tables[MAX_TABLES];
  guint                 n_tables;
  TesseraPlan           plan;
  gboolean              profiled;       /* are its commands timed? */
  TesseraHeld          *held[2];        /* input and aux, if they are on the device already */
  TesseraHeld          *stays;          /* where the result goes, if it stays there */
} Job;

/* Notes the stage in which an error came up; passes the status on. */
static inline gint
tessera_stage (const Job *job, const gchar *stage, gint status)
{
  if (status != 0)
    job->timings->failed_at = stage;
  return status;
}

/* An image on its way to the device. */
typedef struct
{
  const TesseraTravel *travel;
  const TesseraHeld   *held;            /* where the pixels are on the device, or NULL */
  TesseraBorder        border;
  TesseraImage        *image;
  GeglRectangle        part;            /* of it that travels */
  TesseraMemory       *raw;             /* the pixels as they travel, or NULL */
  const guchar        *from;            /* host memory: of the staging, or of the buffer itself if the device reaches that */
  gsize                offset, bytes;   /* where they go, how many; 0: the image is cleared */
  gsize                ready, sent;     /* bytes that have been read, and that are on their way */
  gint                 decoded;         /* rows, if they travel in another format */
  gint                 used;            /* rows that filter->arrived knows of */
  TesseraEvent        *uploads[MOST_UPLOADS];
  guint                n_uploads, n_seen;       /* n_seen: known to have happened */
} Arrival;

/* Rows of a band's result that travel and are written together. */
typedef struct
{
  gint            y, rows;
  TesseraTileGrid grid;                 /* of them, if the result goes into tiles */
  TesseraEvent   *downloaded;
} Slice;

typedef struct
{
  TesseraBand    band;                  /* what passes see of it */
  Job           *job;
  TesseraMemory *memories[MAX_MEMORIES];
  guint          n_memories;
  Arrival        arrivals[2];           /* input, aux */
  TesseraMemory *answer_host;           /* of `measure` or `survey` */
  TesseraMemory *fetch_host;            /* of tessera_fetch, ... */
  gsize          fetch_bytes;
  TesseraEvent  *fetched;               /* ... of which the last one has not been seen */
  TesseraMemory *download_to;
  TesseraTiles  *tiles;                 /* ... or these, ... */
  guchar        *straight;              /* ... or the buffer's own pixels */
  TesseraTileGrid grid;                 /* of them */
  Slice          slices[MOST_SLICES];   /* several for a band that is alone: their stages overlap */
  guint          n_slices;
  TesseraEvent  *answered, *ran;
  GArray        *commands;              /* launches and clears, all of which must have happened, ... */
  guint          n_seen;                /* ... and how many of them are known to have */
  GPtrArray     *sent;                  /* what tessera_send sends */
  gboolean       has_run;
  gint           status;                /* the first error of its passes: no more of them are enqueued */
} BandState;

/* The state of the band that a pass was given. */
static inline BandState *
band_state (const TesseraBand *band)
{
  return (BandState *) ((gchar *) band - G_STRUCT_OFFSET (BandState, band));
}

#endif
