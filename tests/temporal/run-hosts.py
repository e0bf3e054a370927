#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-hosts.py BUILD: what tessera-sequence does where the host has no thread for it, or GEGL not the operations, and
what the script for Slurm has it compute (without Slurm)."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report, TOP

SCRIPT = os.path.join(TOP, 'data', 'scripts', 'sequence-nights.slurm')
# A job's number, the least and the most of its array, how many there are, what else is set; the part, or None: it is refused.
JOBS = ((3, 1, 8, 8, {}, '3/8'), (3, 3, 3, 1, {}, None), (3, 3, 3, 1, {'PARTS': '8'}, '3/8'), (5, 3, 5, 2, {}, None), (5, 3, 5, 2, {'PARTS': '8'}, '5/8'),
        (1, 1, 8, 2, {}, None), (1, 1, 1, 1, {}, '1/1'))


def without_thread(report, sequence, frames):
    """Where there is no thread to be had, one does all."""
    sequence.gegl.env.update(LD_PRELOAD=os.path.join(sequence.gegl.build, 'tests', 'temporal', 'libno-thread.so'), NO_THREAD='ahead')
    code, _, errors = sequence.run(frames, '-o', sequence.path('alone'))
    del sequence.gegl.env['LD_PRELOAD'], sequence.gegl.env['NO_THREAD']
    report.check('without a thread: the same bytes', code == 0 and 'ld.so' not in errors and not sequence_test.differences(sequence.path('plain'), sequence.path('alone')), f'{code} {errors}')


def without_operations(report, sequence, frames):
    """GEGL need not find them, in C or on the device."""
    here = dict(sequence.gegl.env)
    sequence.gegl.env['GEGL_PATH'] = sequence.gegl.system_plugins
    code, _, errors = sequence.run(frames, '-o', sequence.path('in-c'))
    wrong = sequence_test.differences(sequence.path('plain'), sequence.path('in-c'))
    report.check('without its operations: the same bytes', code == 0 and not wrong, f'{code} {errors}')
    sequence.gegl.env.update(GEGL_USE_OPENCL='cpu', TESSERA_OPENCL='force')
    code, _, errors = sequence.run(frames, '-o', sequence.path('forced'))
    wrong = sequence_test.differences(sequence.path('plain'), sequence.path('forced'))
    report.check('and on the device', code == 0 and not wrong and 'computing on' in errors, f'{code} {wrong} {errors}')
    sequence.gegl.env.clear()
    sequence.gegl.env.update(here)


def array_script(report, sequence):
    """What Slurm's script computes: a job that is given again alone has to know how many parts there are."""
    words = sequence.path('words')
    os.mkdir(sequence.path('bin'))
    with open(sequence.path('bin', 'tessera-sequence'), 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\necho "$@" > {words}\n')
    os.chmod(sequence.path('bin', 'tessera-sequence'), 0o755)
    path = sequence.path('bin') + os.pathsep + sequence.gegl.env['PATH']
    for job, least, most, count, more, wanted in JOBS:
        if os.path.exists(words):
            os.remove(words)
        done = sequence.gegl.command(['bash', SCRIPT, 'night', 'found', '--gain', '2'], PATH=path, SLURM_ARRAY_TASK_ID=str(job), SLURM_ARRAY_TASK_MIN=str(least),
                                     SLURM_ARRAY_TASK_MAX=str(most), SLURM_ARRAY_TASK_COUNT=str(count), **more)
        if wanted:
            with open(words, encoding='utf-8') as file:
                good = done.returncode == 0 and file.read() == f'night -o found --part {wanted} --gain 2\n'
        else:
            good = done.returncode == 2 and 'PARTS' in done.stderr and not os.path.exists(words)
        report.check(f'job {job} of an array of {count} from {least} to {most}, {more}: {wanted or "refused"}', good, f'{done.returncode} {done.stderr}')


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        sequence = sequence_test.Sequence(sys.argv[1], work)
        frames = sequence.field('field', 32)
        code, _, errors = sequence.run(frames, '-o', sequence.path('plain'))
        report.check('with a thread', code == 0, errors)
        without_thread(report, sequence, frames)
        without_operations(report, sequence, frames)
        array_script(report, sequence)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
