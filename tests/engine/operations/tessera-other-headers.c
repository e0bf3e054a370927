/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation that says that it was built with other headers. */
#ifdef GEGL_PROPERTIES

#else

#define GEGL_OP_NAME     tessera_other_headers
#define GEGL_OP_C_SOURCE tessera-other-headers.c

#include "odd.h"

#undef TESSERA_HEADERS
#define TESSERA_HEADERS 0

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) ODD ("tessera:other-headers", 1, 1, 1, 1));
}

#endif
