/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When a FITS file was taken: the cards that say it, and what they mean (FITS standard 4.0, section 9).
 *
 * The middle of the exposure is DATE-AVG or MJD-AVG, or half an exposure behind the beginning.  The beginning is
 * DATE-BEG, MJD-BEG, DATE-OBS, MJD-OBS or JD, the first of these that has an hour.  A day without an hour takes it from
 * a card of its own (UTSTART, TIME-OBS, UT, UTC).  TIMESYS is UTC, TT, TAI or GPS; of others the difference from UTC is
 * not known here. */
#ifndef FITS_CLOCK_H
#define FITS_CLOCK_H

#include "frames.h"

#define FITS_TEXT   72
#define FITS_CLOCKS 4

/* As the cards have them.  No pointers: it goes from process to process. */
typedef struct
{
  gchar   average[FITS_TEXT], begin[FITS_TEXT], date[FITS_TEXT];        /* "": none */
  gchar   clocks[FITS_CLOCKS][FITS_TEXT], system[FITS_TEXT];
  gdouble mjd_average, mjd_begin, mjd, jd;                              /* NaN: none */
} FitsTimes;

/* Sets clock, start and middle; the exposure is set before. */
void fits_clock_read (const FitsTimes *times, FrameFacts *facts);

#endif
