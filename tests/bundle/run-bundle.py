#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-bundle.py BUILD LABELS: the one module, copied into a folder as a user would: what it shows, that it has all operations, makes the
pixels of the modules, finds its translations beside itself, and what is said where two copies are found."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, IMAGES, Report

PHOTOGRAPH = os.path.join(IMAGES, 'seeding.jpg')
CHAIN = ['gegl:crop', 'x=200', 'y=100', 'width=300', 'height=200', 'tessera:bilateral-grid', 'tessera:median-blur', 'tessera:unsharp-mask', 'tessera:motion-blur']
TWICE = 'Tessera is here twice'


def symbols(path):
    text = subprocess.run(['nm', '-D', '--defined-only', path], capture_output=True, text=True, check=True).stdout
    return sorted(line.split()[-1] for line in text.splitlines())


def needed(path):
    text = subprocess.run(['readelf', '-d', path], capture_output=True, text=True, check=True, env={**os.environ, 'LC_ALL': 'C'}).stdout
    return [line.split('[')[1].rstrip(']') for line in text.splitlines() if '(NEEDED)' in line]


class Bundle:
    """A folder with a copy of the module, and gegl."""

    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.built = os.path.join(build, 'operations')
        self.folder = os.path.join(work, 'plug-ins')
        os.mkdir(self.folder)
        self.module = shutil.copy(os.path.join(build, 'data', 'release', 'tessera.so'), self.folder)
        self.gegl.env.update(GEGL_USE_OPENCL='no', HOME=work, XDG_DATA_HOME=os.path.join(work, 'data'))

    def path(self, *folders):
        return os.pathsep.join([*folders, self.gegl.system_plugins])

    def pixels(self, name, *folders):
        """What the chain makes, and what is said."""
        out = os.path.join(self.work, name + '.npy')
        _, said = self.gegl.run([PHOTOGRAPH, '-o', out, '--', *CHAIN], GEGL_PATH=self.path(*folders))
        with open(out, 'rb') as file:
            return file.read(), said


def check_module(bundle, report):
    shown = symbols(bundle.module)
    report.check('it shows what GEGL asks for, and nothing else', shown == ['gegl_module_query', 'gegl_module_register'], ' '.join(shown)[:300])
    libraries = needed(bundle.module)
    report.check('it has the engine inside, and links no library that GEGL has not', not any('tessera' in name or 'fits' in name for name in libraries)
                 and any(name.startswith('libgegl') for name in libraries), ' '.join(libraries))
    known = set(bundle.gegl.command(['gegl', '--list-all'], GEGL_PATH=bundle.path(bundle.folder)).stdout.split())
    ours = sorted(name for name in known if name.startswith('tessera:'))
    report.check('it has every operation that is installed, and no other', ours == sorted(bundle.gegl.operations),
                 str(set(ours) ^ set(bundle.gegl.operations)))


def check_copies(bundle, report):
    modules, said = bundle.pixels('modules', bundle.built)
    report.check('the modules make a picture, without a word', len(modules) > 1000 and not said, ' | '.join(said))
    alone, said = bundle.pixels('alone', bundle.folder)
    report.check('the bundle makes the same pixels, without a word', alone == modules and not said, ' | '.join(said))
    for name, folders, paths in (('the modules', (bundle.folder, bundle.built), ('libtessera', bundle.module)),          # GEGL begins with the last folder
                                 ('the bundle', (bundle.built, bundle.folder), (bundle.module, 'libtessera'))):
        pixels, said = bundle.pixels('twice', *folders)
        used, _, unused = said[0].partition(' is used, ') if len(said) == 1 and TWICE in said[0] else ('', '', '')
        report.check(f'where both are found and {name} first, one line says which copy is used and which is not, and the pixels are the same',
                     pixels == modules and paths[0] in used and paths[1] in unused, ' | '.join(said))


def check_language(bundle, report, labels):
    """A locale that is made here, and a catalogue beside the module."""
    made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', os.path.join(bundle.work, 'de_DE.UTF-8')], capture_output=True, text=True, check=False)
    catalogue = os.path.join(os.path.dirname(bundle.built), 'po', 'de', 'LC_MESSAGES', 'tessera.mo')
    german = {'LC_ALL': 'de_DE.UTF-8', 'LANGUAGE': 'de', 'LOCPATH': bundle.work, 'GEGL_PATH': bundle.path(bundle.folder)}
    beside = os.path.join(bundle.folder, 'tessera', 'locale', 'de', 'LC_MESSAGES')
    english = bundle.gegl.command([labels, 'tessera:sobel'], **german).stdout
    report.check('without a catalogue its words are English', 'Sobel' in english and not made.returncode, made.stderr)
    os.makedirs(beside)
    shutil.copy(catalogue, beside)
    said = bundle.gegl.command([labels, 'tessera:sobel'], **german).stdout
    report.check('with one beside it they are German', 'Kante' in said and 'Kante' not in english, said[:200])


def main():
    build, labels = map(os.path.abspath, sys.argv[1:])
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-bundle-') as work:
        bundle = Bundle(build, work)
        check_module(bundle, report)
        check_copies(bundle, report)
        check_language(bundle, report, labels)
    report.finish()


main()
