#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-page.py BUILD: report.html is whole by itself, shows each track as a film in which the object is where the marks are, names what was left out,
and tells a depth that holds against the truth."""
import base64
import html.parser
import importlib
import math
import os
import re
import shutil
import struct
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE, SIDE, SNR, V = 32, 200, 65, 25, (1.1, -0.7)
SETTINGS = ('--gain', '1.5', '--history', '10', '--threshold', '6', '--track-threshold', '7')
VOID = ('meta', 'img', 'br')
STRANGE = 'z <b>&amp.fits'


class Page(html.parser.HTMLParser):
    """What is open, and what it names."""

    def __init__(self, path):
        super().__init__()
        self.open, self.wrong, self.links, self.words, self.films, self.inside = [], [], [], [], [], 0
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.links += [value for name, value in attrs.items() if name in ('src', 'href')]
        if tag in ('script', 'link', 'iframe', 'object') or any(name.startswith('on') for name in attrs):
            self.wrong.append(tag)
        if tag == 'image':
            self.films.append([attrs['href'], None])
        if tag == 'animate':
            self.films[-1][1] = attrs['values']
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append('/' + tag)

    def handle_data(self, data):
        self.words.append(data)

    def text(self):
        return ' '.join(' '.join(self.words).split())


def pixels(link):
    """Rows of a grey PNG of 8 bits, from its text."""
    data = base64.b64decode(link.split(',', 1)[1])
    at, packed = 8, b''
    width, height, bits, kind = struct.unpack('>IIBB', data[16:26])
    assert (bits, kind) == (8, 0), (bits, kind)
    while at < len(data):
        length, name = struct.unpack('>I4s', data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b'IDAT' else b''
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], [0] * width
    for y in range(height):
        line = raw[y * (width + 1):(y + 1) * (width + 1)]
        row = []
        for x in range(width):
            left, up, corner = (row[x - 1] if x else 0), before[x], (before[x - 1] if x else 0)
            nearest = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            row.append((line[x + 1] + (0, left, up, (left + up) // 2, nearest)[line[0]]) & 255)
        rows.append(row)
        before = row
    return rows


def is_marked(rows, k):
    """Is the brightest place of a frame of a film between its marks?  They are five pixels long, and lie five pixels from it."""
    frame = [row[SIDE + 4:] for row in rows[k * SIDE:(k + 1) * SIDE]]
    for y in range(2, SIDE - 2):
        for x in range(10, SIDE - 10):
            if all(frame[y][x + side * i] == 255 for side in (-1, 1) for i in range(5, 10)) and frame[y][x - 4] < 255 and frame[y][x + 4] < 255:
                near = max(frame[y + j][x + i] for j in (-1, 0, 1) for i in (-1, 0, 1))
                return near == 255
    return False


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=3', '--bad=cloud,9',
                                  f'--objects={SNR},{V[0]},{V[1]}', self.path('field')])
        assert done.returncode == 0, done.stderr
        self.frames = self.path('field', 'frames')
        with open(os.path.join(self.frames, STRANGE), 'w', encoding='utf-8') as file:
            file.write('no frame')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def run(self, into, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), *words, '-o', self.path(into)])
        return done.returncode, done.stderr

    def page(self, into):
        return Page(self.path(into, 'report.html'))


def whole(report, nights):
    code, errors = nights.run('found', nights.frames, '--dark', nights.path('field', 'dark.fits'), '--zero-point', '25', *SETTINGS)
    page = nights.page('found')
    report.check('a page is made, and what is opened is closed', code == 0 and not page.wrong and not page.open, f'{page.wrong} {page.open} {errors}')
    report.check('all is within', page.links and all(link.startswith('data:image/png;base64,') for link in page.links), str([link[:40] for link in page.links]))
    text = page.text()
    report.check('what was left out is named, with the reason', STRANGE in text and 'is no FITS file' in text and 'frame-00009.fits' in text, text[-600:])
    tracks = {row['track'] for row in sequence_test.rows(nights.path('found'), 'tracks.csv')}
    report.check('each track has a film and words', len(page.films) == len(tracks) > 0 and all(f'Track {track} ' in text for track in tracks), f'{len(page.films)} {tracks}')
    rows = pixels(page.films[0][0])
    values = page.films[0][1].split(';')
    report.check('a film has as many steps as frames', len(rows) == SIDE * len(values) and [int(value) for value in values] == [-SIDE * k for k in range(len(values))] and len(values) > 8,
                 f'{len(rows)} {values}')
    marked = sum(is_marked(rows, k) for k in range(len(values)))
    report.check('the object is between the marks', marked > 0.6 * len(values), f'{marked} of {len(values)}')
    flux = float(sequence_test.rows(nights.path('field'), 'objects.csv')[0]['flux']) / 1.5
    wanted = 25 - 2.5 * math.log10(flux * 6 / SNR)
    told = [float(number) for number in re.findall(r'([\d.]+) mag is the faintest', text)]
    report.check('the depth of one frame is that of an object of 6 times the noise', len(told) == 2 and abs(told[0] - wanted) < 0.2, f'{told}, {wanted:.2f}')
    report.check('that of a track is deeper', len(told) == 2 and abs(told[1] - told[0] - 2.5 * math.log10(6 / 7 * math.sqrt(8))) < 0.02, str(told))
    for name in ('quality.svg', 'shifts.svg'):
        with open(nights.path('found', name), encoding='utf-8') as file:
            svg = file.read()
        report.check(f'{name} is there', svg.startswith('<svg') and svg.endswith('</svg>\n') and 'nan' not in svg and 'inf' not in svg)
    report.check('plots have no number that is none', not re.search(r'[^a-z](nan|inf)[^a-z]', re.sub(r'base64,[^"]*', '', open(nights.path('found', 'report.html'), encoding='utf-8').read())))


def others(report, nights):
    """Nights in which nothing moves, is used, or can be shown."""
    shutil.copytree(nights.path('found', 'blocks'), nights.path('part', 'blocks'))
    shutil.copy(nights.path('found', 'settings.txt'), nights.path('part'))
    code, errors = nights.run('merged', 'merge', nights.path('part'))
    page = nights.page('merged')
    report.check('of parts too, without films', code == 0 and not page.wrong and not page.films and 'Track 1 ' in page.text(), errors)
    code, errors = nights.run('still', nights.frames, '--every', '0', *SETTINGS)
    page = nights.page('still')
    report.check('nothing moves', code == 0 and not page.wrong and 'No object' in page.text(), errors)
    os.mkdir(nights.path('one'))
    shutil.copy(os.path.join(nights.frames, 'frame-00000.fits'), nights.path('one'))
    code, errors = nights.run('of-one', nights.path('one'))
    page = nights.page('of-one')
    report.check('one frame', code == 0 and not page.wrong and 'all frames were used' in page.text(), errors)
    code, errors = nights.run('few', nights.frames, '--pictures', '0', *SETTINGS)
    page = nights.page('few')
    report.check('without pictures', code == 0 and not page.wrong and not page.films and 'Track 1 ' in page.text(), errors)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        whole(report, nights)
        others(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
