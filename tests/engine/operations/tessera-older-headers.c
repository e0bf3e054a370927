/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation that was built before 2026-11-29: it calls what the headers named then. */
#ifdef GEGL_PROPERTIES

#else

#define GEGL_OP_NAME     tessera_older_headers
#define GEGL_OP_C_SOURCE tessera-older-headers.c

#include "odd.h"

void tessera_operation_describe_sized (gpointer klass, gsize properties_size, const TesseraOperationInfo *info);

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe_sized (klass, sizeof (GeglProperties), &(TesseraOperationInfo) ODD ("tessera:older-headers", 1, 1, 1, 1));
}

#endif
