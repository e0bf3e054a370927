# SPDX-License-Identifier: LGPL-3.0-or-later
"""GIMP 3 with its windows: `border=none` by its menus on a picture without alpha, and the filter browser of GIMP 3.2."""
import os
import time

from common import Picture
from gimp_program import THEME
from stage import opened

OPERATION = 'tessera:mean-blur'
# With the preference, a filter does at once what it did last, which GIMP keeps among the presets; in GIMP 3.2 its dialog begins with that.
PREFERENCE = '(filter-tool-use-last-settings yes)\n'
LAST = '(GimpGegl-tessera-mean-blur-config "last"\n    (time 1790000000)\n    (radius 9)\n    (border none))\n'


def borders(report, installed, kind, operations, expected, given):
    """Its menus make what the gegl command makes, but for the alpha that the layer cannot take."""
    operation = next((operation for operation in operations if operation['name'] == OPERATION), None)
    if not operation:
        return
    file = os.path.join(kind(installed.gegl.env, installed.work).profile, 'filters', 'GimpGegl-tessera-mean-blur-config.settings')
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, 'w', encoding='utf-8') as settings:
        settings.write(LAST)
    wanted, name = expected(installed, OPERATION, 'radius=9 border=none'), f'GIMP {kind.version}: border=none by its menus'
    with opened(report, installed, kind, given, 'border', served=True, rc=PREFERENCE) as session:
        if session:
            found = session.dialog(operation)               # none comes in 3.0
            report.check(f'{name}: the picture is changed', session.press_ok(found[0]) if found else session.changed())
            session.settle()
            path = os.path.join(installed.work, 'border.ppm')
            session.ask(session.gimp.save_opened(path), 300)
            worst = Picture(path).difference(wanted) if os.path.exists(path) else 'no picture,'
            report.check(f'{name}: the pixels are right', worst in (0, 1), f'{worst} off at most')
            alpha = session.ask(f'(let* ((image {session.gimp.opened})) (number->string (car (gimp-drawable-has-alpha {session.gimp.first_layer}))))')
            report.check(f'{name}: the layer has no alpha, as after a script', alpha in ('0', '"0"', '#f'), str(alpha))


def browser(report, installed, kind, operations, given):
    """It opens, finds ours, and GIMP says nothing of them.  Its picture is for looking."""
    if not kind.has_browser:
        return
    with opened(report, installed, kind, given, 'browser') as session:
        if not session:
            return
        found = session.search('filter browser', 'filter-browser')
        if report.check(f'GIMP {kind.version}: the filter browser opens', found, str(found)):
            session.focus(found[0])
            session.screen.type('tessera')
            time.sleep(5)
            session.screen.shot('filter-browser-tessera')
        report.check(f'GIMP {kind.version}: alive with its filter browser', session.alive())
    with open(os.path.join(session.screen.folder, 'gimp.log'), encoding='utf-8', errors='replace') as log:
        ours = [line.strip() for line in log if 'tessera' in line.lower() and THEME not in line]
    report.check(f'GIMP {kind.version}: no message of ours in its filter browser', not ours, ' | '.join(ours[:4]))
