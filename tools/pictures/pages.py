# SPDX-License-Identifier: LGPL-3.0-or-later
"""The pages of data/doc: the commands and pictures that they name."""
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tests'))
import common
from common import OPERATIONS, TOP

DOC = os.path.join(TOP, 'data', 'doc')
GENERAL = ('devices', 'install', 'match', 'measurements', 'scripts', 'sequence')      # pages of no filter
# A twin is on the page of the other, what saves is on the page of what it saves, and what combines on that of what aligns.
TWINS = {**common.TWINS, **{name: name.removesuffix('-save') for name in common.SAVERS}, 'combine': 'align'}
NAMES = tuple(name.split(':')[1] for name in OPERATIONS if name.split(':')[1] not in TWINS)
FENCE = re.compile(r'^```\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'!\[([^\]]*)\]\(([^)]+)\)')


def path_of(name):
    return os.path.join(DOC, name + '.md')


def is_written(name):
    """A filter that is new has no page yet."""
    return os.path.exists(path_of(name))


def read(name):
    with open(path_of(name), encoding='utf-8') as file:
        return file.read()


def chains(page):
    """(words behind --, the text between this block of commands and the next) of each gegl command line in a page."""
    found = []
    blocks = list(FENCE.finditer(page))
    for block, following in zip(blocks, blocks[1:] + [None]):
        after = page[block.end():following.start() if following else len(page)]
        for line in block[1].replace('\\\n', ' ').splitlines():
            words = shlex.split(line)
            if words[:1] == ['gegl'] and '--' in words:
                found.append((words[words.index('--') + 1:], after))
    return found


def settings(words):
    """(operation, {property: value}) of each operation in a chain, those inside brackets too."""
    found, stack = [], [None]
    for word in words:
        name, equals, value = word.partition('=')
        if value == '[':
            stack.append(None)
        elif word == ']':
            stack.pop()             # what follows belongs to the operation outside
        elif equals:
            stack[-1][name] = value
        else:
            stack[-1] = {}
            found.append((word, stack[-1]))
    return found
