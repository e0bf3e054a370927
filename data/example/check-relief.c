/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The harness for example:relief: C, OpenCL and a reference in double on random input.  tessera-check.h explains each member.
 */
#include <tessera-check.h>

#include <float.h>
#include <math.h>

/* The definition once more, by somebody who has not seen the kernel. */
static void
reference_component (const RefImage *image, double strength, int x, int y, int c, double *out, double *scale, double *slack)
{
  const double before = ref_pixel (image, x - 1, y - 1, REF_CLAMP)[c], after = ref_pixel (image, x + 1, y + 1, REF_CLAMP)[c];
  const double largest = (1 + fabs (strength)) * (fabs (before) + fabs (after)), grey = 0.2140 * ref_pixel (image, x, y, REF_CLAMP)[3];

  *out = grey + strength * (after - before);
  *scale = isfinite (largest) ? fabs (grey) + largest : 0;
  *slack = isfinite (largest) ? image->error * largest : 0;
  if (isfinite (largest) && largest > FLT_MAX / 4)      /* floats overflow */
    *slack = INFINITY;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  for (int i = 0; i < 4 * result->width * result->height; i++)
    {
      const int x = result->x + i / 4 % result->width, y = result->y + i / 4 / result->width;

      if (i % 4 < 3)
        reference_component (args->image, args->values[0], x, y, i % 4, result->out + i, result->scale + i, result->slack + i);
      else
        result->out[i] = result->scale[i] = ref_pixel (args->image, x, y, REF_CLAMP)[3];
    }
  if (args->straight)
    check_excuse_lost_colour (result);
}

/* Any plane becomes grey. */
static gboolean
changes_planes (const gdouble *values)
{
  (void) values;
  return TRUE;
}

static const CheckFilter relief =
{
  .name = "relief",
  .operation = "example:relief",
  .n_properties = 1,
  .properties = { { "strength", CHECK_DOUBLE, CHECK_UNIFORM, -10, 10, 1, 0.125, NULL } },
  .format = "RaGaBaA float", .reach = 1,
  .changes_planes = changes_planes, .reference = reference,
  .to_reference = { 1e-6, "a difference, a product and a sum: 3 roundings of 6e-8" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic"
};

int
main (int argc, char **argv)
{
  static const CheckFilter *const filters[] = { &relief };

  return check_main (argc, argv, filters, G_N_ELEMENTS (filters));
}
