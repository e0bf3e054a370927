#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-runner.py BUILD: what runs the tests ends what hangs, and only that; `./run` knows its words before it does anything; the list
of filters is whole."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import watched
from common import FILTERS, Gegl, OTHERS, Report, TOP

STEPS = 50                      # of the template's module from nothing, at most: what a newcomer waits for

# Leaves a file where temporary files go, and a child, then does what it is told; the child ignores SIGTERM.
PROGRAM = '''
import os, signal, subprocess, sys, tempfile, time
tempfile.mkdtemp(prefix='left-')
print('here', os.environ['TMPDIR'], flush=True)
if sys.argv[1] != 'work':
    child = subprocess.Popen([sys.executable, '-c', 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)'])
    print('child', child.pid, flush=True)
began = time.process_time()
while sys.argv[1] != 'sleep' and time.process_time() - began < float(sys.argv[2]):
    pass
if sys.argv[1] == 'sleep':
    time.sleep(float(sys.argv[2]))
print('1 passed, 0 failed', flush=True)
'''


def word_after(output, word):
    return next((line.split()[1] for line in output.splitlines() if line.startswith(word + ' ')), '')


def is_alive(pid):
    fields = watched.stat(f'/proc/{pid}/stat')
    return fields is not None and fields[0] != 'Z'


def case(report, work, name, words, limits, code, why):
    done = watched.run([sys.executable, '-c', PROGRAM, *words], os.path.join(work, 'log.txt'), work, *limits)
    report.check(f'{name}: {why or "it ends by itself"}', why in done.why and bool(why) == bool(done.why) and (done.code == 0) == (code == 0),
                 f'exit {done.code}, {done.why or "not killed"}, {done.seconds:.1f} s')
    folder, child = word_after(done.output, 'here'), word_after(done.output, 'child')
    report.check(f'{name}: its temporary files are gone', folder and not os.path.exists(folder), folder)
    if child:
        report.check(f'{name}: so is its child', not is_alive(child), child)
    return done


def on_a_busy_machine(report, work):
    """One processor for seven: what takes 1 s of it takes 5 s and more of the clock, which is no reason to end it.  Each has a
    session, because Linux may share the processor among those."""
    kept = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(kept)})
    others = [subprocess.Popen([sys.executable, '-c', 'while True: pass'], start_new_session=True) for _ in range(6)]
    try:
        done = case(report, work, 'a busy machine', ['work', '1'], (4, 3), 0, '')
        report.check('a busy machine: it was busy', done.seconds > 5, f'{done.seconds:.1f} s')
        command = [sys.executable, '-c', PROGRAM, 'work', '1']
        done = Gegl(None).command(command, timeout=4, TMPDIR=work)
        report.check('a busy machine: a command of a test ends by itself', done.returncode == 0, f'exit {done.returncode}, {done.stderr}')
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, kept)


def words(report, work):
    """Nothing is installed and nothing built for a word that is wrong: apt-get and meson would say so."""
    for tool in ('apt-get', 'dpkg-query', 'meson', 'ninja', 'sudo'):
        with open(os.path.join(work, tool), 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho {tool} was called >&2\nexit 9\n')
        os.chmod(file.name, 0o755)
    env = {**os.environ, 'PATH': work + os.pathsep + os.environ['PATH']}
    cases = ((['dmeo'], 2, 'there is no command dmeo; did you mean demo?'),
             (['test', 'doctor', 'chek'], 2, 'there is no part of the tests called chek; did you mean check?'),
             (['test', 'everything'], 2, 'called everything\n'),
             (['test', 'sobl'], 2, 'did you mean sobel?'),
             (['demo', 'sobel'], 1, 'demo takes no argument'),
             (['doctor', '--help'], 0, ''), (['bench', '--help'], 0, ''), (['test', '--help'], 0, ''), (['help'], 0, ''))
    for arguments, code, text in cases:
        done = subprocess.run([os.path.join(TOP, 'run'), *arguments], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        good = done.returncode == code and text in done.stderr and 'was called' not in done.stderr and (code or 'sage' in done.stdout)
        report.check(f'./run {" ".join(arguments)}: exit {code}, at once', good, '' if good else f'{done.returncode} {done.stderr.strip()}')
    help_text = subprocess.run([os.path.join(TOP, 'run'), 'doctor', '--help'], env=env, capture_output=True, text=True).stdout
    known = subprocess.run([os.path.join(sys.argv[1], 'tools', 'doctor', 'tessera-doctor'), '--help'], capture_output=True, text=True).stdout
    options = [line.strip() for line in known.splitlines() if line.lstrip().startswith('--')]
    report.check("./run doctor --help has the doctor's options", options and all(line in help_text for line in options), ' | '.join(options))
    done = subprocess.run([os.path.join(TOP, 'run'), 'test', 'doctor'], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    first = done.stdout.splitlines()[:1]
    report.check('./run test doctor asks for the packages of the build alone', first and first[0].startswith('Installing ')
                 and not {'valgrind', 'gimp', 'appstream'} & set(first[0].split()), ''.join(first))


def the_installed_doctor(report, work):
    """After ./run install the doctor of that build looks at what GIMP loads; nothing is built again.  A GEGL_PATH of the person's own is
    another matter, and so is what has been uninstalled."""
    home, folder = (os.path.join(work, name) for name in ('installed', 'build-of-it'))
    manifest, doctor = os.path.join(home, '.local', 'lib', 'tessera', 'installed-files.txt'), os.path.join(folder, 'tools', 'doctor', 'tessera-doctor')
    for path, text in ((manifest, ''), (doctor, '#!/bin/sh\necho "examined, GEGL_PATH=$GEGL_PATH, $*"\n')):
        os.makedirs(os.path.dirname(path))
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    os.chmod(doctor, 0o755)
    env = {**{name: value for name, value in os.environ.items() if name != 'GEGL_PATH'}, 'HOME': home, 'TESSERA_INSTALL_BUILD': folder}
    done = subprocess.run([os.path.join(TOP, 'run'), 'doctor', '--all'], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    report.check('./run doctor after ./run install builds nothing, and examines what is installed',
                 done.returncode == 0 and done.stdout == 'examined, GEGL_PATH=, --all\n', f'exit {done.returncode}: {done.stdout[-200:]} {done.stderr[-200:]}')


def the_lists(report):
    """What is in neither of these two is not built, and a test that is not in tests/parts does not run; nobody
    would see it."""
    names = {name[len('tessera-'):-len('.c')] for name in os.listdir(os.path.join(TOP, 'operations')) if name.endswith('.c') and name.startswith('tessera-')}
    report.check('operations/filters and operations/others have every operation, and no other', names == {*FILTERS, *OTHERS},
                 ' '.join(sorted(names ^ {*FILTERS, *OTHERS})))
    report.check('and none is in both', not set(FILTERS) & set(OTHERS), ' '.join(sorted(set(FILTERS) & set(OTHERS))))
    listed = subprocess.run(['meson', 'introspect', '--tests', sys.argv[1]], capture_output=True, text=True).stdout
    tests = {test['name'] for test in json.loads(listed)}
    with open(os.path.join(TOP, 'tests', 'parts'), encoding='utf-8') as file:
        in_parts = [word for line in file if not line.startswith('#') for word in line.split()[3:]]
    report.check('tests/parts has every test of meson.build, once, and no other', tests == set(in_parts) and len(in_parts) == len(tests),
                 ' '.join(sorted(tests ^ set(in_parts))))


def first_module(report):
    """All that the template's module is made of, and its own link."""
    inputs = subprocess.run(['ninja', '-C', sys.argv[1], '-t', 'inputs', 'operations/tessera-template.so'], capture_output=True, text=True).stdout
    made = [path for path in inputs.splitlines() if not path.startswith(('/', '../'))]
    report.check(f"the template's module takes at most {STEPS} steps from nothing", 10 < len(made) < STEPS, f'{len(made) + 1} steps')


def main():
    report = Report()
    the_lists(report)
    first_module(report)
    with tempfile.TemporaryDirectory(prefix='tessera-runner-') as work:
        case(report, work, 'a loop without end', ['spin', '600'], (2, 60), 1, 's of processor time')
        began = time.monotonic()
        case(report, work, 'a lock that nobody releases', ['sleep', '600'], (60, 3), 1, 'it did nothing for')
        report.check('a lock that nobody releases: seen after its limit', time.monotonic() - began < 20)
        case(report, work, 'a test that is well', ['work', '1'], (10, 10), 0, '')
        done = Gegl(None).command([sys.executable, '-c', PROGRAM, 'sleep', '600'], timeout=3, TMPDIR=work)
        report.check('a command of a test that hangs is ended, with its child', done.returncode == 124 and 'did nothing' in done.stderr
                     and not is_alive(word_after(done.stdout, 'child')), f'exit {done.returncode}, {done.stderr}')
        on_a_busy_machine(report, work)
        words(report, work)
        the_installed_doctor(report, work)
    report.finish()


main()
