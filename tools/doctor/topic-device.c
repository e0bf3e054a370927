/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Topics that run on the chosen device: builds and agreement, copies, speed.
 */
#include "doctor.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-5
#define SWITCH_OFF "Until then switch OpenCL off: TESSERA_OPENCL=off or GEGL_USE_OPENCL=no, and in GIMP's preferences."

static const gchar update[] = "Update the driver, or use another device. " SWITCH_OFF;

/* `first`: the first operation to look at. */
static Part *
run_on (Doctor *doctor, const gchar *name, const gchar *kind, guint first)
{
  g_autofree gchar *number = g_strdup_printf ("%u", first);
  g_autofree gchar *cache = g_strdup (g_getenv ("GEGL_CACHE_SIZE") ? g_getenv ("GEGL_CACHE_SIZE") : "1000");
  const gchar *environment[] = { "GEGL_USE_OPENCL", kind, "TESSERA_OPENCL", "", "TESSERA_DEBUG", "",
                                 "GEGL_CACHE_SIZE", cache, DOCTOR_FIRST, number, NULL };

  return part_run (doctor, name, environment);
}

static void
report_crash (Doctor *doctor, const Choice *choice, const Part *part)
{
  g_autofree gchar *accident = part_accident (part);

  if (accident)
    report_problem (doctor, part->end == PART_HUNG ? "driver-hang" : "driver-crash",
                    "Update or remove the driver's package, or hide it: OCL_ICD_VENDORS=FOLDER with the other .icd "
                    "files. " SWITCH_OFF, "With OpenCL on %s, the doctor's child %s.", choice->title, accident);
}

/* ----------------------------------------------- builds and agreement -- */

/* It did not run: what did the engine say? */
static void
report_failure (Doctor *doctor, const Choice *choice, const Part *part, const gchar *operation)
{
  const gchar *name = strchr (operation, ':') + 1;
  const gchar *said = part_error (part, "does not build", NULL);
  const gchar *otherwise = part_error (part, "does not compute as IEEE 754 asks", NULL);
  const gchar *failed = otherwise ? otherwise : part_error (part, "tessera:", name);

  doctor->device_failed = TRUE;
  if (said && strstr (said, "tessera: engine:"))
    report_problem (doctor, "build", update, "The engine's own OpenCL program does not build on %s, so no filter runs "
                    "there: %s", choice->title, said);
  else if (said && strstr (said, name))
    report_problem (doctor, "build", update, "The OpenCL program of %s does not build on %s: %s", name,
                    choice->title, said);
  else if (failed && (strstr (failed, "ALLOCATION") || strstr (failed, "OUT_OF_HOST_MEMORY")
                      || strstr (failed, "BUFFER_SIZE")))
    report_problem (doctor, "memory", "Close other programs that use the GPU; raise or unset TESSERA_MEMORY. Larger "
                    "images run in C meanwhile.", "%s has too little memory on %s: %s", name, choice->title, failed);
  else if (failed && (otherwise || strstr (failed, "computes other pixels than C")))
    report_problem (doctor, "wrong-pixels", update, "%s computes wrong pixels: the engine's first picture of %s differs from "
                    "C's, so it runs in C.", choice->title, name);
  else
    report_problem (doctor, "device-fails", update, "%s does not run on %s%s%s", name, choice->title,
                    failed ? ": " : ".", failed ? failed : "");
}

static void
report_agreement (Doctor *doctor, const Choice *choice, const Part *part, guint i)
{
  const gchar *operation = part_get (part, "f.%u.name", i);
  gdouble      worst = part_number (part, "f.%u.worst", i), failures = part_number (part, "f.%u.failures", i);

  report_fact (doctor, operation, "%.0f program%s built in %.0f ms; %.0f comparisons, worst difference %.2g of the "
               "largest value%s", part_number (part, "f.%u.builds", i),
               part_number (part, "f.%u.builds", i) == 1 ? "" : "s", part_number (part, "f.%u.build_ms", i),
               part_number (part, "f.%u.cases", i), worst,
               failures > 0 ? "; FAILED" : worst == 0 ? ": the same bits" : "");
  if (failures > 0)
    report_failure (doctor, choice, part, operation);
  else if (! (worst <= TOLERANCE))
    report_problem (doctor, "wrong-pixels", update, "%s computes wrong pixels: %s differs from C by %.2g of the "
                    "largest value, %.0e is allowed (%s).", choice->title, operation, worst, TOLERANCE,
                    part_get (part, "f.%u.where", i));
  else if (part_number (part, "f.%u.unrepeatable", i) > 0)
    report_problem (doctor, "unrepeatable", update, "%s answers differently each time: %s, in %.0f of %.0f pictures.",
                    choice->title, operation, part_number (part, "f.%u.unrepeatable", i),
                    part_number (part, "f.%u.cases", i));
}

/* Returns the operation after the last one that was begun. */
static guint
report_filters (Doctor *doctor, const Choice *choice, const Part *part, guint first)
{
  guint i;

  for (i = first; part_get (part, "f.%u.ran", i); i++)
    if (part_number (part, "f.%u.opencl", i) == 0)
      report_fact (doctor, part_get (part, "f.%u.name", i), "C only");
    else if (part_number (part, "f.%u.ran", i) == 0)
      report_failure (doctor, choice, part, part_get (part, "f.%u.name", i));
    else if (part_get (part, "f.%u.worst", i))
      report_agreement (doctor, choice, part, i);
  report_crash (doctor, choice, part);
  return part_get (part, "f.%u.name", i) ? i + 1 : MAX (i, first + 1);
}

/* A filter with which the driver crashes does not hide the others. */
void
topic_device (Doctor *doctor, Choice *choice, gchar **operations)
{
  guint    first = 0;
  gboolean well = TRUE, again = TRUE;

  if (! choice->kind || ! operations)
    return;
  report_topic (doctor, "Filters on this device, against C");
  while (again)
    {
      Part *part = run_on (doctor, "filters", choice->kind, first);

      first = report_filters (doctor, choice, part, first);
      well = well && part->end == PART_DONE;
      again = part->end == PART_CRASHED && first < g_strv_length (operations);
      part_free (part);
    }
  if (! well)
    choice->kind = NULL;                /* it will not do better below */
}

/* --------------------------------------------------------------- copies -- */

void
topic_transfer (Doctor *doctor, const Choice *choice)
{
  static const gchar *const names[] = { "upload, pinned", "upload, pageable", "download, pinned",
                                        "download, pageable", "on the device" };
  Part *part;

  if (! choice->kind)
    return;
  report_topic (doctor, "Copies");
  part = run_on (doctor, "transfer", choice->kind, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (part_get (part, "%s", names[i]))
      report_fact (doctor, names[i], "%.1f GB/s", part_number (part, "%s", names[i]));
  if (part_get (part, "no-memory"))
    report_problem (doctor, "memory", "Close other programs that use the GPU; or switch OpenCL off.",
                    "%s has no room for three blocks of %s.", choice->title, part_get (part, "no-memory"));
  else if (part_get (part, "error"))
    report_problem (doctor, "copy-fails", update, "Copies to and from %s fail: %s", choice->title,
                    part_get (part, "error"));
  else if (! choice->is_cpu && part_number (part, "upload, pinned") > 0
           && part_number (part, "upload, pinned") < 2.0)
    report_remark (doctor, "Copies to the device are slow: is the card in a slot with few lanes, or saving power?");
  report_crash (doctor, choice, part);
  part_free (part);
}

/* ---------------------------------------------------------------- speed -- */

static const gdouble sizes[] = { 0.06, 0.25, 1.0, 8.0 };

/* The size from which the device is faster: 0 always, INFINITY never; between two
 * sizes, where the ratio's logarithm is 0 on the line through both. */
static gdouble
crossing (const Part *in_c, const Part *device, const gchar *operation, gdouble *last)
{
  gdouble from = INFINITY, before = 0.0, before_size = 0.0;

  *last = 0.0;
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gdouble c = part_number (in_c, "s.%s.%g", operation, sizes[i]);
      gdouble d = part_number (device, "s.%s.%g", operation, sizes[i]);

      if (c <= 0 || d <= 0)
        continue;
      *last = c / d;
      if (c <= d)
        from = INFINITY;
      else if (from == INFINITY)
        from = before_size == 0.0 ? 0.0
               : before_size * pow (sizes[i] / before_size, -log (before) / (log (c / d) - log (before)));
      before = c / d;
      before_size = sizes[i];
    }
  return from;
}

/* Does TESSERA_OPENCL=auto take the device at the largest size measured? */
static gboolean
takes_device (const Part *device, const gchar *operation)
{
  const gchar *last = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (part_get (device, "a.%s.%g", operation, sizes[i]))
      last = part_get (device, "a.%s.%g", operation, sizes[i]);
  return last && g_str_equal (last, "OpenCL");
}

static void
report_verdict (Doctor *doctor, const Part *in_c, const Part *device, const gchar *operation)
{
  gdouble last, from = crossing (in_c, device, operation, &last);

  if (last <= 0)
    return;
  if (from == INFINITY)
    report_fact (doctor, strchr (operation, ':') + 1, "not worth it here: C is %.1f times faster; TESSERA_OPENCL=auto, "
                 "the default, %s", 1 / last, takes_device (device, operation)
                 ? "takes the device all the same: TESSERA_OPENCL=off helps" : "knows that");
  else if (from == 0)
    report_fact (doctor, strchr (operation, ':') + 1, "worth it at any size: up to %.1f times faster", last);
  else
    report_fact (doctor, strchr (operation, ':') + 1, "worth it from about %.2g Mpix on; at the largest size %.1f "
                 "times faster", from, last);
}

static void
report_row (const Part *in_c, const Part *device, const gchar *operation, gdouble size)
{
  gdouble      c = part_number (in_c, "s.%s.%g", operation, size);
  gdouble      d = device ? part_number (device, "s.%s.%g", operation, size) : -1;
  const gchar *automatic = device ? part_get (device, "a.%s.%g", operation, size) : NULL;

  if (c > 0 && d > 0)
    report_line ("%-26s %6g %12.1f %12.1f %14.2f   %s", operation, size, c, d, c / d, automatic ? automatic : "-");
  else if (c > 0)
    report_line ("%-26s %6g %12.1f%s", operation, size, c, d == 0 ? "       failed" : device ? " not measured" : "");
}

/* Where timing stopped, and why. */
static void
report_stop (Doctor *doctor, const Part *part, const gchar *where)
{
  g_autofree gchar *load = own_time_load ();

  if (part_get (part, "stopped") && part->busy)
    report_line ("Not measured %s, from %s on: this machine is busy, %s.", where, part_get (part, "stopped"), load);
  else if (part_get (part, "stopped"))
    report_line ("Not measured %s, from %s on: the %d s for it are over (--budget).", where, part_get (part, "stopped"),
                 doctor->budget);
}

static void
report_busy (Doctor *doctor)
{
  g_autofree gchar *load = own_time_load ();

  report_remark (doctor, "This machine is busy (%s): the times are too long. Look again when it is idle.", load);
}

void
topic_speed (Doctor *doctor, const Choice *choice, gchar **operations)
{
  Part *in_c, *device = NULL;

  if (! operations || (doctor->quick && ! choice->kind))
    return;
  report_topic (doctor, choice->kind ? "Is OpenCL worth it?" : "Times in C");
  in_c = run_on (doctor, "speed", "no", 0);
  if (choice->kind)
    device = run_on (doctor, "speed", choice->kind, 0);
  report_line ("%-26s %6s %12s%s", "filter", "Mpix", "C, ms",
               device ? "   OpenCL, ms   times faster   auto takes" : "");
  for (gint i = 0; operations[i]; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
      {
        report_row (in_c, device, operations[i], sizes[k]);
        if (device && ! doctor->device_failed
            && part_number (device, "s.%s.%g", operations[i], sizes[k]) == 0)
          report_failure (doctor, choice, device, operations[i]);
      }
  report_stop (doctor, in_c, "in C");
  if (device)
    report_stop (doctor, device, "on the device");
  if (in_c->busy || (device && device->busy))
    report_busy (doctor);
  for (gint i = 0; device && operations[i]; i++)
    report_verdict (doctor, in_c, device, operations[i]);
  if (device && choice->is_cpu)
    report_remark (doctor, "This device is the processor itself: C uses all its threads, too, and copies nothing.");
  if (device)
    report_crash (doctor, choice, device);
  if (device)
    part_free (device);
  part_free (in_c);
}
