/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stars.h"

#include <math.h>
#include <string.h>

#include "../json.h"

#define BLOCK      2880         /* bytes: FITS */
#define CARD       80
#define EXPOSURE   30           /* seconds, and from one frame's begin to the next's */
#define ARCSEC     1.2          /* of a pixel */

static void
card (GString *header, const gchar *key, const gchar *value, const gchar *comment)
{
  const gsize begin = header->len;

  g_string_append_printf (header, "%-8s= %*s / %s", key, *value == '\'' ? -20 : 20, value, comment);
  while (header->len < begin + CARD)
    g_string_append_c (header, ' ');
  g_string_truncate (header, begin + CARD);
}

static void
card_number (GString *header, const gchar *key, gdouble value, const gchar *comment)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  card (header, key, g_ascii_formatd (text, sizeof text, value == floor (value) && fabs (value) < 1e9 ? "%.0f" : "%.9f", value), comment);
}

const gchar *const stars_bad_names[STARS_BAD_KINDS + 1] = { "cloud", "shut", "black", "full", "" };

/* The first row of the file is the top one.  The sky's coordinates move with the shift. */
/* Where it lies in the sky, as it is shifted and turned. */
static void
add_sky (GString *header, const StarsField *field, gint frame)
{
  const gdouble angle = stars_angle (field, frame) * G_PI / 180, across = angle == 0 ? 0 : sin (angle), along = cos (angle);
  gdouble       x = field->settings.width / 2, y = field->settings.height / 2;

  stars_place (field, frame, &x, &y);
  card (header, "CTYPE1", "'RA---TAN'", "");
  card (header, "CTYPE2", "'DEC--TAN'", "");
  card_number (header, "CRPIX1", x + 1, "");
  card_number (header, "CRPIX2", y + 1, "");
  card_number (header, "CRVAL1", 56.75, "degrees");
  card_number (header, "CRVAL2", 24.125, "degrees");
  card_number (header, "CD1_1", -ARCSEC / 3600 * along, "degrees a pixel");
  card_number (header, "CD1_2", angle == 0 ? 0 : -ARCSEC / 3600 * across, "");
  card_number (header, "CD2_1", ARCSEC / 3600 * across, "");
  card_number (header, "CD2_2", -ARCSEC / 3600 * along, "degrees a pixel");
}

static GString *
fits_header (const StarsField *field, gint bits, const StarsShift *shift)
{
  const StarsSettings *s = &field->settings;
  GString             *header = g_string_new (NULL);

  card (header, "SIMPLE", "T", "a FITS file");
  card_number (header, "BITPIX", bits, bits < 0 ? "float" : "whole numbers");
  card_number (header, "NAXIS", 2, "");
  card_number (header, "NAXIS1", s->width, "columns");
  card_number (header, "NAXIS2", s->height, "rows");
  if (bits > 0)
    {
      card_number (header, "BZERO", 32768, "the numbers are unsigned");
      card_number (header, "BSCALE", 1, "");
    }
  card (header, "BUNIT", "'ADU     '", "");
  card (header, "ROWORDER", "'TOP-DOWN'", "");
  card_number (header, "GAIN", s->gain, "electrons for one ADU");
  if (shift)
    {
      const gint frame = (gint) (shift - field->shifts), seconds = frame * EXPOSURE;
      gchar     *time = g_strdup_printf ("'2026-11-%02dT%02d:%02d:%02d'", 1 + seconds / 86400 % 28, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);

      card (header, "DATE-OBS", time, "begin, UTC");
      g_free (time);
      card_number (header, "EXPTIME", EXPOSURE, "seconds");
      add_sky (header, field, frame);
    }
  g_string_append_printf (header, "%-*s", CARD, "END");
  while (header->len % BLOCK)
    g_string_append_c (header, ' ');
  return header;
}

static gboolean
write_out (GString *file, const gchar *path, GError **error)
{
  const gboolean is_written = g_file_set_contents (path, file->str, file->len, error);

  g_string_free (file, TRUE);
  return is_written;
}

static void
append_big_endian (GString *file, guint32 value, gint bytes)
{
  while (bytes-- > 0)
    g_string_append_c (file, (gchar) (value >> 8 * bytes & 0xff));
}

static void
pad_block (GString *file)
{
  while (file->len % BLOCK)
    g_string_append_c (file, '\0');
}

/* `flip`: FITS has signed numbers, and adds 32768 in reading. */
static void
append_frame (GString *file, const StarsField *field, gint frame, guint flip)
{
  const gsize n = (gsize) field->settings.width * field->settings.height;
  g_autofree guint16 *adu = g_new (guint16, n);

  stars_frame (field, frame, adu);
  for (gsize i = 0; i < n; i++)
    append_big_endian (file, adu[i] ^ flip, 2);
}

gboolean
stars_write_fits (const StarsField *field, gint frame, const gchar *path, GError **error)
{
  GString *file = fits_header (field, 16, field->shifts + frame);

  append_frame (file, field, frame, 0x8000);
  pad_block (file);
  return write_out (file, path, error);
}

static GString *
pgm_header (const StarsField *field)
{
  GString *file = g_string_new (NULL);

  g_string_append_printf (file, "P5\n%d %d\n65535\n", field->settings.width, field->settings.height);
  return file;
}

gboolean
stars_write_pgm (const StarsField *field, gint frame, const gchar *path, GError **error)
{
  GString *file = pgm_header (field);

  append_frame (file, field, frame, 0);
  return write_out (file, path, error);
}

gboolean
stars_write_dark (const StarsField *field, const gchar *path, GError **error)
{
  const StarsSettings *s = &field->settings;
  const gboolean       is_pgm = g_str_has_suffix (path, ".pgm");
  GString             *file = is_pgm ? pgm_header (field) : fits_header (field, -32, NULL);

  for (gsize i = 0; i < (gsize) s->width * s->height; i++)
    {
      const gfloat value = (gfloat) field->pattern[i];
      guint32      bits;

      memcpy (&bits, &value, sizeof bits);
      if (is_pgm)
        append_big_endian (file, (guint32) CLAMP (floor (field->pattern[i] + s->bias + 0.5), 0, s->ceiling), 2);
      else
        append_big_endian (file, bits, 4);
    }
  if (! is_pgm)
    pad_block (file);
  return write_out (file, path, error);
}

/* A row of numbers, as every locale writes them here. */
static void
row (GString *file, gint n, const gdouble *values, const gchar *separator)
{
  for (gint i = 0; i < n; i++)
    {
      gchar text[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (file, "%s%s", i ? separator : "", g_ascii_formatd (text, sizeof text, "%.9g", values[i]));
    }
}

static void
put_settings (JsonBuilder *json, const StarsSettings *s)
{
  const struct { const gchar *name; gdouble value; } numbers[] =
    {
      { "width", s->width }, { "height", s->height }, { "frames", s->frames }, { "density", s->density },
      { "magnitudes", s->magnitudes }, { "slope", s->slope }, { "brightest", s->brightest }, { "fwhm", s->fwhm },
      { "halo", s->halo }, { "halo_width", s->halo_width }, { "seeing", s->seeing }, { "gain", s->gain }, { "bias", s->bias },
      { "rows", s->rows }, { "columns", s->columns }, { "pixels", s->pixels }, { "hot", s->hot }, { "hot_least", s->hot_least },
      { "hot_most", s->hot_most }, { "sky", s->sky }, { "gradient", s->gradient }, { "brightening", s->brightening },
      { "read_noise", s->read_noise }, { "walk", s->walk }, { "pull", s->pull }, { "drift_x", s->drift_x },
      { "drift_y", s->drift_y }, { "cosmic_rays", s->cosmic_rays }, { "transparency", s->transparency }, { "turn", s->turn },
      { "turn_x", s->turn_x }, { "turn_y", s->turn_y }, { "flip", s->flip },
      { "satellites", s->satellites }, { "ceiling", s->ceiling }
    };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    put_number (json, numbers[i].name, "%.9g", numbers[i].value);
  put_int (json, "seed", s->seed);
}

static GString *
truth_json (const StarsField *field)
{
  const StarsSettings    *s = &field->settings;
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree gchar       *told = NULL;
  GString                *file;

  put_object (json, NULL);
  put_settings (json, s);
  put_array (json, "objects");
  for (gint i = 0; i < s->n_objects; i++)
    {
      const gdouble values[] = { s->objects[i].snr, s->objects[i].vx, s->objects[i].vy, field->objects[i].flux };

      put_array (json, NULL);
      for (gsize k = 0; k < G_N_ELEMENTS (values); k++)
        put_number (json, NULL, "%.9g", values[k]);
      json_builder_end_array (json);
    }
  json_builder_end_array (json);
  json_builder_end_object (json);
  told = json_rows (json);
  file = g_string_new (told);
  return g_string_append_c (file, '\n');
}

static gboolean
write_in (const gchar *folder, const gchar *name, GString *file, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);

  return write_out (file, path, error);
}

/* How the middle of the picture has moved. */
static void
of_middle (const StarsField *field, gint frame, gdouble *moved)
{
  const gdouble x = 0.5 * (field->settings.width - 1), y = 0.5 * (field->settings.height - 1);

  moved[0] = x;
  moved[1] = y;
  stars_place (field, frame, moved, moved + 1);
  moved[0] -= x;
  moved[1] -= y;
}

gboolean
stars_write_truth (const StarsField *field, const gchar *folder, GError **error)
{
  const StarsSettings *s = &field->settings;
  GString             *shifts = g_string_new ("frame,x,y,fwhm,transparency,bad,angle\n"), *objects = g_string_new ("frame,object,x,y,flux,snr\n");
  GString             *stars = g_string_new ("x,y,flux\n");

  for (gint k = 0; k < s->frames; k++)
    {
      const gdouble angle = stars_angle (field, k);
      gdouble       values[] = { k, field->shifts[k].x, field->shifts[k].y, field->shifts[k].fwhm, field->shifts[k].transparency };

      if (angle != 0)
        of_middle (field, k, values + 1);
      row (shifts, 5, values, ",");
      g_string_append_printf (shifts, ",%s,", stars_bad_names[stars_bad (field, k)]);
      row (shifts, 1, &angle, ",");
      g_string_append_c (shifts, '\n');
      for (gint i = 0; i < s->n_objects; i++)
        {
          gdouble of[] = { k, i, 0, 0, field->objects[i].flux, s->objects[i].snr };

          stars_object (field, i, k, of + 2, of + 3);
          row (objects, 6, of, ",");
          g_string_append_c (objects, '\n');
        }
    }
  for (gint i = 0; i < field->n_stars; i++)
    {
      const gdouble values[] = { field->stars[i].x, field->stars[i].y, field->stars[i].flux };

      row (stars, 3, values, ",");
      g_string_append_c (stars, '\n');
    }
  /* All are written, or freed, whatever became of the others. */
  return write_in (folder, "truth.json", truth_json (field), error) & write_in (folder, "shifts.csv", shifts, error && *error ? NULL : error)
         & write_in (folder, "objects.csv", objects, error && *error ? NULL : error) & write_in (folder, "stars.csv", stars, error && *error ? NULL : error);
}
