#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-blocks.py BUILD: tables of one night are the same, byte for byte, whatever the blocks: their size, their order, and whether the night grew meanwhile."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

SIZE, LONG, SHORT = 72, 104, 40         # of the long night, there is a second leg: sequence-block.c
TABLES = ('shifts.csv', 'detections.csv', 'tracks.csv', 'streaks.csv', 'tracks.mpc', 'tracks.psv')
SKY = ('--seed=5', '--objects=8,0.7,0.4;25,-0.5,0.6', '--cosmic-rays=1', '--bad=cloud,0;cloud,7;cloud,16;cloud,17;cloud,18;cloud,99;cloud,100')
SETTINGS = ('--history', '8', '--pictures', '0', '--night', str(LONG))


class Case:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def command(self, tool, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', tool, 'tessera-' + tool), *words])
        assert done.returncode in (0, 1), done.stderr             # 1: half of the frames are left out

    def draw(self, name, frames, *words):
        self.command('stars', f'--size={SIZE}x{SIZE}', f'--frames={frames}', *SKY, *words, self.path(name))
        return self.path(name, 'frames')

    def run(self, frames, name, *options):
        self.command('sequence', frames, '-o', self.path(name), *SETTINGS, *options)
        return self.path(name)

    def grow(self, frames, name, steps, *options):
        """A folder whose frames arrive in steps."""
        os.mkdir(self.path(name))
        for step in steps:
            for file in sorted(os.listdir(frames))[:step]:
                if not os.path.exists(self.path(name, file)):
                    shutil.copy2(os.path.join(frames, file), self.path(name, file))
            found = self.run(self.path(name), name + '-found', *options)
        return found


def differences(a, b):
    return [name for name in TABLES if open_bytes(a, name) != open_bytes(b, name)]


def open_bytes(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def kinds(report, case, name, frames, options, blocks):
    """`blocks`: of so many frames."""
    whole = case.run(frames, f'{name}-100', '--block', '100', *options)
    report.check(f'{name}: there is something to compare', all(open_bytes(whole, table).count(b'\n') > 5 for table in ('shifts.csv', 'detections.csv', 'tracks.csv')))
    for block in blocks:
        wrong = differences(whole, case.run(frames, f'{name}-{block}', '--block', str(block), *options))
        report.check(f'{name}: blocks of {block} say what blocks of 100 do', not wrong, str(wrong))
    return whole


def parts(report, case, whole, frames):
    for part in (3, 1, 2):
        folder = case.run(frames, 'parts', '--block', '7', '--part', f'{part}/3')
    wrong = differences(whole, case.run(frames, 'parts', '--block', '7'))
    report.check('parts, the last one first, say the same', not wrong, f'{folder}: {wrong}')


def growing(report, case, whole, frames):
    for block, steps in ((4, (5, 18, SHORT)), (8, (16, 33, SHORT)), (100, (20, SHORT))):
        wrong = differences(whole, case.grow(frames, f'grows-{block}', steps, '--block', str(block)))
        report.check(f'a night that grew, in blocks of {block}, says the same', not wrong, str(wrong))


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        case = Case(sys.argv[1], work)
        frames = case.draw('short', SHORT)
        whole = kinds(report, case, 'short', frames, (), (4, 7, 8))
        kinds(report, case, 'past', frames, ('--sides', 'past'), (9,))
        kinds(report, case, 'turns', case.draw('turned', SHORT, '--turn=0.1'), ('--stack', '16'), (7,))
        parts(report, case, whole, frames)
        growing(report, case, whole, frames)
        kinds(report, case, 'long', case.draw('long', LONG), (), (32, 1000))
    return report.finish()


sys.exit(main())
