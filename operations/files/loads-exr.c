/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An OpenEXR picture, by its own library: are all pieces of its first part there?  GEGL's loader unpacks them, and
 * says where that fails; of pieces that are missing it makes black. */
#include "loads-judge.h"

#include <openexr.h>

#define FIRST 0                 /* part, which GEGL takes */

static void
say_nothing (exr_const_context_t context G_GNUC_UNUSED, exr_result_t code G_GNUC_UNUSED,
             const gchar *words G_GNUC_UNUSED)
{
}

static exr_result_t
read_piece (exr_const_context_t context, const exr_chunk_info_t *piece)
{
  gpointer           bytes = g_try_malloc (piece->packed_size);
  const exr_result_t result = bytes || piece->packed_size == 0 ? exr_read_chunk (context, FIRST, piece, bytes)
                                                               : EXR_ERR_OUT_OF_MEMORY;

  g_free (bytes);
  return result;
}

static exr_result_t
read_rows (exr_const_context_t context, const exr_attr_box2i_t *box)
{
  gint32           step;
  exr_chunk_info_t piece;
  exr_result_t     result = exr_get_scanlines_per_chunk (context, FIRST, &step);

  for (gint64 y = box->min.y; y <= box->max.y && result == EXR_ERR_SUCCESS; y += step)
    {
      result = exr_read_scanline_chunk_info (context, FIRST, (gint) y, &piece);
      if (result == EXR_ERR_SUCCESS)
        result = read_piece (context, &piece);
    }
  return result;
}

/* Of the picture in its own size, which may have smaller ones beside it. */
static exr_result_t
read_tiles (exr_const_context_t context, const exr_attr_box2i_t *box)
{
  const gint64          width = (gint64) box->max.x - box->min.x + 1, height = (gint64) box->max.y - box->min.y + 1;
  guint32               across, down;
  exr_tile_level_mode_t levels;
  exr_tile_round_mode_t rounding;
  exr_chunk_info_t      piece;
  exr_result_t          result = exr_get_tile_descriptor (context, FIRST, &across, &down, &levels, &rounding);

  for (gint64 y = 0; result == EXR_ERR_SUCCESS && y * down < height; y++)
    for (gint64 x = 0; result == EXR_ERR_SUCCESS && x * across < width; x++)
      {
        result = exr_read_tile_chunk_info (context, FIRST, (gint) x, (gint) y, 0, 0, &piece);
        if (result == EXR_ERR_SUCCESS)
          result = read_piece (context, &piece);
      }
  return result;
}

/* Of samples at several depths GEGL makes none. */
static exr_result_t
read_pieces (exr_const_context_t context)
{
  exr_attr_box2i_t box;
  exr_storage_t    storage;
  exr_result_t     result = exr_get_storage (context, FIRST, &storage);

  if (result == EXR_ERR_SUCCESS)
    result = exr_get_data_window (context, FIRST, &box);
  if (result == EXR_ERR_SUCCESS && storage == EXR_STORAGE_SCANLINE)
    result = read_rows (context, &box);
  else if (result == EXR_ERR_SUCCESS && storage == EXR_STORAGE_TILED)
    result = read_tiles (context, &box);
  return result;
}

gchar *
judge_exr (const gchar *path)
{
  exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
  exr_context_t             context;
  exr_result_t              result;

  settings.error_handler_fn = say_nothing;
  settings.flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;        /* GEGL's loader searches for no piece */
  result = exr_start_read (&context, path, &settings);
  if (result == EXR_ERR_SUCCESS)
    result = read_pieces (context);
  exr_finish (&context);
  return result == EXR_ERR_SUCCESS ? NULL : g_strdup_printf ("OpenEXR says %s", exr_get_default_error_message (result));
}
