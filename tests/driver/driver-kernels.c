/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that does nothing, as if a compiler had got it wrong, is found out by the engine's check at its first
 * use: each kernel that a filter runs with these settings. */
#include "driver-kernels.h"

#include "driver-walk.h"

static const struct { DriverCase c; const gchar *kernels[8]; } rows[] = {
  { { .name = "wide gaussian-blur", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=30 std-dev-y=20",
      .format = "RaGaBaA float", .width = 140, .height = 90 },
    { "gaussian_down", "gaussian_up_columns", "gaussian_up_rows", "separable_rows", "separable_columns", "tile_16" } },
  { { .name = "wide median-blur", .operation = "tessera:median-blur", .settings = "radius=12", .format = "R'G'B'A float",
      .width = 60, .height = 50 },
    { "median_keys", "median_search" } },
  { { .name = "dense bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", .format = "RGBA float",
      .width = 61, .height = 50, .measures = TRUE },
    { "grid_blur_xy", "grid_slice" } },
  { { .name = "sparse bilateral-grid", .operation = "tessera:bilateral-grid",
      .settings = "spatial-sigma=1 range-sigma=0.01 guide=channels tone=linear", .format = "RGBA float",
      .width = 30, .height = 36, .measures = TRUE },
    { "grid_sparse_build", "grid_sparse_slice" } },
  { { .name = "sobel", .operation = "tessera:sobel", .settings = "", .format = "RGBA float", .width = 61, .height = 50 },
    { "extend_pixels", "sobel_luminance" } }
};

void
kernels_walk (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      Walk walk;

      if (walk_init (&walk, &rows[i].c))
        for (guint k = 0; rows[i].kernels[k]; k++)
          {
            gchar *plan = g_strconcat ("skip ", rows[i].kernels[k], NULL);

            walk_lie (&walk, plan);
            g_free (plan);
          }
      else
        driver_verdict (FALSE, rows[i].c.name, "  does not run on the device in several bands\n");
      walk_clear (&walk);
    }
}
