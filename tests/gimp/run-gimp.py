#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-gimp.py BUILD [--smoke] [--only OPERATION] [--keep FOLDER]: every tessera: operation that GEGL lists, in the GIMP of this
machine (2.10 or 3), as `./run install` installs it into a home folder of its own; pixels against the gegl command."""
import argparse
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from aligning import Aligning, more_layers
from aligning_pixels import check_pixels
from opening import check_opening
from graphs import HEAD, graphs, ready_made
from installations import damaged, files_from_elsewhere, files_of_gimp_3, without_library
from installed import Installed
from common import Report, IMAGES
from extras import extras
from gimp_program import FLAT, programs, quoted
from jobs import CANVAS, HEIGHT, OFFSET, SELECTION, WIDTH, Job, grouped_jobs, jobs_of, make_inputs, opaque_jobs, pasted_jobs, recalled_jobs, smoke_jobs, varied
from locales import translated
from pixels import read
from places import lists, masks, masks_refuse_effects
from scripts import example_scripts
from search import names, searches, searches_graphs

LEVELS = 1                          # of 8 bits
CLOSE = 1e-5                        # of 32-bit floats, where 1 is white
# A keypoint moves with the last digits of the luminance, which GIMP and the gegl command convert in their ways, and its circle with it:
# by error * sigma^2 / contrast = 3e-7 * 1.6^2 / 0.0067 pixels of its octave, times the edge threshold of 16 along an edge.  The pixels of
# the last octave are 8 wide.  Where the input of the gegl command is disturbed by
# 2e-7 to 4e-7, its own circles are 7e-3 to 9.6e-3 off.
MOVED = 8 * 1.8e-3
BEYOND = 1e-3                       # relative, where there are values beyond 2 and -2 (angles): babl encodes those one way or another (TRAPS.md)
STEPS = 1e-3                        # of the pixels of varied settings: angles that wrap, thresholds
OPENCL = {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'force', 'TESSERA_DEBUG': 'paths'}
PATH_LINE = re.compile(r'^.*tessera: (\S+)(?: \d+x\d+\S*)?: (OpenCL|C|program built)\b')
TRIED_LINE = re.compile(r'^.*tessera: (tiles: GEGL [\d.]+ shares |\S+: (the device computes the same pixels |nothing that shows whether ))')
RULE_LINE = re.compile(r'^.*tessera: convolution: \d+x\d+, .* memory: copy .* run ')


# ------------------------------------------------------------------ jobs --

SAVED = ('xcf', 'edited')
COPIES = {'copied': '(set! copy (car (gimp-layer-copy layer))) (gimp-image-insert-layer image copy 0 0)',
          'pasted': '(gimp-edit-copy (vector layer)) (set! copy (vector-ref (car (gimp-edit-paste layer TRUE)) 0)) '
                    '(gimp-floating-sel-to-layer copy)'}
GROUPS = {'group': 'LAYER-MODE-NORMAL', 'passing': 'LAYER-MODE-PASS-THROUGH'}
GROUP = '(define group (car (gimp-group-layer-new image "group"))) (gimp-image-insert-layer image group 0 0) ' \
        '(set! copy (car (gimp-layer-copy layer))) (gimp-image-insert-layer image copy group 0)'
LATER = ('edited', 'pasted')        # the effect is made with the defaults
COUNTING = ('tessera:label', 'tessera:sift')                     # in 2.10 what is selected alone
CLIPBOARD = 'gegl_tile_cache_destroy|GeglBuffers leaked'         # GIMP 3.0 says so after pasting a layer with gegl:median-blur, too


def count_effects(layer):
    return f'(gimp-message (string-append "TESSERA effects " (number->string (vector-length (car (gimp-drawable-get-filters {layer}))))))'


def steps_of(gimp, job, path):
    steps = []
    if job.depth == 32:
        steps.append(f'(gimp-image-convert-precision image {"PRECISION-FLOAT-LINEAR" if job.linear else gimp.perceptual})')
    if job.shape == 'offset':
        steps.append(f'(gimp-image-resize image {CANVAS[0]} {CANVAS[1]} {OFFSET[0]} {OFFSET[1]})')
    if job.shape in GROUPS:
        steps += [GROUP, f'(gimp-layer-set-mode group {GROUPS[job.shape]})', '(set! layer group)']
    if job.shape == 'selection':
        steps.append('(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')')
    if job.shape == 'mask':
        steps += ['(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')',
                  '(gimp-layer-add-mask layer (car (gimp-layer-create-mask layer ADD-MASK-SELECTION)))', '(gimp-selection-none image)']
    if job.how == 'recalled':
        steps.append(gimp.recalled(job.operation, job.values))
    else:
        steps.append(gimp.apply(job.operation, {} if job.how in LATER else job.values, job.how != 'merged'))
    if job.shape == 'opaque':
        steps.append('(gimp-message (string-append "TESSERA alpha " (if (member (car (gimp-drawable-has-alpha layer)) (list TRUE #t)) "yes" "no")))')
    if job.how in COPIES:
        steps += [COPIES[job.how], '(gimp-image-remove-layer image layer)', count_effects('copy')]
    if job.how == 'pasted':
        steps += [gimp.edit('copy', job.values)]
    if job.how in SAVED:
        return steps + [gimp.save(path + '.xcf')]
    return steps + [FLAT, gimp.save(path)]


def reopened(gimp, job, path):
    """What another process does with the XCF: the effect is there; merged, it makes the pixels."""
    edited = [gimp.edit('layer', job.values)] if job.how == 'edited' else []
    return [count_effects('layer'), *edited, '(gimp-drawable-merge-filters layer)', FLAT, f'(gimp-file-save RUN-NONINTERACTIVE image {quoted(path)} -1)']


def compare(report, installed, gimp, job, path, inputs):
    name = f'GIMP {gimp.version}: {job}'
    wanted, original = installed.expected(job, inputs), read(inputs[job.kind])
    if isinstance(wanted, Exception):
        return report.check(name, False, str(wanted))
    if not os.path.exists(path):
        return report.check(name, False, 'no picture')
    got = read(path)
    if job.depth == 32 and job.linear and gimp.linear_tiff:
        got.encoded()
    if (got.width, got.height) == CANVAS:
        got = got.crop(*OFFSET, WIDTH, HEIGHT)
    if job.shape == 'selection':
        got, wanted, outside = inside_selection(got, wanted, original, installed, gimp, job, inputs)
        report.check(f'{name}: nothing changes outside', outside == 0, f'{outside} pixels do' if outside else '')
    if job.shape == 'mask':
        report.check(f'{name}: nothing shows where the mask is black', got.cleared(*SELECTION) == got.data)
        got, wanted = got.crop(*SELECTION), wanted.crop(*SELECTION)
    if job.shape == 'opaque':
        wanted = wanted.opaque()
    if job.kind == 'grey' and not wanted.grey:
        return report.check(name, True, 'left out: a grey layer drops the colour that it makes')
    limit = LEVELS if job.depth == 8 else BEYOND if job.linear and max(map(abs, wanted.data)) > 2 else CLOSE
    if job.operation == 'tessera:sift':
        limit = MOVED if job.depth == 32 else LEVELS + 255 * MOVED
    worst, where, count = got.difference(wanted, limit)
    few = STEPS * WIDTH * HEIGHT if job.setting == 'varied' else 0
    return report.check(name, worst <= limit or 0 < count <= few, f'{worst:.3g} off at most, at {where}; {count} pixels off by more than {limit}')


def inside_selection(got, wanted, original, installed, gimp, job, inputs):
    """(what is inside, what should be there, how many pixels changed outside).  GIMP 3 shows an operation the selected rectangle
    alone; in 2.10 the whole layer is its input, unless it counts."""
    x, y, width, height = SELECTION
    outside = 0
    if job.depth == 8:
        for i in range(WIDTH * HEIGHT):
            if not (x <= i % WIDTH < x + width and y <= i // WIDTH < y + height):
                outside += got.data[4 * i:4 * i + 4] != original.data[4 * i:4 * i + 4]
    inside = got.crop(x, y, width, height)
    if gimp.effects or job.operation in COUNTING:
        return inside, installed.expected(job, inputs, SELECTION), outside
    return inside, wanted.crop(x, y, width, height), outside


def run_jobs(report, installed, gimp, jobs, inputs, what, noise=None, **env):
    """All in one process, what is saved as XCF in a second one."""
    folder = os.path.join(installed.work, f'{gimp.folder}-{gimp.runs}')
    os.mkdir(folder)
    paths = {i: job.out(folder, i) for i, job in enumerate(jobs)}
    code, lines = gimp.run(''.join(gimp.job(i, inputs[job.kind], steps_of(gimp, job, paths[i])) for i, job in enumerate(jobs)), **env)
    finished(report, gimp, what, code, lines, len(jobs), jobs, noise)
    output = gimp.output
    copied = [job for job in jobs if job.how in COPIES]
    if copied:
        report.check(f'GIMP {gimp.version}: {what}, each copy of a layer has its effect', gimp.said('effects') == ['1'] * len(copied), ' '.join(gimp.said('effects')))
    opaque = [job for job in jobs if job.shape == 'opaque']
    if opaque:
        report.check(f'GIMP {gimp.version}: {what}, a layer without alpha stays so', gimp.said('alpha') == ['no'] * len(opaque), ' '.join(gimp.said('alpha')))
    later = [(i, job) for i, job in enumerate(jobs) if job.how in SAVED]
    if later:
        code, lines = gimp.run(''.join(gimp.job(i, paths[i] + '.xcf', reopened(gimp, job, paths[i])) for i, job in later), **env)
        finished(report, gimp, f'{what}, XCF opened by another process', code, lines, len(later), [job for _, job in later])
        effects = gimp.said('effects')
        report.check(f'GIMP {gimp.version}: {what}, each XCF holds its effect', effects == ['1'] * len(later), ' '.join(effects))
    for i, job in enumerate(jobs):
        compare(report, installed, gimp, job, paths[i], inputs)
    return output + gimp.output


def finished(report, gimp, what, code, lines, count, jobs, noise=None):
    ends, begins = gimp.said('end'), gimp.said('begin')
    stopped = f', stopped in {jobs[len(ends)]}' if len(ends) < count and len(begins) > len(ends) else ''
    good = {0} if gimp.effects else {0, 1}              # (gimp-quit 1) of 2.10
    report.check(f'GIMP {gimp.version}: {what}, alive at the end', code in good and len(ends) == count,
                 f'exit {code}, {len(ends)} of {count} jobs{stopped}')
    ours = [line for line in lines if not PATH_LINE.match(line) and not RULE_LINE.match(line) and not TRIED_LINE.match(line) and not (noise and re.search(noise, line))]
    report.check(f'GIMP {gimp.version}: {what}, no unexpected message', not ours, ' | '.join(ours[:6]))


# ----------------------------------------------------------------- parts --

def with_opencl(report, installed, gimp, operations, inputs, smoke=False):
    """Forced, on the processor: both gimprc and the variable are needed; the lines of TESSERA_DEBUG prove that it ran."""
    gimp.gimprc('(use-opencl yes)\n')
    jobs = [Job(operation['name'], setting, values, kind, depth, how=how) for operation in operations
            for setting, values, kind, depth, how in (('defaults', {}, 'rgb', 8, 'merged'), ('varied', varied(operation), 'rgba', 32, 'merged'),
                                                      ('defaults', {}, 'rgb', 32, 'effect' if gimp.effects and not operation['aux'] else 'merged'))]
    output = run_jobs(report, installed, gimp, jobs[::3] if smoke else jobs, inputs, 'with OpenCL', **OPENCL)
    if not smoke:
        gimp.gimprc('(use-opencl no)\n')
        off = run_jobs(report, installed, gimp, jobs[:1], inputs, 'with OpenCL switched off in GIMP', **{**OPENCL, 'TESSERA_OPENCL': 'try'})
        ran = [found[2] for found in filter(None, map(PATH_LINE.match, off))]
        report.check(f'GIMP {gimp.version}: switched off in its preferences OpenCL is not used', ran and set(ran) == {'C'}, f'ran on {ran}')
    gimp.gimprc('')
    where = {}
    for found in filter(None, map(PATH_LINE.match, output)):
        where.setdefault(found[1].rstrip(':'), set()).add(found[2])
    for operation in operations:
        ran = where.get(operation['name'].split(':')[1], set()) - {'program built'}
        report.check(f'GIMP {gimp.version}: {operation["name"]} ran on OpenCL', ran == {'OpenCL'}, f'ran on {sorted(ran)}')


def elsewhere(report, installed, gimp, operations, inputs, smoke):
    """Not on a plain layer: groups, layers without alpha; channels and masks."""
    jobs = [job for operation in operations for job in opaque_jobs(operation, gimp.effects and not operation['aux'])]
    masks(report, installed, gimp, inputs['rgb'])
    if gimp.effects:
        jobs += [job for operation in operations if not operation['aux'] for job in grouped_jobs(operation, gimp.groups)]
        if gimp.has_browser:
            lists(report, gimp, operations)
            masks_refuse_effects(report, gimp, inputs['rgb'])
    if jobs:
        run_jobs(report, installed, gimp, jobs[::9] if smoke else jobs, inputs, 'elsewhere', GEGL_USE_OPENCL='no')


def remembers(report, installed, gimp, operations, inputs):
    """GIMP 2.10: the entries in the menus, and the values that the last dialog had."""
    run_jobs(report, installed, gimp, [job for operation in operations for job in recalled_jobs(operation)], inputs, 'last values',
             'Counted: |Noise: ', GEGL_USE_OPENCL='no')
    gimp.run('(let* ((all (gimp-plugins-query "")))\n  (for-each (lambda (path name) '
             '(gimp-message (string-append "TESSERA entry " name " " path))) (cadr all) (list-ref all 11)))\n')
    entries = gimp.said('entry')
    for operation in operations:
        entry = f'{gimp.procedure(operation["name"])} {operation["gimp:menu-path"]}/{operation["gimp:menu-label"]}'
        report.check(f'GIMP {gimp.version}: {operation["name"]} has its entry in the menus', entry in entries, entry)


def measured(report, gimp, layer):
    """GIMP 2.10: Denoise returns the noise that it measured, and in how many places; nothing where it is told."""
    calls = [f'(plug-in-tessera-denoise RUN-NONINTERACTIVE image layer "{settings}")' for settings in ('', 'level=0.06')]
    code, _ = gimp.run(gimp.job(0, layer, [f'(let ((found {call})) (gimp-message (string-append "TESSERA measured " (number->string (car found)) " "'
                                           ' (number->string (cadr found)))))' for call in calls]), GEGL_USE_OPENCL='no')
    said = [[float(number) for number in line.split()] for line in gimp.said('measured')]
    report.check(f'GIMP {gimp.version}: what was measured is returned', len(said) == 2 and 0 < said[0][0] < 0.5 and said[0][1] >= 32, f'exit {code}, {said}')
    report.check(f'GIMP {gimp.version}: nothing is, where noise is told', len(said) == 2 and said[1] == [0, 0], f'exit {code}, {said}')


def indexed(report, gimp, operation, inputs):
    """GIMP 3 is not asked for more than to stay alive; 2.10 says that it is no layer for that, and does not change a group, with the name that the menu shows."""
    name, color = f'GIMP {gimp.version}: an indexed layer', '(gimp-image-convert-indexed image CONVERT-DITHER-NONE CONVERT-PALETTE-GENERATE 16 FALSE TRUE "")'
    code, _ = gimp.run(gimp.job(0, inputs['rgb'], [color, gimp.apply(operation['name'], {})]))
    said = ' '.join(gimp.output)
    if gimp.effects:
        return report.check(f'{name} does no harm', code in (0, 70), f'exit {code}')
    report.check(f'{name} is refused in words', code in (0, 1) and not gimp.said('end') and f'{operation["title"]} works on' in said, f'exit {code}, {said[-200:]}')
    code, _ = gimp.run(gimp.job(0, inputs['rgb'], ['(set! copy layer) (set! layer (car (gimp-layer-group-new image))) (gimp-image-insert-layer image layer 0 0)',
                                                   '(gimp-image-reorder-item image copy layer 0)', gimp.apply(operation['name'], {})]))
    said = ' '.join(gimp.output)
    report.check(f'GIMP {gimp.version}: a group is refused in words', code in (0, 1) and not gimp.said('end') and f'{operation["title"]} works on' in said,
                 f'exit {code}, {said[-200:]}')


def refuses(report, installed, gimp, operation, inputs):
    """An unknown property is an error, not a default."""
    script = gimp.job(0, inputs['rgb'], [gimp.apply(operation['name'], {'no-such-property': 1})])
    code, _ = gimp.run(script)
    said = ' '.join(gimp.output)
    report.check(f'GIMP {gimp.version}: an unknown property is refused', not gimp.said('end') and (code == 70 or 'execution error' in said),
                 f'exit {code}')


JOINED = re.compile(r'[!(\s]*x[)\s]*([&|][!(\s]*x[)\s]*)*')             # a comma joins values, not conditions


def labels(report, operations):
    """What a menu and the search need, and what GIMP 3 can read of when a property has an effect: booleans, and enums with their values."""
    for operation in operations:
        label, path = operation['gimp:menu-label'] or '', operation['gimp:menu-path'] or ''
        report.check(f'{operation["name"]} has a place in the menus', re.fullmatch(r'<Image>/(Filters/[\w-]+|Colors)(/[\w-]+)*', path)
                     and label.endswith(('...', '…')) and 'Tessera' in label, f'{path}/{label}')
        # For that key GIMP adds an alpha channel when a dialog merges, whatever the settings, and none when a script does.
        report.check(f'{operation["name"]} does the same by a dialog and by a script', not operation['needs-alpha'])
        hidden = [spec['name'] for spec in operation['properties'] if spec['name'] in ('input', 'aux', 'output')
                  and sum(other['label'] == spec['label'] for other in operation['properties']) < 2]
        report.check(f'{operation["name"]}: a property that is called like a pad has another name, for dialogs', not hidden, ', '.join(hidden))
        kinds = {spec['name']: 'enum' if 'values' in spec else spec['type'] for spec in operation['properties']}
        for spec in operation['properties']:
            for key in ('visible', 'sensitive'):
                plain = re.sub(r'\{[^}]*\}', '{', spec[key] or '')
                words = re.findall(r'([\w-]+)\s*(\{)?', plain)
                bad = [word for word, brace in words if word not in '01' and kinds.get(word) != ('enum' if brace else 'gboolean')]
                joined = JOINED.fullmatch(re.sub(r'[\w-]+\s*\{?', 'x', plain))
                if words:
                    report.check(f'{operation["name"]}: GIMP 3 can tell when {spec["name"]} is {key}', joined and not bad, spec[key])


def states(report, installed, kind, operations, inputs):
    without_library(report, installed, kind, operations, inputs)
    if len(operations) > 1:             # one is damaged, another works
        damaged(report, installed, kind, operations, inputs)
    if kind.effects:
        files_from_elsewhere(report, installed, kind, operations, inputs)
    files_of_gimp_3(report, installed, kind, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--smoke', action='store_true', help='fast: two jobs for each operation')
    parser.add_argument('--only', help='one operation')
    parser.add_argument('--states', action='store_true', help='installations that are not whole, and languages, alone')
    parser.add_argument('--keep', help='keep the pictures and scripts in this folder')
    given = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-gimp-') as work:
        installed = Installed(os.path.abspath(given.build), work)
        kinds = programs()
        report.check('a GIMP is here', kinds, 'none of gimp-console-2.10, 3.0 and 3.2' if not kinds else '')
        if kinds and installed.install(report):
            inputs = make_inputs(installed.gegl, os.path.join(IMAGES, 'seeding.jpg'), work)
            operations = installed.operations(given.only)
            report.check('GEGL lists operations', operations, ', '.join(operation['name'] for operation in operations))
            labels(report, operations)
            searches(report, operations)
            searches_graphs(report, {name: HEAD.search(text).groups() for name, text in graphs().items()})
            names(report, installed, given.only, given.smoke)
            if not given.smoke:
                translated(report, installed)
            for kind in kinds if operations else []:
                gimp = kind(installed.gegl.env, work)
                if given.states:
                    states(report, installed, kind, operations, inputs)
                    continue
                if not given.only:
                    example_scripts(report, installed, gimp, inputs['rgb'])
                if given.smoke:
                    installed.few_modules()
                jobs = [job for operation in operations for effects in [gimp.effects and not operation['aux']]
                        for job in (smoke_jobs(operation, effects, int(gimp.effects)) if given.smoke else jobs_of(operation, effects))]
                run_jobs(report, installed, gimp, jobs, inputs, 'in C', GEGL_USE_OPENCL='no')
                elsewhere(report, installed, gimp, operations, inputs, given.smoke)
                if not given.only:
                    ready_made(report, installed, gimp, inputs, given.smoke, Aligning(installed, gimp))
                    check_opening(report, installed, gimp)
                    if not gimp.effects:
                        extras(report, installed, gimp, inputs, given.smoke)
                if given.smoke and gimp.effects:                # Debian 13's PoCL has another compiler than Debian 12's
                    with_opencl(report, installed, gimp, operations, inputs, smoke=True)
                if not given.smoke:
                    more_layers(report, installed, gimp)
                    check_pixels(report, installed, gimp)
                    with_opencl(report, installed, gimp, operations, inputs)
                    if gimp.effects:
                        pasted = [job for operation in operations if not operation['aux'] for job in pasted_jobs(operation)]
                        run_jobs(report, installed, gimp, pasted, inputs, 'through the clipboard', CLIPBOARD, GEGL_USE_OPENCL='no')
                    else:
                        remembers(report, installed, gimp, operations, inputs)
                        measured(report, gimp, inputs['rgb'])
                    indexed(report, gimp, operations[0], inputs)
                    refuses(report, installed, gimp, operations[0], inputs)
                    states(report, installed, kind, operations, inputs)
        if given.keep:
            shutil.rmtree(given.keep, ignore_errors=True)
            shutil.copytree(work, given.keep, symlinks=True)
    report.finish()


main()
