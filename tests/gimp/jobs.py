# SPDX-License-Identifier: LGPL-3.0-or-later
"""What is tried with each operation, made from its properties: a new filter is tested without a line here."""
import array
import os
import struct
import zlib
from dataclasses import dataclass, field

from pixels import read, write_png

WIDTH, HEIGHT = 157, 121
OFFSET = (31, 17)                   # of the layer in a larger canvas
CANVAS = (WIDTH + 50, HEIGHT + 40)
SELECTION = (40, 30, 70, 50)        # x, y, width, height
KINDS = ('rgb', 'rgba', 'grey')
NUMBERS = ('gdouble', 'gint')


@dataclass
class Job:
    operation: str
    setting: str                    # `defaults` or `varied`
    values: dict = field(repr=False)
    kind: str = 'rgb'
    depth: int = 8
    # `offset`: the layer stands elsewhere; `selection`: a rectangle is selected; `mask`: one is shown; `group`: a group with a copy of the
    # layer is filtered; `passing`: such a group, which shows what is below it too; `opaque`: the layer has no alpha, the result would
    shape: str = 'whole'
    linear: bool = True             # of 32 bits: linear light or perceptual
    # `effect`: a layer effect; `xcf`: that, saved and opened by another process; `edited`: it gets the values only there;
    # `copied`: it came with a copy of its layer; `pasted`: that by the clipboard, and it gets the values there; `recalled`: 2.10's last values
    how: str = 'merged'

    def __str__(self):
        precision = f'{self.depth} bit' + ('' if self.depth == 8 or self.linear else ' perceptual')
        return f'{self.operation} {self.setting}, {self.kind} {precision}, {self.shape}, {self.how}'

    def out(self, work, number):
        return os.path.join(work, f'{number}.{"png" if self.depth == 8 else "tif"}')


def varied(operation):
    """Every property away from its default, within what the slider offers."""
    values = {}
    for spec in operation['properties']:
        name, kind = spec['name'], spec['type']
        if not spec['writable'] or '0' in (spec['visible'], spec['sensitive']):          # a result
            continue
        if kind in NUMBERS:
            low, high = spec['ui-range']
            value = spec['default'] + 0.3 * (high - spec['default']) if spec['default'] < high else (low + high) / 2
            values[name] = int(value) if kind == 'gint' else round(value, 4)
        elif kind == 'gboolean':
            values[name] = not spec['default']
        elif 'values' in spec:
            values[name] = spec['values'][(spec['values'].index(spec['default']) + 1) % len(spec['values'])]
        elif kind == 'GeglColor':
            values[name] = '#80c0ff'
    return values


def in_32_bits(values):
    """Those that an XCF file keeps, whose numbers are floats: of 19.2 the last digit decides to which cell of a grid a column belongs."""
    return {name: struct.unpack('f', struct.pack('f', value))[0] if isinstance(value, float) else value for name, value in values.items()}


def jobs_of(operation, effects):
    """A varied setting may make an image transparent: those layers have an alpha channel.  `effects`: GIMP 3 refuses layer effects
    of operations with an aux pad, so those are merged only."""
    name, other = operation['name'], varied(operation)
    jobs = [Job(name, 'defaults', {}, kind, depth) for kind in KINDS for depth in (8, 32)]
    jobs += [Job(name, 'defaults', {}, 'rgb', 32, linear=False), Job(name, 'defaults', {}, 'profile'),
             Job(name, 'defaults', {}, 'rgba', 8, 'mask')]
    jobs += [Job(name, 'defaults', {}, 'rgb', depth, shape) for depth in (8, 32) for shape in ('offset', 'selection')]
    jobs += [Job(name, 'varied', other, 'rgba', depth) for depth in (8, 32)]
    if effects:
        jobs += [Job(name, 'defaults', {}, 'rgba', 8, 'offset', how='effect')]
        jobs += [Job(name, setting, values, kind, depth, how=how) for how, changed in (('effect', other), ('xcf', in_32_bits(other)))
                 for setting, values, kind, depth in (('defaults', {}, 'rgb', 8), ('varied', changed, 'rgba', 8), ('varied', changed, 'rgba', 32))]
        jobs += [Job(name, 'varied', other, 'rgba', 8, how=how) for how in ('edited', 'copied')]
    return jobs


def grouped_jobs(operation, shapes):
    """Not varied: what that makes transparent would show the layer below."""
    return [Job(operation['name'], 'defaults', {}, 'rgb', 8, shape, how='effect') for shape in shapes]


def opaque_jobs(operation, effects):
    """Beyond the edge is nothing, and the layer cannot show it."""
    if not any(spec['name'] == 'border' and 'none' in spec.get('values', ()) for spec in operation['properties']):
        return []
    return [Job(operation['name'], 'border none', {'border': 'none'}, 'rgb', 8, 'opaque', how=how) for how in ('merged', *(('effect',) if effects else ()))]


def recalled_jobs(operation):
    return [Job(operation['name'], 'varied', varied(operation), 'rgba', 8, how='recalled')]


def pasted_jobs(operation):
    return [Job(operation['name'], 'varied', varied(operation), 'rgba', 8, how='pasted')]


def smoke_jobs(operation, effects, generation):
    """With alpha, and one more that depends on the name; in 2.10, where each takes three programs and their start, one of these."""
    name, place = operation['name'], zlib.crc32(operation['name'].encode()) >> 7
    varied_job = Job(name, 'varied', varied(operation), 'rgba', 32)
    more = [Job(name, 'defaults', {}, 'profile', 8), Job(name, 'defaults', {}, 'rgb', 8, 'selection'),
            Job(name, 'defaults', {}, 'grey', 8, how='effect' if effects else 'merged')]
    return [varied_job, more[place % len(more)]] if generation else [[*more, varied_job][place % (1 + len(more))]]


def profile():
    """An ICC profile that nobody takes for sRGB: its primaries in another order of size, gamma 1.4."""
    def fixed(*values):
        return b''.join(struct.pack('>i', round(value * 65536)) for value in values)

    text = b'Tessera test, gamma 1.4'
    curve = b'curv' + bytes(4) + struct.pack('>IHH', 1, round(1.4 * 256), 0)
    tags = {b'desc': b'desc' + bytes(4) + struct.pack('>I', len(text) + 1) + text + bytes(80),
            b'cprt': b'text' + bytes(4) + b'none\0\0\0\0', b'wtpt': b'XYZ ' + bytes(4) + fixed(0.9642, 1, 0.8249),
            b'rXYZ': b'XYZ ' + bytes(4) + fixed(0.6097, 0.3111, 0.0195), b'gXYZ': b'XYZ ' + bytes(4) + fixed(0.2053, 0.6257, 0.0609),
            b'bXYZ': b'XYZ ' + bytes(4) + fixed(0.1492, 0.0632, 0.7446), b'rTRC': curve, b'gTRC': curve, b'bTRC': curve}
    at, table, body = 128 + 4 + 12 * len(tags), b'', b''
    for name, data in tags.items():
        table += name + struct.pack('>II', at + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    head = struct.pack('>I4sI4s4s4s12s4s', at + len(body), b'lcms', 0x02100000, b'mntr', b'RGB ', b'XYZ ', struct.pack('>6H', 2020, 1, 1, 0, 0, 0), b'acsp')
    head += bytes(28) + fixed(0.9642, 1, 0.8249)
    return head + bytes(128 - len(head)) + struct.pack('>I', len(tags)) + table + body


def make_inputs(gegl, photograph, work):
    """A piece of a photograph as rgb, with an embedded profile, as rgba with transparent and half-transparent places, and grey."""
    paths = {kind: os.path.join(work, f'in-{kind}.png') for kind in (*KINDS, 'profile')}
    gegl.run([photograph, '-o', paths['rgb'], '--', 'gegl:scale-size', 'x=512', 'y=384', 'gegl:crop', 'x=180', 'y=120',
              f'width={WIDTH}', f'height={HEIGHT}', 'gegl:translate', 'x=-180', 'y=-120',
              'gegl:png-save', f'path={paths["rgb"]}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    picture = read(paths['rgb'])
    colours = [value for i, value in enumerate(picture.data) if i % 4 != 3]
    write_png(paths['rgb'], WIDTH, HEIGHT, colours, 3)      # no gAMA, no profile
    write_png(paths['profile'], WIDTH, HEIGHT, colours, 3, profile())
    write_png(paths['grey'], WIDTH, HEIGHT, picture.data[1::4], 1)
    pixels = array.array('B', picture.data)
    for i in range(WIDTH * HEIGHT):
        x, y = i % WIDTH, i // WIDTH
        pixels[4 * i + 3] = 0 if 20 <= x < 45 and 20 <= y < 50 else 255 if x > 90 else 60 + 2 * x
    write_png(paths['rgba'], WIDTH, HEIGHT, pixels, 4)
    return paths
