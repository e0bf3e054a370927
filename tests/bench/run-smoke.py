#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-smoke.py BUILD: the bench measures rows of every kind in C and on OpenCL, and refuses what would mean nothing."""
import array
import json
import os
import re
import shutil
import sys
import tempfile
from xml.dom import minidom

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(os.path.dirname(TESTS), 'tools', 'bench')
sys.path[:0] = [TESTS, BENCH]
sys.dont_write_bytecode = True
import bench
from common import Gegl, Report

DRIVER = [sys.executable, '-B', os.path.join(BENCH, 'bench.py')]
ROWS = 'motion-blur/bilateral-grid luminance/label random dots, index'
SMALL = ['--mpix', '0.02', '--runs', '2', '--rivals', 'no', '--formats', 'float']


class Quiet(Report):
    """Details of what failed alone."""

    def check(self, name, good, detail=''):
        return super().check(name, good, '' if good else detail)


def start(gegl, words, folder, **env):
    return gegl.command(words, cwd=folder, **{'GEGL_USE_OPENCL': 'cpu', **env})


def expected(gegl, program, folder):
    """The keys of every measurement that --quick makes."""
    keys = set()
    for line in start(gegl, [program, '--list'], folder).stdout.splitlines():
        row = json.loads(line)
        if not any(part in row['row'] for part in ROWS.split('/')) or row['row'].startswith('thesis'):
            continue
        for name in ('RGBA float', 'R\'G\'B\'A u8') if row['steps'] == 1 else ('RGBA float',):
            for sink in bench.SINKS if row['steps'] == 1 else ('whole',):
                keys |= {(row['row'], name, sink, leg) for leg in ('c', 'opencl')}
    return keys


def check_quick(gegl, program, folder, report):
    done = start(gegl, DRIVER + ['--quick', '--rows', ROWS, '--bench', program, '--out', folder], folder)
    report.check('bench --quick ends well', done.returncode == 0, '\n'.join(done.stderr.splitlines()[-5:]))
    if done.returncode:
        return
    with open(os.path.join(folder, 'bench.json'), encoding='utf-8') as file:
        measured = {(r['row'], r['format'], r['sink'], r['leg']): r for r in json.load(file)['results']}
    keys = expected(gegl, program, folder)
    report.check('every row is there, and no other', set(measured) == keys, str(set(measured) ^ keys))
    wrong = [key for key, r in measured.items() if r['path'] != {'c': 'C', 'opencl': 'OpenCL'}[key[3]]]
    report.check('each leg ran where it should', not wrong, str(wrong))
    wrong = [key for key, r in measured.items() if not 0 < r['ours']['min_ms'] <= r['ours']['median_ms']
             or not 0 < r['stages_ms']['process'] or r['per_run']['requests'] < r['steps']]
    report.check('times and requests make sense', not wrong, str(wrong))
    lonely = ('label',)         # GEGL has nothing like it
    wrong = [key for key, r in measured.items()
             if (key[1] == 'RGBA float' and key[2] == 'whole' and not key[0].startswith(lonely)) != (r['ratio'] is not None)]
    report.check('rivals are timed where they should be', not wrong, str(wrong))
    wrong = [key for key, r in measured.items() if key[3] == 'opencl' and
             not (r['stages_ms']['run'] > 0 and r['per_run']['uploaded_bytes'] > 0 and r['memory_mib']['device'] > 0)]
    report.check('OpenCL has stages, bytes and memory', not wrong, str(wrong))
    report.check('the report names each row', all(f'| {key[0]} |' in done.stdout for key in keys))
    minidom.parse(os.path.join(folder, 'bench.svg'))
    report.check('the chart is XML', True)
    again = start(gegl, DRIVER + ['--render', os.path.join(folder, 'bench.json'), '--out', os.path.join(folder, 'again')], folder)
    report.check('--render gives the same report', again.returncode == 0 and again.stdout == done.stdout, again.stderr)


def check_refusals(gegl, program, folder, report):
    driver = DRIVER + ['--bench', program, '--out', os.path.join(folder, 'refused'), '--legs', 'c'] + SMALL
    cases = {
        'no operations in GEGL_PATH': (driver, {'GEGL_PATH': folder}, 'GEGL_PATH'),
        'swap on disk': (driver + ['--legs', 'c,opencl'], {'GEGL_SWAP': os.path.join(folder, 'swap')}, 'GEGL_SWAP=RAM'),
        'a row that does not exist': (driver + ['--rows', 'sharpest'], {}, 'sharpest'),
        'a format that does not exist': (driver + ['--formats', 'u7'], {}, 'u7'),
        'no program': (DRIVER + ['--bench', program + '-not'], {}, '--bench'),
        'the program alone: no operations': ([program], {'GEGL_PATH': gegl.system_plugins}, 'tessera:'),
        'the program alone: swap on disk': ([program], {'GEGL_SWAP': os.path.join(folder, 'swap')}, 'GEGL_SWAP=RAM'),
        'the program alone: a row that does not exist': ([program, '--rows', 'sharpest'], {}, 'sharpest'),
    }
    for name, (words, env, said) in cases.items():
        done = start(gegl, words, folder, **env)
        lines = [line for line in done.stderr.splitlines() if line.startswith('bench: ') and ' Mpix ' not in line]
        report.check(f'refused: {name}', done.returncode == 2 and len(lines) == 1 and said in lines[0]
                     and lines[0].startswith('bench: refused: '),
                     f'exit code {done.returncode}\n{done.stderr}')


def check_comparison(report):
    same, off = array.array('f', [0.0, 0.5]), array.array('f', [0.0, 0.501])
    for name, format_name, other, good in (
            ('equal', 'RGBA float', same, True), ('off', 'RGBA float', off, False), ('off, u8', 'R\'G\'B\'A u8', off, True),
            ('NaN', 'RGBA float', array.array('f', [float('nan'), 0.5]), False)):
        results = [{'row': 'r', 'format': format_name, 'sink': 'whole', 'leg': leg} for leg in ('c', 'opencl')]
        try:
            bench.compare(results, [same, other])
            agreed = True
        except bench.Refused:
            agreed = False
        report.check(f'comparing results: {name}', agreed == good)


def check_path(gegl, program, folder, report):
    """A device that fails while it is timed is noticed; alone, the program prints a table."""
    words = [program, '--rows', 'length'] + SMALL + ['--runs', '4']
    for mode, flag in (('force', 'ran on '), ('try', 'fell back to C')):
        done = start(gegl, words, folder, TESSERA_OPENCL=mode, TESSERA_FAULT='download:6')     # the first request and the check of its kernels make four
        report.check(f'a failure of the device is flagged, {mode}', done.returncode == 1 and flag in done.stderr, done.stderr)
    done = start(gegl, words, folder, GEGL_USE_OPENCL='no')
    lines = [line for line in done.stdout.splitlines() if line.startswith('| motion-blur') and '| C ' in line]
    report.check('a table without the driver', done.returncode == 0 and len(lines) == 1, done.stdout + done.stderr)


def check_side(gegl, program, folder, report):
    """GIMP's sinks ask for the same squares whatever a filter takes, if they are told to."""
    words = [program, '--rows', 'length', '--sinks', 'preview,merge', '--side', '100', '--json'] + SMALL + ['--mpix', '300x200']
    done = start(gegl, words, folder, GEGL_USE_OPENCL='no')
    asked = [json.loads(line)['per_run']['requests'] for line in done.stdout.splitlines()]
    report.check('squares of one size are asked for', done.returncode == 0 and asked == [6, 6], f'{asked}\n{done.stderr}')


def check_frames(gegl, program, folder, report):
    """What a frame of a sequence costs, in C and on the device; other libraries have a line whether they are there or not."""
    done = start(gegl, DRIVER + ['--quick', '--frames', '2', '--bench', program, '--out', folder], folder)
    lines = {line.split('|')[1].strip(): line.split('|')[2:5] for line in done.stdout.splitlines() if line.startswith('| ')}
    ways = ('C, one thread', 'C', 'device', 'device, at the same time', 'device, kernels alone')
    report.check('frames of a sequence are timed in each way', done.returncode == 0 and all(way in lines and all(map(float, lines[way])) for way in ways),
                 done.stdout + done.stderr)
    report.check('and OpenCV and photutils are named', any(name.startswith('OpenCV') or name.startswith('opencv') for name in lines)
                 and any(name.startswith('photutils') for name in lines), done.stdout)


def check_page(gegl, program, folder, report):
    """The table of measurements.md, of both paths; what was not asked for is not measured.  Two files of one path each make the same table."""
    words = DRIVER + ['--quick', '--page', '--mpix', '0.02', '--rows', 'sobel magnitude of luminance/label random dots, index', '--bench', program, '--out']
    done = start(gegl, words + [folder], folder)
    rows = {cells[0]: cells[2:6:2] for cells in ([cell.strip() for cell in line.split('|')[1:7]] for line in done.stdout.splitlines() if line.count('|') == 7)}
    timed = {name for name, (c, device) in rows.items() if re.search(r'\d', c) and re.search(r'\d', device)}
    report.check('the page\'s table has times in C and on the device', done.returncode == 0 and timed == {'`tessera:sobel`', '`tessera:label`', '`tessera:estimate-shift`',
                 '`tessera:background-whiten`', '`tessera:align`, `tessera:combine`'}, f'{timed}\n{done.stderr[-2000:]}')
    report.check('and says what was not measured', rows.get('`tessera:equalize`') == ['not measured'] * 2, done.stdout)
    with open(os.path.join(folder, 'page.json'), encoding='utf-8') as file:
        whole = json.load(file)
    for leg in 'c', 'opencl':
        with open(os.path.join(folder, leg), 'w', encoding='utf-8') as file:
            json.dump({key: {leg: values[leg]} for key, values in whole.items()}, file)
    again = start(gegl, DRIVER + ['--page', '--render', *(os.path.join(folder, leg) for leg in ('c', 'opencl')), '--out', folder], folder)
    report.check('--page --render puts machines together', again.returncode == 0 and again.stdout == done.stdout, again.stderr)


def check_pairs(gegl, program, folder, report):
    """Aligning and matching, in C and on the device, find what is there; OpenCV has a line whether it is there or not."""
    done = start(gegl, DRIVER + ['--quick', '--pairs', '--bench', program, '--out', folder], folder)
    lines = [[cell.strip() for cell in line.split('|')[1:5]] for line in done.stdout.splitlines() if line.startswith('| ')]
    ours = [line for line in lines if line[0] in ('C', 'device')]
    report.check('aligning and matching are timed in C and on the device', done.returncode == 0 and [line[0] for line in ours] == ['C', 'device'] * 2
                 and all(float(cell) > 0 for line in ours for cell in line[1:3]), done.stdout + done.stderr)
    report.check('and find what is there', len(ours) == 4 and float(ours[0][3]) < 0.3 and ours[2][3] == ours[3][3] == '300', done.stdout)
    report.check('and OpenCV is named', sum(line[0].startswith('OpenCV') for line in lines) == 2, done.stdout)


def check_first(gegl, program, folder, report):
    """The first pixels of a process come after its start and before its end, and the folder of caches is emptied where it should be."""
    done = start(gegl, DRIVER + ['--first', '1', '--rows', 'sobel magnitude of luminance', '--bench', program, '--out', folder], folder)
    lines = [[cell.strip().strip('*') for cell in line.split('|')[1:-1]] for line in done.stdout.splitlines() if line.startswith('| ')]
    report.check('the first pixels are timed, GEGL alone too', done.returncode == 0 and [line[0] for line in lines[1:]]
                 == ['GEGL alone', 'sobel magnitude of luminance'], done.stdout + done.stderr)
    nothing, sobel = ([float(line[i]) for i in (1, 2, 8)] for line in lines[1:3])
    report.check('with OpenCL off and on', min(nothing + sobel) > 0 and [lines[2][i] for i in (7, 13)] == ['C', 'C'], done.stdout)
    report.check('kernels that are kept spare GEGL time', nothing[1] > nothing[2], done.stdout)
    for chain, said in (('tessera:sharpest', 'tessera:sharpest'), ('gegl:nop', '--mpix')):
        done = start(gegl, [program, '--first', chain, '--mpix', '0'], folder, GEGL_USE_OPENCL='no')
        report.check(f'refused: --first {chain}', done.returncode == 2 and said in done.stderr and not done.stdout, done.stdout + done.stderr)


def main():
    build = os.path.abspath(sys.argv[1])
    gegl, report = Gegl(build), Quiet()
    program = os.path.join(build, 'tools', 'bench', 'bench')
    folder = tempfile.mkdtemp()
    try:
        check_refusals(gegl, program, folder, report)
        check_comparison(report)
        check_path(gegl, program, folder, report)
        check_side(gegl, program, folder, report)
        check_quick(gegl, program, folder, report)
        check_frames(gegl, program, folder, report)
        check_page(gegl, program, folder, report)
        check_pairs(gegl, program, folder, report)
        check_first(gegl, program, folder, report)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report.finish()


main()
