# SPDX-License-Identifier: LGPL-3.0-or-later
"""The tables of V. Oliveira's thesis (MSc, 2013, chapter 5) on the machine at hand: Table 5.1, times of a 2048 x 2048 RGBA float
image; its bar chart, Figure 5.1; and lines of code per filter, as in its Table 5.2."""
import math
import os
import re

from bench_report import number, table
from bench_svg import text as label

SIZE = '2048x2048'
# Row of the bench; printed by the thesis: C++ with OpenMP on 4 cores, OpenCL on a Tesla C2050 with transfers.
ROWS = (('thesis: cielab', 691, 66, 'cielab'),
        ('thesis: motion blur (10 px, 45 degrees)', 1309, 78, 'motion-blur'),
        ('thesis: unsharp mask (1.5, 0.5, 0.5)', 768, 85, 'unsharp-mask'),
        ('thesis: bilateral filter (8, 0.05)', 569, 100, 'bilateral-grid'),
        ('thesis: Harris', 414, 88, 'harris-corners'),
        ('thesis: SIFT', 594, 71, 'sift'))
COLOURS = {'c': '#3182bd', 'cpu': '#9ecae1', 'gpu': '#31a354', 'printed': '#b0b0b0'}


def measured(program, runs, kind):
    """{row: result}; kind None: C."""
    known, _ = program.run(['--list'], {})
    titles = [row['row'] for row in known]
    env = {'GEGL_USE_OPENCL': kind, 'TESSERA_OPENCL': 'force'} if kind else {'GEGL_USE_OPENCL': 'no'}
    found = {}
    for title, *_ in ROWS:
        if title in titles:
            results, _ = program.run(['--json', '--rows', title, '--mpix', SIZE, '--runs', str(runs), '--rivals', 'no'], env)
            found[title] = results[0]
    return found


def report(program, runs):
    kinds = {}
    for kind in ('cpu', 'gpu'):
        device, _ = program.run(['--device'], {'GEGL_USE_OPENCL': kind}, may_fail=True)
        if device and device[0]['kind'] != 'none':
            kinds[kind] = device[0]['name']
    return {'c': measured(program, runs, None), **{kind: measured(program, runs, kind) for kind in kinds}, 'names': kinds}


def kernel_ms(result):
    return result['stages_ms']['run']


def transfer_ms(result):
    return sum(result['stages_ms'][stage] for stage in ('upload', 'run', 'download'))


def times(found):
    head = ['filter', 'C, whole graph']
    for kind, name in found['names'].items():
        head += [f'{name}: kernels alone', 'with transfers', 'whole graph']
    rows = []
    for title, cpp, opencl, _ in ROWS:
        cells = [title.removeprefix('thesis: ')]
        c = found['c'].get(title)
        cells.append(number(c['ours']['min_ms']) if c else 'not yet')
        for kind in found['names']:
            result = found[kind].get(title)
            cells += [number(kernel_ms(result)), number(transfer_ms(result)), number(result['ours']['min_ms'])] if result else ['-'] * 3
        rows.append(cells + [str(cpp), str(opencl)])
    return table(head + ['thesis: C++, 4 cores', 'thesis: OpenCL, Tesla C2050, with transfers'], rows)


def lines_of_code(path):
    """Lines that are neither blank nor comment; None: there is no such file."""
    if not os.path.exists(path):
        return None
    with open(path, encoding='utf-8') as file:
        code = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.DOTALL)
    return sum(1 for line in code.splitlines() if line.strip() and not line.strip().startswith('//'))


def counts(top):
    rows = []
    operations = os.path.join(top, 'operations')
    for name in sorted(name[len('tessera-'):-2] for name in os.listdir(operations) if re.fullmatch(r'tessera-.*\.c', name)):
        if name == 'template':
            continue
        host = lines_of_code(os.path.join(operations, f'tessera-{name}.c'))
        more = sum(lines_of_code(os.path.join(operations, file)) for file in os.listdir(operations)
                   if file.startswith(name + '-') and file.endswith(('.c', '.h')) or file == name + '.h')
        kernel = lines_of_code(os.path.join(top, 'opencl', 'kernels', f'{name}.cl'))
        rows.append([name, str(host + more), str(kernel or '-'), str(host + more + (kernel or 0))])
    return table(['filter', 'C (operation, C path, device passes)', 'OpenCL', 'together'], rows)


def markdown(found, top, runs):
    return '\n'.join([
        '# The thesis\'s tables, here', '',
        f'V. Oliveira, MSc thesis, 2013, Table 5.1: 2048 x 2048 RGBA float, milliseconds, minimum of {runs} runs after a warm-up '
        '(stages of the device: mean of 5). Whole graph: from GeglBuffer to GeglBuffer.', '', *times(found),
        'As its Table 5.2: lines of code without blanks and comments; what filters share (the engine, opencl/math, separable passes) is not counted.', '',
        *counts(top)]).rstrip()


def chart(found):
    """Figure 5.1: a bar a way to run it, in milliseconds, on a logarithmic scale from 0.1 to 10000."""
    left, width, bar = 250, 420, 12

    def place(value):
        return left + width * (math.log10(max(value, 0.1)) + 1) / 5

    parts, y = [], 40
    for title, cpp, opencl, _ in ROWS:
        bars = [('printed', cpp, 'thesis, C++'), ('printed', opencl, 'thesis, OpenCL')]
        if title in found['c']:
            bars.append(('c', found['c'][title]['ours']['min_ms'], 'C'))
        bars += [(kind, transfer_ms(found[kind][title]), f'OpenCL, {kind}') for kind in found['names'] if title in found[kind]]
        parts.append(label(left - 90, y + bar * len(bars) / 2 + 4, title.removeprefix('thesis: '), 'end', 10))
        for colour, value, what in bars:
            parts.append(f'<rect x="{left}" y="{y}" width="{place(value) - left:.1f}" height="{bar - 2}" fill="{COLOURS[colour]}"/>')
            parts.append(label(left - 4, y + bar - 3, what, 'end', 8))
            parts.append(label(place(value) + 3, y + bar - 3, number(value), size=9))
            y += bar
        y += 10
    grid = [f'<line x1="{place(10 ** p):.1f}" y1="30" x2="{place(10 ** p):.1f}" y2="{y}" stroke="#ddd"/>'
            + label(place(10 ** p), 26, f'{10 ** p:g} ms', 'middle', 10) for p in range(-1, 5)]
    return '\n'.join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{y + 10}" font-family="sans-serif">',
                      '<rect width="100%" height="100%" fill="white"/>', *grid, *parts, '</svg>'])
