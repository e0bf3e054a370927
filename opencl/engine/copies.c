/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pixels between buffers and staging memory, on all threads.  The pieces follow
 * the tiles of the buffer, so that no two threads meet in one tile.  Reads and writes of different bands are
 * mixed, because a write waits for new pages much of the time.
 */
#include "config.h"

#include "copies.h"

#include <gegl-plugin.h>
#include <string.h>

#include "reach.h"
#include "spread.h"

#define PIECE_WIDTH  128                /* pixels, about; twice as wide for large copies */
#define PIECE_HEIGHT 128
#define MANY_PIXELS  (1 << 20)          /* H200, 16 threads, 2026-11: 24 Mpix at once 30 ms (35 if narrow), */
                                        /* in requests of 1 Mpix 57 ms (67 if wide) */
                                        /* Price: 1.1 (equalize, 24 Mpix; H200, 2026-11-22) */
#define THREAD_COST  (64 * 64)          /* pixels below which another thread does not pay */
#define MOST_THREADS 256

typedef enum
{
  PIXELS, ROWS, OUR_TILES, PART_OF_TILE
} PieceKind;

typedef struct
{
  TesseraCopy  *copy;
  GeglRectangle rect;
  PieceKind     kind;
} Piece;

typedef struct
{
  GArray  *pieces;
  gint     next;                        /* atomic */
  gint64   busy[MOST_THREADS][TESSERA_MOST_COPIES];     /* microseconds */
  TesseraCopy *copies;
  void   (*beside) (gpointer data);
  gpointer data;
  gint     begun;                       /* atomic: `beside` has been called */
} CopyWork;

/* As many whole tiles as make a piece; a part of a tile if tiles are larger. */
static gint
piece_size (gint tile, gint piece)
{
  return tile > 2 * piece ? piece : MAX (1, piece / tile) * tile;
}

/* All of our tiles at once, which is little work; the others part by part. */
static void
add_tiles (GArray *pieces, TesseraCopy *copy)
{
  const TesseraTileGrid *grid = &copy->grid;
  Piece                  piece = { copy, copy->rect, OUR_TILES };

  g_array_append_val (pieces, piece);
  for (gint y = 0; y < grid->down; y++)
    for (gint x = 0; x < grid->across; x++)
      if (! tessera_is_tile (&grid->ours, x, y))
        {
          piece = (Piece) { copy, tessera_tiles_area (grid, &(GeglRectangle) { x, y, 1, 1 }), PART_OF_TILE };
          gegl_rectangle_intersect (&piece.rect, &piece.rect, &copy->rect);
          g_array_append_val (pieces, piece);
        }
}

/* Pixels that need no GEGL on their way. */
static void
add_rows (GArray *pieces, TesseraCopy *copy)
{
  const GeglRectangle *rect = &copy->rect;
  const gint           rows = MAX (1, PIECE_WIDTH * PIECE_HEIGHT / rect->width);

  for (gint y = rect->y; y < rect->y + rect->height; y += rows)
    {
      const Piece piece = { copy, { rect->x, y, rect->width, MIN (rows, rect->y + rect->height - y) }, ROWS };

      g_array_append_val (pieces, piece);
    }
}

static void
add_pieces (GArray *pieces, TesseraCopy *copy)
{
  const GeglRectangle *rect = &copy->rect;
  gint tile_width, tile_height, shift_x, shift_y, width, height;

  if (copy->there)
    {
      add_rows (pieces, copy);
      return;
    }
  g_object_get (copy->buffer, "tile-width", &tile_width, "tile-height", &tile_height,
                "shift-x", &shift_x, "shift-y", &shift_y, NULL);
  width = piece_size (tile_width, (gint64) rect->width * rect->height < MANY_PIXELS ? PIECE_WIDTH
                                                                                    : 2 * PIECE_WIDTH);
  height = piece_size (tile_height, PIECE_HEIGHT);
  for (gint y = tessera_tile_start (rect->y, height, shift_y); y < rect->y + rect->height; y += height)
    for (gint x = tessera_tile_start (rect->x, width, shift_x); x < rect->x + rect->width; x += width)
      {
        Piece piece = { copy, { x, y, width, height }, PIXELS };

        gegl_rectangle_intersect (&piece.rect, &piece.rect, rect);
        g_array_append_val (pieces, piece);
      }
}

/* The pieces of several copies in turn.  Price: 1.2 (convolution, 24 Mpix u8; H200, 2026-11-22). */
static GArray *
mixed_pieces (TesseraCopy *copies, guint n)
{
  GArray *lists[TESSERA_MOST_COPIES], *mixed = g_array_new (FALSE, FALSE, sizeof (Piece));
  guint   longest = 0;

  for (guint i = 0; i < n; i++)
    {
      lists[i] = g_array_new (FALSE, FALSE, sizeof (Piece));
      if (copies[i].tiles)
        add_tiles (lists[i], &copies[i]);
      else
        add_pieces (lists[i], &copies[i]);
      longest = MAX (longest, lists[i]->len);
    }
  for (guint k = 0; k < longest; k++)
    for (guint i = 0; i < n; i++)
      if (k < lists[i]->len)
        g_array_append_val (mixed, g_array_index (lists[i], Piece, k));
  for (guint i = 0; i < n; i++)
    g_array_unref (lists[i]);
  return mixed;
}

static void
copy_pixels (const Piece *piece)
{
  const TesseraCopy *copy = piece->copy;
  guchar            *pixels = copy->pixels + (gsize) (piece->rect.y - copy->rect.y) * copy->row
                              + (piece->rect.x - copy->rect.x)
                                * (gsize) babl_format_get_bytes_per_pixel (copy->format);

  if (copy->writes)
    gegl_buffer_set (copy->buffer, &piece->rect, 0, copy->format, pixels, copy->row);
  else
    gegl_buffer_get (copy->buffer, &piece->rect, 1.0, copy->format, pixels, copy->row, GEGL_ABYSS_NONE);
}

/* GEGL keeps such a buffer in one tile, for which threads wait.  Price: 1.1 (sequences, 10 Mpix; H200, 2026-11-24). */
static void
copy_rows (const Piece *piece)
{
  const TesseraCopy *copy = piece->copy;
  const gsize        stride = gegl_buffer_get_extent (copy->buffer)->width * (gsize) babl_format_get_bytes_per_pixel (copy->format);
  const gsize        bytes = copy->rect.width * (gsize) babl_format_get_bytes_per_pixel (copy->format);

  for (gint i = piece->rect.y - copy->rect.y; i < piece->rect.y + piece->rect.height - copy->rect.y; i++)
    if (copy->writes)
      memcpy (copy->there + i * stride, copy->pixels + i * copy->row, bytes);
    else
      memcpy (copy->pixels + i * copy->row, copy->there + i * stride, bytes);
}

static void
copy_piece (const Piece *piece)
{
  const TesseraCopy *copy = piece->copy;

  if (piece->kind == OUR_TILES)
    tessera_tiles_insert (copy->tiles, &copy->grid, &copy->rect, copy->buffer);
  else if (piece->kind == PART_OF_TILE)
    tessera_tiles_write (copy->tiles, &copy->grid, &piece->rect, copy->buffer);
  else if (piece->kind == ROWS)
    copy_rows (piece);
  else
    copy_pixels (piece);
}

static void
work_on (gint thread, gint n_threads G_GNUC_UNUSED, gpointer data)
{
  CopyWork *work = data;
  gint      i;

  if (work->beside && g_atomic_int_compare_and_exchange (&work->begun, FALSE, TRUE))
    work->beside (work->data);
  while ((i = g_atomic_int_add (&work->next, 1)) < (gint) work->pieces->len)
    {
      const Piece *piece = &g_array_index (work->pieces, Piece, i);
      gint64       began = g_get_monotonic_time ();

      copy_piece (piece);
      work->busy[thread][piece->copy - work->copies] += g_get_monotonic_time () - began;
    }
}

/* The time is shared out among the copies as the threads spent it. */
static void
share_time (const CopyWork *work, TesseraCopy *copies, guint n, gdouble seconds)
{
  gdouble each[TESSERA_MOST_COPIES] = { 0 }, all = 0;

  for (guint i = 0; i < n; i++)
    {
      for (guint thread = 0; thread < MOST_THREADS; thread++)
        each[i] += work->busy[thread][i];
      all += each[i];
    }
  for (guint i = 0; i < n; i++)
    copies[i].seconds = all > 0 ? seconds * each[i] / all : seconds / n;
}

void
tessera_copy (TesseraCopy *copies, guint n, void (*beside) (gpointer data), gpointer data)
{
  CopyWork work = { .copies = copies, .beside = beside, .data = data };
  gint64   began = g_get_monotonic_time ();
  guint64  pixels = 0;

  if (n == 0)
    {
      if (beside)
        beside (data);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      copies[i].there = copies[i].tiles ? NULL : tessera_reach_pixels (copies[i].buffer, copies[i].format, &copies[i].rect);
      pixels += (guint64) copies[i].rect.width * copies[i].rect.height;
    }
  work.pieces = mixed_pieces (copies, n);
  tessera_spread ((gint) CLAMP (MIN (pixels / THREAD_COST, work.pieces->len), 1, MOST_THREADS), work_on, &work);
  g_array_unref (work.pieces);
  share_time (&work, copies, n, (g_get_monotonic_time () - began) / 1e6);
}
