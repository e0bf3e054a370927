# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align Visible Layers as a person uses it: found in the search, its dialog, one step of undo that returns every pixel, and Cancel in the
middle, after which the image is as it was."""
import filecmp
import os
import time

from aligning import add_layer, make_frames
from cancelling import CANCEL
from stage import opened

WORDS, TITLE = 'align visible layers by content', 'Align Visible Layers by Content'
LARGE = 8                           # times as wide: so that there is a middle
FRAMES = ('turned', 'shifted')


def make_image(installed, gimp, path, times):
    """The frames as half transparent layers: what is seen depends on all of them."""
    frames = make_frames(installed, ('first', *FRAMES))
    see_through = '(gimp-layer-set-opacity copy 50)'
    steps = ['(gimp-item-set-name layer "first")', *(add_layer(frames[name], name) + see_through for name in FRAMES)]
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


def same(one, other):
    return os.path.exists(one) and os.path.exists(other) and filecmp.cmp(one, other, shallow=False)


def start(report, session, name):
    found = session.search(WORDS, 'align-layers')
    if report.check(f'{name}: its dialog opens from the search', found and TITLE in found[1], str(found)):
        session.screen.key('Return')
        return True
    session.screen.key('Escape', 'Escape')
    return False


def one_step(report, session, name, work):
    before = seen(session, work, 'before')
    if not start(report, session, name):
        return
    changed = session.screen.wait(session.changed, 60)
    session.settle()
    session.screen.shot('align-layers-done')
    after = seen(session, work, 'after')
    report.check(f'{name}: OK changes the picture', changed and os.path.exists(after) and not same(before, after))
    told = session.screen.wait(lambda: any(TITLE in title for title in session.screen.windows().values()), 20)
    report.check(f'{name}: the report is a window', told, str(session.screen.windows()))
    session.screen.key('Escape')
    report.check(f'{name}: one undo brings it back', session.undo())
    session.settle()
    report.check(f'{name}: each pixel', same(before, seen(session, work, 'undone')))


def cancelled(report, session, name, work):
    before = seen(session, work, 'before')
    if not start(report, session, name):
        return
    time.sleep(1)
    report.check(f'{name}: Cancel comes in the middle', session.screen.wait(session.busy, 5) and not session.changed())
    session.screen.click(*CANCEL)
    time.sleep(1)
    session.screen.shot('align-layers-cancelled')
    report.check(f'{name}: it ends at once', not session.busy())
    session.settle()
    session.screen.key('Escape')                            # a message, where that is a window
    report.check(f'{name}: after Cancel nothing is changed', not session.changed() and same(before, seen(session, work, 'cancelled')))


def align_in_windows(report, installed, kind, given):
    gimp = kind(installed.gegl.env, installed.work)
    for part, times, test in (('align', 1, one_step), ('align-cancel', LARGE, cancelled)):
        name, path = f'GIMP {kind.version}: aligned layers{"" if times == 1 else ", large"}', os.path.join(installed.work, f'picture-{part}.xcf')
        if not report.check(f'{name}: an image is made', make_image(installed, gimp, path, times)):
            continue
        with opened(report, installed, kind, given, part, name, path, served=True) as session:
            if session:
                test(report, session, name, installed.work)
                report.check(f'{name}: alive at the end', session.alive())
