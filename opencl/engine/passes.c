/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The functions that a filter's passes call: memory, tables, launches.
 */
#include "config.h"

#include "passes.h"

#include "counters.h"
#include "pool.h"

#define MOST_RAW 128            /* pointers in the 1024 bytes that each device takes */

typedef struct
{
  const gchar  *kernel;         /* NULL: a clear */
  gdouble       reads;          /* pixels */
  TesseraEvent *event;
} Command;

/* The next step of a band, unless one before it failed. */
#define NEXT_STEP(state, step) ((state)->status != 0 ? (state)->status : ((state)->status = (step)))

/* ---------------------------------------------------------------- memory -- */

gint
tessera_band_keep (BandState *state, gsize bytes, gboolean pinned, TesseraMemory **memory)
{
  *memory = NULL;
  if (NEXT_STEP (state, state->n_memories == MAX_MEMORIES
                        ? tessera_error (TESSERA_NO_MEMORY)
                        : tessera_pool_take (state->job->device, bytes, pinned, state->job->plan.exact, memory)) == 0)
    state->memories[state->n_memories++] = *memory;
  return state->status;
}

gint
tessera_scratch (TesseraBand *band, gsize bytes, TesseraMemory **memory)
{
  return tessera_band_keep (band_state (band), bytes, FALSE, memory);
}

gint
tessera_band_clear (BandState *state, TesseraMemory *memory, gsize bytes)
{
  Command clear = { NULL, 0, NULL };

  if (NEXT_STEP (state, tessera_enqueue_clear (state->job->queue, memory, bytes, &clear.event)) == 0)
    g_array_append_val (state->commands, clear);
  return state->status;
}

/* How long a table is what it is: until the request ends; as long as the process, data and all; as long, but not the data. */
typedef enum { TABLE_OF_REQUEST, TABLE_FOR_GOOD, TABLE_KEPT } TableLife;

static TableState *
find_table (Job *job, gconstpointer key, gsize bytes)
{
  for (guint i = 0; i < job->n_tables; i++)
    if (job->tables[i].data == key && job->tables[i].bytes == bytes)
      return &job->tables[i];
  return NULL;
}

/* `key`: the data's address, or what names it. */
static gint
bring_table (Job *job, gconstpointer key, gconstpointer data, gsize bytes, TableLife life, TesseraMemory **memory)
{
  TableState table = { .data = key, .bytes = bytes }, *known = find_table (job, key, bytes);
  gboolean   is_there = FALSE;
  gint       status;

  if (known)
    {
      *memory = known->memory;
      return 0;
    }
  if (job->n_tables == MAX_TABLES)
    return tessera_error (TESSERA_NO_MEMORY);
  status = life != TABLE_OF_REQUEST ? tessera_pool_take_constant (job->device, bytes, key, &table.memory, &is_there)
                                    : tessera_pool_take (job->device, bytes, FALSE, job->plan.exact, &table.memory);
  if (status != 0)
    return status;
  /* A copy, because a device that does not answer may read the table after the filter has freed its own. */
  if (life != TABLE_FOR_GOOD && ! is_there)
    table.copy = g_memdup2 (data, bytes);
  if (! is_there)
    status = tessera_enqueue_upload (job->queue, LANE_RUN, table.memory, 0, table.copy ? table.copy : data, bytes,
                                     &table.uploaded);
  if (status != 0)
    {
      tessera_pool_lose (table.memory);
      g_free (table.copy);
      return status;
    }
  *memory = table.memory;
  table.kept = life == TABLE_KEPT ? tessera_kept_ref ((TesseraKept *) key) : NULL;
  job->tables[job->n_tables++] = table;
  return 0;
}

static gint
wait_for_tables (Job *job)
{
  gint status = 0;

  for (guint i = 0; i < job->n_tables && status == 0; i++)
    if (job->tables[i].uploaded && (status = tessera_event_wait (job->tables[i].uploaded)) == 0)
      g_clear_pointer (&job->tables[i].uploaded, tessera_event_free);
  return status;
}

void
tessera_tables_free (Job *job, gboolean whole, gboolean idle)
{
  for (guint i = 0; i < job->n_tables; i++)
    {
      TableState *table = &job->tables[i];

      if (whole && ! table->uploaded)
        tessera_pool_give (table->memory);
      else
        tessera_pool_lose (table->memory);
      if (idle)                         /* else the device may still read it */
        g_free (table->copy);
      g_clear_pointer (&table->uploaded, tessera_event_free);
      tessera_kept_unref (table->kept);         /* its memory is the pool's again, which knows it by its address */
    }
  job->n_tables = 0;
}

static gint
band_table (BandState *state, gconstpointer key, gconstpointer data, gsize bytes, TableLife life, TesseraMemory **memory)
{
  *memory = NULL;
  return NEXT_STEP (state, bring_table (state->job, key, data, bytes, life, memory));
}

gint
tessera_table (TesseraBand *band, gconstpointer data, gsize bytes, TesseraMemory **memory)
{
  return band_table (band_state (band), data, data, bytes, TABLE_OF_REQUEST, memory);
}

struct _TesseraKept
{
  gint references;              /* its address names what it keeps */
};

TesseraKept *
tessera_kept_new (void)
{
  TesseraKept *kept = g_new (TesseraKept, 1);

  kept->references = 1;
  return kept;
}

TesseraKept *
tessera_kept_ref (TesseraKept *kept)
{
  if (kept)
    g_atomic_int_inc (&kept->references);
  return kept;
}

void
tessera_kept_unref (TesseraKept *kept)
{
  if (! kept || ! g_atomic_int_dec_and_test (&kept->references))
    return;
  tessera_pool_drop_constant (kept);
  g_free (kept);
}

gboolean
tessera_is_kept (const TesseraKept *kept)
{
  return kept && tessera_pool_has_constant (kept);
}

gint
tessera_kept_table (TesseraBand *band, TesseraKept *kept, gconstpointer data, gsize bytes, TesseraMemory **memory)
{
  return band_table (band_state (band), kept ? kept : data, data, bytes, kept ? TABLE_KEPT : TABLE_OF_REQUEST, memory);
}

static gint
keep_table (Job *job, TesseraKept *kept, gsize bytes, TesseraMemory **memory, gboolean *is_there)
{
  TableState made = { .data = kept, .bytes = bytes }, *known = find_table (job, kept, bytes);
  gint       status;

  *is_there = known != NULL;
  if (! known)
    {
      if (job->n_tables == MAX_TABLES)
        return tessera_error (TESSERA_NO_MEMORY);
      if ((status = tessera_pool_take_constant (job->device, bytes, kept, &made.memory, is_there)) != 0)
        return status;
      made.kept = tessera_kept_ref (kept);
      known = &job->tables[job->n_tables++];
      *known = made;
    }
  *memory = known->memory;
  return 0;
}

/* Its passes are among the band's commands: the request fails if one of them does, and then it is not kept. */
gint
tessera_kept_memory (TesseraBand *band, TesseraKept *kept, gsize bytes, TesseraMemory **memory, gboolean *is_there)
{
  BandState *state = band_state (band);
  gboolean   found = FALSE;

  *memory = NULL;
  NEXT_STEP (state, keep_table (state->job, kept, bytes, memory, &found));
  if (is_there)
    *is_there = found;
  return NEXT_STEP (state, is_there || found ? 0 : tessera_error (TESSERA_UNASKED));
}

gint
tessera_give_up (TesseraBand *band)
{
  return NEXT_STEP (band_state (band), tessera_error (TESSERA_FAILED));
}

gint
tessera_send (TesseraBand *band, gconstpointer data, gsize bytes, TesseraMemory *memory)
{
  BandState *state = band_state (band);
  Command    command = { NULL, 0, NULL };
  gpointer   copy = g_memdup2 (data, bytes);

  g_ptr_array_add (state->sent, copy);
  if (NEXT_STEP (state, tessera_enqueue_upload (state->job->queue, LANE_RUN, memory, 0, copy, bytes, &command.event)) == 0)
    g_array_append_val (state->commands, command);
  return state->status;
}

/* Price: 1.3 (motion blur, 24 Mpix u16; H200, 2026-11-22). */
gint
tessera_constant_table (BandState *state, gconstpointer data, gsize bytes, TesseraMemory **memory)
{
  return band_table (state, data, data, bytes, TABLE_FOR_GOOD, memory);
}

/* -------------------------------------------------------------- launches -- */

/* Where the driver finds an argument; `object` has room for that of memory. */
static TesseraRawArg
raw_arg (BandState *state, const TesseraArg *arg, gpointer *object)
{
  TesseraMemory *memory = arg->kind == TESSERA_ARG_MEMORY ? arg->v.memory : NULL;

  if (arg->kind == TESSERA_ARG_TABLE)
    band_table (state, arg->v.table.data, arg->v.table.data, arg->v.table.bytes, TABLE_OF_REQUEST, &memory);
  *object = memory ? memory->object : NULL;
  return arg->kind == TESSERA_ARG_MEMORY || arg->kind == TESSERA_ARG_TABLE ? (TesseraRawArg) { sizeof (gpointer), object }
         : arg->kind == TESSERA_ARG_LOCAL ? (TesseraRawArg) { arg->v.bytes, NULL }
         : (TesseraRawArg) { arg->kind == TESSERA_ARG_FLOAT4 ? sizeof arg->v.f4 : 4, &arg->v };
}

/* Of a list as many as the kernel has pointers, at most `most`: if these are too few, the driver refuses the launch. */
static guint
raw_list (const TesseraArg *arg, guint most, TesseraRawArg *raw, gpointer *objects)
{
  const guint n = MIN ((guint) arg->v.list.room, most);

  for (guint i = 0; i < n; i++)
    {
      const TesseraArg one = { TESSERA_ARG_MEMORY, { .memory = arg->v.list.memories[MIN ((gint) i, arg->v.list.n - 1)] } };

      raw[i] = raw_arg (NULL, &one, &objects[i]);
    }
  return n;
}

/* Returns how many there are. */
static guint
raw_args (BandState *state, const TesseraArg *args, TesseraRawArg *raw, gpointer *objects)
{
  guint n = 0;

  for (const TesseraArg *arg = args; arg < args + TESSERA_MAX_ARGS && arg->kind != TESSERA_ARG_END && n < MOST_RAW; arg++)
    if (arg->kind == TESSERA_ARG_LIST)
      n += raw_list (arg, MOST_RAW - n, raw + n, objects + n);
    else
      {
        raw[n] = raw_arg (state, arg, &objects[n]);
        n++;
      }
  return n;
}

/* The group of a launch that names none.  It is fixed, because some drivers (PoCL) compile a kernel
 * anew for each group size.  If a group is too large for the device, program.c halves it, because
 * the kernel is known there. */
static void
choose_group (const TesseraLaunch *launch, gsize group[3])
{
  const gboolean is_flat = launch->size[1] <= 1 && launch->size[2] <= 1;

  for (gint d = 0; d < 3; d++)
    group[d] = launch->group[0] ? MAX (launch->group[d], 1)
               : d == 0 ? (is_flat ? 64 : 16) : d == 1 ? (is_flat ? 1 : 4) : 1;
}

/* How much of a dimension to launch at once, if it is cut in about `parts` parts. */
static gsize
split_step (gsize size, gsize group, gdouble parts)
{
  gsize step = MAX (1, (gsize) (size / MAX (1.0, parts)));

  return MIN (size, (step + group - 1) / group * group);
}

/* Splits a launch that would keep a small GPU busy for long: into rows, and rows too if one is too much. */
static gint
launch_program (BandState *state, TesseraProgram *program, guint variant, const TesseraLaunch *launch)
{
  TesseraRawArg raw[MOST_RAW];
  gpointer      objects[MOST_RAW];
  gsize         offset[3] = { 0 }, size[3], group[3];
  gsize         last_size, step, width, width_step;
  const gdouble most = tessera_plan_reads (state->job->device->units);
  gdouble       cost = MAX (launch->cost, 1.0);
  gint          last = 2;
  const guint   n = raw_args (state, launch->args, raw, objects);

  choose_group (launch, group);
  for (gint d = 0; d < 3; d++)
    {
      size[d] = (MAX (launch->size[d], 1) + group[d] - 1) / group[d] * group[d];
      cost *= size[d];
    }
  while (last > 0 && size[last] == group[last])
    last--;
  last_size = size[last];
  step = split_step (last_size, group[last], cost / most);
  width = size[0];
  width_step = last > 0 ? split_step (width, group[0], cost / last_size * step / most) : width;
  for (; offset[last] < last_size && state->status == 0; offset[last] += step)
    for (gsize x = 0; x < (last > 0 ? width : 1) && state->status == 0; x += width_step)
      {
        Command command = { launch->kernel, 0, NULL };

        size[last] = MIN (step, last_size - offset[last]);
        if (last > 0)
          {
            offset[0] = x;
            size[0] = MIN (width_step, width - x);
          }
        command.reads = MAX (launch->cost, 1.0) * size[0] * size[1] * size[2];
        if (NEXT_STEP (state, tessera_program_launch (program, state->job->queue, launch->kernel, variant, offset, size,
                                                      group, raw, n, &command.event)) == 0)
          g_array_append_val (state->commands, command);
      }
  return state->status;
}

gint
tessera_launch (TesseraBand *band, const TesseraLaunch *launch)
{
  BandState *state = band_state (band);

  return launch_program (state, state->job->program, 0, launch);
}

gint
tessera_engine_launch (BandState *state, guint variant, const TesseraLaunch *launch)
{
  return launch_program (state, state->job->engine_program, variant, launch);
}

static void
count_time (Job *job, const Command *command)
{
  const guint64 ns = command->kernel ? tessera_event_duration (command->event) : 0;

  if (command->kernel)
    tessera_count_kernel (job->request->filter->name, command->kernel, ns, command->reads);
  job->timings->run += ns / 1e9;
}

gint
tessera_commands_see (BandState *state)
{
  Job           *job = state->job;
  const guint    n = state->commands->len - state->n_seen;
  const Command *commands = &g_array_index (state->commands, Command, state->n_seen);
  gint           status = wait_for_tables (job);

  for (guint i = 0; i < n && status == 0; i++)
    if ((status = job->profiled ? tessera_event_wait (commands[i].event) : tessera_event_failed (commands[i].event)) == 0 && job->profiled)
      count_time (job, &commands[i]);
  state->n_seen += n;
  return status;
}

void
tessera_commands_free (BandState *state)
{
  for (guint i = 0; i < state->commands->len; i++)
    tessera_event_free (g_array_index (state->commands, Command, i).event);
  g_array_unref (state->commands);
}

GArray *
tessera_commands_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Command));
}
