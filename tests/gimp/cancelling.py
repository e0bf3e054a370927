# SPDX-License-Identifier: LGPL-3.0-or-later
"""Cancel in the middle of a long one, on a picture of 24 megapixels: while the preview computes, and while the result is made."""
import filecmp
import os
import time

from common import IMAGES
from session import Session, folder_name, search_words, type_number

SIZE = (6000, 4000)
# The property, how often Tab leads to its number, a value that makes it long, whether a second is enough for its preview.
LONG = {
    'tessera:median-blur': ('radius', 2, 40, False),
    'tessera:bilateral-grid': ('spatial-sigma', 2, 1, True),
}
CANCEL = (1245, 832)                # beside the bar of progress of 2.10, in a window of 1300x800 at (10, 30); GIMP 3 wants Escape
IN_THE_MIDDLE = 0.5                 # seconds
ANSWER = 5                          # seconds, until GIMP answers again; a load of other programs is not ours
REST = 20                           # seconds, until nothing computes any more


def until(condition, seconds):
    """How long it took; None where it did not come."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if condition():
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def unchanged(report, session, name, original, work):
    for what, script in (('seen', session.gimp.seen), ('saved', session.gimp.save_opened)):
        path = os.path.join(work, f'cancel-{what}.ppm')
        session.ask(script(path), 300)
        report.check(f'{name}: what is {what} is the picture as it was', os.path.exists(path) and filecmp.cmp(path, original, shallow=False))
        if os.path.exists(path):
            os.remove(path)


def stops(report, session, name, dialog):
    """After that the dialog goes, GIMP answers, the work ends."""
    began = time.monotonic()
    gone = until(lambda: dialog not in session.screen.windows(), 60)
    answer = session.answers()
    answer = None if answer is None else time.monotonic() - began
    rest = session.settle(120) and time.monotonic() - began - 2
    report.check(f'{name}: the dialog closes and GIMP answers within {ANSWER} s', gone is not None and answer is not None and answer <= ANSWER,
                 f'dialog {seconds(gone)}, answer {seconds(answer)}')
    report.check(f'{name}: nothing computes after {REST} s', rest and rest <= REST, f'at rest after {seconds(rest)}')


def seconds(time_or_none):
    return f'{time_or_none:.1f} s' if time_or_none else 'never'


def cancel_one(report, session, operation, first, original, work):
    property_name, tabs, value, quick = LONG[operation['name']]
    gimp, name = session.gimp, f'GIMP {session.gimp.version}: {operation["name"]} {property_name}={value}, 24 Mpix'
    # What the preview has computed GIMP 3 takes over: there is nothing left to cancel.
    for what in ('preview', 'result')[:1 if quick and gimp.effects else 2]:
        found = session.search(search_words(operation), folder_name(operation)) if what == 'preview' else session.again(folder_name(operation))
        if not report.check(f'{name}: the dialog opens', found and operation['title'] in found[1], str(found)):
            return session.screen.key('Escape')
        session.screen.say('xdotool', 'windowactivate', '--sync', found[0])
        session.screen.key(*['Tab'] * tabs)
        type_number(session, value)
        if what == 'result':
            if gimp.effects and first:
                session.screen.key('alt+m')                 # Merge filter; GIMP leaves it so for the next
            session.screen.key('alt+o')
        time.sleep(IN_THE_MIDDLE)
        busy = session.screen.wait(session.busy, 5) if what == 'result' else session.busy()
        during = session.answers()
        print(f'{name}: in the middle of its {what} GIMP is {"busy" if busy else "idle"} and answers after {seconds(during)}', flush=True)
        session.screen.shot(f'{folder_name(operation)}-cancelled-{what}')
        if what == 'result' or (gimp.effects and not quick):      # 2.10 previews a small piece
            report.check(f'{name}: Cancel comes in the middle of its {what}', busy)
        if what == 'result' and not gimp.effects:
            session.screen.click(*CANCEL)
        else:
            session.screen.say('xdotool', 'key', 'Escape')
        stops(report, session, f'{name}, {what} cancelled', found[0])
        if not report.check(f'{name}, {what} cancelled: alive', session.alive()):
            return
        if what == 'result' and gimp.effects and session.changed():
            # GIMP 3.0 finishes a merge whatever is pressed: then it is one step of undo
            print(f'{name}, {what} cancelled: GIMP finished it', flush=True)
            session.screen.say('xdotool', 'windowactivate', '--sync', session.window)
            session.screen.key('ctrl+z')
            session.settle()
        report.check(f'{name}, {what} cancelled: no change is left', not session.changed())
        unchanged(report, session, f'{name}, {what} cancelled', original, work)


def cancelling(report, installed, kind, operations, given):
    gimp, work = kind(installed.gegl.env, installed.work), installed.work
    original = os.path.join(work, 'picture.ppm')
    installed.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', original, '--', 'gegl:scale-size', f'x={SIZE[0]}', f'y={SIZE[1]}',
                        'gegl:crop', f'width={SIZE[0]}', f'height={SIZE[1]}', 'gegl:ppm-save', f'path={original}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    session = Session(installed, gimp, os.path.join(given.out, f'gimp-{gimp.version}-cancel'), original, served=True)
    try:
        if report.check(f'GIMP {gimp.version} opens a picture of 24 Mpix', session.window and session.screen.wait(session.answers, 30)):
            session.settle()
            as_opened = os.path.join(work, 'opened.ppm')
            session.ask(gimp.save_opened(as_opened), 300)
            long = [operation for name in LONG for operation in operations if operation['name'] == name]
            for operation in long:
                if session.alive():
                    cancel_one(report, session, operation, operation is long[0], as_opened, work)
    finally:
        session.screen.close()
