#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""demo.py BUILD OUT [ROW...]: every filter on a photograph, or the rows named, in C and on OpenCL; a table, and pictures in OUT:
NAME.png, NAME-opencl.png if that one is not the same, and all on one page, index.html."""
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tests'))
from common import Gegl, Picture, IMAGES, OPERATIONS, OTHERS
import moving

# The pictures to start from: a photograph, and what is done to it first.
ORIGINALS = {
    'original': ('mountains.jpg', []),
    'original-stars': ('hubble_deep_field.jpg', []),
    'original-soft': ('mountains.jpg', ['gegl:gaussian-blur', 'std-dev-x=1.2', 'std-dev-y=1.2']),
    'original-specks': ('mountains.jpg', ['gegl:noise-hurl', 'pct-random=2', 'seed=7']),
}
BLUR = ['tessera:motion-blur', 'length=40', 'angle=30']
GRID = ['tessera:bilateral-grid', 'spatial-sigma=4', 'range-sigma=0.08', 'tone=perceptual']
ROWS = [
    ('bilateral-filter', ['tessera:bilateral-filter'] + GRID[1:]),
    ('bilateral-grid', GRID),
    ('cielab', ['tessera:cielab']),
    ('convolution', ['tessera:convolution', 'preset=emboss']),
    ('detail', ['tessera:detail', 'texture=1', 'clarity=1']),
    ('equalize', ['tessera:equalize', 'clip-limit=0']),
    ('equalize-local', ['tessera:equalize', 'clip-limit=3']),
    ('gaussian-blur', ['tessera:gaussian-blur', 'std-dev-x=12', 'std-dev-y=12']),
    ('label', ['tessera:label', 'threshold=0.06', 'min-area=20'], 'original-stars'),
    ('mean-blur', ['tessera:mean-blur', 'radius=10']),
    ('median-blur', ['tessera:median-blur', 'radius=1'], 'original-specks'),
    ('motion-blur', BLUR),
    ('sharpen-lens', ['tessera:sharpen-lens', 'radius=1.2'], 'original-soft'),
    ('sobel', ['tessera:sobel', 'gegl:invert-gamma']),
    ('tone', ['tessera:tone', 'shadows=1.5', 'highlights=0.5']),
    ('unsharp-mask', ['tessera:unsharp-mask', 'std-dev=1.5', 'amount=0.8']),
    ('two-filters', GRID + BLUR),
]
# A filter that has no row is shown with its defaults.
ROWS += [(name.split(':')[1], [name]) for name in OPERATIONS if name.split(':')[1] not in OTHERS and not any(name in row[1] for row in ROWS)]
PATH = re.compile(r'^tessera: (\S+) \d+x\d+\S*: (?:OpenCL on (.*?), \d+ bands?|(C) \(.*?\)), .*in all ([\d.]+) ms')
NO_DEVICE = re.compile(r'GEGL-WARNING.*OpenCL.*failed')


def die(text, lines=()):
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(f'demo: FAILED: {text}')


def say(text):
    print(text, flush=True)


def once(gegl, original, chain, picture, may_have_none=False, **env):
    """Runs a chain; returns (where each filter ran, milliseconds inside the filters).  may_have_none: GEGL may say that it has
    no device of the kind (0.4.72 does)."""
    if os.path.exists(picture):
        os.remove(picture)
    code, lines = gegl.run([original, '--'] + chain + ['gegl:png-save', f'path={picture}', 'bitdepth=8'],
                           TESSERA_DEBUG='paths,timings', **env)
    found = [match for match in map(PATH.match, lines) if match]
    strange = [line for line in lines if not line.startswith('tessera: ') and not (may_have_none and NO_DEVICE.search(line))]
    if code != 0 or strange or not os.path.exists(picture):
        die(f'gegl returned {code} for {" ".join(chain)}', lines)
    wanted = {word.split(':')[1] for word in chain if word.startswith('tessera:')}
    if not wanted <= {match[1] for match in found}:              # SIFT draws with another
        die(f'not every filter of {" ".join(chain)} ran', lines)
    return {match[2] or 'C' for match in found}, sum(float(match[4]) for match in found)


def best(gegl, original, chain, picture, **env):
    """The best of two: the first run of a new kernel waits for the driver's compiler."""
    runs = [once(gegl, original, chain, picture, **env) for _ in range(2)]
    return runs[0][0], min(milliseconds for _, milliseconds in runs)


def opencl_settings(gegl, original, picture):
    """GEGL's settings under which OpenCL runs here: a GPU where there is one, else the processor."""
    for kind in ('gpu', 'yes', 'cpu'):
        where, _ = once(gegl, original, BLUR, picture, True, GEGL_USE_OPENCL=kind, TESSERA_OPENCL='try')
        if where != {'C'}:
            return {'GEGL_USE_OPENCL': kind, 'TESSERA_OPENCL': 'force'}, where.pop()
    die('there is no OpenCL device, not even PoCL (package pocl-opencl-icd): OpenCL did not run')


def make_originals(gegl, out):
    paths = {}
    for name, (photograph, chain) in ORIGINALS.items():
        paths[name] = os.path.join(out, name + '.png')
        code, lines = gegl.run([os.path.join(IMAGES, photograph), '--', *chain, 'gegl:png-save', 'path=' + paths[name], 'bitdepth=8'],
                               GEGL_USE_OPENCL='no')
        if code != 0:
            die(f'{photograph} cannot be read', lines)
    return paths


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


def compare(gegl, name, original, chain, out, opencl):
    """Runs a filter both ways; returns (ms in C, ms on the device, where that is, what differs, how much is changed, pictures).
    Where both pictures are the same, one is kept."""
    pictures = {leg: os.path.join(out, f'{name}{leg}.png') for leg in ('', '-opencl')}
    _, in_c = best(gegl, original, chain, pictures[''], GEGL_USE_OPENCL='no')
    where, on_device = best(gegl, original, chain, pictures['-opencl'], **opencl)
    if 'C' in where:
        die(f'{name}: OpenCL did not run')
    differs = levels(gegl, pictures[''], pictures['-opencl'], out)
    changed = levels(gegl, pictures[''], original, out)
    if differs == 0:
        os.remove(pictures.pop('-opencl'))
    return in_c, on_device, where, differs, changed, [os.path.basename(path) for path in pictures.values()]


def print_table(rows):
    head = ('filter', 'ran on', 'ms', 'C against OpenCL')
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(4)]
    print('\nTime inside the filters, best of two; largest difference in 8-bit levels:\n')
    for row in [head, tuple('-' * width for width in widths)] + rows:
        print('  '.join((cell.rjust if i == 2 else cell.ljust)(widths[i]) for i, cell in enumerate(row)).rstrip())


def print_notes(device, slower, worst):
    """What the table does not say by itself."""
    print()
    if worst == 1:
        print('(1) Loading and saving the picture can change a value by 1 of 255 between runs. That is babl choosing its conversions, and\n'
              '    happens with GEGL\'s own filters too. The filters give the same bits in C and on OpenCL; ./run test compares those.')
    if slower and is_processor(device):
        print('OpenCL is slower than C here because this OpenCL device (PoCL) is the processor itself. The same cores run code that was\n'
              'not written for them, and the picture is copied there and back. This demo forces OpenCL. The default,\n'
              'TESSERA_OPENCL=auto, takes C here.')
    elif slower:
        print('Where OpenCL is slower than C, TESSERA_OPENCL=auto, the default, takes C.')


def write_page(out, shown, found, moved):
    """index.html: each filter's picture beside the one it was made of; what moves in a star field.  shown: (filter, its chain,
    original, picture)."""
    rows = [f'<h2>{name}</h2><p><code>{html.escape(" ".join(chain))}</code></p>\n'
            f'<img src="{original}" alt="before"> <img src="{picture}" alt="after">' for name, chain, original, picture in shown]
    rows.append(f'<h2>tessera-sequence</h2><p>{html.escape(found)}. Left: the mean of all frames, with the way of the object. Right: the frames '
                'less their background, added along that way.</p>\n' + ' '.join(f'<img src="{picture}" alt="found">' for picture in moved))
    with open(os.path.join(out, 'index.html'), 'w', encoding='utf-8') as file:
        file.write('<!DOCTYPE html>\n<meta charset="utf-8"><title>Tessera</title>\n<style>img { width: 48% }</style>\n'
                   '<h1>Each filter: before and after</h1>\n' + '\n'.join(rows) + '\n')


def is_processor(device):
    return 'Portable Computing Language' in device or 'llvmpipe' in device


def main():
    build, out, *names = sys.argv[1:]
    chosen = [row for row in ROWS if not names or row[0] in names]
    if not chosen:
        die(f'no row is called {" or ".join(names)}')
    gegl = Gegl(build, all_modules=True)
    os.makedirs(out, exist_ok=True)
    missing = gegl.missing()
    if missing:
        die(f'gegl does not know {", ".join(missing)} (modules in {gegl.build}/operations)')
    say('Looking for an OpenCL device, whose compiler takes a while the first time')
    originals = make_originals(gegl, out)
    opencl, device = opencl_settings(gegl, originals['original'], os.path.join(out, 'motion-blur-opencl.png'))
    say(f'OpenCL runs on {device}')

    table, shown, bad, worst, slower, pictures = [], [], [], 0, False, [os.path.basename(path) for path in originals.values()]
    for i, (name, chain, *other) in enumerate(chosen):
        original = originals[(other or ['original'])[0]]
        in_c, on_device, where, differs, changed, made = compare(gegl, name, original, chain, out, opencl)
        shown.append((name, chain, os.path.basename(original), made[0]))
        say(f'[{i + 1}/{len(chosen)}] {name}: {in_c:.0f} ms in C, {on_device:.0f} ms on OpenCL')
        pictures += made
        worst, slower = max(worst, differs), slower or on_device > in_c
        if differs > 1:
            bad.append(f'{name}: C and OpenCL differ by {differs:.0f} of 255')
        if changed < 8:
            bad.append(f'{name}: the picture is hardly changed')
        table += [(name, 'C', f'{in_c:.0f}', ''),
                  ('', ', '.join(sorted(where)), f'{on_device:.0f}', f'{differs:.0f} of 255' + (' (1)' if differs == 1 else ''))]

    found, moved, wrong = moving.find(gegl, out)
    say(found)
    bad += wrong
    print_table(table)
    print_notes(device, slower, worst)
    if bad:
        die('; '.join(bad))
    agree = 'C and OpenCL agree' if worst == 0 else 'C and OpenCL agree to 1 of 255 (1)'
    write_page(out, shown, found, moved)
    print(f'\n{agree}.  The pictures are in {os.path.abspath(out)}:')
    for picture in pictures + moved:
        print(f'  {picture}')
    print(f'All of them, before and after, on one page: {os.path.join(os.path.abspath(out), "index.html")}')


main()
