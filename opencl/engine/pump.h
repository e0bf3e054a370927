/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The band pump: a request on the device, band by band.  pump.c plans and keeps
 * the bands in flight, bands.c moves one through its stages, passes.c is what a
 * filter's passes call.
 */
#ifndef TESSERA_PUMP_H
#define TESSERA_PUMP_H

#include "formats.h"
#include "internal.h"

#include <gegl-buffer-backend.h>

#define MAX_MEMORIES 40
#define MAX_TABLES   16
#define BANDS_AHEAD  4
#define MOST_SLICES  8
#define MOST_UPLOADS (MOST_SLICES + 4)  /* the last slice is cut in three (pump.c), and one is to spare */

/* What a request cost.  Times in seconds; the stages overlap. */
typedef struct
{
  guint        bands;
  gdouble      read, upload, run, download, write, submit;   /* submit: what the host spends on commands */
  const gchar *failed_at;       /* the stage in which an error came up */
  GPtrArray   *unproven;        /* TesseraProofMark: the kernels used that are not known to compute what C does */
} TesseraTimings;

typedef struct _Pump Pump;

/* What tessera_survey gathers. */
typedef struct
{
  gpointer result;
  gsize    bytes;               /* of the result and of each part */
} TesseraSurvey;

/* --- tile-memory.c: for tiles of results, known to the device ----------------------- */

/* The output's tiles that a rectangle meets: pixels and bytes of each, the first one's place and where
 * GEGL counts it, their number, which of them lie in the rectangle as a whole, and which are to be ours: those,
 * and those that the output's edge cuts. */
typedef struct
{
  gint          width, height, pixel, bytes;
  gint          x, y, column, row;
  gint          across, down;
  gint          first, all;     /* a part's first tile among all */
  GeglRectangle whole, ours;
} TesseraTileGrid;

typedef struct _TesseraTiles TesseraTiles;

/* Where the tile begins that has `position`, along one axis: `shift` before a multiple of its size. */
static inline gint
tessera_tile_start (gint position, gint size, gint shift)
{
  const gint past = (position + shift) % size;

  return position - (past < 0 ? past + size : past);
}

/* Memory for these tiles, one after the other, row by row; NULL: there is none for them now. */
TesseraTiles *tessera_tiles_take    (const TesseraDevice *device, const TesseraTileGrid *grid);
/* `idle`: the device is done with it.  A slot is a tile's place; the memory is free when all have left. */
void          tessera_tiles_give    (TesseraTiles *tiles, gboolean idle);
void          tessera_tiles_enter   (TesseraTiles *tiles, guint slot);
/* From any thread, with any lock of GEGL's held: it calls nothing of OpenCL. */
void          tessera_tiles_leave   (TesseraTiles *tiles, guint slot);
guchar       *tessera_tiles_pointer (TesseraTiles *tiles);
/* Zeroed at first, kept with them; the same at each call for no more bytes. */
gpointer      tessera_tiles_notes   (TesseraTiles *tiles, gsize bytes);

/* --- tile-share.c: memory of ours as that of GEGL's tiles ------------------------ */

/* The output, which is locked, gets a tile that shares the memory of `first`, which gives up its part of it; the tile comes back,
 * to be unreferenced.  `first` must live until the memory is free. */
GeglTile *tessera_tile_share (GeglTile *first, GeglBuffer *output, gint column, gint row);

/* --- tiles.c: results that are sent straight into tiles ------------------------- */

/* FALSE where the output cannot take pixels of `format` as they are, or would have too few of our tiles. */
gboolean tessera_tiles_plan   (GeglBuffer *output, const Babl *format, const GeglRectangle *roi,
                               TesseraTileGrid *grid);
/* Where these tiles of the grid lie, in pixels. */
GeglRectangle tessera_tiles_area (const TesseraTileGrid *grid, const GeglRectangle *tiles);
/* Is the tile at (x, y) of the grid one of these? */
gboolean tessera_is_tile      (const GeglRectangle *tiles, gint x, gint y);
/* Rows `top` to `bottom` of its tiles. */
TesseraTileGrid tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom);
/* `ours` become the output's.  `rect`: the request's pixels in these rows of tiles. */
void     tessera_tiles_insert (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *rect,
                               GeglBuffer *output);
/* The pixels of `part`, which lies in one tile, are written. */
void     tessera_tiles_write  (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *part,
                               GeglBuffer *output);

/* An image on its way to the device. */
typedef struct
{
  const TesseraTravel *travel;
  TesseraBorder        border;
  TesseraImage        *image;
  GeglRectangle        part;            /* of it that travels */
  TesseraMemory       *staging, *raw;   /* raw: the pixels as they travel, or NULL */
  gsize                offset, bytes;   /* where they go, how many; none: the image is cleared */
  gsize                ready, sent;     /* of them have been read, and are on their way */
  gint                 used;            /* rows that filter->arrived knows of */
  TesseraEvent        *uploads[MOST_UPLOADS];
  guint                n_uploads, n_seen;       /* seen: known to have happened */
} Arrival;

/* A table on the device, for all bands of a request. */
typedef struct
{
  gconstpointer  data;                  /* the filter's, by which it is known */
  gsize          bytes;
  TesseraMemory *memory;
  gpointer       copy;                  /* that travels, unless the table is there for good */
  TesseraEvent  *uploaded;              /* NULL: it is known to be there */
} TableState;

/* Rows of a band's result that travel and are written at a time. */
typedef struct
{
  gint            y, rows;
  TesseraTileGrid grid;                 /* of them, if the result goes into tiles */
  TesseraEvent   *downloaded;
} Slice;

typedef struct
{
  TesseraBand    band;                  /* first: passes get a pointer to it */
  Pump          *pump;
  TesseraMemory *memories[MAX_MEMORIES];
  guint          n_memories;
  Arrival        arrivals[2];           /* input, aux */
  TesseraMemory *result, *result_host;  /* of `measure` or `survey` */
  TesseraMemory *download_to;
  TesseraTiles  *tiles;                 /* ... or these */
  TesseraTileGrid grid;                 /* of them */
  Slice          slices[MOST_SLICES];   /* several: reading, sending and writing overlap within a band that is alone */
  guint          n_slices;
  TesseraEvent  *measured, *ran;
  GArray        *commands;              /* launches and clears, each of which must have happened, ... */
  guint          n_seen;                /* ... as so many are known to have */
  gboolean       has_run;
} BandState;

struct _Pump
{
  const TesseraRequest *request;
  const TesseraSurvey  *survey;         /* instead of an output, or NULL */
  const TesseraDevice  *device;
  TesseraProgram       *program, *engine_program;
  TesseraQueue         *queue;
  TesseraTimings       *timings;
  TesseraTravel         input, aux, output;
  TableState            tables[MAX_TABLES];
  guint                 n_tables;
  BandState            *bands[BANDS_AHEAD];     /* oldest first */
  guint                 n_bands;
  guint                 ahead;          /* bands in flight, at most BANDS_AHEAD */
  BandState            *pending;        /* the newest, until it is on its way, or NULL */
  BandState            *sliced;         /* that is being read slice by slice, or NULL */
  gint                  submit_status;
  gboolean              exact;          /* memory without room to spare */
  gboolean              one_lane;       /* a request of one band */
  gboolean              profiled;       /* are its commands timed? */
  gint                  least;          /* rows below which bands cost more than C does */
  gboolean              in_tiles;       /* the result may go straight into tiles, ... */
  gint                  tile_height;    /* ... so many rows each, ... */
  gsize                 tiles_bytes;    /* ... in each row of them, ... */
  gboolean              in_cut;         /* ... those that the output's edge cuts below too */
  guint                 slices;         /* of a band */
};

static inline guint64
tessera_request_pixels (const TesseraRequest *request)
{
  return (guint64) request->roi.width * request->roi.height;
}

/* For speed.c: requests of one kind cost about the same a pixel. */
static inline guint
tessera_request_kind (const TesseraRequest *request)
{
  const TesseraHalo *halo = &request->halo;

  return g_bit_storage (halo->left + halo->right + halo->top + halo->bottom) << 8 | request->cost_class;
}

/* Computes request->roi, or surveys it.  0, or the first error: the output is then undefined. */
gint tessera_pump (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device,
                   TesseraProgram *program, TesseraProgram *engine_program,
                   TesseraTimings *timings);

/* --- copies.c ------------------------------------------------------------------ */

#define TESSERA_MOST_COPIES 3           /* input and aux of one band, output of another */

typedef struct
{
  GeglBuffer    *buffer;
  const Babl    *format;
  guchar        *pixels;                /* of rect's first pixel */
  gsize          row;                   /* bytes */
  GeglRectangle  rect;
  gboolean       writes;                /* into the buffer, else from it */
  gdouble        seconds;               /* what it took */
  TesseraTiles  *tiles;                 /* the pixels lie in these, or NULL */
  TesseraTileGrid grid;
  Arrival       *arrival;               /* what is read is of this */
} TesseraCopy;

/* Does all of them, on all threads, and calls `beside`, or NULL, on one of these. */
void tessera_copy (TesseraCopy *copies, guint n, void (*beside) (gpointer data), gpointer data);

/* --- arrivals.c: what a band needs, on its way to the device -------------------- */

/* A buffer and what of it a band needs. */
typedef struct
{
  GeglBuffer          *buffer;
  const TesseraTravel *travel;
  const GeglRectangle *bounds;
  TesseraBorder        border;
} Source;

TesseraImage tessera_image_for   (const GeglRectangle *rect, const Babl *format);
gsize        tessera_image_bytes (const TesseraImage *image);
/* The table of a format that has none (floats): the image, which is not looked at. */
gint tessera_travel_table   (BandState *state, const TesseraTravel *travel, const TesseraImage *image,
                             TesseraMemory **table);
/* Memory for what `image` covers, and the copy that brings it to the host's side of
 * it.  Pixels that the device converts travel without gaps; others lie as in the
 * image, so that rows of it go to their place. */
gint tessera_arrival_expect (BandState *state, const Source *source, TesseraImage *image, Arrival *arrival,
                             TesseraCopy *copies, guint *n);
/* All of it has been read: what has not been uploaded is, and decoded and extended. */
gint tessera_arrival_send   (BandState *state, Arrival *arrival);

/* --- results.c: what has been computed, on its way to the host ------------------- */

/* Encodes, puts in tiles, asks for it. */
gint tessera_result_send  (BandState *state);
/* What is to be done when a slice has come. */
void tessera_result_write (BandState *state, const Slice *slice, TesseraCopy *copy);

/* --- bands.c: the stages of one band ---------------------------------------- */

/* Its memory, and in `copies` what is to be read; then, when that has been read, on
 * to the device: uploads, decodes, extends, measures or surveys; then runs and asks for
 * the result; then waits for it and adds to `copies` what is to be written (or the part
 * of a survey to its result); then notes that it has been.  An error leaves the band to
 * be freed. */
gint tessera_band_prepare (Pump *pump, gint y, gint rows, BandState **state,
                           TesseraCopy *copies, guint *n);
gint tessera_band_send    (BandState *state);
gint tessera_band_run     (BandState *state);
gint tessera_band_wait    (BandState *state, guint slice, TesseraCopy *copies, guint *n);
/* Uploads what is ready of a band that is being read. */
gint tessera_band_send_ready (BandState *state);
void tessera_band_written (BandState *state);
/* `idle`: the device is done with it, so its memory may be used again. */
void tessera_band_free   (BandState *state, gboolean idle);

/* --- passes.c ----------------------------------------------------------------- */

/* Pooled memory that the band keeps until it is freed. */
gint tessera_band_keep   (BandState *state, gsize bytes, gboolean pinned, TesseraMemory **memory);
/* tessera_table of what stays the same for the process: it may still be on the device. */
gint tessera_constant_table (BandState *state, gconstpointer data, gsize bytes, TesseraMemory **memory);
/* Pixels of this layout are converted. */
void tessera_note_layout    (BandState *state, const TesseraTravel *travel, gboolean encodes);
/* tessera_launch with a kernel of the engine's own. */
gint tessera_engine_launch (BandState *state, const TesseraLaunch *launch);
GArray *tessera_commands_new (void);
/* Waits for what has been enqueued of tables, launches and clears; an error if one of them did not happen. */
gint tessera_commands_wait  (BandState *state);
void tessera_commands_free  (BandState *state);
/* `whole`: they are on the device as they should be.  `idle`: the device is done with them. */
void tessera_tables_free    (Pump *pump, gboolean whole, gboolean idle);

/* --- proof.c ------------------------------------------------------------------- */

typedef enum { TESSERA_PROOF_SAME, TESSERA_PROOF_DIFFERS, TESSERA_PROOF_FAILED } TesseraProof;

/* Does the device compute the pixels that C does, with these kernels?  The request's operation, with its settings,
 * on small pictures of hard values.  FAILED: the device did not answer, and that has been said. */
TesseraProof    tessera_prove              (const TesseraRequest *request, const GPtrArray *unproven);
/* Must the result go into tiles, however small it is? */
gboolean        tessera_proof_takes_tiles  (void);
void            tessera_proof_note_failure (void);
/* gegl-side.c: from a source to the pad "aux" of a node. */
void            tessera_connect_aux        (GeglNode *source, GeglNode *node);

/* --- progress.c ------------------------------------------------------------------- */

typedef struct _TesseraTelling TesseraTelling;
typedef struct _TesseraWork    TesseraWork;

/* What a thread is at, on its stack. */
struct _TesseraWork
{
  TesseraWork          *outer;          /* ... and was before: reading an input may call for another request */
  const TesseraRequest *request;
  TesseraTelling       *telling;
  gdouble               from, to;       /* the part of the request that is counted now */
  guint64               mine, done;     /* pixels of it that are this thread's; those that are done */
  gboolean              reads;          /* they are done when they have been read */
};

void tessera_progress_begin (TesseraWork *begun, const TesseraRequest *request);
void tessera_progress_end   (TesseraWork *ended, gboolean success);
/* Of what this thread called for; nothing on any other.  So much of the request is done; so many pixels of
 * the step are this thread's; it has read or written some. */
void tessera_progress_tell  (gdouble part);
void tessera_progress_mine  (guint64 pixels);
void tessera_progress_count (gboolean reads, guint64 pixels);

/* --- geometry.c: tessera_invalidated must know what the last result was of ---- */
void tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds);

#endif
