/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs and their kernels, built once a process.  If the compiler refuses a program, that is
 * remembered, because some drivers need seconds to say so.  Other failures are not remembered.
 *
 * Nothing of OpenCL is called with a lock held.  Who wants a program that is being built waits for a condition.  A kernel object
 * belongs to one thread from its arguments to its launch.  So there are as many of a kernel as threads have launched it at the same time.
 */
#include "program.h"

#include "cl-api.h"
#include "counters.h"
#include "engine.cl.h"
#include "messages.h"
#include "settings.h"

struct _TesseraProgram
{
  TesseraText  text;
  gpointer     context;
  const TesseraDevice *device;
  GMutex       lock;            /* guards what follows */
  GCond        changed;
  gboolean     is_being_built;  /* by one thread, which has object and status for itself */
  guint        n_users;         /* threads that use the object */
  gboolean     is_done;         /* built, or refused */
  gboolean     is_wrong;        /* refused for good: it gives other results than C */
  gint         status;
  gpointer     object;          /* cl_program */
  gchar       *key;             /* under which it is kept (compile.h), or NULL */
  GHashTable  *kernels;         /* name -> Kernel */
};

/* A kernel of a program. */
typedef struct
{
  GPtrArray   *idle;            /* cl_kernel */
  size_t       most;            /* work-items a group */
  const gchar *name;            /* interned */
  GHashTable  *marks;           /* variant -> TesseraProofMark */
} Kernel;

/* What one launch has of a kernel. */
typedef struct
{
  Kernel           *kernel;
  TesseraProofMark *mark;
  cl_kernel         object;
  size_t            most;
} Taken;

const TesseraText tessera_engine_text = { .name = "engine", .source = tessera_engine_cl };

static GMutex lock;             /* guards the list's head; the list only grows */
static GList *programs;

/* Builds it if nobody has, or waits for who does.  The lock is not held meanwhile. */
static gint
built_locked (TesseraProgram *self)
{
  gint status;

  while (self->is_being_built)
    g_cond_wait (&self->changed, &self->lock);
  if (self->is_done)
    return self->status;
  self->is_being_built = TRUE;
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&self->key, g_free);
  status = tessera_compile (self->device, &self->text, &self->object, &self->key);
  g_mutex_lock (&self->lock);
  self->is_being_built = FALSE;
  self->is_done = self->is_wrong || status == 0 || tessera_outcome (status) == TESSERA_REFUSED;
  if (! self->is_wrong)
    self->status = status;
  g_cond_broadcast (&self->changed);
  return self->status;
}

/* A module and a program may each have the source; what is proven of the kernels of one is so of the other's. */
static gboolean
is_same_text (const TesseraText *a, const TesseraText *b)
{
  return g_strcmp0 (a->define, b->define) == 0
         && (a->source == b->source || (g_str_equal (a->name, b->name) && g_str_equal (a->source, b->source)));
}

static TesseraProgram *
find_or_add (const TesseraDevice *device, const TesseraText *text)
{
  TesseraProgram *self = NULL;

  g_mutex_lock (&lock);
  for (GList *link = programs; link && ! self; link = link->next)
    {
      TesseraProgram *other = link->data;

      if (other->context == device->context && is_same_text (&other->text, text))
        self = other;
    }
  if (! self)
    {
      self = g_new0 (TesseraProgram, 1);
      g_mutex_init (&self->lock);
      g_cond_init (&self->changed);
      self->context = device->context;
      self->device = device;
      self->text = (TesseraText) { g_strdup (text->name), text->source, text->define };
      self->kernels = g_hash_table_new (g_str_hash, g_str_equal);
      programs = g_list_prepend (programs, self);
    }
  g_mutex_unlock (&lock);
  return self;
}

gint
tessera_program_get (const TesseraDevice *device, const TesseraText *text, TesseraProgram **result)
{
  TesseraProgram *self = find_or_add (device, text);
  gint            status;

  g_mutex_lock (&self->lock);
  status = built_locked (self);
  g_mutex_unlock (&self->lock);
  *result = self;
  return status;
}

gboolean
tessera_program_is_done (const TesseraDevice *device, const TesseraText *text, gboolean *is_refused)
{
  TesseraProgram *self = find_or_add (device, text);
  gboolean        is_done;

  g_mutex_lock (&self->lock);
  is_done = self->is_done;
  *is_refused = is_done && self->status != 0;
  g_mutex_unlock (&self->lock);
  return is_done;
}

gint
tessera_program_refuse (TesseraProgram *self)
{
  g_autofree gchar *key = NULL;

  g_mutex_lock (&self->lock);
  self->status = tessera_error (TESSERA_REFUSED);
  self->is_done = self->is_wrong = TRUE;
  key = self->is_being_built ? NULL : g_strdup (self->key);
  g_mutex_unlock (&self->lock);
  if (key)                      /* the next process asks the compiler */
    tessera_compile_forget (key);
  return tessera_error (TESSERA_REFUSED);
}

static Kernel *
kernel_locked (TesseraProgram *self, const gchar *name)
{
  Kernel *kernel = g_hash_table_lookup (self->kernels, name);

  if (! kernel)
    {
      kernel = g_new0 (Kernel, 1);
      kernel->idle = g_ptr_array_new ();
      kernel->name = g_intern_string (name);
      kernel->marks = g_hash_table_new (NULL, NULL);
      g_hash_table_insert (self->kernels, (gpointer) kernel->name, kernel);
    }
  return kernel;
}

static TesseraProofMark *
mark_locked (Kernel *kernel, guint variant)
{
  TesseraProofMark *mark = g_hash_table_lookup (kernel->marks, GUINT_TO_POINTER (variant));

  if (! mark)
    g_hash_table_insert (kernel->marks, GUINT_TO_POINTER (variant), mark = g_new0 (TesseraProofMark, 1));
  return mark;
}

static cl_int
make_kernel (const TesseraProgram *self, const gchar *name, cl_kernel *object, size_t *most)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = CL_SUCCESS;

  if (tessera_fault (FAULT_KERNEL))
    return CL_INVALID_OPERATION;
  *object = cl->CreateKernel (self->object, name, &status);
  if (status != CL_SUCCESS && self->key)
    tessera_compile_forget (self->key);    /* it may be what was kept that lacks it */
  if (status != CL_SUCCESS)
    return status;
  status = cl->GetKernelWorkGroupInfo (*object, self->device->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof *most, most, NULL);
  if (status == CL_SUCCESS)
    tessera_count (objects_created, 1);
  else
    cl->ReleaseKernel (*object);
  return status;
}

/* An object of the kernel for this thread alone, one that is idle or a new one.  give_kernel must follow, unless it failed. */
static gint
take_kernel (TesseraProgram *self, const gchar *name, guint variant, Taken *taken)
{
  gint status;

  taken->object = NULL;
  g_mutex_lock (&self->lock);
  status = built_locked (self);         /* it may have been forgotten meanwhile */
  if (status == 0)
    {
      taken->kernel = kernel_locked (self, name);
      taken->mark = mark_locked (taken->kernel, variant);
      if (taken->kernel->idle->len > 0)
        taken->object = g_ptr_array_steal_index_fast (taken->kernel->idle, taken->kernel->idle->len - 1);
      taken->most = taken->kernel->most;
      self->n_users++;
    }
  g_mutex_unlock (&self->lock);
  if (status == 0 && ! taken->object)
    {
      status = make_kernel (self, name, &taken->object, &taken->most);
      g_mutex_lock (&self->lock);
      taken->kernel->most = taken->most;
      if (status != 0 && --self->n_users == 0)
        g_cond_broadcast (&self->changed);
      g_mutex_unlock (&self->lock);
    }
  return status;
}

static void
give_kernel (TesseraProgram *self, const Taken *taken)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (taken->kernel->idle, taken->object);
  if (--self->n_users == 0)
    g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
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

/* Where launches must not overlap: two programs may have the same text, so none does.  This lock alone is held over a call.  Who waits for the event later sees
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
tessera_program_launch (TesseraProgram *self, TesseraQueue *queue, const gchar *kernel_name, guint variant,
                        const gsize offset[3], const gsize size[3], const gsize group[3],
                        const TesseraRawArg *args, guint n_args, TesseraEvent **event)
{
  gint   status;
  Taken  taken = { .object = NULL };
  size_t fitting[3] = { group[0], group[1], group[2] };

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  if ((status = take_kernel (self, kernel_name, variant, &taken)) != 0)
    return tessera_note_event (status, event);
  status = set_args (tessera_cl_api (), taken.object, args, n_args);
  /* A kernel with many registers may allow only smaller groups.  Halves still divide the sizes. */
  for (gint d = 0; taken.most > 0 && fitting[0] * fitting[1] * fitting[2] > taken.most; d = (d + 1) % 3)
    fitting[d] = fitting[d] % 2 == 0 ? fitting[d] / 2 : 1;
  if (status == CL_SUCCESS)
    status = enqueue (self, tessera_queue_object (queue, LANE_RUN), taken.object, offset, size, fitting, event);
  give_kernel (self, &taken);
  if ((status = tessera_note_event (status, event)) != 0)
    return status;
  if (! g_atomic_int_get (&taken.mark->is_proven))
    tessera_queue_note_unproven (queue, taken.mark);
  tessera_count (launches, 1);
  return 0;
}

/* Takes the objects from it, which the caller releases, once nobody uses them.  Requests may have the program and marks of its
 * kernels: these stay where they are. */
static GPtrArray *
forget_objects (TesseraProgram *self, gpointer *object)
{
  GPtrArray     *idle = g_ptr_array_new ();
  GHashTableIter iter, marks;
  gpointer       value, mark;

  g_mutex_lock (&self->lock);
  while (self->is_being_built || self->n_users > 0)
    g_cond_wait (&self->changed, &self->lock);
  g_hash_table_iter_init (&iter, self->kernels);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Kernel *kernel = value;

      g_ptr_array_extend (idle, kernel->idle, NULL, NULL);
      g_ptr_array_set_size (kernel->idle, 0);
      g_hash_table_iter_init (&marks, kernel->marks);
      while (g_hash_table_iter_next (&marks, NULL, &mark))
        g_atomic_int_set (&((TesseraProofMark *) mark)->is_proven, FALSE);
    }
  *object = g_steal_pointer (&self->object);
  self->is_done = self->is_wrong = FALSE;
  g_mutex_unlock (&self->lock);
  return idle;
}

static void
forget (TesseraProgram *self)
{
  const TesseraClApi *cl = tessera_cl_api ();
  gpointer            object;
  g_autoptr (GPtrArray) idle = forget_objects (self, &object);

  for (guint i = 0; i < idle->len; i++)
    cl->ReleaseKernel (g_ptr_array_index (idle, i));
  if (object)
    cl->ReleaseProgram (object);
}

/* A program that is being built has nothing to forget: what it will be is not known yet. */
static void
try_again (TesseraProgram *self)
{
  g_mutex_lock (&self->lock);
  self->is_done = self->is_wrong || (self->status == 0 && self->is_done);
  g_mutex_unlock (&self->lock);
}

void
tessera_program_forget (gboolean all)
{
  GList *link;

  g_mutex_lock (&lock);
  link = programs;
  g_mutex_unlock (&lock);
  for (; link; link = link->next)
    if (all)
      forget (link->data);
    else
      try_again (link->data);
}
