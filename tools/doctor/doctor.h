/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-doctor: what the parent (report, children, topics) and the parts that
 * run in children share.  Names neither GEGL nor OpenCL types.
 *
 * The parent never starts GEGL and never opens a driver: both happen in children,
 * so that a driver that crashes or hangs, or a module that takes the process
 * down, becomes a line of the report.
 */
#ifndef TESSERA_DOCTOR_H
#define TESSERA_DOCTOR_H

#include <gio/gio.h>

#include "../json.h"

typedef struct
{
  gboolean    quick;            /* small sizes: for tests */
  gint        timeout;          /* seconds that a child may do nothing before it says what it does next */
  gint        budget;           /* seconds for the times of each path */
  gchar      *self;             /* this program */
  gchar      *folder;           /* for the children's files */
  gchar      *topic;            /* the one being reported */
  JsonBuilder *facts, *parts;   /* pieces of JSON: objects, */
  JsonBuilder *issues, *remarks;        /* and lists; written once, at the end */
  GPtrArray  *problems, *remedies, *remark_texts;
  gboolean    device_failed;    /* a filter did not run on the device: said once is enough */
  gboolean    broken;           /* nothing could be examined: exit code 2 */
} Doctor;

/* ------------------------------------------------------------- report.c -- */

void report_topic   (Doctor *doctor, const gchar *title);
void report_fact    (Doctor *doctor, const gchar *label, const gchar *format, ...) G_GNUC_PRINTF (3, 4);
void report_line    (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* What the user should act on, with the remedy; `code` names it in JSON. */
void report_problem (Doctor *doctor, const gchar *code, const gchar *remedy,
                     const gchar *format, ...) G_GNUC_PRINTF (4, 5);

/* Worth knowing, nothing to mend. */
void report_remark  (Doctor *doctor, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* The list of problems and the verdict; returns the exit code. */
gint report_finish  (Doctor *doctor, const gchar *summary);

gboolean report_write_json (Doctor *doctor, const gchar *path, gint code);

/* -------------------------------------------------------------- child.c -- */

typedef enum { PART_DONE, PART_FAILED, PART_CRASHED, PART_HUNG } PartEnd;

/* What a child said: `key=value` lines on its stdout, and its stderr. */
typedef struct
{
  const gchar *name;
  GHashTable  *values;
  gchar      **errors;          /* lines */
  PartEnd      end;
  gint         code;            /* exit code or signal */
  gint         timeout;
  gboolean     busy;            /* it waited for a processor for a quarter of its time */
} Part;

/* `environment`: name, value, name, value, ..., NULL; a value of "" unsets. */
Part        *part_run     (Doctor *doctor, const gchar *name, const gchar *const *environment);
const gchar *part_get     (const Part *part, const gchar *key_format, ...) G_GNUC_PRINTF (2, 3);
gdouble      part_as_number (const gchar *value);        /* -1: there is no value */
#define      part_number(part, ...) part_as_number (part_get (part, __VA_ARGS__))

/* The first line of stderr that contains both texts (either may be NULL), or NULL. */
const gchar *part_error   (const Part *part, const gchar *text, const gchar *another);

/* "crashed (signal 11) while opening libpocl.so.2", or NULL when all went well; g_free it. */
gchar       *part_accident (const Part *part);
void         part_free    (Part *part);

/* Where the time of a child went, in seconds. */
typedef struct
{
  gdouble computed, waited, idle;
  gdouble so_far;               /* what it had computed when looked at last */
  gint64  looked;
} OwnTime;

/* Adds what passed since it was looked at last. */
void   own_time_look (OwnTime *self, const gchar *pid);

/* "load 26 on 2 processors"; g_free it. */
gchar *own_time_load (void);

/* The environment variable that tells a child with which operation to begin. */
#define DOCTOR_FIRST "TESSERA_DOCTOR_FIRST"

/* In a child: one line, at once. */
void say       (const gchar *key, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void say_doing (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

/* The parts; each returns the child's exit code. */
gint run_part_host     (void);          /* versions, operations: GEGL without OpenCL */
gint run_part_icds     (void);          /* opens each driver */
gint run_part_list     (void);          /* platforms and devices */
gint run_part_start    (void);          /* GEGL with OpenCL */
gint run_part_filters  (gboolean quick);
gint run_part_transfer (gboolean quick);
gint run_part_speed    (gboolean quick, gint budget);

/* ---------------------------------------------------------------- icd.c -- */

typedef struct
{
  gchar *file;                  /* the .icd file, or NULL for a library named in the environment */
  gchar *library;
} Icd;

/* What the loader will open, and a line on where that was said. */
GPtrArray *icd_list      (gchar **origin);

/* The Debian package of a driver, or NULL. */
const gchar *icd_package (const Icd *icd);

/* --------------------------------------------------------------- topics -- */

/* The kind of device to look at: "gpu", "cpu", "accelerator"; NULL: none. */
typedef struct
{
  const gchar *kind;
  gchar       *title;           /* "NAME (PLATFORM)" */
  gboolean     is_cpu;
  gboolean     asked;           /* through GEGL_USE_OPENCL */
} Choice;

void topic_host        (Doctor *doctor, gchar ***operations);
void topic_environment (Doctor *doctor);
void topic_opencl      (Doctor *doctor, Choice *choice);
void topic_device      (Doctor *doctor, Choice *choice, gchar **operations);
void topic_transfer    (Doctor *doctor, const Choice *choice);
void topic_speed       (Doctor *doctor, const Choice *choice, gchar **operations);

#endif
