# SPDX-License-Identifier: LGPL-3.0-or-later
"""GIMP with an installation that is not whole: damaged modules, and files made where there were more filters."""
import glob
import os
import re
import shutil

from gimp_program import FLAT
from jobs import Job, varied
from pixels import read

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
    symbol = b'\0gegl_operation_class_set_keys\0'
    assert symbol in data
    return data.replace(symbol, symbol.replace(b'keys', b'ends'))


# What is wrong with one module: how it is made, what the line that says so has in it.  One that is cut behind its
# first bytes is not among them: the dynamic loader dies of it, with GEGL's own modules too.
DAMAGES = {
    'cut off': (lambda data: data[:40], 'file too short'),
    'empty': (lambda data: b'', 'file too short'),
    'not a library': (lambda data: b'a page of text that somebody saved here\n' * 200, 'invalid ELF header'),
    'built for a newer GEGL': (newer, 'undefined symbol: gegl_operation_class_set_ends'),
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
