#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-release.py BUILD: what the archive has, and its install.sh in a home folder of its own: where it puts things for each GIMP that is there,
that gegl finds them, and that --undo leaves what was there before."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, TOP

VERSION = '9.8.7'
# (data, configuration) of each kind of GIMP, below the home folder.
KINDS = {'plain': ('.local/share', '.config'), 'Flatpak': ('.var/app/org.gimp.GIMP/data', '.var/app/org.gimp.GIMP/config'),
         'Snap': ('snap/gimp/current/.local/share', 'snap/gimp/current/.config')}
MODULES = 'gegl-0.4/plug-ins'


def state(folder):
    """Every path, and the text of files."""
    found = {}
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            found[os.path.relpath(path, folder)] = None if os.path.isdir(path) else open(path, 'rb').read()
    return {path: text for path, text in found.items() if not path.startswith('.cache')}


class Home:
    def __init__(self, folder, profiles):
        self.folder = folder
        self.env = {**os.environ, 'HOME': folder, 'LC_ALL': 'C.UTF-8'}
        for name in ('XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'GEGL_PATH', 'GIMP2_DIRECTORY', 'GIMP3_DIRECTORY'):
            self.env.pop(name, None)
        for profile in profiles:
            os.makedirs(self.path(profile))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def install(self, stage, *words):
        return subprocess.run([os.path.join(stage, 'install.sh'), *words], env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def check_everywhere(report, stage, work):
    """A user with each kind of GIMP."""
    home = Home(os.path.join(work, "every kind's home"), [f'{config}/GIMP/{version}' for _, config in KINDS.values() for version in ('2.10', '3.0')])
    os.makedirs(home.path('.local', 'share', 'gegl-0.4', 'plug-ins'))
    with open(home.path('.local', 'share', 'gegl-0.4', 'plug-ins', 'theirs.txt'), 'w', encoding='utf-8') as file:
        file.write('theirs')
    before = state(home.folder)
    done = home.install(stage)
    report.check('install.sh ends well, and asks nothing', done.returncode == 0 and not done.stderr, done.stdout + done.stderr)
    for kind, (data, config) in KINDS.items():
        wanted = [f'{data}/{MODULES}/tessera.so', f'{data}/{MODULES}/tessera/tessera-readers.so.0', f'{data}/{MODULES}/tessera/locale/de/LC_MESSAGES/tessera.mo',
                  f'{config}/GIMP/2.10/plug-ins/tessera/tessera', f'{config}/GIMP/3.0/plug-ins/tessera-graphs/tessera-graphs.py',
                  f'{config}/GIMP/3.0/filters/GimpGegl-tessera-tone-config.settings']
        missing = [path for path in wanted if not os.path.exists(home.path(path))]
        report.check(f'{kind}: the module, its parts, both plug-ins and presets are where that GIMP looks', not missing, ' '.join(missing))
        graphs = home.path(data, MODULES, 'tessera', 'graphs')
        with open(home.path(config, 'GIMP', '3.0', 'plug-ins', 'tessera-graphs', 'tessera-graphs.py'), encoding='utf-8') as file:
            text = file.read()
        report.check(f'{kind}: the plug-in for GIMP 3 knows where the graphs are', repr(graphs)[1:-1] in text and '@' + 'GRAPHS@' not in text and os.listdir(graphs))
    report.check('commands are executable', all(os.access(home.path('.local', 'bin', f'tessera-{name}'), os.X_OK) for name in ('match', 'sequence', 'stack')))
    again = state(home.folder)
    done = home.install(stage)
    report.check('once more, over itself: the same', done.returncode == 0 and state(home.folder).keys() == again.keys(), str(state(home.folder).keys() ^ again.keys()))
    done = home.install(stage, '--undo')
    after = state(home.folder)
    left = [path for path in after if path not in before and not path.endswith('/filters')]         # a folder of GIMP's own
    report.check('--undo takes away what was put there, and nothing else', done.returncode == 0 and not left and all(after.get(path, 0) == text for path, text in before.items()),
                 ' '.join(left[:5]) + done.stderr)
    done = home.install(stage, '--undo')
    report.check('once more: there is nothing, and it says so', done.returncode == 1 and 'Nothing to remove' in done.stderr, done.stdout + done.stderr)


def check_plain(report, stage, work, gegl):
    """A user without GIMP, whose gegl finds the filters."""
    home = Home(os.path.join(work, 'plain'), [''])
    done = home.install(stage, '--help')
    report.check('what it does not know changes nothing', done.returncode == 2 and '--undo' in done.stdout and not state(home.folder))
    done = home.install(stage)
    report.check('without a GIMP it is installed without a word of presets', done.returncode == 0 and not done.stderr, done.stderr)
    env = {**home.env, 'GEGL_USE_OPENCL': 'no', 'XDG_CACHE_HOME': gegl.env['XDG_CACHE_HOME']}
    known = subprocess.run(['gegl', '--list-all'], env=env, capture_output=True, text=True, check=False)
    report.check('gegl finds every operation where a user has them', done.returncode == 0 and set(gegl.operations) <= set(known.stdout.split()),
                 done.stderr + known.stderr[-300:])
    home.install(stage, '--undo')
    report.check('--undo leaves an empty home', not state(home.folder), ' '.join(list(state(home.folder))[:5]))


def main():
    build, report = os.path.abspath(sys.argv[1]), Report()
    if not os.path.exists(os.path.join(build, 'gimp-2.10', 'tessera')):
        print('left out: GIMP 2.10 has no development files here, and the archive has its plug-in')
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix='tessera-release-') as work:
        stage = os.path.join(work, 'tessera')
        done = subprocess.run([os.path.join(TOP, 'data', 'release', 'release'), '--pack', build, stage, VERSION], capture_output=True, text=True, check=False)
        if report.check('the archive can be packed', done.returncode == 0, done.stderr):
            with open(os.path.join(stage, 'README.txt'), encoding='utf-8') as file:
                page = file.read().splitlines()
            report.check('its page is of one screen, and says the version', len(page) <= 48 and max(map(len, page)) <= 90 and VERSION in page[0]
                         and not any('@' in line for line in page), f'{len(page)} lines')
            check_everywhere(report, stage, work)
            check_plain(report, stage, work, Gegl(build))
    report.finish()


main()
