/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits.h"

#include <math.h>
#include <string.h>

#include "colours.h"
#include "fits-apart.h"
#include "fits-image.h"
#include "frames-file.h"
#include "tessera.h"

#define MOST_BYTES    ((gsize) FRAMES_MOST_PIXELS * 8)          /* of a file that gzip has compressed */
#define LEAST_ROOM    (1 << 20)
#define THREAD_PIXELS (1 << 18) /* as many could be read while a thread opens the file */
#define LEAST_TIME    3         /* seconds of the processor for what is read apart, ... */
#define BYTES_A_TIME  (1 << 20) /* ... and one more for so many bytes of the file */

/* ------------------------------------------------------------------- facts -- */

/* The number of 8 or 16 bits that becomes the largest count: the least, where the scale turns them over. */
static gdouble
highest (const FitsImage *image)
{
  if (image->scale < 0.0)
    return image->bits == 8 ? 0.0 : -32768.0;
  return image->bits == 8 ? 255.0 : 32767.0;
}

/* A filter's name is a band's where it is short: V, Rc, SDSS's g.  Others are names of glass. */
static void
band_of (const gchar *filter, gchar band[FRAMES_BAND])
{
  g_autofree gchar *name = g_strstrip (g_strdup (filter));
  const gsize       n = strlen (name);

  if (n < FRAMES_BAND && strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS) == n)
    strcpy (band, name);
}

static void
find_pattern (const FitsImage *image, gchar pattern[FRAMES_PATTERN])
{
  g_autofree gchar *name = g_strstrip (g_strdup (image->mosaic)), *order = g_strstrip (g_strdup (image->order));
  const gchar      *known = image->is_colour ? NULL : colours_pattern (name);

  if (known)
    colours_turn (known, image->x_offset, image->y_offset, g_ascii_strcasecmp (order, "BOTTOM-UP") == 0, image->height,
                  pattern);
}

static void
describe (const FitsImage *image, FitsHeader *header)
{
  const gboolean has_end = image->bits == 8 || image->bits == 16;

  *header = (FitsHeader) { .width = image->width,
                           .height = image->height,
                           .planes = image->planes,
                           .promised = image->promised,
                           .is_cut = image->is_cut,
                           .is_colour = image->is_colour,
                           .is_guess = image->is_guess,
                           .date = *image->times.date ? g_strdup (image->times.date) : NULL,
                           .object = *image->object ? g_strdup (image->object) : NULL };
  header->saturation = has_end ? (gfloat) (highest (image) * image->scale + image->zero) : INFINITY;
  header->facts.exposure = image->exposure >= 0.0 ? image->exposure : NAN;
  header->facts.zero_point = image->zero_point;
  band_of (image->filter, header->facts.band);
  find_pattern (image, header->pattern);
  fits_clock_read (&image->times, &header->facts);
  header->facts.sky = *image->cards ? g_ref_string_new (image->cards) : NULL;
}

/* ------------------------------------------------------------------ source -- */

/* What gzip has compressed, at most MOST_BYTES of it.  NULL: it is cut or damaged. */
static guint8 *
inflate (FramesFile *file, gsize *size)
{
  g_autoptr (GConverter) gzip = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr (GInputStream) stream = g_converter_input_stream_new (G_INPUT_STREAM (file->stream), gzip);
  gsize    room = 0, read = 0;
  guint8  *bytes = NULL;
  gboolean success = TRUE;

  for (*size = 0; success && *size == room && room < MOST_BYTES; *size += read)
    {
      room = MIN (room * 2 + LEAST_ROOM, MOST_BYTES);
      bytes = g_realloc (bytes, room);
      success = g_input_stream_read_all (stream, bytes + *size, room - *size, &read, NULL, NULL);
    }
  if (! success)
    g_clear_pointer (&bytes, g_free);
  return bytes;
}

static gboolean
begins_as_fits (const gchar *bytes, gsize n)
{
  return n >= 10 && memcmp (bytes, "SIMPLE  = ", 10) == 0;
}

/* CFITSIO would unpack other files by itself. */
static gboolean
source_fill (FitsSource *source, FramesFile *file, GError **error)
{
  gchar first[10] = "";

  source->size = (gsize) file->size;
  if (frames_file_read (file, 0, sizeof first, first, NULL) && begins_as_fits (first, sizeof first))
    return TRUE;
  if (memcmp (first, "\x1f\x8b", 2) != 0 || ! g_seekable_seek (G_SEEKABLE (file->stream), 0, G_SEEK_SET, NULL, NULL))
    return frames_refuse (file->path, "is no FITS file", error);
  source->bytes = inflate (file, &source->size);
  if (! source->bytes)
    return frames_refuse (file->path, "is cut or damaged: what gzip has compressed cannot be unpacked", error);
  return begins_as_fits (source->bytes, source->size) || frames_refuse (file->path, "is no FITS file", error);
}

static void
source_clear (FitsSource *source)
{
  g_free (source->path);
  g_free (source->bytes);
}

/* The whole path: CFITSIO takes a name that begins with ~ for a home. */
static gboolean
source_open (FitsSource *source, const gchar *path, GError **error)
{
  FramesFile file;
  gboolean   success;

  if (! frames_file_open (&file, path, error))
    return FALSE;
  *source = (FitsSource) { .path = g_canonicalize_filename (path, NULL) };
  success = source_fill (source, &file, error);
  frames_file_close (&file);
  if (! success)
    source_clear (source);
  return success;
}

/* ----------------------------------------------------------------- reading -- */

typedef struct
{
  FitsSource source;
  gint       index;             /* of the plane; -1: none is wanted */
  gdouble    full;
  FitsImage  image;
} Reading;

static gboolean
has_plane (gint index, FitsImage *image)
{
  if (index < image->planes && ! (image->is_cut && index == 0))
    return TRUE;
  if (image->is_cut)
    g_strlcpy (image->why, "ends before the last of its pixels", sizeof image->why);
  else
    g_snprintf (image->why, sizeof image->why, "has no plane %d, but %d", index, image->planes);
  image->state = FITS_REFUSED;
  return FALSE;
}

static gboolean
wants_rows (const Reading *reading)
{
  return reading->image.state == FITS_READ && reading->index >= 0;
}

typedef struct
{
  Reading    *reading;
  FitsOpened *opened;
  CountPlane *plane;
  GMutex      mutex;
  FitsImage  *refused;          /* NULL: every row was read */
} Rows;

/* FALSE, and words, where the file has become another one since it was opened first. */
static gboolean
is_same (const FitsImage *first, FitsImage *image)
{
  if (image->state == FITS_READ && image->width == first->width && image->height == first->height
      && image->bits == first->bits)
    return TRUE;
  image->state = FITS_REFUSED;
  if (! *image->why)
    g_strlcpy (image->why, "changes while it is read", sizeof image->why);
  return FALSE;
}

/* CFITSIO has to open the file once a thread; the first rows are read from what is open. */
static void
read_rows (gsize first, gsize n, gpointer data)
{
  Rows       *rows = data;
  FitsSource  source = rows->reading->source;
  FitsImage  *image = g_new0 (FitsImage, 1);
  const gint  end = (gint) (first + n), step = fits_image_step (&rows->reading->image);
  FitsOpened *opened = first == 0 ? rows->opened : fits_image_open (&source, FALSE, image);
  gboolean    success;

  if (first == 0)
    memcpy (image, &rows->reading->image, G_STRUCT_OFFSET (FitsImage, cards));
  success = is_same (&rows->reading->image, image);
  for (gint row = (gint) first; row < end && success; row += step)
    success = fits_image_rows (opened, rows->reading->index, row, MIN (step, end - row), rows->reading->full, image,
                               rows->plane->pixels + (gsize) row * image->width);
  if (opened && opened != rows->opened)
    fits_image_close (opened);
  g_mutex_lock (&rows->mutex);
  if (success || rows->refused)
    g_free (image);
  else
    rows->refused = image;
  g_mutex_unlock (&rows->mutex);
}

/* The first image where it is a plain one: cameras write so, and nothing is unpacked then. */
static void
read_here (Reading *reading, CountPlane *plane)
{
  FitsImage *image = &reading->image;
  Rows       rows = { .reading = reading, .plane = plane };

  fits_begin ();
  rows.opened = fits_image_open (&reading->source, FALSE, image);
  if (wants_rows (reading) && has_plane (reading->index, image)
      && (image->planes > 1 || fits_image_check (rows.opened, image)))          /* as below */
    {
      count_plane_init (plane, image->width, image->height);
      if (fits_has_threads ())
        tessera_spread_range (image->height, (gdouble) THREAD_PIXELS / image->width, read_rows, &rows);
      else
        read_rows (0, image->height, &rows);
    }
  if (rows.opened)
    fits_image_close (rows.opened);
  fits_end ();
  if (rows.refused)
    *image = *rows.refused;
  g_free (rows.refused);
}

static void
tell_image (const FitsImage *image, gint pipe)
{
  const gsize n = strlen (image->cards);

  fits_tell (pipe, image, G_STRUCT_OFFSET (FitsImage, cards));
  fits_tell (pipe, &n, sizeof n);
  fits_tell (pipe, image->cards, n);
}

static gboolean
hear_image (const FitsProcess *process, FitsImage *image)
{
  gsize n;

  if (! fits_hear (process, image, G_STRUCT_OFFSET (FitsImage, cards)) || ! fits_hear (process, &n, sizeof n)
      || n >= sizeof image->cards)
    return FALSE;
  image->cards[n] = '\0';
  return fits_hear (process, image->cards, n);
}

/* The image; then rows, whose number comes before them.  In their place the image again: they cannot be read. */
static void
tell (gpointer data, gint pipe)
{
  static const gint none = 0;
  Reading          *reading = data;
  FitsImage        *image = &reading->image;
  FitsOpened       *opened = fits_image_open (&reading->source, TRUE, image);
  gfloat           *counts = NULL;
  gint              step;

  if (opened && wants_rows (reading) && has_plane (reading->index, image) && image->is_compressed && image->planes == 1)
    fits_image_check (opened, image); /* of a cube, it would be read once a plane */
  tell_image (image, pipe);
  if (! wants_rows (reading))
    return;
  step = fits_image_step (image);
  counts = g_new (gfloat, (gsize) step * image->width);
  for (gint row = 0; row < image->height; row += step)
    {
      const gint n = MIN (step, image->height - row);

      if (! fits_image_rows (opened, reading->index, row, n, reading->full, image, counts))
        {
          fits_tell (pipe, &none, sizeof none);
          tell_image (image, pipe);
          return;
        }
      fits_tell (pipe, &n, sizeof n);
      fits_tell (pipe, counts, sizeof *counts * (gsize) n * image->width);
    }
}

/* FALSE: the process has died. */
static gboolean
hear (const FitsProcess *process, Reading *reading, CountPlane *plane)
{
  FitsImage *image = &reading->image;
  gint       n = 0;

  if (! hear_image (process, image))
    return FALSE;
  if (! wants_rows (reading))
    return TRUE;
  count_plane_init (plane, image->width, image->height);
  for (gint row = 0; row < image->height; row += n)
    {
      gfloat *counts = plane->pixels + (gsize) row * image->width;

      if (! fits_hear (process, &n, sizeof n))
        return FALSE;
      if (n < 1 || n > image->height - row)
        return hear_image (process, image);
      if (! fits_hear (process, counts, sizeof *counts * (gsize) n * image->width))
        return FALSE;
    }
  return TRUE;
}

/* What has to be unpacked, and what comes behind tables. */
static void
read_apart (Reading *reading, CountPlane *plane)
{
  const gint  seconds = LEAST_TIME + (gint) (MIN (reading->source.size, MOST_BYTES) / BYTES_A_TIME);
  FitsProcess process = fits_apart (tell, reading, seconds);
  FitsImage  *image = &reading->image;

  if (process.pipe >= 0 && hear (&process, reading, plane))
    {
      fits_apart_end (&process);
      return;
    }
  image->state = FITS_REFUSED;
  g_strlcpy (image->why,
             process.pipe < 0 ? "cannot be read, because no process can be begun" : "is damaged: CFITSIO dies of it",
             sizeof image->why);
  fits_apart_end (&process);
}

/* Sets the header too; a plane without a header is none. */
static gboolean
read_image (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header, GError **error)
{
  g_autofree Reading *reading = g_new0 (Reading, 1);
  gboolean            success;

  *header = (FitsHeader) { 0 };
  if (! source_open (&reading->source, path, error))
    return FALSE;
  reading->index = index;
  reading->full = full;
  read_here (reading, plane);
  if (reading->image.state == FITS_ELSEWHERE)
    read_apart (reading, plane);
  success = reading->image.state == FITS_READ;
  if (success)
    describe (&reading->image, header);
  else
    {
      count_plane_clear (plane);
      frames_refuse (path, reading->image.why, error);
    }
  source_clear (&reading->source);
  return success;
}

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  CountPlane none = { 0 };

  return read_image (path, -1, 1.0, &none, header, error);
}

gboolean
fits_read_shares (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header, GError **error)
{
  *plane = (CountPlane) { 0 };
  return read_image (path, index < 0 ? G_MAXINT : index, full, plane, header, error);
}
