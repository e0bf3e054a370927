/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sift and what it saves and draws. */
#ifndef SIFT_TEST_H
#define SIFT_TEST_H

int sift_points_test    (int argc, char **argv);
int sift_keys_test      (int argc, char **argv);
int sift_marks_test     (int argc, char **argv);
int sift_overlay_test   (int argc, char **argv);
int sift_state_test     (int argc, char **argv);

#endif
