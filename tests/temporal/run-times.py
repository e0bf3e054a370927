#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-times.py BUILD: velocities in time. Frames that follow one another evenly, with pauses, and irregularly show one object with one velocity a minute;
without times, or in even ones, frames are counted."""
import importlib
import math
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
reports = importlib.import_module('run-reports')
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE, V, STEP = 72, 220, (0.9, -0.5), 30
SCALE = 1.2                     # seconds of arc of a pixel; rows go to the south, columns to the west
SETTINGS = ('--gain', '1.5', '--block', '16', '--pictures', '0')
# Numbers of the frames that there are, of evenly many in time; how many of them the middle interval has.
NIGHTS = {'even': (list(range(36)), 1), 'every second': (list(range(0, 72, 2)), 2), 'a pause': ([*range(18), *range(27, 45)], 1),
          'a long pause': ([*range(18), *range(48, 62)], 1), 'irregular': ([k for k in range(60) if k * 7 % 5 in (0, 1, 3)], 1), 'late': ([k * 2 + (k // 6) % 2 for k in range(34)], 2)}


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=3',
                                  f'--objects=25,{V[0]},{V[1]}', self.path('field')])
        assert done.returncode == 0, done.stderr
        self.names = sorted(os.listdir(self.path('field', 'frames')))
        self.way = {row['frame']: (float(row['x']), float(row['y'])) for row in sequence_test.rows(self.path('field'), 'objects.csv')}

    def path(self, *words):
        return os.path.join(self.work, *words)

    def night(self, name, numbers):
        os.mkdir(self.path(name))
        for k in numbers:
            shutil.copy(self.path('field', 'frames', self.names[k]), self.path(name))

    def run(self, name, into, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), self.path(name), '-o', self.path(into), '--dark', self.path('field', 'dark.fits'),
                                  *SETTINGS, *words])
        return done.returncode, done.stderr

    def tracks(self, into, numbers):
        """Rows where the object is, and others."""
        near, far = [], []
        for row in sequence_test.rows(self.path(into), 'tracks.csv'):
            at = self.way[str(numbers[int(row['frame'])])]
            (near if math.dist(at, (float(row['x']), float(row['y']))) < 2 else far).append(row)
        return near, far


def pair(row, x, y):
    return float(row[x]), float(row[y])


def one_night(report, nights, name, numbers, frames):
    nights.night(name, numbers)
    code, errors = nights.run(name, 'of-' + name)
    near, far = nights.tracks('of-' + name, numbers)
    report.check(f'{name}: the object is found, and no other', code == 0 and len(near) >= (len(numbers) - 8) // 4 - 3 and len(far) <= 1, f'{len(near)} rows, {len(far)} others {errors[-300:]}')
    wanted = tuple(v * 60 / STEP for v in V)
    away = [math.dist(wanted, pair(row, 'minute_x', 'minute_y')) for row in near] or [9]
    report.check(f'{name}: its velocity a minute is the truth\'s', max(away) < 0.36 and sum(away) / len(away) < 0.3, f'{sum(away) / len(away):.3f}, worst {max(away):.3f}')
    a_frame = [math.dist(tuple(v * frames for v in V), pair(row, 'velocity_x', 'velocity_y')) for row in near] or [9]
    report.check(f'{name}: and so is that of a frame', max(a_frame) < 0.32 * frames, f'worst {max(a_frame):.3f}')
    most = 2 if name == 'a long pause' else 1
    report.check(f'{name}: it has one number', len({row['track'] for row in near}) <= most, str({row['track'] for row in near}))
    rate, angle = math.hypot(*wanted) * SCALE, math.degrees(math.atan2(-wanted[0], -wanted[1])) % 360
    wrong = [row for row in near if abs(float(row['arcsec_minute']) - rate) > 0.4 or abs(float(row['position_angle']) - angle) > 12]
    report.check(f'{name}: its motion in the sky too', near and not wrong, f'{rate:.2f} {angle:.0f} {wrong[:1]}')


def no_times(report, nights):
    """Frames are counted, and nothing is told of minutes."""
    numbers = NIGHTS['a pause'][0]
    nights.night('timeless', numbers)
    for file in os.listdir(nights.path('timeless')):
        reports.change(nights.path('timeless', file), {'DATE-OBS': None})
    nights.run('timeless', 'of-timeless')
    rows = sequence_test.rows(nights.path('of-timeless'), 'tracks.csv')
    report.check('without times there are no minutes', rows and not any(row['minute_x'] or row['arcsec_minute'] for row in rows), str(rows[:1]))


def coarse_times(report, nights):
    """A clock of whole seconds and three frames in each: frames are counted."""
    numbers = NIGHTS['even'][0]
    nights.night('coarse', numbers)
    for i, file in enumerate(sorted(os.listdir(nights.path('coarse')))):
        reports.change(nights.path('coarse', file), {'DATE-OBS': f"'2026-01-02T03:00:{i // 3:02d}'"})
    _, errors = nights.run('coarse', 'of-coarse')
    near, _ = nights.tracks('of-coarse', numbers)
    wrong = [pair(row, 'velocity_x', 'velocity_y') for row in near if math.dist(V, pair(row, 'velocity_x', 'velocity_y')) > 0.32]
    report.check('where the clock is coarse, frames are counted', len(near) >= 4 and not wrong and '24 of 36 frames' in errors, f'{len(near)} {wrong} {errors[-300:]}')


def parts(report, nights):
    """Merged parts have the whole's cadence."""
    for part in ('1/2', '2/2'):
        nights.run('irregular', 'of-' + part[0], '--part', part)
    done = nights.gegl.command([os.path.join(nights.gegl.build, 'tools', 'sequence', 'tessera-sequence'), 'merge', nights.path('of-1'), nights.path('of-2'), '-o', nights.path('merged')])
    wrong = [name for name in sequence_test.TABLES if not sequence_test.filecmp.cmp(nights.path('of-irregular', name), nights.path('merged', name), False)]
    report.check('parts make the same tables', done.returncode == 0 and not wrong, f'{wrong} {done.stderr}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        for name, (numbers, frames) in NIGHTS.items():
            one_night(report, nights, name, numbers, frames)
        no_times(report, nights)
        coarse_times(report, nights)
        parts(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
