/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Operations, their variants, and one of them in a graph.
 */
#include "graph.h"

#include <gegl-plugin.h>
#include <string.h>

#define MAX_VARIANTS 10

gchar **
graph_operations (void)
{
  g_auto (GStrv) expected = g_strsplit (DOCTOR_OPERATIONS, " ", -1);
  GPtrArray *ours = g_ptr_array_new ();

  for (gint i = 0; expected[i]; i++)
    if (gegl_has_operation (expected[i]))
      g_ptr_array_add (ours, g_strdup (expected[i]));
  g_ptr_array_add (ours, NULL);
  return (gchar **) g_ptr_array_free (ours, FALSE);
}

static void
clear_variant (gpointer data)
{
  g_free (((FilterVariant *) data)->text);
}

GArray *
graph_variants (const gchar *operation)
{
  GArray       *variants = g_array_new (FALSE, FALSE, sizeof (FilterVariant));
  FilterVariant variant = { NULL, 0, g_strdup ("") };
  guint         n = 0;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (operation, &n);

  g_array_set_clear_func (variants, clear_variant);
  g_array_append_val (variants, variant);
  for (guint i = 0; i < n; i++)
    if (G_IS_PARAM_SPEC_ENUM (specs[i]))
      {
        const GEnumClass *class = G_PARAM_SPEC_ENUM (specs[i])->enum_class;

        for (guint k = 0; k < class->n_values && variants->len < MAX_VARIANTS; k++)
          {
            variant.property = g_intern_string (specs[i]->name);
            variant.value = class->values[k].value;
            if (variant.value == G_PARAM_SPEC_ENUM (specs[i])->default_value)
              continue;
            variant.text = g_strdup_printf ("%s=%s", specs[i]->name, class->values[k].value_nick);
            g_array_append_val (variants, variant);
          }
      }
  return variants;
}

void
graph_open (FilterGraph *self, const gchar *operation, const FilterVariant *variant,
            gint width, gint height)
{
  GeglOperation *object;

  tessera_set_remembering (FALSE);      /* each request is to be computed */
  memset (self, 0, sizeof *self);
  self->width = width;
  self->height = height;
  self->input = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), babl_format ("RGBA float"));
  self->graph = gegl_node_new ();
  self->source = gegl_node_new_child (self->graph, "operation", "gegl:buffer-source",
                                      "buffer", self->input, NULL);
  self->filter = gegl_node_new_child (self->graph, "operation", operation, NULL);
  g_object_set (self->filter, "cache-policy", GEGL_CACHE_POLICY_NEVER, NULL);
  if (variant && variant->property)
    gegl_node_set (self->filter, variant->property, variant->value, NULL);
  gegl_node_link (self->source, self->filter);
  object = gegl_node_get_gegl_operation (self->filter);
  self->has_opencl = object && GEGL_OPERATION_GET_CLASS (object)->opencl_support;
}

const Babl *
graph_format (FilterGraph *self, const gchar *pad)
{
  GeglOperation *object = gegl_node_get_gegl_operation (self->filter);
  const Babl    *format = NULL;

  gegl_node_get_bounding_box (self->filter);    /* which prepares the operation */
  if (object)
    format = gegl_operation_get_format (object, pad);
  if (! format || babl_format_get_type (format, 0) != babl_type ("float"))
    format = babl_format ("RGBA float");
  return format;
}

void
graph_set_input (FilterGraph *self, const Babl *format, const gfloat *pixels)
{
  g_object_unref (self->input);
  self->input = gegl_buffer_new (GEGL_RECTANGLE (0, 0, self->width, self->height), format);
  gegl_buffer_set (self->input, NULL, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (self->source, "buffer", self->input, NULL);
}

void
graph_run (FilterGraph *self, const Babl *format)
{
  GeglRectangle all = { 0, 0, self->width, self->height };

  g_clear_object (&self->output);
  self->output = gegl_buffer_new (&all, format);
  gegl_node_blit_buffer (self->filter, self->output, &all, 0, GEGL_ABYSS_NONE);
}

void
graph_close (FilterGraph *self)
{
  g_object_unref (self->graph);
  g_clear_object (&self->output);
  g_clear_object (&self->input);
}
