/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames, films and folders as they are read. */
#ifndef FILES_TEST_H
#define FILES_TEST_H

int frames_test         (int argc, char **argv);
int frames_changed_test (int argc, char **argv);
int ser_test            (int argc, char **argv);
int fits_test           (int argc, char **argv);
int fits_kinds_test     (int argc, char **argv);
int clock_test          (int argc, char **argv);
int colours_test        (int argc, char **argv);
int fits_damage_test    (int argc, char **argv);
int sky_test            (int argc, char **argv);
int stars_loaded_test   (int argc, char **argv);

#endif
