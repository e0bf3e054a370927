/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:template, the one to copy for a new filter: state
 * properties, format, geometry, reach, tolerances with their reason, and which
 * laws hold; the driver draws the cases.  TEMPLATE: all of it follows from the definition; check.h explains each member. */
#include "check.h"

enum { STRENGTH };

static const gchar *const neutral[] = { "strength=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[STRENGTH] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_template (args->image, args->values[STRENGTH], result);
  if (args->straight)
    check_excuse_lost_colour (result);
}

const CheckFilter check_template =
{
  .name = "template",
  .operation = "tessera:template",
  .n_properties = 1,
  .properties = { { "strength", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 1, 0.125, NULL } },
  .format = "RaGaBaA float", .reach = 1, .holds = CHECK_BLUR_LAWS,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1e-6, "nine products and a mix, 16 roundings of 6e-8 at most" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic within 3x3"
};
