/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * check.h: the parity driver, "our checkasm".
 *
 * A CheckFilter is the table of one filter.  A CheckCase is one drawn test: a
 * vector of named integers (geometry, formats, storage, content, law) and one
 * of property values, so that it can be printed, overridden by `--set` and
 * shrunk without knowing what its parts mean.
 */
#ifndef CHECK_H
#define CHECK_H

#include <gegl.h>
#include <math.h>
#include <string.h>

#include "bench-row.h"
#include "check-case.h"
#include "check-filters.h"
#include "reference.h"

/* Deprecated under this name, and absent from 0.4.42 under the new one. */
#if GEGL_MICRO_VERSION >= 60
#define gegl_node_connect_to gegl_node_connect
#endif
#include "tessera-control.h"

#define CHECK_GUARD 256         /* bytes before and after every destination */

/* -------------------------------------------------------------- random -- */

typedef struct
{
  guint64 state;
} CheckRandom;

guint64 check_hash    (guint64 value);
guint64 check_next    (CheckRandom *random);
gdouble check_uniform (CheckRandom *random);                     /* [0, 1) */
gint    check_below   (CheckRandom *random, gint count);         /* 0 .. count - 1 */
gboolean check_chance (CheckRandom *random, gint percent);
gdouble check_power   (gdouble base, gdouble exponent);          /* 0 .. 1; unlike pow the same bits everywhere */

/* ------------------------------------------------------------- filters -- */

typedef struct _CheckOptions CheckOptions;
typedef struct _CheckStats   CheckStats;

typedef enum
{
  CHECK_DOUBLE, CHECK_INT, CHECK_BOOLEAN, CHECK_ENUM, CHECK_TEXT
} CheckKind;

/* How a property is drawn; ends, default, integers and multiples of `grid`
 * are mixed into each. */
typedef enum
{
  CHECK_UNIFORM, CHECK_LOG
} CheckDraw;

typedef struct
{
  const gchar        *name;
  CheckKind           kind;
  CheckDraw           draw;
  gdouble             min, max, def;
  gdouble             grid;     /* fractions and special values are multiples of it */
  const gchar *const *nicks;    /* of an enum, or texts; NULL at the end; the value is the index */
} CheckProperty;

/* A property of the operation that the table does not draw, and why. */
typedef struct
{
  const gchar *name, *reason;
} CheckUndrawn;

#define CHECK_ALIAS  "an alias of `result`, for scripts"
#define CHECK_RESULT "a result"

/* Laws that hold without a reference. */
typedef enum
{
  CHECK_LAW_NONE,               /* the three legs */
  CHECK_LAW_SPLIT, CHECK_LAW_THREADS, CHECK_LAW_TWICE, CHECK_LAW_BANDS,
  CHECK_LAW_PROCESSOR, CHECK_LAW_TRANSLATION, CHECK_LAW_LOCALITY,
  CHECK_LAW_CONCURRENT, CHECK_LAW_UPDATE, CHECK_LAW_NATIVE, CHECK_LAW_HIDDEN, CHECK_LAW_MOVE, CHECK_LAW_NEIGHBOUR,
  CHECK_LAW_CONSTANT, CHECK_LAW_IMPULSE, CHECK_LAW_MIRROR_X, CHECK_LAW_MIRROR_Y,
  CHECK_LAW_NEUTRAL,
  CHECK_LAWS
} CheckLaw;

/* Sets of them: of every filter that knows no direction, and of a blur. */
#define CHECK_MIRRORS    ((1u << CHECK_LAW_MIRROR_X) | (1u << CHECK_LAW_MIRROR_Y))
#define CHECK_BLUR_LAWS  (CHECK_MIRRORS | (1u << CHECK_LAW_IMPULSE) | (1u << CHECK_LAW_CONSTANT))

/* How far results may differ, in units of the reference's `scale`, and why. */
typedef struct
{
  gdouble      value;
  const gchar *reason;
} CheckTolerance;

typedef struct
{
  const RefImage *image, *aux;  /* aux NULL if there is none */
  const gdouble  *values;       /* of the properties */
  const Babl     *space;        /* the input's */
  gdouble         weights[3];   /* its luminance weights */
  gboolean        straight;     /* the input's format is not premultiplied */
  gboolean        perceptual;   /* it is not linear light */
  gboolean        seen;         /* the image was read behind sRGB's curve (CheckFilter.sees) */
} CheckReferenceArgs;

typedef struct
{
  const gchar   *name;          /* "motion-blur" */
  const gchar   *operation;     /* "tessera:motion-blur" */
  gint           n_properties;
  CheckProperty  properties[CHECK_MAX_PROPERTIES];
  const CheckUndrawn *undrawn;  /* the last has no name; NULL: all properties are drawn */
  gboolean       has_aux;
  const gchar *const *corners;  /* "k=v,..." of properties and buffers: to be drawn more often than by chance; NULL at
                                 * the end */

  const gchar   *format;        /* babl format of input and output; */
  const gchar *(*working)  (const gdouble *values);     /* NULL: `format` */
  const gchar   *working_linear;        /* instead, where the input is linear RGB; NULL: the same */
  gboolean      (*sees)    (const gdouble *values);     /* is "R'G'B'A float" it, where the input is grey or floats behind sRGB's
                                                         * curve?  NULL: no */
  const gchar *(*delivers) (const gdouble *values);     /* of the output where it is another, of one float
                                                         * component (the first of the four that are
                                                         * compared) or of four */
  void         (*bounds)   (const gdouble *values, GeglRectangle *box); /* input's in, output's out; NULL: the same */
  void         (*most_bounds) (const gdouble *values, GeglRectangle *box);      /* the same, where the output's may be
                                                                                 * anything up to this; NULL: not */
  gint           reach;         /* NaN reach each way, pixels; 0 if `whole` */
  void         (*halo)     (const gdouble *values, gint *x, gint *y);   /* the same; NULL: `reach` */
  gdouble      (*cost)     (const gdouble *values);     /* reads per pixel, bounds the case's size; NULL: what is in reach */
  guint          holds;         /* bits 1 << CheckLaw of those that not every filter keeps (constant and later) */
  guint        (*laws)     (const gdouble *values);     /* those that depend on the properties; NULL: `holds` alone */
  const gchar *const *neutral;  /* "k=v,...": settings with which the result is the input itself; NULL at the end; NULL: none */
  void         (*mirror)   (gdouble *values, gboolean along_y);  /* what a mirrored image needs; NULL: nothing else */
  gboolean     (*changes_planes) (const gdouble *values); /* what an endless plane of one colour is; NULL: no */
  gboolean     (*passes)   (const gdouble *values);     /* may the operation pass its input through? */
  gdouble      (*below)    (const gdouble *values);     /* what no colour of a result in the working format reaches,
                                                         * not even one that the reference excuses; NULL: there is
                                                         * nothing */
  void         (*reference) (const CheckReferenceArgs *args, RefResult *result);

  CheckTolerance to_reference;  /* C and OpenCL against the reference */
  gboolean       slack_between; /* does the reference's slack excuse C against OpenCL in
                                 * the working format?  (Where babl or the device
                                 * converts the input it always does.) */
  gboolean       only_srgb;     /* reads or makes colours of sRGB whatever the image's space is: drawn in sRGB */
  gboolean       exact_shift;   /* translation is bit-equal */
  void         (*reach_far) (gdouble *values);          /* make each pixel depend on each other; NULL: by default */
  gboolean       whole;         /* a pixel depends on the whole image: there is no locality, and a
                                 * rounding before it may change it all */
  gboolean       draws_points;  /* on the host: nothing is sent into tiles, an endless image asks nothing of the engine, and
                                 * what is far away seldom changes a pixel */
  gint           requests;      /* that the default settings make of the engine, surveys included; 0: 1 */
  void         (*special)  (const CheckOptions *options, CheckStats *stats);    /* tests of its own, or NULL */
  const gchar   *nan_policy;    /* in words, printed with a failure */
  const BenchRow *timed;        /* what `bench` times; the last has no title.  NULL: the defaults */
} CheckFilter;

/* check_sobel and so on: CHECK_FILTERS (ROW) is made of operations/filters. */
#define ROW(name) extern const CheckFilter check_##name;
CHECK_FILTERS (ROW)
#undef ROW

/* --------------------------------------------------------------- cases -- */

typedef enum
{
  CHECK_LEG_C = 1, CHECK_LEG_OPENCL = 2, CHECK_LEG_REFERENCE = 4, CHECK_LEGS_ALL = 7
} CheckLeg;

void     check_draw       (const CheckFilter *filter, guint64 seed, gint number, gint max_size,
                           CheckCase *c);
/* The law of law case `number`, and what lets it see much. */
void     check_draw_law   (const CheckFilter *filter, gint number, CheckCase *c);
void     check_normalise  (const CheckFilter *filter, CheckCase *c);
gboolean check_override   (const CheckFilter *filter, CheckCase *c, const gchar *text, GError **error);
void     check_describe   (const CheckFilter *filter, const CheckCase *c, GString *text);
/* "k=v,..." of everything in which `c` differs from `base` (all of it if NULL). */
void     check_difference (const CheckFilter *filter, const CheckCase *c, const CheckCase *base,
                           GString *text);
void     check_default_values (const CheckFilter *filter, gdouble *values);
/* What the table says, once for all values or for these. */
const gchar *check_format (const CheckFilter *filter, const gdouble *values);
void         check_halo   (const CheckFilter *filter, const gdouble *values, gint *x, gint *y);
/* The output's bounding box and the region to compute, in GEGL's coordinates. */
GeglRectangle check_image_box  (const CheckCase *c);
GeglRectangle check_output_box (const CheckFilter *filter, const CheckCase *c);
GeglRectangle check_roi        (const CheckFilter *filter, const CheckCase *c);

/* --------------------------------------------------- pixels and storage -- */

/* Raw component values in the order of the case's format, before they are
 * rounded to its type. */
gfloat *check_paint (const CheckFilter *filter, const CheckCase *c);

typedef struct
{
  GeglBuffer   *buffer;
  GeglBuffer   *parent;         /* of a sub-buffer, or the original of a copy */
  const Babl   *format;
  GeglRectangle box;
  guint8       *memory, *memory_copy;   /* linear storage, guards and stride included */
  gsize         memory_bytes;
  guint8       *raw, *parent_raw;       /* the pixels as they were */
} CheckSource;

const Babl  *check_working_format (const CheckFilter *filter, const CheckCase *c);
const Babl  *check_source_format  (const CheckFilter *filter, const CheckCase *c);
/* Now and then: floats behind a curve; a space whose own curve is linear. */
void         check_draw_curves    (CheckCase *c);
/* Is the image read behind sRGB's curve, because it is stored so? */
gboolean     check_is_seen        (const CheckFilter *filter, const CheckCase *c);
const Babl  *check_result_format  (const CheckFilter *filter, const CheckCase *c);
gint         check_components     (const CheckFilter *filter, const CheckCase *c);
CheckSource *check_source_new     (const CheckFilter *filter, const CheckCase *c,
                                   const gfloat *painted);
CheckSource *check_source_draw    (const CheckFilter *filter, const CheckCase *c);
CheckSource *check_aux_draw       (const CheckFilter *filter, const CheckCase *c); /* or NULL */
/* The second image as a case of its own; FALSE if there is none. */
gboolean     check_aux_case       (const CheckCase *c, CheckCase *aux);
gboolean     check_source_same    (const CheckSource *source, GString *why);
void         check_source_free    (CheckSource *source);

/* A destination with canaries around it and between its rows. */
typedef struct
{
  guint8 *memory;
  gint    width, height;
  gsize   row_bytes, stride, bytes;
} CheckGuarded;

void     check_guarded_init  (CheckGuarded *guarded, gint width, gint height, gint bytes_per_pixel,
                              gint pad);
guint8  *check_guarded_data  (CheckGuarded *guarded);
gboolean check_guarded_whole (const CheckGuarded *guarded, GString *why);
void     check_guarded_clear (CheckGuarded *guarded);

/* ---------------------------------------------------------------- runs -- */

/* One leg's result, 4 floats a pixel, rows contiguous. */
typedef struct
{
  GeglRectangle roi;
  gfloat       *pixels;
} CheckPixels;

/* Runs the operation over `roi` on one leg (C or OpenCL) and checks guards,
 * counters, source, bounding box and GLib's warnings. */
gboolean check_run   (const CheckFilter *filter, const CheckCase *c, CheckSource *source,
                      CheckSource *aux, const GeglRectangle *roi, CheckLeg leg,
                      CheckPixels *pixels, GString *why);
/* The same in whatever mode the engine is in, without a look at the counters. */
gboolean check_blit  (const CheckFilter *filter, const CheckCase *c, CheckSource *source,
                      CheckSource *aux, const GeglRectangle *roi, CheckPixels *pixels,
                      GString *why);
void     check_pixels_clear (CheckPixels *pixels);
/* What `node` makes of `roi`, read as it leaves and made the result's format by the formula. */
void     check_node_read    (const CheckFilter *filter, const CheckCase *c, GeglNode *node, const GeglRectangle *roi,
                             GeglBlitFlags flags, CheckPixels *pixels);
void     check_set_threads  (gint threads);
void     check_set_engine   (const CheckCase *c);
GeglNode *check_operation_node (const CheckFilter *filter, const CheckCase *c, GeglNode *graph);
void     check_connect_source (GeglNode *graph, GeglNode *node, const gchar *pad, CheckSource *source);
/* GLib's warnings since the last call; NULL when there were none.  Free it. */
gchar   *check_take_warnings (void);
void     check_watch_warnings (void);
const gchar *check_leg_name (CheckLeg leg);

/* ------------------------------------------------------------- formats -- */

/* Does the engine convert the source to `working` by code of its own? */
gboolean check_is_own_conversion (const CheckSource *source, const Babl *working);
/* Is there nothing to compute for that? */
gboolean check_is_exact          (const Babl *stored, const Babl *working);
/* Not linear light: behind a curve. */
gboolean check_is_curved         (const Babl *format);
/* A space whose own curve is linear: what is perceptual is R~G~B~ there. */
#define CHECK_LINEAR_SPACE "ACEScg"
/* `pixels`: what babl made of the source, replaced. */
void     check_convert_source    (const CheckSource *source, const Babl *working, gdouble *pixels);
/* What to read a node's result in: what the node gives, for check_pixels_spread () to convert by the formula, or the
 * result's format where that is no picture in sRGB.  babl's float curves are off in HDR, they differ with the length of
 * a run, and a NaN hides what is above 1024 from the group of four that it is in (0.1.98, sse2): 1846 became 23.55
 * instead of 24.17. */
const Babl *check_read_format    (const CheckFilter *filter, const CheckCase *c, GeglNode *node);
/* What was read without gaps in the format `read` becomes four floats a pixel of the result's format. */
void        check_pixels_spread  (const CheckFilter *filter, const CheckCase *c, const Babl *read, CheckPixels *pixels);

/* ---------------------------------------------------------- comparison -- */

typedef enum
{
  CHECK_PAIR_C_REFERENCE, CHECK_PAIR_OPENCL_REFERENCE, CHECK_PAIR_C_OPENCL, CHECK_PAIRS
} CheckPair;

struct _CheckStats
{
  gint    passed, failed;
  gint    cases[CHECK_LAWS];
  gdouble worst_units[CHECK_PAIRS], worst_abs[CHECK_PAIRS];
  guint64 compared;             /* pictures */
  gdouble excused;              /* of these: the share of their components whose slack is infinite, added up */
};

/* The reference's result for `roi`, with `box` clipped to the output. */
typedef struct
{
  GeglRectangle roi;
  gdouble      *out, *scale, *slack;
} CheckTruth;

void     check_truth_init  (CheckTruth *truth, const CheckFilter *filter, const CheckCase *c,
                            CheckSource *source, CheckSource *aux, const GeglRectangle *roi);
void     check_truth_clear (CheckTruth *truth);
/* For tables of premultiplied filters: a result that leaves with straight alpha has no
 * colour where alpha is 0 (babl puts 2^-16 there), NaN or infinite. */
void     check_excuse_lost_colour (RefResult *result);
/* For tables of perceptual filters: a result that leaves as linear light. */
void     check_excuse_round_trip (RefResult *result);
/* A picture computed as `straight` and `perceptual` say leaves in the association and the curve of the input: each
 * change of those is one there and back. */
void     check_excuse_delivery (const CheckReferenceArgs *args, gboolean straight, gboolean perceptual, RefResult *result);
gboolean check_against     (const CheckFilter *filter, const CheckCase *c, const CheckTruth *truth,
                            const CheckPixels *got, const CheckPixels *other, CheckPair pair,
                            CheckStats *stats, GString *why);
gboolean check_same_bits   (const CheckPixels *a, const CheckPixels *b, const gchar *what,
                            GString *why);
gboolean check_near        (const CheckPixels *a, const CheckPixels *b, gdouble tolerance,
                            const gchar *what, GString *why);

/* --------------------------------------------------------------- tests -- */

struct _CheckOptions
{
  guint64      seed;
  gint         cases, laws;     /* number of cases and of law cases for each filter */
  gboolean     every_fault;     /* or some of the arguments that are set */
  gint         number;          /* one case alone, or -1 */
  gint         max_size;
  guint        legs;
  gdouble      seconds;         /* for each filter, 0: no limit */
  const gchar *set;
  gboolean     quiet;           /* no failure blocks (the self-test) */
};

gboolean     check_case    (const CheckFilter *filter, const CheckCase *c, guint legs,
                            CheckStats *stats, GString *why);
gboolean     check_law     (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                            GString *why);
gboolean     check_law_concurrent (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                                   GString *why);
gboolean     check_law_update (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                               GString *why);
gboolean     check_chain    (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                             GString *why);
/* Counts alpha where babl_format_has_alpha does not see it? */
gboolean     check_foreign_alpha (const CheckFilter *filter, const CheckCase *c, GString *why);
gboolean     check_law_move (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                             GString *why);
gboolean     check_law_native (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                               GString *why);
gboolean     check_law_neutral (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why);
gboolean     check_law_hidden (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                               GString *why);
gboolean     check_law_neighbour (const CheckFilter *filter, const CheckCase *c, CheckLeg leg,
                                  GString *why);
const gchar *check_law_name (CheckLaw law);
guint        check_laws_of (const CheckFilter *filter, const gdouble *values);
/* Runs one case, reports and shrinks a failure. */
gboolean     check_report  (const CheckFilter *filter, const CheckCase *c,
                            const CheckOptions *options, CheckStats *stats);
void         check_edges   (const CheckFilter *filter, const CheckOptions *options, CheckStats *stats);
void         check_faults  (const CheckFilter *filter, const CheckOptions *options, CheckStats *stats);
void         check_self_test (const CheckOptions *options, CheckStats *stats);
/* Compares with the lines of the file `path`; prints such a line (the first of the legs), and those of all cases. */
void         check_hashes  (const CheckFilter *filter, gint cases, const gchar *path, guint legs, CheckStats *stats);
void         check_print_hash (const CheckFilter *filter, gint cases, guint legs, gboolean each);
/* Of a time limit.  By the clock or, where other programs have the processors, by what this one was given of them: then the number of cases does not
 * depend on those.  It may also wait for a device, with the processor idle: a quarter by the clock is spent in any case. */
gint64       check_time_spent (gint64 clock, gint64 processor);
gboolean     check_exists  (const CheckFilter *filter);
/* Does the table have each property of the operation, as one that it draws or one that it does not? */
gboolean     check_properties (const CheckFilter *filter, GString *why);
void         check_verdict (CheckStats *stats, gboolean good, const gchar *what,
                            const GString *why, gboolean quiet);

#endif
