/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation that looks along x alone. */
#ifdef GEGL_PROPERTIES

#else

#define GEGL_OP_NAME     tessera_along_x
#define GEGL_OP_C_SOURCE tessera-along-x.c

#include "odd.h"

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) ODD ("tessera:along-x", 1, 0, 1, 0));
}

#endif
