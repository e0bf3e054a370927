/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files of points with their descriptors.  Places are those of sift.h.
 */
#ifndef SIFT_FILES_H
#define SIFT_FILES_H

#include "sift.h"

typedef enum
{
  SIFT_BY_ENDING,               /* .txt: COLMAP, .csv: CSV, else Lowe */
  SIFT_LOWE, SIFT_COLMAP, SIFT_CSV
} SiftFormat;

/* Writes a file beside it and puts that in its place, so no reader sees a part of it.  FALSE and the error if that
 * fails; the file is then as it was. */
gboolean sift_save (const SiftList *list, const gchar *path, SiftFormat format, GError **error);

#endif
