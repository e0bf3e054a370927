# SPDX-License-Identifier: LGPL-3.0-or-later
"""Align Visible Layers in the real GIMP: a plain layer gets the pixels that tessera:align makes of it, all of them, in their place; it stays the
same layer.  Others are moved by GIMP."""
import os
import re

from aligning import HEIGHT, IMAGE_16, IMAGE_32, MODELS, WIDTH, add_layer, call, make_frames, precision
from gimp_program import Gimp3, quoted
from jobs import profile
from pixels import read, write_png

PROFILES = 'gimp_color_transform_new: using babl for'       # said of each profile that is not sRGB
LEVELS = 1                          # of 8 bits
FARTHER = 8                         # GIMP's transform is somewhere
HIDDEN = {'hidden-red': (255, 0, 0), 'hidden-green': (0, 255, 0)}
SELECTION = (10, 20, 100, 50)

# What must be as it was, but for `alpha`, `place` and `size`.
STATE = {'name': '(car (gimp-item-get-name copy))', 'opacity': '(car (gimp-layer-get-opacity copy))', 'mode': '(car (gimp-layer-get-mode copy))',
         'lock': '(car (gimp-layer-get-lock-alpha copy))', 'tattoo': '(car (gimp-item-get-tattoo copy))',
         'parasite': '(caddr (car (gimp-item-get-parasite copy "tessera-test")))', 'position': '(car (gimp-image-get-item-position image copy))',
         'precision': '(car (gimp-image-get-precision image))', 'selection': '(gimp-selection-bounds image)',
         'alpha': '(car (gimp-drawable-has-alpha copy))', 'place': '(DRAWABLE-offsets copy)', 'size': '(list (car (DRAWABLE-width copy)) (car (DRAWABLE-height copy)))'}
ATTRIBUTES = '(gimp-layer-set-opacity copy 37) (gimp-layer-set-mode copy LAYER-MODE-MULTIPLY) (gimp-layer-set-lock-alpha copy TRUE) ' \
             '(gimp-image-set-component-active image CHANNEL-RED FALSE) ' + '(gimp-image-select-rectangle image CHANNEL-OP-REPLACE ' + ' '.join(map(str, SELECTION)) + ')'
FLATTENED = '(gimp-layer-flatten copy)'
MASK = '(gimp-layer-add-mask copy (car (gimp-layer-create-mask copy ADD-MASK-WHITE)))'
UNMASK = '(gimp-layer-remove-mask copy MASK-DISCARD)'
GROUP = {True: '(define group (car (gimp-group-layer-new image "group")))', False: '(define group (car (gimp-layer-group-new image)))'}
GROUPED = '(gimp-image-insert-layer image group 0 0) (gimp-image-reorder-item image copy group 0)'
LINKED = '(gimp-item-set-linked layer TRUE) (gimp-item-set-linked copy TRUE)'
STAYED = '(if (not (and (equal? (gimp-drawable-offsets layer) (list 0 0)) (= 1 (car (gimp-item-get-linked copy))))) (error "the lowest layer moves along, or is not linked"))'
EFFECT = '(gimp-drawable-append-new-filter copy "gegl:brightness-contrast" "tested" LAYER-MODE-REPLACE 1.0)'
EFFECTS = '(if (= 0 (vector-length (car (gimp-drawable-get-filters copy)))) (error "the effect is gone")) (gimp-drawable-merge-filters copy)'


class Case:
    """A layer and a reference as files; where the layer lies; what is done before and after; whether it gets our pixels."""

    def __init__(self, moving, reference='first', place=(-25, 3), before='', after='', model='similarity', ours=True, depth=''):
        self.moving, self.reference, self.place, self.before, self.after = moving, reference, place, before, after
        self.model, self.ours, self.depth = model, ours, depth


def cases_of(gimp):
    is_3 = isinstance(gimp, Gimp3)
    cases = {'a plain layer': Case('turned'), 'no alpha': Case('turned', before=FLATTENED), 'attributes, a selection, a channel off': Case('turned', before=ATTRIBUTES),
             'hidden red': Case('hidden-red'), 'hidden green': Case('hidden-green'), 'a profile': Case('profile-turned', 'profile-first'),
             'gray': Case('grey-turned', 'grey-first'), '16 bits': Case('turned', depth=IMAGE_16), '32 bits, linear': Case('turned', depth=IMAGE_32),
             'perspective': Case('aside', model='homography'), 'a mask': Case('turned', before=MASK, after=UNMASK, ours=False),
             'a group': Case('turned', before=GROUP[is_3] + GROUPED, ours=False), 'four times as large': Case('small', ours=False)}
    if gimp.effects:
        cases['an effect'] = Case('turned', before=EFFECT, after=EFFECTS, ours=False)
    return cases


def make_files(installed):
    files = make_frames(installed, ('first', 'turned', 'small', 'aside'))
    for name in ('first', 'turned'):
        picture = read(files[name])
        colours = [value for i, value in enumerate(picture.data) if i % 4 != 3]
        for kind, pixels, channels, more in (('profile', colours, 3, profile()), ('grey', picture.data[1::4], 1, None)):
            files[f'{kind}-{name}'] = os.path.join(installed.work, f'frame-{kind}-{name}.png')
            write_png(files[f'{kind}-{name}'], WIDTH, HEIGHT, pixels, channels, more)
    for name, colour in HIDDEN.items():
        pixels = read(files['turned']).data
        for i in range(WIDTH * HEIGHT):
            x, y = i % WIDTH, i // WIDTH
            if 60 <= x < 110 and 50 <= y < 120:
                pixels[4 * i:4 * i + 4] = type(pixels)(pixels.typecode, [*colour, 0])
            elif x > 250:
                pixels[4 * i + 3] = 100
        files[name] = os.path.join(installed.work, f'frame-{name}.png')
        write_png(files[name], WIDTH, HEIGHT, pixels, 4)
    return files


# ------------------------------------------------------------------ script --

def say_state(gimp, word):
    drawable = 'gimp-drawable-get' if isinstance(gimp, Gimp3) else 'gimp-drawable'
    values = ' '.join(f'(list "{key}" {value.replace("DRAWABLE", drawable)})' for key, value in STATE.items())
    return f'(for-each (lambda (pair) (gimp-message (string-append "TESSERA {word} " (car pair) "=" (as-text (cadr pair))))) (list {values}))'


# numbers, booleans of both dialects, texts and lists of them
AS_TEXT = '(define (as-text value) (cond ((string? value) value) ((number? value) (number->string value)) ((eq? value #t) "1") ((eq? value #f) "0") ((null? value) "") ' \
          '((pair? value) (string-append (as-text (car value)) " " (as-text (cdr value)))) (else "?")))\n'


def save_layer(gimp, path, depth):
    """All of the layer `copy`, raw, of 8 bits."""
    layers = '(vector->list (car (gimp-image-get-layers image)))' if isinstance(gimp, Gimp3) else '(vector->list (cadr (gimp-image-get-layers image)))'
    to_8 = precision(gimp, '(gimp-image-convert-precision image PRECISION-U8-NON-LINEAR)') if depth else ''
    return f'(let* ((name (car (gimp-item-get-name copy))) (image (car (gimp-image-duplicate image))) (layer (car (gimp-image-get-layer-by-name image name)))) ' \
           f'(gimp-selection-none image) (for-each (lambda (each) (if (string=? (car (gimp-item-get-name each)) "first") (gimp-image-remove-layer image each))) {layers}) ' \
           f'(gimp-layer-set-opacity layer 100) (gimp-layer-set-mode layer LAYER-MODE-NORMAL) (gimp-image-resize-to-layers image) {to_8} {gimp.save(path)} (gimp-image-delete image))'


def steps_of(gimp, case, files, word, path):
    x, y = case.place
    return ['(gimp-item-set-name layer "first")', precision(gimp, case.depth), add_layer(files[case.moving], 'moving'), f'(gimp-layer-set-offsets copy {x} {y})',
            '(gimp-item-attach-parasite copy (list "tessera-test" 1 "kept"))', case.before, say_state(gimp, word + '-before'), call(gimp, case.model),
            say_state(gimp, word + '-after'), case.after, save_layer(gimp, path, case.depth)]


def state(gimp, word):
    return dict(text.split('=', 1) for text in gimp.said(word))


# ------------------------------------------------------------------ checks --

def expected(installed, case, files, path):
    """(x, y, width, height) and the picture."""
    done = installed.gegl.command([os.path.join(installed.build, 'tests', 'gimp', 'whole-aligned'), str(MODELS.index(case.model)), files[case.reference], '0', '0',
                                   files[case.moving], *map(str, case.place), path], GEGL_USE_OPENCL='no')
    return [int(word) for word in done.stdout.split()], read(path)


def check_plain(report, title, case, before, after, saved, box, wanted):
    report.check(f'{title}: its place and size', [*map(int, after['place'].split()), *map(int, after['size'].split())][-4:] == box,
                 f'{after["place"]}, {after["size"]}; {box}')
    report.check(f'{title}: goes beyond the canvas', box[0] < 0 and box[1] + box[3] > HEIGHT or box[0] + box[2] > WIDTH, str(box))
    worst, where, count = saved.difference(wanted, LEVELS)
    report.check(f'{title}: the pixels of tessera:align', worst <= LEVELS, f'{worst} at {where}, {count} differ by more than {LEVELS}')
    report.check(f'{title}: it has alpha', after['alpha'] == '1' and (case.before != FLATTENED or before['alpha'] == '0'))
    kept = [key for key in STATE if key not in ('alpha', 'place', 'size') and before.get(key) != after.get(key)]
    report.check(f'{title}: all else is as it was', len(before) == len(STATE) and not kept, ', '.join(f'{key} {before.get(key)}, {after.get(key)}' for key in kept))


def check_pixels(report, installed, gimp):
    title = f'GIMP {gimp.version}: moved layers'
    files, cases = make_files(installed), cases_of(gimp)
    paths = {name: os.path.join(installed.work, f'moved-{gimp.folder}-{i}.png') for i, name in enumerate(cases)}
    words = {name: f'moved-{i}' for i, name in enumerate(cases)}
    code, lines = gimp.run(AS_TEXT + ''.join(gimp.job(words[name], files[case.reference], steps_of(gimp, case, files, words[name], paths[name]))
                                             for name, case in cases.items()), GEGL_USE_OPENCL='no')
    ended = [name for name in cases if words[name] in gimp.said('end')]
    lines = [line for line in lines if not re.search(PROFILES, line)]
    report.check(f'{title}: all cases end', len(ended) == len(cases) and not lines, f'exit {code}, ended: {", ".join(ended)}; {" | ".join(lines[:4])}')
    for name in ended:
        case, saved = cases[name], read(paths[name])
        before, after = state(gimp, words[name] + '-before'), state(gimp, words[name] + '-after')
        box, wanted = expected(installed, case, files, paths[name] + '-expected.png')
        if case.ours:
            check_plain(report, f'{title}: {name}', case, before, after, saved, box, wanted)
        else:
            report.check(f'{title}: {name} is moved by GIMP', before['place'] + before['size'] != after['place'] + after['size'] and saved.difference(wanted, 0)[0] > FARTHER,
                         f'{before["place"]}; {after["place"]}')
    if all(name in ended for name in ('hidden red', 'hidden green')):
        one, other = (read(paths[name]) for name in ('hidden red', 'hidden green'))
        worst, where, _ = one.difference(other, LEVELS)
        report.check(f'{title}: hidden colors show nowhere', worst <= LEVELS, f'{worst} at {where}')
    check_copied(report, installed, gimp, files)


def check_copied(report, installed, gimp, files):
    """Shifted by whole pixels it keeps them, and what GIMP 2.10 has linked with it stays."""
    title, path = f'GIMP {gimp.version}: moved layers: whole pixels', os.path.join(installed.work, f'moved-{gimp.folder}-copied.png')
    linked = {} if isinstance(gimp, Gimp3) else {'before': LINKED, 'after': STAYED}
    gimp.run(AS_TEXT + gimp.job('copied', files['first'], steps_of(gimp, Case('first', place=(9, -6), **linked), files, 'copied', path)), GEGL_USE_OPENCL='no')
    before, after = state(gimp, 'copied-before'), state(gimp, 'copied-after')
    if report.check(f'{title}: the script ends', gimp.said('end'), ' '.join(gimp.output[-4:])):
        report.check(f'{title}: it lies on the lowest', after['place'].split()[-2:] == ['0', '0'], after['place'])
        report.check(f'{title}: size and alpha are as they were', (before['size'], before['alpha']) == (after['size'], after['alpha']), f'{before["size"]}, {after["size"]}')
        report.check(f'{title}: each bit', read(path).data == read(files['first']).data)
