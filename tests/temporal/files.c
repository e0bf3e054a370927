/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "files.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

gchar *
files_folder (void)
{
  return g_dir_make_tmp ("tessera-files-XXXXXX", NULL);
}

void
files_remove (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);

  for (const gchar *name = g_dir_read_name (dir); name; name = g_dir_read_name (dir))
    {
      gchar *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        files_remove (path);
      else
        g_unlink (path);
      g_free (path);
    }
  g_dir_close (dir);
  g_rmdir (folder);
}

static void
add_big (GString *text, guint64 bits, gint bytes)
{
  for (gint i = bytes - 1; i >= 0; i--)
    g_string_append_c (text, (gchar) (bits >> (8 * i)));
}

static void
add_little (GString *text, guint64 bits, gint bytes)
{
  for (gint i = 0; i < bytes; i++)
    g_string_append_c (text, (gchar) (bits >> (8 * i)));
}

static void
pad (GString *text, gchar with)
{
  while (text->len % 2880 != 0)
    g_string_append_c (text, with);
}

static void
save (const gchar *path, GString *text)
{
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
  g_string_free (text, TRUE);
}

void
files_fits (const gchar *path, const gchar *const *cards, gconstpointer data, gsize bytes)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%-80s", "SIMPLE  =                    T");
  for (; cards && *cards; cards++)
    g_string_append_printf (text, "%-80s", *cards);
  g_string_append_printf (text, "%-80s", "END");
  pad (text, ' ');
  g_string_append_len (text, data, bytes);
  pad (text, '\0');
  save (path, text);
}

void
files_fits_of (const gchar *path, gint bits, gint width, gint height, gint planes, const gdouble *values, const gchar *const *more_cards)
{
  GPtrArray *cards = g_ptr_array_new_with_free_func (g_free);
  GString   *data = g_string_new (NULL);

  g_ptr_array_add (cards, g_strdup_printf ("BITPIX  = %20d", bits));
  g_ptr_array_add (cards, g_strdup_printf ("NAXIS   = %20d", planes > 1 ? 3 : 2));
  g_ptr_array_add (cards, g_strdup_printf ("NAXIS1  = %20d", width));
  g_ptr_array_add (cards, g_strdup_printf ("NAXIS2  = %20d", height));
  if (planes > 1)
    g_ptr_array_add (cards, g_strdup_printf ("NAXIS3  = %20d", planes));
  for (; more_cards && *more_cards; more_cards++)
    g_ptr_array_add (cards, g_strdup (*more_cards));
  g_ptr_array_add (cards, NULL);
  for (gint i = 0; i < width * height * planes; i++)
    if (bits > 0)
      add_big (data, (guint64) (gint64) values[i], bits / 8);
    else
      {
        const gfloat single = (gfloat) values[i];
        guint32      few;
        guint64      many;

        memcpy (&few, &single, 4);
        memcpy (&many, &values[i], 8);
        add_big (data, bits == -32 ? few : many, -bits / 8);
      }
  files_fits (path, (const gchar *const *) cards->pdata, data->str, data->len);
  g_string_free (data, TRUE);
  g_ptr_array_free (cards, TRUE);
}

void
files_gzip (const gchar *path, gconstpointer bytes, gsize length)
{
  g_autoptr (GConverter)    gzip = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, gzip);
  GMemoryOutputStream      *all = G_MEMORY_OUTPUT_STREAM (memory);

  g_assert_true (g_output_stream_write_all (stream, bytes, length, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_assert_true (g_file_set_contents (path, g_memory_output_stream_get_data (all),
                                      (gssize) g_memory_output_stream_get_data_size (all), NULL));
}

void
files_ser (const gchar *path, const FilmPlan *plan, const guint16 *values)
{
  GString   *text = g_string_new ("LUCAM-RECORDER");
  const gint colours = plan->colour >= 100 ? 3 : 1;

  add_little (text, 0, 4);
  add_little (text, plan->colour, 4);
  add_little (text, plan->flag, 4);
  add_little (text, plan->width, 4);
  add_little (text, plan->height, 4);
  add_little (text, plan->bits, 4);
  add_little (text, plan->promised, 4);
  g_string_append_printf (text, "%-40s%-40s%-40s", "observer", "instrument", "telescope");
  add_little (text, plan->first_tick, 8);
  add_little (text, plan->first_tick, 8);
  for (gint i = 0; i < plan->n * plan->width * plan->height * colours; i++)
    if (plan->bits <= 8)
      g_string_append_c (text, (gchar) values[i]);
    else if (plan->is_big_endian)
      add_big (text, values[i], 2);
    else
      add_little (text, values[i], 2);
  for (gint i = 0; i < plan->n && plan->first_tick; i++)
    add_little (text, plan->first_tick + i * G_GINT64_CONSTANT (10000000), 8);
  save (path, text);
}
