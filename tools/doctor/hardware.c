/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which GPUs the system shows, and whether this user may open them: what to
 * advise where OpenCL shows none.
 */
#include "hardware.h"

#include <glib/gstdio.h>
#include <string.h>

#define READ_AND_WRITE 6

/* "amd", "intel", "nvidia" of a PCI vendor number. */
static const gchar *
vendor_name (const gchar *text)
{
  switch ((gint) g_ascii_strtoll (text, NULL, 16))
    {
    case 0x10de: return "NVIDIA";
    case 0x1002: return "AMD";
    case 0x8086: return "Intel";
    default:     return NULL;
    }
}

static void
add_vendor (Hardware *hardware, const gchar *vendor)
{
  if (vendor && ! strstr (hardware->vendors->str, vendor))
    g_string_append_printf (hardware->vendors, "%s%s", hardware->vendors->len ? " " : "", vendor);
}

/* Every file of `folder` whose name begins with `prefix` and that may not be opened. */
static void
check_files (Hardware *hardware, const gchar *folder, const gchar *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, prefix))
      {
        g_autofree gchar *path = g_build_filename (folder, name, NULL);

        if (! g_file_test (path, G_FILE_TEST_IS_DIR) && g_access (path, READ_AND_WRITE) != 0
            && ! strstr (hardware->refused->str, path))
          g_string_append_printf (hardware->refused, "%s%s", hardware->refused->len ? " " : "", path);
      }
}

void
hardware_look (Hardware *hardware)
{
  hardware->vendors = g_string_new (NULL);
  hardware->refused = g_string_new (NULL);
  for (gint i = 0; i < 16; i++)
    {
      g_autofree gchar *path = g_strdup_printf ("/sys/class/drm/card%d/device/vendor", i), *text = NULL;

      if (g_file_get_contents (path, &text, NULL, NULL))
        add_vendor (hardware, vendor_name (text));
    }
  if (g_file_test ("/proc/driver/nvidia/version", G_FILE_TEST_EXISTS)
      || g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS))
    add_vendor (hardware, "NVIDIA");
  check_files (hardware, "/dev/dri", "renderD");
  check_files (hardware, "/dev", "nvidia0");
  check_files (hardware, "/dev", "nvidiactl");
  check_files (hardware, "/dev", "kfd");
}

gchar *
hardware_packages (const Hardware *hardware)
{
  static const gchar *const packages[][2] = {
    { "NVIDIA", "nvidia-opencl-icd" }, { "AMD", "mesa-opencl-icd (and RUSTICL_ENABLE=radeonsi)" },
    { "Intel", "intel-opencl-icd" }
  };
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (packages); i++)
    if (strstr (hardware->vendors->str, packages[i][0]))
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", packages[i][1]);
  if (text->len == 0)
    g_string_append (text, "nvidia-opencl-icd, intel-opencl-icd or mesa-opencl-icd for a GPU (pocl-opencl-icd "
                     "runs OpenCL on the processor: for tests, C is faster)");
  return g_string_free (text, FALSE);
}

void
hardware_clear (Hardware *hardware)
{
  g_string_free (hardware->vendors, TRUE);
  g_string_free (hardware->refused, TRUE);
}
