#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-long.py BUILD [--only OPERATION] [--seed N] [--out FOLDER]: a person at work in GIMP with its windows: fifty changes of a slider
while the preview computes, what memory is left afterwards; Cancel in the middle of a long one; OpenCL switched in the preferences; a border of nothing; the filter browser."""
import argparse
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from cancelling import cancelling
from common import Picture
from dialogs import borders, browser
from session import folder_name, type_number
from stage import opened, picture_of, run
from switching import switching

PARTS = ('sliders', 'cancel', 'opencl', 'border', 'browser')
CHANGES = 50
# A filter of each kind: local; of the whole image; the most costly.  The property, how often Tab leads to its number in the
# dialog, the least and the largest value, decimals.
SLIDERS = {
    'tessera:unsharp-mask': ('std-dev', 2, 0.5, 40, 1),
    'tessera:bilateral-grid': ('spatial-sigma', 2, 2, 50, 1),
    'tessera:equalize': ('clip-limit', 3, 1, 10, 2),
    'tessera:median-blur': ('radius', 2, 1, 40, 0),
}
# MiB that GIMP may have kept after fifty changes: what GEGL holds back of tiles for reuse is some float copies of the picture
# (12 MiB each); one copy left behind by each change would be 600.
KEPT = 100


def value_between(dice, low, high, decimals):
    value = round(dice.uniform(low, high), decimals)
    return int(value) if decimals == 0 else value


def change(session, dice, low, high, decimals):
    """One change of the slider, as people make them; the next comes before or after the preview is done."""
    kind = dice.choice(('type', 'type', 'Up', 'Down', 'Prior', 'Next'))
    if kind == 'type':
        type_number(session, value_between(dice, low, high, decimals))
    else:
        session.screen.say('xdotool', 'key', *[kind] * dice.randint(1, 3))
    time.sleep(dice.choice((0, 0.05, 0.2, 0.6)))


def saved(session, path, script):
    """The picture that the script saves; None where it fails."""
    session.ask(script, 300)
    return Picture(path) if os.path.exists(path) else None


def near(picture, wanted):
    """(whether they agree, in words how much not): in levels of 8 bits."""
    if picture is None:
        return False, 'no picture'
    worst = picture.difference(wanted)
    if worst <= 1:
        return True, ''
    count = sum(abs(a - b) > 1 for a, b in zip(picture.pixels, wanted.pixels)) if picture.same_shape(wanted) else 'all'
    return False, f'{worst} off at most, {count} values'


def preview_shows(session, wanted):
    """Whether the dialog of GIMP 2.10 shows the middle of that picture, where it begins, pixel by pixel."""
    path = os.path.join(session.screen.folder, 'preview.ppm')
    session.screen.say('import', '-window', 'root', '-depth', '8', path)
    screen, pitch, size = Picture(path), 0, 200
    os.remove(path)
    pitch, shown, rows = 3 * screen.width, screen.pixels.tobytes(), wanted.pixels.tobytes()

    def piece(y):
        start = 3 * ((y + (wanted.height - size) // 2) * wanted.width + (wanted.width - size) // 2)
        return rows[start:start + 3 * size]
    at = shown.find(piece(0))
    good = sum(shown[at + pitch * y:at + pitch * y + 3 * size] == piece(y) for y in range(size)) if at >= 0 else 0
    return good == size, f'{good} of {size} rows'


def slide(report, installed, session, operation, given, again):
    """Fifty changes and OK; then the pixels, on the screen and in the image, are those of the last value."""
    property_name, tabs, low, high, decimals = SLIDERS[operation['name']]
    gimp, dice = session.gimp, random.Random(f'{given.seed} {operation["name"]} {again}')
    name = f'GIMP {gimp.version}: {operation["name"]}, {CHANGES} changes of {property_name}'
    last = value_between(dice, low, high, decimals)
    found = session.dialog(operation, again, tabs)
    if not report.check(f'{name}: the dialog opens', found and operation['title'] in found[1], str(found)):
        return
    for _ in range(CHANGES - 1):
        change(session, dice, low, high, decimals)
    type_number(session, last)
    report.check(f'{name}: comes to rest', session.settle())
    session.screen.shot(f'{folder_name(operation)}-settled')
    wanted = expected(installed, operation['name'], f'{property_name}={last}')
    if gimp.effects:
        path = os.path.join(installed.work, 'preview.ppm')
        report.check(f'{name}: the preview is right everywhere', *near(saved(session, path, gimp.seen(path)), wanted))
    else:
        report.check(f'{name}: the preview is right', *preview_shows(session, wanted))
    if not report.check(f'{name}: OK changes the picture', session.press_ok(found[0])):
        session.screen.key('Escape')                        # not in the way of the others
    report.check(f'{name}: comes to rest after OK', session.settle())
    for what, script in (('seen', gimp.seen), ('saved', gimp.save_opened)):
        path = os.path.join(installed.work, f'{what}.ppm')
        report.check(f'{name}: what is {what} is what gegl makes of {property_name}={last}', *near(saved(session, path, script(path)), wanted))
        if os.path.exists(path):
            os.remove(path)


def expected(installed, operation, words):
    path = os.path.join(installed.work, 'wanted.ppm')
    installed.gegl.run([picture_of(installed), '-o', path, '--', operation, *words.split(), 'gegl:crop', 'width=1024', 'height=768',
                        'gegl:ppm-save', f'path={path}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    return Picture(path)


def sliders(report, installed, kind, operations, given):
    with opened(report, installed, kind, given, 'sliders', served=True) as session:
        for operation in operations if session else []:
            if operation['name'] in SLIDERS and not slide_twice(report, installed, session, operation, given):
                return


def slide_twice(report, installed, session, operation, given):
    """Whether GIMP is alive."""
    name, before = f'GIMP {session.gimp.version}: {operation["name"]}', []
    for again in (False, True):
        session.settle()
        before.append(session.memory())
        slide(report, installed, session, operation, given, again)
        if not report.check(f'{name}: alive', session.alive()):
            return False
        report.check(f'{name}: one undo brings the picture back', session.undo())
        session.settle()
    kept = session.memory() - before[-1]
    print(f'{name}: {before[0]:.0f}, {before[1]:.0f}, {session.memory():.0f} MiB', flush=True)
    report.check(f'{name}: memory after {CHANGES} changes is what it was', kept <= KEPT, f'{kept:.0f} MiB more')
    return True


def in_windows(report, installed, kind, operations, given):
    print(f'--seed {given.seed}', flush=True)
    parts = given.part or PARTS
    if 'sliders' in parts:
        sliders(report, installed, kind, operations, given)
    if 'border' in parts and kind.effects:
        borders(report, installed, kind, operations, expected, given)
    if 'browser' in parts and kind.effects:
        browser(report, installed, kind, operations, given)
    if 'cancel' in parts:
        cancelling(report, installed, kind, operations, given)
    # GEGL_USE_OPENCL=cpu, which a processor needs, outweighs the preferences in a plug-in of 2.10.
    if 'opencl' in parts and kind.effects:
        switching(report, installed, kind, expected, given)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--part', action='append', choices=PARTS, help='these parts alone')
parser.add_argument('--seed', type=int, default=random.randrange(10000), help='of the changes (one is printed)')
run(parser, 'seeding.jpg', ['--', 'gegl:png-save', 'path=PICTURE', 'bitdepth=8'], in_windows)
