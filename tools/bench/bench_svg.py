# SPDX-License-Identifier: LGPL-3.0-or-later
"""The bench's bar chart: throughput on a logarithmic scale, one panel for each size and format."""
import math
from xml.sax.saxutils import escape

from bench_report import legs_of, leg_title, lines_of, mpix, panel_title, panels

COLOURS = {'c1': ('#9ecae1', '#d9d9d9'), 'c': ('#3182bd', '#b0b0b0'), 'opencl': ('#31a354', '#7a7a7a')}     # ours, GEGL's
BAR, GAP, LABEL, WIDTH, ROOM = 11, 9, 300, 420, 60
PANEL = LABEL + WIDTH + ROOM


def bars_of(by_leg, legs):
    """[(leg, whose, Mpix/s)]"""
    bars = []
    for leg in legs:
        result = by_leg.get(leg)
        if result:
            bars.append((leg, 0, mpix(result) * 1e3 / result['ours']['min_ms']))
            if result['rival']:
                bars.append((leg, 1, result['rival']['mpix'] * 1e3 / result['rival']['min_ms']))
    return bars


def text(x, y, words, anchor='start', size=11, extra=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def rate(value):
    return f'{value:.0f}' if value >= 100 else f'{value:.1f}' if value >= 1 else f'{value:.2f}'


def panel(results, legs, x, y, low, high):
    """Its SVG and its height; the scale is from 10^low to 10^high Mpix/s."""
    def place(value):
        return x + LABEL + WIDTH * (math.log10(value) - low) / (high - low)

    parts, top = [text(x, y + 14, panel_title(results), size=13, extra='font-weight="bold"')], y + 34
    at = top + 6
    for (row, sink), by_leg in lines_of(results).items():
        bars = bars_of(by_leg, legs)
        parts.append(text(x + LABEL - 8, at + BAR * len(bars) / 2 + 4, f'{row} · {sink}', 'end', 10))
        for leg, whose, value in bars:
            end = max(place(value), x + LABEL + 1)
            parts.append(f'<rect x="{x + LABEL:.1f}" y="{at:.1f}" width="{end - x - LABEL:.1f}" height="{BAR - 1.5}" '
                         f'fill="{COLOURS[leg][whose]}"/>')
            parts.append(text(end + 3, at + BAR - 2.5, rate(value), size=9))
            at += BAR
        at += GAP
    grid = []
    for power in range(low, high + 1):
        where = place(10.0 ** power)
        grid.append(f'<line x1="{where:.1f}" y1="{top}" x2="{where:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        grid.append(text(where, top - 4, f'{10.0 ** power:g}', 'middle', 10))
    return grid + parts, at - y


def legend(report, legs, x, y):
    parts = []
    for leg in legs:
        for whose, name in enumerate((f'Tessera, {leg_title(report, leg)}', f'GEGL, {leg_title(report, leg)}')):
            parts.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{COLOURS[leg][whose]}"/>')
            parts.append(text(x + 17, y, name))
            x += 32 + 6.2 * len(name)
    return parts


def chart(report):
    legs = legs_of(report)
    every = [value for results in panels(report).values() for by_leg in lines_of(results).values()
             for _, _, value in bars_of(by_leg, legs)] or [1.0]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every) * 1.001))
    high = max(high, low + 1)
    parts, across = [], min(2, max(1, len(panels(report))))
    parts += [text(20, 26, 'Tessera beside GEGL: Mpix/s of a whole graph, more is better; logarithmic scale', size=15,
                   extra='font-weight="bold"')]
    if report['results']:
        parts += legend(report, legs, 20, 50)
    y, tallest = 72, 0
    for i, results in enumerate(panels(report).values()):
        drawn, height = panel(results, legs, 20 + (i % across) * PANEL, y, low, high)
        parts += drawn
        tallest = max(tallest, height)
        if i % across == across - 1:
            y, tallest = y + tallest + 24, 0
    width, height = 40 + across * PANEL, y + tallest + (24 if tallest else 0)
    box, device = report['machine'], report['device']
    parts.append(text(20, height, f'{box["date"]}; {box["processor"]}, {box["threads"]} processors; OpenCL: '
                      + (device['name'] if device else 'none'), size=10, extra='fill="#666"'))
    return '\n'.join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 16:.0f}" '
                      f'viewBox="0 0 {width} {height + 16:.0f}" font-family="sans-serif">',
                      '<rect width="100%" height="100%" fill="white"/>', *parts, '</svg>'])
