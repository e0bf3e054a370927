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
from gimp_program import Gimp3, programs
from screen import TOOLS, Screen

GIMPRC = '''(check-updates no)
(color-profile-policy keep)
(save-session-info no)
(save-device-status no)
'''
GIMPRC_3 = '(config-version "3.0.4")\n(show-welcome-dialog no)\n(edit-non-visible yes)\n'
FILTERS_MENU = (437, 62)            # of a window at (10, 30), in English
# how often Down, from the top of the menu, leads to a submenu
SUBMENUS = {'Blur': 2, 'Enhance': 3, 'Edge-Detect': 7, 'Generic': 8}


def folder_name(operation):
    return operation['name'].split(':')[1]


class Session:
    """One GIMP with one photograph."""

    def __init__(self, installed, gimp, out, picture):
        gimp.gimprc(GIMPRC + (GIMPRC_3 if isinstance(gimp, Gimp3) else ''))
        with open(os.path.join(gimp.profile, 'sessionrc'), 'w', encoding='utf-8') as file:
            file.write('(single-window-mode yes) (hide-docks no)\n')
        env = {**installed.gegl.env, 'NO_AT_BRIDGE': '1', 'GTK_CSD': '0', 'GDK_BACKEND': 'x11', 'GEGL_USE_OPENCL': 'no'}
        self.screen = Screen(env, out)
        self.program = self.screen.start([gimp.program.replace('console-', ''), '-n', '-s', picture], 'gimp')
        self.window = self.screen.wait(self.image_window, 120)
        if self.window:
            time.sleep(2)
            for words in (['windowactivate', '--sync'], ['windowsize', '--sync'], ['windowmove']):
                self.screen.say('xdotool', *words, self.window, *{'windowsize': ['1300', '800'], 'windowmove': ['10', '30']}.get(words[0], []))
            time.sleep(1)

    def image_window(self):
        return next((number for number, name in self.screen.windows().items() if 'picture' in name), None)

    def changed(self):
        return any(name.startswith('*') and 'picture' in name for name in self.screen.windows().values())

    def alive(self):
        return self.program.poll() is None

    def menu(self, path):
        """A picture of the menu with that path."""
        names = path.split('/')[1:]
        if names[0] == 'Colors':
            self.screen.key('alt+c')
        elif names[-1] in SUBMENUS:
            self.screen.click(*FILTERS_MENU)
            time.sleep(1)
            self.screen.key(*['Down'] * SUBMENUS[names[-1]], 'Right')
        time.sleep(1.5)
        self.screen.shot('menu-' + '-'.join(names).lower())
        self.screen.key('Escape', 'Escape', 'Escape')

    def search(self, words, name):
        """Opens the first hit; returns the new window's number and name."""
        before = self.screen.windows()
        self.screen.say('xdotool', 'windowactivate', '--sync', self.window)
        self.screen.key('slash')
        time.sleep(1.5)
        self.screen.type(words)
        time.sleep(2)
        self.screen.shot(f'{name}-search')
        self.screen.key('Down', 'Return')

        def dialog():
            return next(((number, title) for number, title in self.screen.windows().items()
                         if number not in before and 'search' not in title.lower() and title != before.get(self.window)), None)
        found = self.screen.wait(dialog, 20)
        time.sleep(3)
        self.screen.shot(f'{name}-dialog')
        return found

    def press_ok(self, dialog):
        self.screen.key('Return')
        if self.screen.wait(lambda: dialog not in self.screen.windows(), 3) is None:
            self.screen.key('alt+o')                        # Return in a field of several lines is a new line
        return self.screen.wait(self.changed, 30)


def try_operation(report, session, gimp, operation):
    name = f'GIMP {gimp.version}: {operation["name"]}'
    words = operation['gimp:menu-label'].split(' (')[0].lower()
    if '(Tessera)' in operation['gimp:menu-label']:
        words += ' (tessera'                                # GIMP's own of that kind have the other words too
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
    picture = os.path.join(installed.work, 'picture.png')
    installed.gegl.run([os.path.join(IMAGES, 'mountains.jpg'), '-o', picture], GEGL_USE_OPENCL='no')
    session = Session(installed, gimp, out, picture)
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
    if isinstance(gimp, Gimp3):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--only', help='one operation')
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
            for kind in kinds:
                run_session(report, installed, kind, operations, os.path.join(given.out, f'gimp-{kind.version}'))
    report.finish()


main()
