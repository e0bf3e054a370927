/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Parts of the rows of points that draw nothing, or draw by themselves. */
#ifndef MATCHING_H
#define MATCHING_H

void combine_pictures (void);      /* tests/align */
void consensus        (void);
void fused_pictures   (void);      /* tests/align */
void keypoint_files   (void);
void matching         (void);
void pixels           (void);      /* tests/align */
void sift_levels      (void);      /* tests/features */
void turned_pixels    (void);      /* tests/align */

#endif
