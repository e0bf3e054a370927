/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One filter under every failure of the driver. */
#ifndef DRIVER_WALK_H
#define DRIVER_WALK_H

#include "driver.h"

typedef struct
{
  const DriverCase *c;
  DriverPicture     picture;
  gfloat           *in_c, *on_device;
  guint32           seed;               /* of the next picture about which the driver lies */
  guint64           requests;           /* that the operation makes of the engine, each with a filter of its own */
} Walk;

typedef enum
{
  FORGET_NOTHING = 0,
  FORGET_OBJECTS = 1 << 0,      /* queues, programs and kernels are made anew */
  FORGET_AFTER   = 1 << 1       /* and once more for the next request */
} FaultFlags;

/* The two usual results; FALSE where there is no usual one. */
gboolean walk_init     (Walk *walk, const DriverCase *c);
void     walk_clear    (Walk *walk);

/* One request under `plan`, and one without; FALSE when the plan was not met. */
gboolean walk_fault    (Walk *walk, const gchar *plan, FaultFlags flags);

/* The driver lies about pixels: C's come, and a line for each filter says why. */
void     walk_lie      (Walk *walk, const gchar *plan);
/* Every launch in two parts, left and right: still C's, on the device. */
void     walk_cut      (Walk *walk);

/* All of them.  `met` collects the entry points in which something failed. */
void     walk_all      (Walk *walk, GHashTable *met);

/* Makes the engine let go of all that it can make anew. */
void     forget_objects (void);

#endif
