/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A WebP, by libwebp, as GEGL's loader has it: without its profile. */
#include "loads-judge.h"

#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "loads-upright.h"

#define HEAD 12                 /* bytes, before its chunks */

/* What a camera notes; some writers keep it as a JPEG has it. */
static void
look_for_notes (const WebPDemuxer *chunks, Judged *judged)
{
  static const guint8 name[] = { 'E', 'x', 'i', 'f', 0, 0 };
  WebPChunkIterator chunk;
  gsize             before;

  if (! WebPDemuxGetChunk (chunks, "EXIF", 1, &chunk))
    return;
  before = chunk.chunk.size >= sizeof name && memcmp (chunk.chunk.bytes, name, sizeof name) == 0 ? sizeof name : 0;
  judged->orientation = upright_noted (chunk.chunk.bytes + before, chunk.chunk.size - before);
  WebPDemuxReleaseChunkIterator (&chunk);
}

static void
decode (const WebPData *data, Judged *judged)
{
  WebPDecoderConfig config;

  if (! WebPInitDecoderConfig (&config) || WebPGetFeatures (data->bytes, data->size, &config.input) != VP8_STATUS_OK)
    {
      judged->wrong = g_strdup (DAMAGED);
      return;
    }
  config.output.colorspace = config.input.has_alpha ? MODE_RGBA : MODE_RGB;
  if (WebPDecode (data->bytes, data->size, &config) == VP8_STATUS_OK)
    {
      judged->picture = gegl_buffer_new (GEGL_RECTANGLE (0, 0, config.output.width, config.output.height),
                                         babl_format (config.input.has_alpha ? "R'G'B'A u8" : "R'G'B' u8"));
      gegl_buffer_set (judged->picture, NULL, 0, NULL, config.output.u.RGBA.rgba, config.output.u.RGBA.stride);
    }
  else
    judged->wrong = g_strdup (DAMAGED);
  WebPFreeDecBuffer (&config.output);
}

static void
judge_data (const WebPData *data, Judged *judged)
{
  WebPBitstreamFeatures about;
  WebPDemuxState        state;
  WebPDemuxer          *chunks = WebPDemuxPartial (data, &state);

  if (WebPGetFeatures (data->bytes, data->size, &about) == VP8_STATUS_OK && about.has_animation)
    judged->wrong = g_strdup (MOVES);
  else if (state == WEBP_DEMUX_PARSE_ERROR)
    judged->wrong = g_strdup (DAMAGED);
  else if (! chunks || state != WEBP_DEMUX_DONE)
    judged->wrong = g_strdup (ENDS_EARLY);
  else
    {
      look_for_notes (chunks, judged);
      decode (data, judged);
    }
  WebPDemuxDelete (chunks);
}

/* Its head tells how many bytes it has, of which all must be there before there is room for them. */
void
judge_webp (FILE *file, Judged *judged)
{
  guint8   head[HEAD], *bytes;
  guint32  n;
  WebPData data;

  judged->wrong = g_strdup (ENDS_EARLY);
  if (fread (head, 1, sizeof head, file) != sizeof head)
    return;
  n = head[4] | (guint32) head[5] << 8 | (guint32) head[6] << 16 | (guint32) head[7] << 24;
  if (fseek (file, 0, SEEK_END) != 0 || (gint64) n > ftell (file) - 8)
    return;
  rewind (file);
  bytes = g_try_malloc ((gsize) n + 8);
  data = (WebPData) { bytes, bytes ? fread (bytes, 1, (gsize) n + 8, file) : 0 };
  if (data.size == (gsize) n + 8)
    {
      g_clear_pointer (&judged->wrong, g_free);
      judge_data (&data, judged);
    }
  g_free (bytes);
}
