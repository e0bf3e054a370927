#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-cli.py BUILD: the filters with the gegl command on machines where something is missing or fails.

Each time: exit code 0, C's pixels, and on stderr exactly what the case states, nothing else."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES

PHOTOGRAPH = os.path.join(IMAGES, 'mountains.jpg')
CHAINS = {
    'motion-blur': ['tessera:motion-blur', 'length=40', 'angle=30'],
    'bilateral-grid': ['tessera:bilateral-grid', 'spatial-sigma=8', 'range-sigma=0.1', 'guide=luminance', 'tone=linear'],
    'gaussian-blur': ['tessera:gaussian-blur', 'std-dev-x=12', 'std-dev-y=20'],
}
TOLERANCE = 1e-5
EMPTY = '{empty}'       # stands for an empty folder

# What concerns no filter is tried with the first of the chains alone.
# what is wrong: (environment, the one line on stderr or None, where the filter must run: C or OpenCL)
FAILED = r'^tessera: .*; computed in C instead$'
ABSENT = r'^tessera: OpenCL was asked for, but GEGL has no device for it'
MACHINES = {
    'OpenCL off in GEGL': ({'GEGL_USE_OPENCL': 'no'}, None, 'C'),
    'OpenCL off for Tessera': ({'TESSERA_OPENCL': 'off'}, None, 'C'),
    'no device of that kind': ({'GEGL_USE_OPENCL': 'accelerator'}, ABSENT, 'C'),
    'no folder of ICDs': ({'OCL_ICD_VENDORS': '/nonexistent'}, ABSENT, 'C'),
    'an empty folder of ICDs': ({'OCL_ICD_VENDORS': EMPTY}, ABSENT, 'C'),
    'an ICD that does not exist': ({'OCL_ICD_FILENAMES': 'libno-such-driver.so', 'OCL_ICD_VENDORS': EMPTY}, ABSENT, 'C'),
    'a program that does not build': ({'TESSERA_FAULT': 'build'}, r'^tessera: \S+: the OpenCL program does not build on .*; C is used instead$', 'C'),
    'a filter that does not build': ({'TESSERA_FAULT': 'build:2'}, r'^tessera: {name}: the OpenCL program does not build on .*; C is used instead$', 'C'),
    'memory refused once': ({'TESSERA_FAULT': 'alloc:1'}, None, 'OpenCL'),      # a lower band is tried
    'a launch refused': ({'TESSERA_FAULT': 'enqueue:1'}, FAILED, 'C'),
    'a later launch refused': ({'TESSERA_FAULT': 'enqueue:2'}, FAILED, 'C'),
    'a download that fails': ({'TESSERA_FAULT': 'download:1'}, FAILED, 'C'),
    'a processor as the device': ({'TESSERA_OPENCL': 'auto'}, None, 'C'),       # where C is faster
    'nonsense in TESSERA_OPENCL': ({'TESSERA_OPENCL': 'maybe'}, r'^tessera: TESSERA_OPENCL=maybe is none of auto, own, off, try, force', 'C'),
    'nonsense in TESSERA_MEMORY': ({'TESSERA_MEMORY': 'lots'}, r'^tessera: TESSERA_MEMORY=lots is not a number of MiB', 'OpenCL'),
    'negative TESSERA_MEMORY': ({'TESSERA_MEMORY': '-16'}, r'^tessera: TESSERA_MEMORY=-16 is not a number of MiB', 'OpenCL'),
    'TESSERA_MEMORY=0': ({'TESSERA_MEMORY': '0'}, r'^tessera: TESSERA_MEMORY=0 is not a number of MiB', 'OpenCL'),
    'TESSERA_MEMORY too large for a number': ({'TESSERA_MEMORY': '99999999999999999999'}, r'^tessera: TESSERA_MEMORY=9+ is not a number of MiB', 'OpenCL'),
    '16 MiB of device memory': ({'TESSERA_MEMORY': '16'}, None, 'OpenCL'),
    'nothing wrong': ({}, None, 'OpenCL'),
}
OF_ANY_FILTER = ('OpenCL off in GEGL', 'OpenCL off for Tessera', 'no device of that kind', 'no folder of ICDs', 'an empty folder of ICDs', 'an ICD that does not exist',
                 'nonsense in TESSERA_OPENCL', 'nonsense in TESSERA_MEMORY', 'negative TESSERA_MEMORY', 'TESSERA_MEMORY=0', 'TESSERA_MEMORY too large for a number')
# What GEGL has loaded before an operation, and ours.
LOADED = ('libtessera.', 'libgegl-', 'libbabl-', 'libglib-', 'libgobject-', 'libgio-', 'libgmodule-', 'libc.', 'libm.', 'libdl.', 'ld-')
READERS = 'tessera-readers.so.0'
PATH = re.compile(r'^tessera: (\S+) \d+x\d+\S*: (OpenCL|C)\b')
# said once: when there is a large result; when a filter is used first
TRIED = re.compile(r'^tessera: (tiles: GEGL [\d.]+ shares |\S+: (the device computes the same pixels |nothing that shows whether ))')
# by GEGL itself where it finds no device, from 0.4.72 on
OF_GEGL = re.compile(r'GEGL-WARNING \*\*: .*OpenCL option is enabled but ')
BANDS = re.compile(r', (\d+) bands?,')


def environment(env, empty):
    return {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'try', **{k: empty if v == EMPTY else v for k, v in env.items()}}


def check_machine(gegl, work, report, name, machine, in_c):
    env, message, where = MACHINES[machine]
    env = environment(env, os.path.join(work, 'empty'))
    out = os.path.join(work, 'out.npy')
    what = f'{name}, {machine}'

    if os.path.exists(out):
        os.remove(out)
    code, lines = gegl.run([PHOTOGRAPH, '-o', out, '--'] + CHAINS[name], TESSERA_DEBUG='paths', **env)
    debug = [line for line in lines if PATH.match(line) or TRIED.match(line) or ': program built on ' in line]
    said = [line for line in lines if line not in debug]
    ran = {PATH.match(line)[2] for line in debug if PATH.match(line)}
    report.check(f'{what}: exit 0 and a picture', code == 0 and os.path.exists(out), '' if code == 0 else f'exit {code}')
    if message is None:
        report.check(f'{what}: no message', not said, ' | '.join(said))
    else:
        said = [line for line in said if not OF_GEGL.search(line)]
        report.check(f'{what}: one clear line', len(said) == 1 and re.search(message.replace('{name}', name), said[0]), ' | '.join(said) or 'silence')
    report.check(f'{what}: ran in {where}', ran == {where}, ', '.join(sorted(ran)) or 'nowhere')
    if os.path.exists(out):
        difference = Picture(out).difference(in_c)
        report.check(f"{what}: C's pixels", difference <= (0 if where == 'C' else TOLERANCE), f'{difference:.2g}')
    if 'MiB of device memory' in machine:
        bands = [int(found[1]) for found in map(BANDS.search, debug) if found]
        report.check(f'{what}: several bands', bands and min(bands) > 1, str(bands))


def check_machines(gegl, work, report):
    os.makedirs(os.path.join(work, 'empty'))
    for name, chain in CHAINS.items():
        out = os.path.join(work, 'c.npy')
        code, lines = gegl.run([PHOTOGRAPH, '-o', out, '--'] + chain, GEGL_USE_OPENCL='no')
        if report.check(f'{name} in C: exit 0, silence', code == 0 and not lines, ' | '.join(lines)):
            in_c = Picture(out)
            for machine in MACHINES:
                if machine in OF_ANY_FILTER and chain is not next(iter(CHAINS.values())):
                    continue
                check_machine(gegl, work, report, name, machine, in_c)


def check_force(gegl, work, report):
    """Declining is an error: one line of ours.  (The gegl command itself returns 0 and adds warnings of its own.)"""
    machines = {
        'GEGL has OpenCL off': {'GEGL_USE_OPENCL': 'no'},
        'there is no ICD': {'OCL_ICD_VENDORS': EMPTY},
        'the device fails': {'TESSERA_FAULT': 'enqueue:1'},
        'the program does not build': {'TESSERA_FAULT': 'build'},
    }
    for name, chain in CHAINS.items():
        for machine, env in machines.items():
            out = os.path.join(work, 'forced.npy')
            code, lines = gegl.run([PHOTOGRAPH, '-o', out, '--'] + chain, **{**environment(env, os.path.join(work, 'empty')), 'TESSERA_OPENCL': 'force'})
            ours = [line for line in lines if line.startswith('tessera:')]
            refusals = [line for line in ours if f'tessera: {name}: TESSERA_OPENCL=force, but ' in line]
            report.check(f'{name}, forced where {machine}: one refusal',
                         len(refusals) == 1 and len(ours) == (1 if 'TESSERA_FAULT' not in env else 2), ' | '.join(ours) or 'silence')
            report.check(f'{name}, forced where {machine}: not killed', code in (0, 1), f'exit {code}')


def check_names(gegl, work, report):
    """`output` and `result` are one property."""
    for chain, values in ((['tessera:sobel'], ('magnitude', 'angle', 'vector')), (['tessera:label', 'threshold=0.3'], ('colors', 'index', 'mask'))):
        pictures = {}
        for name in ('output', 'result'):
            for value in values:
                out = os.path.join(work, f'{name}-{value}.npy')
                gegl.run([PHOTOGRAPH, '-o', out, '--'] + chain + [f'{name}={value}'], GEGL_USE_OPENCL='no')
                with open(out, 'rb') as file:
                    pictures[name, value] = Picture(out), file.read()
        # not to the bit: what babl makes of the result on the way to the file depends on its mood
        worst = max(pictures['output', value][0].difference(pictures['result', value][0]) for value in values)
        report.check(f'{chain[0]}: output and result give the same', worst <= TOLERANCE, f'{worst:.2g}')
        report.check(f'{chain[0]}: different ones different pictures', len({pictures['result', value][1] for value in values}) == len(values))
        gegl.run([PHOTOGRAPH, '-o', out, '--'] + chain + [f'result={values[1]}', f'output={values[0]}'], GEGL_USE_OPENCL='no')
        worst = pictures['result', values[1]][0].difference(Picture(out))
        report.check(f'{chain[0]}: result counts where output has its default, as GIMP sets it', worst <= TOLERANCE, f'{worst:.2g}')


def check_odd_input(gegl, work, report):
    red = ['gegl:color', 'value=rgb(1.0, 0.25, 0.0)']
    # gegl:npy-save needs the origin at (0, 0).
    crop = ['gegl:crop', 'x=-7', 'y=3', 'width=30', 'height=20', 'gegl:translate', 'x=7', 'y=-3']
    for name, chain in CHAINS.items():
        for leg, env in (('C', {'GEGL_USE_OPENCL': 'no'}), ('OpenCL', {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'force'})):
            cases = {
                'an endless plane': (red + chain + crop, 30, 20),
                'one pixel': (red + ['gegl:crop', 'width=1', 'height=1'] + chain, 1, 1),
                'one row': (red + ['gegl:crop', 'width=30', 'height=1'] + chain, 30, 1),
                'one column': (red + ['gegl:crop', 'width=1', 'height=20'] + chain, 1, 20),
                'a picture far from the origin': (red + ['gegl:crop', 'x=-100000', 'y=1048576', 'width=5', 'height=4'] + chain
                                                   + ['gegl:crop', 'x=-100000', 'y=1048576', 'width=5', 'height=4',
                                                      'gegl:translate', 'x=100000', 'y=-1048576'], 5, 4),
            }
            for case, (words, width, height) in cases.items():
                out = os.path.join(work, 'odd.npy')
                if os.path.exists(out):
                    os.remove(out)
                code, lines = gegl.run(['-o', out, '--'] + words, **env)
                good = code == 0 and not lines and os.path.exists(out)
                if report.check(f'{name} in {leg}, {case}: exit 0, silence', good, f'exit {code} ' + ' | '.join(lines)):
                    picture = Picture(out)
                    worst = max(abs(value - want) for value, want in zip(picture.pixels, picture.width * picture.height * [1.0, 0.25, 0.0]))
                    report.check(f'{name} in {leg}, {case}: constant stays constant', (picture.width, picture.height) == (width, height)
                                 and worst <= TOLERANCE, f'{picture.width}x{picture.height}, {worst:.2g}')
            nothing = {
                'an empty picture': [PHOTOGRAPH, '-o', os.path.join(work, 'none.ppm'), '--', 'gegl:crop', 'x=5000', 'width=10', 'height=10'] + chain,
                'no input': ['-o', os.path.join(work, 'none.ppm'), '--'] + chain,
            }
            for case, words in nothing.items():
                code, lines = gegl.run(words, **env)
                # GEGL itself remarks that there is nothing to process.
                strange = [line for line in lines if 'processing 0px rectangle' not in line]
                report.check(f'{name} in {leg}, {case}: exit 0, nothing of ours on stderr',
                             code == 0 and not strange, f'exit {code} ' + ' | '.join(strange))


def check_together(gegl, report):
    """All of GEGL's modules and ours in one process."""
    alone = gegl.command(['gegl', '--list-all'], GEGL_PATH=gegl.system_plugins, GEGL_USE_OPENCL='no')
    together = gegl.command(['gegl', '--list-all'], GEGL_USE_OPENCL='no')
    before, after = set(alone.stdout.split()), set(together.stdout.split())
    report.check("GEGL's own operations are many", len(before) > 200, str(len(before)))
    report.check("none of GEGL's operations is lost beside ours", before <= after, ', '.join(sorted(before - after)))
    report.check('ours are there', set(gegl.operations) <= after, ', '.join(sorted(set(gegl.operations) - after)))
    report.check('nothing is said while loading', together.returncode == 0 and together.stderr.strip() == alone.stderr.strip(), together.stderr.strip())
    for name in gegl.operations:
        info = gegl.command(['gegl', '--info', name], GEGL_USE_OPENCL='no')
        keys = {line.split()[0] for line in info.stdout.split('Properties:')[0].splitlines() if line and not line[0].isspace()}
        report.check(f'{name}: no key that hides it or spoils saved files', keys and not keys & {'license', 'op-version'}, ', '.join(sorted(keys)))


def check_symbols(gegl, report):
    folder = os.path.join(gegl.build, 'operations')
    modules = sorted(name for name in os.listdir(folder) if name.endswith('.so'))
    report.check('there are modules', len(modules) >= len(gegl.operations), ', '.join(modules))
    report.check('every module and only ours', all(name.startswith('tessera-') for name in modules))
    report.check('no .json that GEGL would parse', not any(name.endswith('.json') for _, _, names in os.walk(folder) for name in names))

    def exported(path):
        listing = gegl.command(['nm', '-D', '--defined-only', path]).stdout
        return {line.split()[-1] for line in listing.splitlines()}

    def needed(path):
        return set(re.findall(r'\(NEEDED\).*\[(.*)\]', gegl.command(['readelf', '-d', path]).stdout))

    for name in modules:
        symbols = exported(os.path.join(folder, name))
        report.check(f'{name} exports the two entry points only', symbols == {'gegl_module_query', 'gegl_module_register'}, ', '.join(sorted(symbols)))
        libraries = needed(os.path.join(folder, name))
        strange = {library for library in libraries if not library.startswith(LOADED)}
        report.check(f'{name} loads no library that GEGL has not', libraries and not strange, ', '.join(sorted(strange)))
    symbols = exported(os.path.join(folder, 'files', READERS))
    report.check(f'{READERS} exports its table only', symbols == {'tessera_readers'}, ', '.join(sorted(symbols)))
    symbols = exported(os.path.join(gegl.build, 'opencl', 'engine', 'libtessera.so'))
    strange = [symbol for symbol in symbols if not symbol.startswith('tessera_')]
    report.check('libtessera exports tessera_* only', symbols and not strange, ', '.join(strange))
    libraries = needed(os.path.join(gegl.build, 'opencl', 'engine', 'libtessera.so'))
    strange = {library for library in libraries if not library.startswith(LOADED)}
    report.check('libtessera does not need the OpenCL loader to load, nor another', libraries and not strange, ', '.join(sorted(strange)))


def check_late(gegl, work, report):
    """Operations without the module that reads files say so: it is opened beside them, or where it is installed."""
    operations, picture = os.path.join(work, 'operations'), os.path.join(work, 'late.png')
    os.mkdir(operations)
    late = [(name, what) for name, what in (('fits-load', 'path'), ('background-whiten', 'frames')) if f'tessera:{name}' in gegl.operations]
    for name, _ in late:
        shutil.copy(os.path.join(gegl.build, 'operations', f'tessera-{name}.so'), operations)
    path = os.pathsep.join([operations, os.path.join(gegl.build, 'tests-modules')])
    gegl.command(['gegl', PHOTOGRAPH, '-o', picture], GEGL_USE_OPENCL='no')
    for name, what in late:
        done = gegl.command(['gegl', picture, '-o', os.path.join(work, 'none.png'), '--', f'tessera:{name}', f'{what}={picture}'],
                            GEGL_PATH=path, GEGL_USE_OPENCL='no', LD_LIBRARY_PATH=os.path.join(gegl.build, 'opencl', 'engine'))
        report.check(f'{name} without what reads files says that it is missing', 'a part of Tessera cannot be opened: ' in done.stderr, done.stderr)


def check_versions(gegl, report):
    for name in ('doctor', 'match', 'sequence', 'stack', 'stars'):
        done = gegl.command([os.path.join(gegl.build, 'tools', name, f'tessera-{name}'), '--version'])
        report.check(f'tessera-{name} --version', done.returncode == 0 and re.fullmatch(rf'tessera-{name} [0-9.]+\n', done.stdout), done.stdout + done.stderr)


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    missing = gegl.missing()
    if report.check('the operations exist', not missing, ', '.join(missing)):
        with tempfile.TemporaryDirectory(prefix='tessera-cli-') as work:
            check_machines(gegl, work, report)
            check_force(gegl, work, report)
            check_names(gegl, work, report)
            check_odd_input(gegl, work, report)
            check_together(gegl, report)
            check_late(gegl, work, report)
        check_symbols(gegl, report)
    check_versions(gegl, report)
    report.finish()


main()
