/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * "The same pixels in C and on the device" is checked, not assumed: a result of the device is compared with what C computes of the
 * same request.  This finds a compiler that is wrong, a kernel that did not run, a card that goes bad; exact.c finds a device that
 * rounds otherwise.  sample.c says which results are compared.
 */
#include "config.h"

#include "proof.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "slabs.h"

#define SIDE  48                /* of a spot, in pixels */
#define ALONG 3                 /* spots of a row, and of a column, of nine */

/* ----------------------------------------------------------------- bytes -- */

static gboolean
is_nan (const guchar *value, const gchar *type)
{
  if (strcmp (type, "float") == 0)
    return isnan (*(const gfloat *) value);
  return strcmp (type, "half") == 0 && (*(const guint16 *) value & 0x7fff) > 0x7c00;
}

/* Bit for bit, except that any NaN equals any other. */
static gboolean
are_same (const guchar *one, const guchar *other, gsize bytes, const Babl *format)
{
  const gchar *type = babl_get_name (babl_format_get_type (format, 0));
  const gsize  size = babl_format_get_bytes_per_pixel (format) / babl_format_get_n_components (format);

  if (memcmp (one, other, bytes) == 0)
    return TRUE;
  for (gsize i = 0; i < bytes; i += size)
    if (memcmp (one + i, other + i, size) != 0 && ! (is_nan (one + i, type) && is_nan (other + i, type)))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------ part -- */

static gboolean
are_alike (const TesseraAnswer *one, const TesseraAnswer *other)
{
  return one->bytes == other->bytes && (one->bytes == 0 || memcmp (one->data, other->data, one->bytes) == 0);
}

/* Row by row, since they may be large. */
static gboolean
pixels_are_right (GeglBuffer *output, GeglBuffer *in_c, const GeglRectangle *part)
{
  const Babl        *format = gegl_buffer_get_format (output);
  const gsize        bytes = (gsize) part->width * babl_format_get_bytes_per_pixel (format);
  g_autofree guchar *one = g_malloc (bytes), *other = g_malloc (bytes);
  gboolean           are_right = TRUE;

  for (gint y = part->y; y < part->y + part->height && are_right; y++)
    {
      const GeglRectangle row = { part->x, y, part->width, 1 };

      gegl_buffer_get (output, &row, 1.0, format, one, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_get (in_c, &row, 1.0, format, other, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      are_right = are_same (one, other, bytes, format);
    }
  return are_right;
}

/* Pixels, an answer, or both. */
static gboolean
part_is_right (const TesseraRequest *request, const GeglRectangle *part)
{
  TesseraRequest again = *request;
  TesseraAnswer  answer = { NULL, 0 };
  gboolean       is_right;

  again.roi = *part;
  again.output = request->output ? gegl_buffer_new (part, gegl_buffer_get_format (request->output)) : NULL;
  again.answer = request->answer ? &answer : NULL;
  tessera_compute_all (&again);
  is_right = (! request->output || pixels_are_right (request->output, again.output, part))
             && (! request->answer || are_alike (&answer, request->answer));
  g_clear_object (&again.output);
  g_free (answer.data);
  return is_right;
}

/* ----------------------------------------------------------------- spots -- */

/* A place of `n` for `side` pixels.  Every fourth is at one of the ends. */
static gint
place (guint32 bits, gint n, gint side)
{
  return bits % 4 == 0 ? (bits & 4 ? n - side : 0) : (gint) ((bits >> 3) % (guint) (n - side + 1));
}

/* Another one each time. */
static gboolean
a_spot_is_right (const TesseraRequest *request)
{
  static gint          turn;
  const GeglRectangle *roi = &request->roi;
  const gint           width = MIN (SIDE, roi->width), height = MIN (SIDE, roi->height);
  const guint32        bits = (guint32) g_atomic_int_add (&turn, 1) * 2654435761u;

  return part_is_right (request, &(GeglRectangle) { roi->x + place (bits >> 4, roi->width, width),
                                                    roi->y + place (bits >> 16 ^ bits, roi->height, height), width, height });
}

/* Where spot i of ALONG begins. */
static gint
step (gint i, gint n, gint side)
{
  return (gint) ((gint64) (n - side) * i / (ALONG - 1));
}

static gboolean
spots_are_right (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  const gint           width = MIN (SIDE, roi->width), height = MIN (SIDE, roi->height);
  gboolean             are_right = TRUE;

  if (roi->width <= ALONG * SIDE && roi->height <= ALONG * SIDE)
    return part_is_right (request, roi);
  for (gint i = 0; i < ALONG * ALONG && are_right; i++)
    are_right = part_is_right (request, &(GeglRectangle) { roi->x + step (i % ALONG, roi->width, width),
                                                           roi->y + step (i / ALONG, roi->height, height), width, height });
  return are_right;
}

/* ------------------------------------------------------------------- all -- */

static gboolean
survey_is_right (const TesseraRequest *request, const TesseraSurvey *survey)
{
  g_autofree gpointer in_c = g_malloc (survey->bytes);

  tessera_survey_all (request, &(TesseraSurvey) { in_c, survey->bytes });
  return memcmp (in_c, survey->result, survey->bytes) == 0;
}

gboolean
tessera_result_has_spots (const TesseraRequest *request, const TesseraSurvey *survey)
{
  return ! survey && ! request->answer && ! request->filter->whole;
}

gboolean
tessera_result_is_right (const TesseraRequest *request, const TesseraSurvey *survey, TesseraProofExtent extent)
{
  if (survey)
    return survey_is_right (request, survey);
  if (! tessera_result_has_spots (request, survey))
    return part_is_right (request, &request->roi);
  return extent == TESSERA_PROOF_SPOT ? a_spot_is_right (request) : spots_are_right (request);
}
