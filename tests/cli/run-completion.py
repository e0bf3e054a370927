#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-completion.py BUILD: what bash offers for the commands: each option of --help, the words of an option, which the command takes, and files."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, TOP

SCRIPT = os.path.join(TOP, 'data', 'completion', 'tessera.bash')
ASK = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera "$1" "$WORD" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
COMMANDS = ('sequence', 'stack', 'match', 'doctor')
NOTHING = {'stack': ['/nowhere/1.png', '/nowhere/2.png', '-o', '/nowhere/out.png'], 'match': ['/nowhere/1.png', '/nowhere/2.png'], 'sequence': ['/nowhere', '-o', '/nowhere/out']}          # to do
WORDS = (('stack', '--method', 'focus'), ('stack', '--reference', 'sharpest'), ('stack', '--model', 'affine'), ('match', '--model', 'auto'),
         ('match', '--normalization', 'root'), ('sequence', '--method', 'either'), ('sequence', '--sides', 'past'), ('sequence', '--shift', 'pyramid'),
         ('sequence', '--bayer', 'green'))


def run(words, cwd=None, **env):
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, env={**os.environ, **env, 'LC_ALL': 'C'}, stdin=subprocess.DEVNULL, check=False)


def offered(words, word, cwd=None):
    """bash's third word for `=` alone is empty."""
    done = run(['bash', '-c', ASK, 'ask', SCRIPT, *words], cwd, WORD=word)
    return set(done.stdout.split()), done.stderr


def main():
    report, gegl = Report(), Gegl(sys.argv[1])
    programs = {name: os.path.abspath(os.path.join(sys.argv[1], 'tools', name, f'tessera-{name}')) for name in COMMANDS}
    for name, program in programs.items():
        options = set(re.findall(r'^ +(?:-\w, )?(--[a-z0-9-]+)', run([program, '--help']).stdout, re.MULTILINE))
        got, error = offered([program, '--'], '--')
        report.check(f'tessera-{name}: each option of --help is offered', len(options) > 3 and {one.rstrip('=') for one in got} == options and not error,
                     ' '.join({one.rstrip('=') for one in got} ^ options) + error)
    for name, option, word in WORDS:
        program = programs[name]
        got, error = offered([program, option, '=', word[:2]], word[:2])
        every, _ = offered([program, option, '='], '')
        apart, _ = offered([program, option, ''], '')
        report.check(f'tessera-{name} {option}: {word} is among its words', word in got and got <= every and every == apart, f'{got} {every} {apart}{error}')
        if option == '--reference':             # looked at after the pictures
            continue
        taken, refused = (run([program, *NOTHING[name], f'{option}={one}'], **gegl.env).stderr for one in (word, 'nonsense'))
        report.check(f'tessera-{name} {option}: the command takes that word, and not another', len(every) > 1 and taken and refused and refused != taken,
                     f'{taken} {refused}'.replace('\n', ' '))
    with tempfile.TemporaryDirectory() as folder:
        for name in ('one.png', 'other.tif'):
            open(os.path.join(folder, name), 'w', encoding='utf-8').close()
        got, error = offered([programs['stack'], 'o'], 'o', folder)
        report.check('files are offered else', got == {'one.png', 'other.tif'}, f'{got}{error}')
    report.finish()


main()
