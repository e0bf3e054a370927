#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-layers.py [--print]: the engine's files stand in layers.  The test draws the graph of opencl/engine, by includes and
by calls, and fails on a circle: whoever reads a file then needs to know only what lies below it.  It also holds all files
of the product and of its tests to 400 lines, and their functions to 60.

NAME.c, NAME.h and tessera-NAME.h are one room.  A room points to another where it includes a header of the other, or
mentions a function that the other defines.  A function that is handed down to be called back is no arrow upward: the file
that calls it does not name it."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import TOP, Report

MOST_LINES, MOST_OF_FUNCTION = 400, 60
FOLDERS = ('operations', 'opencl', 'gimp-2.10', 'gimp-3', 'tools', 'tests')
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
HEAD = re.compile(r'(\w+)\s*\([^;{}]*\)\s*$')


def blank(match):
    """As many lines, nothing else."""
    return ' ' + '\n' * match.group().count('\n')


def functions(code):
    """(name, is it static, first line, lines) of each function that is defined in code without comments, strings and
    directives."""
    depth, head, found = 0, 0, []
    for at, letter in enumerate(code):
        if letter == '{':
            if depth == 0:
                begin, name = at, HEAD.search(code[head:at])
            depth += 1
        elif letter == '}':
            depth -= 1
            if depth == 0:
                if name:
                    first = code.count('\n', 0, begin)
                    found.append((name.group(1), bool(re.search(r'\bstatic\b', code[head:begin])), first + 1,
                                  code.count('\n', begin, at) + 1))
                head = at + 1
        elif letter == ';' and depth == 0:
            head = at + 1
    return found


def room_of(name, rooms):
    stem = os.path.splitext(os.path.basename(name))[0]
    short = stem[len('tessera-'):] if stem.startswith('tessera-') else stem
    return short if short + '.c' in rooms else stem


def arrows(texts):
    """{room: {room that it needs: why}} of {file name: text}."""
    graph, home, codes = {}, {}, {}
    for name, text in texts.items():
        codes[name] = DIRECTIVE.sub(blank, NOT_CODE.sub(blank, text))
        graph.setdefault(room_of(name, texts), {})
        for function, is_static, _, _ in functions(codes[name]):
            if name.endswith('.c') and not is_static:
                home[function] = room_of(name, texts)
    for name, text in texts.items():
        room = room_of(name, texts)
        for included in INCLUDE.findall(text):
            other = room_of(included, texts)
            if os.path.basename(included) in texts and other != room:
                graph[room].setdefault(other, f'{name} includes {included}')
        for word in set(re.findall(r'\w+', codes[name])) if name.endswith('.c') else ():
            if home.get(word, room) != room:
                graph[room].setdefault(home[word], f'{name} calls {word}')
    return graph


def circles(graph):
    """The sets of rooms that reach one another (Tarjan, 1972)."""
    order, low, stack, found = {}, {}, [], []

    def visit(room):
        order[room] = low[room] = len(order)
        stack.append(room)
        for other in graph[room]:
            if other not in order:
                visit(other)
                low[room] = min(low[room], low[other])
            elif other in stack:
                low[room] = min(low[room], order[other])
        if low[room] == order[room]:
            circle = stack[stack.index(room):]
            del stack[stack.index(room):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for room in sorted(graph):
        if room not in order:
            visit(room)
    return found


def layers(graph):
    """The rooms by layer, the lowest first, of a graph without a circle."""
    height = {}

    def of(room):
        if room not in height:
            height[room] = 1 + max((of(other) for other in graph[room]), default=0)
        return height[room]

    return [sorted(room for room in graph if of(room) == k) for k in range(1, 1 + max(map(of, graph)))]


def describe(graph, circle):
    return ', '.join(sorted(why for room in circle for other, why in graph[room].items() if other in circle))


# ------------------------------------------------------------ the test itself

def check_itself(report):
    clean = {
        'top.c': '#include "low.h"\n/* tessera_nobody () */\nvoid\ntessera_top (void)\n{\n  tessera_low (callback);\n}\n',
        'low.c': '#include "low.h"\nint\ntessera_low (void (*f) (void))\n{\n  f (); log ("tessera_top ()");\n}\n',
        'low.h': 'int tessera_low (void (*f) (void));\n',
    }
    by_call = dict(clean, **{'low.c': clean['low.c'].replace('f ();', 'tessera_top ();')})
    by_include = dict(clean, **{'top.h': 'typedef int Top;\n', 'low.h': '#include "top.h"\n' + clean['low.h']})
    report.check('no circle is seen where there is none', circles(arrows(clean)) == [], str(arrows(clean)))
    report.check('a circle by a call is seen', circles(arrows(by_call)) == [['low', 'top']], str(arrows(by_call)))
    report.check('a circle by an include is seen', circles(arrows(by_include)) == [['low', 'top']], str(arrows(by_include)))
    report.check('a static function is nobody else\'s', circles(arrows(dict(
        by_call, **{'top.c': 'static ' + clean['top.c'].split('\n', 2)[2]}))) == [])
    long = 'int\nf (void)\n{\n' + '  g ();\n' * 59 + '}\n'
    report.check('the length of a function is counted', functions(long) == [('f', False, 3, 61)], str(functions(long)))


def check_sizes(report):
    """Of all files and functions; of Python the files alone."""
    seen = 0
    for path in sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(TOP, folder, '**', '*'), recursive=True)):
        name, kind = os.path.relpath(path, TOP), os.path.splitext(path)[1]
        if kind not in ('.c', '.h', '.cl', '.cpp', '.py'):
            continue
        with open(path, encoding='utf-8') as file:
            text = file.read()
        seen += 1
        lines = text.count('\n')
        report.check(f'{name} has at most {MOST_LINES} lines', lines <= MOST_LINES, str(lines))
        if kind == '.py':
            continue
        for function, _, first, length in functions(DIRECTIVE.sub(blank, NOT_CODE.sub(blank, text))):
            report.check(f'{name}: {function} has at most {MOST_OF_FUNCTION} lines', length <= MOST_OF_FUNCTION,
                         f'{length} from line {first}')
    report.check('there are files', seen > 400, str(seen))


def main():
    report, texts = Report(), {}
    for path in glob.glob(os.path.join(TOP, 'opencl', 'engine', '*.[ch]')):
        with open(path, encoding='utf-8') as file:
            texts[os.path.basename(path)] = file.read()
    check_itself(report)
    graph = arrows(texts)
    found = circles(graph)
    for circle in found:
        report.check(f'no circle of {len(circle)}: {" ".join(circle)}', False, describe(graph, circle))
    report.check('the engine has files, and no circle of them', len(texts) > 20 and not found)
    if '--print' in sys.argv and not found:
        for number, rooms in enumerate(layers(graph), 1):
            print(f'{number:3}  {" ".join(rooms)}')
    check_sizes(report)
    report.finish()


if __name__ == '__main__':
    main()
