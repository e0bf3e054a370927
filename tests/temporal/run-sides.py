#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-sides.py BUILD: which frames predict the background of one, before it and after it.  One frame of a field has a lamp; the backgrounds that show it are told."""
import array
import csv
import math
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

COUNT, SIZE, LAMP, BROKEN = 44, 96, 18, 37
GROUP = 16                              # frames that have one reference
LIGHT, SEEN = 1200, 100                 # counts of the lamp; a background that has it has an eighth of that more
SETTINGS = ('--history', '8', '--block', '10', '--pictures', '0', '--every', '0', '--threshold', '6', '--track-threshold', '7')


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def blocks(data):
    """The length of a FITS header."""
    return next(at for at in range(2880, len(data) + 1, 2880) if any(data[card:card + 80].strip() == b'END' for card in range(at - 2880, at, 80)))


def add_lamp(path):
    with open(path, 'rb') as file:
        data = file.read()
    begin = blocks(data)
    numbers = array.array('h', data[begin:begin + 2 * SIZE * SIZE])
    numbers.byteswap()
    for at in (y * SIZE + x for y in range(SIZE // 2 - 1, SIZE // 2 + 2) for x in range(SIZE // 2 - 1, SIZE // 2 + 2)):
        numbers[at] += LIGHT
    numbers.byteswap()
    with open(path, 'wb') as file:
        file.write(data[:begin] + numbers.tobytes() + data[begin + 2 * SIZE * SIZE:])


def middle(folder, index):
    """Of a background."""
    with open(os.path.join(folder, 'background', f'{index:06d}.fits'), 'rb') as file:
        data = file.read()
    begin = blocks(data)
    numbers = array.array('f', data[begin:begin + 4 * SIZE * SIZE])
    numbers.byteswap()
    return numbers[SIZE // 2 * SIZE + SIZE // 2]


class Case:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        self.draw('field', f'--frames={COUNT}', '--seed=4', '--objects=8,0.4,-0.3')
        self.plain, self.lit, self.few = self.path('field', 'frames'), self.path('lit'), self.path('few')
        os.truncate(os.path.join(self.plain, f'frame-{BROKEN:05d}.fits'), 8000)
        shutil.copytree(self.plain, self.lit)
        add_lamp(os.path.join(self.lit, f'frame-{LAMP:05d}.fits'))
        shutil.copytree(self.plain, self.few)
        for name in sorted(os.listdir(self.few))[GROUP:]:
            os.remove(os.path.join(self.few, name))

        shutil.copytree(self.few, self.path('three'))
        for name in sorted(os.listdir(self.few))[3:]:
            os.remove(os.path.join(self.path('three'), name))

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, name, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--size={SIZE}x{SIZE}', *words, self.path(name)])
        assert done.returncode == 0, done.stderr

    def run(self, frames, name, *options):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), frames, '-o', self.path(name), *SETTINGS, *options])
        assert done.returncode == 0, done.stderr
        return self.path(name)

    def shown(self, name, *options):
        """The frames whose background has the lamp."""
        words = ('--method', 'from-shifts', '--degree', '0', '--keep-objects', '--write', 'background', *options)
        plain, lit = self.run(self.plain, name + '-plain', *words), self.run(self.lit, name + '-lit', *words)
        written = [int(file[:6]) for file in os.listdir(os.path.join(plain, 'background'))]
        return sorted(index for index in written if middle(lit, index) - middle(plain, index) > SEEN)


def lamp(report, case):
    """It is in no background but those of the frames that it predicts; not in its own."""
    for name, options, wanted in (('all', ('--slowest', '0'), (-4, -3, -2, -1, 1, 2, 3, 4)), ('slow', ('--slowest', '1.2'), (-6, -5, -4, -3, 3, 4, 5, 6)),
                                  ('slower', ('--slowest', '0.7'), (-8, -7, -6, -5, 5, 6, 7, 8)),
                                  ('past', ('--sides', 'past', '--slowest', '0'), range(1, 9)), ('slow-past', ('--sides', 'past', '--slowest', '1.2'), range(3, 11))):
        shown = case.shown(name, *options)
        report.check(f'{name}: the frames that the lamp predicts', [index - LAMP for index in shown] == list(wanted), f'{shown}')


def how_many(report, case):
    """On both sides each frame has as many as were asked for, the first and the last too, and beside one that cannot be read."""
    both, past = (rows(case.run(case.plain, f'sides-{sides}', '--sides', sides), 'shifts.csv') for sides in ('both', 'past'))
    report.check('both: each frame is predicted by 8', [row['history'] for row in both] == ['0' if i == BROKEN else '8' for i in range(COUNT)]
                 and {row['state'] for row in both} == {'used', 'unreadable'}, str([row['history'] for row in both]))
    seen = [int(row['history']) for row in past]
    report.check('past: those there were, but for half of them at least', past[0]['state'] == 'first' and seen[:13] == [0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 8], str(seen))
    few = [int(row['history']) for row in rows(case.run(case.path('three'), 'three-found'), 'shifts.csv')]
    report.check('of three frames, each is predicted', few == [1, 2, 1], str(few))


def what_comes(report, case):
    """In the past, frames that come later decide nothing; on both sides they do."""
    for sides, wanted in (('past', True), ('both', False)):
        all_of_it, some = (case.run(frames, f'{sides}-{name}', '--sides', sides, '--write', 'whitened') for frames, name in ((case.plain, 'all'), (case.few, 'few')))
        ours, theirs = ([{**row, 'transparency': ''} for row in rows(folder, 'shifts.csv')[:GROUP]] for folder in (all_of_it, some))      # that is against the middle frame
        same = ours == theirs
        for name in sorted(os.listdir(os.path.join(some, 'whitened'))):
            with open(os.path.join(some, 'whitened', name), 'rb') as ours, open(os.path.join(all_of_it, 'whitened', name), 'rb') as theirs:
                same = same and ours.read() == theirs.read()
        report.check(f'{sides}: the first frames are {"the same" if wanted else "others"} without those that follow', same == wanted)


def blocks_alone(report, case):
    """A block by itself is that of a whole run, byte for byte."""
    whole = case.run(case.lit, 'whole')
    for part in (3, 1, 5, 4, 2):
        case.run(case.lit, 'parts', '--part', f'{part}/5')
    for name in sorted(os.listdir(os.path.join(whole, 'blocks'))):
        with open(os.path.join(whole, 'blocks', name), 'rb') as ours, open(case.path('parts', 'blocks', name), 'rb') as theirs:
            report.check(f'{name} is the same by itself', ours.read() == theirs.read())


def slow(report, case):
    """What moves by 0.08 px a frame is no star if it is asked for; it is one track, however far apart searches are."""
    case.draw('slow', '--frames=200', '--seed=5', '--objects=12,0.06,-0.05', '--preset=B')
    way = {int(row['frame']): (float(row['x']), float(row['y'])) for row in rows(case.path('slow'), 'objects.csv')}
    seen = {}
    for speed, search in (('1', ('--stack', '100', '--fastest', '0.2')), ('0.08', ())):
        found = case.run(case.path('slow', 'frames'), f'slow-{speed}', '--history', '20', '--block', '100', '--slowest', speed, '--gain', '1.5', *search)
        at = [(int(row['frame']), float(row['x']), float(row['y'])) for row in rows(found, 'detections.csv')]
        seen[speed] = len({frame for frame, x, y in at if math.dist(way[frame], (x, y)) < 2})
        others = sum(math.dist(way[frame], (x, y)) > 4 for frame, x, y in at)
        report.check(f'--slowest {speed}: stars are no objects', others < 10, str(others))
    report.check('a slow object is in most frames, if it is asked for, and not else', seen['0.08'] > 150 and seen['1'] < 50, str(seen))
    numbers = [row['track'] for row in rows(found, 'tracks.csv') if math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < 2]
    report.check('it has one number', len(numbers) >= 3 and len(set(numbers)) == 1, str(numbers))


def words(report, case):
    for options, said in ((('--sides', 'future'), '--sides is both or past'), (('--slowest', '-1'), '--slowest is 0'), (('--slowest', '0.001'), '--slowest is 0')):
        done = case.gegl.command([os.path.join(case.gegl.build, 'tools', 'sequence', 'tessera-sequence'), case.plain, '-o', case.path('x'), *options])
        report.check(f'{" ".join(options)} is refused', done.returncode == 2 and said in done.stderr, done.stderr)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        case = Case(sys.argv[1], work)
        lamp(report, case)
        how_many(report, case)
        what_comes(report, case)
        blocks_alone(report, case)
        slow(report, case)
        words(report, case)
    return report.finish()


sys.exit(main())
