# SPDX-License-Identifier: LGPL-3.0-or-later
"""GIMP with an installation that is not whole: damaged modules, and files made where there were more filters, or a later GIMP."""
import glob
import os
import re
import shutil

from gimp_program import FLAT
from jobs import Job, varied
from pixels import read

# Two layers, the upper one filtered; as GIMP 3.0.4 saved them in files_of_gimp_3, which makes them anew wherever that runs.
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files')
FILTERED = Job('tessera:median-blur', 'varied', {'radius': 3}, 'rgb', 8)
TOO_NEW = 'unsupported XCF file version'
GRID = 'Failed to deserialize grid parasite'         # GIMP 2.10 says so of any file of GIMP 3

MODULES = os.path.join('.local', 'share', 'gegl-0.4', 'plug-ins')
LIBRARY = os.path.join('.local', 'lib', 'tessera')


def rewrite(path, change):
    with open(path, 'rb') as file:
        data = file.read()
    os.remove(path)                                     # it may be a link
    with open(path, 'wb') as file:
        file.write(change(data))


def newer(data):
    """As if built with a GEGL that has a function which this one lacks."""
    symbol = b'\0gegl_param_int_get_type\0'
    assert symbol in data
    return data.replace(symbol, symbol.replace(b'type', b'kind'))


# What is wrong with one module: how it is made, what the line that says so has in it.  One that is cut behind its
# first bytes is not among them: the dynamic loader dies of it, with GEGL's own modules too.
DAMAGES = {
    'cut off': (lambda data: data[:40], 'file too short'),
    'empty': (lambda data: b'', 'file too short'),
    'not a library': (lambda data: b'a page of text that somebody saved here\n' * 200, 'invalid ELF header'),
    'built for a newer GEGL': (newer, 'undefined symbol: gegl_param_int_get_kind'),
}


def copied_home(installed, name):
    home = os.path.join(installed.work, name)
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(installed.home, home, symlinks=True)
    return home


def module_of(home, operation):
    return glob.glob(os.path.join(home, MODULES, '**', operation.replace(':', '-') + '.so'), recursive=True)[0]


def works(report, installed, gimp, operation, inputs, what, path):
    """GIMP opens, filters and saves; returns the lines that are not its own."""
    job = Job(operation['name'], 'varied', varied(operation), 'rgb', 8)
    code, lines = gimp.run(gimp.job(0, inputs['rgb'], [gimp.apply(job.operation, job.values), gimp.save(path)]), GEGL_USE_OPENCL='no')
    worst = read(path).difference(installed.expected(job, inputs), 1) if os.path.exists(path) else ('no picture',)
    report.check(f'GIMP {gimp.version}, {what}: {operation["name"]} works', gimp.said('end') == ['0'] and worst[0] in (0, 1), f'exit {code}, {worst[0]} off')
    return lines


def damaged(report, installed, kind, operations, inputs):
    """One module is no good: one line names it, the others work."""
    broken, other = operations[-1], operations[0]
    for what, (damage, says) in DAMAGES.items():
        home = copied_home(installed, 'damaged')
        module = module_of(home, broken['name'])
        rewrite(module, damage)
        gimp = kind({**installed.gegl.env, 'HOME': home}, installed.work)
        lines = works(report, installed, gimp, other, inputs, f'a module is {what}', os.path.join(installed.work, f'damaged-{gimp.folder}.png'))
        # GIMP says it, and so does each of its plug-ins that has GEGL
        told = {re.sub(r'^.*?(?=Module )', '', line) for line in lines}
        report.check(f'GIMP {gimp.version}, a module is {what}: one line says which and why',
                     len(told) == 1 and all(os.path.basename(module) in line and re.search(says, line) for line in told), ' | '.join(told))
        shutil.rmtree(home)


def without_library(report, installed, kind, operations, inputs):
    """Without libtessera GIMP starts and works, says why, and has none of the operations."""
    home = copied_home(installed, 'broken')
    # The modules carry the path of the library, so the first home's is away meanwhile.
    library = os.path.join(installed.home, LIBRARY)
    shutil.rmtree(os.path.join(home, LIBRARY))
    os.rename(library, library + '.away')
    gimp = kind({**installed.gegl.env, 'HOME': home}, installed.work)
    path = os.path.join(installed.work, f'broken-{gimp.folder}.png')
    code, lines = gimp.run(gimp.job(0, inputs['rgb'], [gimp.save(path)]))
    os.rename(library + '.away', library)
    report.check(f'GIMP {gimp.version} without libtessera: starts, opens and saves', gimp.said('end') == ['0'] and os.path.exists(path), f'exit {code}')
    odd = [line for line in lines if 'libtessera' not in line]
    report.check(f'GIMP {gimp.version} without libtessera: each line names it', lines and not odd, ' | '.join(odd[:4] or lines[:1]))
    shutil.rmtree(home)


def files_from_elsewhere(report, installed, kind, operations, inputs):
    """GIMP 3 opens an XCF with layer effects where one filter is missing, and where all are: it says which, the pixels of the layer
    are there, the other effects work."""
    effects = [operation for operation in operations if not operation['aux']]
    if not effects:
        return
    missing = effects[-1]
    gimp = kind(installed.gegl.env, installed.work)
    folder = os.path.join(installed.work, 'elsewhere')
    os.makedirs(folder, exist_ok=True)
    paths = {operation['name']: os.path.join(folder, operation['name'].split(':')[1] + '.xcf') for operation in effects}
    gimp.run(''.join(gimp.job(i, inputs['rgba'], [gimp.apply(operation['name'], varied(operation), True), gimp.save(paths[operation['name']])])
                     for i, operation in enumerate(effects)), GEGL_USE_OPENCL='no')
    for what, gone in (('one filter', [missing]), ('all filters', operations)):
        home = copied_home(installed, 'elsewhere-home')
        for operation in gone:
            os.remove(module_of(home, operation['name']))
        other = kind({**installed.gegl.env, 'HOME': home}, installed.work)
        pictures = {operation['name']: paths[operation['name']] + '.png' for operation in effects}
        code, lines = other.run(''.join(other.job(i, paths[name], [FLAT, other.save(pictures[name])]) for i, name in enumerate(pictures)), GEGL_USE_OPENCL='no')
        name = f'GIMP {gimp.version} without {what} opens files that have them'
        report.check(f'{name}: no crash', code == 0 and len(other.said('end')) == len(effects), f'exit {code}, {len(other.said("end"))} of {len(effects)}')
        unsaid = [operation['name'] for operation in gone if operation in effects and not any(operation['name'] in line for line in lines)]
        report.check(f'{name}: each is named', not unsaid and lines, ' | '.join(unsaid or lines[:2]))
        odd = [line for line in lines if not any(operation['name'] in line for operation in gone)]
        report.check(f'{name}: nothing else is said', not odd, ' | '.join(odd[:3]))
        for operation in effects:
            job = Job(operation['name'], 'varied', varied(operation), 'rgba', 8)
            wanted = read(inputs['rgba']) if operation in gone else installed.expected(job, inputs)
            path = pictures[operation['name']]
            worst = read(path).difference(wanted, 1) if os.path.exists(path) else ('no picture', None, 0)
            report.check(f'{name}: {operation["name"]}, the {"layer" if operation in gone else "effect"} is right', worst[0] in (0, 1) or 0 < worst[2] <= 19,
                         f'{worst[0]} off, {worst[2]} pixels')
            if os.path.exists(path):
                os.remove(path)
        shutil.rmtree(home)


def save_for_210(gimp, source, folder):
    os.makedirs(folder)
    for effect in (False, True):
        path = os.path.join(folder, f'gimp-3-{"effect" if effect else "merged"}.xcf')
        gimp.run(gimp.job(0, source, ['(gimp-image-crop image 48 36 40 30)', '(set! copy (car (gimp-layer-copy layer)))', '(gimp-image-insert-layer image copy 0 0)',
                                      '(set! layer copy)', gimp.apply(FILTERED.operation, FILTERED.values, effect), gimp.save(path)]), GEGL_USE_OPENCL='no')


def filtered_right(report, installed, gimp, path, when):
    """The upper layer is what gegl makes of the lower one."""
    upper, lower, wanted = (f'{path[:-4]}-{gimp.folder}-{what}.png' for what in ('upper', 'lower', 'wanted'))
    merge = ['(gimp-drawable-merge-filters layer)'] if gimp.effects else []
    code, lines = gimp.run(gimp.job(0, path, [*merge, FLAT, gimp.save(upper)])
                           + gimp.job(1, path, ['(gimp-image-remove-layer image layer)', f'(set! layer {gimp.first_layer})', gimp.save(lower)]), GEGL_USE_OPENCL='no')
    name = f'GIMP {gimp.version} opens {os.path.basename(path)}, saved {when}'
    odd = [line for line in lines if gimp.effects or GRID not in line]
    if report.check(f'{name} and says nothing', gimp.said('end') == ['0', '1'] and not odd, f'exit {code} ' + ' | '.join(odd[:3])):
        installed.gegl.run([lower, '-o', wanted, '--', FILTERED.operation, *(f'{key}={value}' for key, value in FILTERED.values.items()),
                            'gegl:png-save', f'path={wanted}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
        worst, where, _ = read(upper).difference(read(wanted), 1)
        report.check(f'{name}: the pixels are right', worst <= 1 and read(upper).data != read(lower).data, f'{worst} off, at {where}')


def files_of_gimp_3(report, installed, kind, inputs):
    """What was merged is a layer like any other in GIMP 2.10; a file with a layer effect it refuses in words, and lives."""
    gimp, folder = kind(installed.gegl.env, installed.work), os.path.join(installed.work, 'files')
    shutil.copytree(FILES, folder)
    filtered_right(report, installed, gimp, os.path.join(folder, 'gimp-3-merged.xcf'), 'long ago')
    effect = os.path.join(folder, 'gimp-3-effect.xcf')
    if gimp.effects:
        filtered_right(report, installed, gimp, effect, 'long ago')
        fresh = os.path.join(installed.work, 'files-anew')
        save_for_210(gimp, inputs['rgb'], fresh)
        for name in sorted(os.listdir(FILES)):
            filtered_right(report, installed, gimp, os.path.join(fresh, name), 'just now')
        return
    code, lines = gimp.run(gimp.job(0, effect, []), GEGL_USE_OPENCL='no')
    report.check(f'GIMP {gimp.version} refuses a layer effect of GIMP 3 in words', code in (0, 1) and not gimp.said('end') and any(TOO_NEW in line for line in lines),
                 f'exit {code} ' + ' | '.join(lines[:3]))
