#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-reports.py BUILD: reports of tessera-sequence against their published formats and against its tables; where frames lie, when they
were taken and how bright objects are, by one header, by options, or not at all; and that what is missing is told."""
import array
import csv
import datetime
import importlib
import math
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report
formats = importlib.import_module('report-formats')

COUNT, SIZE, STEP = 24, 160, 60.0
SETTINGS = ('--block', '9', '--gain', '1.5', '--pictures', '0')
ALL = ('--observatory', '568', '--zero-point', '25.5', '--band', 'V', '--catalogue', 'Gaia3')
PEOPLE = ('--submitter', 'J. Doe', '--observers', 'J. Doe, A. Müller', '--measurers', 'J. Doe', '--telescope', 'reflector,0.3,CMOS')
GOOD = '     T000001  C2026 11 01.00399303 47 01.852+24 07 24.05         18.34V      568'


class Nights:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        self.program = os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence')
        done = self.gegl.command([os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={COUNT}', f'--size={SIZE}x{SIZE}',
                                  '--seed=3', '--objects=12,1.1,-0.7', self.path('field')])
        assert done.returncode == 0, done.stderr
        self.frames = self.path('field', 'frames')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def changed(self, name, cards, kept=lambda i: False):
        """A copy of the night, in which frames that are not kept have other cards: a text, or None for no such card."""
        folder = self.path(name)
        shutil.copytree(self.frames, folder)
        for i, file in enumerate(sorted(os.listdir(folder))):
            if not kept(i):
                change(os.path.join(folder, file), cards)
        return folder

    def run(self, frames, name, *words):
        done = self.gegl.command([self.program, frames, '-o', self.path(name), *SETTINGS, *words])
        return done.returncode, done.stderr.strip()

    def rows(self, name, table='tracks.csv'):
        with open(self.path(name, table), newline='', encoding='utf-8') as file:
            return list(csv.DictReader(file))

    def scale(self):
        """Degrees of a pixel; both axes of the sky go against those of the frame."""
        with open(os.path.join(self.frames, sorted(os.listdir(self.frames))[0]), 'rb') as file:
            head = file.read(2880)
        return abs(float(head[head.index(b'CD1_1'):][10:30]))

    def text(self, name, file):
        path = self.path(name, file)
        if not os.path.exists(path):
            return ''
        with open(path, encoding='utf-8') as stream:
            return stream.read()


def change(path, cards):
    with open(path, 'r+b') as file:
        head = file.read(2880)
        lines = [head[i:i + 80] for i in range(0, 2880, 80)]
        for key, value in cards.items():
            at = next((i for i, line in enumerate(lines) if line[:8].strip() == key.encode()), None)
            if at is None:
                at = lines.index(b'END'.ljust(80))
                lines[at + 1] = lines[at]
            lines[at] = (f'{key:8}= {value}' if value is not None else 'COMMENT').encode().ljust(80)
        file.seek(0)
        file.write(b''.join(lines))


def checker(report):
    """It finds what is wrong."""
    report.check('the checker takes a good line', not formats.mpc_faults(GOOD), str(formats.mpc_faults(GOOD)))
    for at, other in ((0, ''), (14, '?'), (20, '13'), (23, '32'), (32, '24'), (35, '60'), (44, ' '), (45, '91'), (57, 'x'), (65, '1834 '), (72, 'a'), (77, 'xx')):
        line = GOOD[:at] + other + GOOD[at + max(len(other), 1):]
        report.check(f'... and not {line!r}', formats.mpc_faults(line))
    good = '# version=2022\n# observatory\n! mpcCode 568\ntrkSub|mode|stn|obsTime|ra|dec|astCat|mag|band\n' \
           'T1|CCD|568|2026-01-02T03:04:05.6Z|1.5|-2|Gaia3|18.3|V\n'
    report.check('the checker takes a good file', not formats.ades_faults(good)[0], str(formats.ades_faults(good)[0]))
    for old, new in (('2022', '2021'), ('1.5', '360.0'), ('-2|', '-91|'), ('CCD', 'XYZ'), ('|V\n', '|\n'), ('18.3', ''), ('T1|', '|'), ('03:04', '25:04'), ('5.6Z', '5.6'),
                     ('|Gaia3', ''), ('trkSub', 'name'), ('Gaia3', ''), ('01-02', '02-30'), ('# obs', '# abs')):
        report.check(f'... and not {new!r} for {old!r}', formats.ades_faults(good.replace(old, new, 1))[0])


def degrees(words, per):
    return (abs(int(words[0])) + int(words[1]) / 60 + float(words[2]) / 3600) * per


def whole(report, nights):
    """All is known: both reports say what the table says."""
    code, errors = nights.run(nights.frames, 'whole', *ALL, *PEOPLE)
    tracks, lines = nights.rows('whole'), nights.text('whole', 'tracks.mpc').splitlines()
    faults, seen = formats.ades_faults(nights.text('whole', 'tracks.psv'))
    report.check('tracks are reported', code == 0 and len(tracks) > 2 and len(lines) == len(seen) == len(tracks), f'{len(tracks)} {errors}')
    report.check('lines of 80 columns keep to their format', not any(map(formats.mpc_faults, lines)), str([formats.mpc_faults(line) for line in lines]))
    report.check('and so do ADES\' values', not faults, str(faults))
    head = [line for line in nights.text('whole', 'tracks.psv').splitlines() if line[0] in '#!']
    report.check('who it was and with what stands in the head, in the order of ADES', head[1:] == ['# observatory', '! mpcCode 568', '# submitter', '! name J. Doe', '# observers', '! name J. Doe',
                                                                                                '! name A. Müller', '# measurers', '! name J. Doe', '# telescope', '! design reflector', '! aperture 0.3',
                                                                                                '! detector CMOS'] and all(values['mode'] == 'CMO' for values in seen), str(head))
    for words in (('--submitter', 'a|b'), ('--observers', 'a,,b'), ('--measurers', ''), ('--telescope', 'reflector'), ('--telescope', 'reflector,0,CCD'), ('--telescope', 'reflector,0.3 m,CCD'),
                  ('--observers', 'two\nlines'), ('--telescope', 'a#,1,CCD')):
        code2, errors2 = nights.run(nights.frames, 'whole', *ALL, *words)
        report.check(f'{words} is refused', code2 == 2 and words[0] in errors2, errors2)
    report.check('nothing is missing', 'lacks' not in errors and 'not in tracks.mpc' not in errors, errors)
    for row, line, values in zip(tracks, lines, seen):
        time = datetime.datetime.fromtimestamp(float(row['time']), datetime.timezone.utc)
        day = (time - datetime.datetime(time.year, time.month, 1, tzinfo=datetime.timezone.utc)).total_seconds() / 86400 + 1
        magnitude = 25.5 - 2.5 * math.log10(float(row['flux'])) if row['flux'] else None
        right = [abs(float(values['ra']) - float(row['ra'])) < 2e-6, abs(float(values['dec']) - float(row['dec'])) < 2e-6,
                 abs(degrees(line[32:44].split(), 15) - float(row['ra'])) < 1e-5, abs(degrees(line[45:56].split(), 1) - abs(float(row['dec']))) < 1e-5,
                 abs(float(line[23:32]) - day) < 1e-6, abs(datetime.datetime.fromisoformat(values['obsTime'][:-1] + '+00:00').timestamp() - float(row['time'])) < 1e-3,
                 values['trkSub'] == line[5:12].strip() == f'T{int(row["track"]):06}',
                 (magnitude is None and 'mag' not in values and not line[65:71].strip())
                 or (abs(float(values['mag']) - magnitude) < 2e-3 and abs(float(line[65:70]) - magnitude) < 6e-3 and line[70] == values['band'] == 'V'),
                 0 < float(values['rmsRA']) < 5, abs(float(values['logSNR']) - math.log10(float(row['significance']))) < 1e-3]
        report.check(f'frame {row["frame"]}: place, time, name and magnitude are the table\'s', all(right), f'{right} {line} {values}')
    report.check('some have a magnitude', any('mag' in values for values in seen))
    middles = {row['frame']: float(row['middle']) - float(row['time']) for row in nights.rows('whole', 'shifts.csv')}
    exposure = float(nights.rows('whole', 'shifts.csv')[0]['exposure'])
    report.check('times are those of the middle', all(abs(later - exposure / 2) < 1e-3 for later in middles.values()) and exposure > 0, str(middles))
    unsure(report, nights, tracks, seen)


def unsure(report, nights, tracks, seen):
    """What is told of the uncertainty holds against the truth."""
    with open(nights.path('field', 'objects.csv'), newline='', encoding='utf-8') as file:
        way = {row['frame']: (float(row['x']), float(row['y'])) for row in csv.DictReader(file)}
    shifts = nights.rows('whole', 'shifts.csv')
    scale = 3600 * nights.scale()
    parts = [math.dist((float(row['x']), float(row['y'])), way[row['frame']]) * scale / math.hypot(float(values['rmsRA']), float(values['rmsDec']))
             for row, values in zip(tracks, seen)]
    report.check('places are as sure as is said', len(shifts) == COUNT and max(parts) < 4 and math.sqrt(sum(part ** 2 for part in parts) / len(parts)) > 0.1, str(parts))


def missing(report, nights):
    _, errors = nights.run(nights.frames, 'bare')
    report.check('what the report lacks is told', all(word in errors for word in ('--zero-point', '--observatory', '--catalogue', '--telescope')) and '--band' not in errors, errors)
    lines, (faults, seen) = nights.text('bare', 'tracks.mpc').splitlines(), formats.ades_faults(nights.text('bare', 'tracks.psv'))
    report.check('it keeps to its formats', lines and not any(map(formats.mpc_faults, lines)) and not faults and seen, str(faults))
    report.check('it has no magnitudes', not any('mag' in values for values in seen) and not any(line[65:71].strip() for line in lines))
    _, errors = nights.run(nights.frames, 'no-band', '--zero-point', '25')
    lines, (faults, seen) = nights.text('no-band', 'tracks.mpc').splitlines(), formats.ades_faults(nights.text('no-band', 'tracks.psv'))
    report.check('a band that is missing is told; the columns have the magnitude, ADES has not',
                 '--band' in errors and not faults and not any('mag' in values for values in seen) and any(line[65:70].strip() and line[70] == ' ' for line in lines), errors)
    header = nights.changed('header', {'MAGZERO': '24.5', 'FILTER': "'R       '"})
    _, errors = nights.run(header, 'in-header', *ALL[:2])
    faults, seen = formats.ades_faults(nights.text('in-header', 'tracks.psv'))
    one = next((values for values in seen if 'mag' in values), {})
    _, given = formats.ades_faults(nights.text('whole', 'tracks.psv'))
    same = next((values for values in given if values['obsTime'] == one.get('obsTime') and 'mag' in values), {})
    report.check('a zero point and a band of the header are taken', one.get('band') == 'R' and abs(float(one['mag']) - float(same['mag']) + 1) < 2e-3, f'{one} {same}')
    for words, said in ((('--observatory', '5 8'), 'observatory'), (('--band', 'V|R'), 'band'), (('--catalogue', 'a\nb'), 'catalogue'), (('--zero-point', 'nan'), 'zero-point')):
        code, errors = nights.run(nights.frames, 'wrong', *words)
        report.check(f'{words[0]} of {words[1]!r} is refused', code == 2 and said in errors, errors)


def when(report, nights):
    day = "'2026-11-01'"
    _, errors = nights.run(nights.changed('day', {'DATE-OBS': day}), 'of-day', *ALL)
    report.check('days without an hour are no time: no report, and that is told once',
                 not nights.text('of-day', 'tracks.mpc') + nights.text('of-day', 'tracks.psv') and errors.count(f'{COUNT} of {COUNT} frames have no time: DATE-OBS is a day') == 1
                 and 'have no time' in errors, errors)
    report.check('nor have tables a midnight', not any(row['time'] or row['middle'] for row in nights.rows('of-day', 'shifts.csv')))
    _, errors = nights.run(nights.changed('scale', {'TIMESYS': "'LOCAL   '"}), 'of-scale', *ALL)
    report.check('a scale of time that is not known is told', 'TIMESYS' in errors and not nights.text('of-scale', 'tracks.mpc'), errors)
    _, errors = nights.run(nights.changed('no-time', {'DATE-OBS': None}), 'of-none', *ALL)
    report.check('frames without a time are told', 'their frames have no time' in errors and not nights.text('of-none', 'tracks.psv'), errors)


def shuffled(report, nights):
    """Names in another order than times: the same tables, but for the names."""
    names = sorted(os.listdir(nights.frames))
    for folder, dated in (('shuffled', len(names)), ('half-dated', len(names) // 2)):
        os.mkdir(nights.path(folder))
        for i, name in enumerate(names):
            path = nights.path(folder, f'{i * 7 % len(names):03}.fits')
            shutil.copy(os.path.join(nights.frames, name), path)
            if i >= dated:
                change(path, {'DATE-OBS': None})
    _, errors = nights.run(nights.path('shuffled'), 'of-shuffled', *ALL, *PEOPLE)
    report.check('frames are taken in the order of their times, and that is told', 'order of their times' in errors and nights.text('of-shuffled', 'tracks.psv')
                 == nights.text('whole', 'tracks.psv'), errors)
    report.check('... which their names are not', [row['name'] for row in nights.rows('of-shuffled', 'shifts.csv')] == [f'{i * 7 % len(names):03}.fits' for i in range(len(names))])
    _, errors = nights.run(nights.path('half-dated'), 'of-half', *ALL)
    report.check('where some have no time, names count, and that is told', f'{len(names) - len(names) // 2} of {len(names)} frames have no time' in errors
                 and [row['name'] for row in nights.rows('of-half', 'shifts.csv')] == [f'{i:03}.fits' for i in range(len(names))], errors)
    _, errors = nights.run(nights.frames, 'of-names', *ALL)
    report.check('frames in order are no news', 'order of' not in errors, errors)


SKY = ('CTYPE1', 'CTYPE2', 'CRVAL1', 'CRVAL2', 'CRPIX1', 'CRPIX2')


def where(report, nights):
    gone = {key: None for key in SKY}
    _, wanted = formats.ades_faults(nights.text('whole', 'tracks.psv'))
    for one in (0, 13, COUNT - 1):
        folder = nights.changed(f'one-{one}', gone, lambda i, one=one: i == one)
        _, errors = nights.run(folder, f'of-one-{one}', *ALL)
        _, seen = formats.ades_faults(nights.text(f'of-one-{one}', 'tracks.psv'))
        away = [math.hypot((float(a['ra']) - float(b['ra'])) * math.cos(math.radians(float(a['dec']))), float(a['dec']) - float(b['dec'])) / nights.scale()
                for a, b in zip(seen, wanted)]
        report.check(f'frame {one} alone is solved, and serves all', len(seen) == len(wanted) and max(away) < 0.05, f'{away} px {errors}')
    for part in ('1/2', '2/2'):
        nights.run(nights.path('one-0'), f'part-{part[0]}', '--part', part)
    done = nights.gegl.command([nights.program, 'merge', nights.path('part-1'), nights.path('part-2'), '-o', nights.path('merged'), *ALL])
    report.check('parts that are merged too', done.returncode == 0 and nights.text('merged', 'tracks.psv') == nights.text('of-one-0', 'tracks.psv'), done.stderr)
    _, errors = nights.run(nights.changed('nowhere', gone), 'of-nowhere', *ALL)
    report.check('a night that is not solved has no report, and that is told', 'no file says where in the sky' in errors and not nights.text('of-nowhere', 'tracks.mpc'), errors)
    _, errors = nights.run(nights.changed('old', {'RADESYS': "'FK4     '"}), 'of-fk4', *ALL)
    report.check('nor has one of FK4', 'FK4' in errors and not nights.text('of-fk4', 'tracks.mpc'), errors)
    _, errors = nights.run(nights.changed('strange', {'CTYPE1': "'RA---XYZ'", 'CTYPE2': "'DEC--XYZ'"}), 'of-strange', *ALL)
    report.check('nor one whose projection is not known', 'not understood' in errors and not nights.text('of-strange', 'tracks.mpc'), errors)


ZERO, WIDE, MIDDLE = 22.5, 256, (56.75, 24.125)


def sky_of(x, y, scale):
    """A tangent plane whose axes both go against those of the frame."""
    xi, eta, dec = (math.radians(value) for value in (-(x - WIDE / 2) * scale, -(y - WIDE / 2) * scale, MIDDLE[1]))
    below = math.cos(dec) - eta * math.sin(dec)
    return (MIDDLE[0] + math.degrees(math.atan2(xi, below)),
            math.degrees(math.atan2(math.sin(dec) + eta * math.cos(dec), math.hypot(xi, below))))


class Catalogue:
    """The stars of a field, whose light has the magnitude ZERO where it is 1."""

    def __init__(self, nights, name='wide', seed=9, frames=16):
        self.dice, self.nights = random.Random(11), nights
        done = nights.gegl.command([os.path.join(nights.gegl.build, 'tools', 'stars', 'tessera-stars'), f'--frames={frames}', f'--size={WIDE}x{WIDE}',
                                    f'--seed={seed}', '--objects=14,1.1,-0.7', nights.path(name)])
        assert done.returncode == 0, done.stderr
        self.frames = nights.path(name, 'frames')
        with open(nights.path(name, 'stars.csv'), newline='', encoding='utf-8') as file:
            rows = [[float(row[key]) for key in ('x', 'y', 'flux')] for row in csv.DictReader(file)]
        self.stars, self.inside = ([(*sky_of(x, y, nights.scale()), ZERO - 2.5 * math.log10(flux)) for x, y, flux in some]
                                   for some in (rows, [row for row in rows if 30 < min(row[:2]) and max(row[:2]) < WIDE - 30]))
        with open(nights.path(name, 'objects.csv'), newline='', encoding='utf-8') as file:
            self.truth = ZERO - 2.5 * math.log10(float(next(csv.DictReader(file))['flux']))

    def run(self, name, stars, head='ra,dec,mag', *words):
        path = self.nights.path(name + '.csv')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'# stars\n{head}\n' + ''.join(','.join(f'{value:.6f}' for value in star) + '\n' for star in stars))
        _, errors = self.nights.run(self.frames, f'of-{name}', '--zero-point', path, '--band', 'V', *words)
        return errors, [values for values in formats.ades_faults(self.nights.text(f'of-{name}', 'tracks.psv'))[1] if 'mag' in values]

    def noisy(self, width):
        return [(ra, dec, mag + self.dice.gauss(0, width)) for ra, dec, mag in self.stars]

    def crowd(self, n):
        """Stars where there are none."""
        return [(MIDDLE[0] + self.dice.uniform(-0.06, 0.06), MIDDLE[1] + self.dice.uniform(-0.055, 0.055), self.dice.uniform(9, 12)) for _ in range(n)]


def of_two_skies(report, nights, catalogue):
    """Two fields in one night, the second through half of the air: each has a zero point of its own."""
    other, away = Catalogue(nights, 'second', 10), 0.3
    os.mkdir(nights.path('both'))
    for k, (field, part) in enumerate(((catalogue, 1), (other, 0.5))):
        for i, file in enumerate(sorted(os.listdir(field.frames))):
            path = nights.path('both', f'{k}{i:03}.fits')
            with open(os.path.join(field.frames, file), 'rb') as stream:
                head, counts = stream.read(2880), array.array('h', stream.read(2 * WIDE ** 2))
            counts.byteswap()
            counts = array.array('h', (int((value + 32768) * part + 0.5) - 32768 for value in counts))
            counts.byteswap()
            with open(path, 'wb') as stream:
                stream.write(head + counts.tobytes() + bytes(-2 * WIDE ** 2 % 2880))
            change(path, {'CRVAL1': f'{MIDDLE[0] + away * k:20.9f}', 'DATE-OBS': f"'2026-11-01T0{3 + k}:{i:02}:00'"})
    first = catalogue.frames
    catalogue.frames = nights.path('both')
    errors, seen = catalogue.run('two-skies', catalogue.stars + [(ra + away, dec, mag) for ra, dec, mag in other.stars])
    catalogue.frames = first
    off = [[float(values['mag']) - truth for values in seen if (float(values['ra']) > MIDDLE[0] + away / 2) == k] for k, truth in ((False, catalogue.truth), (True, other.truth))]
    report.check('fields of other air have zero points of their own', 'of chain 0: ' in errors and 'of chain 1: ' in errors and min(map(len, off)) > 0
                 and max(abs(one) for some in off for one in some) < 0.2, f'{off} {errors}')


def of_many_frames(report, nights):
    """A star in many frames is one star; what the files say does not count where a catalogue was given."""
    catalogue = Catalogue(nights, 'long', 9, 110)
    errors, _ = catalogue.run('one-star', catalogue.inside[:4], 'ra,dec,mag', '--history', '4', '--block', '55', '--every', '0')
    report.check('four stars in many frames are four', 'the catalogue shows no zero point' in errors and 'are needed' in errors, errors)
    errors, _ = catalogue.run('all-stars', catalogue.stars, 'ra,dec,mag', '--history', '4', '--block', '55', '--every', '0')
    report.check('... and all are enough, in more than one frame', 'zero point: ' in errors and ' in 1 frame' not in errors, errors)


def zero(report, nights):
    """Stars of known magnitudes show the zero point, or nothing is said of it."""
    catalogue = Catalogue(nights)
    for name, width, most in (('exact', 0, 0.15), ('noisy', 0.1, 0.2)):
        errors, seen = catalogue.run(name, catalogue.noisy(width))
        off = [float(values['mag']) - catalogue.truth for values in seen]
        report.check(f'{name} magnitudes show the zero point', 'zero point: ' in errors and seen and max(map(abs, off)) < most, f'{off} {errors}')
    turned, seen = catalogue.run('turned', [star[::-1] for star in catalogue.stars], 'mag,dec,ra')
    report.check('columns are taken by their names', 'zero point: ' in turned and seen, turned)
    for name, stars, why in (('another-band', catalogue.noisy(1.0), 'differ from the light'), ('another-place', [(ra + 5, dec, mag) for ra, dec, mag in catalogue.stars], 'are needed'),
                             ('beside', [(ra + 0.02, dec, mag) for ra, dec, mag in catalogue.stars], 'no zero point'), ('few', catalogue.inside[:4], 'are needed'),
                             ('crowd', catalogue.crowd(2500), 'no zero point')):
        errors, seen = catalogue.run(name, stars)
        report.check(f'{name}: no magnitudes, and the reason', 'the catalogue shows no zero point' in errors and why in errors and not seen, errors)
    for name, stars, head in (('no-columns', catalogue.stars, 'x,y,z'), ('no-rows', [], 'ra,dec,mag'), ('degrees', [(ra, dec + 100, mag) for ra, dec, mag in catalogue.stars], 'ra,dec,mag')):
        errors, _ = catalogue.run(name, stars, head)
        report.check(f'{name}: it is no catalogue', 'is no catalogue of stars' in errors and not os.path.exists(nights.path(f'of-{name}', 'tracks.csv')), errors)
    for name, lines in (('marked', '\ufeff"ra","dec","mag"\r\n'), ('tabs', 'name\tra\tdec\tmag\n')):
        rows = [f'\t{ra}\t{dec}\t{mag}\n' if name == 'tabs' else f'"{ra - 360}","{dec}","{mag}"\r\n' for ra, dec, mag in catalogue.stars]
        with open(nights.path(name + '.txt'), 'w', encoding='utf-8', newline='') as file:
            file.write(lines + ''.join(rows))
        _, errors = nights.run(catalogue.frames, f'of-{name}', '--zero-point', nights.path(name + '.txt'))
        report.check(f'{name} lines are read', 'zero point: ' in errors, errors)
    twice, seen = catalogue.run('twice', catalogue.stars * 2)
    report.check('a star that stands there twice is one', 'zero point: ' in twice and seen, twice)
    shutil.copytree(catalogue.frames, nights.path('said'))
    for file in os.listdir(nights.path('said')):
        change(nights.path('said', file), {'MAGZERO': '30.0'})
    _, errors = nights.run(nights.path('said'), 'of-said', '--band', 'V', '--zero-point', nights.path('another-place.csv'))
    report.check('what the files say takes no place of a catalogue that shows nothing', 'no magnitudes' in errors and
                 not any('mag' in values for values in formats.ades_faults(nights.text('of-said', 'tracks.psv'))[1]), errors)
    for words in (('merge', 'merged', nights.path('of-few'), '--zero-point', nights.path('few.csv')), (catalogue.frames, 'part', '--part', '1/2', '--zero-point', nights.path('few.csv'))):
        code, errors = nights.run(*words)
        report.check(f'{words[1]}: parts have a number alone', code == 2 and 'needs all frames' in errors, errors)
    of_two_skies(report, nights, catalogue)
    of_many_frames(report, nights)


def main():
    report = Report()
    checker(report)
    with tempfile.TemporaryDirectory() as work:
        nights = Nights(sys.argv[1], work)
        whole(report, nights)
        missing(report, nights)
        when(report, nights)
        shuffled(report, nights)
        where(report, nights)
        zero(report, nights)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
