/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A thread's state while it compares the device with C.  GEGL stands between the comparison (proof.c)
 * and the computation (process.c).
 */
#include "proof-state.h"

_Thread_local TesseraProofState tessera_proof_state;
