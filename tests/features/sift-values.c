/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What descriptors are before they are rounded: in C and on the device the same bits, and near the reference's.  Sums in another
 * order show in a byte once in a million, and here nearly always.
 *
 * The product has only the bytes.  Here its C source and its kernels are compiled once more, and where they round an element they put
 * one of its four bytes.  So each picture is searched four times. */
#include "config.h"

#include "sift-parts.h"
#include "sift.cl.h"

#include <string.h>

#define VALUE(element) SIFT_MOST_OF (element, 0.0)      /* 0 for NaN too */
#define ROUNDED        "(uchar) sift_element (sift_scaled (SIFT_LEAST_OF (values[k], longest), length, is_root))"
#define PUT            "(uchar) (as_uint ((float) SIFT_MOST_OF (sift_scaled (SIFT_LEAST_OF (values[k], longest), length, is_root), 0.0)) >> %d & 255)"

static gint which;              /* byte */

static guint
put (gdouble scaled)
{
  const gfloat element = (gfloat) VALUE (scaled);
  guint32      bits;

  memcpy (&bits, &element, sizeof bits);
  return bits >> 8 * which & 255;
}

#define sift_element put
#include "../../operations/points/sift-describe.c"

#include "sift-points.h"

#include "../engine/verdict.h"

#define BYTES   4
#define SEED    20261124
#define N_CASES 10
#define FEWEST  1000            /* points, of all pictures */

static TesseraFilter  variants[BYTES];
static GeglOperation *operation;
static gsize          compared, against_reference;
static gdouble        worst[2];         /* plain; roots */

/* The linker calls it where SIFT calls tessera_process. */
gboolean __wrap_tessera_process (const TesseraRequest *request);
gboolean __real_tessera_process (const TesseraRequest *request);

gboolean
__wrap_tessera_process (const TesseraRequest *request)
{
  TesseraRequest ours = *request;

  if (ours.filter == &sift_filter)
    ours.filter = &variants[which];
  return __real_tessera_process (&ours);
}

static gboolean
make_variants (void)
{
  gchar  **around = g_strsplit (tessera_sift_cl, ROUNDED, 0);
  gboolean is_known = g_strv_length (around) == 2;

  expect (is_known, "the kernel rounds an element in %u places", g_strv_length (around) - 1);
  for (gint i = 0; i < BYTES && is_known; i++)
    {
      gchar *text = g_strdup_printf (PUT, 8 * i);

      variants[i] = sift_filter;
      variants[i].source = g_strjoinv (text, around);
      g_free (text);
    }
  g_strfreev (around);
  return is_known;
}

/* ---------------------------------------------------------------- search -- */

typedef struct
{
  SiftList list;
  gfloat (*values)[SIFT_LENGTH];
} Found;

/* FALSE: OpenCL could not run. */
static gboolean
find (const SiftCase *c, GeglBuffer *buffer, TesseraOpenclMode mode, Found *found)
{
  const RefSiftSettings *s = &c->settings;
  const SiftSettings     settings = { s->octaves, s->intervals, s->contrast_threshold, s->edge_threshold, s->sigma, s->upsample,
                                      s->max_features, s->root };
  const TesseraRequest   request = { .errand = { .operation = operation }, .input = buffer, .bounds = *gegl_buffer_get_extent (buffer),
                                     .input_format = gegl_buffer_get_format (buffer) };
  guint32 (*bits)[SIFT_LENGTH] = NULL;
  gboolean done = TRUE;

  tessera_set_opencl_mode (mode);
  *found = (Found) { .list = { NULL, 0 } };
  for (which = 0; which < BYTES && done; which++)
    {
      g_free (found->list.points);
      done = sift_find (&request, &settings, TRUE, &found->list);
      if (done && ! bits)
        bits = g_malloc0 (MAX (1, found->list.n) * sizeof *bits);
      for (gsize i = 0; i < found->list.n; i++)
        for (gint k = 0; k < SIFT_LENGTH; k++)
          bits[i][k] |= (guint32) found->list.points[i].descriptor[k] << 8 * which;
    }
  which = 0;
  found->values = (gfloat (*)[SIFT_LENGTH]) bits;
  return done;
}

static void
clear (Found *found)
{
  g_free (found->list.points);
  g_free (found->values);
}

/* --------------------------------------------------------------- compare -- */

static void
compare_paths (const Found *c, const Found *device, const gchar *text)
{
  gsize others = 0;

  expect (c->list.n == device->list.n, "%zu points in C, %zu on the device: %s", c->list.n, device->list.n, text);
  for (gsize i = 0; i < MIN (c->list.n, device->list.n); i++)
    for (gint k = 0; k < SIFT_LENGTH; k++)
      others += memcmp (&c->values[i][k], &device->values[i][k], sizeof (gfloat)) != 0;
  expect (others == 0, "%zu of %zu elements are others on the device before they are rounded: %s", others, c->list.n * SIFT_LENGTH, text);
  compared += c->list.n;
}

static gboolean
is_same (const SiftPoint *point, const RefPoint *reference)
{
  return point->octave == reference->octave && point->layer == reference->layer && point->row == reference->row
         && point->column == reference->column && point->bin == reference->bin;
}

/* Of the points that both have: sift-points is about the others.  Both lists have one order. */
static void
compare_reference (const SiftCase *c, const Found *found, const gchar *text)
{
  RefSift reference;
  gsize   at = 0;

  reference_sift (c->luminance, c->box.width, c->box.height, &c->settings, &reference);
  for (gsize i = 0; i < found->list.n; i++)
    {
      gsize           next = at;
      gdouble         off = 0.0, over = 0.0;
      const RefPoint *point;

      while (next < reference.n && ! is_same (&found->list.points[i], &reference.points[next]))
        next++;
      if (next == reference.n)
        continue;
      point = &reference.points[next];
      at = next + 1;
      against_reference++;
      for (gint k = 0; k < SIFT_LENGTH; k++)
        {
          const gdouble far = fabs (MIN (found->values[i][k], 255.0) - point->elements[k]);

          off = MAX (off, far);
          over = MAX (over, far / sift_element_error (c, point, k));
        }
      worst[c->settings.root] = MAX (worst[c->settings.root], off);
      expect (over <= 1.0, "an element of point %zu is off by %.2g of what it may be, before it is rounded: %s", i, over, text);
    }
  reference_sift_free (&reference);
}

static void
one_case (gint number, const gchar *const *photographs)
{
  SiftCase    c;
  GeglBuffer *buffer;
  gchar      *text;
  Found       in_c, on_device;

  sift_case_draw (SEED, number, photographs, &c);
  text = sift_case_text (&c);
  buffer = sift_case_buffer (&c);
  find (&c, buffer, TESSERA_OPENCL_OFF, &in_c);
  expect (find (&c, buffer, TESSERA_OPENCL_FORCE, &on_device), "no device: %s", text);
  compare_paths (&in_c, &on_device, text);
  if (c.format <= SIFT_YA)              /* the luminance is what was drawn */
    compare_reference (&c, &in_c, text);
  clear (&in_c);
  clear (&on_device);
  g_free (text);
  g_object_unref (buffer);
  sift_case_clear (&c);
}

int
main (int argc G_GNUC_UNUSED, char **argv)
{
  GeglNode *graph;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);            /* its own comparison would see the difference first, and say less */
  graph = gegl_node_new ();
  operation = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:sift", NULL));
  if (make_variants ())
    for (gint i = 0; i < N_CASES; i++)
      one_case (i, (const gchar *const *) argv + 1);
  g_print ("%zu points, %zu of them against the reference: off by %.2g of 255 at most, roots by %.2g\n", compared, against_reference,
           worst[FALSE], worst[TRUE]);
  expect (compared >= FEWEST && against_reference >= FEWEST / 2, "only %zu points, %zu against the reference", compared, against_reference);
  g_object_unref (graph);
  for (gint i = 0; i < BYTES; i++)
    g_free ((gchar *) variants[i].source);
  gegl_exit ();
  return expect_told ();
}
