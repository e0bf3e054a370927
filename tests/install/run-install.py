#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-install.py BUILD LABELS: `./run install` into a home folder of its own, what gegl finds there, in which language
its labels are, and `./run uninstall`."""
import gettext
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES, OPERATIONS, TOP, install_build

PHOTOGRAPH = os.path.join(IMAGES, 'seeding.jpg')
CHAIN = ['tessera:bilateral-grid', 'guide=luminance', 'tessera:motion-blur', 'length=25', 'angle=60']
PO = os.path.join(TOP, 'po')
COMMANDS = ('tessera-doctor', 'tessera-match', 'tessera-sequence', 'tessera-stack')
PRESETS = 'GimpGegl-tessera-{}-config.settings'


def below(folder):
    """Files and folders, but not what programs cache, nor the rest of GIMP's profile, which GIMP makes."""
    found = sorted(os.path.relpath(os.path.join(where, name), folder) for where, folders, names in os.walk(folder)
                   for name in folders + names)
    return [path for path in found if not path.startswith('.cache') and (not path.startswith('.config') or 'tessera' in path)]


def make_locale(language, work):
    """A locale of that language in `work`: this machine may have none."""
    name = f'{language if "_" in language else language + "_" + {"ko": "KR"}.get(language, language.upper())}'
    path = os.path.join(work, f'{name}.UTF-8')
    done = subprocess.run(['localedef', '-i', name, '-f', 'UTF-8', path], capture_output=True, text=True)
    return f'{name}.UTF-8' if os.path.isdir(path) else None, done.stderr


def labels(gegl, program, **env):
    done = gegl.command([program, *OPERATIONS], GEGL_USE_OPENCL='no', **env)
    return [tuple(line.split('\t')) for line in done.stdout.splitlines()], done.stderr


def check_language(gegl, report, program, language, home, work):
    locale, error = make_locale(language, work)
    if not report.check(f'{language}: a locale can be made (package locales)', locale, error):
        return
    mo = os.path.join(home, '.local', 'share', 'locale', language, 'LC_MESSAGES', 'tessera.mo')
    if not report.check(f'{language}: the catalogue is installed', os.path.exists(mo)):
        return
    with open(mo, 'rb') as file:
        catalogue = gettext.GNUTranslations(file)
    english, _ = labels(gegl, program, LC_ALL='C.UTF-8')
    shown, error = labels(gegl, program, LC_ALL=locale, LANGUAGE=language, LOCPATH=work)
    wrong = [(e[2], s[2]) for e, s in zip(english, shown) if catalogue.gettext(e[2]) != s[2]]
    translated = sum(e[2] != s[2] for e, s in zip(english, shown))
    report.check(f'{language}: labels come out of our catalogue', len(english) == len(shown) > 0 and not wrong and translated >= 20,
                 f'{translated} of {len(english)} translated' + (f', wrong {wrong[:2]}' if wrong else '') + error.strip())


def check_commands(gegl, report, home):
    """Each with its page, and the doctor finds what is installed."""
    for name in COMMANDS:
        program = os.path.join(home, '.local', 'bin', name)
        done = gegl.command([program, '--version'])
        page = os.path.join(home, '.local', 'share', 'man', 'man1', name + '.1')
        report.check(f'{name} says its version, and has a man page',
                     done.returncode == 0 and re.fullmatch(name + r' \d[\d.]*\n', done.stdout) and os.path.exists(page),
                     done.stdout + done.stderr)
    doctor = os.path.join(home, '.local', 'bin', 'tessera-doctor')
    done = gegl.command([doctor, '--quick', '--budget', '1'], GEGL_USE_OPENCL='no')
    report.check('the installed doctor finds the installed filters',
                 done.returncode == 0 and 'Verdict: all is well' in done.stdout, done.stdout[-600:] + done.stderr)


def check_example(gegl, report, home, work):
    """A filter of one's own, built against what is installed.  Its home is another: there gegl has no other module of ours."""
    installed = os.path.join(home, '.local', 'share', 'tessera')
    folder = os.path.join(work, 'example')
    os.mkdir(folder)
    done = gegl.command([os.path.join(TOP, 'data', 'packaging', 'debian', 'tests', 'example'), os.path.join(installed, 'example'), PHOTOGRAPH],
                        PKG_CONFIG_PATH=os.path.join(home, '.local', 'lib', 'tessera', 'pkgconfig'), AUTOPKGTEST_TMP=folder)
    lines = (done.stdout + done.stderr).strip().splitlines()
    report.check('the example of a filter builds outside the tree; C and OpenCL make the same pixels', done.returncode == 0,
                 ' | '.join(lines[-8:]) if done.returncode else '')


def check_readme(gegl, report, home, plugins, work):
    """README's operation, compiled and called as printed; it is taken away again."""
    with open(os.path.join(TOP, 'README.md'), encoding='utf-8') as file:
        text = file.read().partition('\n## In C\n')[2]
    source, commands = (re.search(f'^```{begin}(.*?)^```', text, re.MULTILINE | re.DOTALL) for begin in (r'c\n', r'\n(?=export )'))
    if not report.check('README has an operation in C, and the commands for it', source and commands):
        return
    folder = os.path.join(work, 'readme')
    os.mkdir(folder)
    with open(os.path.join(folder, re.search('C_SOURCE (.*)', source[1])[1]), 'w', encoding='utf-8') as file:
        file.write(source[1])
    shutil.copy(PHOTOGRAPH, os.path.join(folder, 'photo.jpg'))
    before = set(os.listdir(plugins))
    done = gegl.command(['sh', '-e', '-c', commands[1]], cwd=folder)
    made = set(os.listdir(plugins)) - before
    report.check('what README prints compiles, and gegl runs it', done.returncode == 0 and len(made) == 1
                 and os.path.exists(os.path.join(folder, 'smear.png')) and not done.stdout + done.stderr, done.stdout + done.stderr)
    pictures = [os.path.join(folder, name) for name in ('same.npy', 'smear.npy')]
    for path, chain in zip(pictures, ([], ['--', 'my:smear'])):
        gegl.command(['gegl', PHOTOGRAPH, '-o', path, *chain], GEGL_USE_OPENCL='no')
    report.check('and it changes the picture', all(map(os.path.exists, pictures)) and Picture(pictures[0]).difference(Picture(pictures[1])) > 0.1)
    for name in made:
        os.unlink(os.path.join(plugins, name))


def check_removal(gegl, report, home, plugins, theirs, own):
    """Again, over itself; and somebody else's module."""
    done = gegl.command([os.path.join(TOP, 'run'), 'install'])
    report.check('./run install over itself', done.returncode == 0, done.stderr)
    module = os.path.join(plugins, 'theirs.txt')
    with open(module, 'w', encoding='utf-8') as file:
        file.write("another package's file\n")
    done = gegl.command([os.path.join(TOP, 'run'), 'uninstall'])
    report.check('./run uninstall', done.returncode == 0, done.stderr)
    kept = {theirs, os.path.relpath(module, home), os.path.relpath(own, home)}
    while kept != (more := kept | {os.path.dirname(path) for path in kept} - {''}):
        kept = more
    left = set(below(home))
    kept = {path for path in kept if not path.startswith('.config') or 'tessera' in path}
    report.check("no file and no folder of ours is left, others' are", left == kept, ', '.join(sorted(left ^ kept)))
    done = gegl.command([os.path.join(TOP, 'run'), 'uninstall'])
    report.check('a second ./run uninstall says that there is nothing', done.returncode == 1 and 'nothing to remove' in done.stderr, done.stderr)


def main():
    build, program = sys.argv[1:]
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-install-') as work:
        with open(os.path.join(PO, 'LINGUAS'), encoding='utf-8') as file:
            languages = file.read().split()
        home, pictures = os.path.join(work, 'home'), [os.path.join(work, name) for name in ('built.npy', 'installed.npy')]
        os.mkdir(home)
        gegl = Gegl(None)
        gegl.env.update(HOME=home, TESSERA_INSTALL_BUILD=install_build(build))
        for name in ('XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'GIMP3_DIRECTORY'):
            gegl.env.pop(name, None)

        # What a person has already: a folder that stays, and a profile of GIMP 3 with settings of her own for one filter.
        theirs, profile = os.path.join('.local', 'share', 'metainfo'), os.path.join(home, '.config', 'GIMP', '3.0')
        os.makedirs(os.path.join(home, theirs))
        os.makedirs(os.path.join(profile, 'filters'))
        own = os.path.join(profile, 'filters', PRESETS.format('unsharp-mask'))
        with open(own, 'w', encoding='utf-8') as file:
            file.write('# settings\n')

        done = gegl.command([os.path.join(TOP, 'run'), 'install'])
        if report.check('./run install', done.returncode == 0, (done.stdout + done.stderr).strip() if done.returncode else ''):
            plugins = os.path.join(home, '.local', 'share', 'gegl-0.4', 'plug-ins')
            report.check("only the operations are in GEGL's folder", sorted(os.listdir(plugins)) ==
                         sorted(name.replace(':', '-') + '.so' for name in OPERATIONS), ', '.join(os.listdir(plugins)))
            missing = gegl.missing()
            report.check('gegl finds the operations without any variable', not missing, ', '.join(missing))
            for where, path in ((Gegl(build), pictures[0]), (gegl, pictures[1])):
                code, lines = where.run([PHOTOGRAPH, '-o', path, '--'] + CHAIN, GEGL_USE_OPENCL='no')
                report.check(f'a real run for {os.path.basename(path)}', code == 0 and not lines, ' | '.join(lines))
            report.check('installed and built make the same picture', all(map(os.path.exists, pictures))
                         and Picture(pictures[0]).difference(Picture(pictures[1])) <= 1e-5)     # babl picks its conversions by timing
            folder = os.path.join(profile, 'plug-ins')
            report.check('GIMP 3 has its two plug-ins, and the installation says where',
                         all(os.access(os.path.join(folder, name, name + '.py'), os.X_OK) for name in ('tessera-align-layers', 'tessera-graphs'))
                         and f'  GIMP 3        {folder}/tessera-*\n' in done.stdout
                         and f'  scripts       {os.path.join(home, ".local", "share", "tessera", "scripts")}\n' in done.stdout, done.stdout)
            presets = [name for name in os.listdir(os.path.join(profile, 'filters')) if name.startswith('GimpGegl-tessera-')]
            report.check('GIMP 3 has presets', len(presets) >= 6, ', '.join(sorted(presets)))
            with open(own, encoding='utf-8') as file:
                report.check('but where there were settings', file.read() == '# settings\n')
            done = gegl.command([os.path.join(TOP, 'data', 'presets', 'presets.sh'), 'add'], HOME=os.path.join(work, 'nobody'))
            report.check('without a profile of GIMP 3 presets.sh says in one line what helps', done.returncode == 1 and not done.stdout
                         and re.fullmatch(r'No profile of GIMP 3 in .*GIMP3_DIRECTORY=FOLDER\n', done.stderr), done.stdout + done.stderr)
            check_commands(gegl, report, home)
            check_example(gegl, report, home, work)
            check_readme(gegl, report, home, plugins, work)
            for language in languages:
                check_language(gegl, report, program, language, home, work)
            check_removal(gegl, report, home, plugins, theirs, own)
    report.finish()


main()
