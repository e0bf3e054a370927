/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A context of the engine's own, for TESSERA_OPENCL=own: the device computes our filters while GEGL's switch is off.
 * With that switch on GEGL moves its own filters to the device too, of which many are slower there.
 */
#include "own.h"

#include "cl-api.h"
#include "messages.h"
#include "status.h"

#define MOST 16                 /* platforms; devices of one */

typedef struct
{
  cl_platform_id platform;
  cl_device_id   device;
  gint           rank;
} Found;

static gsize      asked;        /* of g_once_init_enter () */
static cl_context own_context;
static Found      own;

/* A graphics card, else an accelerator.  C is faster than OpenCL on a processor. */
static gint
rank_of (const TesseraClApi *cl, cl_device_id device)
{
  cl_device_type type = 0;

  if (cl->GetDeviceInfo (device, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
    return 0;
  return type & CL_DEVICE_TYPE_GPU ? 2 : type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 0;
}

static void
look_at_platform (const TesseraClApi *cl, cl_platform_id platform, Found *best)
{
  cl_device_id devices[MOST];
  cl_uint      n = 0;

  if (cl->GetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, MOST, devices, &n) != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < MIN (n, MOST); i++)
    {
      const gint rank = rank_of (cl, devices[i]);

      if (rank > best->rank)
        *best = (Found) { platform, devices[i], rank };
    }
}

static Found
best_device (const TesseraClApi *cl)
{
  cl_platform_id platforms[MOST];
  cl_uint        n = 0;
  Found          best = { NULL, NULL, 0 };

  if (cl->GetPlatformIDs (MOST, platforms, &n) != CL_SUCCESS)
    return best;
  for (cl_uint i = 0; i < MIN (n, MOST); i++)
    look_at_platform (cl, platforms[i], &best);
  return best;
}

static void
open_best (void)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = CL_SUCCESS;

  if (cl)
    own = best_device (cl);
  if (! own.device)
    {
      tessera_say_once ("TESSERA_OPENCL=own finds no graphics card with OpenCL (is its driver installed?); all filters run in C");
      return;
    }
  own_context = cl->CreateContext ((cl_context_properties[]) { CL_CONTEXT_PLATFORM, (cl_context_properties) own.platform, 0 },
                                   1, &own.device, NULL, NULL, &status);
  if (status != CL_SUCCESS)
    {
      own_context = NULL;
      tessera_say_once ("TESSERA_OPENCL=own: the graphics card cannot be opened (%s); all filters run in C",
                        tessera_error_name (status));
    }
}

void
tessera_own_open (void)
{
  if (g_once_init_enter (&asked))
    {
      open_best ();
      g_once_init_leave (&asked, 1);
    }
}

gboolean
tessera_own_is_asked (void)
{
  return g_atomic_pointer_get (&asked) != 0;
}

void
tessera_own_device (gpointer *context, gpointer *device)
{
  const gboolean is_open = tessera_own_is_asked () && own_context;

  *context = is_open ? own_context : NULL;
  *device = is_open ? own.device : NULL;
}
