# SPDX-License-Identifier: LGPL-3.0-or-later
"""The ready-made graphs from inside GIMP: which it offers, under which names, and what each makes of a layer, against the gegl command."""
import gettext
import glob
import os
import re

from common import TOP
from gimp_program import FLAT, Gimp3, quoted
from jobs import HEIGHT, SELECTION, WIDTH
from locales import language_env
from pixels import read

GRAPHS = os.path.join(TOP, 'data', 'graphs')
PREFIX, MENU = 'plug-in-tessera-graph-', '<Image>/Filters/Ready-made (Tessera)'
HEAD = re.compile(r"<gegl name='([^']+)'\s+summary='([^']+)'>")
LOAD = re.compile(r'(<param name=.path.>)[^<]*')
SAMPLE = re.compile(r'<!-- sample -->.*<!-- end of the sample -->', re.DOTALL)
TILE = 'seamless-texture'
PAIR, COUNTS = 'flash-and-no-flash', 'count-galaxies'
SELECTED = 'soft-glow'              # is tried on a selection
FEW = (COUNTS, 'dust-and-scratches', PAIR, SELECTED, TILE)


def graphs():
    """{name: text}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(GRAPHS, '*.xml'))):
        with open(path, encoding='utf-8') as file:
            found[os.path.basename(path)[:-len('.xml')]] = file.read()
    return found


def expected(installed, name, text, layer, below):
    """What the gegl command makes with these files in place of the photographs."""
    picture = f"<node operation='gegl:load'><params><param name='path'>{layer}</param></params></node>"
    text, has_sample = SAMPLE.subn(picture, text)
    if has_sample:                                          # the loads that are left are the other picture
        head, tail = text.split(picture)
        text = LOAD.sub(rf'\g<1>{below}', head) + picture + LOAD.sub(rf'\g<1>{below}', tail)
    else:
        text = LOAD.sub(rf'\g<1>{layer}', text)
    graph, out = (os.path.join(installed.work, f'graph-{name}.{kind}') for kind in ('xml', 'png'))
    with open(graph, 'w', encoding='utf-8') as file:
        file.write(text)
    tiled = ['gegl:tile'] if name == TILE else []
    code, lines = installed.gegl.run([graph, '-o', out, '--', *tiled, 'gegl:crop', 'x=0', 'y=0', f'width={WIDTH}', f'height={HEIGHT}',
                                      'gegl:png-save', f'path={out}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    return read(out) if code == 0 and os.path.exists(out) else RuntimeError(f'gegl: exit {code}, {lines}')


def call(gimp, name, more=''):
    if isinstance(gimp, Gimp3):
        return f'({PREFIX}{name} #:run-mode RUN-NONINTERACTIVE #:image image #:drawables (vector layer){more})'
    return f'({PREFIX}{name} RUN-NONINTERACTIVE image layer)'


def added_below(gimp, path):
    """Another layer under the first, which stays the one that is worked on."""
    load = f'(gimp-file-load-layer RUN-NONINTERACTIVE image {quoted(path)})'
    return f'(set! copy (car {load})) (gimp-image-insert-layer image copy 0 1)'


def count_said(gimp, more=''):
    return f'(gimp-message (string-append "TESSERA counted " (number->string (car {call(gimp, COUNTS, more)}))))'


def colors_in(picture):
    return {tuple(picture.data[i:i + 3]) for i in range(0, len(picture.data), 4)} - {(0, 0, 0)}


def steps_of(gimp, name, below, path):
    steps = []
    if name == PAIR:
        steps.append(added_below(gimp, below))
    if name == SELECTED:
        steps.append('(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')')
    if name == COUNTS:
        steps.append(count_said(gimp))
    else:
        steps.append(call(gimp, name))
    if name == PAIR:
        steps.append('(gimp-image-remove-layer image copy)')
    return steps + [FLAT, gimp.save(path)]


def check_picture(report, title, name, got, wanted, original):
    if isinstance(wanted, Exception):
        return report.check(title, False, str(wanted))
    if name == SELECTED:                                    # what lies outside is as it was
        x, y, width, height = SELECTION
        inside = [x <= i % WIDTH < x + width and y <= i // WIDTH < y + height for i in range(WIDTH * HEIGHT)]
        for i, there in enumerate(inside):
            if not there:
                wanted.data[4 * i:4 * i + 4] = original.data[4 * i:4 * i + 4]
    worst, where, count = got.opaque().difference(wanted.opaque(), 1)
    changed = got.difference(original.opaque(), 1)[2]
    return report.check(title, worst <= 1 and changed, f'{worst:.3g} off at most, at {where}, {count} by more than 1; {changed} pixels changed')


def ready_made(report, installed, gimp, inputs, some, also):
    """`some`: a few of them, and all of their names.  `also`: another test, whose script goes with theirs because a GIMP takes seconds to start."""
    title, all_graphs = f'GIMP {gimp.version}: ready-made', graphs()
    layer, below = inputs['rgb'], os.path.join(installed.work, 'below.png')
    installed.gegl.run([layer, '-o', below, '--', 'gegl:reflect', 'x=0', 'y=1', 'gegl:translate', f'x={WIDTH}', 'gegl:crop', 'x=0', 'y=0',
                        f'width={WIDTH}', f'height={HEIGHT}', 'gegl:png-save', f'path={below}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    wanted = [name for name in all_graphs if not some or name in FEW]
    folder = os.path.join(installed.work, f'ready-made-{gimp.folder}')
    os.mkdir(folder)
    out = {name: os.path.join(folder, name + '.png') for name in wanted}
    code, lines = gimp.run(''.join(gimp.job(i, layer, steps_of(gimp, name, below, out[name])) for i, name in enumerate(wanted)) + also.script,
                           GEGL_USE_OPENCL='no')
    ended = len([name for name in gimp.said('end') if name.isdigit()])
    report.check(f'{title}: {len(wanted)} graphs run', ended == len(wanted), f'exit {code}, stopped in {wanted[ended]}: {" | ".join(lines[-3:])}' if ended < len(wanted) else '')
    ours = [line for line in lines if 'Counted: ' not in line and 'Noise: ' not in line and not also.told(line)]
    report.check(f'{title}: nothing unexpected is said', not ours, ' | '.join(ours[:4]))
    counted = gimp.said('counted')
    also.check(report)
    for name in wanted:
        if report.check(f'{title}: {name} makes a picture', os.path.exists(out[name])):
            picture = expected(installed, name, all_graphs[name], layer, below)
            check_picture(report, f'{title}: {name}, the pixels of the gegl command', name, read(out[name]), picture, read(layer))
            if name == COUNTS:
                colors = colors_in(picture)
                report.check(f'{title}: {name} returns how many it counted', counted == [str(len(colors))] and colors, f'{counted}, {len(colors)} colors')
    selected(report, installed, gimp, layer, all_graphs[COUNTS], title)
    settings(report, installed, gimp, layer, all_graphs[SELECTED], title)
    grown(report, installed, gimp, layer, all_graphs, title)
    if isinstance(gimp, Gimp3):
        asked(report, installed, gimp, layer, all_graphs[COUNTS], title)
    if not some:
        refused(report, gimp, layer, title)
    listed(report, installed, gimp, title, all_graphs)


def selected(report, installed, gimp, layer, text, title):
    """What lies beyond the selected rectangle is not counted, and stays."""
    x, y, width, height = SELECTION
    cut, out = (os.path.join(installed.work, f'counted-{gimp.folder}-{name}.png') for name in ('cut', 'selected'))
    installed.gegl.run([layer, '-o', cut, '--', 'gegl:crop', f'x={x}', f'y={y}', f'width={width}', f'height={height}', 'gegl:png-save',
                        f'path={cut}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    select = '(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')'
    gimp.run(gimp.job(0, layer, [select, count_said(gimp), FLAT, gimp.save(out)]), GEGL_USE_OPENCL='no')
    alone, whole = (len(colors_in(expected(installed, COUNTS, text, path, path).crop(0, 0, *size)))
                    for path, size in ((cut, (width, height)), (layer, (WIDTH, HEIGHT))))
    report.check(f'{title}: {COUNTS} counts what is selected', 0 < alone < whole and gimp.said('counted') == [str(alone)],
                 f'{gimp.said("counted")}, {alone} in it and {whole} in the layer')
    if report.check(f'{title}: {COUNTS} on what is selected makes a picture', os.path.exists(out)):
        before, after = read(layer), read(out)
        changed = [i for i in range(WIDTH * HEIGHT) if after.data[4 * i:4 * i + 4] != before.data[4 * i:4 * i + 4]]
        report.check('... and changes nothing else', changed and all(x <= i % WIDTH < x + width and y <= i // WIDTH < y + height for i in changed),
                     f'{len(changed)} pixels changed')


def asked(report, installed, gimp, layer, text, title):
    """What GIMP 3 asks for before it counts is what counts."""
    gimp.run(gimp.job(0, layer, [count_said(gimp, ' #:threshold 0.25 #:min-area 2')]), GEGL_USE_OPENCL='no')
    other = re.sub(r"(name='threshold'>)[^<]*", r'\g<1>0.25', re.sub(r"(name='min-area'>)[^<]*", r'\g<1>2', text))
    wanted = expected(installed, COUNTS, other, layer, layer)
    report.check(f'{title}: {COUNTS} with other values', len(colors_in(wanted)) > 1 and gimp.said('counted') == [str(len(colors_in(wanted)))],
                 f'{gimp.said("counted")}, {len(colors_in(wanted))} colors')


def set_up(gimp, name, values):
    """A graph with a strength and a size."""
    if isinstance(gimp, Gimp3):
        return call(gimp, name, ''.join(f' #:{key} {value}' for key, value in values.items()))
    return f'(plug-in-tessera-ready-made RUN-NONINTERACTIVE image layer {quoted(name)} {quoted(" ".join(f"{key}={value}" for key, value in values.items()))})'


def settings(report, installed, gimp, layer, text, title):
    """Strength 0 leaves the layer, half of it lies between; a size of 2 has lengths twice as large."""
    out = {name: os.path.join(installed.work, f'set-{gimp.folder}-{name}.png') for name in ('nothing', 'half', 'all', 'large')}
    values = {'nothing': {'strength': 0}, 'half': {'strength': 50}, 'all': {}, 'large': {'size': 2}}
    gimp.run(''.join(gimp.job(i, layer, [set_up(gimp, SELECTED, values[name]), FLAT, gimp.save(out[name])]) for i, name in enumerate(out)), GEGL_USE_OPENCL='no')
    missing = [name for name in out if not os.path.exists(out[name])]
    if not report.check(f'{title}: {SELECTED} with a strength and a size', not missing, f'{missing}: {" | ".join(gimp.output[-3:])}'):
        return
    original, got = read(layer).opaque(), {name: read(path).opaque() for name, path in out.items()}
    twice = re.sub(r"(name='std-dev-[xy]'>)25<", r'\g<1>50<', text)
    wanted = expected(installed, SELECTED, twice, layer, layer)
    report.check('... of 0 leaves the layer', got['nothing'].difference(original, 0)[2] == 0)
    between = all(min(a, c) <= b <= max(a, c) for a, b, c in zip(original.data, got['half'].data, got['all'].data))
    report.check('... of 50 lies between', between and got['half'].difference(original, 1)[2] and got['half'].difference(got['all'], 1)[2])
    report.check('... and size 2 doubles the lengths', got['large'].difference(wanted.opaque(), 1)[0] <= 1 and got['large'].difference(got['all'], 1)[2])


def doubled_kernel(found):
    """Each place has the weight of the nearest one; odd sides stay odd."""
    def doubled(items):
        side = 2 * len(items) + 1
        return [items[int((i + 0.5) * len(items) / side)] for i in range(side)]
    return found[1] + ';'.join(' '.join(doubled(row.split())) for row in doubled(found[2].split(';'))) + '<'


# What a graph is when its lengths are twice as large: a double, a whole number, a kernel, and one whose sizes stay.
DOUBLED = {
    SELECTED: lambda text: re.sub(r"(name='std-dev-[xy]'>)25<", r'\g<1>50<', text),
    'even-light': lambda text: re.sub(r"(name='radius'>)60<", r'\g<1>120<', text),
    'out-of-focus': lambda text: re.sub(r"(name='kernel'>)([^<]*)<", doubled_kernel, text),
    'dust-and-scratches': str,
}


def grown(report, installed, gimp, layer, all_graphs, title):
    """On an image of 6 Mpix a size of 1 is what 2 is on one of 1.5 Mpix.  The layer is as small as ever."""
    out = {name: os.path.join(installed.work, f'grown-{gimp.folder}-{name}.png') for name in DOUBLED}
    larger, back = '(gimp-image-resize image 3000 2000 0 0)', f'(gimp-image-crop image {WIDTH} {HEIGHT} 0 0)'
    gimp.run(''.join(gimp.job(i, layer, [larger, set_up(gimp, name, {}), back, FLAT, gimp.save(path)]) for i, (name, path) in enumerate(out.items())),
             GEGL_USE_OPENCL='no')
    for name, path in out.items():
        there = f'{title}: {name} on an image of 6 Mpix'
        if report.check(f'{there} makes a picture', os.path.exists(path), '' if os.path.exists(path) else ' | '.join(gimp.output[-3:])):
            text, larger = all_graphs[name], DOUBLED[name](all_graphs[name])
            wanted = expected(installed, name, larger, layer, layer)
            check_picture(report, f'{there} has {"the same lengths" if larger == text else "lengths twice as large"}', name + '-grown', read(path), wanted, read(layer))
            if larger != text:
                report.check('... which makes a difference', expected(installed, name, text, layer, layer).difference(wanted, 1)[2] > 100)


def refused(report, gimp, layer, title):
    """Without a layer below, in words."""
    gimp.run(gimp.job(0, layer, [call(gimp, PAIR)]), GEGL_USE_OPENCL='no')
    said = ' '.join(gimp.output)
    report.check(f'{title}: {PAIR} says that there is no layer below', not gimp.said('end') and 'needs a second picture: the layer below' in said)


def listed(report, installed, gimp, title, all_graphs):
    """Each has its name, its line and its place in the menus, in English and in another language."""
    for language in (None, 'de') if isinstance(gimp, Gimp3) else (None,):
        said = gimp.procedures(PREFIX, **(language_env(installed.work, language) if language else {}))
        translate = str
        if language:
            path = os.path.join(installed.home, '.local', 'share', 'locale', language, 'LC_MESSAGES', 'tessera.mo')
            with open(path, 'rb') as file:
                translate = gettext.GNUTranslations(file).gettext
        wrong = []
        for name, text in all_graphs.items():
            wanted = tuple(translate(words) for words in (*HEAD.search(text).groups(), MENU))
            wanted = wanted[0] + '...', *wanted[1:]             # it asks
            if said.get(PREFIX + name) != wanted or (language and wanted[1] == HEAD.search(text)[2]):
                wrong.append(f'{name}: {said.get(PREFIX + name)}')
        report.check(f'{title}: {len(all_graphs)} are listed with names and a line each, {language or "in English"}', not wrong and len(said) == len(all_graphs), ' | '.join(wrong[:3]))
