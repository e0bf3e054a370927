# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align Visible Layers as a person uses it: found in the search, its dialog, one step of undo that returns every pixel of each layer, its size
and its place, and redo; Cancel while the layers are found, early and late, after which the image is as it was; and the same button and key while
GIMP moves layers with masks, which change nothing."""
import filecmp
import os
import time

import watched
from aligning import add_layer, layers_of, make_frames
from aligning_pixels import FLATTENED, MASK
from cancelling import ANSWER, CANCEL
from gimp_program import Gimp3
from pixels import read
from session import status
from stage import opened

WORDS, TITLE = 'align visible layers by content', 'Align Visible Layers by Content'
LARGE, MANY = 8, 4                  # times as wide, times as many: so that there is a middle
FRAMES = ('turned', 'shifted')
BUTTON = (CANCEL[0] - 10, CANCEL[1] - 8, 40, 16)            # a piece of Cancel's


LATER = (0, 1, 2.5)                 # seconds


def make_image(installed, gimp, path, times, frames_of_it, more=''):
    """The frames as half transparent layers: what is seen depends on all of them."""
    frames = make_frames(installed, ('first', *FRAMES))
    see_through = '(gimp-layer-set-opacity copy 50)'
    steps = ['(gimp-item-set-name layer "first")', *(add_layer(frames[name], name) + see_through + more for name in frames_of_it)]
    if times > 1:
        steps.append(f'(gimp-image-scale image (* {times} (car ({gimp.width} image))) (* {times} (car ({gimp.height} image))))')
    gimp.run(gimp.job(0, frames['first'], [*steps, gimp.save(path)]), GEGL_USE_OPENCL='no')
    return os.path.exists(path)


def seen(session, work, name):
    path = os.path.join(work, f'aligning-{name}.ppm')
    if os.path.exists(path):
        os.remove(path)
    session.ask(session.gimp.seen(path), 300)
    return path


def geometry(session):
    """Of each layer: its number, size, place and whether it has alpha, as a text."""
    drawable = 'gimp-drawable-get' if isinstance(session.gimp, Gimp3) else 'gimp-drawable'
    numbers = f'(append (list one (car ({drawable}-width one)) (car ({drawable}-height one)) (if (member (car (gimp-drawable-has-alpha one)) (list TRUE #t)) 1 0)) ({drawable}-offsets one))'
    return session.ask(f'(let* ((image {session.gimp.opened})) (unbreakupstr (map (lambda (one) (unbreakupstr (map number->string {numbers}) " ")) {layers_of(session.gimp)}) "; "))')


def raw(session, work, name):
    """[geometry, the pixels of each layer, whole and as they are stored]."""
    session.settle()
    found = [geometry(session)]
    for i in range(1 + len(FRAMES)):
        path = os.path.join(work, f'aligning-{name}-{i}.png')
        alone = f'(for-each (lambda (one) (if (not (= one layer)) (gimp-image-remove-layer image one))) {layers_of(session.gimp)})'
        session.ask(f'(let* ((image (car (gimp-image-duplicate {session.gimp.opened}))) (layer (list-ref {layers_of(session.gimp)} {i}))) {alone} (gimp-layer-set-opacity layer 100) '
                    f'(gimp-image-resize-to-layers image) {session.gimp.save(path)} (gimp-image-delete image))', 120)
        found.append(read(path).data if os.path.exists(path) else None)
    return found


def same(one, other):
    return os.path.exists(one) and os.path.exists(other) and filecmp.cmp(one, other, shallow=False)


def start(report, session, name):
    found = session.search(WORDS, 'align-layers')
    if report.check(f'{name}: its dialog opens from the search', found and TITLE in found[1], str(found)):
        session.screen.key('Return')
        return True
    session.screen.key('Escape', 'Escape')
    return False


def told(session):
    """The report's window, or None."""
    return next((number for number, title in session.screen.windows().items() if TITLE in title), None)


def undone(report, session, name, work, before):
    """The report is closed, and one step of undo taken."""
    if window := told(session):
        session.focus(window)
    session.screen.key('Escape')
    report.check(f'{name}: one undo brings it back', session.undo())
    session.settle()
    report.check(f'{name}: each pixel', same(before, seen(session, work, 'undone')))


def one_step(report, session, name, work):
    before, stored = seen(session, work, 'before'), raw(session, work, 'before')
    if not start(report, session, name):
        return
    changed = session.screen.wait(session.changed, 60)
    session.settle()
    session.screen.shot('align-layers-done')
    after = seen(session, work, 'after')
    report.check(f'{name}: OK changes the picture', changed and os.path.exists(after) and not same(before, after))
    report.check(f'{name}: the report is a window', session.screen.wait(lambda: told(session), 20), str(session.screen.windows()))
    session.screen.key('Escape')
    moved = raw(session, work, 'moved')
    report.check(f'{name}: OK changes sizes, places and pixels of those above', None not in stored + moved and [a != b for a, b in zip(stored, moved)] == [True, True, True, False],
                 f'{stored[0]}, then {moved[0]}')
    undone(report, session, name, work, before)
    report.check(f'{name}: each layer is as it was', raw(session, work, 'back') == stored, f'{stored[0]}, then {geometry(session)}')
    session.focus()
    session.screen.key('ctrl+y')
    session.screen.wait(session.changed, 30)
    report.check(f'{name}: redo moves them again', raw(session, work, 'again') == moved, f'{moved[0]}, then {geometry(session)}')
    report.check(f'{name}: undo once more', session.undo())         # a GIMP that is ended with changes asks at its next start whether to recover them


# ------------------------------------------------------------------ phases --

def plug_in(session):
    """Its process, or None."""
    for pid in session.processes():
        try:
            with open(f'/proc/{pid}/cmdline', encoding='utf-8', errors='replace') as file:
                words = file.read().split('\0')
        except OSError:
            continue
        if any(os.path.basename(word).startswith('tessera') for word in words[:2]):
            return pid
    return None


def computes(session):
    """Whether the plug-in does, and whether GIMP does, for a quarter of a second."""
    pids = plug_in(session), session.program.pid
    before = [status(pid)[11:13] for pid in pids]
    time.sleep(0.25)
    return [bool(pid) and (status(pid)[11:13] != earlier or watched.Family.waits(pid)) for pid, earlier in zip(pids, before)]


def finds(session, without):
    """The layers are found: the plug-in computes, and GIMP shows Cancel, where it had `without`."""
    return computes(session)[0] and session.screen.piece(*BUTTON) != without


def moves(session):
    """The layers are moved: the plug-in waits for GIMP, which computes."""
    return plug_in(session) and all(computes(session) == [False, True] for _ in range(3))


def at_rest(session, work):
    """What is seen, and what is where Cancel comes."""
    before = seen(session, work, 'before')
    session.settle()
    return before, session.screen.piece(*BUTTON)


def cancelled(report, session, name, work):
    (before, without), stored = at_rest(session, work), geometry(session)
    for later in LATER:
        title = f'{name}, after {later} s'
        if not start(report, session, title):
            return
        report.check(f'{title}: Cancel comes while layers are found', session.screen.wait(lambda: finds(session, without), 20) and not session.changed())
        time.sleep(later)
        report.check(f'{title}: it still computes', plug_in(session) and not session.changed())
        session.screen.click(*CANCEL)
        ended = session.screen.wait(lambda: not plug_in(session) and not session.busy(), ANSWER)
        session.screen.shot('align-layers-cancelled')
        report.check(f'{title}: it ends at once', ended)
        session.settle()
        session.screen.key('Escape')                        # a message, where that is a window
        report.check(f'{title}: after Cancel nothing is changed', not session.changed() and same(before, seen(session, work, 'cancelled')) and geometry(session) == stored)


def moved(report, session, name, work):
    """GIMP's transform has no Cancel: what is pressed where it was must not leave some of the layers moved."""
    before, without = at_rest(session, work)
    if not start(report, session, name):
        return
    found = session.screen.wait(lambda: finds(session, without), 20) and session.screen.wait(lambda: moves(session), 60)
    session.screen.shot('align-layers-moving')
    report.check(f'{name}: a press comes while layers are moved', found and told(session) is None)
    session.screen.click(*CANCEL)
    session.screen.say('xdotool', 'key', 'Escape')
    report.check(f'{name}: it goes on, and the report comes', session.screen.wait(lambda: told(session), 300))
    session.settle()
    session.screen.shot('align-layers-moved')
    report.check(f'{name}: the picture is changed', session.changed() and not same(before, seen(session, work, 'moved')))
    undone(report, session, name, work, before)


def align_in_windows(report, installed, kind, given):
    gimp = kind(installed.gegl.env, installed.work)
    for part, times, frames, test, more in (('align', 1, FRAMES, one_step, FLATTENED), ('align-cancel', LARGE, FRAMES * MANY, cancelled, ''), ('align-move', LARGE, FRAMES, moved, MASK)):
        name, path = f'GIMP {kind.version}: aligned layers{"" if times == 1 else f", large, {len(frames)}"}', os.path.join(installed.work, f'picture-{part}.xcf')
        if not report.check(f'{name}: an image is made', make_image(installed, gimp, path, times, frames, more)):
            continue
        with opened(report, installed, kind, given, part, name, path, served=True) as session:
            if session:
                test(report, session, name, installed.work)
                report.check(f'{name}: alive at the end', session.alive())
