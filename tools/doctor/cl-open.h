/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * OpenCL for the doctor itself, through the ICD loader opened at run time.  For
 * files that include no GEGL header.
 */
#ifndef TESSERA_DOCTOR_CL_OPEN_H
#define TESSERA_DOCTOR_CL_OPEN_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <glib.h>

#define DOCTOR_CL_ENTRY_POINTS(X)                                              \
  X (GetPlatformIDs) X (GetPlatformInfo) X (GetDeviceIDs) X (GetDeviceInfo)    \
  X (CreateContext) X (ReleaseContext)                                         \
  X (CreateCommandQueue) X (ReleaseCommandQueue) X (Finish)                    \
  X (CreateBuffer) X (ReleaseMemObject)                                        \
  X (EnqueueMapBuffer) X (EnqueueUnmapMemObject)                               \
  X (EnqueueWriteBuffer) X (EnqueueReadBuffer) X (EnqueueCopyBuffer)

typedef struct
{
#define MEMBER(name) __typeof__ (&cl##name) name;
  DOCTOR_CL_ENTRY_POINTS (MEMBER)
#undef MEMBER
  const gchar *loader;          /* the name that it was opened by */
  gboolean     is_v3;           /* has the entry points of OpenCL 3.0, which GEGL after 0.4.62 asks for */
  gchar       *missing;         /* an entry point that is not there, or why it does not open */
} DoctorCl;

/* FALSE: no usable loader, `missing` says why. */
gboolean doctor_cl_open (DoctorCl *cl);

/* The device that GEGL takes for a type: the first of the first platform whose first
 * one has image support.  NULL: none; *images is FALSE where only that was lacking. */
cl_device_id doctor_cl_pick (const DoctorCl *cl, cl_device_type type, gboolean *images);

/* GEGL_USE_OPENCL as a type; 0 where it names none. */
cl_device_type doctor_cl_type (const gchar *kind);

gchar *doctor_cl_text (const DoctorCl *cl, cl_device_id device, cl_device_info info);

#endif
