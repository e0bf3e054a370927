#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-bright.py BUILD: an object as bright as the brightest stars, or brighter, takes neither the frames' shifts nor the night; what is no picture of the stars does not become one by it."""
import array
import importlib
import math
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report
quality_test = importlib.import_module('run-quality')

BRIGHT, FAINT = '6000,0.9,-0.5', '30,-0.8,1.0'         # SNR, pixels a frame: the stars' brightest have 1000 to 3000
NEAR, HEAD = 3.0, 2880          # px; bytes of a frame's header
SETTINGS = ('--gain', '1.5', '--every', '4')
CLOUDS = (5, 16)


def away(nights, sky, found):
    """How wrong the shifts of used frames are, against the middle one."""
    both = [(float(row['x']) - float(then['x']), float(row['y']) - float(then['y']))
            for row, then in zip(nights.rows(found), nights.rows(sky)) if row['state'] in ('used', 'first')]
    middle = [quality_test.middle([one[axis] for one in both]) for axis in (0, 1)]
    return [math.dist(middle, one) for one in both]


def left_out(nights, found):
    return {int(row['frame']): row['reason'] for row in nights.rows(found) if row['state'] not in ('used', 'first')}


def on_the_way(nights, sky, found, name):
    """Rows of tracks that are of the object."""
    way = {int(row['frame']): (float(row['x']), float(row['y'])) for row in quality_test.sequence_test.rows(nights.path(sky), 'objects.csv') if row['object'] == name}
    return [row for row in quality_test.sequence_test.rows(nights.path(found), 'tracks.csv') if math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < NEAR]


def of_most_stars(report, nights):
    nights.draw('bright', f'--objects={FAINT};{BRIGHT}')
    nights.run('bright', 'of-bright', *SETTINGS)
    wrong = away(nights, 'bright', 'of-bright')
    report.check('no frame is left out because of a bright object', not left_out(nights, 'of-bright'), str(left_out(nights, 'of-bright')))
    report.check('shifts are those of most stars', max(wrong) < 0.05, f'worst {max(wrong):.3f} px')
    report.check('the faint object and the bright one have tracks', all(len(on_the_way(nights, 'bright', 'of-bright', name)) >= 2 for name in '01'))
    places = {(round(float(row['x'])), round(float(row['y']))) for row in quality_test.sequence_test.rows(nights.path('of-bright'), 'detections.csv')}
    report.check('the bright object is not cut by a rule for columns', len(places) < 2.5 * quality_test.COUNT, f'{len(places)} places of 2 objects in {quality_test.COUNT} frames')


def of_no_stars(report, nights):
    """Frames without stars have no shift, however bright what else there is."""
    nights.draw('hidden', f'--objects={FAINT};{BRIGHT}', '--bad=' + ';'.join(f'cloud,{k}' for k in CLOUDS))
    nights.run('hidden', 'of-hidden', *SETTINGS)
    report.check('clouds are left out, and no other frame', set(left_out(nights, 'of-hidden')) == set(CLOUDS), str(left_out(nights, 'of-hidden')))
    report.check('shifts around them are right', max(away(nights, 'hidden', 'of-hidden')) < 0.05)


def add_light(nights, sky, into, parts):
    """Copies a sky's frames; each part, of (x, y, height, sigma) in the first frame, moves by (1, -0.5) a frame."""
    dice, size = random.Random(7), quality_test.SIZE
    shutil.copytree(nights.path(sky), nights.path(into))
    for k, (name, move) in enumerate(zip(sorted(os.listdir(nights.path(into, 'frames'))), nights.rows(sky))):
        with open(nights.path(into, 'frames', name), 'r+b') as file:
            file.seek(HEAD)
            counts = array.array('H', file.read(2 * size * size))
            counts.byteswap()
            for x0, y0, height, sigma in parts:
                x0, y0, reach = x0 + k + float(move['x']), y0 - 0.5 * k + float(move['y']), int(5 * sigma) + 1
                for y in range(max(int(y0) - reach, 0), min(int(y0) + reach + 1, size)):
                    for x in range(max(int(x0) - reach, 0), min(int(x0) + reach + 1, size)):
                        light = height * math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 2 / sigma ** 2)
                        count = (counts[y * size + x] ^ 0x8000) + light + dice.gauss(0, math.sqrt(light / 1.5))
                        counts[y * size + x] = min(max(int(count + 0.5), 0), 60000) ^ 0x8000
            counts.byteswap()
            file.seek(HEAD)
            file.write(counts.tobytes())


def add_trail(path, at, slope, light):
    """Of a satellite, through the whole frame, close to the vertical; `light` on each row."""
    dice, size = random.Random(11), quality_test.SIZE
    with open(path, 'r+b') as file:
        file.seek(HEAD)
        counts = array.array('H', file.read(2 * size * size))
        counts.byteswap()
        for y in range(size):
            for x in range(int(at + slope * y) - 5, int(at + slope * y) + 7):
                more = light / 2.38 * math.exp(-(x - at - slope * y) ** 2 / 2 / 0.95 ** 2)
                counts[y * size + x] = int((counts[y * size + x] ^ 0x8000) + more + dice.gauss(0, math.sqrt(more / 1.5)) + 0.5) ^ 0x8000
        counts.byteswap()
        file.seek(HEAD)
        file.write(counts.tobytes())


def along_columns(report, nights):
    """A trail along columns is none of the camera's, wherever in a pixel its middle is, and however bright it is: a streak with all its light."""
    nights.draw('along', f'--objects={FAINT}')
    trails = {10: (80.0, 0.0, 400), 15: (80.5, 0.0, 400), 20: (80.25, 0.0, 400), 25: (80.0, 0.01, 400), 30: (75.0, 0.05, 400), 34: (80.0, 0.0, 3000), 37: (80.5, 0.0, 3000)}
    for frame, (at, slope, light) in trails.items():
        add_trail(nights.path('along', 'frames', f'frame-{frame:05d}.fits'), at, slope, light)
    nights.run('along', 'of-along', *SETTINGS)
    streaks = {int(row['frame']): row for row in quality_test.sequence_test.rows(nights.path('of-along'), 'streaks.csv')}
    parts = {frame: round(float(row['flux']) / trails.get(frame, (0, 0, 1))[2] / quality_test.SIZE, 2) for frame, row in streaks.items()}
    report.check('trails along columns are streaks', set(streaks) == set(trails) and all(0.9 < part < 1.1 for part in parts.values()), str(parts))


def in_wide_light(report, nights):
    """The drift's rim has objects where the sky is bright, too: wide light is no star."""
    size, count, dice = 96, 28, random.Random(7)
    stars = [(dice.uniform(4, size + 56), dice.uniform(4, size - 4), 8000 * 10 ** (-1.6 * dice.random())) for _ in range(20)]
    os.makedirs(nights.path('nebula'))
    for k in range(count):
        move = (dice.gauss(0, 0.12) - 30 + 0.6 * k, dice.gauss(0, 0.12))
        light = [150 * math.exp(-((i % size - move[0] - 25) ** 2 + (i // size - move[1] - 48) ** 2) / 2 / 35 ** 2) for i in range(size * size)]
        for x0, y0, flux in [(x + move[0], y + move[1], flux) for x, y, flux in stars] + [(4, 10 + 2.4 * k, 900)]:
            for y in range(max(int(y0) - 5, 0), min(int(y0) + 7, size)):
                for x in range(max(int(x0) - 5, 0), min(int(x0) + 7, size)):
                    light[y * size + x] += flux / 5.67 * math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 1.805)
        counts = array.array('h', (int(min(1000 + one + dice.gauss(0, math.sqrt(81 + one / 1.5)), 30000)) for one in light))
        counts.byteswap()
        cards = ''.join(f'{name:8}= {value:>20}'.ljust(80) for name, value in (('SIMPLE', 'T'), ('BITPIX', 16), ('NAXIS', 2), ('NAXIS1', size), ('NAXIS2', size)))
        data = (cards + 'END').ljust(HEAD).encode() + counts.tobytes()
        with open(nights.path('nebula', f'{k:03d}.fits'), 'wb') as file:
            file.write(data + bytes(-len(data) % HEAD))
    nights.gegl.command([os.path.join(nights.gegl.build, 'tools', 'sequence', 'tessera-sequence'), nights.path('nebula'), '-o', nights.path('of-nebula'), '--pictures', '0'])
    at = {int(row['frame']) for row in quality_test.sequence_test.rows(nights.path('of-nebula'), 'detections.csv')
          if math.dist((4, 10 + 2.4 * int(row['frame'])), (float(row['x']), float(row['y']))) < 2.5}
    report.check('wide light does not hide objects in the rim of a drift', len(at) >= 15, f'in {len(at)} frames')


def numbers(nights, found):
    """Of each track its rows; those of the object that was added, at (60, 120) at first, and others."""
    rows, near, far = quality_test.sequence_test.rows(nights.path(found), 'tracks.csv'), {}, {}
    for row in rows:
        frame, move = int(row['frame']), nights.rows(found)[int(row['frame'])]
        at = (60 + frame + float(move['x']), 120 - 0.5 * frame + float(move['y']))
        is_near = math.dist(at, (float(row['x']), float(row['y']))) < 25
        (near if is_near else far).setdefault(row['track'], []).append(row)
    return near, far


def wide(report, nights):
    """A comet is one object, with one more number where a bright star is in its way; two objects side by side are two, and neither is a streak.  Noise alone makes a track in one of ten such nights."""
    nights.draw('steady', f'--objects={FAINT}')
    for name, parts, objects in (('comet', ((60, 120, 40, 8.0), (60, 120, 300, 1.2)), 1), ('pair', ((60, 120, 2000, 0.95), (78, 126, 2000, 0.95)), 2)):
        add_light(nights, 'steady', name, parts)
        nights.run(name, 'of-' + name, *SETTINGS, '--false-tracks', '0.1')
        near, far = numbers(nights, 'of-' + name)
        streaks = quality_test.sequence_test.rows(nights.path('of-' + name), 'streaks.csv')
        wrong = [row for rows in near.values() for row in rows if math.dist((1, -0.5), (float(row['velocity_x']), float(row['velocity_y']))) > 0.6]
        report.check(f'{name}: {objects} of its own, with its velocity', objects <= len(near) <= 2 and not wrong, f'{sorted(near)} {wrong[:1]}')
        report.check(f'{name}: one other, and no streak', len(far) == 1 and not streaks, f'{sorted(far)} {len(streaks)} streaks')


def coarse(report, nights):
    """Numbers so coarse that the noise is a seventh of a step: of most pixels that are a step off none is an object, and the bright object is one all the same."""
    dice, size = random.Random(3), quality_test.SIZE
    nights.draw('coarse', f'--objects={FAINT}', '--preset=B')
    for name in os.listdir(nights.path('coarse', 'frames')):
        with open(nights.path('coarse', 'frames', name), 'r+b') as file:
            file.seek(HEAD)
            counts = array.array('H', file.read(2 * size * size))
            counts.byteswap()
            counts = array.array('H', (int(max((count ^ 0x8000) - 1000, 0) * 0.016 + 100.5 + dice.gauss(0, 0.03)) ^ 0x8000 for count in counts))
            counts.byteswap()
            file.seek(HEAD)
            file.write(counts.tobytes())
    done = nights.gegl.command([os.path.join(nights.gegl.build, 'tools', 'sequence', 'tessera-sequence'), nights.path('coarse', 'frames'), '-o', nights.path('of-coarse'), '--pictures', '0', *SETTINGS])
    near = on_the_way(nights, 'coarse', 'of-coarse', '0')
    tracks = {row['track'] for row in quality_test.sequence_test.rows(nights.path('of-coarse'), 'tracks.csv')}
    streaks = quality_test.sequence_test.rows(nights.path('of-coarse'), 'streaks.csv')
    report.check('noise of less than a step makes no tracks and no streaks', done.returncode == 0 and near and len(tracks) <= 2 and not streaks, f'{len(near)} rows, {len(tracks)} tracks, {len(streaks)} streaks {done.stderr[-200:]}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = quality_test.Nights(sys.argv[1], work)
        of_most_stars(report, nights)
        of_no_stars(report, nights)
        wide(report, nights)
        along_columns(report, nights)
        in_wide_light(report, nights)
        coarse(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
