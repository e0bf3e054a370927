# SPDX-License-Identifier: LGPL-3.0-or-later
"""The pictures of data/doc."""
from typing import NamedTuple

MOUNTAINS, SEEDING, FRIENDS, HUBBLE = 'mountains.jpg', 'seeding.jpg', 'friends.jpg', 'hubble_deep_field.jpg'


class Panel(NamedTuple):
    caption: str
    chain: str                  # NAME:N is the Nth command of the page NAME
    crop: str
    photograph: str
    spoiled: str = ''           # a chain in front, before and after alike


class Picture(NamedTuple):
    panels: list
    columns: int
    zoom: float = 100             # percent
    quality: int = 70
    ground: str = 'white'       # under what is transparent; 'checks' as GIMP has them


def row(photograph, crop, *panels, spoiled='', columns=None, **options):
    """Panels of one photograph and crop."""
    return Picture([Panel(caption, chain, crop, photograph, spoiled) for caption, chain in panels], columns or len(panels), **options)


def one_property(photograph, crop, operation, name, values, rest='', **options):
    return row(photograph, crop, *((f'{name}={value}', f'tessera:{operation} {name}={value} {rest}') for value in values), **options)


def before_after(photograph, crop, chain, **options):
    return row(photograph, crop, ('before', ''), ('after', chain), **options)


def tasks(operation, *places, size='264x220', **options):
    """Above: the photographs; below: the page's commands.  A place: photograph, where, and perhaps what spoils it."""
    places = [(photograph, size + where, *spoiled) for photograph, where, *spoiled in places]
    return Picture([Panel(f'{i}, before', '', place[1], place[0], *place[2:]) for i, place in enumerate(places, 1)]
                   + [Panel(f'{i}, after', f'{operation}:{i}', place[1], place[0], *place[2:]) for i, place in enumerate(places, 1)],
                   len(places), **options)


def noise(amount):
    return f'gegl:noise-rgb linear=false correlated=false independent=true red={amount} green={amount} blue={amount} seed=7'


def soft(radius):
    """A soft lens, and a little noise of the sensor."""
    return f'gegl:gaussian-blur std-dev-x={radius} std-dev-y={radius} abyss-policy=clamp ' + noise(0.006)


def dust(percent):
    return f'gegl:noise-hurl pct-random={percent} seed=7'


DOGS, CORNER = '400x320+130+30', '264x200+504+568'
# A faint smudge that the photograph has not.
OBJECT = noise(0.03) + ' gegl:add aux=[ gegl:color value=rgb(0.06,0.06,0.06) gegl:crop x=452 y=268 width=3 height=3 gegl:gaussian-blur std-dev-x=1 std-dev-y=1 abyss-policy=none ]'
BRIGHT = ' gegl:multiply value={}'
LAB = 'tessera:cielab encoding=display'
# A scene of 14 stops: light above, shade below.
HDR = 'gegl:multiply aux=[ gegl:linear-gradient start-x=0 start-y=60 end-x=0 end-y=700 start-color=rgb(6,6,6) end-color=rgb(0.012,0.012,0.012) ' \
      'gegl:crop width=1024 height=768 ] '
KEEP = {'L': '1 0 0', 'a': '0 1 0', 'b': '0 0 1'}


def lab_channel(name):
    rows = ' '.join(f'{KEEP[name]} 0 0' for _ in range(3))
    return f'{LAB} gegl:svg-matrix "values={rows} 0 0 0 1 0"'


# Six kinds of photographs, what spoils or replaces them, and where a detail of 144 x 128 pixels is.
TESSERAE = 'Tesserae are the tiles of a mosaic: small pieces of stone, laid side by side until they show a picture. '
TEXT = 'gegl:svg-matrix "values=0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" ' \
       'gegl:over aux=[ gegl:text string=Tessera font=Serif size=140 color=#1a4a8a gegl:translate x=8 y=150 ]'
# A faded page: paper, ink, light that falls off, a lens that is not quite sharp, and the noise of the scanner.
SCAN = 'gegl:over aux=[ gegl:rectangle x=0 y=0 width=1024 height=768 color=rgb(0.93,0.9,0.82) ] ' \
       f'gegl:over aux=[ gegl:text "string={TESSERAE * 3}" font=Serif size=33 wrap=560 color=rgb(0.06,0.05,0.06) gegl:translate x=14 y=10 ] ' \
       'gegl:multiply aux=[ gegl:linear-gradient start-x=0 start-y=0 end-x=576 end-y=512 start-color=rgb(1,1,1) end-color=rgb(0.4,0.38,0.35) ' \
       'gegl:crop width=1024 height=768 ] gegl:gaussian-blur std-dev-x=0.7 std-dev-y=0.7 ' + noise(0.04)
SIX = (('a portrait', FRIENDS, '', '+250+60'), ('a landscape', MOUNTAINS, '', '+600+130'), ('a night', HUBBLE, '', '+495+230'),
       ('noise', SEEDING, noise(0.1), '+270+150'), ('text', MOUNTAINS, TEXT, '+0+165'), ('a scan', MOUNTAINS, SCAN, '+60+90'))
WIDE = {FRIENDS: '+96+30', MOUNTAINS: '+330+60', HUBBLE: '+40+0', SEEDING: '+0+60'}


def six(operation, other='', whose='GIMP', whole=False, quality=66):
    """The six photographs, what GIMP's or GEGL's own filter of the kind makes of them, if there is one, and ours, each with its defaults: details,
    or all of it."""
    def crop(photograph, spoiled, place):
        return '576x512' + ('+0+0' if spoiled in (TEXT, SCAN) else WIDE[photograph]) if whole else '144x128' + place
    rows = [(None, ''), *([(f"{whose}'s", other)] if other else []), ('Tessera', f'tessera:{operation}')]
    # What grows its picture is cut back.
    return Picture([Panel(name or kind, chain and chain + ' gegl:crop width=1024 height=768', crop(photograph, spoiled, place), photograph, spoiled)
                    for name, chain in rows for kind, photograph, spoiled, place in SIX],
                   len(SIX), zoom=25 if whole else 100, quality=quality, ground='checks')


# Beside each filter: what it is compared with, if GIMP has the like.  GIMP's Equalize is no operation of GEGL; it makes what ours does by channels, within 4 of 255.
BESIDE = {
    'bilateral-grid': six('bilateral-filter', 'gegl:gaussian-blur-selective'),
    'cielab': six('cielab', 'gegl:component-extract component=lab-l', whole=True),
    'convolution': six('convolution', 'gegl:convolution-matrix'),
    'detail': six('detail', 'gegl:unsharp-mask std-dev=30 scale=0.5', quality=55),
    'denoise': six('denoise', 'gegl:noise-reduction'),
    'equalize': six('equalize', 'tessera:equalize mode=channels clip-limit=0', whole=True),
    'gaussian-blur': six('gaussian-blur', 'gegl:gaussian-blur'),
    'harris-corners': six('harris-corners', quality=60),
    'label': six('label', 'gegl:threshold', whole=True),
    'mean-blur': six('mean-blur', 'gegl:box-blur', 'GEGL'),
    'median-blur': six('median-blur', 'gegl:median-blur'),
    'motion-blur': six('motion-blur', 'gegl:motion-blur-linear'),
    'sharpen-lens': six('sharpen-lens', 'gegl:unsharp-mask std-dev=1 scale=1.5'),
    'sift': six('sift', quality=60),
    'sobel': six('sobel', 'gegl:edge-sobel'),
    'unsharp-mask': six('unsharp-mask', 'gegl:unsharp-mask'),
}

GALLERY = {
    'bilateral-grid': 'tessera:bilateral-grid spatial-sigma=6 range-sigma=0.08 tone=perceptual',
    'cielab': LAB,
    'convolution': 'convolution:2',
    'detail': 'detail:1',
    'equalize, whole image': 'tessera:equalize clip-limit=0',
    'equalize, by tiles': 'equalize:1',
    'gaussian-blur': 'gaussian-blur:1',
    'harris-corners': 'harris-corners:1',
    'label': 'label:1',
    'mean-blur': 'mean-blur:1',
    'median-blur': 'median-blur:2',
    'motion-blur': 'motion-blur:2',
    'sift': 'tessera:sift contrast-threshold=0.08',
    'sobel': 'sobel:1',
    'tone': 'tone:1',
    'unsharp-mask': 'tessera:unsharp-mask std-dev=1.5 amount=0.8',
}

PICTURES = {
    'before-after': Picture([Panel('before', '', '768x576+0+20', FRIENDS),
        Panel('bilateral grid', GALLERY['bilateral-grid'], '768x576+0+20', FRIENDS),
        Panel('before', '', '768x576+150+90', MOUNTAINS), Panel('motion blur', 'motion-blur:2', '768x576+150+90', MOUNTAINS)], 2, zoom=65),
    'filters': Picture([Panel(name, chain, '512x384+56+36' if photograph == HUBBLE else '512x384+256+150', photograph)
        for name, chain in GALLERY.items() for photograph in [HUBBLE if name == 'label' else MOUNTAINS]], 4, zoom=58, quality=62),

    'bilateral-grid': before_after(FRIENDS, DOGS, 'bilateral-grid:2'),
    'bilateral-grid-sigmas': row(FRIENDS, '264x180+270+310',
        *((f'spatial-sigma={s} range-sigma={r}', f'tessera:bilateral-grid spatial-sigma={s} range-sigma={r} guide=luminance tone=perceptual')
          for r in (0.05, 0.15, 0.45) for s in (3, 10, 30)), columns=3),
    'bilateral-grid-guide': Picture([Panel(f'guide={guide}', f'tessera:bilateral-grid spatial-sigma=16 range-sigma=0.15 tone=perceptual guide={guide}',
        crop, photograph) for photograph, crop in ((FRIENDS, '200x120+240+150'), (SEEDING, '200x120+200+160')) for guide in ('channels', 'luminance')],
        2, zoom=200),
    'bilateral-grid-tone': one_property(MOUNTAINS, '400x280+0+440', 'bilateral-grid', 'tone', ('linear', 'perceptual'),
        'spatial-sigma=12 range-sigma=0.1 guide=luminance'),
    'bilateral-grid-tasks': tasks('bilateral-grid', (FRIENDS, '+250+310', noise(0.08)), (FRIENDS, '+220+40'), (MOUNTAINS, '+590+100', noise(0.25))),

    'cielab': Picture([Panel('photograph', '', '264x220+220+40', FRIENDS)]
        + [Panel(name, lab_channel(name), '264x220+220+40', FRIENDS) for name in 'Lab'], 2),
    'cielab-tasks': tasks('cielab', (MOUNTAINS, '+330+180'), (FRIENDS, '+220+40'), (FRIENDS, '+250+310', noise(0.15))),

    'convolution': before_after(MOUNTAINS, '400x300+410+90', 'convolution:2'),
    'convolution-presets': one_property(MOUNTAINS, '200x150+560+100', 'convolution', 'preset',
        ('box', 'gaussian', 'sharpen', 'laplacian', 'emboss', 'edge', 'motion'), columns=4),
    'convolution-offset': one_property(MOUNTAINS, '400x240+410+90', 'convolution', 'offset', (0, 0.5), 'preset=laplacian'),
    'convolution-tasks': tasks('convolution', (FRIENDS, '+220+40'), (MOUNTAINS, '+560+100'), (HUBBLE, '+376+210')),

    'detail': before_after(MOUNTAINS, '264x220+560+100', 'detail:1', quality=60),
    'detail-amounts': row(MOUNTAINS, '264x180+560+140', *((f'texture={t} clarity={c}', f'tessera:detail texture={t} clarity={c}')
        for t, c in ((1.5, 0), (0, 1.5), (-0.7, -0.7))), quality=55),
    'detail-protect': one_property(FRIENDS, '132x110+220+60', 'detail', 'protect', (0, 0.012, 0.04), 'texture=1.5 clarity=0', spoiled=noise(0.03), zoom=200, quality=55),
    'detail-halo': row(MOUNTAINS, '200x120+700+70', ('photograph', ''), ('unsharp mask, 30 and 0.5', 'tessera:unsharp-mask std-dev=30 amount=0.5'),
        ('clarity 1', 'tessera:detail texture=0 clarity=1'), zoom=130, quality=60),
    'detail-tasks': tasks('detail', (MOUNTAINS, '+560+130'), (MOUNTAINS, '+330+180'), (FRIENDS, '+220+40'), size='264x180', quality=55),
    'denoise': before_after(FRIENDS, DOGS, 'denoise:1', spoiled=noise(0.1)),
    'denoise-detail': one_property(MOUNTAINS, '264x220+560+100', 'denoise', 'detail', (0, 0.25, 1), spoiled=noise(0.1)),
    'denoise-tasks': tasks('denoise', (FRIENDS, '+250+310', noise(0.1)), (SEEDING, '+400+160', noise(0.2) + ' gegl:gaussian-blur std-dev-x=0.7 std-dev-y=0.7'),
        (FRIENDS, '+220+40', noise(0.08))),

    'equalize': before_after(SEEDING, '800x640+160+128', 'equalize:2', zoom=50),
    'equalize-clip-limit': one_property(SEEDING, '792x600+100+100', 'equalize', 'clip-limit', (0, 2, 8), zoom=33.3),
    'equalize-tiles': one_property(SEEDING, '792x600+100+100', 'equalize', 'tiles', (2, 8, 24), 'clip-limit=4', zoom=33.3),
    'equalize-mode': one_property(SEEDING, '800x600+0+0', 'equalize', 'mode', ('luminance', 'channels'), 'clip-limit=0', zoom=50),
    'equalize-tasks': tasks('equalize', (MOUNTAINS, '+330+60'), (SEEDING, '+400+160'), (HUBBLE, '+0+0'), size='528x440', zoom=50),

    'gaussian-blur': before_after(FRIENDS, DOGS, 'gaussian-blur:1'),
    'gaussian-blur-size': row(FRIENDS, '264x220+220+40', *((f'std-dev-x={s} std-dev-y={s}', f'tessera:gaussian-blur std-dev-x={s} std-dev-y={s}')
        for s in (2, 8, 32))),
    'gaussian-blur-xy': row(FRIENDS, '400x240+130+30', *((f'std-dev-x={x} std-dev-y={y}', f'tessera:gaussian-blur std-dev-x={x} std-dev-y={y}')
        for x, y in ((20, 0), (0, 20)))),
    'gaussian-blur-border': one_property(FRIENDS, CORNER, 'gaussian-blur', 'border', ('clamp', 'none', 'loop'),
        'std-dev-x=40 std-dev-y=40 gegl:crop width=768 height=768', ground='black'),
    'gaussian-blur-tasks': tasks('gaussian-blur', (FRIENDS, '+220+40'), (SEEDING, '+200+60'), (FRIENDS, '+250+310', noise(0.08))),

    'harris-corners': before_after(MOUNTAINS, '200x160+430+90', 'harris-corners:1', zoom=200),
    'harris-corners-result': row(MOUNTAINS, '200x150+560+260', ('result=overlay', 'tessera:harris-corners'),
        *((f'result={r}', f'tessera:harris-corners result={r}' + after) for r, after in (('corners', ''), ('strength', BRIGHT.format(4)), ('response', BRIGHT.format(4000))))),
    'harris-corners-sigma': one_property(MOUNTAINS, '200x160+560+100', 'harris-corners', 'sigma', (1, 2.5, 6)),
    'harris-corners-threshold': one_property(MOUNTAINS, '200x160+560+100', 'harris-corners', 'threshold', (0.02, 0.05, 0.1)),
    'harris-corners-tasks': tasks('harris-corners', (MOUNTAINS, '+0+130'), (FRIENDS, '+220+40'), (SEEDING, '+0+0'), size='528x440', zoom=50),

    'label': before_after(HUBBLE, '400x300+220+100', 'label:1'),
    'label-threshold': one_property(HUBBLE, '264x220+376+210', 'label', 'threshold', (0.02, 0.06, 0.3)),
    'label-min-area': one_property(HUBBLE, '264x220+376+210', 'label', 'min-area', (1, 20, 100), 'threshold=0.03'),
    'label-tasks': tasks('label', (HUBBLE, '+56+36'), (MOUNTAINS, '+0+0'),
        (HUBBLE, '+56+36', 'gegl:color-to-alpha color=black transparency-threshold=0.25 opacity-threshold=0.5'), size='528x440', zoom=50, ground='gray50'),

    'mean-blur': before_after(SEEDING, '400x300+0+100', 'mean-blur:1'),
    'mean-blur-radius': one_property(SEEDING, '264x220+100+100', 'mean-blur', 'radius', (2, 8, 32)),
    'mean-blur-tasks': tasks('mean-blur', (FRIENDS, '+220+40'), (SEEDING, '+100+100'), (FRIENDS, '+250+310')),

    'median-blur': before_after(MOUNTAINS, '200x160+560+200', 'median-blur:1', spoiled=dust(4), zoom=200),
    'median-blur-radius': one_property(FRIENDS, '264x220+220+40', 'median-blur', 'radius', (2, 6, 16)),
    'median-blur-percentile': one_property(HUBBLE, '264x210+40+40', 'median-blur', 'percentile', (0, 50, 100), 'radius=2 neighborhood=circle'),
    'median-blur-neighborhood': one_property(HUBBLE, '200x150+430+240', 'median-blur', 'neighborhood', ('square', 'circle'),
        'radius=6 percentile=100', zoom=200),
    'median-blur-tasks': tasks('median-blur', (MOUNTAINS, '+560+160', dust(2)), (FRIENDS, '+220+40'), (HUBBLE, '+376+210')),

    'motion-blur': before_after(MOUNTAINS, '400x320+330+180', 'motion-blur:2'),
    'motion-blur-length': one_property(FRIENDS, '264x220+220+40', 'motion-blur', 'length', (10, 30, 90)),
    'motion-blur-angle': one_property(FRIENDS, '264x220+220+40', 'motion-blur', 'angle', (0, 45, 90), 'length=30'),
    'motion-blur-border': one_property(FRIENDS, CORNER, 'motion-blur', 'border', ('clamp', 'none', 'loop'), 'length=150 angle=45 gegl:crop width=768 height=768',
        ground='black'),
    'motion-blur-tasks': tasks('motion-blur', (FRIENDS, '+180+200'), (MOUNTAINS, '+200+250'), (MOUNTAINS, '+0+0'), size='528x440', zoom=50),

    'align': Picture([Panel('a picture', '', '180x140+560+60', MOUNTAINS),
        Panel('another, turned and smaller', 'gegl:rotate-on-center degrees=-8 gegl:scale-ratio x=0.85 y=0.85', '180x140+560+60', MOUNTAINS),
        Panel('laid on the first', 'gegl:rotate-on-center degrees=-8 gegl:scale-ratio x=0.85 y=0.85 tessera:align aux=[ gegl:load path=photo.jpg ]', '180x140+560+60', MOUNTAINS)], 3, quality=60),
    'background-whiten': Picture([Panel('a frame with noise, and an object', '', '140x120+360+210', HUBBLE, OBJECT),
        Panel('less what the frame before predicts', 'tessera:background-whiten frames=photo.jpg history=1 result=significance reject-hot=false gegl:multiply value=0.05 gegl:add value=0.1',
              '140x120+360+210', HUBBLE, OBJECT)], 2, zoom=200, quality=60),
    'fits-load': Picture([Panel('few counts, as they are stored', 'gegl:levels out-high=0.04', '200x150+300+150', HUBBLE),
        Panel('equalized', 'gegl:levels out-high=0.04 tessera:equalize', '200x150+300+150', HUBBLE)], 2, zoom=150, quality=60),
    'estimate-shift': Picture([Panel('a frame', 'gegl:crop x=8 y=8 width=620 height=490', '140x120+352+202', HUBBLE),
        Panel('the next one, moved by (4.3, -2.6)', 'gegl:translate x=4.3 y=-2.6 sampler=cubic gegl:crop x=8 y=8 width=620 height=490', '140x120+352+202', HUBBLE)], 2, zoom=200, quality=60),
    'sharpen-lens': before_after(FRIENDS, '200x160+220+50', 'sharpen-lens:2', spoiled=soft(1.5), zoom=200, quality=60),
    'sharpen-lens-radius': row(MOUNTAINS, '132x110+620+130', ('radius 1.5 of blur', ''), *((f'radius={r}', f'tessera:sharpen-lens radius={r}') for r in (1, 1.5, 2.5)),
        spoiled=soft(1.5), zoom=200, quality=55),
    'sharpen-lens-strength': one_property(FRIENDS, '132x110+220+60', 'sharpen-lens', 'iterations', (3, 8, 12), 'radius=1.5', spoiled=soft(1.5), zoom=200, quality=55),
    'sharpen-lens-tasks': tasks('sharpen-lens', (MOUNTAINS, '+560+130', soft(0.7)), (FRIENDS, '+220+60', soft(1.5)), (MOUNTAINS, '+330+180', soft(2.5)), size='176x140',
        zoom=150, quality=55),
    'sift': Picture([Panel('a picture', 'sift:1', '320x250+650+60', MOUNTAINS),
        Panel('turned, and three quarters as large', 'gegl:rotate-on-center degrees=-30 gegl:scale-ratio x=0.75 y=0.75 tessera:sift contrast-threshold=0.15',
              '320x250+590+290', MOUNTAINS)], 2, quality=60),
    'sift-result': row(MOUNTAINS, '200x150+660+80', ('result=overlay', 'tessera:sift contrast-threshold=0.15'),
        ('result=points', 'tessera:sift contrast-threshold=0.15 result=points'), ('result=mask, with larger dots', 'sift:2'), ground='gray40'),
    'sift-settings': row(MOUNTAINS, '200x150+560+100', *((f'{setting}', f'tessera:sift draw-max=0 {setting}')
        for setting in ('contrast-threshold=0.04', 'contrast-threshold=0.12', 'upsample=false')), quality=60),

    'sobel': before_after(FRIENDS, DOGS, 'sobel:1'),
    'sobel-result': row(SEEDING, '200x200+200+120', ('result=magnitude', 'tessera:sobel'),
        ('result=angle', 'tessera:sobel result=angle'), ('result=x', 'tessera:sobel result=x'), ('result=y', 'tessera:sobel result=y')),
    'sobel-channels': row(HUBBLE, '200x150+430+240', *((f'input-channel={c}', f'tessera:sobel display=false input-channel={c}' + BRIGHT.format(2))
        for c in ('luminance', 'channels')), zoom=200),
    'sobel-tone': row(MOUNTAINS, '400x260+0+420', *((f'tone={t}', f'tessera:sobel display=false tone={t}' + BRIGHT.format(4)) for t in ('perceptual', 'linear'))),
    'sobel-gimp': row(FRIENDS, '200x150+0+0', ("GIMP's", 'gegl:edge-sobel keep-sign=false' + BRIGHT.format(4)), ('this one', 'tessera:sobel tone=linear input-channel=channels display=false' + BRIGHT.format(5.66)),
        zoom=200),
    'sobel-tasks': tasks('sobel', (FRIENDS, '+160+20'), (SEEDING, '+0+0'), (MOUNTAINS, '+330+60'), size='528x440', zoom=50),

    'tone': before_after(MOUNTAINS, '440x400+330+330', 'tone:1', zoom=60, quality=58),
    'tone-hdr': row(MOUNTAINS, '400x600+330+60', ('light, clipped', HDR), ('this one', HDR + 'tessera:tone compression=1'),
        ('reinhard05', HDR + 'gegl:reinhard05'), ('fattal02', HDR + 'gegl:fattal02'), zoom=40, quality=55),
    'tone-tasks': tasks('tone', (FRIENDS, '+100+30', 'gegl:multiply value=0.3'), (MOUNTAINS, '+330+60'), size='440x360', zoom=45, quality=55),

    'unsharp-mask': before_after(FRIENDS, '200x160+220+50', 'unsharp-mask:1', zoom=200),
    'unsharp-mask-radius': one_property(MOUNTAINS, '264x220+560+100', 'unsharp-mask', 'std-dev', (1, 4, 30), 'amount=1'),
    'unsharp-mask-amount': one_property(MOUNTAINS, '264x220+560+100', 'unsharp-mask', 'amount', (0.5, 1.5, 4), 'std-dev=1.5'),
    'unsharp-mask-threshold': one_property(FRIENDS, '132x110+220+60', 'unsharp-mask', 'threshold', (0, 0.05, 0.15), 'std-dev=2 amount=2', spoiled=noise(0.05),
        zoom=200),
    'unsharp-mask-gimp': row(FRIENDS, '200x150+350+360', ("GIMP's", 'gegl:unsharp-mask std-dev=3 scale=2'), ('this one', 'tessera:unsharp-mask std-dev=3 amount=2'),
        zoom=200),
    'unsharp-mask-tasks': tasks('unsharp-mask', (FRIENDS, '+220+40'), (MOUNTAINS, '+560+100'), (MOUNTAINS, '+330+180')),

    **{name + '-six': picture for name, picture in BESIDE.items()},
}
