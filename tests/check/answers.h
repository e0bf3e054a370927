/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * answers.h: the parity driver for what is answered in numbers, not in pixels: shifts, weights, matches, tracks.
 *
 * An AnswerRow is the table of one subject.  Its inputs are drawn; each answer is compared with a reference in double,
 * with that of other threads, with what a law foresees for a changed input, and with that of the device, whatever fails
 * there.  What no drawn input shows is in `special`.  A program has the rows of one room (answers_run), and `PROGRAM
 * ROW --case N` repeats a case. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "tessera-control.h"
#include "tessera.h"

#define ANSWER_MOST_LAWS 8

/* A number that is expected, and how far an answer may be off: 0: not at all; INFINITY: anything is right. */
typedef struct
{
  gdouble value, within;
} AnswerWanted;

typedef struct
{
  const gchar *name;            /* "twice as bright" */
  /* Changes an input, and what was answered to it (each within 0) into what must be answered then.  FALSE: nothing is
   * foreseen. */
  gboolean (*change) (guint64 seed, gpointer input, GArray *wanted);
} AnswerLaw;

typedef struct
{
  const gchar *name;            /* "tracks" */
  gint         cases;           /* drawn ones, by default */
  gpointer (*draw) (guint64  seed,
                    gboolean is_small); /* the same input for a seed; small: for a device that looks at each access */
  gchar     *(*describe)  (gconstpointer input);
  void       (*clear)     (gpointer input);
  /* Appends numbers; floats and whole numbers are doubles exactly.  `errand` NULL: in C.  FALSE: OpenCL is forced and
   * could not run. */
  gboolean   (*compute)   (const TesseraErrand *errand, gconstpointer input, GArray *numbers);
  /* Sets what is wanted: as many as `numbers`, the product's, which tell which of equally good answers was given. */
  void       (*reference) (gconstpointer input, const GArray *numbers, GArray *wanted);
  const gchar *tolerance;       /* why an answer may be off, printed with a failure */
  AnswerLaw    laws[ANSWER_MOST_LAWS + 1];      /* the last has no name */
  const gchar *kernel;          /* one that a request launches; NULL: all is in C */
  gboolean   (*is_asked)  (gconstpointer input);        /* of the device; NULL: each */
  gpointer   (*sized)     (const gint *sizes);          /* of --time, and what faults are tried on; NULL: all is in C */
  void       (*special)   (void);               /* or NULL; all there is of a row that draws nothing */
  gboolean     is_plain;        /* needs no GEGL, which takes long to begin */
} AnswerRow;

void answer_add  (GArray *numbers, gdouble number);
/* Appends what is wanted. */
void answer_want (GArray *wanted, gdouble value, gdouble within);

/* For a device that looks at each access; only rows that draw nothing have to ask. */
gboolean answers_are_small (void);

/* What main returns.  Rows that are not named are all run. */
gint answers_run (const AnswerRow *const *rows, gint n, gint argc, gchar **argv);

#endif
