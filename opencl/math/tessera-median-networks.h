/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * Networks of compare-and-swap.  S (a, b) puts the lesser of places a and b into a,
 * the greater into b.  The columns of the square are sorted beforehand.  A median's
 * network then sorts the rows.  A place that has more than half of the others above or
 * below it cannot be the median.  Of the places left, the least and the greatest are
 * dropped until one remains.  Steps that never swap are left out, and so are results that
 * nobody reads.  (A compiler drops half-used steps itself.)
 *
 * All inputs of 0 and 1 with sorted columns have been tried.  That proves the networks
 * (D. E. Knuth, The Art of Computer Programming, vol. 3, 5.3.4, theorem Z).
 */
/* Sorts places 0 .. 2. */
#define MEDIAN_SORT_3(S) \
  S (0, 1) S (1, 2) S (0, 1)

/* Place 3 row + column has the sample at (column, row).  Each column is sorted.  The median comes to place 4.
 * 14 minima and maxima. */
#define MEDIAN_PLACE_9 4
#define MEDIAN_9(S) \
  S (0, 1) S (1, 2) S (3, 4) S (4, 5) S (3, 4) S (6, 7) S (7, 8) S (6, 7) S (2, 6) S (2, 4) \
  S (4, 6)

/* Sorts places 0 .. 4. */
#define MEDIAN_SORT_5(S) \
  S (0, 3) S (1, 4) S (0, 2) S (1, 3) S (0, 1) S (2, 4) S (1, 2) S (3, 4) S (2, 3)

/* Place 5 row + column has the sample at (column, row).  Each column is sorted.  The median comes to place 15.
 * 112 minima and maxima. */
#define MEDIAN_PLACE_25 15
#define MEDIAN_25(S) \
  S (0, 3) S (1, 4) S (0, 2) S (1, 3) S (0, 1) S (2, 4) S (1, 2) S (3, 4) S (2, 3) S (5, 8) \
  S (6, 9) S (5, 7) S (6, 8) S (5, 6) S (7, 9) S (6, 7) S (8, 9) S (7, 8) S (10, 13) S (11, 14) \
  S (10, 12) S (11, 13) S (10, 11) S (12, 14) S (11, 12) S (13, 14) S (12, 13) S (15, 18) \
  S (16, 19) S (15, 17) S (16, 18) S (15, 16) S (17, 19) S (16, 17) S (18, 19) S (17, 18) \
  S (20, 23) S (21, 24) S (20, 22) S (21, 23) S (20, 21) S (22, 24) S (21, 22) S (21, 3) \
  S (11, 15) S (12, 9) S (16, 4) S (21, 11) S (9, 3) S (11, 8) S (12, 15) S (11, 12) S (11, 16) \
  S (15, 8) S (9, 8) S (4, 8) S (12, 7) S (16, 15) S (4, 9) S (15, 7) S (9, 7) S (4, 15) \
  S (15, 17) S (9, 15) S (15, 13) S (9, 20) S (9, 15) S (15, 20)

/* Sorts places 0 .. 6. */
#define MEDIAN_SORT_7(S) \
  S (0, 6) S (2, 3) S (4, 5) S (0, 2) S (1, 4) S (3, 6) S (0, 1) S (2, 5) S (3, 4) S (1, 2) \
  S (4, 6) S (2, 3) S (4, 5) S (1, 2) S (3, 4) S (5, 6)

/* Place 7 row + column has the sample at (column, row).  Each column is sorted.  The median comes to place 24.
 * 398 minima and maxima. */
#define MEDIAN_PLACE_49 24
#define MEDIAN_49(S) \
  S (0, 6) S (2, 3) S (4, 5) S (0, 2) S (1, 4) S (3, 6) S (0, 1) S (2, 5) S (3, 4) S (1, 2) \
  S (4, 6) S (2, 3) S (4, 5) S (3, 4) S (5, 6) S (7, 13) S (9, 10) S (11, 12) S (7, 9) S (8, 11) \
  S (10, 13) S (7, 8) S (9, 12) S (10, 11) S (8, 9) S (11, 13) S (9, 10) S (11, 12) S (10, 11) \
  S (12, 13) S (14, 20) S (16, 17) S (18, 19) S (14, 16) S (15, 18) S (17, 20) S (14, 15) \
  S (16, 19) S (17, 18) S (15, 16) S (18, 20) S (16, 17) S (18, 19) S (15, 16) S (17, 18) \
  S (19, 20) S (21, 27) S (23, 24) S (25, 26) S (21, 23) S (22, 25) S (24, 27) S (21, 22) \
  S (23, 26) S (24, 25) S (22, 23) S (25, 27) S (23, 24) S (25, 26) S (22, 23) S (24, 25) \
  S (26, 27) S (28, 34) S (30, 31) S (32, 33) S (28, 30) S (29, 32) S (31, 34) S (28, 29) \
  S (30, 33) S (31, 32) S (29, 30) S (32, 34) S (30, 31) S (32, 33) S (29, 30) S (31, 32) \
  S (35, 41) S (37, 38) S (39, 40) S (35, 37) S (36, 39) S (38, 41) S (35, 36) S (37, 40) \
  S (38, 39) S (36, 37) S (39, 41) S (37, 38) S (39, 40) S (36, 37) S (38, 39) S (42, 48) \
  S (44, 45) S (46, 47) S (42, 44) S (43, 46) S (45, 48) S (42, 43) S (44, 47) S (45, 46) \
  S (43, 44) S (44, 45) S (43, 44) S (5, 24) S (6, 23) S (10, 22) S (13, 18) S (4, 5) S (4, 6) \
  S (4, 10) S (4, 16) S (24, 25) S (23, 25) S (20, 25) S (11, 22) S (12, 20) S (5, 6) S (5, 10) \
  S (5, 11) S (5, 16) S (20, 26) S (18, 26) S (6, 28) S (11, 23) S (12, 22) S (6, 10) S (6, 11) \
  S (6, 16) S (6, 17) S (24, 28) S (23, 28) S (22, 28) S (20, 28) S (19, 28) S (18, 28) \
  S (10, 29) S (11, 24) S (12, 23) S (13, 22) S (10, 11) S (10, 12) S (10, 13) S (10, 16) \
  S (10, 17) S (24, 29) S (23, 29) S (22, 29) S (20, 29) S (19, 29) S (18, 29) S (11, 30) \
  S (12, 24) S (13, 23) S (16, 22) S (17, 20) S (18, 19) S (11, 12) S (11, 13) S (11, 16) \
  S (11, 17) S (24, 30) S (23, 30) S (22, 30) S (20, 30) S (19, 30) S (13, 24) S (16, 23) \
  S (17, 22) S (18, 20) S (12, 13) S (12, 16) S (12, 17) S (24, 31) S (23, 31) S (22, 31) \
  S (20, 31) S (16, 24) S (17, 23) S (18, 22) S (19, 20) S (13, 16) S (13, 17) S (20, 32) \
  S (16, 35) S (17, 24) S (18, 23) S (19, 22) S (16, 17) S (24, 35) S (23, 35) S (22, 35) \
  S (20, 35) S (17, 36) S (18, 24) S (19, 23) S (20, 22) S (17, 18) S (24, 36) S (23, 36) \
  S (22, 36) S (18, 37) S (19, 24) S (20, 23) S (18, 19) S (24, 37) S (23, 37) S (22, 37) \
  S (20, 24) S (22, 23) S (19, 20) S (24, 38) S (23, 38) S (20, 42) S (22, 24) S (24, 42) \
  S (23, 42) S (22, 43) S (23, 24) S (22, 23) S (24, 43) S (23, 44) S (24, 44)
