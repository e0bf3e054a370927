# SPDX-License-Identifier: LGPL-3.0-or-later
"""Open as Aligned Stack in the real GIMP: files whose movements are known, one that is damaged; where the layers lie then, what is left out, and that the image belongs to
no file."""
import os

from aligning import MODELS, NEW_LAYERS, layers_of, lies_on, make_frames, noise, shots
from gimp_program import Gimp3, quoted
from pixels import read

PROCEDURE = 'plug-in-tessera-open-stack'
FRAMES = ('first', 'turned', 'shifted')


def call(gimp, paths, new_layer='none'):
    files = ' '.join(map(quoted, paths))
    if isinstance(gimp, Gimp3):
        return f'({PROCEDURE} #:run-mode RUN-NONINTERACTIVE #:files (list {files}) #:new-layer "{new_layer}")'
    return f'({PROCEDURE} RUN-NONINTERACTIVE {len(paths)} (list {files}) {MODELS.index("auto")} {NEW_LAYERS.index(new_layer)})'


def opens(gimp, what, paths, folder, new_layer):
    """Says the report, how many layers there are and the file of the image, and saves each layer alone."""
    file = '(car (gimp-image-get-imported-file image))' if isinstance(gimp, Gimp3) else '(car (gimp-image-get-imported-uri image))'
    return f'(let* ((result {call(gimp, paths, new_layer)}) (image (car result)) (layer {gimp.first_layer})) (gimp-message (string-append "TESSERA {what} " ' \
           f'(number->string (cadr result)) "|" (number->string (length {layers_of(gimp)})) "|" (if (string? {file}) {file} "") "|" ' \
           f'(unbreakupstr (strbreakup (caddr result) "\\n") "|"))) {shots(gimp, folder)} (gimp-image-delete image))\n'


def check_opening(report, installed, gimp):
    title = f'GIMP {gimp.version}: open as aligned stack'
    frames = make_frames(installed, FRAMES)
    damaged = os.path.join(installed.work, 'damaged.png')
    with open(damaged, 'wb') as file:
        file.write(b'no picture')
    folders = {name: os.path.join(installed.work, f'opening-{gimp.folder}-{name}') for name in ('layers', 'mean')}
    paths = [frames['first'], damaged, frames['turned'], frames['shifted']]
    code, lines = gimp.run(''.join(opens(gimp, name, paths, folder, 'none' if name == 'layers' else name) for name, folder in folders.items()))
    report.check(f'{title}: the script runs', code == 0, ' '.join(lines[-4:]))
    said = {name: gimp.said(name) for name in folders}
    if not report.check(f'{title}: both end', all(len(texts) == 1 for texts in said.values()), ' '.join(gimp.output[-6:])):
        return
    aligned, count, file, *text = said['layers'][0].split('|')
    report.check(f'{title}: two lie on the first, in an image of no file', (aligned, count, file, text[0]) == ('2', '3', '', '2 of 2 layers lie on frame-first.png'), said['layers'][0])
    report.check(f'{title}: a line about the file that is damaged', text[-1].startswith('damaged.png is left out: ') and len(text[-1]) > 30, said['layers'][0])
    seen = {name: read(os.path.join(folders['layers'], f'frame-{name}.png.png')) for name in FRAMES}
    report.check(f'{title}: the first is as it was', seen['first'].data == read(frames['first']).data)
    for name in FRAMES[1:]:
        lies_on(report, f'{title}: {name}', seen['first'], seen[name])
    report.check(f'{title}: the same report', said['mean'][0].split('|')[3:] == said['layers'][0].split('|')[3:], said['mean'][0])
    report.check(f'{title}: one layer in place of all', said['mean'][0].split('|')[1] == '1' and os.listdir(folders['mean']) == ['Mean of 3 layers.png'], said['mean'][0])
    mean, clean = read(os.path.join(folders['mean'], 'Mean of 3 layers.png')), read(frames['clean'])
    levels = noise(seen['first'], clean), noise(mean, clean)
    report.check(f'{title}: which has less noise', levels[1] < 0.7 * levels[0], f'{levels[0]:.2f} levels, and {levels[1]:.2f}')
    check_refused(report, gimp, title, [damaged, frames['first']])


def check_refused(report, gimp, title, paths):
    """One picture alone is no stack: nothing is left open."""
    _, lines = gimp.run(f'{call(gimp, paths)}\n')
    report.check(f'{title}: one picture alone is refused in words', any('At least two of the files must be pictures' in line for line in gimp.output), ' '.join(lines[-4:]))
    report.check(f'{title}: and nothing stays open', not any('stray image' in line for line in gimp.output), ' '.join(gimp.output[-4:]))
