#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-whole.py BUILD: which files of pictures are damaged, which are whole though something is odd, and how a picture is to be turned.
Files are made byte by byte (pictures.py), and each kind of damage is done to each kind of file."""
import os
import random
import struct
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, IMAGES
from pictures import chunk, gif, grey_profile, jpeg_parts, notes, png, png_parts, png_rows, segment, tiff, tiff_stored, webp, SEEN, SIGNATURE, TIFF_KINDS, WEBP_PIXEL

WHOLE, EARLY, DAMAGED = 'whole', 'it ends too early', 'its pixels are damaged'
LIBPNG, LIBJPEG, LIBTIFF = 'libpng says ', 'libjpeg says ', 'libtiff says '       # and what


PNG_KINDS = ((0, 1, 0), (0, 8, 0), (0, 16, 0), (0, 16, 1), (2, 8, 0), (2, 8, 1), (2, 16, 0), (3, 8, 0), (3, 4, 1), (4, 8, 0),
             (6, 8, 0), (6, 16, 1))
JPEG_KINDS = (('grey', {}), ('restarts', {'restart': 4}), ('many restarts', {'restart': 1}), ('colors', {'parts': 3}),
              ('half colors', {'parts': 3, 'sampling': 0x22}),
              ('colors, restarts', {'parts': 3, 'sampling': 0x21, 'restart': 3}), ('four inks', {'parts': 4}))


class Judge:
    """Files are kept, and judged all at once."""

    def __init__(self, build, work):
        self.gegl, self.work, self.cases = Gegl(build), work, []
        self.program = os.path.join(self.gegl.build, 'tests', 'align', 'whole')

    def add(self, name, data, *wanted, orientation=1):
        ending = '.tif' if name.startswith('tiff') else ''
        path = os.path.join(self.work, f'{len(self.cases)}-{name.replace(" ", "-").replace("/", "-")}{ending}')
        with open(path, 'wb') as file:
            file.write(data)
        self.cases.append((name, path, wanted, orientation))

    def judge(self, report):
        done = self.gegl.command([self.program] + [path for _, path, _, _ in self.cases])
        report.check('all files are judged', done.returncode == 0 and len(done.stdout.splitlines()) == len(self.cases), f'exit {done.returncode} {done.stderr[-300:]}')
        for (name, _, wanted, orientation), line in zip(self.cases, done.stdout.splitlines()):
            words, _, turn = line.rpartition('; ')
            is_wanted = any(words.startswith(one) if one.endswith(' says ') else words == one for one in wanted)
            report.check(name, (is_wanted or (not wanted and words != WHOLE)) and int(turn) == orientation, line)


def changed(data, at, n, what=None):
    return data[:at] + (bytes(b ^ 0x55 for b in data[at:at + n]) if what is None else what) + data[at + n:]


def damages(data, first, last):
    """The same for each kind of file: of the bytes between first and last."""
    at, n = (first + last) // 2, max((last - first) // 8, 1)
    yield 'zeros', changed(data, at, n, bytes(n))
    yield 'foreign bytes', changed(data, at, n, b'\x12' * n)
    yield 'exchanged blocks', data[:at - n] + data[at:at + n] + data[at - n:at] + data[at + n:]
    yield 'a missing byte', data[:at] + data[at + 1:]
    yield 'a byte more', data[:at] + b'\x12' + data[at:]


def add_png(judge):
    for kind, depth, interlaced in PNG_KINDS:
        name = f'png {kind} {depth} {interlaced}: '
        parts = head, palette, pixels, end = png_parts(kind, depth, interlaced)
        data, first = png(*parts), len(SIGNATURE + head + palette) + 8
        judge.add(name + 'whole', data, WHOLE)
        judge.add(name + 'in one piece', png(*parts, pieces=1), WHOLE)
        judge.add(name + 'in many pieces', png(*parts, pieces=len(pixels)), WHOLE)
        for what, bad in damages(data, first, len(data) - 16):
            judge.add(name + what, bad)
        for part in range(1, 10):
            at = first + (len(data) - 16 - first) * part // 10
            judge.add(name + f'one byte at {part}/10', changed(data, at, 1))
            judge.add(name + f'cut at {part}/10', data[:at])
        # Checksums are right, but what they are of is not.
        unpacked = zlib.decompress(pixels)
        judge.add(name + 'the pixels\' own checksum', png(head, palette, pixels[:-1] + bytes([pixels[-1] ^ 1]), end), LIBPNG)
        wrong = pixels[:-1] + bytes([pixels[-1] ^ 1])
        judge.add(name + 'their own checksum, which stands alone',
                  SIGNATURE + head + palette + chunk(b'IDAT', wrong[:-4]) + chunk(b'IDAT', wrong[-4:]) + end, LIBPNG)
        judge.add(name + 'a filter that there is none of', png(*png_parts(kind, depth, interlaced, rows=b'\5' + unpacked[1:])), LIBPNG)
        judge.add(name + 'the last row\'s filter', png(head, palette, zlib.compress(filtered(unpacked, kind, depth, interlaced)), end), LIBPNG)
        judge.add(name + 'a row is missing', png(head, palette, zlib.compress(unpacked[:-9]), end), LIBPNG)
        judge.add(name + 'more pixels than it has', png(head, palette, zlib.compress(unpacked + bytes(99)), end), WHOLE)
        judge.add(name + 'what cannot be unpacked', png(head, palette, pixels[:20] + bytes([pixels[20] ^ 0x55]) + pixels[21:], end))
        judge.add(name + 'head and pixels of two pictures', png(png_parts(kind, depth, interlaced, 47)[0], palette, pixels, end), LIBPNG)


def filtered(unpacked, kind, depth, interlaced):
    """With a filter 9 in the last row."""
    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind] * depth
    at = len(unpacked) - 1 - (37 * bits + 7) // 8       # it is whole, of the last pass
    assert len(png_rows(37, 29, bits, interlaced)) == len(unpacked)
    return unpacked[:at] + b'\x09' + unpacked[at + 1:]


def add_odd_png(judge):
    parts = head, palette, pixels, end = png_parts(3, 8)
    data, words = png(*parts), chunk(b'tEXt', b'Comment\0words', wrong=1)
    # of the last chunk's checksum libpng 1.6.39 complains, and 1.6.48 does not
    for name, odd, *wanted in (('something behind it', data + b'a film' * 99, WHOLE), ('a wrong checksum of words', png(head, words + palette, pixels, words + end), WHOLE),
                              ('no last chunk', data[:-12], WHOLE), ('half of the last chunk', data[:-5], WHOLE),
                              ('words, and no last chunk', data[:-12] + words, WHOLE), ('cut within words', data[:-12] + words[:-7], WHOLE),
                              ('its first picture of some', png(head, chunk(b'acTL', bytes(8)) + palette, pixels, chunk(b'fdAT', bytes(99)) + end), WHOLE),
                              ('no palette', png(head, b'', pixels, end), LIBPNG), ('no head', png(b'', palette, pixels, end), LIBPNG),
                              ('a wrong checksum of the last chunk', data[:-1] + b'\0', LIBPNG, WHOLE), ('a wrong checksum of the palette', changed(data, 50, 1), LIBPNG),
                              ('a wrong checksum of the head', changed(data, 17, 1), LIBPNG), ('a last chunk alone', SIGNATURE + end, LIBPNG),
                              ('no pixels', SIGNATURE + head + palette + end, LIBPNG), ('a wrong checksum of the pixels alone', SIGNATURE + head + palette + chunk(b'IDAT', pixels, 1) + end, LIBPNG),
                              ('a chunk that all must know', png(head, palette + chunk(b'ABCD', b''), pixels, end), LIBPNG)):
        judge.add('odd png: ' + name, odd, *wanted)


def add_jpeg(judge):
    for name, settings in JPEG_KINDS:
        head, codes, end = jpeg_parts(**settings)
        data, first = head + codes + end, len(head)
        judge.add(f'jpeg {name}: whole', data, WHOLE)
        judge.add(f'jpeg {name}: without its end', data[:-2], WHOLE)
        judge.add(f'jpeg {name}: half of its end', data[:-1], WHOLE)
        judge.add(f'jpeg {name}: a trailer without its end', data[:-2] + b'\0\0\1\n trailer of a phone' * 30, WHOLE)
        judge.add(f'jpeg {name}: a trailer', data + b'\0\0\1\n trailer of a phone' * 30 + data, WHOLE)
        judge.add(f'jpeg {name}: some bytes that fill', data[:-2] + b'\0\0\xff' + end, WHOLE)
        for what, bad in damages(data, first, len(data) - 2):
            if 'byte' not in what or 'foreign' in what:         # after one byte too many or too few these codes may make sense again
                judge.add(f'jpeg {name}: {what}', bad)
        for part in range(1, 10):
            judge.add(f'jpeg {name}: cut at {part}/10', data[:first + len(codes) * part // 10])
        judge.add(f'jpeg {name}: the last code is missing', data[:-4], EARLY)
        judge.add(f'jpeg {name}: the last code, but not the end', data[:-5] + end)
        judge.add(f'jpeg {name}: bytes that no pixel takes', data[:-2] + b'\x12' * 20 + end, LIBJPEG)
        judge.add(f'jpeg {name}: pixels twice', head + codes + codes + end, LIBJPEG)
        judge.add(f'jpeg {name}: a code that there is none of', head + codes[:40] + b'\xfe' * 9 + codes[49:] + end, LIBJPEG)
        if 'restart' in settings:
            place = next(i for i in range(len(codes)) if codes[i] == 0xff and codes[i + 1] & 0xf8 == 0xd0)
            judge.add(f'jpeg {name}: another restart', head + codes[:place + 1] + b'\xd5' + codes[place + 2:] + end, LIBJPEG)
            judge.add(f'jpeg {name}: no restart', head + codes[:place] + codes[place + 2:] + end, LIBJPEG)


def add_odd_jpeg(judge):
    head, codes, end = jpeg_parts()
    data, note = head + codes + end, segment(0xe2, b'MPF\0' + bytes(40))
    scan = head.index(b'\xff\xda')
    for name, odd, wanted in (('notes, and bytes behind them', head[:2] + note + b'some bytes' + head[2:] + codes + end, WHOLE), ('a note that is empty', head[:2] + segment(0xe5, b'') + data[2:], WHOLE),
                              ('two pictures', data[:2] + note + data[2:] + data, WHOLE), ('bytes that fill before a marker', head[:scan] + b'\xff\xff' + data[scan:], WHOLE),
                              ('codes of another kind', data.replace(b'\xff\xc0', b'\xff\xc9'), LIBJPEG), ('bytes behind a table', head[:scan] + b'some bytes' + data[scan:], LIBJPEG),
                              ('no table of codes', data.replace(b'\xff\xc4', b'\xff\xee'), LIBJPEG), ('no quantisation', data.replace(b'\xff\xdb', b'\xff\xee'), LIBJPEG),
                              ('no size', data.replace(b'\xff\xc0', b'\xff\xee'), LIBJPEG), ('no scan', head[:scan] + end, LIBJPEG), ('a scan of another component', data[:scan + 5] + b'\7' + data[scan + 6:], LIBJPEG),
                              ('more codes than there can be', data.replace(bytes([0, 0, 0, 9]), bytes([9, 0, 0, 0])), LIBJPEG)):
        judge.add('odd jpeg: ' + name, odd, wanted)
    colors = jpeg_parts(parts=3)[0]
    judge.add('odd jpeg: one scan of three', colors[:colors.index(b'\xff\xda')] + head[scan:] + codes + end, EARLY)
    add_progressive_jpeg(judge)


def add_progressive_jpeg(judge):
    """As GEGL writes one."""
    path = os.path.join(judge.work, 'progressive.jpg')
    judge.gegl.run([os.path.join(IMAGES, 'mountains.jpg'), '-o', path])
    with open(path, 'rb') as file:
        data = file.read()
    last = data.rindex(b'\xff\xda')
    judge.add('progressive jpeg: whole', data, WHOLE)
    judge.add('progressive jpeg: without its end', data[:-2], WHOLE)
    judge.add('progressive jpeg: its last scan is cut', data[:(last + len(data)) // 2], EARLY)
    judge.add('progressive jpeg: its last scan is missing', data[:last], EARLY)


def add_others(judge):
    draw = random.Random(3)
    pixels = bytes(draw.randrange(64) for _ in range(60 * 50))
    for rows in (50, 7):
        data = tiff(pixels, 60, 50, rows)
        judge.add(f'tiff, {rows} rows a strip: whole', data, WHOLE)
        judge.add(f'tiff, {rows} rows a strip: something behind it', data + bytes(99), WHOLE)
        first = len(data) - len(zlib.compress(pixels)) + 60
        for what, bad in damages(data, first, len(data) - 8):
            if 'byte' not in what or 'foreign' in what:         # strips stay in their places
                judge.add(f'tiff, {rows} rows a strip: {what}', bad, DAMAGED)
        judge.add(f'tiff, {rows} rows a strip: its last checksum', changed(data, len(data) - 1, 1), DAMAGED)
        judge.add(f'tiff, {rows} rows a strip: cut', data[:-9], LIBTIFF)
        data = tiff(pixels, 60, 50, rows, order=2)
        judge.add(f'tiff, {rows} rows a strip, the lowest bit first: whole', data, WHOLE)
        judge.add(f'tiff, {rows} rows a strip, the lowest bit first: foreign bytes', changed(data, len(data) - 60, 20), DAMAGED)
        judge.add(f'tiff, {rows} rows a strip, the lowest bit first: its last checksum', changed(data, len(data) - 1, 1), DAMAGED)
        judge.add(f'tiff, {rows} rows a strip: bytes that nobody needs', tiff(pixels, 60, 50, rows, more=bytes(999)), WHOLE)
        data = tiff(pixels, 60, 50, rows, more=bytes(1 << 24))
        judge.add(f'tiff, {rows} rows a strip: many bytes that nobody needs, nor unpacks', changed(data, len(data) - 1, 1), WHOLE)
    judge.add('webp: pictures that move', webp(2, (b'ANIM', bytes(6)), (b'ANMF', bytes(90))), 'it is an animation, of several pictures')
    one = webp(8, WEBP_PIXEL)
    judge.add('webp: one that does not', one, WHOLE)
    judge.add('webp: cut', one[:-3], EARLY)
    judge.add('webp: no pixels', webp(8), DAMAGED)
    judge.add('webp: pixels that are none', changed(one, 38, 2), DAMAGED)


GIF_CODES = bytes.fromhex('848fa95100')          # of 4 x 4 pixels; any will do


def add_runs(judge):
    """Radiance's rows in runs, whose width stands in two bytes; and GIF, of which GEGL makes something wherever it ends."""
    head, row = b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 600\n', b'\2\2\2\x58' + 4 * (4 * b'\xff\x09' + b'\xdc\x09')
    judge.add('hdr: rows in runs', head + 2 * row, WHOLE)
    for name, data in (('cut', 2 * row[:-1]), ('of one row', row), ('of another width', 2 * (b'\2\2\2\x59' + row[4:]))):
        judge.add('hdr: rows in runs, ' + name, head + data, 'it ends too early, or a row is not as wide as it is')
    one = gif(None, GIF_CODES)
    judge.add('gif', one, WHOLE)
    judge.add('gif with more behind its end', one + b'more', WHOLE)
    judge.add('gif without its end', gif(GIF_CODES, end=b''), WHOLE)
    judge.add('gif that moves', gif(GIF_CODES, None, GIF_CODES), 'it is an animation, of several pictures')
    judge.add('gif without a picture', gif(None), EARLY)
    judge.add('gif with something else', gif(GIF_CODES, end=b'?'), DAMAGED)
    for n in range(6, len(one) - 1):
        judge.add(f'gif, {n} bytes of it', one[:n], EARLY)


def add_turned(judge):
    """What says how a picture is to be turned, and what only seems to."""
    head, codes, end = jpeg_parts()
    parts = png_head, palette, pixels, png_end = png_parts(2, 8)
    for turn in range(1, 9):
        for order, kind, where in (('<', 3, 8), ('>', 3, 8), ('<', 4, 90), ('>', 4, 8)):
            note = notes(turn, order, kind, where=where)
            judge.add(f'turned {turn} {order} {kind}: jpeg', head[:2] + segment(0xe0, b'JFIF\0') + segment(0xe1, b'Exif\0\0' + note) + head[2:] + codes + end, WHOLE, orientation=turn)
            judge.add(f'turned {turn} {order} {kind}: png', png(png_head, chunk(b'eXIf', note), pixels, png_end), WHOLE, orientation=turn)
            judge.add(f'turned {turn} {order} {kind}: png, behind the pixels', png(png_head, palette, pixels, chunk(b'eXIf', note) + png_end), WHOLE, orientation=turn)
            judge.add(f'turned {turn} {order} {kind}: webp', webp(8, WEBP_PIXEL, (b'EXIF', note)), WHOLE, orientation=turn)
            judge.add(f'turned {turn} {order} {kind}: webp, as in a jpeg', webp(8, WEBP_PIXEL, (b'EXIF', b'Exif\0\0' + note)), WHOLE, orientation=turn)
        judge.add(f'turned {turn}: tiff', tiff(bytes(200), 20, 10, 10, turn), WHOLE, orientation=turn)
    draw = random.Random(5)
    for name, note in (('none', b''), ('a letter', b'I'), ('0', notes(0)), ('9', notes(9)), ('65535', notes(65535)), ('nowhere', b'II*\0\xff\xff\xff\xff'), ('at its end', b'II*\0\x08\0\0\0'),
                       ('many entries', b'II*\0\x08\0\0\0\xff\xff' + bytes(40)), ('no order', notes(6).replace(b'II', b'IM')), ('another file', notes(6).replace(b'*', b'+'))):
        judge.add('turned, hostile: ' + name, head[:2] + segment(0xe1, b'Exif\0\0' + note) + head[2:] + codes + end, WHOLE)
        judge.add('turned, hostile, webp: ' + name, webp(8, WEBP_PIXEL, (b'EXIF', note)), WHOLE)
    judge.add('turned: the words alone', head[:2] + segment(0xe1, b'http' + notes(6)) + head[2:] + codes + end, WHOLE)
    judge.add('turned: the first of two', head[:2] + segment(0xe1, b'Exif\0\0' + notes(6)) + segment(0xe1, b'Exif\0\0' + notes(3)) + head[2:] + codes + end, WHOLE, orientation=6)
    return [bytes(draw.randrange(256) if draw.random() < 0.1 else b for b in data)
            for data in 60 * [tiff(bytes(200), 20, 10, 10, 6), webp(8, (b'EXIF', notes(6))), png(*parts), head[:2] + segment(0xe1, b'Exif\0\0' + notes(6)) + data_of(head, codes, end)]]


def seen(rows, turn):
    """As whoever obeys the orientation sees what is stored."""
    height, width = len(rows), len(rows[0])
    pixels = {SEEN[turn](x, y, width, height): rows[y][x] for y in range(height) for x in range(width)}
    return [[pixels[x, y] for x in range(width if turn < 5 else height)] for y in range(height if turn < 5 else width)]


def check_seen(report, judge):
    """Some kinds of TIFF GEGL leaves to libtiff, which obeys a part of the orientation, others it reads itself; whoever reads them sees the same."""
    draw, cases = random.Random(9), []
    for kind, (_, _, samples) in TIFF_KINDS.items():
        rows = [[tuple(draw.randrange(256) for _ in range(samples)) for _ in range(23)] for _ in range(17)]
        for turn in range(1, 9):
            for order, is_big, number in (('<', False, 'H'), ('>', False, 'H'), ('<', True, 'H'), ('>', True, 'I'), ('>', False, 'B'), ('<', False, 'I')):
                files = tiff_stored(kind, rows, turn, order, is_big, number), tiff_stored(kind, seen(rows, turn), 1, order, is_big)
                cases.append((f'tiff, {kind}, turned {turn} {order} {"64" if is_big else "32"} {number}',
                              [written(judge, f'seen-{len(cases)}-{i}.tif', data) for i, data in enumerate(files)]))
    before = set(os.listdir(tempfile.gettempdir()))
    done = judge.gegl.command([judge.program, '--pixels'] + [path for _, paths in cases for path in paths], GEGL_USE_OPENCL='no')
    lines = done.stdout.splitlines()
    report.check('all TIFFs are read', done.returncode == 0 and len(lines) == 2 * len(cases) and len(set(lines)) > 40, f'exit {done.returncode} {done.stderr[-300:]}')
    for (name, _), found, wanted in zip(cases, lines[::2], lines[1::2]):
        report.check(name, found == wanted and ' x ' in found, f'{found}, upright {wanted}')
    left = [name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith('tessera-') and name.endswith('.tif')]
    report.check('no copy of them is left', not left, f'{left}')


def spaces_of_png():
    """(name, chunks) that say in which space its colors are."""
    white, primaries = (31270, 32900), (64000, 33000, 21000, 71000, 15000, 6000)
    gamma, points = chunk(b'gAMA', struct.pack('>I', 55555)), chunk(b'cHRM', struct.pack('>8I', *white, *primaries))
    yield from (('', b''), ('sRGB', chunk(b'sRGB', b'\0')), ('a curve', gamma), ('a curve and primaries', gamma + points),
                ('primaries alone', points), ('sRGB with another curve', chunk(b'sRGB', b'\0') + gamma),
                ('a profile of greys', chunk(b'iCCP', b'x\0\0' + zlib.compress(grey_profile(1.8)))),
                ('a profile that is none', chunk(b'iCCP', b'x\0\0' + zlib.compress(b'junk' * 99))))


def add_alike(judge):
    """{name: path}: pictures of each kind that we decode in place of GEGL's loaders."""
    files = {}
    for kind, depth, interlaced in PNG_KINDS:
        head, palette, pixels, end = png_parts(kind, depth, interlaced)
        clear = {0: b'\0\1', 2: b'\0\1\0\2\0\3', 3: b'\0\x80'}.get(kind)
        for space, chunks in spaces_of_png():
            name = f'png {kind} {depth} {interlaced} {space}'
            files[name + '.png'] = png(head, chunks + palette, pixels, end)
            if clear:
                files[name + ', a clear color.png'] = png(head, chunks + palette + chunk(b'tRNS', clear), pixels, end)
    profile = b'ICC_PROFILE\0\1\1' + grey_profile(1.8)
    for name, settings in JPEG_KINDS:
        head, codes, end = jpeg_parts(**settings)
        files[f'jpeg {name}.jpg'] = head + codes + end
        files[f'jpeg {name}, a profile.jpg'] = head[:2] + segment(0xe2, profile) + head[2:] + codes + end
        files[f'jpeg {name}, a profile that is none.jpg'] = head[:2] + segment(0xe2, profile[:40]) + head[2:] + codes + end
    files['webp.webp'] = webp(0, WEBP_PIXEL)
    return {name: written(judge, name.replace(' ', '-').replace(',', ''), data) for name, data in files.items()}


def check_alike(report, judge):
    """What we decode has the bits of what GEGL's loaders make, and its format."""
    files = add_alike(judge)
    files['a photograph'] = os.path.join(IMAGES, 'mountains.jpg')
    files['a progressive one'] = os.path.join(judge.work, 'progressive.jpg')
    done = judge.gegl.command([judge.program, '--alike', *files.values()], GEGL_USE_OPENCL='no')
    lines = done.stdout.splitlines()
    report.check('all pictures are compared', done.returncode == 0 and len(lines) == len(files) > 150,
                 f'exit {done.returncode} {done.stderr[-300:]}')
    for name, line in zip(files, lines):
        report.check(f'as GEGL reads it: {name}', line == 'alike', line)


def written(judge, name, data):
    path = os.path.join(judge.work, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def data_of(head, codes, end):
    return head[2:] + codes + end


def check_fuzzed(report, judge, files):
    paths = []
    for i, data in enumerate(files):
        paths.append(os.path.join(judge.work, f'fuzzed-{i}'))
        with open(paths[-1], 'wb') as file:
            file.write(data)
    done = judge.gegl.command([judge.program] + paths, timeout=60)
    turns = [int(line.rpartition('; ')[2]) for line in done.stdout.splitlines()]
    report.check('files of noise end nothing', done.returncode == 0 and len(turns) == len(paths) and all(1 <= turn <= 8 for turn in turns), f'exit {done.returncode} {done.stderr[-300:]}')


def stars(k, width=160, height=128):
    """16 bits of noise and some stars, without filters."""
    draw, places, rows = random.Random(k), random.Random(1), bytearray()
    bright = {(places.randrange(8, width - 8), places.randrange(8, height - 8)): places.randrange(4000, 30000) for _ in range(40)}
    for y in range(height):
        rows.append(0)
        for x in range(width):
            value = draw.randrange(900, 1100) + sum(bright.get((x + i, y + j), 0) // (1 + 3 * (i * i + j * j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
            rows += min(value, 65535).to_bytes(2, 'big')
    return png(*png_parts(0, 16, 0, width, height, bytes(rows)))


def check_commands(report, judge):
    """tessera-stack has a test of its own."""
    folder, gegl = os.path.join(judge.work, 'night'), judge.gegl
    os.mkdir(folder)
    paths = [os.path.join(folder, f'frame-{k}.png') for k in range(6)]
    for k, path in enumerate(paths):
        data = stars(k)
        with open(path, 'wb') as file:
            file.write(changed(data, len(data) * 9 // 10, 1) if k == 3 else data)
    done = gegl.command([os.path.join(gegl.build, 'tools', 'sequence', 'tessera-sequence'), folder, '-o', os.path.join(judge.work, 'tables')], GEGL_USE_OPENCL='no')
    with open(os.path.join(judge.work, 'tables', 'shifts.csv'), encoding='utf-8') as file:
        states = [line.split(',')[2] for line in file.read().splitlines()[1:]]
    report.check('tessera-sequence leaves a damaged frame out by name, with the reason', done.returncode == 0 and states[3] == 'unreadable' and states.count('unreadable') == 1
                 and 'frame-3.png cannot be read as a picture: libpng says ' in done.stderr, f'{states} {done.stderr[-300:]}')
    for words in ((paths[0], paths[3]), (paths[3], paths[0])):
        done = gegl.command([os.path.join(gegl.build, 'tools', 'match', 'tessera-match'), *words], GEGL_USE_OPENCL='no')
        report.check(f'tessera-match names it, as picture {words.index(paths[3])}', done.returncode == 2 and 'frame-3.png: this picture cannot be read: libpng says ' in done.stderr,
                     f'exit {done.returncode} {done.stderr[-300:]}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-whole-') as work:
        judge = Judge(sys.argv[1], work)
        for add in (add_png, add_odd_png, add_jpeg, add_odd_jpeg, add_others, add_runs):
            add(judge)
        noise = add_turned(judge)
        judge.judge(report)
        check_fuzzed(report, judge, noise)
        check_seen(report, judge)
        check_alike(report, judge)
        check_commands(report, judge)
    report.finish()


main()
