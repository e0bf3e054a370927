# SPDX-License-Identifier: LGPL-3.0-or-later
"""Whether reports keep to their formats.  Written from the published descriptions alone: the Minor Planet Center's "Format For Optical
Astrometric Observations", and the IAU's ADES, version 2022 (adesmaster.xml: elements, their types and order; PSV: section 6 of the
description).  Knows nothing of what writes them."""
import datetime
import re

TYPES = ('H', 'A', 'C', 'B', 'P', 'e', 'T', 'M', 'V', 'S', 'X', 'x', ' ', 'n')          # column 15 of the 80


def number(text, pattern, low, high):
    return bool(re.fullmatch(pattern, text)) and low <= float(text) < high


def mpc_faults(line):
    """Columns count from 1 in the description, from 0 here."""
    faults = []

    def must(is_so, words):
        if not is_so:
            faults.append(words)

    must(len(line) == 80, f'{len(line)} columns')
    line = line.ljust(80)
    must(line.isascii() and '\t' not in line, 'a character that is none of the 80 columns')
    number_, name = line[0:5], line[5:12]
    must(number_.strip() or re.fullmatch(r'[A-Za-z0-9]{1,7} *', name), f'no designation: {line[:12]!r}')
    must(line[12] in ' *' and line[14] in TYPES, f'notes {line[12:15]!r}')
    date = re.fullmatch(r'(\d{4}) (\d\d) (\d\d)\.(\d{3,6}) *', line[15:32])
    must(date, f'date {line[15:32]!r}')
    if date:
        try:
            datetime.date(*(int(date[i]) for i in (1, 2, 3)))
        except ValueError:
            must(False, f'date {line[15:32]!r}')
    ra = re.fullmatch(r'(\d\d) (\d\d) (\d\d\.\d{1,3}) *', line[32:44])
    must(ra and int(ra[1]) < 24 and int(ra[2]) < 60 and float(ra[3]) < 60, f'right ascension {line[32:44]!r}')
    dec = re.fullmatch(r'([+-])(\d\d) (\d\d) (\d\d\.\d{1,2}) *', line[44:56])
    must(dec and int(dec[2]) + int(dec[3]) / 60 <= 90 and int(dec[3]) < 60 and float(dec[4]) < 60, f'declination {line[44:56]!r}')
    must(line[56:65] == ' ' * 9 and line[71:77] == ' ' * 6, 'columns that have to be blank')
    magnitude = line[65:71]
    must(magnitude == ' ' * 6 or re.fullmatch(r'[ -]?\d?\d\.\d{1,2} ?[A-Za-z ]', magnitude), f'magnitude {magnitude!r}')
    must(re.fullmatch(r'[A-Z0-9]\d\d|XXX', line[77:80]), f'observatory {line[77:80]!r}')
    return faults


WORD = r'[A-Za-z0-9_]'
POSITIVE = r'(?=.*[1-9])\d+(\.\d+)?'
DECIMAL = r'[+-]?\d+(\.\d+)?'
OPTICAL = {             # of an optical observation: the form of its value, and its range
    'permID': (r'\d+.*', None), 'provID': (r'.+', None), 'trkSub': (WORD + '{1,8}', None), 'mode': (WORD + '{1,3}', None),
    'stn': (WORD + '{3,4}', None), 'obsTime': (r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z', None), 'rmsTime': (POSITIVE, None),
    'ra': (DECIMAL, (0.0, 360.0)), 'dec': (DECIMAL, (-90.0, 90.0000001)), 'rmsRA': (POSITIVE, None), 'rmsDec': (POSITIVE, None),
    'rmsCorr': (DECIMAL, (-1.0, 1.0000001)), 'astCat': (WORD + '{1,8}', None), 'mag': (DECIMAL, None), 'rmsMag': (POSITIVE, None),
    'band': (WORD + '{1,3}', None), 'photCat': (WORD + '{1,8}', None), 'photAp': (POSITIVE, None), 'logSNR': (DECIMAL, None),
    'seeing': (POSITIVE, None), 'exp': (POSITIVE, None), 'rmsFit': (POSITIVE, None), 'nStars': (r'[1-9]\d*', None), 'disc': (r'[*+]', None),
    'uncTime': (POSITIVE, None), 'notes': (WORD + '{1,6}', None), 'remarks': (r'.{1,200}', None)}
REQUIRED = ('mode', 'stn', 'obsTime', 'ra', 'dec', 'astCat')
MODES = ('CCD', 'CMO', 'VID', 'PHO', 'ENC', 'PMT', 'MIC', 'MER', 'TDI', 'OCC', 'UNK')
HEADERS = ('observatory', 'submitter', 'observers', 'measurers', 'telescope', 'software', 'coinvestigators', 'collaborators', 'fundingSource', 'comment')


def value_faults(name, value):
    form, limits = OPTICAL[name]
    if not re.fullmatch(form, value) or (limits and not limits[0] <= float(value) < limits[1]):
        return [f'{name} {value!r}']
    if name == 'obsTime':
        try:
            datetime.datetime.fromisoformat(value[:19])
        except ValueError:
            return [f'{name} {value!r}']
    return [f'mode {value!r}'] if name == 'mode' and value not in MODES else []


def ades_faults(text):
    """Of a whole file."""
    faults, names, rows = [], None, []
    lines = text.split('\n')
    if not re.fullmatch(r'# version=20(17|22)', lines[0]):
        faults.append(f'version {lines[0]!r}')
    if lines.pop() != '':
        faults.append('the last line has no end')
    for line in lines[1:]:
        if line.startswith('#'):
            if line[1:].split()[:1] not in [[name] for name in HEADERS] or names:
                faults.append(f'header {line!r}')
        elif line.startswith('!'):
            if not re.fullmatch(r'! \S+ \S.*', line) or names:
                faults.append(f'header {line!r}')
        elif names is None:
            names = [name.strip() for name in line.split('|')]
            faults += [f'column {name!r}' for name in names if name not in OPTICAL]
            faults += [f'no column {name}' for name in REQUIRED if name not in names]
            if len(set(names)) != len(names):
                faults.append('a column twice')
        else:
            values = [value.strip() for value in line.split('|')]
            if len(values) != len(names):
                faults.append(f'{len(values)} values of {len(names)}')
                continue
            row = {name: value for name, value in zip(names, values) if value}
            rows.append(row)
            for name, value in row.items():
                faults += value_faults(name, value) if name in OPTICAL else []
            faults += [f'no {name}' for name in REQUIRED if name not in row]
            if not {'permID', 'provID', 'trkSub'} & set(row):
                faults.append('no name')
            if ('mag' in row) != ('band' in row) or ({'rmsMag', 'photCat', 'photAp'} & set(row) and 'mag' not in row):
                faults.append('a magnitude without a band, or what belongs to one without it')
    return faults, rows
