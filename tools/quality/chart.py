# SPDX-License-Identifier: LGPL-3.0-or-later
"""The chart of quality.py: a panel for each kind of change, percent against its values, which stand at equal distances."""
from xml.sax.saxutils import escape

STROKES = {'Tessera': ('#1f5fa8', 1.8), 'OpenCV': ('#f6a821', 5)}        # the wider one lies below, so that equal lines both show
MEASURES = (('repeated', 'none', 'points found again'), ('right', '7 5', 'right matches'))
WIDTH, HEIGHT, LEFT, TOP, ACROSS, HEAD = 216, 150, 40, 34, 4, 44
PANEL_WIDTH, PANEL_HEIGHT = LEFT + WIDTH + 14, TOP + HEIGHT + 46


def text(x, y, words, anchor='start', size=12, extra=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {extra}>{escape(words)}</text>'


def percent(rows, measure):
    """Of the rows of all pictures."""
    if measure == 'repeated':
        return sum(row[0] for row in rows) / len(rows)
    return 100 * sum(row[1] for row in rows) / max(sum(row[2] for row in rows), 1)


def line(points, side, dashes):
    colour, width = STROKES[side]
    path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>'


def panel(measured, kind, unit, values, sides, x, y):
    left, top = x + LEFT, y + TOP
    places = [left + WIDTH * (i + 0.5) / len(values) for i in range(len(values))]
    parts = [text(left, y + 20, kind, size=14, extra='font-weight="bold"')]
    for share in range(0, 101, 20):
        at = top + HEIGHT * (1 - share / 100)
        parts.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + WIDTH}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(text(left - 5, at + 4, f'{share}', 'end', 11))
    for place, value in zip(places, values):
        parts.append(text(place, top + HEIGHT + 15, f'{value:g}', 'middle', 11))
    parts.append(text(left + WIDTH / 2, top + HEIGHT + 31, unit, 'middle', 11, 'fill="#555"'))
    for side in reversed(sides):
        for measure, dashes, _ in MEASURES:
            points = [(place, top + HEIGHT * (1 - percent(measured[kind, value, side], measure) / 100)) for place, value in zip(places, values)]
            parts.append(line(points, side, dashes))
    return parts


def legend(sides):
    parts, x = [], 16
    for side in sides:
        for _, dashes, words in MEASURES:
            parts.append(line([(x, 24), (x + 32, 24)], side, dashes))
            parts.append(text(x + 38, 28, f'{side}: {words}, %'))
            x += 270
    return parts


def drawn(measured, kinds, sides):
    parts = legend(sides)
    for i, (kind, unit, values) in enumerate(kinds):
        parts += panel(measured, kind, unit, values, sides, i % ACROSS * PANEL_WIDTH, HEAD + i // ACROSS * PANEL_HEIGHT)
    width, height = ACROSS * PANEL_WIDTH + 8, HEAD + -(-len(kinds) // ACROSS) * PANEL_HEIGHT
    return '\n'.join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif">',
                      '<rect width="100%" height="100%" fill="white"/>', *parts, '</svg>', ''])
