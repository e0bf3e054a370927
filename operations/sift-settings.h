/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The properties that say which points are found, of each operation that looks for them; and these as SiftSettings.
 * No guard: gegl-op.h reads it several times.
 */
property_int (octaves, _("Octaves"), 0)
    description (_("How often the picture is halved to look for larger points; 0: as often as it can be"))
    value_range (0, 16)

property_int (intervals, _("Sizes per octave"), 3)
    description (_("How finely sizes are told apart: more finds more points, and takes longer"))
    value_range (1, 8)

property_double (contrast_threshold, _("Contrast threshold"), 0.04)
    description (_("How much a point must stand out from what is around it: more keeps only strong points, less finds faint "
                   "ones and the noise"))
    value_range (0.0, 0.5)
    ui_range    (0.0, 0.2)
    ui_gamma    (2.0)
    ui_steps    (0.005, 0.02)
    ui_digits   (3)

property_double (edge_threshold, _("Edge threshold"), 10.0)
    description (_("How long a shape may be for its width: more keeps points that lie along edges, less only round ones"))
    value_range (2.0, 100.0)
    ui_range    (2.0, 30.0)

property_double (sigma, _("Smallest size"), 1.6)
    description (_("Blur of the first layer of an octave, in pixels: more leaves out the finest points"))
    value_range (0.8, 4.0)
    ui_steps    (0.1, 0.5)
    ui_digits   (2)

property_boolean (upsample, _("Finest points"), TRUE)
    description (_("Looks in the picture at twice its size too: finds four times as many points, and takes longer"))

property_int (max_features, _("Most points"), 0)
    description (_("How many points are kept, the strongest ones; 0 keeps all"))
    value_range (0, 1000000)
    ui_range    (0, 20000)
    ui_gamma    (2.0)

#define SIFT_SETTINGS(o, is_root) { (o)->octaves, (o)->intervals, (o)->contrast_threshold, (o)->edge_threshold, (o)->sigma, \
                                    (o)->upsample, (o)->max_features, is_root }
