#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-work.py BUILD [--print]: no filter works more than it does today: a bound on work, without a clock.

work.txt has what each row took: on the device requests that C answers all the same, launches, bytes sent, fetched and held for each
pixel; in C instructions for each pixel, as callgrind counts them on one thread.  More than MOST times as much is a finding.  A second
request of the same kind allocates nothing.  --print writes the table anew.  Compilers differ, so instructions are compared
where the table's compiler made the build."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import FILTERS, Gegl

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'work.txt')
PIXELS, COMPILER = 320 * 240, 12          # of gcc, Debian 12's
COLUMNS = ('requests in C', 'launches', 'bytes sent a pixel', 'bytes fetched a pixel', 'bytes held a pixel', 'instructions a pixel')
MOST = (1, 1.2, 1.2, 1.2, 1.25, 1.8)
SLACK = (0, 0, 0.5, 0.5, 1, 5)            # tables and the request itself, where there is little of the rest


def read():
    """([lines of the head], [(chain, format, [numbers])])."""
    with open(TABLE, encoding='utf-8') as file:
        lines = file.read().splitlines()
    rows = [line.split(' | ') for line in lines if line and not line.startswith('#')]
    return [line for line in lines if line.startswith('#')], [(row[0], row[1], [float(n) for n in row[2].split()] if len(row) > 2 else None)
                                                            for row in rows]


def on_device(gegl, rows):
    """[[in C, launches, sent, fetched, held, allocations]]."""
    done = gegl.command([os.path.join(gegl.build, 'tests', 'engine', 'work'), TABLE], GEGL_USE_OPENCL='cpu', GEGL_SWAP='RAM', GEGL_THREADS='1')
    found = [[float(n) for n in line.split()] for line in done.stdout.splitlines() if re.fullmatch(r'[\d. ]+', line)]
    if done.returncode or len(found) != len(rows):
        sys.exit(f'work: {len(found)} of {len(rows)} rows, exit code {done.returncode}\n{done.stderr}')
    return found


def is_of_the_compiler(program):
    """Compilers leave their names in what they make."""
    with open(program, 'rb') as file:
        content = file.read()
    return b'clang version' not in content and any(int(n) == COMPILER for n in re.findall(rb'GCC: \([^)]*\) (\d+)', content))


def in_c(gegl, rows):
    """[instructions a pixel]; None where this processor or the compiler is not the table's kind."""
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        if ' avx2 ' not in file.read() or not is_of_the_compiler(os.path.join(gegl.build, 'tests', 'engine', 'work')):
            print('not compared: instructions, as this processor or compiler is not that of work.txt')
            return None
    with tempfile.TemporaryDirectory(prefix='tessera-work-') as folder:
        done = gegl.command(['valgrind', '--tool=callgrind', '--toggle-collect=measured', '--dump-after=measured', '--compress-strings=no',
                             '--callgrind-out-file=' + os.path.join(folder, 'out'), os.path.join(gegl.build, 'tests', 'engine', 'work'),
                             '--in-c', TABLE], timeout=600, GEGL_USE_OPENCL='no', GEGL_SWAP='RAM', GEGL_THREADS='1')
        counts = []
        for number in range(1, len(rows) + 1):
            path = os.path.join(folder, f'out.{number}')
            if not os.path.exists(path):
                sys.exit(f'callgrind: {number - 1} of {len(rows)} rows, exit code {done.returncode}\n{done.stderr[-2000:]}')
            with open(path, encoding='utf-8', errors='replace') as file:
                counts.append(int(re.search(r'^(?:summary|totals): (\d+)', file.read(), re.MULTILINE).group(1)) / PIXELS)
    return counts


def is_more(now, known, k):
    return now > MOST[k] * known[k] + SLACK[k]


def least_in_c(gegl, rows):
    """babl times its conversions and chooses anew in each process, now and then a slow one: what seems too much is counted once more."""
    counts, last = in_c(gegl, rows), len(COLUMNS) - 1
    if counts and any(known and is_more(now, known, last) for now, (_, _, known) in zip(counts, rows)):
        counts = [min(both) for both in zip(counts, in_c(gegl, rows))]
    return counts


def main():
    gegl = Gegl(sys.argv[1])
    for name in ('MALLOC_PERTURB_', 'GLIBC_TUNABLES'):          # of the tests: filling memory is work
        gegl.env.pop(name, None)
    head, rows = read()
    device, instructions = on_device(gegl, rows), least_in_c(gegl, rows) if shutil.which('valgrind') else sys.exit('there is no valgrind')
    if '--print' in sys.argv:
        with open(TABLE, 'w', encoding='utf-8') as file:
            file.write('\n'.join(head) + '\n')
            for (chain, form, _), d, c in zip(rows, device, instructions or sys.exit('these would not be those of the table')):
                file.write(f'{chain} | {form} | {d[0]:.0f} {d[1]:.0f} {d[2]:.1f} {d[3]:.1f} {d[4]:.0f} {c:.0f}\n')
        return 0
    passed, findings = 0, [f'no row of {name}' for name in FILTERS if not any(row[0].split()[0] == 'tessera:' + name for row in rows)]
    for number, ((chain, form, known), took) in enumerate(zip(rows, device)):
        now = took[:5] + (instructions[number:number + 1] if instructions else [])
        lines = [f'{now[k]:.1f} {COLUMNS[k]}, {known[k]:g} are known' for k in range(len(now)) if is_more(now[k], known, k)]
        lines += [f'{took[5]:.0f} allocations of a request that was seen'] * (took[5] > 0)
        findings += [f'{chain}, {form}: {line}' for line in lines]
        passed += not lines
    for finding in findings:
        print('FAIL', finding)
    print(f'{passed} passed, {len(findings)} failed')
    return bool(findings) or not passed


sys.exit(main())
