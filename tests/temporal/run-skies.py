#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-skies.py BUILD [--skies NAME,...] [--seeds N] [--bars] [--with OPTIONS]: what tessera-sequence finds on skies as they are at night, as a table.

Each sky is drawn by tessera-stars with N seeds, from --first on, and searched with the defaults, a dark frame and the gain; OPTIONS, in one word, are added.  There are three objects, of
SNR 5, 8 and 30 in a frame.  A row has
  single       the part of the objects that a good frame shows within 3 px, from frame 10 on
  false        detections in a frame that are none of them
  tracks       objects that have a track, of those there are: most of its rows within 3 px, its velocity within 0.5 px a frame
  searches     places that these tracks have, of those that searches over 8 frames may give
  false tracks numbers of tracks beyond one for each object, in all seeds
  lost         good frames left out, in all seeds
  wrong        frames used with a shift that is wrong by more than 0.3 px
--bars: exit code 1 where a sky has more than a test allows."""
import argparse
import collections
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

SIZE, FRAMES, FIRST, EVERY, OVER = 200, 40, 10, 4, 8
OBJECTS = '5,1.1,0.6;8,-0.8,1.0;30,0.9,-0.5'
NEAR, ALIKE, WRONG = 3.0, 0.5, 0.3
SKIES = {
    'steady': [],
    'no pattern': ['--preset=B'],
    'cosmic rays 1': ['--cosmic-rays=1'],
    'cosmic rays 3': ['--cosmic-rays=3'],
    'cosmic rays 10': ['--cosmic-rays=10'],
    'satellites': ['--satellites=0.1'],
    'seeing 15 %': ['--seeing=0.15'],
    'transparency 80 %': ['--transparency=0.8'],
    'bad frame at 16': ['--bad=cloud,16'],
    'shut black full': ['--bad=shut,0;black,16;full,32'],
    'clouds': ['--bad=cloud,0;cloud,7;cloud,16;cloud,17;cloud,18;cloud,32'],
    'turns 0.02 degrees': ['--turn=0.02'],
    'undersampled': ['--fwhm=1.2'],
    'drift': ['--preset=C'],
    'slow 0.3': ['--objects=5,0.26,0.15;8,-0.19,0.23;30,0.26,-0.15'],
    'slow 0.1': ['--objects=5,0.09,0.05;8,-0.06,0.08;30,0.09,-0.05'],
    'fast 3': ['--objects=5,2.4,1.8;8,-1.8,2.4;30,2.6,-1.5', '--size=320x320'],
}
MAIN = ('steady', 'cosmic rays 1', 'cosmic rays 3', 'cosmic rays 10', 'satellites', 'seeing 15 %', 'transparency 80 %', 'bad frame at 16', 'shut black full', 'clouds')
# Of a test: tracks found of three at least; false tracks, lost frames and wrong shifts at most.
BARS = {'steady': (3, 1, 0, 0), 'cosmic rays 3': (3, 1, 0, 0), 'satellites': (3, 1, 0, 0), 'transparency 80 %': (3, 1, 0, 0), 'shut black full': (3, 1, 0, 0),
        'clouds': (3, 1, 0, 0)}
Found = collections.namedtuple('Found', 'shown seen false frames tracks objects searches may false_tracks lost wrong')


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def place(row):
    return float(row['x']), float(row['y'])


def shifts(truth, found):
    """Good frames that are left out, and frames with a wrong shift: against the median difference of their chain."""
    lost = sum(row['state'] not in ('used', 'first') and not then['bad'] for row, then in zip(found, truth))
    chains, wrong = collections.defaultdict(list), 0
    for row, then in zip(found, truth):
        if row['state'] in ('used', 'first'):
            chains[row['chain']].append((float(row['x']) - float(then['x']), float(row['y']) - float(then['y']), bool(then['bad'])))
    for each in chains.values():
        middle = [sorted(one[axis] for one in each)[len(each) // 2] for axis in (0, 1)]
        wrong += sum(bad or math.dist(middle, (x, y)) > WRONG for x, y, bad in each)
    return lost, wrong


def tracks(ways, motions, table):
    """Objects that have a track, their rows, and how many tracks are too many."""
    each = collections.defaultdict(list)
    for row in table:
        each[row['track']].append(row)
    found, hits = set(), 0
    for of in each.values():
        for name, way in ways.items():
            near = [row for row in of if int(row['frame']) in way and math.dist(way[int(row['frame'])], place(row)) < NEAR
                    and math.dist(motions[name], (float(row['velocity_x']), float(row['velocity_y']))) < ALIKE]
            if 2 * len(near) > len(of) and name not in found:
                found.add(name)
                hits += len(near)
                break
    return found, hits, len(each) - len(found)


def judge(sky, folder):
    truth, table = rows(sky, 'shifts.csv'), rows(folder, 'shifts.csv')
    ways, size = collections.defaultdict(dict), max(place(row)[0] for row in rows(sky, 'stars.csv'))
    for row in rows(sky, 'objects.csv'):
        if all(NEAR < at < size - 2 * NEAR for at in place(row)):
            ways[row['object']][int(row['frame'])] = place(row)
    with open(os.path.join(sky, 'truth.json'), encoding='utf-8') as file:
        words = file.read()
    numbers = re.findall(r'\[([^\[\]]+)\]', words)
    motions = {str(i): tuple(float(word) for word in numbers[i].split(',')[1:3]) for i in range(len(ways))}
    good = [t for t in range(FIRST, len(truth)) if not truth[t]['bad']]
    detections, shown = collections.defaultdict(list), 0
    for row in rows(folder, 'detections.csv'):
        detections[int(row['frame'])].append(place(row))
    seen = sum(any(math.dist(way[t], at) < NEAR for at in detections[t]) for way in ways.values() for t in good if t in way)
    shown = sum(t in way for way in ways.values() for t in good)
    false = sum(all(t not in way or math.dist(way[t], at) >= NEAR for way in ways.values()) for t in good for at in detections[t])
    found, hits, extra = tracks(ways, motions, rows(folder, 'tracks.csv'))
    searches = [t for t in range(len(truth)) if (t + 1) % EVERY == 0 and t >= OVER]
    may = sum(t in way for way in ways.values() for t in searches)
    lost, wrong = shifts(truth, table)
    return Found(shown, seen, false, len(good), len(found), len(ways), hits, may, extra, lost, wrong)


def run(gegl, name, seed, options):
    maker, program = (os.path.join(gegl.build, 'tools', *words) for words in (('stars', 'tessera-stars'), ('sequence', 'tessera-sequence')))
    with tempfile.TemporaryDirectory() as work:
        sky, folder = os.path.join(work, 'sky'), os.path.join(work, 'found')
        for words in ([maker, f'--frames={FRAMES}', f'--size={SIZE}x{SIZE}', f'--seed={seed}', f'--objects={OBJECTS}', *SKIES[name], sky],
                      [program, os.path.join(sky, 'frames'), '-o', folder, '--dark', os.path.join(sky, 'dark.fits'), '--gain', '1.5', '--pictures', '0', *options]):
            done = subprocess.run(words, env=gegl.env, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                sys.exit(f'{name}, seed {seed}: {done.stderr}')
        return judge(sky, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--skies', default=','.join(MAIN), help='"all", or names with commas between them')
    parser.add_argument('--seeds', type=int, default=10)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--bars', action='store_true')
    parser.add_argument('--with', dest='options', type=str.split, default=[], help='options of tessera-sequence: "--method from-frames"')
    words = parser.parse_args()
    gegl, report = Gegl(words.build), Report()
    gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
    print('| sky | single, % | false a frame | tracks | searches, % | false tracks | lost | wrong |\n|---|---|---|---|---|---|---|---|')
    for name in SKIES if words.skies == 'all' else words.skies.split(','):
        each = [run(gegl, name, words.first + i, words.options) for i in range(words.seeds)]
        total = Found(*(sum(values) for values in zip(*each)))
        print(f'| {name} | {100 * total.seen / max(total.shown, 1):.0f} | {total.false / total.frames:.2f} | {total.tracks} of {total.objects} | '
              f'{100 * total.searches / max(total.may, 1):.0f} | {total.false_tracks} | {total.lost} | {total.wrong} |', flush=True)
        if words.bars and name in BARS:
            least, false_tracks, lost, wrong = BARS[name]
            report.check(f'{name}: tracks are those of objects', total.tracks >= least * words.seeds and total.false_tracks <= false_tracks * words.seeds, str(total))
            report.check(f'{name}: no good frame is lost or wrong', total.lost <= lost * words.seeds and total.wrong <= wrong * words.seeds, str(total))
    return report.finish() if words.bars else 0


sys.exit(main())
