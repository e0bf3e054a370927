/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a filter asks of its device, one step after another until one fails.  Each returns TRUE if all went well so far. */
#ifndef STEPS_H
#define STEPS_H

#include "tessera.h"

typedef struct
{
  TesseraBand *band;
  gint         status;
} Steps;

static inline gboolean
steps_launch (Steps *steps, const TesseraLaunch *launch)
{
  if (steps->status == 0)
    steps->status = tessera_launch (steps->band, launch);
  return steps->status == 0;
}

static inline gboolean
steps_take (Steps *steps, gsize bytes, TesseraMemory **memory)
{
  if (steps->status == 0)
    steps->status = tessera_scratch (steps->band, bytes, memory);
  return steps->status == 0;
}

static inline gboolean
steps_table (Steps *steps, gconstpointer data, gsize bytes, TesseraMemory **memory)
{
  if (steps->status == 0)
    steps->status = tessera_table (steps->band, data, bytes, memory);
  return steps->status == 0;
}

static inline gboolean
steps_send (Steps *steps, gconstpointer data, gsize bytes, TesseraMemory *memory)
{
  if (steps->status == 0)
    steps->status = tessera_send (steps->band, data, bytes, memory);
  return steps->status == 0;
}

static inline gboolean
steps_fetch (Steps *steps, TesseraMemory *memory, gsize bytes, gpointer to)
{
  if (steps->status == 0)
    steps->status = tessera_fetch (steps->band, memory, bytes, to);
  return steps->status == 0;
}

/* The engine's memory, until something else is fetched. */
static inline gboolean
steps_see (Steps *steps, TesseraMemory *memory, gsize bytes, gconstpointer *seen)
{
  if (steps->status == 0)
    steps->status = tessera_fetch_view (steps->band, memory, bytes, seen);
  return steps->status == 0;
}

#endif
