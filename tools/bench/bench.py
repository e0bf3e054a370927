#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times Tessera's filters beside GEGL's own, in C on one thread, in C on all threads and on OpenCL, and makes one report.

Each measurement is a fresh process of tools/bench/bench; the legs take turns, row by row, so that a busy minute hits all of
them.  The report goes to stdout and, with bench.json and bench.svg, to the folder --out.  Exit code 2: refused, with the
cause and the remedy on stderr; 1: a leg did not run where it should have."""
import argparse
import array
import base64
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import bench_first
import bench_frames
import bench_page
import bench_pairs
import bench_report
import bench_svg
import bench_thesis

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEGS = {
    'c1': {'GEGL_USE_OPENCL': 'no', 'GEGL_THREADS': '1'},
    'c': {'GEGL_USE_OPENCL': 'no'},
    'opencl': {'TESSERA_OPENCL': 'force'},      # GEGL_USE_OPENCL: as found
}
SINKS = ('whole', 'write', 'chunks', 'preview', 'merge')
QUICK = {'mpix': '0.5', 'runs': 2, 'rival_limit': 0.2, 'legs': 'c,opencl'}
NORMAL = {'mpix': '4,24', 'runs': 7, 'rival_limit': 10.0, 'legs': 'c1,c,opencl'}


class Refused(Exception):
    """A measurement would mean nothing."""


def options():
    parser = argparse.ArgumentParser(prog='./run bench', description='Times the filters beside GEGL\'s own.')
    parser.add_argument('--mpix', help='sizes of the pictures (4,24)', metavar='N,N')
    parser.add_argument('--formats', default='float,u8', help='float, u8 or names of babl\'s', metavar='A,B')
    parser.add_argument('--sinks', default=','.join(SINKS), help='whole, write, chunks, processor, preview, merge', metavar='A,B')
    parser.add_argument('--rows', '--only', help='rows whose title contains this', metavar='TEXT')
    parser.add_argument('--runs', type=int, help='timed runs of each (7)', metavar='N')
    parser.add_argument('--rivals', choices=('yes', 'no'), default='yes', help='GEGL\'s own filters too')
    parser.add_argument('--rival-limit', type=float, metavar='S', help='rivals slower than this get a smaller picture (10)')
    parser.add_argument('--rival-mpix', type=float, metavar='N',
                        help='largest picture for rivals (any; 1 where OpenCL runs on a processor)')
    parser.add_argument('--legs', help='of c1 (C on one thread), c (C), opencl; all', metavar='A,B')
    parser.add_argument('--quick', action='store_true', help='0.5 Mpix, 2 runs: does it work?')
    parser.add_argument('--out', default=os.path.join(TOP, 'out', 'bench'), help='folder for the files', metavar='DIR')
    parser.add_argument('--bench', default=os.path.join(TOP, 'build', 'tools', 'bench', 'bench'), metavar='PATH',
                        help='the program (build/tools/bench/bench); GEGL_PATH must suit it')
    parser.add_argument('--thesis', action='store_true',
                        help='the tables of the thesis instead: 2048 x 2048, minimum of 10 runs')
    parser.add_argument('--frames', nargs='?', type=int, const=32, metavar='N',
                        help='shifts and backgrounds of frames of a sequence instead, N of them (32)')
    parser.add_argument('--first', nargs='?', type=int, const=5, metavar='N',
                        help='from the start of a process to its first pixels instead, OpenCL on and off, without kernels that are kept '
                             'and with: medians of N turns (5)')
    parser.add_argument('--page', action='store_true',
                        help='the table of data/doc/measurements.md instead: C at the first of the sizes, OpenCL at the second')
    parser.add_argument('--pairs', action='store_true',
                        help='aligning a picture and matching descriptors instead, beside OpenCV')
    parser.add_argument('--render', nargs='+', metavar='JSON',
                        help='measure nothing: merge the files of earlier runs (with --page: page.json of several machines)')
    chosen = parser.parse_args()
    for name, value in (QUICK if chosen.quick else NORMAL).items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    unknown = [leg for leg in chosen.legs.split(',') if leg not in LEGS]
    if unknown:
        parser.error(f'no leg {unknown[0]}; there are {", ".join(LEGS)}')
    return chosen


class Program:
    """tools/bench/bench as a child, in a folder of its own: GEGL 0.4.42 makes a folder named after GEGL_SWAP."""

    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder
        if not os.access(self.path, os.X_OK):
            raise Refused(f'there is no program {path}; build it (./run bench does) or say where it is with --bench')

    def run(self, words, env, may_fail=False):
        """The JSON objects on stdout, and the lines of stderr."""
        inherited = {k: v for k, v in os.environ.items() if k not in ('GEGL_USE_OPENCL', 'GEGL_THREADS', 'TESSERA_OPENCL')}
        done = subprocess.run([self.path, *words], env={**inherited, 'GEGL_SWAP': os.environ.get('GEGL_SWAP', 'RAM'),
                              'LC_ALL': 'C', **env}, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors='replace', check=False)
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        said = [line[len('bench: refused: '):] for line in errors if line.startswith('bench: refused: ')]
        if said:
            raise Refused(said[-1])
        if done.returncode not in (0, 1) and not may_fail:
            raise Refused(f'{self.path} {" ".join(words)} ended with {done.returncode}: {" / ".join(errors[-2:])}')
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')], errors

    def find_device(self):
        """(value of GEGL_USE_OPENCL, what the device can do), or (None, None)."""
        wish = os.environ.get('GEGL_USE_OPENCL', '')
        for kind in [wish] if wish and wish != 'no' else ['gpu', 'cpu']:
            found, _ = self.run(['--device'], {'GEGL_USE_OPENCL': kind}, may_fail=True)
            if found and found[0]['kind'] != 'none':
                return kind, found[0]
        return None, None


def rows_wanted(program, chosen):
    rows, _ = program.run(['--list'], {})
    if not chosen.rows:
        return [row for row in rows if not row['row'].startswith('thesis')]
    wanted = [row for row in rows if any(part and part in row['row'] for part in chosen.rows.split('/'))]
    wanted = [row for row in rows if row['row'] == chosen.rows] or wanted
    if not wanted:
        raise Refused(f'no row\'s title contains {chosen.rows}; there are: ' + '; '.join(row['row'] for row in rows))
    return wanted


def words_for(chosen, row, mpix, name, leg):
    words = ['--json', '--rows', row['row'], '--mpix', mpix, '--formats', name, '--sinks', chosen.sinks,
             '--runs', str(chosen.runs), '--rivals', chosen.rivals, '--rival-limit', str(chosen.rival_limit)]
    if chosen.rival_mpix is not None:
        words += ['--rival-mpix', str(chosen.rival_mpix)]
    if chosen.quick and name != 'float':
        words += ['--rivals', 'no']
    if leg == 'c1' or chosen.quick:
        words += ['--rival-sinks', 'whole']
    return words


def decoded(result):
    samples = array.array('f')
    samples.frombytes(base64.b64decode(result.pop('samples')))
    return samples


def compare(results, samples):
    """The legs must agree; returns the largest difference and leaves it in the results."""
    first, base = results[0], samples[0]
    tolerance = 1.01 / 255 if first['format'].endswith(' u8') else 1e-5
    for result, other in zip(results, samples):
        off = max(map(abs, map(float.__sub__, base, other)), default=0.0)
        result['difference'] = off
        if not off <= tolerance or any(value != value for value in other):
            raise Refused(f'{first["row"]}, {first["format"]}, sink {first["sink"]}: {bench_report.LEG_NAMES[first["leg"]]} and '
                          f'{bench_report.LEG_NAMES[result["leg"]]} differ by {off:.3g} (allowed: {tolerance:.3g}): '
                          'mend the filter (./run test check), then measure')


def legs_of(chosen, report):
    return [leg for leg in chosen.legs.split(',') if leg != 'opencl' or report['device']]


def environment(leg, report):
    return {**LEGS[leg], **({'GEGL_USE_OPENCL': report['kind']} if leg == 'opencl' else {})}


def measure(program, chosen, report, save):
    rows, legs = rows_wanted(program, chosen), legs_of(chosen, report)
    turn = 0
    for mpix in chosen.mpix.split(','):
        for name in chosen.formats.split(','):
            for row in rows if name == 'float' or not chosen.quick else [row for row in rows if row['steps'] == 1]:
                found = {}
                turn += 1
                for leg in legs[turn % len(legs):] + legs[:turn % len(legs)]:       # none is always first
                    print(f'bench: {mpix} Mpix {name}, {row["row"]}, {bench_report.LEG_NAMES[leg]}', file=sys.stderr, flush=True)
                    for result in program.run(words_for(chosen, row, mpix, name, leg), environment(leg, report))[0]:
                        found[(result['sink'], leg)] = {'leg': leg, **result}
                for sink in dict.fromkeys(key[0] for key in found):
                    results = [found[sink, leg] for leg in legs]
                    compare(results, [decoded(result) for result in results])
                    report['results'] += results
                save()


def requests_seen(program, chosen, report):
    """What GEGL really asks the first row's filter for: {sink: {leg: sizes}}."""
    seen = {}
    row = rows_wanted(program, chosen)[0]
    mpix = chosen.mpix.split(',')[0]
    sinks = [sink for sink in chosen.sinks.split(',') if sink not in bench_report.GIMP_SINKS]   # of those no two runs ask the same
    for leg in legs_of(chosen, report) if sinks else ():
        env = {**environment(leg, report), 'TESSERA_DEBUG': 'paths'}
        results, errors = program.run(['--json', '--rows', row['row'], '--mpix', mpix, '--sinks', ','.join(sinks), '--runs', '1',
                                       '--rivals', 'no'], env)
        sizes = [line.split()[2].split('+')[0].split('-')[0] for line in errors
                 if line.startswith('tessera: ') and line.split()[2][:1].isdigit()]
        at = 1                          # the very first run; then each sink has a warm-up and a timed run
        for result in results:
            count = 2 * int(result['per_run']['requests'])
            mine, at = sizes[at:at + count], at + count
            seen.setdefault(result['sink'], {})[leg] = sorted(set(mine), key=mine.count, reverse=True)
    return {'mpix': mpix, 'row': row['row'], 'sizes': seen}


def machine():
    name = platform.processor() or platform.machine()
    try:
        with open('/proc/cpuinfo', encoding='utf-8', errors='replace') as file:
            name = next((line.split(':', 1)[1].strip() for line in file if line.startswith('model name')), name)
    except OSError:
        pass
    return {'processor': name, 'threads': os.cpu_count(), 'system': f'{platform.system()} {platform.release()}',
            'date': datetime.date.today().isoformat()}


def merge(paths):
    """The first file's report with the measurements of the others; the last one of each wins."""
    merged, results = None, {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
        merged = merged or report
        for key in ('device', 'kind'):
            merged[key] = merged[key] or report[key]
        for result in report['results']:
            results[tuple(result[key] for key in ('row', 'width', 'format', 'sink', 'leg'))] = result
    merged['results'] = list(results.values())
    return merged


def write_files(report, folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in (('bench.json', json.dumps(report, indent=1)), ('bench.md', bench_report.markdown(report)),
                       ('bench.svg', bench_svg.chart(report))):
        with open(os.path.join(folder, name + '.new'), 'w', encoding='utf-8') as file:
            file.write(text + '\n')
        os.replace(os.path.join(folder, name + '.new'), os.path.join(folder, name))


def thesis(chosen):
    runs, work = chosen.runs if chosen.runs != NORMAL['runs'] else 10, tempfile.mkdtemp()
    try:
        found = bench_thesis.report(Program(chosen.bench, work), runs)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    os.makedirs(chosen.out, exist_ok=True)
    for name, words in (('thesis.md', bench_thesis.markdown(found, TOP, runs)), ('thesis.svg', bench_thesis.chart(found))):
        with open(os.path.join(chosen.out, name), 'w', encoding='utf-8') as file:
            file.write(words + '\n')
    print(bench_thesis.markdown(found, TOP, runs), flush=True)
    print(f'bench: {os.path.join(chosen.out, "thesis.md")}, thesis.svg', file=sys.stderr)
    return 0


def of_one_table(chosen, name, path, words_of):
    """What is no filter: a program of its own, and `words_of` makes the report of it."""
    work = tempfile.mkdtemp()
    try:
        kind, _ = Program(chosen.bench, work).find_device()
        words = words_of(Program(os.path.join(os.path.dirname(chosen.bench), path), work), kind)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    os.makedirs(chosen.out, exist_ok=True)
    with open(os.path.join(chosen.out, name), 'w', encoding='utf-8') as file:
        file.write(words + '\n')
    print(words, flush=True)
    print(f'bench: {os.path.join(chosen.out, name)}', file=sys.stderr)
    return 0


def frames(chosen):
    sizes = bench_frames.SIZES if not chosen.quick else ('150x130',)
    return of_one_table(chosen, 'frames.md', os.path.join('..', '..', 'tests', 'temporal', 'sequence-speed'),
                        lambda program, kind: bench_frames.markdown(program, kind, chosen.frames, sizes))


def pairs(chosen):
    return of_one_table(chosen, 'pairs.md', 'pairs', lambda program, kind: bench_pairs.markdown(program, kind, chosen.quick))


def first(chosen):
    named = chosen.rows and (lambda program: rows_wanted(program, chosen))
    return of_one_table(chosen, 'first.md', 'bench', lambda program, kind: bench_first.markdown(program, kind, chosen.first, named))


def page_legs(chosen, kind, name):
    """Each leg of the table: its environment, its size, and the machine in words."""
    box, sizes = machine(), chosen.mpix.split(',')
    processor = f'{box["processor"]}, {os.environ.get("GEGL_THREADS", box["threads"])} threads'
    legs = {'c': (LEGS['c'], sizes[0], processor)}
    if kind:
        legs['opencl'] = ({**LEGS['opencl'], 'GEGL_USE_OPENCL': kind}, sizes[-1], f'{name}, {processor}')
    return {leg: (env, mpix, f'{words}, {mpix} Mpix, {box["date"]}') for leg, (env, mpix, words) in legs.items() if leg in chosen.legs.split(',')}


def measured_page(chosen, work):
    """The table, and what is not to be trusted; what is measured so far is in the folder --out."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(chosen.bench))))
    programs = {name: Program(os.path.join(build, *path), work) for name, path in
                (('bench', ('tools', 'bench', 'bench')), ('pairs', ('tools', 'bench', 'pairs')), ('sequences', ('tests', 'temporal', 'sequence-speed')))}
    kind, device = programs['bench'].find_device() if 'opencl' in chosen.legs.split(',') else (None, None)
    report, wrong = {'machines': {}, 'times': {}}, []
    for leg, (env, mpix, words) in page_legs(chosen, kind, device and device['name']).items():
        report['times'][leg], flags = bench_page.one_leg(programs, leg, env, mpix, chosen)
        report['machines'][leg] = words
        wrong += flags
        bench_page.write(report, chosen.out)
    return report, wrong


def page(chosen):
    work = tempfile.mkdtemp()
    try:
        report, wrong = (bench_page.merged(chosen.render), []) if chosen.render else measured_page(chosen, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    bench_page.write(report, chosen.out)
    print(bench_page.markdown(report), flush=True)
    for line in wrong:
        print(f'bench: warning: {line}', file=sys.stderr)
    print(f'bench: {os.path.join(chosen.out, "page.md")}, page.json', file=sys.stderr)
    return int(bool(wrong))


def bench(chosen):
    if chosen.thesis:
        return thesis(chosen)
    if chosen.frames:
        return frames(chosen)
    if chosen.pairs:
        return pairs(chosen)
    if chosen.first:
        return first(chosen)
    if chosen.page:
        return page(chosen)
    if chosen.render:
        report = merge(chosen.render)
    else:
        work = tempfile.mkdtemp()
        try:
            program = Program(chosen.bench, work)
            rows_wanted(program, chosen)                # refuse before anything slow
            kind, device = program.find_device() if 'opencl' in chosen.legs.split(',') else (None, None)
            report = {'machine': machine(), 'kind': kind, 'device': device, 'results': [],
                      'options': {key: value for key, value in vars(chosen).items() if key not in ('bench', 'out', 'render')}}
            if 'opencl' in chosen.legs.split(',') and not device:
                print('bench: GEGL finds no OpenCL device (./run doctor says more): C alone', file=sys.stderr)
                if chosen.legs == 'opencl':
                    raise Refused('the only leg asked for is opencl, and GEGL finds no OpenCL device; install a driver, or PoCL')
            began = time.monotonic()
            report['requests'] = requests_seen(program, chosen, report)
            measure(program, chosen, report, lambda: write_files(report, chosen.out))
            report['seconds'] = time.monotonic() - began
        finally:
            shutil.rmtree(work, ignore_errors=True)
    write_files(report, chosen.out)
    print(bench_report.markdown(report), flush=True)
    print(f'bench: {os.path.join(chosen.out, "bench.md")}, bench.json, bench.svg', file=sys.stderr)
    return int(any(flag.startswith('ran on') or 'fell back' in flag for result in report['results'] for flag in result['flags']))


def main():
    chosen = options()
    try:
        sys.exit(bench(chosen))
    except Refused as reason:
        print(f'bench: refused: {reason}', file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == '__main__':
    main()
