/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * check.h: the parity driver, "our checkasm".  tessera-check.h is what a table needs of it, outside this tree too.
 *
 * A CheckCase is one drawn test: a
 * vector of named integers (geometry, formats, storage, content, law) and one
 * of property values, so that it can be printed, overridden by `--set` and
 * shrunk without knowing what its parts mean.
 */
#ifndef CHECK_H
#define CHECK_H

#include <gegl.h>
#include <math.h>
#include <string.h>

#include "tessera-check.h"

#include "bench-row.h"
#include "check-case.h"
#include "check-filters.h"
#include "reference.h"

#include "tessera-control.h"
#include "../../tools/connect.h"

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

/* What a program tests: filters, and itself or NULL. */
typedef struct
{
  const CheckFilter *const *filters;
  guint                     n_filters;
  void                    (*self_test) (const CheckOptions *options, CheckStats *stats);
} CheckSuite;

/* The program: its options, its verdicts, its exit code. */
int          check_suite   (int argc, char **argv, const CheckSuite *suite);
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
