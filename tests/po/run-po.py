#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-po.py SOURCE BUILD: every string of the sources in every language, in the words that GEGL itself uses."""
import ast
import gettext
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Report

XGETTEXT = ['xgettext', '--from-code=UTF-8', '--keyword=_', '--keyword=N_', '--flag=g_strdup_printf:1:c-format']

# Where a string of ours that GEGL has too is translated otherwise: (languages, reason).
DIFFERENT = {
    'Bilateral Filter': ('zh_CN', "GEGL: `two-way'; as in Bilateral Grid, and as the method is called"),
    'Direction': ('de', 'which way to convert, not an orientation'),
    'Display': ('de es fr pt_BR zh_CN', 'GEGL: the operation that opens a window; here: fit for one'),
    'Gaussian Blur': ('de pt_BR', "GEGL's versions differ; as in GIMP's menu"),
    'Magnitude': ('de zh_CN', "a vector's, not a size (de) or an order of magnitude (zh_CN)"),
    'Mask': ('de', 'a noun, as in later versions of GEGL'),
    'Median Blur': ('es pt_BR', "GEGL: `medium', `mean'; as in GIMP's menu, and apart from Mean Blur"),
    'Offset': ('ru', "GEGL's ends in a colon"),
    'Perceptual': ('ru zh_CN', 'ru: masculine, as Tone is; zh_CN: as in later versions of GEGL and in GIMP'),
    'Percentile': ('fr ru zh_CN', "GEGL: `percentage', and `percentile of the colors' (ru), which here may be of alpha"),
    'Shift': ('zh_CN', "GEGL's versions differ"),
    'Source': ('pt_BR', "GEGL's versions differ; as in GIMP"),
    'White': ('zh_CN', 'the white point, not the name of a color'),
}


MARKUP = re.compile('[&<>\'"]')


class Unknown(gettext.NullTranslations):
    def gettext(self, message):
        return None


def read_po(text):
    """{msgid: msgstr} of a catalogue without contexts and plurals, as msgcat writes it."""
    entries, entry, field = {}, {}, None
    for line in text.splitlines():
        start = re.match(r'(msgid|msgstr) (?=")', line)
        if start:
            field = start[1]
            entry[field] = ''
            line = line[start.end():]
        if line.startswith('"'):
            entry[field] += ast.literal_eval(line)
            if field == 'msgstr':
                entries[entry['msgid']] = entry['msgstr']
    entries.pop('', None)
    return entries


def run(words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, encoding='utf-8',
                          env={**os.environ, 'LC_ALL': 'C.UTF-8'})


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [line.strip() for line in file if line.strip() and not line.startswith('#')]


def check_sources(source, report):
    """Returns what POTFILES.in lists."""
    listed = lines(os.path.join(source, 'po', 'POTFILES.in'))
    known = set(listed + lines(os.path.join(source, 'po', 'POTFILES.skip')))
    found = set()
    for folder in ('data/graphs', 'data/metainfo', 'data/presets', 'operations', 'opencl', 'gimp-2.10', 'gimp-3'):
        for place, _, names in os.walk(os.path.join(source, folder)):
            for path in (os.path.join(place, name) for name in names if name.endswith(('.c', '.h', '.xml', '.xml.in', '.sh', '.py.in'))):
                with open(path, encoding='utf-8') as file:
                    if path.endswith(('.xml', '.xml.in', '.sh', '.py.in')) or re.search(r'\bN?_ ?\("', file.read()):
                        found.add(os.path.relpath(path, source))
    report.check('POTFILES.in has every file with strings, and no other', found == known, ' '.join(sorted(found ^ known)))
    return [name for name in listed if os.path.exists(os.path.join(source, name))]


def of_gegl(language):
    """GEGL's own catalogue for a language, or None."""
    prefix = run(['pkg-config', '--variable=prefix', 'gegl-0.4']).stdout.strip() or '/usr'
    path = gettext.find('gegl-0.4', os.path.join(prefix, 'share', 'locale'), [language])
    if not path:
        return None
    with open(path, 'rb') as file:
        catalogue = gettext.GNUTranslations(file)
    catalogue.add_fallback(Unknown())
    return catalogue


def property_texts(build, report):
    """The texts of all properties as they are in English."""
    gegl = Gegl(build)
    done = gegl.command([os.path.join(gegl.build, 'tests', 'gimp', 'list-operations')], GEGL_USE_OPENCL='no')
    texts = {text for operation in json.loads(done.stdout or '[]') for spec in operation['properties']
             for text in (spec['label'], spec['tip'], *spec.get('value-labels', ())) if text}
    report.check('GEGL lists properties', len(texts) > 100, f'{len(texts)} texts')
    return texts


def survive_markup(language, texts, report):
    """GEGL 0.4.64 to 0.4.70 escapes what it takes for markup: readers of these would see &apos;."""
    spoilt = sorted(text for text in texts if MARKUP.search(text))
    report.check(f'{language}: no character of markup in the texts of properties', texts and not spoilt, '; '.join(spoilt))


def check_language(source, pot, language, texts, report):
    path = os.path.join(source, 'po', language + '.po')
    merged = run(['msgmerge', '--quiet', '--no-fuzzy-matching', '--no-wrap', '-o', '-', path, pot])
    counted = run(['msgfmt', '--check', '--statistics', '-o', os.devnull, '-'], merged.stdout)
    report.check(f'{language}: complete', counted.returncode == 0 and re.fullmatch(r'\d+ translated messages\.', counted.stderr.strip()),
                 counted.stderr.strip())
    entries = read_po(run(['msgattrib', '--no-obsolete', '--no-wrap', '-'], merged.stdout).stdout)
    ends = [i for i, t in entries.items() if t and i.endswith('...') != t.endswith(('...', '…'))]
    report.check(f'{language}: ... where a dialog follows', not ends, '; '.join(ends))

    survive_markup(language, {entries.get(text, text) for text in texts}, report)

    gegl = of_gegl(language)
    if not gegl:
        print(f'skip {language}: GEGL has no catalogue here')
        return
    same, other = 0, []
    for message, ours in entries.items():
        theirs = gegl.gettext(message)
        if theirs is None or language in DIFFERENT.get(message, ('', ''))[0].split():
            continue
        if unicodedata.normalize('NFC', theirs) == unicodedata.normalize('NFC', ours):
            same += 1
        else:
            other.append(f'{message}: {ours}, GEGL has {theirs}')
    report.check(f"{language}: GEGL's words", same and not other, '; '.join(other) or f'{same} strings')


def main():
    source, report = os.path.abspath(sys.argv[1]), Report()
    files = check_sources(source, report)
    texts = property_texts(sys.argv[2], report)
    survive_markup('English', texts, report)
    with tempfile.TemporaryDirectory(prefix='tessera-po-') as work:
        pot = os.path.join(work, 'tessera.pot')
        os.environ['GETTEXTDATADIRS'] = os.path.join(source, 'po')          # how a graph's names are found
        done = run(XGETTEXT + ['--directory', source, '--output', pot] + files)
        with open(pot, encoding='utf-8') as file:
            text = file.read().replace('charset=CHARSET', 'charset=UTF-8')
        with open(pot, 'w', encoding='utf-8') as file:
            file.write(text)
        messages = read_po(text)
        report.check('strings in the sources', done.returncode == 0 and len(messages) > 100, done.stderr or str(len(messages)))
        for language in lines(os.path.join(source, 'po', 'LINGUAS')):
            check_language(source, pot, language, texts, report)
    idle = [message for message in DIFFERENT if message not in messages]
    report.check('each listed difference is of a string in use', not idle, '; '.join(idle))
    report.finish()


main()
