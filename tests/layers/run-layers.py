#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-layers.py [--print]: the product's files stand in layers.  The test draws its files, by includes and by calls,
and fails on a circle: whoever reads a file then needs to know only what lies below it.  Folders are the rooms of the house.
They stand in layers too, and none is a heap.  It also holds all functions of the product and of its tests to 60 lines.  Each law counts once, and names whatever breaks it.

A file points to another where it includes it, or mentions a function that the other defines.  A header goes with the
file of its name, unless it declares functions of others: then it stands by itself.  In the engine NAME.c, NAME.h and
tessera-NAME.h are one in any case.  A function that is handed down to be called back is no arrow upward: the file that
calls it does not name it."""
import collections
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import FILTERS, TOP, Report

MOST_OF_FUNCTION = 60
MOST_OF_PRODUCT = 0.26          # that a room may be
DIALECT = 'opencl/engine/tessera-math.h'         # what C lends to opencl/math, which names nothing else outside itself
PRODUCT = ('operations', 'opencl', 'gimp-2.10', 'gimp-3', 'tools/match', 'tools/stack', 'tools/sequence')
DRAWN = ('operations', 'opencl', 'gimp-2.10', 'tools', 'data/example')
FOLDERS = ('operations', 'opencl', 'gimp-2.10', 'gimp-3', 'tools', 'tests')
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
# What tells one system from another, and the headers of POSIX.
OF_SYSTEM = re.compile(r'^[ \t]*#[^\n]*(?:G_OS_\w+|\b_WIN(?:32|64)|__(?:APPLE|linux|GLIBC|unix|MINGW\w+)__|<(?:unistd|fcntl|pthread|dlfcn|windows|utime|sys/\w+)\.h>)', re.M)
KNOWS_SYSTEM = 'opencl/engine/system.c'
POSIX_ALONE = ('operations/files/fits-apart.c',)         # is not built elsewhere
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


class Code:
    """{file name: text}, and what the test knows of it."""

    def __init__(self, texts):
        self.texts = texts
        self.plain = {name: DIRECTIVE.sub(blank, NOT_CODE.sub(blank, text)) for name, text in texts.items()}
        self.words = {name: set(re.findall(r'\w+', plain)) for name, plain in self.plain.items()}
        self.calls = {name: set(re.findall(r'(\w+)\s*\(', plain)) for name, plain in self.plain.items()}
        self.places, self.own, self.homes = collections.defaultdict(list), {}, collections.defaultdict(list)
        for name in texts:
            self.places[os.path.basename(name)].append(name)
            found = functions(self.plain[name])
            self.own[name] = {function for function, *_ in found}
            for function in {function for function, is_static, *_ in found if not is_static or not name.endswith('.c')}:
                self.homes[function].append(name)

    def included(self, name):
        """The files that it includes, as far as they are among these."""
        for path in INCLUDE.findall(self.texts[name]):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), path))
            places = self.places[os.path.basename(path)]
            if beside in self.texts:
                yield beside
            elif len(places) == 1:
                yield places[0]

    def home(self, word, name):
        """The file whose function a file means by a word, or None.  A header declares what a .c defines, and does not
        call it.  What a header defines may have a short name, which others give to a variable."""
        if word in self.own[name]:
            return None
        homes = [home for home in self.homes[word]
                 if (not name.endswith('.h') if home.endswith('.c') else word in self.calls[name])]
        homes = [home for home in homes if os.path.dirname(home) == os.path.dirname(name)] or homes
        return homes[0] if len(homes) == 1 else None

    def by_name(self, name):
        """NAME.c of NAME.h and of tessera-NAME.h, if there is one; else the file itself."""
        folder, file = os.path.split(os.path.splitext(name)[0])
        near = [os.path.join(folder, stem) + '.c' for stem in (file.removeprefix('tessera-'), file)]
        return next((path for path in near if path in self.texts), name)

    def by_owner(self, name):
        """The same, but of a header that declares functions of others the header itself."""
        declared = {home for word in self.calls[name] for home in self.homes.get(word, ()) if home.endswith('.c')}
        return self.by_name(name) if not name.endswith('.h') or declared <= {self.by_name(name)} else name

    def arrows(self, room):
        """{room: {room that it needs: why}}; `room` tells that of a file."""
        rooms = {name: room(name) for name in self.texts}
        graph = {room: {} for room in rooms.values()}
        for name in sorted(self.texts):
            needed = [(other, f'{name} includes {other}') for other in self.included(name)]
            words = sorted(self.words[name] & self.homes.keys())
            needed += [(self.home(word, name), f'{name} calls {word}') for word in words]
            for other, why in needed:
                if other and rooms[other] != rooms[name]:
                    graph[rooms[name]].setdefault(rooms[other], why)
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

def circles_of(texts, law=Code.by_name):
    code = Code(texts)
    return circles(code.arrows(lambda name: law(code, name)))


def check_itself(report):
    clean = {
        'top.c': '#include "low.h"\n/* tessera_nobody () */\nvoid\ntessera_top (void)\n{\n  tessera_low (callback);\n}\n',
        'low.c': '#include "low.h"\nint\ntessera_low (void (*f) (void))\n{\n  f (); log ("tessera_top ()");\n}\n',
        'low.h': 'int tessera_low (void (*f) (void));\n',
    }
    by_call = dict(clean, **{'low.c': clean['low.c'].replace('f ();', 'tessera_top ();')})
    by_include = dict(clean, **{'top.h': 'typedef int Top;\n', 'low.h': '#include "top.h"\n' + clean['low.h']})
    of_several = dict(by_include, **{'top.h': 'void tessera_top (void);\nvoid tessera_bottom (void);\n',
                                     'bottom.c': 'void\ntessera_bottom (void)\n{\n}\n'})
    of_folders = {'a/one.c': '#include "../b/two.h"\n', 'b/two.h': 'typedef int Two;\n',
                  'b/three.c': '#include "../a/four.h"\n', 'a/four.h': 'typedef int Four;\n'}
    kernels = {'one.cl': '#include "two.h"\nint f (void)\n{\n  return g ();\n}\n',
               'two.h': 'inline int g (void)\n{\n  return f ();\n}\n'}
    report.check('no circle is seen where there is none', circles_of(clean) == [] == circles_of(clean, Code.by_owner))
    for how, texts in ('a call', by_call), ('an include', by_include):
        report.check(f'a circle by {how} is seen',
                     circles_of(texts) == [['low.c', 'top.c']] == circles_of(texts, Code.by_owner))
    report.check('a header of several files is no circle',
                 circles_of(of_several) != [] == circles_of(of_several, Code.by_owner))
    report.check('a circle of folders is seen, where files have none',
                 circles(Code(of_folders).arrows(os.path.dirname)) == [['a', 'b']] and circles_of(of_folders) == [])
    report.check('a circle of kernels is seen', circles_of(kernels) == [['one.cl', 'two.h']], str(circles_of(kernels)))
    is_static = dict(by_call, **{'top.c': 'static ' + clean['top.c'].split('\n', 2)[2]})
    report.check('a static function is nobody else\'s', circles_of(is_static) == [])
    long = 'int\nf (void)\n{\n' + '  g ();\n' * 59 + '}\n'
    report.check('the length of a function is counted', functions(long) == [('f', False, 3, 61)], str(functions(long)))


def read(folders, kinds):
    """{path from the top: text}."""
    texts = {}
    paths = (path for folder in folders for path in glob.glob(os.path.join(TOP, folder, '**', '*'), recursive=True))
    for path in sorted(paths):
        if path.endswith(kinds):
            with open(path, encoding='utf-8') as file:
                texts[os.path.relpath(path, TOP)] = file.read()
    return texts


def check_sizes(report):
    """Of all files and functions; of Python the files alone."""
    texts = read(FOLDERS, ('.c', '.h', '.cl', '.cpp', '.py'))
    code = Code({name: text for name, text in texts.items() if not name.endswith('.py')})
    longest = [f'{name}: {function}, {length} from line {first}' for name, plain in code.plain.items()
               for function, _, first, length in functions(plain) if length > MOST_OF_FUNCTION]
    report.check(f'no function has more than {MOST_OF_FUNCTION} lines', not longest, '; '.join(longest))
    report.check('there are files', len(texts) > 400, str(len(texts)))


def check_system(report):
    report.check('what a system alone has is seen', all(OF_SYSTEM.search(line) for line in ('#ifdef G_OS_WIN32', '# include <sys/mman.h>', '#if defined (_WIN32) || defined (X)'))
                 and not OF_SYSTEM.search('#include <stdio.h>\n/* G_OS_WIN32 */'))
    found = {name: OF_SYSTEM.findall(text) for name, text in read(PRODUCT, ('.c', '.h')).items()}
    wrong = [name for name, lines in found.items() if lines and name not in (KNOWS_SYSTEM, *POSIX_ALONE)]
    report.check(f'{KNOWS_SYSTEM} alone knows a system', found[KNOWS_SYSTEM] and not wrong, ', '.join(wrong))


def check_circles(report, law, graph):
    found = circles(graph)
    told = '; '.join(f'{" ".join(circle)} ({describe(graph, circle)})' for circle in found)
    report.check(law, len(graph) > 20 and not found, told)


def check_shares(report):
    """Returns {room: its share of the product's lines}."""
    texts, lines = read(PRODUCT, ('.c', '.h', '.cl', '.py', '.py.in')), collections.Counter()
    for name, text in texts.items():
        lines[os.path.dirname(name)] += text.count('\n')
    shares = {room: n / lines.total() for room, n in lines.items()}
    heaps = [f'{room}: {share:.0%}' for room, share in shares.items() if share > MOST_OF_PRODUCT]
    report.check(f'no room has more than {MOST_OF_PRODUCT:.0%} of the product', len(shares) > 10 and not heaps,
                 ', '.join(heaps))
    return shares


def folder_of(name):
    return 'opencl/math' if name == DIALECT else os.path.dirname(name)


def below(graph, name):
    """All that a file needs."""
    found, left = set(), [name]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph[name]
    return found


def check_filters(report, graph):
    """What reads and writes files is nothing for pixels."""
    needed = {name: below(graph, f'operations/tessera-{name}.c') for name in FILTERS}
    wrong = [f'{name}: {file}' for name, files in needed.items() for file in sorted(files)
             if file.startswith('operations/files/')]
    report.check('no filter needs operations/files', len(needed) > 10 and not wrong, ', '.join(wrong))
    with open(os.path.join(TOP, 'operations', 'meson.build'), encoding='utf-8') as file:
        taken = dict(re.findall(r"^  '([\w-]+)': \[([\w, ]*_dep)\],$", file.read(), re.MULTILINE))
    wrong = [name for name in FILTERS if 'files_dep' in taken.get(name, '')]
    report.check('no filter links operations/files', 'files_dep' in taken.get('fits-load', '') and not wrong, ', '.join(wrong))


def main():
    report = Report()
    check_itself(report)
    engine, product = Code(read(['opencl/engine'], ('.c', '.h'))), Code(read(DRAWN, ('.c', '.h', '.cl')))
    of_engine, graph, rooms = engine.arrows(engine.by_name), product.arrows(product.by_owner), product.arrows(folder_of)
    check_circles(report, 'the engine has files, and no circle of them', of_engine)
    check_circles(report, 'the product has files, and no circle of them', graph)
    check_circles(report, 'the product has rooms, and no circle of them', rooms)
    check_filters(report, graph)
    shares = check_shares(report)
    if '--print' in sys.argv and not report.failed:
        for number, files in enumerate(layers(of_engine), 1):
            print(f'{number:3}  {" ".join(os.path.basename(file) for file in files)}')
        for number, folders in enumerate(layers(rooms), 1):
            told = (f'{room} {shares[room]:.1%}' if room in shares else room for room in folders)
            print(f'{number:3}  {", ".join(told)}')
    check_system(report)
    check_sizes(report)
    report.finish()


if __name__ == '__main__':
    main()
