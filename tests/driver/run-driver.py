#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-driver.py BUILD faults|starts|types|threads|soak|holds|short|first|kept|straight [ARGUMENT...]: runs driver-faults, its walk of all operations, its starts and types
(`types --all`: all of it), driver-threads, driver-soak, driver-holds, driver-short, driver-first or driver-straight with the stub driver (libstub-icd) in the place of every
other.  STUB_ICD_DRIVER: the driver behind it, else PoCL.  Plans are in stub-icd.h:

  run-driver.py build faults FILTER "fail EnqueueWriteBuffer:2:CL_OUT_OF_RESOURCES"

Races in the engine: run-driver.py build-tsan threads, after

  meson setup build-tsan -Db_sanitize=thread -Db_lundef=false -Dc_args=-DTESSERA_NO_CLONES && ninja -C build-tsan"""
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import watched
from common import Gegl, Report, babl_forgets

MOST_STARTS = 40


def find_driver():
    """What the system's own list says of PoCL; None: the stub knows the usual name."""
    for path in glob.glob('/etc/OpenCL/vendors/*.icd'):
        with open(path, encoding='utf-8') as file:
            library = file.readline().strip()
        if 'pocl' in library:
            return library
    return None


class Driver:
    def __init__(self, build, folder):
        self.gegl = Gegl(build)
        self.tests = os.path.join(self.gegl.build, 'tests', 'driver')
        self.folder = folder
        self.recovered = 0      # devices that did not answer, and did a minute later
        stub = os.path.join(self.tests, 'libstub-icd.so')
        with open(os.path.join(folder, 'stub.icd'), 'w', encoding='utf-8') as file:
            file.write(stub + '\n')
        self.gegl.env.update(OCL_ICD_VENDORS=folder, STUB_ICD_LIBRARY=stub, GEGL_SWAP='RAM',
                             GEGL_USE_OPENCL='cpu', TESSERA_OPENCL='try', TESSERA_KEEP_KERNELS='no')
        driver = os.environ.get('STUB_ICD_DRIVER') or find_driver()
        if driver:
            self.gegl.env['STUB_ICD_DRIVER'] = driver
        # For a build with -Db_sanitize=thread: its reports must not go where the tests look for lines.
        supp = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tsan.supp')
        self.races = os.path.join(folder, 'races')
        self.gegl.env['TSAN_OPTIONS'] = (f'ignore_noninstrumented_modules=1 history_size=5 exitcode=0 '
                                         f'suppressions={supp} log_path={self.races}')

    def start(self, name, *arguments, plan=''):
        return subprocess.Popen([os.path.join(self.tests, name), *arguments], cwd=self.folder,
                                env={**self.gegl.env, 'STUB_ICD_PLAN': plan}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace')


def collect(report, name, process, timeout):
    """The process's own verdicts into the report; returns (stdout, stderr)."""
    out, err, why = watched.communicate(process, timeout)
    err += why
    lines = out.splitlines()
    counts = lines[-1].split() if lines else []
    if len(counts) == 4 and counts[1] == 'passed,' and counts[3] == 'failed':
        report.passed += int(counts[0])
        report.failed += int(counts[2])
        lines.pop()
        counted = process.returncode == 0 or int(counts[2]) > 0
    else:
        counted = False
    for line in lines:
        if not line.startswith('met: '):
            print(f'{name}: {line}' if line.startswith('FAIL') else line)
    if not counted:
        report.check(name, False, f'exit {process.returncode}\n{err[-3000:]}')
    sys.stdout.flush()
    return out, err


def warnings_in(err):
    """GLib's; GEGL itself warns while it opens a device that fails."""
    return [line for line in err.splitlines() if ('-WARNING **' in line or '-CRITICAL **' in line)
            and '/gegl/opencl/gegl-cl' not in line and 'OpenCL option is enabled but init' not in line]


def start(report, driver, plan, where, *filters):
    """A plan that holds from the beginning.  Returns whether it was met."""
    out, err = collect(report, plan, driver.start('driver-faults', '--start', where, *filters, plan=plan), 120)
    warnings = warnings_in(err)
    said = [line for line in err.splitlines() if line.startswith('tessera:')]
    report.check(f'{plan}: no warnings', not warnings, '\n'.join(warnings))
    once = len(set(said)) == len(said)
    report.check(f'{plan}: each line once', once, '' if once else '\n'.join(said))
    if plan.startswith('fail ') and any('device does not answer' in line for line in said):
        driver.recovered += report.check(f'{plan}: a minute later the device is asked again', 'met: a minute later a device' in out)
    return 'met: yes' in out


def faults(report, driver, arguments):
    walk = driver.start('driver-faults', *arguments)        # beside the starts: there are two processors
    if not arguments:
        for plan, where in (('lie:memory', 'device'), ('lie:round', 'c'), ('lie:nothing', 'any'), ('lie:version', 'c'), ('lie:build', 'c'),
                            ('fail CreateContext:1:CL_OUT_OF_HOST_MEMORY', 'c'),
                            ('from GetDeviceInfo:1:CL_DEVICE_NOT_AVAILABLE', 'any'), ('lost:1', 'any')):
            report.check(f'{plan}: met', start(report, driver, plan, where))
    collect(report, 'driver-faults', walk, 600)


def starts(report, driver, _):
    """Each call of GEGL's and the engine's start fails in turn."""
    for entry in ('GetDeviceIDs', 'GetPlatformInfo', 'GetDeviceInfo'):
        for n in range(1, MOST_STARTS):
            if not start(report, driver, f'fail {entry}:{n}:CL_DEVICE_NOT_AVAILABLE', 'any', 'motion-blur'):
                break
    report.check('the engine, too, met a device that does not answer', driver.recovered > 0)


def types(report, driver, arguments):
    every = '--all' in arguments
    walk = driver.start('driver-faults', *(arguments if every else ['--types', *arguments]))
    collect(report, 'driver-types', walk, 4 * 3600 if every else 600)
    if not arguments:
        collect(report, 'kernels', driver.start('driver-faults', '--kernels'), 600)
        for kernel in ('shift_soften_tiles', 'shift_mark'):   # what a wrong kernel has kept is not believed
            program = driver.start('../temporal/sequence-device', '--checked', plan=f'skip {kernel}')
            out, err, _ = watched.communicate(program, 120)
            report.check(f'frames that stay, without {kernel}', program.returncode == 0 and 'computes other pixels' in err, out + err)
        # A graphics card runs other kernels, which give the same.
        for plan, right in (('lie:gpu', True), ('lie:gpu;skip grid_splat_plane', False)):
            program = driver.start('../check/check', '--filter', 'bilateral-grid', '--parity', '--cases', '30', '--seed', '1', plan=plan)
            out, err, _ = watched.communicate(program, 120)
            report.check(f'bilateral-grid, {plan}', (program.returncode == 0) == right, out + err)
        # Without double precision SIFT stays in C and says why; others go on.
        for name, right in (('sift', False), ('harris-corners', True)):
            program = driver.start('../check/check', '--filter', name, '--parity', '--cases', '3', '--seed', '1', plan='lie:single')
            out, err, _ = watched.communicate(program, 120)
            report.check(f'{name}, lie:single', (program.returncode == 0) == right and ('computes in double precision, which' in err) != right
                         and 'does not build' not in err, out + err)
        # Later requests need this kernel, the first one does not.
        out, err, _ = watched.communicate(driver.start('../temporal/sequence-speed', '--size', '150x130', '--history', '5', '--batch', '4',
                                                       '--frames', '8', '--check', '1', plan='skip shift_medians'), 120)
        report.check('a kernel that a later request needs', 'estimate-shift' in err and 'computes other pixels' in err, out + err)
        for kernel in ('match_norms', 'match_tiles', 'match_answer'):
            out, err, _ = watched.communicate(driver.start('../match/point-answers', 'matches', '--checked', plan=f'skip {kernel}'), 120)
            report.check(f'matches, without {kernel}', 'after the check' not in out + err and 'computes other pixels' in err, out + err)


def soak(report, driver, arguments):
    collect(report, 'driver-soak', driver.start('driver-soak', *(arguments or ['--requests', '300', '--period', '50'])), 24 * 3600)


def holds(report, driver, arguments):
    collect(report, 'driver-holds', driver.start('driver-holds', *arguments), 600)


def short(report, driver, arguments):
    for what in arguments or ('threads', 'child', 'plans'):
        collect(report, f'driver-short {what}', driver.start('driver-short', what), 120)
    if not arguments:
        one_piece(report, driver)


def one_piece(report, driver):
    """A device's largest piece of memory may be used, to its last byte, and no more."""
    def largest(plan=''):
        out, _ = collect(report, f'driver-short piece {plan}', driver.start('driver-short', 'piece', plan=plan), 120)
        found = re.search(r'^largest: (\d+)\nin: OpenCL$', out, re.MULTILINE)
        return int(found[1]) if found else 0

    wanted = largest()
    report.check('the picture has a piece of memory of the size of its pixels', wanted >= 500 * 300 * 4, str(wanted))
    for piece in (wanted, wanted - 1):
        made = largest(f'piece:{piece}')
        report.check(f'of {piece} bytes that a piece may have, where {wanted} are wanted, all are used or fewer',
                     made == wanted if piece == wanted else 0 < made < wanted, str(made))


def first(report, driver, arguments):
    for what in arguments or ('waits', 'exit', 'gegl-exit', 'child'):
        driver.gegl.env['TESSERA_OPENCL'] = 'auto'
        collect(report, f'driver-first {what}', driver.start('driver-first', what, plan='lie:gpu'), 120)
    driver.gegl.env.update(TESSERA_OPENCL='own', GEGL_USE_OPENCL='no')
    failing = [(f'lie:gpu;fail {entry}:1:CL_OUT_OF_RESOURCES', text) for entry, text in
               (('GetDeviceIDs', 'finds no graphics card'), ('CreateContext', 'cannot be opened (CL_OUT_OF_RESOURCES)'))]
    for what, plan, text in (('own', 'lie:gpu;delay CreateContext:300', ''), ('own-alone', 'lie:gpu', ''), ('own-absent', '', 'finds no graphics card'),
                             *(('own-absent', *failure) for failure in failing)):
        _, err = collect(report, f'driver-first {what}, {plan}', driver.start('driver-first', what, plan=plan), 120)
        said = [line for line in err.splitlines() if 'TESSERA_OPENCL=own' in line]
        report.check(f'driver-first {what}, {plan}: says {text or "nothing"}', len(said) == bool(text) and all(text in line for line in said), err)
    driver.gegl.env.update(GEGL_USE_OPENCL='cpu')
    for mode, plan, wanted in (('force', 'lie:gpu', 1), ('try', 'lie:gpu', 0), ('force', '', 0)):
        out = os.path.join(driver.folder, mode + '.png')
        code, lines = driver.gegl.run(['-o', out, '--', 'gegl:checkerboard', 'gegl:crop', 'width=64', 'height=64', 'tessera:sobel', 'tessera:mean-blur'],
                                      TESSERA_OPENCL=mode, STUB_ICD_PLAN=plan)
        report.check(f'{mode}, {plan or "a processor"}: says so once, or not at all', code == 0 and os.path.exists(out) and len([line for line in lines if 'force waits' in line]) == wanted,
                     '\n'.join(lines))


SLOW = 1000                     # ms, of driver-first.c
HEAD = len('tessera kernels 1\n') + 2 * 65


class Kept:
    """The folder in which programs are kept, and processes that use it with a slow compiler."""

    def __init__(self, report, driver):
        self.report, self.driver = report, driver
        self.cache = os.path.join(driver.folder, 'kept')
        self.folder = os.path.join(self.cache, 'tessera')
        os.mkdir(self.cache)
        babl_forgets(self.cache)
        driver.gegl.env.update(TESSERA_OPENCL='auto', TESSERA_KEEP_KERNELS='yes')

    def start(self, compiled, *more, cache=None):
        self.driver.gegl.env['XDG_CACHE_HOME'] = cache or self.cache
        return self.driver.start('driver-first', 'kept', str(compiled), *more, plan=f'lie:gpu;lie:kept;delay CreateProgramWithSource:{SLOW}')

    def expect(self, what, compiled, *more, cache=None):
        """So many programs are compiled; what is said."""
        return collect(self.report, f'driver-first kept, {what}', self.start(compiled, *more, cache=cache), 120)

    def paths(self):
        return sorted(glob.glob(os.path.join(self.folder, '*.kernels')))

    def change(self, how):
        """Each file's bytes, changed by `how`."""
        for path in self.paths():
            with open(path, 'rb') as file:
                data = file.read()
            with open(path, 'wb') as file:
                file.write(how(data))

    def sound(self, folder=None):
        """Files whose heads agree with their names and with what they hold."""
        found = 0
        for path in glob.glob(os.path.join(folder or self.folder, '*.kernels')):
            with open(path, 'rb') as file:
                data = file.read()
            found += data[:HEAD] == head_of(os.path.basename(path).split('.')[0], data[HEAD:])
        return found


def head_of(key, data):
    return f'tessera kernels 1\n{key}\n{hashlib.sha256(data).hexdigest()}\n'.encode()


def with_head(data, changed):
    return head_of(data.split(b'\n')[1].decode(), changed) + changed


def kept_damaged(kept):
    """What is damaged, foreign, or refused by the driver, is compiled again, and then whole."""
    for what, how in {'a bit of a comment is another': lambda data: data[:HEAD + 20] + bytes([data[HEAD + 20] ^ 1]) + data[HEAD + 21:], 'half of it': lambda data: data[:len(data) // 2],
                      'nothing': lambda data: b'', 'another version': lambda data: data.replace(b'kernels 1', b'kernels 0', 1),
                      'the driver refuses it': lambda data: with_head(data, b'of another driver')}.items():
        kept.change(how)
        kept.expect(what, 2)
        kept.report.check(f'{what}: whole files again', kept.sound() == 2, str(len(kept.paths())))
    first, second = kept.paths()
    os.rename(first, first + '.moved')
    os.rename(second, first)
    os.rename(first + '.moved', second)
    kept.expect('each is the other one', 2)
    kept.expect('and is kept', 0)


def kept_wrong(kept):
    """A program that computes other pixels, or has other kernels, is not believed; the next process compiles it."""
    kept.change(lambda data: with_head(data, data[HEAD:].replace(b'kernel void mean_sums', b'kernel void mean_other')))
    kept.expect('without the kernel', 0, 'in-c')
    kept.expect('... the next process', 1)
    kept.change(lambda data: with_head(data, data[HEAD:].replace(b'total * scale', b'total + scale')))
    _, errors = kept.expect('other pixels', 0, 'in-c')
    kept.report.check('other pixels: it says so', 'computes other pixels' in errors, errors)
    kept.expect('... the next process', 1)


def kept_nowhere(kept):
    """Where nothing can be written all works, slowly; a link is not followed."""
    elsewhere = os.path.join(kept.driver.folder, 'elsewhere')
    os.mkdir(elsewhere)
    for what, make in {'a file where the folder is': lambda path: open(path, 'w', encoding='utf-8').close(), 'a link where the folder is': lambda path: os.symlink(elsewhere, path),
                       'a folder that all may write': lambda path: (os.mkdir(path), os.chmod(path, 0o777))}.items():
        with tempfile.TemporaryDirectory(dir=kept.driver.folder) as cache:
            babl_forgets(cache)
            make(os.path.join(cache, 'tessera'))
            kept.expect(what, 2, cache=cache)
            kept.report.check(f'{what}: nothing is written', not os.path.isdir(os.path.join(cache, 'tessera')) or not os.listdir(os.path.join(cache, 'tessera')))
    path = kept.paths()[0]
    os.rename(path, os.path.join(elsewhere, 'program'))
    os.symlink(os.path.join(elsewhere, 'program'), path)
    kept.expect('a link where a file is', 1)
    kept.report.check('a link where a file is: a file', not os.path.islink(path) and kept.sound() == 2)


def kept_full(kept):
    """A disk that is full costs nothing else, and leaves nothing."""
    with tempfile.TemporaryDirectory(dir=kept.driver.folder) as cache:
        if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', cache], stderr=subprocess.DEVNULL, check=False).returncode:
            print('a full disk: not tried, as nothing can be mounted here')
            return
        try:
            babl_forgets(cache)
            kept.expect('a full disk', 2, cache=cache)
            folder = os.path.join(cache, 'tessera')
            kept.report.check('a full disk: what had no room has left nothing', len(os.listdir(folder)) == kept.sound(folder) < 2, str(os.listdir(folder)))
        finally:
            subprocess.run(['umount', cache], check=True)


def kept_many(kept):
    """Two at once; and the oldest go."""
    for path in kept.paths():
        os.unlink(path)
    both = [kept.start(-1), kept.start(-1)]        # the second may find what the first has kept
    for number, process in enumerate(both, 1):
        collect(kept.report, f'driver-first kept, at once, {number}', process, 120)
    kept.expect('after two at once', 0)
    mine = kept.paths()
    for number in range(70):
        path = os.path.join(kept.folder, f'{number:064x}.kernels')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('old')
        os.utime(path, (number, number))
    os.unlink(mine[0])
    kept.expect('after many others', 1)
    left = kept.paths()
    kept.report.check('the oldest are gone', len(left) == 64 and set(mine) <= set(left) and f'{8:064x}' in left[0], f'{len(left)} {left[0]}')


def kept(report, driver, _):
    state = Kept(report, driver)
    out, _ = state.expect('the first process', 2)
    report.check('where nothing is kept the first request does not wait', 'met: no wait' in out, out)
    report.check('two programs are kept', state.sound() == 2, str(len(state.paths())))
    out, _ = state.expect('the second process', 0)
    report.check('what is kept is waited for', 'met: a moment' in out, out)
    kept_damaged(state)
    kept_wrong(state)
    kept_nowhere(state)
    kept_full(state)
    kept_many(state)


def straight(report, driver, arguments):
    collect(report, 'driver-straight', driver.start('driver-straight', *arguments), 120)
    if not arguments:           # without double precision shifts are found too: the host adds what the device would
        program = driver.start('../temporal/sequence-device', plan='lie:single')
        out, err, _ = watched.communicate(program, 120)
        report.check('sequence-device, lie:single', program.returncode == 0, out + err)


def threads(report, driver, arguments):
    """Two processes at once: they share the device and the caches, and nothing else.  Then PoCL 5.0, which does not bear all."""
    both = [driver.start('driver-threads', '--seed', str(seed), *arguments) for seed in (1, 2)]
    for number, process in enumerate(both, 1):
        _, err = collect(report, f'driver-threads {number}', process, 300)
        report.check(f'driver-threads {number}: no warnings', not warnings_in(err), '\n'.join(warnings_in(err)))

    for plan, overlaps in (('', '1'), ('lie:five', '0')):
        collect(report, f'driver-threads, {plan or "no plan"}',
                driver.start('driver-threads', '--overlaps', overlaps, '--seconds', '2', plan=plan), 300)


def races(report, driver):
    """What ThreadSanitizer wrote, if it is there."""
    for path in sorted(glob.glob(driver.races + '.*')):
        with open(path, encoding='utf-8', errors='replace') as file:
            text = file.read()
        for race in text.split('==================')[1::2]:
            report.check('a data race', False, race)


def main():
    parts = {'faults': faults, 'starts': starts, 'types': types, 'threads': threads, 'soak': soak, 'holds': holds, 'short': short, 'first': first, 'kept': kept, 'straight': straight}
    if len(sys.argv) < 3 or sys.argv[2] not in parts:
        sys.exit(__doc__)
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-driver-') as folder:
        driver = Driver(sys.argv[1], folder)
        parts[sys.argv[2]](report, driver, sys.argv[3:])
        races(report, driver)
    report.finish()


main()
