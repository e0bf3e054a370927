/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches on the device (opencl/kernels/match.cl).  Both lists travel as tables; the answer is a MatchRow for each descriptor of A.
 */
#include "config.h"

#include "match-parts.h"

#include <gegl-plugin.h>

#include "match.cl.h"

#define WORDS     (DESCRIPTOR_LENGTH / 4)               /* of a descriptor */
#define SIDE      8             /* descriptors of A, and of B, of a work-item: opencl/kernels/match.cl */
#define GROUP     16            /* work-items along both */
#define TILE      (SIDE * GROUP)
#define PART      16            /* components in local memory: opencl/kernels/match.cl */
#define CHUNK     512           /* rows that share the keys of columns: opencl/kernels/match.cl */
#define GROUPS    4096          /* enough of them for a large device, about; each row of A has a place for each work-item along B */
#define PRODUCTS  256           /* that take as long as a pixel of a plain filter, so that C takes less than 2000 x 2000 descriptors.  H200, 16 threads of
                                 * C, 2026-11-23: 2.4 ms there in C, 0.5 on the device, but 20 the first time.  (250 x 250: 0.39 and 0.29.) */
#define PRODUCTS_A_READ 25      /* of components, on a small device */

/* How the work is cut. */
typedef struct
{
  gint across;                  /* work-items along B */
  gint stride;                  /* rows of A, rounded up */
  gint chunks;
} Cut;

static Cut
cut_for (const MatchTask *task)
{
  const gint blocks = (task->n_a + TILE - 1) / TILE, panels = (task->n_b + TILE - 1) / TILE;

  return (Cut) { CLAMP (GROUPS / blocks, 1, panels) * GROUP, (task->n_a + SIDE - 1) / SIDE * SIDE, (task->n_a + CHUNK - 1) / CHUNK };
}

static gsize
plane_bytes (const Cut *cut)
{
  return (gsize) cut->across * cut->stride * sizeof (gfloat);
}

static gsize
key_bytes (const Cut *cut, const MatchTask *task)
{
  return (gsize) cut->chunks * task->n_b * sizeof (guint32);
}

static gsize
scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const MatchTask *task = request->params;
  const Cut        cut = cut_for (task);

  if ((gsize) cut.chunks * task->n_b > G_MAXINT)        /* the keys could not be counted: C */
    return G_MAXINT64;
  return ((gsize) task->n_a + task->n_b) * (DESCRIPTOR_LENGTH + sizeof (gfloat)) + task->n_a * sizeof (MatchRow) + 3 * plane_bytes (&cut) + key_bytes (&cut, task);
}

/* A device that is not checked yet may write anything. */
static gint
answer (TesseraBand *band, TesseraMemory *memory)
{
  const MatchTask *task = band->request->params;
  const gsize      bytes = task->n_a * sizeof (MatchRow);
  MatchRow        *rows = g_malloc (bytes);
  const gint       status = tessera_fetch (band, memory, bytes, rows);

  for (gint i = 0; i < task->n_a && status == 0; i++)
    rows[i].index = CLAMP (rows[i].index, 0, task->n_b - 1);
  tessera_answer (band->request, rows, status == 0 ? bytes : 0);
  return status;
}

static gint
device (TesseraBand *band)
{
  const MatchTask *task = band->request->params;
  const Cut        cut = cut_for (task);
  TesseraMemory   *a, *b, *rows, *a_norms, *b_norms, *best, *second, *index, *keys;
  const gint       n_a = task->n_a, n_b = task->n_b, none = 0;
  const gdouble    panels = ((gdouble) n_b + cut.across * SIDE - 1) / (cut.across * SIDE);

  tessera_table (band, task->a, (gsize) n_a * DESCRIPTOR_LENGTH, &a);
  tessera_table (band, task->b, (gsize) n_b * DESCRIPTOR_LENGTH, &b);
  tessera_scratch (band, n_a * sizeof (MatchRow), &rows);
  tessera_scratch (band, n_a * sizeof (gfloat), &a_norms);
  tessera_scratch (band, n_b * sizeof (gfloat), &b_norms);
  tessera_scratch (band, plane_bytes (&cut), &best);
  tessera_scratch (band, plane_bytes (&cut), &second);
  tessera_scratch (band, plane_bytes (&cut), &index);
  tessera_scratch (band, key_bytes (&cut, task), &keys);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "match_norms", .size = { n_a }, .cost = WORDS, .args = { ARG (a), ARG (n_a), ARG (a_norms), ARG (keys), ARG (none) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "match_norms", .size = { n_b }, .cost = WORDS, .args = { ARG (b), ARG (n_b), ARG (b_norms), ARG (keys), ARG (cut.chunks) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "match_tiles", .size = { cut.across, cut.stride / SIDE }, .group = { GROUP, GROUP },
    .cost = panels * SIDE * SIDE * DESCRIPTOR_LENGTH / PRODUCTS_A_READ,
    .args = { ARG (a), ARG (b), ARG (a_norms), ARG (b_norms), ARG (n_a), ARG (n_b), ARG (cut.across), ARG (cut.stride), ARG (best), ARG (second),
              ARG (index), ARG (keys), LOCAL_ARG (TILE * PART * sizeof (gfloat)), LOCAL_ARG (TILE * PART * sizeof (gfloat)) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "match_answer", .size = { n_a }, .cost = 3 * cut.across + cut.chunks,
    .args = { ARG (best), ARG (second), ARG (index), ARG (keys), ARG (n_a), ARG (n_b), ARG (cut.across), ARG (cut.stride), ARG (rows) }
  });
  return answer (band, rows);
}

/* ----------------------------------------------------------------- the request -- */

static void
rows_in_c (const TesseraRequest *request)
{
  const MatchTask *task = request->params;
  MatchRow        *rows = g_new (MatchRow, task->n_a);

  match_rows (task, rows);
  tessera_answer (request, rows, task->n_a * sizeof *rows);
}

static guint64
work (const TesseraRequest *request)
{
  const MatchTask *task = request->params;

  return (guint64) task->n_a * task->n_b / PRODUCTS + 1;
}

static const TesseraFilter match_filter = {
  .name = "match", .source = tessera_match_cl, .spread = rows_in_c, .scratch_bytes = scratch_bytes, .device = device,
  .work = work, .whole = TRUE
};

MatchRow *
match_process (const TesseraErrand *errand, const MatchTask *task)
{
  TesseraAnswer        answer = { NULL, 0 };
  const TesseraRequest request = {
    .filter = &match_filter, .errand = *errand, .params = task, .answer = &answer, .is_blind = TRUE
  };

  if (! tessera_process (&request))
    g_clear_pointer (&answer.data, g_free);
  return answer.data;
}
