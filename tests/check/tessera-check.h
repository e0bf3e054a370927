/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-check.h: the table of a filter, for the harness that compares its C path, its OpenCL path and a reference in
 * double on random input.  A program has tables and a main () that returns check_main (); `--help` lists its options.
 */
#ifndef TESSERA_CHECK_H
#define TESSERA_CHECK_H

#include <gegl.h>

#include "tessera-reference.h"

#define CHECK_MAX_PROPERTIES 8

typedef struct _BenchRow BenchRow;

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
  gboolean      (*is_whole) (const gdouble *values);    /* with which settings; NULL: with all */
  gboolean       draws_points;  /* on the host: nothing is sent into tiles, an endless image asks nothing of the engine, and
                                 * what is far away seldom changes a pixel */
  gboolean       seldom_far;    /* of a whole: what is far away changes what is measured, and that seldom by one pixel */
  gint           requests;      /* that the default settings make of the engine, surveys included; 0: 1 */
  void         (*special)  (const CheckOptions *options, CheckStats *stats);    /* tests of its own, or NULL */
  const gchar   *nan_policy;    /* in words, printed with a failure */
  const BenchRow *timed;        /* what `bench` times; the last has no title.  NULL: the defaults */
} CheckFilter;

/* For tables of premultiplied filters: a result that leaves with straight alpha has no
 * colour where alpha is 0 (babl puts 2^-16 there), NaN or infinite. */
void     check_excuse_lost_colour (RefResult *result);
/* For tables of perceptual filters: a result that leaves as linear light. */
void     check_excuse_round_trip (RefResult *result);
/* A picture computed as `straight` and `perceptual` say leaves in the association and the curve of the input: each
 * change of those is one there and back. */
void     check_excuse_delivery (const CheckReferenceArgs *args, gboolean straight, gboolean perceptual, RefResult *result);

/* Tests these filters, as the arguments say.  The operations are those that GEGL finds (GEGL_PATH). */
int check_main (int argc, char **argv, const CheckFilter *const *filters, guint n_filters);

#endif
