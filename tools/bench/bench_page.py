# SPDX-License-Identifier: LGPL-3.0-or-later
"""The table of data/doc/measurements.md: all of its rows in one job, and printed as the page has it."""
import json
import os
import sys
from typing import NamedTuple

from bench_report import number, table

C, DEVICE = 'c', 'opencl'
NONE, NOT = 'GEGL has none', 'not measured'
SEQUENCE, QUICK_SEQUENCE = '3648x2736', '150x130'
FRAMES = {C: 32, DEVICE: 256}
QUICK_FRAMES = 8
HEAD = ('operation', 'settings', 'C', 'against', 'OpenCL', 'against')


class Row(NamedTuple):
    """What is timed, and beside what."""
    operations: str
    settings: str
    titles: tuple               # rows of tools/bench/bench; one word: what `sequences` and `align` answer
    rival: str = NONE
    compared: tuple = None      # rows that have a rival; None: all of `titles`


ROWS = (
    Row('`tessera:align`, `tessera:combine`', 'similarity', ('align',)),
    Row('`tessera:background-whiten`', '10 Mpix; with the shift, frames at once', ('whiten', 'sequence')),
    Row('`tessera:bilateral-filter`, `tessera:bilateral-grid`', 'size 8, threshold 0.1: by channels; by luminance',
        ('bilateral-grid channels (8, 0.1)', 'bilateral-grid luminance (8, 0.1)'), 'gegl:bilateral-filter'),
    Row('`tessera:cielab`', 'there', ('cielab forward',), 'babl\'s CIE Lab, with which GIMP converts:'),
    Row('`tessera:convolution`', '3x3; 13x13; 31x31', ('convolution 3x3, full rank', 'convolution 13x13, not separable', 'convolution 31x31, full rank'),
        'gegl:convolution-matrix, 5x5:', ('convolution 5x5, not separable',)),
    Row('`tessera:denoise`', 'defaults; level 0.06', ('denoise', 'denoise level 0.06'), 'gegl:denoise-dct', ('denoise level 0.06',)),
    Row('`tessera:detail`', '0.5, 0.5, radius 16', ('detail (0.5, 0.5, 16)',)),
    Row('`tessera:equalize`', 'whole image', ('equalize luminance',), f'{NONE}; gegl:stretch-contrast, which does less:'),
    Row('`tessera:estimate-shift`', '10 Mpix', ('shift',)),
    Row('`tessera:fits-load`', 'reading', ()),
    Row('`tessera:gaussian-blur`', 'sigma 1.5; 10; 40', tuple(f'gaussian-blur sigma {sigma}' for sigma in (1.5, 10, 40)), 'gegl:gaussian-blur'),
    Row('`tessera:harris-corners`', 'response; overlay', ('harris-corners response', 'harris-corners overlay')),
    Row('`tessera:label`', 'colors; as index', ('label random dots, colors', 'label random dots, index')),
    Row('`tessera:mean-blur`', 'radius 10', ('mean-blur radius 10',), 'gegl:box-blur'),
    Row('`tessera:median-blur`', 'radius 1; 2; 3; 10', tuple(f'median-blur radius {radius}' for radius in (1, 2, 3, 10)), 'gegl:median-blur'),
    Row('`tessera:motion-blur`', 'length 40, angle 45', ('motion-blur length 40, angle 45',), 'gegl:motion-blur-linear'),
    Row('`tessera:sharpen-lens`', '1.5, 8', ('sharpen-lens (1.5, 8)',), 'gegl:unsharp-mask'),
    Row('`tessera:sift`, `tessera:sift-save`', 'found and drawn', ('sift, defaults',)),
    Row('`tessera:sobel`', 'luminance; channels', ('sobel magnitude of luminance', 'sobel magnitude of channels'), 'gegl:edge-sobel'),
    Row('`tessera:tone`', 'defaults; HDR compression', ('tone (shadows 0.7, highlights 0.3)', 'tone, HDR compression'),
        'gegl:shadows-highlights; gegl:reinhard05:'),
    Row('`tessera:unsharp-mask`', 'radius 1.5, amount 0.5', ('unsharp-mask (1.5, 0.5)',), 'gegl:unsharp-mask'),
)


def compared(row):
    return row.titles if row.compared is None else row.compared


def titles(wanted):
    """Those of the bench, each once; `wanted`: parts of titles, or None."""
    known = [title for row in ROWS for title in dict.fromkeys(row.titles + compared(row)) if ' ' in title]
    return [title for title in known if not wanted or any(part in title for part in wanted.split('/'))]


# ---------------------------------------------------------------- measuring --

def timed(program, title, mpix, chosen, env):
    """What the bench says of one row."""
    words = ['--json', '--rows', title, '--mpix', mpix, '--runs', str(chosen.runs),
             '--rivals', chosen.rivals, '--rival-limit', str(chosen.rival_limit)]
    return next(result for result in program.run(words, env)[0] if result['row'] == title)      # others' titles may contain it


def rival_speed(result):
    return result['rival']['min_ms'] / result['rival']['mpix'] if result['rival'] else None


def against_better(program, result, title, mpix, chosen):
    """Many of GEGL's own filters are faster while its OpenCL is off: how many times faster than its better setting, and which."""
    without = timed(program, title, mpix, chosen, {'GEGL_USE_OPENCL': 'no'}) if result['rival'] else None
    if not without or rival_speed(without) >= rival_speed(result):
        return result['ratio'], 'on'
    return result['ratio'] * rival_speed(without) / rival_speed(result), 'off'


def filters(program, leg, env, mpix, chosen):
    """{title: [milliseconds, times as fast as GEGL's, its OpenCL]}, and what is not to be trusted."""
    found, wrong = {}, []
    for title in titles(chosen.rows):
        print(f'bench: {mpix} Mpix, {title}, {leg}', file=sys.stderr, flush=True)
        result = timed(program, title, mpix, chosen, env)
        ratio, setting = against_better(program, result, title, mpix, chosen) if leg == DEVICE else (result['ratio'], 'off')
        found[title] = [result['ours']['min_ms'], ratio, setting]
        wrong += [f'{title}: {flag}' for flag in result['flags'] if flag.startswith('ran on') or 'fell back' in flag]
    return found, wrong


def sequences(program, leg, env, quick):
    """Milliseconds of a frame: its shift, its background, both while others are computed (on a processor: one after the other)."""
    size, frames = (QUICK_SEQUENCE, QUICK_FRAMES) if quick else (SEQUENCE, FRAMES[leg])
    rows = program.run(['--json', '1', '--size', size, '--frames', str(frames), '--ahead', '12', '--batch', '3'], env)[0]
    by_leg = {row['leg']: row for row in rows}
    alone = by_leg['device' if leg == DEVICE else 'C']
    together = by_leg['device, at the same time' if leg == DEVICE else 'C']
    return {'shift': [alone['shift_ms'], None], 'whiten': [alone['whiten_ms'], None], 'sequence': [together['ms'], None]}


def align(program, env, mpix, runs):
    rows = program.run(['--mpix', mpix, '--descriptors', '300', '--runs', str(runs)], env)[0]
    return {'align': [row['ms'], None] for row in rows if row['what'] == 'align'}


def one_leg(programs, leg, env, mpix, chosen):
    """All times of C, or of the device, and what is not to be trusted."""
    found, wrong = filters(programs['bench'], leg, env, mpix, chosen)
    found.update(sequences(programs['sequences'], leg, env, chosen.quick))
    found.update(align(programs['pairs'], env, mpix, min(3, chosen.runs)))
    return found, wrong


# ----------------------------------------------------------------- the page --

def merged(paths):
    """Of several machines; the last that has a leg gives it."""
    report = {'machines': {}, 'times': {}}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            found = json.load(file)
        for key, values in report.items():
            values.update(found[key])
    return report


def times(report, leg, row):
    found = [report['times'].get(leg, {}).get(title) for title in row.titles]
    return '; '.join(number(ours[0], 2) if ours else NOT for ours in found) if any(found) else NOT


def against(report, leg, row):
    found = [report['times'].get(leg, {}).get(title) for title in compared(row)]
    ratios = '; '.join(number(ours[1], 2) + (' (off)' if leg == DEVICE and ours[2] == 'off' else '') for ours in found if ours and ours[1])
    return f'{row.rival} {ratios}'.strip() if leg == C else ratios


def markdown(report):
    rows = [[row.operations, row.settings] + [cell for leg in (C, DEVICE) for cell in (times(report, leg, row), against(report, leg, row))] for row in ROWS]
    machines = [[name, report['machines'].get(leg, NOT)] for name, leg in (('C', C), ('OpenCL', DEVICE))]
    return '\n'.join(table(('', 'machine'), machines) + table(HEAD, rows)).rstrip()


def write(report, folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in ('page.json', json.dumps(report, indent=1)), ('page.md', markdown(report)):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(text + '\n')
