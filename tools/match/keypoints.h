/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Keypoints of a file that tessera:sift-save, or another program in the same format, has written. */
#ifndef KEYPOINTS_H
#define KEYPOINTS_H

#include <glib.h>

#include "consensus.h"

typedef enum { KEYPOINTS_LOWE, KEYPOINTS_COLMAP, KEYPOINTS_CSV, KEYPOINTS_NONE } KeypointsFormat;

typedef struct
{
  gint        n;
  MatchPlace *places;           /* centres of pixels at integers; angles in degrees, clockwise, 0 to 360 */
  guint8     *descriptors;      /* DESCRIPTOR_LENGTH of each */
  gint        width, height;    /* of the picture; of a file, which does not know it: as far as its places reach */
} Keypoints;

/* By its ending: .key, .txt, .csv; else KEYPOINTS_NONE. */
KeypointsFormat keypoints_format (const gchar *path);

/* `text` ends with a 0 behind its `length` bytes; `name` begins the message: NAME:LINE: CAUSE. */
gboolean        keypoints_parse  (const gchar *name, const gchar *text, gsize length, KeypointsFormat format,
                                  Keypoints *keypoints, GError **error);
gboolean        keypoints_read   (const gchar *path, KeypointsFormat format, Keypoints *keypoints, GError **error);
void            keypoints_clear  (Keypoints *keypoints);

#endif
