# SPDX-License-Identifier: LGPL-3.0-or-later
"""How people find a filter: the words they type into GIMP's action search, and its one name everywhere."""
import re

from locales import LOCALES, language_env

# What people who know what they want type, and what it must find.
SEARCHED = {
    'tessera:bilateral-filter': ('bilateral filter', 'surface blur', 'noise reduction', 'smooth skin', 'keep edges', 'paris'),
    'tessera:bilateral-grid': ('bilateral grid', 'bilateral filter', 'joint bilateral', 'another picture', 'flash'),
    'tessera:cielab': ('cielab', 'lab color', 'lightness'),
    'tessera:convolution': ('convolution', 'kernel', 'matrix', 'sharpen', 'emboss'),
    'tessera:denoise': ('denoise', 'noise reduction', 'grain', 'iso', 'high iso', 'chroma noise', 'color noise'),
    'tessera:detail': ('texture', 'clarity', 'structure', 'local contrast', 'dehaze', 'detail', 'durand'),
    'tessera:equalize': ('equalize', 'histogram', 'clahe', 'local contrast', 'haze', 'zuiderveld'),
    'tessera:gaussian-blur': ('gaussian blur', 'soft focus', 'smooth'),
    'tessera:harris-corners': ('harris', 'corner detection', 'points of interest', 'features', 'stephens'),
    'tessera:label': ('label', 'connected components', 'count', 'segmentation', 'stars'),
    'tessera:mean-blur': ('mean blur', 'box blur', 'average'),
    'tessera:median-blur': ('median', 'despeckle', 'dust', 'scratches', 'noise', 'percentile'),
    'tessera:motion-blur': ('motion blur', 'panning', 'camera shake'),
    'tessera:sharpen-lens': ('deblur', 'deconvolution', 'lens', 'sharpen', 'focus', 'richardson lucy'),
    'tessera:sift': ('sift', 'keypoints', 'points of interest', 'features', 'blobs'),
    'tessera:sobel': ('sobel', 'gradient', 'edge detect', 'outline'),
    'tessera:tone': ('shadows', 'highlights', 'hdr', 'tone mapping', 'exposure fusion', 'dynamic range', 'durand'),
    'tessera:unsharp-mask': ('unsharp', 'sharpen', 'local contrast'),
}

# What a photographer types who knows no filter by name, and those that serve.
PURPOSES = {
    'denoise': ('denoise', 'bilateral-filter', 'median-blur'),
    'noise': ('denoise', 'bilateral-filter', 'median-blur'),
    'frequency separation': ('bilateral-filter',),
    'dehaze': ('equalize', 'detail'),
    'hdr': ('tone', 'equalize'),
    'shadows': ('tone',),
    'highlights': ('tone',),
    'smooth': ('bilateral-filter', 'gaussian-blur'),
    'soften': ('gaussian-blur',),
    'clarity': ('detail', 'unsharp-mask', 'equalize'),
    'texture': ('detail',),
    'sharpen': ('unsharp-mask', 'sharpen-lens', 'convolution', 'detail'),
    'deblur': ('sharpen-lens',),
    'deconvolution': ('sharpen-lens',),
    'focus': ('sharpen-lens', 'gaussian-blur'),
    'contrast': ('equalize', 'unsharp-mask', 'detail'),
    'haze': ('equalize',),
    'edges': ('sobel', 'bilateral-filter'),
    'outline': ('sobel',),
    'corners': ('harris-corners',),
    'keypoint': ('sift',),
    'interest points': ('harris-corners', 'sift'),
    'track': ('harris-corners',),
    'count': ('label',),
    'speckle': ('median-blur',),
    'dust': ('median-blur',),
    'scratch': ('median-blur',),
    'streak': ('motion-blur',),
}

# GIMP lists what it finds by name.  The grid without a second picture has the thesis's defaults, which are not for photographs: who wants
# less noise is not to meet it first.
ELSEWHERE = {'denoise': ('bilateral-grid',), 'noise reduction': ('bilateral-grid',)}

# The same of the ready-made graphs.
READY_MADE = {
    'chroma noise': ('less-color-noise',),
    'dehaze': ('through-the-haze',),
    'denoise': ('less-color-noise', 'smooth-and-keep-edges'),
}


def tokens(text):
    """As GLib cuts a text for GIMP 3: letters and digits, folded."""
    return re.findall(r'[^\W_]+', (text or '').casefold())


def is_found(words, operation):
    """As GIMP 3's action_search_match_keyword: each word begins a word of the label or, if the first has three letters, of the tooltip."""
    label, tooltip = tokens(f'{operation["title"]} ({operation["name"]})'), tokens(operation['description'])
    keys = tokens(words)
    shown = label + tooltip if len(keys[0]) > 2 else label
    return all(any(token.startswith(key) for token in shown) for key in keys)


def searches(report, operations):
    by_name = {operation['name']: operation for operation in operations}
    for name, operation in by_name.items():
        lost = [words for words in SEARCHED.get(name, ()) if not is_found(words, operation)]
        report.check(f'{name} is found by the words people type', operation['description'] and not lost, ', '.join(lost))
    for word, wanted in PURPOSES.items():
        lost = [name for name in wanted if f'tessera:{name}' in by_name and not is_found(word, by_name[f'tessera:{name}'])]
        report.check(f'"{word}" finds what serves', not lost, ', '.join(lost))
    for word, others in ELSEWHERE.items():
        found = [name for name in others if f'tessera:{name}' in by_name and is_found(word, by_name[f'tessera:{name}'])]
        report.check(f'"{word}" does not find what does not serve', not found, ', '.join(found))


def searches_graphs(report, graphs):
    """{name: (title, summary)}"""
    for word, wanted in READY_MADE.items():
        lost = [name for name in wanted
                if not is_found(word, {'name': name, 'title': graphs[name][0], 'description': graphs[name][1]})]
        report.check(f'"{word}" finds the graph that serves', not lost, ', '.join(lost))


def names(report, installed, only, few):
    """The menu has the title, which GIMP 3 shows everywhere else, and which a page has as its own (tests/doc); in each language."""
    for language in (None, 'ko') if few else (None, *LOCALES):
        env = language_env(installed.work, language) if language else {}
        other = [f'{operation["title"]}: {operation["gimp:menu-label"]}' for operation in installed.operations(only, **env)
                 if operation['gimp:menu-label'] and not re.fullmatch(re.escape(operation['title']) + r' ?[(（]Tessera[)）] ?(\.\.\.|…)', operation['gimp:menu-label'])]
        report.check(f'{language or "English"}: a filter has one name in the menus and everywhere else', not other, ' | '.join(other[:4]))
