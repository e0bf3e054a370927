/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An OpenCL device by itself, without GEGL, for the case study.
 * case-study.c: options and the table; case-study-run.c: the device.
 */
#ifndef CASE_STUDY_H
#define CASE_STUDY_H

#include "../doctor/cl-open.h"

#define STUDY_ENTRY_POINTS(X)                                                       \
  X (CreateProgramWithSource) X (BuildProgram) X (GetProgramBuildInfo)              \
  X (ReleaseProgram) X (CreateKernel) X (ReleaseKernel) X (SetKernelArg)            \
  X (EnqueueNDRangeKernel)

typedef struct
{
  DoctorCl         base;
#define MEMBER(name) __typeof__ (&cl##name) name;
  STUDY_ENTRY_POINTS (MEMBER)
#undef MEMBER
  cl_device_id     device;
  cl_context       context;
  cl_command_queue queue;
  cl_ulong         local_bytes;
  gboolean         is_processor;
  gchar           *name;
  gint             width, height, runs;         /* of a result; timed runs of each kernel */
} Study;

/* An argument of a kernel; value NULL: local memory. */
typedef struct
{
  gsize         bytes;
  gconstpointer value;
} StudyArg;

/* Ends the program with a message where the driver says no. */
void       study_open    (Study *study, const gchar *kind);
cl_program study_program (Study *study, const gchar *source, const gchar *options);
cl_mem     study_buffer  (Study *study, gsize bytes, gconstpointer content);
void       study_read    (Study *study, cl_mem from, gsize bytes, gpointer to);
/* The best of the runs, milliseconds. */
gdouble    study_time    (Study *study, cl_program program, const gchar *kernel, const gsize size[2],
                          const gsize group[2], const StudyArg *args, gint n_args);
/* Pixels of four floats, all different. */
gfloat    *study_picture (gint width, gint height);

#endif
