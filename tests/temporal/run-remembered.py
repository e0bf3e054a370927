#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-remembered.py BUILD: what tessera-sequence goes on with. Blocks of other frames, of another dark frame, or that are not whole, are refused, whatever
names, sizes and times the files have; the same frames elsewhere are taken."""
import json
import mmap
import os
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report

FRAMES, SIZE, BEHIND = 24, 208, 70000   # what is behind so many bytes is not the beginning of a file
SETTINGS = ('--history', '4', '--block', '8', '--every', '0', '--pictures', '0')


def rewrite(path, change, renames=False):
    """The file's bytes, changed, with the times that it had; by a file that takes its place, or within it."""
    about = os.stat(path)
    with open(path, 'rb') as file:
        data = bytearray(file.read())
    change(data)
    beside = path + '.new' if renames else path
    with open(beside, 'r+b' if beside == path else 'wb') as file:
        file.write(data)
    os.utime(beside, ns=(about.st_atime_ns, about.st_mtime_ns))
    os.rename(beside, path)


def brighten(data):
    """Numbers of 16 bits, here and there, behind the beginning."""
    for at in range(BEHIND, BEHIND + 4000, 6):
        data[at:at + 2] = struct.pack('>h', min(struct.unpack('>h', data[at:at + 2])[0] + 900, 32767))


def exchange(path, other):
    """The ends of two files."""
    with open(path, 'rb') as file, open(other, 'rb') as file2:
        ours, theirs = file.read()[BEHIND:], file2.read()[BEHIND:]
    for name, end in ((path, theirs), (other, ours)):
        rewrite(name, lambda data, end=end: data.__setitem__(slice(BEHIND, None), end))


class Case:
    """A night of its own, and its results."""

    def __init__(self, sequence, report):
        self.sequence, self.report, self.n = sequence, report, 0
        self.field = sequence.field('field', FRAMES)
        self.names = sorted(os.listdir(self.field))
        self.dark = os.path.join(os.path.dirname(self.field), 'dark.fits')

    def run(self, *words):
        code, output, errors = self.sequence.run(*words, '--json', settings=SETTINGS)
        return code, output, errors

    def night(self):
        self.n += 1
        work = self.sequence.path(f'night-{self.n}')
        shutil.copytree(self.field, os.path.join(work, 'frames'))
        shutil.copy(self.dark, work)
        return work, os.path.join(work, 'frames'), os.path.join(work, 'found')

    def refused(self, what, change, said='other settings or frames', more=()):
        """`change` (folder of frames) makes another sequence of it; it answers what is then to be computed, or nothing."""
        work, frames, found = self.night()
        words = [word.format(work) for word in more]
        code, _, errors = self.run(frames, '-o', found, *words)
        with open(os.path.join(found, 'detections.csv'), 'rb') as file:
            before = file.read()
        now = change(frames) or frames
        code2, _, errors2 = self.run(now, '-o', found, *words)
        with open(os.path.join(found, 'detections.csv'), 'rb') as file:
            self.report.check(f'{what}: refused, in words, and what was found stays',
                              code == 0 and code2 == 2 and said in errors2 and file.read() == before, f'{code} {errors} {code2} {errors2}')

    def taken(self, what, change):
        _, frames, found = self.night()
        code, _, errors = self.run(frames, '-o', found)
        now = change(frames) or frames
        code2, output, errors2 = self.run(now, '-o', found)
        self.report.check(f'{what}: goes on', code == 0 and code2 == 0 and json.loads(output)['blocks_made'] == 0, f'{code} {errors} {code2} {errors2}')


def other_frames(case):
    def at(frames, i):
        return os.path.join(frames, case.names[i])

    def pointed(frames, change):
        link, copy = frames + '-link', frames + '-copy'
        shutil.copytree(frames, copy)
        change(at(copy, 5))
        os.symlink(copy, link)
        return link

    case.refused('a dark frame that was made anew', lambda frames: rewrite(os.path.join(os.path.dirname(frames), 'dark.fits'), brighten), 'dark',
                 ('--dark', '{}/dark.fits'))
    case.refused('a frame that was repaired within', lambda frames: rewrite(at(frames, 5), brighten), case.names[5])
    case.refused('the last frame', lambda frames: rewrite(at(frames, -1), brighten), case.names[-1])
    case.refused('a frame that took another\'s place', lambda frames: rewrite(at(frames, 11), brighten, True), case.names[11])
    case.refused('two frames that were exchanged', lambda frames: exchange(at(frames, 3), at(frames, 9)), case.names[3])
    case.refused('a link to a folder with another frame', lambda frames: pointed(frames, lambda path: rewrite(path, brighten)), case.names[5])
    case.refused('a frame that is cut now', lambda frames: os.truncate(at(frames, 5), BEHIND))
    case.refused('a frame that is missing now', lambda frames: os.remove(at(frames, 5)))
    case.taken('frames that were touched', lambda frames: [os.utime(at(frames, i)) for i in range(FRAMES)] and None)
    case.taken('a link to a copy of the frames', lambda frames: pointed(frames, lambda path: None))


def a_film(case):
    """Its frames come one after the other, and the first 64 KiB are those of the first."""
    path, found = case.sequence.path('film.ser'), case.sequence.path('film')
    with open(path, 'wb') as file:
        file.write(b'LUCAM-RECORDER' + struct.pack('<7i', 0, 0, 0, SIZE, SIZE, 16, FRAMES) + bytes(120) + struct.pack('<2q', 0, 0))
        for name in case.names:
            with open(os.path.join(case.field, name), 'rb') as frame:
                data = frame.read()[-2880 * ((2 * SIZE * SIZE + 2879) // 2880):][:2 * SIZE * SIZE]
            file.write(struct.pack(f'<{SIZE * SIZE}H', *(value + 32768 for value in struct.unpack(f'>{SIZE * SIZE}h', data))))
    code, _, errors = case.run(path, '-o', found)
    code2, output, _ = case.run(path, '-o', found)
    case.report.check('a film: what is done is not done again', code == 0 and code2 == 0 and json.loads(output)['blocks_made'] == 0, f'{code} {errors} {output}')
    copy = case.sequence.path('copy.ser')
    shutil.copy(path, copy)
    os.rename(copy, path)
    code, output, errors = case.run(path, '-o', found)
    case.report.check('a copy of the film: goes on', code == 0 and json.loads(output)['blocks_made'] == 0, f'{code} {errors}')
    rewrite(path, lambda data: data.__setitem__(slice(-4000, -3900), bytes(100)))
    code, _, errors = case.run(path, '-o', found)
    case.report.check('a film whose last frame is another one: refused', code == 2 and f'film.ser[{FRAMES - 1}]' in errors, f'{code} {errors}')


def timeless(case):
    """The same files, none of which says when it was."""
    folder = case.sequence.path('timeless')
    shutil.copytree(case.field, folder)
    for name in case.names:
        rewrite(os.path.join(folder, name), lambda data: data.__setitem__(slice(0, None), data.replace(b'DATE-OBS=', b'DAY-SEEN=', 1)))
    return folder


def lists_of(case, folder, found, orders):
    path = case.sequence.path('list.txt')
    for order, wanted, what in orders:
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(os.path.join(folder, name) for name in order) + '\n')
        code, _, errors = case.run(path, '-o', case.sequence.path(found))
        case.report.check(f'a list of files, {what}: {"taken" if wanted == 0 else "refused"}', code == wanted and ('other settings' in errors) == (code == 2),
                          f'{code} {errors}')


def a_list(case):
    names = case.names
    turned, fewer = names[:4] + names[5:3:-1] + names[6:], names[:-1]
    lists_of(case, case.field, 'listed', ((names, 0, 'new'), (names, 0, 'the same'), (turned, 0, 'turned, as times say the order'), (fewer, 2, 'one fewer')))
    lists_of(case, timeless(case), 'untimed', ((names, 0, 'without times'), (turned, 2, 'without times, turned')))


def blocks(case):
    """What is no block of this sequence, or not all of it, is none."""
    _, frames, found = case.night()
    case.run(frames, '-o', found)
    block, settings = os.path.join(found, 'blocks', '000001.txt'), os.path.join(found, 'settings.txt')
    with open(block, encoding='utf-8') as file:
        lines = file.readlines()
    last = max(i for i, line in enumerate(lines) if line.startswith('D'))
    for what, kept in (('without its last lines', lines[:last + 1]), ('without one detection', lines[:last] + lines[last + 1:]),
                       ('with a hash of nothing', [line if line[0] != 'H' else line[:-10] + '\n' for line in lines])):
        with open(block, 'w', encoding='utf-8') as file:
            file.writelines(kept)
        code, _, errors = case.run(frames, '-o', found)
        case.report.check(f'a block {what} is named', code == 2 and '000001.txt' in errors, f'{code} {errors}')
    os.remove(block)
    code, output, errors = case.run(frames, '-o', found)
    case.report.check('without it, it alone is made again', code == 0 and json.loads(output)['blocks_made'] == 1, f'{code} {errors}')
    with open(settings, encoding='utf-8') as file:
        text = file.read()
    with open(settings, 'w', encoding='utf-8') as file:
        file.write(text.replace('\nversion ', '\nversion 0.'))
    code, _, errors = case.run(frames, '-o', found)
    case.report.check('results of another version are refused', code == 2 and 'other settings' in errors and 'version' in errors, f'{code} {errors}')
    os.remove(settings)
    code, _, errors = case.run(frames, '-o', found, '--fwhm', '3')
    case.report.check('blocks of other settings, without settings.txt, are refused', code == 2 and 'other settings' in errors, f'{code} {errors}')
    os.remove(settings)
    code, output, errors = case.run(frames, '-o', found)
    case.report.check('... and those of the same are taken', code == 0 and json.loads(output)['blocks_made'] == 0, f'{code} {errors}')
    case.run(frames, '-o', case.sequence.path('planes'), '--write', 'whitened,background')
    os.remove(case.sequence.path('planes', 'background', '000012.fits'))
    code, output, errors = case.run(frames, '-o', case.sequence.path('planes'), '--write', 'whitened,background')
    case.report.check('a plane that is missing is made again', code == 0 and json.loads(output)['blocks_made'] == 1
                      and os.path.exists(case.sequence.path('planes', 'background', '000012.fits')), f'{code} {errors} {output}')


def parts(case):
    """Parts of copies are one sequence, and parts of other frames are none."""
    _, frames, _ = case.night()
    whole, first, second, other, merged = (case.sequence.path(name) for name in ('whole', 'first', 'second', 'other', 'merged'))
    case.run(case.field, '-o', whole)
    case.run(frames, '-o', first, '--part', '1/2')
    case.run(case.field, '-o', second, '--part', '2/2')
    code, _, errors = case.run('merge', first, second, '-o', merged)
    wrong = [name for name in sequence_test.TABLES[:3] if not sequence_test.filecmp.cmp(os.path.join(whole, name), os.path.join(merged, name), False)]
    case.report.check('parts of copies, merged, have the tables of the whole', code == 0 and not wrong, f'{code} {errors} {wrong}')
    code, _, errors = case.run('merge', whole, '-o', merged)
    case.report.check('the whole, merged into them, too', code == 0, f'{code} {errors}')
    rewrite(os.path.join(frames, case.names[7]), brighten)      # a frame of the first part, and of the second one's history
    case.run(frames, '-o', other, '--part', '2/2')
    for words, where in (((first, other), 'apart'), ((merged, other), 'twice')):
        code, _, errors = case.run('merge', *words, '-o', case.sequence.path(where))
        case.report.check(f'parts of other frames are refused ({where})', code == 2 and 'frame' in errors and 'take another folder' in errors, f'{code} {errors}')
    code, _, errors = case.run(frames, '-o', merged)
    case.report.check('what was merged is of its frames, not of others', code == 2 and case.names[7] in errors, f'{code} {errors}')


def mapped(case):
    """A program that keeps a map of a frame: a page that it has changed once tells no time when it is changed again."""
    _, frames, found = case.night()
    with open(os.path.join(frames, case.names[5]), 'r+b') as file, mmap.mmap(file.fileno(), 0) as bytes_of_frame:
        bytes_of_frame[:] = bytes(bytes_of_frame)
        code, _, errors = case.run(frames, '-o', found)
        data = bytearray(bytes_of_frame)
        brighten(data)
        bytes_of_frame[:] = bytes(data)
        code2, _, errors2 = case.run(frames, '-o', found)
    case.report.check('a frame that a map changes is another one', code == 0 and code2 == 2 and case.names[5] in errors2, f'{code} {errors} {code2} {errors2}')


def in_the_way(case):
    """Frames that lie where results will be are not written over."""
    for where, by_link, words in (('whitened', False, ('--write', 'whitened')), ('background', True, ('--write', 'background')), ('tracks', False, ())):
        folder, way = case.sequence.path('way-' + where), case.sequence.path('way-of-' + where)
        frames = os.path.join(folder, where)
        shutil.copytree(case.field, frames)
        os.symlink(frames, way)
        before = {name: open(os.path.join(frames, name), 'rb').read() for name in case.names}
        code, _, errors = case.run(way if by_link else frames, '-o', folder, *words)
        case.report.check(f'frames in {where}/ of the folder of results: refused', code == 2 and 'written over' in errors
                          and before == {name: open(os.path.join(frames, name), 'rb').read() for name in os.listdir(frames)}, f'{code} {errors}')
    folder = case.sequence.path('around')
    shutil.copytree(case.field, folder)
    code, _, errors = case.run(folder, '-o', folder, '--write', 'whitened')
    code2, output, errors2 = case.run(folder, '-o', folder, '--write', 'whitened')
    case.report.check('results in the folder of the frames: not taken for frames', code == 0 and code2 == 0 and json.loads(output)['frames'] == FRAMES
                      and json.loads(output)['blocks_made'] == 0, f'{code} {errors} {code2} {errors2}')


def main():
    report = Report()
    sequence_test.SIZE = SIZE
    with tempfile.TemporaryDirectory() as work:
        case = Case(sequence_test.Sequence(sys.argv[1], work), report)
        other_frames(case)
        a_film(case)
        a_list(case)
        blocks(case)
        parts(case)
        in_the_way(case)
        mapped(case)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
