#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-valgrind.py BUILD: the harness of two small cases a filter under valgrind.

PoCL takes valgrind's processor for another one than this, and compiling for it takes five minutes inside valgrind.  So the same cases run
without it first, with PoCL told to compile for that processor: what it keeps is used by the second run.  Where PoCL is not told so
(another version), only the time is lost."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl

SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'valgrind.supp')
VALGRIND = ['valgrind', '--quiet', '--error-exitcode=9', '--num-callers=40', '--suppressions=' + SUPPRESSIONS]


def has_avx2():
    """All that valgrind's processor has at most."""
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            return ' avx2 ' in file.read()
    except OSError:
        return False


def main():
    gegl = Gegl(sys.argv[1])
    env = {**os.environ, 'POCL_CACHE_DIR': gegl.env['POCL_CACHE_DIR'], **({'POCL_KERNELLIB_NAME': 'avx2'} if has_avx2() else {})}
    check = [os.path.join(gegl.build, 'tests', 'check', 'check'), '--parity', '--cases', '2', '--max-size', '24',
             '--seed', str(random.randrange(10 ** 9))]
    subprocess.run(check, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)      # its verdicts are those of `check`
    sys.stdout.flush()
    os.execvpe(VALGRIND[0], VALGRIND + check, env)


main()
