# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tessera installed into a home folder of its own, as `./run install` does it: what each test in the real GIMP stands on."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, TOP, babl_forgets, install_build
from gimp_program import plain
from jobs import HEIGHT, WIDTH
from pixels import read

# the models of GIMP's layers: perceptual, linear
LAYERS = {'grey': ("Y'", 'Y'), 'rgb': ("R'G'B'", 'RGB'), 'rgba': ("R'G'B'A", 'RGBA')}


class Installed:
    """The folders, the gegl command and the operations."""

    def __init__(self, build, work):
        self.build, self.work = build, work
        self.home = os.path.join(work, 'home')
        os.makedirs(os.path.join(self.home, '.cache'))
        babl_forgets(os.path.join(self.home, '.cache'))
        self.gegl = Gegl(None)
        for name in [n for n in self.gegl.env if n.startswith(('XDG_', 'GIMP'))] + ['DISPLAY', 'WAYLAND_DISPLAY', 'LANGUAGE']:
            self.gegl.env.pop(name, None)
        self.gegl.env.update(HOME=self.home, TESSERA_INSTALL_BUILD=install_build(build),
                             POCL_CACHE_DIR=os.path.join(build, 'pocl-cache'))
        os.makedirs(os.path.join(build, 'pocl-cache'), exist_ok=True)
        self.wanted = {}

    def install(self, report):
        done = self.gegl.command([os.path.join(TOP, 'run'), 'install'], timeout=900)
        return report.check('./run install', done.returncode == 0, (done.stdout + done.stderr).strip() if done.returncode else '')

    def few_modules(self):
        """From now on GEGL loads those of its own modules alone that tests use: GIMP and each of its plug-ins load them when they begin."""
        ours = os.path.join(self.home, '.local', 'share', 'gegl-0.4', 'plug-ins')
        self.gegl.env['GEGL_PATH'] = os.pathsep.join([ours, os.path.join(self.build, 'tests-modules')])

    def operations(self, only, **env):
        done = self.gegl.command([os.path.join(self.build, 'tests', 'gimp', 'list-operations')], GEGL_USE_OPENCL='no', **env)
        return [operation for operation in json.loads(done.stdout) if operation['input'] and operation['output']
                and operation['categories'] not in ('transform', 'video')        # GIMP leaves these out
                and (not only or operation['name'] == only)]

    def expected(self, job, inputs, area=None):
        """What the gegl command makes, of the layer or of a piece of it alone.  A layer of 32 bits is stored as floats first, as GIMP
        stores it: the last digit decides to which cell of a grid a value goes that lies between two (51 of 255 and a range sigma of 0.08)."""
        key = (job.operation, str(job.values), job.kind, job.depth, job.linear, area)
        if key not in self.wanted:
            path = os.path.join(self.work, f'gegl-{len(self.wanted)}.{"png" if job.depth == 8 else "tif"}')
            x, y, width, height = area or (0, 0, WIDTH, HEIGHT)
            stored = [] if job.depth == 8 else ['gegl:convert-format', f'format={LAYERS[job.kind][job.linear]} float']
            chain = stored + (['gegl:crop', f'x={x}', f'y={y}', f'width={width}', f'height={height}'] if area else [])
            chain += [job.operation, *(f'{key}={plain(value)}' for key, value in job.values.items()),
                      'gegl:crop', f'x={x}', f'y={y}', f'width={width}', f'height={height}']
            chain += ['gegl:translate', f'x={-x}', f'y={-y}'] if area else []
            # -- levels changes no pixel, only a format that tiff-save does not take (Y~) to RGBA
            chain += ['gegl:png-save', f'path={path}', 'bitdepth=8'] if job.depth == 8 \
                else ['gegl:levels', 'gegl:tiff-save', f'path={path}', 'bitdepth=32', 'fp=1']
            code, lines = self.gegl.run([inputs[job.kind], '-o', path, '--', *chain], GEGL_USE_OPENCL='no')
            lines = [line for line in lines if not line.startswith('libpng warning')]
            self.wanted[key] = read(path) if code == 0 and not lines else RuntimeError(f'gegl: exit {code}, {lines}')
        return self.wanted[key]
