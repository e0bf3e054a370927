#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-peers.py BUILD [--size N] [--frames N]: shifts and backgrounds of the same frames by Tessera in C, OpenCV and photutils, in one run.

Frames are those of tessera-stars, less their dark frame.  The error of a shift is rms per axis against the truth, each frame against the first; one
that is wrong by more than a pixel is lost, and not in the rms.  What is left is the rms of
min(|whitened / noise|, 50) over the pixels 24 px inside, noise being that of the frame's own light and of reading; the mean of 20 frames
of the same light would leave 1.02.  Processor time, all threads together, is the median of the frames, without reading files.  Prints tables in Markdown.
Exit code 77: OpenCV, astropy or photutils is not there."""
import argparse
import csv
import os
import sys
import tempfile
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

try:
    import astropy
    import cv2
    import numpy as np
    import photutils
    from astropy.io import fits
    from astropy.stats import SigmaClip, sigma_clipped_stats
    from astropy.utils.exceptions import AstropyWarning
    from photutils.background import Background2D, MedianBackground
    from photutils.centroids import centroid_2dg, centroid_sources
    from photutils.detection import DAOStarFinder
except ImportError as error:
    print(f'{error}: python3-opencv, python3-astropy and python3-photutils are needed')
    sys.exit(77)

HISTORY, GAIN, BIAS, READ_NOISE, FWHM, INSIDE, STARS = 20, 1.5, 1000.0, 8.0, 2.2, 24, 20
PRESETS = {'A': 'jitter of 0.15 px', 'C': 'drift of 0.9 px a frame'}


class Night:
    """Frames, and how the sky lies in each against the first."""

    def __init__(self, gegl, work, preset, size, count):
        folder = os.path.join(work, preset)
        done = gegl.command([os.path.join(gegl.build, 'tools', 'stars', 'tessera-stars'), f'--preset={preset}', f'--frames={count}', f'--size={size}x{size}',
                             '--objects=', folder])
        assert done.returncode == 0, done.stderr
        self.folder = os.path.join(folder, 'less-dark')
        os.mkdir(self.folder)
        dark, made = fits.getdata(os.path.join(folder, 'dark.fits')), os.path.join(folder, 'frames')
        self.frames = [(fits.getdata(os.path.join(made, name)) - dark).astype(np.float32) for name in sorted(os.listdir(made))]
        for t, frame in enumerate(self.frames):
            fits.writeto(os.path.join(self.folder, f'{t:05d}.fits'), frame)
        with open(os.path.join(folder, 'shifts.csv'), newline='', encoding='utf-8') as file:
            truth = np.array([[float(row['x']), float(row['y'])] for row in csv.DictReader(file)])
        self.truth = truth - truth[0]

    def errors(self, shifts):
        """(rms per axis of those that are right to a pixel, how many are not)"""
        away = np.array(shifts)[1:] - self.truth[1:]
        right = np.all(np.abs(away) <= 1, axis=1)
        return float(np.sqrt(np.mean(away[right] ** 2))) if right.any() else np.inf, int((~right).sum())

    def left(self, whitened):
        """Of {frame: plane}."""
        squares = []
        for t, plane in whitened.items():
            light = cv2.blur(np.maximum(self.frames[t] - BIAS, 0), (3, 3)) * GAIN
            part = np.minimum(np.abs(np.nan_to_num(plane)) / (np.sqrt(light + READ_NOISE ** 2) / GAIN), 50)
            squares.append(np.mean(part[INSIDE:-INSIDE, INSIDE:-INSIDE] ** 2))
        return float(np.sqrt(np.mean(squares)))


def timed(function, *words):
    began = time.process_time()
    result = function(*words)
    return result, 1e3 * (time.process_time() - began)


# ------------------------------------------------------------------- shifts

def shifts_of(night, find):
    """find(first, frame, where the last one was); (shifts, median ms)."""
    shifts, times = [np.zeros(2)], []
    for frame in night.frames[1:]:
        found, ms = timed(find, night.frames[0], frame, shifts[-1])
        shifts.append(np.array(found))
        times.append(ms)
    return shifts, float(np.median(times))


def phase(first, frame, _):
    window = cv2.createHanningWindow(first.shape[::-1], cv2.CV_32F)
    return cv2.phaseCorrelate(first.copy(), frame.copy(), window)[0]            # OpenCV 4.6 puts the window into what it is given


def phase_of_logarithms(first, frame, last):
    """So that the brightest stars are not all that counts."""
    return phase(*(np.log(np.maximum(cv2.GaussianBlur(pixels, (0, 0), 1) - np.median(pixels), 5)).astype(np.float32) for pixels in (first, frame)), last)


def ecc(first, frame, last):
    """The maximum of the correlation coefficient, from where the last frame was."""
    matrix = np.float32([[1, 0, last[0]], [0, 1, last[1]]])
    try:
        matrix = cv2.findTransformECC(first, frame, matrix, cv2.MOTION_TRANSLATION, (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-6), None, 5)[1]
    except cv2.error:
        pass
    return matrix[:, 2]


class Centroids:
    """The median of how far bright stars that stand alone have moved; Gaussians are fitted to each."""

    def __init__(self, night):
        _, sky, noise = sigma_clipped_stats(night.frames[0])
        found = DAOStarFinder(fwhm=FWHM, threshold=20 * noise, brightest=400, peakmax=50000)(night.frames[0] - sky)
        places = np.array([found['xcentroid'], found['ycentroid']]).T
        away = np.hypot(*(places[:, None] - places[None, :]).T) + 100 * np.eye(len(places))
        margin = 6 + np.abs(night.truth).max()
        inside = np.all((places > margin) & (places < len(night.frames[0]) - margin), axis=1)
        good = (away.min(axis=0) > 12) & inside
        brightest = np.argsort(-np.array(found['flux'])[good])[:STARS]
        self.places = places[good][brightest]
        self.at = self.centroids(night.frames[0], np.zeros(2))

    def centroids(self, frame, shift):
        x, y = (self.places + np.round(shift)).T
        return np.array(centroid_sources(frame - np.median(frame), x, y, box_size=9, centroid_func=centroid_2dg)).T

    def find(self, _, frame, last):
        return np.nanmedian(self.centroids(frame, last) - self.at, axis=0)


# -------------------------------------------------------------- backgrounds

def moved(frames, shifts, t):
    """The frames before t, moved to where t is, by whole and parts of pixels."""
    size = frames[0].shape[::-1]
    return [cv2.warpAffine(frames[k], np.float32([[1, 0, shifts[t][0] - shifts[k][0]], [0, 1, shifts[t][1] - shifts[k][1]]]), size, flags=cv2.INTER_LANCZOS4,
                           borderMode=cv2.BORDER_REPLICATE) for k in range(t - HISTORY, t)]


def mean_of_moved(night, shifts, t):
    total = np.zeros_like(night.frames[0])
    for frame in moved(night.frames, shifts, t):
        cv2.accumulate(frame, total)
    return night.frames[t] - total / HISTORY


def clipped_mean(night, shifts, t):
    return night.frames[t] - sigma_clipped_stats(np.array(moved(night.frames, shifts, t)), axis=0)[0]


def of_the_sky(night, _, t):
    return night.frames[t] - Background2D(night.frames[t], 64, filter_size=3, sigma_clip=SigmaClip(3.0), bkg_estimator=MedianBackground()).background


def whitened_by(night, whiten, shifts):
    planes, times = {}, []
    for t in range(HISTORY, len(night.frames)):
        planes[t], ms = timed(whiten, night, shifts, t)
        times.append(ms)
    return night.left(planes), float(np.median(times))


def by_tessera(gegl, night, work):
    folder = os.path.join(work, 'whitened')
    os.makedirs(folder, exist_ok=True)
    done = gegl.command([os.path.join(gegl.build, 'tests', 'temporal', 'follow'), night.folder, str(HISTORY), folder])
    assert done.returncode == 0, done.stderr
    rows = np.array([[float(word) for word in line.split()] for line in done.stdout.splitlines() if len(line.split()) == 5])
    planes = {t: fits.getdata(os.path.join(folder, f'{t:05d}.fits')) for t in range(HISTORY, len(night.frames))}
    return [np.zeros(2), *rows[:, 1:3]], float(np.median(rows[:, 3])), night.left(planes), float(np.median(rows[HISTORY - 1:, 4]))


def compared(gegl, work, preset, options):
    """({how: (error, lost, ms)}, {how: (left, ms)})"""
    night = Night(gegl, work, preset, options.size, options.frames)
    ours, shift_ms, left, whiten_ms = by_tessera(gegl, night, work)
    shifts, backgrounds = {'Tessera': (*night.errors(ours), shift_ms)}, {'Tessera, from-shifts of degree 1': (left, whiten_ms)}
    for name, find in (('OpenCV, phaseCorrelate with a Hanning window', phase),
                       ('the same, of softened logarithms', phase_of_logarithms), ('OpenCV, findTransformECC from the last frame\'s shift on', ecc),
                       (f'photutils, Gaussians fitted to {STARS} stars', Centroids(night).find)):
        found, ms = shifts_of(night, find)
        shifts[name] = *night.errors(found), ms
    for name, whiten in ((f'OpenCV, mean of {HISTORY} frames moved by warpAffine', mean_of_moved), ('astropy, the same with sigma_clipped_stats', clipped_mean),
                         ('photutils, Background2D, which leaves the stars', of_the_sky)):
        backgrounds[name] = whitened_by(night, whiten, night.truth)
    return shifts, backgrounds


def cell(measured):
    error, *lost, ms = measured
    return f'{error:.4f}' + (f', {lost[0]} frames lost' if lost and lost[0] else '') + f'; {ms:.1f}'


def table(head, measured):
    print(f'\n| {head} | ' + ' | '.join(f'{preset}: {what}; ms' for preset, what in PRESETS.items()) + ' |\n|---|' + '---|' * len(PRESETS))
    for name in measured['A']:
        print(f'| {name} | ' + ' | '.join(cell(measured[preset][name]) for preset in PRESETS) + ' |')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--size', type=int, default=512)
    parser.add_argument('--frames', type=int, default=24)
    options = parser.parse_args()
    warnings.simplefilter('ignore', AstropyWarning)
    report, shifts, backgrounds = Report(), {}, {}
    gegl = Gegl(options.build)
    gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
    print(f'OpenCV {cv2.__version__}, astropy {astropy.__version__}, photutils {photutils.__version__}; {options.frames} frames of {options.size} x {options.size}')
    with tempfile.TemporaryDirectory() as work:
        for preset in PRESETS:
            shifts[preset], backgrounds[preset] = compared(gegl, work, preset, options)
    table('shift: error in px', shifts)
    table('background: what is left of a frame, in its noise; the others know the true shifts', backgrounds)
    for preset in PRESETS:
        for what, measured, most in (('shifts are right', shifts, 0.006), ('little is left', backgrounds, 1.1)):
            ours, *theirs = measured[preset].values()
            report.check(f'{preset}: {what}', ours[0] <= most, f'{ours[0]:.4f}')
            report.check(f'{preset}: {what}; who does better takes longer', all(row[-1] > ours[-1] for row in theirs if row[0] <= ours[0]), f'{ours}, {theirs}')
        report.check(f'{preset}: no frame is lost', shifts[preset]['Tessera'][1] == 0, str(shifts[preset]['Tessera'][1]))
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
