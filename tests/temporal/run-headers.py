#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-headers.py BUILD: places and times of one night under many headers, against astropy's WCS and Time: to 0.05 seconds of arc and 1 ms.

What detections.csv says of each detection is compared with what astropy makes of its pixel and of its frame's header.  Headers whose places are of another system have no place.
Exit code 77: astropy is not there."""
import csv
import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

try:
    from astropy import units
    from astropy.io import fits
    from astropy.time import Time
    from astropy.utils import iers
    from astropy.wcs import WCS
except ImportError as error:
    print(f'{error}: python3-astropy is needed')
    sys.exit(77)

warnings.simplefilter('ignore')
iers.conf.auto_download = False
FRAMES, SIZE, EXPOSURE, BEGIN, APART, CARD = 6, 128, 20.0, 61041.1278, 30.0 / 86400, 80
MOST_ARCSEC, MOST_SECONDS = 0.05, 0.001
SCALE = 3e-4
PLACES = {'CRVAL1': 150.0, 'CRVAL2': 20.0, 'CRPIX1': 60.5, 'CRPIX2': 70.25}
TURNED = {'CD1_1': -2.9e-4, 'CD1_2': 0.8e-4, 'CD2_1': 0.7e-4, 'CD2_2': 3.1e-4}


def projected(name, **more):
    return {'CTYPE1': f'RA---{name}', 'CTYPE2': f'DEC--{name}', **PLACES, **TURNED, **more}


def without(cards, *names):
    return {name: value for name, value in cards.items() if name not in names}


SWAPPED = {**projected('TAN'), 'CTYPE1': 'DEC--TAN', 'CTYPE2': 'RA---TAN', 'CRVAL1': 20.0, 'CRVAL2': 150.0}
SIP = {'A_ORDER': 2, 'A_2_0': 1e-5, 'A_1_1': -4e-6, 'B_ORDER': 3, 'B_0_2': 8e-6, 'B_2_1': 3e-8}
TPV = {'PV1_0': 1e-5, 'PV1_1': 1.002, 'PV1_2': 3e-4, 'PV1_4': 0.02, 'PV2_0': -2e-5, 'PV2_1': 0.999, 'PV2_2': -2e-4, 'PV2_6': -0.03}
MINUTES = {'CUNIT1': 'arcmin', 'CUNIT2': 'arcmin', 'CRVAL1': 150.0 * 60, 'CRVAL2': 20.0 * 60, **{name: 60 * value for name, value in TURNED.items()}}
PIXELS = {'PC1_1': -0.98, 'PC1_2': 0.2, 'PC2_1': 0.19, 'PC2_2': 0.97}
SKIES = {
    'TAN': projected('TAN'), 'TAN-SIP': projected('TAN-SIP', **SIP), 'TPV': projected('TPV', **TPV), 'ZEA': projected('ZEA'), 'SIN': projected('SIN'), 'ARC': projected('ARC'),
    'PC, CDELT': {**without(projected('TAN'), *TURNED), **PIXELS, 'CDELT1': SCALE, 'CDELT2': SCALE},
    'PC alone': {**without(projected('TAN'), *TURNED), **{name: SCALE * value for name, value in PIXELS.items()}},
    'CROTA2': {**without(projected('TAN'), *TURNED), 'CDELT1': -SCALE, 'CDELT2': SCALE, 'CROTA2': 30.0},
    'arcmin': projected('TAN', **MINUTES), 'axes swapped': SWAPPED, 'LONPOLE': projected('TAN', LONPOLE=150.0), 'at the pole': projected('TAN', CRVAL2=89.99),
    'at 0 hours': projected('TAN', CRVAL1=0.001),
    'ICRS': projected('TAN', RADESYS='ICRS'), 'FK5': projected('TAN', RADESYS='FK5', EQUINOX=2000.0), 'FK5 of 2026': projected('TAN', RADESYS='FK5', EQUINOX=2026.0),
    'EQUINOX alone': projected('TAN', EQUINOX=2010.5),
}
NO_SKIES = {'galactic': {**projected('TAN'), 'CTYPE1': 'GLON-TAN', 'CTYPE2': 'GLAT-TAN'}, 'FK4': projected('TAN', RADESYS='FK4', EQUINOX=1950.0), 'no sky': {}}


def begins(frame):
    return Time(BEGIN + frame * APART, format='mjd', scale='utc', precision=3)


# What the cards of a frame say of its time, and when it begins.
CLOCKS = {
    'DATE-OBS': lambda at: {'DATE-OBS': at.isot},
    'DATE-OBS with a blank': lambda at: {'DATE-OBS': at.iso},
    'DATE-OBS with Z': lambda at: {'DATE-OBS': at.isot + 'Z'},
    'DATE-OBS, TIME-OBS': lambda at: {'DATE-OBS': at.isot[:10], 'TIME-OBS': at.isot[11:]},
    'DATE-OBS, UT': lambda at: {'DATE-OBS': at.isot[:10], 'UT': at.isot[11:]},
    'DATE-BEG': lambda at: {'DATE-BEG': at.isot},
    'DATE-AVG': lambda at: {'DATE-AVG': (at + EXPOSURE / 2 * units.s).isot},
    'MJD-OBS': lambda at: {'MJD-OBS': at.mjd},
    'JD': lambda at: {'JD': at.jd},
    'TIMESYS TAI': lambda at: {'DATE-OBS': at.tai.isot, 'TIMESYS': 'TAI'},
    'TIMESYS TT': lambda at: {'DATE-OBS': at.tt.isot, 'TIMESYS': 'TT'},
}


class Night:
    """Frames that are the same but for what their headers say of sky and time."""

    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        self.run('stars', f'--frames={FRAMES}', f'--size={SIZE}x{SIZE}', '--seed=5', '--objects=60,1.1,-0.8;40,-0.7,0.9', os.path.join(work, 'sky'))

    def run(self, tool, *words):
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', tool, f'tessera-{tool}'), *words])
        assert done.returncode == 0, done.stderr

    def told(self, sky, clock):
        """Rows of detections, and the headers of the frames."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            headers = [self.write(os.path.join(folder, f'{i:03d}.fits'), i, {**sky, **clock(begins(i))}) for i in range(FRAMES)]
            self.run('sequence', folder, '-o', os.path.join(folder, 'found'), '--dark', os.path.join(self.work, 'sky', 'dark.fits'), '--gain', '1.5', '--pictures', '0')
            with open(os.path.join(folder, 'found', 'detections.csv'), newline='', encoding='utf-8') as file:
                return list(csv.DictReader(file)), headers

    def write(self, path, frame, cards):
        with fits.open(os.path.join(self.work, 'sky', 'frames', f'frame-{frame:05d}.fits'), do_not_scale_image_data=True) as file:
            header, data = file[0].header, file[0].data
            for name in [*TURNED, *PLACES, 'CTYPE1', 'CTYPE2', 'DATE-OBS']:
                header.remove(name)
            header.update({'EXPTIME': EXPOSURE, **cards})
            fits.PrimaryHDU(data, header).writeto(path)
        return header


def arcsec(row, header):
    there = WCS(header).pixel_to_world(float(row['x']), float(row['y']))
    there = there if hasattr(there, 'icrs') else there[0]
    return there.icrs.separation(type(there)(float(row['ra']), float(row['dec']), unit='deg', frame='icrs')).arcsec


def seconds(row):
    return abs(float(row['time']) - (begins(int(row['frame'])) + EXPOSURE / 2 * units.s).unix) if row['time'] else float('inf')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        night = Night(sys.argv[1], work)
        for name, sky in SKIES.items():
            rows, headers = night.told(sky, CLOCKS['DATE-OBS'])
            worst = max((arcsec(row, headers[int(row['frame'])]) if row['ra'] else float('inf') for row in rows), default=float('inf'))
            report.check(f'{name}: places are astropy\'s', worst < MOST_ARCSEC, f'{worst:.4f} seconds of arc, of {len(rows)}')
        for name, sky in NO_SKIES.items():
            rows, _ = night.told(sky, CLOCKS['DATE-OBS'])
            report.check(f'{name}: no place is told', rows and not any(row['ra'] or row['dec'] for row in rows), str(rows[:1]))
        for name, clock in CLOCKS.items():
            rows, _ = night.told(SKIES['TAN'], clock)
            worst = max(map(seconds, rows), default=float('inf'))
            report.check(f'{name}: times are astropy\'s', worst < MOST_SECONDS, f'{worst:.6f} s, of {len(rows)}')
        rows, _ = night.told(SKIES['TAN'], lambda at: {'DATE-OBS': at.isot[:10]})
        report.check('a day without an hour is no time', rows and not any(row['time'] for row in rows), str(rows[:1]))
    return report.finish()


sys.exit(main())
