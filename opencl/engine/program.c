/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs and their kernels, built once a process.  A failure is remembered:
 * a driver that needs seconds to reject a program is asked only once.
 */
#include "cl-api.h"
#include "internal.h"

#include <string.h>

struct _TesseraProgram
{
  GMutex       lock;            /* a kernel's arguments and its launch belong together */
  const gchar *source;
  gpointer     context, device;
  gchar       *name;
  cl_int       status;
  cl_program   object;
  GHashTable  *kernels;         /* name -> cl_kernel */
};

static GMutex lock;             /* guards the list; held while building */
static GList *programs;

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
build (const TesseraClApi *cl, const TesseraDevice *device, TesseraProgram *self)
{
  gint64 began = g_get_monotonic_time ();
  gchar *messages;

  if (tessera_fault (FAULT_BUILD))
    self->status = CL_BUILD_PROGRAM_FAILURE;
  else
    self->object = cl->CreateProgramWithSource (device->context, 1, &self->source, NULL,
                                                &self->status);
  if (self->status == CL_SUCCESS)
    {
      cl_device_id id = device->device;

      self->status = cl->BuildProgram (self->object, 1, &id, device->build_options, NULL, NULL);
    }
  tessera_count (builds, 1);
  tessera_count (build_ns, (g_get_monotonic_time () - began) * 1000);
  if (self->status != CL_SUCCESS)
    {
      messages = build_log (cl, self->object, device->device);
      tessera_log_once ("%s: the OpenCL program does not build on %s (%s); C is used instead%s%s",
                        self->name, device->name, tessera_cl_error_name (self->status),
                        *messages ? ":\n" : "", messages);
      g_free (messages);
    }
  else if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: program built on %s in %.0f ms", self->name, device->name,
                 (g_get_monotonic_time () - began) / 1e3);
}

gint
tessera_program_get (const TesseraDevice *device, const gchar *name, const gchar *source,
                     TesseraProgram **result)
{
  TesseraProgram *self = NULL;
  cl_int          status;

  g_mutex_lock (&lock);
  for (GList *link = programs; link && ! self; link = link->next)
    {
      TesseraProgram *other = link->data;

      if (other->source == source && other->context == device->context)
        self = other;
    }
  if (! self)
    {
      self = g_new0 (TesseraProgram, 1);
      g_mutex_init (&self->lock);
      self->source = source;
      self->context = device->context;
      self->device = device->device;
      self->name = g_strdup (name);
      self->kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      programs = g_list_prepend (programs, self);
      build (tessera_cl_api (), device, self);
    }
  status = self->status;
  g_mutex_unlock (&lock);
  *result = self;
  return status;
}

static cl_kernel
kernel_locked (const TesseraClApi *cl, TesseraProgram *self, const gchar *name, cl_int *status)
{
  cl_kernel kernel = g_hash_table_lookup (self->kernels, name);

  if (! kernel)
    {
      kernel = cl->CreateKernel (self->object, name, status);
      if (*status == CL_SUCCESS)
        g_hash_table_insert (self->kernels, g_strdup (name), kernel);
    }
  return kernel;
}

gint
tessera_program_launch (TesseraProgram *self, TesseraQueue *queue, const gchar *kernel_name,
                        const gsize offset[3], const gsize size[3], const gsize group[3],
                        const TesseraRawArg *args, guint n_args)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = CL_SUCCESS;
  cl_kernel           kernel;
  size_t              most = 0;
  size_t              fitting[3] = { group[0], group[1], group[2] };

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_OUT_OF_RESOURCES;
  g_mutex_lock (&self->lock);
  kernel = kernel_locked (cl, self, kernel_name, &status);
  for (guint i = 0; i < n_args && status == CL_SUCCESS; i++)
    status = cl->SetKernelArg (kernel, i, args[i].bytes, args[i].value);
  if (status == CL_SUCCESS)
    status = cl->GetKernelWorkGroupInfo (kernel, self->device, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof most, &most, NULL);
  /* A kernel with many registers may take smaller groups; halves still divide the sizes. */
  for (gint d = 0; most > 0 && fitting[0] * fitting[1] * fitting[2] > most; d = (d + 1) % 3)
    fitting[d] = fitting[d] % 2 == 0 ? fitting[d] / 2 : 1;
  if (status == CL_SUCCESS)
    status = cl->EnqueueNDRangeKernel (tessera_queue_object (queue), kernel, 3, offset, size,
                                       fitting, 0, NULL, NULL);
  g_mutex_unlock (&self->lock);
  if (status == CL_SUCCESS)
    tessera_count (launches, 1);
  return status;
}

static void
program_free (const TesseraClApi *cl, TesseraProgram *self)
{
  GHashTableIter iter;
  gpointer       kernel;

  g_hash_table_iter_init (&iter, self->kernels);
  while (g_hash_table_iter_next (&iter, NULL, &kernel))
    cl->ReleaseKernel (kernel);
  g_hash_table_unref (self->kernels);
  if (self->object)
    cl->ReleaseProgram (self->object);
  g_mutex_clear (&self->lock);
  g_free (self->name);
  g_free (self);
}

void
tessera_program_forget (gboolean all)
{
  GList *link, *next;

  g_mutex_lock (&lock);
  for (link = programs; link; link = next)
    {
      TesseraProgram *self = link->data;

      next = link->next;
      if (all || self->status != CL_SUCCESS)
        {
          programs = g_list_delete_link (programs, link);
          program_free (tessera_cl_api (), self);
        }
    }
  g_mutex_unlock (&lock);
}
