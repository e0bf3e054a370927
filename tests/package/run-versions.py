#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-versions.py BUILD: one version everywhere: meson's, of the commands, of each operation, of the news, the packages, the metainfo and the
citation.  The news of it name every operation."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, TOP


def read(*path):
    with open(os.path.join(TOP, *path), encoding='utf-8') as file:
        return file.read()


def first(pattern, *path):
    found = re.search(pattern, read(*path), re.MULTILINE)
    return found and found[1]


def main():
    build, report = sys.argv[1], Report()
    version = json.loads(subprocess.run(['meson', 'introspect', '--projectinfo', build], check=True, capture_output=True, text=True).stdout)['version']
    gegl = Gegl(build)
    for name in ('doctor', 'match', 'sequence', 'stack'):
        said = gegl.command([os.path.join(build, 'tools', name, f'tessera-{name}'), '--version']).stdout
        report.check(f'tessera-{name} --version', said == f'tessera-{name} {version}\n', said)
    metainfo = ElementTree.fromstring(read('data', 'metainfo', 'org.gimp.GIMP.Plugin.Tessera.metainfo.xml.in'))
    for what, found in (('NEWS.md', first(r'^## (\S+)', 'NEWS.md')),
                        ('CITATION.cff', first(r'^version: (\S+)$', 'CITATION.cff')),
                        ('the Debian changelog', first(r'^tessera \(([^-]+)-', 'data', 'packaging', 'debian', 'changelog')),
                        ('the metainfo', metainfo.find('releases/release').get('version'))):
        report.check(f'{what} has the version {version}', found == version, str(found))
    news = read('NEWS.md').split('\n## ')[1]
    for operation in gegl.operations:
        report.check(f'the news name {operation}', re.search(rf'(?<![\w-]){operation.removeprefix("tessera:")}(?![\w-])', news))
    for operation in gegl.operations[::12]:          # one line makes the key of all
        info = gegl.command(['gegl', '--info', operation], GEGL_USE_OPENCL='no').stdout
        found = re.search(r'^tessera-version\s+(\S+)$', info, re.MULTILINE)
        report.check(f'{operation} says the version', found and found[1] == version, info[:200])
    report.finish()


main()
