/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loops of tessera-mean-blur.c, for lanes.h.
 */

/* sums[i] += sums[i + step], in place, whole Lanes. */
static LANES_TARGET void
LANES_NAME (double_sums) (gfloat *sums, gsize step, gsize count)
{
  for (gsize i = 0; i < count; i += LANES_FLOATS)
    *(Lanes *) (sums + i) += *(const Lanes *) (sums + i + step);
}

/* out[i] = sums[i], and sums doubled, in one go. */
static LANES_TARGET void
LANES_NAME (first_sums) (gfloat *sums, gsize step, gsize count, gfloat *out, gsize wanted)
{
  gsize i;

  for (i = 0; i < wanted; i += LANES_FLOATS)
    {
      const Lanes here = *(const Lanes *) (sums + i);

      *(Lanes *) (out + i) = here;
      *(Lanes *) (sums + i) = here + *(const Lanes *) (sums + i + step);
    }
  if (count > i)
    LANES_NAME (double_sums) (sums + i, step, count - i);
}

static LANES_TARGET void
LANES_NAME (add_sums) (const gfloat *sums, gfloat *out, gsize count, gfloat scale)
{
  for (gsize i = 0; i < count; i += LANES_FLOATS)
    *(Lanes *) (out + i) = (*(const Lanes *) (out + i) + *(const Lanes *) (sums + i)) * scale;
}

/* out[i] = scale * (in[i] + in[i + step] + .. n terms), i < count.  `in` has count + (n - 1) step floats and room
 * for a vector more; it is overwritten. n is odd. */
static LANES_TARGET void
LANES_NAME (sum_line) (gfloat *in, gsize step, gint n, gfloat *out, gsize count, gfloat scale)
{
  gsize place = step;           /* of the next digit's sum */

  if (n == 1)
    {
      memcpy (out, in, count * sizeof (gfloat));
      return;
    }
  LANES_NAME (first_sums) (in, step, count + (n - 2) * step, out, count);
  for (gint k = 2; k <= n; k *= 2)
    {
      if (n & k)
        {
          LANES_NAME (add_sums) (in + place, out, count, 2 * k > n ? scale : 1.0f);
          place += k * step;
        }
      if (2 * k <= n)
        LANES_NAME (double_sums) (in, k * step, count + (n - 2 * k) * step);
    }
}
