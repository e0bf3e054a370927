/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the system shows of GPUs, without OpenCL.
 */
#ifndef TESSERA_DOCTOR_HARDWARE_H
#define TESSERA_DOCTOR_HARDWARE_H

#include <glib.h>

typedef struct
{
  GString *vendors;             /* "NVIDIA Intel" */
  GString *refused;             /* device files that this user may not open */
} Hardware;

void   hardware_look     (Hardware *hardware);
gchar *hardware_packages (const Hardware *hardware);
void   hardware_clear    (Hardware *hardware);

#endif
