#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""bursts.py BUILD PHOTOGRAPH... [--keep FOLDER]: bursts of eight frames from the hand, drawn from large photographs, through tessera-stack at its
defaults.  What it makes has to be within 0.3 dB of the frames' mean by the movements with which they were drawn, and a mean asked for as well."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import drawn
import judge

FRAMES, DECIBEL = 8, 0.3
FULL, READ = 400.0, 3.0             # electrons of white, and of the reading
BURSTS = {'tilt 0.5': 0.5, 'tilt 2': 2.0, 'no tilt': 0.0}


def noisy(rng, light):
    electrons = light.clip(0) * FULL
    return drawn.to_levels(((rng.poisson(electrons) + rng.normal(0, READ, electrons.shape)) / FULL).astype(np.float32))


def draw(rng, photograph, tilt):
    """(the first frame without noise, the frames, how each moves onto the first)."""
    ratio = 0.7 * min(photograph.width / drawn.WIDTH, photograph.height / drawn.HEIGHT)
    of_first = np.array([[ratio, 0, (photograph.width - ratio * drawn.WIDTH) / 2], [0, ratio, (photograph.height - ratio * drawn.HEIGHT) / 2], [0, 0, 1.0]])
    matrices = [np.eye(3)]
    for _ in range(FRAMES - 1):
        shift = np.eye(3)
        shift[:2, 2] = rng.normal(0, 12, 2)
        matrix = shift @ drawn.about_middle(drawn.camera(rng, tilt * rng.uniform(0.4, 1), rng.normal(0, 1)))
        matrices.append(matrix / matrix[2, 2])
    lights = [photograph.frame(of_first @ matrix) for matrix in matrices]
    return lights[0], [noisy(rng, light) for light in lights], matrices


def moved(levels, matrix):
    """RaGaBaA in the box of the first frame."""
    Gegl = judge.Gegl
    graph = Gegl.Node()
    source, align = graph.create_child('gegl:buffer-source'), graph.create_child('tessera:align')
    source.set_property('buffer', judge.buffer_of(levels))
    align.set_property('known-matrix', ' '.join(f'{value:.12g}' for value in matrix.ravel()))
    source.link(align)
    box = Gegl.Rectangle.new(0, 0, drawn.WIDTH, drawn.HEIGHT)
    buffer, sink = Gegl.Buffer.new('RaGaBaA float', *(getattr(box, name) for name in ('x', 'y', 'width', 'height'))), graph.create_child('gegl:write-buffer')
    sink.set_property('buffer', buffer)
    align.link(sink)
    sink.process()
    return np.frombuffer(buffer.get(box, 1.0, 'RaGaBaA float', Gegl.AbyssPolicy.NONE), np.float32).reshape(drawn.HEIGHT, drawn.WIDTH, 4)


def decibels(levels, clean, where):
    return 10 * np.log10(255 ** 2 / ((levels.astype(np.float64) - clean) ** 2)[where].mean())


def one_burst(options, work, rng, photograph, name):
    clean, frames, matrices = draw(rng, photograph, BURSTS[name])
    clean = drawn.to_levels(clean).astype(np.float64)
    stacked = [moved(levels, matrix) for levels, matrix in zip(frames, matrices)]
    where = np.min([picture[..., 3] for picture in stacked], 0) > 0.999
    truth = decibels(drawn.to_levels(np.mean([picture[..., :3] for picture in stacked], 0)), clean, where)
    tag = f'{photograph.name}-{name}'.replace(' ', '-')
    paths = [os.path.join(work, f'{tag}-{i + 1}.png') for i in range(FRAMES)]
    for levels, path in zip(frames, paths):
        judge.save(levels, path)
    judge.save(clean.astype(np.uint8), os.path.join(work, f'{tag}-clean.png'))
    failed = 0
    for how in ([], ['--method', 'mean']):
        out = os.path.join(work, f'{tag}{"-mean" if how else ""}.png')
        done = subprocess.run([os.path.join(options.build, 'tools', 'stack', 'tessera-stack'), *paths, *how, '-o', out], capture_output=True, text=True)
        if done.returncode:
            print(f'FAIL {tag}: exit {done.returncode}, {done.stderr.strip()}')
            failed += 1
            continue
        got = decibels(judge.load(out), clean, where)
        is_near = got >= truth - DECIBEL
        failed += not is_near
        print(f'{"ok" if is_near else "FAIL"} {tag} {" ".join(how) or "by default"}: one frame {decibels(frames[0], clean, where):.2f} dB, the mean by the truth {truth:.2f}, '
              f'tessera-stack {got:.2f}', flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('photographs', nargs='+')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--keep', default='', help='folder for the frames')
    options = parser.parse_args()
    judge.begin_again(options.build)
    judge.Gegl.init(None)
    drawn.WIDTH, drawn.HEIGHT = 1200, 800
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        work = options.keep or folder
        os.makedirs(work, exist_ok=True)
        for path in options.photographs:
            photograph = drawn.Photograph(os.path.basename(path).split('_')[0].split('.')[0], judge.load(path))
            for number, name in enumerate(BURSTS):
                if options.only in name:
                    failed += one_burst(options, work, np.random.default_rng([options.seed, number]), photograph, name)
                    count += 2
    print(f'{count - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
