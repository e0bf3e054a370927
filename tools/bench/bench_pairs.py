# SPDX-License-Identifier: LGPL-3.0-or-later
"""What it costs to lay a picture on another one, and to match two lists of descriptors: tools/bench/pairs in C and on the device, and OpenCV on the same pictures
and lists, in one run."""
import math
import os
import tempfile
import time

from bench_report import number, table

SIZES, DESCRIPTORS, RUNS = '12,24', 27000, 3
QUICK = '0.3', 300, 1
MOST_PIXELS, MOST_POINTS = 6e6, 5000            # as tessera:align has them


class Missing(Exception):
    """A library is not there."""


def legs(program, kind, sizes, descriptors, runs, folder):
    words = ['--mpix', sizes, '--descriptors', str(descriptors), '--runs', str(runs)]
    return (program.run(words + ['--save', folder], {'GEGL_USE_OPENCL': 'no'})[0]
            + (program.run(words, {'GEGL_USE_OPENCL': kind, 'TESSERA_OPENCL': 'force'})[0] if kind else []))


def opencv():
    try:
        import cv2
        import numpy
    except ImportError as error:
        raise Missing('python3-opencv') from error
    return cv2, numpy


def best(work, runs):
    """What it answers, and the least time and processor time, in ms; the first run of all does not count."""
    times = []
    for _ in range(runs + 1):
        began, computed = time.perf_counter(), time.process_time()
        answer = work()
        times.append((time.perf_counter() - began, time.process_time() - computed))
    return answer, *(1e3 * min(column) for column in zip(*times[1:]))


def read(numpy, folder, name, row):
    return numpy.fromfile(os.path.join(folder, f'{name}-{row["mpix"]:g}.rgb'), dtype='u1').reshape(row['height'], row['width'], 3)


def align_once(cv2, numpy, reference, moved):
    """As tessera:align goes about it, but without its last step, which compares the pixels."""
    grey, factor = [cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY) for picture in (reference, moved)], 1
    while grey[0].size > MOST_PIXELS:
        grey, factor = [cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for picture in grey], 2 * factor
    sift = cv2.SIFT_create(MOST_POINTS)
    (a, of_a), (b, of_b) = (sift.detectAndCompute(picture, None) for picture in grey)
    pairs = cv2.BFMatcher(cv2.NORM_L2, crossCheck=True).match(of_b, of_a)
    places = [numpy.float64([points[i].pt for i in chosen]) for points, chosen in ((b, [m.queryIdx for m in pairs]), (a, [m.trainIdx for m in pairs]))]
    found, _ = cv2.findHomography(places[0], places[1], cv2.RANSAC, 3.0)
    larger = numpy.float64([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1]])
    matrix = larger @ found @ numpy.linalg.inv(larger)
    cv2.warpPerspective(moved, matrix, reference.shape[1::-1], flags=cv2.INTER_CUBIC)
    return matrix


def corner_error(numpy, matrix, row):
    corners = numpy.float64([[x, y, 1] for x in (0, row['width'] - 1) for y in (0, row['height'] - 1)]).T
    there, wanted = matrix @ corners, numpy.float64(row['truth']).reshape(3, 3) @ corners
    return float(numpy.mean([math.hypot(*(there[:2, i] / there[2, i] - wanted[:2, i])) for i in range(4)]))


def opencv_align(row, folder, runs):
    cv2, numpy = opencv()
    reference, moved = (read(numpy, folder, name, row) for name in ('reference', 'moved'))
    matrix, ms, computed = best(lambda: align_once(cv2, numpy, reference, moved), runs)
    return [f'OpenCV {cv2.__version__}: SIFT, BFMatcher, findHomography, warpPerspective', number(ms), number(computed), f'{corner_error(numpy, matrix, row):.3f}']


def opencv_match(row, folder, runs):
    cv2, numpy = opencv()
    a, b = (numpy.fromfile(os.path.join(folder, name), dtype='u1').reshape(-1, 128).astype('f4') for name in ('a.u8', 'b.u8'))
    pairs, ms, computed = best(lambda: cv2.BFMatcher(cv2.NORM_L2, crossCheck=True).match(a, b), runs)
    return [f'OpenCV {cv2.__version__}: BFMatcher with crossCheck, without a ratio', number(ms), number(computed), str(len(pairs))]


def beside(peer, row, folder, runs):
    try:
        return peer(row, folder, runs)
    except Missing as missing:
        return [f'OpenCV: {missing} is not installed', '', '', '']


def markdown(program, kind, quick):
    sizes, descriptors, runs = QUICK if quick else (SIZES, DESCRIPTORS, RUNS)
    lines = ['# Two pictures, two lists', '', f'Milliseconds, best of {runs}; and of them what processors computed, all threads together.', '']
    with tempfile.TemporaryDirectory() as folder:
        found = legs(program, kind, sizes, descriptors, runs, folder)
        for mpix in dict.fromkeys(row['mpix'] for row in found if row['what'] == 'align'):
            rows = [row for row in found if row.get('mpix') == mpix]
            lines += [f'## tessera:align, {mpix:g} Mpix, 8 bits; the second picture is turned by 1.7 degrees, 1 % smaller, and shifted', '',
                      *table(['', 'ms', 'computed', 'corners are off by, px'],
                             [[row['leg'], number(row['ms']), number(row['computed_ms']), f'{row["error"]:.3f}'] for row in rows]
                             + [beside(opencv_align, rows[0], folder, runs)])]
        rows = [row for row in found if row['what'] == 'match']
        lines += [f'## {descriptors:,} descriptors with as many', '',
                  *table(['', 'ms', 'computed', 'matches'],
                         [[row['leg'], number(row['ms']), number(row['computed_ms']), str(row['found'])] for row in rows]
                         + [beside(opencv_match, rows[0], folder, runs)])]
    return '\n'.join(lines).rstrip()
