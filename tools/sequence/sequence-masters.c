/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Master frames: what the camera adds and takes, of one frame or of many.
 *
 * Of many, each pixel is the mean of those that lie near their median.  Such a master is kept in the folder of results
 * under a name that depends on what it was made of, so it is made once, and again where its frames are others.  A
 * master dark has its bias, as each of its frames. */
#include "sequence.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../progress.h"
#include "fits.h"
#include "frames-file.h"
#include "median.h"
#include "saving.h"
#include "tessera.h"

#define WAY         "1"         /* how masters are made: another way has other names */
#define KEPT_BYTES  ((gsize) 512 << 20)         /* of decoded frames */
#define STRIP_BYTES ((gsize) 128 << 20)         /* of all frames, for the rows that are combined together */
#define CLIP        5.9304f     /* 4 standard deviations, in median deviations */
#define ALIKE       0.01        /* parts of an exposure: no difference */
#define LIT         3.0f        /* times its noise: a flat of less light tells nothing of the lens */
#define DIVIDED     2.0         /* counts: a flat of fewer has been divided already */
#define NAME_LENGTH 16
#define SEAL        "TESSSUM = '%s'"
#define SEAL_WITHIN 5760        /* bytes of the file */

static const gchar *const names[MASTERS] = { "bias", "dark", "flat", "bad-pixels" };

const gchar *
master_name (MasterKind kind)
{
  return names[kind];
}

/* ------------------------------------------------------------------- values -- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gfloat first = *(const gfloat *) a, second = *(const gfloat *) b;

  return first < second ? -1 : first > second;
}

/* Sorts them. */
static gfloat
middle_of (gfloat *values, gint n)
{
  qsort (values, n, sizeof *values, compare);
  return n % 2 ? values[n / 2] : 0.5f * (values[n / 2 - 1] + values[n / 2]);
}

gfloat
master_combine (gfloat *values, gint n)
{
  const gfloat       middle = n > 0 ? middle_of (values, n) : NAN;
  g_autofree gfloat *away = g_new (gfloat, n + 1);
  gdouble            sum = 0.0;
  gfloat             most;
  gint               near = 0;

  if (n < 3)
    return middle;
  for (gint i = 0; i < n; i++)
    away[i] = fabsf (values[i] - middle);
  most = CLIP * middle_of (away, n);
  for (gint i = 0; i < n; i++)
    if (fabsf (values[i] - middle) <= most)
      {
        sum += values[i];
        near++;
      }
  return near > 0 ? (gfloat) (sum / near) : middle;
}

/* ------------------------------------------------------------- frames of one -- */

typedef struct
{
  const Calibration *has;       /* the masters before this one */
  MasterKind  kind;
  FrameList   list;
  FrameCache *cache;
  gint        width, height;
  gdouble    *exposures;        /* of the frames; NaN: not known */
  gdouble     exposure;         /* of the master */
  gfloat     *levels;           /* what frames of light are divided by */
} Making;

static gboolean
is_alike (gdouble a, gdouble b)
{
  return fabs (a - b) <= ALIKE * MAX (fabs (a), fabs (b));
}

gfloat
master_scale (const Calibration *calibration, gdouble exposure)
{
  const gdouble parts = exposure / calibration->masters[MASTER_DARK].exposure;

  return calibration->masters[MASTER_BIAS].plane.pixels && isfinite (parts) ? (gfloat) parts : 1.0f;
}

gfloat
master_taken (const Calibration *calibration, gfloat scale, gsize at)
{
  const gfloat *bias = calibration->masters[MASTER_BIAS].plane.pixels, *dark = calibration->masters[MASTER_DARK].plane.pixels;
  const gfloat  offset = bias ? bias[at] : 0.0f;

  return dark ? offset + (dark[at] - offset) * scale : offset;
}

/* Light without what the camera adds; of a flat that has no bias the dark is taken where it was exposed as long. */
static gfloat
light_of_flat (const Making *making, gfloat count, gdouble exposure, gsize at)
{
  const Calibration *has = making->has;
  const gboolean     is_far = ! has->masters[MASTER_BIAS].plane.pixels && ! is_alike (exposure, has->masters[MASTER_DARK].exposure);

  return count - master_taken (has, is_far ? 0.0f : master_scale (has, exposure), at);
}

static gfloat
value_of (const Making *making, const FramePixels *pixels, gint i, gsize at)
{
  const CountPlane *bias = &making->has->masters[MASTER_BIAS].plane;
  const gfloat      count = pixels->plane.pixels[at];

  if (making->kind == MASTER_BAD)
    return count == 0.0f ? 0.0f : 1.0f;
  if (! isfinite (count) || count >= pixels->saturation)
    return NAN;
  if (making->kind == MASTER_DARK && bias->pixels && making->exposures[i] > 0.0)
    return (count - bias->pixels[at]) * (gfloat) (making->exposure / making->exposures[i]) + bias->pixels[at];
  if (making->kind == MASTER_FLAT)
    return light_of_flat (making, count, making->exposures[i], at) / making->levels[i];
  return count;
}

static FramePixels *
frame_of (const Making *making, gint i, GError **error)
{
  return frame_cache_get (making->cache, &making->list.frames[i], making->width, making->height, error);
}

/* FALSE: a frame cannot be read, or has another size than the first, or than the masters before. */
static gboolean
look_at_exposures (Making *making, GError **error)
{
  g_autofree gfloat *known = g_new (gfloat, making->list.n);
  gint               n = 0;

  for (gint i = 0; i < making->list.n; i++)
    {
      FramePixels *pixels = frame_of (making, i, error);

      if (! pixels)
        return FALSE;
      making->width = pixels->plane.width;
      making->height = pixels->plane.height;
      making->exposures[i] = pixels->facts.exposure;
      known[n] = (gfloat) pixels->facts.exposure;
      n += isfinite (pixels->facts.exposure);
      frame_pixels_unref (pixels);
    }
  making->exposure = n > 0 ? middle_of (known, n) : NAN;
  return TRUE;
}

/* Without a bias, darks of several exposures have nothing in common. */
static gboolean
are_exposed_alike (const Making *making, const gchar *path, GError **error)
{
  for (gint i = 0; i < making->list.n && making->kind == MASTER_DARK && ! making->has->masters[MASTER_BIAS].plane.pixels; i++)
    if (isfinite (making->exposures[i]) && ! is_alike (making->exposures[i], making->exposure))
      {
        g_autofree gchar *why = g_strdup_printf ("has darks of %g and of %g seconds, which are scaled only with --bias", making->exposures[i],
                                                 making->exposure);

        return frames_refuse (path, why, error);
      }
  return TRUE;
}

/* The standard deviation of a flat's noise, by what its pixels differ from the next but one: not the lens, and one colour. */
static gfloat
noise_of (const gfloat *values, gsize n)
{
  g_autofree gfloat *steps = g_new (gfloat, n);

  for (gsize i = 0; i + 2 < n; i++)
    steps[i] = fabsf (values[i + 2] - values[i]);
  return n > 2 ? 1.0484f * median_of (steps, n - 2) : 0.0f;
}

/* Of the numbers of a flat; FALSE: it is a dark frame, or nearly one. */
static gboolean
has_light (const gchar *path, const gfloat *values, gsize n, GError **error)
{
  const gfloat level = median_of (values, n), noise = noise_of (values, n);
  g_autofree gchar *why = g_strdup_printf ("is a flat without light: without bias and dark it has %.3g counts, and its noise is %.3g", level, noise);

  return (level > 0.0f && level >= LIT * noise) || frames_refuse (path, why, error);
}

/* The median of each flat, as twilight fades. */
static gboolean
find_levels (Making *making, GError **error)
{
  const gsize        n = (gsize) making->width * making->height;
  g_autofree gfloat *values = g_new (gfloat, n);

  for (gint i = 0; i < making->list.n; i++)
    {
      FramePixels *pixels = frame_of (making, i, error);
      gsize        known = 0;

      if (! pixels)
        return FALSE;
      making->levels[i] = 1.0f;
      for (gsize at = 0; at < n; at++)
        {
          values[known] = value_of (making, pixels, i, at);
          known += isfinite (values[known]);
        }
      frame_pixels_unref (pixels);
      making->levels[i] = median_of (values, known);
      if (! has_light (making->list.frames[i].path, values, known, error))
        return FALSE;
    }
  return TRUE;
}

/* ----------------------------------------------------------------- combining -- */

typedef struct
{
  const Making *making;
  gfloat       *values;         /* of each pixel those of all frames */
  gfloat       *pixels;         /* where the strip begins */
} Strip;

static void
combine_rows (gsize first, gsize n, gpointer data)
{
  const Strip       *strip = data;
  const gint         frames = strip->making->list.n;
  g_autofree gfloat *known = g_new (gfloat, frames);

  for (gsize at = first * strip->making->width; at < (first + n) * strip->making->width; at++)
    {
      const gfloat *values = strip->values + at * frames;
      gint          n_known = 0;
      gfloat        most = 0.0f;

      for (gint i = 0; i < frames; i++)
        {
          most = MAX (most, values[i]);
          known[n_known] = values[i];
          n_known += isfinite (values[i]);
        }
      strip->pixels[at] = strip->making->kind == MASTER_BAD ? most : master_combine (known, n_known);
    }
}

static gboolean
combine_strip (const Making *making, gint row, gint rows, gfloat *values, CountPlane *plane, GError **error)
{
  const gsize begin = (gsize) row * making->width, n = (gsize) rows * making->width;
  Strip       strip = { making, values, plane->pixels + begin };

  for (gint i = 0; i < making->list.n; i++)
    {
      FramePixels *pixels = frame_of (making, i, error);

      if (! pixels)
        return FALSE;
      for (gsize at = 0; at < n; at++)
        values[at * making->list.n + i] = value_of (making, pixels, i, begin + at);
      frame_pixels_unref (pixels);
    }
  tessera_spread_range (rows, 64.0 * 64.0 / making->width, combine_rows, &strip);
  return TRUE;
}

static gboolean
combine (const Making *making, CountPlane *plane, GError **error)
{
  const gsize        row = (gsize) making->width * making->list.n;
  const gint         rows = (gint) CLAMP (STRIP_BYTES / (row * sizeof (gfloat)), 1, (gsize) making->height);
  g_autofree gfloat *values = g_new (gfloat, row * rows);
  gboolean           success = TRUE;

  count_plane_init (plane, making->width, making->height);
  for (gint y = 0; y < making->height && success; y += rows)
    success = combine_strip (making, y, MIN (rows, making->height - y), values, plane, error);
  if (! success)
    count_plane_clear (plane);
  return success;
}

/* ------------------------------------------------------------------- keeping -- */

static void
add_content (GChecksum *sum, const gchar *path)
{
  gchar hash[CONTENT_LENGTH] = "";

  if (! content_of_file (path, hash))
    *hash = '\0';
  g_checksum_update (sum, (const guchar *) hash, -1);
}

/* Of all that the master is made of: the bytes of its frames, and the masters before it. */
static gchar *
path_of (const Sequence *sequence, const Making *making)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  const gchar          *before = NULL;

  g_checksum_update (sum, (const guchar *) WAY, -1);
  for (gint i = 0; i < making->list.n; i++)
    if (g_strcmp0 (making->list.frames[i].path, before) != 0)
      {
        before = making->list.frames[i].path;
        add_content (sum, before);
      }
  for (gint kind = MASTER_BIAS; kind < (gint) making->kind; kind++)
    g_checksum_update (sum, (const guchar *) making->has->masters[kind].hash, -1);
  return g_strdup_printf ("%s/masters/%s-%.*s.fits", sequence->folder, names[making->kind], NAME_LENGTH, g_checksum_get_string (sum));
}

/* Of the numbers, and of what their use depends on. */
static void
seal_of (const CountPlane *plane, gdouble exposure, gchar *hash)
{
  GString *text = g_string_new (NULL);

  content_of_bytes (plane->pixels, sizeof (gfloat) * (gsize) plane->width * plane->height, hash);
  g_string_append_printf (text, "%s %d %d", hash, plane->width, plane->height);
  row_add_number (text, ' ', "%.6f", exposure);
  content_of_bytes (text->str, text->len, hash);
  g_string_free (text, TRUE);
}

/* Does the head of the file say that these are its numbers? */
static gboolean
has_seal (const gchar *path, const FramePixels *pixels)
{
  gchar             head[SEAL_WITHIN + 1] = "", hash[CONTENT_LENGTH];
  g_autofree gchar *card = NULL;
  FILE             *file = g_fopen (path, "rb");

  if (file)
    {
      head[fread (head, 1, SEAL_WITHIN, file)] = '\0';
      fclose (file);
    }
  seal_of (&pixels->plane, pixels->facts.exposure, hash);
  card = g_strdup_printf (SEAL, hash);
  return strstr (head, card) != NULL;
}

static gboolean
keep (const Sequence *sequence, const Making *making, const CountPlane *plane, const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path), *exposure = NULL;
  gchar             digits[G_ASCII_DTOSTR_BUF_SIZE];
  gchar             hash[CONTENT_LENGTH];
  g_autofree gchar *seal = NULL;
  const gchar      *cards[] = { NULL, NULL, NULL };

  seal_of (plane, making->exposure, hash);
  cards[0] = seal = g_strdup_printf (SEAL, hash);
  exposure = g_strdup_printf ("EXPTIME = %20s", g_ascii_formatd (digits, sizeof digits, "%.6f", making->exposure));
  cards[1] = isfinite (making->exposure) ? exposure : NULL;
  return saving_folder (sequence->folder, error) && saving_folder (folder, error) && fits_write (path, plane, cards, error);
}

static gboolean
prepare (Making *making, const gchar *what, GError **error)
{
  return look_at_exposures (making, error) && are_exposed_alike (making, what, error)
         && (making->kind != MASTER_FLAT || find_levels (making, error));
}

/* One that was kept before, and is damaged, or has other numbers, is made anew. */
static gboolean
is_kept (const Making *making, const gchar *path)
{
  Frame              frame = { .path = (gchar *) path };
  g_autoptr (GError) error = NULL;
  FrameCache        *cache;
  FramePixels       *pixels;
  gboolean           is_good = FALSE;

  if (! g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  cache = frame_cache_new (KEPT_BYTES);
  pixels = frame_cache_get (cache, &frame, making->width, making->height, &error);
  if (! pixels)
    progress_say ("%s: made anew, because what was kept is damaged: %s", names[making->kind], error->message);
  else if (! (is_good = has_seal (path, pixels)))
    progress_say ("%s: made anew, because what was kept has been changed", names[making->kind]);
  if (pixels)
    frame_pixels_unref (pixels);
  frame_cache_free (cache);
  return is_good;
}

/* The path of the master, made where it is not there; NULL: it cannot be made. */
static gchar *
make (const Sequence *sequence, Making *making, const gchar *what, GError **error)
{
  g_autofree gchar *path = path_of (sequence, making), *base = g_path_get_basename (path);
  CountPlane        plane = { 0 };
  gboolean          success = is_kept (making, path);

  if (! success)
    {
      making->exposures = g_new (gdouble, making->list.n);
      making->levels = g_new (gfloat, making->list.n);
      making->cache = frame_cache_new (KEPT_BYTES);
      success = prepare (making, what, error) && combine (making, &plane, error) && keep (sequence, making, &plane, path, error);
      if (success)
        progress_say ("%s: made of %d frames, kept as masters/%s", names[making->kind], making->list.n, base);
      count_plane_clear (&plane);
      frame_cache_free (making->cache);
      g_free (making->exposures);
      g_free (making->levels);
    }
  return success ? g_steal_pointer (&path) : NULL;
}

/* ---------------------------------------------------------------- one master -- */

/* A dark cube or film is several frames too. */
gchar *
master_file (const Sequence *sequence, MasterKind kind, const gchar *what, GError **error)
{
  Making making = { .has = &sequence->calibration, .kind = kind, .width = sequence->calibration.width, .height = sequence->calibration.height };
  gchar *path = NULL;

  if (! frames_list (what, &making.list, error))
    return NULL;
  for (guint i = 0; i < making.list.notes->len; i++)
    progress_say ("%s", (const gchar *) making.list.notes->pdata[i]);
  path = making.list.n == 1 ? g_strdup (making.list.frames[0].path) : make (sequence, &making, what, error);
  frame_list_clear (&making.list);
  return path;
}

/* The pixels that have a number. */
static gfloat *
known_of (const CountPlane *plane, gsize *known)
{
  const gsize n = (gsize) plane->width * plane->height;
  gfloat     *values = g_new (gfloat, n);

  *known = 0;
  for (gsize at = 0; at < n; at++)
    {
      values[*known] = plane->pixels[at];
      *known += isfinite (values[*known]);
    }
  return values;
}

static gfloat
level_of (const CountPlane *plane)
{
  gsize              n;
  g_autofree gfloat *values = known_of (plane, &n);

  return median_of (values, n);
}

/* A flat of counts is light and what the camera adds to it; of a master that was made here, or elsewhere, light alone. */
gboolean
master_divide_flat (const Calibration *has, Master *flat, GError **error)
{
  const gsize   n = (gsize) flat->plane.width * flat->plane.height;
  const Making  making = { .has = has, .kind = MASTER_FLAT };
  const gfloat  level = level_of (&flat->plane);
  g_autofree gfloat *values = NULL;
  gsize         known;

  if (! (level < DIVIDED && level > 0.0f))
    {
      for (gsize at = 0; at < n; at++)
        flat->plane.pixels[at] = light_of_flat (&making, flat->plane.pixels[at], flat->exposure, at);
      if (! has->masters[MASTER_BIAS].plane.pixels && ! has->masters[MASTER_DARK].plane.pixels)
        progress_say ("flat: all of its counts are taken for light, because there is neither --bias nor --dark");
    }
  values = known_of (&flat->plane, &known);
  return has_light (flat->path, values, known, error);
}

/* Not to be asked for light: what is full, or no number, is bad. */
static void
mark_full (const FramePixels *pixels, MasterKind kind, CountPlane *plane)
{
  for (gsize i = 0; i < (gsize) plane->width * plane->height; i++)
    {
      const gfloat count = pixels->plane.pixels[i];

      plane->pixels[i] = kind == MASTER_BAD ? (count != 0.0f) : kind == MASTER_FLAT && ! (count < pixels->saturation) ? 0.0f : count;
    }
}

gboolean
master_load (Sequence *sequence, MasterKind kind, const gchar *what, GError **error)
{
  Master      *master = &sequence->calibration.masters[kind];
  Frame        frame = { .path = master->path = master_file (sequence, kind, what, error) };
  Content      content = { .is_read = FALSE };
  FramePixels *pixels = frame.path ? content_decode (sequence->cache, &frame, TRUE, &content, error) : NULL;

  if (! pixels)
    return FALSE;
  g_strlcpy (master->hash, content.hash, CONTENT_LENGTH);
  master->exposure = pixels->facts.exposure;
  count_plane_init (&master->plane, pixels->plane.width, pixels->plane.height);
  mark_full (pixels, kind, &master->plane);
  frame_pixels_unref (pixels);
  return TRUE;
}
