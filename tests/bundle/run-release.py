#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-release.py BUILD: what the archive has, and its install.sh in a home folder of its own: where it puts things for each GIMP that is there,
that gegl finds them, that --undo leaves what was there before; files of the user's in its place, a full disk, folders that cannot be written."""
import ast
import os
import re
import resource
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

    def install(self, stage, *words, through=(), **more):
        return subprocess.run([*through, os.path.join(stage, 'install.sh'), *words], **{'env': self.env, **more}, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=False)

    def write(self, text, *parts):
        os.makedirs(os.path.dirname(self.path(*parts)), exist_ok=True)
        with open(self.path(*parts), 'w', encoding='utf-8') as file:
            file.write(text)


def graphs_of(home, config):
    """What the plug-in for GIMP 3 has in the place of @GRAPHS@, as Python reads it."""
    with open(home.path(config, 'GIMP', '3.0', 'plug-ins', 'tessera-graphs', 'tessera-graphs.py'), encoding='utf-8') as file:
        text = file.read()
    ast.parse(text)
    return ast.literal_eval(re.search('^GRAPHS, LOCALES = (.*)$', text, re.MULTILINE)[1])[0]


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
        report.check(f'{kind}: the plug-in for GIMP 3 knows where the graphs are', graphs_of(home, config) == graphs and os.listdir(graphs))
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


def check_kept(report, stage, work):
    """Files of the user's where it puts its own, and files that the user changes afterwards."""
    home, data = Home(os.path.join(work, 'kept'), ['.config/GIMP/2.10']), f'.local/share/{MODULES}'
    home.write('my script', '.local', 'bin', 'tessera-stack')
    home.write('my build', 'src', 'tessera-match')
    os.symlink(home.path('src', 'tessera-match'), home.path('.local', 'bin', 'tessera-match'))
    home.write('my plug-in', '.config', 'GIMP', '2.10', 'plug-ins', 'tessera', 'tessera')
    before = state(home.folder)
    done = home.install(stage)
    report.check("a file of the user's is kept under another name, and a line says so", done.returncode == 0 and not done.stderr and done.stdout.count('.before-tessera') == 3
                 and open(home.path('.local', 'bin', 'tessera-stack.before-tessera'), encoding='utf-8').read() == 'my script', done.stdout + done.stderr)
    report.check('a link is kept as one, and what it leads to is untouched', os.path.islink(home.path('.local', 'bin', 'tessera-match.before-tessera'))
                 and state(home.path('src')) == {'tessera-match': b'my build'} and not os.path.islink(home.path('.local', 'bin', 'tessera-match')))
    home.install(stage)
    done = home.install(stage, '--undo')
    report.check('installed twice, --undo puts all three back', done.returncode == 0 and done.stdout.count('  back ') == 3 and state(home.folder) == before
                 and os.path.islink(home.path('.local', 'bin', 'tessera-match')), done.stdout + done.stderr)
    home.install(stage)
    graph = home.path(data, 'tessera', 'graphs', 'soft-glow.xml')
    with open(graph, 'a', encoding='utf-8') as file:
        file.write('<!-- mine -->')
    mine = open(graph, 'rb').read()
    for words in ([], ['--undo']):
        done = home.install(stage, *words)
        report.check(f'a file that the user changed stays, and a line says so {words}', done.returncode == 0 and f'left       {graph}' in done.stdout
                     and open(graph, 'rb').read() == mine, done.stdout + done.stderr)
    left = {path for path, text in state(home.folder).items() if text is not None} - before.keys()
    report.check('and is all that --undo left', left == {os.path.relpath(graph, home.folder)}, ' '.join(left))


def check_failures(report, stage, work):
    """Nothing is left of half an installation, and nothing is called done that is not."""
    home, size = Home(os.path.join(work, 'full'), ['']), os.path.getsize(os.path.join(stage, 'plug-ins', 'tessera.so'))
    done = home.install(stage, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2)))
    report.check('a module that is cut is taken away, and the end is a bad one', done.returncode == 1 and 'tessera.so cannot be written (' in done.stderr
                 and 'Make room' in done.stderr and not state(home.folder), done.stderr + ' '.join(state(home.folder)))
    home.write('in the way', '.local', 'bin')
    done = home.install(stage)
    report.check('so is all, where the commands cannot be put', done.returncode == 1 and 'nothing is installed' in done.stderr
                 and set(state(home.folder)) == {'.local', '.local/bin'}, done.stderr + ' '.join(state(home.folder)))
    home = Home(os.path.join(work, 'profile'), ['.config/GIMP/3.0'])
    home.write('in the way', '.config', 'GIMP', '2.10', 'plug-ins')
    done = home.install(stage)
    with open(home.path('.local', 'share', MODULES, 'tessera-installed.txt'), encoding='utf-8') as file:
        listed = file.read()
    report.check('a profile of GIMP that cannot be written is told, is not listed, and makes a bad end', done.returncode == 1 and '/2.10/plug-ins/tessera/tessera cannot be written' in done.stderr
                 and 'GIMP 3.0 ' in done.stdout and 'GIMP 2.10 ' not in done.stdout and '/GIMP/2.10/' not in listed, done.stdout + done.stderr)
    # Root writes everywhere, but without its capabilities.
    home, through = Home(os.path.join(work, 'locked'), ['']), ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] if os.getuid() == 0 else []
    home.install(stage)
    os.chmod(home.path('.local', 'bin'), 0o555)
    for count in ('first', 'second'):
        done = home.install(stage, '--undo', through=through)
        left = {path for path, text in state(home.folder).items() if text is not None and 'installed' not in path}
        report.check(f'what cannot be removed is told, and not forgotten: the {count} time', done.returncode == 1 and done.stderr.count(' cannot be removed') == 3
                     and left == {f'.local/bin/tessera-{name}' for name in ('match', 'sequence', 'stack')} and 'Tessera is removed' not in done.stdout, done.stdout + done.stderr)
    os.chmod(home.path('.local', 'bin'), 0o755)
    done = home.install(stage, '--undo', through=through)
    report.check('once it can be, it is', done.returncode == 0 and not state(home.folder), done.stderr + ' '.join(state(home.folder)))


def check_surroundings(report, stage, work):
    """Homes with characters of sed and of Python, CDPATH, no HOME."""
    name = 'Smith, R&D "x" O\'Hara \\n \\\\1'
    home = Home(os.path.join(work, name), ['.config/GIMP/3.0'])
    done = home.install(stage)
    report.check(f'a home of the name {name}: the plug-in is Python, and knows where the graphs are', done.returncode == 0 and not done.stderr
                 and graphs_of(home, '.config') == home.path('.local/share', MODULES, 'tessera/graphs'), done.stderr)
    done = home.install(stage, '--undo')
    report.check('and --undo removes them', done.returncode == 0 and not [path for path, text in state(home.folder).items() if text is not None], done.stderr)
    home, (where, name) = Home(os.path.join(work, 'cdpath'), ['']), os.path.split(stage)
    done = subprocess.run(['sh', os.path.join(name, 'install.sh')], cwd=where, env={**home.env, 'CDPATH': where}, capture_output=True, text=True, check=False)
    report.check('CDPATH is nothing to it', done.returncode == 0 and not done.stderr and os.path.exists(home.path('.local/share', MODULES, 'tessera.so')), done.stderr)
    home = Home(os.path.join(work, 'nowhere'), [''])
    env = {**home.env, 'XDG_DATA_HOME': home.path('data'), 'XDG_CONFIG_HOME': home.path('config')}
    del env['HOME']
    done = home.install(stage, env=env)
    report.check('without HOME it says so, and changes nothing', done.returncode == 1 and 'HOME is not set' in done.stderr and not state(home.folder), done.stdout + done.stderr)


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
            check_kept(report, stage, work)
            check_failures(report, stage, work)
            check_surroundings(report, stage, work)
    report.finish()


main()
