/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which drivers the ICD loader will open, and the part that opens each.
 */
#include "doctor.h"

#include <gmodule.h>
#include <string.h>

#define SYSTEM_FOLDER "/etc/OpenCL/vendors"

static void
icd_free (gpointer data)
{
  Icd *icd = data;

  g_free (icd->file);
  g_free (icd->library);
  g_free (icd);
}

static void
add_file (GPtrArray *list, const gchar *path)
{
  Icd   *icd;
  g_autofree gchar *text = NULL;

  if (! g_file_get_contents (path, &text, NULL, NULL))
    text = g_strdup ("");
  icd = g_new0 (Icd, 1);
  icd->file = g_strdup (path);
  icd->library = g_strdup (g_strstrip (text));
  icd->library[strcspn (icd->library, "\r\n")] = '\0';
  g_ptr_array_add (list, icd);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Icd *const *) a)->file, (*(const Icd *const *) b)->file);
}

static void
add_folder (GPtrArray *list, const gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".icd"))
      {
        g_autofree gchar *path = g_build_filename (folder, name, NULL);

        add_file (list, path);
      }
  g_ptr_array_sort (list, compare);
}

static void
add_library (GPtrArray *list, const gchar *library)
{
  Icd *icd = g_new0 (Icd, 1);

  icd->library = g_strdup (library);
  g_ptr_array_add (list, icd);
}

/* OCL_ICD_VENDORS: a folder, an .icd file, or (ocl-icd) a library.  OCL_ICD_FILENAMES: libraries. */
GPtrArray *
icd_list (gchar **origin)
{
  GPtrArray   *list = g_ptr_array_new_with_free_func (icd_free);
  const gchar *vendors = g_getenv ("OCL_ICD_VENDORS"), *libraries = g_getenv ("OCL_ICD_FILENAMES");
  g_auto (GStrv) names = NULL;

  if (! vendors || ! *vendors)
    vendors = g_getenv ("OPENCL_VENDOR_PATH");
  *origin = vendors && *vendors ? g_strdup_printf ("%s (set in the environment)", vendors)
                                : g_strdup (SYSTEM_FOLDER);
  if (! vendors || ! *vendors)
    add_folder (list, SYSTEM_FOLDER);
  else if (g_str_has_suffix (vendors, ".icd"))
    add_file (list, vendors);
  else if (g_file_test (vendors, G_FILE_TEST_IS_REGULAR) || g_str_has_prefix (vendors, "lib"))
    add_library (list, vendors);
  else
    add_folder (list, vendors);
  names = g_strsplit (libraries ? libraries : "", G_SEARCHPATH_SEPARATOR_S, -1);
  for (gint i = 0; names[i]; i++)
    if (*names[i])
      add_library (list, names[i]);
  return list;
}

const gchar *
icd_package (const Icd *icd)
{
  static const gchar *const packages[][2] = {
    { "pocl", "pocl-opencl-icd" }, { "nvidia", "nvidia-opencl-icd" }, { "rusticl", "mesa-opencl-icd" },
    { "mesa", "mesa-opencl-icd" }, { "intel", "intel-opencl-icd" }, { "beignet", "beignet-opencl-icd" },
    { "amdocl", "rocm-opencl-icd" }
  };
  g_autofree gchar *base = g_path_get_basename (icd->file ? icd->file : icd->library);
  const gchar *package = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (packages) && ! package; i++)
    if (strstr (base, packages[i][0]) || strstr (icd->library, packages[i][0]))
      package = packages[i][1];
  return package;
}

static void
open_driver (guint i, const Icd *icd)
{
  GModule *module;
  gpointer symbol;
  g_autofree gchar *key = g_strdup_printf ("icd.%u", i);

  say_doing ("opening %s", icd->library);
  module = g_module_open (icd->library, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (! module)
    say (key, "%s", g_module_error ());
  else if (! g_module_symbol (module, "clGetExtensionFunctionAddress", &symbol)
           && ! g_module_symbol (module, "clIcdGetPlatformIDsKHR", &symbol))
    say (key, "it is no OpenCL driver");
  else
    say (key, "opens");
}

gint
run_part_icds (void)
{
  g_autofree gchar *origin = NULL;
  g_autoptr (GPtrArray) list = icd_list (&origin);

  for (guint i = 0; i < list->len; i++)
    open_driver (i, g_ptr_array_index (list, i));
  say_doing ("leaving");
  return 0;
}
