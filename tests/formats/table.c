/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The results as a markdown table. */
#include "formats.h"

#include <stdio.h>

static const gchar *const types[] = { "u8", "u16", "half", "float" };

void
formats_table_head (void)
{
  printf ("| from | to | pixels | unit | device-babl | components unlike babl | device-formula | babl-formula | "
          "babl wrong | allowed | of it used | device-C | components unlike C | failed |\n"
          "|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
}

void
formats_table_row (const FormatsConversion *conversion, gsize n, const FormatsStats *stats)
{
  const FormatsKind *from = conversion->from, *to = conversion->to;

  printf ("| %s %s | %s %s | %" G_GSIZE_FORMAT " | %s | %.3g | %" G_GUINT64_FORMAT " | %.3g | %.3g | %" G_GUINT64_FORMAT
          " | ", from->model, types[from->type], to->model, types[to->type], n,
          to->type == TYPE_FLOAT ? "ulp" : "code", stats->device_babl, stats->not_babl, stats->device_formula,
          stats->babl_formula, stats->babl_wrong);
  if (formats_is_exact (conversion))
    printf ("rounded once | ");
  else
    printf ("%.3g | ", stats->allowed);
  printf ("%.2f | %.3g | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " |\n",
          stats->share, stats->c_device, stats->c_differs, stats->failed);
}
