# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the plug-in for GIMP 2.10 adds to each operation: a strength, a second picture, and how many there are."""
import os

from gimp_program import FLAT, quoted
from graphs import colors_in
from jobs import HEIGHT, SELECTION, WIDTH
from pixels import read

BLUR, JOINT, LABEL = 'tessera:mean-blur', 'tessera:bilateral-grid', 'tessera:label'
MOVED = (12, 7)                     # where the second picture lies over the layer


def light(level):
    value = level / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def level(light_of_it):
    return round(255 * (12.92 * light_of_it if light_of_it <= 0.0031308 else 1.055 * light_of_it ** (1 / 2.4) - 0.055))


def mixed(before, after, part):
    """Of opaque pictures, in linear light."""
    for i, value in enumerate(after.data):
        if i % 4 != 3:
            after.data[i] = level(part * light(value) + (1 - part) * light(before.data[i]))
    return after


def gegl(installed, name, words):
    out = os.path.join(installed.work, f'extra-{name}.png')
    code, lines = installed.gegl.run([*words[:1], '-o', out, '--', *words[1:], 'gegl:crop', 'x=0', 'y=0', f'width={WIDTH}', f'height={HEIGHT}',
                                      'gegl:png-save', f'path={out}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    return read(out)


def extras(report, installed, gimp, inputs, few):
    layer, second = inputs['rgb'], os.path.join(installed.work, 'extra-second.png')
    gegl(installed, 'second', [layer, 'tessera:median-blur', 'radius=4'])
    blur, joint = ['tessera:mean-blur', 'radius=6'], [JOINT, 'spatial-sigma=4', 'range-sigma=0.06']
    before = read(layer)
    moved = ['gegl:load', f'path={second}', 'gegl:translate', f'x={MOVED[0]}', f'y={MOVED[1]}']
    wanted = {
        'strength=0': before,
        'strength=40': mixed(before, gegl(installed, 'blur', [layer, *blur]), 0.4),
        'strength=100': gegl(installed, 'blur', [layer, *blur]),
        'a second picture': gegl(installed, 'joint', [layer, *joint, 'aux=[', *moved, ']']),
    }
    other = f'(copy (car (gimp-file-load-layer RUN-NONINTERACTIVE image {quoted(second)})))'
    call = {name: f'({gimp.procedure(BLUR)} RUN-NONINTERACTIVE image layer "radius=6 {name}")' for name in list(wanted)[:3]}
    call['a second picture'] = f'(let* ({other}) (gimp-image-insert-layer image copy 0 1) (gimp-layer-set-offsets copy {MOVED[0]} {MOVED[1]}) ' \
                               f'({gimp.procedure(JOINT)} RUN-NONINTERACTIVE image layer ' \
                               '(string-append "spatial-sigma=4 range-sigma=0.06 aux=" (number->string copy))) (gimp-image-remove-layer image copy))'
    out = {name: os.path.join(installed.work, f'extra-{i}-gimp.png') for i, name in enumerate(wanted)}
    script = [gimp.job(i, layer, [call[name], FLAT, gimp.save(out[name])]) for i, name in enumerate(wanted)]
    tell = f'(gimp-message (string-append "TESSERA counted " (number->string (car ({gimp.procedure(LABEL)} RUN-NONINTERACTIVE image layer ' \
            '"threshold=0.05 min-area=10")))))'
    select = '(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')'
    script += [gimp.job(len(wanted), layer, [tell]), gimp.job(len(wanted) + 1, layer, [select, tell])]
    gimp.run(''.join(script), GEGL_USE_OPENCL='no')
    for name, picture in wanted.items():
        if report.check(f'GIMP 2.10: {name} makes a picture', os.path.exists(out[name])):
            worst, where, count = read(out[name]).opaque().difference(picture.opaque(), 1)
            report.check(f'GIMP 2.10: {name} is what it should be', worst <= 1, f'{worst} off at most, at {where}, {count} pixels by more than 1')
    alone = gegl(installed, 'alone', [layer, *joint])
    report.check('GIMP 2.10: the second picture makes a difference', wanted['a second picture'].difference(alone, 1)[2] > 100)
    crop = ['gegl:crop', *(f'{key}={value}' for key, value in zip(('x', 'y', 'width', 'height'), SELECTION))]
    colors = [len(colors_in(gegl(installed, 'label', [layer, *chain, LABEL, 'threshold=0.05', 'min-area=10']))) for chain in ([], crop)]
    report.check('GIMP 2.10: a script is told how many were counted, in the layer and in what is selected',
                 0 < colors[1] < colors[0] and gimp.said('counted') == list(map(str, colors)), f'{gimp.said("counted")}, {colors} colors')
    if few:
        return
    gimp.run(gimp.job(0, layer, [f'({gimp.procedure(BLUR)} RUN-NONINTERACTIVE image layer "aux=1")']), GEGL_USE_OPENCL='no')
    report.check('GIMP 2.10: a filter of one picture takes no second one', not gimp.said('end') and "has no property 'aux'" in ' '.join(gimp.output))
