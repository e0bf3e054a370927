#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-quality.py BUILD: how good frames are, against the truth of drawn skies; frames that --quality leaves out, and those that it must not."""
import importlib
import json
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
sequence_test = importlib.import_module('run-sequence')

COUNT, SIZE, CLOUDS = 40, 200, (5, 6, 20)
SETTINGS = ('--every', '0', '--pictures', '0', '--json')


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def draw(self, name, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}', '--seed=5', '--objects=',
                                  *words, self.path(name)])
        assert done.returncode == 0, done.stderr

    def run(self, name, into, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence'), self.path(name, 'frames'), '-o', self.path(into), '--dark', self.path(name, 'dark.fits'), *SETTINGS, *words])
        return (json.loads(done.stdout) if done.stdout else {}), done.returncode, done.stderr

    def rows(self, name):
        return sequence_test.rows(self.path(name), 'shifts.csv')


def middle(values):
    return sorted(values)[len(values) // 2]


def rms(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def the_truth(report, nights):
    nights.draw('breathes', '--seeing=0.15', '--transparency=0.6')
    nights.run('breathes', 'found', '--block', '13')
    truth, found = nights.rows('breathes'), nights.rows('found')
    known = [(row, then) for row, then in zip(found, truth) if row['state'] != 'lost']
    report.check('nearly all frames are used', len(known) >= COUNT - 1, str([row['reason'] for row in found if row['state'] == 'lost']))
    seeing = [float(row['seeing']) - float(then['fwhm']) for row, then in known]
    report.check('seeing is the truth\'s', rms(seeing) < 0.12 and abs(middle(seeing)) < 0.05, f'rms {rms(seeing):.3f} px, middle {middle(seeing):.3f}')
    parts = [float(row['transparency']) / float(then['transparency']) for row, then in known]
    away = [part / middle(parts) - 1 for part in parts]
    report.check('transparency is the truth\'s, but for one factor', rms(away) < 0.04, f'rms {rms(away):.3f}, worst {max(map(abs, away)):.3f}')
    report.check('the middle frame has 1', abs(middle([float(row['transparency']) for row, _ in known]) - 1) < 0.01)
    grows = [float(row['sky']) - float(found[0]['sky']) for row in found]
    report.check('the sky brightens as it is drawn', all(abs(more - 0.2 / 1.5 * k) < 1.5 for k, more in enumerate(grows)), str(grows[-1]))
    # a frame that is sharper than its history is predicted with more noise
    noise = [float(row['noise']) / float(row['noise_gain']) for row in found if row['noise']]
    report.check('the noise is that of sky and camera, times that of the history', len(noise) == len(known) and all(8.5 < value < 11 for value in noise),
                 f'{min(noise)} to {max(noise)}')
    nights.run('breathes', 'whole', '--block', '40')
    wrong = [key for key in ('stars', 'seeing', 'sky', 'transparency') if [row[key] for row in found] != [row[key] for row in nights.rows('whole')]]
    report.check('blocks make no difference', not wrong, str(wrong))


def cuts(report, nights):
    """Each limit leaves out what is beyond it, and no other frame."""
    truth = nights.rows('breathes')
    found = nights.rows('found')
    lost = {int(row['frame']) for row in found if row['state'] == 'lost'}          # without a cut too
    for words, beyond in (('seeing<=2.4', lambda row: float(row['seeing']) > 2.4), ('sky<=1090', lambda row: float(row['sky']) > 1090),
                          ('stars>=28', lambda row: int(row['stars']) < 28), ('seeing<=2.4,sky<=1090', lambda row: float(row['seeing']) > 2.4 or float(row['sky']) > 1090)):
        told, _, errors = nights.run('breathes', 'of-' + words, '--quality', words)
        left = {row['frame']: row['reason'] for row in told.get('left_out', ()) if row['frame'] not in lost}
        wanted = {int(row['frame']) for row in found if row['state'] != 'lost' and beyond(row)}
        report.check(f'{words}: {len(wanted)} frames are left out, with a reason', set(left) == wanted and 0 < len(wanted) < COUNT - 1 and all('--quality' in reason for reason in left.values()),
                     f'{sorted(left)} {sorted(wanted)} {errors[-200:]}')
    told, _, errors = nights.run('breathes', 'of-light', '--quality', 'transparency>=0.7')
    left = {row['frame'] for row in told.get('left_out', ())} - lost
    parts = [float(row['transparency']) for row in truth]
    report.check('frames with little light of their reference are left out, those with the most are not', left and max(parts[k] for k in left) < 0.8, f'{sorted(left)} {errors[-200:]}')
    told, _, _ = nights.run('breathes', 'of-all', '--quality', 'stars>=3,seeing<=9,sky<=60000,transparency>=0.05')
    report.check('limits that all keep leave out none', told.get('used') == COUNT - len(lost), str(told))
    for words in ('stars>=x', 'stars<=3', 'colour>=3', 'stars>=', 'seeing<=1e999', ','):
        _, code, errors = nights.run('breathes', 'of-none', '--quality', words)
        report.check(f'"{words}" is no limit', code == 2 and '--quality is' in errors, errors)


def clouds(report, nights):
    """A frame without stars says so in its row."""
    nights.draw('clouds', '--bad=' + ';'.join(f'cloud,{k}' for k in CLOUDS))
    nights.run('clouds', 'of-clouds')
    rows = nights.rows('of-clouds')
    report.check('clouds have few stars, and others many', all((int(row['stars']) < 10) == (int(row['frame']) in CLOUDS) for row in rows), str([row['stars'] for row in rows]))


def few_stars(report, nights):
    """Where there are fewer than five stars, nobody knows how wide they are, and what is asked of that is not so."""
    nights.draw('few', '--size=64x64', '--frames=12')
    nights.run('few', 'of-few')
    rows = nights.rows('of-few')
    unknown = {int(row['frame']) for row in rows if row['state'] in ('used', 'first') and not row['seeing']}
    told, _, errors = nights.run('few', 'cut-few', '--quality', 'seeing<=9')
    left = {row['frame']: row['reason'] for row in told.get('left_out', ())}
    report.check(f'{len(unknown)} frames whose seeing is not known are left out, and it is said', unknown and unknown <= set(left) and all('not known' in left[k] for k in unknown), f'{sorted(unknown)} {left} {errors[-300:]}')
    told, _, _ = nights.run('few', 'sky-few', '--quality', 'sky<=60000')
    report.check('a limit of what is known leaves out none', told.get('used') == sum(row['state'] in ('used', 'first') for row in rows), str(told)[:300])


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        the_truth(report, nights)
        cuts(report, nights)
        clouds(report, nights)
        few_stars(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
