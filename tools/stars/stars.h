/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Star fields whose truth is known: frames as a telescope's camera takes them, one after the other.  The page of tessera-sequence
 * tries itself on them, and so do the tests.
 *
 * image[y][x], x right, y down.  A star at (X, Y) of frame 0 lies at (X + sx, Y + sy) of a frame whose shift is (sx, sy); whole
 * numbers are the centres of pixels.  Counts are in ADU, light in electrons.  A frame depends on the settings and its number, not
 * on which frames were made before (the least frames are the settings' `frames`: they say how much sky is needed). */
#ifndef STARS_H
#define STARS_H

#include <glib.h>

#define STARS_MOST_OBJECTS 64
#define STARS_MOST_BAD     64

typedef struct
{
  gdouble snr;                  /* flux x sqrt (sum psf^2) / sqrt (sky + read_noise^2) */
  gdouble vx, vy;               /* pixels a frame against the sky */
} StarsMotion;

/* What a night has in place of a good frame: no light but the sky's; no light at all; counts of 0; counts of the ceiling. */
typedef enum { STARS_CLOUD, STARS_SHUT, STARS_BLACK, STARS_FULL, STARS_BAD_KINDS } StarsBadKind;

typedef struct
{
  gint         frame;
  StarsBadKind kind;
} StarsBad;

typedef struct
{
  gint        width, height, frames;
  guint64     seed;
  gdouble     density;          /* stars in a million pixels */
  gdouble     magnitudes;       /* from the brightest to the faintest; 10^(slope m) stars are brighter than m */
  gdouble     slope, brightest; /* electrons of the brightest */
  gdouble     fwhm;             /* of the Gaussian that each pixel integrates */
  gdouble     halo, halo_width; /* a part of the light, in a Gaussian that is so many times wider */
  gdouble     seeing;           /* the sd of a frame's fwhm, as a part of it */
  gdouble     transparency;     /* the least; a frame's is drawn between this and 1 */
  gdouble     turn;             /* of the field, in a frame: the sine of the angle */
  gdouble     turn_x, turn_y;   /* about a place that lies so far from the middle */
  gint        flip;             /* from this frame on it is turned by half a circle besides; 0: never */
  gdouble     gain, bias;       /* electrons for one ADU; ADU */
  gdouble     rows, columns, pixels;    /* fixed pattern: sd in ADU */
  gint        hot;              /* pixels in 512 x 512, log-uniform between ... */
  gdouble     hot_least, hot_most;      /* ADU */
  gdouble     sky;              /* electrons in a pixel of the corner at the top left ... */
  gdouble     gradient;         /* ... and so many more in the opposite corner ... */
  gdouble     brightening;      /* ... and for each frame */
  gdouble     read_noise;       /* electrons */
  gdouble     walk, pull;       /* the jitter's step per axis; the part that is taken back each frame */
  gdouble     drift_x, drift_y; /* pixels a frame */
  gdouble     cosmic_rays;      /* tracks in a frame, on average */
  gdouble     satellites;       /* trails in a frame, on average */
  gdouble     ceiling;          /* ADU */
  gint        n_bad;
  StarsBad    bad[STARS_MOST_BAD];
  gint        n_objects;
  StarsMotion objects[STARS_MOST_OBJECTS];
} StarsSettings;

typedef struct
{
  gdouble x, y, flux;           /* in frame 0; electrons */
} Star;

typedef struct
{
  gdouble x, y, fwhm, transparency;
} StarsShift;

typedef struct
{
  StarsSettings settings;
  gint          n_stars;
  Star         *stars;          /* the brightest first */
  Star         *objects;        /* where each starts */
  StarsShift   *shifts;         /* of each frame */
  gdouble      *pattern;        /* what the camera adds to each pixel beside the bias, in ADU: a perfect dark frame */
} StarsField;

/* 'A': jitter of 0.15 px and fixed pattern.  'B': without the pattern and the hot pixels.  'C': A with drift.  'D': A with a walk of
 * 0.5 px.  FALSE: there is no such preset. */
gboolean    stars_preset    (StarsSettings *settings, gchar preset, guint64 seed);
/* NULL where an object finds no place; the settings' bounds are the caller's affair. */
StarsField *stars_field_new (const StarsSettings *settings);
/* Of a preset without objects.  frames 0: as many as the preset has. */
StarsField *stars_field_empty (gchar preset, guint64 seed, gint width, gint height, gint frames);
void        stars_field_free (StarsField *field);
/* Electrons of the light alone, before any noise: stars, objects and sky. */
void        stars_light     (const StarsField *field, gint frame, gdouble *electrons);
void        stars_frame     (const StarsField *field, gint frame, guint16 *adu);
/* Where a place of frame 0 lies in another. */
void        stars_place     (const StarsField *field, gint frame, gdouble *x, gdouble *y);
/* Degrees by which the field is turned, from x to y. */
gdouble     stars_angle     (const StarsField *field, gint frame);
void        stars_object    (const StarsField *field, gint object, gint frame, gdouble *x, gdouble *y);

/* As people write them; the last: a good frame. */
extern const gchar *const stars_bad_names[STARS_BAD_KINDS + 1];
/* Of the frame; STARS_BAD_KINDS: it is a good one. */
StarsBadKind stars_bad      (const StarsField *field, gint frame);
/* stars-night.c: what crosses a frame, in electrons. */
void        stars_add_rays  (const StarsField *field, gint frame, gdouble *electrons);
void        stars_add_satellites (const StarsField *field, gint frame, gdouble *electrons);

/* Files; FALSE sets `error`.  A dark frame is float in FITS; PGM has no negative numbers, so there the bias is in it. */
gboolean    stars_write_fits (const StarsField *field, gint frame, const gchar *path, GError **error);
gboolean    stars_write_pgm  (const StarsField *field, gint frame, const gchar *path, GError **error);
gboolean    stars_write_dark (const StarsField *field, const gchar *path, GError **error);
/* truth.json (settings), shifts.csv, objects.csv and stars.csv. */
gboolean    stars_write_truth (const StarsField *field, const gchar *folder, GError **error);

#endif
