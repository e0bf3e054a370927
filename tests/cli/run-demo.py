#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-demo.py BUILD: the demo's own program for one filter and the star field: it ends well, its page shows what lies beside it;
a filter that does not run ends it in words."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report, TOP


def demo(build, out, *rows):
    return subprocess.run([sys.executable, '-B', os.path.join(TOP, 'tools', 'demo', 'demo.py'), build, out, *rows],
                          capture_output=True, text=True, errors='replace')


def main():
    build = os.path.abspath(sys.argv[1])
    report = Report()
    with tempfile.TemporaryDirectory() as out:
        done = demo(build, out, 'sobel')
        report.check('the demo ends well', done.returncode == 0 and 'C and OpenCL agree' in done.stdout, done.stderr)
        report.check('its star field has two objects', '2 objects that move found' in done.stdout)
        with open(os.path.join(out, 'index.html'), encoding='utf-8') as file:
            shown = re.findall(r'src="([^"]+)"', file.read())
        report.check('its page shows the filter and both objects', {'sobel.png', 'moving-1.png', 'moving-2.png'} <= set(shown), ' '.join(shown))
        report.check('what its page shows is there', all(os.path.exists(os.path.join(out, name)) for name in shown))
    with tempfile.TemporaryDirectory() as out:
        done = demo(os.path.join(build, 'operations'), out, 'sobel')                # no modules lie there
        report.check('without its filters the demo says so', done.returncode != 0 and 'gegl does not know tessera:' in done.stderr)
    report.finish()


main()
