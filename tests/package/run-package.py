#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-package.py [SUITE...]: builds the packages for Debian 12 and 13 (by default), installs, uses and purges them in minimal
systems, and makes and tests the release tarball.  Needs root, debootstrap and the network; 20 minutes and 1 GB the first time.

A folder with a Debian in TESSERA_DEBIAN_<SUITE> is built in instead of a minimal one; packages are always tried in a minimal one."""
import glob
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Picture, Report, TOP

SUITES = ('bookworm', 'trixie')
PACKAGING = os.path.join(TOP, 'data', 'packaging')


def run(words, **env):
    done = subprocess.run(words, cwd=TOP, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode, done.stdout


def last_lines(text):
    return ' | '.join(text.strip().splitlines()[-12:])


def build(report, suite):
    base = os.environ.get(f'TESSERA_DEBIAN_{suite.upper()}', suite)
    here = platform.freedesktop_os_release().get('VERSION_CODENAME') == suite
    os.utime(os.path.join(TOP, 'run'))          # as in a tree that was copied: git has to look at the files anew
    code, output = run([os.path.join(TOP, 'run'), 'package'] + ([] if here else ['--in', base]))
    return report.check(f'{suite}: packages are built, their tests pass, lintian has no error and no warning', code == 0,
                        next(line for line in output.splitlines() if line.startswith('Lintian')) if code == 0 else last_lines(output))


def try_packages(report, suite):
    folder = os.path.join(TOP, 'out', 'package', suite)
    results = os.path.join(folder, 'results')
    os.makedirs(results)
    _, output = run([os.path.join(PACKAGING, 'in-debian'), '--bind', f'{folder}:/package', '--bind', f'{results}:/results',
                     '--bind', f'{TOP}:/source', suite, '/source/tests/package/inside.sh'])
    lines = [line for line in output.splitlines() if line.startswith(('ok   ', 'FAIL '))]
    for line in lines:
        report.check(f'{suite}: ' + line[5:].partition(': ')[0] if line.startswith('FAIL') else f'{suite}: {line[5:]}',
                     line.startswith('ok'), line[5:].partition(': ')[2] if line.startswith('FAIL') else '')
    report.check(f'{suite}: the last step was reached', lines and lines[-1].endswith('dpkg --audit'), last_lines(output))
    pictures = [os.path.join(results, name + '.npy') for name in ('bare', 'no-driver', 'c', 'opencl')]
    if report.check(f'{suite}: four pictures', all(map(os.path.exists, pictures))):
        first, *others = map(Picture, pictures)
        differences = [first.difference(other) for other in others]
        report.check(f'{suite}: C without loader, without driver, by choice, and OpenCL agree', max(differences) <= 1e-5,
                     ', '.join(f'{d:.2g}' for d in differences))       # babl picks its conversions by timing
    compare_gimp(report, suite, results)


def compare_gimp(report, suite, results):
    """Pictures of 8 bits: GIMP's are those of the gegl command, to a level."""
    for path in sorted(glob.glob(os.path.join(results, 'gegl-*.ppm'))):
        wanted, name = Picture(path), os.path.basename(path)[len('gegl-'):]
        for gimp in ('gimp', 'bare-gimp'):
            got = os.path.join(results, f'{gimp}-{name}')
            off = Picture(got).difference(wanted) if os.path.exists(got) else math.inf
            report.check(f'{suite}: {gimp}, {name[:-4]}: the pixels of the gegl command', off <= 1, f'{off:g} levels')


def flatpak(report, suite):
    """The manifest, as flatpak-builder reads it; to build it takes Flathub."""
    manifest = os.path.join('data', 'packaging', 'flatpak', 'org.gimp.GIMP.Plugin.Tessera.json')
    script = 'apt-get -q update && apt-get -q -y --no-install-recommends install flatpak-builder; flatpak-builder --version; ' \
             f'flatpak-builder --show-manifest /source/{manifest}'
    code, output = run([os.path.join(PACKAGING, 'in-debian'), '--bind', f'{TOP}:/source', suite, 'sh', '-c', script])
    version = re.search(r'^flatpak-builder[ -]\d.*', output, re.MULTILINE)
    try:
        shown = json.loads(output[output.index('\n{\n'):])
    except ValueError:
        shown = {}
    with open(os.path.join(TOP, manifest), encoding='utf-8') as file:
        wanted = json.load(file)
    keys = [key for key in wanted if key != '//' and (key not in shown) and wanted[key] is not False]
    report.check(f'{suite}: flatpak-builder reads the manifest, all of it', code == 0 and version and not keys and len(shown['modules']) == len(wanted['modules']),
                 version[0] if code == 0 and version and not keys else ', '.join(keys) + last_lines(output))


def tarball(report):
    folder = os.path.join(TOP, 'out', 'package', 'dist')
    shutil.rmtree(folder, ignore_errors=True)
    code, output = run(['meson', 'setup', folder, '.', '-Dtests=quick', '-Dkernel_check=false'])
    if code == 0:
        code, output = run(['meson', 'dist', '-C', folder, '--allow-dirty'])
    made = glob.glob(os.path.join(folder, 'meson-dist', '*.tar.xz'))
    report.check('meson dist: the tarball builds, its tests pass, it installs', code == 0 and len(made) == 1,
                 os.path.basename(made[0]) if code == 0 and made else last_lines(output))


def main():
    report = Report()
    if not report.check('root, debootstrap', os.getuid() == 0 and shutil.which('debootstrap'), 'both are needed'):
        report.finish()
    for suite in sys.argv[1:] or SUITES:
        if build(report, suite):
            try_packages(report, suite)
        flatpak(report, suite)
    tarball(report)
    report.finish()


main()
