/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the driver says: its loader, and errors, their names and what they mean.  Above the driver's number an error has how far its outcome lies behind
 * TESSERA_FAILED, so that a driver's number alone is a failure.  All are negative.
 */
#include "status.h"

#include <gmodule.h>

#include "cl-api.h"
#include "system.h"

#define SHIFT 16                /* bits of the driver's number */

static cl_int
driver_of (gint status)
{
  return -(-status & ((1 << SHIFT) - 1));
}

static gint
status_of (TesseraOutcome outcome, cl_int driver)
{
  return -((gint) (outcome - TESSERA_FAILED) << SHIFT | -driver);
}

TesseraOutcome
tessera_outcome (gint status)
{
  return status == 0 ? TESSERA_DONE : TESSERA_FAILED + (-status >> SHIFT);
}

/* NVIDIA's driver allocates memory when it is first used.  If there is none then, it says CL_OUT_OF_RESOURCES. */
gint
tessera_status (gint driver)
{
  switch (driver)
    {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return status_of (TESSERA_NO_MEMORY, driver);
    case CL_OUT_OF_RESOURCES:
      return status_of (TESSERA_MAYBE_MEMORY, driver);
    default:
      return driver;
    }
}

gint
tessera_build_status (gint driver)
{
  const gboolean is_for_good = driver == CL_BUILD_PROGRAM_FAILURE || driver == CL_COMPILER_NOT_AVAILABLE
                               || driver <= CL_INVALID_VALUE;

  return is_for_good ? status_of (TESSERA_REFUSED, driver) : driver;
}

gint
tessera_error (TesseraOutcome outcome)
{
  static const cl_int drivers[] = {
    [TESSERA_FAILED] = CL_INVALID_VALUE, [TESSERA_REFUSED] = CL_INVALID_PROGRAM_EXECUTABLE,
    [TESSERA_UNASKED] = CL_MEM_OBJECT_ALLOCATION_FAILURE, [TESSERA_NO_MEMORY] = CL_MEM_OBJECT_ALLOCATION_FAILURE
  };

  return status_of (outcome, drivers[outcome]);
}

const gchar *
tessera_error_name (gint status)
{
  switch (driver_of (status))
    {
#define NAME(code) case code: return #code;
    NAME (CL_DEVICE_NOT_FOUND)
    NAME (CL_DEVICE_NOT_AVAILABLE)
    NAME (CL_COMPILER_NOT_AVAILABLE)
    NAME (CL_MEM_OBJECT_ALLOCATION_FAILURE)
    NAME (CL_OUT_OF_RESOURCES)
    NAME (CL_OUT_OF_HOST_MEMORY)
    NAME (CL_PROFILING_INFO_NOT_AVAILABLE)
    NAME (CL_BUILD_PROGRAM_FAILURE)
    NAME (CL_MAP_FAILURE)
    NAME (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    NAME (CL_INVALID_VALUE)
    NAME (CL_INVALID_DEVICE)
    NAME (CL_INVALID_CONTEXT)
    NAME (CL_INVALID_QUEUE_PROPERTIES)
    NAME (CL_INVALID_COMMAND_QUEUE)
    NAME (CL_INVALID_MEM_OBJECT)
    NAME (CL_INVALID_BINARY)
    NAME (CL_INVALID_BUILD_OPTIONS)
    NAME (CL_INVALID_PROGRAM)
    NAME (CL_INVALID_PROGRAM_EXECUTABLE)
    NAME (CL_INVALID_KERNEL_NAME)
    NAME (CL_INVALID_KERNEL_DEFINITION)
    NAME (CL_INVALID_KERNEL)
    NAME (CL_INVALID_ARG_INDEX)
    NAME (CL_INVALID_ARG_VALUE)
    NAME (CL_INVALID_ARG_SIZE)
    NAME (CL_INVALID_KERNEL_ARGS)
    NAME (CL_INVALID_WORK_DIMENSION)
    NAME (CL_INVALID_WORK_GROUP_SIZE)
    NAME (CL_INVALID_WORK_ITEM_SIZE)
    NAME (CL_INVALID_GLOBAL_OFFSET)
    NAME (CL_INVALID_EVENT_WAIT_LIST)
    NAME (CL_INVALID_EVENT)
    NAME (CL_INVALID_OPERATION)
    NAME (CL_INVALID_BUFFER_SIZE)
    NAME (CL_INVALID_GLOBAL_WORK_SIZE)
#undef NAME
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    case -9999: return "illegal access (NVIDIA)";
    default:    return "an unnamed OpenCL error";
    }
}

/* ------------------------------------------------------ the ICD loader -- */

static gboolean
load (TesseraClApi *api)
{
  const gchar *const *names = tessera_opencl_names ();
  GModule *module = NULL;
  gboolean complete = TRUE;

  for (guint i = 0; names[i] && ! module; i++)
    module = g_module_open (names[i], G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (! module)
    return FALSE;

#define LOAD(name) \
  complete = g_module_symbol (module, "cl" #name, (gpointer *) &api->name) && complete;
  TESSERA_CL_OPENING_POINTS (LOAD)
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
