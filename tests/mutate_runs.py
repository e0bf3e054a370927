# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs tests with the modules of a change in the place of the tree's; tests/mutate says with which."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import time

import watched

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HASHES = os.path.join(TOP, 'tests', 'check', 'hashes.txt')
SEED = '20261121'                       # that of ./run test
LIBRARY = 'libtessera.so.0'
PHOTOGRAPHS = [os.path.join(TOP, 'data', 'images', name + '.jpg') for name in ('seeding', 'friends', 'mountains', 'hubble_deep_field')]
# Tests that have sources of the modules inside.
OWN_SOURCE = ('check/gaussian-kernel', 'check/kernel-text', 'engine/plan-test', 'engine/speed-test', 'match/point-answers', 'temporal/sequence-answers',
              'temporal/sequence-device', 'temporal/files-test')
# Of these, what programs of several parts are asked for.
ROWS = {'files-test': ('ser', 'fits', 'sky', 'frames', 'fits-kinds', 'fits-clock', 'fits-damage'),
        'point-answers': ('sift-strongest', 'sift-levels', 'matches', 'combine-values', 'consensus', 'pixels', 'turned'),
        'sequence-answers': ('shift', 'weights', 'weights-from-frames', 'background', 'significance', 'detection', 'removal', 'tracks')}
# Tests of modules beside those of tests/check, and what they are given.
TESTS_OF = {
    'align': [('align/align-test', ['movements', *PHOTOGRAPHS]),
              *(('align/align-test', [part, PHOTOGRAPHS[2], PHOTOGRAPHS[1]]) for part in ('laws', 'kinds', 'doubts'))],
    'background-whiten': [('temporal/sequence-answers', [row]) for row in ('background-whiten', 'background-whiten-faults', 'sequence-laws')],
    'combine': [('match/point-answers', ['combine'])],
    'estimate-shift': [('temporal/sequence-answers', [row]) for row in ('estimate-shift', 'sequence-laws')],
    'fits-load': [('temporal/files-test', ['frames'])],
    'median-blur': [('check/median-codes', [])],
    'sift': [('features/sift-test', ['points', *PHOTOGRAPHS[:3]]), ('features/sift-test', ['marks', *PHOTOGRAPHS[:3]]),
             ('features/sift-test', ['overlay']), ('features/sift-test', ['state']),
             ('../tools/bench/points', ['--mpix', '0.12', '--runs', '2', '--strip', '1', PHOTOGRAPHS[2]])],
    'sift-save': [('features/sift-test', ['points', *PHOTOGRAPHS[:3]])],
}
NO_TILES = 'FAIL no result was sent straight into tiles'
COMPUTES, IDLES = 300, 120              # seconds after which a test hangs, where the unmutated one was not measured


class Step:
    """A test: its name, its words, more environment, and whether it belongs to what all changes run before any runs the rest."""

    def __init__(self, name, words, quick=False, **env):
        self.name, self.words, self.quick, self.env = name, words, quick, env


class Runner:
    def __init__(self, base, folder, only, devices, deadline):
        self.base, self.folder, self.only, self.devices, self.deadline = os.path.abspath(base), folder, only, devices, deadline
        self.has_pocl = bool(glob.glob('/etc/OpenCL/vendors/*pocl*'))
        self.has_oclgrind = shutil.which('oclgrind') is not None
        self.limits, self.left_out = {}, set()
        given = [p for p in os.environ.get('GEGL_PATH', '').split(os.pathsep) if p and not glob.glob(os.path.join(p, 'tessera-*.so'))]
        self.plugins = given or [self.gegl_modules()]

    def built(self, *names):
        return os.path.join(self.base, *names)

    def gegl_modules(self):
        """Those that the tests take; where there are none, all of GEGL's."""
        links = self.built('tests-modules')
        if os.path.isdir(links):
            return links
        return subprocess.run(['pkg-config', '--variable=pluginsdir', 'gegl-0.4'], check=True, capture_output=True, text=True).stdout.strip()

    def environment(self, variant, work):
        operations, engine = os.path.join(work, 'operations'), os.path.join(work, 'engine')
        os.makedirs(operations)
        os.makedirs(engine)

        def take(path, folder):
            own = os.path.join(variant or '', os.path.basename(path))
            os.symlink(os.path.abspath(own) if variant and os.path.exists(own) else path, os.path.join(folder, os.path.basename(path)))

        for path in glob.glob(self.built('operations', 'tessera-*.so')):
            take(path, operations)
        take(self.built('opencl', 'engine', LIBRARY), engine)
        env = {k: v for k, v in os.environ.items() if not k.startswith('TESSERA_')}
        env.update(GEGL_PATH=os.pathsep.join([operations, *self.plugins]), GEGL_SWAP='RAM', POCL_CACHE_DIR=os.path.join(self.folder, 'pocl'),
                   LD_LIBRARY_PATH=os.pathsep.join([engine] + [p for p in [os.environ.get('LD_LIBRARY_PATH')] if p]))
        os.makedirs(env['POCL_CACHE_DIR'], exist_ok=True)
        return env

    # ----------------------------------------------------------- which tests

    def filters(self):
        with open(os.path.join(TOP, 'operations', 'filters'), encoding='utf-8') as file:
            return sorted(line.split()[0] for line in file if line.strip() and not line.startswith('#'))

    def steps(self, changed):
        """What fails soonest first."""
        whole = LIBRARY in changed
        # bilateral-filter is bilateral-grid once more
        filters = [f for f in self.filters() if f != 'bilateral-filter' and (whole or f'tessera-{f}.so' in changed)]
        filters = filters or (['bilateral-filter'] if 'tessera-bilateral-filter.so' in changed else [])
        for own in OWN_SOURCE:
            if os.path.basename(own) in changed:
                for rows in [[row] for row in ROWS.get(os.path.basename(own), ())] or [[]]:
                    yield Step(' '.join([os.path.basename(own), *rows]), [changed[os.path.basename(own)], *rows], True, GEGL_USE_OPENCL='cpu')
        for filter in filters if not whole else []:
            yield Step(f'hashes {filter}, in C', [self.built('tests', 'check', 'check'), '--filter', filter, '--hashes', HASHES, '--legs', 'c'], True,
                       GEGL_USE_OPENCL='no')
            yield Step(f'edges {filter}, in C', [self.built('tests', 'check', 'check'), '--seed', SEED, '--filter', filter, '--edges',
                                                 '--legs', 'c,reference'], True, GEGL_USE_OPENCL='no')
        for filter, test, words in self.tests_of(changed):
            part = [word for word in words[:1] if not word.startswith(('-', '/'))]
            yield Step(' '.join([os.path.basename(test), *part, 'for', filter]), [self.built('tests', test), *words], True, GEGL_USE_OPENCL='cpu')
        for device in self.devices:
            for step in self.steps_on(device, filters, whole):
                step.name += f', {device}' if len(self.devices) > 1 else ''
                step.env.setdefault('GEGL_USE_OPENCL', device)
                yield step
        if self.has_oclgrind and not whole and filters:
            yield Step('oclgrind', ['python3', '-B', os.path.join(TOP, 'tests', 'races', 'run-oclgrind.py'), self.base, *filters],
                       OCLGRIND_KEEPS_PATH='1')
        if whole:
            yield from self.driver_steps()
        for name in [] if whole else sorted(n for n in self.with_accounts() if f'tessera-{n}.so' in changed):      # what it says that it needs
            yield Step(f'accounting {name}', [self.built('tests', 'engine', 'accounting'), f'tessera:{name}'], GEGL_USE_OPENCL=self.devices[0])

    def tests_of(self, changed):
        return [(name, test, words) for name, tests in TESTS_OF.items() if f'tessera-{name}.so' in changed for test, words in tests]

    def with_accounts(self):
        with open(os.path.join(TOP, 'tests', 'engine', 'accounting.c'), encoding='utf-8') as file:
            return set(re.findall(r'{ "tessera:([\w-]+)"', file.read()))

    def steps_on(self, device, filters, whole):
        check = [self.built('tests', 'check', 'check'), '--seed', SEED]
        test = lambda name, *words, quick=False, folder='engine', **env: Step(name, [self.built('tests', folder, name), *words], quick, **env)
        few = ', few' if whole else ''
        if whole:
            for filter in ('motion-blur', 'equalize'):
                yield Step(f'parity {filter}, first', check + ['--filter', filter, '--parity', '--cases', '60', '--seconds', '12'], True)
            # It has an operation of its own.
            yield test('formats', quick=True, folder='formats', GEGL_PATH=self.built('tests', 'formats', 'operations'))
            for name in ('tiles', 'accounting', 'progress', 'limits', 'tiles-trial', 'portable'):
                yield test(name, quick=True)
        for filter in filters:
            yield Step(f'hashes {filter}', check[:1] + ['--filter', filter, '--hashes', HASHES], not whole)
        for part, cases, seconds, quick in (('parity', 150, 25, True), ('laws', 90 if whole else 140, 18, not whole), ('edges', 0, 0, not whole)):
            for filter in filters:
                limit = ['--cases', str(cases // (3 if whole else 1)), '--seconds', str(seconds / (3 if whole else 1))] if cases else []
                yield Step(f'{part} {filter}{few}', check + ['--filter', filter, f'--{part}', *limit], quick)
        for filter in filters:
            yield Step(f'faults {filter}', check + ['--filter', filter, '--faults'])
        if whole:
            yield test('soak', '--seconds', '20', '--seed', SEED)

    def driver_steps(self):
        """Once, whatever the devices: on PoCL, behind the driver that fails on demand."""
        stub = self.built('tests', 'driver', 'libstub-icd.so')
        if not (self.has_pocl and os.path.exists(stub)):
            return
        vendors = os.path.join(self.folder, 'vendors')
        os.makedirs(vendors, exist_ok=True)
        with open(os.path.join(vendors, 'stub.icd'), 'w', encoding='utf-8') as file:
            file.write(stub + '\n')
        with open(glob.glob('/etc/OpenCL/vendors/*pocl*')[0], encoding='utf-8') as file:
            driver = file.readline().strip()
        env = {'OCL_ICD_VENDORS': vendors, 'STUB_ICD_LIBRARY': stub, 'STUB_ICD_DRIVER': driver, 'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'try'}
        for name, words in (('kernels', ['driver-faults', '--kernels']), ('holds', ['driver-holds']), ('types', ['driver-faults', '--types']),
                            ('threads', ['driver-threads', '--seed', '1']), ('faults', ['driver-faults'])):
            yield Step(f'driver-{name}', [self.built('tests', 'driver', words[0]), *words[1:]], **env)

    # --------------------------------------------------------------- running

    def run(self, step, env, work):
        """How a test ended: what failed, or None; and the seconds that it computed."""
        more = dict(step.env)
        if 'GEGL_PATH' in more:
            more['GEGL_PATH'] = os.pathsep.join([env['GEGL_PATH'], more['GEGL_PATH']])
        done = watched.run(step.words, os.path.join(work, 'log'), work, self.limits.get(step.name, COMPUTES), IDLES, **{**env, **more})
        if done.why:
            return done.why, done.computed
        said = [line for line in done.output.splitlines() if line.startswith('FAIL')]
        if said == [NO_TILES] or not done.code:         # of one filter alone it is no failure
            return None, done.computed
        return (said[0] if said else f'exit {done.code}: ' + ' '.join(done.output.split())[-60:])[:120], done.computed

    def measure(self, pool):
        """The tests of the tree as it is, those of one filter alone too: how long each may take, and which fail without any change."""
        sets = [{LIBRARY: ''}] + [{f'tessera-{f}.so': ''} for f in {*self.filters(), *TESTS_OF}]
        steps = {step.name: step for changed in sets for step in self.steps(changed) if self.only in step.name and step.name != 'oclgrind'}

        def one(step):
            with tempfile.TemporaryDirectory(prefix='base-', dir=self.folder) as work:
                failure, computed = self.run(step, self.environment(None, work), work)
                self.limits[step.name] = 60 + 8 * computed
                if failure:
                    self.left_out.add(step.name)
                    print(f'the tree as it is fails, so that this test says nothing: {step.name}: {failure}', flush=True)
        began = time.monotonic()
        list(pool.map(one, sorted(steps.values(), key=lambda step: not step.name.startswith('driver'))))
        print(f'the tree as it is passes {len(steps) - len(self.left_out)} of {len(steps)} tests, in {time.monotonic() - began:.0f} s', flush=True)

    def look(self, variant, passed, quick):
        """Runs what has not passed yet, the quick tests alone or all.  Returns (outcome, words); `passed` grows."""
        changed = {n: os.path.join(variant, n) for n in os.listdir(variant) if n != 'mutant.json'}
        with tempfile.TemporaryDirectory(prefix='mutant-', dir=self.folder) as work:
            env = self.environment(variant, work)
            for step in self.steps(changed):
                if self.only not in step.name or step.name in passed or step.name in self.left_out or (quick and not step.quick):
                    continue
                if self.deadline and time.monotonic() > self.deadline:
                    return 'unsettled', f'{len(passed)} tests passed'
                failure, _ = self.run(step, env, work)
                if failure:
                    return 'killed', f'{step.name}: {failure}'
                passed.append(step.name)
        return ('unsettled' if quick else 'survived'), f'{len(passed)} tests passed'
