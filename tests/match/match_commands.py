# SPDX-License-Identifier: LGPL-3.0-or-later
"""For tests of tessera-match: the command, files of keypoints, what a matrix does."""
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, IMAGES

TURNED = [1.1, -0.2, 40.0, 0.2, 1.1, -30.0, 0.0, 0.0, 1.0]
MIRRORED = [-1.0, 0.0, 899.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


def mapped(m, x, y):
    w = m[6] * x + m[7] * y + m[8]
    return (m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w


def points(matrix, right, wrong, seed=1):
    """Keypoints of A and B, (x, y, sigma, angle, descriptor); the first `right` ones are the same."""
    rng = random.Random(seed)
    a, b = [], []
    for i in range(right + wrong):
        x, y = rng.uniform(0, 900), rng.uniform(0, 600)
        d = [rng.randrange(256) for _ in range(128)]
        there = mapped(matrix, x, y) if i < right else (rng.uniform(0, 900), rng.uniform(0, 600))
        b.append((x, y, 2.0, 30.0, d))
        a.append((*there, 2.0, 60.0, [min(255, max(0, v + rng.randint(-4, 4))) for v in d]))
    rng.shuffle(a)
    return a, b


def write(path, keypoints):
    ending = os.path.splitext(path)[1]
    with open(path, 'w', encoding='ascii') as file:
        file.write('x,y,sigma,angle,response,octave,layer,' + ','.join(f'd{k}' for k in range(128)) + '\n' if ending == '.csv' else f'{len(keypoints)} 128\n')
        for x, y, sigma, angle, d in keypoints:
            if ending == '.key':
                turned = -math.radians(angle)
                file.write(f'{y:.4f} {x:.4f} {sigma:.4f} {turned:.6f}')
                file.write(''.join(('\n ' if k % 20 == 0 else ' ') + str(v) for k, v in enumerate(d)) + '\n')
            elif ending == '.txt':
                file.write(f'{x + 0.5:.4f} {y + 0.5:.4f} {sigma:.4f} {math.radians(angle):.6f} ' + ' '.join(map(str, d)) + '\n')
            else:
                file.write(f'{x:.4f},{y:.4f},{sigma:.4f},{angle:.4f},0.02,0,1,' + ','.join(map(str, d)) + '\n')
    return path


class Command:
    def __init__(self, build, work):
        self.gegl = Gegl(build)
        self.program = os.path.join(self.gegl.build, 'tools', 'match', 'tessera-match')
        self.work = work

    def __call__(self, *words, timeout=300, **env):
        return self.gegl.command([self.program, *words], timeout, cwd=self.work, GEGL_USE_OPENCL='no', GEGL_SWAP='RAM', TMPDIR=self.work, **env)


def corner_error(found, wanted, width=900, height=600):
    return sum(math.dist(mapped(found, x, y), mapped(wanted, x, y)) for x in (0, width) for y in (0, height)) / 4


def matrix_of(output):
    lines = output.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('Matrix ('))
    return [float(word) for line in lines[at + 1:at + 4] for word in line.split()]


def make_turned(match, path):
    """A part of a photograph, turned by 20 degrees."""
    match.gegl.run([os.path.join(IMAGES, 'friends.jpg'), '-o', path, '--', 'gegl:rotate', 'origin-x=384', 'origin-y=384', 'degrees=20',
                    'gegl:crop', 'x=0', 'y=0', 'width=700', 'height=600'], GEGL_USE_OPENCL='no')


def make_small(match, path):
    match.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', path, '--', 'gegl:scale-ratio', 'x=0.3', 'y=0.3'], GEGL_USE_OPENCL='no')
