/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Facts of frames, and the headers that have them. */
#include "fits.h"

void
frame_facts_copy (FrameFacts *copy, const FrameFacts *facts)
{
  *copy = *facts;
  if (copy->sky)
    g_ref_string_acquire (copy->sky);
}

void
frame_facts_clear (FrameFacts *facts)
{
  g_clear_pointer (&facts->sky, g_ref_string_release);
}

void
fits_header_clear (FitsHeader *header)
{
  g_free (header->date);
  g_free (header->object);
  frame_facts_clear (&header->facts);
  *header = (FitsHeader) { 0 };
}
