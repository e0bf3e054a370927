# SPDX-License-Identifier: LGPL-3.0-or-later
"""PNG, JPEG, TIFF and WebP files byte by byte, for run-whole.py: what they hold is known, and what is wrong with them."""
import random
import struct
import zlib

SIGNATURE = b'\x89PNG\r\n\x1a\n'


# --------------------------------------------------------------------- PNG --

def chunk(kind, data, wrong=0):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data) ^ wrong)


def png_rows(width, height, bits, interlaced, filters=5, seed=1):
    """Rows of noise, each behind its filter; of all passes."""
    draw, data = random.Random(seed), b''
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)) if interlaced else ((0, 0, 1, 1),)
    for x, y, step_x, step_y in passes:
        across, down = -(-(width - x) // step_x), -(-(height - y) // step_y)
        for _ in range(down if across > 0 else 0):
            data += bytes([draw.randrange(filters)]) + bytes(draw.randrange(256) for _ in range((across * bits + 7) // 8))
    return data


def png_parts(kind, depth, interlaced=0, width=37, height=29, rows=None):
    """Of a picture: its chunks before the pixels, the pixels, packed, and its last chunk."""
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    head = chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, kind, 0, 0, interlaced))
    palette = chunk(b'PLTE', bytes(range(256)) * 3) if kind == 3 else b''
    return head, palette, zlib.compress(rows or png_rows(width, height, samples * depth, interlaced)), chunk(b'IEND', b'')


def png(head, palette, pixels, end, pieces=3):
    """The pixels in some chunks."""
    size = len(pixels) // pieces + 1
    return SIGNATURE + head + palette + b''.join(chunk(b'IDAT', pixels[i:i + size]) for i in range(0, len(pixels), size)) + end


def grey_profile(gamma):
    """ICC.1:2001-04, of a display of greys."""
    def fixed(*values):
        return struct.pack(f'>{len(values)}i', *(round(value * 65536) for value in values))
    tags = ((b'desc', b'desc' + bytes(4) + struct.pack('>I', 5) + b'grey\0' + bytes(78)), (b'cprt', b'text' + bytes(4) + b'none\0'),
            (b'wtpt', b'XYZ ' + bytes(4) + fixed(0.9642, 1, 0.8249)), (b'kTRC', b'curv' + bytes(4) + struct.pack('>IH', 1, round(gamma * 256)) + bytes(2)))
    table, body = struct.pack('>I', len(tags)), b''
    for name, data in tags:
        table += name + struct.pack('>II', 132 + 12 * len(tags) + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    return (struct.pack('>I4sI4s4s4s', 128 + len(table + body), b'none', 0x02400000, b'mntr', b'GRAY', b'XYZ ') + struct.pack('>6H', 2026, 1, 1, 0, 0, 0) + b'acsp'
            + bytes(28) + fixed(0.9642, 1, 0.8249) + bytes(48) + table + body)


# -------------------------------------------------------------------- JPEG --

DC, AC = list(range(12)), [0x00, 0x01, 0x02, 0x03, 0x11, 0x12, 0x21, 0x31, 0xf0]         # what has a code, of four bits


def segment(marker, data):
    return b'\xff' + bytes([marker]) + struct.pack('>H', len(data) + 2) + data


class Bits:
    def __init__(self):
        self.text = ''

    def put(self, value, n):
        self.text += format(value, f'0{n}b') if n else ''

    def done(self):
        text = self.text + '1' * (-len(self.text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b'\xff', b'\xff\0')


def put_block(bits, draw):
    size = draw.randrange(6)
    bits.put(DC.index(size), 4)
    bits.put(draw.randrange(1 << size), size)
    k = 1
    while k < 50 and draw.random() < 0.9:
        code = draw.choice(AC[1:])
        bits.put(AC.index(code), 4)
        bits.put(draw.randrange(1 << (code & 15)), code & 15)
        k += (code >> 4) + 1
    bits.put(0, 4)              # the end of the block


def jpeg_parts(parts=1, restart=0, units=(7, 5), sampling=0x11, seed=1):
    """Of noise: its head, its codes, its end."""
    draw, codes, bits, count = random.Random(seed), b'', Bits(), 0
    blocks = 1 if parts == 1 else (sampling >> 4) * (sampling & 15) + parts - 1
    for unit in range(units[0] * units[1]):
        if restart and unit and unit % restart == 0:
            codes, bits, count = codes + bits.done() + bytes([0xff, 0xd0 + count % 8]), Bits(), count + 1
        for _ in range(blocks):
            put_block(bits, draw)
    side = 8 if parts == 1 else 8 * (sampling >> 4)
    frame = struct.pack('>BHHB', 8, 8 * units[1] if parts == 1 else 8 * (sampling & 15) * units[1], side * units[0], parts)
    frame += b''.join(bytes([i, sampling if i == 1 else 0x11, 0]) for i in range(1, parts + 1))
    head = b'\xff\xd8' + segment(0xdb, b'\0' + bytes([4] * 64)) + segment(0xc0, frame)
    head += segment(0xc4, b'\0' + bytes([0, 0, 0, len(DC)] + [0] * 12) + bytes(DC)) + segment(0xc4, b'\x10' + bytes([0, 0, 0, len(AC)] + [0] * 12) + bytes(AC))
    head += segment(0xdd, struct.pack('>H', restart)) if restart else b''
    head += segment(0xda, bytes([parts]) + b''.join(bytes([i, 0]) for i in range(1, parts + 1)) + b'\0\x3f\0')
    return head, codes + bits.done(), b'\xff\xd9'


# ------------------------------------------------------------------- notes --

def notes(orientation, order='<', kind=3, count=1, where=8):
    """What a camera writes: a TIFF without a picture."""
    value = struct.pack(order + ('HH' if kind == 3 else 'I'), *((orientation, 0) if kind == 3 else (orientation,)))
    return ((b'II*\0' if order == '<' else b'MM\0*') + struct.pack(order + 'I', where) + bytes(where - 8)
            + struct.pack(order + 'HHHI', 2, 271, 2, 4) + b'cam\0' + struct.pack(order + 'HHI', 274, kind, count) + value + bytes(4))


# Where the pixel (x, y) of what is stored, w x h, is to be seen (EXIF 2.3, 4.6.4, tag 274).
SEEN = {1: lambda x, y, w, h: (x, y), 2: lambda x, y, w, h: (w - 1 - x, y), 3: lambda x, y, w, h: (w - 1 - x, h - 1 - y), 4: lambda x, y, w, h: (x, h - 1 - y),
        5: lambda x, y, w, h: (y, x), 6: lambda x, y, w, h: (h - 1 - y, x), 7: lambda x, y, w, h: (h - 1 - y, w - 1 - x), 8: lambda x, y, w, h: (y, w - 1 - x)}


def turned_bits(data):
    return bytes(int(format(byte, '08b')[::-1], 2) for byte in data)


def tiff(pixels, width, height, rows, orientation=1, order=1, more=b''):
    """Greys, packed with a checksum, in strips of some rows.  `order`: 2 where the first bit of a byte is the lowest; `more`: behind those of each strip."""
    strips = [zlib.compress(pixels[width * y:width * (y + rows)] + more) for y in range(0, height, rows)]
    strips = [turned_bits(strip) for strip in strips] if order == 2 else strips
    entries = [(256, 3, 1, width), (257, 3, 1, height), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1), (266, 3, 1, order), (273, 4, len(strips), 0), (274, 3, 1, orientation),
               (277, 3, 1, 1), (278, 3, 1, rows), (279, 4, len(strips), 0)]
    lists = 8 + 2 + 12 * len(entries) + 4
    first = lists + 8 * len(strips)
    places = [first + sum(map(len, strips[:i])) for i in range(len(strips))]
    values = {273: lists, 279: lists + 4 * len(strips)} if len(strips) > 1 else {273: places[0], 279: len(strips[0])}
    return (b'II*\0' + struct.pack('<IH', 8, len(entries)) + b''.join(struct.pack('<HHII', tag, kind, n, values.get(tag, value)) for tag, kind, n, value in entries)
            + bytes(4) + struct.pack(f'<{2 * len(strips)}I', *places, *map(len, strips)) + b''.join(strips))


TIFF_KINDS = {'grey': (1, 8, 1), 'four bits': (1, 4, 1), 'fax': (0, 1, 1), 'palette': (3, 8, 1), 'colors': (2, 8, 3), 'lab': (8, 8, 3)}       # tag 262, bits, samples


def tiff_stored(kind, rows, orientation=1, order='<', is_big=False, number='H'):
    """Of some kind, not packed, with offsets of 32 or 64 bits; `rows`: tuples of samples; `number`: how the orientation is written."""
    photometric, bits, samples = TIFF_KINDS[kind]
    pixels = b''
    for row in rows:
        text = ''.join(format(value & (1 << bits) - 1, f'0{bits}b') for pixel in row for value in pixel)
        text += '0' * (-len(text) % 8)
        pixels += bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
    offset, head = ('Q', 16) if is_big else ('I', 8)
    colors = struct.pack(order + '768H', *(257 * (value * (c + 1) % 256) for c in range(3) for value in range(256)))
    eights = struct.pack(order + '4H', 8, 8, 8, 0)
    first, types = head + len(colors) + len(eights), {1: 'B', 3: 'H', 4: 'I'}
    entries = [(256, 3, (len(rows[0]),)), (257, 3, (len(rows),)), (258, 3, (bits,) * samples), (259, 3, (1,)), (262, 3, (photometric,)), (273, 4, (first,)),
               (274, {'B': 1, 'H': 3, 'I': 4}[number], (orientation,)), (277, 3, (samples,)), (278, 3, (len(rows),)), (279, 4, (len(pixels),))]
    entries += [(320, 3, (0,) * 768)] if kind == 'palette' else []
    directory = b''
    for tag, type_of, values in entries:
        at = {320: head, 258: head + len(colors)}[tag] if len(values) * struct.calcsize(types[type_of]) > struct.calcsize(offset) else None
        value = struct.pack(order + offset, at) if at else struct.pack(order + types[type_of] * len(values), *values).ljust(struct.calcsize(offset), b'\0')
        directory += struct.pack(order + 'HH' + offset, tag, type_of, len(values)) + value
    place = first + len(pixels) + len(pixels) % 2
    start = (b'II' if order == '<' else b'MM') + (struct.pack(order + 'HHHQ', 43, 8, 0, place) if is_big else struct.pack(order + 'HI', 42, place))
    return (start + colors + eights + pixels + bytes(len(pixels) % 2) + struct.pack(order + ('Q' if is_big else 'H'), len(entries)) + directory
            + bytes(struct.calcsize(offset)))


WEBP_PIXEL = b'VP8L', bytes.fromhex('2f0000000007508a26d4a3ff8188e87f00')        # one, without loss


def webp(flags, *chunks):
    """Of one pixel, if its chunks have it."""
    data = b''.join(kind + struct.pack('<I', len(content)) + content + b'\0' * (len(content) % 2)
                    for kind, content in ((b'VP8X', bytes([flags]) + bytes(9)), *chunks))
    return b'RIFF' + struct.pack('<I', 4 + len(data)) + b'WEBP' + data


def gif(*pictures, end=b';'):
    """4 x 4, of two colours: the codes of each picture, in pieces; None: a comment."""
    data = b'GIF89a' + bytes((4, 0, 4, 0, 0x80, 0, 0)) + bytes((0, 0, 0, 255, 255, 255))
    for codes in pictures:
        data += b'!\xfe\3abc\0' if codes is None else b',' + bytes((0, 0, 0, 0, 4, 0, 4, 0, 0, 2)) + bytes((len(codes),)) + codes + b'\0'
    return data + end
