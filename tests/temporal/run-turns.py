#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-turns.py BUILD: fields that turn, against the truth of drawn skies: angles, shifts, places in the sky, blocks, frames whose angle is not known; and fields that do not turn."""
import array
import importlib
import json
import math
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE, TURN = 40, 200, 0.2
OBJECTS = '20,1.1,0.6;30,-0.9,0.5'
CORNER, SHIFT, ARCSEC, PLACE = 0.15, 0.1, 1.2, 1.5         # px of a corner, px, seconds of arc a pixel, px: where nothing turns, 1.3
ANGLES = ('angle', 'angle_error')


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, name, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=3',
                                  f'--objects={OBJECTS}', *words, self.path(name)])
        assert done.returncode == 0, done.stderr

    def run(self, name, into, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), self.path(name, 'frames'), '-o', self.path(into),
                                  '--dark', self.path(name, 'dark.fits'), '--gain', '1.5', '--pictures', '0', *words])
        assert done.returncode == 0, done.stderr
        return done

    def rows(self, name, table='shifts.csv'):
        return sequence_test.rows(self.path(name, table))


def corner(degrees):
    return abs(math.radians(math.remainder(degrees, 360))) * SIZE / math.sqrt(2)


def angles_of(truth, found):
    """How wrong the worst angle is, in px of a corner, and the worst shift, in px."""
    angles = max(corner(float(row['angle']) - float(then['angle'])) for row, then in zip(found, truth))
    return angles, max(math.dist((float(row['x']), float(row['y'])), (float(then['x']), float(then['y']))) for row, then in zip(found, truth))


def middle_sky(x, y):
    """Seconds of arc from the middle of the first frame: east is left, north is up."""
    return -(x - SIZE // 2) * ARCSEC, -(y - SIZE // 2) * ARCSEC


def way(nights, name):
    """{object: (start, velocity)} in the first frame."""
    with open(nights.path(name, 'truth.json'), encoding='utf-8') as file:
        motions = json.load(file)['objects']
    starts = [row for row in nights.rows(name, 'objects.csv') if row['frame'] == '0']
    return [((float(start['x']), float(start['y'])), motion[1:3]) for start, motion in zip(starts, motions)]


def off_sky(nights, name, found):
    """The tracks' worst place in the sky, and velocity, in px: each against the object that is nearest."""
    places, speeds = [0.0], [0.0]
    for row in nights.rows(found, 'tracks.csv'):
        ra, dec = (float(row[key]) * 3600 for key in ('ra', 'dec'))
        at = ((ra - 56.75 * 3600) * math.cos(math.radians(dec / 3600)), dec - 24.125 * 3600)
        each = []
        for (x, y), (v_x, v_y) in way(nights, name):
            then = middle_sky(x + v_x * int(row['frame']), y + v_y * int(row['frame']))
            each.append((math.dist(at, then) / ARCSEC, math.dist((v_x, v_y), (float(row['velocity_x']), float(row['velocity_y'])))))
        places.append(min(each)[0])
        speeds.append(min(each)[1])
    return max(places), max(speeds), len(places) - 1


def spoil(nights, name, change):
    """Frames are other bytes: change (number, head, counts) returns both."""
    for each in sorted(os.listdir(nights.path(name, 'frames'))):
        with open(nights.path(name, 'frames', each), 'r+b') as file:
            head, data = file.read(2880), file.read()
            counts = array.array('H', data[:2 * SIZE * SIZE])
            counts.byteswap()
            head, counts = change(int(re.search('[0-9]+', each)[0]), head, array.array('H', (count ^ 0x8000 for count in counts)))
            counts = array.array('H', (count ^ 0x8000 for count in counts))
            counts.byteswap()
            file.seek(0)
            file.write(head + counts.tobytes())


def followed(report, nights):
    """A field that turns, in one block and in three."""
    nights.draw('turns', f'--turn={TURN}')
    told = nights.run('turns', 'whole', '--json')
    truth, found, answer = nights.rows('turns'), nights.rows('whole'), json.loads(told.stdout)
    angles, shifts = angles_of(truth, found)
    report.check('all frames of a field that turns are used', answer['used'] == COUNT, told.stderr[-300:])
    report.check('angles are the truth\'s', angles < CORNER, f'{angles:.3f} px of a corner')
    report.check('shifts are the truth\'s', shifts < SHIFT, f'{shifts:.3f} px')
    report.check('the angles are in --json, and what they sum to', abs(answer['turned'] - float(truth[-1]['angle'])) < 0.1 and len(answer['angles']) == COUNT, told.stdout[-300:])
    nights.run('turns', 'parts', '--block', '6')               # some begin behind the first reference, which is of 16 frames
    angles, shifts = angles_of(truth, nights.rows('parts'))
    report.check('blocks are joined by their angles', angles < CORNER and shifts < SHIFT, f'{angles:.3f} px of a corner, {shifts:.3f} px')
    for name in ('whole', 'parts'):
        place, speed, n = off_sky(nights, 'turns', name)
        report.check(f'tracks lie where objects do in the sky, {name}', n >= 10 and place < PLACE and speed < 0.4, f'{n} rows, {place:.2f} px, {speed:.2f} px a frame')
    page = open(nights.path('whole', 'report.html'), encoding='utf-8').read()
    report.check('the report has a plot of the angle', 'Angle of the field' in page)
    words = nights.run('turns', 'words').stderr
    report.check('it is said once by how much it turns', words.count('The field turns: 7.') == 1, words)


def one_solved(report, nights):
    """Where the sky is known of one frame alone, turned as it is."""
    nights.draw('solved', f'--turn={TURN}')
    spoil(nights, 'solved', lambda k, head, counts: (head if k == 20 else head.replace(b'CTYPE', b'CSORT'), counts))
    nights.run('solved', 'of-solved')
    place, _, n = off_sky(nights, 'solved', 'of-solved')
    report.check('one solved frame serves all, though others are turned', n >= 10 and place < PLACE, f'{n} rows, {place:.2f} px')


def few_stars(report, nights):
    """A frame with five stars is turned as its neighbours say, with a word."""
    nights.draw('few', f'--turn={TURN}')
    truth, stars = nights.rows('few'), nights.rows('few', 'stars.csv')
    angle, (x0, y0) = math.radians(float(truth[25]['angle'])), (float(truth[25][key]) for key in 'xy')

    def without(k, head, counts):
        sky, kept = sorted(counts)[len(counts) // 2], 0
        for star in stars if k == 25 else ():           # the brightest first
            x, y = (float(star[key]) - (SIZE - 1) / 2 for key in 'xy')
            x, y = (round(to + (SIZE - 1) / 2) for to in (x * math.cos(angle) - y * math.sin(angle) + x0, x * math.sin(angle) + y * math.cos(angle) + y0))
            if kept < 5 and 15 < x < SIZE - 15 and 15 < y < SIZE - 15:
                kept += 1
                continue
            for at in range(81) if float(star['flux']) > 500 else ():
                if 0 <= x + at % 9 - 4 < SIZE and 0 <= y + at // 9 - 4 < SIZE:
                    counts[(y + at // 9 - 4) * SIZE + x + at % 9 - 4] = sky
        return head, counts

    spoil(nights, 'few', without)
    words = nights.run('few', 'of-few').stderr
    row = nights.rows('of-few')[25]
    report.check('the angle of a frame with few stars is not known', row['state'] == 'used' and row['angle_error'] == '' and '1 frame has too few stars' in words, f'{row} {words}')
    report.check('... and taken from those before', corner(float(row['angle']) - float(truth[25]['angle'])) < 0.5, f"{row['angle']}, {truth[25]['angle']}")


def others(report, nights):
    """What does not turn is not turned; and a turn about any place, behind the meridian too."""
    for name, words in (('steady', ()), ('drifts', ('--preset=C',)), ('rays', ('--cosmic-rays=3',)), ('breathes', ('--seeing=0.15', '--transparency=0.6'))):
        nights.draw(name, *words)
        told = nights.run(name, 'of-' + name, '--json')
        report.check(f'{name}: nothing turns, and no table says so', not set(ANGLES) & set(nights.rows('of-' + name)[0]) and json.loads(told.stdout)['turned'] == 0
                     and 'angles' not in told.stdout and 'turns' not in told.stderr, told.stdout[-300:])
    for name, words in (('outside', ('--turn=0.05', '--turn-about=260,-140')), ('flip', ('--turn=0.02', '--flip=21')), ('drift', ('--turn=0.2', '--preset=C'))):
        nights.draw(name, *words)
        nights.run(name, 'of-' + name, '--block', '6', '--history', '6')
        angles, shifts = angles_of(nights.rows(name), nights.rows('of-' + name))
        report.check(f'{name}: angles and shifts are the truth\'s', angles < CORNER and shifts < 2 * SHIFT, f'{angles:.3f} px of a corner, {shifts:.3f} px')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        followed(report, nights)
        one_solved(report, nights)
        few_stars(report, nights)
        others(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
