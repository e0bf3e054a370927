# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pictures that end too early or make no sense, for run-stack.py."""
import os
import sys
import zlib

from common import Picture, IMAGES
from pictures import chunk, grey_profile, notes, png, png_parts, webp, SEEN

PHOTOGRAPH = os.path.join(IMAGES, 'mountains.jpg')


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def segments(jpeg):
    """Where each segment of a JPEG's head begins, the one of the first scan last."""
    at = [2]
    while jpeg[at[-1] + 1] != 0xDA:
        at.append(at[-1] + 2 + int.from_bytes(jpeg[at[-1] + 2:at[-1] + 4], 'big'))
    return at


def written(stack, name, data):
    path = os.path.join(stack.work, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def check_cut(report, stack, frames):
    """Files that end too early, wherever they do: GEGL's loaders read on beyond what they have, some for ever."""
    jpeg, png, out = content(PHOTOGRAPH), content(frames[0]), os.path.join(stack.work, 'cut.png')
    at, loaded = segments(jpeg), os.path.join(stack.work, 'progressive.jpg')
    cut = [written(stack, f'cut-{n}.jpg', jpeg[:n]) for n in (2, 20, at[2] + 3, at[-1], 600, len(jpeg) // 2, len(jpeg) - 3)]
    cut += [written(stack, f'cut-{n}.png', png[:n]) for n in (20, 60, len(png) // 2, len(png) - 13)]
    code, lines = stack.run(frames[0], frames[1], '-o', out)
    whole = content(out)
    for path in cut:
        code, lines = stack.run(frames[0], path, frames[1], '-o', out, timeout=30)
        report.check(f'{os.path.basename(path)}, which ends too early, is named and left out',
                     code == 0 and f'{path} is left out: it cannot be read' in lines and content(out) == whole, f'exit {code} {lines}')
    stack.gegl.run([PHOTOGRAPH, '-o', loaded])
    frame_header = next(start for start in segments(content(loaded)) if content(loaded)[start + 1] in range(0xC0, 0xC4))
    report.check('the progressive JPEG is one', content(loaded)[frame_header + 1] == 0xC2)
    small = b'Exif\0\0' + jpeg[:600] + b'\xff\xd9'
    others = [loaded, written(stack, 'filled.jpg', jpeg[:at[1]] + b'\xff\xff\xff' + jpeg[at[1]:at[-1]] + b'\xff' + jpeg[at[-1]:]),
              written(stack, 'small.jpg', jpeg[:2] + b'\xff\xe1' + (len(small) + 2).to_bytes(2, 'big') + small + jpeg[2:]),
              written(stack, 'more.jpg', jpeg + b'more')]
    code, lines = stack.run(PHOTOGRAPH, *others, '-o', out)
    report.check('JPEGs that are whole are read: progressive, with bytes that fill, a picture in their head or something behind them',
                 code == 0 and not lines, f'exit {code} {lines}')


def tiff(picture, rows=None, lengths=None, unused=0):
    """Its directory stands before its pixels: whoever reads it learns the size of what is cut.  `lengths`: of its strips of `rows`, as it tells them;
    `unused`: offsets and lengths that it lists behind those of the picture, beyond its end."""
    pixels, rows = bytes(picture.pixels), rows or picture.height
    offsets = list(range(122, 122 + len(pixels), rows * picture.width))
    lengths = (lengths or [rows * picture.width] * len(offsets)) + unused * [1000]
    offsets += unused * [1 << 30]
    lists = 122 + len(pixels)           # where they stand, but for one strip
    entries = [(256, 1, picture.width), (257, 1, picture.height), (258, 1, 8), (259, 1, 1), (262, 1, 1), (273, len(offsets), lists), (277, 1, 1), (278, 1, rows),
               (279, len(offsets), lists + 4 * len(offsets))]
    if len(offsets) == 1:
        entries = [(tag, n, {273: offsets, 279: lengths}[tag][0] if tag in (273, 279) else value) for tag, n, value in entries]
    return (b'II*\0' + (8).to_bytes(4, 'little') + len(entries).to_bytes(2, 'little')
            + b''.join(tag.to_bytes(2, 'little') + b'\4\0' + n.to_bytes(4, 'little') + value.to_bytes(4, 'little') for tag, n, value in entries) + bytes(4) + pixels
            + (b''.join(value.to_bytes(4, 'little') for value in offsets + lengths) if len(offsets) > 1 else b''))


def radiance(picture):
    """Greys, each row in runs and dumps as long as they may be."""
    size, data = f'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {picture.height} +X {picture.width}\n'.encode(), bytearray()
    for y in range(picture.height):
        row = bytes(round((value / 255) ** 2.2 * 255) for value in picture.pixels[y * picture.width:(y + 1) * picture.width])
        dumps = b''.join(bytes([len(row[x:x + 128])]) + row[x:x + 128] for x in range(0, len(row), 128))
        runs = b''.join(bytes([128 + min(127, len(row) - x), 128]) for x in range(0, len(row), 127))
        data += b'\2\2' + len(row).to_bytes(2, 'big') + 3 * dumps + runs
    return size + bytes(data)


def ends_early(path):
    """Debian 12's loader cannot read rows in runs, and says so."""
    return f'{path} is left out: it cannot be read as a picture: it ends too early'


def check_radiance(report, stack, first):
    """Rows that a reader cannot place: GEGL's reads each as it says itself, or none of the picture."""
    head, flat = b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 200\n', bytes((9, 9, 9, 129)) * 200
    runs = b'\xff\x09\xc9\x09'             # 127 and 73 pixels
    wrong = {'short': b'\2\2\0\xc7' + 4 * b'\xff\x09\xc8\x09', 'long': b'\2\2\0\xc9' + 4 * b'\xff\x09\xca\x09',
             'run': b'\2\2\0\xc8' + 3 * runs + b'\xff\x09\xca\x09', 'dump': b'\2\2\0\xc8' + runs + b'\xff\x09\x4a' + bytes(74) + 2 * runs,
             'old': b'\1\1\1\xc8' + flat[4:]}
    whole = {'flat': flat, 'runs': b'\2\2\0\xc8' + 4 * runs, 'mixed': b'\2\2\0\xc8' + (runs + b'\x01\x09' * 200) * 2}
    for rows, is_whole in ((wrong, False), (whole, True)):
        for name, row in rows.items():
            path = written(stack, f'row-{name}.hdr', head + flat + row + bytes(1000))
            _, lines = stack.run(first, path, '-o', os.path.join(stack.work, 'rows.png'))
            report.check(f'{os.path.basename(path)} is {"whole" if is_whole else "left out"}', (ends_early(path) in lines) != is_whole, lines[-200:])


def number(n, bytes_of):
    return n.to_bytes(bytes_of, sys.byteorder)


def blocks(places, last):
    """Of a .gegl file, without a tile; each says where the next one is."""
    return {place: number(40, 4) + number(2, 4) + number(following, 8) + bytes(24) for place, following in zip(places, places[1:] + [last])}


def check_circles(report, stack, frames):
    """.gegl files of GBs that are sparse, whose blocks never end or are many more than tiles, or whose tiles have no size: refused at once; some took a minute a GB."""
    own, at, size = bytearray(content(frames[0])), 1 << 20, 8 << 30
    one, ring, tail = blocks([at], at), blocks([at, 5 << 30, at + 40], at), blocks([at + 40 * i for i in range(100)], at + 40 * 50)
    other, more = (blocks([at + 40 * i for i in range(n)], 0) for n in (500, 3000))
    huge = number(1, 4) + number(1, 4)
    for name, tile, picture, places in (('one', own[16:24], own[100:108], one), ('ring', own[16:24], own[100:108], ring), ('tail', own[16:24], own[100:108], tail),
                                        ('huge', huge, 8 * b'\xff', ring), ('none', bytes(8), own[100:108], {}), ('wide', 8 * b'\xff', own[100:108], blocks([at], 0)),
                                        ('more', own[16:24], own[100:108], more), ('whole', own[16:24], own[100:108], other)):
        path = written(stack, f'circle-{name}.gegl', own[:8] + number(at if places else 256, 8) + tile + own[24:100] + picture + own[108:])
        os.truncate(path, size)
        with open(path, 'r+b') as file:
            for place, block in places.items():
                file.seek(place)
                file.write(block)
        _, lines = stack.run(frames[1], path, '-o', os.path.join(stack.work, 'circle.png'), timeout=10)
        report.check(f'{os.path.basename(path)} is {"read" if name == "whole" else "refused"}', (f'{path} is left out: it cannot be read' in lines) == (name != 'whole'), lines[-200:])
        os.remove(path)


def check_sized(report, stack, frames):
    """Of these GEGL's loaders make a picture whose end is black; of a folder one that shows a message."""
    out, folder = os.path.join(stack.work, 'sized.png'), os.path.join(stack.work, 'folder.png')
    files = [os.path.join(stack.work, f'sized.{ending}') for ending in ('exr', 'webp', 'hdr', 'gegl', 'ppm')]
    for path in files:
        stack.gegl.run([frames[1], '-o', path])
    picture = Picture(files[-1])
    size = b'%d %d\n255\n' % (picture.width, picture.height)
    picture.pixels = [int(value) for value in picture.pixels[1::3]]
    for name, data in (('sized.tif', tiff(picture)), ('sized.pgm', b'P5\n# grey\n' + size + bytes(picture.pixels)),
                       ('text.pgm', b'P2\n' + size + b'\n'.join(b'%d' % value for value in picture.pixels) + b'\n')):
        files.append(written(stack, name, data))
    for path in files:
        code, lines = stack.run(frames[0], path, '-o', out)
        report.check(f'{os.path.basename(path)} is read', code == 0 and 'is left out' not in lines, f'exit {code} {lines}')
        cut = written(stack, 'cut-' + os.path.basename(path), content(path)[:os.path.getsize(path) * 3 // 4])
        code, lines = stack.run(frames[0], cut, '-o', out)
        report.check('... and left out where it ends too early', code == 0 and f'{cut} is left out: it cannot be read' in lines, f'exit {code} {lines}')
    runs = written(stack, 'runs.hdr', radiance(picture))         # of which Debian 12's GEGL makes a black picture, with warnings
    for path, is_cut in ((runs, False), (written(stack, 'cut-runs.hdr', content(runs)[:-1]), True)):
        code, lines = stack.run(frames[0], path, '-o', out)
        report.check(f'{os.path.basename(path)}, whose rows are in runs, is {"left out" if is_cut else "whole"}',
                     code == 0 and (ends_early(path) in lines) == is_cut, f'exit {code} {lines[-200:]}')
    check_radiance(report, stack, frames[0])
    check_circles(report, stack, (files[3], frames[0]))
    wrong = [122 + i * picture.width for i in range(picture.height)]     # the offsets once more
    for name, data in (('length.tif', tiff(picture, lengths=[1 << 30])), ('lengths.tif', tiff(picture, 1, wrong)), ('unused.tif', tiff(picture, 1, unused=1))):
        code, lines = stack.run(frames[0], written(stack, name, data), '-o', out)
        report.check(f'{name}, of which libtiff knows better, is read', code == 0 and 'is left out' not in lines, f'exit {code} {lines}')
    os.mkdir(folder)
    pipe = os.path.join(stack.work, 'no-writer.png')
    os.mkfifo(pipe)
    own = content(files[3])
    for path in (folder, pipe, written(stack, 'empty.exr', b''), written(stack, 'empty.gegl', b''), written(stack, 'format.gegl', own[:26] + b'?' + own[27:])):
        for words, code_wanted in (((frames[0], path), 0), ((path, frames[0]), 2)):
            code, lines = stack.run(*words, '-o', out, timeout=20)
            report.check(f'{os.path.basename(path)} is named, as frame {words.index(path)}', code == code_wanted and path in lines and 'cannot be read' in lines, f'exit {code} {lines}')


def check_damaged(report, stack, frames):
    """Pictures whose own libraries complain of them, on stderr, and make something all the same; and those that lack their end alone."""
    out, exr = os.path.join(stack.work, 'damaged.png'), os.path.join(stack.work, 'good.exr')
    jpegs = [os.path.join(stack.work, f'frame-{i}.jpg') for i in range(3)]
    for frame, path in zip(frames, jpegs):
        stack.gegl.run([frame, '-o', path])
    stack.gegl.run([frames[1], '-o', exr])
    png, jpeg, floats = content(frames[1]), content(jpegs[1]), content(exr)
    stack.run(frames[0], frames[2], '-o', out)
    without = content(out)
    for name, data, middle, n, why in (('byte.png', png, len(png) // 2, 1, 'libpng says '), ('bytes.jpg', jpeg, len(jpeg) // 2, 40, 'libjpeg says '),
                                       ('bytes.exr', floats, len(floats) // 2, 40, 'GEGL says failed to load')):
        bad = written(stack, name, data[:middle] + bytes(byte ^ 0x55 for byte in data[middle:middle + n]) + data[middle + n:])
        code, lines = stack.run(frames[0], bad, frames[2], '-o', out)
        report.check(f'{name}, which is damaged, is named and left out', code == 0 and f'{bad} is left out: it cannot be read as a picture: {why}' in lines, f'exit {code} {lines[-300:]}')
        report.check('... and is not in the result', content(out) == without)
        code, lines = stack.run(bad, frames[0], '-o', out)
        report.check('... nor a reference', code == 2 and f'{bad}, the reference, cannot be read as a picture: {why}' in lines, f'exit {code} {lines[-300:]}')
    moves = written(stack, 'moves.webp', webp(2, (b'ANIM', bytes(6)), (b'ANMF', bytes(90))))
    code, lines = stack.run(frames[0], moves, frames[2], '-o', out)
    report.check('an animation is named', code == 0 and f'{moves} is left out: it cannot be read as a picture: it is an animation' in lines, f'exit {code} {lines}')
    for name, others, data in (('endless.png', frames, png[:-12]), ('endless.jpg', jpegs, jpeg[:-2]), ('trailer.jpg', jpegs, jpeg[:-2] + bytes(2) + b'of a phone' * 50)):
        stack.run(*others[:3], '-o', out)
        whole = content(out)
        code, lines = stack.run(others[0], written(stack, name, data), others[2], '-o', out)
        report.check(f'{name}, which has all pixels, is read', code == 0 and not lines and content(out) == whole, f'exit {code} {lines}')


def turned(picture, orientation):
    """A PNG that shows it to whoever obeys the orientation."""
    width, height = (picture.width, picture.height) if orientation < 5 else (picture.height, picture.width)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            across, down = SEEN[orientation](x, y, width, height)
            at = 3 * (down * picture.width + across)
            rows += bytes(int(value) for value in picture.pixels[at:at + 3])
    head, palette, pixels, end = png_parts(2, 8, 0, width, height, bytes(rows))
    return png(head, chunk(b'eXIf', notes(orientation, '>')) if orientation > 1 else palette, pixels, end)


def check_turned(report, stack, frames):
    """Cameras store what they see, and note how it was held."""
    sources, out = [], os.path.join(stack.work, 'upright.png')
    for i, frame in enumerate(frames[:3]):
        path = os.path.join(stack.work, 'levels.ppm')
        stack.gegl.run([frame, '-o', path, '--', 'gegl:crop', 'x=0', 'y=0', 'width=320', 'height=200'])
        sources.append(Picture(path))
    upright = [written(stack, f'upright-{i}.png', turned(source, 1)) for i, source in enumerate(sources)]
    code, lines = stack.run(*upright, '-o', out)
    report.check('upright frames are stacked', code == 0 and not lines, f'exit {code} {lines}')
    whole = content(out)
    for first, second in ((1, 6), (2, 7), (3, 8), (4, 5), (6, 6), (8, 1)):
        held = [written(stack, f'held-{i}.png', turned(source, turn)) for i, (source, turn) in enumerate(zip(sources, (first, second, 1)))]
        code, lines = stack.run(*held, '-o', out)
        report.check(f'frames that are held as {first}, {second} and 1 become the same, upright', code == 0 and not lines and content(out) == whole, f'exit {code} {lines}')


def check_grey(report, stack, frames):
    """A grey picture with a profile of greys: libpng takes none of these for colours, and the file was empty."""
    path = os.path.join(stack.work, 'levels.ppm')
    stack.gegl.run([frames[0], '-o', path, '--', 'gegl:crop', 'x=0', 'y=0', 'width=300', 'height=200'])
    picture, rows = Picture(path), bytearray()
    levels = [int(value) for value in picture.pixels[1::3]]
    for y in range(picture.height):
        rows += b'\0' + bytes(levels[y * picture.width:(y + 1) * picture.width])
    head, _, pixels, end = png_parts(0, 8, 0, picture.width, picture.height, bytes(rows))
    grey = written(stack, 'grey.png', png(head, chunk(b'iCCP', b'grey\0\0' + zlib.compress(grey_profile(1.8))), pixels, end))
    wanted = [255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055) for light in ((level / 255) ** 1.8 for level in levels)]
    for name, kind in (('grey-out.png', b'\x10\x04'), ('grey-out.tif', None), ('grey-out.exr', None)):
        out = os.path.join(stack.work, name)
        code, lines = stack.run(grey, '-o', out)
        good = report.check(f'a grey picture with a profile becomes {name}', code == 0 and not lines and os.path.getsize(out) > 10000, f'exit {code} {lines}')
        if good and kind:
            report.check('... which is grey', content(out)[24:26] == kind, content(out)[24:26].hex())
        if good:
            found = stack.picture(out).pixels[1::3]
            off = max(abs(a - b) for a, b in zip(found, wanted))
            report.check('... and as bright', off < 1, f'{off:.2f} of 255 off')


def check_unknown(report, stack, frames):
    """A JPEG of a kind that libjpeg does not know, which ends whoever asks GEGL's loader."""
    jpeg, out = content(PHOTOGRAPH), os.path.join(stack.work, 'unknown.png')
    kind = next(start for start in segments(jpeg) if jpeg[start + 1] == 0xC0)
    bad = written(stack, 'kind.jpg', jpeg[:kind + 1] + b'\xc5' + jpeg[kind + 2:])
    code, lines = stack.run(*frames[:3], bad, frames[3], '-o', out)
    report.check('a JPEG of an unknown kind is named and left out', code == 0 and f'{bad} is left out: it cannot be read as a picture: libjpeg says ' in lines, f'exit {code} {lines}')
    code, lines = stack.run(bad, bad, *frames[:2], '-o', out)
    report.check('... and no reference', code == 2 and f'{bad}, the reference, cannot be read as a picture: libjpeg says ' in lines, f'exit {code} {lines}')
