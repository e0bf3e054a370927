/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:template, the one to copy for a new filter: state
 * properties, format, geometry, reach, tolerances with their reason, and which
 * laws hold; the driver draws the cases.  TEMPLATE: all of it follows from the definition; check.h explains each member. */
#include "check.h"

enum { STRENGTH };

static const gchar *
working (const gdouble *values G_GNUC_UNUSED)
{
  return "RaGaBaA float";
}

static void
halo (const gdouble *values G_GNUC_UNUSED, gint *x, gint *y)
{
  *x = *y = 1;
}

static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 9;
}

static guint
laws (const gdouble *values G_GNUC_UNUSED)
{
  return (1u << CHECK_LAW_CONSTANT) | (1u << CHECK_LAW_IMPULSE) | (1u << CHECK_LAW_MIRROR_X)
         | (1u << CHECK_LAW_MIRROR_Y);
}

static void
identity (gdouble *values)
{
  values[STRENGTH] = 0;
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
  .working = working, .halo = halo, .cost = cost, .laws = laws,
  .identity = identity, .reference = reference,
  .to_reference = { 1e-6, "nine products and a mix, 16 roundings of 6e-8 at most" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic within 3x3"
};
