/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The properties that say which pixels of a frame are bad, of each operation that takes frames as counts.
 * No guard: gegl-op.h reads it several times.
 */
property_double (saturation, _("Saturation level"), 0.0)
    description (_("Pixels at or above it are left out, in counts of 0 to 65535: less leaves out more of bright stars; 0 takes the "
                   "largest number of pictures with 8 or 16 bits, and none for others"))
    value_range (0.0, 1.0e9)
    ui_range    (0.0, 65535.0)
    ui_steps    (100.0, 1000.0)
    ui_digits   (0)

property_boolean (reject_hot, _("Leave out hot pixels"), TRUE)
    description (_("Leave out single pixels that are far brighter than what is around them: they stand still when the sky moves"))
