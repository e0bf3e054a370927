/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera.h: the public header of libtessera, where GEGL operations meet
 * the OpenCL engine.
 *
 * A filter describes WHAT to compute: a C function for any rectangle, and the OpenCL passes for one band.
 * The engine decides HOW: the path, the number of bands, the way of the pixels, the answer to a device
 * that fails.  No OpenCL type appears here, so the header can be used beside gegl-op.h.
 *
 * Shapes: rectangles are in GEGL's pixel coordinates, rows are contiguous, pixels are `components` floats.
 * Device functions return 0 on success and an error (negative) otherwise; a filter passes it on.  After a band's first
 * error the others do nothing and return it too, so the last one's answer is enough; only what was fetched has to be there first.
 */
#ifndef TESSERA_H
#define TESSERA_H

#include <gegl.h>

G_BEGIN_DECLS

#define TESSERA_API __attribute__ ((visibility ("default")))

/* Put before a C function with hot loops: gcc and clang compile it for several
 * instruction sets and the loader picks one.  The results are the same bits,
 * because nothing is contracted (-ffp-contract=off).
 * Price: 4.6, Price: 1.8 for AVX-512 (convolution 31x31, 4 Mpix; Xeon, 16 cores, 2026-11-22). */
#if defined (__x86_64__) && ! defined (TESSERA_NO_CLONES) && ! defined (TESSERA_NO_IFUNC)
#define TESSERA_CLONES __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define TESSERA_CLONES
#endif

#include "tessera-math.h"

/* ------------------------------------------------------------- borders -- */

/* What lies outside the image (TesseraRequest.bounds).  An infinite image has no border; LOOP is then CLAMP. */
typedef enum
{
  TESSERA_BORDER_CLAMP,         /* the nearest edge pixel */
  TESSERA_BORDER_NONE,          /* transparent black */
  TESSERA_BORDER_LOOP,          /* the image, repeated */
  TESSERA_BORDER_CROP           /* only for properties: the result ends where it would matter (tessera-op.h) */
} TesseraBorder;

/* Pixels needed around a result pixel, each >= 0. */
typedef struct
{
  gint left, top, right, bottom;
} TesseraHalo;

/* ------------------------------------------------------- device passes -- */

/* Device memory.  Opaque: it belongs to the engine, which recycles it. */
typedef struct _TesseraMemory TesseraMemory;

/* A rectangle of pixels on the device, row-major, `stride` pixels from one row to the next, each of `components` floats (or
 * other words of 4 bytes: TesseraRequest.output_format).  An input image covers the band and its halo, the border already
 * extended: a pass reads it without any test.  x and y are the GEGL coordinates of its first pixel. */
typedef struct
{
  gint           x, y, width, height;
  gint           stride;
  gint           components;
  TesseraMemory *memory;
} TesseraImage;

typedef struct _TesseraRequest TesseraRequest;

/* One band of a request, as its passes see it. */
typedef struct
{
  const TesseraRequest *request;
  GeglRectangle         roi;      /* what to compute, part of request->roi */
  TesseraImage          input;    /* roi and halo */
  TesseraImage          aux;      /* the same rectangle; memory NULL if there is no aux */
  TesseraImage          output;   /* exactly roi */
  gconstpointer         measured; /* what `measure` wrote, in host memory; NULL in `measure` itself */
  gboolean              on_processor, has_doubles;      /* the device is the host's own: its items run one after another; it has double precision */
} TesseraBand;

typedef enum
{
  TESSERA_ARG_END, TESSERA_ARG_MEMORY, TESSERA_ARG_TABLE, TESSERA_ARG_INT, TESSERA_ARG_FLOAT, TESSERA_ARG_FLOAT4, TESSERA_ARG_LOCAL,
  TESSERA_ARG_LIST
} TesseraArgKind;

/* One kernel argument; use the macros below.  A list ends with the first NO_ARG. */
typedef struct
{
  TesseraArgKind kind;
  union
  {
    TesseraMemory *memory;
    struct { gconstpointer data; gsize bytes; } table;
    struct { TesseraMemory *const *memories; gint n, room; } list;
    gint           i;
    gfloat         f;
    gfloat         f4[4];
    gsize          bytes;
  } v;
} TesseraArg;

static inline TesseraArg
tessera_memory_arg (TesseraMemory *memory)
{
  return (TesseraArg) { TESSERA_ARG_MEMORY, { .memory = memory } };
}

static inline TesseraArg
tessera_int_arg (gint n)
{
  return (TesseraArg) { TESSERA_ARG_INT, { .i = n } };
}

static inline TesseraArg
tessera_float_arg (gfloat x)
{
  return (TesseraArg) { TESSERA_ARG_FLOAT, { .f = x } };
}

/* An argument by its type: memory, an int (or an enum) or a float.  Any other type does not compile: a kernel gets
 * 4 bytes, so larger types need a cast. */
#define ARG(x) _Generic ((x), TesseraMemory *: tessera_memory_arg, gint: tessera_int_arg, guint: tessera_int_arg, \
                         gfloat: tessera_float_arg) (x)
#define FLOAT4_ARG(a, b, c, d) ((TesseraArg) { TESSERA_ARG_FLOAT4, { .f4 = { (a), (b), (c), (d) } } })
#define TABLE_ARG(a, n)        ((TesseraArg) { TESSERA_ARG_TABLE, { .table = { (a), (n) } } })  /* tessera_table */
#define LOCAL_ARG(n)           ((TesseraArg) { TESSERA_ARG_LOCAL, { .bytes = (n) } })
/* A kernel has so many pointers as there is room; those behind the last memory are this one again. */
#define LIST_ARG(m, n, room)   ((TesseraArg) { TESSERA_ARG_LIST, { .list = { (m), (n), (room) } } })
#define NO_ARG                 ((TesseraArg) { TESSERA_ARG_END, { 0 } })

/* The first arguments of most passes: the input image and the output's first pixel in it; the output image.  On the
 * device opencl/kernels/shared/tessera-pass.h has the same two. */
#define INPUT_ARGS(band)  ARG ((band)->input.memory), ARG ((band)->input.stride), \
                          ARG ((band)->output.x - (band)->input.x), ARG ((band)->output.y - (band)->input.y)
#define OUTPUT_ARGS(band) ARG ((band)->output.memory), ARG ((band)->output.width), ARG ((band)->output.height)
#define OUTPUT_SIZE(band) { (band)->output.width, (band)->output.height }

#define TESSERA_MAX_ARGS 32     /* a list is one */

/* One launch: `size` work-items, all > 0, in groups of `group` ({0, 0, 0}: the engine's choice).  If the
 * device only takes smaller groups, they are halved; so a kernel asks for its group's size.  The sizes
 * are rounded up to the group, so a kernel tests its own bounds.  `cost` is the number of pixels that one
 * work-item reads.  The engine splits a launch along its last dimension (by a global offset), so that no
 * single launch keeps a small GPU busy for long. */
typedef struct
{
  const gchar *kernel;          /* static: it is kept for the counters */
  gsize        size[3];         /* unused dimensions: 0 or 1 */
  gsize        group[3];        /* items of a group, at most */
  gdouble      cost;
  TesseraArg   args[TESSERA_MAX_ARGS];
} TesseraLaunch;

/* Enqueues a kernel of the filter's program. */
TESSERA_API gint tessera_launch  (TesseraBand *band, const TesseraLaunch *launch);

/* Uninitialised memory of `bytes` bytes that lives until the band is done.  Fails if it does not fit; the engine then tries a lower band. */
TESSERA_API gint tessera_scratch (TesseraBand *band, gsize bytes, TesseraMemory **memory);

/* A host table on the device, uploaded once a request for all of its bands.  The address `data` names it; it stays unchanged meanwhile.  (For an argument: TABLE_ARG.) */
TESSERA_API gint tessera_table   (TesseraBand *band, gconstpointer data, gsize bytes, TesseraMemory **memory);

/* One thing that stays on the device when a request ends, as long as there is room: a table, or what passes have made.  It is counted;
 * whoever unrefs the last one gives it up.  NULL is none.  May be called from any thread. */
typedef struct _TesseraKept TesseraKept;

TESSERA_API TesseraKept *tessera_kept_new   (void);
TESSERA_API TesseraKept *tessera_kept_ref   (TesseraKept *kept);
TESSERA_API void         tessera_kept_unref (TesseraKept *kept);

/* Is it on the device?  It may be gone in the next moment. */
TESSERA_API gboolean tessera_is_kept (const TesseraKept *kept);

/* A table that is kept: of the same content each time. */
TESSERA_API gint tessera_kept_table (TesseraBand *band, TesseraKept *kept, gconstpointer data, gsize bytes, TesseraMemory **memory);

/* Memory that is kept if the request succeeds, and that passes of this request fill where it is not there yet.  is_there NULL: it fails, as if
 * there were no memory, if it is not there.  tessera_may_keep: is there room? */
TESSERA_API gint     tessera_kept_memory (TesseraBand *band, TesseraKept *kept, gsize bytes, TesseraMemory **memory, gboolean *is_there);
TESSERA_API gboolean tessera_may_keep    (const TesseraBand *band, gsize bytes);

/* Does GEGL use OpenCL, for this operation, or (NULL) at all?  Not for us where TESSERA_OPENCL is off. */
TESSERA_API gboolean tessera_uses_opencl (GeglOperation *operation);

/* May an operation remember what a request has found?  0: no; else a number for the path that TESSERA_OPENCL asks for. */
TESSERA_API guint tessera_remembers (void);

/* Of an operation that is whole: what its results depend on is remembered now, so that GEGL may ask for a small part of one and gets that alone. */
TESSERA_API void tessera_answer_parts (GeglOperation *operation);

/* Bytes that all requests together may have; 0: there is no device, or it is off.  To be asked only where GEGL uses OpenCL. */
TESSERA_API guint64 tessera_device_memory (void);

/* Sends some numbers into memory, before the passes that follow; a copy travels. */
TESSERA_API gint tessera_send    (TesseraBand *band, gconstpointer data, gsize bytes, TesseraMemory *memory);

/* Waits for all passes so far and brings the first `bytes` bytes of `memory` to the host, where `device` of a `whole` filter decides what to launch next. */
TESSERA_API gint tessera_fetch   (TesseraBand *band, TesseraMemory *memory, gsize bytes, gpointer to);

/* The same without a copy, for much: `*seen` is memory of the engine's, which holds it until something else is fetched or `device` returns. */
TESSERA_API gint tessera_fetch_view (TesseraBand *band, TesseraMemory *memory, gsize bytes, gconstpointer *seen);

/* The error that `device` returns where what it has fetched cannot be. */
TESSERA_API gint tessera_give_up (TesseraBand *band);

/* ------------------------------------------------------------- messages -- */

/* One line on stderr, "tessera: ..."; the same text only once a process. */
TESSERA_API void tessera_say_once (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* What came with the module or program that has `code` in it: `tessera`/`name` beside that, else `installed`, else `name` among
 * the user's modules of GEGL; `installed` if it is nowhere. */
TESSERA_API gchar *tessera_find_part (gconstpointer code, const gchar *name, const gchar *installed);

/* Two copies of Tessera, a package and a bundle, would register types of the same names.  FALSE: another one was loaded before
 * this one; a line on stderr says where both are. */
TESSERA_API gboolean tessera_is_first_copy (void);

/* ------------------------------------------------------------- filters -- */

/* A block of the result in C, as TesseraFilter.block sees it: pixels are floats, rows are from top to bottom.
 * `in` begins with the halo's first pixel, `out` with the result's.  Loops may run over whole vectors, because
 * TESSERA_BLOCK_RUN pixels of zeros follow `in`, and a row of `out` has room for whole runs of as many.
 * Without a halo the block is computed in place: `out` is `in` if a result pixel is as large as one of the input. */
typedef struct
{
  GeglRectangle roi;            /* of the result, in GEGL's coordinates */
  gfloat       *in;             /* roi and halo, the border there already; not kept */
  gsize         in_stride;      /* floats from one row to the next, without gaps */
  gfloat       *out;
  gsize         out_stride;
} TesseraBlock;

#define TESSERA_BLOCK_RUN 16

/* A filter, static and constant for the life of the process. */
typedef struct
{
  const gchar *name;            /* "motion-blur": used in messages */
  const gchar *source;          /* OpenCL C 1.2, includes resolved (opencl/embed.py); NULL: it runs in C, even if OpenCL is forced */
  const gchar *define;          /* optional: "NAME=NUMBER", which the source is compiled with, for a program that holds only what some settings need */

  /* C path: computes a block.  The engine reads, extends the border and writes.  Called from several threads.  What the device
   * computes is compared with what these functions do now and then: they write nothing but the output or the answer. */
  void (*block) (const TesseraRequest *request, const TesseraBlock *block);

  /* Or, instead of `block`: computes `area`, part of request->roi.  Called from several threads at once with disjoint
   * areas that together make the roi; reads with tessera_read, writes with tessera_write. */
  void (*area) (const TesseraRequest *request, const GeglRectangle *area);

  /* In place of both, if threads have to share results: computes the whole roi and spreads its own work
   * (gegl_parallel_distribute_range).  If `whole`, it is called once; else for one large slab after another,
   * each with a copy of the request with another roi. */
  void (*spread) (const TesseraRequest *request);

  /* Optional: bytes of device memory that `device` needs for a band of width x height result pixels, not counting
   * its images: scratch and tables. */
  gsize (*scratch_bytes) (const TesseraRequest *request, gint width, gint height);

  /* Enqueues the passes that make band->output from band->input; or makes the request's answer, of what it fetches at last. */
  gint (*device) (TesseraBand *band);

  /* Optional: enqueues passes that write measure_bytes bytes, which the host needs before it can enqueue `device`. */
  gint  (*measure) (TesseraBand *band, TesseraMemory *result);
  gsize  measure_bytes;

  /* Optional, before `measure`: enqueues the work on rows `top` to `bottom` of band->input (counted from its
   * first row) while other rows are still being read.  All rows come once, in their order.  Its memory counts
   * in scratch_bytes. aux need not be there yet. */
  gint  (*arrived) (TesseraBand *band, gint top, gint bottom);

  /* The request cannot be cut.  On the device it is one band.  If that does not fit, it runs in C, through
   * `spread`.  The halo of such a filter makes the roi the whole image. */
  gboolean whole;

  /* The kernels compute in double precision: a device that has none is not asked. */
  gboolean needs_doubles;

  /* Optional: how many pixels of a plain filter take as long as the request, where its own do not tell.  Below 16384 it runs in C. */
  guint64 (*work) (const TesseraRequest *request);

  /* Optional, for tessera_survey. survey_area: adds the statistics of `area` to `part`, in C; called from
   * several threads, each with a part of its own. survey: enqueues the passes that do so for band->roi;
   * there is no output. merge: adds a part, of `area`, to the result.  Parts begin as zeros.  They are joined in any
   * order, so they hold counts and extremes, not sums of floats. */
  void (*survey_area) (const TesseraRequest *request, const GeglRectangle *area, gpointer part);
  gint (*survey)      (TesseraBand *band, TesseraMemory *part);
  void (*merge)       (const TesseraRequest *request, const GeglRectangle *area, gpointer result, gconstpointer part);
} TesseraFilter;

/* Who asks, for what is no picture too. */
typedef struct
{
  GeglOperation *operation;     /* which is asked about OpenCL, and tells its progress; NULL: a program, which tells its own */
  gdouble        progress_from, progress_to;    /* the part of the operation's work; both 0: all */
} TesseraErrand;

/* What a request has found, where that is no picture.  C and the device give the same bytes.  The caller frees the data with g_free. */
typedef struct
{
  gpointer data;
  gsize    bytes;
} TesseraAnswer;

/* One call of an operation's process. */
struct _TesseraRequest
{
  const TesseraFilter *filter;
  TesseraErrand        errand;
  GeglBuffer          *input;          /* NULL: there is none; then it `is_blind`, has an answer, and its roi may be empty */
  GeglBuffer          *aux;            /* or NULL */
  GeglBuffer          *output;         /* NULL where `answer` is not */
  TesseraAnswer       *answer;         /* what the filter finds in the roi, beside an output or in place of one; or NULL.  Empty at first */
  const Babl          *input_format;   /* float components */
  const Babl          *aux_format;
  const Babl          *output_format;  /* float components, or the buffer's own format, 4 n bytes a pixel */
  GeglRectangle        roi;            /* what to compute, in output */
  GeglRectangle        bounds;         /* the image: beyond it is border */
  GeglRectangle        aux_bounds;     /* the same of aux, always clamped */
  TesseraHalo          halo;
  TesseraBorder        border;
  gconstpointer        params;         /* the filter's own tables */
  guint                cost_class;     /* 0 to 255: a number for settings that change the cost of a pixel */
  gboolean             has_slow_kernel;        /* for these settings: TESSERA_OPENCL=auto takes C */
  gboolean             is_in_c;        /* it is computed in C, whatever TESSERA_OPENCL says */
  GeglBuffer         **resident;       /* where the engine puts a buffer in place of `output` if the result stays on the device; NULL: it does not */
  gboolean             is_blind;       /* the passes do not look at the input: it does not travel, and band->input has no memory */
};

/* FALSE: alpha is 1 everywhere in the input.  A palette's colours may have alpha; of HSVA only the model knows it. */
static inline gboolean
tessera_has_alpha (const TesseraRequest *request)
{
  const Babl *format = gegl_buffer_get_format (request->input);

  return (babl_get_model_flags (format) & BABL_MODEL_FLAG_ALPHA) || babl_format_is_palette (format)
         || babl_format_has_alpha (format);
}

/* The pixels of a rectangle of width x height with the request's halo around it. */
static inline gsize
tessera_pixels_around (const TesseraRequest *request, gint width, gint height)
{
  return ((gsize) width + request->halo.left + request->halo.right)
         * ((gsize) height + request->halo.top + request->halo.bottom);
}

/* Makes `data`, of g_malloc, the request's answer, in place of an earlier one. */
static inline void
tessera_answer (const TesseraRequest *request, gpointer data, gsize bytes)
{
  g_free (request->answer->data);
  *request->answer = (TesseraAnswer) { data, bytes };
}

/* Computes request->roi on the device or in C; after any failure, in C.  Returns FALSE only if OpenCL is
 * forced and could not run.  One line on stderr then begins with "tessera:". */
TESSERA_API gboolean tessera_process (const TesseraRequest *request);

/* Statistics of many pixels that are needed before one can be computed (a histogram).  Runs filter->survey
 * over request->roi, usually the whole image, into `result`, which has `bytes` bytes like the parts.  The
 * output is not touched and may be NULL.  Bands, paths and failures are as with tessera_process, which
 * follows with the tables that the host makes of the result.  A survey counts as a request of its own, also
 * for the known speeds if its cost_class differs. filter->scratch_bytes need not count the part. */
TESSERA_API gboolean tessera_survey (const TesseraRequest *request, gpointer result, gsize bytes);

/* For a `spread` that works in steps: the threads' next work is the part `from` to `to` of the whole; they share the `pixels` that it reads, or writes. */
TESSERA_API void tessera_progress_step (gdouble from, gdouble to, gboolean reads, guint64 pixels);

/* Reads `rect` of `buffer` into `pixels` (rect->width pixels a row), extended beyond `bounds` by `border`.
 * Only pixels inside `bounds` are read from GEGL. */
TESSERA_API void tessera_read (GeglBuffer *buffer, const GeglRectangle *rect, const GeglRectangle *bounds, TesseraBorder border,
                               const Babl *format, gfloat *pixels);

/* Writes `rect` from rows of `row` bytes.  Like tessera_read it converts float formats itself, with the code
 * of the device, so that both paths give one answer.  `pixels` is overwritten. */
TESSERA_API void tessera_write (GeglBuffer *buffer, const GeglRectangle *rect, const Babl *format, gfloat *pixels, gsize row);

/* The same from a request's input and to its output. */
TESSERA_API void tessera_read_input   (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels);
TESSERA_API void tessera_write_output (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels, gsize row);

/* The input's own format if it stores each value in a byte, in the order of the values, which are straight; else NULL.
 * tessera_read reads it.  The second gives what the codes stand for in the request's format.  The third writes codes that
 * are some of the input's, with the same bits as of floats. */
TESSERA_API const Babl *tessera_bytes_format (const TesseraRequest *request);
TESSERA_API void        tessera_bytes_values (const TesseraRequest *request, gfloat values[256]);
TESSERA_API void        tessera_write_bytes  (const TesseraRequest *request, const GeglRectangle *rect, const guint8 *bytes, gsize row);

/* As gegl_parallel_distribute_range, also while another request has GEGL's threads: then with threads of our own. */
TESSERA_API void tessera_spread_range (gsize n, gdouble thread_cost, GeglParallelDistributeRangeFunc work, gpointer data);

/* Before a pointer to memory of gegl_scratch_new, or NULL: it is freed where its block ends, as g_autofree does with that of g_new. */
#define tessera_autoscratch __attribute__ ((cleanup (tessera_autoscratch_free)))
TESSERA_API void tessera_autoscratch_free (gpointer pointer);

/* Memory for many MiB of intermediate results in C, in large pages where the system has them.  Uninitialised. */
TESSERA_API gpointer tessera_large_new  (gsize bytes);
TESSERA_API void     tessera_large_free (gpointer memory);

/* Host memory for pixels that travel, which a device, if there is one, reads and writes without copies.  Uninitialised.  It outlives its requests. */
TESSERA_API gpointer    tessera_reached_new    (gsize bytes);
TESSERA_API void        tessera_reached_free   (gpointer memory);
/* After a request that writes there: may a device that failed still do so?  Then what C wrote may not stay; free it, and compute again elsewhere. */
TESSERA_API gboolean    tessera_reached_is_lost (gconstpointer memory);
/* Of pixels there, or anywhere; rows have no gaps.  What a request reads or writes is not copied by GEGL. */
TESSERA_API GeglBuffer *tessera_reached_buffer (gconstpointer pixels, const Babl *format, const GeglRectangle *extent);

/* ------------------------------------------------------------ geometry -- */

/* The bounding box of what is connected to `pad`; empty when nothing is. */
TESSERA_API GeglRectangle tessera_bounds (GeglOperation *operation, const gchar *pad);

/* `rect` with `halo` around it; an infinite or empty rectangle stays as it is. */
TESSERA_API GeglRectangle tessera_grow (const GeglRectangle *rect, const TesseraHalo *halo);

/* For filters whose every pixel depends on the whole image: TRUE if `bounds` is endless, or has 2^31 pixels
 * and more.  Such a filter then does something that needs no statistic. */
TESSERA_API gboolean tessera_is_endless (const GeglRectangle *bounds);

/* Luminance weights of R, G, B in the space of `format`: constants for sRGB, else babl's. */
TESSERA_API void tessera_luminance (const Babl *format, gfloat weights[3]);

/* For `prepare`: the format of this name in the space of the input ("R'G'B'A float" is R~G~B~A where the space's own curve is
 * linear: perceptual for the eye); the input's model flags, 0 if nothing is connected; does it store linear light?  RGBA floats
 * behind sRGB's curve, if it is stored behind that, so that no light is made of it; else NULL. */
TESSERA_API const Babl   *tessera_format         (GeglOperation *operation, const gchar *name);
TESSERA_API BablModelFlag tessera_input_flags    (GeglOperation *operation);
TESSERA_API gboolean      tessera_input_is_light (GeglOperation *operation);
TESSERA_API const Babl   *tessera_seen_format    (GeglOperation *operation);

/* For `prepare`: the format to set on the output pad.  By default this is `format` (float components).  With
 * TESSERA_DELIVER=stored, if only a gegl:write-buffer consumes the result, it is the format of that buffer,
 * if the device can convert to it.  GEGL would convert to that format anyhow, on one thread, after moving 4
 * times as many bytes.  Only for programs that own the graph: any other reader of the node, then or later
 * without a new graph, gets the same as the write-buffer. */
TESSERA_API const Babl *tessera_result_format (GeglOperation *operation, const Babl *format);

/* For a filter that computes in `working` (floats; R, G, B, A of one kind or another): floats of the input's model, curve
 * and alpha association, as far as our conversions know them, and always with alpha.  The engine converts to that on all
 * threads or on the device; to what follows, mostly of the input's kind, GEGL would on one.  `keeps_grey`: of a grey
 * picture the result is one. */
TESSERA_API const Babl *tessera_delivered (GeglOperation *operation, const Babl *working, gboolean keeps_grey);

/* For a filter whose values stay what they are, to the bit: `working`, or its greys with alpha if the input is grey. */
TESSERA_API const Babl *tessera_delivered_exactly (GeglOperation *operation, const Babl *working);

/* `prepare` of a filter that works in `working`, the name of a format of floats in the space of the input, and delivers as above. */
TESSERA_API void tessera_set_formats (GeglOperation *operation, const gchar *working, gboolean keeps_grey);
/* `prepare` of another filter: reads `input` (from aux too), computes `output`. */
TESSERA_API void tessera_set_pads (GeglOperation *operation, const Babl *input, const Babl *output);

G_END_DECLS

#endif
