/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The parts of tessera-match. */
#ifndef MATCH_H
#define MATCH_H

#include <gegl.h>
#include <stdio.h>

#include "keypoints.h"
#include "saving.h"

#define CONTRAST       0.04     /* at which points are looked for, ... */
#define LEAST_CONTRAST 0.01     /* ... and again, ... */
#define FEW            200      /* ... if there are fewer, as tessera:align does; or if two pictures are not aligned and ... */
#define MOST_AGAIN     8000     /* ... one has fewer: so many are compared then */

/* What is asked for. */
typedef struct
{
  gdouble        ratio;
  gboolean       mutual;
  ConsensusModel model;
  gint64         seed;
  gdouble        contrast;      /* below 0: CONTRAST, or LEAST_CONTRAST where points are few */
  gboolean       looks_lower;   /* keypoints that nobody else counts may be looked for again where two pictures are not aligned */
  gdouble        edge;          /* as tessera:sift's edge-threshold */
  gint           max_features;  /* 0: all */
  gboolean       is_root;
  gboolean       as_stored;     /* places are those of the file's pixels, as COLMAP and hugin read them, not of the upright picture */
  const gchar   *folder;        /* where the points of each picture are written for COLMAP; or NULL */
} Settings;

/* A picture, or a file of keypoints. */
typedef struct
{
  gchar    *path;
  gboolean  is_picture;
  Keypoints keypoints;
  gdouble   contrast;           /* at which they were found; 0: in a file */
  gint      first;              /* how many there were at CONTRAST, if they were looked for again; else -1 */
} Side;

/* One pair. */
typedef struct
{
  const Side     *a, *b;
  gint            number_a, number_b;
  const Settings *settings;
  Match          *matches;
  gint            n_matches;
  gboolean       *is_inlier;
  Consensus       consensus;
} Comparison;

/* inputs.c */
/* Pictures and files in the order of their names, or as they are given; a folder has its pictures, or, where it has none, its files of
 * keypoints.  `many`: not two, or of a folder.  NULL, and an error: there are fewer than two. */
GPtrArray *inputs_list  (gchar **paths, gboolean *many, GError **error);
void       side_free    (gpointer side);
/* FALSE, and an error that names it. */
gboolean   side_read    (Side *side, const Settings *settings, GError **error);
/* The same picture's keypoints at a lower contrast; NULL, and an error. */
Side      *side_look_lower (const Side *side, const Settings *settings, GError **error);
/* For people. */
gchar     *side_name    (const Side *side);
/* As COLMAP calls the picture: a file photo.jpg.txt has the points of photo.jpg. */
gchar     *side_picture (const Side *side);

/* pairs.c */
/* FALSE, and an error: OpenCL is forced and could not run. */
gboolean comparison_make  (Comparison *comparison, const Settings *settings, GPtrArray *sides, gint a, gint b, GError **error);
void     comparison_clear (Comparison *comparison);
/* All pairs, or each with its next `neighbours`.  0 and more: how many are aligned; -1 and an error. */
gint     pairs_compare    (GPtrArray *sides, gint neighbours, gboolean (*tell) (const Comparison *comparison, gpointer data, GError **error), gpointer data,
                           const Settings *settings, GError **error);

/* picture.c */
/* NULL, and an error, if GEGL cannot read it. */
GeglBuffer *picture_load  (const gchar *path, gboolean as_stored, GError **error);
/* Both pictures side by side, a line for each pair that agrees. */
gboolean    picture_write (const Comparison *comparison, const gchar *path, GError **error);

/* outlet.c: a file that is written piece by piece, and is there when all of it is.  Path "-" is the standard output. */
typedef struct
{
  const gchar *path;            /* NULL: it is not asked for, and nothing happens */
  Saving       saving;
  FILE        *stream;
  gint         wrong;           /* errno of what could not be written; or 0 */
} Outlet;

gboolean outlet_open  (Outlet *outlet, GError **error);
/* Takes the text and leaves it empty. */
void     outlet_put   (Outlet *outlet, GString *text);
/* Not `good`: something else has failed, and the file stays as it was. */
gboolean outlet_close (Outlet *outlet, gboolean good, GError **error);

/* answers.c */
void append_number     (GString *text, const gchar *before, const gchar *format, gdouble number, const gchar *after);
void append_pair       (GString *text, const Comparison *comparison);
void append_pair_line  (GString *text, const Comparison *comparison);

/* json.c */
void append_json_pair  (GString *text, const Comparison *comparison);
void append_json_begin (GString *text, GPtrArray *sides, const Settings *settings);
void append_json_next  (GString *text, const Comparison *comparison, gboolean is_first);
void append_json_end   (GString *text);

/* lists.c: for other programs. */
/* FALSE, and an error: COLMAP cannot read the names, or they are not different. */
gboolean colmap_names  (GPtrArray *sides, GError **error);
void append_colmap     (GString *text, const Comparison *comparison);
gboolean hugin_names   (GPtrArray *sides, GError **error);
/* `path`: of the project, from whose folder its pictures are named. */
void append_hugin_begin (GString *text, GPtrArray *sides, const gchar *path);
void append_hugin       (GString *text, const Comparison *comparison);
void append_hugin_end   (GString *text, GPtrArray *sides);

#endif
