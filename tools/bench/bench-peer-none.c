/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The bench without OpenCV. */
#include "bench.h"

const gchar *
bench_opencv_name (void)
{
  return NULL;
}

gdouble
bench_opencv_run (const gchar *what G_GNUC_UNUSED, const gfloat *pixels G_GNUC_UNUSED, gint width G_GNUC_UNUSED,
                  gint height G_GNUC_UNUSED, gint threads G_GNUC_UNUSED)
{
  return -1;
}
