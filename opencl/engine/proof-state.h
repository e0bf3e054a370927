/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which kernels are known to be right, and a thread's state while it compares the device with C (proof.c).
 */
#ifndef TESSERA_PROOF_STATE_H
#define TESSERA_PROOF_STATE_H

#include <glib.h>

/* A kernel, or a kernel for one layout of pixels, and whether it is known to give C's results. */
typedef struct
{
  const gchar *kernel;
  gint         is_proven;
} TesseraProofMark;

/* Is this thread comparing the device with C, and on which of the two must it compute? */
typedef enum { TESSERA_PROOF_NONE, TESSERA_PROOF_C, TESSERA_PROOF_DEVICE } TesseraProofLeg;

typedef struct
{
  TesseraProofLeg leg;
  const gchar    *filter;               /* whose check it is, by name */
  gboolean        takes_tiles;          /* the result must go into tiles, however small it is */
  gboolean        is_early;             /* the check runs beside its request.  A failure is not counted then, and nothing
                                         * is said, because the device is asked again. */
  gboolean        has_failed;           /* the device could not compute something */
  guint32         answers;              /* a number of all answers (TesseraFilter.answers) */
  GPtrArray      *runs;                 /* marks of the kernels that ran */
} TesseraProofState;

extern _Thread_local TesseraProofState tessera_proof_state;

/* A kernel ran in the check that this thread makes.  When that ends: all that ran are proven if they `are_right`. */
void tessera_proof_note_run (TesseraProofMark *mark);
void tessera_proof_end_runs (gboolean are_right);

/* An answer that is no pixel: both paths must give the same ones in the same order.  Nothing outside a check. */
void tessera_proof_compare (gconstpointer values, gsize bytes);

#endif
