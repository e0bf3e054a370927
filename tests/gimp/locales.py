# SPDX-License-Identifier: LGPL-3.0-or-later
"""Languages as a program sees them: GEGL's keys, which GIMP's menus and dialogs show, against the installed catalogues."""
import gettext
import os
import subprocess

LOCALES = {'de': 'de_DE', 'es': 'es_ES', 'fr': 'fr_FR', 'ko': 'ko_KR', 'pt_BR': 'pt_BR', 'ru': 'ru_RU', 'zh_CN': 'zh_CN'}


def language_env(work, language):
    """The variables of a program in that language; its locale is made where no system folder has to know."""
    folder = os.path.join(work, 'locales')
    os.makedirs(folder, exist_ok=True)
    made = os.path.join(folder, f'{LOCALES[language]}.UTF-8')
    if not os.path.exists(made):
        subprocess.run(['localedef', '-i', LOCALES[language], '-f', 'UTF-8', made], stderr=subprocess.DEVNULL, check=False)
    return {'LOCPATH': folder, 'LC_ALL': f'{LOCALES[language]}.UTF-8', 'LANGUAGE': language}


def texts(operations):
    """(where, text) of all that is seen."""
    for operation in operations:
        for key in ('title', 'description', 'gimp:menu-label'):
            yield f'{operation["name"]} {key}', operation[key]
        for spec in operation['properties']:
            for key, text in [('label', spec['label']), ('tip', spec['tip']), *((f'value {i}', text) for i, text in enumerate(spec.get('value-labels', [])))]:
                yield f'{operation["name"]} {spec["name"]} {key}', text


def translated(report, installed):
    """Each text that the catalogue translates comes out so."""
    english = list(texts(installed.operations(None)))
    for language in LOCALES:
        path = os.path.join(installed.home, '.local', 'share', 'locale', language, 'LC_MESSAGES', 'tessera.mo')
        with open(path, 'rb') as file:
            wanted = gettext.GNUTranslations(file).gettext
        shown = list(texts(installed.operations(None, **language_env(installed.work, language))))
        wrong = [f'{where}: {text}' for (where, text), (_, source) in zip(shown, english) if text != (source and wanted(source))]
        count = sum(text != source for (_, text), (_, source) in zip(shown, english))
        operations = {where.split()[0] for (where, text), (_, source) in zip(shown, english) if text != source}
        report.check(f'{language}: {count} texts of {len(operations)} operations appear as the catalogue has them',
                     len(shown) == len(english) and not wrong and len(operations) == len(installed.operations(None)), ' | '.join(wrong[:3]))
