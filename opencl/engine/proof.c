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

#include "formats.h"
#include "resident.h"
#include "slabs.h"

#define SIDE   48               /* of a spot, in pixels */
#define ALONG  3                /* spots of a row, and of a column, of nine */
#define ROWS   64               /* that are compared at a time */
#define DOUBTS 16               /* of so many values one may be babl's, and ... */
#define NEAR   1e-4f            /* ... so far off */

/* ----------------------------------------------------------------- bytes -- */

static gboolean
is_nan (const guchar *value, const gchar *type)
{
  if (strcmp (type, "float") == 0)
    return isnan (*(const gfloat *) value);
  return strcmp (type, "half") == 0 && (*(const guint16 *) value & 0x7fff) > 0x7c00;
}

/* May babl, which converted the input of both in other runs, have made this difference?  (Of floats, a few units of 2^-24.) */
static gboolean
is_near (const guchar *one, const guchar *other, const gchar *type)
{
  gfloat a, b;

  if (strcmp (type, "float") != 0)
    return FALSE;
  memcpy (&a, one, sizeof a);
  memcpy (&b, other, sizeof b);
  return fabsf (a - b) <= NEAR * MAX (1.0f, MAX (fabsf (a), fabsf (b)));
}

/* How many values are not the same bit for bit, any NaN being equal to any other; G_MAXSIZE if one is not even `nearly` so. */
static gsize
count_others (const guchar *one, const guchar *other, gsize bytes, const Babl *format, gboolean nearly)
{
  const gchar *type = babl_get_name (babl_format_get_type (format, 0));
  const gsize  size = babl_format_get_bytes_per_pixel (format) / babl_format_get_n_components (format);

  gsize        n = 0;

  if (memcmp (one, other, bytes) == 0)
    return 0;
  for (gsize i = 0; i < bytes; i += size)
    if (memcmp (one + i, other + i, size) != 0 && ! (is_nan (one + i, type) && is_nan (other + i, type)))
      {
        if (! nearly || ! is_near (one + i, other + i, type))
          return G_MAXSIZE;
        n++;
      }
  return n;
}

/* ------------------------------------------------------------------ part -- */

/* Numbers, of which at least two differ and are not 0. */
static gboolean
shows (gconstpointer data, gsize bytes)
{
  const guchar *at = data;
  guint32       first = 0;

  for (gsize i = 0; i + sizeof first <= bytes; i += sizeof first)
    {
      guint32 word;

      memcpy (&word, at + i, sizeof word);
      if (first != 0 && word != 0 && word != first)
        return TRUE;
      first = first != 0 ? first : word;
    }
  return FALSE;
}

static TesseraProof
compare_answers (const TesseraAnswer *one, const TesseraAnswer *other)
{
  const gboolean is_one_number = one->bytes == sizeof (gint32);

  if (one->bytes != other->bytes || (one->bytes > 0 && memcmp (one->data, other->data, one->bytes) != 0))
    return TESSERA_PROOF_DIFFERS;
  return is_one_number ? (*(const gint32 *) one->data != 0 ? TESSERA_PROOF_SAME : TESSERA_PROOF_BLANK)
         : shows (one->data, one->bytes) ? TESSERA_PROOF_SAME : TESSERA_PROOF_BLANK;
}

/* Are the bytes those of one pixel, again and again? */
static gboolean
is_flat (const guchar *pixels, gsize bytes, gsize pixel)
{
  return bytes <= pixel || memcmp (pixels, pixels + pixel, bytes - pixel) == 0;
}

/* Does babl convert between what is stored and what we take or give?  Its floats depend on the length of a row's run (TRAPS.md). */
static gboolean
is_babls (GeglBuffer *buffer, const Babl *working)
{
  return buffer && tessera_travel (gegl_buffer_get_format (buffer), working).format != gegl_buffer_get_format (buffer);
}

/* Some rows at a time, since they may be large.  Where it is `doubtful` whether both had the same input, some that differ a little prove nothing. */
static TesseraProof
compare_pixels (GeglBuffer *output, GeglBuffer *in_c, const GeglRectangle *part, gboolean doubtful)
{
  const Babl        *format = gegl_buffer_get_format (output);
  const gsize        pixel = babl_format_get_bytes_per_pixel (format), row = part->width * pixel;
  g_autofree guchar *one = g_malloc (ROWS * row), *other = g_malloc (ROWS * row), *first = g_malloc0 (pixel);
  const gsize        spare = doubtful ? (gsize) part->width * part->height * babl_format_get_n_components (format) / DOUBTS : 0;
  gsize              others = 0;
  TesseraProof       proof = TESSERA_PROOF_BLANK;

  for (gint y = part->y; y < part->y + part->height; y += ROWS)
    {
      const GeglRectangle rows = { part->x, y, part->width, MIN (ROWS, part->y + part->height - y) };
      gsize               n;

      gegl_buffer_get (output, &rows, 1.0, format, one, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_get (in_c, &rows, 1.0, format, other, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      n = count_others (one, other, rows.height * row, format, doubtful);
      if (n > spare - others)
        return TESSERA_PROOF_DIFFERS;
      others += n;
      if (y == part->y)
        memcpy (first, one, pixel);
      if (! is_flat (one, rows.height * row, pixel) || memcmp (first, one, pixel) != 0)
        proof = TESSERA_PROOF_SAME;
    }
  return others > 0 ? TESSERA_PROOF_BLANK : proof;
}

/* Of the rows of `read` the floats that the device was given: converted in runs as long as its own. */
static GeglBuffer *
as_the_device_reads (const TesseraRequest *request, GeglBuffer *input, const GeglRectangle *bounds, const Babl *working, const GeglRectangle *read)
{
  const Babl         *format = tessera_travel (gegl_buffer_get_format (input), working).format;
  const GeglRectangle all = tessera_grow (&request->roi, &request->halo);
  GeglRectangle       wide = *bounds;
  GeglBuffer         *copy;
  g_autofree guchar  *row = NULL;

  if (! request->filter->whole)
    gegl_rectangle_intersect (&wide, &all, bounds);
  wide.y = read->y;
  wide.height = read->height;
  copy = gegl_buffer_new (&wide, format);
  row = g_malloc ((gsize) wide.width * babl_format_get_bytes_per_pixel (format));
  for (gint y = wide.y; y < wide.y + wide.height; y++)
    {
      const GeglRectangle line = { wide.x, y, wide.width, 1 };

      gegl_buffer_get (input, &line, 1.0, format, row, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_set (copy, &line, 0, format, row, GEGL_AUTO_ROWSTRIDE);
    }
  return copy;
}

static gboolean
reads_round (const TesseraRequest *request, TesseraBorder border, const GeglRectangle *bounds, const GeglRectangle *part)
{
  const GeglRectangle around = tessera_grow (part, &request->halo);

  return border == TESSERA_BORDER_LOOP && ! gegl_rectangle_contains (bounds, &around);
}

/* What C reads of an input for a part of the result; a reference.  All of it where that is not known, which brings it to the host. */
static GeglBuffer *
part_around (const TesseraRequest *request, GeglBuffer *input, const GeglRectangle *bounds, TesseraBorder border, const Babl *format,
             const GeglRectangle *part)
{
  const GeglRectangle around = tessera_grow (part, &request->halo);
  GeglRectangle       read = *bounds;

  if (! input)
    return NULL;
  if (! request->filter->whole && (reads_round (request, border, bounds, part) || ! gegl_rectangle_intersect (&read, &around, bounds)))
    return g_object_ref (input);
  if (is_babls (input, format))
    return as_the_device_reads (request, input, bounds, format, &read);
  return request->filter->whole ? g_object_ref (input) : tessera_resident_part (input, &read);
}

/* What of the part can be compared; FALSE: nothing.  Where babl converts, nobody knows in which runs it did for the result, and for what
 * the device reads round the picture. */
static gboolean
can_be_compared (const TesseraRequest *request, const GeglRectangle *part, GeglRectangle *sure)
{
  const TesseraHalo  *halo = &request->halo;
  const GeglRectangle inner = { request->bounds.x + halo->left, request->bounds.y + halo->top, request->bounds.width - halo->left - halo->right,
                                request->bounds.height - halo->top - halo->bottom };

  *sure = *part;
  if (request->output && is_babls (request->output, request->output_format))
    return FALSE;
  return ! is_babls (request->input, request->input_format) || ! reads_round (request, request->border, &request->bounds, part)
         || (inner.width > 0 && inner.height > 0 && gegl_rectangle_intersect (sure, part, &inner));
}

/* Pixels, an answer, or both: then it is the answer that shows whether something was found. */
static TesseraProof
compare_sure (const TesseraRequest *request, const TesseraHeld *stays, const GeglRectangle *part)
{
  TesseraRequest again = *request;
  TesseraAnswer  answer = { NULL, 0 };
  TesseraProof   proof = TESSERA_PROOF_SAME;
  GeglBuffer    *made = stays ? tessera_held_part (stays, part) : request->output ? g_object_ref (request->output) : NULL;

  if (stays && ! made)
    return TESSERA_PROOF_FAILED;
  again.input = part_around (request, request->input, &request->bounds, request->border, request->input_format, part);
  again.aux = part_around (request, request->aux, &request->aux_bounds, TESSERA_BORDER_CLAMP, request->aux_format, part);
  again.roi = *part;
  again.output = request->output ? gegl_buffer_new (part, gegl_buffer_get_format (request->output)) : NULL;
  again.answer = request->answer ? &answer : NULL;
  tessera_compute_all (&again);
  if (request->output)
    proof = compare_pixels (made, again.output, part, is_babls (request->input, request->input_format) || is_babls (request->aux, request->aux_format));
  if (request->answer && proof != TESSERA_PROOF_DIFFERS)
    proof = compare_answers (&answer, request->answer);
  g_clear_object (&made);
  g_clear_object (&again.output);
  g_clear_object (&again.input);
  g_clear_object (&again.aux);
  g_free (answer.data);
  return proof;
}

static TesseraProof
compare_part (const TesseraRequest *request, const TesseraHeld *stays, const GeglRectangle *part)
{
  GeglRectangle sure;

  return can_be_compared (request, part, &sure) ? compare_sure (request, stays, &sure) : TESSERA_PROOF_BLANK;
}

/* ----------------------------------------------------------------- spots -- */

/* A place of `n` for `side` pixels.  Every fourth is at one of the ends. */
static gint
place (guint32 bits, gint n, gint side)
{
  return bits % 4 == 0 ? (bits & 4 ? n - side : 0) : (gint) ((bits >> 3) % (guint) (n - side + 1));
}

/* Another one each time. */
static TesseraProof
compare_spot (const TesseraRequest *request, const TesseraHeld *stays)
{
  static gint          turn;
  const GeglRectangle *roi = &request->roi;
  const gint           width = MIN (SIDE, roi->width), height = MIN (SIDE, roi->height);
  const guint32        bits = (guint32) g_atomic_int_add (&turn, 1) * 2654435761u;

  return compare_part (request, stays, &(GeglRectangle) { roi->x + place (bits >> 4, roi->width, width),
                                                          roi->y + place (bits >> 16 ^ bits, roi->height, height), width, height });
}

/* Where spot i of ALONG begins. */
static gint
step (gint i, gint n, gint side)
{
  return (gint) ((gint64) (n - side) * i / (ALONG - 1));
}

static TesseraProof
compare_spots (const TesseraRequest *request, const TesseraHeld *stays)
{
  const GeglRectangle *roi = &request->roi;
  const gint           width = MIN (SIDE, roi->width), height = MIN (SIDE, roi->height);
  TesseraProof         proof = TESSERA_PROOF_BLANK;

  if (roi->width <= ALONG * SIDE && roi->height <= ALONG * SIDE)
    return compare_part (request, stays, roi);
  for (gint i = 0; i < ALONG * ALONG && (proof == TESSERA_PROOF_BLANK || proof == TESSERA_PROOF_SAME); i++)
    {
      const TesseraProof one = compare_part (request, stays, &(GeglRectangle) { roi->x + step (i % ALONG, roi->width, width),
                                                                                roi->y + step (i / ALONG, roi->height, height), width, height });

      proof = one == TESSERA_PROOF_BLANK ? proof : one;
    }
  return proof;
}

/* ------------------------------------------------------------------- all -- */

static TesseraProof
compare_survey (const TesseraRequest *request, const TesseraSurvey *survey)
{
  g_autofree gpointer    in_c = g_malloc (survey->bytes);
  g_autoptr (GeglBuffer) input = part_around (request, request->input, &request->bounds, request->border, request->input_format, &request->roi);
  g_autoptr (GeglBuffer) aux = part_around (request, request->aux, &request->aux_bounds, TESSERA_BORDER_CLAMP, request->aux_format, &request->roi);
  TesseraRequest         again = *request;

  again.input = input;
  again.aux = aux;
  tessera_survey_all (&again, &(TesseraSurvey) { in_c, survey->bytes });
  if (memcmp (in_c, survey->result, survey->bytes) != 0)
    return TESSERA_PROOF_DIFFERS;
  return shows (in_c, survey->bytes) ? TESSERA_PROOF_SAME : TESSERA_PROOF_BLANK;
}

gboolean
tessera_result_has_spots (const TesseraRequest *request, const TesseraSurvey *survey)
{
  return ! survey && ! request->answer && ! request->filter->whole;
}

TesseraProof
tessera_prove_result (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraHeld *stays, TesseraProofExtent extent)
{
  if (survey)
    return compare_survey (request, survey);
  if (! tessera_result_has_spots (request, survey))
    return compare_part (request, stays, &request->roi);
  return extent == TESSERA_PROOF_SPOT ? compare_spot (request, stays) : compare_spots (request, stays);
}
