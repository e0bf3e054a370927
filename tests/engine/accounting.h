/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * accounting.h: what the parts of `accounting` share. */
#ifndef ACCOUNTING_H
#define ACCOUNTING_H

#include <gegl.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"
#include "../../tools/connect.h"

#define MIB (1 << 20)

/* A filter with properties. */
typedef struct
{
  const gchar *operation;
  const gchar *settings;        /* "length=13 border=2" */
  const gchar *working;         /* its babl format */
  gdouble      cost;            /* nanoseconds a pixel, about */
  gfloat       range;           /* of the content: 0 .. range */
  gboolean     has_aux;
  const gchar *results;         /* properties that are numbers: they are compared with the pixels */
} Setting;

typedef struct
{
  const Setting *setting;
  const gchar   *format;        /* of the input; NULL: the working format */
  gint           width, height;
} Case;

/* --- accounting.c: runs ------------------------------------------- */

gchar   *case_name    (const Case *c);

/* A graph with its images, for any number of requests. */
typedef struct
{
  GeglNode  *graph, *node;
  GeglBuffer *input, *aux;
  const Babl *format;           /* of the result */
  gint       width, height;
  gchar    **results;           /* names; empty without any */
} Picture;

void     picture_init  (Picture *picture, const Case *c);
void     picture_clear (Picture *picture);
/* Of the pixels, and behind them the results that are numbers. */
gsize    picture_bytes (const Picture *picture);
void     picture_blit  (const Picture *picture, gpointer pixels);
/* Alike to the bit: `what` %u (number) that is not fails with the first difference. */
void     expect_same   (const Picture *picture, gconstpointer in_c, gconstpointer pixels, const gchar *name,
                        const gchar *what, guint number);

/* --- accounting-ledger.c -------------------------------------------------------- */

/* What the lines of TESSERA_DEBUG=memory add up to. */
typedef struct
{
  guint64 device, pinned;               /* allocated less released */
  guint64 peak_device, peak_pinned;     /* since ledger_restart */
  guint64 most_device, most_pinned;     /* ever */
  guint64 lines;
  gboolean is_wrong;                    /* released more than there was */
} Ledger;

void   ledger_open    (void);           /* before the engine's first message */
void   ledger_restart (void);
Ledger ledger_read    (void);

/* The requests that reached the engine since plan_restart: what their bands need.  The bytes are those of all together. */
typedef struct
{
  guint         requests, must, may;    /* those whose lowest band fits the limit for sure, and those whose lowest band may fit it */
  guint64       least;                  /* device bytes of the lowest band that needs most */
  guint64       whole, at_rows;         /* device bytes of the whole as one, and of `rows` */
  guint64       slack;                  /* tables that all bands share, rounding of sizes */
} Plan;

/* The band height to plan for, and the bytes that a device may give. */
void   plan_restart   (gint rows, guint64 limit);
Plan   plan_read      (void);

/* --- the tests ------------------------------------------------------------------- */

void   accounting_limits (const Setting *settings, guint n, gboolean more);
void   accounting_steady (const Setting *settings, guint n);

#endif
