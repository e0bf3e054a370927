#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-bright.py BUILD: an object as bright as the brightest stars, or brighter, takes neither the frames' shifts nor the night; what is no picture of the stars does not become one by it."""
import importlib
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report
quality_test = importlib.import_module('run-quality')

BRIGHT, FAINT = '6000,0.9,-0.5', '30,-0.8,1.0'         # SNR, pixels a frame: the stars' brightest have 1000 to 3000
NEAR = 3.0
SETTINGS = ('--gain', '1.5', '--every', '4')
CLOUDS = (5, 16)


def away(nights, sky, found):
    """How wrong the shifts of used frames are, against the middle one."""
    both = [(float(row['x']) - float(then['x']), float(row['y']) - float(then['y']))
            for row, then in zip(nights.rows(found), nights.rows(sky)) if row['state'] in ('used', 'first')]
    middle = [quality_test.middle([one[axis] for one in both]) for axis in (0, 1)]
    return [math.dist(middle, one) for one in both]


def left_out(nights, found):
    return {int(row['frame']): row['reason'] for row in nights.rows(found) if row['state'] not in ('used', 'first')}


def on_the_way(nights, sky, found, name):
    """Rows of tracks that are of the object."""
    way = {int(row['frame']): (float(row['x']), float(row['y'])) for row in quality_test.sequence_test.rows(nights.path(sky), 'objects.csv') if row['object'] == name}
    return [row for row in quality_test.sequence_test.rows(nights.path(found), 'tracks.csv') if math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < NEAR]


def of_most_stars(report, nights):
    nights.draw('bright', f'--objects={FAINT};{BRIGHT}')
    nights.run('bright', 'of-bright', *SETTINGS)
    wrong = away(nights, 'bright', 'of-bright')
    report.check('no frame is left out because of a bright object', not left_out(nights, 'of-bright'), str(left_out(nights, 'of-bright')))
    report.check('shifts are those of most stars', max(wrong) < 0.05, f'worst {max(wrong):.3f} px')
    report.check('the faint object and the bright one have tracks', all(len(on_the_way(nights, 'bright', 'of-bright', name)) >= 2 for name in '01'))
    places = {(round(float(row['x'])), round(float(row['y']))) for row in quality_test.sequence_test.rows(nights.path('of-bright'), 'detections.csv')}
    report.check('the bright object is not cut by a rule for columns', len(places) < 2.5 * quality_test.COUNT, f'{len(places)} places of 2 objects in {quality_test.COUNT} frames')


def of_no_stars(report, nights):
    """Frames without stars have no shift, however bright what else there is."""
    nights.draw('hidden', f'--objects={FAINT};{BRIGHT}', '--bad=' + ';'.join(f'cloud,{k}' for k in CLOUDS))
    nights.run('hidden', 'of-hidden', *SETTINGS)
    report.check('clouds are left out, and no other frame', set(left_out(nights, 'of-hidden')) == set(CLOUDS), str(left_out(nights, 'of-hidden')))
    report.check('shifts around them are right', max(away(nights, 'hidden', 'of-hidden')) < 0.05)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        nights = quality_test.Nights(sys.argv[1], work)
        of_most_stars(report, nights)
        of_no_stars(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
