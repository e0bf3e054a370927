/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * "The same pixels in C and on the device" is checked, not assumed.  When a request uses a kernel for the
 * first time in this process, its operation runs with its settings on small pictures of hard values, in C
 * and on the device, and every bit is compared.  This finds a device that rounds, divides or treats
 * denormals differently, and a compiler that is wrong.  The filter then stays with C.
 *
 * A request that needs a new kernel is checked while it is computed: the first one of a filter from its beginning, a
 * later one from that kernel's first launch.  Its result is kept only if the check agrees.
 */
#include "config.h"

#include "proof.h"

#include <gegl-plugin.h>
#include <string.h>

#include "breaker.h"
#include "gegl-side.h"
#include "messages.h"
#include "proof-pictures.h"
#include "proof-state.h"
#include "settings.h"
#include "slabs.h"

#define MOST   128              /* rows and columns of the result that are compared */

/* ----------------------------------------------------------------- graph -- */

/* All properties but the pads, which are buffers.  (Their flags do not tell, because GEGL gives those flags to
 * each property.) */
static void
copy_settings (GeglOperation *from, GeglNode *to)
{
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n);

  for (guint i = 0; i < n; i++)
    if ((specs[i]->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE && specs[i]->value_type != GEGL_TYPE_BUFFER
        && gegl_node_find_property (to, specs[i]->name))
      {
        GValue value = G_VALUE_INIT;

        g_value_init (&value, specs[i]->value_type);
        g_object_get_property (G_OBJECT (from), specs[i]->name, &value);
        gegl_node_set_property (to, specs[i]->name, &value);
        g_value_unset (&value);
      }
}

/* A node with the operation's settings as they are now.  Another thread may set them while both legs compute. */
static GeglNode *
keep_settings (const TesseraRequest *request)
{
  GeglOperation *like = request->checked_with ? request->checked_with : request->operation;
  GeglNode      *node = gegl_node_new_child (NULL, "operation", request->filter->checked_by ? request->filter->checked_by
                                             : GEGL_OPERATION_GET_CLASS (like)->name, NULL);

  copy_settings (like, node);
  if (request->filter->zero_in_check)
    gegl_node_set (node, request->filter->zero_in_check, 0.0, NULL);
  return node;
}

/* The operation with the same settings between pictures, by way of gegl:write-buffer as a result that leaves in its
 * stored format.  One graph computes all looks. */
typedef struct
{
  GeglNode *graph, *source, *aux, *node, *sink;
} Bench;

static void
bench_init (Bench *bench, const TesseraRequest *request, GeglNode *settings)
{
  GeglOperation *like = gegl_node_get_gegl_operation (settings);

  bench->graph = gegl_node_new ();
  bench->source = gegl_node_new_child (bench->graph, "operation", "gegl:buffer-source", NULL);
  bench->node = gegl_node_new_child (bench->graph, "operation", GEGL_OPERATION_GET_CLASS (like)->name, NULL);
  bench->sink = gegl_node_new_child (bench->graph, "operation", "gegl:write-buffer", NULL);
  g_object_set (bench->node, "dont-cache", TRUE, NULL);         /* a cache would answer for the next look */
  copy_settings (like, bench->node);
  gegl_node_link_many (bench->source, bench->node, bench->sink, NULL);
  if (request->aux && gegl_node_has_pad (bench->node, "aux"))           /* what is checked with another operation may have none */
    {
      bench->aux = gegl_node_new_child (bench->graph, "operation", "gegl:buffer-source", NULL);
      tessera_connect_aux (bench->aux, bench->node);
    }
}

/* ----------------------------------------------------------------- proof -- */

static gboolean
is_nan (const guchar *value, const gchar *type)
{
  if (strcmp (type, "float") == 0)
    return isnan (*(const gfloat *) value);
  return strcmp (type, "half") == 0 && (*(const guint16 *) value & 0x7fff) > 0x7c00;
}

/* Bit for bit, except that any NaN equals any other. */
static gboolean
are_same (const guchar *one, const guchar *other, gsize bytes, const Babl *format)
{
  const gchar *type = babl_get_name (babl_format_get_type (format, 0));
  const gsize  size = babl_format_get_bytes_per_pixel (format) / babl_format_get_n_components (format);

  if (memcmp (one, other, bytes) == 0)
    return TRUE;
  for (gsize i = 0; i < bytes; i += size)
    if (memcmp (one + i, other + i, size) != 0 && ! (is_nan (one + i, type) && is_nan (other + i, type)))
      return FALSE;
  return TRUE;
}

/* The input of both legs, and the result of each. */
typedef struct _TesseraCheck
{
  const TesseraRequest *request;
  GeglNode             *settings;
  gboolean              is_early;
  gboolean              has_tiles;              /* the request may use the kernels that write them */
  gint                  is_vain;                /* nobody asks for the answer any more */
  GThread              *thread;
  gint64                took;                   /* microseconds */
  GeglBuffer           *pictures[LOOKS], *aux[LOOKS];
  guchar               *in_c[LOOKS], *on_device[LOOKS];
  guint32               answers_in_c[LOOKS], answers_on_device[LOOKS];
  GeglRectangle         roi[LOOKS];
  const Babl           *formats[LOOKS];
} Proof;

/* A destination that the node is prepared for. */
static GeglBuffer *
set_destination (Bench *bench, const GeglRectangle *roi, const Babl *format)
{
  GeglBuffer *buffer = gegl_buffer_new (roi, format);

  gegl_node_set (bench->sink, "buffer", buffer, NULL);
  gegl_node_get_bounding_box (bench->sink);             /* prepares all nodes */
  return buffer;
}

/* In the format in which the node's result leaves.  gegl:write-buffer would convert to any other, by GEGL's OpenCL: that
 * is not ours, and not safe from several threads (GEGL 0.4.42: some results are never written). */
static GeglBuffer *
new_destination (const Proof *proof, Bench *bench, const GeglRectangle *roi)
{
  GeglOperation *operation = gegl_node_get_gegl_operation (bench->node);
  const Babl    *asked = gegl_operation_get_format (operation, "output"), *given;
  GeglBuffer    *buffer;

  if (! asked || tessera_delivers_stored ())
    asked = gegl_buffer_get_format (proof->request->output);
  buffer = set_destination (bench, roi, asked);
  given = gegl_operation_get_format (operation, "output");
  if (! given || given == asked)
    return buffer;
  g_object_unref (buffer);
  return set_destination (bench, roi, given);
}

static guchar *
compute (Proof *proof, Bench *bench, Look look, TesseraProofLeg which)
{
  GeglRectangle roi;
  const Babl   *format;
  GeglBuffer   *buffer;
  guchar       *pixels;

  gegl_node_set (bench->source, "buffer", proof->pictures[look], NULL);
  if (bench->aux)
    gegl_node_set (bench->aux, "buffer", proof->aux[look], NULL);
  roi = gegl_node_get_bounding_box (bench->node);       /* prepares it */
  roi.width = MIN (roi.width, MOST);
  roi.height = MIN (roi.height, MOST);
  buffer = new_destination (proof, bench, &roi);
  format = gegl_buffer_get_format (buffer);
  tessera_proof_state.leg = which;
  tessera_proof_state.answers = 0;
  gegl_node_process (bench->sink);
  tessera_proof_state.leg = TESSERA_PROOF_NONE;
  (which == TESSERA_PROOF_C ? proof->answers_in_c : proof->answers_on_device)[look] = tessera_proof_state.answers;
  pixels = g_malloc0 ((gsize) roi.width * roi.height * babl_format_get_bytes_per_pixel (format));
  gegl_buffer_get (buffer, &roi, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_node_set (bench->sink, "buffer", NULL, NULL);
  g_object_unref (buffer);
  if (which == TESSERA_PROOF_C)
    {
      proof->roi[look] = roi;
      proof->formats[look] = format;
    }
  return pixels;
}

/* In a thread of its own: the device computes meanwhile. */
static gpointer
compute_in_c (gpointer data)
{
  Proof *proof = data;
  Bench  bench = { 0 };

  bench_init (&bench, proof->request, proof->settings);
  for (Look look = LOOK_STORED; look < LOOKS && ! g_atomic_int_get (&proof->is_vain); look++)
    proof->in_c[look] = compute (proof, &bench, look, TESSERA_PROOF_C);
  g_object_unref (bench.graph);
  return NULL;
}

/* Until it fails, or is in vain. */
static gboolean
compute_on_device (Proof *proof)
{
  Bench bench = { 0 };

  bench_init (&bench, proof->request, proof->settings);
  tessera_proof_state = (TesseraProofState) { .filter = proof->request->filter->name, .is_early = proof->is_early };     /* the thread ends with the check */
  for (Look look = LOOK_STORED; look < LOOKS && ! tessera_proof_state.has_failed && ! g_atomic_int_get (&proof->is_vain); look++)
    {
      tessera_proof_state.takes_tiles = look == LOOK_STORED && proof->has_tiles;
      proof->on_device[look] = compute (proof, &bench, look, TESSERA_PROOF_DEVICE);
    }
  g_object_unref (bench.graph);
  return ! tessera_proof_state.has_failed;
}

static gboolean
is_same (const Proof *proof, Look look)
{
  const gsize pixels = (gsize) proof->roi[look].width * proof->roi[look].height;

  return proof->answers_on_device[look] == proof->answers_in_c[look]
         && are_same (proof->on_device[look], proof->in_c[look],
                   pixels * babl_format_get_bytes_per_pixel (proof->formats[look]), proof->formats[look]);
}

static void
proof_free (Proof *proof)
{
  for (Look look = LOOK_STORED; look < LOOKS; look++)
    {
      g_object_unref (proof->pictures[look]);
      g_clear_object (&proof->aux[look]);
      g_free (proof->in_c[look]);
      g_free (proof->on_device[look]);
    }
  g_object_unref (proof->settings);
  g_free (proof);
}

/* NULL where the system has no thread left. */
static GThread *
begin_thread (const gchar *name, GThreadFunc work, Proof *proof)
{
  GThread *thread = g_thread_try_new (name, work, proof, NULL);

  if (! thread)
    {
      tessera_say_once ("the system has no thread to check the OpenCL device with; C is used instead");
      tessera_breaker_fail (proof->request->filter->name);      /* the next request would compute in vain, too */
    }
  return thread;
}

static gpointer
check (gpointer data)
{
  const gint64 began = g_get_monotonic_time ();
  Proof       *proof = data;
  GThread     *thread = begin_thread ("tessera-proof", compute_in_c, proof);
  TesseraProof verdict = thread && compute_on_device (proof) ? TESSERA_PROOF_SAME : TESSERA_PROOF_FAILED;

  if (thread)
    g_thread_join (thread);
  if (g_atomic_int_get (&proof->is_vain))
    verdict = TESSERA_PROOF_FAILED;
  for (Look look = LOOK_STORED; look < LOOKS && verdict == TESSERA_PROOF_SAME; look++)
    if (! is_same (proof, look))
      verdict = TESSERA_PROOF_DIFFERS;
  tessera_proof_end_runs (verdict == TESSERA_PROOF_SAME);
  proof->took = g_get_monotonic_time () - began;
  return GINT_TO_POINTER (verdict);
}

TesseraCheck *
tessera_check_begin (const TesseraRequest *request, gboolean is_early)
{
  Proof *proof;

  if (tessera_proof_state.leg != TESSERA_PROOF_NONE || tessera_trusts_kernels ())
    return NULL;
  proof = g_new0 (Proof, 1);
  proof->request = request;
  proof->settings = keep_settings (request);
  proof->is_early = is_early;
  proof->has_tiles = (guint64) request->roi.width * request->roi.height >= tessera_tile_pixels ();
  for (Look look = LOOK_STORED; look < LOOKS; look++)
    {
      proof->pictures[look] = tessera_proof_picture (request->input, look, request->filter->answers);
      if (request->aux)
        proof->aux[look] = tessera_proof_picture (request->aux, look, request->filter->answers);
    }
  proof->thread = begin_thread ("tessera-check", check, proof);
  return proof;
}

TesseraProof
tessera_check_end (TesseraCheck *proof)
{
  const gint64 began = g_get_monotonic_time ();
  TesseraProof verdict = TESSERA_PROOF_SAME;

  if (! proof)
    return verdict;
  verdict = proof->thread ? GPOINTER_TO_INT (g_thread_join (proof->thread)) : TESSERA_PROOF_FAILED;
  if (verdict == TESSERA_PROOF_SAME && (tessera_debug () & DEBUG_PATHS))
    tessera_log ("%s: the device computes the same pixels as C, checked in %.1f ms, waited for %.1f ms",
                 proof->request->filter->name, proof->took / 1e3, (g_get_monotonic_time () - began) / 1e3);
  proof_free (proof);
  return verdict;
}

void
tessera_check_drop (TesseraCheck *proof)
{
  if (proof)
    g_atomic_int_set (&proof->is_vain, TRUE);
  tessera_check_end (proof);
}

/* Row by row, since it may be large. */
gboolean
tessera_check_result (const TesseraRequest *request, const GeglRectangle *part)
{
  const Babl          *format = gegl_buffer_get_format (request->output);
  const gsize          bytes = (gsize) part->width * babl_format_get_bytes_per_pixel (format);
  g_autoptr (GeglBuffer) in_c = gegl_buffer_new (part, format);
  g_autofree guchar *one = g_malloc (bytes), *other = g_malloc (bytes);
  TesseraRequest       again = *request;
  gboolean             is_same = TRUE;

  again.roi = *part;
  again.output = in_c;
  tessera_compute_all (&again);
  for (gint y = part->y; y < part->y + part->height && is_same; y++)
    {
      const GeglRectangle row = { part->x, y, part->width, 1 };

      gegl_buffer_get (request->output, &row, 1.0, format, one, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_get (in_c, &row, 1.0, format, other, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      is_same = are_same (one, other, bytes, format);
    }
  return is_same;
}
