/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Photographs that are moved as a camera moves them, and what tessera:align makes of them. */
#ifndef ALIGN_TEST_H
#define ALIGN_TEST_H

#include "check.h"

/* R'G'B' of 0 to 255. */
typedef struct
{
  gint    width, height;
  gfloat *values;               /* three a pixel */
} Photo;

Photo       photo_load   (const gchar *path);
void        photo_free   (Photo *photo);
Photo       photo_part   (const Photo *photo, gint x, gint y, gint width, gint height);
/* sinc (t) sinc (t / n) within n of 0. */
gdouble     lanczos      (gdouble t, gint n);
Photo       photo_softened (const Photo *photo, gdouble sigma);
/* The same canvas: the pixel at p is that of the photograph at matrix p, by 8 x 8 pixels, beyond the edge the nearest; first softened
 * where it becomes smaller. */
Photo       photo_moved  (const Photo *photo, const gdouble matrix[9]);
Photo       photo_moved_to (const Photo *photo, const gdouble matrix[9], gint width, gint height);
/* Darker, and with noise. */
void        photo_spoil  (Photo *photo, gdouble brightness, gdouble sd, CheckRandom *random);
GeglBuffer *photo_buffer (const Photo *photo, gint x, gint y);

/* A movement as align.md draws them: up to 30 degrees, 0.6 to 1.6 in size, perspective; more than 40 % in common. */
void        draw_movement (CheckRandom *random, gint width, gint height, gdouble matrix[9]);
void        map           (const gdouble matrix[9], gdouble x, gdouble y, gdouble *u, gdouble *v);
/* The mean distance of the four corners. */
gdouble     corner_error  (const gdouble found[9], const gdouble matrix[9], gint width, gint height);

typedef struct
{
  gboolean      aligned;
  gdouble       matrix[9], error;
  gint          inliers;
  gchar        *reason, *movement;
  GeglRectangle box;
  gfloat       *pixels;         /* RaGaBaA float of the box */
} Aligned;

/* `more`: further properties and values, or NULL. */
Aligned     align_buffers (GeglBuffer *input, GeglBuffer *aux, const gchar *model, gboolean refine);
void        aligned_free  (Aligned *aligned);

/* Of align-laws (told.c): what is told where OpenCL is forced and there is none, and of pictures without pixels or end. */
void        check_forced  (const Photo *photograph);
void        check_emptied (const Photo *photograph);

/* Every pixel against the definition, of a similarity: the largest difference. */
gdouble     worst_pixel   (GeglBuffer *input, const Aligned *found);
/* The movement is given, and all of the picture is kept (known.c). */
void        check_known_matrix   (const Photo *photograph);

#endif
