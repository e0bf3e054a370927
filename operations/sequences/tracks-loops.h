/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loop of tracks.c, for lanes.h.
 */
#define WIDE (CHUNK / LANES_FLOATS < 4 ? CHUNK / LANES_FLOATS : 4)      /* sums that stay in registers */

/* All velocities for a chunk of pixels: sums over frames, in their order. */
static LANES_TARGET void
LANES_NAME (try_velocities) (const gfloat *const *rows, gint n_frames, gint n_velocities, gssize at, gfloat *best, gint *which)
{
  for (gint x = 0; x < CHUNK; x += WIDE * LANES_FLOATS)
    {
      const gssize here = at + x;
      Lanes        top[WIDE];
      LaneBits     of[WIDE];

      for (gint v = 0; v < WIDE; v++)
        {
          top[v] = *(const Lanes *) (best + x + v * LANES_FLOATS);
          of[v] = *(const LaneBits *) (which + x + v * LANES_FLOATS);
        }
      for (gint velocity = 0; velocity < n_velocities; velocity++)
        {
          const gfloat *const *frames = rows + (gsize) velocity * n_frames;
          Lanes                sums[WIDE] = { { 0.0f } };

          for (gint j = 0; j < n_frames; j++)
            for (gint v = 0; v < WIDE; v++)
              sums[v] += *(const Lanes *) (frames[j] + here + v * LANES_FLOATS);
          for (gint v = 0; v < WIDE; v++)
            {
              const LaneBits more = sums[v] > top[v];

              top[v] = (Lanes) ((more & (LaneBits) sums[v]) | (~more & (LaneBits) top[v]));
              of[v] = (more & velocity) | (~more & of[v]);
            }
        }
      for (gint v = 0; v < WIDE; v++)
        {
          *(Lanes *) (best + x + v * LANES_FLOATS) = top[v];
          *(LaneBits *) (which + x + v * LANES_FLOATS) = of[v];
        }
    }
}

#undef WIDE
