/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The costs of a device by which tessera:convolution chooses between global and local
 * memory (operations/convolution-device.c), measured with its own kernels:
 *
 *   global run  a + columns * global_read
 *   staged run  a + columns * local_read + across / group * copy + barriers / batch
 *
 * of one work-item and row of the input, by least squares of relative errors.
 */
#include "case-study.h"

#include "convolution.cl.h"
#include "../../opencl/math/tessera-convolution.h"

#include <stdlib.h>

#define GROUP        128                /* as in convolution-device.c */
#define STAGED_BYTES (16 << 10)
#define PIXEL_BYTES  16

static const cl_int sizes[] = { 3, 5, 7, 9, 11, 15, 21, 31, 45, 63 };

/* y = a + b x, errors relative to y. */
typedef struct { gdouble w, x, y, xx, xy; } Line;

static void
line_add (Line *line, gdouble x, gdouble y)
{
  const gdouble w = 1.0 / (y * y);

  line->w += w;
  line->x += w * x;
  line->y += w * y;
  line->xx += w * x * x;
  line->xy += w * x * y;
}

static gdouble
line_slope (const Line *line)
{
  return (line->w * line->xy - line->x * line->y) / (line->w * line->xx - line->x * line->x);
}

static gdouble
line_start (const Line *line)
{
  return (line->y - line_slope (line) * line->x) / line->w;
}

static cl_int
most_rows (const Study *study, cl_int columns, cl_int rows)
{
  return MIN (rows, (cl_int) (MIN (study->local_bytes, STAGED_BYTES) / ((GROUP + columns - 1) * PIXEL_BYTES)));
}

/* Milliseconds; batch 0: the global kernel. */
static gdouble
run (Study *study, cl_program program, cl_mem input, cl_mem output, const cl_mem tables[2], cl_int n, cl_int batch)
{
  const cl_int    rows = n + CONVOLUTION_STEP - 1, stride = study->width + n - 1, none = 0;
  const cl_int    centre = n / 2 * stride + n / 2;
  const cl_float4 offset = { { 0 } };
  const gsize     size[2] = { study->width, study->height / CONVOLUTION_STEP }, group[2] = { GROUP, 1 };
  const StudyArg  args[] = {
    { sizeof input, &input }, { 4, &stride }, { 4, &none }, { 4, &none }, { 4, &centre },
    { sizeof output, &output }, { 4, &study->width }, { 4, &study->height },
    { sizeof tables[0], &tables[0] }, { sizeof tables[1], &tables[1] }, { 4, &rows }, { 4, &n }, { sizeof offset, &offset }, { 4, &none },
    { (gsize) batch * (GROUP + n - 1) * PIXEL_BYTES, NULL }, { 4, &batch }
  };

  return study_time (study, program, batch ? "convolution_staged" : "convolution_global", size, group, args,
                     batch ? 16 : 14);
}

static void
must_fit (gdouble slope, const gchar *what)
{
  if (! (slope > 0))
    g_print ("# %s came out as %g: the device was busy with something else; once more\n", what, slope);
}

/* As convolution_prepare makes them of a kernel without a 0. */
static void
make_tables (Study *study, cl_int n, cl_mem tables[2])
{
  const cl_int rows = n + CONVOLUTION_STEP - 1;
  gfloat      *weights = g_new (gfloat, (gsize) rows * n * CONVOLUTION_STEP);
  cl_int      *full = g_new (cl_int, rows);

  for (gint y = 0; y < rows; y++)
    {
      full[y] = y >= CONVOLUTION_STEP - 1 && y < n;
      for (gint i = 0; i < n * CONVOLUTION_STEP; i++)
        {
          const gint row = y - i % CONVOLUTION_STEP;

          weights[y * n * CONVOLUTION_STEP + i] = row >= 0 && row < n ? 0.001f * (1 + (i + row) % 7) : 0.0f;
        }
    }
  tables[0] = study_buffer (study, (gsize) rows * n * CONVOLUTION_STEP * sizeof *weights, weights);
  tables[1] = study_buffer (study, rows * sizeof *full, full);
  g_free (weights);
  g_free (full);
}

void
study_costs (Study *study)
{
  const gint  largest = sizes[G_N_ELEMENTS (sizes) - 1];
  const gsize n_input = (gsize) (study->width + GROUP + largest) * (study->height + largest) * PIXEL_BYTES;
  cl_program  program = study_program (study, tessera_convolution_cl, "-cl-std=CL1.2");
  gfloat     *picture = study_picture (study->width + GROUP + largest, study->height + largest);
  cl_mem      input = study_buffer (study, n_input, picture), output;
  Line        global = { 0 }, staged = { 0 };
  gdouble     barriers = 0.0, copy;

  study->width = MAX (study->width / GROUP, 1) * GROUP;
  output = study_buffer (study, (gsize) study->width * study->height * PIXEL_BYTES, NULL);
  g_print ("%s, %dx%d pixels of 4 floats, %d KiB of local memory%s, ms%s of the best of %d runs\n\n", study->name,
           study->width, study->height, (gint) (study->local_bytes >> 10),
           study->has_local ? "" : " (a part of the global)", study->is_processor ? " of all threads" : "",
           study->runs);
  g_print ("| kernel | global | staged | rows at a time | staged, 1 row at a time |\n|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const cl_int  n = sizes[i], rows = n + CONVOLUTION_STEP - 1, batch = most_rows (study, n, rows);
      const gdouble per_item = 1e9 * CONVOLUTION_STEP / ((gdouble) study->width * study->height * rows);     /* ps */
      cl_mem        tables[2];
      gdouble       ms, ms_staged, ms_single;

      make_tables (study, n, tables);
      ms = run (study, program, input, output, tables, n, 0);
      ms_staged = run (study, program, input, output, tables, n, batch);
      ms_single = run (study, program, input, output, tables, n, 1);
      line_add (&global, n, ms * per_item);
      line_add (&staged, n, ms_staged * per_item);
      if (batch > 1)
        barriers += MAX (0.0, (ms_single - ms_staged) * per_item / (1.0 - 1.0 / batch)) / G_N_ELEMENTS (sizes);
      g_print ("| %2dx%-2d | %8.3f | %8.3f | %d | %8.3f |\n", n, n, ms, ms_staged, batch, ms_single);
      study->base.ReleaseMemObject (tables[0]);
      study->base.ReleaseMemObject (tables[1]);
    }
  copy = MAX (0.0, line_start (&staged) - line_start (&global) - barriers / most_rows (study, 15, 18));
  must_fit (line_slope (&global), "a read from global memory");
  must_fit (line_slope (&staged), "a read from local memory");
  g_print ("\n  { %s, %s, %.4g, %.4g, %.4g, %.4g, \"%s, YYYY-MM\" },\n", study->is_processor ? "TRUE" : "FALSE",
           study->has_local ? "TRUE" : "FALSE", line_slope (&global), line_slope (&staged), copy, barriers,
           study->name);
  g_free (picture);
}
