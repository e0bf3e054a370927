#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-thresholds.py BUILD: how tessera-sequence chooses its thresholds and says so, that what is given wins, that parts choose the same, and that satellites and
cosmic rays are no objects."""
import filecmp
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report

SIZE, FRAMES = 160, 30
SETTINGS = ('--history', '8', '--block', '10', '--gain', '1.5', '--pictures', '0')


def sky(sequence, name, *words):
    done = sequence.gegl.command([sequence.maker, f'--frames={FRAMES}', f'--size={SIZE}x{SIZE}', '--seed=7', '--objects=12,0.9,0.5', *words, sequence.path(name)])
    assert done.returncode == 0, done.stderr
    return sequence.path(name, 'frames')


def found(sequence, frames, name, *words):
    code, told, errors = sequence.run(frames, '-o', sequence.path(name), '--json', *words, settings=SETTINGS)
    assert code == 0, errors
    return json.loads(told), sequence_test.rows(sequence.path(name), 'detections.csv')


def false(sequence, name, detections):
    """Detections that are not of the object."""
    way = {row['frame']: (float(row['x']), float(row['y'])) for row in sequence_test.rows(sequence.path(name), 'objects.csv')}
    return [row for row in detections if math.dist(way[row['frame']], (float(row['x']), float(row['y']))) > 3]


def steady(report, sequence):
    frames = sky(sequence, 'steady')
    told, detections = found(sequence, frames, 'plain')
    thresholds = [float(row['threshold']) for row in sequence_test.rows(sequence.path('plain'), 'shifts.csv') if row['threshold']]
    report.check('each frame has a threshold, and they are told', len(thresholds) == FRAMES and told['thresholds']['least'] == min(thresholds)
                 and told['thresholds']['most'] == max(thresholds) and 4 < told['thresholds']['median'] < 6.5, f'{told} {thresholds}')
    report.check('so has each search', 5 < told['track_thresholds']['least'] <= told['track_thresholds']['most'] < 9, str(told))
    report.check('there are at most ten false detections, and the object is there', len(false(sequence, 'steady', detections)) <= 10
                 and len(detections) - len(false(sequence, 'steady', detections)) > FRAMES // 2 and told['tracks'] == 1, f'{told}')
    more, many = found(sequence, frames, 'more', '--false-detections', '1000', '--false-tracks', '100')
    report.check('more false alarms: lower thresholds, and more detections', more['thresholds']['median'] < told['thresholds']['median'] - 0.5
                 and more['track_thresholds']['median'] < told['track_thresholds']['median'] - 0.3 and len(many) > len(detections) + 100, f'{more}')
    given, _ = found(sequence, frames, 'given', '--threshold', '9.5', '--track-threshold', '12')
    report.check('what is given wins', set(given['thresholds'].values()) == {9.5} and set(given['track_thresholds'].values()) == {12}, str(given))
    for part in ('1/2', '2/2'):
        sequence.run(frames, '-o', sequence.path('part-' + part[0]), '--part', part, settings=SETTINGS)
    code, words, errors = sequence.run('merge', sequence.path('part-2'), sequence.path('part-1'), '-o', sequence.path('merged'), '--json', settings=())
    same = all(filecmp.cmp(sequence.path('plain', name), sequence.path('merged', name), False) for name in sequence_test.TABLES if os.path.exists(sequence.path('plain', name)))
    report.check('parts choose the same', code == 0 and same and [json.loads(words)[key] for key in ('thresholds', 'track_thresholds')]
                 == [told[key] for key in ('thresholds', 'track_thresholds')], f'{words} {errors}')
    code, _, errors = sequence.run(frames, '-o', sequence.path('plain'), '--false-tracks', '2', settings=SETTINGS)
    report.check('another number of false alarms is another setting', code == 2 and 'false-tracks' in errors, errors)
    for words in (('--false-tracks', '0'), ('--false-detections', 'nan'), ('--threshold', '0')):
        code, _, errors = sequence.run(frames, '-o', sequence.path('x'), *words, settings=SETTINGS)
        report.check(f'{" ".join(words)}: the reason, and 2', code == 2 and 'above 0' in errors, errors)
    report.check('on a steady sky there are no streaks and few rays', told['streaks'] == 0
                 and sum(int(row['rays']) for row in sequence_test.rows(sequence.path('plain'), 'shifts.csv')) < FRAMES // 4, str(told))


def crossed(report, sequence):
    frames = sky(sequence, 'crossed', '--satellites=0.2', '--cosmic-rays=3')
    told, detections = found(sequence, frames, 'trails')
    streaks = sequence_test.rows(sequence.path('trails'), 'streaks.csv')
    long = [row for row in streaks if math.hypot(float(row['x2']) - float(row['x1']), float(row['y2']) - float(row['y1'])) > SIZE / 2]
    rays = sum(int(row['rays']) for row in sequence_test.rows(sequence.path('trails'), 'shifts.csv'))
    report.check('satellites are streaks', told['streaks'] == len(streaks) and 2 <= len(long) <= 12 and all(row['time'] for row in long)
                 and sum(not 1.6 < float(row['width']) < 3.2 for row in long) <= 1, str(streaks))      # two cross one another
    report.check('cosmic rays are counted', 2 * FRAMES < rays < 8 * FRAMES, str(rays))
    report.check('neither is an object', len(false(sequence, 'crossed', detections)) <= 15 and told['tracks'] <= 2, f'{told}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        sequence = sequence_test.Sequence(sys.argv[1], work)
        steady(report, sequence)
        crossed(report, sequence)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
