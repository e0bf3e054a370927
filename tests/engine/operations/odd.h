/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the operations of this folder have in common: output = input, in C. */
#include "tessera-op.h"

static void
odd_block (const TesseraRequest *request G_GNUC_UNUSED, const TesseraBlock *block)
{
  for (gint y = 0; y < block->roi.height; y++)
    for (gint i = 0; i < 4 * block->roi.width; i++)
      block->out[y * block->out_stride + i] = block->in[y * block->in_stride + i];
}

static const TesseraFilter odd_filter = { .name = "odd", .block = odd_block };

#define ODD(of_name, ...) { .name = of_name, .title = "Odd", .categories = "hidden", .description = "For a test", \
                            .filter = &odd_filter, .working = "RGBA float", .halo = { __VA_ARGS__ } }
