/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early, or are damaged.  GEGL's loaders of JPEG and PNG do not notice the end of a file: they
 * read on in memory that is not theirs, or the same bytes for ever.  Of other kinds they make a picture whose end is
 * black.  Of a damaged one they, or their libraries, complain on stderr, and make a picture of what is left.  And of
 * a file that cannot be opened GEGL makes a picture too: it shows a message.
 *
 * So the library of a kind is asked by us, and its word counts: libjpeg, libpng and libwebp decode the picture,
 * and it is the one that GEGL's loaders would make; libtiff unpacks all pieces of one, OpenEXR looks for them.  A
 * kind whose library was not there when this was built is taken as GEGL gives it. loads-plain.h has the kinds that
 * have no library. */
#ifndef LOADS_JUDGE_H
#define LOADS_JUDGE_H

#include <gegl.h>
#include <stdio.h>

#define ENDS_EARLY "it ends too early"
#define DAMAGED    "its pixels are damaged"
#define MOVES      "it is an animation, of several pictures"

typedef struct
{
  gchar      *wrong;            /* in words that end a sentence about the file; NULL: nothing */
  GeglBuffer *picture;          /* as it is stored; NULL: GEGL is to read it */
  gint        orientation;      /* loads-upright.h */
  gint64      place;            /* of the byte of a TIFF that says so, which GEGL's loader half obeys; or -1 */
} Judged;

/* Can it be given to GEGL?  Wrong is: it is no file or cannot be opened; its own library calls it damaged; it ends
 * too early; it has several pictures that move; or it is called a JPEG or .gegl and is none, which ends the process,
 * or called an EXR, where GEGL shows 10 x 10 pixels.  What else may be damaged GEGL's loaders tell in messages:
 * loads.h. */
Judged loads_judge   (const gchar *path);

/* What one kind's library says; the file stands at its first byte. */
void   judge_jpeg    (FILE *file, Judged *judged);
void   judge_png     (FILE *file, Judged *judged);
void   judge_webp    (FILE *file, Judged *judged);
gchar *judge_tiff    (const gchar *path);
gchar *judge_exr     (const gchar *path);

#endif
