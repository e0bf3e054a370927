#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-quality.py BUILD: the changes of tools/quality are what their matrices say, and points are found again under them as well as
OpenCV's are.  Two photographs, two values of each change; `./run quality` takes all.  Exit code 77: OpenCV or scikit-image is not
there."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'quality'))
import quality
from quality import KINDS, SEED, SIDES, Finder, change, measure, np, photographs, summary, table

from common import Report

SIZE, BEFORE = (360, 480), 8            # a dot's pixels before the change
GEOMETRY = ('rotation', 'scale', 'perspective', 'together')      # the others move nothing, but spoil the dot
WORSE = {'repeated': 1.5, 'right': 1}   # of 100; two photographs are few
LEAST_RIGHT = 80


def centre(grey, x, y):
    """Of what is bright within 24 pixels of a place."""
    rows, columns = np.mgrid[:grey.shape[0], :grey.shape[1]]
    weight = np.where(np.hypot(columns - x, rows - y) < 24, np.maximum(grey.astype(float) - 30, 0), 0)
    return (weight * columns).sum() / weight.sum(), (weight * rows).sum() / weight.sum()


def check_matrices(report):
    """A round dot's centre goes where the matrix takes it."""
    rows, columns = np.mgrid[:SIZE[0], :SIZE[1]]
    for kind, _, values in KINDS:
        for value in values:
            off = []
            for x, y in ((200, 150), (281, 203), (215.5, 221.25)):
                dot = np.rint(220 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * BEFORE ** 2))).astype(np.uint8)
                other, matrix = change(dot, kind, value, SEED, 'dot')
                u, v, w = matrix @ (x, y, 1)
                found = centre(other, u / w, v / w)
                off.append(np.hypot(found[0] - u / w, found[1] - v / w))
            report.check(f'{kind} {value:g}: the matrix is that of the picture', max(off) < (0.2 if kind in GEOMETRY else 0.5), f'{max(off):.3f} pixels off')


def check_seed(report, grey):
    for kind, _, values in KINDS:
        (one, first), (two, second), (other, third) = (change(grey, kind, values[-1], seed, 'x') for seed in (1, 1, 2))
        drawn = kind not in ('brightness', 'blur', 'JPEG')
        report.check(f'{kind}: one seed, one picture', (one == two).all() and (first == second).all())
        report.check(f'{kind}: another seed', drawn == (not np.array_equal(one, other) or not np.array_equal(first, third)))


def check_quality(report, build, pictures):
    kinds = [(kind, unit, values[1:4:2]) for kind, unit, values in KINDS]
    with tempfile.TemporaryDirectory() as work:
        measured = measure(Finder(build, work), SEED, pictures, kinds)
    print(table(measured, kinds))
    for kind, _, values in kinds:
        ours, theirs = (summary(measured, kind, values, side) for side in SIDES)
        report.check(f'{kind}: repeated', ours[0] > theirs[0] - WORSE['repeated'], f'{ours[0]:.1f} %, OpenCV {theirs[0]:.1f} %')
        report.check(f'{kind}: right matches', ours[1] > max(theirs[1] - WORSE['right'], LEAST_RIGHT), f'{ours[1]:.1f} %, OpenCV {theirs[1]:.1f} %')


def main():
    report, pictures = Report(), list(photographs())[:2]
    check_matrices(report)
    check_seed(report, pictures[0][1])
    check_quality(report, sys.argv[1], pictures)
    report.finish()


main()
