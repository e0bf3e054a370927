/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The stub driver's plan: which call fails, with what, and when. */
#include "stub-plan.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RULES 16
#define EXPORT __attribute__ ((visibility ("default")))

typedef enum { RULE_FAIL, RULE_FROM, RULE_EVERY, RULE_LOST, RULE_EVENT, RULE_COMMAND, RULE_DELAY, RULE_PIECE } RuleKind;

typedef struct
{
  RuleKind  kind;
  StubEntry entry;              /* of FAIL, FROM, EVERY, DELAY */
  StubCommand command;          /* of COMMAND */
  StubFate  fate;
  guint64   n, seen;            /* DELAY: n are milliseconds */
  cl_int    code;
  gboolean  is_quiet;           /* EVENT, COMMAND: Finish does not tell */
} Rule;

static GMutex   lock;           /* guards what follows */
static Rule     rules[MAX_RULES];
static guint    n_rules, lies;
static char     skipped[64];    /* a kernel, or empty */
static gboolean met, lost;
static cl_int   event_code = CL_OUT_OF_RESOURCES;
static gint64   calls[STUB_N_ENTRIES];
static gpointer watch;          /* atomic: a StubWatch */

static const struct { const char *name; StubClass class; } entries[STUB_N_ENTRIES] = {
#define ENTRY(name, class) { #name, STUB_##class },
  STUB_ENTRIES (ENTRY)
#undef ENTRY
};

static const struct { const char *name; cl_int code; } codes[] = {
#define CODE(name) { #name, name },
  CODE (CL_DEVICE_NOT_FOUND) CODE (CL_DEVICE_NOT_AVAILABLE) CODE (CL_COMPILER_NOT_AVAILABLE)
  CODE (CL_MEM_OBJECT_ALLOCATION_FAILURE) CODE (CL_OUT_OF_RESOURCES) CODE (CL_OUT_OF_HOST_MEMORY)
  CODE (CL_PROFILING_INFO_NOT_AVAILABLE) CODE (CL_BUILD_PROGRAM_FAILURE) CODE (CL_MAP_FAILURE)
  CODE (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) CODE (CL_INVALID_VALUE)
  CODE (CL_INVALID_CONTEXT) CODE (CL_INVALID_QUEUE_PROPERTIES) CODE (CL_INVALID_COMMAND_QUEUE)
  CODE (CL_INVALID_MEM_OBJECT) CODE (CL_INVALID_PROGRAM_EXECUTABLE) CODE (CL_INVALID_KERNEL_NAME)
  CODE (CL_INVALID_KERNEL_ARGS) CODE (CL_INVALID_WORK_GROUP_SIZE) CODE (CL_INVALID_OPERATION)
  CODE (CL_INVALID_BUFFER_SIZE)
#undef CODE
};

static const char *const lie_names[] = { "download", "launch", "memory", "nothing", "build", "version", "round", "five", "cut", "gpu", "single", "kept" };
static const char *const command_names[STUB_N_COMMANDS] = { "write", "fill", "launch", "read" };

/* ------------------------------------------------------------- parsing -- */

const char *
stub_entry_name (StubEntry entry)
{
  return entries[entry].name;
}

static gboolean
find_entry (const gchar *name, StubEntry *entry)
{
  for (guint i = 0; i < STUB_N_ENTRIES; i++)
    if (strcmp (name, entries[i].name) == 0)
      {
        *entry = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
find_code (const gchar *text, cl_int *code)
{
  gchar *end;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (strcmp (text, codes[i].name) == 0)
      {
        *code = codes[i].code;
        return TRUE;
      }
  *code = strtol (text, &end, 10);
  return *text && ! *end && *code != CL_SUCCESS;
}

static gboolean
find_number (const gchar *text, guint64 *n)
{
  return text && g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, n, NULL);
}

/* `late KIND:N` and its like. */
static gboolean
parse_command (gchar **word, guint n_words, Rule *rule)
{
  rule->kind = RULE_COMMAND;
  rule->fate = *word[0] == 'l' ? STUB_LATE : *word[0] == 'a' ? STUB_ALONE : STUB_STRAY;
  rule->is_quiet = rule->fate != STUB_STRAY;
  rule->command = STUB_N_COMMANDS;
  for (guint i = 0; n_words >= 3 && n_words <= 4 && i < STUB_N_COMMANDS; i++)
    if (strcmp (word[1], command_names[i]) == 0)
      rule->command = i;
  return rule->command < STUB_N_COMMANDS && find_number (word[2], &rule->n)
         && (n_words == 3 || find_code (word[3], &rule->code))
         && (rule->fate != STUB_STRAY || rule->command == STUB_WRITE || rule->command == STUB_READ);
}

/* The words of `fail ENTRY:N:CODE`, split at the blank and the colons. */
static gboolean
parse_words (gchar **word, guint n_words, Rule *rule, guint *lie)
{
  rule->code = CL_OUT_OF_RESOURCES;
  if (n_words == 2 && strcmp (word[0], "lie") == 0)
    {
      for (guint i = 0; i < G_N_ELEMENTS (lie_names); i++)
        if (strcmp (word[1], lie_names[i]) == 0)
          *lie = 1u << i;
      return *lie != 0;
    }
  if (strcmp (word[0], "fail") == 0 || strcmp (word[0], "from") == 0)
    {
      rule->kind = word[0][1] == 'a' ? RULE_FAIL : RULE_FROM;
      return n_words == 4 && find_entry (word[1], &rule->entry) && find_number (word[2], &rule->n)
             && find_code (word[3], &rule->code);
    }
  if (n_words == 2 && strcmp (word[0], "skip") == 0)
    {
      g_strlcpy (skipped, word[1], sizeof skipped);
      *lie = STUB_SKIP;
      return TRUE;
    }
  if (strcmp (word[0], "late") == 0 || strcmp (word[0], "alone") == 0 || strcmp (word[0], "stray") == 0)
    return parse_command (word, n_words, rule);
  if (strcmp (word[0], "every") == 0)
    {
      rule->kind = RULE_EVERY;
      return (n_words == 3 || n_words == 4) && find_entry (word[1], &rule->entry) && find_number (word[2], &rule->n)
             && (n_words == 3 || find_code (word[3], &rule->code));
    }
  if (strcmp (word[0], "delay") == 0)
    {
      rule->kind = RULE_DELAY;
      return n_words == 3 && find_entry (word[1], &rule->entry) && find_number (word[2], &rule->n);
    }
  if (n_words < 2 || ! find_number (word[1], &rule->n))
    return FALSE;
  if (strcmp (word[0], "piece") == 0)
    {
      rule->kind = RULE_PIECE;
      return n_words == 2;
    }
  if (strcmp (word[0], "lost") == 0)
    {
      rule->kind = RULE_LOST;
      return n_words == 2 || (n_words == 3 && find_code (word[2], &rule->code));
    }
  if (strcmp (word[0], "host-memory") == 0)
    {
      rule->kind = RULE_FAIL;
      rule->entry = STUB_CreateBuffer;
      rule->code = CL_OUT_OF_HOST_MEMORY;
      return n_words == 2;
    }
  rule->kind = RULE_EVENT;
  rule->is_quiet = strcmp (word[0], "quiet-event") == 0;
  return n_words == 2 && (rule->is_quiet || strcmp (word[0], "event") == 0);
}

static gboolean
parse_locked (const gchar *plan)
{
  gchar  **parts = g_strsplit (plan, ";", -1);
  gboolean good = TRUE;

  for (guint i = 0; parts[i] && good; i++)
    {
      gchar **word = g_strsplit_set (g_strstrip (parts[i]), " :", -1);
      Rule    rule = { 0 };
      guint   lie = 0;

      if (*parts[i])
        good = n_rules < MAX_RULES && parse_words (word, g_strv_length (word), &rule, &lie);
      if (*parts[i] && good && ! lie)
        rules[n_rules++] = rule;
      lies |= lie;
      g_strfreev (word);
    }
  g_strfreev (parts);
  return good;
}

/* ----------------------------------------------------------- decisions -- */

static gboolean
rule_fires_locked (Rule *rule, StubEntry entry)
{
  switch (rule->kind)
    {
    case RULE_FAIL:
      return rule->entry == entry && ++rule->seen == rule->n;
    case RULE_FROM:
      return rule->entry == entry && ++rule->seen >= rule->n;
    case RULE_EVERY:
      return rule->entry == entry && ++rule->seen % rule->n == 0;
    case RULE_LOST:
      if (entries[entry].class == STUB_WORK && ++rule->seen >= rule->n)
        lost = TRUE;
      return lost && entries[entry].class != STUB_RELEASE;
    case RULE_EVENT:
    case RULE_COMMAND:
    case RULE_DELAY:
    case RULE_PIECE:
      break;
    }
  return FALSE;
}

cl_int
stub_enter (StubEntry entry)
{
  const StubWatch watcher = (StubWatch) g_atomic_pointer_get (&watch);
  guint64         delay = 0;
  cl_int          code = CL_SUCCESS;

  if (watcher)
    watcher (entries[entry].name);
  g_mutex_lock (&lock);
  calls[entry]++;
  for (guint i = 0; i < n_rules; i++)
    {
      if (rule_fires_locked (&rules[i], entry) && code == CL_SUCCESS)
        code = rules[i].code;
      if (rules[i].kind == RULE_DELAY && rules[i].entry == entry)
        delay += rules[i].n;
    }
  met = met || code != CL_SUCCESS || delay;
  g_mutex_unlock (&lock);
  if (delay)
    g_usleep (delay * 1000);
  return code;
}

gboolean
stub_is_lost (void)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = lost;
  g_mutex_unlock (&lock);
  return answer;
}

gboolean
stub_skips_some (void)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = *skipped != 0;
  g_mutex_unlock (&lock);
  return answer;
}

gboolean
stub_skips (const char *kernel)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = *skipped && strcmp (kernel, skipped) == 0;
  met = met || answer;
  g_mutex_unlock (&lock);
  return answer;
}

gboolean
stub_lies (StubLie lie)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = (lies & lie) != 0;
  met = met || answer;
  g_mutex_unlock (&lock);
  return answer;
}

guint64
stub_piece (void)
{
  guint64 piece = 0;

  g_mutex_lock (&lock);
  for (guint i = 0; i < n_rules; i++)
    if (rules[i].kind == RULE_PIECE)
      piece = rules[i].n;
  g_mutex_unlock (&lock);
  return piece;
}

StubFate
stub_fate (StubCommand command)
{
  const gboolean may_fail = command == STUB_LAUNCH || command == STUB_READ;     /* of RULE_EVENT */
  StubFate       fate = STUB_RUNS;

  g_mutex_lock (&lock);
  for (guint i = 0; i < n_rules; i++)
    {
      Rule *rule = &rules[i];

      if (rule->kind == RULE_EVENT && may_fail && ++rule->seen == rule->n)
        fate = STUB_LATE;
      if (rule->kind == RULE_COMMAND && rule->command == command && ++rule->seen == rule->n)
        {
          fate = rule->fate;
          event_code = rule->code;
        }
    }
  met = met || fate != STUB_RUNS;
  g_mutex_unlock (&lock);
  return fate;
}

cl_int
stub_event_code (void)
{
  cl_int code;

  g_mutex_lock (&lock);
  code = event_code;
  g_mutex_unlock (&lock);
  return code;
}

gboolean
stub_finish_tells (void)
{
  gboolean answer = TRUE;

  g_mutex_lock (&lock);
  for (guint i = 0; i < n_rules; i++)
    answer = answer && ! rules[i].is_quiet;
  g_mutex_unlock (&lock);
  return answer;
}

/* --------------------------------------------------------- for the test -- */

EXPORT gboolean
stub_icd_set_plan (const gchar *plan)
{
  gboolean good;

  g_mutex_lock (&lock);
  n_rules = lies = 0;
  *skipped = 0;
  met = lost = FALSE;
  event_code = CL_OUT_OF_RESOURCES;
  good = parse_locked (plan ? plan : "");
  g_mutex_unlock (&lock);
  if (! good)
    g_printerr ("stub-icd: the plan `%s` is not understood\n", plan);
  return good;
}

EXPORT void
stub_icd_set_watch (StubWatch watcher)
{
  g_atomic_pointer_set (&watch, (gpointer) watcher);
}

EXPORT gboolean
stub_icd_met (void)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = met;
  g_mutex_unlock (&lock);
  return answer;
}

EXPORT gint64
stub_icd_calls (const gchar *name)
{
  StubEntry entry;
  gint64    n = -1;

  if (find_entry (name, &entry))
    {
      g_mutex_lock (&lock);
      n = calls[entry];
      g_mutex_unlock (&lock);
    }
  return n;
}
