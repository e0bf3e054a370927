/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Opens the ICD loader, and picks a device as GEGL does (gegl_cl_init_load_device_info,
 * the same from 0.4.42 to 0.4.62 and later).
 */
#include "cl-open.h"

#include <gmodule.h>

#include "system.h"

gboolean
doctor_cl_open (DoctorCl *cl)
{
  const gchar *const *loaders = tessera_opencl_names ();
  GModule *module = NULL;
  gpointer symbol;

  for (guint i = 0; loaders[i] && ! module; i++)
    {
      module = g_module_open (loaders[i], G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
      cl->loader = loaders[i];
      if (! module && ! cl->missing)
        cl->missing = g_strdup (g_module_error ());
    }
  if (! module)
    return FALSE;
  g_clear_pointer (&cl->missing, g_free);
#define LOAD(name) \
  if (! g_module_symbol (module, "cl" #name, (gpointer *) &cl->name) && ! cl->missing) \
    cl->missing = g_strdup_printf ("%s has no cl" #name, cl->loader);
  DOCTOR_CL_ENTRY_POINTS (LOAD)
#undef LOAD
  cl->is_v3 = g_module_symbol (module, "clCreateBufferWithProperties", &symbol)
              && g_module_symbol (module, "clSetProgramSpecializationConstant", &symbol);
  return cl->missing == NULL;
}

cl_device_type
doctor_cl_type (const gchar *kind)
{
  if (! kind)
    return 0;
  if (g_ascii_strcasecmp (kind, "gpu") == 0 || g_ascii_strcasecmp (kind, "yes") == 0)
    return CL_DEVICE_TYPE_GPU;
  if (g_ascii_strcasecmp (kind, "cpu") == 0)
    return CL_DEVICE_TYPE_CPU;
  if (g_ascii_strcasecmp (kind, "accelerator") == 0)
    return CL_DEVICE_TYPE_ACCELERATOR;
  return 0;
}

cl_device_id
doctor_cl_pick (const DoctorCl *cl, cl_device_type type, gboolean *images)
{
  cl_platform_id platforms[32];
  cl_device_id   device = NULL;
  cl_uint        n = 0;
  cl_bool        has_images = CL_FALSE;
  cl_int         status;

  *images = TRUE;
  status = cl->GetPlatformIDs (G_N_ELEMENTS (platforms), platforms, &n);
  if (status != CL_SUCCESS || n == 0)
    return NULL;
  for (cl_uint i = 0; i < MIN (n, G_N_ELEMENTS (platforms)); i++)
    {
      status = cl->GetDeviceIDs (platforms[i], type, 1, &device, NULL);
      if (status != CL_SUCCESS)
        continue;
      has_images = CL_FALSE;
      status = cl->GetDeviceInfo (device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL);
      if (status != CL_SUCCESS || has_images)
        break;
    }
  if (status != CL_SUCCESS)
    return NULL;
  *images = has_images;
  return has_images ? device : NULL;
}

gchar *
doctor_cl_text (const DoctorCl *cl, cl_device_id device, cl_device_info info)
{
  gsize  bytes = 0;
  gchar *text;

  if (cl->GetDeviceInfo (device, info, 0, NULL, &bytes) != CL_SUCCESS || bytes > 1 << 20)
    return g_strdup ("");
  text = g_malloc0 (bytes + 1);
  cl->GetDeviceInfo (device, info, bytes, text, NULL);
  return g_strstrip (text);
}
