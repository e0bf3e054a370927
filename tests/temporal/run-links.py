#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-links.py BUILD: in a folder where others can write, tessera-sequence writes over nothing that a link, a second name of a file or a pipe leads to, and its
files are those of an undisturbed run. A link of another user in place of a folder or of a result is refused; that needs root."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report

FRAMES, STRANGER = 32, 65534
NAMES = ('blocks/000000.txt.part', 'blocks/000002.txt.part', 'blocks/000001.txt', 'whitened/000005.fits.part', 'whitened/000006.fits', 'shifts.csv.part', 'shifts.csv',
         'detections.csv.part', 'tracks.csv.part', 'tracks.mpc.part', 'shifts.svg.part', 'shifts.svg', 'tracks/0001.png')


def run(sequence, frames, folder):
    return sequence.run(frames, '-o', folder, '--write', 'whitened')


def traps(report, sequence, frames, whole):
    """`lay` puts something that leads to a file of ours where a result will be."""
    def pipe(_, name):
        os.mkfifo(name)

    for what, lay in (('a link', os.symlink), ('a second name', os.link), ('a pipe', pipe), ('a link to nothing', lambda victim, name: os.symlink(victim + '-none', name))):
        folder, mine = sequence.path('laid ' + what), sequence.path('mine ' + what)
        for name in ('blocks', 'whitened', 'tracks'):
            os.makedirs(os.path.join(folder, name))
        os.mkdir(mine)
        names = [name for name in NAMES if name.endswith('.part')] if what == 'a pipe' else [name for name in NAMES if what.startswith('a link') or name.endswith('.part')]
        for i, name in enumerate(names):
            victim = os.path.join(mine, str(i))
            if name == 'blocks/000001.txt' and what == 'a link':                # it is no block, which is said: a link to nothing is for that
                continue
            with open(victim, 'w', encoding='utf-8') as file:
                file.write('my thesis')
            lay(victim, os.path.join(folder, name))
        code, _, errors = run(sequence, frames, folder)
        spoiled = [name for name in sorted(os.listdir(mine)) if open(os.path.join(mine, name), encoding='utf-8', errors='replace').read() != 'my thesis']
        wrong = sequence_test.differences(whole, folder)
        report.check(f'{what} where a file will be: what it leads to stays, and the results are right', code == 0 and not spoiled and not wrong,
                     f'{code} {errors} spoiled: {spoiled} wrong: {wrong}')
        left = [name for name in names if os.path.islink(os.path.join(folder, name))]
        report.check(f'{what}: nothing of it is left', not left, str(left))


def folders(report, sequence, frames, whole):
    """A link of one's own in place of a folder is followed: a large disk."""
    folder, large = sequence.path('own'), sequence.path('large')
    os.mkdir(folder)
    os.mkdir(large)
    os.symlink(large, os.path.join(folder, 'whitened'))
    code, _, errors = run(sequence, frames, folder)
    report.check('an own link to a folder is followed', code == 0 and sorted(os.listdir(large)) == sorted(os.listdir(os.path.join(whole, 'whitened'))), f'{code} {errors}')
    if os.geteuid() != 0:
        print('not tested: links of another user; that needs root')
        return
    for name in ('blocks', 'whitened', 'tracks'):
        folder, mine = sequence.path('strange-' + name), sequence.path('mine-' + name)
        os.mkdir(folder)
        os.mkdir(mine)
        os.symlink(mine, os.path.join(folder, name))
        os.chown(os.path.join(folder, name), STRANGER, STRANGER, follow_symlinks=False)
        code, _, errors = run(sequence, frames, folder)
        report.check(f'a link of another user in place of {name} is refused', code == 2 and 'link of another user' in errors and not os.listdir(mine), f'{code} {errors}')
    part = os.path.join(folder, 'blocks', '000000.txt.part')
    os.remove(os.path.join(folder, 'tracks'))
    os.remove(os.path.join(folder, 'blocks', '000000.txt'))
    with open(part, 'w', encoding='utf-8') as file:
        file.write('of another user')
    os.chown(part, STRANGER, STRANGER)
    with open(part, encoding='utf-8') as kept:
        code, _, errors = run(sequence, frames, folder)
        report.check('a file of another user is not written', code == 0 and kept.read() == 'of another user' and not sequence_test.differences(whole, folder), f'{code} {errors}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        sequence = sequence_test.Sequence(sys.argv[1], work)
        frames, whole = sequence.field('field', FRAMES), sequence.path('whole')
        code, _, errors = run(sequence, frames, whole)
        report.check('an undisturbed run has all files', code == 0 and all(os.path.exists(os.path.join(whole, name.removesuffix('.part'))) for name in NAMES), errors)
        traps(report, sequence, frames, whole)
        folders(report, sequence, frames, whole)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
