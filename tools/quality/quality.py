#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""quality.py BUILD [--seed N] [--chart FILE]: how well points are found again, tessera:sift's and OpenCV's.

Photographs of scikit-image that no other test uses are changed in known ways (transforms.py).  Both sides get the same 8-bit
greys, have the same settings (3 sizes per octave, contrast 0.04, edge 10, sigma 1.6, the picture at twice its size too) and keep
their 1000 strongest points.  tessera-match compares both sides' descriptors (ratio 0.8, mutual).

Repeated: of the points whose place both pictures show, the share that the other picture has too, within 1.5 pixels and 25 % of the
size.  Each point counts for one other at most; the whole is the smaller of both numbers of points (Mikolajczyk and others, A
Comparison of Affine Region Detectors, 2005).
Right: of the matches, the share that is within 3 pixels of where the matrix takes the point.

Prints a table in Markdown.  Exit code 77: OpenCV or scikit-image is not there."""
import argparse
import json
import os
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path[:0] = [os.path.join(TOP, 'tests'), os.path.join(TOP, 'tests', 'features')]

from greys import cv2, grey_of, np, skimage
from keypoints import are_partners, distances, mapped, of_file, of_opencv, to_file

import chart
from common import Gegl
from transforms import KINDS, change

PHOTOGRAPHS = ('chelsea.png', 'rocket.jpg', 'motorcycle_left.png', 'grass.png', 'gravel.png', 'moon.png')
SIDES = ('Tessera', 'OpenCV')
MOST, MARGIN = 1000, 16
SEED = 20261123


def photographs():
    """(name, greys)"""
    folder = os.path.join(os.path.dirname(skimage.__file__), 'data')
    for name in PHOTOGRAPHS:
        yield name, grey_of(os.path.join(folder, name))


class Finder:
    """Points of both sides, as keypoints and as a file for tessera-match."""

    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env['GEGL_USE_OPENCL'] = 'no'
        self.matcher = os.path.join(self.gegl.build, 'tools', 'match', 'tessera-match')

    def find(self, grey, name):
        """{side: (keypoints, path)}"""
        picture = os.path.join(self.work, name + '.png')
        paths = {side: os.path.join(self.work, f'{name}-{side}.csv') for side in SIDES}
        cv2.imwrite(picture, grey)
        code, lines = self.gegl.run([picture, '--', 'tessera:sift-save', f'path={paths["Tessera"]}', 'format=csv', f'max-features={MOST}'])
        assert code == 0 and not lines, lines
        theirs = of_opencv(grey, MOST)
        to_file(theirs, paths['OpenCV'])
        return {'Tessera': (of_file(paths['Tessera']), paths['Tessera']), 'OpenCV': (theirs, paths['OpenCV'])}

    def matches(self, before, after):
        """Pairs of indices."""
        done = self.gegl.command([self.matcher, before, after, '--quiet', '--json', '-'])
        assert done.returncode in (0, 1), done.stderr
        return np.array([row[:2] for row in json.loads(done.stdout)['matches']], int).reshape(-1, 2)


def is_shown(frames, shape):
    height, width = shape
    x, y = frames[:, 0], frames[:, 1]
    return (x >= MARGIN) & (y >= MARGIN) & (x <= width - 1 - MARGIN) & (y <= height - 1 - MARGIN)


def repeated(before, after, matrix, shape, to_shape):
    """In percent, of the places that both pictures show."""
    some, others = before.distinct(), after.distinct()
    some, others = some[is_shown(some, shape)], others[is_shown(others, to_shape)]
    others = others[is_shown(mapped(others, np.linalg.inv(matrix)), shape)]
    there = mapped(some, matrix)
    there = there[is_shown(there, to_shape)]
    if not len(there) or not len(others):
        return 0.0
    away = np.where(are_partners(there, others, 1.5, 1.25), distances(there, others), np.inf)
    nearest, back = away.argmin(axis=1), away.argmin(axis=0)
    mine = np.arange(len(there))
    found = (back[nearest] == mine) & np.isfinite(away[mine, nearest])
    return 100 * found.sum() / min(len(there), len(others))


def right_matches(before, after, pairs, matrix):
    """Their number."""
    there = mapped(before.frames[pairs[:, 0]], matrix)
    return int((np.hypot(*(there[:, :2] - after.frames[pairs[:, 1], :2]).T) <= 3).sum())


def measure(finder, seed, pictures=None, kinds=KINDS):
    """{(kind, value, side): rows of (repeated, right, matches, points)}, a row for each picture."""
    measured = {}
    for name, grey in pictures or photographs():
        before = finder.find(grey, 'before')
        for kind, _, values in kinds:
            for value in values:
                other, matrix = change(grey, kind, value, seed, name)
                after = finder.find(other, 'after')
                for side in SIDES:
                    pairs = finder.matches(before[side][1], after[side][1])
                    row = (repeated(before[side][0], after[side][0], matrix, grey.shape, other.shape),
                           right_matches(before[side][0], after[side][0], pairs, matrix), len(pairs), len(after[side][0]))
                    measured.setdefault((kind, value, side), []).append(row)
    return measured


def summary(measured, kind, values, side):
    """(repeated and right in percent, right matches of a pair), over all pictures and values."""
    rows = np.array([row for value in values for row in measured[kind, value, side]], float)
    return rows[:, 0].mean(), 100 * rows[:, 1].sum() / max(rows[:, 2].sum(), 1), rows[:, 1].mean()


def table(measured, kinds=KINDS):
    lines = ['| change | from, to | found again, % | OpenCV | right matches, % | OpenCV | right matches of a pair | OpenCV |',
             '|---|---|---|---|---|---|---|---|']
    for kind, unit, values in kinds:
        ours, theirs = (summary(measured, kind, values, side) for side in SIDES)
        cells = [f'{number:.{digits}f}' for pair, digits in zip(zip(ours, theirs), (1, 1, 0)) for number in pair]
        lines.append(f'| {kind} | {values[0]:g} to {values[-1]:g} {unit} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(prog='./run quality', description=__doc__.partition('\n')[0].partition(': ')[2])
    parser.add_argument('build', help=argparse.SUPPRESS)
    parser.add_argument('--seed', type=int, default=SEED, help='of the changes that are drawn')
    parser.add_argument('--chart', metavar='FILE', help='an SVG of it')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='tessera-quality-') as work:
        measured = measure(Finder(options.build, work), options.seed)
    print(table(measured))
    if options.chart:
        with open(options.chart, 'w', encoding='utf-8') as file:
            file.write(chart.drawn(measured, KINDS, SIDES))


if __name__ == '__main__':
    main()
