/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a call of the driver came to.  A status is 0 or an error, which bears the driver's number, for its name, and
 * what it means.  That is decided by who calls the driver; everybody else asks for the outcome alone.
 */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include <glib.h>

typedef enum
{
  TESSERA_DONE,
  TESSERA_FAILED,               /* this time; a driver's number alone means so */
  TESSERA_REFUSED,              /* for good, and a line has said so: a program does not build, or computes otherwise */
  TESSERA_UNASKED,              /* not the device: no plan has room, or what was kept is gone */
  TESSERA_NO_MEMORY,            /* for this; for less there may be some */
  TESSERA_MAYBE_MEMORY          /* the same, or something else */
} TesseraOutcome;

/* Of what the driver says of a call.  What has been through it stays as it is. */
gint           tessera_status       (gint driver);
/* ... of a call that builds a program: want of memory then says nothing about the request. */
gint           tessera_build_status (gint driver);
/* An error of ours: not TESSERA_DONE, and not TESSERA_MAYBE_MEMORY. */
gint           tessera_error        (TesseraOutcome outcome);
TesseraOutcome tessera_outcome      (gint status);
/* "CL_OUT_OF_RESOURCES" and the like; never NULL. */
const gchar   *tessera_error_name   (gint status);

#endif
