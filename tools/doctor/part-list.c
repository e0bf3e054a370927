/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The part that lists platforms and devices.
 */
#include "cl-open.h"
#include "doctor.h"

static guint n_devices;                 /* said so far */

static void
say_key (const gchar *key, guint i, const gchar *name, const gchar *text)
{
  g_autofree gchar *full = g_strdup_printf ("%s.%u.%s", key, i, name);

  say (full, "%s", text);
}

static void
say_number (const DoctorCl *cl, cl_device_id device, guint i, const gchar *name, cl_device_info info, gsize bytes)
{
  union { cl_ulong l; cl_uint i; } value = { 0 };
  g_autofree gchar *text = NULL;
  cl_int   status = cl->GetDeviceInfo (device, info, bytes, &value, NULL);

  text = status == CL_SUCCESS
           ? g_strdup_printf ("%" G_GUINT64_FORMAT, bytes == 8 ? (guint64) value.l : (guint64) value.i)
           : g_strdup ("-1");
  say_key ("d", i, name, text);
}

static void
say_device (const DoctorCl *cl, cl_device_id device, guint platform, const gchar *platform_name)
{
  static const struct { const gchar *name; cl_device_info info; } texts[] = {
    { "name", CL_DEVICE_NAME }, { "vendor", CL_DEVICE_VENDOR }, { "driver", CL_DRIVER_VERSION },
    { "version", CL_DEVICE_VERSION }, { "c", CL_DEVICE_OPENCL_C_VERSION }
  };
  static const struct { const gchar *name; cl_device_info info; gsize bytes; } numbers[] = {
    { "type", CL_DEVICE_TYPE, 8 }, { "units", CL_DEVICE_MAX_COMPUTE_UNITS, 4 },
    { "mhz", CL_DEVICE_MAX_CLOCK_FREQUENCY, 4 },
    { "memory", CL_DEVICE_GLOBAL_MEM_SIZE, 8 }, { "allocation", CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8 },
    { "local", CL_DEVICE_LOCAL_MEM_SIZE, 8 }, { "images", CL_DEVICE_IMAGE_SUPPORT, 4 },
    { "compiler", CL_DEVICE_COMPILER_AVAILABLE, 4 }, { "little", CL_DEVICE_ENDIAN_LITTLE, 4 },
    { "available", CL_DEVICE_AVAILABLE, 4 }, { "unified", CL_DEVICE_HOST_UNIFIED_MEMORY, 4 },
    { "fp", CL_DEVICE_SINGLE_FP_CONFIG, 8 }
  };
  guint  i = n_devices++;
  g_autofree gchar *name = doctor_cl_text (cl, device, CL_DEVICE_NAME);
  g_autofree gchar *title = g_strdup_printf ("%s (%s)", name, platform_name);
  g_autofree gchar *number = g_strdup_printf ("%u", platform);

  say_doing ("asking device %u (%s) for its properties", i, title);
  say_key ("d", i, "title", title);
  say_key ("d", i, "platform", number);
  for (gsize k = 0; k < G_N_ELEMENTS (texts); k++)
    {
      g_autofree gchar *text = doctor_cl_text (cl, device, texts[k].info);

      say_key ("d", i, texts[k].name, text);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
    say_number (cl, device, i, numbers[k].name, numbers[k].info, numbers[k].bytes);
}

static void
say_platform (const DoctorCl *cl, cl_platform_id platform, guint i)
{
  gchar        name[256] = "", version[256] = "", vendor[256] = "";
  cl_device_id devices[64];
  cl_uint      n = 0;
  cl_int       status;

  cl->GetPlatformInfo (platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
  cl->GetPlatformInfo (platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
  cl->GetPlatformInfo (platform, CL_PLATFORM_VENDOR, sizeof vendor - 1, vendor, NULL);
  say_key ("p", i, "name", name);
  say_key ("p", i, "version", version);
  say_key ("p", i, "vendor", vendor);
  say_doing ("asking platform %s for its devices", name);
  status = cl->GetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, G_N_ELEMENTS (devices), devices, &n);
  n = status == CL_SUCCESS ? MIN (n, G_N_ELEMENTS (devices)) : 0;
  for (cl_uint k = 0; k < n; k++)
    say_device (cl, devices[k], i, name);
}

/* Which device GEGL takes for each kind, by name; "images": it lacks image support. */
static void
say_picks (const DoctorCl *cl)
{
  static const gchar *const kinds[] = { "gpu", "cpu", "accelerator" };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      gboolean     images;
      cl_device_id device = doctor_cl_pick (cl, doctor_cl_type (kinds[i]), &images);
      g_autofree gchar *key = g_strdup_printf ("pick.%s", kinds[i]), *text = NULL;
      gchar        platform_name[128] = "";
      cl_platform_id platform = NULL;

      if (device)
        {
          text = doctor_cl_text (cl, device, CL_DEVICE_NAME);
          cl->GetDeviceInfo (device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
          if (platform)
            cl->GetPlatformInfo (platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
          say (key, "%s (%s)", text, platform_name);
        }
      else if (! images)
        say (key, "images");
    }
}

gint
run_part_list (void)
{
  DoctorCl       cl = { .loader = NULL };
  cl_platform_id platforms[32];
  cl_uint        n = 0;
  cl_int         status;

  say_doing ("opening the OpenCL loader");
  if (! doctor_cl_open (&cl))
    {
      say ("missing", "%s", cl.missing);
      return 0;
    }
  say ("loader", "%s", cl.loader);
  say ("v3", "%d", cl.is_v3);
  say_doing ("listing the platforms, which loads every driver");
  status = cl.GetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n);
  n = status == CL_SUCCESS ? MIN (n, G_N_ELEMENTS (platforms)) : 0;
  say ("platforms", "%u", n);
  say ("status", "%d", status);
  for (cl_uint i = 0; i < n; i++)
    say_platform (&cl, platforms[i], i);
  say ("devices", "%u", n_devices);
  if (n > 0)
    say_picks (&cl);
  say_doing ("leaving");
  return 0;
}
