/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-stack: photographs of one subject, laid on one another and made one.
 *
 *   tessera-stack IMG_*.jpg -o out.png
 *
 * Exit status: 0; 1 if fewer than half of the frames align; 2 if there is no picture. */
#include <glib/gstdio.h>

#include "stack.h"

#include "../saves.h"
#include "../version.h"
#include "saving.h"
#include "system.h"

#define CLIPPED_FROM 5          /* frames */
#define AUTO         (-1)
#define NOT_GIVEN    G_MININT

static gchar   *output, *method_name, *reference_name, *model_name, **paths;
static gint     mebibytes = NOT_GIVEN, max_features = NOT_GIVEN;
static gdouble  contrast_threshold = NOT_GIVEN;
static gboolean is_float;

static const GOptionEntry options[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The picture to write: .png, .tif, .tiff or .exr", "FILE" },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method_name,
    "mean; median; clipped, the mean without outliers, by default from 5 frames on; exposure, of each frame what is well exposed; or focus, what is sharp", "METHOD" },
  { "reference", 0, 0, G_OPTION_ARG_STRING, &reference_name, "The frame the others are laid on: first, last or sharpest", "FRAME" },
  { "model", 0, 0, G_OPTION_ARG_STRING, &model_name,
    "How the camera has moved: auto (the least that explains it; by default), translation, similarity, affine or homography", "MODEL" },
  { "contrast-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &contrast_threshold,
    "How much a point must stand out, 0 to 0.5; 0.04 by default, and less where few points are found", "N" },
  { "max-features", 0, 0, G_OPTION_ARG_INT, &max_features, "How many points of each picture are compared, 100 to 50000; 5000 by default", "N" },
  { "float", 0, 0, G_OPTION_ARG_NONE, &is_float, "Write a TIFF of floats, not of 16 bits", NULL },
  { "memory", 0, 0, G_OPTION_ARG_INT, &mebibytes, "Memory for pixels; a quarter of the machine's by default", "MiB" },
  VERSION_OPTION,
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, "PICTURE..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* The number of the word in the list, -1: it is not there, and that has been said. */
static gint
choose (const gchar *what, const gchar *word, const gchar *const *words)
{
  for (gint i = 0; words[i]; i++)
    if (g_str_equal (word, words[i]))
      return i;
  progress_say ("there is no %s called %s", what, word);
  return -1;
}

static gboolean
stat_frames (Stack *stack)
{
  GStatBuf   written;
  const gboolean exists = g_stat (output, &written) == 0;

  stack->n = g_strv_length (paths);
  stack->frames = g_new0 (StackFrame, stack->n);
  for (gint i = 0; i < stack->n; i++)
    {
      GStatBuf about;

      stack->frames[i].path = paths[i];
      if (g_stat (paths[i], &about) != 0)
        {
          progress_say ("there is no file %s", paths[i]);
          return FALSE;
        }
      if (exists && about.st_dev == written.st_dev && about.st_ino == written.st_ino)
        {
          progress_say ("%s would be written over; give the result another name, or take it out of the pictures", paths[i]);
          return FALSE;
        }
      file_state (paths[i], &stack->frames[i].state);
    }
  return TRUE;
}

/* Before the work, which would be lost.  FALSE: no, and it has said why.  A pipe is not opened: that may wait for ever, and who reads
 * it would see its end. */
static gboolean
can_be_written (const gchar *path)
{
  g_autoptr (GError) error = NULL;
  GStatBuf       old;
  Saving         saving;
  const gboolean is_device = g_stat (path, &old) == 0 && ! S_ISREG (old.st_mode) && ! S_ISDIR (old.st_mode);
  const gboolean can = ! is_device && saving_begin (&saving, path, "", &error);

  if (is_device)
    progress_say ("%s cannot be written: it is no file", path);
  else if (can)
    saving_end (&saving, FALSE, NULL);
  else
    progress_say ("%s", error->message);
  return can;
}

static gboolean
choose_reference (Stack *stack)
{
  static const gchar *const words[] = { "first", "last", "sharpest", NULL };
  const gint                word = choose ("reference", reference_name ? reference_name : "first", words);
  gdouble                   best = -1.0;

  stack->reference = word == 1 ? stack->n - 1 : 0;
  for (gint i = 0; i < stack->n && word == 2; i++)
    {
      const gdouble sharpness = stack_sharpness (&stack->frames[i]);

      if (sharpness > best)
        {
          best = sharpness;
          stack->reference = i;
        }
    }
  return word >= 0;
}

/* GEGL's operation that writes it, or NULL. */
static const gchar *
saver (const gchar *path)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  return g_str_has_suffix (lower, ".png") ? "gegl:png-save"
         : g_str_has_suffix (lower, ".tif") || g_str_has_suffix (lower, ".tiff") ? "gegl:tiff-save"
         : g_str_has_suffix (lower, ".exr") ? "gegl:exr-save" : NULL;
}

/* As it is written: then GEGL, which has one thread for that, converts nothing.  A profile of greys fits no colours: libpng refuses it there.  And of a grey
 * PNG GEGL writes no profile: its greys are sRGB's, which readers take them for. */
static const Babl *
stored_format (const Stack *stack)
{
  const Babl    *space = babl_format_get_space (gegl_buffer_get_format (stack->frames[stack->reference].picture));
  const gboolean is_grey = babl_space_is_gray (space);

  if (is_float || g_str_equal (saver (output), "gegl:exr-save"))
    return babl_format_with_space (is_grey ? "YA float" : "RGBA float", space);
  if (! is_grey)
    return babl_format_with_space ("R'G'B'A u16", space);
  return babl_format_with_space ("Y'A u16", g_str_equal (saver (output), "gegl:png-save") ? babl_space ("sRGB") : space);
}

static gboolean
write_picture (GeglBuffer *buffer, const gchar *path)
{
  const gchar *operation = saver (path);
  g_autoptr (GeglNode) save = gegl_node_new_child (NULL, "operation", operation, NULL);
  g_autoptr (GError) error = NULL;
  gboolean     success;

  if (g_str_equal (operation, "gegl:png-save"))         /* more effort hardly makes 16 bits smaller */
    gegl_node_set (save, "bitdepth", 16, "compression", 1, NULL);
  else if (g_str_equal (operation, "gegl:tiff-save"))
    gegl_node_set (save, "bitdepth", is_float ? 32 : 16, "fp", is_float ? 1 : 0, NULL);
  success = saves_picture (buffer, save, path, &error);
  if (! success)
    progress_say ("%s", error->message);
  return success;
}

/* `method`: of CombineMethod; AUTO: what the number of frames asks for. */
static gint
stack_all (Stack *stack, gint method, guint64 memory)
{
  gint         aligned = 0, before;
  const gchar *changed;
  GeglBuffer  *result;
  gboolean     success;

  progress_begin (stack->n * 1.25);
  stack_remember (stack);
  if (! stack_align (stack))
    return 2;
  if ((changed = stack_changed (stack)))
    {
      progress_say ("%s has changed while it was read; run it again", changed);
      return 2;
    }
  for (gint i = 0; i < stack->n; i++)
    aligned += stack->frames[i].is_aligned;
  if (method == AUTO)
    method = aligned >= CLIPPED_FROM ? COMBINE_CLIPPED : COMBINE_MEAN;
  result = stack_combine (stack, (CombineMethod) method, stored_format (stack), memory);
  for (gint i = 0; i < stack->n; i++)
    g_clear_object (&stack->frames[i].picture);
  before = stack_made_of (stack, output);
  success = write_picture (result, output);
  g_object_unref (result);
  progress_end ();
  if (success && aligned < before)
    progress_say ("%s is of %d frames now; it was of %d, whose transforms are kept", output, aligned, before);
  if (success)
    {
      stack_note_result (stack, output, aligned);
      stack_keep (stack, NULL);         /* what is wrong with it has been said, if a frame was new */
    }
  if (success && 2 * aligned < stack->n)
    progress_say ("only %d of %d frames align", aligned, stack->n);
  return ! success ? 2 : 2 * aligned < stack->n;
}

static guint64
memory_allowed (void)
{
  if (mebibytes > 0)
    return (guint64) mebibytes << 20;
  return tessera_host_memory () / 4;
}

static void
set_points (Stack *stack)
{
  if (contrast_threshold >= 0.0)
    stack->settings.contrast_threshold = contrast_threshold;
  if (max_features != NOT_GIVEN)
    stack->settings.max_features = max_features;
}

/* Words for the first number that is none of those that may be; NULL: there is none. */
static const gchar *
wrong_number (void)
{
  if (mebibytes < 1 && mebibytes != NOT_GIVEN)
    return "--memory is 1 or more";
  if (! (contrast_threshold >= 0.0 && contrast_threshold <= 0.5) && contrast_threshold != NOT_GIVEN)
    return "--contrast-threshold is 0 to 0.5";
  if ((max_features < 100 || max_features > 50000) && max_features != NOT_GIVEN)
    return "--max-features is 100 to 50000";
  return NULL;
}

static gboolean
parse (gchar **arguments)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean        success;

  g_option_context_set_summary (context, "Lays photographs of one subject on one another and makes one of them, with less noise.");
  g_option_context_set_description (context, "The transforms that are found are kept in FILE.transforms; a run that was ended goes on with them.");
  g_option_context_add_main_entries (context, options, NULL);
  success = g_option_context_parse_strv (context, &arguments, &error);
  if (! success)
    progress_say ("%s", error->message);
  else if (! output || ! paths)
    progress_say ("which pictures, and where to? tessera-stack PICTURE... -o FILE");
  else if (! saver (output))
    progress_say ("%s: the ending says what is written: .png, .tif, .tiff or .exr", output);
  else if (is_float && ! g_str_equal (saver (output), "gegl:tiff-save"))
    progress_say ("--float is for TIFF; EXR has floats as it is, PNG has none");
  else if (wrong_number ())
    progress_say ("%s", wrong_number ());
  return success && output && paths && saver (output) && (! is_float || g_str_equal (saver (output), "gegl:tiff-save")) && ! wrong_number ();
}

/* GEGL complains if it ends while it still writes tiles to its swap file. */
static void
wait_for_swap (void)
{
  gboolean is_busy = TRUE;

  for (gint i = 0; i < 200 && is_busy; i++)
    {
      g_object_get (gegl_stats (), "swap-busy", &is_busy, NULL);
      if (is_busy)
        g_usleep (10000);
    }
}

static void
stack_clear (Stack *stack)
{
  for (gint i = 0; i < stack->n; i++)
    {
      g_clear_object (&stack->frames[i].picture);
      g_free (stack->frames[i].reason);
      g_free (stack->frames[i].unread);
    }
  g_free (stack->frames);
  g_free (stack->kept);
  g_free (stack->result);
}

gint
main (gint argc G_GNUC_UNUSED, gchar **argv)
{
  static const gchar *const methods[] = { "mean", "median", "clipped", "exposure", "focus", NULL };
  static const gchar *const models[] = { "translation", "similarity", "affine", "homography", "auto", NULL };  /* as ConsensusModel */
  Stack                     stack = { .settings = ALIGN_DEFAULTS };
  g_auto (GStrv)            arguments = tessera_command_begins (argv);
  gint                      method, model, status = 2;

  progress_name ("tessera-stack");
  if (! parse (arguments))
    return 2;
  method = method_name ? choose ("method", method_name, methods) : 0;
  model = choose ("model", model_name ? model_name : "auto", models);
  if (method < 0 || model < 0)
    return 2;
  saves_start_gegl ();
  g_object_set (gegl_config (), "tile-cache-size", memory_allowed (), NULL);
  set_points (&stack);
  stack.settings.model = (ConsensusModel) model;
  stack.kept = g_strconcat (output, ".transforms", NULL);
  stack.node = gegl_node_new_child (NULL, "operation", "tessera:align", NULL);
  if (stat_frames (&stack) && can_be_written (output) && choose_reference (&stack))
    status = stack_all (&stack, method_name ? method : AUTO, memory_allowed ());
  progress_end ();
  stack_clear (&stack);
  g_object_unref (stack.node);
  wait_for_swap ();
  gegl_exit ();
  return status;
}
