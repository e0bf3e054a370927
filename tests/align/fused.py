#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""fused.py BUILD [PHOTOGRAPH...] [--speed] [--keep FOLDER] [--picture FILE]: brackets and focus stacks made from photographs (the bundled ones by default), through tessera:combine and, if it is
there, enfuse; each result is compared with the photograph by its structural similarity (SSIM, Wang et al. 2004, in squares of 8 pixels).

A bracket: the light of the photograph times a power of two, cut off at white, in 8 bits.  A focus stack: the photograph and a blurred one, mixed by smooth
masks that add up to 1.  enfuse runs as its manual says: as it is for a bracket; --exposure-weight=0 --saturation-weight=0 --contrast-weight=1 --hard-mask for a stack.

Bars: each stack is at least as good as enfuse's, each bracket within 0.01 of it, and the brackets are at least as good in the mean.  --speed: of 4 Mpix, three frames, at least
5 times as fast on the wall; enfuse's time is with its files."""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import drawn
import judge

from gi.repository import Gio

IMAGES = os.path.join(judge.TOP, 'data', 'images')
BUNDLED = [os.path.join(IMAGES, name + '.jpg') for name in ('friends', 'mountains', 'seeding', 'hubble_deep_field')]
BRACKETS = {'-2 0 +2': (-2, 0, 2), '-2 +2': (-2, 2), '-3 -1 +1': (-3, -1, 1), '-4 -2 0 +2 +4': (-4, -2, 0, 2, 4)}
STACKS = {'2 frames, 3 pixels': (2, 3.0), '3 frames, 6 pixels': (3, 6.0)}
FOR_FOCUS = ('--exposure-weight=0', '--saturation-weight=0', '--contrast-weight=1', '--hard-mask')
NEAR, SQUARE = 0.01, 8


def bracket(levels, stops):
    light = drawn.to_light(levels / 255.0)
    return [drawn.to_levels(light * 2.0 ** stop) for stop in stops]


def focus_stack(levels, n, sd):
    light = drawn.to_light(levels / 255.0).astype(np.float32)
    blurred = drawn.softened(light, sd)
    height, width = levels.shape[:2]
    y, x = np.mgrid[:height, :width]
    # Waves over the picture, each in a phase of its own; steep, so that most places are sharp in one frame.
    masks = np.exp([8 * np.cos(2 * np.pi * (x / width + k / n) + 2 * np.sin(2 * np.pi * y / height)) for k in range(n)])
    return [drawn.to_levels(blurred + (light - blurred) * mask[..., None]) for mask in masks / masks.sum(0)]


def means(plane):
    """Of all squares."""
    sums = np.pad(plane.cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)))
    return (sums[SQUARE:, SQUARE:] - sums[:-SQUARE, SQUARE:] - sums[SQUARE:, :-SQUARE] + sums[:-SQUARE, :-SQUARE]) / SQUARE ** 2


def similarity(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    mean_a, mean_b = means(a), means(b)
    product, squares = means(a * b) - mean_a * mean_b, means(a * a) - mean_a ** 2 + means(b * b) - mean_b ** 2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float(((2 * mean_a * mean_b + c1) * (2 * product + c2) / ((mean_a ** 2 + mean_b ** 2 + c1) * (squares + c2))).mean())


def buffers_of(frames):
    pictures = Gio.ListStore.new(judge.Gegl.Buffer)
    for levels in frames:
        pictures.append(judge.buffer_of(levels))
    return pictures


def ours(pictures, method, shape, clock=None):
    """`clock` gets what the operation took: seconds on the wall, and of the processors."""
    Gegl = judge.Gegl
    graph = Gegl.Node()
    combine, sink = graph.create_child('tessera:combine'), graph.create_child('gegl:write-buffer')
    combine.set_property('pictures', pictures)
    combine.set_property('method', method)
    box, buffer = Gegl.Rectangle.new(0, 0, shape[1], shape[0]), Gegl.Buffer.new("R'G'B' u8", 0, 0, shape[1], shape[0])
    sink.set_property('buffer', buffer)
    combine.link(sink)
    used, begun = time.process_time(), time.monotonic()
    sink.process()
    if clock is not None:
        clock.append((time.monotonic() - begun, time.process_time() - used))
    return np.frombuffer(buffer.get(box, 1.0, "R'G'B' u8", Gegl.AbyssPolicy.NONE), np.uint8).reshape(shape)


def enfuse(frames, method, folder):
    """(the picture, seconds on the wall and of the processors, with its files); None: there is no enfuse."""
    if not shutil.which('enfuse'):
        return None
    paths, out = [os.path.join(folder, f'enfuse-{i}.tif') for i in range(len(frames))], os.path.join(folder, 'enfuse.tif')
    for levels, path in zip(frames, paths):
        judge.save(levels, path)
    used, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(['enfuse', '-o', out, *(FOR_FOCUS if method == 'focus' else ()), *paths], check=True, capture_output=True)
    wall, now = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return judge.load(out), wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def compare(report, tag, frames, levels, method, folder, keep):
    """By how much ours is better than enfuse's; 0 without it."""
    got, other = ours(buffers_of(frames), method, levels.shape), enfuse(frames, method, folder)
    good = similarity(got, levels)
    one = max(similarity(frame, levels) for frame in frames)
    gain = good - similarity(other[0], levels) if other else 0.0
    if keep:
        for name, picture in ((f'{tag} ours', got), *([(f'{tag} enfuse', other[0])] if other else []), *((f'{tag} {i + 1}', frame) for i, frame in enumerate(frames))):
            judge.save(picture, os.path.join(keep, name.replace(' ', '_') + '.png'))
    is_good = gain >= (0.0 if method == 'focus' else -NEAR)
    report.append(is_good)
    print(f'{"ok" if is_good else "FAIL"} {tag}: {good:.4f}, the best frame {one:.4f}' + (f', enfuse {good - gain:.4f}' if other else ''), flush=True)
    return gain


def speed(report, levels, folder):
    """On all processors, as both commands run."""
    judge.Gegl.config().set_property('threads', os.cpu_count())
    times = [-(-1700 // levels.shape[0]), -(-2400 // levels.shape[1])]
    large = np.tile(levels, (*times, 1))[:1700, :2400]
    for method, frames in (('exposure', bracket(large, BRACKETS['-2 0 +2'])), ('focus', focus_stack(large, 3, 6.0))):
        pictures, clock = buffers_of(frames), []
        for _ in range(5):
            ours(pictures, method, large.shape, clock)
        best = min(clock)
        line = f'{method}, three frames of 4.1 Mpix: {best[0]:.2f} s, {best[1]:.2f} s of processor time'
        other = min((enfuse(frames, method, folder)[1:] for _ in range(2)), default=None) if shutil.which('enfuse') else None
        report.append(not other or best[0] * 5 <= other[0])
        print(line + (f'; enfuse with its files {other[0]:.2f} s, {other[1]:.2f} s of processor time: {other[0] / best[0]:.1f} times' if other else ''), flush=True)


def halved(levels):
    size = 768
    return np.rint(levels[:size, :size].reshape(size // 2, 2, size // 2, 2, 3).mean((1, 3))).astype(np.uint8)


def draw(path):
    """The picture of data/doc/align.md: two frames of a bracket and their fusion, two of a focus stack and theirs."""
    rows = []
    for name, method in (('friends', 'exposure'), ('seeding', 'focus')):
        levels = judge.load(os.path.join(IMAGES, name + '.jpg'))
        frames = bracket(levels, BRACKETS['-2 +2']) if method == 'exposure' else focus_stack(levels, 2, 6.0)
        rows.append(np.hstack([halved(picture) for picture in (*frames, ours(buffers_of(frames), method, levels.shape))]))
    graph = judge.Gegl.Node()
    source, sink = graph.create_child('gegl:buffer-source'), graph.create_child('gegl:jpg-save')
    source.set_property('buffer', judge.buffer_of(np.vstack(rows)))
    sink.set_property('path', path)
    sink.set_property('quality', 82)
    source.link(sink)
    sink.process()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('photographs', nargs='*', default=BUNDLED)
    parser.add_argument('--speed', action='store_true', help='the times alone')
    parser.add_argument('--keep', default='', help='folder for the pictures')
    parser.add_argument('--picture', default='', help='draws the picture of the page alone')
    parser.add_argument('--size', type=int, default=600, help='of the longer side: larger photographs are reduced')
    options = parser.parse_args()
    judge.begin_again(options.build)
    judge.Gegl.init(None)
    if options.picture:
        draw(options.picture)
        return 0
    judge.LARGEST = options.size
    report, gains = [], []
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for path in options.photographs[:1] if options.speed else options.photographs:
            levels, name = judge.load(path), os.path.basename(path).split('.')[0]
            if options.speed:
                speed(report, levels, folder)
                break
            gains += [compare(report, f'{name} {words}', bracket(levels, stops), levels, 'exposure', folder, options.keep) for words, stops in BRACKETS.items()]
            for words, (n, sd) in STACKS.items():
                compare(report, f'{name} {words}', focus_stack(levels, n, sd), levels, 'focus', folder, options.keep)
    if gains:
        report.append(sum(gains) >= 0)
        print(f'{"ok" if report[-1] else "FAIL"} brackets in the mean: {sum(gains) / len(gains):+.4f} over enfuse')
    print(f'{sum(report)} passed, {len(report) - sum(report)} failed')
    return sum(report) < len(report)


if __name__ == '__main__':
    sys.exit(main())
