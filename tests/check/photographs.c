/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a photographer sees first, in numbers.
 *
 * noise: photographs with shot noise, one of the evening, others with the light of dusk.  The bilateral filter as it is
 * by default must bring each at least 4 dB nearer to the photograph.  Of the evening 8 and 0.1 by channels in linear
 * light would do, too; of textures in the shade they leave 3.
 *
 * cut-out: a part of a photograph on transparency.  Its opaque pixels must be sharpened as in the whole photograph,
 * to 1 of 255, by unsharp mask, as they are by gegl:unsharp-mask.  The part lies where the photograph is smooth: elsewhere
 * what lies beyond the edge makes a difference of its own.
 *
 *   photographs EVENING [DAY...] */
#include "check.h"

#define SEED       20261122
#define PHOTONS    150.0        /* that make white: noise of a high ISO number */
#define LEAST_GAIN 4.0          /* dB */
#define DUSK       0.25         /* of the light of the day */

#define CENTRE_X   310.0        /* of the part that is cut out */
#define CENTRE_Y   545.0
#define RADIUS_X   110.0
#define RADIUS_Y   70.0

typedef struct
{
  GeglRectangle box;
  guint8       *codes;          /* R'G'B'A u8 */
} Photo;

static gsize
pixels_of (const Photo *photo)
{
  return (gsize) photo->box.width * photo->box.height;
}

/* What leaves the node. */
static Photo
developed (GeglNode *node, const GeglRectangle *box)
{
  Photo photo = { *box, NULL };

  photo.codes = g_malloc (4 * pixels_of (&photo));
  gegl_node_blit (node, 1.0, &photo.box, babl_format ("R'G'B'A u8"), photo.codes, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  return photo;
}

static Photo
load (const gchar *path)
{
  GeglNode      *graph = gegl_node_new (), *node = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  GeglRectangle  box = gegl_node_get_bounding_box (node);
  Photo          photo = developed (node, &box);

  g_object_unref (graph);
  return photo;
}

/* The photo behind an operation, which has its defaults but for that property. */
static Photo
filtered (const Photo *photo, const gchar *operation, const gchar *property, gdouble amount)
{
  GeglBuffer *buffer = gegl_buffer_new (&photo->box, babl_format ("R'G'B'A u8"));
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", operation, NULL);
  Photo       result;

  gegl_buffer_set (buffer, &photo->box, 0, babl_format ("R'G'B'A u8"), photo->codes, GEGL_AUTO_ROWSTRIDE);
  if (property)
    gegl_node_set (node, property, amount, NULL);
  gegl_node_link (source, node);
  result = developed (node, &photo->box);
  g_object_unref (graph);
  g_object_unref (buffer);
  return result;
}

static gboolean
verdict (gboolean good, const gchar *what, TesseraOpenclMode mode)
{
  g_print ("%s%s, %s\n", good ? "" : "FAIL ", what, mode == TESSERA_OPENCL_OFF ? "C" : "OpenCL");
  return good;
}

/* ----------------------------------------------------------------- noise -- */

/* As many photons as Poisson's law gives where `mean` are expected (Knuth, The Art of Computer Programming 2, 3.4.1). */
static gint
photons (CheckRandom *random, gdouble mean)
{
  const gdouble limit = exp (-mean);
  gdouble       product = check_uniform (random);
  gint          count = 0;

  for (; product > limit; count++)
    product *= check_uniform (random);
  return count;
}

static gdouble
light_of (guint8 code)
{
  const gdouble v = code / 255.0;

  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

static guint8
code_of (gdouble light)
{
  const gdouble v = light <= 0.0031308 ? 12.92 * light : 1.055 * pow (light, 1 / 2.4) - 0.055;

  return (guint8) floor (CLAMP (v, 0, 1) * 255 + 0.5);
}

static void
darken (Photo *photo, gdouble share)
{
  for (gsize i = 0; i < 4 * pixels_of (photo); i++)
    if (i % 4 < 3)
      photo->codes[i] = code_of (share * light_of (photo->codes[i]));
}

static Photo
with_shot_noise (const Photo *photo)
{
  CheckRandom random = { SEED };
  Photo       noisy = { photo->box, g_memdup2 (photo->codes, 4 * pixels_of (photo)) };

  for (gsize i = 0; i < 4 * pixels_of (photo); i++)
    if (i % 4 < 3)
      noisy.codes[i] = code_of (photons (&random, light_of (photo->codes[i]) * PHOTONS) / PHOTONS);
  return noisy;
}

static gdouble
psnr (const Photo *photo, const Photo *clean)
{
  gdouble sum = 0;

  for (gsize i = 0; i < 4 * pixels_of (photo); i++)
    if (i % 4 < 3)
      sum += (photo->codes[i] - clean->codes[i]) * (photo->codes[i] - clean->codes[i]);
  return 10 * log10 (255 * 255 * 3.0 * pixels_of (photo) / sum);
}

static gboolean
loses_noise (const Photo *clean, const gchar *path, TesseraOpenclMode mode)
{
  Photo         noisy = with_shot_noise (clean), smooth;
  const gdouble before = psnr (&noisy, clean);
  gdouble       after;
  gchar        *name, *what;
  gboolean      good;

  tessera_set_opencl_mode (mode);
  smooth = filtered (&noisy, "tessera:bilateral-filter", NULL, 0);
  after = psnr (&smooth, clean);
  name = g_path_get_basename (path);
  what = g_strdup_printf ("noise, %s: PSNR %.2f dB, behind tessera:bilateral-filter %.2f dB", name, before, after);
  good = verdict (after >= before + LEAST_GAIN, what, mode);
  g_free (name);
  g_free (what);
  g_free (noisy.codes);
  g_free (smooth.codes);
  return good;
}

/* --------------------------------------------------------------- cut-out -- */

/* 1 inside, 0 outside, and a soft edge of 2 pixels. */
static gdouble
shape (gdouble x, gdouble y)
{
  const gdouble dx = (x - CENTRE_X) / RADIUS_X, dy = (y - CENTRE_Y) / RADIUS_Y;

  return CLAMP ((1 - sqrt (dx * dx + dy * dy)) * RADIUS_Y / 2, 0, 1);
}

/* Red is stored where nothing is to be seen. */
static Photo
cut_out (const Photo *photo)
{
  Photo part = { photo->box, g_memdup2 (photo->codes, 4 * pixels_of (photo)) };

  for (gsize i = 0; i < pixels_of (photo); i++)
    {
      guint8       *pixel = part.codes + 4 * i;
      const gdouble alpha = shape (i % photo->box.width, i / photo->box.width);

      pixel[3] = (guint8) floor (255 * alpha + 0.5);
      if (pixel[3] == 0)
        pixel[0] = 255, pixel[1] = pixel[2] = 0;
    }
  return part;
}

/* The largest difference among the pixels that are opaque in the cut-out. */
static gint
difference (const Photo *photo, const Photo *part, const gchar *operation, const gchar *property, gdouble amount)
{
  Photo whole = filtered (photo, operation, property, amount), cut = filtered (part, operation, property, amount);
  gint  worst = 0;

  for (gsize i = 0; i < 4 * pixels_of (photo); i++)
    if (part->codes[i | 3] == 255)
      worst = MAX (worst, ABS (whole.codes[i] - cut.codes[i]));
  g_free (whole.codes);
  g_free (cut.codes);
  return worst;
}

static gboolean
keeps_cut_out (const Photo *photo, TesseraOpenclMode mode)
{
  Photo    part = cut_out (photo);
  gboolean good = TRUE;

  for (gint i = 1; i <= 2; i++)
    {
      const gdouble amount = 0.5 * i;
      gint          ours, theirs;
      gchar        *what;

      tessera_set_opencl_mode (mode);
      ours = difference (photo, &part, "tessera:unsharp-mask", "amount", amount);
      theirs = difference (photo, &part, "gegl:unsharp-mask", "scale", amount);
      what = g_strdup_printf ("cut-out, amount %g: tessera:unsharp-mask %d of 255 off, gegl:unsharp-mask %d", amount,
                              ours, theirs);
      good = verdict (ours <= 1, what, mode) && good;
      g_free (what);
    }
  g_free (part.codes);
  return good;
}

int
main (int argc, char **argv)
{
  static const TesseraOpenclMode modes[] = { TESSERA_OPENCL_OFF, TESSERA_OPENCL_FORCE };
  gint                           passed = 0, failed = 0;

  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  if (argc < 2 || ! gegl_has_operation ("tessera:bilateral-filter") || ! gegl_has_operation ("tessera:unsharp-mask")
      || ! tessera_device_name ())
    {
      g_printerr ("photographs: a photograph, an operation or the OpenCL device is missing\n");
      return 1;
    }
  for (gint i = 1; i < argc; i++)
    {
      Photo photo = load (argv[i]);

      if (i > 1)
        darken (&photo, DUSK);
      for (guint k = 0; k < G_N_ELEMENTS (modes); k++)
        {
          loses_noise (&photo, argv[i], modes[k]) ? passed++ : failed++;
          if (i == 1)
            keeps_cut_out (&photo, modes[k]) ? passed++ : failed++;
        }
      g_free (photo.codes);
    }
  gegl_exit ();
  g_print ("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
