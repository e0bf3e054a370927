/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plans of requests that nobody makes, without a device: plan.c is compiled in.
 */
#include <string.h>

#include "../../opencl/engine/plan.h"
#include "verdict.h"

#define MIB ((guint64) 1 << 20)
#define MOST_HALVINGS 4         /* plan.c's */

/* Beside the images, which are of four floats a pixel. */
static gsize
scratch_bytes (const TesseraRequest *request G_GNUC_UNUSED, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  return 1000;
}

static const TesseraFilter filter = { .name = "made-up", .scratch_bytes = scratch_bytes };
static const TesseraFilter whole = { .name = "made-up", .scratch_bytes = scratch_bytes, .whole = TRUE };

typedef struct
{
  TesseraRequest   request;
  TesseraPlanBasis basis;
} Case;

/* Four floats a pixel up and down, tiles of 128 x 64 from the origin of coordinates on. */
static void
draw (Case *c, gint width, gint height, gint halo)
{
  *c = (Case) { .request = { .filter = &filter, .input_format = babl_format ("RGBA float"),
                             .output_format = babl_format ("RGBA float"), .roi = { -3, 5, width, height }, .halo = { halo, halo, halo, halo } },
                .basis = { .input = { .bytes = 16 }, .output = { .bytes = 16 }, .tile_height = 64, .tile_pixels = 1 << 17,
                           .budget = 35840 * MIB, .most_pinned = 2048 * MIB } };
  c->basis.request = &c->request;
}

static void
give_tiles (Case *c)
{
  TesseraTileGrid *grid = &c->basis.grid;

  *grid = tessera_tile_grid (&c->request.roi, 128, 64, 0, 0, 16);
  grid->whole = tessera_tiles_full (grid, &c->request.roi, &(GeglRectangle) { -1000000, -1000000, 2000000, 2000000 });
  grid->ours = (GeglRectangle) { 0, 0, grid->across, grid->down };
}

/* ------------------------------------------------------------ properties -- */

static gboolean
fits (const Case *c, const TesseraPlan *plan, gint rows, guint n)
{
  const TesseraRequest *r = &c->request;
  const guint64 around = ((guint64) r->roi.width + r->halo.left + r->halo.right)
                         * ((guint64) rows + r->halo.top + r->halo.bottom);
  guint64       bytes = around * 16 + scratch_bytes (r, r->roi.width, rows)
                        + (c->basis.survey ? c->basis.survey->bytes : (guint64) r->roi.width * rows * 16);

  if (plan->in_tiles)
    bytes += (guint64) c->basis.grid.across * c->basis.grid.bytes * ((rows + 63) / 64 + 1);
  return around < G_MAXINT32 / 4 && bytes <= c->basis.budget / n;
}

static gboolean
pins (const Case *c, const TesseraPlan *plan, gint rows, guint n)
{
  const TesseraRequest *r = &c->request;
  const guint64 up = ((guint64) r->roi.width + r->halo.left + r->halo.right)
                     * ((guint64) rows + r->halo.top + r->halo.bottom) * 16;

  return up + (plan->in_tiles ? 0 : (guint64) r->roi.width * rows * 16) <= c->basis.most_pinned / n;
}

/* What holds for any plan; NULL, or what does not. */
static const gchar *
fault_of (const Case *c, const TesseraPlan *plan)
{
  const GeglRectangle *roi = &c->request.roi;

  if (plan->least < 1 || plan->least > roi->height || plan->ahead < 1 || plan->ahead > BANDS_AHEAD || plan->slices < 1
      || plan->slices > MOST_SLICES || plan->result_slices < 1 || plan->result_slices > plan->slices)
    return "a number out of its range";
  if (plan->rows == 0)
    return c->basis.rows == 0 && fits (c, plan, plan->least, 1) && (! c->request.filter->whole || pins (c, plan, roi->height, 1))
           ? "a band that fits is not planned" : NULL;
  if (plan->rows < 0 || plan->rows > roi->height)
    return "a band higher than the request";
  if (c->request.filter->whole && plan->rows != roi->height)
    return "what cannot be cut is cut";
  if (! fits (c, plan, plan->rows, plan->ahead))
    return "the bands do not fit the device";
  if (plan->ahead > 1 && ! pins (c, plan, plan->rows, plan->ahead))
    return "the bands do not fit the host";
  if (plan->slices > 1 && (plan->rows < roi->height || c->basis.survey))
    return "slices of a band that is not alone";
  if (plan->one_lane != (plan->rows >= roi->height))
    return "one lane for several bands, or several for one";
  return plan->in_tiles && plan->rows < MIN (64, roi->height) ? "bands lower than their tiles" : NULL;
}

/* The bands are the request: none empty, none too high, all end where tiles do if they can; NULL, or what is not so. */
static const gchar *
fault_of_bands (const Case *c, const TesseraPlan *plan)
{
  const GeglRectangle *roi = &c->request.roi;
  gint                 y = roi->y, n = 0;

  while (y < roi->y + roi->height)
    {
      const gint rows = tessera_plan_band (plan, roi, y), end = y + rows;

      if (rows < 1 || rows > plan->rows || end > roi->y + roi->height)
        return "an empty band, or one too high";
      if (end < roi->y + roi->height && tessera_tile_start (end, 64, 0) != end && tessera_tile_start (end, 64, 0) > y)
        return "a band ends within a tile";
      y = end;
      n++;
    }
  return n > 2 * (roi->height / plan->rows) + roi->height / 64 + 3 ? "far too many bands" : NULL;
}

/* Less of something, nothing more of anything. */
static gboolean
is_smaller (const TesseraPlan *plan, const TesseraPlan *than)
{
  const gboolean none_more = plan->rows <= than->rows && plan->ahead <= than->ahead && plan->exact >= than->exact
                             && plan->in_tiles <= than->in_tiles && plan->slices <= than->slices;

  return none_more && (plan->rows < than->rows || plan->ahead < than->ahead || plan->exact > than->exact);
}

/* Down to where there is no smaller plan. */
static const gchar *
fault_of_ladder (const Case *c, TesseraPlan plan)
{
  gint steps = 0;

  for (TesseraPlan last = plan; tessera_plan_smaller (&plan); last = plan)
    {
      const gchar *wrong = fault_of_bands (c, &plan);

      if (wrong)
        return wrong;
      if (! is_smaller (&plan, &last))
        return "a step down that is none";
      if (plan.slices > 1 && plan.rows < c->request.roi.height)
        return "slices of a band that is not alone any more";
      if (plan.rows < MIN (last.rows, plan.least) || ++steps > 6)
        return "the ladder goes too far down";
    }
  if (plan.rows > plan.least && plan.halvings < MOST_HALVINGS)
    return "bands could be lower, and are not";
  return plan.exact && plan.ahead == 1 && ! plan.in_tiles && ! tessera_plan_smaller (&plan) ? NULL : "the ladder ends too early";
}

static gboolean
look_at (const Case *c)
{
  const TesseraPlan plan = tessera_plan (&c->basis), again = tessera_plan (&c->basis);
  const gchar      *wrong = fault_of (c, &plan);

  if (! wrong && memcmp (&plan, &again, sizeof plan) != 0)
    wrong = "the same question, another answer";
  if (! wrong && plan.rows > 0)
    wrong = fault_of_bands (c, &plan);
  if (! wrong && plan.rows > 0)
    wrong = fault_of_ladder (c, plan);
  if (wrong)
    g_print ("%s: %d x %d, halo %d, budget %" G_GUINT64_FORMAT ", pinned %" G_GUINT64_FORMAT ", %d rows: %d rows, %u ahead\n",
             wrong, c->request.roi.width, c->request.roi.height, c->request.halo.top, c->basis.budget, c->basis.most_pinned,
             c->basis.rows, plan.rows, plan.ahead);
  return wrong == NULL;
}

/* ----------------------------------------------------------------- cases -- */

static gint
log_uniform (GRand *rand, gint most)
{
  const gint value = (gint) (g_rand_int (rand) >> g_rand_int_range (rand, 1, 32)) % most;

  return MAX (1, value);
}

static void
draw_any (Case *c, GRand *rand)
{
  static const TesseraSurvey survey = { NULL, 1024 };

  const gint width = log_uniform (rand, 40000);
  const gint most = MIN (40000, 200000000 / width) + 1;

  draw (c, width, log_uniform (rand, most), g_rand_int_range (rand, 0, 2) * log_uniform (rand, 5000));
  c->basis.budget >>= g_rand_int_range (rand, 0, 36);
  c->basis.most_pinned >>= g_rand_int_range (rand, 0, 32);
  c->basis.rows = g_rand_int_range (rand, 0, 4) ? 0 : log_uniform (rand, 3000);
  c->basis.tile_pixels = g_rand_boolean (rand) ? 1 << 17 : log_uniform (rand, G_MAXINT);
  if (g_rand_int_range (rand, 0, 6) == 0)
    c->request.filter = &whole;
  if (g_rand_int_range (rand, 0, 6) == 0)
    c->basis.survey = &survey;
  else if (g_rand_boolean (rand))
    give_tiles (c);
}

static void
check_many (void)
{
  GRand *rand = g_rand_new_with_seed (20261122);
  gint   good = 0, planned = 0;
  Case   c;

  for (gint i = 0; i < 20000; i++)
    {
      draw_any (&c, rand);
      good += look_at (&c);
      planned += tessera_plan (&c.basis).rows > 0;
    }
  expect (good == 20000, "20000 plans, their bands and their ladders");
  expect (planned > 5000 && planned < 15000, "some are C's, some are not: %d planned", planned);
  g_rand_free (rand);
}

static TesseraPlan
plan_of (gint width, gint height, gint halo, guint64 budget)
{
  Case c;

  draw (&c, width, height, halo);
  c.basis.budget = budget;
  return tessera_plan (&c.basis);
}

static void
check_sizes (void)
{
  TesseraPlan plan = plan_of (1, 1, 0, 1024 * MIB);

  expect (plan.rows == 1 && plan.one_lane && plan.slices == 1, "one pixel: one band, one lane, one slice");
  plan = plan_of (700, 500, 0, 1024 * MIB);
  expect (plan.rows == 500 && plan.one_lane, "a small picture is one band");
  plan = plan_of (6000, 4000, 10, 35840 * MIB);
  expect (plan.rows == 364 && plan.ahead == 4 && ! plan.one_lane, "24 Mpix in 8 bands, 4 at a time");
  expect (plan_of (6000, 4000, 90, 35840 * MIB).rows == 364, "... and no fewer if the halo is less than half of them");
  expect (plan_of (6000, 4000, 140, 35840 * MIB).rows == 800, "in 5 if it has 280 rows, which are read again for each");
  expect (plan_of (6000, 4000, 340, 35840 * MIB).rows == 1360, "... and at least twice as high as it");
  plan = plan_of (20000, 10000, 10, 35840 * MIB);
  expect (plan.rows == 304 && plan.ahead == 4, "200 Mpix in 33 bands, 4 at a time");
  plan = plan_of (40000, 5000, 80, 35840 * MIB);
  expect (plan.rows == (8 << 20) / 40000, "no band has more than 8 Mpix, unless its halo has");
  plan = plan_of (6000, 4000, 1500, 35840 * MIB);
  expect (plan.rows == 3000, "a band is at least as high as its halo");
}

static void
check_memory (void)
{
  const guint64 least = (guint64) 12000 * 7500 * 16 + 6000 * 1500 * 16 + 1000;
  gint          last = G_MAXINT;
  gboolean      falls = TRUE;
  TesseraPlan   plan;

  for (guint64 budget = 65536 * MIB; budget > 0; budget /= 2)
    {
      plan = plan_of (6000, 4000, 3000, budget);
      falls = falls && plan.rows <= last;
      last = plan.rows;
    }
  expect (falls, "less memory never means higher bands");
  expect (last == 0, "... and in the end none");
  plan = plan_of (6000, 4000, 3000, least);
  expect (plan.rows == 1500 && plan.least == 1500 && plan.ahead == 1, "a quarter of the halo's height is the lowest band");
  expect (plan_of (6000, 4000, 3000, least - 1).rows == 0, "... with a byte less it is C's");
  expect (plan_of (1, 1, 0, 0).rows == 0, "no memory, no band");
}

/* Of bands of 500 or 333 rows, four fit to the byte, or with one less they are half as high. */
static void
check_travel (void)
{
  const guint64 pixels = 2 * 2000 * 500 * 16;   /* up and down, in floats */
  Case          c;

  draw (&c, 2000, 1000, 0);
  c.basis.rows = 500;
  c.basis.budget = 4 * (pixels + 1000);
  expect (tessera_plan (&c.basis).rows == 500 && tessera_plan (&c.basis).ahead == 4, "four bands at a time fit");
  c.basis.budget--;
  expect (tessera_plan (&c.basis).rows == 250, "... or are half as high");
  draw (&c, 2000, 999, 0);
  c.basis.rows = 333;
  c.basis.budget = 2 * pixels;
  expect (tessera_plan (&c.basis).rows == 167, "... half of an odd height is the larger half");
  draw (&c, 2000, 1000, 0);
  c.basis.rows = 500;
  c.basis.input = c.basis.aux = (TesseraTravel) { .converts = TRUE, .bytes = 4, .table_bytes = 512 };
  c.basis.output = (TesseraTravel) { .converts = TRUE, .bytes = 8, .table_bytes = 1024 };
  c.basis.budget = 4 * (pixels + 1000 + pixels / 2 + 2048);
  expect (tessera_plan (&c.basis).rows == 500, "what travels in formats of its own is on the device too");
  c.basis.budget--;
  expect (tessera_plan (&c.basis).rows == 250, "... to the byte");
}

static void
check_tiles (void)
{
  Case        c;
  TesseraPlan plan;

  draw (&c, 6000, 4000, 10);
  give_tiles (&c);
  plan = tessera_plan (&c.basis);
  expect (plan.in_tiles, "a large result goes into tiles");
  tessera_plan_smaller (&plan);
  expect (! plan.in_tiles && plan.ahead == 1, "... until memory is short");
  c.basis.rows = 63;
  expect (! tessera_plan (&c.basis).in_tiles, "bands lower than tiles do without");
  draw (&c, 4, 4000, 0);
  give_tiles (&c);
  expect (! tessera_plan (&c.basis).in_tiles, "so does a strip, whose tiles are far more than the result");
  draw (&c, 6000, 4000, 0);
  c.request.filter = &whole;
  c.basis.tile_pixels = 1 << 17;
  expect (tessera_plan (&c.basis).rows == 4000 && tessera_plan (&c.basis).slices == 8, "what cannot be cut is read in slices");
  c.basis.most_pinned = 6000 * 4000 * 32 - 1;
  expect (tessera_plan (&c.basis).rows == 0, "... and is C's where the host cannot pin it");
}

static void
check_answers (void)
{
  static const TesseraFilter answering = { .name = "made-up", .scratch_bytes = scratch_bytes, .whole = TRUE };

  Case          c;
  TesseraAnswer answer = { NULL, 0 };

  draw (&c, 3648, 2736, 0);
  c.request.filter = &answering;
  c.request.answer = &answer;
  expect (tessera_plan (&c.basis).slices == 8, "what an answer is about is read in slices");
}

/* A part of what cannot be cut is no tiny request. */
static void
check_work (void)
{
  static const TesseraFilter plain = { .name = "made-up" };

  TesseraRequest request = { .filter = &whole, .roi = { 0, 0, 1, 1 }, .halo = { 0, 0, 511, 255 } };

  expect (tessera_request_work (&request) == 512 * 256, "the work of what cannot be cut is that of all pixels that it is about");
  request.filter = &plain;
  expect (tessera_request_work (&request) == 1, "the work of another request is that of its result");
}

/* Launches for a small GPU, and for one that does not tell, or lies. */
static void
check_reads (void)
{
  const gdouble small = tessera_plan_reads (16);

  expect (small == 2e9 && tessera_plan_reads (0) == small && tessera_plan_reads (44) == small, "a small GPU computes for a short while");
  expect (tessera_plan_reads (132) == 3 * small && tessera_plan_reads (66) == 1.5 * small, "one with more processors has more to do");
  expect (tessera_plan_reads (G_MAXUINT) == 4 * small, "a number of processors that cannot be makes no endless launch");
}

int
main (void)
{
  babl_init ();
  check_sizes ();
  check_memory ();
  check_travel ();
  check_tiles ();
  check_many ();
  check_answers ();
  check_work ();
  check_reads ();
  return expect_told ();
}
