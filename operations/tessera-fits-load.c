/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:fits-load: an image of a FITS file.  1.0 is 65535 counts, as it is in grey pictures of 16 bits.  Counts are
 * light, so the format is Y float, and a blur keeps a star's sum of them; a number is rounded once, to a float.  The first row of the file is y = 0.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_file_path (path, _("File"), "")
    description (_("Path of the FITS file"))

property_int (plane, _("Plane"), -1)
    description (_("Which image of a cube, from 0 on; -1: the first, or the luminance of three planes of colours"))
    value_range (-1, G_MAXINT)

property_int (planes, _("Planes (result)"), 0)
    description (_("How many images the cube has"))
    value_range (0, G_MAXINT)
    ui_meta     ("visible", "0")

property_string (date, _("Date (result)"), "")
    description (_("When the exposure began, as the file says it"))
    ui_meta     ("visible", "0")

property_double (exposure, _("Exposure (result)"), 0.0)
    description (_("In seconds; 0 where the file does not say"))
    value_range (0.0, G_MAXDOUBLE)
    ui_meta     ("visible", "0")

property_string (object, _("Object (result)"), "")
    description (_("What the picture shows, as the file says it"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_SOURCE
#define GEGL_OP_NAME     tessera_fits_load
#define GEGL_OP_C_SOURCE tessera-fits-load.c

#include "gegl-op.h"

#include <math.h>

#include "fits.h"

#define FULL 65535.0

static void
prepare (GeglOperation *operation)
{
  gegl_operation_set_format (operation, "output", babl_format ("Y float"));
}

static gchar *
words_of (const gchar *text)
{
  return g_strdup (text && g_utf8_validate (text, -1, NULL) ? text : "");
}

static void
set_results (GeglProperties *o, const FitsHeader *header)
{
  g_free (o->date);
  g_free (o->object);
  o->planes = header->planes;
  o->date = words_of (header->date);
  o->object = words_of (header->object);
  o->exposure = header->facts.exposure >= 0.0 ? header->facts.exposure : 0.0;
}

/* Empty where it cannot be read: GEGL would make a black picture of it. */
static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  GeglRectangle   box = { 0, 0, 0, 0 };
  FitsHeader      header;
  GError         *error = NULL;

  if (! o->path || ! *o->path)
    return box;
  if (fits_read_header (o->path, &header, &error) && header.is_cut)
    g_warning ("tessera:fits-load: %s ends before the last of its pixels", o->path);
  else if (! error)
    {
      box.width = header.width;
      box.height = header.height;
      set_results (o, &header);
    }
  else
    {
      g_warning ("tessera:fits-load: %s", error->message);
      g_error_free (error);
    }
  fits_header_clear (&header);
  return box;
}

static GeglRectangle
get_cached_region (GeglOperation *operation, const GeglRectangle *roi G_GNUC_UNUSED)
{
  return get_bounding_box (operation);
}

/* As frames of a sequence have it; full pixels stay. */
static gboolean
read_luminance (const gchar *path, CountPlane *plane, GError **error)
{
  const Frame  frame = { .path = (gchar *) path, .colours = { .full = INFINITY } };
  FramePixels *pixels = frame_decode (&frame, error);

  if (! pixels)
    return FALSE;
  count_plane_init (plane, pixels->plane.width, pixels->plane.height);
  for (gsize i = 0; i < (gsize) plane->width * plane->height; i++)
    plane->pixels[i] = (gfloat) (pixels->plane.pixels[i] / FULL);
  frame_pixels_unref (pixels);
  return TRUE;
}

static gboolean
read_plane (const GeglProperties *o, CountPlane *plane, FitsHeader *header, GError **error)
{
  if (o->plane < 0 && fits_read_header (o->path, header, NULL) && header->is_colour)
    return read_luminance (o->path, plane, error);
  fits_header_clear (header);
  return fits_read_shares (o->path, MAX (o->plane, 0), FULL, plane, header, error);
}

static gboolean
process (GeglOperation *operation, GeglBuffer *output, const GeglRectangle *roi G_GNUC_UNUSED, gint level G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  CountPlane      plane = { 0 };
  FitsHeader      header = { 0 };
  GError         *error = NULL;

  if (! read_plane (o, &plane, &header, &error))
    {
      g_warning ("tessera:fits-load: %s", error->message);
      g_error_free (error);
      fits_header_clear (&header);
      return FALSE;
    }
  gegl_buffer_set (output, GEGL_RECTANGLE (0, 0, plane.width, plane.height), 0, babl_format ("Y float"), plane.pixels, GEGL_AUTO_ROWSTRIDE);
  set_results (o, &header);
  fits_header_clear (&header);
  count_plane_clear (&plane);
  return TRUE;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  static const gchar *const kinds[] = { "image/fits", "application/fits", ".fits", ".fit", ".fts", ".fz", ".gz" };
  GeglOperationClass       *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationSourceClass *source_class = GEGL_OPERATION_SOURCE_CLASS (klass);

  operation_class->prepare = prepare;
  operation_class->get_bounding_box = get_bounding_box;
  operation_class->get_cached_region = get_cached_region;
  operation_class->threaded = FALSE;
  source_class->process = process;
  gegl_operation_class_set_keys (operation_class,
                                 "name", "tessera:fits-load",
                                 "title", _("Load FITS"),
                                 "categories", "hidden",
                                 "description", _("Loads an image of a FITS file, as telescopes write it"),
                                 "reference", "W. D. Pence et al., Definition of the Flexible Image Transport System (FITS), version 3.0, "
                                              "Astronomy and Astrophysics 524, 2010",
                                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    gegl_operation_handlers_register_loader (kinds[i], "tessera:fits-load");
}

#endif
