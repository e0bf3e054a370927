/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Opens the ICD loader.
 */
#include "cl-api.h"

#include <gmodule.h>

#if defined (G_OS_WIN32)
static const gchar *const loaders[] = { "OpenCL.dll", NULL };
#elif defined (__APPLE__)
static const gchar *const loaders[] = { "/System/Library/Frameworks/OpenCL.framework/OpenCL", NULL };
#else
static const gchar *const loaders[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
#endif

static gboolean
load (TesseraClApi *api)
{
  GModule *module = NULL;
  gboolean complete = TRUE;

  for (guint i = 0; loaders[i] && ! module; i++)
    module = g_module_open (loaders[i], G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (! module)
    return FALSE;

#define LOAD(name) \
  complete = g_module_symbol (module, "cl" #name, (gpointer *) &api->name) && complete;
  TESSERA_CL_ENTRY_POINTS (LOAD)
#undef LOAD

  if (! complete)
    g_module_close (module);
  return complete;
}

const TesseraClApi *
tessera_cl_api (void)
{
  static TesseraClApi api;
  static gsize        state;    /* 1: usable, 2: not */

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, load (&api) ? 1 : 2);
  return state == 1 ? &api : NULL;
}
