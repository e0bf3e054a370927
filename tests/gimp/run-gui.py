#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-gui.py BUILD [--only OPERATION] [--out FOLDER]: GIMP with its windows on a screen without a monitor.  Each operation is found
in the action search under its label, its dialog opens, OK changes the picture in one step of undo.  The pictures are for looking."""
import argparse
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from aligning_gui import align_in_windows
from common import Picture, TOP
from gimp_program import THEME
from locales import language_env
from session import folder_name, search_words, type_number
from stage import opened, picture_of, run
from windows_210 import dialog_of_210

LANGUAGES = ('pt_BR', 'ko')
SHOWN = 'tessera:median-blur'


def try_operation(report, session, operation):
    name = f'GIMP {session.gimp.version}: {operation["name"]}'
    found = session.dialog(operation)
    if not report.check(f'{name} is found under "{search_words(operation)}", its dialog opens', found and operation['title'] in found[1], str(found)):
        session.screen.key('Escape', 'Escape')
        return
    report.check(f'{name}: all of its dialog is on the screen', session.screen.inside(found[0]))
    changed = session.press_ok(found[0])
    time.sleep(1)
    session.screen.shot(f'{folder_name(operation)}-applied')
    if report.check(f'{name}: OK changes the picture', changed):
        report.check(f'{name}: one undo brings it back', session.undo())


def check_preview(report, session, window, name):
    """GIMP 3: without strength the middle of the picture is as it was, and it changes back."""
    at = session.screen.place(window)

    def seen():
        return session.screen.piece(int(at['X']) + 20, int(at['Y']) + 20, 300, 300)
    shown = [seen()]
    session.screen.key('alt+h')
    for value in (0, 100):
        type_number(session, value)
        session.screen.wait(lambda: seen() != shown[-1], 20)
        shown.append(seen())
        session.screen.shot(f'ready-made-strength-{value}')
    report.check(f'{name} has a preview, which follows its strength', len(set(shown[:2])) == 2 and shown[0] == shown[2])


def ready_made(report, session):
    """A graph is found by its name, asks for its size and strength, and is one step of undo."""
    name = f'GIMP {session.gimp.version}: a ready-made graph'
    found = session.search('soft glow', 'ready-made')
    if not report.check(f'{name} asks', found, str(found)):
        return
    if session.gimp.effects:
        check_preview(report, session, found[0], name)
    changed = session.press_ok(found[0])
    session.settle(60)
    session.screen.shot('ready-made-applied')
    if report.check(f'{name}, found in the search, changes the picture', changed):
        report.check(f'{name} is one step of undo', session.undo())


def run_session(report, installed, kind, operations, given):
    with opened(report, installed, kind, given) as session:
        if not session:
            return
        for path in sorted({operation['gimp:menu-path'] for operation in operations}):
            session.menu(path)
        for operation in operations:
            try_operation(report, session, operation)
            if not session.alive():
                break
        ready_made(report, session)
        report.check(f'GIMP {kind.version} is alive at the end', session.alive())
    with open(os.path.join(session.screen.folder, 'gimp.log'), encoding='utf-8', errors='replace') as file:
        ours = [line.strip() for line in file if ('tessera' in line.lower() or '.settings' in line) and THEME not in line]
    report.check(f'GIMP {kind.version}: no message of ours', not ours, ' | '.join(ours[:4]))
    if kind.effects:
        check_presets(report, session.gimp, operations, session.screen.folder)
        check_counts(report, installed, session.gimp, operations)


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


COUNTING = {'tessera:label': 'result=index', 'tessera:sift': 'result=mask'}


def check_counts(report, installed, gimp, operations):
    """GIMP 3 keeps the settings that its dialog showed last, and among them how many there are."""
    for name in [operation['name'] for operation in operations if operation['name'] in COUNTING]:
        file, out = (os.path.join(folder, f'GimpGegl-{name.replace(":", "-")}-config.{kind}') for folder, kind in
                     ((os.path.join(gimp.profile, 'filters'), 'settings'), (installed.work, 'npy')))
        installed.gegl.run([picture_of(installed), '-o', out, '--', name, COUNTING[name]], GEGL_USE_OPENCL='no')
        pixels = Picture(out).pixels
        wanted = int(max(pixels) if name == 'tessera:label' else sum(pixels))
        with open(file, encoding='utf-8') as settings:
            shown = [int(count) for count in re.findall(r'\(count (\d+)\)', settings.read())]
        # -- two points of SIFT may share a pixel of the mask
        good = any(wanted <= count <= wanted * (1.02 if name == 'tessera:sift' else 1) for count in shown)
        report.check(f'GIMP {gimp.version}: the dialog of {name} shows how many there are', wanted and good, f'{shown}, {wanted} in the picture')


def in_language(report, installed, kind, operation, language, given):
    """The menu, the search and the dialog in that language, to look at; the dialog has the title that the catalogue has."""
    env, name = language_env(installed.work, language), f'GIMP {kind.version} in {language}'
    there = installed.operations(operation['name'], **env)[0]
    with opened(report, installed, kind, given, language, name, **env) as session:
        if not session:
            return
        session.menu(there['gimp:menu-path'])
        found = session.dialog(there)
        report.check(f'{name}: the dialog is found under "{search_words(there)}", its title is translated',
                     found and there['title'] != operation['title'] and there['title'] in found[1], str(found))
        session.screen.key('Escape')
        report.check(f'{name} is alive at the end', session.alive())


def in_windows(report, installed, kind, operations, given):
    if given.dialog:
        dialog_of_210(report, installed, kind, operations, given)
        return
    if given.layers:
        align_in_windows(report, installed, kind, given)
        return
    if not given.languages:
        run_session(report, installed, kind, operations, given)
        dialog_of_210(report, installed, kind, operations, given)
        align_in_windows(report, installed, kind, given)
    shown = next((operation for operation in operations if operation['name'] == SHOWN), operations[0])
    for language in LANGUAGES:
        in_language(report, installed, kind, shown, language, given)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--languages', action='store_true', help='the languages alone')
parser.add_argument('--layers', action='store_true', help='Align Visible Layers alone')
parser.add_argument('--dialog', action='store_true', help="the preview and the presets of GIMP 2.10's dialog alone")
run(parser, 'mountains.jpg', [], in_windows)
