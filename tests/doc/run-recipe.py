#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-recipe.py [FOLDER]: follows CONTRIBUTING's recipe for a filter letter by letter, in a copy of the tree."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report, TOP

# A row goes in front of the first of these that its file has.
NEIGHBOURS = (r'^template', r'^void reference_template', r'^operations/tessera-unsharp')
# What the test of the pages needs: every operation, and what lists them.
PAGES = '''
ninja -C build tests/gimp/list-operations $(ls operations/tessera-*.c | sed 's/c$/so/') >build/pages.log || { cat build/pages.log; exit 3; }
python3 -B tests/doc/run-pages.py build
'''


def copy_tree(folder):
    for entry in os.listdir(TOP):
        if entry not in ('.git', 'out', 'RAM') and not entry.startswith('build'):
            path = os.path.join(TOP, entry)
            (shutil.copytree if os.path.isdir(path) else shutil.copy2)(path, os.path.join(folder, entry))


def run(script, folder):
    return subprocess.run(['bash', '-e', '-c', script], cwd=folder, capture_output=True, text=True, errors='replace')


def add_row(path, row):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for neighbour in NEIGHBOURS:
        place = re.search(neighbour, text, re.MULTILINE)
        if place:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text[:place.start()] + row + '\n' + text[place.start():])
            return True
    return False


def check_pages(report, name, folder):
    """A filter without a page: the test of the pages says what is missing, to its end."""
    said = run(PAGES, folder)
    lines = said.stdout.splitlines() or ['nothing']
    named = [line for line in lines if line.startswith('FAIL') and f'tessera:{name}' in line]
    report.check('without a page the test of the pages is red, and counts', said.returncode == 1 and named and re.fullmatch(r'[1-9]\d* passed, [1-9]\d* failed', lines[-1])
                 and 'Traceback' not in said.stderr, f'exit {said.returncode}, {lines[-1]}\n{said.stderr[-3000:]}')


def main():
    report = Report()
    with open(os.path.join(TOP, 'CONTRIBUTING.md'), encoding='utf-8') as file:
        recipe = file.read().partition('## Add a filter')[2].partition('\n## ')[0]
    blocks = re.findall(r'^```\n(.*?)^```$', recipe, re.MULTILINE | re.DOTALL)
    rows = re.findall(r'^\| `([^`]+)` \| `(.+)` \|$', recipe, re.MULTILINE)
    report.check('the recipe has commands before and after its rows', len(blocks) == 2 and rows, f'{len(blocks)} blocks, {len(rows)} rows')
    with tempfile.TemporaryDirectory(prefix='tessera-recipe-', dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        copy_tree(folder)
        copied = run(blocks[0], folder)
        report.check('it copies', copied.returncode == 0, copied.stderr)
        for file, row in rows:
            report.check(f'a row of {file}', add_row(os.path.join(folder, file), row))
        built = run(blocks[1], folder)
        last = (built.stdout.splitlines() or ['nothing'])[-1]
        report.check('it builds, and the new filter passes', built.returncode == 0 and re.fullmatch(r'[1-9]\d* passed, 0 failed', last),
                     last if built.returncode == 0 else built.stdout[-3000:] + built.stderr[-1000:])
        check_pages(report, rows[0][1], folder)
    report.finish()


main()
