/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A kernel that is known to be right (proof.c) may be wrong with other settings, and a card may go bad.  So the first
 * result with new settings is compared with C, and of later ones so few that it costs a hundredth of their time.  Of what can be cut
 * a spot is compared; of anything else all, so the first result with new settings only where that is small.
 */
#include "config.h"

#include "sample.h"

#include <gegl-plugin.h>

#include "proof.h"
#include "settings.h"

#define EVERY 256               /* results of a filter; or more, where they are large: ... */
#define SHARE 100               /* ... the results since the last comparison took so many times its time */
#define SMALL 65536             /* pixels, about */
#define MOST_SETTINGS 4096      /* that are remembered */
#define MOST_BLANK 16           /* results in turn that show nothing are compared, whatever it costs */

/* The results of a filter since one was compared. */
typedef struct
{
  guint   n, n_blank;           /* n_blank: of those that were compared, the last ones, which show nothing */
  gdouble seconds, price;       /* what they took; what the comparison took */
} Since;

static GMutex      lock;        /* guards what follows */
static GHashTable *seen;        /* hashes of settings */
static GHashTable *since;       /* filter -> Since */

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

static guint64
hash_of_format (GeglBuffer *buffer)
{
  return buffer ? GPOINTER_TO_SIZE (gegl_buffer_get_format (buffer)) : 0;
}

/* Of the operation's settings, and of what else decides which code runs. */
static guint64
hash_of_settings (const TesseraRequest *request)
{
  GObject           *operation = (GObject *) request->errand.operation;
  const GPtrArray   *settings = operation ? settings_of (G_OBJECT_GET_CLASS (operation)) : NULL;
  const TesseraHalo *halo = &request->halo;
  guint64            hash = add_to_hash (GPOINTER_TO_SIZE (request->filter), request->border << 8 | request->cost_class);

  for (guint i = 0; settings && i < settings->len; i++)
    {
      GParamSpec *spec = g_ptr_array_index (settings, i);
      GValue      value = G_VALUE_INIT;

      g_value_init (&value, spec->value_type);
      G_OBJECT_CLASS (g_type_class_peek (spec->owner_type))->get_property (operation, spec->param_id, &value, spec);
      hash = add_to_hash (hash, hash_of_value (&value));
      g_value_unset (&value);
    }
  hash = add_to_hash (add_to_hash (hash, (guint64) halo->left << 32 | halo->top), (guint64) halo->right << 32 | halo->bottom);
  hash = add_to_hash (hash, hash_of_format (request->input));
  return add_to_hash (hash, hash_of_format (request->output));
}

static Since *
since_locked (const TesseraRequest *request)
{
  Since *known;

  if (! since)
    since = g_hash_table_new (g_str_hash, g_str_equal);
  known = g_hash_table_lookup (since, request->filter->name);
  if (! known)
    g_hash_table_insert (since, (gpointer) request->filter->name, known = g_new0 (Since, 1));   /* for good */
  return known;
}

static gboolean
are_new_locked (guint64 hash)
{
  if (! seen)
    seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (g_hash_table_size (seen) >= MOST_SETTINGS)
    g_hash_table_remove_all (seen);
  return g_hash_table_add (seen, g_memdup2 (&hash, sizeof hash));
}

gboolean
tessera_sample_due (const TesseraRequest *request, const TesseraSurvey *survey, gdouble seconds, gboolean is_unproven)
{
  const guint64  hash = hash_of_settings (request);
  const gboolean is_small = tessera_request_work (request) <= SMALL;
  gboolean       are_new, is_turn, is_first;
  Since         *known;

  g_mutex_lock (&lock);
  known = since_locked (request);
  known->n++;
  known->seconds += seconds;
  are_new = are_new_locked (hash);
  is_turn = known->n >= EVERY && (is_small || known->seconds >= SHARE * known->price);
  is_first = is_unproven && (known->n_blank < MOST_BLANK || known->seconds >= SHARE * known->price);
  g_mutex_unlock (&lock);
  return is_turn || is_first || (are_new && (is_small || tessera_result_has_spots (request, survey)));
}

void
tessera_sample_note (const TesseraRequest *request, gdouble seconds, gboolean is_blank)
{
  const guint64 hash = is_blank ? hash_of_settings (request) : 0;
  Since        *known;

  g_mutex_lock (&lock);
  known = since_locked (request);
  *known = (Since) { .price = seconds, .n_blank = is_blank ? known->n_blank + 1 : 0 };
  if (is_blank && known->n_blank < MOST_BLANK)
    g_hash_table_remove (seen, &hash);
  g_mutex_unlock (&lock);
}
