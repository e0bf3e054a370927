# SPDX-License-Identifier: LGPL-3.0-or-later
"""Small pictures as GIMP and the gegl command write them: PNG of 8 bits, TIFF of 32-bit floats.  All are RGBA here, straight, in
sRGB's curve: 8-bit ones in levels, float ones where 1 is white."""
import array
import math
import struct
import zlib

PNG = b'\x89PNG\r\n\x1a\n'
PNG_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
PNG_KINDS = {1: 0, 3: 2, 2: 4, 4: 6}


class Pixels:
    """Width, height and RGBA in a flat array; `full` is an opaque alpha."""

    def __init__(self, width, height, data, channels, full):
        self.width, self.height, self.full = width, height, full
        if len(data) != width * height * channels:
            raise ValueError(f'{len(data)} numbers do not make {width}x{height}x{channels}')
        self.data = array.array(data.typecode if isinstance(data, array.array) else 'B', bytes(0))
        self.data.extend([full] * (width * height * 4) if full == 255 else [1.0] * (width * height * 4))
        for place in range(3):
            self.data[place::4] = data[place if channels >= 3 else 0::channels]
        if channels in (2, 4):
            self.data[3::4] = data[channels - 1::channels]

    @property
    def grey(self):
        return self.data[0::4] == self.data[1::4] == self.data[2::4]

    def crop(self, x, y, width, height):
        rows = array.array(self.data.typecode)
        for row in range(y, y + height):
            start = 4 * (row * self.width + x)
            rows.extend(self.data[start:start + 4 * width])
        return Pixels(width, height, rows, 4, self.full)

    def cleared(self, x, y, width, height):
        """The data with alpha 0 outside a rectangle."""
        data = array.array(self.data.typecode, self.data)
        for i in range(self.width * self.height):
            if not (x <= i % self.width < x + width and y <= i // self.width < y + height):
                data[4 * i + 3] = 0
        return data

    def opaque(self):
        self.data[3::4] = array.array(self.data.typecode, [self.full] * (self.width * self.height))
        return self

    def difference(self, other, limit):
        """(the largest difference, where, how many pixels differ by more than the limit); colours of transparent pixels do not count.  Floats beyond 1
        differ relatively: Lab's numbers and HDR."""
        if (self.width, self.height) != (other.width, other.height):
            return math.inf, f'{self.width}x{self.height} and {other.width}x{other.height}', 0
        worst, where, count = 0, None, 0
        a, b = self.data, other.data
        for i in range(0, len(a), 4):
            if a[i:i + 4] == b[i:i + 4]:
                continue
            d = abs(a[i + 3] - b[i + 3])
            if a[i + 3] > 0 and b[i + 3] > 0:
                d = max(d, *(abs(a[k] - b[k]) / (max(1.0, abs(b[k])) if self.full == 1.0 else 1) for k in (i, i + 1, i + 2)))
            if not d <= limit:
                count += 1
            if not d <= worst:
                worst, where = (d if d == d else math.inf), (i // 4 % self.width, i // 4 // self.width)
        return worst, where, count


    def encoded(self):
        """Linear light in sRGB's curve."""
        for i, value in enumerate(self.data):
            if i % 4 != 3:
                self.data[i] = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
        return self

    def straight(self):
        for i in range(0, len(self.data), 4):
            alpha = self.data[i + 3]
            if alpha > 0:
                for k in (i, i + 1, i + 2):
                    self.data[k] /= alpha
        return self


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    return read_png(data) if data.startswith(PNG) else read_tiff(data)


def unfiltered(kind, line, above, step):
    """One row of a PNG; `line` is changed."""
    for i, value in enumerate(line):
        left = line[i - step] if i >= step else 0
        up = above[i]
        if kind == 1:
            line[i] = (value + left) & 255
        elif kind == 2:
            line[i] = (value + up) & 255
        elif kind == 3:
            line[i] = (value + (left + up) // 2) & 255
        elif kind == 4:
            corner = above[i - step] if i >= step else 0
            p, q, r = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            line[i] = (value + (left if p <= q and p <= r else up if q <= r else corner)) & 255
    return line


def read_png(data):
    at, packed, header = len(PNG), b'', None
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            header = struct.unpack('>IIBBBBB', body)
        elif kind == b'IDAT':
            packed += body
        at += length + 12
    width, height, bits, colour, _, _, interlaced = header
    if bits != 8 or interlaced or colour not in PNG_CHANNELS:
        raise ValueError(f'a PNG of {bits} bits, colour {colour}, interlaced {interlaced}')
    channels, plain = PNG_CHANNELS[colour], zlib.decompress(packed)
    pitch, above, pixels = width * channels, bytes(width * channels), array.array('B')
    for y in range(height):
        start = y * (pitch + 1)
        above = unfiltered(plain[start], bytearray(plain[start + 1:start + 1 + pitch]), above, channels)
        pixels.frombytes(bytes(above))
    return Pixels(width, height, pixels, channels, 255)


def write_png(path, width, height, pixels, channels, profile=None):
    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))

    rows = b''.join(b'\0' + bytes(pixels[y * width * channels:(y + 1) * width * channels]) for y in range(height))
    with open(path, 'wb') as file:
        file.write(PNG + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, PNG_KINDS[channels], 0, 0, 0))
                   + (chunk(b'iCCP', b'test\0\0' + zlib.compress(profile)) if profile else b'')
                   + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def read_tiff(data):
    """Strips of 32-bit floats, not compressed, channels together."""
    if data[:4] != b'II*\0':
        raise ValueError('not a little-endian TIFF')
    at, = struct.unpack('<I', data[4:8])
    tags, sizes = {}, {3: ('H', 2), 4: ('I', 4)}
    for i in range(struct.unpack('<H', data[at:at + 2])[0]):
        tag, kind, count = struct.unpack('<HHI', data[at + 2 + 12 * i:at + 10 + 12 * i])
        if kind in sizes:
            letter, size = sizes[kind]
            place = at + 10 + 12 * i
            if count * size > 4:
                place, = struct.unpack('<I', data[place:place + 4])
            tags[tag] = struct.unpack(f'<{count}{letter}', data[place:place + count * size])
    if tags.get(259, (1,)) != (1,) or tags.get(339, (1,))[0] != 3 or tags[258][0] != 32 or tags.get(284, (1,)) != (1,):
        raise ValueError(f'a TIFF of another kind: compression {tags.get(259)}, format {tags.get(339)}, bits {tags.get(258)}')
    pixels = array.array('f')
    for start, length in zip(tags[273], tags[279]):
        pixels.frombytes(data[start:start + length])
    picture = Pixels(tags[256][0], tags[257][0], pixels, tags[277][0], 1.0)
    return picture.straight() if tags.get(338, (0,))[0] == 1 else picture
