/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A thread's state while it compares the device with C.  GEGL stands between the comparison (proof.c)
 * and the computation (process.c).
 */
#include "proof-state.h"

_Thread_local TesseraProofState tessera_proof_state;

void
tessera_proof_note_run (TesseraProofMark *mark)
{
  if (! tessera_proof_state.runs)
    tessera_proof_state.runs = g_ptr_array_new ();
  g_ptr_array_add (tessera_proof_state.runs, mark);
}

void
tessera_proof_end_runs (gboolean are_right)
{
  GPtrArray *runs = tessera_proof_state.runs;

  for (guint i = 0; are_right && runs && i < runs->len; i++)
    g_atomic_int_set (&((TesseraProofMark *) g_ptr_array_index (runs, i))->is_proven, TRUE);
  g_clear_pointer (&tessera_proof_state.runs, g_ptr_array_unref);
}

void
tessera_proof_compare (gconstpointer values, gsize bytes)
{
  const guchar *at = values;

  for (gsize i = 0; i < bytes && tessera_proof_state.leg != TESSERA_PROOF_NONE; i++)
    tessera_proof_state.answers = (tessera_proof_state.answers ^ at[i]) * 16777619u;
}
