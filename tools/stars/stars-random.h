/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Random numbers that are the same on every machine.
 *
 * A stream is named by a seed, a purpose and a number.  No stream depends on how much another was used, so any frame can be made
 * alone.  The integers are splitmix64's.  What is made of them uses sums, products, quotients, square roots and tessera_exp alone,
 * which IEEE 754 rounds exactly.  So the numbers are equal to the last bit wherever a double is computed as a double
 * (FLT_EVAL_METHOD is 0) and products are not contracted; both hold for this project's builds on x86-64 and ARM64. */
#ifndef STARS_RANDOM_H
#define STARS_RANDOM_H

#include <glib.h>

typedef struct
{
  guint64  state;
  gboolean has_spare;
  gdouble  spare;               /* the polar method makes two normal numbers at a time */
} StarsRandom;

StarsRandom stars_random   (guint64 seed, guint purpose, guint number);
gdouble     stars_uniform  (StarsRandom *random);                /* 0 < u < 1 */
gdouble     stars_normal   (StarsRandom *random);                /* mean 0, variance 1 */
gdouble     stars_poisson  (StarsRandom *random, gdouble mean);  /* a whole number */
gdouble     stars_log      (gdouble x);                          /* natural, x > 0 */
gdouble     stars_phi      (gdouble z);                          /* the normal distribution up to z, within 1e-10 */

#endif
