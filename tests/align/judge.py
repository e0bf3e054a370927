#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""judge.py BUILD [FOLDER]: tessera:align judged from outside, on movements of photographs that are drawn here and therefore known, and on pairs that have
nothing in common.  The photographs are those of a folder that nothing was tuned to: large ones, such as Debian's wallpapers.

A success may be off by 2 pixels at a corner of the overlap, and no more.  What aligned means, how often it has to, and how near: BARS.  A failure
prints the line that repeats it, and --keep stores its pictures and the truth."""
import argparse
import math
import os
import pickle
import subprocess
import sys

import numpy as np

import gi
gi.require_version('Gegl', '0.4')
from gi.repository import Gegl

import drawn
import nothing

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OFF, SHARE, ENOUGH, MEDIAN = 2.0, 0.85, 0.4, 0.15       # pixels; of those with more overlap than this; pixels
LARGEST = 2600                                          # pixels of a photograph's longer side: more is reduced


# ----------------------------------------------------------------------- GEGL --

def can_be_opened(path):
    """Of a link to nothing, or of what is no picture, gegl:load makes a picture that says so."""
    try:
        with open(path, 'rb') as file:
            if file.read(8).startswith((b'\xff\xd8\xff', b'\x89PNG\r\n\x1a\n')):
                return True
    except OSError:
        pass
    print(f'{path} cannot be opened and is left out', file=sys.stderr)
    return False


def load(path):
    graph = Gegl.Node()
    last = graph.create_child('gegl:load')
    last.set_property('path', path)
    box = last.get_bounding_box()
    scale = LARGEST / max(box.width, box.height)
    if scale < 1:
        smaller = graph.create_child('gegl:scale-ratio')
        for axis in 'xy':
            smaller.set_property(axis, scale)
        last.link(smaller)
        last, box = smaller, smaller.get_bounding_box()
    buffer = Gegl.Buffer.new("R'G'B' u8", box.x, box.y, box.width, box.height)
    sink = graph.create_child('gegl:write-buffer')
    sink.set_property('buffer', buffer)
    last.link(sink)
    sink.process()
    data = buffer.get(box, 1.0, "R'G'B' u8", Gegl.AbyssPolicy.NONE)
    return np.frombuffer(data, np.uint8).reshape(box.height, box.width, 3)


def buffer_of(levels):
    height, width = levels.shape[:2]
    buffer = Gegl.Buffer.new("R'G'B' u8", 0, 0, width, height)
    buffer.set(Gegl.Rectangle.new(0, 0, width, height), "R'G'B' u8", levels.tobytes())
    return buffer


def save(levels, path):
    graph = Gegl.Node()
    source, sink = graph.create_child('gegl:buffer-source'), graph.create_child('gegl:png-save')
    source.set_property('buffer', buffer_of(levels))
    sink.set_property('path', path)
    source.link(sink)
    sink.process()


class Answer:
    """What tessera:align says of B on A."""

    def __init__(self, a, b, settings):
        graph = Gegl.Node()
        align, sink = graph.create_child('tessera:align'), graph.create_child('gegl:write-buffer')
        for name, value in settings.items():
            align.set_property(name, value)
        for levels, pad in ((b, 'input'), (a, 'aux')):
            source = graph.create_child('gegl:buffer-source')
            source.set_property('buffer', buffer_of(levels))
            source.connect_to('output', align, pad)
        align.link(sink)
        box = align.get_bounding_box()
        sink.set_property('buffer', Gegl.Buffer.new('RaGaBaA float', box.x, box.y, box.width, box.height))
        sink.process()
        self.aligned, self.error, self.inliers, self.reason = (align.get_property(name) for name in ('aligned', 'error', 'inliers', 'reason'))
        self.residual = align.get_property('residual') if align.find_property('residual') else math.nan
        self.matrix = np.array([float(word) for word in align.get_property('matrix').split()]).reshape(3, 3)


# --------------------------------------------------------------------- judging --

class Pairs:
    """Any pair can be drawn alone: each has a generator of its own."""

    def __init__(self, options):
        self.options, self.photographs = options, None

    def load(self):
        folder = self.options.folder
        names = sorted(name for name in os.listdir(folder) if name.endswith(('.jpg', '.png')) and can_be_opened(os.path.join(folder, name)))
        self.photographs = [drawn.Photograph(name.rsplit('.', 1)[0], load(os.path.join(folder, name))) for name in names]

    def get(self, kind, number):
        name = f'{os.path.basename(os.path.abspath(self.options.folder))}-{self.options.seed}-{kind.__name__}-{number}-{self.options.kind}'
        path = os.path.join(self.options.cache or '', name)
        if self.options.cache and os.path.exists(path):
            with open(path, 'rb') as file:
                return pickle.load(file)
        if not self.photographs:
            self.load()
        pair = kind(np.random.default_rng([self.options.seed, int(kind is nothing.Unrelated), number]), self.photographs, number, self.options.kind)
        if self.options.cache:
            os.makedirs(self.options.cache, exist_ok=True)
            with open(path, 'wb') as file:
                pickle.dump(pair, file)
        return pair


def keep(options, tag, pair, text):
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        base = os.path.join(options.keep, f'{tag}-{options.seed}')
        save(pair.a, base + '-a.png')
        save(pair.b, base + '-b.png')
        with open(base + '.txt', 'w', encoding='utf-8') as file:
            file.write(text + '\n')


def model_of(matrix):
    """The least that has this matrix."""
    m = matrix / matrix[2, 2]
    if abs(m[2, 0]) > 1e-12 or abs(m[2, 1]) > 1e-12:
        return 'homography'
    if abs(m[0, 0] - m[1, 1]) > 1e-7 or abs(m[0, 1] + m[1, 0]) > 1e-7:
        return 'affine'
    return 'similarity' if abs(m[0, 0] - 1) > 1e-7 or abs(m[0, 1]) > 1e-7 else 'translation'


class Judge:
    def __init__(self, options):
        self.options, self.pairs = options, Pairs(options)
        self.settings = dict(word.split('=', 1) for word in options.settings)
        for name, value in self.settings.items():
            try:
                self.settings[name] = float(value)
            except ValueError:
                pass
        self.rows, self.false, self.wrong, self.shown = [], [], [], 0

    def related(self, number):
        pair = self.pairs.get(drawn.Related, number)
        answer = Answer(pair.a, pair.b, self.settings)
        off = drawn.distances(answer.matrix, pair.matrix)
        worst = max(off) if answer.aligned else math.nan
        row = dict(number=number, kind=pair.kind, share=pair.share, aligned=answer.aligned, worst=worst, mean=sum(off) / len(off) if answer.aligned else math.nan,
                   told=answer.error, least=pair.least, model=model_of(answer.matrix) if answer.aligned else '')
        self.rows.append(row)
        text = f'{number:4} {pair.words}: ' + (f'{worst:.3f} px off, told {answer.error:.3f}, residual {answer.residual:.3f}, {answer.inliers} matches, '
                                               f'{pair.least} -> {row["model"]}' if answer.aligned else 'refused') + (f' "{answer.reason}"' if answer.reason else '')
        is_wrong = answer.aligned and worst > OFF
        if is_wrong:
            self.wrong.append(text)
        if is_wrong or not answer.aligned and pair.share > ENOUGH and self.options.keep_refused:
            keep(self.options, f'{"wrong" if is_wrong else "refused"}-{number}', pair,
                 f'{text}\nfound {answer.matrix.ravel().tolist()}\ntruth (B -> A) {pair.matrix.ravel().tolist()}')
        print(('WRONG ' if is_wrong else 'ok ' if answer.aligned else 'no ') + text, flush=True)

    def unrelated(self, number):
        pair = self.pairs.get(nothing.Unrelated, number)
        answer = Answer(pair.a, pair.b, self.settings)
        text = f'{number:4} unrelated {pair.words}: {answer.inliers} matches, told {answer.error:.3f}, matrix {answer.matrix.ravel().tolist()} "{answer.reason}"'
        if answer.aligned:
            self.false.append(text)
            keep(self.options, f'false-{number}', pair, text)
        if answer.aligned or self.options.verbose:
            print(('FALSE ' if answer.aligned else 'ok ') + text, flush=True)

    def sum_up(self, n_unrelated):
        rows, done = self.rows, [row for row in self.rows if row['aligned']]
        passed = failed = 0

        def bar(is_met, text):
            nonlocal passed, failed
            passed, failed = passed + bool(is_met), failed + (not is_met)
            print(('ok ' if is_met else 'FAIL ') + text)
        for kind in sorted({row['kind'] for row in rows}):
            table(kind, [row for row in rows if row['kind'] == kind])
        if rows:
            table('all', rows)
            calibration(done)
            enough = [row for row in rows if row['share'] > ENOUGH]
            share = sum(row['aligned'] for row in enough) / max(1, len(enough))
            median = np.median([row['worst'] for row in done]) if done else math.inf
            bar(not self.wrong, f'{len(self.wrong)} of {len(done)} successes off by more than {OFF:.0f} pixels at a corner of the overlap')
            bar(share >= SHARE, f'{100 * share:.1f} % aligned of {len(enough)} with an overlap over {ENOUGH}; {100 * SHARE:.0f} are asked for')
            bar(median < MEDIAN, f'median of the largest distance at a corner {median:.3f} pixels; under {MEDIAN} is asked for')
        if n_unrelated:
            bar(not self.false, f'{len(self.false)} of {n_unrelated} unrelated pairs aligned')
        print(f'{passed} passed, {failed} failed')
        return failed


def table(name, rows):
    worst = [row['worst'] for row in rows if row['aligned']]
    enough = [row for row in rows if row['share'] > ENOUGH]
    print(f'{name:8} {len(rows):4} drawn, {len(worst):4} aligned, of overlap over {ENOUGH} {sum(row["aligned"] for row in enough)} of {len(enough)}'
          + (f'; px off: median {np.median(worst):.3f}, 95 % {np.percentile(worst, 95):.3f}, worst {max(worst):.2f}' if worst else ''))


def calibration(done):
    """What is told beside what is so."""
    under = sum(row['worst'] > 2 * row['told'] for row in done)
    under_seen = sum(row['worst'] > max(2 * row['told'], 0.3) for row in done)
    over = sum(row['told'] > 1 and row['worst'] < 0.3 for row in done)
    silent = sum(row['told'] <= 1 and row['worst'] > 1 for row in done)
    ratio = sorted(row['worst'] / max(row['told'], 1e-9) for row in done)
    if done:
        print(f'told and true: true over twice the told {under} of {len(done)} (and over 0.3 px: {under_seen}); told over 1 px where true under 0.3: {over}; told under 1 px where true over 1: '
              f'{silent}; true / told median {ratio[len(ratio) // 2]:.2f}, 95 % {ratio[int(0.95 * (len(ratio) - 1))]:.2f}')
        pairs = sorted({(row['least'], row['model']) for row in done})
        print('model drawn -> found: ' + ', '.join(f'{a} -> {b} {sum((row["least"], row["model"]) == (a, b) for row in done)}' for a, b in pairs))


def begin_again(build):
    """GEGL reads its environment when it begins: the operations of the build and GEGL's own, one thread, and nothing of the person's."""
    modules = subprocess.run(['pkg-config', '--variable=pluginsdir', 'gegl-0.4'], check=True, capture_output=True, text=True).stdout.strip()
    path = os.path.join(os.path.abspath(build), 'operations') + os.pathsep + modules
    if os.environ.get('GEGL_PATH') != path:
        env = {name: value for name, value in os.environ.items() if not name.startswith(('TESSERA_', 'GEGL_'))}
        env.update(GEGL_PATH=path, GEGL_USE_OPENCL='no', GEGL_THREADS='1', OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1', LC_ALL='C.UTF-8')
        os.execve(sys.executable, [sys.executable, '-B', *sys.argv], env)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.add_argument('build', help='its operations are judged')
    parser.add_argument('folder', nargs='?', default=os.path.join(TOP, 'data', 'images'))
    parser.add_argument('--cases', default='0-59', help='numbers of related pairs, FROM-TO or one; "none"')
    parser.add_argument('--unrelated', default='0-27', help='of unrelated pairs')
    parser.add_argument('--seed', type=int, default=int.from_bytes(os.urandom(3), 'big'))
    parser.add_argument('--kind', default='', help='this kind of pair alone')
    parser.add_argument('--keep', default='', help='folder for the pictures of what is wrong')
    parser.add_argument('--keep-refused', action='store_true', help='and of what is refused with enough overlap')
    parser.add_argument('--cache', default='', help='folder that keeps the pairs for the next time')
    parser.add_argument('--draw', action='store_true', help='only fill the cache')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('settings', nargs='*', help='NAME=VALUE, of tessera:align')
    options = parser.parse_intermixed_args()
    if '=' in options.folder:
        options.settings, options.folder = [options.folder, *options.settings], parser.get_default('folder')
    begin_again(options.build)
    Gegl.init(None)
    print(f'seed {options.seed}, photographs of {options.folder}')
    judge = Judge(options)
    ranges = [range(0) if text == 'none' else range(int(text.split('-')[0]), int(text.split('-')[-1]) + 1) for text in (options.cases, options.unrelated)]
    if options.draw:
        for kind, numbers in zip((drawn.Related, nothing.Unrelated), ranges):
            for number in numbers:
                judge.pairs.get(kind, number)
        return 0
    for number in ranges[0]:
        judge.related(number)
    for number in ranges[1]:
        judge.unrelated(number)
    return 1 if judge.sum_up(len(ranges[1])) else 0


if __name__ == '__main__':
    sys.exit(main())
