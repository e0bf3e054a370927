#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-files.py BUILD: files that are no frames are named where the others are; a camera's raw files, three planes without a name, mosaics without a card, a strange
field and a leap second are taken for what they are, and said."""
import importlib
import json
import os
import random
import shutil
import statistics
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
colours = importlib.import_module('run-colours')
reports = importlib.import_module('run-reports')
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE = 18, colours.SIZE
SETTINGS = ('--history', '6', '--block', '12', '--every', '0', '--pictures', '0', '--json')
STRANGERS = 9


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        self.field = self.draw('field', '--seed=3')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, name, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--objects=',
                                  *words, self.path(name)])
        assert done.returncode == 0, done.stderr
        return self.path(name, 'frames')

    def copy(self, name):
        folder = self.path(name)
        shutil.copytree(self.field, folder)
        return folder, [os.path.join(folder, file) for file in sorted(os.listdir(folder))]

    def run(self, frames, name, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), frames, '-o', self.path(name), *SETTINGS, *words])
        return (json.loads(done.stdout) if done.stdout else {}), done.stderr

    def rows(self, name):
        return sequence_test.rows(self.path(name), 'shifts.csv')


def no_frames(report, nights):
    """A file that is dropped before there are frames has no number, but a name and a reason."""
    folder, files = nights.copy('no-frames')
    with open(files[4], 'wb') as file:
        file.write(b'no FITS at all' * 100)
    with open(os.path.join(folder, 'list.txt'), 'w', encoding='utf-8') as file:
        file.write('\n'.join([*files, 'nowhere.fits', 'notes.doc']))
    for what, wanted in ((folder, {os.path.basename(files[4])}), (os.path.join(folder, 'list.txt'), {os.path.basename(files[4]), 'nowhere.fits', 'notes.doc'})):
        told, errors = nights.run(what, f'of-{os.path.basename(what)}')
        left = {row['name']: row for row in told.get('left_out', ())}
        report.check(f'{os.path.basename(what)}: what is no frame is in left_out, with its reason', set(left) == wanted and all(row['reason'] and 'frame' not in row for row in left.values()),
                     f'{told} {errors}')
    told, _ = nights.run(nights.field, 'of-all')
    report.check('where all are frames, nothing is left out', told.get('left_out') == [], str(told))


def planes(report, nights):
    """Three planes that no card names may be three exposures: a line says what they are taken for."""
    numbers = colours.counts(os.path.join(nights.field, sorted(os.listdir(nights.field))[0]))
    for name, cards, n, is_told in (('guessed', (), 1, True), ('named', ("CTYPE3  = 'RGB'",), 1, False), ('moments', ("CTYPE3  = 'TIME'",), 3, False)):
        colours.write(nights.path(name + '.fits'), (SIZE, SIZE, 3), numbers * 3, cards)
        told, errors = nights.run(nights.path(name + '.fits'), name)
        report.check(f'{name}: {n} frames, {"with" if is_told else "without"} a word', told.get('frames') == n and ('CTYPE3' in errors) == is_told, f'{told} {errors}')


def mosaics(report, nights):
    """A frame without BAYERPAT is what the others are, if it has their size; a mosaic among frames that are none is named so."""
    folder, files = nights.copy('mosaics')
    for i, path in enumerate(files):
        numbers = colours.counts(path)
        if i == 7:
            colours.write(path, (SIZE, SIZE), numbers)
        elif i == 9:
            colours.write(path, (SIZE // 2, SIZE // 2), numbers[:SIZE * SIZE // 4])
        else:
            colours.write(path, (2 * SIZE, 2 * SIZE), colours.mosaic(numbers), () if i == 4 else ("BAYERPAT= 'RGGB'",))
    told, errors = nights.run(folder, 'of-mosaics')
    left = {row['frame']: row['reason'] for row in told.get('left_out', ())}
    report.check('a mosaic without BAYERPAT is one; a frame of another size is none', set(left) == {9} and f'{SIZE // 2} x {SIZE // 2}' in left[9], f'{left} {errors}')
    folder, files = nights.copy('one-mosaic')
    for i, path in enumerate(files):
        colours.write(path, (SIZE, SIZE), colours.counts(path), ("BAYERPAT= 'RGGB'",) if i == 4 else ())
    told, errors = nights.run(folder, 'of-one-mosaic')
    left = {row['frame']: row['reason'] for row in told.get('left_out', ())}
    report.check('one mosaic among frames that are none is left out as what it is', set(left) == {4} and 'Bayer mosaic' in left[4], f'{left} {errors}')


def write_raw(path, numbers):
    """A DNG: a TIFF of one mosaic, RGGB, of 14 bits with 64 for black, as light."""
    pixels = b''.join(struct.pack('<H', min(16383, 64 + max(0, round(number)))) for number in numbers)
    one, half = struct.pack('<ii', 1, 1), struct.pack('<ii', 0, 1)
    tags = [(254, 'I', [0]), (256, 'I', [SIZE]), (257, 'I', [SIZE]), (258, 'H', [16]), (259, 'H', [1]), (262, 'H', [32803]), (271, 'B', b'Maker\0'),
            (272, 'B', b'Model\0'), (273, 'I', [0]), (274, 'H', [1]), (277, 'H', [1]), (278, 'I', [SIZE]), (279, 'I', [len(pixels)]), (33421, 'H', [2, 2]),
            (33422, 'B', [0, 1, 1, 2]), (50706, 'B', [1, 4, 0, 0]), (50708, 'B', b'Maker Model\0'), (50714, 'H', [64]), (50717, 'H', [16383]),
            (50721, 'r', b''.join(one if i % 4 == 0 else half for i in range(9))), (50728, 'r', one * 3), (50778, 'H', [21])]
    at, rows, extra = 8 + 2 + 12 * len(tags) + 4, b'', b''
    values = {tag: value if kind == 'r' else struct.pack(f'<{len(value)}{kind}', *value) for tag, kind, value in tags}
    values[273] = struct.pack('<I', at + sum(len(value) for value in values.values() if len(value) > 4))
    for tag, kind, _ in tags:
        value = values[tag]
        rows += struct.pack('<HHI', tag, {'B': 1, 'H': 3, 'I': 4, 'r': 10}[kind], len(value) // {'B': 1, 'H': 2, 'I': 4, 'r': 8}[kind])
        rows += value.ljust(4, b'\0') if len(value) <= 4 else struct.pack('<I', at + len(extra))
        extra += value if len(value) > 4 else b''
    with open(path, 'wb') as file:
        file.write(b'II*\0' + struct.pack('<IH', 8, len(tags)) + rows + struct.pack('<I', 0) + extra + pixels)


def raws(report, nights):
    """A camera's raw files, under two endings, are frames: they move as the frames of FITS do.  One that is cut off is left out by name."""
    files = sorted(os.listdir(nights.field))
    os.mkdir(nights.path('raws'))
    for i, name in enumerate(files):
        path = nights.path('raws', f'{i:03}.{"NEF" if i % 2 else "dng"}')
        write_raw(path, colours.counts(os.path.join(nights.field, name)))
        if i == 5:
            os.truncate(path, os.path.getsize(path) * 2 // 3)
    told, errors = nights.run(nights.path('raws'), 'of-nothing')
    report.check('without GEGL\'s loader of raw files there are no frames, and no warning', not told and 'no frames' in errors and 'WARNING' not in errors, errors)
    nights.gegl.env['GEGL_PATH'] = Gegl(nights.gegl.build, all_modules=True).env['GEGL_PATH']
    told, errors = nights.run(nights.path('raws'), 'of-raws')
    left = {row['frame']: row['reason'] for row in told.get('left_out', ())}
    report.check('raw files are frames, but for the one that is cut off', told.get('used') == COUNT - 1 and set(left) == {5} and 'unpacking' in left[5], f'{told} {errors}')
    nights.run(nights.field, 'of-fits')
    ours, theirs = nights.rows('of-raws'), nights.rows('of-fits')
    off = [abs(float(a[axis]) - float(b[axis])) for i, (a, b) in enumerate(zip(ours, theirs)) if i != 5 for axis in 'xy']
    report.check('raw files move as the frames of FITS do', len(off) == 2 * (COUNT - 1) and max(off) < 0.1, str(off))
    light = statistics.median(float(row['sky']) for row in ours if row['sky']) / statistics.median(float(row['sky']) for row in theirs if row['sky'])
    report.check('a count of a raw file is light', abs(light / (65535 / (16383 - 64)) - 1) < 0.01, str(light))


def draw_sparse(path, stars, shift=(0, 0), seed=0):
    """Some stars on noise."""
    dice = random.Random(seed)
    numbers = [1000 + dice.gauss(0, 5) for _ in range(SIZE * SIZE)]
    for star_x, star_y, light in stars:
        for y in range(SIZE):
            for x in range(SIZE):
                away = (x - star_x - shift[0]) ** 2 + (y - star_y - shift[1]) ** 2
                if away < 50:
                    numbers[y * SIZE + x] += light * 2.718281828 ** (-away / 2)
    colours.write(path, (SIZE, SIZE), numbers)


def strangers(report, nights):
    """Of a strange field a few places lie where stars should be; none has their light.  A frame of the night that moved as far has it."""
    dice = random.Random(5)
    stars = [(dice.uniform(8, 40), dice.uniform(8, SIZE - 8), dice.uniform(1500, 6000)) for _ in range(7)]
    os.mkdir(nights.path('sparse'))
    for i in range(COUNT):
        draw_sparse(nights.path('sparse', f'{i:03}.fits'), stars, (0.2 * i, 0.1 * i), i)
    good, _ = nights.run(nights.path('sparse'), 'of-sparse')
    report.check('frames of few stars are used', good.get('used') == COUNT, str(good))
    for k in range(STRANGERS):
        other = [(dice.uniform(70, SIZE - 8), dice.uniform(8, SIZE - 8), dice.uniform(1500, 6000)) for _ in range(7)]
        draw_sparse(nights.path('sparse', '007.fits'), other, seed=100 + k)
        told, errors = nights.run(nights.path('sparse'), f'of-stranger-{k}')
        left = [row['frame'] for row in told.get('left_out', ())]
        report.check(f'stranger {k} is left out, and no other', left == [7], f'{left} {nights.rows(f"of-stranger-{k}")[7]} {errors}')


def leap_second(report, nights):
    """2016-12-31 ended with a second 60."""
    folder, files = nights.copy('leap')
    for i, path in enumerate(files):
        at = 58 + i / 4                 # seconds from 23:59:00 on
        day, second = ('2016-12-31T23:59', at) if at < 61 else ('2017-01-01T00:00', at - 61)
        reports.change(path, {'DATE-OBS': f"'{day}:{second:06.3f}'", 'EXPTIME': '0.125'})
    told, errors = nights.run(folder, 'of-leap')
    names = [row['name'] for row in nights.rows('of-leap')]
    report.check('a leap second does not turn the order', names == sorted(names) and 'order of their times' not in errors, f'{names} {told} {errors}')
    middles = [float(row['middle']) for row in nights.rows('of-leap')]
    wanted = [1483228740 + 58 + i / 4 + 0.0625 - (58 + i / 4 + 0.0625 >= 61) for i in range(COUNT)]
    report.check('middles count it', max(abs(a - b) for a, b in zip(middles, wanted)) < 1e-3, str([a - b for a, b in zip(middles, wanted)]))


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        no_frames(report, nights)
        planes(report, nights)
        mosaics(report, nights)
        raws(report, nights)
        strangers(report, nights)
        leap_second(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
