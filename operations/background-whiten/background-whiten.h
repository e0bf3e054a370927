/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames of one request of tessera:background-whiten.
 */
#ifndef BACKGROUND_WHITEN_H
#define BACKGROUND_WHITEN_H

#include "frames.h"
#include "shift.h"
#include "whiten-request.h"

/* The strings may be NULL. */
typedef struct
{
  const gchar *frames, *current, *dark, *shifts;
  gint         history, max_shift;
  gdouble      saturation;              /* of all frames; 0: as the file says */
  gboolean     reject_hot;
  GeglOperation *operation;             /* which asks */
} HistorySettings;

/* A prepared frame; shared.  What C finds its shift from is made when it is needed; else it is never written. */
typedef struct
{
  gint        references;
  gchar      *key;                      /* file and settings */
  TesseraKept *on_device;
  guint64     used;
  CountPlane  plane;
  ShiftFrame *shift;                    /* atomic; NULL: C has not needed it */
} KeptFrame;

/* background-whiten-kept.c.  NULL: it is not kept.  `add` takes the plane over. */
KeptFrame *kept_frame_find  (const gchar *key);
KeptFrame *kept_frame_add   (const gchar *key, CountPlane *plane);
void       kept_frame_unref (KeptFrame *frame);

typedef struct
{
  WhitenFrames frames;                          /* the plane of the current one, and what keeps it, are owned */
  KeptFrame   *owners[WEIGHTS_MAX_FRAMES];      /* of the others */
  gchar       *names[WEIGHTS_MAX_FRAMES];
  gboolean     is_refused;                      /* OpenCL is forced and could not run */
  GString     *notes;                           /* sentences */
} History;

/* `current` is in counts; a pixel at or above `saturation` is full.  FALSE: there is no history, or what was asked for makes no sense; error
 * says why.  History is to be cleared in both cases. */
gboolean history_find  (const CountPlane *current, gfloat saturation, const HistorySettings *settings, History *history,
                        GError **error);
void     history_note  (History *history, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void     history_clear (History *history);

#endif
