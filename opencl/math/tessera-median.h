/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * Floats as integers in the same order.
 */
#define MEDIAN_NAN     0x7fffff00       /* after +Inf */
#define MEDIAN_OUTSIDE 0x7fffffff       /* no sample */
#define MEDIAN_LEAST   (-0x7fffffff - 1)        /* no sample either: before all keys */

/* bits: of the float.  A negative float's order is that of its bits turned round. */
static inline int
median_key (int bits)
{
  const int size = bits & 0x7fffffff;

  return size > 0x7f800000 ? MEDIAN_NAN : bits < 0 ? -size : bits;
}

static inline int
median_bits (int key)
{
  return key > 0x7f800000 ? 0x7fc00000 : key < 0 ? (int) (0x80000000u | (unsigned int) -key) : key;
}
