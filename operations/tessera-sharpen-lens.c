/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sharpen-lens: takes back a Gaussian blur G of known size.  L = max (Y, 0) + 2^-10, Y the luminance of linear light;
 * x = y = L, then N times, with a the weight of a pixel (alpha, 1 at most) and G' (z) = G (a z) / G (a):
 *
 *   c = G' (L / G' (y)),  x' = y max (1.5 c - 0.5, 0.25),  y' = max (1.5 x' - 0.5 x, 0.5 x')
 *
 * d = min (x / L, 16) - 1, v = d^2 L / 4; R, G, B times 1 + d v / (v + protect^2).
 * G: taps exp (-i^2 / 2 sigma^2), |i| <= ceil (2.5 sigma), along y, then along x.
 *
 * W. H. Richardson, Bayesian-based iterative method of image restoration, JOSA 62(1), 1972; L. B. Lucy, Astronomical Journal 79, 1974;
 * D. S. C. Biggs, M. Andrews, Acceleration of iterative image restoration algorithms, Applied Optics 36(8), 1997.
 *
 * Deviations: steps are half as long again, and extrapolated by a fixed half of the last change, not by a factor of the whole image:
 * so a pixel depends on 2 N ceil (2.5 sigma) pixels around it only.  Changes that are small beside sqrt L are taken for noise.
 *
 * Outside the image there is nothing (weight 0).  A pixel of less alpha than 2^-16, and one whose luminance is NaN, infinite or beyond
 * 2^64, has no weight and stays as it is.  Alpha is kept.  Nothing is clipped.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (radius, _("Radius"), 1.0)
    description (_("Size of the blur that is taken back, in pixels: about 0.7 for a good lens, 1 to 2 for a soft one or a picture that was "
                   "enlarged, more for one out of focus. Too large a radius makes rims at edges. It is the standard deviation of the blur"))
    value_range (0.3, 10.0)
    ui_slider   (0.3, 5.0, 2.0, 0.1, 0.5, 2)
    ui_meta     ("unit", "pixel-distance")

property_int (iterations, _("Iterations"), 8)
    description (_("How often the blur is taken back: 3 is mild, 8 is usual, 12 is strong and brings out noise; 0 leaves the image as it is"))
    value_range (0, 12)
    ui_steps    (1, 4)

property_double (protect, _("Protect from noise"), 0.006)
    description (_("Changes smaller than about this are taken for noise and are not made, where black to white is 1; 0 sharpens noise too"))
    value_range (0.0, 0.1)
    ui_slider   (0.0, 0.1, 2.0, 0.001, 0.01, 3)

#else

#define GEGL_OP_NAME     tessera_sharpen_lens
#define GEGL_OP_C_SOURCE tessera-sharpen-lens.c

#include "tessera-op.h"
#include "roll.h"
#include "tap-sum.h"

#include "../opencl/math/tessera-sharpen-lens.h"
#include "sharpen-lens.cl.h"

#include <math.h>

#define MOST_RADIUS   25                /* of the taps */
#define MOST_ROUNDS   12
#define LEAST_PROTECT 0x1p-100f         /* v / v is 1 for any change */
#define PLANE_RUN     16                /* floats: planes of a row begin at multiples */
#define SPARE         64                /* floats behind a row, which tap_sum may write */

typedef struct
{
  gint   radius, rounds;
  gint   offsets[2 * MOST_RADIUS + 1];
  gfloat taps[2 * MOST_RADIUS + 1];
  gfloat protect;                       /* squared */
  gfloat weights[3];                    /* of the luminance */
} Lens;

/* --------------------------------------------------------------- C rows --
 *
 * Planes of a row between passes.  The first is what the next pass blurs. */
enum { SUMS, GUESSES, RESULTS, LIGHTS, WEIGHTS, SHARES, PLANES };

typedef struct
{
  gfloat *plane[PLANES];
} Row;

static Row
row_at (gfloat *first, gint width, gint x)
{
  const gint whole = (width + PLANE_RUN - 1) / PLANE_RUN * PLANE_RUN;
  Row        row;

  for (gint p = 0; p < PLANES; p++)
    row.plane[p] = first + p * whole + x;
  return row;
}

TESSERA_CLONES static void
prepare_row (const gfloat *restrict pixels, const gfloat luminance[3], gint n, const Row *row)
{
  gfloat *restrict sums = row->plane[SUMS], *restrict guesses = row->plane[GUESSES], *restrict results = row->plane[RESULTS];
  gfloat *restrict lights = row->plane[LIGHTS], *restrict weights = row->plane[WEIGHTS];
  const gfloat r = luminance[0], g = luminance[1], b = luminance[2];

  for (gint i = 0; i < n; i++)
    {
      const gfloat here = (r * pixels[4 * i] + g * pixels[4 * i + 1]) + b * pixels[4 * i + 2];
      const gfloat weight = lens_weight (here, pixels[4 * i + 3]), light = lens_light (here, weight);

      weights[i] = weight;
      lights[i] = guesses[i] = results[i] = light;
      sums[i] = weight * light;
    }
}

TESSERA_CLONES static void
share_row (const gfloat *restrict covers, const gfloat *restrict weights, gint n, gfloat *restrict shares)
{
  for (gint i = 0; i < n; i++)
    shares[i] = lens_share (covers[i], weights[i]);
}

TESSERA_CLONES static void
divide_row (const gfloat *restrict blurred, const gfloat *restrict lights, const gfloat *restrict weights, const gfloat *restrict shares,
            gint n, gfloat *restrict ratios)
{
  for (gint i = 0; i < n; i++)
    ratios[i] = lens_ratio (lights[i], blurred[i] * shares[i], weights[i]);
}

TESSERA_CLONES static void
correct_row (const gfloat *restrict blurred, const Row *in, gint n, const Row *out)
{
  const gfloat *restrict guesses = in->plane[GUESSES], *restrict results = in->plane[RESULTS];
  const gfloat *restrict weights = in->plane[WEIGHTS], *restrict shares = in->plane[SHARES];
  gfloat *restrict sums_to = out->plane[SUMS], *restrict guesses_to = out->plane[GUESSES], *restrict results_to = out->plane[RESULTS];

  for (gint i = 0; i < n; i++)
    {
      const gfloat now = lens_corrected (guesses[i], blurred[i] * shares[i]), ahead = lens_ahead (now, results[i]);

      results_to[i] = now;
      guesses_to[i] = ahead;
      sums_to[i] = weights[i] * ahead;
    }
}

/* In place of the last correction. */
TESSERA_CLONES static void
find_factors (gfloat *restrict blurred, const Row *in, gint n, gfloat protect)
{
  const gfloat *restrict guesses = in->plane[GUESSES], *restrict lights = in->plane[LIGHTS], *restrict shares = in->plane[SHARES];

  for (gint i = 0; i < n; i++)
    blurred[i] = lens_factor (lens_corrected (guesses[i], blurred[i] * shares[i]), lights[i], protect);
}

TESSERA_CLONES static void
multiply_row (const gfloat *restrict in, const gfloat *restrict factors, const gfloat *restrict weights, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < 4; c++)
      out[4 * i + c] = c < 3 && weights[i] > 0.0f ? in[4 * i + c] * factors[i] : in[4 * i + c];
}

/* -------------------------------------------------------------- C passes -- */

/* A plane of a block's rows, summed along y; `along` is for the sums of those along x. */
typedef struct
{
  gfloat *columns;
  gsize   stride;
  TapList along;
} Columns;

static void
columns_clear (Columns *columns)
{
  gegl_scratch_free (columns->columns);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Columns, columns_clear)

/* `width` floats, and room for what the sums' last vectors write. */
static gsize
with_spare (gint width)
{
  return (width + 2 * SPARE - 1) / SPARE * SPARE;
}

static Columns
sum_columns (const RollBlock *block, const Lens *lens, gint plane)
{
  const gint    radius = lens->radius, n = 2 * radius + 1, height = block->roi.height, around = block->roi.width + 2 * radius;
  const gsize   stride = with_spare (around);
  const Row     in = row_at (block->in - PLANES * radius, around, 0);
  const TapList down = { n, n, (gint) block->in_stride, lens->offsets, lens->taps, FALSE };
  const Columns columns = { gegl_scratch_new (gfloat, stride * height), stride, { n, n, 1, lens->offsets, lens->taps, FALSE } };

  tap_sum_rows (in.plane[plane], &down, columns.columns, stride, (around + 3) / 4, height);
  return columns;
}

static void
blur_row (const Columns *columns, gint y, gint radius, gint width, gfloat *sums)
{
  tap_sum (columns->columns + y * columns->stride + radius, &columns->along, sums, (width + 3) / 4);
}

static Row
input_row (const RollBlock *block, gint radius, gint y)
{
  return row_at (block->in + y * block->in_stride - PLANES * radius, block->roi.width + 2 * radius, radius);
}

static Row
output_row (const RollBlock *block, gint y)
{
  return row_at (block->out + y * block->out_stride, block->roi.width, 0);
}

static void
copy_planes (const Row *in, const Row *out, gint first, gint n)
{
  for (gint p = first; p <= SHARES; p++)
    memcpy (out->plane[p], in->plane[p], n * sizeof (gfloat));
}

static void
prepare (const RollBlock *block, gconstpointer data)
{
  const Lens *lens = data;

  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row out = output_row (block, y);

      prepare_row (block->in + y * block->in_stride, lens->weights, block->roi.width, &out);
    }
}

static void
find_shares (const RollBlock *block, const Lens *lens)
{
  const gint           width = block->roi.width;
  g_auto (Columns)     columns = sum_columns (block, lens, WEIGHTS);
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, with_spare (width));

  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row out = output_row (block, y);

      blur_row (&columns, y, lens->radius, width, sums);
      share_row (sums, out.plane[WEIGHTS], width, out.plane[SHARES]);
    }
}

/* The ratios of one round, from the guesses.  Before the first, no shares are there. */
static void
divide_of (const RollBlock *block, const Lens *lens, gboolean is_first)
{
  const gint           width = block->roi.width;
  g_auto (Columns)     columns = sum_columns (block, lens, SUMS);
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, with_spare (width));

  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row in = input_row (block, lens->radius, y), out = output_row (block, y);

      copy_planes (&in, &out, GUESSES, width);
    }
  if (is_first)
    find_shares (block, lens);
  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row out = output_row (block, y);

      blur_row (&columns, y, lens->radius, width, sums);
      divide_row (sums, out.plane[LIGHTS], out.plane[WEIGHTS], out.plane[SHARES], width, out.plane[SUMS]);
    }
}

static void
divide_first (const RollBlock *block, gconstpointer data)
{
  divide_of (block, data, TRUE);
}

static void
divide (const RollBlock *block, gconstpointer data)
{
  divide_of (block, data, FALSE);
}

static void
correct (const RollBlock *block, gconstpointer data)
{
  const Lens          *lens = data;
  const gint           width = block->roi.width;
  g_auto (Columns)     columns = sum_columns (block, lens, SUMS);
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, with_spare (width));

  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row in = input_row (block, lens->radius, y), out = output_row (block, y);

      copy_planes (&in, &out, LIGHTS, width);
      blur_row (&columns, y, lens->radius, width, sums);
      correct_row (sums, &in, width, &out);
    }
}

static void
finish (const RollBlock *block, gconstpointer data)
{
  const Lens          *lens = data;
  const gint           width = block->roi.width;
  g_auto (Columns)     columns = sum_columns (block, lens, SUMS);
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, with_spare (width));

  for (gint y = 0; y < block->roi.height; y++)
    {
      const Row in = input_row (block, lens->radius, y);

      blur_row (&columns, y, lens->radius, width, sums);
      find_factors (sums, &in, width, lens->protect);
      multiply_row (block->input + y * block->input_stride, sums, in.plane[WEIGHTS], width, block->out + y * block->out_stride);
    }
}

static void
lens_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Lens       *lens = request->params;
  const TesseraHalo around = { lens->radius, lens->radius, lens->radius, lens->radius };
  Roll              roll = { .n = 2, .sees_input = TRUE,
                             .passes = { { .floats = 4, .make = roll_read, .data = request }, { { 0 }, PLANES, prepare, lens } } };

  for (gint k = 1; k <= lens->rounds; k++)
    {
      roll.passes[roll.n++] = (RollPass) { around, PLANES, k == 1 ? divide_first : divide, lens };
      roll.passes[roll.n++] = k < lens->rounds ? (RollPass) { around, PLANES, correct, lens } : (RollPass) { around, 4, finish, lens };
    }
  roll_area (&roll, request, area);
}

/* ---------------------------------------------------------------- device -- */

/* Planes of the band's input.  Each launch makes `edge` columns and rows less on each side. */
typedef struct
{
  TesseraBand   *band;
  const Lens    *lens;
  gint           edge;
  TesseraMemory *columns, *sums, *guesses, *results, *lights, *weights, *shares;
} LensBand;

#define DEVICE_PLANES 7
#define TAP_ARGS(lens) TABLE_ARG ((lens)->taps, (2 * (lens)->radius + 1) * sizeof (gfloat)), ARG ((lens)->radius)
#define PART_ARGS(all) ARG ((all)->band->input.width), ARG ((all)->edge), ARG ((all)->edge), ARG ((all)->band->input.width - 2 * (all)->edge), \
                       ARG ((all)->band->input.height - 2 * (all)->edge)
#define PART_SIZE(all) { (all)->band->input.width - 2 * (all)->edge, (all)->band->input.height - 2 * (all)->edge }

static gsize
lens_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  return tessera_pixels_around (request, width, height) * DEVICE_PLANES * sizeof (gfloat) + sizeof (Lens);
}

static void
prepare_band (LensBand *all)
{
  TesseraBand       *band = all->band;
  TesseraMemory    **planes[] = { &all->columns, &all->sums, &all->guesses, &all->results, &all->lights, &all->weights, &all->shares };
  const TesseraImage *input = &band->input;
  const gfloat      *luminance = all->lens->weights;

  for (guint i = 0; i < G_N_ELEMENTS (planes); i++)
    tessera_scratch (band, (gsize) input->width * input->height * sizeof (gfloat), planes[i]);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "lens_prepare", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), FLOAT4_ARG (luminance[0], luminance[1], luminance[2], 0.0f), ARG (all->weights),
              ARG (all->lights), ARG (all->sums), ARG (input->width), ARG (input->width), ARG (input->height) }
  });
}

/* The sums along y of a plane, for the columns that the sums along x of the next launch need. */
static void
columns_band (LensBand *all, TesseraMemory *plane)
{
  const gint radius = all->lens->radius, left = all->edge - radius;
  const gint width = all->band->input.width - 2 * left, height = all->band->input.height - 2 * all->edge;

  tessera_launch (all->band, &(TesseraLaunch) {
    .kernel = "lens_columns", .size = { width, height }, .group = { 32, 4 }, .cost = 2 * radius + 1,
    .args = { ARG (plane), ARG (all->columns), TAP_ARGS (all->lens), ARG (all->band->input.width), ARG (left), ARG (all->edge), ARG (width),
              ARG (height) }
  });
}

static void
divide_band (LensBand *all, gboolean is_first)
{
  const gint cost = 2 * all->lens->radius + 1;

  all->edge += all->lens->radius;
  if (is_first)
    {
      columns_band (all, all->weights);
      tessera_launch (all->band, &(TesseraLaunch) {
        .kernel = "lens_cover", .size = PART_SIZE (all), .group = { 32, 4 }, .cost = cost,
        .args = { ARG (all->columns), ARG (all->weights), ARG (all->shares), TAP_ARGS (all->lens), PART_ARGS (all) }
      });
    }
  columns_band (all, all->sums);
  tessera_launch (all->band, &(TesseraLaunch) {
    .kernel = "lens_divide", .size = PART_SIZE (all), .group = { 32, 4 }, .cost = cost,
    .args = { ARG (all->columns), ARG (all->shares), ARG (all->weights), ARG (all->lights), ARG (all->sums), TAP_ARGS (all->lens),
              PART_ARGS (all) }
  });
}

/* Before the first, the lights are the guesses and the results. */
static void
correct_band (LensBand *all, gboolean is_first)
{
  all->edge += all->lens->radius;
  columns_band (all, all->sums);
  tessera_launch (all->band, &(TesseraLaunch) {
    .kernel = "lens_correct", .size = PART_SIZE (all), .group = { 32, 4 }, .cost = 2 * all->lens->radius + 1,
    .args = { ARG (all->columns), ARG (all->shares), ARG (all->weights), ARG (is_first ? all->lights : all->guesses),
              ARG (is_first ? all->lights : all->results), ARG (all->guesses), ARG (all->results), ARG (all->sums), TAP_ARGS (all->lens),
              PART_ARGS (all) }
  });
}

static gint
lens_device (TesseraBand *band)
{
  const Lens *lens = band->request->params;
  LensBand    all = { .band = band, .lens = lens };

  prepare_band (&all);
  for (gint k = 1; k <= lens->rounds; k++)
    {
      divide_band (&all, k == 1);
      if (k < lens->rounds)
        correct_band (&all, k == 1);
    }
  all.edge += lens->radius;
  columns_band (&all, all.sums);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "lens_finish", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 2 * lens->radius + 1,
    .args = { ARG (all.columns), ARG (all.shares), ARG (all.weights), ARG (all.lights), ARG (lens->rounds == 1 ? all.lights : all.guesses),
              TAP_ARGS (lens), ARG (band->input.width), ARG (lens->protect), INPUT_ARGS (band), OUTPUT_ARGS (band) }
  });
}

static const TesseraFilter sharpen_lens = {
  .name = "sharpen-lens", .source = tessera_sharpen_lens_cl, .area = lens_area, .scratch_bytes = lens_scratch_bytes, .device = lens_device
};

/* ------------------------------------------------------------- operation -- */

static gint
taps_radius (gdouble sigma)
{
  return MAX (1, (gint) ceil (2.5 * sigma));
}

static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gint reach = 2 * o->iterations * taps_radius (o->radius);

  return (TesseraHalo) { reach, reach, reach, reach };
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->iterations == 0;
}

static void
find_taps (Lens *lens, gdouble sigma)
{
  gdouble values[2 * MOST_RADIUS + 1], sum = 0.0;

  lens->radius = taps_radius (sigma);
  for (gint i = 0; i <= 2 * lens->radius; i++)
    {
      const gdouble far = (i - lens->radius) / sigma;

      lens->offsets[i] = i - lens->radius;
      values[i] = tessera_exp (-0.5 * far * far);
      sum += values[i];
    }
  for (gint i = 0; i <= 2 * lens->radius; i++)
    lens->taps[i] = (gfloat) (values[i] / sum);
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  Lens lens = { .rounds = o->iterations, .protect = MAX ((gfloat) (o->protect * o->protect), LEAST_PROTECT) };

  find_taps (&lens, o->radius);
  tessera_luminance (request->input_format, lens.weights);
  request->border = TESSERA_BORDER_NONE;        /* nothing is there */
  request->params = &lens;
  request->cost_class = MIN (255, lens.rounds * lens.radius);
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:sharpen-lens", .title = _("Sharpen Lens Blur"), .categories = "enhance:sharpen",
    .description = _("Takes back the blur of a lens, of a scan or of enlarging: deblur, deconvolution, focus, sharpen "
                     "(Richardson-Lucy)"),
    .reference = "D. S. C. Biggs, M. Andrews, Acceleration of iterative image restoration algorithms, Applied Optics 36(8), 1997",
    .menu_path = "<Image>/Filters/Enhance", .menu_label = _("Sharpen Lens Blur (Tessera)..."),
    .filter = &sharpen_lens, .working = "RGBA float", .keeps_grey = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE,
    .run = run
  });
}

#endif
