/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Loops over vectors that are as wide as the processor's registers; gcc takes wider ones apart through memory.  A
 * C file defines LANES_LOOPS, the name of its file of loops, and
 * includes this header, once.  The loops are compiled for each width, with
 *   LANES_BYTES, LANES_FLOATS   of a register
 *   LANES_TARGET                attribute of each function
 *   LANES_NAME (name)           the name of this width's
 *   Lanes, LaneBits             vectors of gfloat, of gint; not aligned
 * and LANES_BEST (name) is that of this processor's width.  All widths give the same bits.
 *
 * For tests: -DTESSERA_LANES=32 or 16 is the greatest width.  With TESSERA_NO_CLONES the width is that of the
 * compiler's own target (-mavx2).
 */
#ifndef TESSERA_LANES
#define TESSERA_LANES 64
#endif

#define LANES_VECTOR(bytes) __attribute__ ((vector_size (bytes), aligned (4), may_alias))
#define LANES_FLOATS        (LANES_BYTES / 4)

/* Not for gcc on Windows, where the stack is not aligned for them (gcc bug 54412). */
#if defined (__x86_64__) && ! defined (TESSERA_NO_CLONES) && (! defined (_WIN32) || defined (__clang__))
#define LANES_AT_RUN_TIME
#endif

#if defined (LANES_AT_RUN_TIME) || ! (defined (__AVX2__) || defined (__AVX512F__))
typedef gfloat Lanes_16    LANES_VECTOR (16);
typedef gint   LaneBits_16 LANES_VECTOR (16);

#define LANES_BYTES      16
#define LANES_TARGET
#define LANES_NAME(name) name##_16
#define Lanes            Lanes_16
#define LaneBits         LaneBits_16
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
#undef LANES_NAME
#undef Lanes
#undef LaneBits
#endif

#if defined (LANES_AT_RUN_TIME) || (defined (__AVX2__) && ! defined (__AVX512F__))
typedef gfloat Lanes_32    LANES_VECTOR (32);
typedef gint   LaneBits_32 LANES_VECTOR (32);

#define LANES_BYTES      32
#define LANES_TARGET     __attribute__ ((target ("avx2")))
#define LANES_NAME(name) name##_32
#define Lanes            Lanes_32
#define LaneBits         LaneBits_32
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
#undef LANES_NAME
#undef Lanes
#undef LaneBits
#endif

#if defined (LANES_AT_RUN_TIME) || defined (__AVX512F__)
typedef gfloat Lanes_64    LANES_VECTOR (64);
typedef gint   LaneBits_64 LANES_VECTOR (64);

#define LANES_BYTES      64
#define LANES_TARGET     __attribute__ ((target ("avx512f")))
#define LANES_NAME(name) name##_64
#define Lanes            Lanes_64
#define LaneBits         LaneBits_64
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
#undef LANES_NAME
#undef Lanes
#undef LaneBits
#endif

#if defined (LANES_AT_RUN_TIME)
#define LANES_BEST(name) (TESSERA_LANES >= 64 && __builtin_cpu_supports ("avx512f") ? name##_64 \
                          : TESSERA_LANES >= 32 && __builtin_cpu_supports ("avx2") ? name##_32 : name##_16)
#elif defined (__AVX512F__)
#define LANES_BEST(name) name##_64
#elif defined (__AVX2__)
#define LANES_BEST(name) name##_32
#else
#define LANES_BEST(name) name##_16
#endif
