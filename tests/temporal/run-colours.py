#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-colours.py BUILD: a night of colours: as Bayer mosaics and as three planes a file, tessera-sequence finds what it finds in grey."""
import array
import csv
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

COUNT, SIZE, V = 24, 120, (1.1, -0.7)
BIAS = 1000                             # of the generator's frames
PARTS = (0.7, 1.0, 1.0, 0.55)           # of the light: red, green, green, blue
SETTINGS = ('--history', '8', '--block', '12', '--pictures', '0', '--json')


def counts(path):
    with open(path, 'rb') as file:
        data = file.read()
    numbers = array.array('h', data[2880:2880 + 2 * SIZE * SIZE])
    numbers.byteswap()
    return [number + 32768 for number in numbers]


def write(path, sizes, numbers, cards=()):
    lines = ['SIMPLE  = T', 'BITPIX  = 16', f'NAXIS   = {len(sizes)}', *(f'NAXIS{i + 1}  = {size}' for i, size in enumerate(sizes)),
             'BZERO   = 32768', 'BSCALE  = 1', *cards, 'END']
    data = array.array('h', (min(max(round(number), 0), 65535) - 32768 for number in numbers))
    data.byteswap()
    bytes_ = data.tobytes()
    with open(path, 'wb') as file:
        file.write(''.join(line.ljust(80) for line in lines).ljust(2880).encode() + bytes_ + bytes(-len(bytes_) % 2880))


def mosaic(numbers):
    """Each pixel as 2 x 2; red begins."""
    rows = []
    for y in range(SIZE):
        row = numbers[y * SIZE:(y + 1) * SIZE]
        for first, second in (PARTS[:2], PARTS[2:]):
            for number in row:
                rows += ((number - BIAS) * first + BIAS, (number - BIAS) * second + BIAS)
    return rows


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        gegl = Gegl(sys.argv[1])
        gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        program = os.path.join(gegl.build, 'tools', 'sequence', 'tessera-sequence')
        done = gegl.command([os.path.join(gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=3',
                             f'--objects=14,{V[0]},{V[1]}', os.path.join(work, 'field')])
        assert done.returncode == 0, done.stderr
        frames = os.path.join(work, 'field', 'frames')
        for folder in ('bayer', 'planes'):
            os.mkdir(os.path.join(work, folder))
        for name in sorted(os.listdir(frames)):
            numbers = counts(os.path.join(frames, name))
            write(os.path.join(work, 'bayer', name), (2 * SIZE, 2 * SIZE), mosaic(numbers), ("BAYERPAT= 'RGGB'",))
            write(os.path.join(work, 'planes', name), (SIZE, SIZE, 3), [(number - BIAS) * part + BIAS for part in (PARTS[0], PARTS[1], PARTS[3]) for number in numbers])
        write(os.path.join(work, 'dark.fits'), (2 * SIZE, 2 * SIZE), [BIAS] * (4 * SIZE * SIZE))
        with open(os.path.join(work, 'field', 'objects.csv'), newline='', encoding='utf-8') as file:
            way = {row['frame']: (float(row['x']), float(row['y'])) for row in csv.DictReader(file)}

        def run(name, what, *words):
            done = gegl.command([program, os.path.join(work, what) if what != 'grey' else frames, '-o', os.path.join(work, 'of-' + name), *SETTINGS, *words])
            rows = []
            if done.returncode == 0:
                with open(os.path.join(work, 'of-' + name, 'tracks.csv'), newline='', encoding='utf-8') as file:
                    rows = list(csv.DictReader(file))
            near = [row for row in rows if math.dist(way[row['frame']], (float(row['x']), float(row['y']))) < 1.5
                    and math.dist(V, (float(row['velocity_x']), float(row['velocity_y']))) < 0.3]
            return done, len(near)

        _, wanted = run('grey', 'grey')
        for name, what, words, said in (('bayer', 'bayer', (), 'mean of 2 x 2'), ('green', 'bayer', ('--bayer', 'green'), 'green'),
                                        ('luminance', 'bayer', ('--bayer', 'luminance'), 'luminance'),
                                        ('dark', 'bayer', ('--dark', os.path.join(work, 'dark.fits')), 'mean of 2 x 2'), ('planes', 'planes', (), '')):
            done, found = run(name, what, *words)
            used = json.loads(done.stdout)['used'] if done.stdout else 0
            report.check(f'{name}: each file is a frame, and the object is found as in grey', used == COUNT and 0 < wanted - 1 <= found and said in done.stderr,
                         f'{used} frames, {found} of {wanted} {done.stderr}')
        done, _ = run('kept', 'bayer', '--bayer', 'none')
        report.check('a mosaic may be left as it is', done.returncode in (0, 1) and 'stay as they are' in done.stderr, done.stderr)
        done, _ = run('bayer', 'bayer', '--bayer', 'green')
        report.check('another way with mosaics is another setting', done.returncode == 2 and 'bayer' in done.stderr, done.stderr)
        done, _ = run('wrong', 'bayer', '--bayer', 'rgb')
        report.check('a way that is none is refused', done.returncode == 2 and '--bayer' in done.stderr, done.stderr)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
