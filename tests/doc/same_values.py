# SPDX-License-Identifier: LGPL-3.0-or-later
"""One task has one set of values, wherever it is told: on a page, as a preset, as a recipe, in a graph."""
import glob
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import pages
from common import TOP

# A page's command, and the names of the same in data/presets, data/scripts and data/graphs.
TASKS = (
    ('bilateral-grid', 1, 'Sensor noise', 'sensor-noise', 'smooth-and-keep-edges'),
    ('bilateral-grid', 2, 'Smooth skin', None, None),
    ('convolution', 2, 'Relief, lit from the upper left', None, None),
    ('convolution', 3, 'Out of focus', 'out-of-focus', None),
    ('detail', 1, 'Stone, bark and fabric', None, None),
    ('detail', 2, 'Local contrast without halos', None, None),
    ('detail', 3, 'Soft skin', None, None),
    ('equalize', 1, 'Through the haze', 'through-the-haze', 'through-the-haze'),
    ('label', 1, 'Stars and galaxies', None, 'count-galaxies'),
    ('label', 2, 'Mask of bright areas', None, None),
    ('median-blur', 1, 'Dust and hot pixels', 'dust-and-hot-pixels', 'dust-and-scratches'),
    ('motion-blur', 1, 'Panning', 'panning', 'panning'),
    ('sharpen-lens', 1, 'Soft lens', None, None),
    ('sharpen-lens', 2, 'Enlarged or scanned', None, None),
    ('sharpen-lens', 3, 'Out of focus, a little', None, None),
    ('tone', 1, 'Open the shadows', None, None),
    ('tone', 2, 'Against the light', None, None),
    ('tone', 3, 'HDR for the display', None, None),
    ('unsharp-mask', 1, 'For the screen, after reducing', None, None),
    ('unsharp-mask', 2, 'Local contrast', None, None),
    ('unsharp-mask', 3, 'For print', 'for-print', None),
)
PRESET = re.compile(r'^\(GimpGegl-tessera-(\S+)-config "([^"]+)"\n((?:    .*\n?)*)', re.MULTILINE)
VALUE = re.compile(r'^    \(([\w-]+) "?([^")]*)"?\)+$', re.MULTILINE)
TWINS = {'bilateral-filter', 'bilateral-grid'}
OPERATION = re.compile(r'tessera[:-]([a-z-]+)')
# How the three scripts tell a value.
WORDS = re.compile(r"""([a-z-]+)=(?:'([^']*)'|([^\s"']+))""")
PYTHON = re.compile(r"""([a-z_]+)=(?:'([^']*)'|([-\d.]+))""")
SCHEME = re.compile(r"""\n? *"([a-z-]+)" (?:"([^"]*)"|([-\d.]+))""")


def presets():
    """{name: [(operation, values)]}"""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(TOP, 'data', 'presets', 'presets.sh'), 'write', folder], check=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        for path in sorted(glob.glob(os.path.join(folder, '*'))):
            with open(path, encoding='utf-8') as file:
                for operation, name, body in PRESET.findall(file.read()):
                    found.setdefault(name, []).append((operation, dict(VALUE.findall(body))))
    return found


def recipes(file, begin, pattern):
    """{name: [(operation, values)]} of a script: a function ends at an empty line."""
    with open(os.path.join(TOP, 'data', 'scripts', file), encoding='utf-8') as opened:
        blocks = [block.strip('\n') for block in opened.read().split('\n\n')]
    found = {}
    for block in blocks:
        name, (_, _, body) = re.match(begin, block), block.partition('\n')
        operation = OPERATION.search(body)
        if name and operation:
            values = {key.replace('_', '-'): text or number for key, text, number in pattern.findall(body[operation.end():])}
            found[name[1].replace('_', '-')] = [(operation[1], values)]
    return found


def graph(name):
    tree = xml.etree.ElementTree.parse(os.path.join(TOP, 'data', 'graphs', name + '.xml'))
    return [(node.get('operation').removeprefix('tessera:'), {param.get('name'): param.text for param in node.iterfind('./params/param')})
            for node in tree.iter('node') if node.get('operation').startswith('tessera:')]


def comparable(value):
    """As it is told in scripts, presets and pages."""
    text = str(value).lower()
    if ';' in text or '\n' in text:
        return [row.split() for row in re.split('[;\n]', text) if row.strip()]
    try:
        return float(text)
    except ValueError:
        return {'no': 'false', 'yes': 'true'}.get(text, text)


def defaults(operations, name):
    return {prop['name']: prop['default'] for prop in operations['tessera:' + name]['properties']}


def differences(wanted, told, operations):
    """Where a place differs from the page; what neither names has its default."""
    operation, values = next(((name, given) for name, given in told if name == wanted[0] or {name, wanted[0]} == TWINS), (None, None))
    if not operation:
        return ['it is not there']
    here, there = ({key: comparable(value) for key, value in {**defaults(operations, name), **given}.items()} for name, given in (wanted, (operation, values)))
    return [f'{key}: the page has {here[key]}, {operation} there {there[key]}' for key in there if here[key] != there[key]]


def check(report, operations):
    stored = presets()
    scripts = {'recipes-gimp-2.10.scm': (r'\(define \(tessera-([\w-]+) ', WORDS), 'recipes-gimp-3.scm': (r'\(define \(tessera-([\w-]+) ', SCHEME),
               'recipes-gimp-3.py': (r'^def (\w+)\(', PYTHON)}
    known = {file: recipes(file, *how) for file, how in scripts.items()}
    for page, number, preset, recipe, xml_name in TASKS:
        chain = pages.settings(pages.chains(pages.read(page))[number - 1][0])
        operation, values = [(name.removeprefix('tessera:'), given) for name, given in chain if name.startswith('tessera:')][-1]
        places = {f'preset {preset}': stored.get(preset, [])} if preset else {}
        places.update({f'{recipe} of {file}': known[file].get(recipe, []) for file in scripts} if recipe else {})
        places.update({f'graph {xml_name}': graph(xml_name)} if xml_name else {})
        for place, told in places.items():
            off = differences((operation, values), told, operations)
            report.check(f'{page}, task {number}: the same values in {place}', not off, ', '.join(off))
