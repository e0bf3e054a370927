/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches on the device (opencl/kernels/match.cl).  Both lists travel as pictures: a row of 32 words is a descriptor.  The answer has a pixel of four
 * words for each descriptor of A.
 */
#include "config.h"

#include "match-parts.h"

#include <gegl-plugin.h>

#include "match.cl.h"
#include "trial.h"

#define WORDS     (DESCRIPTOR_LENGTH / 4)
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
  return ((gsize) task->n_a + task->n_b) * sizeof (gfloat) + 3 * plane_bytes (&cut) + key_bytes (&cut, task);
}

static gint
device (TesseraBand *band)
{
  const MatchTask *task = band->request->params;
  const Cut        cut = cut_for (task);
  TesseraMemory   *a = band->input.memory, *b = band->aux.memory, *a_norms, *b_norms, *best, *second, *index, *keys;
  const gint       n_a = task->n_a, n_b = task->n_b, none = 0;
  const gdouble    panels = ((gdouble) n_b + cut.across * SIDE - 1) / (cut.across * SIDE);

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
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "match_answer", .size = { n_a }, .cost = 3 * cut.across + cut.chunks,
    .args = { ARG (best), ARG (second), ARG (index), ARG (keys), ARG (n_a), ARG (n_b), ARG (cut.across), ARG (cut.stride), ARG (band->output.memory) }
  });
}

/* ----------------------------------------------------------------- the request -- */

static void
rows_in_c (const TesseraRequest *request)
{
  const MatchTask *task = request->params;
  g_autofree MatchRow *rows = g_new (MatchRow, task->n_a);

  match_rows (task, rows);
  tessera_write (request->output, &request->roi, request->output_format, (gfloat *) rows, sizeof *rows);
}

static guint64
work (const TesseraRequest *request)
{
  const MatchTask *task = request->params;

  return (guint64) task->n_a * task->n_b / PRODUCTS + 1;
}

static const TesseraFilter match_filter = {
  .name = "match", .source = tessera_match_cl, .spread = rows_in_c, .scratch_bytes = scratch_bytes, .device = device,
  .work = work, .whole = TRUE, .answers = TRUE
};

/* The buffer does not outlive the descriptors, and nobody writes into it. */
static GeglBuffer *
buffer_of (const guint8 *descriptors, gint n)
{
  return gegl_buffer_linear_new_from_data ((gpointer) descriptors, babl_format ("Y float"), GEGL_RECTANGLE (0, 0, WORDS, n), 0, NULL, NULL);
}

/* With which a device is checked: it takes all points, so that there are some in a small picture. */
static GeglOperation *
trial (void)
{
  static gsize node;

  return trial_operation (&node, "tessera:align", "contrast-threshold", 0.0, NULL);
}

gboolean
match_process (const TesseraRequest *like, const MatchTask *task, MatchRow *rows)
{
  const gint     n = task->n_a;
  const Babl    *format = babl_format_n (babl_type ("float"), sizeof *rows / sizeof (gfloat));
  TesseraRequest request = {
    .filter = &match_filter, .operation = like->operation, .checked_with = trial (), .params = task, .progress_from = like->progress_from, .progress_to = like->progress_to,
    .input = buffer_of (task->a, n), .aux = buffer_of (task->b, task->n_b),
    .input_format = babl_format ("Y float"), .aux_format = babl_format ("Y float"), .output_format = format,
    .output = gegl_buffer_linear_new_from_data (rows, format, GEGL_RECTANGLE (0, 0, 1, n), 0, NULL, NULL),
    .roi = { 0, 0, 1, n }, .bounds = { 0, 0, WORDS, n }, .aux_bounds = { 0, 0, WORDS, task->n_b },
    .halo = { 0, 0, WORDS - 1, MAX (0, task->n_b - n) }
  };
  const gboolean done = tessera_process (&request);

  for (gint i = 0; i < n && done; i++)  /* a device that is not checked yet may write anything */
    rows[i].index = CLAMP (rows[i].index, 0, task->n_b - 1);
  g_object_unref (request.output);
  g_object_unref (request.aux);
  g_object_unref (request.input);
  return done;
}
