# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the demo shows of sequences: a star field with two faint objects that move, and the pictures in which they are found."""
import csv
import json
import os
import shutil
import tempfile

FIELD = ['--preset', 'A', '--frames', '40', '--size', '256x256', '--seed', '3']
TRUTH = {'1': ('8 times the noise of a frame', (-0.8, 1.1)), '2': ('4 times', (1.3, 0.7))}


def find(gegl, out):
    """Returns (what was found, in words; the pictures' names; what is wrong)."""
    with tempfile.TemporaryDirectory() as folder:
        field, found = os.path.join(folder, 'field'), os.path.join(folder, 'found')
        for words in ([os.path.join(gegl.build, 'tools', 'stars', 'tessera-stars'), *FIELD, field],
                      [os.path.join(gegl.build, 'tools', 'sequence', 'tessera-sequence'), os.path.join(field, 'frames'), '-o', found,
                       '--gain', '1.5', '--track-threshold', '8', '--json']):         # what is sure: one false track a night is allowed
            done = gegl.command(words)
            if done.returncode != 0:
                return '', [], [f'{os.path.basename(words[0])} returned {done.returncode}: {done.stderr.strip()}']
        with open(os.path.join(found, 'tracks.csv'), encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        pictures = []
        for number in sorted({row['track'] for row in rows}):
            pictures.append(f'moving-{number}.png')
            shutil.copy(os.path.join(found, 'tracks', f'{int(number):04d}.png'), os.path.join(out, pictures[-1]))
    told = json.loads(done.stdout)
    bad = [] if len(pictures) == len(TRUTH) else [f'{len(pictures)} objects were found in the star field, and {len(TRUTH)} are there']
    for number, (_, truth) in TRUTH.items():
        velocities = [(float(row['velocity_x']), float(row['velocity_y'])) for row in rows if row['track'] == number]
        if not any(abs(x - truth[0]) <= 0.25 and abs(y - truth[1]) <= 0.25 for x, y in velocities):
            bad.append(f'no track of the star field moves by {truth} pixels a frame')
    signals = ' and '.join(signal for signal, _ in TRUTH.values())
    return (f'{told["used"]} frames of a star field, {told["tracks"]} objects that move found in {told["seconds"]:.1f} s (signals: {signals})',
            pictures, bad)
