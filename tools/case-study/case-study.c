/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * case-study: what staging in local memory is worth on a device, by PowerVR's case study
 * of image convolution (case-study.cl), for several sizes of the kernel and the group.
 *
 *   case-study [--device gpu|cpu] [--size WIDTHxHEIGHT] [--runs N]
 */
#include "case-study.h"

#include "case-study.cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLOBAL, ONE_LOADS, SOME_LOAD, ALL_LOAD, VARIANTS };

static const gchar *const titles[VARIANTS] = { "global", "one loads", "some load", "all load" };

static const gint  sizes[] = { 3, 5, 7, 9, 15, 31 };
static const gsize groups[][2] = { { 8, 4 }, { 16, 16 }, { 32, 8 } };

static gchar   *device, *size_text;
static gint     runs;

static const GOptionEntry entries[] =
{
  { "device", 0, 0, G_OPTION_ARG_STRING, &device, "gpu or cpu; by default a GPU where there is one", "KIND" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &size_text, "Pixels of the picture (2048x2048; a processor 512x512)", "WxH" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Timed runs of each kernel (20; a processor 5), the best counts", "N" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* Work-items that load; some: as many as share the pixels evenly. */
static cl_int
loaders_of (gint variant, gint items, gint pixels)
{
  gint n = variant == ONE_LOADS ? 1 : items;

  while (variant == SOME_LOAD && pixels % n != 0)
    n--;
  return n;
}

/* One row of the table; FALSE: the results differ. */
static gboolean
compare (Study *study, cl_program program, gint n, const gsize group[2])
{
  const gsize    size[2] = { study->width, study->height };
  const cl_int   stride = study->width + n - 1;
  const cl_float scale = 1.0f / (n * n);
  const gsize    pixels = size[0] * size[1];
  const gint     items = group[0] * group[1], staged = (group[0] + n - 1) * (group[1] + n - 1);
  const gsize    local = staged * sizeof (cl_float4);
  g_autofree gfloat *picture = study_picture (stride, study->height + n - 1);
  g_autofree gfloat *first = g_new (gfloat, 4 * pixels), *result = g_new (gfloat, 4 * pixels);
  cl_mem         input = study_buffer (study, (gsize) stride * (study->height + n - 1) * 16, picture);
  cl_mem         output = study_buffer (study, pixels * 16, NULL);
  gdouble        global = 0.0;
  gboolean       same = TRUE;

  g_print ("| %2dx%-2d | %2dx%-2d | %5d | %6d |", n, n, (gint) group[0], (gint) group[1],
           staged, items * n * n);
  for (gint i = 0; i < VARIANTS; i++)
    {
      const cl_int   loaders = loaders_of (i, items, staged);
      const StudyArg args[] = { { sizeof input, &input }, { sizeof stride, &stride }, { sizeof output, &output },
                                { sizeof study->width, &study->width }, { sizeof n, &n }, { sizeof scale, &scale },
                                { local, NULL }, { sizeof loaders, &loaders } };
      gdouble        ms;

      if (i != GLOBAL && local > study->local_bytes)
        {
          g_print ("      does not fit |");
          continue;
        }
      ms = study_time (study, program, i == GLOBAL ? "blur_global" : "blur_staged", size, group, args,
                       i == GLOBAL ? 6 : 8);
      global = i == GLOBAL ? ms : global;
      g_print (" %9.3f (%5.2f) |", ms, ms / global);
      study_read (study, output, pixels * 16, i == GLOBAL ? first : result);
      same = same && (i == GLOBAL || memcmp (first, result, pixels * 16) == 0);
    }
  g_print (" %s |\n", same ? "same bits" : "DIFFERENT");
  study->base.ReleaseMemObject (input);
  study->base.ReleaseMemObject (output);
  return same;
}

static gboolean
print_table (Study *study)
{
  cl_program program = study_program (study, tessera_case_study_cl, "-cl-std=CL1.2");
  gboolean   same = TRUE;

  g_print ("%s, %dx%d pixels of 4 floats, ms%s of the best of %d runs (times the global one)\n\n", study->name,
           study->width, study->height, study->is_processor ? " of all threads" : "", study->runs);
  g_print ("| kernel | group | staged | reads |");
  for (gint i = 0; i < VARIANTS; i++)
    g_print (" %17s |", titles[i]);
  g_print (" results |\n|---|---|---|---|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      same = compare (study, program, sizes[k], groups[i]) && same;
  return same;
}

static void
parse_size (Study *study)
{
  gint side = study->is_processor ? 512 : 2048;

  study->width = study->height = side;
  if (size_text && (sscanf (size_text, "%dx%d", &study->width, &study->height) != 2 || study->width < 32
                    || study->height < 16 || study->width > 16384 || study->height > 16384))
    {
      g_printerr ("case-study: --size %s: WIDTHxHEIGHT from 32x16 to 16384x16384\n", size_text);
      exit (2);
    }
  study->width -= study->width % 32;            /* whole groups */
  study->height -= study->height % 16;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- what staging in local memory is worth");
  GError         *error = NULL;
  Study           study = { 0 };

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("case-study: %s\n", error->message);
      return 2;
    }
  g_option_context_free (context);
  study_open (&study, device);
  parse_size (&study);
  study.runs = runs > 0 ? runs : study.is_processor ? 5 : 20;
  return print_table (&study) ? 0 : 1;
}
