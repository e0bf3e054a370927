/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The parts of sift-points. */
#ifndef SIFT_POINTS_H
#define SIFT_POINTS_H

#include <gegl.h>

#include "check.h"
#include "sift.h"

typedef enum
{
  SIFT_NOISE, SIFT_BLOBS, SIFT_CENTRED, SIFT_CHECKERBOARD, SIFT_PLATEAUS, SIFT_PHOTOGRAPH, SIFT_SPECIALS, SIFT_DENORMALS,
  SIFT_HDR, SIFT_FLAT,
  SIFT_FAINT,                   /* noise of some ulps: its differences are small multiples of one, and often the same */
  SIFT_CONTENTS
} SiftContent;

/* How the picture is handed over.  The first two carry the luminance as it is. */
typedef enum
{
  SIFT_Y, SIFT_YA, SIFT_RGBA, SIFT_RGBA_U8, SIFT_FORMATS
} SiftFormat;

typedef struct
{
  guint64         seed;
  gint            number;
  GeglRectangle   box;
  SiftContent     content;
  SiftFormat      format;
  RefSiftSettings settings;
  gfloat         *luminance;    /* of box.width * box.height pixels; NaN and infinity as they were drawn */
} SiftCase;

/* A point of a file.  The words are as they stand there. */
typedef struct
{
  gdouble x, y, sigma, angle, response;
  gint    octave, layer;
  gchar   word[4][32];
  guint8  descriptor[REF_SIFT_LENGTH];
} SiftRow;

typedef enum
{
  SIFT_LOWE, SIFT_COLMAP, SIFT_CSV, SIFT_FILES
} SiftFile;

extern const gchar *const sift_file_nicks[SIFT_FILES];

/* --------------------------------------------------------------- picture -- */

void         sift_case_draw    (guint64 seed, gint number, const gchar *const *photographs, SiftCase *c);
void         sift_case_clear   (SiftCase *c);
gchar       *sift_case_text    (const SiftCase *c);
/* Pixels of alpha 0 hide a colour, and are black in the luminance. */
GeglBuffer  *sift_case_buffer  (const SiftCase *c);

/* ----------------------------------------------------------------- files -- */

/* The rows of a file, strictly as the specification has it; NULL and *why where it is not.  g_array_unref it; free *why. */
GArray      *sift_file_read    (const gchar *text, gsize length, SiftFile file, gchar **why);
/* Do two files say the same?  NULL, or why not. */
gchar       *sift_files_differ (const GArray *csv, const GArray *other, SiftFile file);

/* --------------------------------------------------------------- compare -- */

typedef struct
{
  gsize points, excused, doubts, rounded;       /* rounded: elements that may be either of two numbers */
} SiftCount;

/* How far an element may be from the reference's before it is rounded. */
gdouble      sift_element_error (const SiftCase *c, const RefPoint *point, gint e);
/* NULL, or what is not as in the reference. */
gchar       *sift_differs      (const SiftCase *c, const GArray *rows, const RefSift *reference, SiftCount *count);

#endif
