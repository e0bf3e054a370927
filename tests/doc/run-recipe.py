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
    report.finish()


main()
