/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * GEGL's device, or the engine's own.
 */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "status.h"

/* Constant once it is usable. */
typedef struct
{
  gboolean is_usable;
  gboolean is_being_asked;
  gint64   ask_again;           /* when to ask a device (again) that did not answer; 0: never */
  gpointer context, device;     /* cl_context, cl_device_id */
  gchar   *name;                /* "NVIDIA H200 (NVIDIA CUDA)" */
  gchar   *driver;              /* its version */
  gchar   *build_options;
  guint64  memory, max_allocation;
  guint    units;               /* processors of the device; 0: it does not tell */
  gboolean is_processor;        /* the device is the host's own processor */
  gboolean has_doubles;         /* double precision */
  GMutex  *one_launch;          /* held while a kernel runs; NULL: launches may overlap */
} TesseraDevice;

/* The device for a context and a device (void pointers: GEGL's, by choice.c, or tessera_own_device's), or NULL.  The reason has
 * been logged once then. */
const TesseraDevice *tessera_device (gpointer context, gpointer device);
/* Asks a device that did not answer again at once. */
void tessera_device_retry (void);

/* Device memory that the engine may hold, in bytes. */
guint64 tessera_budget (const TesseraDevice *device);

/* Opens a context of our own, once in a process; others wait meanwhile.  A driver takes 0.2 to 0.7 s for this. */
void     tessera_own_open     (void);
gboolean tessera_own_is_asked (void);
/* Its cl_context and cl_device_id; NULL where it is not open yet, or there is none. */
void     tessera_own_device   (gpointer *context, gpointer *device);

#endif
