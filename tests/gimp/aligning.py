# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align Visible Layers in the real GIMP: frames of a photograph whose movements are known, as layers; where the layers lie then, what was
refused, the report, the noise of the new layer."""
import math
import os
import re

from common import IMAGES
from gimp_program import Gimp3, quoted
from pixels import read

PROCEDURE = 'plug-in-tessera-align-layers'
MODELS, NEW_LAYERS = ('translation', 'similarity', 'affine', 'homography', 'auto'), ('none', 'mean', 'median', 'exposure', 'focus')         # 2.10's numbers
WIDTH, HEIGHT = 320, 240
LEFT, TOP = 300, 250                # of the first frame, in the photograph
PHOTOGRAPH, UNRELATED = (os.path.join(IMAGES, name) for name in ('mountains.jpg', 'friends.jpg'))
SD = 0.06                           # of the noise, as gegl:noise-rgb counts
MEAN = 'Mean of 3 layers'
FAR = (40, 30), (WIDTH - 100, HEIGHT - 90)     # where it is measured, 60 x 60 pixels
COPY = 'using gegl copy'            # GIMP 2.10 says so when it clears what is selected
BAR = 0.3                           # pixels: align.md's median for corners
DOUBT = 'it may be '                # the operation's words


def tilted(degrees):
    """A camera with a lens of 28 mm in front of the frame's middle, turned by so much to the side and 0.7 times that upwards."""
    f, (x, y), (a, b) = 0.78 * WIDTH, (LEFT + WIDTH / 2, TOP + HEIGHT / 2), (math.radians(degrees), math.radians(0.7 * degrees))
    side = ((math.cos(a), 0, math.sin(a)), (0, 1, 0), (-math.sin(a), 0, math.cos(a)))
    turn = product(side, ((1, 0, 0), (0, math.cos(b), -math.sin(b)), (0, math.sin(b), math.cos(b))))
    whole = product(product(((f, 0, x), (0, f, y), (0, 0, 1)), turn), ((1 / f, 0, -x / f), (0, 1 / f, -y / f), (0, 0, 1)))
    return ['tessera:align', 'known-matrix=' + ' '.join(f'{value / whole[2][2]:.12g}' for row in whole for value in row)]


def product(m, n):
    return tuple(tuple(sum(m[i][k] * n[k][j] for k in range(3)) for j in range(3)) for i in range(3))


# Each frame: what has happened to the photograph.
FRAMES = {
    'first': [],
    'turned': ['gegl:rotate', 'degrees=2', f'origin-x={LEFT}', f'origin-y={TOP}', 'sampler=nohalo', 'gegl:translate', 'x=-7.4', 'y=5.3', 'sampler=nohalo'],
    'shifted': ['gegl:translate', 'x=9', 'y=-6'],
    # twice as much of it, at half the size: a mistake of half a pixel shows
    'small': ['gegl:translate', 'x=-140', 'y=-130', 'gegl:scale-ratio', 'x=0.5', 'y=0.5', 'sampler=linear', 'gegl:translate', f'x={LEFT}', f'y={TOP}'],
    'aside': ['gegl:scale-ratio', 'x=1.03', 'y=0.97', f'origin-x={LEFT}', f'origin-y={TOP}', 'sampler=nohalo'],
    'tilted': tilted(2.0), 'leaning': tilted(0.4),
}


def make_frames(installed, names):
    """{name: PNG}, each with noise of its own; `clean` is the first without."""
    made = {}
    for seed, name in enumerate(['clean', 'unrelated', *names]):
        made[name] = os.path.join(installed.work, f'frame-{name}.png')
        noise = ['gegl:noise-rgb', 'correlated=false', 'linear=false', 'gaussian=true', f'red={SD}', f'green={SD}', f'blue={SD}', f'seed={seed}']
        code, lines = installed.gegl.run([UNRELATED if name == 'unrelated' else PHOTOGRAPH, '-o', made[name], '--', *FRAMES.get(name, []), 'gegl:crop', f'x={LEFT}', f'y={TOP}',
                                          f'width={WIDTH}', f'height={HEIGHT}', 'gegl:translate', f'x={-LEFT}', f'y={-TOP}', *(noise if name not in ('clean', 'small') else []),
                                          'gegl:png-save', f'path={made[name]}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
        assert code == 0, lines
    return made


# ------------------------------------------------------------------ script --

def add_layer(path, name):
    """On top, as the variable `copy`."""
    return f'(set! copy (car (gimp-file-load-layer RUN-NONINTERACTIVE image {quoted(path)}))) (gimp-image-insert-layer image copy 0 0) ' \
           f'(gimp-item-set-name copy {quoted(name)})'


def call(gimp, model='auto', new_layer='none', mode='NONINTERACTIVE'):
    if isinstance(gimp, Gimp3):
        return f'({PROCEDURE} #:run-mode RUN-{mode} #:image image #:drawables (vector layer) #:model "{model}" #:new-layer "{new_layer}")'
    return f'({PROCEDURE} RUN-{mode} image layer {MODELS.index(model)} {NEW_LAYERS.index(new_layer)})'


def call_numbers(model, new_layer, mode=1):
    """Of 2.10."""
    return f'({PROCEDURE} {mode} image layer {model} {new_layer})'


def say_result(what, gimp, **given):
    return f'(let ((result {call(gimp, **given)})) (gimp-message (string-append "TESSERA {what} " (number->string (car result)) "|" ' \
           '(unbreakupstr (strbreakup (cadr result) "\\n") "|"))))'


def layers_of(gimp):
    return '(vector->list (car (gimp-image-get-layers image)))' if isinstance(gimp, Gimp3) else '(vector->list (cadr (gimp-image-get-layers image)))'


def shots(gimp, folder):
    """Each layer alone, as the canvas shows it, as FOLDER/NAME.png; transparent where it has nothing.  They stay hidden."""
    os.mkdir(folder)
    size = f'(car ({gimp.width} image)) (car ({gimp.height} image))'
    name = '(string-append ' + quoted(folder + '/') + ' (car (gimp-item-get-name shown)) ".png")'
    one = f'(let* ((from image) (image (car (gimp-image-new {size} RGB))) (layer (car (gimp-layer-new-from-visible from image "seen"))) (path {name})) ' \
          f'(gimp-image-insert-layer image layer 0 0) {gimp.save("PATH").replace(quoted("PATH"), "path")} (gimp-image-delete image))'
    return f'(let ((all {layers_of(gimp)})) (for-each (lambda (shown) (for-each (lambda (each) (gimp-item-set-visible each FALSE)) all) ' \
           f'(gimp-item-set-visible shown TRUE) {one}) all))'


# ----------------------------------------------------------------- measure --

def greys(picture):
    return [(picture.data[i] + 2 * picture.data[i + 1] + picture.data[i + 2]) / 4 for i in range(0, len(picture.data), 4)]


def shift(reference, moved, left, top, width, height):
    """How far what is in a rectangle of the second lies from where it is in the first, in pixels: least squares on gradients."""
    a, b, pitch = greys(reference), greys(moved), reference.width

    def smooth(grey, i):
        return sum(grey[i + dx + dy * pitch] * (2 - abs(dx)) * (2 - abs(dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)) / 16
    sums = [0.0] * 5
    for y in range(top, top + height):
        for x in range(left, left + width):
            i = y * pitch + x
            gx = (smooth(a, i + 1) - smooth(a, i - 1) + smooth(b, i + 1) - smooth(b, i - 1)) / 4
            gy = (smooth(a, i + pitch) - smooth(a, i - pitch) + smooth(b, i + pitch) - smooth(b, i - pitch)) / 4
            d = smooth(b, i) - smooth(a, i)
            for k, term in enumerate((gx * gx, gx * gy, gy * gy, gx * d, gy * d)):
                sums[k] += term
    xx, xy, yy, xd, yd = sums
    whole = xx * yy - xy * xy
    return math.hypot((yy * xd - xy * yd) / whole, (xx * yd - xy * xd) / whole)


def noise(picture, clean):
    """The standard deviation within the frame, in levels."""
    squares = [(picture.data[4 * (y * WIDTH + x) + 1] - clean.data[4 * (y * WIDTH + x) + 1]) ** 2
               for y in range(30, HEIGHT - 30, 2) for x in range(30, WIDTH - 30)]
    return math.sqrt(sum(squares) / len(squares))


def lies_on(report, title, first, moved, left=0, top=0):
    """In two places far from each other, of a frame at (left, top)."""
    far = [shift(first, moved, left + x, top + y, 60, 60) for x, y in FAR]
    report.check(f'{title} lies on the lowest one', max(far) < BAR, ' and '.join(f'{distance:.3f}' for distance in far) + ' pixels off')


# ------------------------------------------------------------------- parts --

class Aligning:
    """The part of the smoke test: its script goes with that of others, in one process."""

    def __init__(self, installed, gimp):
        self.gimp, self.frames = gimp, make_frames(installed, ('first', 'turned', 'shifted', 'small'))
        folder = os.path.join(installed.work, f'aligning-{gimp.folder}')
        self.after, self.scaled = folder, folder + '-scaled'
        layers = [add_layer(self.frames[name], name) for name in ('turned', 'unrelated', 'shifted')]
        locked = [add_layer(self.frames['turned'], 'locked'), '(gimp-item-set-lock-position copy TRUE)']
        lowest = '(gimp-item-set-name layer "first")'
        self.script = gimp.job('align', self.frames['first'], [lowest, *layers, *locked, say_result('aligned', gimp, new_layer='mean'),
                                                               shots(gimp, self.after)])
        self.script += gimp.job('scaled', self.frames['first'], [lowest, add_layer(self.frames['small'], 'small'), say_result('scaled', gimp, mode='WITH-LAST-VALS'),
                                                                 shots(gimp, self.scaled)])

    @staticmethod
    def told(line):
        """The report where there is no window for it."""
        return line.endswith('1 of 1 layers lie on first') or re.fullmatch(r'small: 0\.\d\d pixels off, \d+ matches', line)

    def check(self, report):
        title = f'GIMP {self.gimp.version}: aligned layers'
        report.check(f'{title}: a script that asks for the last values gets a message, not a window', any(map(self.told, self.gimp.output)), ' '.join(self.gimp.output[-4:]))
        said = self.gimp.said('aligned') + self.gimp.said('scaled')
        if not report.check(f'{title}: both runs end', len(said) == 2, ' '.join(self.gimp.output[-4:])):
            return
        check_report(report, title, said[0])
        after = {name.removesuffix('.png'): read(os.path.join(self.after, name)) for name in os.listdir(self.after)}
        report.check(f'{title}: one layer more, with a name', set(after) == {'first', 'turned', 'unrelated', 'shifted', 'locked', MEAN}, ', '.join(sorted(after)))
        for name, frame in (('unrelated', 'unrelated'), ('locked', 'turned'), ('first', 'first')):
            report.check(f'{title}: {name} is as it was', after[name].data == read(self.frames[frame]).data)
        for name in ('turned', 'shifted'):
            lies_on(report, f'{title}: {name}', after['first'], after[name])
        mean, clean = after.get(MEAN), read(self.frames['clean'])
        if mean:
            levels = noise(after['first'], clean), noise(mean, clean)
            report.check(f'{title}: the mean has less noise', levels[1] < 0.7 * levels[0], f'{levels[0]:.2f} levels, and {levels[1]:.2f}')
            report.check(f'{title}: the mean is opaque', min(mean.data[3::4]) == 255)
        scaled = {name: read(os.path.join(self.scaled, name + '.png')) for name in ('first', 'small')}
        lies_on(report, f'{title}: one of half the size', scaled['first'], scaled['small'])


def check_report(report, title, said):
    count, head, *lines = said.split('|')
    names = [re.split(r': | stays ', line)[0] for line in lines]
    report.check(f'{title}: the lines are from above, as the Layers dialog has them', names == ['locked', 'shifted', 'unrelated', 'turned'], said)
    report.check(f'{title}: a script is told how many, and on which', (count, head) == ('2', '2 of 4 layers lie on first'), said)
    for name, words in (('turned', r'turned: 0\.\d\d pixels off, \d+ matches'), ('unrelated', r'unrelated stays as it is: .*\d+ matches .*'),
                        ('shifted', r'shifted: 0\.\d\d pixels off, \d+ matches'), ('locked', 'locked stays as it is: it is locked')):
        report.check(f'{title}: a line about {name}', any(re.fullmatch(words, line) for line in lines), said)


# ------------------------------------------------------------- other layers --

PLACE = (40, 30)                    # of the lowest layer, where that is not the canvas's

IMAGE_16, IMAGE_32 = ('(gimp-image-convert-precision image PRECISION-U16-NON-LINEAR)', '(gimp-image-convert-precision image PRECISION-FLOAT-LINEAR)')


def precision(gimp, text):
    return text if isinstance(gimp, Gimp3) else text.replace('NON-LINEAR', 'GAMMA')


def grouped(gimp, frames):
    """The layer in a group, moved to another place in the image."""
    return [add_layer(frames['turned'], 'turned'), '(define group (car (gimp-group-layer-new image "group")))' if isinstance(gimp, Gimp3)
            else '(define group (car (gimp-layer-group-new image)))', '(gimp-item-set-name group "group") (gimp-image-insert-layer image group 0 0)',
            '(gimp-image-reorder-item image copy group 0) (gimp-layer-set-offsets copy 31 -17)']


def masked(gimp, frames):
    """Black in its right half; a selection is there, which must not matter."""
    return [add_layer(frames['turned'], 'turned'), f'(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 0 0 {WIDTH // 2} {HEIGHT})',
            '(gimp-layer-add-mask copy (car (gimp-layer-create-mask copy ADD-MASK-SELECTION)))']


def hidden(gimp, frames):
    """Those that are hidden take no part, wherever they are."""
    return [add_layer(frames['turned'], 'turned'), add_layer(frames['shifted'], 'shifted'), '(gimp-item-set-visible copy FALSE)', add_layer(frames['shifted'], 'low'),
            f'(gimp-image-lower-item-to-bottom image copy) (gimp-item-set-visible copy FALSE)']


def of_precision(text):
    return lambda gimp, frames: [precision(gimp, text), add_layer(frames['turned'], 'turned')]


def grey(gimp, frames):
    return ['(gimp-image-convert-grayscale image)', add_layer(frames['turned'], 'turned')]


def elsewhere(gimp, frames):
    """The lowest layer is not where the canvas begins."""
    return [f'(gimp-image-resize image 400 300 0 0) (gimp-layer-set-offsets layer {PLACE[0]} {PLACE[1]})', add_layer(frames['shifted'], 'shifted'), '(gimp-layer-set-offsets copy -25 3)']


def one(name):
    return lambda gimp, frames: [add_layer(frames[name], name)]


HOLES = [(8 + 26 * i + 7 * (j % 3), 6 + 24 * j + 5 * (i % 2), 9 + 2 * ((i + j) % 3), 8 + 2 * ((2 * i + j) % 3)) for i in range(12) for j in range(10)]


def holes(gimp, frames):
    """Cut out of both, at the same places of the canvas: their outlines stand still.  Not where it is measured what lies on what."""
    select = ' '.join(f'(gimp-image-select-rectangle image CHANNEL-OP-ADD {x} {y} {width} {height})' for x, y, width, height in HOLES
                      if not any(-30 < x - far < 80 and -30 < y - down < 80 for far, down in FAR))
    clear = ' '.join(f'(gimp-layer-add-alpha {layer}) (gimp-drawable-edit-clear {layer})' for layer in ('layer', 'copy'))
    return [add_layer(frames['turned'], 'turned'), select, clear, '(gimp-selection-none image)']


# (steps, who has to lie on the lowest, how it is called)
CASES = {'a group': (grouped, 'group', {}), 'a mask, and a selection': (masked, None, {'new_layer': 'median'}), 'hidden layers': (hidden, 'turned', {}),
         '16 bits': (of_precision(IMAGE_16), 'turned', {'new_layer': 'mean'}), '32 bits, linear': (of_precision(IMAGE_32), 'turned', {'new_layer': 'median'}),
         'gray': (grey, 'turned', {'new_layer': 'mean'}), 'other places': (elsewhere, 'shifted', {'new_layer': 'mean'}),
         'perspective': (one('aside'), 'aside', {'model': 'homography'}), 'a tilt, by default': (one('tilted'), 'tilted', {'new_layer': 'mean'}),
         'exposure': (one('turned'), 'turned', {'new_layer': 'exposure'}), 'focus': (one('shifted'), 'shifted', {'new_layer': 'focus'}),
         'holes that stand still': (holes, 'turned', {}), 'a tilt, as shift, turn and scale': (one('leaning'), None, {'model': 'similarity'})}
REFUSALS = {'one visible layer': ([], 'At least two layers must be visible'),
            'a floating selection': (['(gimp-edit-copy LAYERS) (gimp-edit-paste layer TRUE)'], 'Anchor the floating selection first')}


# What is no value: by argument, each alone.
WRONG_210 = {**{f'new-layer {number}': (call_numbers(4, number), f"'{number}' is no value of 'new-layer'") for number in (77, -3)},
             **{f'model {number}': (call_numbers(number, 0), f"'{number}' is no value of 'model'") for number in (5, -1)},
             'run-mode 77': (call_numbers(4, 0, 77), "'77' is no value of 'run-mode'"),
             'a filter: run-mode -1': ('(plug-in-tessera-sobel -1 image layer "")', "'-1' is no value of 'run-mode'")}
WRONG_3 = {'new-layer -3': ('#:new-layer -3', 'argument 8'), 'contrast-threshold': ('#:contrast-threshold 77', 'out of range')}


def wrong_numbers(report, installed, gimp, frames):
    """A script's slip is a calling error, in words, and not the end of the plug-in."""
    calls = WRONG_210
    if isinstance(gimp, Gimp3):
        calls = {name: (f'({PROCEDURE} #:run-mode RUN-NONINTERACTIVE #:image image #:drawables (vector layer) {words})', why) for name, (words, why) in WRONG_3.items()}
    for name, (text, why) in calls.items():
        gimp.run(gimp.job(0, frames['first'], [add_layer(frames['shifted'], 'shifted'), text]), GEGL_USE_OPENCL='no')
        said = ' '.join(gimp.output)
        is_whole = not re.search('crashed|Segmentation|fatal', said)
        report.check(f'GIMP {gimp.version}: {name} is a calling error', is_whole and not gimp.said('end') and why in said, ' '.join(gimp.output[-4:]))


def check_case(report, title, name, gimp, folder, said):
    _, moved, given = CASES[name]
    title = f'{title}: {name}'
    if not report.check(f'{title}: one layer is moved', said and said[0].startswith('1|1 of 1 layers lie on first|'), ' '.join(said)):
        return
    pictures = {file.removesuffix('.png'): read(os.path.join(folder, file)) for file in os.listdir(folder)}
    news = [file for file in pictures if ' of 2 layers' in file]
    wanted = {'mean': ['Mean of 2 layers'], 'median': ['Median of 2 layers'], 'exposure': ['Exposure fusion of 2 layers'], 'focus': ['Focus stack of 2 layers']}.get(given.get('new_layer'), [])
    report.check(f'{title}: the new layer', news == wanted, ', '.join(sorted(pictures)))
    for file in ([moved] if moved else []) + news:
        lies_on(report, f'{title}: {file}', pictures['first'], pictures[file], *(PLACE if name == 'other places' else ()))
    if name == 'other places' and news:
        report.check(f'{title}: the new layer is where the lowest is', pictures[news[0]].data[3::4] == pictures['first'].data[3::4])
    doubts = name == 'a tilt, as shift, turn and scale'
    if doubts or name == 'a tilt, by default':
        report.check(f'{title}: {"a doubt is told" if doubts else "no doubt is told"}', (DOUBT in said[0]) == doubts, said[0])
    if name == 'a mask, and a selection':
        alpha = pictures['turned'].data[3::4]
        report.check(f'{title}: the mask came along', alpha[HEIGHT // 2 * WIDTH + 40] == 255 and alpha[HEIGHT // 2 * WIDTH + WIDTH - 40] == 0)
        at = 4 * (HEIGHT // 2 * WIDTH + WIDTH - 40)
        report.check(f'{title}: what it hides is not in the new layer', pictures[news[0]].data[at:at + 4] == pictures['first'].data[at:at + 4])


def more_layers(report, installed, gimp):
    title = f'GIMP {gimp.version}: aligned layers'
    frames = make_frames(installed, ('first', 'turned', 'shifted', 'aside', 'tilted', 'leaning'))
    folders = {name: os.path.join(installed.work, f'aligning-{gimp.folder}-{i}') for i, name in enumerate(CASES)}
    words = {name: f'case-{i}' for i, name in enumerate(CASES)}
    code, lines = gimp.run(''.join(gimp.job(words[name], frames['first'], ['(gimp-item-set-name layer "first")', *steps(gimp, frames), say_result(words[name], gimp, **given),
                                                                         shots(gimp, folders[name])]) for name, (steps, _, given) in CASES.items()), GEGL_USE_OPENCL='no')
    ended, lines = [name for name in CASES if words[name] in gimp.said('end')], [line for line in lines if line != COPY]
    report.check(f'{title}: all cases end', len(ended) == len(CASES) and not lines, f'exit {code}, ended: {", ".join(ended)}; {" | ".join(lines[:4])}')
    said = {name: gimp.said(words[name]) for name in ended}
    for name in ended:
        check_case(report, title, name, gimp, folders[name], said[name])
    for name, (steps, why) in REFUSALS.items():
        gimp.run(gimp.job(0, frames['first'], [*([add_layer(frames['turned'], 'turned')] if steps else []), *(step.replace('LAYERS', '(vector layer)' if isinstance(gimp, Gimp3) else 'layer') for step in steps), call(gimp)]), GEGL_USE_OPENCL='no')
        report.check(f'{title}: {name} is refused in words', not gimp.said('end') and why in ' '.join(gimp.output), ' '.join(gimp.output[-4:]))
    wrong_numbers(report, installed, gimp, frames)
