/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * Floats as integer keys that have the same order.
 */
#define MEDIAN_NAN     0x7fffff00       /* after +Inf */
#define MEDIAN_OUTSIDE 0x7fffffff       /* no sample */
#define MEDIAN_LEAST   (-0x7fffffff - 1)        /* no sample either, but before all keys */

/* `bits` are those of the float.  Without the sign they grow with the magnitude, so a negative float's are negated. */
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
