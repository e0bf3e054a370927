/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the parts of the bench share.  bench.c: options, refusals, the loop;
 * bench-table.c: what is measured; bench-image.c: pictures and samples;
 * bench-graph.c: one graph, one run; bench-gimp.c: as GIMP asks; bench-run.c: timing;
 * bench-sums.c: what it adds up; bench-print.c: JSON and markdown; bench-device.c: what the OpenCL device can do at best;
 * bench-first.c: the first pixels of a process; bench-walk.c: which path `auto` takes.
 */
#ifndef BENCH_H
#define BENCH_H

#include <gegl.h>

#include "../json.h"
#include "bench-row.h"
#include "tessera-control.h"

#define BENCH_KERNELS 64

/* ---------------------------------------------------------------- table -- */

/* Those of each filter's table in tests/check/filters, chains, and the thesis's; the last has no title. */
const BenchRow *bench_rows (void);

gint     bench_steps      (const gchar *chain);
gboolean bench_row_wanted (const BenchRow *row, const gchar *names, gboolean chains);
/* NULL, or the first operation of `chain` that GEGL does not have; free it. */
gchar   *bench_missing    (const gchar *chain);

/* ------------------------------------------------------------- pictures -- */

#define BENCH_GRID    64
#define BENCH_SAMPLES (BENCH_GRID * BENCH_GRID * 4)

const Babl *bench_format     (const gchar *name);       /* float, u8 or a name of babl's */
gboolean    bench_is_u8      (const Babl *format);
GeglBuffer *bench_picture    (gint width, gint height, const Babl *format, gboolean dots);
/* 3:2; "6" (Mpix) or "2048x2048". FALSE: neither. */
gboolean    bench_size       (const gchar *text, gint *width, gint *height);
void        bench_shape      (gdouble mpix, gint *width, gint *height);
gdouble     bench_mpix       (GeglBuffer *buffer);
/* A grid of pixels, values 0..1 in the format's own tone curve. */
void        bench_sample     (GeglBuffer *buffer, gfloat samples[BENCH_SAMPLES]);
gdouble     bench_difference (const gfloat *a, const gfloat *b);

/* --------------------------------------------------------------- graphs -- */

typedef enum
{
  BENCH_WHOLE,          /* gegl_node_blit_buffer */
  BENCH_WRITE,          /* gegl:write-buffer, one request */
  BENCH_CHUNKS,         /* ... through gegl_processor, 1024 x 1024 pixels at a time */
  BENCH_PROCESSOR,      /* ... through gegl_processor in chunks of its own choice */
  BENCH_PREVIEW,        /* as GIMP's preview, after a slider has moved */
  BENCH_MERGE,          /* as GIMP when the filter is applied */
  BENCH_SINKS
} BenchSink;

extern const gchar *const bench_sink_names[BENCH_SINKS];

typedef struct
{
  GeglNode   *graph, *last, *sink;      /* sink: NULL without gegl:write-buffer */
  GeglNode   *filter;                   /* the first step of the chain */
  gchar      *step;                     /* ... in words */
  GeglBuffer *input, *ready;            /* ready: the next run's result */
  BenchSink   kind;
  const Babl *result;
} BenchGraph;

/* result: a babl format's name, NULL for the input's. */
BenchGraph *bench_graph_new  (const gchar *chain, GeglBuffer *input, const gchar *result, BenchSink kind);
void        bench_graph_free (BenchGraph *graph);
/* What comes before the time that counts; bench_graph_run does it where nobody has. */
void        bench_graph_ready (BenchGraph *graph);
/* Milliseconds; the result, in the input's format, is left in *output when asked for. */
gdouble     bench_graph_run  (BenchGraph *graph, GeglBuffer **output);
void        bench_gegl_device (gpointer *context, gpointer *device);
gint        bench_threads    (void);
void        bench_gimp_ready (BenchGraph *graph, GeglBuffer *result);
void        bench_gimp_run   (BenchGraph *graph, GeglBuffer *result);
/* preview and merge: squares of so many pixels, the same for each filter; 0: as GIMP asks. */
void        bench_gimp_set_side (gint pixels);
gboolean    bench_is_whole   (const BenchGraph *graph);       /* computes all at once, and keeps it */

/* --------------------------------------------------------------- timing -- */

typedef struct
{
  gdouble *times;       /* milliseconds, in order of size */
  gint     runs;
  gdouble  best, median, mean;
} BenchTimes;

/* What the user asked for; times in seconds. */
typedef struct
{
  gint     runs;
  gboolean rivals;
  gdouble  rival_limit; /* a run longer than this is timed on a smaller picture */
  gdouble  rival_mpix;  /* ... and none is larger; 0: no such bound */
  gchar   *rival_sinks; /* the rival is timed with these; NULL: with all */
} BenchWishes;

/* What OpenCV, or a formula written plainly, does on arrays of floats. */
#ifdef __cplusplus
extern "C" {
#endif
/* The library's name and version; NULL where the bench was built without. */
const gchar *bench_opencv_name (void);
/* Milliseconds of one run of `what` on RGBA floats; negative: it is not known. */
gdouble      bench_opencv_run  (const gchar *what, const gfloat *pixels, gint width, gint height, gint threads);
#ifdef __cplusplus
}
#endif
/* The same by a formula: "formula cielab". */
gdouble      bench_formula_run (const gchar *what, const gfloat *pixels, gint width, gint height);

/* One row at one size and format. */
typedef struct
{
  const BenchRow *row;
  const Babl     *format;
  GeglBuffer     *input;
  GeglBuffer     *rival_input;          /* may be smaller; NULL: the rival is left out */
  const gchar    *rival_note;           /* why */
  gdouble         first_ms, build_ms;   /* the first run of all; 0 once it has been reported */
} BenchJob;

typedef struct
{
  BenchSink       sink;
  BenchTimes      ours, rival;          /* rival.runs == 0: not timed */
  gboolean        rival_warmed;         /* its first run was not counted */
  gdouble         rival_mpix;
  gdouble         ratio;                /* rival / ours, per pixel; 0: none */
  BenchTimes      peer;                 /* runs == 0: not timed */
  BenchTimes      whole;                /* as GIMP asks: the sink `whole`, in turn with ours */
  BenchTimes      copy;                 /* of the picture through GEGL, the same sink */
  TesseraCounters sums;                 /* over our timed runs */
  BenchTimes      staged;               /* some more runs, with the device's commands timed */
  TesseraCounters stages;
  TesseraKernelTime kernels[BENCH_KERNELS];     /* over the staged runs */
  guint           n_kernels;
  guint64         peak_bytes, peak_pinned_bytes;
  gdouble         host_mib, rival_host_mib;     /* 0: not known */
  const gchar    *path;                 /* "C", "OpenCL", "mixed", "failed", "none" */
  GPtrArray      *flags;                /* what is not as it should be */
  gboolean        is_whole;             /* a filter that needs the whole image */
  gboolean        astray;               /* ... not on the path that was asked for */
  gfloat          samples[BENCH_SAMPLES];
} BenchResult;

void         bench_job_start    (BenchJob *job, const BenchWishes *wishes);
void         bench_job_clear    (BenchJob *job);
BenchResult *bench_measure      (BenchJob *job, BenchSink sink, const BenchWishes *wishes);
void         bench_result_free  (BenchResult *result);
gdouble      bench_stage_ms     (const BenchResult *result, guint64 sum_ns);

int          bench_compare          (const void *a, const void *b);     /* of two doubles, for qsort */
void         bench_add_time         (BenchTimes *times, gdouble ms);
void         bench_sum_up           (BenchTimes *times);
/* sums += after - before. */
void         bench_add_counters     (TesseraCounters *sums, const TesseraCounters *before, const TesseraCounters *after);
/* What is to be seen in the sums: the path, what was not steady. */
void         bench_look_for_trouble (BenchResult *result);
/* Lets the kernel forget the peak of this process; FALSE where it cannot. */
gboolean     bench_forget_host_peak (void);
/* The peak of this process in MiB; 0 where this is not known. */
gdouble      bench_host_peak        (void);

/* --------------------------------------------------------------- output -- */

void bench_print_row    (const BenchJob *job, const BenchResult *result);
void bench_print_json   (const BenchJob *job, const BenchResult *result);
void bench_print_list   (void);
/* One run of `chain`, and when its pixels and its kernels were there: microseconds of the clock that does not jump. */
void bench_print_first  (const gchar *chain, gint width, gint height, const Babl *format);
/* Each setting of each filter: does `auto` take the faster path?  FALSE: not everywhere. */
gboolean bench_walk     (const gchar *names, gint width, gint height, const Babl *format);

/* --------------------------------------------------------------- device -- */

typedef struct
{
  gdouble copy, upload_pinned, download_pinned, upload_pageable, download_pageable; /* GB/s */
  gdouble gflops;
} BenchDevice;

/* False, with one line on stderr, when the device refuses. */
gboolean bench_device_measure (gpointer context, gpointer device, BenchDevice *result);
/* "cpu", "gpu" or "other". */
const gchar *bench_device_kind (gpointer device);

#endif
