/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which frames are the history, and where their content is; see background-whiten.h.
 */
#include "background-whiten.h"

#include "estimate-shift.h"

#include <math.h>
#include <string.h>

#define ALIKE 1e-6f             /* parts of a count that two roundings change */

void
history_note (History *history, const gchar *format, ...)
{
  va_list arguments;

  if (history->notes->len > 0)
    g_string_append (history->notes, "; ");
  va_start (arguments, format);
  g_string_append_vprintf (history->notes, format, arguments);
  va_end (arguments);
}

/* The number of frames that are before the current one; -1: it is not among them. */
static gint
find_end (const FrameList *list, const gchar *current)
{
  g_autofree gchar *wanted = current && *current ? g_path_get_basename (current) : NULL;
  gint   end = wanted ? -1 : list->n;

  for (gint i = 0; i < list->n && wanted && end < 0; i++)
    {
      g_autofree gchar *path_name = g_path_get_basename (list->frames[i].path), *name = frame_name (&list->frames[i]);

      if (g_str_equal (wanted, path_name) || g_str_equal (wanted, name))
        end = i;
    }
  return end;
}

/* On the way through a graph counts are rounded, and a loader may know of fewer bad pixels. */
static gboolean
is_same (const CountPlane *a, const CountPlane *b)
{
  const gsize n = (gsize) a->width * a->height;
  gsize       known = 0;

  for (gsize i = 0; i < n; i++)
    {
      const gfloat first = a->pixels[i], second = b->pixels[i];

      if (! isfinite (first) || ! isfinite (second))
        continue;
      if (fabsf (first - second) > ALIKE * MAX (fabsf (first), 1.0f))
        return FALSE;
      known++;
    }
  return known > 0 || ! memcmp (a->pixels, b->pixels, sizeof (gfloat) * n);
}

/* What is taken from all frames, and how it is called. */
typedef struct
{
  FramePixels *pixels;          /* NULL: there is none */
  gchar       *key;
} Dark;

/* FALSE: there is none that fits. */
static gboolean
load_dark (const HistorySettings *settings, gint width, gint height, Dark *dark, GError **error)
{
  FrameList list;

  *dark = (Dark) { 0 };
  if (! settings->dark || ! *settings->dark)
    return TRUE;
  if (frames_list (settings->dark, &list, error))
    {
      if (list.n == 1)
        dark->pixels = frame_cache_get (frame_cache_shared (), &list.frames[0], width, height, error);
      else
        g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "%s is not one frame", settings->dark);
      dark->key = frame_key (&list.frames[0]);
      frame_list_clear (&list);
    }
  if (! dark->pixels)
    g_prefix_error (error, "the dark cannot be used: ");
  return dark->pixels != NULL;
}

static void
dark_clear (Dark *dark)
{
  g_clear_pointer (&dark->pixels, frame_pixels_unref);
  g_free (dark->key);
}

static gfloat
saturation_of (const HistorySettings *settings, gfloat usual)
{
  return settings->saturation > 0.0 ? (gfloat) settings->saturation : usual;
}

static const CountPlane *
dark_plane (const Dark *dark)
{
  return dark->pixels ? &dark->pixels->plane : NULL;
}

/* NULL with an error. */
static KeptFrame *
prepare_frame (const Frame *frame, const CountPlane *current, const Dark *dark, const HistorySettings *settings, GError **error)
{
  g_autofree gchar *file = frame_key (frame);
  g_autofree gchar *key = g_strdup_printf ("%s\n%s\n%.17g\n%d", file, dark->key ? dark->key : "", settings->saturation, settings->reject_hot);
  KeptFrame   *kept = kept_frame_find (key);
  FramePixels *pixels;
  CountPlane   plane;

  if (kept && (kept->plane.width != current->width || kept->plane.height != current->height))
    g_clear_pointer (&kept, kept_frame_unref);          /* who decodes it says so */
  if (! kept && (pixels = frame_cache_get (frame_cache_shared (), frame, current->width, current->height, error)))
    {
      whiten_prepare (&pixels->plane, dark_plane (dark), saturation_of (settings, pixels->saturation), settings->reject_hot, &plane);
      frame_pixels_unref (pixels);
      kept = kept_frame_add (key, &plane);
    }
  return kept;
}

static void
add_frame (const Frame *frame, const CountPlane *current, const Dark *dark, const HistorySettings *settings, History *history,
           gchar **trouble)
{
  g_autoptr (GError) error = NULL;
  KeptFrame *kept = prepare_frame (frame, current, dark, settings, &error);

  if (! kept)
    {
      history_note (history, "skipped: %s", error->message);
      g_free (*trouble);
      *trouble = g_strdup (error->message);
      return;
    }
  history->frames.all[history->frames.n] = (WhitenFrame) { .plane = kept->plane, .kept = kept->on_device };
  history->owners[history->frames.n] = kept;
  history->names[history->frames.n++] = frame_name (frame);
}

/* The frame that is the current one itself is none of its history. */
static gboolean
newest_is_current (const FrameList *list, const CountPlane *current)
{
  FramePixels *newest = frame_cache_get (frame_cache_shared (), &list->frames[list->n - 1], current->width, current->height, NULL);
  gboolean     same = newest && is_same (&newest->plane, current);

  g_clear_pointer (&newest, frame_pixels_unref);
  return same;
}

/* The last frames before the current one. */
static gboolean
load_frames (const CountPlane *current, const Dark *dark, const HistorySettings *settings, const FrameList *list, History *history,
             GError **error)
{
  gint end = find_end (list, settings->current);
  g_autofree gchar *trouble = NULL;

  if (end < 0)
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "%s is not among the frames", settings->current);
      return FALSE;
    }
  if (end == list->n && newest_is_current (list, current))
    end--;
  for (gint i = MAX (0, end - settings->history); i < end; i++)
    add_frame (&list->frames[i], current, dark, settings, history, &trouble);
  if (history->frames.n == 0)
    g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "there is no frame before this one%s%s", trouble ? ": " : "", trouble ? trouble : "");
  else if (history->frames.n < settings->history)
    history_note (history, "the history is %d of %d frames", history->frames.n, settings->history);
  return history->frames.n > 0;
}

/* Two numbers a frame, apart by spaces, commas or semicolons. */
static gboolean
parse_shifts (const gchar *text, History *history, GError **error)
{
  const gint before = history->frames.n, wanted = 2 * (before + 1);
  g_autofree gdouble *numbers = g_new0 (gdouble, wanted);
  gint       n = 0;
  gchar     *end;

  while (*(text += strspn (text, " ,;\t\r\n")) && n <= wanted)
    {
      const gdouble number = g_ascii_strtod (text, &end);

      if (end == text || ! (fabs (number) < 1e6))
        break;
      if (n < wanted)
        numbers[n] = number;
      n++;
      text = end;
    }
  for (gint k = 0; k <= before && n == wanted; k++)
    history->frames.all[k].shift = (FrameShift) { numbers[2 * k], numbers[2 * k + 1] };
  if (*text == '\0' && n == wanted)
    return TRUE;
  if (n > wanted || *text == '\0')
    g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "shifts wants two numbers for each of the %d frames and the current one, %d in all, not %s%d",
                 before, wanted, n > wanted ? "more than " : "", MIN (n, wanted));
  else
    g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "shifts has something that is no number: %.20s", text);
  return FALSE;
}

/* How shifts are found: bad pixels are NaN already. */
static ShiftSettings
shift_settings (const HistorySettings *settings)
{
  return (ShiftSettings) { SHIFT_PYRAMID, settings->max_shift, INFINITY, FALSE };
}

static void
note_shift (History *history, gint k, const Shift *found)
{
  const gchar *name = k < history->frames.n ? history->names[k] : "the current frame";

  history->frames.all[k].shift = weights_round_shift ((FrameShift) { found->x, found->y });
  if (! found->ok)
    history_note (history, "%s: too little is seen to find its shift", name);
  else if (! shift_is_sure (found))
    history_note (history, "%s: its shift is not sure", name);
}

/* Of frames from `first` on, at most `most`; returns how many. */
static gint
find_some (const HistorySettings *settings, ShiftKey *key, ShiftFrame **current_in_c, gint first, gint most, History *history)
{
  const gint        n = MIN (most, history->frames.n + 1 - first);
  const CountPlane *planes[SHIFT_MOST_FRAMES];
  ShiftFrame      **in_c[SHIFT_MOST_FRAMES];
  TesseraKept      *on_device[SHIFT_MOST_FRAMES];
  Shift             found[SHIFT_MOST_FRAMES];

  for (gint i = 0; i < n; i++)
    {
      const WhitenFrame *frame = &history->frames.all[first + i];

      planes[i] = &frame->plane;
      on_device[i] = frame->kept;
      in_c[i] = first + i == history->frames.n ? current_in_c : &history->owners[first + i]->shift;
    }
  if (! shift_request (settings->operation, &(ShiftRequest) { .key = key, .n = n, .kept = on_device, .settings = shift_settings (settings),
                                                              .planes = planes, .in_c = in_c }, found))
    history->is_refused = TRUE;
  for (gint i = 0; i < n; i++)
    note_shift (history, first + i, &found[i]);
  return n;
}

/* Against the oldest frame. */
static void
find_shifts (const HistorySettings *settings, History *history)
{
  WhitenFrames     *frames = &history->frames;
  const CountPlane *oldest = &frames->all[0].plane;
  const gint        most = shift_frames_at_once (settings->operation, oldest->width, oldest->height);
  KeptFrame        *kept = history->owners[0];
  ShiftFrame       *current_in_c = NULL;
  ShiftKey          key;

  shift_key_init (&key, oldest, TRUE);
  key.kept = kept->on_device;
  key.in_c = g_atomic_pointer_get (&kept->shift);
  frames->all[frames->n].kept = tessera_kept_new ();
  for (gint first = 1; first <= frames->n && ! history->is_refused;)
    first += find_some (settings, &key, &current_in_c, first, most, history);
  if (key.in_c == g_atomic_pointer_get (&kept->shift) || g_atomic_pointer_compare_and_exchange (&kept->shift, NULL, key.in_c))
    key.in_c = NULL;                    /* it is the kept frame's */
  shift_key_clear (&key);
  g_clear_pointer (&current_in_c, shift_frame_free);
}

gboolean
history_find (const CountPlane *current, gfloat saturation, const HistorySettings *settings, History *history, GError **error)
{
  FrameList list;
  Dark      dark;
  gboolean  success;

  memset (history, 0, sizeof *history);
  history->notes = g_string_new (NULL);
  if (! settings->frames || ! *settings->frames)
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "no frames are named; set the property frames");
      return FALSE;
    }
  if (! frames_list (settings->frames, &list, error))
    return FALSE;
  for (guint i = 0; list.notes && i < list.notes->len; i++)
    history_note (history, "%s", (const gchar *) g_ptr_array_index (list.notes, i));
  success = load_dark (settings, current->width, current->height, &dark, error)
            && load_frames (current, &dark, settings, &list, history, error);
  if (success)
    {
      whiten_prepare (current, dark_plane (&dark), saturation_of (settings, saturation), settings->reject_hot,
                      &history->frames.all[history->frames.n].plane);
      if (settings->shifts && *settings->shifts)
        success = parse_shifts (settings->shifts, history, error);
      else
        find_shifts (settings, history);
    }
  dark_clear (&dark);
  frame_list_clear (&list);
  return success;
}

void
history_clear (History *history)
{
  WhitenFrame *current = &history->frames.all[history->frames.n];

  for (gint k = 0; k < history->frames.n; k++)
    {
      kept_frame_unref (history->owners[k]);
      g_free (history->names[k]);
    }
  count_plane_clear (&current->plane);
  tessera_kept_unref (current->kept);
  g_string_free (history->notes, TRUE);
}
