#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-pages.py BUILD: the pages and pictures of data/doc against the operations that GEGL lists."""
import json
import math
import os
import re
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', tool) for tool in ('pictures', 'bench')]
import bench_page
import pages
import same_values
from common import Gegl, Report, FILTERS, TOP
from picture_table import PICTURES

LARGEST, ALL = 300 * 1024, 5 * 1024 * 1024
# Of ./run quality; of build/tests/temporal/depth; of tessera-sequence; of ./run test gimp/gui.
CHARTS = {'sift-quality.svg', 'sequence-depth.svg', 'sequence.jpg', 'align-fused.jpg', 'gimp-dialog.jpg'}
NUMBER = re.compile(r'-?\d+(?:\.\d+)?(?:e[+-]?\d+)?')
ROW = re.compile(r'^\| `([a-z0-9-]+)` \|(.*)\|$', re.MULTILINE)
# What a machine took: a time, a speed beside another's, the size of the picture, the machine.
FIGURE = re.compile(r'\b\d[\d.]*\s*(?:ms|milliseconds|µs|[GM]i?B/s)\b|\b(?:Mpix|megapixels|H[12]00|EPYC|Xeon|GeForce|Radeon)\b'
                    r'|\b\d[\d.]*\s+times\s+(?:faster|slower|as\s+(?:fast|slow|quick|long)|the\s+(?:speed|time))')
FACTOR = re.compile(r'\b(\d[\d.]*) x(?= *$)')
PRICE = re.compile(r'\bPrice: (\d+(?:\.\d+)?)')
DATED = re.compile(r'(?s).{,240}?\b20\d\d-\d\d-\d\d\b')
LISTED = re.compile(r'^- \[[^]]+\]\(../../([^)]+)\) (.+)$', re.MULTILINE)
WORKING = ('CONTRIBUTING.md', 'TRAPS.md')
STRENGTH = 'Strength'           # that slider's label in English
LONG_TEXT = 40                  # a kernel is not repeated for the dialog
PATH = re.compile(r'[\w./-]+\.(?:c|h|cl|py|sh|txt|in|build)|(?:\.ci|data|gimp-[\d.]+|opencl|operations|po|tests|tools)/[\w./-]*')
INVENTED = re.compile(r'emboss|NAME|my-filter')
FROM_GEGL = ('gegl-op.h',)
IDENTIFIERS = {word for folder in ('opencl/engine', 'operations') for path, _, names in os.walk(os.path.join(TOP, folder))
               for name in names if name.endswith(('.c', '.h'))
               for word in re.findall(r'\b[Tt]essera\w+', open(os.path.join(path, name), encoding='utf-8').read())}


def text_of(file):
    with open(os.path.join(TOP, file), encoding='utf-8') as opened:
        return opened.read()


def plain(text):
    return ' '.join(text.split())


def same(number, told):
    """Large ends of a range may be told in short."""
    return math.isclose(number, told, rel_tol=0.01 if abs(number) > 1e9 else 0, abs_tol=0)


def default_of(prop):
    value = prop.get('default')
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    return f'`{value}`'.replace('\n', '; ') if value else 'empty'


def range_of(prop):
    if 'values' in prop:
        return ', '.join(f'`{value}`' for value in prop['values'])
    return {'gboolean': 'yes, no', 'GeglColor': 'any color', 'GListStore': 'buffers'}.get(prop['type'], 'text')


def check_row(report, name, prop, cells):
    label, default, values = (cell.strip() for cell in cells.split('|')[:3])
    report.check(f'{name}, {prop["name"]}: the label', label == prop['label'], f'{label!r}, the operation has {prop["label"]!r}')
    if 'range' in prop:
        told = [float(number) for number in NUMBER.findall(default)], [float(number) for number in NUMBER.findall(values)]
        report.check(f'{name}, {prop["name"]}: default and range',
                     len(told[0]) == 1 and len(told[1]) == 2 and same(prop['default'], told[0][0]) and all(map(same, prop['range'], told[1])),
                     f'{told}, the operation has {prop["default"]:g}, {prop["range"]}')
    else:
        report.check(f'{name}, {prop["name"]}: default and range', (default, values) == (default_of(prop), range_of(prop)),
                     f'{default}; {values}, the operation has {default_of(prop)}; {range_of(prop)}')


def check_properties(report, name, page, operation):
    # A page of two operations has a table for each.
    table = page.partition(f'\n`{operation["name"]}`:\n\n')[2].partition('\n\n')[0]
    rows = dict(ROW.findall(table or page))
    props = {prop['name']: prop for prop in operation['properties']}
    report.check(f'{name}: a row for each property, and no other', set(rows) == set(props), ', '.join(sorted(set(rows) ^ set(props))))
    report.check(f'{name}: no property has the label of the slider that GIMP\'s dialogs add',
                 'gimp:menu-path' not in operation or STRENGTH not in (prop['label'] for prop in operation['properties']))
    for prop in rows.keys() & props.keys():
        check_row(report, name, props[prop], rows[prop])


def wrong_value(prop, value):
    if 'range' in prop:
        return not NUMBER.fullmatch(value) or not prop['range'][0] <= float(value) <= prop['range'][1]
    if 'values' in prop:
        return value not in prop['values']
    return prop['type'] == 'gboolean' and value not in ('true', 'false')


def dialog_words(prop, value):
    """As the dialog shows a value: its label and what stands beside it."""
    if 'values' in prop:
        value = prop['value-labels'][prop['values'].index(value)]
    return f'{prop["label"]} {({"true": "yes", "false": "no"}).get(value, value)}'


def check_chain(report, name, words, after, operations):
    ours = [(operation, given) for operation, given in pages.settings(words) if operation.startswith('tessera:')]
    said = ' '.join(words)[:60]
    if not report.check(f'{name}, {said}: operations that exist', ours and all(operation in operations for operation, _ in ours)):
        return
    for operation, given in ours:
        props = {prop['name']: prop for prop in operations[operation]['properties']}
        bad = [f'{prop}={value}' for prop, value in given.items() if prop not in props or wrong_value(props[prop], value)]
        report.check(f'{name}, {said}: properties that exist, values in range', not bad, ', '.join(bad))
        if after is not None and not bad:
            wanted = [dialog_words(props[prop], value) for prop, value in given.items() if len(value) <= LONG_TEXT]
            absent = [words for words in wanted if not re.search(re.escape(words) + r'(?![\w.]*\w)', plain(after))]
            report.check(f'{name}, {said}: the same for the dialog', not absent, ', '.join(absent))


def anchors(path, page):
    """The headings of a file, or of this page, as a link names them."""
    if path and not os.path.exists(path):
        return []
    text = text_of(path) if path else page
    return [re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in re.findall(r'^#+ (.*)', text, re.MULTILINE)]


def check_links(report, name, page, folder):
    targets = re.findall(r'\]\(([^)#]+)(?:#[^)]*)?\)', page)
    local = [target for target in targets if not target.startswith('http')]
    named = re.findall(r'`(data/graphs/[^`]+)`', page)
    gone = [f'#{mark}' for target, mark in re.findall(r'\]\(([^)#:]*)#([^)]*)\)', page)
            if mark not in anchors(os.path.join(folder, target) if target else None, page)]
    gone += [target for target in local if not os.path.exists(os.path.join(folder, target))]
    gone += [path for path in named if not os.path.exists(os.path.join(TOP, path))]
    report.check(f'{name}: what it links to exists', not gone, ', '.join(gone))
    return {os.path.basename(target) for _, target in pages.PICTURE.findall(page)}


def check_page(report, name, operation, operations, readme):
    file = pages.TWINS.get(name, name)
    page = pages.read(file)
    report.check(f'{name}: title and operation', operation['title'] in page[2:page.index('\n')].split(', ')
                 and f'\n\n`{operation["name"]}` · ' in page, operation['title'])
    if operation['gimp:menu-path']:
        menu = f'{operation["gimp:menu-path"].removeprefix("<Image>/").replace("/", " > ")} > *{operation["gimp:menu-label"].replace("_", "")}*'
        report.check(f'{name}: its place in the menus', menu in page, menu)
    check_properties(report, name, page, operation)
    chains = pages.chains(page)
    report.check(f'{name}: three tasks', len(chains) >= 3 and len(chains) == len(re.findall(r'^### \d\.', page, re.MULTILINE)), str(len(chains)))
    for words, after in chains:
        check_chain(report, name, words, after, operations)
    paper = page.partition('## Paper')[2]
    report.check(f'{name}: the paper', all(year in paper for year in re.findall(r'\b(?:19|20)\d\d\b', operation['reference'])), operation['reference'])
    report.check(f'{name}: README leads to it', f'](data/doc/{file}.md)' in readme)
    return page


def rows_of(page, name):
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in page.splitlines() if line.startswith('|') and f'`{name}`' in line.split('|')[1]]


def check_figures(report, readme, operations):
    """Figures of a machine stand in measurements.md; README's table repeats some of its factors."""
    measured = pages.read('measurements')
    for operation in sorted(operations):
        rows, known = rows_of(readme, operation.removeprefix('tessera:')), rows_of(measured, operation)
        if report.check(f'{operation}: a row of README\'s table, and of measurements.md', len(rows) == len(known) == 1):
            for column, against in (3, 3), (4, 5):
                told, measures = FACTOR.findall(rows[0][column]), NUMBER.findall(known[0][against])
                report.check(f'{operation}: README\'s factor is a measured one', len(told) == 1 and told[0] in measures or not told and re.search('GEGL has none|not measured', known[0][3]),
                             f'{told}, measured {measures}')
    before, _, rest = readme.partition('\n## How exact, how fast\n')
    texts = {'README': before + rest[rest.index('\n## '):],
             **{name: pages.read(name) for name in (*pages.NAMES, *pages.GENERAL) if name != 'measurements' and pages.is_written(name)}}
    texts.update({file: text_of(file) for file in WORKING})
    for name, text in texts.items():
        found = [' '.join(found[0].split()) for found in FIGURE.finditer(text)]
        report.check(f'{name}: no figures of a machine', not found, ', '.join(found))
    report.check('the words that tell such a figure are known', len(FIGURE.findall(measured)) > 20)


def check_measurements(report):
    """The table has the rows that ./run bench --page prints."""
    page = pages.read('measurements')
    table = page.partition('\n## The filters\n')[2].partition('\n\n|')[2].partition('\n\n')[0]
    rows = [tuple(cell.strip() for cell in line.strip('|').split('|')[:2]) for line in table.splitlines()[2:]]
    wanted = [(row.operations, row.settings) for row in bench_page.ROWS]
    report.check('measurements.md has the rows that the bench prints', rows == wanted, str(set(rows) ^ set(wanted)))
    words = len([word for word in page.split() if word.strip('|-')])
    report.check('measurements.md has at most 1,500 words', words <= 1500, f'it has {words}')


def check_prices(report):
    """What is there for speed alone: the price beside the code is that of the list."""
    section = pages.read('measurements').partition('\n## What each mechanism buys\n')[2].partition('\n## ')[0]
    told = [(file, price) for file, prices in LISTED.findall(section) for price in re.findall(r'(?:^|; )([\d.]+):', prices)]
    known = []
    for folder in 'operations', 'opencl', 'tools':
        for path, _, files in os.walk(os.path.join(TOP, folder)):
            for file in (os.path.relpath(os.path.join(path, file), TOP) for file in files):
                text = text_of(file)
                known += [(file, price[1], DATED.match(text, price.end())) for price in PRICE.finditer(text)]
    undated = sorted((file, price) for file, price, dated in known if not dated)
    known = sorted((file, price) for file, price, _ in known)
    report.check('each mechanism has its price in the list and beside its code', told and sorted(told) == known,
                 f'only in the list {sorted(set(told) - set(known))}, only in the code {sorted(set(known) - set(told))}')
    report.check('beside its code a price has the day when it was measured', not undated, str(undated))


def check_credits(report, name, page):
    """The photographs of a page's pictures, with their licences as data/images/README.md has them."""
    known = {row[0]: row for row in (re.split(r' *\| *', line.strip('| \n')) for line in text_of('data/images/README.md').splitlines()) if len(row) == 5}
    pictures = [PICTURES.get(picture.removesuffix('.jpg')) for _, picture in pages.PICTURE.findall(page)]
    used = {panel.photograph for picture in pictures if picture for panel in picture.panels}
    credits = page.partition('\nPictures: ')[2]
    wanted = [word for photograph in used for word in (f'*{photograph.removesuffix(".jpg")}*', known[photograph][2].split(',')[0],
                                                       re.sub(r'\[(.*)\].*', r'\1', known[photograph][4]))]
    absent = [word for word in wanted if word not in credits]
    report.check(f'{name}: whose photographs', used and not absent, ', '.join(absent))


def check_pictures(report, used):
    there = {file for file in os.listdir(pages.DOC) if not file.endswith('.md')}
    made = {name + '.jpg' for name in PICTURES} | CHARTS
    report.check('the pictures are those of picture_table.py, and the charts', there == made, ', '.join(sorted(there ^ made)))
    report.check('each picture is on a page', made == used, ', '.join(sorted(made ^ used)))
    sizes = {file: os.path.getsize(os.path.join(pages.DOC, file)) for file in there}
    large = [file for file, size in sizes.items() if size >= LARGEST]
    report.check('each picture has less than 300 KB', sizes and not large, ', '.join(large))
    report.check('and all together less than 5 MB', sum(sizes.values()) < ALL, f'{sum(sizes.values()) / 1024:.0f} KB')


def all_files():
    """Files and folders of the tree, without what is made there."""
    found = set()
    for where, folders, names in os.walk(TOP):
        folders[:] = [name for name in folders if not (where == TOP and name.startswith(('build', 'out', 'RAM', '.git')) or name == '__pycache__')]
        found |= {os.path.relpath(os.path.join(where, name), TOP) for name in folders + names}
    return found


def check_names(report, name, text, files, build):
    """Files, folders and tests that a text names in `code` and in commands are there."""
    code = re.findall(r'`([^`\n]+)`', text) + re.findall(r'^```\n(.*?)^```', text, re.MULTILINE | re.DOTALL)
    words = {word.strip('.,;:()"').rstrip('/').removeprefix('build/') for piece in code for word in piece.split()}
    named = {word for word in words if PATH.fullmatch(word) and not INVENTED.search(word)} - set(FROM_GEGL)
    alone = {os.path.basename(file) for file in files}
    gone = sorted(word for word in named if word not in files | alone and not os.path.exists(os.path.join(build, word)))
    report.check(f'{name}: the files that it names exist', named and not gone, ', '.join(gone))
    unheard = sorted({word for word in words if re.fullmatch(r'[Tt]essera_?\w+', word)} - IDENTIFIERS)
    report.check(f'{name}: the functions and types that it names exist', not unheard, ', '.join(unheard))
    parts = {word for line in text_of('tests/parts').splitlines() if not line.startswith('#') for word in (line.split()[:1] + line.split()[3:])}
    unknown = set(re.findall(r'\./run test ([a-z][\w/-]*)', text)) - parts - {'all', 'long'} - set(FILTERS)
    report.check(f'{name}: the parts of ./run test that it names exist', not unknown, ', '.join(sorted(unknown)))


def check_map(report, text):
    """CONTRIBUTING's tables have every file of the engine, and every folder of operations, tests and tools."""
    folders = {folder: [entry.name for entry in os.scandir(os.path.join(TOP, folder)) if entry.is_dir() and entry.name[0] not in '._']
               for folder in ('operations', 'tests', 'tools')}
    for folder, names in {'opencl/engine': [name for name in os.listdir(os.path.join(TOP, 'opencl/engine')) if name.endswith('.c')], **folders}.items():
        rows = ' '.join(line for line in text.splitlines() if line.startswith('|'))
        absent = [name for name in names if f'`{name}`' not in rows and f'`{folder}/{name}/`' not in rows]
        report.check(f'CONTRIBUTING: its map has all of {folder}', names and not absent, ', '.join(sorted(absent)))


def main():
    gegl, report = Gegl(sys.argv[1]), Report()
    listed = gegl.command([os.path.join(gegl.build, 'tests', 'gimp', 'list-operations'), 'tessera:'], GEGL_USE_OPENCL='no')
    operations = {operation['name']: operation for operation in json.loads(listed.stdout or '[]') if operation['name'] != 'tessera:template'}
    report.check('GEGL lists the operations', operations)
    written = {'tessera:' + file.removesuffix('.md') for file in os.listdir(pages.DOC) if file.endswith('.md')} - {f'tessera:{name}' for name in pages.GENERAL}
    written |= {f'tessera:{name}' for name in pages.TWINS}
    report.check('each operation has a page, each page an operation', written == set(operations), ', '.join(sorted(written ^ set(operations))))
    readme, used = text_of('README.md'), set()
    for operation in sorted(written & set(operations)):
        name = operation.removeprefix('tessera:')
        page = check_page(report, name, operations[operation], operations, readme)
        check_credits(report, name, page)
        used |= check_links(report, name, page, pages.DOC)
    check_figures(report, readme, operations)
    same_values.check(report, operations)
    check_measurements(report)
    check_prices(report)
    for name, text, folder in [('README', readme, TOP), *((name, pages.read(name), pages.DOC) for name in pages.GENERAL)]:
        for words, _ in pages.chains(text):
            check_chain(report, name, words, None, operations)
        used |= check_links(report, name, text, folder)
    files = all_files()
    for file in WORKING:
        check_links(report, file, text_of(file), TOP)
        check_names(report, file, text_of(file), files, gegl.build)
    check_names(report, 'README', readme, files, gegl.build)
    check_map(report, text_of('CONTRIBUTING.md'))
    words = len([word for word in readme.split() if word.strip('|-')])          # not the bars of tables
    report.check('README has at most 900 words', words <= 900, f'it has {words}; shorten others where yours are needed')
    check_pictures(report, used)
    report.finish()


main()
