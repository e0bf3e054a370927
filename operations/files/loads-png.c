/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A PNG, by libpng: the same calls as those of GEGL's loader, but whoever reads knows where the file ends, and
 * hears what libpng complains of.
 *
 * An error means that the picture is damaged, and so does a warning about the packed pixels: their own checksum is
 * wrong.  What else it warns of concerns chunks that a reader may leave out, or more pixels than the picture
 * has.  The pixels may be there though the file ends early. */
#include "loads-judge.h"

#include <string.h>
#include <png.h>

#include "loads-upright.h"

#define ROWS 128                /* at a time: those of GEGL's tiles */
#define MOST (1 << 22)          /* bytes of them, but one row */
#define IDAT 0x49444154         /* the name of a chunk of pixels */

typedef struct
{
  FILE       *file;
  png_structp decoder;
  png_infop   info;
  gboolean    has_ended;        /* the file */
  gboolean    has_pixels;       /* all of them */
  guint8     *rows;
  Judged     *judged;
} Png;

/* ------------------------------------------------------------------- its words -- */

static void G_GNUC_NORETURN
give_up (png_structp decoder, png_const_charp words)
{
  Png *png = png_get_error_ptr (decoder);

  png->judged->wrong = png->has_ended ? g_strdup (ENDS_EARLY) : g_strconcat ("libpng says ", words, NULL);
  png_longjmp (decoder, 1);
}

static void
hear (png_structp decoder, png_const_charp words)
{
  if (g_str_has_prefix (words, "IDAT: ") && ! strstr (words, "Extra compressed data")
      && ! strstr (words, "Too much image data"))
    give_up (decoder, words);
}

static void
take (png_structp decoder, png_bytep bytes, gsize n)
{
  Png *png = png_get_io_ptr (decoder);

  png->has_ended = fread (bytes, 1, n, png->file) != n;
  if (png->has_ended)
    png_error (decoder, ENDS_EARLY);
}

/* ------------------------------------------------------------------ the picture -- */

/* sRGB is what GEGL takes where nothing else is said. */
static const Babl *
space_of (Png *png)
{
  gdouble      gamma, white[2] = { 0.3127, 0.3290 }, red[2] = { 0.6400, 0.3300 };
  gdouble      green[2] = { 0.3000, 0.6000 }, blue[2] = { 0.1500, 0.0600 };
  const Babl  *curve;
  gchar       *name;
  const gchar *error = NULL;
  png_bytep    profile;
  png_uint_32  n;
  gint         packing;

  if (png_get_iCCP (png->decoder, png->info, &name, &packing, &profile, &n) == PNG_INFO_iCCP)
    return babl_space_from_icc ((const gchar *) profile, (gint) n, BABL_ICC_INTENT_RELATIVE_COLORIMETRIC, &error);
  if (png_get_valid (png->decoder, png->info, PNG_INFO_sRGB)
      || png_get_gAMA (png->decoder, png->info, &gamma) != PNG_INFO_gAMA)
    return NULL;
  png_get_cHRM (png->decoder, png->info, &white[0], &white[1], &red[0], &red[1], &green[0], &green[1],
                &blue[0], &blue[1]);
  curve = babl_trc_gamma (1.0 / gamma);
  return babl_space_from_chromaticities (NULL, white[0], white[1], red[0], red[1], green[0], green[1],
                                         blue[0], blue[1], curve, curve, curve, 1);
}

/* As GEGL's loader wants its pixels. */
static const Babl *
prepare (Png *png)
{
  static const gchar *const names[2][2][2] = { { { "R'G'B' u8", "R'G'B' u16" }, { "R'G'B'A u8", "R'G'B'A u16" } },
                                               { { "Y' u8", "Y' u16" }, { "Y'A u8", "Y'A u16" } } };
  const gint     colors = png_get_color_type (png->decoder, png->info);
  const gint     depth = png_get_bit_depth (png->decoder, png->info);
  const gboolean is_clear = png_get_valid (png->decoder, png->info, PNG_INFO_tRNS) != 0;
  const gboolean has_alpha = is_clear || (colors & PNG_COLOR_MASK_ALPHA), is_grey = ! (colors & PNG_COLOR_MASK_COLOR);
  const Babl    *space = space_of (png);
  gdouble        gamma = 0.45455;

  if (colors == PNG_COLOR_TYPE_GRAY && depth < 8)
    png_set_expand (png->decoder);
  if (is_clear)
    png_set_tRNS_to_alpha (png->decoder);
  if (colors == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb (png->decoder);
  if (depth == 16 && G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_swap (png->decoder);
  png_set_interlace_handling (png->decoder);
  if (! space)
    {
      png_get_gAMA (png->decoder, png->info, &gamma);
      png_set_gamma (png->decoder, 2.2, gamma);
    }
  png_read_update_info (png->decoder, png->info);
  return babl_format_with_space (names[is_grey][has_alpha][depth == 16], space);
}

/* Of an interlaced picture a pass fills in what those before it have left out. */
static void
read_rows (Png *png, gint passes)
{
  const gsize stride = png_get_rowbytes (png->decoder, png->info);
  const gint  width = (gint) png_get_image_width (png->decoder, png->info);
  const gint  height = (gint) png_get_image_height (png->decoder, png->info);
  const gint  most = (gint) CLAMP (MOST / stride, 1, ROWS);

  png->rows = g_malloc0_n ((gsize) most, stride);
  for (gint pass = 0; pass < passes; pass++)
    for (gint y = 0; y < height; y += most)
      {
        const GeglRectangle box = { 0, y, width, MIN (most, height - y) };

        if (pass > 0)
          gegl_buffer_get (png->judged->picture, &box, 1.0, NULL, png->rows, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
        for (gint i = 0; i < box.height; i++)
          png_read_row (png->decoder, png->rows + (gsize) i * stride, NULL);
        gegl_buffer_set (png->judged->picture, &box, 0, NULL, png->rows, GEGL_AUTO_ROWSTRIDE);
      }
}

/* What a camera notes, before the pixels or behind them. */
static void
look_for_notes (Png *png)
{
  png_bytep   notes;
  png_uint_32 n;

  if (png_get_eXIf_1 (png->decoder, png->info, &n, &notes) == PNG_INFO_eXIf)
    png->judged->orientation = upright_noted (notes, n);
}

static void
decode (Png *png)
{
  const Babl   *format;
  GeglRectangle box = { 0, 0, 0, 0 };
  gint          passes;

  png_set_benign_errors (png->decoder, TRUE);
  png_set_option (png->decoder, PNG_SKIP_sRGB_CHECK_PROFILE, PNG_OPTION_ON);
  png_set_read_fn (png->decoder, png, take);
  png_read_info (png->decoder, png->info);
  look_for_notes (png);
  passes = png_get_interlace_type (png->decoder, png->info) == PNG_INTERLACE_ADAM7 ? PNG_INTERLACE_ADAM7_PASSES : 1;
  format = prepare (png);
  box.width = (gint) png_get_image_width (png->decoder, png->info);
  box.height = (gint) png_get_image_height (png->decoder, png->info);
  png->judged->picture = gegl_buffer_new (&box, format);
  read_rows (png, passes);
  png->has_pixels = TRUE;
  png_read_end (png->decoder, png->info);
  look_for_notes (png);
}

/* Does the file end within a chunk of pixels? */
static gboolean
ends_in_pixels (const Png *png)
{
  return png_get_io_chunk_type (png->decoder) == IDAT
         && (png_get_io_state (png->decoder) & PNG_IO_MASK_LOC) != PNG_IO_CHUNK_HDR;
}

void
judge_png (FILE *file, Judged *judged)
{
  Png *png = g_new0 (Png, 1);

  png->file = file;
  png->judged = judged;
  png->decoder = png_create_read_struct (PNG_LIBPNG_VER_STRING, png, give_up, hear);
  png->info = png->decoder ? png_create_info_struct (png->decoder) : NULL;
  if (! png->info)
    judged->wrong = g_strdup ("libpng cannot be used");
  else if (setjmp (png_jmpbuf (png->decoder)) == 0)
    decode (png);
  else if (png->has_pixels && png->has_ended && ! ends_in_pixels (png))
    g_clear_pointer (&judged->wrong, g_free);
  png_destroy_read_struct (&png->decoder, &png->info, NULL);
  g_free (png->rows);
  g_free (png);
}
