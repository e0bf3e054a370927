/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A device, as the engine knows it: name, memory, build options.  It is GEGL's, or our own, for TESSERA_OPENCL=own: the device computes our
 * filters while GEGL's switch is off.  With that switch on GEGL moves its own filters to the device too, of which many are slower there.
 */
#include "device.h"

#include <string.h>

#include "cl-api.h"
#include "messages.h"
#include "settings.h"

#define ASK_AGAIN (60 * (gint64) G_USEC_PER_SEC)        /* a device that did not answer */

static gchar *
device_text (const TesseraClApi *cl, cl_device_id device, cl_device_info info)
{
  gsize  bytes = 0;
  gchar *text;

  if (cl->GetDeviceInfo (device, info, 0, NULL, &bytes) != CL_SUCCESS)
    return g_strdup ("");
  text = g_malloc0 (bytes + 1);
  cl->GetDeviceInfo (device, info, bytes, text, NULL);
  return g_strstrip (text);
}

static gchar *
device_title (const TesseraClApi *cl, cl_device_id device)
{
  cl_platform_id platform = NULL;
  gchar          platform_name[128] = "";
  g_autofree gchar *name = device_text (cl, device, CL_DEVICE_NAME);

  if (cl->GetDeviceInfo (device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS)
    cl->GetPlatformInfo (platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
  return g_strdup_printf ("%s (%s)", name, platform_name);
}

/* Division and square root are correctly rounded if the device offers that.  Denormals are kept, and
 * nothing is relaxed. */
static gchar *
build_options (cl_device_fp_config config)
{
  return g_strdup (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                   ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                   : "-cl-std=CL1.2");
}

/* PoCL 5.0 (Ubuntu 24.04) ends the program if launches of one kernel overlap: "Assertion `found->ref_count > 0' failed". */
static gboolean
is_pocl_5 (const gchar *name, const gchar *driver)
{
  return strstr (name, "Portable Computing Language") && g_str_has_prefix (driver, "5.");
}

static GMutex     lock;         /* guards what follows; no device is asked under it */
static GCond      answered;
static GPtrArray *known;        /* one for each context and device, kept for the process */

static gboolean
describe (const TesseraClApi *cl, TesseraDevice *self, cl_device_id device)
{
  cl_ulong memory = 0, max_allocation = 0;
  cl_bool  little = CL_FALSE, compiler = CL_FALSE;
  cl_device_type type = 0;
  cl_device_fp_config config = 0, doubles = 0;
  cl_uint  units = 0;
  cl_int   status, told;

  status  = cl->GetDeviceInfo (device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  status |= cl->GetDeviceInfo (device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max_allocation,
                               &max_allocation, NULL);
  status |= cl->GetDeviceInfo (device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  status |= cl->GetDeviceInfo (device, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
  status |= cl->GetDeviceInfo (device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
  status |= cl->GetDeviceInfo (device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
  told = cl->GetDeviceInfo (device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
  status |= told == CL_INVALID_VALUE ? CL_SUCCESS : told;       /* OpenCL 1.1 does not know the question */
  if (cl->GetDeviceInfo (device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) != CL_SUCCESS)
    units = 0;
  if (status != CL_SUCCESS)
    {
      tessera_say_once ("the OpenCL device does not answer; all filters run in C until it does");
      self->ask_again = tessera_now () + ASK_AGAIN;
      return FALSE;
    }
  self->ask_again = 0;
  self->name = device_title (cl, device);
  if (! compiler || ! little != (G_BYTE_ORDER != G_LITTLE_ENDIAN))
    {
      tessera_say_once ("OpenCL device %s: %s; all filters run in C", self->name,
                        compiler ? "another byte order than the host" : "no compiler");
      return FALSE;
    }
  self->driver = device_text (cl, device, CL_DRIVER_VERSION);
  if (! self->one_launch && is_pocl_5 (self->name, self->driver))
    {
      self->one_launch = g_new (GMutex, 1);
      g_mutex_init (self->one_launch);
    }
  self->memory = memory;
  self->max_allocation = max_allocation;
  self->units = units;
  self->is_processor = (type & CL_DEVICE_TYPE_CPU) != 0;
  self->has_doubles = doubles != 0;
  self->build_options = build_options (config);
  return TRUE;
}

static TesseraDevice *
find_or_add_locked (gpointer context, gpointer device)
{
  TesseraDevice *self = NULL;

  if (! known)
    known = g_ptr_array_new ();
  for (guint i = 0; i < known->len && ! self; i++)
    {
      TesseraDevice *other = g_ptr_array_index (known, i);

      if (other->context == context && other->device == device)
        self = other;
    }
  if (! self)
    {
      self = g_new0 (TesseraDevice, 1);
      self->context = context;
      self->device = device;
      self->ask_again = 1;
      g_ptr_array_add (known, self);
    }
  return self;
}

/* One thread asks; others wait for the answer, without the lock. */
static void
ask_locked (const TesseraClApi *cl, TesseraDevice *self)
{
  TesseraDevice asked = *self;

  self->is_being_asked = TRUE;
  g_mutex_unlock (&lock);
  asked.is_usable = describe (cl, &asked, asked.device);
  g_mutex_lock (&lock);
  *self = asked;                /* where it is not being asked */
  g_cond_broadcast (&answered);
}

const TesseraDevice *
tessera_device (gpointer context, gpointer device)
{
  const TesseraClApi *cl = tessera_cl_api ();
  TesseraDevice      *self;
  gboolean            is_usable;

  if (! cl || ! context || ! device)
    return NULL;
  g_mutex_lock (&lock);
  self = find_or_add_locked (context, device);
  while (self->is_being_asked)
    g_cond_wait (&answered, &lock);
  if (self->ask_again && self->ask_again <= tessera_now ())
    ask_locked (cl, self);
  is_usable = self->is_usable;
  g_mutex_unlock (&lock);
  return is_usable ? self : NULL;
}

void
tessera_device_retry (void)
{
  g_mutex_lock (&lock);
  for (guint i = 0; known && i < known->len; i++)
    {
      TesseraDevice *device = g_ptr_array_index (known, i);

      device->ask_again = MIN (device->ask_again, 1);
    }
  g_mutex_unlock (&lock);
}

guint64
tessera_budget (const TesseraDevice *device)
{
  guint mebibytes = tessera_memory_mib ();

  return mebibytes ? (guint64) mebibytes << 20 : device->memory / 4;
}

/* --------------------------------------------------------------- our own -- */

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
