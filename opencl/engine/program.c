/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs and their kernels, built once a process.  If the compiler refuses a program, that is
 * remembered, because some drivers need seconds to say so.  Other failures are not remembered.
 */
#include "program.h"

#include "cl-api.h"
#include "counters.h"
#include "fault.h"
#include "messages.h"
#include "settings.h"

struct _TesseraProgram
{
  const gchar *source;
  gpointer     context;
  const TesseraDevice *device;
  gchar       *name;
  GMutex       lock;            /* held while building, and from a kernel's arguments to its launch */
  gboolean     is_done;         /* built, or refused */
  gboolean     is_wrong;        /* refused for good: it gives other results than C */
  cl_int       status;
  cl_program   object;
  GHashTable  *kernels;         /* name -> Kernel */
  guint        n_kernels;       /* that have been made of the object */
};

static GMutex lock;             /* guards the list */
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

gboolean
tessera_program_is_refused (gint status)
{
  return status == CL_BUILD_PROGRAM_FAILURE || status == CL_COMPILER_NOT_AVAILABLE || status <= CL_INVALID_VALUE;
}

static void
say_unbuilt (const TesseraClApi *cl, TesseraProgram *self)
{
  g_autofree gchar *messages = build_log (cl, self->object, self->device->device);

  tessera_say_once ("%s: the OpenCL program %s on %s (%s); C is used instead%s%s", self->name,
                    tessera_program_is_refused (self->status) ? "does not build" : "could not be built this time",
                    self->device->name, tessera_cl_error_name (self->status), *messages ? ":\n" : "", messages);
}

static void
release_object (const TesseraClApi *cl, TesseraProgram *self)
{
  if (self->object)
    cl->ReleaseProgram (self->object);
  self->object = NULL;
}

static void
build_locked (const TesseraClApi *cl, TesseraProgram *self)
{
  const TesseraDevice *device = self->device;
  const gint64         began = g_get_monotonic_time ();

  self->status = CL_SUCCESS;
  if (tessera_fault (FAULT_BUILD))
    self->status = CL_BUILD_PROGRAM_FAILURE;
  else
    self->object = cl->CreateProgramWithSource (device->context, 1, &self->source, NULL,
                                                &self->status);
  if (self->status == CL_SUCCESS)
    {
      cl_device_id id = device->device;

      tessera_count (objects_created, 1);
      self->status = cl->BuildProgram (self->object, 1, &id, device->build_options, NULL, NULL);
    }
  tessera_count (builds, 1);
  tessera_count (build_ns, (g_get_monotonic_time () - began) * 1000);
  self->is_done = self->status == CL_SUCCESS || tessera_program_is_refused (self->status);
  if (self->status != CL_SUCCESS)
    {
      say_unbuilt (cl, self);
      release_object (cl, self);
    }
  else if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: program built on %s in %.0f ms", self->name, device->name,
                 (g_get_monotonic_time () - began) / 1e3);
}

typedef struct
{
  cl_kernel object;
  size_t    most;               /* work-items a group */
  TesseraProofMark mark;
} Kernel;

static TesseraProgram *
find_or_add (const TesseraDevice *device, const gchar *name, const gchar *source)
{
  TesseraProgram *self = NULL;

  g_mutex_lock (&lock);
  for (GList *link = programs; link && ! self; link = link->next)
    {
      TesseraProgram *other = link->data;

      /* A module and a program may each have the source; what is proven of the kernels of one is so of the other's. */
      if (other->context == device->context && (other->source == source || (g_str_equal (other->name, name)
                                                                            && g_str_equal (other->source, source))))
        self = other;
    }
  if (! self)
    {
      self = g_new0 (TesseraProgram, 1);
      g_mutex_init (&self->lock);
      self->source = source;
      self->context = device->context;
      self->device = device;
      self->name = g_strdup (name);
      self->kernels = g_hash_table_new (g_str_hash, g_str_equal);
      programs = g_list_prepend (programs, self);
    }
  g_mutex_unlock (&lock);
  return self;
}

gint
tessera_program_get (const TesseraDevice *device, const gchar *name, const gchar *source,
                     TesseraProgram **result)
{
  TesseraProgram *self = find_or_add (device, name, source);
  cl_int          status;

  /* Building takes seconds.  A thread that wants another program does not wait for this one. */
  g_mutex_lock (&self->lock);
  if (! self->is_done)
    build_locked (tessera_cl_api (), self);
  status = self->status;
  g_mutex_unlock (&self->lock);
  *result = self;
  return status;
}

gboolean
tessera_program_is_new (TesseraProgram *self)
{
  gboolean is_new;

  g_mutex_lock (&self->lock);
  is_new = self->n_kernels == 0;
  g_mutex_unlock (&self->lock);
  return is_new;
}

void
tessera_program_refuse (TesseraProgram *self)
{
  g_mutex_lock (&self->lock);
  self->status = CL_INVALID_PROGRAM_EXECUTABLE;
  self->is_done = self->is_wrong = TRUE;
  g_mutex_unlock (&self->lock);
}

static Kernel *
kernel_locked (const TesseraClApi *cl, TesseraProgram *self, const gchar *name, cl_int *status)
{
  Kernel *kernel = g_hash_table_lookup (self->kernels, name);

  if (kernel && kernel->object)
    return kernel;
  if (! kernel)
    {
      kernel = g_new0 (Kernel, 1);
      kernel->mark.kernel = g_intern_string (name);
      g_hash_table_insert (self->kernels, (gpointer) kernel->mark.kernel, kernel);
    }
  if (tessera_fault (FAULT_KERNEL))
    *status = CL_INVALID_OPERATION;
  else
    kernel->object = cl->CreateKernel (self->object, name, status);
  if (*status == CL_SUCCESS)
    {
      *status = cl->GetKernelWorkGroupInfo (kernel->object, self->device->device, CL_KERNEL_WORK_GROUP_SIZE,
                                            sizeof kernel->most, &kernel->most, NULL);
      if (*status != CL_SUCCESS)
        cl->ReleaseKernel (kernel->object);
    }
  if (*status != CL_SUCCESS)
    {
      kernel->object = NULL;
      return NULL;
    }
  self->n_kernels++;
  tessera_count (objects_created, 1);
  return kernel;
}

static cl_int
set_args (const TesseraClApi *cl, cl_kernel kernel, const TesseraRawArg *args, guint n_args)
{
  cl_int status = CL_SUCCESS;

  for (guint i = 0; i < n_args && status == CL_SUCCESS; i++)
    status = tessera_fault (FAULT_SET_ARG) ? CL_INVALID_ARG_VALUE
                                           : cl->SetKernelArg (kernel, i, args[i].bytes, args[i].value);
  return status;
}

/* Where launches must not overlap: two programs may have the same text, so none does.  Who waits for the event later sees
 * whether the kernel failed.  A wait that failed for another reason has not waited. */
static cl_int
enqueue (const TesseraProgram *self, cl_command_queue queue, cl_kernel kernel, const size_t *offset, const size_t *size,
         const size_t *group, cl_event *event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status, waited;

  if (self->device->one_launch)
    g_mutex_lock (self->device->one_launch);
  status = cl->EnqueueNDRangeKernel (queue, kernel, 3, offset, size, group, 0, NULL, event);
  if (self->device->one_launch && status == CL_SUCCESS)
    {
      waited = cl->WaitForEvents (1, event);
      if (waited != CL_SUCCESS && waited != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        cl->Finish (queue);
    }
  if (self->device->one_launch)
    g_mutex_unlock (self->device->one_launch);
  return status;
}

gint
tessera_program_launch (TesseraProgram *self, TesseraQueue *queue, const gchar *kernel_name,
                        const gsize offset[3], const gsize size[3], const gsize group[3],
                        const TesseraRawArg *args, guint n_args, TesseraEvent **event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = CL_SUCCESS;
  Kernel             *kernel;
  size_t              fitting[3] = { group[0], group[1], group[2] };

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  g_mutex_lock (&self->lock);
  if (! self->is_done)                  /* it has been forgotten meanwhile */
    {
      build_locked (cl, self);
      status = self->status;
    }
  kernel = status == CL_SUCCESS ? kernel_locked (cl, self, kernel_name, &status) : NULL;
  if (kernel)
    status = set_args (cl, kernel->object, args, n_args);
  /* A kernel with many registers may allow only smaller groups.  Halves still divide the sizes. */
  for (gint d = 0; kernel && kernel->most > 0 && fitting[0] * fitting[1] * fitting[2] > kernel->most;
       d = (d + 1) % 3)
    fitting[d] = fitting[d] % 2 == 0 ? fitting[d] / 2 : 1;
  if (status == CL_SUCCESS)
    status = enqueue (self, tessera_queue_object (queue, LANE_RUN), kernel->object, offset, size, fitting, event);
  g_mutex_unlock (&self->lock);
  if (tessera_note_event (status, event) != CL_SUCCESS)
    return status;
  if (! g_atomic_int_get (&kernel->mark.is_proven))
    tessera_queue_note_unproven (queue, &kernel->mark);
  tessera_count (launches, 1);
  return CL_SUCCESS;
}

/* Requests may have the program and marks of its kernels: these stay where they are. */
static void
forget_locked (const TesseraClApi *cl, TesseraProgram *self)
{
  GHashTableIter iter;
  gpointer       value;

  g_hash_table_iter_init (&iter, self->kernels);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Kernel *kernel = value;

      if (kernel->object)
        cl->ReleaseKernel (kernel->object);
      kernel->object = NULL;
      g_atomic_int_set (&kernel->mark.is_proven, FALSE);
    }
  self->n_kernels = 0;
  release_object (cl, self);
  self->is_done = self->is_wrong = FALSE;
}

void
tessera_program_forget (gboolean all)
{
  g_mutex_lock (&lock);
  for (GList *link = programs; link; link = link->next)
    {
      TesseraProgram *self = link->data;

      if (all)
        {
          g_mutex_lock (&self->lock);
          forget_locked (tessera_cl_api (), self);
          g_mutex_unlock (&self->lock);
        }
      else if (g_mutex_trylock (&self->lock))           /* a program that is being built has nothing to forget */
        {
          self->is_done = self->is_wrong || (self->status == CL_SUCCESS && self->object);
          g_mutex_unlock (&self->lock);
        }
    }
  g_mutex_unlock (&lock);
}
