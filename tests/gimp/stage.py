# SPDX-License-Identifier: LGPL-3.0-or-later
"""What run-gui.py and run-long.py stand on: their arguments, an installation, a picture, and sessions that are closed whatever happens."""
import contextlib
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import IMAGES, TOP, Report
from gimp_program import programs
from installed import Installed
from screen import TOOLS
from session import Session


def picture_of(installed):
    return os.path.join(installed.work, 'picture.png')


@contextlib.contextmanager
def opened(report, installed, kind, given, part='', name='', picture=None, **more):
    """A session with the picture open; None where that failed.  Its pictures go to a folder with the name of the part."""
    gimp = kind(installed.gegl.env, installed.work)
    session = Session(installed, gimp, os.path.join(given.out, f'gimp-{gimp.version}{part and "-" + part}'), picture or picture_of(installed), **more)
    try:
        good = report.check(f'{name or "GIMP " + gimp.version} opens a picture', session.opened())
        if not good:
            session.screen.shot('start')
        yield session if good else None
    finally:
        session.screen.close()


def run(parser, photograph, chain, test):
    """test (report, installed, kind, operations, given) for each GIMP that is here; the picture is what the chain makes of the photograph."""
    parser.add_argument('build')
    parser.add_argument('--only', help='one operation')
    parser.add_argument('--out', default=os.path.join(TOP, 'out'), help='where the pictures go (out/)')
    given, report = parser.parse_args(), Report()
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    report.check('a screen can be made', not missing, ', '.join(missing))
    with tempfile.TemporaryDirectory(prefix='tessera-windows-') as work:
        installed, kinds = Installed(os.path.abspath(given.build), work), programs()
        if report.check('a GIMP is here', kinds) and not missing and installed.install(report):
            operations, picture = installed.operations(given.only), picture_of(installed)
            installed.gegl.run([os.path.join(IMAGES, photograph), '-o', picture, *(word.replace('PICTURE', picture) for word in chain)],
                               GEGL_USE_OPENCL='no')
            for kind in kinds:
                test(report, installed, kind, operations, given)
    report.finish()
