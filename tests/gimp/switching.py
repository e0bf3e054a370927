# SPDX-License-Identifier: LGPL-3.0-or-later
"""OpenCL switched off and on in GIMP's preferences while a picture is open: right pixels before and
after, and each time the path that was chosen."""
import os
import re

from common import Picture
from stage import opened

OPERATION, VALUES = 'tessera:median-blur', {'radius': 7}
# What a line of ours says: it ran there, GEGL has it switched off, or it is there but slower than C.
PATH = re.compile(r'tessera: median-blur.*?: .*?(OpenCL is off|is a processor|OpenCL on)')
# By TESSERA_OPENCL: what is said with it on and off.  What is forced fails where it is off.
SAID = {'force': ('OpenCL on', 'OpenCL is off'), 'auto': ('is a processor', 'OpenCL is off')}


def switch(session):
    """Playground is the fifth page, and "Use OpenCL" on it has the letter P."""
    found = session.search('preferences', 'preferences')
    session.screen.key(*['Down'] * 4, 'alt+p')
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
    """What the filter says that it ran on meanwhile."""
    log = os.path.join(session.screen.folder, 'gimp.log')
    start = os.path.getsize(log)
    session.ask(script, 300)
    with open(log, encoding='utf-8', errors='replace') as file:
        file.seek(start)
        return set(PATH.findall(file.read()))


def switching(report, installed, kind, wanted, given):
    """`wanted` makes what the gegl command does."""
    picture = wanted(installed, OPERATION, ' '.join(f'{key}={value}' for key, value in VALUES.items()))
    for mode, said in SAID.items():
        with opened(report, installed, kind, given, f'opencl-{mode}', served=True, rc='(use-opencl yes)\n',
                    GEGL_USE_OPENCL='cpu', TESSERA_OPENCL=mode, TESSERA_DEBUG='paths') as session:
            if session:
                switch_twice(report, session, mode, said, picture, installed.work)
                report.check(f'GIMP {kind.version}: alive after switching', session.alive())


def switch_twice(report, session, mode, said, picture, work):
    path = os.path.join(work, 'switched.ppm')
    for number in range(3):
        off = number == 1
        name = f'GIMP {session.gimp.version}, {mode}: OpenCL {"off" if off else "on"}{" in its preferences" if number else ""}'
        if number and not report.check(f'{name}: switched', switch(session)):
            return
        ran = paths(session, filtered(session, path))
        report.check(f'{name}: says "{said[off]}"', ran == {said[off]}, ', '.join(sorted(ran)))
        there = os.path.exists(path)
        if not (off and mode == 'force'):
            report.check(f'{name}: the pixels are right', there and Picture(path).difference(picture) <= 1)
        if there:
            os.remove(path)
