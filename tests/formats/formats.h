/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The test of the engine's conversions between stored and working formats: what its
 * parts tell each other.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <gegl.h>
#include <tessera-control.h>

/* ------------------------------------------------------ kinds.c: formats -- */

typedef enum
{
  TYPE_U8, TYPE_U16, TYPE_HALF, TYPE_FLOAT
} FormatsType;

/* A format of sRGB as this test understands it, independent of the engine. */
typedef struct
{
  const gchar *model;
  gint         colours;                 /* 1 or 3 */
  gboolean     alpha, perceptual, premultiplied;
  FormatsType  type;
  gint         components, bytes;       /* of a pixel */
  const Babl  *babl;
} FormatsKind;

#define FORMATS_STORED  48
#define FORMATS_WORKING 3

FormatsKind formats_stored  (gint i);
FormatsKind formats_working (gint i);
/* Are the format's model, and its type, those of a stored format? */
gboolean    formats_has_model (const gchar *format);
gboolean    formats_has_type  (const gchar *format);

gdouble formats_from_half (guint16 code);
guint16 formats_to_half   (gdouble value);              /* to nearest, ties to even */
gdouble formats_load      (const FormatsKind *kind, const guint8 *pixel, gint component); /* its value */
guint   formats_code      (const FormatsKind *kind, const guint8 *pixel, gint component); /* its bits */
gdouble formats_linear    (gdouble perceptual);         /* IEC 61966-2-1, straight below 0 */
gdouble formats_perceptual (gdouble linear);

/* -------------------------------------------------------- truth.c: formula -- */

/* What a component should be, and by how much arithmetic in float may miss it. */
typedef struct
{
  gdouble  value, error;
  gboolean overflows;                   /* on its way it exceeds what a float holds */
} FormatsBound;

typedef struct
{
  const FormatsKind *from, *to;
  gdouble            weights[3];
} FormatsConversion;

void formats_truth (const FormatsConversion *conversion, const guint8 *pixel, FormatsBound truth[4]);

/* Must it be the formula rounded once?  (Tables of integers; floats that only change places.) */
gboolean formats_is_exact (const FormatsConversion *conversion);

/* How far babl may then be from that, where it is not wrong: an integer's code, or of a float some roundings. */
gdouble formats_babl_error (const FormatsConversion *conversion, gdouble value);

/* ------------------------------------------------------ domain.c: pixels -- */

typedef struct
{
  guint8 *pixels;
  gsize   n;
} FormatsDomain;

/* Pixels of `from` that try all of the conversion; `stride`: between the bit patterns
 * of floats that are swept. */
FormatsDomain formats_domain (const FormatsConversion *conversion, guint stride);

/* --------------------------------------------------------- graph.c: runs -- */

#define FORMATS_WIDTH 1021      /* of the images: no multiple of anything, so that each row ends in a part */

/* What one run through buffer-source -> tessera:copy -> write-buffer did. */
typedef struct
{
  guint8          *pixels;              /* n of the output format; to be freed */
  TesseraCounters  did;                 /* by this run */
} FormatsRun;

FormatsRun formats_run (const Babl *from, const guint8 *pixels, gsize n, const gchar *working,
                        const Babl *to, gboolean on_device);

/* ---------------------------------------------------- compare.c: verdict -- */

/* Distances: ulps of the formula's value for floats, codes for u8, u16 and half; but for
 * c_device, of the components that passed, are finite and do not overflow. */
typedef struct
{
  guint64 components;
  guint64 not_babl;             /* components whose bits are not babl's */
  guint64 babl_wrong;           /* where babl misses the formula by far: left out of device_babl, babl_formula */
  gdouble device_babl, device_formula, babl_formula;
  gdouble share, allowed;       /* worst device to formula in units of what is allowed; and that, there */
  guint64 c_differs;            /* components whose bits are not those of the C path: a failure each */
  gdouble c_device;
  guint64 failed;
  gchar  *first;                /* failure, in words; to be freed */
} FormatsStats;

void formats_compare (const FormatsConversion *conversion, const FormatsDomain *domain,
                      const guint8 *device, const guint8 *babl, const guint8 *c_path,
                      FormatsStats *stats);

/* ------------------------------------------------------ table.c, foreign.c -- */

void formats_table_head (void);
void formats_table_row  (const FormatsConversion *conversion, gsize n,
                         const FormatsStats *stats);

/* Formats that must go through babl on the host. */
void formats_foreign (gint *passed, gint *failed);
/* Is a format of this one's model read as that of another one? */
gboolean formats_has_twin (const gchar *format);

#endif
