/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * From a source text to a program of the driver's: by the compiler, or from what it made the last time.
 *
 * That is kept in files of the user's cache folder, a program each.  A file has a head of three lines:
 * what it is, its key, and the checksum of the rest.  Whatever is not as it was written counts as not there.
 *
 * The folder is ours alone, or it is not used: what somebody else puts there would run in our process.  At most
 * MOST_FILES and MOST_BYTES are kept; those go first that have not been used for longest.
 */
#include "compile.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cl-api.h"
#include "counters.h"
#include "messages.h"
#include "settings.h"
#include "system.h"

#define FOLDER     "tessera"
#define ENDING     ".kernels"
#define TITLE      "tessera kernels 1\n"
#define HEAD_BYTES (sizeof TITLE - 1 + 2 * 65)          /* two checksums, in 64 characters each, and their lines' ends */
#define MOST_FILES 64
#define MOST_BYTES ((guint64) 64 << 20)

/* ------------------------------------------------------------ what is kept -- */

/* Names what the compiler of this device makes of the source with these options.  NULL: nothing of this device is kept. */
static gchar *
binary_key (const TesseraDevice *device, const gchar *source, const gchar *options)
{
  g_autofree gchar *what = NULL;

  if (! tessera_keeps_kernels (device->is_processor))
    return NULL;
  what = g_strdup_printf ("%s\n%s\n%s\n%zu\n%s", device->name, device->driver, options, sizeof (gpointer), source);
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, what, -1);
}

static gchar *
folder_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), FOLDER, NULL);
}

static gchar *
path_of (const gchar *folder, const gchar *key)
{
  g_autofree gchar *name = g_strconcat (key, ENDING, NULL);

  return g_build_filename (folder, name, NULL);
}

static gchar *
head_of (const gchar *key, gconstpointer data, gsize bytes)
{
  g_autofree gchar *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, bytes);

  return g_strconcat (TITLE, key, "\n", sum, "\n", NULL);
}

static GBytes *
checked (const gchar *key, gchar *text, gsize bytes)
{
  g_autoptr (GBytes) all = g_bytes_new_take (text, bytes);
  const gsize        rest = bytes > HEAD_BYTES ? bytes - HEAD_BYTES : 0;
  g_autofree gchar  *head = rest ? head_of (key, text + HEAD_BYTES, rest) : NULL;

  return head && memcmp (head, text, HEAD_BYTES) == 0 ? g_bytes_new_from_bytes (all, HEAD_BYTES, rest) : NULL;
}

static gboolean
binary_is_kept (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);

  return tessera_is_private (folder, TRUE) && tessera_is_private (path, FALSE);
}

/* NULL: nothing is kept under the key, or it is not what was written. */
static GBytes *
binary_read (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);
  gchar *text;
  gsize  bytes;

  if (! binary_is_kept (key) || ! g_file_get_contents (path, &text, &bytes, NULL))
    return NULL;
  tessera_touch (path);
  return checked (key, text, bytes);
}

typedef struct
{
  gchar   *path;
  guint64  bytes;
  gint64   used;
} Kept;

static void
kept_free (gpointer kept)
{
  g_free (((Kept *) kept)->path);
  g_free (kept);
}

static gint
last_used_first (gconstpointer a, gconstpointer b)
{
  const Kept *first = *(Kept *const *) a, *second = *(Kept *const *) b;

  return (first->used < second->used) - (first->used > second->used);
}

/* Also what is left of a file whose writer was ended. */
static GPtrArray *
list (const gchar *folder)
{
  GPtrArray   *all = g_ptr_array_new_with_free_func (kept_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  GStatBuf     about;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree gchar *path = g_build_filename (folder, name, NULL);

      if (strstr (name, ENDING) && g_lstat (path, &about) == 0)
        {
          Kept *kept = g_new (Kept, 1);

          *kept = (Kept) { g_steal_pointer (&path), about.st_size, about.st_mtime };
          g_ptr_array_add (all, kept);
        }
    }
  g_ptr_array_sort (all, last_used_first);
  return all;
}

static void
drop_old (const gchar *folder)
{
  g_autoptr (GPtrArray) all = list (folder);
  guint64 bytes = 0;

  for (guint i = 0; i < all->len; i++)
    {
      const Kept *kept = g_ptr_array_index (all, i);

      bytes += kept->bytes;
      if (i >= MOST_FILES || bytes > MOST_BYTES)
        g_unlink (kept->path);
    }
}

/* Whole or not at all: a disk that is full costs nothing but the time of the next build. */
static void
binary_write (const gchar *key, gconstpointer data, gsize bytes)
{
  g_autofree gchar      *folder = folder_path (), *path = path_of (folder, key);
  g_autofree gchar      *head = head_of (key, data, bytes);
  g_autoptr (GByteArray) text = g_byte_array_new ();

  if (bytes > MOST_BYTES || g_mkdir_with_parents (folder, 0700) != 0 || ! tessera_is_private (folder, TRUE))
    return;
  g_byte_array_append (text, (const guint8 *) head, HEAD_BYTES);
  g_byte_array_append (text, data, bytes);
  if (g_file_set_contents_full (path, (const gchar *) text->data, text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
    drop_old (folder);
}

void
tessera_compile_forget (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);

  if (tessera_is_private (folder, TRUE))
    g_unlink (path);
}

/* ------------------------------------------------------------- the compiler -- */

static gchar *
build_log (const TesseraClApi *cl, cl_program program, cl_device_id device)
{
  size_t bytes = 0;
  gchar *text;

  if (! program || cl->GetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes)
                   != CL_SUCCESS || bytes > 1 << 20)
    return g_strdup ("");
  text = g_malloc0 (bytes + 1);
  cl->GetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL);
  return g_strstrip (text);
}

static void
say_unbuilt (const TesseraClApi *cl, const TesseraDevice *device, const gchar *name, cl_program object, gint status)
{
  g_autofree gchar *messages = build_log (cl, object, device->device);

  tessera_say_once ("%s: the OpenCL program %s on %s (%s); C is used instead%s%s", name,
                    tessera_outcome (status) == TESSERA_REFUSED ? "does not build" : "could not be built this time",
                    device->name, tessera_error_name (status), *messages ? ":\n" : "", messages);
}

static gchar *
build_options (const TesseraDevice *device, const gchar *define)
{
  return g_strconcat (device->build_options, define ? " -D " : NULL, define, NULL);
}

/* NULL: nothing is kept, or the driver does not want it. */
static cl_program
from_binary (const TesseraClApi *cl, const TesseraDevice *device, const gchar *key, const gchar *options)
{
  g_autoptr (GBytes)   kept = binary_read (key);
  cl_device_id         id = device->device;
  cl_int               status = CL_SUCCESS, fits = CL_SUCCESS;
  size_t               bytes;
  const unsigned char *data = kept ? g_bytes_get_data (kept, &bytes) : NULL;
  cl_program           object = NULL;

  if (data)
    object = cl->CreateProgramWithBinary (device->context, 1, &id, &bytes, &data, &fits, &status);
  if (object && status == CL_SUCCESS && fits == CL_SUCCESS)
    status = cl->BuildProgram (object, 1, &id, options, NULL, NULL);
  if (object && (status != CL_SUCCESS || fits != CL_SUCCESS))
    {
      cl->ReleaseProgram (object);
      object = NULL;
    }
  return object;
}

static void
keep (const TesseraClApi *cl, cl_program object, const gchar *key)
{
  size_t bytes = 0;
  g_autofree unsigned char *data = NULL;

  if (cl->GetProgramInfo (object, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
    return;
  data = g_try_malloc0 (bytes);
  if (data && cl->GetProgramInfo (object, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
    binary_write (key, data, bytes);
}

gboolean
tessera_compiles_slowly (const TesseraDevice *device, const TesseraText *text)
{
  g_autofree gchar *options = build_options (device, text->define);
  g_autofree gchar *key = binary_key (device, text->source, options);

  return key && ! binary_is_kept (key);
}

static cl_int
from_source (const TesseraClApi *cl, const TesseraDevice *device, const TesseraText *text, const gchar *options,
             cl_program *object)
{
  cl_int       driver = CL_SUCCESS;
  cl_device_id id = device->device;

  *object = cl->CreateProgramWithSource (device->context, 1, (const char **) &text->source, NULL, &driver);
  if (driver == CL_SUCCESS)
    driver = cl->BuildProgram (*object, 1, &id, options, NULL, NULL);
  return driver;
}

static void
log_built (const TesseraDevice *device, const gchar *name, gint64 began, gboolean was_kept)
{
  if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: program %s on %s in %.0f ms", name, was_kept ? "taken from the cache" : "built", device->name,
                 (g_get_monotonic_time () - began) / 1e3);
}

gint
tessera_compile (const TesseraDevice *device, const TesseraText *text, gpointer *result, gchar **key)
{
  const TesseraClApi *cl = tessera_cl_api ();
  const gint64        began = g_get_monotonic_time ();
  const gboolean      fails = tessera_fault (FAULT_BUILD);
  g_autofree gchar   *options = build_options (device, text->define);
  cl_program          object;
  gboolean            was_kept;
  gint                status;

  *key = binary_key (device, text->source, options);
  object = *key && ! fails ? from_binary (cl, device, *key, options) : NULL;
  was_kept = object != NULL;
  if (fails)
    status = tessera_build_status (CL_BUILD_PROGRAM_FAILURE);
  else
    status = was_kept ? 0 : tessera_build_status (from_source (cl, device, text, options, &object));
  if (object)
    tessera_count (objects_created, 1);
  tessera_count (builds, 1);
  tessera_count (build_ns, (g_get_monotonic_time () - began) * 1000);
  if (status == 0)
    log_built (device, text->name, began, was_kept);
  else
    {
      say_unbuilt (cl, device, text->name, object, status);
      if (object)
        cl->ReleaseProgram (object);
      object = NULL;
    }
  if (status == 0 && *key && ! was_kept)
    keep (cl, object, *key);
  *result = object;
  return status;
}
