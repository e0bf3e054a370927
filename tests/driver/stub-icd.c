/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * libstub-icd: a driver for the ICD loader that is another driver with our
 * hooks in its dispatch tables.  Every OpenCL object begins with a pointer to
 * such a table, and the loader calls what stands there. */
#include "stub-plan.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define MAX_TABLES 8

typedef void * (CL_API_CALL *AddressFunction) (const char *name);
typedef cl_int (CL_API_CALL *PlatformsFunction) (cl_uint n, cl_platform_id *platforms, cl_uint *n_ret);

typedef struct
{
  char *table;                  /* the driver's cl_icd_dispatch */
  void *originals[STUB_N_ENTRIES];
} Table;

static GMutex          lock;    /* guards adding a table */
static Table           tables[MAX_TABLES];
static gint            n_tables;
static AddressFunction driver_address;

/* --------------------------------------------------------------- tables -- */

void *
stub_original (StubEntry entry, const void *object)
{
  const char *table = *(char *const *) object;
  gint        n = g_atomic_int_get (&n_tables);

  for (gint i = 0; i < n; i++)
    if (tables[i].table == table)
      return tables[i].originals[entry];
  g_error ("stub-icd: %s on an object of an unknown dispatch table", stub_entry_name (entry));
}

/* Drivers may keep the table among constants. */
static gboolean
make_writable (char *table)
{
  gsize page = sysconf (_SC_PAGESIZE);
  gsize begin = (gsize) table / page * page;
  gsize end = (gsize) table + offsetof (cl_icd_dispatch, clCreateFromGLTexture);

  return mprotect ((void *) begin, end - begin, PROT_READ | PROT_WRITE) == 0;
}

static void
hook_locked (char *at)
{
  Table *table = &tables[n_tables];

  if (n_tables == MAX_TABLES || ! make_writable (at))
    g_error ("stub-icd: this driver's dispatch table cannot be hooked");
  table->table = at;
  for (gint i = 0; i < STUB_N_ENTRIES; i++)
    memcpy (&table->originals[i], at + stub_hooks[i].offset, sizeof (void *));
  g_atomic_int_inc (&n_tables);
  /* Nobody calls this one by way of an object.  PoCL 7 has a tag there (cl_khr_icd 2.0), by which a loader makes tables of
   * its own, without our hooks. */
  memset (at + offsetof (cl_icd_dispatch, clGetPlatformIDs), 0, sizeof (void *));
  for (gint i = 0; i < STUB_N_ENTRIES; i++)
    if (table->originals[i])
      memcpy (at + stub_hooks[i].offset, &stub_hooks[i].function, sizeof (void *));
}

void
stub_adopt (const void *object)
{
  char    *table = *(char *const *) object;
  gboolean known = FALSE;
  gint     n = g_atomic_int_get (&n_tables);

  for (gint i = 0; i < n; i++)
    known |= tables[i].table == table;
  if (known)
    return;
  g_mutex_lock (&lock);
  for (gint i = 0; i < n_tables; i++)
    known |= tables[i].table == table;
  if (! known)
    hook_locked (table);
  g_mutex_unlock (&lock);
}

/* --------------------------------------------------------------- driver -- */

static gboolean
open_driver (void)
{
  const gchar *wish = g_getenv ("STUB_ICD_DRIVER");
  const gchar *names[] = { wish && *wish ? wish : "libpocl.so.2", wish && *wish ? NULL : "libpocl.so", NULL };
  void        *library = NULL;

  for (gint i = 0; names[i] && ! library; i++)
    library = dlopen (names[i], RTLD_LAZY | RTLD_LOCAL);
  if (library)
    driver_address = (AddressFunction) dlsym (library, "clGetExtensionFunctionAddress");
  if (! driver_address)
    g_printerr ("stub-icd: no driver %s: %s\n", names[0], dlerror ());
  stub_icd_set_plan (g_getenv ("STUB_ICD_PLAN"));
  return driver_address != NULL;
}

static gboolean
driver_is_open (void)
{
  static gsize state;           /* 1: open, 2: there is none */

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, open_driver () ? 1 : 2);
  return state == 1;
}

EXPORT cl_int CL_API_CALL
clIcdGetPlatformIDsKHR (cl_uint n, cl_platform_id *platforms, cl_uint *n_ret)
{
  PlatformsFunction get = NULL;
  cl_uint           found = 0;
  cl_int            status;

  if (driver_is_open ())
    get = (PlatformsFunction) driver_address ("clIcdGetPlatformIDsKHR");
  if (! get)
    return CL_PLATFORM_NOT_FOUND_KHR;
  status = get (n, platforms, &found);
  for (cl_uint i = 0; status == CL_SUCCESS && platforms && i < found && i < n; i++)
    stub_adopt (platforms[i]);
  if (status == CL_SUCCESS && n_ret)
    *n_ret = found;
  return status;
}

/* The loader asks here for what it needs before it has an object; not for tables of its own (hook_locked). */
EXPORT void * CL_API_CALL
clGetExtensionFunctionAddress (const char *name)
{
  if (strcmp (name, "clIcdGetPlatformIDsKHR") == 0)
    return (void *) clIcdGetPlatformIDsKHR;
  if (strcmp (name, "clGetPlatformInfo") == 0)
    return stub_hooks[STUB_GetPlatformInfo].function;
  if (g_str_has_prefix (name, "clIcd"))
    return NULL;
  return driver_is_open () ? driver_address (name) : NULL;
}
