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
  gint         tries;           /* checks in which it did not run */
} TesseraProofMark;

/* Is this thread comparing the device with C, and on which of the two must it compute? */
typedef enum { TESSERA_PROOF_NONE, TESSERA_PROOF_C, TESSERA_PROOF_DEVICE } TesseraProofLeg;

void            tessera_proof_set_leg      (TesseraProofLeg leg);
TesseraProofLeg tessera_proof_leg          (void);

/* Must the result go into tiles, however small it is? */
void            tessera_proof_set_tiles    (gboolean takes_tiles);
gboolean        tessera_proof_takes_tiles  (void);

/* Does the check run beside its request?  A failure is not counted then, and nothing is said, because the device is
 * asked again. */
void            tessera_proof_set_early    (gboolean is_early);
gboolean        tessera_proof_is_early     (void);

/* A kernel ran in the check that this thread makes.  When that ends: all that ran are proven if they `are_right`. */
void            tessera_proof_note_run     (TesseraProofMark *mark);
void            tessera_proof_end_runs     (gboolean are_right);

/* The device could not compute something. */
void            tessera_proof_note_failure   (void);
void            tessera_proof_forget_failure (void);
gboolean        tessera_proof_has_failed     (void);

#endif
