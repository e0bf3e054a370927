# SPDX-License-Identifier: LGPL-3.0-or-later
"""The dialog of GIMP 2.10's plug-in on a screen: its preview begins in the middle and zooms out; presets are saved, chosen and deleted."""
import array
import configparser
import os
import time

from common import Picture
from pixels import write_png
from session import type_number
from stage import opened

OPERATION = 'tessera:mean-blur'
WIDTH, HEIGHT = 1600, 1200
MIDDLE = (560, 420, 480, 360)               # of another colour, larger than the preview at full size
CHOSEN = (60, 60, 200, 160)                 # what is selected
ON_PREVIEW, ON_NAME = ('220', '200'), ('150', '26')     # places in the dialog
OUTER, INNER, CORNER = (200, 40, 40), (40, 160, 60), (40, 60, 200)


def colored(path):
    data = array.array('B', OUTER * (WIDTH * HEIGHT))
    for (x, y, width, height), color in ((MIDDLE, INNER), (CHOSEN, CORNER)):
        for row in range(y, y + height):
            start = 3 * (row * WIDTH + x)
            data[start:start + 3 * width] = array.array('B', color * width)
    write_png(path, WIDTH, HEIGHT, data, 3)


def seen(session, window, name):
    """How many pixels of the dialog have each of the three colours."""
    session.settle(60)
    session.screen.shot(name)
    path = os.path.join(session.screen.folder, name + '.ppm')
    session.screen.say('import', '-window', window, '-depth', '8', path)
    picture = Picture(path)
    os.remove(path)
    data, count = picture.pixels, picture.channels
    known = {color: 0 for color in (OUTER, INNER, CORNER)}
    for i in range(0, len(data), count):
        color = tuple(round(value) for value in data[i:i + 3])
        if color in known:
            known[color] += 1
    return known


def preview(report, session, operation):
    name = 'GIMP 2.10: the preview'
    session.screen.key('ctrl+shift+a')
    found = session.dialog(operation)
    if not report.check(f'{name}: the dialog opens', found, str(found)):
        return
    colors = seen(session, found[0], 'preview-begins')
    report.check(f'{name} begins in the middle of the picture', colors[INNER] > 50000 and not colors[OUTER] and not colors[CORNER], str(colors))
    session.screen.say('xdotool', 'mousemove', '--window', found[0], *ON_PREVIEW, *['click', '5'] * 6)
    colors = seen(session, found[0], 'preview-whole')
    report.check(f'{name} shows the whole picture when the wheel is turned', all(colors.values()) and colors[OUTER] > 2 * colors[INNER], str(colors))
    session.screen.key('Escape')
    time.sleep(1)
    session.ask(f'(gimp-image-select-rectangle {session.gimp.opened} CHANNEL-OP-REPLACE {" ".join(map(str, CHOSEN))})')
    found = session.dialog(operation, again=True)
    colors = found and seen(session, found[0], 'preview-selected')
    report.check(f'{name} begins in the middle of what is selected', colors and colors[CORNER] > 10000 and not colors[INNER], str(colors))
    session.screen.key('Escape')
    session.ask(f'(gimp-selection-none {session.gimp.opened})')


def kept(session):
    """{name: settings} of the file."""
    file = configparser.RawConfigParser(delimiters='=')
    file.optionxform = str
    file.read(os.path.join(session.gimp.profile, 'tessera-presets.ini'), encoding='utf-8')
    return dict(file[OPERATION]) if OPERATION in file else {}


def write_name(session, window, name):
    session.screen.say('xdotool', 'mousemove', '--window', window, *ON_NAME, 'click', '1')
    time.sleep(0.5)
    session.screen.say('xdotool', 'key', 'ctrl+a')
    session.screen.type(name)


def presets(report, session, operation):
    name = 'GIMP 2.10: a preset'
    session.screen.key('ctrl+shift+a')
    found = session.dialog(operation, again=True, tabs=2)
    if not report.check(f'{name}: the dialog opens', found, str(found)):
        return
    type_number(session, 17)
    write_name(session, found[0], 'wide = 17')
    session.screen.key('alt+s')
    time.sleep(1)
    session.screen.shot('preset-saved')
    report.check(f'{name} is saved under its name', kept(session) == {'wide %3D 17': "radius='17'"}, str(kept(session)))
    session.screen.key('alt+r')                             # Reset, and choose it again
    time.sleep(1)
    write_name(session, found[0], '')
    session.screen.key('BackSpace', 'Down')
    time.sleep(1)
    session.screen.shot('preset-chosen')
    session.press_ok(found[0])
    remembered = session.ask(f'(caddar (gimp-get-parasite "{session.gimp.procedure(OPERATION)}"))')
    report.check(f'{name} that is chosen sets the controls', remembered and "radius='17'" in remembered, str(remembered))
    found = session.dialog(operation, again=True)
    write_name(session, found[0], 'wide = 17')
    session.screen.key('alt+d')
    time.sleep(1)
    session.screen.shot('preset-deleted')
    report.check(f'{name} is deleted', kept(session) == {}, str(kept(session)))
    session.screen.key('Escape')


def dialog_of_210(report, installed, kind, operations, given):
    operation = next((operation for operation in operations if operation['name'] == OPERATION), None)
    if kind.effects or not operation:
        return
    path = os.path.join(installed.work, 'picture-of-three-colors.png')
    colored(path)
    with opened(report, installed, kind, given, 'dialog', picture=path, served=True) as session:
        if session:
            preview(report, session, operation)
            presets(report, session, operation)
            session.focus()
            session.screen.key(*['ctrl+z'] * 4)             # a picture that was changed GIMP would save when it is ended, and ask about
            report.check('GIMP 2.10: undo brings the picture and what was selected back', session.screen.wait(lambda: not session.changed(), 10))
            report.check('GIMP 2.10 is alive after its dialogs', session.alive())
