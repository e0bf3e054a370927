/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: what a script may ask for.
 *
 * Script-Fu of GIMP 2.10 wants as many arguments as a procedure has, so no argument can be added.  The contrast of points is in the
 * dialog alone; where there are few points the operation looks for more by itself.
 */
#include "align-layers.h"

#include <gegl-plugin.h>
#include <string.h>

/* The operation's names of the movements. */
static const gchar *const names[N_MOVEMENTS] = {
  [MOVEMENT_SHIFT] = "translation", [MOVEMENT_TURN] = "similarity", [MOVEMENT_SHEAR] = "affine", [MOVEMENT_PERSPECTIVE] = "homography",
  [MOVEMENT_AUTOMATIC] = "auto"
};

static GEnumClass *
values (void)
{
  return G_PARAM_SPEC_ENUM (gegl_operation_find_property (ALIGN_OPERATION, "model"))->enum_class;
}

gint
align_options_value (gint movement)
{
  return g_enum_get_value_by_nick (values (), names[movement])->value;
}

gint
align_options_movement (gint value)
{
  const gchar *name = g_enum_get_value (values (), value)->value_nick;
  gint         movement = 0;

  while (movement < MOVEMENT_AUTOMATIC && strcmp (names[movement], name) != 0)
    movement++;
  return movement;
}

gdouble
align_options_contrast (void)
{
  return G_PARAM_SPEC_DOUBLE (gegl_operation_find_property (ALIGN_OPERATION, "contrast-threshold"))->default_value;
}

static gboolean
is_one_of (const gchar *procedure, gint number, gint n, const gchar *argument, GError **error)
{
  g_autofree gchar *text = g_strdup_printf ("%d", number);

  if (number >= 0 && number < n)
    return TRUE;
  g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("%s: '%s' is no value of '%s'"), procedure, text, argument);
  return FALSE;
}

gboolean
align_options_read (const gchar *procedure, AlignOptions *options, gint n_params, const GimpParam *param, GError **error)
{
  const gint movement = n_params > 3 ? param[3].data.d_int32 : options->movement;
  const gint new_layer = n_params > 4 ? param[4].data.d_int32 : (gint) options->new_layer;

  if (! is_one_of (procedure, movement, N_MOVEMENTS, "model", error) || ! is_one_of (procedure, new_layer, N_NEW_LAYERS, "new-layer", error))
    return FALSE;
  options->movement = movement;
  options->new_layer = (NewLayer) new_layer;
  return TRUE;
}
