#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""demo.py BUILD OUT: every filter on a photograph, in C and on OpenCL; a table, and pictures in OUT."""
import os
import re
import sys

from common import Gegl, Picture, IMAGES

PHOTOGRAPH = os.path.join(IMAGES, 'mountains.jpg')
BLUR = ['tessera:motion-blur', 'length=40', 'angle=30']
GRID = ['tessera:bilateral-grid', 'spatial-sigma=12', 'range-sigma=0.12', 'guide=luminance', 'tone=perceptual']
ROWS = [
    ('bilateral-filter', ['tessera:bilateral-filter'] + GRID[1:]),
    ('bilateral-grid', GRID),
    ('cielab', ['tessera:cielab']),
    ('convolution', ['tessera:convolution', 'preset=emboss']),
    ('equalize', ['tessera:equalize', 'clip-limit=0']),
    ('equalize-local', ['tessera:equalize', 'clip-limit=3']),
    ('gaussian-blur', ['tessera:gaussian-blur', 'std-dev-x=12', 'std-dev-y=12']),
    ('label', ['tessera:label', 'threshold=0.3', 'min-area=20']),
    ('mean-blur', ['tessera:mean-blur', 'radius=10']),
    ('median-blur', ['tessera:median-blur', 'radius=6']),
    ('motion-blur', BLUR),
    ('sobel', ['tessera:sobel', 'input-channel=channels']),
    ('unsharp-mask', ['tessera:unsharp-mask', 'std-dev=3', 'amount=2']),
    ('two-filters', GRID + BLUR),
]
PATH = re.compile(r'^tessera: (\S+) \d+x\d+\S*: (?:OpenCL on (.*?), \d+ bands?|(C) \(.*?\)), .*in all ([\d.]+) ms')


def die(text, lines=()):
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(f'demo: FAILED: {text}')


def once(gegl, chain, picture, **env):
    """Runs a chain; returns (where each filter ran, milliseconds inside the filters)."""
    if os.path.exists(picture):
        os.remove(picture)
    code, lines = gegl.run([PHOTOGRAPH, '--'] + chain + ['gegl:png-save', f'path={picture}', 'bitdepth=8'],
                           TESSERA_DEBUG='paths,timings', **env)
    found = [match for match in map(PATH.match, lines) if match]
    strange = [line for line in lines if not line.startswith('tessera: ')]
    if code != 0 or strange or not os.path.exists(picture):
        die(f'gegl returned {code} for {" ".join(chain)}', lines)
    wanted = {word.split(':')[1] for word in chain if word.startswith('tessera:')}
    if {match[1] for match in found} != wanted:
        die(f'not every filter of {" ".join(chain)} ran', lines)
    return {match[2] or 'C' for match in found}, sum(float(match[4]) for match in found)


def best(gegl, chain, picture, **env):
    """The best of two: the first run of a new kernel waits for the driver's compiler."""
    runs = [once(gegl, chain, picture, **env) for _ in range(2)]
    return runs[0][0], min(milliseconds for _, milliseconds in runs)


def opencl_settings(gegl, picture):
    """GEGL's settings under which OpenCL runs here: a GPU where there is one, else the processor."""
    for kind in ('gpu', 'yes', 'cpu'):
        where, _ = once(gegl, BLUR, picture, GEGL_USE_OPENCL=kind, TESSERA_OPENCL='try')
        if where != {'C'}:
            return {'GEGL_USE_OPENCL': kind, 'TESSERA_OPENCL': 'force'}
    die('there is no OpenCL device, not even PoCL (package pocl-opencl-icd): OpenCL did not run')


def levels(gegl, one, other, out):
    """The largest difference of two pictures, in levels of 8 bits."""
    pictures = []
    for path in (one, other):
        ppm = os.path.join(out, 'compare.ppm')
        code, lines = gegl.run([path, '-o', ppm], GEGL_USE_OPENCL='no')
        if code != 0:
            die(f'{path} cannot be read back', lines)
        pictures.append(Picture(ppm))
        os.remove(ppm)
    return pictures[0].difference(pictures[1])


def main():
    build, out = sys.argv[1:]
    gegl = Gegl(build)
    os.makedirs(out, exist_ok=True)
    missing = gegl.missing()
    if missing:
        die(f'gegl does not know {", ".join(missing)} (modules in {gegl.build}/operations)')
    opencl = opencl_settings(gegl, os.path.join(out, 'motion-blur-opencl.png'))
    code, lines = gegl.run([PHOTOGRAPH, '--', 'gegl:png-save', 'path=' + os.path.join(out, 'original.png'), 'bitdepth=8'],
                           GEGL_USE_OPENCL='no')
    if code != 0:
        die('the photograph cannot be read', lines)

    table, bad, worst = [], [], 0
    for name, chain in ROWS:
        pictures = {leg: os.path.join(out, f'{name}-{leg}.png') for leg in ('c', 'opencl')}
        _, in_c = best(gegl, chain, pictures['c'], GEGL_USE_OPENCL='no')
        where, on_device = best(gegl, chain, pictures['opencl'], **opencl)
        if 'C' in where:
            die(f'{name}: OpenCL did not run')
        differs = levels(gegl, pictures['c'], pictures['opencl'], out)
        changed = levels(gegl, pictures['c'], os.path.join(out, 'original.png'), out)
        worst = max(worst, differs)
        if differs > 1:
            bad.append(f'{name}: C and OpenCL differ by {differs:.0f} of 255')
        if changed < 8:
            bad.append(f'{name}: the picture is hardly changed')
        table += [(name, 'C', f'{in_c:.0f}', ''), ('', ', '.join(sorted(where)), f'{on_device:.0f}', f'{differs:.0f} of 255')]

    head = ('filter', 'ran on', 'ms', 'C against OpenCL')
    widths = [max(len(row[i]) for row in [head] + table) for i in range(4)]
    print(f'{os.path.relpath(PHOTOGRAPH)}, time inside the filters, best of two; largest difference in 8-bit levels:\n')
    for row in [head, tuple('-' * width for width in widths)] + table:
        print('  '.join((cell.rjust if i == 2 else cell.ljust)(widths[i]) for i, cell in enumerate(row)).rstrip())
    if bad:
        die('; '.join(bad))
    agree = 'C and OpenCL agree' if worst == 0 else \
        'C and OpenCL agree to 1 of 255 (babl, which loads and saves, may choose other conversions from run to run)'
    print(f'\n{agree}.  The pictures are in {os.path.abspath(out)}:')
    for name in ['original'] + [f'{name}-{leg}' for name, _ in ROWS for leg in ('c', 'opencl')]:
        print(f'  {name}.png')


main()
