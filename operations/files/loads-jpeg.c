/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A JPEG, by libjpeg: the same calls as those of GEGL's loader, but whoever reads knows where the file ends, hears
 * what libjpeg warns of, and comes back where it gives up.
 *
 * A warning means that the picture is damaged: a code that there is none of, pixels that end early, bytes that no
 * pixel takes, restarts that are missing.  Some say nothing of pixels.  Programs miscount their notes, and encoders
 * fill the last bytes.  Phones leave out the marker at the end, and what they write there is not looked at. */
#include "loads-judge.h"

#include <setjmp.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

#include "loads-upright.h"

#define BLOCK        65536
#define ROWS         128        /* at a time: those of GEGL's tiles */
#define MOST_SCANS   500        /* libjpeg's own programs take no more of a stranger */
#define MOST_FILLING 16         /* bytes, that an encoder adds to its last */
#define NOTES        (JPEG_APP0 + 1)
#define PROFILE      (JPEG_APP0 + 2)

typedef struct
{
  struct jpeg_decompress_struct decoder;        /* the first: libjpeg hands it back */
  struct jpeg_error_mgr         errors;
  struct jpeg_source_mgr        source;
  struct jpeg_progress_mgr      progress;
  jmp_buf     gave_up;
  FILE       *file;
  guint8      bytes[BLOCK];
  gint64      before;           /* bytes of the file before these */
  gboolean    has_ended;        /* the file */
  gboolean    is_behind_note;
  gboolean    has_pixels;       /* all of them */
  guint8     *rows;
  Judged     *judged;
} Jpeg;

/* ------------------------------------------------------------------- its words -- */

static void G_GNUC_NORETURN
give_up (j_common_ptr decoder)
{
  Jpeg *jpeg = (Jpeg *) decoder;
  gchar words[JMSG_LENGTH_MAX];

  decoder->err->format_message (decoder, words);
  jpeg->judged->wrong = jpeg->has_ended ? g_strdup (ENDS_EARLY) : g_strconcat ("libjpeg says ", words, NULL);
  longjmp (jpeg->gave_up, 1);
}

/* The n bytes before those that come next. */
static gboolean
is_filling (const Jpeg *jpeg, gint n)
{
  const gint64 next = jpeg->before + (jpeg->source.next_input_byte - jpeg->bytes);
  const glong  place = ftell (jpeg->file);
  gboolean     is_clean = n <= MOST_FILLING && n <= next && fseek (jpeg->file, (glong) next - n, SEEK_SET) == 0;

  for (; n > 0 && is_clean; n--)
    {
      const gint byte = fgetc (jpeg->file);

      is_clean = byte == 0 || byte == 0xff;
    }
  return fseek (jpeg->file, place, SEEK_SET) == 0 && is_clean;
}

/* Bytes before a marker, that belong to nothing: how many there are, and the marker. */
static gboolean
may_be_passed (const Jpeg *jpeg, gint n, gint marker)
{
  const gboolean is_of_pixels = marker == JPEG_EOI || (marker >= JPEG_RST0 && marker <= JPEG_RST0 + 7);

  return jpeg->has_ended || jpeg->is_behind_note || (jpeg->has_pixels && ! is_of_pixels) || is_filling (jpeg, n);
}

/* Does it tell of a note, not of a table? */
static gboolean
is_of_note (gint code)
{
  static const gint codes[] = { JTRC_MISC_MARKER, JTRC_APP0, JTRC_APP14, JTRC_ADOBE, JTRC_JFIF, JTRC_JFIF_EXTENSION,
                                JTRC_JFIF_THUMBNAIL, JTRC_JFIF_BADTHUMBNAILSIZE };
  gboolean is = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    is = is || code == codes[i];
  return is;
}

static void
hear (j_common_ptr decoder, gint level)
{
  Jpeg      *jpeg = (Jpeg *) decoder;
  const gint code = decoder->err->msg_code, *numbers = decoder->err->msg_parm.i;

  if (level >= 0)               /* it tells what it reads */
    jpeg->is_behind_note = is_of_note (code);
  else if (code == JWRN_EXTRANEOUS_DATA ? ! may_be_passed (jpeg, numbers[0], numbers[1])
                                        : code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR && code != JWRN_BOGUS_ICC)
    give_up (decoder);
}

static void
say_nothing (j_common_ptr decoder G_GNUC_UNUSED)
{
}

/* A picture has few scans; each takes time, and may have a few bytes only. */
static void
watch_scans (j_common_ptr decoder)
{
  Jpeg *jpeg = (Jpeg *) decoder;

  if (jpeg->decoder.input_scan_number <= MOST_SCANS)
    return;
  jpeg->judged->wrong = g_strdup ("it has too many scans");
  longjmp (jpeg->gave_up, 1);
}

/* -------------------------------------------------------------------- the file -- */

static void
pass (j_decompress_ptr decoder G_GNUC_UNUSED)
{
}

/* Behind the last byte stands what ends a JPEG, as often as it is asked for. */
static boolean
refill (j_decompress_ptr decoder)
{
  static const guint8 end[] = { 0xff, JPEG_EOI };
  Jpeg *jpeg = (Jpeg *) decoder;
  gsize n;

  jpeg->before = ftell (jpeg->file);
  n = fread (jpeg->bytes, 1, BLOCK, jpeg->file);
  if (n == 0)
    {
      jpeg->has_ended = TRUE;
      memcpy (jpeg->bytes, end, sizeof end);
      n = sizeof end;
    }
  jpeg->source.next_input_byte = jpeg->bytes;
  jpeg->source.bytes_in_buffer = n;
  return TRUE;
}

static void
skip (j_decompress_ptr decoder, long n)
{
  Jpeg *jpeg = (Jpeg *) decoder;

  while (n > 0)
    {
      const long taken = MIN (n, (long) jpeg->source.bytes_in_buffer);

      jpeg->source.next_input_byte += taken;
      jpeg->source.bytes_in_buffer -= (gsize) taken;
      n -= taken;
      if (n > 0)
        refill (decoder);
    }
}

/* ------------------------------------------------------------------ the picture -- */

/* babl turns around the inks that Photoshop writes, as GEGL's loader expects.  A profile that makes no sense is
 * none. */
static const Babl *
format_of (Jpeg *jpeg)
{
  const J_COLOR_SPACE colors = jpeg->decoder.out_color_space;
  const gchar *name = colors == JCS_GRAYSCALE ? "Y' u8" : colors == JCS_RGB ? "R'G'B' u8"
                      : colors == JCS_CMYK ? "cmyk u8" : NULL;
  const gchar *error = NULL;
  const Babl  *space = NULL;
  JOCTET      *profile = NULL;
  guint        n;

  if (jpeg_read_icc_profile (&jpeg->decoder, &profile, &n))
    space = babl_space_from_icc ((const gchar *) profile, (gint) n, BABL_ICC_INTENT_RELATIVE_COLORIMETRIC, &error);
  free (profile);
  return name ? babl_format_with_space (name, space) : NULL;
}

static void
read_rows (Jpeg *jpeg)
{
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  const gsize stride = (gsize) decoder->output_width * (gsize) decoder->output_components;
  GeglRectangle box = { 0, 0, (gint) decoder->output_width, 0 };

  jpeg->rows = g_malloc_n (ROWS, stride);
  while (decoder->output_scanline < decoder->output_height)
    {
      box.y = (gint) decoder->output_scanline;
      box.height = MIN (ROWS, (gint) decoder->output_height - box.y);
      for (gint i = 0; i < box.height; i++)
        jpeg_read_scanlines (decoder, &(JSAMPROW) { jpeg->rows + stride * (gsize) i }, 1);
      gegl_buffer_set (jpeg->judged->picture, &box, 0, NULL, jpeg->rows, GEGL_AUTO_ROWSTRIDE);
    }
}

/* Each component was in a scan; and where the file has ended between two scans, each bit of each coefficient was. */
static gboolean
is_complete (const struct jpeg_decompress_struct *decoder, gboolean has_ended)
{
  for (gint i = 0; i < decoder->num_components; i++)
    {
      if (! decoder->comp_info[i].quant_table)
        return FALSE;
      for (gint k = 0; k < DCTSIZE2 && has_ended && decoder->progressive_mode; k++)
        if (decoder->coef_bits[i][k] != 0)
          return FALSE;
    }
  return TRUE;
}

/* What a camera notes. */
static void
look_for_notes (const struct jpeg_decompress_struct *decoder, Judged *judged)
{
  static const guint8 name[] = { 'E', 'x', 'i', 'f', 0, 0 };

  for (jpeg_saved_marker_ptr saved = decoder->marker_list; saved; saved = saved->next)
    if (saved->marker == NOTES && saved->data_length >= sizeof name && memcmp (saved->data, name, sizeof name) == 0)
      {
        judged->orientation = upright_noted (saved->data + sizeof name, saved->data_length - sizeof name);
        return;
      }
}

static void
decode (Jpeg *jpeg)
{
  struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  const Babl   *format;
  GeglRectangle box = { 0, 0, 0, 0 };

  jpeg_save_markers (decoder, NOTES, 0xffff);
  jpeg_save_markers (decoder, PROFILE, 0xffff);
  jpeg_read_header (decoder, TRUE);
  look_for_notes (decoder, jpeg->judged);
  decoder->dct_method = JDCT_FLOAT;
  jpeg_start_decompress (decoder);
  format = format_of (jpeg);
  if (! format)
    {
      jpeg->judged->wrong = g_strdup ("it has colors of a kind that GEGL does not know");
      return;
    }
  box.width = (gint) decoder->output_width;
  box.height = (gint) decoder->output_height;
  jpeg->judged->picture = gegl_buffer_new (&box, format);
  read_rows (jpeg);
  jpeg->has_pixels = is_complete (decoder, jpeg->has_ended);
  if (jpeg->has_pixels)
    jpeg_finish_decompress (decoder);
  else
    jpeg->judged->wrong = g_strdup (ENDS_EARLY);
}

/* Where libjpeg gives up behind the last pixel, that is a trailer; but bytes that no pixel took are pixels that went
 * astray. */
void
judge_jpeg (FILE *file, Judged *judged)
{
  Jpeg *jpeg = g_new0 (Jpeg, 1);

  jpeg->file = file;
  jpeg->judged = judged;
  jpeg->decoder.err = jpeg_std_error (&jpeg->errors);
  jpeg->errors.error_exit = give_up;
  jpeg->errors.emit_message = hear;
  jpeg->errors.output_message = say_nothing;
  jpeg->progress.progress_monitor = watch_scans;
  jpeg->source = (struct jpeg_source_mgr) { .init_source = pass, .fill_input_buffer = refill, .skip_input_data = skip,
                                            .resync_to_restart = jpeg_resync_to_restart, .term_source = pass };
  if (setjmp (jpeg->gave_up) == 0)
    {
      jpeg_create_decompress (&jpeg->decoder);
      jpeg->decoder.src = &jpeg->source;
      jpeg->decoder.progress = &jpeg->progress;
      decode (jpeg);
    }
  else if (jpeg->has_pixels && jpeg->errors.msg_code != JWRN_EXTRANEOUS_DATA)
    g_clear_pointer (&judged->wrong, g_free);
  jpeg_destroy_decompress (&jpeg->decoder);
  g_free (jpeg->rows);
  g_free (jpeg);
}
