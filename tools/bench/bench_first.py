# SPDX-License-Identifier: LGPL-3.0-or-later
"""From the start of a process to its first pixels, with OpenCL off, and with OpenCL on: without kernels that a driver or we have kept (cold) and with (warm).
A fresh process each, and the legs take turns.  GEGL's own start with OpenCL is no filter's: gegl:nop shows it."""
import os
import shutil
import statistics
import tempfile
import time

from bench_report import number, table

NOTHING = {'row': 'GEGL alone', 'ours': 'gegl:nop'}
LEGS = ('off', 'cold', 'warm')
GOAL = 50                       # ms more with OpenCL on, GEGL's own start left out
KEPT = ('babl',)                # no kernels; a start without takes longer, OpenCL on or off


def caches(folder):
    """Where a driver, and we, keep kernels."""
    return {'XDG_CACHE_HOME': folder, 'POCL_CACHE_DIR': os.path.join(folder, 'pocl'), 'CUDA_CACHE_PATH': os.path.join(folder, 'cuda'),
            'MESA_SHADER_CACHE_DIR': os.path.join(folder, 'mesa')}


def empty(folder):
    for name in os.listdir(folder):
        if name not in KEPT:
            shutil.rmtree(os.path.join(folder, name))
    for path in caches(folder).values():        # PoCL makes no folder above its own
        os.makedirs(path, exist_ok=True)


class Process:
    """One process after another, with two folders for kernels."""

    def __init__(self, program, kind, work):
        self.program, self.kind = program, kind
        self.folders = {leg: os.path.join(work, leg) for leg in LEGS}
        for folder in self.folders.values():
            os.mkdir(folder)
            empty(folder)

    def run(self, row, leg, **env):
        """Milliseconds until the first pixels and until the kernels are there, and the path."""
        env = {**caches(self.folders[leg]), 'GEGL_USE_OPENCL': 'no' if leg == 'off' else self.kind, **env}
        began = time.monotonic()
        found = self.program.run(['--first', row['ours']], env)[0][0]
        return found['at_us'] / 1e3 - began * 1e3, found['built_us'] / 1e3 - began * 1e3, found['path']


def one_row(process, row, turns):
    """{leg: (ms until the pixels, ms until the kernels are there, paths)}"""
    found = {leg: ([], [], set()) for leg in LEGS}
    for leg in LEGS:            # babl's, and all that is kept
        process.run(row, leg, TESSERA_OPENCL='try')
    for turn in range(turns):
        for leg in LEGS[turn % 3:] + LEGS[:turn % 3]:
            if leg == 'cold':
                empty(process.folders[leg])
            first, built, path = process.run(row, leg)
            found[leg][0].append(first)
            found[leg][1].append(built)
            found[leg][2].add(path)
    return {leg: (statistics.median(first), statistics.median(built), '/'.join(sorted(paths))) for leg, (first, built, paths) in found.items()}


def rows_of(program, named):
    """One of each filter, or those that were named."""
    if named:
        return named(program)
    rows, seen = [], set()
    for row in program.run(['--list'], {})[0]:
        operation = row['ours'].split()[0]
        if row['steps'] == 1 and operation not in seen:
            seen.add(operation)
            rows.append(row)
    return rows


def line_of(name, found, nothing):
    off, cells = found['off'][0], []
    for leg in ('cold', 'warm'):
        first, built, path = found[leg]
        beyond = first - off - (nothing[leg][0] - nothing['off'][0])
        cells += [number(first), number(first - off), number(first / off), number(beyond) if beyond <= GOAL else f'**{number(beyond)}**',
                  number(built), path]
    return [name, number(off), *cells]


def markdown(program, kind, turns, named=None):
    if not kind:
        return 'GEGL finds no OpenCL device.'
    with tempfile.TemporaryDirectory() as work:
        process = Process(program, kind, work)
        nothing = one_row(process, NOTHING, turns)
        lines = [line_of(NOTHING['row'], nothing, nothing)]
        for row in rows_of(program, named):
            lines.append(line_of(row['row'], one_row(process, row, turns), nothing))
    head = ['off']
    for leg in ('cold', 'warm'):
        head += [leg, 'more', 'times', 'beyond GEGL\'s', 'kernels', 'path']
    return '\n'.join(['# The first pixels', '', f'Milliseconds from the start of a process to the first pixels (1024 x 768, u8), medians of {turns}: OpenCL off; on, no '
                      'kernels kept (cold); on, kernels kept (warm). More: than off. Beyond GEGL\'s: less what OpenCL costs GEGL itself, in the first row; '
                      f'the goal is at most {GOAL}. Kernels: from the start until they are there; until then C answers, and the process does not end before.', '',
                      *table(['', *head], lines)]).rstrip()
