/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The value of each code of u8 and u16, and the least float that becomes it: from the formula in double
 * (portable.c), rounded once to float. babl is not asked, because its answers differ by some 1e-6 with the
 * processor, the version and the length of a run.
 */
#include "config.h"

#include "tables.h"

#include "tessera.h"

#include "../math/tessera-convert.h"

/* From the codes' curve to that of the floats. */
typedef enum { CURVE_SAME, CURVE_TO_LINEAR, CURVE_TO_PERCEPTUAL, CURVES } Curve;

gint
tessera_code_count (gint stored)
{
  return (stored & LAYOUT_TYPE) == LAYOUT_U8 ? 256 : 65536;
}

/* Premultiplied colours change their curve after the table. */
static Curve
curve_of (gint stored, gint working)
{
  if (stored & LAYOUT_PREMULTIPLIED || ! ((stored ^ working) & LAYOUT_PERCEPTUAL))
    return CURVE_SAME;
  return stored & LAYOUT_PERCEPTUAL ? CURVE_TO_LINEAR : CURVE_TO_PERCEPTUAL;
}

static gdouble
curved (Curve curve, gdouble value)
{
  return curve == CURVE_TO_LINEAR ? tessera_linear (value)
         : curve == CURVE_TO_PERCEPTUAL ? tessera_perceptual (value) : value;
}

static void
decode_codes (Curve curve, gint n, gfloat *values)
{
  for (gint k = 0; k < n; k++)
    values[k] = (gfloat) curved (curve, (gdouble) k / (n - 1));
}

static gfloat
least_float_from (gdouble value)
{
  const gfloat near = (gfloat) value;

  return near < value ? tessera_as_float (tessera_as_int (near) + 1) : near;
}

/* steps[k]: the least value whose code is k or more: value * most rounds to k, halves up. steps[0]: the code
 * of NaN, as babl 0.1.98 has it on x86-64. */
static void
encode_steps (Curve curve, gint n, gfloat *steps)
{
  steps[0] = n == 256 ? 255.0f : 0.0f;
  for (gint k = 1; k < n; k++)
    steps[k] = least_float_from (curved (curve, (k - 0.5) / (n - 1)));
}

static gfloat *
make_table (gint stored, Curve curve, gboolean encodes)
{
  void       (*make) (Curve, gint, gfloat *) = encodes ? encode_steps : decode_codes;
  const gint   n = tessera_code_count (stored);
  gfloat      *table = g_new (gfloat, 2 * n);

  make (curve, n, table);
  make (CURVE_SAME, n, table + n);
  return table;
}

/* Each has memory of its own, because a table is known by its address, and one without alpha is half as long. */
const gfloat *
tessera_code_table (gint stored, gint working, gboolean encodes)
{
  static GMutex  lock;
  static gfloat *tables[2][2][CURVES][2];

  const Curve   curve = curve_of (stored, working);
  gfloat      **table = &tables[tessera_code_count (stored) == 256][(stored & LAYOUT_ALPHA) != 0][curve][encodes];

  g_mutex_lock (&lock);
  if (! *table)
    *table = make_table (stored, curve, encodes);
  g_mutex_unlock (&lock);
  return *table;
}

static TesseraCodeWords *
make_words (const gfloat *steps)
{
  const gint        first = (tessera_as_int (steps[1]) >> 16) - 1, last = tessera_as_int (1.0f) >> 16;
  TesseraCodeWords *made = g_malloc (sizeof *made + (last - first + 1) * sizeof (guint32));
  guint             code = 0;

  made->first = first;
  made->least = tessera_as_float (first << 16);
  for (gint half = first; half <= last; half++)
    {
      guint32 *word = &made->words[half - first];

      *word = code << 16;
      if (code < 255 && tessera_as_int (steps[code + 1]) >> 16 == half)
        *word += 0x10000 - (tessera_as_int (steps[++code]) & 0xffff);
    }
  return made;
}

const TesseraCodeWords *
tessera_code_words (gint stored, gint working)
{
  static gsize             made;
  static TesseraCodeWords *words;

  if (tessera_code_count (stored) != 256 || curve_of (stored, working) != CURVE_TO_LINEAR)
    return NULL;
  if (g_once_init_enter (&made))
    {
      words = make_words (tessera_code_table (stored, working, TRUE));
      g_once_init_leave (&made, 1);
    }
  return words;
}
