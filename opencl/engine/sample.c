/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that is known to be right (proof.c) may be wrong with other settings, and a card may go bad.  So the first
 * result with new settings, and each 256th result of a filter, is compared with C: a small part of it.  That costs C's time
 * for some 50 x 50 pixels and their surroundings, whatever the size of the picture.
 */
#include "config.h"

#include "sample.h"

#include <gegl-plugin.h>

#include "proof-state.h"
#include "settings.h"

#define EVERY 256               /* results of a filter */
#define SIDE  48                /* of the part, in pixels */
#define MOST_SETTINGS 4096      /* that are remembered */

static GMutex      lock;        /* guards what follows */
static GHashTable *seen;        /* hashes of settings */
static GHashTable *counts;      /* filter -> results */

/* ------------------------------------------------------------- settings -- */

static guint64
add_to_hash (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Of a number, a choice or a switch. */
static guint64
hash_of_value (const GValue *value)
{
  union { gdouble number; guint64 bits; } same = { .bits = 0 };

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value)))
    {
    case G_TYPE_BOOLEAN:
      return g_value_get_boolean (value);
    case G_TYPE_ENUM:
      return g_value_get_enum (value);
    case G_TYPE_INT:
      return g_value_get_int (value);
    case G_TYPE_UINT:
      return g_value_get_uint (value);
    default:
      same.number = g_value_get_double (value);
      return same.bits;
    }
}

/* Results are no settings: they are never shown.  Another thread may free a text or an object while it is looked at. */
static gboolean
is_setting (GParamSpec *spec)
{
  const GType kind = G_TYPE_FUNDAMENTAL (spec->value_type);

  return (spec->flags & G_PARAM_READABLE) && g_strcmp0 (gegl_param_spec_get_property_key (spec, "visible"), "0") != 0
         && (kind == G_TYPE_BOOLEAN || kind == G_TYPE_ENUM || kind == G_TYPE_INT || kind == G_TYPE_UINT || kind == G_TYPE_DOUBLE);
}

/* Of an operation's class, for good: to list and look them up takes as long as a small request. */
static GPtrArray *
settings_of (GObjectClass *klass)
{
  static GHashTable *known;             /* class -> GPtrArray of GParamSpec; guarded by the lock */

  GPtrArray *settings;

  g_mutex_lock (&lock);
  if (! known)
    known = g_hash_table_new (NULL, NULL);
  settings = g_hash_table_lookup (known, klass);
  if (! settings)
    {
      guint n;
      g_autofree GParamSpec **specs = g_object_class_list_properties (klass, &n);

      settings = g_ptr_array_new ();
      for (guint i = 0; i < n; i++)
        if (is_setting (specs[i]))
          g_ptr_array_add (settings, specs[i]);
      g_hash_table_insert (known, klass, settings);
    }
  g_mutex_unlock (&lock);
  return settings;
}

/* Of the operation's settings, and of what else decides which code runs. */
static guint64
hash_of_settings (const TesseraRequest *request)
{
  GObject           *operation = G_OBJECT (request->checked_with ? request->checked_with : request->operation);
  const GPtrArray   *settings = settings_of (G_OBJECT_GET_CLASS (operation));
  const TesseraHalo *halo = &request->halo;
  guint64            hash = add_to_hash (GPOINTER_TO_SIZE (request->filter), request->border << 8 | request->cost_class);

  for (guint i = 0; i < settings->len; i++)
    {
      GParamSpec *spec = g_ptr_array_index (settings, i);
      GValue      value = G_VALUE_INIT;

      g_value_init (&value, spec->value_type);
      G_OBJECT_CLASS (g_type_class_peek (spec->owner_type))->get_property (operation, spec->param_id, &value, spec);
      hash = add_to_hash (hash, hash_of_value (&value));
      g_value_unset (&value);
    }
  hash = add_to_hash (add_to_hash (hash, (guint64) halo->left << 32 | halo->top), (guint64) halo->right << 32 | halo->bottom);
  hash = add_to_hash (hash, GPOINTER_TO_SIZE (gegl_buffer_get_format (request->input)));
  return add_to_hash (hash, GPOINTER_TO_SIZE (gegl_buffer_get_format (request->output)));
}

/* Are they new, or is this filter's turn? */
static gboolean
is_turn (const TesseraRequest *request)
{
  const guint64 hash = hash_of_settings (request);
  guint         n;
  gboolean      is_new;

  g_mutex_lock (&lock);
  if (! seen)
    {
      seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
      counts = g_hash_table_new (g_str_hash, g_str_equal);
    }
  if (g_hash_table_size (seen) >= MOST_SETTINGS)
    g_hash_table_remove_all (seen);
  is_new = g_hash_table_add (seen, g_memdup2 (&hash, sizeof hash));
  n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, request->filter->name)) + 1;
  g_hash_table_insert (counts, (gpointer) request->filter->name, GUINT_TO_POINTER (n));
  g_mutex_unlock (&lock);
  return is_new || n % EVERY == 0;
}

TesseraSample
tessera_sample_due (const TesseraRequest *request, const TesseraSurvey *survey)
{
  const TesseraFilter *filter = request->filter;

  if (tessera_proof_state.leg != TESSERA_PROOF_NONE || tessera_trusts_kernels () || ! is_turn (request))
    return TESSERA_SAMPLE_NONE;
  if (survey || filter->whole || filter->answers)
    return TESSERA_SAMPLE_PICTURES;
  if (request->output == request->input || request->output == request->aux)     /* its input is gone */
    return TESSERA_SAMPLE_NONE;
  return TESSERA_SAMPLE_PART;
}

/* ----------------------------------------------------------------- part -- */

/* A place of `n` for `side` pixels.  Every fourth is at one of the ends. */
static gint
place (guint32 bits, gint n, gint side)
{
  return bits % 4 == 0 ? (bits & 4 ? n - side : 0) : (gint) ((bits >> 3) % (guint) (n - side + 1));
}

GeglRectangle
tessera_sample_part (const TesseraRequest *request)
{
  static gint          turn;
  const GeglRectangle *roi = &request->roi;
  const gint           width = MIN (SIDE, roi->width), height = MIN (SIDE, roi->height);
  const guint32        bits = (guint32) g_atomic_int_add (&turn, 1) * 2654435761u;

  return (GeglRectangle) { roi->x + place (bits >> 4, roi->width, width), roi->y + place (bits >> 16 ^ bits, roi->height, height), width, height };
}
