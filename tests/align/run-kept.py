#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-kept.py BUILD: which transforms of an earlier run tessera-stack takes. Whatever names, sizes and times the files have, the picture is that of a run that
knows nothing; what has only been touched or copied back is not found anew."""
import mmap
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, IMAGES

FRAMES, STRANGER = 6, 65534


def content(path):
    with open(path, 'rb') as file:
        return file.read()


class Stack:
    def __init__(self, build, work):
        self.gegl, self.work, self.n = Gegl(build), work, 0
        self.gegl.env['GEGL_USE_OPENCL'] = 'no'
        self.program = os.path.join(self.gegl.build, 'tools', 'stack', 'tessera-stack')
        made = self.path('made')
        os.mkdir(made)
        done = self.gegl.command([os.path.join(self.gegl.build, 'tests', 'align', 'frames'), os.path.join(IMAGES, 'mountains.jpg'), made, str(FRAMES), '3', '0', '0'])
        assert done.returncode == 0, done.stderr
        for i in range(FRAMES):         # all files have one size
            self.gegl.run([os.path.join(made, f'frame-{i}.png'), '-o', os.path.join(made, f'{i}.ppm'), '--', 'gegl:crop', 'x=40', 'y=40', 'width=420', 'height=320'])

    def path(self, *words):
        return os.path.join(self.work, *words)

    def folder(self, *which):
        """Frames with the names 0.ppm, 1.ppm ..., and one time."""
        self.n += 1
        folder = self.path(f'case-{self.n}')
        os.mkdir(folder)
        for i, k in enumerate(which):
            put(self.path('made', f'{k}.ppm'), os.path.join(folder, f'{i}.ppm'))
        return folder

    def run(self, *words, cwd=None):
        done = self.gegl.command([self.program, *words], cwd=cwd)
        return done.returncode, done.stderr.strip()

    def fresh(self, *words, cwd=None):
        """The picture of a run that knows nothing."""
        self.n += 1
        out = self.path(f'fresh-{self.n}.tif')
        code, lines = self.run(*words, '-o', out, cwd=cwd)
        assert code == 0, lines
        return content(out)


def put(path, target):
    """The bytes, with the time that all have."""
    with open(target, 'wb') as file:
        file.write(content(path))
    os.utime(target, (1e9, 1e9))


def names(folder, count=4):
    return [os.path.join(folder, f'{i}.ppm') for i in range(count)]


def spoil(out):
    """Whoever takes the transforms that are kept makes another picture."""
    text = content(out + '.transforms').decode()
    with open(out + '.transforms', 'w', encoding='utf-8') as file:
        file.write(re.sub(r'matrix .*', 'matrix 1 0 30 0 1 0 0 0 1\t', text))


def check(report, stack, what, change, takes=False):
    """A stack is made and `change` (folder, output, its frames) is done; it answers the frames of the second run, or nothing."""
    folder = stack.folder(0, 1, 2, 3)
    out, frames = os.path.join(folder, 'out.tif'), names(folder)
    code, lines = stack.run(*frames, '-o', out)
    spoil(out)
    now = change(folder, out, frames) or frames
    code2, lines2 = stack.run(*now, '-o', out)
    same = code == 0 and code2 == 0 and content(out) == stack.fresh(*now)
    report.check(f'{what}: {"what is kept is taken" if takes else "found anew"}', code == 0 and code2 == 0 and same != takes, f'{code} {lines} {code2} {lines2}')


def changes(report, stack):
    def made(k):
        return stack.path('made', f'{k}.ppm')

    def exchange(frames, *which):
        for name, k in zip(frames[1:], which):
            put(made(k), name)

    def replace(folder, frame):
        beside = os.path.join(folder, 'beside')
        put(made(4), beside)
        os.rename(beside, frame)

    def other_version(out):
        text = content(out + '.transforms')
        with open(out + '.transforms', 'wb') as file:
            file.write(text.replace(b'\nversion ', b'\nversion 0.'))

    def copied(folder, frames):
        for frame in frames:
            shutil.copy2(frame, os.path.join(folder, 'copy'))
            os.rename(os.path.join(folder, 'copy'), frame)

    check(report, stack, 'the same frames', lambda folder, out, frames: None, True)
    check(report, stack, 'frames that were touched', lambda folder, out, frames: [os.utime(frame) for frame in frames] and None, True)
    check(report, stack, 'frames that copies replaced', lambda folder, out, frames: copied(folder, frames), True)
    check(report, stack, 'frames that were exchanged', lambda folder, out, frames: exchange(frames, 2, 3, 1))
    check(report, stack, 'another reference', lambda folder, out, frames: put(made(5), frames[0]))
    check(report, stack, 'frames that others replaced', lambda folder, out, frames: [replace(folder, frame) for frame in frames[1:]] and None)
    check(report, stack, 'another version', lambda folder, out, frames: other_version(out))
    check(report, stack, 'another order', lambda folder, out, frames: frames[::-1])
    shutil.rmtree(stack.path('case-1'))
    out = stack.path('cut.tif')
    frames = names(stack.folder(0, 1, 2, 3))
    stack.run(*frames, '-o', out)
    text, fresh = content(out + '.transforms'), stack.fresh(*frames)
    before = text[:text.rindex(b'matrix ')]
    for what, cut in (('behind its first half', text[:len(text) // 2]), ('within its last number', before + b'matrix 1 0 30 0 1 0 0 0 1\t')):
        with open(out + '.transforms', 'wb') as file:
            file.write(cut)
        code, lines = stack.run(*frames, '-o', out)
        report.check(f'a file of transforms that is cut {what}', code == 0 and content(out) == fresh, lines)


def places(report, stack):
    """One relative name in two folders, one path by way of a link, and one name in several folders of one run."""
    first, second = stack.folder(0, 1, 2), stack.folder(0, 4, 5)
    out, relative = stack.path('relative.tif'), [f'{i}.ppm' for i in range(3)]
    stack.run(*relative, '-o', out, cwd=first)
    spoil(out)
    code, lines = stack.run(*relative, '-o', out, cwd=second)
    report.check('the same relative names in another folder', code == 0 and content(out) == stack.fresh(*relative, cwd=second), lines)
    link, out = stack.path('link'), stack.path('linked.tif')
    os.symlink(first, link)
    stack.run(*names(link, 3), '-o', out)
    spoil(out)
    os.remove(link)
    os.symlink(second, link)
    code, lines = stack.run(*names(link, 3), '-o', out)
    report.check('a link that leads to another folder', code == 0 and content(out) == stack.fresh(*names(link, 3)), lines)
    folders, out = [stack.path('equal', str(i)) for i in range(3)], stack.path('equal.tif')
    for k, folder in enumerate(folders):
        os.makedirs(folder)
        put(stack.path('made', f'{k}.ppm'), os.path.join(folder, 'a.ppm'))
    equal = [os.path.join(folder, 'a.ppm') for folder in folders]
    whole = stack.fresh(*names(stack.folder(0, 1, 2), 3))
    for time in ('first', 'second'):
        code, lines = stack.run(*equal, '-o', out)
        report.check(f'equal names in different folders, for the {time} time', code == 0 and content(out) == whole, lines)


def mapped(report, stack):
    """A program that keeps a map of a frame: a page that it has changed once tells no time when it is changed again."""
    out, frames = stack.path('mapped.tif'), names(stack.folder(0, 1, 2), 3)
    with open(frames[2], 'r+b') as file, mmap.mmap(file.fileno(), 0) as bytes_of_frame:
        bytes_of_frame[:] = content(frames[2])
        stack.run(*frames, '-o', out)
        bytes_of_frame[:] = content(stack.path('made', '4.ppm'))
        code, lines = stack.run(*frames, '-o', out)
        report.check('a frame that a map changes is found anew', code == 0 and content(out) == stack.fresh(*frames), lines)


def remarks(report, stack):
    """A part of another photograph stands where it is while the scene moves: what there is to know of the transform is told each time."""
    out, other, frames = stack.path('remarks.tif'), stack.path('other.ppm'), names(stack.folder(0, 1), 2)
    stack.gegl.run([os.path.join(IMAGES, 'friends.jpg'), '-o', other, '--', 'gegl:crop', 'width=420', 'height=320', 'gegl:ppm-save', f'path={other}'])
    stamp = content(other)[-420 * 320 * 3:]
    for path in frames:
        picture = bytearray(content(path))
        for row in range(240, 320):
            at = len(picture) - (320 - row) * 420 * 3
            picture[at:at + 210 * 3] = stamp[row * 420 * 3:row * 420 * 3 + 210 * 3]
        with open(path, 'wb') as file:
            file.write(picture)
    said = [stack.run(*frames, '-o', out) for _ in range(2)]
    report.check('what there is to know of a transform is told again when it is kept', 'two movements' in said[0][1] and said[0] == said[1], said)


def older(report, stack):
    """What an older version has kept is replaced; what only looks like it is another file."""
    out, frames = stack.path('older.tif'), names(stack.folder(0, 1, 2), 3)
    for head, is_ours in ((b'tessera-stack transforms 1\nfrom another time\n', True), (b'tessera-stack transforms of mine\n', False)):
        with open(out + '.transforms', 'wb') as file:
            file.write(head)
        code, lines = stack.run(*frames, '-o', out)
        there = content(out + '.transforms')
        report.check(f'a file that begins with {head[:26]} is {"replaced" if is_ours else "left alone"}',
                     code == 0 and not lines and b'matrix' in there if is_ours else code == 0 and 'is another file' in lines and there == head, f'{code} {lines}')


def links(report, stack):
    folder, mine = stack.folder(0, 1), stack.path('mine.txt')
    out, frames = os.path.join(folder, 'out.tif'), names(folder, 2)
    for victim in (mine, mine + '-none'):
        if victim == mine:
            with open(mine, 'w', encoding='utf-8') as file:
                file.write('tessera-stack transforms 2\nmy own notes\n')
        os.symlink(victim, out + '.transforms')
        code, lines = stack.run(*frames, '-o', out)
        report.check('a link in place of the file of transforms is replaced, not followed',
                     code == 0 and b'my own notes' in content(mine) and not os.path.exists(mine + '-none') and not os.path.islink(out + '.transforms'), lines)
        os.remove(out + '.transforms')
    if os.geteuid() != 0:
        print('not tested: links of another user; that needs root')
        return
    os.remove(out)
    os.symlink(mine, out)
    os.chown(out, STRANGER, STRANGER, follow_symlinks=False)
    code, lines = stack.run(*frames, '-o', out)
    report.check('a link of another user in place of the picture is refused', code == 2 and 'link of another user' in lines and b'my own notes' in content(mine), lines)


def main():
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-kept-') as work:
        stack = Stack(sys.argv[1], work)
        changes(report, stack)
        places(report, stack)
        mapped(report, stack)
        older(report, stack)
        remarks(report, stack)
        links(report, stack)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
