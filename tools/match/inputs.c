/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match compares: pictures, whose keypoints are looked for, and files of keypoints. */
#include "match.h"

#include <gegl-plugin.h>
#include <gio/gio.h>
#include <string.h>

#include "frames-kinds.h"
#include "frames.h"
#include "sift-files.h"

static Side *
side_new (gchar *path)
{
  Side *side = g_new0 (Side, 1);

  side->path = path;
  side->is_picture = keypoints_format (path) == KEYPOINTS_NONE;
  side->first = -1;
  return side;
}

void
side_free (gpointer data)
{
  Side *side = data;

  keypoints_clear (&side->keypoints);
  g_free (side->path);
  g_free (side);
}

gchar *
side_name (const Side *side)
{
  return g_filename_display_name (side->path);
}

gchar *
side_picture (const Side *side)
{
  gchar *name = g_path_get_basename (side->path);

  if (! side->is_picture)
    *strrchr (name, '.') = '\0';
  return name;
}

/* ----------------------------------------------------------------- folders -- */

static gint
compare_paths (gconstpointer a, gconstpointer b)
{
  return frames_compare_names (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* The folder's files that are pictures, or keypoints, in the order of their names. */
static gboolean
add_files (GPtrArray *sides, const gchar *folder, gboolean pictures, GError **error)
{
  GDir        *dir = g_dir_open (folder, 0, error);
  const gchar *name;
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  if (! dir)
    return FALSE;
  while ((name = g_dir_read_name (dir)))
    {
      const gboolean is_picture = keypoints_format (name) == KEYPOINTS_NONE;
      gchar         *path = g_build_filename (folder, name, NULL);

      if (name[0] != '.' && is_picture == pictures && (! is_picture || frame_kind (path) == KIND_PICTURE) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (paths, path);
      else
        g_free (path);
    }
  g_dir_close (dir);
  g_ptr_array_sort (paths, compare_paths);
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (sides, side_new (g_ptr_array_index (paths, i)));
  return TRUE;
}

GPtrArray *
inputs_list (gchar **paths, gboolean *many, GError **error)
{
  g_autoptr (GPtrArray) sides = g_ptr_array_new_with_free_func (side_free);

  *many = FALSE;
  for (gint i = 0; paths && paths[i]; i++)
    if (g_file_test (paths[i], G_FILE_TEST_IS_DIR) && keypoints_format (paths[i]) == KEYPOINTS_NONE && frame_kind (paths[i]) == KIND_NONE)
      {
        const guint before = sides->len;

        *many = TRUE;
        if (! add_files (sides, paths[i], TRUE, error) || (sides->len == before && ! add_files (sides, paths[i], FALSE, error)))
          return NULL;
      }
    else
      g_ptr_array_add (sides, side_new (g_strdup (paths[i])));
  *many |= sides->len > 2;
  if (sides->len < 2)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, *many ? "two pictures or keypoint files are needed; the folder has %u"
                   : "two pictures or keypoint files are needed, or a folder of them; see --help", sides->len);
      return NULL;
    }
  return g_steal_pointer (&sides);
}

/* ------------------------------------------------------------------ points -- */

static void
keep_points (Side *side, const SiftList *list, const GeglRectangle *box)
{
  Keypoints *keypoints = &side->keypoints;

  keypoints_clear (keypoints);
  keypoints->n = (gint) list->n;
  keypoints->width = box->width;
  keypoints->height = box->height;
  keypoints->places = g_new (MatchPlace, list->n + 1);
  keypoints->descriptors = g_malloc (list->n * DESCRIPTOR_LENGTH + 1);
  for (gsize i = 0; i < list->n; i++)
    {
      const SiftPoint *point = &list->points[i];

      keypoints->places[i] = (MatchPlace) { point->x, point->y, point->sigma, point->angle };
      memcpy (keypoints->descriptors + i * DESCRIPTOR_LENGTH, point->descriptor, DESCRIPTOR_LENGTH);
    }
}

/* As tessera:sift-save finds them. */
static gboolean
search (GeglBuffer *picture, const Settings *settings, gdouble contrast, SiftList *list)
{
  g_autoptr (GeglNode) graph = gegl_node_new ();
  GeglNode            *node = gegl_node_new_child (graph, "operation", "tessera:sift-save", "contrast-threshold", contrast,
                                                   "edge-threshold", settings->edge, "max-features", settings->max_features, "normalization", settings->is_root, NULL);
  const TesseraRequest request = { .errand = { .operation = gegl_node_get_gegl_operation (node) }, .input = picture,
                                   .bounds = *gegl_buffer_get_extent (picture), .input_format = gegl_buffer_get_format (picture) };
  SiftSettings         sift = SIFT_DEFAULTS;

  sift.contrast_threshold = contrast;
  sift.edge_threshold = settings->edge;
  sift.max_features = settings->max_features;
  sift.is_root = settings->is_root;
  return sift_find (&request, &sift, TRUE, list);
}

/* Where there are few points, those of less contrast count too. */
static gboolean
search_lower (Side *side, GeglBuffer *picture, const Settings *settings, SiftList *list)
{
  side->contrast = settings->contrast < 0 ? CONTRAST : settings->contrast;
  if (! search (picture, settings, side->contrast, list))
    return FALSE;
  if (settings->contrast >= 0 || list->n >= FEW || (settings->max_features > 0 && list->n >= (gsize) settings->max_features))
    return TRUE;
  side->first = (gint) list->n;
  side->contrast = LEAST_CONTRAST;
  g_free (list->points);
  return search (picture, settings, side->contrast, list);
}

static gboolean
write_points (const Side *side, const gchar *folder, const SiftList *list, GError **error)
{
  g_autofree gchar *name = side_picture (side), *file = g_strconcat (name, ".txt", NULL), *path = g_build_filename (folder, file, NULL);

  return sift_save (list, path, SIFT_COLMAP, error);
}

static gboolean
read_picture (Side *side, const Settings *settings, GError **error)
{
  g_autoptr (GeglBuffer) picture = picture_load (side->path, settings->as_stored, error);
  SiftList list = { NULL, 0 };
  gboolean good = FALSE;

  if (picture && ! gegl_has_operation ("tessera:sift-save"))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "GEGL has no tessera:sift-save; it finds the keypoints of a picture");
  else if (picture && ! search_lower (side, picture, settings, &list))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: its keypoints cannot be found; TESSERA_OPENCL=force needs a device", side->path);
  else if (picture)
    {
      good = ! settings->folder || write_points (side, settings->folder, &list, error);
      keep_points (side, &list, gegl_buffer_get_extent (picture));
    }
  g_free (list.points);
  return good;
}

Side *
side_look_lower (const Side *side, const Settings *settings, GError **error)
{
  Side *lower = side_new (g_strdup (side->path));

  if (! read_picture (lower, settings, error))
    {
      side_free (lower);
      return NULL;
    }
  lower->first = side->first >= 0 ? side->first : side->keypoints.n;
  return lower;
}

gboolean
side_read (Side *side, const Settings *settings, GError **error)
{
  return side->is_picture ? read_picture (side, settings, error) : keypoints_read (side->path, keypoints_format (side->path), &side->keypoints, error);
}
