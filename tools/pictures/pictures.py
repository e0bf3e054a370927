#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""pictures.py BUILD [NAME...]: makes the pictures of data/doc with the gegl command and ImageMagick.

What is on each stands in picture_table.py; a chain NAME:N there is the Nth command of data/doc/NAME.md."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pages
from common import Gegl, IMAGES
from picture_table import PICTURES

FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
# GEGL's own command says so after a chain with a second input or a filter of the whole image.
LEAKED = re.compile(r'GeglBuffers leaked|GeglBuffer leaks|gegl_tile_cache_destroy')
LARGEST = 300 * 1024
CHECKS = ['(', '+clone', '-alpha', 'off', '-tile', 'pattern:checkerboard', '-draw', 'color 0,0 reset', '-fill', 'white', '-colorize', '60', ')', '+swap', '-composite']


def die(text):
    sys.exit(f'pictures: FAILED: {text}')


def chain_of(text):
    """The words of a chain, or of a page's command."""
    page, _, number = text.partition(':')
    if page in pages.NAMES and number.isdigit():
        return pages.chains(pages.read(page))[int(number) - 1][0]
    return shlex.split(text)


class Maker:
    def __init__(self, build, work):
        self.gegl, self.work, self.made = Gegl(build, all_modules=True), work, {}

    def tool(self, words):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:         # ImageMagick 7 warns of its own commands
            die(f'{" ".join(words)}: {done.stderr.strip()}')

    def filtered(self, photograph, words):
        """The whole photograph behind a chain, as a file of 8 bits."""
        key = (photograph, *words)
        if key not in self.made:
            out = os.path.join(self.work, f'{len(self.made)}.png')
            last = ['gegl:convert-format', "format=R'G'B'A u8", 'gegl:png-save', f'path={out}', 'bitdepth=8']
            code, lines = self.gegl.run([photograph, '--', *words, *last], GEGL_USE_OPENCL='no')
            lines = [line for line in lines if not LEAKED.search(line)]
            if code or lines or not os.path.exists(out):
                die(f'gegl returned {code} for {" ".join(words)}: {" | ".join(lines)}')
            self.made[key] = out
        return self.made[key]

    def panel(self, picture, panel, out):
        clean = os.path.join(IMAGES, panel.photograph)
        photograph = self.filtered(clean, shlex.split(panel.spoiled)) if panel.spoiled else clean
        loaded = {'path=photo.jpg': f'path={photograph}', 'path=flash.jpg': f'path={clean}', 'frames=photo.jpg': f'frames={clean}'}     # a page's second inputs
        whole = self.filtered(photograph, [loaded.get(word, word) for word in chain_of(panel.chain)])
        zoom = ['-filter', 'point' if picture.zoom > 100 else 'Lanczos', '-resize', f'{picture.zoom}%'] if picture.zoom != 100 else []
        ground = CHECKS if picture.ground == 'checks' else ['-background', picture.ground, '-alpha', 'remove']
        self.tool(['convert', whole, '-crop', panel.crop, '+repage', *zoom, *ground, '-alpha', 'off', '-set', 'label', panel.caption, out])

    def make(self, name, picture):
        panels = [os.path.join(self.work, f'panel-{i}.png') for i in range(len(picture.panels))]
        for panel, path in zip(picture.panels, panels):
            self.panel(picture, panel, path)
        out = os.path.join(pages.DOC, name + '.jpg')
        self.tool(['montage', '-background', 'white', '-fill', 'black', '-font', FONT, '-pointsize', '13', *panels,
                   '-tile', f'{picture.columns}x', '-geometry', '+3+3', '-quality', str(picture.quality),
                   '-sampling-factor', '2x2', '-interlace', 'JPEG', '-strip', out])
        size = os.path.getsize(out)
        if size >= LARGEST:
            die(f'{out} has {size} bytes, and {LARGEST} are too many')
        return size


def main():
    build, *wanted = sys.argv[1:]
    unknown = [name for name in wanted if name not in PICTURES]
    if unknown:
        die(f'no such picture: {", ".join(unknown)}')
    total = 0
    with tempfile.TemporaryDirectory(prefix='tessera-pictures-') as work:
        maker = Maker(build, work)
        missing = maker.gegl.missing()
        if missing:
            die(f'gegl does not know {", ".join(missing)}')
        for name in wanted or PICTURES:
            size = maker.make(name, PICTURES[name])
            total += size
            print(f'{size / 1024:6.0f} KB  data/doc/{name}.jpg', flush=True)
    print(f'{total / 1024:6.0f} KB in all')


main()
