/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:align on photographs that are moved as a camera moves them. */
#ifndef ALIGN_TEST_H
#define ALIGN_TEST_H

int movements_test      (int argc, char **argv);
int kinds_test          (int argc, char **argv);
int doubts_test         (int argc, char **argv);
int laws_test           (int argc, char **argv);

#endif
