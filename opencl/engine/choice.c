/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path a request takes: the device, or C and why.
 */
#include "choice.h"

#include <gegl-plugin.h>
#include <opencl/gegl-cl-init.h>        /* with GEGL's own cl.h: its context and device leave this file as plain pointers */

#include "breaker.h"
#include "builds.h"
#include "messages.h"
#include "system.h"
#include "program.h"
#include "resident.h"
#include "settings.h"
#include "speed.h"
#include "tiles.h"

void
tessera_forget_failures (void)
{
  tessera_breaker_reset ();
  tessera_tiles_retry ();
  tessera_device_retry ();
  tessera_program_forget (FALSE);
}

/* A person who switches OpenCL on in GIMP's preferences wants it tried. */
static void
host_switches (GObject *config, GParamSpec *pspec G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  gboolean on = FALSE;

  g_object_get (config, "use-opencl", &on, NULL);
  if (on)
    tessera_forget_failures ();
}

/* gegl_exit () */
static void
host_ends (gpointer data G_GNUC_UNUSED, GObject *config G_GNUC_UNUSED)
{
  tessera_builds_end (TRUE);
}

void
tessera_watch_host (void)
{
  static gsize watches;

  if (g_once_init_enter (&watches))
    {
      g_signal_connect (gegl_config (), "notify::use-opencl", G_CALLBACK (host_switches), NULL);
      g_object_weak_ref (G_OBJECT (gegl_config ()), host_ends, NULL);
      g_once_init_leave (&watches, 1);
    }
}

/* Does the engine have a device of its own, because it was asked to and GEGL's OpenCL is off? */
static gboolean
is_apart (void)
{
  return tessera_owns_device () && ! gegl_cl_is_accelerated ();
}

/* None in a child of fork (): the driver would wait for ever for threads that are not there. */
const TesseraDevice *
tessera_current_device (void)
{
  gpointer context, device;

  if (tessera_has_forked ())
    return NULL;
  if (is_apart ())
    tessera_own_device (&context, &device);
  else
    {
      context = gegl_cl_get_context ();
      device = gegl_cl_get_device ();
    }
  return tessera_device (context, device);
}

/* ---------------------------------------------------------------- choice -- */

/* Our own device is opened while C answers; a program without a graph waits for it. */
gboolean
tessera_uses_opencl (GeglOperation *operation)
{
  if (tessera_mode () == TESSERA_OPENCL_OFF)
    return FALSE;
  if (! tessera_has_forked () && is_apart ())
    {
      tessera_builds_open_own (! operation);
      return tessera_current_device () != NULL;
    }
  return operation ? gegl_operation_use_opencl (operation) : gegl_cl_is_accelerated ();
}

/* Did the user ask for OpenCL without GEGL finding any?  GEGL only says whether it uses OpenCL.
 * If it has a device but does not use it, the host program has switched OpenCL off. */
static gboolean
misses_device (void)
{
  const gchar *wish = g_getenv ("GEGL_USE_OPENCL");

  return wish && g_ascii_strcasecmp (wish, "no") != 0 && ! gegl_cl_get_context () && ! is_apart ();
}

static gboolean
lacks_doubles (const TesseraFilter *filter, const TesseraDevice *device)
{
  const gboolean lacks = filter->needs_doubles && ! device->has_doubles;

  if (lacks)
    tessera_say_once ("%s computes in double precision, which %s does not; C is used instead", filter->name, device->name);
  return lacks;
}

/* TRUE and the reason if C is the faster path. */
static gboolean
c_is_faster (const TesseraRequest *request, const TesseraDevice *device, gchar **reason)
{
  gdouble c, on_device;

  if (device->is_processor)
    *reason = g_strdup ("the OpenCL device is a processor: C is faster");
  else if (request->has_slow_kernel)
    *reason = g_strdup ("it has no fast kernel for these settings");
  else if (tessera_is_resident (request->input))        /* C would have to fetch it first */
    return FALSE;
  else if (! tessera_speed_prefers_c (request->filter->name, tessera_request_kind (request), tessera_request_work (request),
                                      &c, &on_device))
    return FALSE;
  else if (c > 0)
    *reason = g_strdup_printf ("C is faster here: %.2f ms against %.2f ms on the device", c * 1e3,
                               on_device * 1e3);
  else
    *reason = g_strdup ("too small for the device, or a trial of C's speed");
  return TRUE;
}

const TesseraDevice *
tessera_choose_device (const TesseraRequest *request, gchar **reason)
{
  const TesseraOpenclMode mode = tessera_mode ();
  const TesseraDevice    *device = NULL;

  *reason = NULL;
  if (! request->filter->source)
    *reason = g_strdup ("it has no kernels");
  else if (request->is_in_c)
    *reason = g_strdup ("the device has lost its result");
  else if (request->output && (request->output == request->input || request->output == request->aux))
    *reason = g_strdup ("it is computed in place: nothing would be left to compare the device's result with");
  else if (mode == TESSERA_OPENCL_OFF)
    *reason = g_strdup ("TESSERA_OPENCL=off");
  else if (! tessera_uses_opencl (request->errand.operation))
    {
      *reason = g_strdup (! is_apart () ? "OpenCL is off in GEGL or there is no device"
                          : tessera_own_is_asked () ? "there is no device of our own" : "our device is being opened");
      if (misses_device () && mode != TESSERA_OPENCL_FORCE)
        tessera_say_once ("OpenCL was asked for, but GEGL has no device for it (yes means a GPU, cpu the "
                          "processor; is a driver installed?); all filters run in C");
    }
  else if (! (device = tessera_current_device ()))
    *reason = g_strdup ("no usable OpenCL device");
  else if (lacks_doubles (request->filter, device))
    *reason = g_strdup ("the device has no double precision");
  else if (tessera_breaker_is_open (request->filter->name, tessera_request_reads (request)))
    *reason = g_strdup ("the device failed a while ago");
  else if (mode != TESSERA_OPENCL_AUTO || ! c_is_faster (request, device, reason))
    return device;
  return NULL;
}
