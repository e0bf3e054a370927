#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-sizes.py BUILD: every length in pixels of every graph of data/graphs is one that both GIMP plug-ins scale."""
import ast
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report, TOP

GRAPHS = os.path.join(TOP, 'data', 'graphs')
STAY = '<!-- sizes stay -->'
# Says "pixels" and is no length: an area, which is asked for.
NO_LENGTHS = {('tessera:label', 'min-area')}
WITHOUT = {'less-color-noise', 'count-galaxies', 'through-the-haze'}       # graphs that have no length at all


def text_of(*names):
    with open(os.path.join(TOP, *names), encoding='utf-8') as file:
        return file.read()


def in_pixels(gegl, operation):
    """The properties whose description has the word."""
    told = gegl.command(['gegl', '--info', operation]).stdout.partition('Properties:')[2]
    properties = re.split(r'\n(?=[a-z])', told)
    return {words.split()[0] for words in properties if words.strip() and re.search(r'\bpixels\b', ' '.join(words.split()))}


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    in_c = set(re.findall('"([^"]+)"', re.search(r'lengths\[\] = \{([^}]*)\}', text_of('gimp-2.10', 'graph-sizes.c'))[1]))
    in_python = set(ast.literal_eval(re.search(r'^LENGTHS = (\(.*\))$', text_of('gimp-3', 'tessera-graphs.py.in'), re.MULTILINE)[1]))
    report.check('both plug-ins scale the same properties', in_c == in_python, str(in_c ^ in_python))
    for name in sorted(os.listdir(GRAPHS)):
        text = text_of('data', 'graphs', name)
        lengths, unknown = 0, []
        for node in xml.etree.ElementTree.fromstring(text).iter('node'):
            operation = node.get('operation')
            given = {param.get('name') for param in node.iterfind('./params/param')} if operation.startswith('tessera:') else set()
            pixels = {key for key in given & in_pixels(gegl, operation) if (operation, key) not in NO_LENGTHS} if given else set()
            unknown += sorted(f'{operation} {key}' for key in pixels - in_c - {'kernel'})
            lengths += len(given & (in_c | {'kernel'}))
        report.check(f'{name}: its lengths are known to the plug-ins', not unknown, ', '.join(unknown))
        report.check(f'{name}: it has {"no length" if name[:-4] in WITHOUT else "some"}', (lengths == 0) == (name[:-4] in WITHOUT), str(lengths))
        report.check(f'{name}: whether its sizes stay is said at most once', text.count(STAY) <= 1)
    report.finish()


main()
