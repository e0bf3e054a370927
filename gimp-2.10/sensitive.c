/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The expressions in which a property says when it has an effect, as GIMP 3 reads them:
 *
 *   any   = all { '|' all }        all  = not { '&' not }       not = '!' not | '(' any ')' | test
 *   test  = '0' | '1'                             never, always
 *         | property                              a boolean that is set
 *         | property '{' value { ',' value } '}'    an enum that is one of these
 *
 * What cannot be read holds.
 */
#include "plug-in.h"

#include <string.h>

typedef struct
{
  GeglNode    *node;
  const gchar *at;
  gboolean     broken;
} Expression;

static gboolean any (Expression *e);

static gboolean
next_is (Expression *e, gchar letter)
{
  while (g_ascii_isspace (*e->at))
    e->at++;
  if (*e->at != letter)
    return FALSE;
  while (*e->at == letter && (letter == '|' || letter == '&') && e->at[1] == letter)
    e->at++;
  e->at++;
  return TRUE;
}

static gchar *
word (Expression *e)
{
  const gchar *start;

  while (g_ascii_isspace (*e->at))
    e->at++;
  for (start = e->at; g_ascii_isalnum (*e->at) || (*e->at && strchr ("-_.#:", *e->at)); e->at++)
    ;
  e->broken = e->broken || e->at == start;
  return g_strndup (start, e->at - start);
}

static gboolean
test (Expression *e)
{
  g_autofree gchar *name = word (e), *text = NULL;
  gboolean    constant = strcmp (name, "0") == 0 || strcmp (name, "1") == 0;
  GParamSpec *spec = gegl_operation_find_property (gegl_node_get_operation (e->node), name);
  GValue      value = G_VALUE_INIT;
  gboolean    holds = FALSE;

  if (spec)
    {
      gegl_node_get_property (e->node, name, &value);
      text = settings_value_text (&value);
      g_value_unset (&value);
    }
  if (constant)
    holds = *name == '1';
  else if (! text)
    e->broken = TRUE;
  else if (next_is (e, '{'))
    {
      do
        {
          g_autofree gchar *one = word (e);

          holds = holds || strcmp (one, text) == 0;
        }
      while (next_is (e, ','));
      e->broken = e->broken || ! next_is (e, '}');
    }
  else
    holds = strcmp (text, "false") != 0;
  return holds;
}

static gboolean
negated (Expression *e)
{
  gboolean holds;

  if (next_is (e, '!'))
    return ! negated (e);
  if (! next_is (e, '('))
    return test (e);
  holds = any (e);
  e->broken = e->broken || ! next_is (e, ')');
  return holds;
}

static gboolean
all (Expression *e)
{
  gboolean holds = negated (e);

  while (next_is (e, '&'))
    holds = negated (e) && holds;
  return holds;
}

static gboolean
any (Expression *e)
{
  gboolean holds = all (e);

  while (next_is (e, '|'))
    holds = all (e) || holds;
  return holds;
}

gboolean
sensitive_holds (GeglNode *node, GParamSpec *spec, const gchar *key)
{
  const gchar *text = gegl_param_spec_get_property_key (spec, key);
  Expression   e = { node, text, FALSE };
  gboolean     holds;

  if (! text)
    return TRUE;
  holds = any (&e);
  while (g_ascii_isspace (*e.at))
    e.at++;
  return holds || e.broken || *e.at;
}
