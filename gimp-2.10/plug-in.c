/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What GIMP 2.10 calls: which procedures there are, and running one.
 *
 *   (plug-in-tessera-NAME RUN-NONINTERACTIVE image drawable "property=value ...")
 *
 * Properties that are not named have their defaults.  Values of the dialog are kept
 * from session to session, in GIMP's parasites.
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
  guint   n;
  gchar **names = gegl_list_operations (&n);
  GList  *ours = NULL;

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (names[i], PREFIX) && gegl_operation_get_key (names[i], "gimp:menu-label")
        && gegl_operation_get_key (names[i], "gimp:menu-path"))
      ours = g_list_prepend (ours, g_strdup (names[i]));
  g_free (names);
  return g_list_reverse (ours);
}

static gchar *
operation_of (const gchar *procedure)
{
  GList *all = list_operations ();
  gchar *found = NULL;

  for (GList *at = all; at && ! found; at = at->next)
    {
      gchar *name = procedure_name (at->data);

      if (strcmp (name, procedure) == 0)
        found = g_strdup (at->data);
      g_free (name);
    }
  g_list_free_full (all, g_free);
  return found;
}

static void
install_procedure (const gchar *operation)
{
  static const GimpParamDef arguments[] = {
    { GIMP_PDB_INT32,    (gchar *) "run-mode", (gchar *) "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1), RUN-WITH-LAST-VALS (2) }" },
    { GIMP_PDB_IMAGE,    (gchar *) "image",    (gchar *) "The image" },
    { GIMP_PDB_DRAWABLE, (gchar *) "drawable", (gchar *) "The layer" },
    { GIMP_PDB_STRING,   (gchar *) "settings", (gchar *) "Properties as \"name=value name=value\"; those not named have their defaults" }
  };
  const gchar *reference = gegl_operation_get_key (operation, "reference");
  gchar       *name = procedure_name (operation);
  gchar       *properties = settings_describe (operation);
  gchar       *help = g_strdup_printf ("The GEGL operation %s.%s%s\n\n%s", operation, reference ? "\n" : "",
                                       reference ? reference : "", properties);

  gimp_install_procedure (name, gegl_operation_get_key (operation, "description"), help, "Tessera", "Tessera", "2026",
                          gegl_operation_get_key (operation, "gimp:menu-label"), "RGB*, GRAY*", GIMP_PLUGIN,
                          G_N_ELEMENTS (arguments), 0, arguments, NULL);
  gimp_plugin_menu_register (name, gegl_operation_get_key (operation, "gimp:menu-path"));
  gimp_plugin_icon_register (name, GIMP_ICON_TYPE_ICON_NAME, (const guint8 *) GIMP_ICON_GEGL);
  g_free (help);
  g_free (properties);
  g_free (name);
}

/* GIMP keeps what a query says until this program changes, so nothing but the text domain is said here. */
static void
query (void)
{
  gimp_plugin_domain_register (GETTEXT_PACKAGE, TESSERA_LOCALE_DIR);
}

/* At each start of GIMP: filters come and go.  Labels are registered in English, GIMP translates them. */
static void
init (void)
{
  GList *all;

  setlocale (LC_MESSAGES, "C");
  g_unsetenv ("LANGUAGE");
  gegl_init (NULL, NULL);
  all = list_operations ();
  for (GList *at = all; at; at = at->next)
    install_procedure (at->data);
  g_list_free_full (all, g_free);
}

/* ------------------------------------------------------------------- run -- */

/* What the last dialog was left with; what a later version no longer knows is passed over. */
static void
recall (GeglNode *node, const gchar *name)
{
  GimpParasite *kept = gimp_get_parasite (name);

  if (kept)
    {
      gchar *text = g_strndup (gimp_parasite_data (kept), gimp_parasite_data_size (kept));

      if (! settings_parse (node, text, NULL))
        settings_reset (node);
      g_free (text);
      gimp_parasite_free (kept);
    }
}

static void
remember (GeglNode *node, const gchar *name)
{
  gchar        *text = settings_text (node);
  GimpParasite *kept = gimp_parasite_new (name, GIMP_PARASITE_PERSISTENT, strlen (text) + 1, text);

  gimp_attach_parasite (kept);
  gimp_parasite_free (kept);
  g_free (text);
}

static GimpPDBStatusType
run_on_layer (Layer *layer, const gchar *name, const gchar *operation, GimpRunMode mode, const gchar *settings, GError **error)
{
  const gchar *title = gegl_operation_get_key (operation, "title");

  if (mode == GIMP_RUN_NONINTERACTIVE)
    {
      if (settings && ! settings_parse (layer->operation, settings, error))
        return GIMP_PDB_CALLING_ERROR;
    }
  else
    recall (layer->operation, name);
  if (mode == GIMP_RUN_INTERACTIVE)
    {
      if (! dialog_run (layer, name, title ? title : operation))
        return GIMP_PDB_CANCEL;
      remember (layer->operation, name);
    }
  if (layer->selected.width > 0 && layer->selected.height > 0)
    {
      gimp_progress_init (title ? title : operation);
      layer_apply (layer);
    }
  if (mode != GIMP_RUN_NONINTERACTIVE)
    gimp_displays_flush ();
  return GIMP_PDB_SUCCESS;
}

/* OpenCL as it is switched in GIMP now; gegl_init has asked the environment instead. */
static void
follow_preferences (void)
{
  gchar *wish = gimp_gimprc_query ("use-opencl");

  if (wish)
    g_object_set (gegl_config (), "use-opencl", strcmp (wish, "yes") == 0, NULL);
  g_free (wish);
}

static void
run (const gchar *name, gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals)
{
  static GimpParam  values[2];
  GimpRunMode       mode = param[0].data.d_int32;
  GimpPDBStatusType status = GIMP_PDB_EXECUTION_ERROR;
  GError           *error = NULL;
  gchar            *operation;
  Layer            *layer = NULL;

  bindtextdomain (GETTEXT_PACKAGE, TESSERA_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  gegl_init (NULL, NULL);
  follow_preferences ();
  operation = operation_of (name);
  if (! operation)
    g_set_error (&error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("GEGL does not find the operation of %s"), name);
  else
    layer = layer_new (param[1].data.d_image, param[2].data.d_drawable, operation, &error);
  if (layer)
    {
      status = run_on_layer (layer, name, operation, mode, n_params > 3 ? param[3].data.d_string : NULL, &error);
      layer_free (layer);
    }
  values[0].type = GIMP_PDB_STATUS;
  values[0].data.d_status = status;
  *n_return_vals = 1;
  *return_vals = values;
  if (error)
    {
      values[1].type = GIMP_PDB_STRING;
      values[1].data.d_string = error->message;             /* lives as long as this process */
      *n_return_vals = 2;
    }
  g_free (operation);
}

const GimpPlugInInfo PLUG_IN_INFO = { init, NULL, query, run };

MAIN ()
