/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * From a source text to a program of the driver's: by the compiler, or from what it made the last time (binaries.c).
 */
#include "compile.h"

#include "binaries.h"
#include "cl-api.h"
#include "counters.h"
#include "fault.h"
#include "messages.h"
#include "settings.h"

static gchar *
build_log (const TesseraClApi *cl, cl_program program, cl_device_id device)
{
  size_t bytes = 0;
  gchar *text;

  if (! program || cl->GetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes)
                   != CL_SUCCESS || bytes > 1 << 20)
    return g_strdup ("");
  text = g_malloc0 (bytes + 1);
  cl->GetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL);
  return g_strstrip (text);
}

static void
say_unbuilt (const TesseraClApi *cl, const TesseraDevice *device, const gchar *name, cl_program object, gint status)
{
  g_autofree gchar *messages = build_log (cl, object, device->device);

  tessera_say_once ("%s: the OpenCL program %s on %s (%s); C is used instead%s%s", name,
                    tessera_outcome (status) == TESSERA_REFUSED ? "does not build" : "could not be built this time",
                    device->name, tessera_error_name (status), *messages ? ":\n" : "", messages);
}

static gchar *
build_options (const TesseraDevice *device, const gchar *define)
{
  return g_strconcat (device->build_options, define ? " -D " : NULL, define, NULL);
}

/* ------------------------------------------------------------ what is kept -- */

/* NULL: nothing is kept, or the driver does not want it. */
static cl_program
from_binary (const TesseraClApi *cl, const TesseraDevice *device, const gchar *key, const gchar *options)
{
  g_autoptr (GBytes)   kept = tessera_binary_read (key);
  cl_device_id         id = device->device;
  cl_int               status = CL_SUCCESS, fits = CL_SUCCESS;
  size_t               bytes;
  const unsigned char *data = kept ? g_bytes_get_data (kept, &bytes) : NULL;
  cl_program           object = NULL;

  if (data)
    object = cl->CreateProgramWithBinary (device->context, 1, &id, &bytes, &data, &fits, &status);
  if (object && status == CL_SUCCESS && fits == CL_SUCCESS)
    status = cl->BuildProgram (object, 1, &id, options, NULL, NULL);
  if (object && (status != CL_SUCCESS || fits != CL_SUCCESS))
    {
      cl->ReleaseProgram (object);
      object = NULL;
    }
  return object;
}

static void
keep (const TesseraClApi *cl, cl_program object, const gchar *key)
{
  size_t bytes = 0;
  g_autofree unsigned char *data = NULL;

  if (cl->GetProgramInfo (object, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
    return;
  data = g_try_malloc0 (bytes);
  if (data && cl->GetProgramInfo (object, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
    tessera_binary_write (key, data, bytes);
}

gboolean
tessera_compiles_slowly (const TesseraDevice *device, const TesseraText *text)
{
  g_autofree gchar *options = build_options (device, text->define);
  g_autofree gchar *key = tessera_binary_key (device, text->source, options);

  return key && ! tessera_binary_is_kept (key);
}

/* ------------------------------------------------------------- the compiler -- */

static cl_int
from_source (const TesseraClApi *cl, const TesseraDevice *device, const TesseraText *text, const gchar *options,
             cl_program *object)
{
  cl_int       driver = CL_SUCCESS;
  cl_device_id id = device->device;

  *object = cl->CreateProgramWithSource (device->context, 1, (const char **) &text->source, NULL, &driver);
  if (driver == CL_SUCCESS)
    driver = cl->BuildProgram (*object, 1, &id, options, NULL, NULL);
  return driver;
}

static void
log_built (const TesseraDevice *device, const gchar *name, gint64 began, gboolean was_kept)
{
  if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: program %s on %s in %.0f ms", name, was_kept ? "taken from the cache" : "built", device->name,
                 (g_get_monotonic_time () - began) / 1e3);
}

gint
tessera_compile (const TesseraDevice *device, const TesseraText *text, gpointer *result, gchar **key)
{
  const TesseraClApi *cl = tessera_cl_api ();
  const gint64        began = g_get_monotonic_time ();
  const gboolean      fails = tessera_fault (FAULT_BUILD);
  g_autofree gchar   *options = build_options (device, text->define);
  cl_program          object;
  gboolean            was_kept;
  gint                status;

  *key = tessera_binary_key (device, text->source, options);
  object = *key && ! fails ? from_binary (cl, device, *key, options) : NULL;
  was_kept = object != NULL;
  if (fails)
    status = tessera_build_status (CL_BUILD_PROGRAM_FAILURE);
  else
    status = was_kept ? 0 : tessera_build_status (from_source (cl, device, text, options, &object));
  if (object)
    tessera_count (objects_created, 1);
  tessera_count (builds, 1);
  tessera_count (build_ns, (g_get_monotonic_time () - began) * 1000);
  if (status == 0)
    log_built (device, text->name, began, was_kept);
  else
    {
      say_unbuilt (cl, device, text->name, object, status);
      if (object)
        cl->ReleaseProgram (object);
      object = NULL;
    }
  if (status == 0 && *key && ! was_kept)
    keep (cl, object, *key);
  *result = object;
  return status;
}
