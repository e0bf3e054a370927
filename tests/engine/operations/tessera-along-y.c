/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation that looks along y alone. */
#ifdef GEGL_PROPERTIES

#else

#define GEGL_OP_NAME     tessera_along_y
#define GEGL_OP_C_SOURCE tessera-along-y.c

#include "odd.h"

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) ODD ("tessera:along-y", 0, 1, 0, 1));
}

#endif
