/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames as the computation needs them: less the dark frame, and NaN where a pixel is bad. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "../progress.h"
#include "colours.h"
#include "frames-file.h"

#define STEPS_OF 16384          /* pixels whose numbers are compared */
#define KEPT  6                 /* frames, decoded */
#define ASKED 9                 /* frames, for their size */
#define UNLIKE 0.01              /* parts of an exposure */

/* ------------------------------------------------------------------- frames -- */

static FramePixels *
decode (Sequence *sequence, gint index, GError **error)
{
  return content_decode (sequence->cache, &sequence->list.frames[index], content_is_alone (&sequence->list, index), &sequence->contents[index], error);
}

static gboolean
has_our_size (const Sequence *sequence, const FramePixels *pixels)
{
  return pixels->plane.width == sequence->width && pixels->plane.height == sequence->height;
}

/* The pixels, or NULL and an error where they are of another size. */
static FramePixels *
of_our_size (const Sequence *sequence, const Frame *frame, FramePixels *pixels, GError **error)
{
  g_autofree gchar *name = frame_name (frame);

  if (! pixels || has_our_size (sequence, pixels))
    return pixels;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_SIZE, "%s is %d x %d, not %d x %d%s", name, pixels->plane.width, pixels->plane.height,
               sequence->width, sequence->height,
               pixels->facts.cell == 2 && ! *sequence->pattern ? ", because it is a Bayer mosaic and most frames are none (--bayer none)" : "");
  frame_pixels_unref (pixels);
  return NULL;
}

/* Has it four pixels for each of ours, though it does not say what their colours are? */
static gboolean
may_be_mosaic (const Sequence *sequence, const FramePixels *pixels)
{
  return *sequence->pattern && sequence->settings.colours != COLOURS_KEPT && ! *pixels->pattern
         && pixels->plane.width / 2 == sequence->width && pixels->plane.height / 2 == sequence->height;
}

/* As `decode`; where most frames are mosaics, so is one of their size that has no card for it. */
static FramePixels *
decode_as_most (Sequence *sequence, gint index, GError **error)
{
  FramePixels *pixels = decode (sequence, index, error);

  if (! pixels || ! may_be_mosaic (sequence, pixels))
    return pixels;
  frame_pixels_unref (pixels);
  strcpy (sequence->list.frames[index].colours.pattern, sequence->pattern);
  return decode (sequence, index, error);
}

/* A frame as the camera wrote it, or NULL and an error where it is of another size than masters are. */
static FramePixels *
of_raw_size (const Sequence *sequence, const Frame *frame, FramePixels *pixels, GError **error)
{
  const Calibration *calibration = &sequence->calibration;
  g_autofree gchar  *name = frame_name (frame);

  if (! pixels || (pixels->plane.width == calibration->width && pixels->plane.height == calibration->height))
    return pixels;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_SIZE, "%s is %d x %d, and the calibration %d x %d", name, pixels->plane.width, pixels->plane.height,
               calibration->width, calibration->height);
  frame_pixels_unref (pixels);
  return NULL;
}

static gfloat
full_of (const Sequence *sequence, const FramePixels *pixels)
{
  return sequence->settings.saturation >= 0.0 ? (gfloat) sequence->settings.saturation : clean_full (&pixels->plane, pixels->saturation);
}

/* Bad pixels have no value. */
static void
prepare (const Sequence *sequence, const CountPlane *light, const CountPlane *dark, gfloat full, CountPlane *plane)
{
  whiten_prepare (light, dark, full, sequence->settings.rejects_hot, plane);
  if (sequence->settings.rejects_hot)
    columns_hide (plane);
}

/* As sequence_frame. */
static gboolean
calibrated_frame (Sequence *sequence, gint index, CountPlane *plane, FrameFacts *facts, GError **error)
{
  const Calibration *calibration = &sequence->calibration;
  FramePixels       *pixels = of_raw_size (sequence, &sequence->list.frames[index], decode (sequence, index, error), error);
  CountPlane         light;

  if (! pixels)
    return FALSE;
  if (facts)
    frame_facts_copy (facts, &pixels->facts);
  if (facts && calibration->cell > 1)
    frames_join_cells (facts);
  light = calibration_apply (calibration, pixels, sequence->settings.colours, *pixels->pattern ? pixels->pattern : sequence->pattern,
                             full_of (sequence, pixels));
  prepare (sequence, &light, NULL, INFINITY, plane);
  count_plane_clear (&light);
  frame_pixels_unref (pixels);
  return TRUE;
}

gboolean
sequence_frame (Sequence *sequence, gint index, CountPlane *plane, FrameFacts *facts, GError **error)
{
  FramePixels *pixels;

  if (sequence->calibration.is_open)
    return calibrated_frame (sequence, index, plane, facts, error);
  pixels = of_our_size (sequence, &sequence->list.frames[index], decode_as_most (sequence, index, error), error);
  if (! pixels)
    return FALSE;
  if (facts)
    frame_facts_copy (facts, &pixels->facts);
  prepare (sequence, &pixels->plane, sequence->dark.pixels ? &sequence->dark : NULL, full_of (sequence, pixels), plane);
  frame_pixels_unref (pixels);
  return TRUE;
}

/* What frames must have in common. */
typedef struct
{
  gint  width, height, votes;
  gchar pattern[FRAMES_PATTERN];
  gdouble exposure;             /* of one of them */
  gfloat  step;
} Kind;

/* FALSE: the frame cannot be read. */
static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p > q) - (p < q);
}

/* The least distance of two numbers of the frame: 1 of counts, more where a camera's bits are fewer, next to nothing of floats. */
static gfloat
step_of (const CountPlane *plane)
{
  const gsize        n = (gsize) plane->width * plane->height, apart = MAX (n / STEPS_OF, 1) | 1;
  g_autofree gfloat *values = g_new (gfloat, n / apart + 1);
  gfloat             step = INFINITY;
  gsize              known = 0;

  for (gsize i = 0; i < n; i += apart)
    if (isfinite (plane->pixels[i]))
      values[known++] = plane->pixels[i];
  qsort (values, known, sizeof *values, compare_values);
  for (gsize i = 1; i < known; i++)
    if (values[i] > values[i - 1])
      step = MIN (step, values[i] - values[i - 1]);
  return isfinite (step) ? step : 0.0f;
}

static gboolean
read_kind (Sequence *sequence, gint index, Kind *kind)
{
  FramePixels *pixels = decode (sequence, index, NULL);

  if (! pixels)
    return FALSE;
  *kind = (Kind) { pixels->plane.width, pixels->plane.height, 1, "", pixels->facts.exposure, step_of (&pixels->plane) };
  strcpy (kind->pattern, pixels->pattern);
  frame_pixels_unref (pixels);
  return TRUE;
}

static Kind *
vote (Kind *kinds, gint *n, const Kind *kind)
{
  for (gint k = 0; k < *n; k++)
    if (kinds[k].width == kind->width && kinds[k].height == kind->height && strcmp (kinds[k].pattern, kind->pattern) == 0)
      {
        kinds[k].votes++;
        return &kinds[k];
      }
  kinds[*n] = *kind;
  return &kinds[(*n)++];
}

/* That of most of some frames from the whole sequence; of the earlier ones where there are as many of another.  If none of
 * these can be read, of the first that can. */
static gboolean
find_size (Sequence *sequence)
{
  const gint asked = MIN (sequence->list.n, ASKED);
  gint       n = 0;
  Kind       kinds[ASKED], kind, *best = NULL;

  for (gint i = 0; i < asked && ! (best && 2 * best->votes > asked); i++)
    if (read_kind (sequence, (gint) ((gint64) i * sequence->list.n / asked), &kind))
      {
        Kind *of_this = vote (kinds, &n, &kind);

        if (! best || of_this->votes > best->votes)
          best = of_this;
      }
  for (gint i = 0; i < sequence->list.n && ! best; i++)
    if (read_kind (sequence, i, &kind))
      best = &kind;
  if (! best)
    return FALSE;
  sequence->width = best->width;
  sequence->height = best->height;
  strcpy (sequence->pattern, best->pattern);
  sequence->exposure = best->exposure;
  sequence->settings.step = best->step;
  return TRUE;
}

/* A dark frame may not say that it is a mosaic, but is one as the frames are. */
static void
set_colours (const Sequence *sequence, Frame *frame)
{
  const SequenceSettings *settings = &sequence->settings;

  frame->colours = (FrameColours) { .mode = settings->colours, .full = settings->saturation > 0.0 ? (gfloat) settings->saturation : 0.0f };
  strcpy (frame->colours.pattern, sequence->pattern);
}

static void
tell_mosaic (const Sequence *sequence)
{
  static const gchar *const kinds[] = { "they stay as they are", "each pixel is the mean of 2 x 2", "each pixel is the mean of two green ones",
                                        "each pixel is the luminance of 2 x 2" };

  if (*sequence->pattern)
    progress_say ("the frames are Bayer mosaics: %s (--bayer)", kinds[sequence->settings.colours]);
}

gdouble
sequence_gain (const Sequence *sequence)
{
  return sequence->settings.gain * (*sequence->pattern ? colours_gain (sequence->settings.colours) : 1.0);
}

static gboolean
open_dark (Sequence *sequence, GError **error)
{
  Frame        frame = { .path = sequence->dark_file = master_file (sequence, MASTER_DARK, sequence->master_paths[MASTER_DARK], error) };
  FramePixels *pixels;

  if (! frame.path)
    return FALSE;
  set_colours (sequence, &frame);
  pixels = of_our_size (sequence, &frame, content_decode (sequence->cache, &frame, TRUE, &sequence->dark_content, error), error);
  if (! pixels)
    return FALSE;
  count_plane_init (&sequence->dark, sequence->width, sequence->height);
  for (gsize i = 0; i < (gsize) sequence->width * sequence->height; i++)
    sequence->dark.pixels[i] = pixels->plane.pixels[i];
  if (fabs (pixels->facts.exposure / sequence->exposure - 1.0) > UNLIKE)
    progress_say ("the dark frame was exposed for %g s, the frames for %g s; it is scaled only with --bias", pixels->facts.exposure, sequence->exposure);
  frame_pixels_unref (pixels);
  return TRUE;
}

static gboolean
open_masters (Sequence *sequence, GError **error)
{
  if (sequence->master_paths[MASTER_BIAS] || sequence->master_paths[MASTER_FLAT] || sequence->master_paths[MASTER_BAD])
    return calibration_open (sequence, error);
  return ! sequence->master_paths[MASTER_DARK] || open_dark (sequence, error);
}

/* What moves is where it was in the time between: in the order of names it would jump. */
static void
order (FrameList *list)
{
  const gint n = frames_without_time (list);

  if (frames_are_in_order (list))
    return;
  if (n > 0)
    progress_say ("the order of names is not that of times, but stays, because %d of %d frames have no time", n, list->n);
  else
    {
      frames_order (list);
      progress_say ("the frames are taken in the order of their times, which is not that of their names");
    }
}

/* Files of three planes that do not say what these are. */
static void
tell_colours (const FrameList *list)
{
  gint n = 0;

  for (gint i = 0; i < list->n; i++)
    n += list->frames[i].is_guess && list->frames[i].is_colour;
  if (n > 0)
    progress_say ("%d of %d frames are files of three planes, which are taken for red, green and blue; if they are three exposures, "
                  "CTYPE3 has to say so: TIME", n, list->n);
}

gboolean
sequence_open (Sequence *sequence, GError **error)
{
  if (! frames_list (sequence->what, &sequence->list, error))
    return FALSE;
  for (guint i = 0; i < sequence->list.notes->len; i++)
    progress_say ("%s", (const gchar *) sequence->list.notes->pdata[i]);
  order (&sequence->list);
  if (sequence->is_live)
    live_settle (&sequence->list);
  tell_colours (&sequence->list);
  sequence->cadence = times_cadence (&sequence->list);
  for (gint i = 0; i < sequence->list.n; i++)
    set_colours (sequence, &sequence->list.frames[i]);
  sequence->contents = g_new0 (Content, sequence->list.n);
  sequence->cache = frame_cache_new (0);        /* of the first, one */
  if (! find_size (sequence))
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s: none of the %d frames can be read", sequence->what, sequence->list.n);
      return FALSE;
    }
  tell_mosaic (sequence);
  frame_cache_free (sequence->cache);
  sequence->blocks = (sequence->list.n + sequence->settings.block - 1) / sequence->settings.block;
  sequence->cache = frame_cache_new (KEPT * sizeof (gfloat) * (gsize) sequence->width * sequence->height);
  if (! open_masters (sequence, error))
    return FALSE;
  if (sequence->calibration.cell > 1)
    {
      frame_cache_free (sequence->cache);
      sequence->cache = frame_cache_new (KEPT * sizeof (gfloat) * (gsize) sequence->calibration.width * sequence->calibration.height);
    }
  return TRUE;
}

void
sequence_clear (Sequence *sequence)
{
  frame_list_clear (&sequence->list);
  count_plane_clear (&sequence->dark);
  calibration_clear (&sequence->calibration);
  g_clear_pointer (&sequence->dark_file, g_free);
  g_clear_pointer (&sequence->contents, g_free);
  if (sequence->cache)
    frame_cache_free (sequence->cache);
  sequence->cache = NULL;
}
