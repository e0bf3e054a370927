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

#define LANES_PASTE(name, bytes)  name##_##bytes
#define LANES_OF(name, bytes)     LANES_PASTE (name, bytes)
#define LANES_NAME(name)          LANES_OF (name, LANES_BYTES)
#define LANES_FLOATS              (LANES_BYTES / 4)
#define LANES_VECTOR              __attribute__ ((vector_size (LANES_BYTES), aligned (4), may_alias))
#define Lanes                     LANES_NAME (Lanes)
#define LaneBits                  LANES_NAME (LaneBits)

#if defined (__x86_64__) && ! defined (TESSERA_NO_CLONES)
#define LANES_AT_RUN_TIME
#endif

#if defined (LANES_AT_RUN_TIME) || ! (defined (__AVX2__) || defined (__AVX512F__))
#define LANES_BYTES  16
#define LANES_TARGET
typedef gfloat Lanes    LANES_VECTOR;
typedef gint   LaneBits LANES_VECTOR;
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
#endif

#if defined (LANES_AT_RUN_TIME) || (defined (__AVX2__) && ! defined (__AVX512F__))
#define LANES_BYTES  32
#define LANES_TARGET __attribute__ ((target ("avx2")))
typedef gfloat Lanes    LANES_VECTOR;
typedef gint   LaneBits LANES_VECTOR;
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
#endif

#if defined (LANES_AT_RUN_TIME) || defined (__AVX512F__)
#define LANES_BYTES  64
#define LANES_TARGET __attribute__ ((target ("avx512f")))
typedef gfloat Lanes    LANES_VECTOR;
typedef gint   LaneBits LANES_VECTOR;
#include LANES_LOOPS
#undef LANES_BYTES
#undef LANES_TARGET
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
