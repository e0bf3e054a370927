# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the tests and the demo share: the gegl command, pictures, the count. Standard library only."""
import array
import ast
import math
import operator
import os
import shutil
import subprocess
import sys
import tempfile

import watched

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of a build folder: what no installation is made of.
NOT_INSTALLED = ('RAM', 'pocl-cache', 'test-logs', 'tests', 'tests-modules')
IMAGES = os.path.join(TOP, 'data', 'images')


def listed(name='filters'):
    """{operation: the words behind it} of operations/filters or operations/others."""
    with open(os.path.join(TOP, 'operations', name), encoding='utf-8') as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith('#')]
    return {row[0]: row[1:] for row in rows}


FILTERS = tuple(sorted(listed()))         # the template too
OTHERS = tuple(sorted(listed('others')))  # which no pixel of a reference judges
OPERATIONS = tuple('tessera:' + name for name in sorted(FILTERS + OTHERS) if 'not-installed' not in listed().get(name, ()))     # that are installed
SAVERS = tuple(name for name in OTHERS if name.endswith('-save'))        # they have no result but a file
TWINS = {name: words[1] for name, words in listed().items() if words[:1] == ['as']}          # of another filter's sources


def operations_in(build):
    """Without CFITSIO a build has no fits-load."""
    lacks = os.path.exists(os.path.join(build, 'operations', 'files', 'libreaders.a.p', 'fits-none.c.o'))
    return tuple(name for name in OPERATIONS if not (lacks and name == 'tessera:fits-load'))


def cache_folder():
    """A folder for XDG_CACHE_HOME in which babl keeps nothing: where its folder would be is a file.  All processes of a user write what babl
    remembers of its conversions, which it chooses by timing.  (Then it reads /tmp/babl-fishes.txt, unless BABL_INHIBIT_CACHE is set.)"""
    folder = tempfile.TemporaryDirectory(prefix='tessera-cache-')
    babl_forgets(folder.name)
    return folder


def babl_forgets(cache):
    open(os.path.join(cache, 'babl'), 'w', encoding='utf-8').close()


def system_plugins():
    """The folder of GEGL's own modules, all of them."""
    return subprocess.run(['pkg-config', '--variable=pluginsdir', 'gegl-0.4'], check=True, capture_output=True, text=True).stdout.strip()


def install_build(build):
    """The folder in which the tests' `./run install` builds: what `build` has compiled, of which another prefix changes a few files.  It
    lies beside `build`, because commands have relative paths.  Two tests may ask for it at once."""
    folder = os.path.abspath(build) + '-of-installed'
    if not os.path.exists(folder):
        with tempfile.TemporaryDirectory(prefix='build-copied-', dir=os.path.dirname(folder)) as beside:
            copy = os.path.join(beside, 'build')
            shutil.copytree(build, copy, symlinks=True, ignore=lambda path, names: NOT_INSTALLED if os.path.samefile(path, build) else ())
            try:
                os.rename(copy, folder)
            except OSError:             # the other one was first
                pass
    return folder


class Gegl:
    """The gegl command with the modules of a build folder (None: wherever GEGL itself looks), and with those of GEGL that tests use, or with all.
    `same_conversions`: each process takes the conversions that babl chose in the one before."""

    def __init__(self, build, all_modules=False, same_conversions=False):
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(('TESSERA_', 'GEGL_', 'OCL_ICD', 'POCL_'))}
        self.env['LC_ALL'] = 'C.UTF-8'
        self.cache = tempfile.TemporaryDirectory(prefix='tessera-cache-') if same_conversions else cache_folder()
        self.env['XDG_CACHE_HOME'] = self.cache.name
        if same_conversions:
            self.env.pop('BABL_INHIBIT_CACHE', None)
        self.operations = operations_in(build) if build else OPERATIONS
        if build:
            self.build = os.path.abspath(build)
            self.system_plugins = system_plugins() if all_modules else os.path.join(self.build, 'tests-modules')
            self.env['GEGL_PATH'] = os.path.join(self.build, 'operations') + os.pathsep + self.system_plugins
            self.env['POCL_CACHE_DIR'] = os.path.join(self.build, 'pocl-cache')
            os.makedirs(self.env['POCL_CACHE_DIR'], exist_ok=True)

    def run(self, arguments, timeout=300, **env):
        """Returns (exit code, the lines of stderr)."""
        done = self.command(['gegl'] + arguments, timeout, **env)
        return done.returncode, [line for line in done.stderr.splitlines() if line.strip()]

    def command(self, words, timeout=300, cwd=None, **env):
        """`timeout` is not of the clock (watched.py); 124 is the exit code of what was killed."""
        process = subprocess.Popen(words, env={**self.env, **env}, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors='replace')
        output, errors, why = watched.communicate(process, timeout)
        return subprocess.CompletedProcess(words, 124 if why else process.returncode, output, errors + why)

    def missing(self):
        """The operations that gegl does not know: it would pass pixels through without failing."""
        known = set(self.command(['gegl', '--list-all'], GEGL_USE_OPENCL='no').stdout.split())
        return [name for name in self.operations if name not in known]


class Picture:
    """Width, height, channels and a flat array of numbers."""

    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as file:
            data = file.read()
        if data[:6] == b'\x93NUMPY':
            self._npy(data)
        elif data[:2] == b'P6':
            self._ppm(data)
        else:
            raise ValueError(f'{path}: neither .npy nor .ppm')
        if len(self.pixels) != self.width * self.height * self.channels:
            raise ValueError(f'{path}: {len(self.pixels)} numbers do not make {self.width}x{self.height}x{self.channels}')

    def _npy(self, data):
        length = int.from_bytes(data[8:10], 'little')
        header = ast.literal_eval(data[10:10 + length].decode('latin-1').strip())
        if header['descr'] != '<f4':
            raise ValueError(f'{self.path}: {header["descr"]} is not 32-bit float')
        shape = header['shape']
        self.height, self.width = shape[0], shape[1]
        self.channels = shape[2] if len(shape) > 2 else 1
        self.pixels = array.array('f')
        self.pixels.frombytes(data[10 + length:])
        if sys.byteorder == 'big':
            self.pixels.byteswap()

    def _ppm(self, data):
        fields, at = [], 0
        while len(fields) < 4:
            end = at
            while not data[end:end + 1].isspace():
                end += 1
            word = data[at:end]
            if word.startswith(b'#'):
                end = data.index(b'\n', at)
            elif word:
                fields.append(word)
            at = end + 1
        self.width, self.height, self.channels = int(fields[1]), int(fields[2]), 3
        if fields[3] == b'255':
            self.pixels = array.array('B', data[at:])
        elif fields[3] == b'65535':         # in levels of 8 bits, too
            wide = array.array('H', data[at:])
            if sys.byteorder == 'little':
                wide.byteswap()
            self.pixels = array.array('f', (value / 257 for value in wide))
        else:
            raise ValueError(f'{self.path}: neither 8 nor 16 bits')

    def same_shape(self, other):
        return (self.width, self.height, self.channels) == (other.width, other.height, other.channels)

    def difference(self, other):
        """The largest absolute difference; infinite where shapes differ or only one is a number."""
        if not self.same_shape(other):
            return math.inf
        if self.pixels == other.pixels:
            return 0.0
        if math.isfinite(sum(self.pixels)) and math.isfinite(sum(other.pixels)):
            return float(max(map(abs, map(operator.sub, self.pixels, other.pixels))))
        worst = 0.0
        for a, b in zip(self.pixels, other.pixels):
            d = abs(a - b)
            if d > worst:
                worst = d
            elif d != d and (a == a or b == b) and a != b:
                return math.inf
        return worst

    def mean(self):
        return math.fsum(self.pixels) / len(self.pixels)

    def roughness(self):
        """The mean absolute difference between neighbours in a row: texture, noise and edges together."""
        p, c, row = self.pixels, self.channels, self.width * self.channels
        total = n = 0
        for y in range(0, self.height, 4):
            line = p[y * row:(y + 1) * row]
            total += sum(abs(a - b) for a, b in zip(line, line[c:]))
            n += row - c
        return total / max(n, 1)


class Report:
    """Counts, says what failed, and ends with the one line that is aggregated."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, good, detail=''):
        if good:
            self.passed += 1
            print(f'ok   {name}' + (f': {detail}' if detail else ''), flush=True)
        else:
            self.failed += 1
            print(f'FAIL {name}' + (f': {detail}' if detail else ''), flush=True)
        return good

    def finish(self):
        print(f'{self.passed} passed, {self.failed} failed', flush=True)
        sys.exit(1 if self.failed or not self.passed else 0)
