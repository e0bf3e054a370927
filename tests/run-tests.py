#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-tests.py PART...: builds, runs the parts and tests of tests/parts and the filters that are named, sums up.  The last line is
`N passed, N failed`, with `, N skipped` for parts left out; the exit code is 1 if anything failed or nothing ran."""
import concurrent.futures
import functools
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import watched
from common import FILTERS, TWINS, cache_folder

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = re.compile(r'^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$', re.MULTILINE)
NINJA = re.compile(r'^\[\d+/\d+\] ')
# A build for one purpose has what it needs alone: the kernels were checked by the first.
SANITIZED = ['-Db_sanitize=address,undefined', '-Db_lundef=false', '-Ddebug=false', '-Doptimization=1', '-Dc_args=-DTESSERA_NO_CLONES -g1',
             '-Dtests=quick', '-Dkernel_check=false', '-Dgimp210=disabled']
SANITIZED_TESTS = {'memory': ['check-sanitized', 'faults-sanitized-motion-blur', 'faults-sanitized-label'],
                   'memory/more': ['check-sanitized-more'], 'memory/fuzz': ['fuzz-ser-sanitized', 'fuzz-fits-sanitized']}
RACES = ['-Db_sanitize=thread', '-Db_lundef=false', '-Dc_args=-DTESSERA_NO_CLONES']
JOBS = min((os.cpu_count() or 1) + 1, 4)         # one more than processors: some wait, some have one thread
KERNELS = os.path.join(TOP, 'build', 'pocl-cache')      # compiled once for all tests
SILENCE = 60                    # seconds after which a line says what runs
# What a part runs beside tests of meson.build.
PROGRAMS = {'gimp/smoke': ['python3', '-B', 'tests/gimp/run-gimp.py', 'build', '--smoke'],
            'gimp/smoke-3': ['tests/gimp/in-debian', 'trixie', './run', 'test', 'gimp/smoke'],
            'gimp': ['python3', '-B', 'tests/gimp/run-gimp.py', 'build'],
            'gimp/gui': ['python3', '-B', 'tests/gimp/run-gui.py', 'build'],
            'gimp/long': ['python3', '-B', 'tests/gimp/run-long.py', 'build'],
            'check/long': ['build/tests/check/check', '--cases', '2000'],
            'align/judge': ['python3', '-B', 'tests/align/judge.py', 'build', '--cases', '0-139', '--unrelated', '0-69'],
            'engine/soak': ['build/tests/engine/soak', '--requests', '1000000'],
            'driver/types': ['python3', '-B', 'tests/driver/run-driver.py', 'build', 'types', '--all'],
            'driver/tsan': ['python3', '-B', 'tests/driver/run-driver.py', 'build-tsan', 'threads'],
            'races': ['python3', '-B', 'tests/races/run-oclgrind.py', 'build'],
            'doc/recipe': ['python3', '-B', 'tests/doc/run-recipe.py'],
            'package/debian': ['tests/package/run-package.py']}
# All that these need of `build`, which GIMP does not run.  The product is what ./run install makes.
OF_GIMP = 'tests/gimp/list-operations'
WRONG = 'tests/check/tessera-wrong.so'          # which the harness's own test asks for
HARNESS = 'tests/check/check'
LEVELS = ('x86-64', 'x86-64-v3', 'x86-64-v4') if os.uname().machine == 'x86_64' else ()


def read_parts():
    """{part: its tests}."""
    with open(os.path.join(TOP, 'tests', 'parts'), encoding='utf-8') as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith('#')]
    return {row[0]: row[3:] for row in rows}


def known_tests(parts):
    return {test for tests in parts.values() for test in tests}


class Results:
    """What ended so far, of how many; a line for each as it ends."""

    def __init__(self):
        self.ended, self.left_out, self.total, self.began, self.spoke = [], [], 0, time.monotonic(), time.monotonic()

    def say(self, text):
        print(text, flush=True)
        self.spoke = time.monotonic()

    def record(self, name, passed, failed, seconds, why='', computed=None, processors=None):
        self.ended.append((name, passed, failed, seconds, why, computed, processors))
        self.say(f'[{len(self.ended)}/{max(self.total, len(self.ended))}] {"ok  " if failed == 0 and passed else "FAIL"} {name}: '
                 f'{passed} passed, {failed} failed, {seconds:.0f} s' + (f' ({why})' if why else ''))

    def leave_out(self, name, why):
        self.left_out.append((name, why))
        self.total -= 1
        self.say(f'skip {name}: left out, {why}')

    def finish(self):
        passed, failed = (sum(result[i] for result in self.ended) for i in (1, 2))
        print(f'\n{len(self.ended)} parts in {(time.monotonic() - self.began) / 60:.1f} minutes, {processor_time() / 60:.1f} of processor time:')
        for name, good, bad, seconds, why, computed, processors in self.ended:
            print(f'  {name:26} {good:6} passed {bad:4} failed {seconds:6.0f} s'
                  + (f', computing for {computed:.0f} s' if computed else '')
                  + (f', {processors:.0f} s of processor time' if processors else '') + (f'; {why}' if why else ''))
        for name, why in self.left_out:
            print(f'  {name:26} left out: {why}')
        print(f'{passed} passed, {failed} failed' + (f', {len(self.left_out)} skipped' if self.left_out else ''), flush=True)
        return 1 if failed or not passed else 0


results = Results()


def processor_time():
    """Of all that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words, folder='', **env):
    done = subprocess.run(words, cwd=os.path.join(TOP, folder), env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode, done.stdout


def log_of(folder, name):
    os.makedirs(os.path.join(TOP, folder, 'test-logs'), exist_ok=True)
    return os.path.join(TOP, folder, 'test-logs', f'{name.replace("/", "-")}.txt')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def library_folder():
    """GEGL's, below its prefix: without dpkg-dev meson takes lib64 on Debian too."""
    prefix, libdir = (run(['pkg-config', f'--variable={name}', 'gegl-0.4'])[1].strip() for name in ('prefix', 'libdir'))
    return [f'--libdir={os.path.relpath(libdir, prefix)}'] if libdir.startswith(prefix + '/') else []


def configure(folder, options, **env):
    """Once; and anew where packages came since, or where libraries would go elsewhere.  Returns the output of a failure, or None."""
    libdir = library_folder()
    options = [*libdir, *options]
    if os.path.exists(os.path.join(TOP, folder, 'build.ninja')):
        _, known = run(['meson', 'introspect', '--buildoptions', folder])
        if not os.environ.get('TESSERA_RECONFIGURE') and all(f'"{option.partition("=")[2]}"' in known for option in libdir):
            return None
        options = ['--reconfigure', *options]
    code, output = run(['meson', 'setup', *options, folder, '.'], **env)
    return output if code else None


def ninja(folder, *targets):
    """Builds all, or those; says now and then how far it is.  Returns what it printed where it failed, else None."""
    log = log_of(folder, 'ninja')
    with open(log, 'wb') as file:
        process = subprocess.Popen(['ninja', '-C', folder, *targets], cwd=TOP, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        while True:
            try:
                code = process.wait(SILENCE / 4)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() - results.spoke > SILENCE:
                    results.say(f'      building in {folder}: ' + (re.findall(r'\d+/\d+', read(log)) or ['...'])[-1])
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                raise
    return read(log) if code else None


def build(name, folder, options=(), targets=(), **env):
    began, used = time.monotonic(), processor_time()
    results.say(f'building in {folder} ({name})')
    error = configure(folder, options, **env)
    error = ninja(folder, *targets) if error is None else error
    if error:
        print('\n'.join(line for line in error.splitlines() if not NINJA.match(line)))
    results.record(f'build, {name}', int(not error), int(bool(error)), time.monotonic() - began, processors=processor_time() - used)
    return not error


def count(name, done, log, detail=''):
    """The test's own count; its exit code has the last word.  77: what it needs is not built, as it says itself."""
    if done.code == 77:
        results.leave_out(name, (done.output.splitlines() or ['it says not why'])[-1].removeprefix('left out: '))
        return
    found = COUNT.findall(done.output)
    passed, failed = (int(n) for n in found[-1]) if found else (int(done.code == 0), 0)
    if (done.code or done.why) and not failed:
        failed = 1
    if failed or not passed:
        bad = [line for line in done.output.splitlines() if not line.startswith('ok ')]
        bad = list(dict.fromkeys(bad))          # a line that repeats is shown once
        first, last = (0, 12) if done.why else (60, 30)
        shown = bad if len(bad) <= first + last else [*bad[:first], f'... {len(bad) - first - last} lines left out ...', *bad[-last:]]
        results.say('\n'.join([f'--- {name}, from {os.path.relpath(log, TOP)}', *shown,
                               f'--- end of {name}, {done.why or f"exit {done.code}"}{detail}']))
    results.record(name, passed, failed, done.seconds, done.why, done.computed, done.processors)


def one_test(folder, test):
    # As `meson test` does: memory that was not set, or is used after free, is not 0.
    perturb = os.environ.get('MALLOC_PERTURB_') or str(random.randint(1, 255))
    log = log_of(folder, test['name'])
    with cache_folder() as cache:
        done = watched.run(test['cmd'], log, os.path.join(TOP, folder), test['timeout'], max(test['timeout'], 300),
                           **{'MALLOC_PERTURB_': perturb, 'POCL_CACHE_DIR': KERNELS, 'XDG_CACHE_HOME': cache, **test['env']})
    return done, log, f', MALLOC_PERTURB_={perturb}'


def tests_of(folder, names):
    """Those of a build, as meson.build describes them: (priority, name, job).  What has none is as urgent as it is long."""
    _, text = run(['meson', 'introspect', '--tests', folder])
    tests = {test['name']: test for test in json.loads(text)}
    for name in names:
        if name not in tests:
            results.record(f'{name} (meson.build has no such test)', 0, 1, 0)
    return [(tests[name]['priority'] or -1 / tests[name]['timeout'], name, functools.partial(one_test, folder, tests[name]))
            for name in names if name in tests]


def run_together(jobs, workers=JOBS):
    """jobs: (name, function that returns what `count` is told)."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(function): name for name, function in jobs}
        try:
            while running:
                ended, _ = concurrent.futures.wait(running, SILENCE / 4, concurrent.futures.FIRST_COMPLETED)
                for future in ended:
                    count(running.pop(future), *future.result())
                if time.monotonic() - results.spoke > SILENCE:
                    results.say(f'      running: {", ".join(name for future, name in running.items() if future.running())}')
        except KeyboardInterrupt:
            watched.stopping.set()
            pool.shutdown(cancel_futures=True)
            raise


def warnings(fresh, tests):
    """A warning shows only where something is compiled.  What gcc said of a `build` that is `fresh` need not be asked again; clang says the
    same without optimisation."""
    if fresh and 'Free Software Foundation' in run([*shlex.split(os.environ.get('CC', 'cc')), '--version'])[1]:
        said = [line for line in read(log_of('build', 'ninja')).splitlines() if 'warning:' in line]
        results.say('\n'.join(said))
        results.record('gcc: no warning', int(not said), len(said), 0)
    else:
        build('gcc -Werror', emptied('build-werror-gcc'), ['-Dwerror=true', '-Dkernel_check=false'], CC='gcc')
    clang(tests)


def emptied(folder):
    shutil.rmtree(os.path.join(TOP, folder), ignore_errors=True)
    return folder


def flags(command):
    """What a compiler is told there but for where a file and what is made of it lie; none of it is gcc's alone."""
    words = iter(shlex.split(command[command.index(' -I'):]))
    return tuple(word for word in words if not (word in ('-MQ', '-MF', '-o', '-c') and next(words)) and word != '-MD' and not word.endswith('.p'))


def read_by_clang(words, files):
    """Returns what it says, or ''.  It starts more slowly than it reads most files, so one process reads all that have the same flags: the
    driver, which starts one for each, is asked (-###) what it would have called.  That process mixes up what pragmas of GLib's headers say of
    deprecated things in one file and in the next: gcc says what is deprecated."""
    command = ['clang', *words, '-Werror', '-Wno-deprecated-declarations', '-fsyntax-only']
    if len(files) > 1:
        command = [word for word in shlex.split(run([*command, '-###', files[0]], 'build')[1].splitlines()[-1]) if word != files[0]]
    code, output = run([*command, *files], 'build')
    return (output or f'{" ".join(files)}: clang ended with {code}\n') if code else ''


def clang(tests):
    """It warns of what it reads: no code is generated, and nothing is linked.  The sources of tests are half of all.  `build` has been made,
    with every header."""
    began, used, groups = time.monotonic(), processor_time(), {}
    results.say(f'clang reads {"all sources" if tests else "all sources but those of tests"}')
    for file in json.loads(read(os.path.join(TOP, 'build', 'compile_commands.json'))):
        if file['file'].endswith('.c') and (tests or not file['file'].startswith('../tests/')):
            groups.setdefault(flags(file['command']), []).append(file['file'])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        error = ''.join(pool.map(lambda group: read_by_clang(*group), sorted(groups.items(), key=lambda group: -len(group[1]))))
    if error:
        print(error)
    results.record('clang -Werror', int(bool(groups) and not error), int(not groups or bool(error)), time.monotonic() - began, processors=processor_time() - used)


def job(name, words):
    log = log_of('build', name)
    return name, lambda: (watched.run(words, log, TOP), log)


def program(name, words):
    run_together([job(name, words)], 1)


def has_gimp_3():
    return any(shutil.which(f'gimp-console-3.{minor}') for minor in (0, 2))


def why_no_gimp():
    """GIMP 3, or 2.10 with what its plug-in is built with."""
    if has_gimp_3() or (shutil.which('gimp-console-2.10') and not run(['pkg-config', '--exists', 'gimpui-2.0'])[0]):
        return ''
    return 'no GIMP is installed here (./run test gimp installs it)'


def why_no_chroot():
    """Only root, who may mount, makes a chroot; and a system that has GIMP 3 needs none."""
    if has_gimp_3():
        return 'GIMP 3 is here: gimp/smoke is the same'
    if os.geteuid() != 0:
        return 'a Debian 13 chroot needs root (tests/gimp/in-debian trixie)'
    if not run(['unshare', '-m', 'true'])[0]:
        return ''
    if not run(['unshare', '-m', '--propagation', 'unchanged', 'true'])[0]:
        return 'this system is itself a chroot: mounts for one inside it would be seen outside'
    return 'root may not mount here (a container), which a Debian 13 chroot needs'


def smokes(wanted):
    """The jobs of those; or says why not: GIMP, or a chroot, is not to be had everywhere."""
    jobs = []
    for part, why_not in (('gimp/smoke', why_no_gimp), ('gimp/smoke-3', why_no_chroot)):
        if part in wanted and (why := why_not()):
            results.leave_out(part, why)
        elif part in wanted:
            jobs.append(job(part, PROGRAMS[part]))
    return jobs


def run_program(part):
    """Alone: it takes all processors, or looks at times."""
    if part != 'driver/tsan' or build('ThreadSanitizer', 'build-tsan', RACES):
        program(part, PROGRAMS[part])


def with_harness(filters):
    """Targets of a build.  A twin is tested beside the filter whose sources it has."""
    return [HARNESS, *(f'operations/tessera-{name}.so' for name in sorted({*filters, *(TWINS[name] for name in filters if name in TWINS)}))]


def levels():
    """C's hashes with each level of x86-64 that this processor has, in place of the clones for several."""
    loader = '/lib64/ld-linux-x86-64.so.2'
    had = run([loader, '--help'])[1] if os.path.exists(loader) else ''
    for level in LEVELS:
        if level != 'x86-64' and f'{level} (supported' not in had:
            results.leave_out(f'hashes, {level}', 'this processor does not have it')
        elif build(f'-march={level}', f'build-{level}', ['-Dtests=quick', '-Dkernel_check=false', '-Dgimp210=disabled',
                                                         f'-Dc_args=-DTESSERA_NO_CLONES -march={level}'], with_harness(FILTERS)):
            program(f'hashes, {level}', [f'build-{level}/tests/check/check', '--hashes', 'tests/check/hashes.txt', '--legs', 'c'])


def filter_jobs(name):
    """The harness for that filter alone."""
    check = ['build/tests/check/check', '--filter', name]
    return [job(name, [*check, '--seconds', '8', '--cases', '400']),
            job(f'{name}-hashes', [*check, '--hashes', 'tests/check/hashes.txt'])]


def needed(wanted):
    """Targets of `build`; none: all of it."""
    if all(word.startswith('gimp') for word in wanted):
        return [OF_GIMP]
    return with_harness(wanted) if all(word in FILTERS for word in wanted) else []


def run_parts(wanted, parts):
    names = list(dict.fromkeys(name for word in wanted for name in parts.get(word, [word] if word in known_tests(parts) else [])))
    of_filters = [of_filter for name in wanted if name in FILTERS for of_filter in filter_jobs(name)]
    programs = [part for part in parts if part in wanted and part in PROGRAMS and not part.startswith('gimp/smoke')]
    sanitized = [test for part in SANITIZED_TESTS if part in wanted for test in SANITIZED_TESTS[part]]
    results.total = 1 + len(names) + len(of_filters) + len(programs) + ('gimp/smoke' in wanted) + ('gimp/smoke-3' in wanted) + ('driver/tsan' in wanted) + 2 * bool({'warnings', 'warnings/tests'} & set(wanted)) \
        + len(sanitized) + (len(sanitized) > 0) + 2 * len(LEVELS) * ('check/levels' in wanted)
    fresh = not os.path.exists(os.path.join(TOP, 'build', 'build.ninja'))
    if not build('gcc or $CC', 'build', targets=needed(wanted)):
        return
    if {'warnings', 'warnings/tests'} & set(wanted):
        warnings(fresh, 'warnings/tests' in wanted)
    tests = tests_of('build', names)
    if sanitized and build('sanitizers', 'build-asan', SANITIZED, [] if 'memory/fuzz' in wanted else [*with_harness(FILTERS), WRONG], CC='gcc'):
        tests += tests_of('build-asan', sanitized)
    tests.sort(key=lambda test: -test[0])
    before, after = ([(name, job) for priority, name, job in tests if (priority > 0) == early] for early in (True, False))
    run_together(before + smokes(wanted) + after + of_filters)
    for part in programs:
        run_program(part)
    if 'check/levels' in wanted:
        levels()


def on_terminate(*_):
    """Whoever ends this ends the tests, which are in sessions of their own."""
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, on_terminate)
    # babl would read what other programs converted, then fill and time 340 MB in each process: 0.9 s of 1.2 where a gegl saves one picture.
    os.environ.setdefault('BABL_INHIBIT_CACHE', '1')
    parts = read_parts()
    wanted = list(dict.fromkeys(sys.argv[1:]))
    unknown = [word for word in wanted if word not in parts and word not in FILTERS and word not in known_tests(parts)]
    if unknown:
        sys.exit(f'run: no such part: {", ".join(unknown)}; there are {", ".join(parts)}')
    try:
        run_parts(wanted, parts)
    except KeyboardInterrupt:
        print('interrupted')
        results.finish()
        sys.exit(130)
    sys.exit(results.finish())


main()
