/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A sequence of frames: which files they are, and their pixels in counts.
 *
 * Counts are the numbers that the camera counted.  FITS files and SER films have them as they are.  Of a picture that
 * GEGL loads they are what counts.h says.  The first row of a file is y = 0, in FITS too.
 *
 *   FrameList list;
 *   if (frames_list ("night/", &list, &error))
 *     for (gint i = 0; i < list.n; i++)
 *       {
 *         FramePixels *pixels = frame_cache_get (frame_cache_shared (), &list.frames[i], width, height, &error);
 *         ... pixels->plane ...
 *         frame_pixels_unref (pixels);
 *       }
 *   frame_list_clear (&list);
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <gegl.h>

#include "count-plane.h"

#define FRAMES_PATTERN 5        /* bytes of a mosaic's pattern, with its end */

/* What the pixels of a mosaic become (colours.h). */
typedef enum
{
  COLOURS_KEPT,                 /* they stay */
  COLOURS_MEAN,                 /* means of 2 x 2, ... */
  COLOURS_OF_GREEN,             /* ... of the two that are green, ... */
  COLOURS_LUMINANCE             /* ... weighed by what the eye sees of each */
} ColoursMode;

typedef struct
{
  ColoursMode mode;
  gchar       pattern[FRAMES_PATTERN];  /* where the file says none; "": it is no mosaic then */
  gfloat      full;             /* counts from which on a pixel is full; 0: what the file says */
} FrameColours;

typedef struct
{
  gchar  *path;
  gint    index;                /* within a film or a cube, else 0 */
  gint64  size, time, changed;  /* of the file; times in microseconds, the second of any change of the file or what is known of it */
  guint64 number;               /* of the file in its file system */
  gdouble taken;                /* the middle of its exposure, as the header of a FITS file says it: seconds, leap seconds too; NaN: not known */
  gboolean is_colour;           /* three planes are one picture, ... */
  gboolean is_guess;            /* ... though no card says so */
  FrameColours colours;         /* all 0 in a list */
} Frame;

/* A file that was to be a frame, and is none. */
typedef struct
{
  gchar *name, *reason;
} FrameDropped;

typedef struct
{
  Frame     *frames;
  gint       n;
  GPtrArray *notes;             /* sentences for the user: a film that is cut, a file that is none */
  GPtrArray *dropped;           /* FrameDropped; the notes have them too */
} FrameList;

#define FRAMES_BAND 4           /* bytes of a band's name, with its end */

/* What a file says of its time. */
typedef enum
{
  CLOCK_NONE,                   /* nothing */
  CLOCK_SAID,
  CLOCK_DAY,                    /* a day, and no hour */
  CLOCK_UNREADABLE,
  CLOCK_SYSTEM                  /* it is in a scale of time that is not known here */
} FrameClock;

/* Where and when.  Unknown numbers are NaN. */
typedef struct
{
  FrameClock clock;
  gdouble start, middle;        /* of the exposure: Unix time, seconds, UTC */
  gdouble order;                /* as the middle, but leap seconds count */
  gdouble exposure;             /* seconds */
  gdouble zero_point;           /* the magnitude of what gives one count in the frame */
  gchar   band[FRAMES_BAND];    /* of that magnitude; "": it is not said */
  gint    cell;                 /* pixels of the file that one of the frame has on each axis; 0: one */
  gchar  *sky;                  /* what a FITS header says of the sky, for sky.h; a GRefString, or NULL */
} FrameFacts;

#define FRAME_FACTS_NONE { .start = NAN, .middle = NAN, .order = NAN, .exposure = NAN, .zero_point = NAN }

/* Decoded once, shared by whoever holds it, never written. */
typedef struct
{
  CountPlane plane;
  gfloat     saturation;        /* a pixel at or above it is full; INFINITY: the file's numbers have no end */
  gchar      pattern[FRAMES_PATTERN];   /* of the mosaic that it was; "": of none */
  FrameFacts facts;
} FramePixels;

typedef enum
{
  FRAMES_ERROR_NONE_FOUND,      /* no frame, or no such file */
  FRAMES_ERROR_UNREADABLE,
  FRAMES_ERROR_SIZE             /* another size than was asked for */
} FramesError;

#define FRAMES_ERROR (frames_error_quark ())
GQuark       frames_error_quark   (void);

/* frames-list.c: `what` is a folder, a glob (* and ? in the last part), a printf pattern (one %d or %04d in the last part), a text file
 * (.txt, .lst) with a path a line, a SER film, a FITS cube, or one picture.  Numbers in names sort as numbers.  FALSE: there is no frame. */
gboolean     frames_list          (const gchar *what, FrameList *list, GError **error);
void         frame_list_clear     (FrameList *list);
/* For messages and tables: the file's name, and [index] in a film or a cube. */
gchar       *frame_name           (const Frame *frame);
/* No other frame has this key, and none that was in this file before it changed. */
gchar       *frame_key            (const Frame *frame);
/* `a` before `b`: negative.  img9 is before img10. */
gint         frames_compare_names (const gchar *a, const gchar *b);

/* frames-order.c: by the middle of their exposure.  Lists have the order of names. */
gint         frames_without_time  (const FrameList *list);
gboolean     frames_are_in_order  (const FrameList *list);
/* All have a time.  Of equal times the order stays. */
void         frames_order         (FrameList *list);

/* frames-facts.c */
void         frame_facts_copy     (FrameFacts *copy, const FrameFacts *facts);
void         frame_facts_clear    (FrameFacts *facts);

/* frames-decode.c */
/* NULL and an error that names the file.  Nothing in a file can crash it. */
FramePixels *frame_decode         (const Frame *frame, GError **error);
/* What they are once 2 x 2 pixels are one. */
void         frames_join_cells    (FrameFacts *facts);
FramePixels *frame_pixels_ref     (FramePixels *pixels);
void         frame_pixels_unref   (FramePixels *pixels);

/* frames.c: keeps the frames that were used last, in as many bytes.  Any number of threads may ask; a frame is decoded once. */
typedef struct _FrameCache FrameCache;

FrameCache  *frame_cache_new      (gsize bytes);
void         frame_cache_free     (FrameCache *cache);
/* The process's own, within half of what GEGL may use for tiles. */
FrameCache  *frame_cache_shared   (void);
/* A width or height of 0 is any. */
FramePixels *frame_cache_get      (FrameCache *cache, const Frame *frame, gint width, gint height, GError **error);

#endif
