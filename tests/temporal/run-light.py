#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-light.py BUILD: the transparency of each frame against the truth, and the background of a sky whose transparency changes."""
import collections
import csv
import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

COUNT, SIZE, SHUT = 50, 240, 20
SKIES = {'steady': [], 'thin clouds': ['--transparency=0.6', '--cosmic-rays=5', f'--bad=shut,{SHUT}'], 'drift': ['--transparency=0.8', '--preset=C']}


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


class Case:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, sky):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=6',
                                  '--objects=8,0.7,-0.6', *SKIES[sky], self.path(sky)])
        assert done.returncode == 0, done.stderr

    def run(self, sky, name, *options):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), self.path(sky, 'frames'), '-o', self.path(name),
                                  '--dark', self.path(sky, 'dark.fits'), '--gain', '1.5', '--pictures', '0', '--block', '13', '--threshold', '6', '--track-threshold', '7', '--json', *options])
        assert done.returncode == 0, done.stderr
        return rows(self.path(name), 'shifts.csv'), json.loads(done.stdout)


def against_truth(report, case, sky):
    """All over the blocks of a chain; where no stars are there is no number."""
    table, told = case.run(sky, f'{sky} found')
    truth = rows(case.path(sky), 'shifts.csv')
    found = [row['transparency'] for row in table]
    chains = collections.defaultdict(list)
    for row, then in zip(table, truth):
        if row['state'] != 'lost':
            chains[row['chain']].append(float(row['transparency']) / float(then['transparency']))
    parts = [part / statistics.median(each) for each in chains.values() for part in each]
    rms = statistics.pstdev(parts)
    report.check(f'{sky}: transparency is right to 3 %', len(parts) > 0.8 * COUNT and rms < 0.03, f'{rms:.4f} rms of {len(parts)}')
    report.check(f'{sky}: --json has these numbers', told['transparency'] == [float(light) if light else None for light in found], str(told['transparency']))
    return table


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        case = Case(sys.argv[1], work)
        for sky in SKIES:
            case.draw(sky)
            table = against_truth(report, case, sky)
            if sky == 'thin clouds':
                report.check('thin clouds: a shut frame has no transparency', not table[SHUT]['transparency'], str(table[SHUT]))
                plain, _ = case.run(sky, 'by shifts', '--method', 'from-shifts')
                by_frames, found, before = (sum(row['degree'] == '-1' for row in table if row['state'] == 'used'),
                                            *(sum(int(row['detections']) for row in each) for each in (table, plain)))
                report.check('thin clouds: less is left of stars than by shifts, and seldom frames are asked', found < before / 2 and by_frames < COUNT / 2,
                             f'{found} detections, {before} by shifts; {by_frames} by frames')
    return report.finish()


sys.exit(main())
