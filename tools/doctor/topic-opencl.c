/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Topic: the OpenCL loader, drivers, devices, and which one GEGL takes.
 */
#include "doctor.h"
#include "hardware.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_CPU 2
#define TYPE_GPU 4
#define TYPE_ACCELERATOR 8
#define FP_DENORMALS 1
#define FP_ROUNDED_DIVIDE 128

/* ------------------------------------------------------------- drivers -- */

static void
report_driver (Doctor *doctor, const Icd *icd, const gchar *answer, gboolean crashed)
{
  const gchar *where = icd->file ? icd->file : "the environment";
  const gchar *package = icd_package (icd);
  g_autofree gchar *remedy = NULL;

  report_line ("%s: %s: %s", where, icd->library, crashed ? "CRASHES OR HANGS" : answer ? answer : "not tried");
  if (crashed || ! answer || g_str_equal (answer, "opens"))
    return;
  remedy = g_strdup_printf ("%s%s%s Or remove %s if the driver is gone for good.",
                            strstr (answer, icd->library) ? "Install the driver's package anew"
                                                          : "Install what the driver lacks",
                            package ? ": apt-get install --reinstall " : "",
                            package ? package : ".", where);
  report_problem (doctor, "icd-library", remedy, "%s names the OpenCL driver %s, which does not open: %s",
                  where, *icd->library ? icd->library : "(nothing)", answer);
}

static void
report_drivers (Doctor *doctor)
{
  g_autofree gchar *origin = NULL, *accident = NULL;
  g_autoptr (GPtrArray) list = icd_list (&origin);
  Part      *part = part_run (doctor, "icds", NULL);
  guint      answered = 0;

  report_fact (doctor, "drivers named in", "%s: %u", origin, list->len);
  for (guint i = 0; i < list->len; i++)
    {
      const gchar *answer = part_get (part, "icd.%u", i);
      gboolean     crashed = ! answer && i == answered && part->end != PART_DONE;

      answered += answer != NULL;
      report_driver (doctor, g_ptr_array_index (list, i), answer, crashed);
    }
  if ((accident = part_accident (part)))
    report_problem (doctor, "driver-crash",
                    "Remove or update that driver's package, or set OCL_ICD_VENDORS to a folder with the other "
                    ".icd files only.", "Opening the OpenCL drivers one by one, the doctor's child %s.", accident);
  part_free (part);
}

/* The listing crashed or hung: with which driver alone does it so, too? */
static void
find_culprit (Doctor *doctor, const gchar *accident)
{
  g_autofree gchar *origin = NULL, *remedy = NULL;
  g_autoptr (GPtrArray) list = icd_list (&origin);
  g_autoptr (GString) culprits = g_string_new (NULL);
  g_autofree gchar *folder = g_build_filename (doctor->folder, "one", NULL);
  g_autofree gchar *file = g_build_filename (folder, "one.icd", NULL);

  g_mkdir_with_parents (folder, 0700);
  for (guint i = 0; i < list->len; i++)
    {
      const Icd   *icd = g_ptr_array_index (list, i);
      const gchar *environment[] = { "OCL_ICD_VENDORS", folder, "OCL_ICD_FILENAMES", "", NULL };
      Part        *part;

      g_file_set_contents (file, icd->library, -1, NULL);
      part = part_run (doctor, "list", environment);
      if (part->end != PART_DONE)
        g_string_append_printf (culprits, "%s%s%s%s", culprits->len ? ", " : "", icd->library,
                                icd_package (icd) ? ", package " : "", icd_package (icd) ? icd_package (icd) : "");
      part_free (part);
    }
  g_remove (file);
  g_rmdir (folder);
  remedy = g_strdup_printf ("Remove or update the driver%s%s, or set OCL_ICD_VENDORS to a folder with the other .icd "
                            "files only; until then GEGL_USE_OPENCL=no, and OpenCL off in GIMP's preferences.",
                            culprits->len ? " " : "", culprits->str);
  report_problem (doctor, "driver-crash", remedy, "The OpenCL driver %s.", accident);
}

/* ------------------------------------------------------------- devices -- */

static const gchar *
type_name (gint type)
{
  return type & TYPE_GPU ? "GPU" : type & TYPE_CPU ? "CPU" : type & TYPE_ACCELERATOR ? "accelerator" : "other";
}

static const gchar *
yes (gboolean is)
{
  return is ? "yes" : "no";
}

static void
check_device (Doctor *doctor, const Part *list, guint i)
{
  const gchar *title = part_get (list, "d.%u.title", i), *version = part_get (list, "d.%u.version", i);
  gint         major = 0, minor = 0;

  if (version && g_str_has_prefix (version, "OpenCL "))
    {
      gchar *rest;

      major = strtol (version + 7, &rest, 10);
      minor = *rest == '.' ? atoi (rest + 1) : 0;
    }
  if (major < 1 || (major == 1 && minor < 2))
    report_problem (doctor, "old-opencl", "Update the driver, or use another device.",
                    "%s says its version is \"%s\"; Tessera needs OpenCL 1.2.", title, version ? version : "");
  if (part_number (list, "d.%u.compiler", i) == 0)
    report_problem (doctor, "no-compiler", "Install the driver's compiler package, or use another device.",
                    "%s has no compiler, so Tessera cannot use it.", title);
  if (part_number (list, "d.%u.available", i) == 0)
    report_problem (doctor, "unavailable", "Look at the system's log for the device; restart the machine.",
                    "%s is not available.", title);
  if ((part_number (list, "d.%u.little", i) == 1) != (G_BYTE_ORDER == G_LITTLE_ENDIAN))
    report_remark (doctor, "%s has another byte order than the host: the filters run in C.", title);
  if (part_number (list, "d.%u.images", i) == 0)
    report_remark (doctor, "%s has no image support: GEGL passes it over.", title);
  if (part_number (list, "d.%u.memory", i) < 256 * 1048576.0)
    report_problem (doctor, "little-memory", "Switch OpenCL off: GEGL_USE_OPENCL=no, and in GIMP's preferences. "
                    "On an integrated GPU its share of memory can be raised in the firmware's setup.",
                    "%s has %.0f MiB of memory: too little.", title, part_number (list, "d.%u.memory", i) / 1048576.0);
}

static void
report_device (Doctor *doctor, const Part *list, guint i)
{
  gint   fp = (gint) part_number (list, "d.%u.fp", i);
  gchar *label = g_strdup_printf ("device %u", i + 1);

  report_fact (doctor, label, "%s", part_get (list, "d.%u.title", i));
  g_free (label);
  report_line ("  %s, %s; driver %s; %s, %s",
               type_name ((gint) part_number (list, "d.%u.type", i)), part_get (list, "d.%u.vendor", i),
               part_get (list, "d.%u.driver", i), part_get (list, "d.%u.version", i), part_get (list, "d.%u.c", i));
  report_line ("  %.0f compute units, %.0f MHz; memory %.0f MiB%s, largest allocation %.0f MiB, local memory %.0f KiB",
               part_number (list, "d.%u.units", i), part_number (list, "d.%u.mhz", i),
               part_number (list, "d.%u.memory", i) / 1048576,
               part_number (list, "d.%u.unified", i) == 1 ? " (shared with the host)" : "",
               part_number (list, "d.%u.allocation", i) / 1048576, part_number (list, "d.%u.local", i) / 1024);
  report_line ("  images %s, compiler %s, denormals %s, correctly rounded division %s, %s-endian",
               yes (part_number (list, "d.%u.images", i) == 1), yes (part_number (list, "d.%u.compiler", i) == 1),
               yes (fp >= 0 && fp & FP_DENORMALS), yes (fp >= 0 && fp & FP_ROUNDED_DIVIDE),
               part_number (list, "d.%u.little", i) == 1 ? "little" : "big");
  check_device (doctor, list, i);
}

static Part *
report_devices (Doctor *doctor)
{
  Part        *list = part_run (doctor, "list", NULL);
  g_autofree gchar *accident = part_accident (list);
  const gchar *loader = part_get (list, "loader");

  if (part_get (list, "missing"))
    report_fact (doctor, "loader", "none: %s", part_get (list, "missing"));
  else if (loader)
    report_fact (doctor, "loader", "%s%s", loader, part_number (list, "v3") == 1 ? ""
                 : ", without the entry points of OpenCL 3.0: GEGL after 0.4.62 does not use it");
  report_fact (doctor, "platforms", "%.0f", MAX (part_number (list, "platforms"), 0));
  for (guint i = 0; part_get (list, "d.%u.fp", i); i++)
    report_device (doctor, list, i);
  if (accident)
    find_culprit (doctor, accident);
  if (part_error (list, "Not enough memory to run on this device", NULL))
    report_problem (doctor, "pocl-sys", "In a chroot or container mount /sys (mount --rbind /sys ROOT/sys).",
                    "PoCL finds no memory (\"Not enough memory to run on this device\"): it reads /sys.");
  return list;
}

/* -------------------------------------------------------------- choice -- */

static void
report_no_device (Doctor *doctor, const Part *list, const gchar *wish, const Hardware *hardware)
{
  g_autofree gchar *packages = hardware_packages (hardware), *remedy = NULL;
  gboolean usable_cpu = part_get (list, "pick.cpu") != NULL;

  if (part_get (list, "missing"))
    remedy = g_strdup_printf ("Install the loader and a driver: apt-get install ocl-icd-libopencl1 and %s. "
                              "Or leave OpenCL off: unset GEGL_USE_OPENCL.", packages);
  else
    remedy = g_strdup_printf ("Install a driver: %s; or %sunset GEGL_USE_OPENCL: everything runs in C.", packages,
                              usable_cpu ? "GEGL_USE_OPENCL=cpu for the processor (tests); or " : "");
  report_problem (doctor, "no-device", remedy, "OpenCL was asked for (GEGL_USE_OPENCL=%s), but %s.", wish,
                  part_get (list, "missing") ? "there is no OpenCL loader (libOpenCL.so.1)"
                  : part_number (list, "devices") <= 0 ? "no driver offers a device"
                  : "there is no device of that kind (yes means a GPU)");
}

static void
report_hardware (Doctor *doctor, const Part *list, const Hardware *hardware)
{
  g_autofree gchar *packages = hardware_packages (hardware);

  report_fact (doctor, "graphics seen", "%s", hardware->vendors->len ? hardware->vendors->str : "none");
  if (hardware->refused->len > 0 && ! part_get (list, "pick.gpu"))
    report_problem (doctor, "permission", "Add the user to the groups render and video (usermod -aG render,video "
                    "USER), then log in again.", "This user may not open %s.", hardware->refused->str);
  else if (hardware->vendors->len > 0 && ! part_get (list, "pick.gpu"))
    report_remark (doctor, "The system shows a GPU (%s), but OpenCL does not: to use it, install %s.",
                   hardware->vendors->str, packages);
  else if (part_number (list, "devices") <= 0)
    report_remark (doctor, "No OpenCL device. To use one, install its driver: %s.", packages);
}

/* Does GEGL take the device that it should? */
static void
report_start (Doctor *doctor, Choice *choice)
{
  const gchar *environment[] = { "GEGL_USE_OPENCL", choice->kind, "TESSERA_FAULT", "", NULL };
  Part        *start = part_run (doctor, "start", environment);
  g_autofree gchar *accident = part_accident (start);
  const gchar *device = part_get (start, "device");
  const gchar *said = part_error (start, NULL, NULL);

  if (accident)
    report_problem (doctor, "start-crash", "Update or remove the driver, or hide it with OCL_ICD_VENDORS; until then "
                    "GEGL_USE_OPENCL=no, and OpenCL off in GIMP's preferences.",
                    "With OpenCL on %s, GEGL %s.", choice->title, accident);
  else if (! device || ! *device)
    report_problem (doctor, "gegl-refuses", "Update the driver; until then GEGL_USE_OPENCL=no.",
                    "There is %s, but GEGL or Tessera does not take it%s%s", choice->title, said ? ": " : ".",
                    said ? said : "");
  else
    {
      report_fact (doctor, "engine runs on", "%s; GEGL with OpenCL starts in %.0f ms", device,
                   part_number (start, "ms"));
      g_free (choice->title);
      choice->title = g_strdup (device);
    }
  if (accident || ! device || ! *device)
    choice->kind = NULL;
  part_free (start);
}

static void
choose (Doctor *doctor, const Part *list, const Hardware *hardware, Choice *choice)
{
  static const gchar *const kinds[] = { "gpu", "cpu", "accelerator" };
  const gchar *wish = g_getenv ("GEGL_USE_OPENCL"), *wanted = NULL;

  for (gsize i = 0; wish && i < G_N_ELEMENTS (kinds); i++)
    if (g_ascii_strcasecmp (wish, kinds[i]) == 0)
      wanted = kinds[i];
  if (wish && g_ascii_strcasecmp (wish, "yes") == 0)
    wanted = "gpu";
  choice->asked = wanted != NULL;
  if (wish && g_ascii_strcasecmp (wish, "no") == 0)
    {
      report_fact (doctor, "GEGL takes", "none: GEGL_USE_OPENCL=no; unset it to have a device examined");
      return;
    }
  for (gsize i = 0; ! choice->kind && i < (wanted ? 1 : G_N_ELEMENTS (kinds)); i++)
    {
      const gchar *kind = wanted ? wanted : kinds[i], *title = part_get (list, "pick.%s", kind);

      if (title && ! g_str_equal (title, "images"))
        {
          choice->kind = kind;
          choice->title = g_strdup (title);
          choice->is_cpu = g_str_equal (kind, "cpu");
        }
    }
  if (choice->kind)
    report_fact (doctor, "GEGL takes", "%s: the first %s of the first platform whose first one has image support",
                 choice->title, choice->is_cpu ? "CPU" : g_str_equal (choice->kind, "gpu") ? "GPU" : choice->kind);
  else
    report_fact (doctor, "GEGL takes", "none");
  if (! choice->kind && wanted)
    report_no_device (doctor, list, wish, hardware);
}

void
topic_opencl (Doctor *doctor, Choice *choice)
{
  Hardware hardware;
  Part    *list;

  report_topic (doctor, "OpenCL");
  hardware_look (&hardware);
  report_drivers (doctor);
  list = report_devices (doctor);
  report_hardware (doctor, list, &hardware);
  choose (doctor, list, &hardware, choice);
  if (choice->kind)
    report_start (doctor, choice);
  if (! choice->kind && doctor->problems->len == 0)
    report_line ("Everything runs in C, which is fine.");
  if (! choice->asked && choice->kind)
    report_remark (doctor, "GEGL_USE_OPENCL %s: the gegl command uses no OpenCL; GIMP does if its preference is "
                   "on%s.", g_getenv ("GEGL_USE_OPENCL") ? "names no device" : "is not set", choice->is_cpu ? ", but only on a GPU, which is not here; below, OpenCL "
                   "on the processor is examined" : "");
  hardware_clear (&hardware);
  part_free (list);
}
