/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What GIMP 2.10 calls: which procedures there are, and running one.
 *
 *   (plug-in-tessera-NAME RUN-NONINTERACTIVE image drawable "property=value ...")
 *   (plug-in-tessera-graph-NAME RUN-NONINTERACTIVE image drawable)
 *   (plug-in-tessera-ready-made RUN-NONINTERACTIVE image drawable "graph" "strength=0..100 size=0.1..10")
 *   (plug-in-tessera-align-layers RUN-NONINTERACTIVE image drawable model new-layer)
 *   (plug-in-tessera-open-stack RUN-NONINTERACTIVE number-of-files '("path" ...) model new-layer)
 *
 * Properties that are not named have their defaults.  Values of the dialog are kept
 * from session to session, in GIMP's parasites.  What counts returns how many there are.
 */
#include "plug-in.h"

#include <libgimp/gimpui.h>
#include <locale.h>
#include <string.h>

#define PREFIX "tessera:"

/* As GIMP names procedures: tessera:motion-blur is plug-in-tessera-motion-blur. */
static gchar *
procedure_name (const gchar *operation)
{
  return g_strdelimit (g_strconcat ("plug-in-", operation, NULL), ":_", '-');
}

/* The operations of ours that have a place in the menus. */
static GList *
list_operations (void)
{
  guint  n;
  g_autofree gchar **names = gegl_list_operations (&n);
  GList *ours = NULL;

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (names[i], PREFIX) && gegl_operation_get_key (names[i], "gimp:menu-label")
        && gegl_operation_get_key (names[i], "gimp:menu-path"))
      ours = g_list_prepend (ours, g_strdup (names[i]));
  return g_list_reverse (ours);
}

static gchar *
operation_of (const gchar *procedure)
{
  GList *all = list_operations ();
  gchar *found = NULL;

  for (GList *at = all; at && ! found; at = at->next)
    {
      g_autofree gchar *name = procedure_name (at->data);

      if (strcmp (name, procedure) == 0)
        found = g_strdup (at->data);
    }
  g_list_free_full (all, g_free);
  return found;
}

/* What a person knows the filter by. */
static const gchar *
title_of (const gchar *operation)
{
  const gchar *title = gegl_operation_get_key (operation, "title");

  return title ? title : operation;
}

/* What a procedure returns beside its status. */
static const GimpParamDef counted[] = { { GIMP_PDB_INT32, (gchar *) "count", (gchar *) "How many there are" } };
static const GimpParamDef measured[] = {
  { GIMP_PDB_FLOAT, (gchar *) "level", (gchar *) "The noise that was found at middle gray, 1 from black to white; 0: none was measured" },
  { GIMP_PDB_INT32, (gchar *) "flat",  (gchar *) "How many flat places of 8 x 8 pixels that rests on" }
};

#define SETTINGS 1                      /* how many arguments a filter has more than a graph */
#define READY_MADE "plug-in-tessera-ready-made"

static void
install_procedure (const gchar *name, const gchar *blurb, const gchar *help, const gchar *label, const gchar *path,
                   gboolean is_graph, const GimpParamDef *results, gint n_results)
{
  static const GimpParamDef arguments[] = {
    { GIMP_PDB_INT32,    (gchar *) "run-mode", (gchar *) "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1), RUN-WITH-LAST-VALS (2) }" },
    { GIMP_PDB_IMAGE,    (gchar *) "image",    (gchar *) "The image" },
    { GIMP_PDB_DRAWABLE, (gchar *) "drawable", (gchar *) "The layer" },
    { GIMP_PDB_STRING,   (gchar *) "settings", (gchar *) "Properties as \"name=value name=value\", strength=0 to 100, aux=DRAWABLE; those not named have their defaults" }
  };

  gimp_install_procedure (name, blurb, help, "Tessera", "Tessera", "2026", label, "RGB*, GRAY*", GIMP_PLUGIN,
                          G_N_ELEMENTS (arguments) - (is_graph ? SETTINGS : 0), n_results, arguments, n_results > 0 ? results : NULL);
  gimp_plugin_menu_register (name, path);
  gimp_plugin_icon_register (name, GIMP_ICON_TYPE_ICON_NAME, (const guint8 *) GIMP_ICON_GEGL);
}

static void
install_operation (const gchar *operation)
{
  const gchar *reference = gegl_operation_get_key (operation, "reference");
  const gboolean counts = gegl_operation_find_property (operation, "count") != NULL;
  const gboolean measures = gegl_operation_find_property (operation, "measured-flat") != NULL;
  g_autofree gchar *name = procedure_name (operation);
  g_autofree gchar *properties = settings_describe (operation);
  g_autofree gchar *help = g_strdup_printf ("The GEGL operation %s.%s%s\n\n%s", operation, reference ? "\n" : "",
                                            reference ? reference : "", properties);

  install_procedure (name, gegl_operation_get_key (operation, "description"), help, gegl_operation_get_key (operation, "gimp:menu-label"),
                     gegl_operation_get_key (operation, "gimp:menu-path"), FALSE, counts ? counted : measures ? measured : NULL,
                     counts ? G_N_ELEMENTS (counted) : measures ? G_N_ELEMENTS (measured) : 0);
}

/* A graph with settings, for scripts: a procedure of GIMP 2.10 cannot have arguments that may be left out. */
static void
install_ready_made (void)
{
  static const GimpParamDef arguments[] = {
    { GIMP_PDB_INT32,    (gchar *) "run-mode", (gchar *) "The run mode { RUN-NONINTERACTIVE (1) }" },
    { GIMP_PDB_IMAGE,    (gchar *) "image",    (gchar *) "The image" },
    { GIMP_PDB_DRAWABLE, (gchar *) "drawable", (gchar *) "The layer" },
    { GIMP_PDB_STRING,   (gchar *) "graph",    (gchar *) "The name of its file, without .xml" },
    { GIMP_PDB_STRING,   (gchar *) "settings", (gchar *) "\"strength=0 to 100 size=0.1 to 10\"; what is not named is 100, and 1: as it fits the image" }
  };
  static const GimpParamDef results[] = { { GIMP_PDB_INT32, (gchar *) "count", (gchar *) "How many there are; -1: nothing is counted" } };

  gimp_install_procedure (READY_MADE, "A ready-made graph, with its strength and size", "See the procedures " GRAPH_PREFIX "NAME", "Tessera", "Tessera",
                          "2026", NULL, "RGB*, GRAY*", GIMP_PLUGIN, G_N_ELEMENTS (arguments), 1, arguments, results);
}

/* The label comes in the person's language, and with the points of an entry that asks: no catalogue has it so. */
static void
install_graph (const gchar *graph, const gchar *label)
{
  g_autofree gchar *text = NULL, *title = NULL, *summary = NULL, *name = NULL, *help = NULL;

  if (! graph_read (graph, &text, &title, &summary))
    return;
  name = g_strconcat (GRAPH_PREFIX, graph, NULL);
  help = g_strdup_printf ("%s" G_DIR_SEPARATOR_S "%s.xml", GRAPHS_FOLDER, graph);
  install_procedure (name, summary, help, label, N_("<Image>/Filters/Ready-made (Tessera)"), TRUE, counted,
                     strstr (text, "tessera:label") ? G_N_ELEMENTS (counted) : 0);
}

/* GIMP keeps what a query says until this program changes, so nothing but the text domain is said here. */
static void
query (void)
{
  gimp_plugin_domain_register (GETTEXT_PACKAGE, LOCALE_FOLDER);
}

/* In the person's language. */
static GList *
graph_labels (GList *graphs)
{
  GList *labels = NULL;

  for (GList *at = graphs; at; at = at->next)
    {
      g_autofree gchar *text = NULL, *title = NULL, *summary = NULL;

      labels = g_list_prepend (labels, graph_read (at->data, &text, &title, &summary) ? g_strconcat (_(title), "...", NULL) : NULL);
    }
  return g_list_reverse (labels);
}

/* At each start of GIMP: filters come and go.  Labels of filters are registered in English, GIMP translates them. */
static void
init (void)
{
  GList *all, *graphs = graphs_list (), *labels;

  bindtextdomain (GETTEXT_PACKAGE, LOCALE_FOLDER);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  labels = graph_labels (graphs);

  setlocale (LC_MESSAGES, "C");
  g_unsetenv ("LANGUAGE");
  gegl_init (NULL, NULL);
  all = list_operations ();
  for (GList *at = all; at; at = at->next)
    install_operation (at->data);
  g_list_free_full (all, g_free);
  for (GList *at = graphs, *label = labels; at; at = at->next, label = label->next)
    install_graph (at->data, label->data);
  install_ready_made ();
  g_list_free_full (graphs, g_free);
  g_list_free_full (labels, g_free);
  align_layers_install ();
  align_open_install ();
}

/* ------------------------------------------------------------------- run -- */

/* What the last dialog was left with; what a later version no longer knows is passed over. */
static void
recall (Layer *layer, const gchar *name)
{
  GimpParasite *kept = gimp_get_parasite (name);

  if (kept)
    {
      g_autofree gchar *text = g_strndup (gimp_parasite_data (kept), gimp_parasite_data_size (kept));

      if (! settings_parse (layer->operation, text, &layer->extras, NULL))
        settings_reset (layer->operation, &layer->extras);
      gimp_parasite_free (kept);
    }
}

static void
remember (Layer *layer, const gchar *name)
{
  g_autofree gchar *text = settings_text (layer->operation, &layer->extras);
  GimpParasite *kept = gimp_parasite_new (name, GIMP_PARASITE_PERSISTENT, strlen (text) + 1, text);

  gimp_attach_parasite (kept);
  gimp_parasite_free (kept);
}

/* In a message, what a person wants to know; of noise that was not measured nothing. */
static void
tell (const Found *found)
{
  if (found->count >= 0)
    g_message (_("Counted: %d"), found->count);
  if (found->level > 0.0)
    g_message (_("Noise: %.1f of 255 at middle gray; %d flat places"), 255.0 * found->level, found->flat);
}

/* What is computed now, with a name for the bar. */
static void
apply (Layer *layer, const gchar *title, GimpRunMode mode)
{
  if (layer->selected.width <= 0 || layer->selected.height <= 0)
    return;
  gimp_progress_init (title);
  layer_apply (layer);
  if (mode != GIMP_RUN_NONINTERACTIVE)
    {
      const Found found = layer_found (layer);

      gimp_displays_flush ();
      tell (&found);
    }
}

static GimpPDBStatusType
run_filter (Layer *layer, const gchar *name, const gchar *operation, GimpRunMode mode, const gchar *settings, GError **error)
{
  const gchar *title = title_of (operation);

  layer_set_operation (layer, operation);
  if (mode == GIMP_RUN_NONINTERACTIVE)
    {
      if (settings && ! settings_parse (layer->operation, settings, &layer->extras, error))
        return GIMP_PDB_CALLING_ERROR;
      layer_take_second (layer);
    }
  else
    recall (layer, name);
  if (mode == GIMP_RUN_INTERACTIVE)
    {
      if (! dialog_run (layer, name, title))
        return GIMP_PDB_CANCEL;
      remember (layer, name);
    }
  apply (layer, title, mode);
  return GIMP_PDB_SUCCESS;
}

/* Gives it the strength and size that are wanted. */
static GimpPDBStatusType
prepare_graph (Layer *layer, const gchar *graph, const gchar *title, GimpRunMode mode, const gchar *settings, GError **error)
{
  g_autofree gchar *name = g_strconcat (GRAPH_PREFIX, graph, NULL);

  if (mode != GIMP_RUN_NONINTERACTIVE)
    recall (layer, name);
  else if (settings && ! settings_parse (NULL, settings, &layer->extras, error))
    return GIMP_PDB_CALLING_ERROR;
  sizes_set (layer);
  if (mode == GIMP_RUN_INTERACTIVE)
    {
      if (! dialog_run (layer, name, title))
        return GIMP_PDB_CANCEL;
      remember (layer, name);
    }
  return GIMP_PDB_SUCCESS;
}

static GimpPDBStatusType
run_graph (gint32 image, gint32 drawable, const gchar *graph, GimpRunMode mode, const gchar *settings, Found *found, GError **error)
{
  GimpPDBStatusType status = GIMP_PDB_EXECUTION_ERROR;
  g_autofree gchar *text = NULL, *title = NULL, *summary = NULL;
  Layer            *layer;

  if (! graph_read (graph, &text, &title, &summary))
    return status;
  layer = layer_new (image, drawable, _(title), error);
  if (layer && graph_fill (layer, text, _(title), error))
    {
      sizes_find (layer, text);
      status = prepare_graph (layer, graph, _(title), mode, settings, error);
      if (status == GIMP_PDB_SUCCESS)
        {
          apply (layer, _(title), mode);
          *found = layer_found (layer);
        }
    }
  if (layer)
    layer_free (layer);
  return status;
}

static GimpPDBStatusType
run_operation (gint32 image, gint32 drawable, const gchar *name, GimpRunMode mode, const gchar *settings, Found *found, GError **error)
{
  GimpPDBStatusType status = GIMP_PDB_EXECUTION_ERROR;
  g_autofree gchar *operation = operation_of (name);
  Layer            *layer = operation ? layer_new (image, drawable, title_of (operation), error) : NULL;

  if (! operation)
    g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("GEGL does not find the operation of %s"), name);
  if (layer)
    {
      status = run_filter (layer, name, operation, mode, settings, error);
      *found = layer_found (layer);
      layer_free (layer);
    }
  return status;
}

/* What all procedures begin with; FALSE: a script gave another number. */
static gboolean
is_called_well (const gchar *name, gint n_params, const GimpParam *param, GError **error)
{
  const gint       mode = n_params > 2 ? param[0].data.d_int32 : -1;
  g_autofree gchar *text = g_strdup_printf ("%d", mode);

  if (mode >= GIMP_RUN_INTERACTIVE && mode <= GIMP_RUN_WITH_LAST_VALS)
    return TRUE;
  g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("%s: '%s' is no value of '%s'"), name, text, "run-mode");
  return FALSE;
}

/* OpenCL as it is switched in GIMP now; gegl_init has asked the environment instead. */
static void
follow_preferences (void)
{
  g_autofree gchar *wish = gimp_gimprc_query ("use-opencl");

  if (wish)
    g_object_set (gegl_config (), "use-opencl", strcmp (wish, "yes") == 0, NULL);
}

/* What is returned beside the status, and how many values that is. */
static gint
results_of (const gchar *name, const Found *found, GimpPDBStatusType status, const GError *error, GimpParam values[2])
{
  const gboolean is_graph = strcmp (name, READY_MADE) == 0 || g_str_has_prefix (name, GRAPH_PREFIX);

  if (error)
    {
      values[0].type = GIMP_PDB_STRING;
      values[0].data.d_string = error->message;             /* lives as long as this process */
      return 1;
    }
  if (status == GIMP_PDB_SUCCESS && found->flat >= 0 && ! is_graph)
    {
      values[0].type = GIMP_PDB_FLOAT;
      values[0].data.d_float = found->level;
      values[1].type = GIMP_PDB_INT32;
      values[1].data.d_int32 = found->flat;
      return 2;
    }
  values[0].type = GIMP_PDB_INT32;
  values[0].data.d_int32 = found->count;
  return status == GIMP_PDB_SUCCESS && (found->count >= 0 || strcmp (name, READY_MADE) == 0) ? 1 : 0;
}

static void
run (const gchar *name, gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals)
{
  static GimpParam   values[3];
  GError            *error = NULL;
  Found              found = { -1, 0.0, -1 };

  bindtextdomain (GETTEXT_PACKAGE, LOCALE_FOLDER);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  gegl_init (NULL, NULL);
  follow_preferences ();
  values[0].type = GIMP_PDB_STATUS;
  if (! is_called_well (name, n_params, param, &error))
    values[0].data.d_status = GIMP_PDB_CALLING_ERROR;
  else if (strcmp (name, ALIGN_LAYERS) == 0)
    {
      align_layers_run (n_params, param, n_return_vals, return_vals);
      return;
    }
  else if (strcmp (name, OPEN_STACK) == 0)
    {
      align_open_run (n_params, param, n_return_vals, return_vals);
      return;
    }
  else if (strcmp (name, READY_MADE) == 0)
    values[0].data.d_status = run_graph (param[1].data.d_image, param[2].data.d_drawable, param[3].data.d_string, GIMP_RUN_NONINTERACTIVE,
                                         param[4].data.d_string, &found, &error);
  else if (g_str_has_prefix (name, GRAPH_PREFIX))
    values[0].data.d_status = run_graph (param[1].data.d_image, param[2].data.d_drawable, name + strlen (GRAPH_PREFIX), param[0].data.d_int32,
                                         NULL, &found, &error);
  else
    values[0].data.d_status = run_operation (param[1].data.d_image, param[2].data.d_drawable, name, param[0].data.d_int32,
                                             n_params > 3 ? param[3].data.d_string : NULL, &found, &error);
  *n_return_vals = 1 + results_of (name, &found, values[0].data.d_status, error, values + 1);
  *return_vals = values;
}

const GimpPlugInInfo PLUG_IN_INFO = { init, NULL, query, run };

MAIN ()
