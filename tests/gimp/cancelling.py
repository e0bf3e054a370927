# SPDX-License-Identifier: LGPL-3.0-or-later
"""Cancel in the middle of a long one, on a picture of 24 megapixels: while the preview computes, and while the result is made."""
import filecmp
import os
import time

from common import IMAGES
from session import folder_name, type_number
from stage import opened

SIZE = (6000, 4000)
# The property, how often Tab leads to its number, a value that makes it long, whether a second is enough for its preview.
LONG = {
    'tessera:median-blur': ('radius', 2, 40, False),
    'tessera:bilateral-grid': ('spatial-sigma', 2, 1, True),
}
CANCEL = (1245, 832)                # beside the bar of progress of 2.10, in a window of 1300x800 at (10, 30); GIMP 3 wants Escape
# GIMP 3.0.4 handles Escape while it merges, which may free the filter whose applicator it needs once more at the end
# (gimp_drawable_merge_filter, which keeps no reference); any filter can meet that, so GIMP gets a second try.
FREED = 'gimp_applicator_set_cache: assertion'
IN_THE_MIDDLE = 0.5                 # seconds
ANSWER = 5                          # seconds, until GIMP answers again; a load of other programs is not ours
REST = 20                           # seconds that it still computes; waiting for a busy processor does not count


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


def stops(session, dialog):
    """When the dialog is gone and GIMP answers, and what it computed until the work had ended: seconds, or None."""
    began = time.monotonic()
    gone = until(lambda: dialog not in session.screen.windows(), 60)
    answer = session.answers()
    answer = None if answer is None else time.monotonic() - began
    rest = (answer or 0) + session.computed if session.settle(600) else None
    return gone, answer, rest


def report_stop(report, name, gone, answer, rest):
    report.check(f'{name}: the dialog closes and GIMP answers within {ANSWER} s', gone is not None and answer is not None and answer <= ANSWER,
                 f'dialog {seconds(gone)}, answer {seconds(answer)}')
    report.check(f'{name}: nothing computes after {REST} s', rest is not None and rest <= REST, f'at rest after {seconds(rest)}')


def seconds(time_or_none):
    return 'never' if time_or_none is None else f'{time_or_none:.1f} s'


def died_of_its_own(session):
    with open(os.path.join(session.screen.folder, 'gimp.log'), encoding='utf-8', errors='replace') as file:
        return not session.alive() and FREED in file.read()


def cancel_one(report, session, operation, first, original, work, last_try):
    """Whether it was tried to the end."""
    property_name, tabs, value, quick = LONG[operation['name']]
    gimp, name = session.gimp, f'GIMP {session.gimp.version}: {operation["name"]} {property_name}={value}, 24 Mpix'
    # What the preview has computed GIMP 3 takes over: there is nothing left to cancel.
    for what in ('preview', 'result')[:1 if quick and gimp.effects else 2]:
        found = session.dialog(operation, what == 'result', tabs)
        if not report.check(f'{name}: the dialog opens', found and operation['title'] in found[1], str(found)):
            session.screen.key('Escape')
            return True
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
        times = stops(session, found[0])
        if died_of_its_own(session) and not last_try:
            print(f'{name}, {what} cancelled: GIMP used a filter that it had freed; once more', flush=True)
            return False
        report_stop(report, f'{name}, {what} cancelled', *times)
        if not report.check(f'{name}, {what} cancelled: alive', session.alive()):
            return True
        if what == 'result' and gimp.effects and session.changed():
            # GIMP 3 finishes a merge whatever is pressed: then it is one step of undo
            print(f'{name}, {what} cancelled: GIMP finished it', flush=True)
            report.check(f'{name}, {what} cancelled: one undo brings the picture back', session.undo(120))
            session.settle()
        report.check(f'{name}, {what} cancelled: no change is left', not session.changed())
        unchanged(report, session, f'{name}, {what} cancelled', original, work)
    return True


def cancelling(report, installed, kind, operations, given):
    work = installed.work
    original, as_opened = os.path.join(work, 'picture.ppm'), os.path.join(work, 'opened.ppm')
    installed.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', original, '--', 'gegl:scale-size', f'x={SIZE[0]}', f'y={SIZE[1]}',
                        'gegl:crop', f'width={SIZE[0]}', f'height={SIZE[1]}', 'gegl:ppm-save', f'path={original}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    left = [operation for name in LONG for operation in operations if operation['name'] == name]
    for last_try in (False, True):
        if left:
            left = cancel_all(report, installed, kind, left, given, (original, as_opened), last_try)


def cancel_all(report, installed, kind, operations, given, pictures, last_try):
    """The operations that are left to try, because GIMP died."""
    original, as_opened = pictures
    with opened(report, installed, kind, given, 'cancel', f'GIMP {kind.version}, 24 Mpix,', original, served=True) as session:
        if not session:
            return []
        session.settle()
        session.ask(session.gimp.save_opened(as_opened), 300)
        for i, operation in enumerate(operations):
            if not cancel_one(report, session, operation, i == 0, as_opened, installed.work, last_try):
                return operations[i:]
            if not session.alive():
                break
    return []
