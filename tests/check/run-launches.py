#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-launches.py BUILD: the arguments of each launch against the kernel's parameters, in number and in kind.

A device tells a wrong number, and a wrong size; nobody tells an int where a float is wanted.  The preprocessor opens
the macros of both sides.  The list of a launch is counted; then the compiler reads it once more, with an ARG that
takes the kind of the parameter alone."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report, TOP

FOLDERS = ('operations/', 'opencl/engine/')
KERNEL = re.compile(r'\bkernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s+(\w+)\s*\(')
LAUNCH = re.compile(r'\(TesseraLaunch\)\s*\{')
LIST = re.compile(r'TESSERA_ARG_LIST, \{ \.list = \{ .*, \((\d+)\) \} \}', re.S)      # memories, how many, the kernel's pointers
GENERIC = re.compile(r'_Generic \(\(')
# What ARG makes of its argument, by the kind of a parameter.
KINDS = {'memory': 'TesseraMemory *: tessera_memory_arg', 'int': 'gint: tessera_int_arg, guint: tessera_int_arg',
         'float': 'gfloat: tessera_float_arg'}
# The others, by the macro's constant.
OTHERS = {'TESSERA_ARG_TABLE': 'memory', 'TESSERA_ARG_LIST': 'memory', 'TESSERA_ARG_LOCAL': 'local', 'TESSERA_ARG_FLOAT4': 'float4'}
# The engine launches it without a band.
UNREAD = {'compute_hard'}
INPUT = ('memory', 'int', 'int', 'int')        # INPUT_ARGS
OWN = re.compile(r'SeparableKernels(?: own =|\)) \{')      # a filter's own passes, whose last arguments separable_last adds


def end_of(text, begin):
    """Of the bracket that is open at `begin` - 1: the place of the one that closes it."""
    depth, at = 1, begin
    while depth:
        if text[at] == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at).end() - 1
        depth += {'(': 1, '{': 1, '[': 1, ')': -1, '}': -1, ']': -1}.get(text[at], 0)
        at += 1
    return at - 1


def pieces(text):
    """[(begin, end)] of what commas part."""
    found, begin, at = [], 0, 0
    while at < len(text):
        if text[at] in '({[':
            at = end_of(text, at + 1)
        elif text[at] == ',':
            found.append((begin, at))
            begin = at + 1
        at += 1
    return [(first, last) for first, last in (*found, (begin, len(text))) if text[first:last].strip()]


def kind_of(parameter):
    words = re.sub(r'\b(?:const|restrict|volatile)\b', ' ', parameter).replace('*', ' * ').split()
    if '*' in words:
        return 'local' if 'local' in words else 'memory'
    return {'uint': 'int'}.get(words[0], words[0])


def preprocessed(command, folder=TOP):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else sys.exit(done.stderr)


def kernels():
    """{name: kinds of its parameters}; a kernel of a header is in several files."""
    found = {}
    folders = [f'-I{os.path.join(TOP, "opencl", folder)}' for folder in ('math', 'kernels/shared')]
    for path in sorted(glob.glob(os.path.join(TOP, 'opencl', 'kernels', '*.cl'))):
        text = preprocessed(['cc', '-E', '-P', '-x', 'c', '-Dcl_khr_fp64', *folders, path])
        for kernel in KERNEL.finditer(text):
            parameters = text[kernel.end():end_of(text, kernel.end())]
            kinds = tuple(kind_of(parameters[first:last]) for first, last in pieces(parameters))
            if found.setdefault(kernel[1], kinds) != kinds:
                sys.exit(f'{path}: {kernel[1]} has other parameters than the kernel of this name in another file')
    return found


def launches(text):
    """Of each launch with a list: the names of its kernels, [(begin, end) of each argument].  The last one first."""
    found = []
    for match in LAUNCH.finditer(text):
        begin = match.end()
        inner = text[begin:end_of(text, begin)]
        members = {inner[first:last].partition('=')[0].strip(): (first, last) for first, last in pieces(inner)}
        first, last = members.get('.kernel', (0, 0))
        if '.args' in members:
            begin += inner.index('{', members['.args'][0]) + 1
            listed = text[begin:end_of(text, begin)]
            names = re.findall(r'"(\w+)"', inner[first:last])
            found.append((names, [(begin + first, begin + last) for first, last in pieces(listed)]))
    return found[::-1]


def strict(argument, kind):
    """The argument with an ARG that takes the kind alone; and what is wrong with it at once."""
    wrong = [f'a {OTHERS[word]} in place of a {kind}' for word in OTHERS if word in argument and OTHERS[word] != kind]
    for match in reversed(list(GENERIC.finditer(argument))):
        if kind not in KINDS:
            return argument, [f'no {kind}']
        close, end = end_of(argument, match.end()), end_of(argument, match.end() - 1)
        argument = argument[:close + 1] + ', ' + KINDS[kind] + argument[end:]
    return argument, wrong


def repeated(text, arguments):
    """A list once for each of the kernel's pointers."""
    return [argument for argument in arguments
            for _ in range(int((LIST.search(text[slice(*argument)]) or [0, 1])[1]))]


def check_launch(report, where, text, arguments, kinds):
    """The number; then the text with strict arguments."""
    arguments = repeated(text, arguments)
    if not report.check(f'{where}: as many arguments as parameters', len(arguments) == len(kinds),
                        f'{len(arguments)}, the kernel has {len(kinds)}'):
        return text
    for number, ((first, last), kind) in reversed(list(enumerate(zip(arguments, kinds), 1))):
        argument, wrong = strict(text[first:last], kind)
        if wrong:
            report.check(f'{where}: argument {number}', False, ', '.join(wrong))
        text = text[:first] + argument + text[last:]
    return text


def members(text, begin):
    """[(begin, end)] of what the braces hold that are open at `begin` - 1."""
    return [(begin + first, begin + last) for first, last in pieces(text[begin:end_of(text, begin)])]


def check_last(report, where, name, usual, parameters, arguments):
    """A last pass has the parameters of the usual one, the input, and its own; returns the kinds of these."""
    first, own = parameters[:len(usual)], parameters[len(usual):]
    report.check(f'{where}: {name}: parameters as of a last pass', first == usual, str(first))
    report.check(f'{where}: {name}: as many arguments as are left',
                 len(arguments) >= len(own) and all('TESSERA_ARG_END' in argument for argument in arguments[len(own):]),
                 f'{len(arguments)}, the kernel has {len(own)}')
    return own


def check_own(report, where, text, begin, known):
    """The kernels of a SeparableKernels, against those in whose place they run; the text with strict arguments, the names."""
    *passes, listed = members(text, begin)
    listed = members(text, text.index('{', listed[0]) + 1)
    arguments, names, own = [text[slice(*argument)] for argument in listed], set(), []
    for number, usual in enumerate((('separable_rows', 'gaussian_down'), ('separable_columns',), ('gaussian_up_rows',))):
        for name in re.findall(r'"(\w+)"', text[slice(*passes[number])]):
            parameters = known.get(name, ())
            names.add(name)
            if number == 0:
                report.check(f'{where}: {name}: parameters as of a first pass', parameters in [known[first] for first in usual], str(parameters))
            else:
                own.append(check_last(report, where, name, known[usual[0]] + INPUT, parameters, arguments))
    longest = max(own, key=len)
    report.check(f'{where}: last passes with arguments of the same kinds', all(longest[:len(kinds)] == kinds for kinds in own), str(own))
    return check_launch(report, f'{where}: {" and ".join(sorted(names))}', text, listed, longest), names


def check_source(report, name, entry, known):
    """Returns the kernels whose launches were read."""
    words, read = shlex.split(entry['command']), set()
    command = [word for before, word in zip(['', *words], words)
               if before not in ('-o', '-MQ', '-MF') and word not in ('-o', '-MQ', '-MF', '-MD', '-c', entry['file'])]
    text = preprocessed([*command, '-E', os.path.join(TOP, name)], entry['directory'])
    for names, arguments in launches(text):
        kinds = {known.get(kernel, 'no kernel') for kernel in names}
        if names and report.check(f'{name}: {" and ".join(names)}: kernels of one kind of list',
                                  len(kinds) == 1 and 'no kernel' not in kinds, str(kinds)):
            text = check_launch(report, f'{name}: {names[0]}', text, arguments, known[names[0]])
            read |= {*names}
    for own in reversed(list(OWN.finditer(text))):
        text, names = check_own(report, name, text, own.end(), known)
        read |= names
    command += ['-w', '-fdiagnostics-color=never', '-fsyntax-only', '-fpreprocessed', '-x', 'c', '-']
    done = subprocess.run(command, input=text, cwd=entry['directory'], capture_output=True, text=True)
    report.check(f'{name}: arguments of the kinds of the parameters', done.returncode == 0,
                 ' | '.join(line for line in done.stderr.splitlines() if 'error:' in line))
    return read


def main():
    build, report = os.path.abspath(sys.argv[1]), Report()
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        listed = json.load(file)
    entries = {os.path.relpath(os.path.join(entry['directory'], entry['file']), TOP): entry for entry in listed}
    known, read = kernels(), set()
    for name in sorted(entries):
        if name.startswith(FOLDERS) and os.path.exists(os.path.join(TOP, name)):
            with open(os.path.join(TOP, name), encoding='utf-8') as file:
                if re.search(r'\(TesseraLaunch\)|SeparableKernels own', file.read()):
                    read |= check_source(report, name, entries[name], known)
    unread = set(known) - read
    report.check('each kernel has a launch whose list can be read, but those that are named here', unread == UNREAD,
                 ' '.join(sorted(unread ^ UNREAD)))
    report.finish()


main()
