# SPDX-License-Identifier: LGPL-3.0-or-later
"""A filter on a channel and on a layer mask, and in the list that GIMP 3.2's filter browser shows."""
import os

from pixels import read

# of which any curve between the channel's values and the picture's leaves the result what it was
OPERATION, VALUES = 'tessera:median-blur', {'radius': 3}
MADE = {
    'channel': '(set! copy (car (gimp-channel-new-from-component image CHANNEL-GREEN "tested"))) (gimp-image-insert-channel image copy 0 0)',
    'layer mask': '(set! copy (car (gimp-layer-create-mask layer ADD-MASK-COPY))) (gimp-layer-add-mask layer copy)',
}
REFUSED = 'can have non-destructive effects'         # GIMP 3.2.6 of what is no layer, to scripts


def saved(gimp, path):
    """In RGB: GEGL writes no PNG of our RGBA where the profile is a grey one."""
    return f'(gimp-edit-copy {gimp.listed("copy")}) (let* ((image (car (gimp-edit-paste-as-new-image))) (layer {gimp.first_layer})) ' \
           f'(gimp-image-convert-rgb image) {gimp.save(path)} (gimp-image-delete image))'


def of_8_bits(installed, path, *chain):
    """What GIMP saved, which GIMP 3 makes linear and of 16 bits, or what the chain makes of it."""
    out = f'{path[:-4]}-8.png'
    installed.gegl.run([path, '-o', out, '--', *chain, 'gegl:png-save', f'path={out}', 'bitdepth=8'], GEGL_USE_OPENCL='no')
    return read(out)


def masks(report, installed, gimp, source):
    """Merged into a channel and a mask: what the gegl command makes of its values."""
    paths = {place: [os.path.join(installed.work, f'{place}-{gimp.folder}-{what}.png') for what in ('before', 'after')] for place in MADE}
    apply = gimp.apply(OPERATION, VALUES).replace(' layer ', ' copy ', 1)
    gimp.run(''.join(gimp.job(i, source, [MADE[place], saved(gimp, paths[place][0]), apply, saved(gimp, paths[place][1])]) for i, place in enumerate(MADE)),
             GEGL_USE_OPENCL='no')
    for place, (before, after) in paths.items():
        name = f'GIMP {gimp.version}: {OPERATION} merged into a {place}'
        if report.check(f'{name}: it has an end', os.path.exists(before) and os.path.exists(after), ' | '.join(gimp.output[-3:])):
            was, got = of_8_bits(installed, before), of_8_bits(installed, after)
            wanted = of_8_bits(installed, before, OPERATION, *(f'{key}={value}' for key, value in VALUES.items()))
            worst, where, _ = got.difference(wanted, 1)
            report.check(f'{name}: the pixels are right', worst <= 1 and got.data != was.data, f'{worst} off, at {where}')


def masks_refuse_effects(report, gimp, source):
    for number, (place, made) in enumerate(MADE.items()):
        effect = gimp.apply(OPERATION, VALUES, True).replace(' layer ', ' copy ', 1)
        code, _ = gimp.run(gimp.job(number, source, [made, effect]), GEGL_USE_OPENCL='no')
        report.check(f'GIMP {gimp.version}: a {place} takes no effect from a script, and says so', code in (0, 70) and any(REFUSED in line for line in gimp.output),
                     f'exit {code}')


def lists(report, gimp, operations):
    """All of ours are among the filters that it lists to scripts and to its browser."""
    gimp.run('(for-each (lambda (name) (if (and (> (string-length name) 8) (string=? (substring name 0 8) "tessera:"))\n'
             '  (gimp-message (string-append "TESSERA listed " name))))\n  (car (gimp-drawable-filter-operation-get-available)))\n')
    listed = gimp.said('listed')
    report.check(f'GIMP {gimp.version} lists all filters', {operation['name'] for operation in operations} <= set(listed), ' '.join(listed))
