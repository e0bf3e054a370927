/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernel of tessera:convolution: its text, its weights, and the column and row whose product it may be.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#include "convolution.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ZERO_SUM     1e-6               /* of the sum of magnitudes */
#define UNIT         0x1p-24            /* half a float's last place, of 1 */
#define EXCERPT      16                 /* bytes of the text that a message repeats */
#define BLANKS       " \t\r\v\f"

/* ------------------------------------------------------------------ text -- */

/* The reader's position, and the place that a message names. */
typedef struct
{
  const gchar *at;
  gint         row, column;
  gchar       *error;
} Reader;

static gboolean refuse (Reader *reader, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (Reader *reader, const gchar *format, ...)
{
  va_list           arguments;
  g_autofree gchar *what = NULL;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  reader->error = g_strdup_printf (_("row %d, column %d: %s"), reader->row, reader->column, what);
  return FALSE;
}

static gboolean
ends_row (gchar c)
{
  return c == '\0' || c == ';' || c == '\n';
}

static void
skip_blanks (Reader *reader)
{
  reader->at += strspn (reader->at, BLANKS);
}

/* `format` takes the word at `at`, or its beginning. */
static gboolean
refuse_word (Reader *reader, const gchar *at, const gchar *format)
{
  g_autofree gchar *bytes = g_strndup (at, MIN (strcspn (at, BLANKS ",;\n"), EXCERPT));
  g_autofree gchar *word = g_utf8_make_valid (bytes, -1);

  return refuse (reader, format, word);
}

/* One number, and everything up to the next number or the end of the row. */
static gboolean
read_number (Reader *reader, gdouble *number)
{
  const gchar *start = reader->at;
  gchar       *end;

  if (*start == ',')
    return refuse (reader, "%s", _("a comma without a number before it"));
  *number = g_ascii_strtod (start, &end);
  if (end == start)
    return refuse_word (reader, start, _("\"%s\" is not a number"));
  if (! isfinite (*number))
    return refuse_word (reader, start, _("\"%s\" is not a finite number"));
  reader->at = end;
  skip_blanks (reader);
  if (*reader->at == ',')
    {
      reader->at++;
      skip_blanks (reader);
      if (ends_row (*reader->at))
        return refuse (reader, "%s", _("a comma without a number after it"));
    }
  else if (reader->at == end && ! ends_row (*end))
    return refuse_word (reader, start, _("\"%s\" is not a number"));
  return TRUE;
}

/* A row; its first number is at reader->at. */
static gboolean
read_row (Reader *reader, ConvolutionKernel *kernel)
{
  gint count = 0;

  if (kernel->rows == CONVOLUTION_LARGEST)
    return refuse (reader, _("more than %d rows"), CONVOLUTION_LARGEST);
  while (! ends_row (*reader->at))
    {
      gdouble number = 0.0;

      reader->column = count + 1;
      if (count == CONVOLUTION_LARGEST)
        return refuse (reader, _("more than %d numbers in a row"), CONVOLUTION_LARGEST);
      if (! read_number (reader, &number))
        return FALSE;
      if (kernel->rows > 0 && count == kernel->columns)
        return refuse (reader, _("a number too many: the rows above have %d"), kernel->columns);
      kernel->weights[kernel->rows * kernel->columns + count] = number;
      count++;
    }
  reader->column = count + 1;
  if (kernel->rows > 0 && count < kernel->columns)
    return refuse (reader, _("a number is missing: the rows above have %d"), kernel->columns);
  kernel->columns = count;
  kernel->rows++;
  return TRUE;
}

gboolean
convolution_kernel_parse (const gchar *text, ConvolutionKernel *kernel, gchar **error)
{
  Reader   reader = { text ? text : "", 1, 1, NULL };
  gboolean good = TRUE;

  kernel->rows = kernel->columns = 0;
  while (good)
    {
      reader.row = kernel->rows + 1;
      reader.column = 1;
      skip_blanks (&reader);
      if (! ends_row (*reader.at))
        good = read_row (&reader, kernel);
      else if (*reader.at == '\0')
        break;
      else
        reader.at++;
    }
  if (good && kernel->rows == 0)
    good = refuse (&reader, "%s", _("there are no numbers"));
  reader.row = kernel->rows;
  reader.column = kernel->columns % 2 ? 1 : kernel->columns;
  if (good && kernel->columns % 2 == 0)
    good = refuse (&reader, _("%d columns: their number must be odd"), kernel->columns);
  if (good && kernel->rows % 2 == 0)
    good = refuse (&reader, _("%d rows: their number must be odd"), kernel->rows);
  *error = reader.error;
  return good;
}

/* --------------------------------------------------------------- weights -- */

/* Within the range of a float; 0 only for 0. */
static gdouble
divided (gdouble weight, gdouble largest, gdouble divisor)
{
  gdouble result = (weight / largest) / divisor;

  if (weight == 0.0)
    return 0.0;
  if (! (fabs (result) >= FLT_MIN))
    return copysign (FLT_MIN, weight) * (divisor < 0.0 ? -1.0 : 1.0);
  return copysign (MIN (fabs (result), FLT_MAX), result);
}

void
convolution_kernel_divide (ConvolutionKernel *kernel, gdouble divisor)
{
  const gint n = kernel->rows * kernel->columns;
  gdouble    largest = 0.0, sum = 0.0, magnitudes = 0.0;

  for (gint i = 0; i < n; i++)
    largest = MAX (largest, fabs (kernel->weights[i]));
  if (largest == 0.0)
    return;
  for (gint i = 0; i < n; i++)
    {
      sum += kernel->weights[i] / largest;
      magnitudes += fabs (kernel->weights[i] / largest);
    }
  if (divisor != 0.0)
    sum = divisor / largest;
  else if (fabs (sum) <= ZERO_SUM * magnitudes)
    sum = 1.0 / largest;
  for (gint i = 0; i < n; i++)
    kernel->weights[i] = divided (kernel->weights[i], largest, sum);
}

gboolean
convolution_kernel_split (const ConvolutionKernel *kernel, gdouble *column, gdouble *row)
{
  const gint n = kernel->rows * kernel->columns;
  gint       pivot = 0;
  gdouble    sum = 0.0;

  for (gint i = 1; i < n; i++)
    if (fabs (kernel->weights[i]) > fabs (kernel->weights[pivot]))
      pivot = i;
  if (kernel->weights[pivot] == 0.0)
    return FALSE;
  for (gint k = 0; k < kernel->columns; k++)
    {
      row[k] = kernel->weights[pivot / kernel->columns * kernel->columns + k] / kernel->weights[pivot];
      sum += fabs (row[k]);
    }
  for (gint i = 0; i < kernel->rows; i++)
    column[i] = kernel->weights[i * kernel->columns + pivot % kernel->columns] * sum;
  for (gint k = 0; k < kernel->columns; k++)
    row[k] /= sum;
  for (gint i = 0; i < kernel->rows; i++)
    for (gint k = 0; k < kernel->columns; k++)
      {
        gdouble weight = kernel->weights[i * kernel->columns + k];

        if ((weight == 0.0) != (column[i] * row[k] == 0.0) || fabs (column[i]) > FLT_MAX
            || (row[k] != 0.0 && fabs (row[k]) < FLT_MIN)
            || fabs (column[i] * row[k] - weight) > UNIT * fabs (weight))
          return FALSE;
      }
  return TRUE;
}
