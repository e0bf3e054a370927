#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-tests.py [PART...]: builds, runs the parts (all but those on demand), sums up.  The last line is
`N passed, N failed`; the exit code is 1 if anything failed or nothing ran."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = re.compile(r'^(\d+) passed, (\d+) failed$', re.MULTILINE)
SANITIZED = ['-Db_sanitize=address,undefined', '-Db_lundef=false', '-Dbuildtype=debugoptimized', '-Dc_args=-DTESSERA_NO_CLONES']
JOBS = str(min(os.cpu_count() or 1, 4))

# part: tests of the main build
PARTS = {
    'check': ['check', 'laws', 'edges', 'against-gegl', 'against-babl', 'gaussian-kernel', 'kernel-text', 'check-local-bilateral-grid', 'check-local-convolution', 'small-groups', 'linear-buffers'],
    'self-test': ['self-test'],
    'faults': ['faults'],
    'engine': ['speed', 'accounting', 'progress', 'tiles', 'tiles-swapped', 'soak-smoke', 'limits', 'limits-wide'],
    'driver': ['driver-faults', 'driver-threads'],
    'graphs': ['graphs'],
    'cli': ['cli'],
    'doctor': ['doctor'],
    'doc': ['pages'],
    'formats': ['formats'],
    'install': ['install', 'packaging', 'po'],
    'bench': ['bench-smoke', 'case-study'],
    'memory': ['valgrind'],     # and the sanitizers' build
    'warnings': [],             # gcc and clang with -Werror
    'gimp-smoke': [],           # in the GIMP of this system
    'gimp-3-smoke': [],         # in that of Debian 13, where a chroot can be made
}
ON_DEMAND = ('long', 'gimp', 'gimp-gui', 'gimp-long', 'package')

results = []                    # (name, passed, failed, seconds)


def record(name, passed, failed, seconds):
    results.append((name, passed, failed, seconds))
    print(f'{"ok  " if failed == 0 and passed else "FAIL"} {name}: {passed} passed, {failed} failed, {seconds:.0f} s', flush=True)


def run(words, **env):
    done = subprocess.run(words, cwd=TOP, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode, done.stdout


def build(folder, options=(), **env):
    """Configures once and builds; returns the output of what failed, or None."""
    if not os.path.exists(os.path.join(TOP, folder, 'build.ninja')):
        code, output = run(['meson', 'setup', folder, '.', *options], **env)
        if code:
            return output
    code, output = run(['ninja', '-C', folder])
    return output if code else None


def count(name, code, output, seconds):
    """The test's own count; its exit code has the last word."""
    found = COUNT.findall(output)
    passed, failed = (int(n) for n in found[-1]) if found else (int(code == 0), 0)
    if code and not failed:
        failed = 1
    if failed or not passed:
        print(f'--- {name}')
        bad = [line for line in output.splitlines() if not line.startswith('ok ')]
        bad = list(dict.fromkeys(bad))          # a line that repeats is shown once
        print('\n'.join(bad if len(bad) <= 160 else bad[:120] + [f'... {len(bad) - 160} lines left out ...'] + bad[-40:]))
        print(f'--- end of {name}, exit {code}', flush=True)
    record(name, passed, failed, seconds)


def meson_tests(folder, names):
    log = os.path.join(TOP, folder, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.remove(log)
    _, output = run(['meson', 'test', '-C', folder, '--no-rebuild', '--num-processes', JOBS, *names])
    seen = set()
    if os.path.exists(log):
        with open(log, encoding='utf-8') as file:
            for test in map(json.loads, file):
                name = test['name'].split(' / ')[-1]
                seen.add(name)
                code = test.get('returncode', 1) or (test['result'] not in ('OK', 'EXPECTEDFAIL'))
                count(name, int(code), test.get('stdout', '') + test.get('stderr', ''), test['duration'])
    for name in names:
        if name not in seen:
            print(output)
            record(f'{name} (did not run)', 0, 1, 0)


def build_part(name, folder, options=(), **env):
    began = time.monotonic()
    error = build(folder, options, **env)
    if error:
        print(error)
    record(f'build, {name}', int(not error), int(bool(error)), time.monotonic() - began)
    return not error


def warnings():
    for compiler in ('gcc', 'clang'):
        folder = f'build-werror-{compiler}'
        shutil.rmtree(os.path.join(TOP, folder), ignore_errors=True)      # a warning shows only where something is compiled
        build_part(f'{compiler} -Werror', folder, ['-Dwerror=true'], CC=compiler)


def program(name, words):
    began = time.monotonic()
    code, output = run(words)
    count(name, code, output, time.monotonic() - began)


def gimp_is_here():
    """GIMP 3, or 2.10 with what its plug-in is built with."""
    here = shutil.which('gimp-console-3.0') or (shutil.which('gimp-console-2.10') and not run(['pkg-config', '--exists', 'gimpui-2.0'])[0])
    if not here:
        print('gimp-smoke: left out, no GIMP is installed here (./run test gimp installs it)')
    return here


def chroot_works():
    """Is this root, who may mount?  Nobody else makes a chroot; and a system that has GIMP 3 needs none."""
    if shutil.which('gimp-console-3.0'):
        return False
    works = os.geteuid() == 0 and not run(['unshare', '-m', 'true'])[0]
    if not works:
        print('gimp-3-smoke: left out, a Debian 13 chroot needs root who may mount (tests/gimp/debian-13)')
    return works


def main():
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [part for part in wanted if part not in PARTS and part not in ON_DEMAND]
    if unknown:
        sys.exit(f'run: no such part: {", ".join(unknown)}; there are {", ".join([*PARTS, *ON_DEMAND])}')
    began = time.monotonic()
    if build_part('gcc or $CC', 'build'):
        if 'warnings' in wanted:
            warnings()
        if 'memory' in wanted and build_part('sanitizers', 'build-asan', SANITIZED, CC='gcc'):
            meson_tests('build-asan', ['check-sanitized'])
        names = [name for part in wanted for name in PARTS.get(part, [])]
        if names:
            meson_tests('build', names)
        if 'long' in wanted:
            program('long', ['build/tests/check/check', '--cases', '2000'])
            program('soak', ['build/tests/engine/soak', '--requests', '1000000'])
        for part, words in (('gimp-smoke', ['run-gimp.py', 'build', '--smoke']), ('gimp', ['run-gimp.py', 'build']),
                            ('gimp-gui', ['run-gui.py', 'build']), ('gimp-long', ['run-long.py', 'build'])):
            if part in wanted and (part != 'gimp-smoke' or gimp_is_here()):
                program(part, ['python3', '-B', f'tests/gimp/{words[0]}', *words[1:]])
        if 'gimp-3-smoke' in wanted and chroot_works():
            program('gimp-3-smoke', ['tests/gimp/debian-13', './run', 'test', 'gimp-smoke'])
        if 'package' in wanted:
            program('package', ['tests/package/run-package.py'])
    passed, failed = (sum(result[i] for result in results) for i in (1, 2))
    print(f'\n{len(results)} parts in {(time.monotonic() - began) / 60:.1f} minutes:')
    for name, good, bad, seconds in results:
        print(f'  {name:24} {good:6} passed {bad:4} failed {seconds:6.0f} s')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


main()
