/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The case study's device: programs, buffers, timed launches.
 */
#include "case-study.h"

#include <gmodule.h>
#include <stdlib.h>
#include <time.h>

#define BATCH_MS 5.0            /* launches that are timed together */

static void
must (const Study *study, cl_int status, const gchar *what)
{
  if (status == CL_SUCCESS)
    return;
  g_printerr ("case-study: %s: OpenCL error %d on %s\n", what, status, study->name ? study->name : "no device");
  exit (1);
}

static void
load_entry_points (Study *study)
{
  GModule *module;
  gboolean complete;

  if (! doctor_cl_open (&study->base))
    {
      g_printerr ("case-study: no OpenCL: %s\n", study->base.missing);
      exit (1);
    }
  module = g_module_open (study->base.loader, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  complete = module != NULL;
#define LOAD(name) complete = complete && g_module_symbol (module, "cl" #name, (gpointer *) &study->name);
  STUDY_ENTRY_POINTS (LOAD)
#undef LOAD
  if (! complete)
    {
      g_printerr ("case-study: %s lacks entry points\n", study->base.loader);
      exit (1);
    }
}

void
study_open (Study *study, const gchar *kind)
{
  const DoctorCl          *cl = &study->base;
  cl_device_type           type = 0;
  cl_int                   status;
  gboolean                 images;

  load_entry_points (study);
  if (kind)
    study->device = doctor_cl_pick (cl, doctor_cl_type (kind), &images);
  else if (! (study->device = doctor_cl_pick (cl, CL_DEVICE_TYPE_GPU, &images)))
    study->device = doctor_cl_pick (cl, CL_DEVICE_TYPE_CPU, &images);
  must (study, study->device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "looking for a device");
  study->name = doctor_cl_text (cl, study->device, CL_DEVICE_NAME);
  cl->GetDeviceInfo (study->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  cl->GetDeviceInfo (study->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof study->local_bytes, &study->local_bytes, NULL);
  study->is_processor = (type & CL_DEVICE_TYPE_CPU) != 0;
  study->context = cl->CreateContext (NULL, 1, &study->device, NULL, NULL, &status);
  must (study, status, "making a context");
  study->queue = cl->CreateCommandQueue (study->context, study->device, 0, &status);
  must (study, status, "making a queue");
}

cl_program
study_program (Study *study, const gchar *source, const gchar *options)
{
  cl_int     status;
  cl_program program = study->CreateProgramWithSource (study->context, 1, &source, NULL, &status);

  must (study, status, "making a program");
  status = study->BuildProgram (program, 1, &study->device, options, NULL, NULL);
  if (status != CL_SUCCESS)
    {
      gchar log[4096] = "";

      study->GetProgramBuildInfo (program, study->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
      g_printerr ("%s\n", log);
    }
  must (study, status, "building a program");
  return program;
}

cl_mem
study_buffer (Study *study, gsize bytes, gconstpointer content)
{
  cl_int status;
  cl_mem buffer = study->base.CreateBuffer (study->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

  must (study, status, "allocating");
  if (content)
    must (study, study->base.EnqueueWriteBuffer (study->queue, buffer, CL_TRUE, 0, bytes, content, 0, NULL, NULL),
          "uploading");
  return buffer;
}

void
study_read (Study *study, cl_mem from, gsize bytes, gpointer to)
{
  must (study, study->base.EnqueueReadBuffer (study->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
        "downloading");
}

/* By the clock; on a processor the time that all threads worked, which other programs disturb
 * less. */
static gdouble
now_ms (const Study *study)
{
  return study->is_processor ? clock () * 1e3 / CLOCKS_PER_SEC : g_get_monotonic_time () / 1e3;
}

/* Milliseconds of each of `launches`; not by events: PoCL 3.1 aborts in the second launch
 * after one has been released. */
static gdouble
launch (Study *study, cl_kernel kernel, const gsize size[2], const gsize group[2], gint launches)
{
  gdouble began = now_ms (study);

  for (gint i = 0; i < launches; i++)
    must (study, study->EnqueueNDRangeKernel (study->queue, kernel, 2, NULL, size, group, 0, NULL, NULL),
          "launching a kernel");
  must (study, study->base.Finish (study->queue), "running a kernel");
  return (now_ms (study) - began) / launches;
}

gdouble
study_time (Study *study, cl_program program, const gchar *name, const gsize size[2], const gsize group[2],
            const StudyArg *args, gint n_args)
{
  cl_int    status;
  cl_kernel kernel = study->CreateKernel (program, name, &status);
  gdouble   best;
  gint      launches;

  must (study, status, name);
  for (gint i = 0; i < n_args; i++)
    must (study, study->SetKernelArg (kernel, i, args[i].bytes, args[i].value), name);
  launch (study, kernel, size, group, 1);
  best = launch (study, kernel, size, group, 1);
  launches = CLAMP ((gint) (BATCH_MS / MAX (best, 1e-3)), 1, 100);
  for (gint i = 0; i < study->runs; i++)
    best = MIN (best, launch (study, kernel, size, group, launches));
  study->ReleaseKernel (kernel);
  return best;
}

gfloat *
study_picture (gint width, gint height)
{
  const gsize n = 4 * (gsize) width * height;
  gfloat     *pixels = g_new (gfloat, n);
  guint32     state = 1;

  for (gsize i = 0; i < n; i++)
    {
      state = state * 1664525 + 1013904223;
      pixels[i] = (state >> 8) * 0x1p-24f;
    }
  return pixels;
}
