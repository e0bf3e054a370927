# SPDX-License-Identifier: LGPL-3.0-or-later
"""What is tried with each operation, made from its properties: a new filter is tested without a line here."""
import array
import os
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
    shape: str = 'whole'            # `offset`: the layer stands elsewhere; `selection`: a rectangle is selected
    linear: bool = True             # of 32 bits: linear light or perceptual
    how: str = 'merged'             # `effect`: a layer effect; `xcf`: that, saved and opened by another process

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
        if not spec['writable']:
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


def jobs_of(operation, effects):
    """A varied setting may make an image transparent: those layers have an alpha channel.  `effects`: GIMP 3 refuses layer effects
    of operations with an aux pad, so those are merged only."""
    name, other = operation['name'], varied(operation)
    jobs = [Job(name, 'defaults', {}, kind, depth) for kind in KINDS for depth in (8, 32)]
    jobs += [Job(name, 'defaults', {}, 'rgb', 32, linear=False)]
    jobs += [Job(name, 'defaults', {}, 'rgb', depth, shape) for depth in (8, 32) for shape in ('offset', 'selection')]
    jobs += [Job(name, 'varied', other, 'rgba', depth) for depth in (8, 32)]
    if effects:
        jobs += [Job(name, 'defaults', {}, 'rgba', 8, 'offset', how='effect')]
        jobs += [Job(name, setting, values, kind, depth, how=how) for how in ('effect', 'xcf')
                 for setting, values, kind, depth in (('defaults', {}, 'rgb', 8), ('varied', other, 'rgba', 8), ('varied', other, 'rgba', 32))]
    return jobs


def smoke_jobs(operation, effects):
    name = operation['name']
    return [Job(name, 'defaults', {}, 'rgb', 8), Job(name, 'varied', varied(operation), 'rgba', 32),
            Job(name, 'defaults', {}, 'grey', 8, how='effect' if effects else 'merged'),
            Job(name, 'defaults', {}, 'rgb', 8, 'selection')]


def make_inputs(gegl, photograph, work):
    """A piece of a photograph as rgb, rgba with transparent and half-transparent places, and grey."""
    paths = {kind: os.path.join(work, f'in-{kind}.png') for kind in KINDS}
    gegl.run([photograph, '-o', paths['rgb'], '--', 'gegl:scale-size', 'x=512', 'y=384', 'gegl:crop', 'x=180', 'y=120',
              f'width={WIDTH}', f'height={HEIGHT}', 'gegl:translate', 'x=-180', 'y=-120',
              'gegl:png-save', f'path={paths["rgb"]}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    picture = read(paths['rgb'])
    write_png(paths['rgb'], WIDTH, HEIGHT, [v for i, v in enumerate(picture.data) if i % 4 != 3], 3)    # no gAMA, no profile
    write_png(paths['grey'], WIDTH, HEIGHT, picture.data[1::4], 1)
    pixels = array.array('B', picture.data)
    for i in range(WIDTH * HEIGHT):
        x, y = i % WIDTH, i // WIDTH
        pixels[4 * i + 3] = 0 if 20 <= x < 45 and 20 <= y < 50 else 255 if x > 90 else 60 + 2 * x
    write_png(paths['rgba'], WIDTH, HEIGHT, pixels, 4)
    return paths
