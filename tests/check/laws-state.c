/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Laws about what runs at the same time: several graphs at once, and a neighbour
 * in the graph that leaves its result on GEGL's own OpenCL device. */
#include "check.h"

#define GRAPHS 4

/* -------------------------------------------------- several graphs at once -- */

typedef struct
{
  const CheckFilter *filter;
  const CheckCase   *c;
  CheckSource       *source, *aux;
  CheckPixels        pixels;
  GString           *why;
  gboolean           good;
} Job;

static gpointer
run_job (gpointer data)
{
  Job          *job = data;
  GeglRectangle roi = check_roi (job->filter, job->c);

  job->good = check_blit (job->filter, job->c, job->source, job->aux, &roi, &job->pixels, job->why);
  return NULL;
}

static void
start_jobs (Job *jobs, GThread **threads, const CheckFilter *filter, const CheckCase *c)
{
  for (gint i = 0; i < GRAPHS; i++)
    jobs[i] = (Job) { .filter = filter, .c = c, .source = check_source_draw (filter, c),
                      .aux = check_aux_draw (filter, c), .why = g_string_new (NULL) };
  for (gint i = 0; i < GRAPHS; i++)
    threads[i] = g_thread_new ("check", run_job, &jobs[i]);
}

static gboolean
join_jobs (Job *jobs, GThread **threads, const CheckPixels *expected, GString *why)
{
  gboolean good = TRUE;

  for (gint i = 0; i < GRAPHS; i++)
    {
      g_thread_join (threads[i]);
      g_string_append (why, jobs[i].why->str);
      good &= jobs[i].good;
      if (good)
        good = check_same_bits (&jobs[i].pixels, expected, "one of 4 graphs at once vs alone", why);
      check_pixels_clear (&jobs[i].pixels);
      check_source_free (jobs[i].source);
      check_source_free (jobs[i].aux);
      g_string_free (jobs[i].why, TRUE);
    }
  return good;
}

gboolean
check_law_concurrent (const CheckFilter *filter,
                      const CheckCase   *c,
                      CheckLeg           leg,
                      GString           *why)
{
  CheckSource    *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  GeglRectangle   roi = check_roi (filter, c);
  CheckPixels     alone = { 0 };
  Job             jobs[GRAPHS];
  GThread        *threads[GRAPHS];
  TesseraCounters before, after;
  gboolean        good = check_run (filter, c, source, aux, &roi, leg, &alone, why);

  tessera_get_counters (&before);
  start_jobs (jobs, threads, filter, c);
  good &= join_jobs (jobs, threads, &alone, why);
  tessera_get_counters (&after);
  if (leg == CHECK_LEG_OPENCL && (after.fallbacks != before.fallbacks || after.c_requests != before.c_requests))
    {
      g_string_append (why, "  one of 4 graphs at once fell back to C\n");
      good = FALSE;
    }
  check_pixels_clear (&alone);
  check_source_free (source);
  check_source_free (aux);
  return good;
}

/* --------------------------------------------------------- neighbours -- */

/* buffer -> inversion -> filter; or, if `rendered` is given, only the inversion
 * into that buffer. */
static void
blit_chain (const CheckFilter *filter, const CheckCase *c, CheckSource *source, GeglBuffer *rendered,
            CheckPixels *pixels)
{
  const GeglRectangle roi = pixels ? pixels->roi : source->box;
  GeglNode           *graph = gegl_node_new ();
  GeglNode           *input = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", source->buffer, NULL);
  GeglNode           *inverted = gegl_node_new_child (graph, "operation", "gegl:invert-linear", NULL), *node;

  gegl_node_link (input, inverted);
  if (rendered)
    gegl_node_blit_buffer (inverted, rendered, &source->box, 0, GEGL_ABYSS_NONE);
  else
    {
      node = check_operation_node (filter, c, graph);
      gegl_node_link (inverted, node);
      check_node_read (filter, c, node, &roi, GEGL_BLIT_DEFAULT, pixels);
    }
  g_object_unref (graph);
}

/* With OpenCL on, a point filter before ours may have its result on the device
 * only, for GEGL to bring back when it is read. */
gboolean
check_law_neighbour (const CheckFilter *filter,
                     const CheckCase   *c,
                     CheckLeg           leg,
                     GString           *why)
{
  CheckSource  *source = check_source_draw (filter, c), rendered = { 0 };
  GeglRectangle roi = check_roi (filter, c);
  CheckPixels   chained = { roi, NULL }, expected = { 0 };
  CheckCase     alone = *c;
  gboolean      good;

  check_set_engine (c);
  check_set_threads (4);
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  blit_chain (filter, c, source, NULL, &chained);

  rendered.box = source->box;
  rendered.format = babl_format_with_space ("RGBA float", source->format);
  rendered.buffer = gegl_buffer_new (&rendered.box, rendered.format);
  blit_chain (filter, c, source, rendered.buffer, NULL);
  rendered.raw = g_malloc ((gsize) rendered.box.width * rendered.box.height * 16);
  gegl_buffer_get (rendered.buffer, &rendered.box, 1.0, rendered.format, rendered.raw,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  alone.field[CHECK_THREADS] = 4;
  good = check_run (filter, &alone, &rendered, NULL, &roi, leg, &expected, why);
  good = good && check_near (&chained, &expected, 1e-5, "behind gegl:invert-linear vs behind its buffer", why);
  check_pixels_clear (&chained);
  check_pixels_clear (&expected);
  g_object_unref (rendered.buffer);
  g_free (rendered.raw);
  check_source_free (source);
  return good;
}
