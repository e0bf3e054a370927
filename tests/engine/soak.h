/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * soak.h: a very large number of random requests in one process.
 *
 * Everything about request k follows from the seed and k alone: what it asks for
 * (SoakRequest), the state of the process meanwhile (SoakWeather: constant for
 * SOAK_SPELL requests) and the source images (slot s is painted anew every
 * SOAK_SLOTS * SOAK_REPAINT requests), so that a run can begin anywhere. */
#ifndef SOAK_H
#define SOAK_H

#include "../check/check.h"

#define SOAK_SPELL     64       /* requests under one weather; a run begins at a multiple */
#define SOAK_SLOTS     64       /* source images ... */
#define SOAK_LARGE     2        /* ... the last of which are large */
#define SOAK_REPAINT   32       /* requests from one image's repainting to the next's */
#define SOAK_GUARD     64       /* bytes before and after a result in memory */
#define SOAK_MOST_PROPERTIES 16

typedef struct
{
  const gchar *operation;
  GParamSpec  *specs[SOAK_MOST_PROPERTIES];
  guint        n_specs;
  gboolean     has_aux;
} SoakFilter;

typedef enum
{
  SOAK_BLIT, SOAK_BLIT_CACHED, SOAK_BLIT_BUFFER, SOAK_PROCESSOR, SOAK_SINKS
} SoakSink;

typedef struct
{
  guint64           number;
  const SoakFilter *filter;
  const SoakFilter *front;              /* before it, at its defaults: a chain; NULL: none */
  gdouble           values[SOAK_MOST_PROPERTIES];
  gint              source, aux;        /* slots; aux -1: none */
  GeglRectangle     roi;
  SoakSink          sink;
  const Babl       *format;             /* of the result */
  gint              graph;              /* which of the filter's graphs */
  gboolean          fresh;              /* that graph is made anew */
  gboolean          stored;             /* gegl:write-buffer gets its buffer's format */
  gboolean          trims;              /* the engine's pools are emptied first */
  gboolean          verifies;           /* C and OpenCL must agree */
  gboolean          calm;               /* no fault, memory enough: the device must not fail */
  TesseraOpenclMode mode;
} SoakRequest;

typedef struct
{
  gint  threads;                        /* 0: GEGL's choice */
  guint memory, band_rows;              /* 0: the engine's choice */
  gboolean sent;                        /* straight into tiles, whatever the size */
  gchar fault[24];                      /* "" : none */
} SoakWeather;

typedef struct
{
  GeglBuffer   *buffer;
  GeglRectangle box;
  const Babl   *format;
  guint64       sum;                    /* of its pixels, when it was painted */
} SoakSource;

typedef struct
{
  guint64 seed;
  guint64 from, requests;
  gdouble seconds;                      /* 0: no limit */
  gint    mode;                         /* -1: random */
  gboolean verbose;
} SoakOptions;

/* --- soak-draw.c -------------------------------------------------------------- */

/* The installed operations "tessera:...". */
const SoakFilter *soak_filters (guint *n);
CheckRandom soak_random   (guint64 seed, guint64 what, guint64 number);
void        soak_weather  (guint64 seed, guint64 spell, SoakWeather *weather);
void        soak_draw     (const SoakOptions *options, guint64 number, const SoakSource *sources,
                           SoakRequest *request);
gchar      *soak_describe (const SoakRequest *request, const SoakWeather *weather,
                           const SoakSource *sources);

/* --- soak-source.c ------------------------------------------------------------ */

/* `passes`: the filter may hand its input on. */
const Babl *soak_result_format (CheckRandom *random, const SoakSource *source, gboolean passes);
/* The engine converts it itself: babl's answer for floats depends on how long a run is,
 * which is not the same on both paths. */
gboolean    soak_is_native     (const Babl *format);
/* Paints the image that slot `slot` shows at request `number`. */
void        soak_source_init  (SoakSource *source, guint64 seed, guint slot, guint64 number);
/* FALSE where its pixels have changed. */
gboolean    soak_source_clear (SoakSource *source);

/* --- soak-run.c --------------------------------------------------------------- */

/* Computes the request in the engine's present mode; the bytes of the result stay
 * valid until the next but one.  NULL and `why` where something is wrong. */
const guint8 *soak_run        (const SoakRequest *request, const SoakSource *sources, GString *why);
gboolean      soak_same       (const SoakRequest *request, const guint8 *a, const guint8 *b, GString *why);
void          soak_run_clear  (void);

/* --- soak-watch.c ------------------------------------------------------------- */

/* Counts lines on stderr and GLib's warnings, and aborts a request that hangs. */
void     soak_watch_start   (gboolean verbose);
void     soak_watch_request (gchar *description);        /* takes it */
void     soak_watch_end     (void);
guint64  soak_watch_lines   (void);
/* GLib's warnings since the last call, or NULL; free it. */
gchar   *soak_take_warnings (void);
/* Resident memory in KiB, after what malloc can give back has been given back. */
guint64  soak_resident      (void);

#endif
