#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-shadows.py BUILD: no graph of data/graphs turns shadows black, but those whose drawing is black; and the one against colour noise
brings a noisy picture nearer to the clean one.

The pictures: two photographs of data/images, one of them as dark as dusk, and one that is drawn: deep shadows with texture beside lights."""
import math
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES, TOP

GRAPHS = os.path.join(TOP, 'data', 'graphs')
LOAD = re.compile(r'(<param name=.path.>)[^<]*')
SAMPLE = re.compile(r'<!-- sample -->.*<!-- end of the sample -->', re.DOTALL)
BLACK_ON_PURPOSE = {'cartoon', 'count-galaxies', 'edge-map', 'seamless-texture'}
BLACK = 4.5 / 255 / 12.92               # light of what 8 bits store as 4 or less
MOST = 0.005                            # of the pixels
DUSK = ['gegl:exposure', 'exposure=-2.5']
SMALL = ['gegl:scale-size', 'x=480', 'y=360']
DRAWN = ['gegl:checkerboard', 'x=60', 'y=60', 'color1=rgb(0.06,0.05,0.05)', 'color2=rgb(0.5,0.55,0.6)', 'gegl:noise-hurl', 'pct-random=3', 'seed=5',
         'gegl:gaussian-blur', 'std-dev-x=2', 'std-dev-y=2', 'gegl:crop', 'x=0', 'y=0', 'width=480', 'height=360']
PICTURES = {'mountains': ('mountains.jpg', SMALL), 'seeding at dusk': ('seeding.jpg', SMALL + DUSK), 'drawn shadows': (None, DRAWN)}
# Two colours that are equally bright, and the same with noise of colour.
EQUAL = ['gegl:checkerboard', 'x=40', 'y=40', 'color1=rgb(0.80,0.62,0.22)', 'color2=rgb(0.40,0.66,0.90)', 'gegl:crop', 'x=0', 'y=0', 'width=240', 'height=200']
NOISE = ['gegl:noise-rgb', 'correlated=false', 'independent=true', 'gaussian=true', 'red=0.12', 'green=0.12', 'blue=0.12', 'alpha=0', 'seed=3']


def make(gegl, arguments, out, report, name):
    code, lines = gegl.run(arguments, GEGL_USE_OPENCL='no')
    made = code == 0 and os.path.exists(out)
    return Picture(out) if report.check(f'{name}: gegl makes it', made, f'exit {code}: {" | ".join(lines)}' if not made else '') else None


def drawn(gegl, photograph, chain, out, report, name):
    return make(gegl, ([os.path.join(IMAGES, photograph)] if photograph else []) + ['-o', out, '--'] + chain, out, report, name)


def applied(gegl, graph, picture, work, report, name):
    """What the graph makes of this picture."""
    with open(os.path.join(GRAPHS, graph + '.xml'), encoding='utf-8') as file:
        text = SAMPLE.sub(f"<node operation='gegl:load'><params><param name='path'>{picture}</param></params></node>", file.read())
    xml, out = os.path.join(work, f'{graph}.xml'), os.path.join(work, f'{graph}-{os.path.basename(picture)}.npy')
    with open(xml, 'w', encoding='utf-8') as file:
        file.write(LOAD.sub(rf'\g<1>{picture}', text))
    return make(gegl, [xml, '-o', out], out, report, name)


def levels(picture):
    """The brightest channel of each pixel."""
    colours = picture.pixels
    return [max(colours[i:i + 3]) for i in range(0, len(colours), picture.channels)]


def shadows(gegl, work, report):
    graphs = sorted(name[:-len('.xml')] for name in os.listdir(GRAPHS) if name.endswith('.xml'))
    for title, (photograph, chain) in PICTURES.items():
        stored = os.path.join(work, title.replace(' ', '-') + '.png')
        before = os.path.join(work, title.replace(' ', '-') + '.npy')
        gegl.run(([os.path.join(IMAGES, photograph)] if photograph else []) + ['-o', stored, '--'] + chain, GEGL_USE_OPENCL='no')
        original = make(gegl, [stored, '-o', before], before, report, title)
        for graph in graphs if original else ():
            result = None if graph in BLACK_ON_PURPOSE else applied(gegl, graph, stored, work, report, f'{graph} of {title}')
            if result:
                pairs = list(zip(levels(original), levels(result)))
                black = sum(was > BLACK >= now for was, now in pairs) / len(pairs)
                report.check(f'{graph} of {title}: at most {MOST:.1%} more pixels are black', black <= MOST, f'{black:.2%}')


def seen(light):
    light = min(max(light, 0), 1)
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def noise_of(picture, clean):
    """Decibels of PSNR, of values as they are seen."""
    square = math.fsum((seen(p) - seen(q)) ** 2 for p, q in zip(picture.pixels, clean.pixels)) / len(clean.pixels)
    return -10 * math.log10(square)


def colour_noise(gegl, work, report):
    """Where colours are equally bright, and in a photograph."""
    for title, photograph, chain, least in (('equally bright colours', None, EQUAL, 2), ('mountains', 'mountains.jpg', SMALL, 1)):
        clean = drawn(gegl, photograph, chain, os.path.join(work, 'clean.npy'), report, title)
        stored, before = os.path.join(work, 'noisy.png'), os.path.join(work, 'noisy.npy')
        gegl.run(([os.path.join(IMAGES, photograph)] if photograph else []) + ['-o', stored, '--'] + chain + NOISE, GEGL_USE_OPENCL='no')
        noisy = make(gegl, [stored, '-o', before], before, report, f'{title}, with noise')
        result = applied(gegl, 'less-color-noise', stored, work, report, f'less-color-noise of {title}')
        if clean and noisy and result:
            gained = noise_of(result, clean) - noise_of(noisy, clean)
            report.check(f'less-color-noise of {title}: nearer to the clean picture by {least} dB', gained >= least, f'{gained:.2f} dB')


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    with tempfile.TemporaryDirectory(prefix='tessera-shadows-') as work:
        shadows(gegl, work, report)
        colour_noise(gegl, work, report)
    report.finish()


main()
