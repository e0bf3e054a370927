#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-calibration.py BUILD: a night through a camera with a bias, dark current with hot pixels, vignetting, dust and bad columns. With its
masters the frames are the night without the camera; masters are made robustly, kept, and made again where their frames are others."""
import array
import csv
import importlib
import json
import math
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
colours = importlib.import_module('run-colours')
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE, V = 20, colours.SIZE, (1.1, -0.7)
SHORT, LONG = 30, 60            # seconds of frames, and of darks
SETTINGS = ('--history', '8', '--block', '12', '--gain', '1.5', '--pictures', '0', '--keep-hot', '--json')
COLUMN, DUST = 71, (40, 84)
KINDS = ('bias', 'dark', 'flat')


class Camera:
    """What it adds to each pixel, and takes from its light; `cell`: pixels of the camera that one of the sky has on each axis."""

    def __init__(self, cell=1):
        dice = random.Random(7)
        self.size, self.cell = SIZE * cell, cell
        n = self.size ** 2
        columns = [dice.gauss(0, 6) for _ in range(self.size)]
        self.bias = [1000 + columns[i % self.size] for i in range(n)]
        self.rate = [0.5 + 2 * (i / n) ** 2 for i in range(n)]
        for _ in range(60):
            self.rate[dice.randrange(n)] += dice.uniform(5, 100)
        self.flat = [self.part(i % self.size / self.size, i // self.size / self.size) for i in range(n)]
        self.bad = [int(i % self.size == COLUMN * cell) for i in range(n)]

    @staticmethod
    def part(x, y):
        away = (x - 0.5) ** 2 + (y - 0.5) ** 2
        dust = math.dist((x * SIZE, y * SIZE), DUST)
        return (1 - 0.6 * away) * (0.7 if 3 < dust < 7 else 1)

    def level(self):
        """Of light, behind a flat whose median is 1."""
        return sorted(self.flat)[len(self.flat) // 2]

    def colour(self, i):
        """Of a mosaic: red, green, green, blue."""
        return colours.PARTS[2 * (i // self.size % 2) + i % self.size % 2] if self.cell > 1 else 1

    def expose(self, light, seconds, dice, noise=0.0):
        """`light`: of each pixel of the sky, or of all; a bad column is stuck."""
        counts = []
        for i, bias in enumerate(self.bias):
            at = i // self.size // self.cell * SIZE + i % self.size // self.cell
            bright = light[at] if isinstance(light, list) else light
            counts.append(60000 if self.bad[i] else bias + self.rate[i] * seconds + self.flat[i] * self.colour(i) * bright + (dice.gauss(0, noise) if noise else 0))
        return counts

    def write(self, path, counts, seconds=None, cards=()):
        more = (f'EXPTIME = {seconds}',) if seconds is not None else ()
        colours.write(path, (self.size, self.size), counts, (*more, *cards, *(("BAYERPAT= 'RGGB'",) if self.cell > 1 else ())))


def draw_masters(folder, camera):
    """Each with noise; a cosmic ray in one frame of each kind; flats as twilight fades."""
    dice = random.Random(11)
    for kind in KINDS:
        os.makedirs(os.path.join(folder, kind))
    for k in range(7):
        for kind, light, seconds in (('bias', 0, 0), ('dark', 0, LONG), ('flat', 30000 * 0.8 ** k, 1)):
            counts = camera.expose(light, seconds, dice, 3)
            if k == 2:
                counts[camera.size * 20 + 33] += 9000
            camera.write(os.path.join(folder, kind, f'{k}.fits'), counts, seconds)
    camera.write(os.path.join(folder, 'bad.fits'), camera.bad)


def floats(path):
    """Of a FITS file that the command wrote: one block of cards, or more."""
    with open(path, 'rb') as file:
        data = file.read()
    head = (data.index(b'END' + b' ' * 77) // 2880 + 1) * 2880
    width, height = (int(data[data.index(key):][10:30]) for key in (b'NAXIS1  ', b'NAXIS2  '))
    numbers = array.array('f', data[head:head + 4 * width * height])
    numbers.byteswap()
    return width, numbers


def write_floats(path, numbers):
    data = array.array('f', numbers)
    data.byteswap()
    lines = ['SIMPLE  = T', 'BITPIX  = -32', 'NAXIS   = 2', f'NAXIS1  = {SIZE}', f'NAXIS2  = {SIZE}', 'END']
    with open(path, 'wb') as file:
        file.write(''.join(line.ljust(80) for line in lines).ljust(2880).encode() + data.tobytes() + bytes(-len(data) * 4 % 2880))


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=3',
                                  '--preset=B', f'--objects=14,{V[0]},{V[1]}', self.path('field')])
        assert done.returncode == 0, done.stderr
        names = sorted(os.listdir(self.path('field', 'frames')))
        self.light = [[count - colours.BIAS for count in colours.counts(self.path('field', 'frames', name))] for name in names]
        with open(self.path('field', 'objects.csv'), newline='', encoding='utf-8') as file:
            self.way = {row['frame']: (float(row['x']), float(row['y'])) for row in csv.DictReader(file)}

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, name, camera):
        os.makedirs(self.path(name, 'frames'))
        draw_masters(self.path(name), camera)
        for k, light in enumerate(self.light):
            camera.write(self.path(name, 'frames', f'{k:03}.fits'), camera.expose(light, SHORT, None), SHORT)

    def words(self, name, **other):
        all_ = {'bias': 'bias', 'dark': 'dark', 'flat': 'flat', 'bad-pixels': 'bad.fits'}
        all_.update(other)
        return [word for kind, what in all_.items() if what for word in ('--' + kind, self.path(name, what))]

    def run(self, name, into, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), self.path(name, 'frames'), '-o', self.path(into), *SETTINGS, *words])
        return (json.loads(done.stdout) if done.stdout else {}), done.returncode, done.stderr

    def away(self, into, part):
        """Of calibrated frames from the truth, in counts: rms and worst; and the part of pixels without a number."""
        squares, worst, known, none = 0.0, 0.0, 0, 0
        for k in range(1, COUNT):
            width, numbers = floats(self.path(into, 'calibrated', f'{k:06}.fits'))
            for i, (number, light) in enumerate(zip(numbers, self.light[k])):
                if number != number:
                    none += 1
                    continue
                if i % width not in (0, 1, width - 2, width - 1) and abs(i % width - COLUMN) > 2:
                    squares += (number - light * part) ** 2
                    worst, known = max(worst, abs(number - light * part)), known + 1
        return math.sqrt(squares / max(known, 1)), worst, none / (known + none + 1)

    def found(self, into):
        """Rows of the object, and of others."""
        rows = sequence_test.rows(self.path(into), 'tracks.csv')
        near = [row for row in rows if math.dist(self.way[row['frame']], (float(row['x']), float(row['y']))) < 1.5
                and math.dist(V, (float(row['velocity_x']), float(row['velocity_y']))) < 0.3]
        return len(near), len(rows) - len(near)


def the_truth(report, nights, level):
    """A grey night against itself before it went through the camera."""
    os.makedirs(nights.path('pure'))
    os.symlink(nights.path('field', 'frames'), nights.path('pure', 'frames'))
    nights.run('pure', 'of-pure')
    hits, others = nights.found('of-pure')
    _, code, errors = nights.run('grey', 'of-grey', *nights.words('grey'), '--write', 'calibrated')
    rms, worst, none = nights.away('of-grey', level)
    report.check('the camera is gone from its frames', code == 0 and rms < 1.5 and worst < 12, f'rms {rms:.2f}, worst {worst:.1f} {errors}')
    report.check('a bad column is no number, and no more than that is none', none < 1.5 / SIZE, f'{none:.4f}')
    ours, false = nights.found('of-grey')
    report.check('the object is found as without the camera, and no more tracks', hits > 1 and ours >= hits - 1 and false <= others + 1, f'{ours} of {hits}, {false} and {others} others')
    report.check('what is done is told', errors.count('made of 7 frames') == 3 and '60 s is scaled to the exposure' in errors, errors)
    _, _, errors = nights.run('grey', 'of-raw', '--write', 'calibrated')
    rms, worst, _ = nights.away('of-raw', level)
    report.check('without masters it is there', rms > 300, f'rms {rms:.2f}')
    for kind in KINDS:
        nights.run('grey', 'of-less', *nights.words('grey', **{kind: None}), '--write', 'calibrated')
        less, _, _ = nights.away('of-less', level)
        report.check(f'and without the {kind}', less > 5, f'rms {less:.2f}')
        shutil.rmtree(nights.path('of-less'))


def mosaics(report, nights, level):
    """A flat keeps its colours apart, bad pixels are filled before 2 x 2 become one."""
    _, code, errors = nights.run('mosaic', 'of-mosaic', *nights.words('mosaic'), '--write', 'calibrated')
    middle = sum(colours.PARTS) / 4 * level
    rms, worst, none = nights.away('of-mosaic', middle)
    report.check('a mosaic: the camera is gone, and nothing else', code == 0 and rms < 1.5 and worst < 12, f'rms {rms:.2f}, worst {worst:.1f} {errors}')
    report.check('its bad pixels are filled', none == 0, f'{none:.4f}')
    ours, _ = nights.found('of-mosaic')
    report.check('and the object is found', ours > 1, str(ours))


def kept(report, nights):
    """Masters are taken again for the same bytes, and made again for others; each of them may be given by itself."""
    def masters():
        return sorted(os.listdir(nights.path('of-grey', 'masters')))

    before = masters()
    told, code, errors = nights.run('grey', 'of-grey', *nights.words('grey'), '--write', 'calibrated')
    report.check('masters are kept, and taken again', code == 0 and len(before) == 3 and masters() == before and 'made of' not in errors and told['blocks_made'] == 0, f'{before} {errors}')
    shutil.copytree(nights.path('grey', 'dark'), nights.path('grey', 'copy'))
    told, code, errors = nights.run('grey', 'of-grey', *nights.words('grey', dark='copy'), '--write', 'calibrated')
    report.check('copies of their frames are the same', code == 0 and 'made of' not in errors and told['blocks_made'] == 0, errors)
    damaged = nights.path('of-grey', 'masters', before[0])
    with open(damaged, 'rb') as file:
        whole = file.read()
    other = whole[:5004] + bytes([whole[5004] ^ 1]) + whole[5005:]                # of a number, which stays one
    for name, data in (('one that ends early', whole[:3000]), ('an empty one', b''), ('one with another number', other)):
        with open(damaged, 'wb') as file:
            file.write(data)
        told, code, errors = nights.run('grey', 'of-grey', *nights.words('grey'), '--write', 'calibrated')
        with open(damaged, 'rb') as file:
            report.check(f'{name} is made anew, with a word, and is what it was', code == 0 and 'made anew' in errors and file.read() == whole and told['blocks_made'] == 0, errors)
    os.remove(nights.path('grey', 'copy', '3.fits'))
    _, code, errors = nights.run('grey', 'of-grey', *nights.words('grey', dark='copy'), '--write', 'calibrated')
    report.check('fewer darks are another master, and other settings', code == 2 and 'made of 6 frames' in errors and 'dark' in errors.splitlines()[-1], errors)
    single = {kind: os.path.join('..', 'of-grey', 'masters', name) for kind in KINDS for name in before if name.startswith(kind)}
    _, code, errors = nights.run('grey', 'of-single', *nights.words('grey', **single), '--write', 'calibrated')
    pairs = [(nights.path('of-grey', *words), nights.path('of-single', *words)) for words in (('tracks.csv',), ('calibrated', '000007.fits'))]
    report.check('kept masters, given as files, do the same', code == 0 and all(sequence_test.filecmp.cmp(*pair, False) for pair in pairs), errors)
    for part in ('1/2', '2/2'):
        nights.run('grey', 'of-' + part[0], *nights.words('grey'), '--write', 'calibrated', '--part', part)
    done = nights.gegl.command([os.path.join(nights.gegl.build, 'tools', 'sequence', 'tessera-sequence'), 'merge', nights.path('of-1'), nights.path('of-2'), '-o', nights.path('merged')])
    report.check('parts elsewhere make the same masters and tables', done.returncode == 0
                 and all(sequence_test.filecmp.cmp(nights.path('of-grey', name), nights.path('merged', name), False) for name in sequence_test.TABLES[:3]), done.stderr)


def a_dark_alone(report, nights):
    """A folder of darks is what its master is as a file; another exposure is told."""
    _, code, errors = nights.run('grey', 'of-darks', '--dark', nights.path('grey', 'dark'))
    name, = os.listdir(nights.path('of-darks', 'masters'))
    report.check('a folder of darks is one dark', code == 0 and 'made of 7 frames' in errors and 'scaled only with --bias' in errors, errors)
    _, code, errors = nights.run('grey', 'of-dark', '--dark', nights.path('of-darks', 'masters', name))
    report.check('and its file is the same', code == 0 and 'made of' not in errors
                 and sequence_test.filecmp.cmp(nights.path('of-darks', 'shifts.csv'), nights.path('of-dark', 'shifts.csv'), False), errors)


def refusals(report, nights, camera):
    """What cannot be a master is refused, in words."""
    small, dice = nights.path('grey', 'small.fits'), random.Random(1)
    colours.write(small, (SIZE // 2, SIZE), [1000] * (SIZE * SIZE // 2))
    camera.write(nights.path('grey', 'zeros.fits'), [0] * SIZE ** 2, 1)
    shutil.copytree(nights.path('grey', 'dark'), nights.path('grey', 'mixed'))
    camera.write(nights.path('grey', 'mixed', '9.fits'), camera.expose(0, SHORT, dice, 3), SHORT)
    shutil.copytree(nights.path('grey', 'flat'), nights.path('grey', 'night'))
    camera.write(nights.path('grey', 'night', '9.fits'), camera.expose(0, 1, dice), 1)
    camera.write(nights.path('grey', 'no-light.fits'), camera.expose(0, LONG, dice, 8), LONG)
    camera.write(nights.path('grey', 'less.fits'), [count - 400 for count in camera.expose(0, 1, dice, 8)], 1)
    camera.write(nights.path('grey', 'little.fits'), camera.expose(400, 1, dice, 8), 1)
    for name, what, more, words in (('a flat that is a dark frame', 'no-light.fits', 'flat', 'without light: without bias and dark it has'), ('one below the bias', 'less.fits', 'flat', 'without light'), ('a small bias', 'small.fits', 'bias', '60 x 120'), ('a small flat', 'small.fits', 'flat', '60 x 120'), ('a flat of zeros', 'zeros.fits', 'flat', 'without light'),
                                    ('a flat of the night', 'night', 'flat', 'without light'), ('no such file', 'nowhere', 'bias', 'nowhere')):
        _, code, errors = nights.run('grey', 'of-refused', *nights.words('grey', **{more: what}))
        report.check(f'{name}: refused', code == 2 and words in errors, f'{code} {errors}')
    _, code, errors = nights.run('grey', 'of-little', *nights.words('grey', flat='little.fits'))
    report.check('a flat of little light is one', code in (0, 1) and 'without light' not in errors, errors)
    _, code, errors = nights.run('grey', 'of-counts', '--flat', nights.path('grey', 'little.fits'))
    report.check('a flat without bias and dark: a word', 'there is neither --bias nor --dark' in errors, errors)
    holes = [number if k % 101 else float('nan') for k, number in enumerate(camera.bias)]
    write_floats(nights.path('grey', 'holes.fits'), holes)
    _, code, errors = nights.run('grey', 'of-holes', *nights.words('grey', bias='holes.fits'), '--write', 'calibrated')
    rms, _, none = nights.away('of-holes', camera.level())
    report.check('pixels without a number in a master are bad, and no others', code in (0, 1) and rms < 1.5 and abs(none - 1 / 101 - 1 / SIZE) < 0.003, f'{code} {rms:.2f} {none:.3f} {errors}')
    _, code, errors = nights.run('grey', 'of-refused', '--dark', nights.path('grey', 'mixed'))
    report.check('darks of two exposures want a bias', code == 2 and '--bias' in errors, f'{code} {errors}')
    _, code, errors = nights.run('grey', 'of-mixed', *nights.words('grey', dark='mixed'), '--write', 'calibrated')
    rms, _, _ = nights.away('of-mixed', camera.level())
    report.check('... and are scaled with it', code == 0 and rms < 1.5, f'{rms:.2f} {errors}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        camera = Camera()
        nights.draw('grey', camera)
        nights.draw('mosaic', Camera(2))
        the_truth(report, nights, camera.level())
        mosaics(report, nights, camera.level())
        kept(report, nights)
        a_dark_alone(report, nights)
        refusals(report, nights, camera)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
