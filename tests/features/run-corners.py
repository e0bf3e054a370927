#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-corners.py BUILD [--table]: tessera:harris-corners against OpenCV and scikit-image, on our photographs and scikit-image's.

Every side is given the same grey numbers: perceptual luminance of 8 bits, at most 640 pixels wide and high.  R is compared
over the picture (with clamped pixels around it) where both sides have the same border, else 16 pixels from it.  The strongest
500 corners there are those of threshold 0; a partner is one of the other side's strongest 500.  --table prints all that is
measured.  Exit code 77: OpenCV or scikit-image is not there."""
import os
import sys
import tempfile

from greys import LEGS, Bars, cv2, grey_of, np, pictures, skimage
import skimage.feature

from common import Gegl, Picture, Report

SIGMA, K, MARGIN, BEST = 1.6, 0.04, 16, 500
RADIUS = int(np.ceil(3 * SIGMA))
EDGE = RADIUS + 2                       # pixels around the picture that R of the picture may need


def harris(grey, window):
    """R of floats 0..1, of products that are summed by `window`."""
    wide = cv2.copyMakeBorder(grey, EDGE, EDGE, EDGE, EDGE, cv2.BORDER_REPLICATE)
    gx, gy = (cv2.Sobel(wide, cv2.CV_32F, dx, 1 - dx, ksize=3, scale=1 / 8) for dx in (1, 0))
    a, b, c = (window(product)[EDGE:-EDGE, EDGE:-EDGE] for product in (gx * gx, gx * gy, gy * gy))
    return a * c - b * b - np.float32(K) * (a + c) ** 2


def gaussian(product):
    return cv2.GaussianBlur(product, (2 * RADIUS + 1, 2 * RADIUS + 1), SIGMA)


def flat(product):
    return cv2.blur(product, (5, 5))


def maxima(response):
    """R > 0, beyond the neighbours before it and not below those after it."""
    height, width = response.shape
    around = np.full((height + 2, width + 2), -np.inf)
    around[1:-1, 1:-1] = response
    good = response > 0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            beside = around[1 + dy:1 + dy + height, 1 + dx:1 + dx + width]
            if (dy, dx) < (0, 0):
                good &= response > beside
            elif (dy, dx) > (0, 0):
                good &= response >= beside
    return good


def strongest(response, mask):
    """x, y of the best inside."""
    inside = np.zeros_like(mask)
    inside[MARGIN:-MARGIN, MARGIN:-MARGIN] = mask[MARGIN:-MARGIN, MARGIN:-MARGIN]
    y, x = np.nonzero(inside)
    order = np.argsort(-response[y, x], kind='stable')[:BEST]
    return np.stack([x[order], y[order]], axis=1).astype(float)


def found(some, others, distance):
    """The share of some that has one of the others within that distance."""
    if not len(some) or not len(others):
        return 0.0
    squares = ((some[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)
    return 100 * (squares.min(axis=1) <= distance ** 2).mean()


def both(ours, theirs, distance):
    """In per cent: ours found there, theirs found here."""
    return found(ours, theirs, distance), found(theirs, ours, distance)


def inner(response):
    return response[MARGIN:-MARGIN, MARGIN:-MARGIN]


def correlation(one, other):
    return np.corrcoef(inner(one).ravel(), inner(other).ravel())[0, 1]


def off(one, other, part=lambda response: response):
    return np.abs(part(one).astype(float) - part(other)).max() / part(other).max()


def against_opencv(bars, grey, response, ours):
    reference = harris(grey, gaussian)
    bars.most('Sobel and GaussianBlur, error / max R', off(response, reference), 5e-6)
    bars.least('Sobel and GaussianBlur, corners within 1 px', both(ours, strongest(reference, maxima(reference)), 1), (99.8, 99.8))

    theirs, same = cv2.cornerHarris(grey, 5, 3, K, borderType=cv2.BORDER_REPLICATE) / 16, harris(grey, flat)
    bars.most('cornerHarris, the same flat window, error / max R', off(same, theirs, inner), 5e-6)
    there = strongest(theirs, maxima(theirs))
    bars.least('cornerHarris, the same flat window, corners within 1 px', both(strongest(same, maxima(same)), there, 1), (99.8, 99.8))
    bars.least('cornerHarris, correlation of R', (correlation(response, theirs),), (0.94,))
    bars.tell('cornerHarris, corners within 1 px', both(ours, there, 1))
    bars.least('cornerHarris, corners within 3 px', both(ours, there, 3), (50, 70))


def against_skimage(bars, grey, response, ours):
    theirs = skimage.feature.corner_harris(grey, k=K, sigma=SIGMA)
    bars.least('corner_harris, correlation of R', (correlation(response, theirs),), (0.9999,))
    bars.least('corner_harris, corners within 1 px', both(ours, strongest(theirs, maxima(theirs)), 1), (99, 99))


def computed(gegl, report, name, leg, path, work, result):
    """What the operation makes of the picture, or None."""
    out = os.path.join(work, 'out.npy')
    code, lines = gegl.run([path, '-o', out, '--', 'tessera:harris-corners', f'result={result}', f'sigma={SIGMA}', f'k={K}',
                            'threshold=0'], **LEGS[leg])
    if not report.check(f'{name}: {result} in {leg}', code == 0 and not lines and os.path.exists(out), ' | '.join(lines)):
        return None
    picture = Picture(out)
    os.remove(out)
    if not report.check(f'{name}: {result} in {leg} has one component', picture.channels == 1, f'{picture.channels}'):
        return None
    return np.frombuffer(picture.pixels, np.float32).reshape(picture.height, picture.width)


def check_picture(gegl, report, name, path, work, table):
    pixels, source = grey_of(path), os.path.join(work, 'grey.png')
    cv2.imwrite(source, pixels)
    results = {(leg, result): computed(gegl, report, name, leg, source, work, result)
               for leg in LEGS for result in ('response', 'corners')}
    if any(values is None or values.shape != pixels.shape for values in results.values()):
        report.check(f'{name}: results of the size of the picture', False)
        return
    for result in ('response', 'corners'):
        one, other = (results[leg, result].view(np.uint32) for leg in LEGS)
        report.check(f'{name}: {result} in C and OpenCL, every bit', (one == other).all(), f'{(one != other).sum()} differ')
    response, mask = results['C', 'response'], results['C', 'corners']
    report.check(f'{name}: the corners are the maxima of R', (mask == maxima(response)).all(), f'{int(mask.sum())} corners')
    grey, ours = pixels.astype(np.float32) / np.float32(255), strongest(response, mask == 1)
    bars = Bars(report, name, table)
    against_opencv(bars, grey, response, ours)
    against_skimage(bars, grey, response, ours)


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    with tempfile.TemporaryDirectory() as work:
        for name, path in pictures():
            check_picture(gegl, report, name, path, work, '--table' in sys.argv)
    report.finish()


main()
