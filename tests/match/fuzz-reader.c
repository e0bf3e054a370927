/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Any bytes as a file of keypoints, for libFuzzer.  The first byte says the format.  By hand, in the tree's folder:
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover -Ioperations/points $(pkg-config --cflags gio-2.0) \
 *     tests/match/fuzz-reader.c tools/match/keypoints.c $(pkg-config --libs gio-2.0) -lm -o fuzz-reader
 *   tests/match/fuzz-seeds.py SEEDS && ./fuzz-reader -max_total_time=600 -max_len=4096 CORPUS SEEDS
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/match/keypoints.h"

#define CHECK(good) do { if (! (good)) abort (); } while (0)

int LLVMFuzzerTestOneInput (const guint8 *data, size_t size);

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t size)
{
  Keypoints keypoints;
  GError   *error = NULL;
  gchar    *text;

  if (size == 0)
    return 0;
  text = g_malloc (size);
  memcpy (text, data + 1, size - 1);
  text[size - 1] = '\0';
  if (keypoints_parse ("name", text, size - 1, (KeypointsFormat) (data[0] % KEYPOINTS_NONE), &keypoints, &error))
    {
      CHECK (! error && keypoints.n >= 0 && (gsize) keypoints.n <= size && keypoints.width > 0 && keypoints.height > 0);
      for (gint i = 0; i < keypoints.n; i++)
        {
          const MatchPlace *p = &keypoints.places[i];

          CHECK (fabs (p->x) < 1e8 && fabs (p->y) < 1e8 && p->sigma > 0 && p->sigma < 1e6 && p->angle >= 0 && p->angle < 360);
          CHECK (p->x <= keypoints.width && p->y <= keypoints.height);
        }
    }
  else
    CHECK (error && ! keypoints.places && ! keypoints.descriptors && g_str_has_prefix (error->message, "name:")
           && ! strchr (error->message, '\n') && strlen (error->message) < 300);
  g_clear_error (&error);
  keypoints_clear (&keypoints);
  g_free (text);
  return 0;
}
