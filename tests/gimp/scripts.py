# SPDX-License-Identifier: LGPL-3.0-or-later
"""The example scripts of data/scripts, each recipe and two in a row, against the gegl command."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import watched
from common import TOP
from gimp_program import NOISE, Gimp3, quoted
from pixels import read

SCRIPTS = os.path.join(TOP, 'data', 'scripts')
RECIPES = {
    'sensor-noise': ['tessera:bilateral-grid', 'spatial-sigma=4', 'range-sigma=0.08', 'guide=luminance', 'tone=perceptual'],
    'dust-and-hot-pixels': ['tessera:median-blur', 'radius=1'],
    'through-the-haze': ['tessera:equalize', 'mode=luminance', 'clip-limit=2', 'tiles=6'],
    'out-of-focus': ['tessera:convolution', 'preset=custom', 'kernel=0 0 1 1 1 0 0; 0 1 1 1 1 1 0; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 0 1 1 1 1 1 0; 0 0 1 1 1 0 0'],
    'panning': ['tessera:motion-blur', 'length=80', 'angle=0'],
    'for-print': ['tessera:unsharp-mask', 'std-dev=1.2', 'amount=0.8', 'threshold=0.01'],
    'bright-things': ['tessera:label', 'threshold=0.3', 'min-area=20'],
}
RUNS = [(name,) for name in RECIPES] + [('panning', 'for-print')]


def scheme_calls(gimp, source, folder):
    script = os.path.join(SCRIPTS, f'recipes-gimp-{"3" if isinstance(gimp, Gimp3) else "2.10"}.scm')
    calls = [f'(tessera-develop {quoted(source)} {quoted(out_of(folder, run))} {" ".join("tessera-" + name for name in run)})' for run in RUNS]
    return '\n'.join([f'(load {quoted(script)})', *calls, '(gimp-message "TESSERA end recipes")'])


def out_of(folder, run):
    return os.path.join(folder, '-'.join(run) + '.png')


def run_python(gimp, source, folder):
    """(exit code, lines that are not GIMP's own)"""
    script = os.path.join(SCRIPTS, 'recipes-gimp-3.py')
    calls = [f'develop({source!r}, {out_of(folder, run)!r}, {", ".join(name.replace("-", "_") for name in run)})' for run in RUNS]
    words = [gimp.program, '-i', '-f', '--batch-interpreter=python-fu-eval', '-b', f'exec(open({script!r}).read()); ' + '; '.join(calls), '--quit']
    process = subprocess.Popen(words, env={**gimp.env, 'GEGL_USE_OPENCL': 'no'}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors='replace', cwd=gimp.work)
    text, _, why = watched.communicate(process, 600)
    return process.returncode, [line for line in (text + why).splitlines() if not re.search(NOISE, line)]


def example_scripts(report, installed, gimp, source):
    wanted = {}
    for run in RUNS:
        path = out_of(installed.work, ('gegl', *run))
        installed.gegl.run([source, '-o', path, '--', *(word for name in run for word in RECIPES[name]), 'gegl:png-save', f'path={path}', 'bitdepth=8'],
                           GEGL_USE_OPENCL='no')
        wanted[run] = read(path)
    for language in ('Script-Fu', 'Python') if isinstance(gimp, Gimp3) else ('Script-Fu',):
        name = f'GIMP {gimp.version}: recipes in {language}'
        folder = os.path.join(installed.work, f'recipes-{gimp.folder}-{language}')
        os.mkdir(folder)
        if language == 'Python':
            code, lines = run_python(gimp, source, folder)
            good = code == 0
        else:
            code, lines = gimp.run(scheme_calls(gimp, source, folder), GEGL_USE_OPENCL='no')
            good = gimp.said('end') == ['recipes']
        report.check(f'{name}: nothing unexpected is said', good and not lines, f'exit {code} ' + ' | '.join(lines[:5]))
        for run in RUNS:
            path = out_of(folder, run)
            if report.check(f'{name}: {" and ".join(run)} makes a picture', os.path.exists(path)):
                worst, where, count = read(path).difference(wanted[run], 1)
                # -- between two filters GIMP rounds to 8 bits, gegl does not
                report.check(f'{name}: {" and ".join(run)}, the pixels of the gegl command', worst <= len(run), f'{worst:.3g} off at most, at {where}')
