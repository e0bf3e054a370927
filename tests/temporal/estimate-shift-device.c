/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:estimate-shift on the device, and after any failure of it: the bits of C. */
#include "estimate-shift-graph.h"

#include <math.h>

#include "../engine/each-fault.h"
#include "../engine/verdict.h"

/* One is hot, in the last row. */
static void
spoil (GeglBuffer *buffer)
{
  const GeglRectangle *box = gegl_buffer_get_extent (buffer);
  const gfloat hard[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0.9f, 1e-41f };

  for (gint i = 0; i < 40; i++)
    {
      const GeglRectangle one = { gegl_buffer_get_x (buffer) + i * 37 % gegl_buffer_get_width (buffer),
                                  gegl_buffer_get_y (buffer) + i * 59 % gegl_buffer_get_height (buffer), 1, 1 };

      gegl_buffer_set (buffer, &one, 0, babl_format ("Y float"), &hard[i % G_N_ELEMENTS (hard)], GEGL_AUTO_ROWSTRIDE);
    }
  gegl_buffer_set (buffer, GEGL_RECTANGLE (box->x + box->width / 2, box->y + box->height - 1, 1, 1), 0, babl_format ("Y float"), &hard[5], GEGL_AUTO_ROWSTRIDE);
}

static const gint sizes[][2] = { { 200, 120 }, { 63, 65 }, { 129, 33 }, { 5, 5 }, { 1, 40 }, { 64, 16 }, { 90, 7 } };
static const gint small_sizes[][2] = { { 37, 21 }, { 67, 18 } };

static void
check_device (const gint sizes[][2], gsize n_sizes)
{
  static const Settings all[] = { { "pyramid", 64, 0, TRUE }, { "single", 0, 0, TRUE }, { "iterated", 0, 9000, FALSE }, { "pyramid", 3, 60000, FALSE } };

  for (gsize k = 0; k < n_sizes; k++)
    for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
      {
        StarsField     *field = field_of ("ACDB"[i], 20 + k, sizes[k][0], sizes[k][1]);
        GeglBuffer     *a = buffer_of (field, 0, i % 2 ? "Y float" : "Y' u16", 0, 0), *b = buffer_of (field, 1 + k % 2, i % 2 ? "Y float" : "Y' u16", 0, 0);
        gchar          *what = g_strdup_printf ("%dx%d, %s, C and the device", sizes[k][0], sizes[k][1], all[i].method);
        TesseraCounters before, after;
        Answer          in_c, on_device;

        if (i % 2)
          {
            spoil (a);
            spoil (b);
          }
        in_c = ask (b, a, &all[i], TESSERA_OPENCL_OFF, NULL);
        tessera_get_counters (&before);
        on_device = ask (b, a, &all[i], TESSERA_OPENCL_FORCE, NULL);
        tessera_get_counters (&after);
        expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks, "%s: it ran on the device", what);
        expect_same (&in_c, &on_device, what);
        g_free (in_c.reason);
        g_free (what);
        g_object_unref (b);
        g_object_unref (a);
        stars_field_free (field);
      }
}

/* Steep pixels are taken if there are 64 or more: frames that have few more than these. */
static void
check_few_steep (void)
{
  gint few = 0;

  for (gint k = 0; k < 10; k++)
    {
      StarsField *field = field_of ('A', 46 + k, 44 + 3 * k, 42 + 2 * k);
      GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0);
      Answer      in_c = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL), on_device = ask (b, a, &defaults, TESSERA_OPENCL_FORCE, NULL);

      few += in_c.pixels >= 64 && in_c.pixels < 128;
      expect_same (&in_c, &on_device, "few steep pixels, C and the device");
      g_free (in_c.reason);
      g_object_unref (b);
      g_object_unref (a);
      stars_field_free (field);
    }
  expect (few >= 3, "%d frames have few steep pixels", few);
}

/* With the check that other programs have: the device is found to compute what C does, and is used. */
static void
check_proof (void)
{
  StarsField     *field = field_of ('A', 15, 128, 100);
  GeglBuffer     *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0);
  TesseraCounters before, after;
  Answer          in_c = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL), on_device;

  tessera_get_counters (&before);
  on_device = ask (b, a, &defaults, TESSERA_OPENCL_TRY, NULL);
  tessera_get_counters (&after);
  expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks, "the check trusts the device");
  expect_same (&in_c, &on_device, "after the check");
  g_free (in_c.reason);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

typedef struct
{
  GeglBuffer *a, *b;
  Answer      in_c;
} Faulty;

static void
ask_under (const gchar *fault, gpointer data)
{
  Faulty *faulty = data;
  Answer  other = ask (faulty->b, faulty->a, &defaults, TESSERA_OPENCL_TRY, NULL);

  expect_same (&faulty->in_c, &other, fault);
}

/* C answers instead, and nothing is left behind.  The calls that fail lie ever farther apart, because there are many. */
static void
check_faults (void)
{
  StarsField *field = field_of ('A', 16, 70, 66);
  Faulty      faulty = { .a = buffer_of (field, 0, "Y' u16", 0, 0), .b = buffer_of (field, 1, "Y' u16", 0, 0) };

  faulty.in_c = ask (faulty.b, faulty.a, &defaults, TESSERA_OPENCL_OFF, NULL);
  ask_under ("before all faults", &faulty);
  each_fault (TRUE, ask_under, &faulty);
  g_free (faulty.in_c.reason);
  g_object_unref (faulty.b);
  g_object_unref (faulty.a);
  stars_field_free (field);
}

void
test_small (void)
{
  tessera_set_proof (FALSE);
  tessera_set_tight_memory (TRUE);
  check_device (small_sizes, G_N_ELEMENTS (small_sizes));
}

void
test_device (void)
{
  check_proof ();
  tessera_set_proof (FALSE);
  check_device (sizes, G_N_ELEMENTS (sizes));
  check_few_steep ();
  check_faults ();
}
