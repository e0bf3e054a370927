/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A thread's state while it compares the device with C.  GEGL stands between the comparison (proof.c)
 * and the computation (process.c).
 */
#include "proof-state.h"

static _Thread_local TesseraProofLeg leg;
static _Thread_local gboolean        takes_tiles;       /* tile kernels have to be proven too */
static _Thread_local gboolean        is_early;
static _Thread_local gboolean        failed;
static _Thread_local GPtrArray      *runs;              /* marks of the kernels that ran */

void
tessera_proof_set_leg (TesseraProofLeg which)
{
  leg = which;
}

TesseraProofLeg
tessera_proof_leg (void)
{
  return leg;
}

void
tessera_proof_set_tiles (gboolean takes)
{
  takes_tiles = takes;
}

gboolean
tessera_proof_takes_tiles (void)
{
  return takes_tiles;
}

void
tessera_proof_set_early (gboolean early)
{
  is_early = early;
}

gboolean
tessera_proof_is_early (void)
{
  return is_early;
}

void
tessera_proof_note_run (TesseraProofMark *mark)
{
  if (! runs)
    runs = g_ptr_array_new ();
  g_ptr_array_add (runs, mark);
}

void
tessera_proof_end_runs (gboolean are_right)
{
  for (guint i = 0; are_right && runs && i < runs->len; i++)
    g_atomic_int_set (&((TesseraProofMark *) g_ptr_array_index (runs, i))->is_proven, TRUE);
  g_clear_pointer (&runs, g_ptr_array_unref);
}

void
tessera_proof_note_failure (void)
{
  failed = TRUE;
}

void
tessera_proof_forget_failure (void)
{
  failed = FALSE;
}

gboolean
tessera_proof_has_failed (void)
{
  return failed;
}
