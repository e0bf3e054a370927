/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The headers of opencl/math use these names, because C and OpenCL C
 * spell what they stand for differently.  tessera.h has the C side. */
#define TESSERA_GLOBAL       global
#define tessera_long         long
#define tessera_floor(x)     floor (x)
#define tessera_abs(x)       fabs (x)
#define tessera_as_int(x)    as_int (x)
#define tessera_as_float(x)  as_float (x)
