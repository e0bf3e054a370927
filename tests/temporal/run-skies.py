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
  wrong        frames used with a shift that is wrong by more than 0.3 px, or an angle that is, in a corner
--bars: exit code 1 where a sky has more than a test allows."""
import argparse
import array
import collections
import csv
import math
import os
import random
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
    'turns 0.05 degrees': ['--turn=0.05'],
    'turns 0.2 degrees': ['--turn=0.2'],
    'turns 15 degrees': ['--turn=0.375'],
    'turns about a place outside': ['--turn=0.05', '--turn-about=260,-140'],
    'turns with clouds': ['--turn=0.2', '--bad=cloud,0;cloud,7;cloud,16;cloud,17;cloud,18;cloud,32'],
    'turns with drifts': ['--turn=0.1', '--preset=C'],
    'turns with rays': ['--turn=0.1', '--cosmic-rays=3'],
    'meridian flip': ['--flip=21'],
    'undersampled': ['--fwhm=1.2'],
    'drift': ['--preset=C'],
    'faint': ['--objects=6,1.1,0.6;6,-0.8,1.0;6,0.9,-0.5'],
    'slow 0.3': ['--objects=5,0.26,0.15;8,-0.19,0.23;30,0.26,-0.15', '--frames=80'],
    'slow 0.1': ['--objects=5,0.09,0.05;8,-0.06,0.08;30,0.09,-0.05', '--frames=128'],
    'slow 0.03': ['--objects=5,0.026,0.015;8,-0.019,0.023;30,0.026,-0.015', '--frames=288'],
    'dead columns': [],
    'columns that flicker': [],
    'amp glow': [],
    'blooming': [],
    'irregular times': ['--frames=60'],
    'bright mover': ['--objects=5,1.1,0.6;8,-0.8,1.0;6000,0.9,-0.5'],
    'fast 4': ['--objects=5,3.9,0.5;8,-3.4,-3.2;30,-0.8,4.0', '--size=400x400'],
    'fast 6': ['--objects=5,5.5,0.5;8,-5.4,-3.2;30,-0.8,6.0', '--size=400x400'],
    'fast 3': ['--objects=5,2.4,1.8;8,-1.8,2.4;30,2.6,-1.5', '--size=320x320'],
}
MAIN = ('steady', 'cosmic rays 1', 'cosmic rays 3', 'cosmic rays 10', 'satellites', 'seeing 15 %', 'transparency 80 %', 'bad frame at 16', 'shut black full', 'clouds')
# Of a test: tracks found of three at least; false tracks, lost frames and wrong shifts at most; the part of objects that single frames show, at least.
BARS = {'steady': (3, 1, 0, 0, 0.7), 'cosmic rays 3': (3, 1, 0, 0, 0.7), 'satellites': (3, 1, 0, 0, 0.65), 'transparency 80 %': (3, 1, 0, 0, 0.6), 'seeing 15 %': (3, 1, 0, 0, 0.7),
        'shut black full': (3, 1, 0, 0, 0.7), 'clouds': (3, 1, 0, 0, 0.7), 'blooming': (3, 1, 0, 0, 0.7), 'dead columns': (3, 1, 0, 0, 0.7), 'columns that flicker': (3, 1, 0, 0, 0.7), 'drift': (3, 1, 0, 0, 0.7), 'slow 0.1': (0, 1, 0, 0, 0.1), 'turns 15 degrees': (3, 1, 0, 0, 0.7),
        'turns about a place outside': (3, 1, 0, 0, 0.7), 'turns with rays': (3, 1, 0, 0, 0.7),
        'bright mover': (3, 1, 0, 0, 0.75), 'fast 3': (3, 1, 0, 0, 0.7), 'fast 6': (0, 2, 0, 0, 0.7)}
MOST_FALSE = 0.25       # detections a frame: --false-detections is 10, for 40 frames
FEWER_FALSE = {'seeing 15 %': 0.2, 'dead columns': 0.1, 'turns with rays': 0.12, 'bright mover': 0.1}      # of skies that had more without what is there for them
Found = collections.namedtuple('Found', 'shown seen false frames tracks objects searches may false_tracks lost wrong')


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def place(row):
    return float(row['x']), float(row['y'])


def shifts(truth, found, corner):
    """Good frames that are left out, and frames with a wrong shift: against the median difference of their chain."""
    lost = sum(row['state'] not in ('used', 'first') and not then['bad'] for row, then in zip(found, truth))
    chains, wrong = collections.defaultdict(list), 0
    for row, then in zip(found, truth):
        if row['state'] in ('used', 'first'):
            turned = math.remainder(float(row.get('angle') or 0) - float(then['angle']), 360)
            chains[row['chain']].append((float(row['x']) - float(then['x']), float(row['y']) - float(then['y']), turned, bool(then['bad'])))
    for each in chains.values():
        x, y, turned = (sorted(one[axis] for one in each)[len(each) // 2] for axis in (0, 1, 2))
        wrong += sum(one[3] or math.dist((x, y), one[:2]) > WRONG or abs(math.radians(one[2] - turned)) * corner > WRONG for one in each)
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


# ------------------------------------------------------------- what the camera does to frames


def spoil_columns(dice, counts, size, place):
    """Some columns are dead from a row on, some are bright, and vary."""
    for column, first, light in ((31, 0, 0), (87, 60, 0), (140, 0, 400), (141, 110, 90)):
        for y in range(first, size):
            counts[y * size + column] = int(1000 + light + dice.gauss(0, 9)) if light else 1000


def spoil_flicker(dice, counts, size, place):
    """Every tenth column has 25 counts more in one frame of three: not three times the noise of a pixel."""
    for column in range(7, size, 10):
        for y in range(size if dice.random() < 1 / 3 else 0):
            counts[y * size + column] += 25


def spoil_glow(dice, counts, size, place):
    """Light from a corner, with its noise."""
    for y in range(size):
        for x in range(size):
            light = 900 * math.exp(-math.hypot(x, y) / 40)
            if light > 1:
                counts[y * size + x] += max(int(light + dice.gauss(0, math.sqrt(light / 1.5)) + 0.5), 0)


def spoil_blooming(dice, counts, size, place):
    """The brightest star is full at 40000 counts, and so is its column."""
    x0, y0 = (round(at) for at in place)
    for y in range(max(y0 - 45, 0), min(y0 + 46, size)):
        for x in range(max(x0 - 3, 0), min(x0 + 4, size)):
            if x == x0 or math.hypot(x - x0, y - y0) < 3.5:
                counts[y * size + x] = 40000


SPOILS = {'dead columns': spoil_columns, 'columns that flicker': spoil_flicker, 'amp glow': spoil_glow, 'blooming': spoil_blooming}


def spoil(name, seed, sky):
    """Changes the frames that were drawn."""
    dice, brightest, moves = random.Random(seed), place(max(rows(sky, 'stars.csv'), key=lambda row: float(row['flux']))), rows(sky, 'shifts.csv')
    for each in sorted(os.listdir(os.path.join(sky, 'frames'))):
        with open(os.path.join(sky, 'frames', each), 'r+b') as file:
            head, data = file.read(2880), file.read()
            size = int(re.search(rb'NAXIS1 *= *([0-9]+)', head)[1])
            counts = array.array('H', data[:2 * size * size])
            counts.byteswap()
            counts = array.array('H', (count ^ 0x8000 for count in counts))
            move = place(moves[int(re.search('[0-9]+', each)[0])])
            SPOILS[name](dice, counts, size, (brightest[0] + move[0], brightest[1] + move[1]))
            counts = array.array('H', (min(count, 60000) ^ 0x8000 for count in counts))
            counts.byteswap()
            file.seek(2880)
            file.write(counts.tobytes())


def write(path, table):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)


def leave_out(seed, sky):
    """A third of the frames is not there, and the others have new numbers, in the truth too."""
    names = sorted(os.listdir(os.path.join(sky, 'frames')))
    left = sorted(random.Random(seed).sample(range(len(names)), 2 * len(names) // 3))
    for i in set(range(len(names))) - set(left):
        os.remove(os.path.join(sky, 'frames', names[i]))
    for table in ('shifts.csv', 'objects.csv'):
        write(os.path.join(sky, table), [{**row, 'frame': left.index(int(row['frame']))} for row in rows(sky, table) if int(row['frame']) in left])


# --------------------------------------------------------------------------------- a night


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
    lost, wrong = shifts(truth, table, size / math.sqrt(2))
    return Found(shown, seen, false, len(good), len(found), len(ways), hits, may, extra, lost, wrong)


def run(gegl, name, seed, options):
    def command(words):
        done = subprocess.run(words, env=gegl.env, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f'{name}, seed {seed}: {done.stderr}')

    maker, program = (os.path.join(gegl.build, 'tools', *words) for words in (('stars', 'tessera-stars'), ('sequence', 'tessera-sequence')))
    with tempfile.TemporaryDirectory() as work:
        sky, folder = os.path.join(work, 'sky'), os.path.join(work, 'found')
        command([maker, f'--frames={FRAMES}', f'--size={SIZE}x{SIZE}', f'--seed={seed}', f'--objects={OBJECTS}', *SKIES[name], sky])
        if name in SPOILS:
            spoil(name, seed, sky)
        if name == 'irregular times':
            leave_out(seed, sky)
        command([program, os.path.join(sky, 'frames'), '-o', folder, '--dark', os.path.join(sky, 'dark.fits'), '--gain', '1.5', '--pictures', '0', *options])
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
            least, false_tracks, lost, wrong, shown = BARS[name]
            report.check(f'{name}: tracks are those of objects', total.tracks >= least * words.seeds and total.false_tracks <= false_tracks * words.seeds, str(total))
            report.check(f'{name}: single frames show objects, and little else', total.seen >= shown * total.shown and total.false <= FEWER_FALSE.get(name, MOST_FALSE) * total.frames, str(total))
            report.check(f'{name}: no good frame is lost or wrong', total.lost <= lost * words.seeds and total.wrong <= wrong * words.seeds, str(total))
    return report.finish() if words.bars else 0


sys.exit(main())
