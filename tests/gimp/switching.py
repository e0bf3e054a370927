# SPDX-License-Identifier: LGPL-3.0-or-later
"""OpenCL switched off and on in GIMP's preferences while a picture is open: right pixels before and
after, and each time the path that was chosen."""
import os
import re

from common import Picture
from session import Session

OPERATION, VALUES = 'tessera:median-blur', {'radius': 7}
PATH = re.compile(r'tessera: median-blur\S*(?: \d+x\d+\S*)?: (OpenCL|C)\b')


def switch(session):
    """System Resources is the first page, and "Use OpenCL" has the letter P."""
    before = session.screen.windows()
    session.screen.say('xdotool', 'windowactivate', '--sync', session.window)
    session.screen.key('slash')
    session.settle(10)
    session.screen.type('preferences')
    session.settle(10)
    session.screen.key('Down', 'Return')
    found = session.new_window(before, 'preferences')
    session.screen.key('alt+p')
    session.screen.shot('preferences-switched')
    session.screen.key('alt+o')
    return found and session.screen.wait(lambda: found[0] not in session.screen.windows(), 20)


def filtered(session, path):
    """A copy of the opened picture, through the filter."""
    gimp = session.gimp
    how = gimp.apply(OPERATION, VALUES, gimp.effects)
    return f'(let* ((image (car (gimp-image-duplicate {gimp.opened}))) (layer {gimp.first_layer})) {how} ' \
           f'(set! layer (car (gimp-image-flatten image))) {gimp.save_ppm(path)} (gimp-image-delete image))'


def paths(session, script):
    """What the filter ran on meanwhile."""
    log = os.path.join(session.screen.folder, 'gimp.log')
    start = os.path.getsize(log)
    session.ask(script, 300)
    with open(log, encoding='utf-8', errors='replace') as file:
        file.seek(start)
        return set(PATH.findall(file.read()))


def switching(report, installed, kind, wanted, given):
    """`wanted` (words) makes what the gegl command does."""
    gimp, work = kind(installed.gegl.env, installed.work), installed.work
    session = Session(installed, gimp, os.path.join(given.out, f'gimp-{gimp.version}-opencl'), os.path.join(work, 'picture.png'), served=True,
                      rc='(use-opencl yes)\n', GEGL_USE_OPENCL='cpu', TESSERA_DEBUG='paths')
    path = os.path.join(work, 'switched.ppm')
    try:
        if not report.check(f'GIMP {gimp.version} opens a picture', session.window and session.screen.wait(session.answers, 30)):
            return
        picture = wanted(session, OPERATION, ' '.join(f'{key}={value}' for key, value in VALUES.items()), work)
        for number, where in enumerate(('OpenCL', 'C', 'OpenCL')):
            name = f'GIMP {gimp.version}: OpenCL {"on" if where == "OpenCL" else "off"}{" in its preferences" if number else ""}'
            if number and not report.check(f'{name}: switched', switch(session)):
                return
            ran = paths(session, filtered(session, path))
            report.check(f'{name}: runs on {where}', ran == {where}, f'on {sorted(ran)}')
            there = os.path.exists(path)
            report.check(f'{name}: the pixels are right', there and Picture(path).difference(picture) <= 1)
            if there:
                os.remove(path)
        report.check(f'GIMP {gimp.version}: alive after switching', session.alive())
    finally:
        session.screen.close()
