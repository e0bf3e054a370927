#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-gui.py BUILD [--only OPERATION] [--out FOLDER]: GIMP with its windows on a screen without a monitor.  Each operation is found
in the action search under its label, its dialog opens, OK changes the picture in one step of undo.  The pictures are for looking."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from installed import Installed
from common import Report, IMAGES, TOP
from gimp_program import programs
from locales import language_env
from screen import TOOLS
from session import Session, folder_name, search_words

LANGUAGES = ('pt_BR', 'ko')
SHOWN = 'tessera:median-blur'


def try_operation(report, session, gimp, operation):
    name = f'GIMP {gimp.version}: {operation["name"]}'
    words = search_words(operation)
    found = session.search(words, folder_name(operation))
    if not report.check(f'{name} is found under "{words}", its dialog opens', found and operation['title'] in found[1], str(found)):
        session.screen.key('Escape', 'Escape')
        return
    changed = session.press_ok(found[0])
    time.sleep(1)
    session.screen.shot(f'{folder_name(operation)}-applied')
    if report.check(f'{name}: OK changes the picture', changed):
        session.screen.say('xdotool', 'windowactivate', '--sync', session.window)
        session.screen.key('ctrl+z')
        report.check(f'{name}: one undo brings it back', session.screen.wait(lambda: not session.changed(), 20))


def run_session(report, installed, kind, operations, out):
    gimp = kind(installed.gegl.env, installed.work)
    session = Session(installed, gimp, out, os.path.join(installed.work, 'picture.png'))
    try:
        if not report.check(f'GIMP {gimp.version} opens a picture', session.window):
            return session.screen.shot('start')
        for path in sorted({operation['gimp:menu-path'] for operation in operations}):
            session.menu(path)
        for operation in operations:
            try_operation(report, session, gimp, operation)
            if not session.alive():
                break
        report.check(f'GIMP {gimp.version} is alive at the end', session.alive())
    finally:
        session.screen.close()
    with open(os.path.join(out, 'gimp.log'), encoding='utf-8', errors='replace') as file:
        ours = [line.strip() for line in file if 'tessera' in line.lower() or '.settings' in line]
    report.check(f'GIMP {gimp.version}: no message of ours', not ours, ' | '.join(ours[:4]))
    if gimp.effects:
        check_presets(report, gimp, operations, out)


# GIMP writes a filter's file anew when it was used, with what it understood of it, and the last settings besides.
PRESET = re.compile(r'^\(GimpGegl-\S+ "([^"]+)"\n((?:    .*\n?)*)', re.MULTILINE)
VALUE = re.compile(r'^    \(([\w-]+) (.*?)\)+$', re.MULTILINE)


def presets_of(text):
    """{name: {property: value}}, numbers as numbers."""
    def plain(value):
        try:
            return float(value)
        except ValueError:
            return value
    return {name: {key: plain(value) for key, value in VALUE.findall(body)} for name, body in PRESET.findall(text)}


def check_presets(report, gimp, operations, out):
    """GIMP 3 took over the presets of each filter that was used, with each of their values."""
    written = os.path.join(out, 'presets')
    os.makedirs(written, exist_ok=True)
    subprocess.run([os.path.join(TOP, 'data', 'presets', 'presets.sh'), 'write', written], check=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    used = {folder_name(operation) for operation in operations}
    for file in sorted(os.listdir(written)):
        if file[len('GimpGegl-tessera-'):-len('-config.settings')] not in used:
            continue
        with open(os.path.join(written, file), encoding='utf-8') as ours, open(os.path.join(gimp.profile, 'filters', file), encoding='utf-8') as theirs:
            wanted, text = presets_of(ours.read()), theirs.read()
        got = presets_of(text)
        missing = [f'{name}: {key} {value}' for name, values in wanted.items() for key, value in values.items() if got.get(name, {}).get(key) != value]
        report.check(f'GIMP {gimp.version} wrote {file} anew', '(time ' in text and 'came with Tessera' not in text)
        report.check(f'GIMP {gimp.version} has the presets of {file}', wanted and not missing, ', '.join(missing) or ', '.join(wanted))


def in_language(report, installed, kind, operation, language, out):
    """The menu, the search and the dialog in that language, to look at; the dialog has the title that the catalogue has."""
    gimp, env = kind(installed.gegl.env, installed.work), language_env(installed.work, language)
    there = installed.operations(operation['name'], **env)[0]
    session = Session(installed, gimp, out, os.path.join(installed.work, 'picture.png'), **env)
    name = f'GIMP {gimp.version} in {language}'
    try:
        if not report.check(f'{name} opens a picture', session.window):
            return session.screen.shot('start')
        session.filters_menu(there['gimp:menu-path'])
        found = session.search(search_words(there), folder_name(there))
        report.check(f'{name}: the dialog is found under "{search_words(there)}", its title is translated',
                     found and there['title'] != operation['title'] and there['title'] in found[1], str(found))
        session.screen.key('Escape')
        report.check(f'{name} is alive at the end', session.alive())
    finally:
        session.screen.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--only', help='one operation')
    parser.add_argument('--languages', action='store_true', help='the languages alone')
    parser.add_argument('--out', default=os.path.join(TOP, 'out'), help='where the pictures go (out/)')
    given = parser.parse_args()
    report = Report()
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    report.check('a screen can be made', not missing, ', '.join(missing))
    with tempfile.TemporaryDirectory(prefix='tessera-gui-') as work:
        installed = Installed(os.path.abspath(given.build), work)
        kinds = programs()
        if report.check('a GIMP is here', kinds) and not missing and installed.install(report):
            operations = installed.operations(given.only)
            installed.gegl.run([os.path.join(IMAGES, 'mountains.jpg'), '-o', os.path.join(installed.work, 'picture.png')], GEGL_USE_OPENCL='no')
            shown = next((operation for operation in operations if operation['name'] == SHOWN), operations[0])
            for kind in kinds:
                out = os.path.join(given.out, f'gimp-{kind.version}')
                if not given.languages:
                    run_session(report, installed, kind, operations, out)
                for language in LANGUAGES:
                    in_language(report, installed, kind, shown, language, f'{out}-{language}')
    report.finish()


main()
