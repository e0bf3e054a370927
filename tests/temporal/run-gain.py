#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-gain.py BUILD: the gain that frames show, of fields with known noise; of those that show none, none."""
import array
import json
import math
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

SIZE, FRAMES, STARS, LEVEL, READ, WIDTH = 128, 26, 90, 1000, 9, 0.95
WITHIN = 1.3                            # times, and as often less
SETTINGS = ('--pictures', '0', '--every', '0', '--keep-hot', '--json')


def cards(*pairs):
    lines = [f'{name:<8}= {value:>20}' for name, value in pairs] + ['END']
    head = ''.join(f'{line:<80}' for line in lines)
    return f'{head:<{(len(head) + 2879) // 2880 * 2880}}'.encode('ascii')


def write(path, numbers):
    """Unsigned, of 16 bits."""
    counts = array.array('h', (min(max(round(number), 0), 65535) - 32768 for number in numbers))
    counts.byteswap()
    data = counts.tobytes()
    with open(path, 'wb') as file:
        file.write(cards(('SIMPLE', 'T'), ('BITPIX', 16), ('NAXIS', 2), ('NAXIS1', SIZE), ('NAXIS2', SIZE), ('BZERO', 32768), ('BSCALE', 1)) + data + b'\0' * (-len(data) % 2880))


def light(stars, move):
    """Of the stars in each pixel."""
    plane = [0.0] * SIZE * SIZE
    for x0, y0, total in stars:
        x0, y0 = x0 + move[0], y0 + move[1]
        for y in range(max(int(y0) - 6, 0), min(int(y0) + 8, SIZE)):
            for x in range(max(int(x0) - 6, 0), min(int(x0) + 8, SIZE)):
                plane[y * SIZE + x] += total / (2 * math.pi * WIDTH ** 2) * math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * WIDTH ** 2))
    return plane


def draw(folder, seed, gain, brightest=20000.0, of=lambda number: number):
    """`gain` 0: the noise does not grow with the light.  `of`: what a file has of a number."""
    dice = random.Random(seed)
    os.mkdir(folder)
    stars = [(dice.uniform(4, SIZE - 4), dice.uniform(4, SIZE - 4), brightest * 10 ** (-0.4 * dice.uniform(0, 4))) for _ in range(STARS)]
    for i in range(FRAMES):
        plane = light(stars, (dice.gauss(0, 0.12), dice.gauss(0, 0.12)))
        write(os.path.join(folder, f'{i:03d}.fits'), (of(LEVEL + value + dice.gauss(0, math.sqrt(READ ** 2 + (value / gain if gain else 0)))) for value in plane))


class Case:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')

    def shown(self, name, *options, **how):
        """What is told, and what is told in words."""
        folder = os.path.join(self.work, name)
        if not os.path.exists(folder):
            draw(folder, **how)
        found = folder + '-found' + ''.join(options)
        told = self.run(folder, found, *SETTINGS, *options)
        return json.loads(told.stdout), self.run(folder, found, *SETTINGS[:-1], *options).stderr

    def run(self, folder, found, *options):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), folder, '-o', found, *options])
        assert done.returncode == 0, done.stderr
        return done


def known(report, case):
    for gain, seed in ((0.4, 1), (1.5, 2), (1.5, 3), (6.0, 4)):
        told, words = case.shown(f'gain-{gain}-{seed}', seed=seed, gain=gain)
        found = told['gain_shown']
        report.check(f'a gain of {gain} shows', found and 1 / WITHIN < found / gain < WITHIN and 'electrons, as the frames show it' in words, f'{found} {words}')
    told, _ = case.shown('mean', seed=5, gain=6.0, of=lambda number: 2 * (number - LEVEL) + LEVEL)
    report.check('of counts that are twice as many it is half of it', told['gain_shown'] and 3.0 / WITHIN < told['gain_shown'] < 3.0 * WITHIN, str(told['gain_shown']))
    told, words = case.shown('gain-1.5-2', '--gain', '1.5')
    report.check('one that was given is not estimated', told['gain_shown'] is None and 'electrons' not in words, words)


def unknown(report, case):
    for name, how in (('noise that does not grow', {'gain': 0}), ('faint stars', {'gain': 6, 'brightest': 700.0}),
                      ('8 bits', {'gain': 1.5, 'of': lambda number: number / 100})):
        told, words = case.shown(name, seed=7, **how)
        report.check(f'{name}: it is not known, which is said', told['used'] == FRAMES and told['gain_shown'] is None and 'do not show how many electrons' in words,
                     f'{told} {words}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        case = Case(sys.argv[1], work)
        known(report, case)
        unknown(report, case)
    return report.finish()


sys.exit(main())
