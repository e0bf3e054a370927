/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Passes in C over rows: see roll.h.
 */
#include "config.h"

#include "roll.h"

#include <string.h>

#define STRIP       256         /* columns of a strip, or twice as many if its halo is as wide ... */
#define MORE        128         /* ... and of the last one these more; strips end where GEGL's tiles end */
#define TILE        64          /* rows of GEGL's tiles; writing ends where they end */
#define MOST_ROWS   1024
#define READ_PIXELS 20000       /* at once */

static gfloat *
row_of (const RollWindow *window, gint y)
{
  return window->rows + (y - window->first) * window->stride;
}

/* Of window i: the first row that a pass still needs. */
static gint
needed_of (const Roll *roll, gint i)
{
  const gint last = roll->n - 1;
  const gint of_reader = roll->windows[i + 1].next - roll->passes[i + 1].halo.top;
  const gint of_last = roll->windows[last].next - roll->passes[last].halo.top;

  return i == 0 && roll->sees_input ? MIN (of_reader, of_last) : of_reader;
}

static void make_rows (Roll *roll, gint i, gint n, gfloat *out);

/* Window i, up to row `end`. */
static void
fill (Roll *roll, gint i, gint end)
{
  RollWindow *window = &roll->windows[i];
  const gint  needed = needed_of (roll, i), from = MAX (window->end, roll->top), to = MIN (end, roll->bottom);
  const gsize row = window->stride * sizeof (gfloat);

  memmove (window->rows, row_of (window, needed), (window->end - needed) * row);
  window->first = needed;
  for (gint y = from; y < to; y += roll->piece)
    make_rows (roll, i, MIN (roll->piece, to - y), row_of (window, y));
  for (gint y = window->end; y < roll->top; y++)
    memcpy (row_of (window, y), row_of (window, roll->top), row);
  for (gint y = MAX (from, to); y < end; y++)
    memcpy (row_of (window, y), row_of (window, roll->bottom - 1), row);
  window->end = end;
}

static void
make_rows (Roll *roll, gint i, gint n, gfloat *out)
{
  const RollPass   *pass = &roll->passes[i];
  RollWindow       *own = &roll->windows[i];
  const RollWindow *input = roll->windows, *before = own - 1;
  RollBlock         block = { .roi = { own->x, own->next, own->width, n }, .out = out, .out_stride = own->stride };

  if (i > 0)
    {
      fill (roll, i - 1, own->next + n + pass->halo.bottom);
      block.in = row_of (before, own->next) + pass[-1].floats * pass->halo.left;
      block.in_stride = before->stride;
    }
  if (i == roll->n - 1 && roll->sees_input)
    {
      block.input = row_of (input, own->next) + roll->passes[0].floats * (own->x - input->x);
      block.input_stride = input->stride;
    }
  pass->make (&block, pass->data);
  own->next += n;
}

gfloat *
roll_next (Roll *roll, gint n)
{
  gfloat *out = roll->windows[roll->n - 1].rows;

  make_rows (roll, roll->n - 1, n, out);
  return out;
}

/* Of window i: the rows that it holds at most.  `around`: the halos of all passes behind it. */
static gint
held_of (const Roll *roll, gint i, const TesseraHalo *around)
{
  const gint         last = roll->n - 1;
  const TesseraHalo *halo = i == 0 && roll->sees_input ? around : &roll->passes[i + 1].halo;

  if (i == last)
    return roll->in_place ? 0 : roll->rows;
  return halo->top + (i + 1 == last || halo == around ? roll->rows : roll->piece) + halo->bottom;
}

gsize
roll_begin (Roll *roll, const GeglRectangle *roi, gfloat *memory)
{
  const gint  last = roll->n - 1;
  TesseraHalo around = { 0, 0, 0, 0 };
  gsize       used = 0;

  for (gint i = last; i >= 0; i--)
    {
      const RollPass *pass = &roll->passes[i];
      RollWindow     *window = &roll->windows[i];
      const gint      width = around.left + roi->width + around.right, whole = (width + 15) / 16 * 16;
      const gsize     runs = (pass->floats * (gsize) whole + ROLL_RUN - 1) / ROLL_RUN;

      *window = (RollWindow) { .rows = memory ? memory + used : NULL, .x = roi->x - around.left, .width = width,
                               /* tessera_read wants no gaps; if runs are odd, no two rows meet in one cache set */
                               .stride = i == 0 ? (gsize) pass->floats * width : ROLL_RUN * (runs | 1),
                               .next = MAX (roi->y - around.top, roll->top) };
      if (i < last)
        window->first = window->end = needed_of (roll, i);
      used += (held_of (roll, i, &around) * window->stride + 2 * ROLL_RUN - 1) / ROLL_RUN * ROLL_RUN;
      around = (TesseraHalo) { around.left + pass->halo.left, around.top + pass->halo.top,
                               around.right + pass->halo.right, around.bottom + pass->halo.bottom };
    }
  if (roll->in_place)
    roll->windows[last].rows = roll->windows[last - 1].rows;
  return used;
}

void
roll_read (const RollBlock *block, gconstpointer data)
{
  tessera_read_input (data, &block->roi, block->out);
}

static void
roll_strip (Roll *roll, const TesseraRequest *request, const GeglRectangle *strip)
{
  const gint  end = strip->y + strip->height;
  const gsize row = roll->windows[roll->n - 1].stride * sizeof (gfloat);

  for (gint y = strip->y, n; y < end; y += n)
    {
      n = MIN (roll->rows - (y & (TILE - 1)), end - y);
      tessera_write_output (request, GEGL_RECTANGLE (strip->x, y, strip->width, n), roll_next (roll, n), row);
    }
}

/* Strips fit the cache if the halo allows it.  Only the columns beside them are read, and passed, twice. */
void
roll_area (Roll *roll, const TesseraRequest *request, const GeglRectangle *area)
{
  const gint    across = request->halo.left + request->halo.right, usual = across > STRIP ? 2 * STRIP : STRIP;
  GeglRectangle strip = { area->x, area->y, MIN (usual + MORE, area->width), area->height };
  tessera_autoscratch gfloat *memory = NULL;

  roll->rows = CLAMP (request->halo.top, TILE, MOST_ROWS) / TILE * TILE;
  roll->piece = CLAMP (READ_PIXELS / (strip.width + across), 4, TILE);
  roll->top = G_MININT;
  roll->bottom = G_MAXINT;
  memory = gegl_scratch_new (gfloat, roll_begin (roll, &strip, NULL));
  for (gint rest = area->width; rest > 0; rest -= strip.width, strip.x += strip.width)
    {
      strip.width = rest <= usual + MORE ? rest : usual - (strip.x & (MORE - 1));
      roll_begin (roll, &strip, memory);
      roll_strip (roll, request, &strip);
    }
}
