/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A steady load makes nothing: no memory, no program, no queue, no kernel. */
#include "accounting.h"

#define REQUESTS 1000
#define FEW      50             /* where a request takes long */
#define LONG     100            /* nanoseconds a pixel */
#define WARM_UP  5

typedef void (*RunOne) (const Picture *picture, gpointer scratch);

static void
into_memory (const Picture *picture, gpointer scratch)
{
  picture_blit (picture, scratch);
}

/* In pieces, into u8, which the engine makes. */
static void
into_buffer (const Picture *picture, gpointer scratch)
{
  const GeglRectangle box = { 0, 0, picture->width, picture->height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B'A u8"));
  GeglNode           *sink = gegl_node_new_child (picture->graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  GeglProcessor      *processor;

  (void) scratch;
  gegl_node_link (picture->node, sink);
  processor = gegl_node_new_processor (sink, &box);
  while (gegl_processor_work (processor, NULL));
  g_object_unref (processor);
  gegl_node_remove_child (picture->graph, sink);
  g_object_unref (buffer);
}

/* The pictures in turn. */
static void
check_steady (const Case *cases, guint n, RunOne run_one, const gchar *what)
{
  gchar          *name = case_name (cases);
  Picture         pictures[8];
  TesseraCounters before, after;
  const guint     requests = cases->setting->cost > LONG ? FEW : REQUESTS;
  gsize           most = 0;
  gpointer        scratch;

  for (guint i = 0; i < n; i++)
    {
      picture_init (&pictures[i], &cases[i]);
      most = MAX (most, picture_bytes (&pictures[i]));
    }
  scratch = g_malloc (most);
  tessera_trim ();
  for (guint i = 0; i < WARM_UP * n; i++)
    run_one (&pictures[i % n], scratch);
  tessera_get_counters (&before);
  for (guint i = 0; i < requests; i++)
    run_one (&pictures[i % n], scratch);
  tessera_get_counters (&after);
  expect (after.allocations == before.allocations && after.builds == before.builds
          && after.objects_created == before.objects_created && after.live_objects == before.live_objects,
          "%s, %s: %u requests made %" G_GUINT64_FORMAT " allocations, %" G_GUINT64_FORMAT " builds, %" G_GUINT64_FORMAT
          " objects; %" G_GUINT64_FORMAT " objects more are alive", name, what, requests,
          after.allocations - before.allocations, after.builds - before.builds,
          after.objects_created - before.objects_created, after.live_objects - before.live_objects);
  expect (after.device_requests - before.device_requests >= requests && after.c_requests == before.c_requests,
          "%s, %s: %" G_GUINT64_FORMAT " on the device, %" G_GUINT64_FORMAT " in C", name, what,
          after.device_requests - before.device_requests, after.c_requests - before.c_requests);
  for (guint i = 0; i < n; i++)
    picture_clear (&pictures[i]);
  g_free (scratch);
  g_free (name);
}

void
accounting_steady (const Setting *settings, guint n)
{
  static const gint widths[] = { 64, 150, 97, 128, 31 }, heights[] = { 48, 100, 131, 40, 57 };

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  for (guint i = 0; i < n; i++)
    {
      Case same = { &settings[i], NULL, 96, 64 }, u8 = { &settings[i], "R'G'B'A u8", 96, 64 };
      Case turns[G_N_ELEMENTS (widths)];

      if (i > 0 && strcmp (settings[i].operation, settings[i - 1].operation) == 0 && ! settings[i].has_aux)
        continue;                       /* one of each filter, and one with aux */
      for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
        turns[k] = (Case) { &settings[i], NULL, widths[k], heights[k] };
      check_steady (&same, 1, into_memory, "again and again");
      check_steady (turns, G_N_ELEMENTS (turns), into_memory, "five sizes in turn");
      tessera_set_delivery (TRUE);
      check_steady (&u8, 1, into_buffer, "into gegl:write-buffer");
      tessera_set_delivery (FALSE);
    }
}
