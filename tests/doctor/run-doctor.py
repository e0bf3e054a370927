#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-doctor.py BUILD [--busy]: the doctor on machines where something is missing, broken or lies, or, alone, on one that is busy.

Each time: the exit code, exactly the problems that the case states, and the line that names them."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, TOP, system_plugins

EMPTY, MISSING, NO_DRIVER, CRASH, STUB = '{empty}', '{missing}', '{no-driver}', '{crash}', '{stub}'

# machine: (environment, exit code, {problem's code: regular expression of its text}, expressions found in the report)
MACHINES = {
    'PoCL': ({'GEGL_PATH': '{ours}:{all}', 'GEGL_USE_OPENCL': 'cpu'}, 0, {},        # with all that GEGL has; others have few modules
             [r'(?m)^Verdict: all is well', r'engine runs on\s+.*Portable', r'tiles\s+this GEGL shares our memory', r'the same bits', r'upload, pinned\s+[\d.]+ GB/s',
              r'tessera:motion-blur\s+0\.06\s+[\d.]+\s+[\d.]+\s+[\d.]+', r'GEGL_USE_OPENCL\s+cpu']),
    'nothing set': ({}, 0, {}, [r'GEGL_USE_OPENCL is not set', r'Verdict: all is well', r'(?s)\A(?!.*tessera:template)']),
    'no driver': ({'OCL_ICD_VENDORS': EMPTY}, 0, {}, [r'vendors|empty', r'GEGL takes\s+none', r'which is fine', r'pocl-opencl-icd']),
    'no driver, and OpenCL asked for': ({'OCL_ICD_VENDORS': EMPTY, 'GEGL_USE_OPENCL': 'cpu'}, 1,
                                        {'no-device': r'asked for \(GEGL_USE_OPENCL=cpu\), but no driver offers a device'},
                                        [r'Remedy: Install a driver']),
    'yes, and only a processor': ({'GEGL_USE_OPENCL': 'yes'}, 1,
                                  {'no-device': r'no device of that kind \(yes means a GPU\)'}, [r'GEGL_USE_OPENCL=cpu']),
    'OpenCL off': ({'GEGL_USE_OPENCL': 'no'}, 0, {}, [r'GEGL takes\s+none: GEGL_USE_OPENCL=no']),
    'a driver that is gone': ({'OCL_ICD_VENDORS': MISSING}, 1,
                              {'icd-library': r'missing/pocl\.icd names the OpenCL driver libno-such-driver\.so, which does not open'},
                              [r'apt-get install --reinstall pocl-opencl-icd']),
    'a library that is no driver': ({'OCL_ICD_VENDORS': NO_DRIVER}, 1, {'icd-library': r'it is no OpenCL driver'}, []),
    'a driver that crashes': ({'OCL_ICD_VENDORS': CRASH, 'GEGL_USE_OPENCL': 'no'}, 1,
                              {'driver-crash': r'The OpenCL driver crashed \(signal 6\) while listing the platforms'},
                              [r'libcrash-icd\.so: CRASHES OR HANGS', r'Remedy: Remove or update the driver \S*libcrash-icd\.so,']),
    'a program that does not build': ({'GEGL_USE_OPENCL': 'cpu', 'TESSERA_FAULT': 'build'}, 1,
                                      {'build': r'does not build', 'environment': r'TESSERA_FAULT=build makes OpenCL fail'},
                                      [r'Update the driver']),
    'a launch that fails': ({'GEGL_USE_OPENCL': 'cpu', 'TESSERA_FAULT': 'enqueue:1'}, 1,
                            {'device-fails': r'CL_(OUT_OF_RESOURCES|INVALID_OPERATION) while', 'environment': r'TESSERA_FAULT'}, []),
    'nonsense in every variable': ({'GEGL_USE_OPENCL': 'no', 'TESSERA_OPENCL': 'maybe', 'TESSERA_MEMORY': 'lots', 'TESSERA_DEBUG': 'paths,all,loud'},
                                   1, {'environment': r'TESSERA_OPENCL=maybe is none of'},
                                   [r'TESSERA_MEMORY=lots is not a number of MiB', r'loud is not one of its words', r'3 problems']),
    'nonsense in GEGL_USE_OPENCL': ({'GEGL_USE_OPENCL': 'perhaps'}, 1, {'environment': r'GEGL_USE_OPENCL=perhaps is none of'}, []),
    'GEGL_PATH without our operations': ({'GEGL_PATH': '{system}'}, 2, {'no-operations': r"finds none of Tessera's operations"},
                                         [r'(?m)^Verdict: the doctor could not examine']),
    "GEGL_PATH without GEGL's own": ({'GEGL_PATH': '{ours}', 'GEGL_USE_OPENCL': 'no'}, 1, {'gegl-path-system': r"GEGL's own operations are missing"}, []),
    'GEGL_PATH with a folder that is gone': ({'GEGL_PATH': '{ours}:{system}:/nonexistent/plug-ins', 'GEGL_USE_OPENCL': 'no'}, 1,
                                             {'gegl-path-folder': r'names /nonexistent/plug-ins, which is no folder'}, []),
    'a .json that takes GEGL down': ({'GEGL_PATH': '{ours}:{system}:{json}', 'GEGL_USE_OPENCL': 'no'}, 2,
                                     {'gegl-start': r'GEGL itself crashed \(signal \d+\)'}, [r'stray \.json']),
}

TIMED = ('PoCL', 'a slow driver')       # whose times are looked at

# The stub driver, alone: (its plan, exit code, problems, expressions); a problem with `?` may be missing
LIARS = {
    'a driver that hangs': ('delay Finish:600000', 1, {'driver-hang': r'did not answer within 12 s while'}, [r'OCL_ICD_VENDORS=FOLDER']),
    'wrong downloads': ('lie download', 1, {'wrong-pixels': r'computes wrong pixels', '?driver-crash': r'bilateral-(filter|grid)',
                         '?device-fails': r'sift does not run .*CL_INVALID_VALUE'}, [r'TESSERA_OPENCL=off']),
    'wrong launches': ('lie launch', 1, {'wrong-pixels': r'computes wrong pixels'}, []),
    'a device that is lost': ('lost 20', 1, {'device-fails|gegl-refuses|build|start-crash': r'.', '?copy-fails': r'.'}, [r'Update the driver']),
    'a build that lies': ('lie build', 1, {'device-fails': r'CL_INVALID_PROGRAM_EXECUTABLE while'}, []),
    'no compiler': ('lie version', 1, {'no-compiler': r'has no compiler', 'gegl-refuses': r'does not take it: tessera: .*no compiler'}, []),
    'a slow driver': ('delay Finish:20', 0, {}, [r'Verdict: all is well']),
    'a slow driver, and no time to measure': ('delay Finish:20', 0, {}, [r'Not measured on the device, from tessera:\S+ at [\d.]+ Mpix on: (the 1 s for it are over|this machine is busy)']),
    'little memory': ('from CreateBuffer:1:CL_MEM_OBJECT_ALLOCATION_FAILURE', 1, {'memory': r'has too little memory'}, [r'TESSERA_MEMORY']),
}


# One processor for the doctor and for this many programs that compute: (environment, exit code, problems, expressions, options).
# What a child says next may take it many times the limit of the clock then, and it is no driver that hangs; one that hangs is.
OTHERS = 5
BUSY = {
    'a busy machine': ({'GEGL_USE_OPENCL': 'cpu'}, 0, {},
                       [r'Verdict: all is well', r'This machine is busy \(load \d+ on \d+ processors?\)',
                        r'Not measured on the device, from tessera:\S+ at [\d.]+ Mpix on: this machine is busy, load \d+ on \d+ processors?\.'],
                       ['--timeout', '3', '--budget', '1']),
    'a driver that hangs on a busy machine': ({'GEGL_USE_OPENCL': 'cpu', 'OCL_ICD_VENDORS': STUB, 'STUB_ICD_PLAN': 'delay Finish:600000'}, 1,
                                              {'driver-hang': r'did not answer within 4 s while'}, [], ['--timeout', '4']),
}


class Machine:
    def __init__(self, gegl, work):
        self.gegl, self.work = gegl, work
        self.exe = os.path.join(gegl.build, 'tools', 'doctor', 'tessera-doctor')
        self.stub = os.path.join(gegl.build, 'tests', 'driver', 'libstub-icd.so')
        self.words = {'{system}': gegl.system_plugins, '{all}': system_plugins(), '{ours}': os.path.join(gegl.build, 'operations')}
        # Without what the person at this machine has installed or set in GIMP.
        self.tmp = self.folder('tmp')
        self.home = {'XDG_CONFIG_HOME': self.folder('config'), 'XDG_DATA_HOME': self.folder('data'), 'TMPDIR': self.tmp}
        # PoCL alone, whatever other drivers, or what is left of them, this machine has.
        pocl = '/etc/OpenCL/vendors/pocl.icd'
        with open(pocl, encoding='utf-8') as file:
            self.driver = {'OCL_ICD_VENDORS': self.folder('pocl', 'pocl.icd', file.read())}
        self.words['{json}'] = self.folder('json', 'stray.json', '[]')
        self.words[EMPTY] = self.folder('empty')
        self.words[MISSING] = self.folder('missing', 'pocl.icd', 'libno-such-driver.so\n')
        self.words[NO_DRIVER] = self.folder('no-driver', 'a.icd', 'libm.so.6\n')
        self.words[CRASH] = self.folder('crash', 'crash.icd', os.path.join(gegl.build, 'tests', 'doctor', 'libcrash-icd.so') + '\n')
        self.words[STUB] = self.folder('stub', 'stub.icd', self.stub + '\n')

    def folder(self, name, file=None, text=''):
        path = os.path.join(self.work, name)
        os.makedirs(path)
        if file:
            with open(os.path.join(path, file), 'w', encoding='utf-8') as out:
                out.write(text)
        return path

    def run(self, name, env, *options, words=(), timeout=120):
        env = {**self.driver, **env}
        for word, path in self.words.items():
            env = {key: value.replace(word, path) for key, value in env.items()}
        out = os.path.join(self.work, re.sub(r'\W+', '-', name) + '.json')
        done = self.gegl.command([*words, self.exe, '--quick', '--json', out, *options], timeout=timeout, **self.home, **env)
        try:
            with open(out, encoding='utf-8') as file:
                found = json.load(file)
        except (OSError, ValueError) as error:
            found = {'exit': None, 'problems': [], 'error': str(error)}
        return done, found


def check(report, name, done, found, code, problems, lines):
    # Line ends are where the width put them.
    text, flat = done.stdout, re.sub(r'\s+', ' ', done.stdout)
    codes = {problem['code'] for problem in found['problems']}
    wanted = dict(problems)
    report.check(f'{name}: exit code {code}', done.returncode == code and found['exit'] == code,
                 f'{done.returncode}, JSON {found["exit"]} {found.get("error", "")} {done.stderr.strip()}' if done.returncode != code or found['exit'] != code else '')
    for key, line in wanted.items():
        if key.startswith('?'):
            continue
        told = [p for p in found['problems'] if re.fullmatch(key, p['code']) and re.search(line, p['problem']) and p['remedy']]
        report.check(f'{name}: {key}, with its line and remedy', told and re.search(r'\d\. ' + re.escape(told[0]['problem']), flat), '' if told else str(found['problems']))
    stray = [c for c in codes if not any(re.fullmatch(key.lstrip('?'), c) for key in wanted)]
    report.check(f'{name}: no other problem', not stray, str([p for p in found['problems'] if p['code'] in stray] or ''))
    for line in lines:
        good = re.search(line, text) or re.search(line, flat)
        report.check(f'{name}: says {line}', good, '' if good else text)


def check_all(machine, report):
    cases = {}
    if os.path.exists(os.path.join(TOP, 'tests', 'driver', 'meson.build')):
        report.check('the stub driver is built', os.path.exists(machine.stub), machine.stub)
    if os.path.exists(machine.stub):
        for name, (plan, code, problems, lines) in LIARS.items():
            env = {'GEGL_USE_OPENCL': 'cpu', 'OCL_ICD_VENDORS': STUB, 'STUB_ICD_PLAN': plan}
            cases[name] = (env, code, problems, lines, ['--timeout', '12'] if 'hangs' in name else [])
    for name, (env, code, problems, lines) in MACHINES.items():
        cases[name] = (env, code, problems, lines, [])
    for name, case in cases.items():
        case[4].extend([] if name in TIMED else ['--budget', '1'])
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        runs = {name: pool.submit(machine.run, name, case[0], *case[4]) for name, case in cases.items()}
        for name, case in cases.items():
            done, found = runs[name].result()
            check(report, name, done, found, case[1], case[2], case[3])


def check_busy(machine, report):
    """Each of the others has a session, because Linux may share the processor among those."""
    processor = str(min(os.sched_getaffinity(0)))
    others = [subprocess.Popen(['taskset', '-c', processor, sys.executable, '-c', 'while True: pass'], start_new_session=True)
              for _ in range(OTHERS)]
    try:
        for name, (env, code, problems, lines, options) in BUSY.items():
            if env.get('OCL_ICD_VENDORS') == STUB and not os.path.exists(machine.stub):
                continue
            began = time.monotonic()
            done, found = machine.run(name, env, *options, words=('taskset', '-c', processor), timeout=600)
            check(report, name, done, found, code, problems, lines)
            print(f'     {name}: {time.monotonic() - began:.0f} s', flush=True)
    finally:
        for other in others:
            other.kill()
            other.wait()


def check_options(machine, report):
    done = machine.gegl.command([machine.exe, '--help'])
    report.check('--help: exit 0 and the options', done.returncode == 0 and '--json' in done.stdout and '--device-part' not in done.stdout)
    done = machine.gegl.command([machine.exe, '--no-such-option'])
    report.check('an option that does not exist: exit 2 and one line', done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr)


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    missing = gegl.missing()
    if report.check('the operations exist', not missing, ', '.join(missing)):
        with tempfile.TemporaryDirectory(prefix='tessera-doctor-test-') as work:
            machine = Machine(gegl, work)
            if '--busy' in sys.argv:
                check_busy(machine, report)
            else:
                check_all(machine, report)
                check_options(machine, report)
            left = [name for name in os.listdir(machine.tmp) if name.startswith('tessera-doctor-')]
            report.check('nothing is left behind', not left, ', '.join(left))
    report.finish()


main()
