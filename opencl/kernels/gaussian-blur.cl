/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Gaussian blur up to sigma 8: the taps of the C path in its order, along x, then along y.
 */
#include "tessera-separable.h"
