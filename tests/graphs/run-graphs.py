#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-graphs.py BUILD: each graph of data/graphs with the gegl command, in C and on OpenCL, against what it promises.

Three runs of each: all in C; GEGL's own operations on OpenCL and ours in C; all on OpenCL.  The last two must agree to
1e-5 (only our filters differ), the first and the last to one level of 8 bits.  Pixels are linear RGB floats."""
import functools
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES, TOP

GRAPHS = os.path.join(TOP, 'data', 'graphs')
LEVEL = 1 / 255


def relative(a, b):
    return abs(a - b) / abs(b)


def part(picture, x, y, width, height):
    c, row = picture.channels, picture.width * picture.channels
    return [value for line in range(y, y + height) for value in picture.pixels[line * row + x * c:line * row + (x + width) * c]]


def rms(a, b):
    return math.sqrt(math.fsum((p - q) ** 2 for p, q in zip(a, b)) / len(a))


def panning(result, original, _):
    """the middle is as it was, the left edge lost at least half of its texture, the mean moved by at most 3 %"""
    middle = part(result, 482, 364, 60, 40), part(original, 482, 364, 60, 40)
    return (max(abs(a - b) for a, b in zip(*middle)) <= 1e-4
            and strip(result).roughness() <= 0.5 * strip(original).roughness()
            and relative(result.mean(), original.mean()) <= 0.03)


def strip(picture):
    """The leftmost eighth, as a picture."""
    left = Picture.__new__(Picture)
    left.width, left.height, left.channels = picture.width // 8, picture.height, picture.channels
    left.pixels = part(picture, 0, 0, left.width, left.height)
    return left


@functools.cache
def bright_and_dark(picture):
    """Indices of the brightest hundredth of the values, and those of the darker half whose pixel's right neighbour is dark too."""
    order = sorted(range(len(picture.pixels)), key=picture.pixels.__getitem__)
    dark = set(order[:len(order) // 2])
    return order[-len(order) // 100:], [i for i in dark if i + 3 in dark]


def smooth_and_keep_edges(result, original, _):
    """half of the texture or more of the darker half is gone, the brightest hundredth keeps 90 % of its light, the mean fell by at most 10 % (the averages are taken as the eye sees, not of light)"""
    bright, dark = bright_and_dark(original)
    steps = [(result.pixels[i + 3] - result.pixels[i], original.pixels[i + 3] - original.pixels[i]) for i in dark]
    return (sum(abs(a) for a, _ in steps) <= 0.5 * sum(abs(b) for _, b in steps)
            and sum(result.pixels[i] for i in bright) >= 0.9 * sum(original.pixels[i] for i in bright)
            and 0.9 <= result.mean() / original.mean() <= 1)


# What is asked of a photograph by several graphs, and by both legs of each, is computed once; results are not kept.
@functools.lru_cache(2)
def lightness(picture):
    return [lab(*pixel[:3])[0] for pixel in pixels_of(picture)]


def flash_and_no_flash(result, original, noisy):
    """at least half of the noise (its root mean square) is gone"""
    return rms(result.pixels, original.pixels) <= 0.5 * rms(noisy.pixels, original.pixels)


def seamless_texture(result, _, noisy):
    """the mean is kept to 1e-5 (nothing is lost at the edges) and the step over the seam is no larger than inside"""
    c, row = result.channels, result.width * result.channels
    step = {x: sum(abs(result.pixels[y * row + (x + 1) % result.width * c + k] - result.pixels[y * row + x * c + k])
                   for y in range(result.height) for k in range(c)) for x in (100, result.width - 1)}
    return abs(result.mean() - noisy.mean()) <= 1e-5 and step[result.width - 1] <= 1.5 * step[100]


def less_color_noise(result, original, noisy):
    """three quarters of the noise of red less green are gone (its root mean square), the luminance of each pixel is kept to 1e-5"""
    def luminances(picture):
        values, c = picture.pixels, picture.channels
        return [0.2126729 * values[i] + 0.7151522 * values[i + 1] + 0.0721750 * values[i + 2]
                for i in range(0, len(values), c)]

    def colours(picture):
        values, c = picture.pixels, picture.channels
        return [values[i] - values[i + 1] for i in range(0, len(values), c)]

    return (max(abs(a - b) for a, b in zip(luminances(result), luminances(noisy))) <= 1e-5
            and rms(colours(result), colours(original)) <= 0.25 * rms(colours(noisy), colours(original)))


def dust_and_scratches(result, original, noisy):
    """at least half of the damage (its root mean square) is gone, the texture that the median takes counted as damage"""
    return rms(result.pixels, original.pixels) <= rms(noisy.pixels, original.pixels) / 2


def unevenness(picture):
    """How the means of 6 x 4 fields differ: their standard deviation over their mean."""
    w, h = picture.width // 6, picture.height // 4
    means = [math.fsum(field) / len(field) for field in (part(picture, i * w, j * h, w, h) for i in range(6) for j in range(4))]
    middle = sum(means) / len(means)
    return math.sqrt(sum((mean - middle) ** 2 for mean in means) / len(means)) / middle


def even_light(result, original, _):
    """parts of the picture differ by at most a quarter of what they did, the mean is that of gegl:multiply to 10 %"""
    return unevenness(result) <= 0.25 * unevenness(original) and relative(result.mean(), 0.3) <= 0.1


@functools.cache
def flat_and_steep(picture):
    """Indices of the flatter half of the pixels and of the hundredth with the steepest edges, by green."""
    green, width = picture.pixels[1::picture.channels], picture.width
    inside = [y * width + x for y in range(1, picture.height - 1) for x in range(1, width - 1)]
    inside.sort(key=lambda i: abs(green[i + 1] - green[i - 1]) + abs(green[i + width] - green[i - width]))
    return inside[:len(inside) // 2], inside[-len(inside) // 100:]


def average(values, places):
    return math.fsum(values[i] for i in places) / len(places)


def sharpen_edges_only(result, original, _):
    """the flatter half of the pixels changes by 0.003 of light and 0.5 of L at most on average, the hundredth with the steepest edges by 33 times as much light as the flatter half, and by 5 of L, or more"""
    flat, steep = flat_and_steep(original)
    light = [abs(a - b) for a, b in zip(result.pixels[1::result.channels], original.pixels[1::original.channels])]
    seen = [abs(a - b) for a, b in zip(lightness(result), lightness(original))]
    return (average(light, flat) <= 0.003 and average(seen, flat) <= 0.5 and average(seen, steep) >= 5
            and average(light, steep) >= 33 * average(light, flat))


def soft_glow(result, original, _):
    """light is only added, by a tenth of the mean or more"""
    return (all(a >= b - 1e-4 for a, b in zip(result.pixels, original.pixels))
            and result.mean() >= 1.1 * original.mean())


def sharpen_for_print(result, original, _):
    """at least 30 % more texture, the mean of light moved by at most 15 % (it is kept as the eye sees)"""
    return result.roughness() >= 1.3 * original.roughness() and relative(result.mean(), original.mean()) <= 0.15


def out_of_focus(result, original, _):
    """seven tenths of the texture or more are gone, the mean moved by at most 0.5 %, no pixel is brighter than before"""
    return (result.roughness() <= 0.3 * original.roughness() and relative(result.mean(), original.mean()) <= 0.005
            and max(result.pixels) <= max(original.pixels) * (1 + 1e-5))


def pixels_of(picture):
    return list(zip(*(picture.pixels[k::picture.channels] for k in range(picture.channels))))


def count_galaxies(result, original, _):
    """at least 80 colors, black on four fifths or more, and 95 % of the brightest thousandth are colored"""
    colors, light = pixels_of(result), [sum(pixel) for pixel in pixels_of(original)]
    bright = sorted(range(len(light)), key=light.__getitem__)[-len(light) // 1000:]
    return (len(set(colors)) > 80 and sum(not any(color) for color in colors) >= 0.8 * len(colors)
            and sum(any(colors[i]) for i in bright) >= 0.95 * len(bright))


def through_the_haze(result, original, _):
    """at least 25 % more texture, the mean moved by at most a quarter"""
    return result.roughness() >= 1.25 * original.roughness() and relative(result.mean(), original.mean()) <= 0.25


def edge_map(result, original, _):
    """grey, from 0 to 1; the hundredth with the steepest edges is at least 0.5 on average, the flatter half at most 0.05"""
    pixels = pixels_of(result)
    flat, steep = flat_and_steep(original)
    light = [pixel[0] for pixel in pixels]
    return (all(max(pixel[:3]) - min(pixel[:3]) <= 1e-5 for pixel in pixels) and min(light) >= 0 and max(light) <= 1
            and average(light, steep) >= 0.5 and average(light, flat) <= 0.05)


def lab(red, green, blue):
    """CIE L, a, b (D65) of linear sRGB, by the formula."""
    def f(t):
        return t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
    x = f((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
    y = f(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue)
    z = f((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@functools.lru_cache(2)
def colours_of(picture):
    return [lab(*pixel[:3]) for pixel in pixels_of(picture)]


def sharpen_lightness(result, original, _):
    """at least half as much texture of L again; a and b of each pixel are kept to 0.001"""
    before, after = colours_of(original), colours_of(result)
    steps = [math.fsum(abs(p[0] - q[0]) for p, q in zip(colors, colors[1:])) for colors in (before, after)]
    return (steps[1] >= 1.5 * steps[0]
            and max(abs(p[k] - q[k]) for p, q in zip(before, after) for k in (1, 2)) <= 0.001)


def texture(picture, places):
    """How much green changes from each of these pixels to the next one in its row, in all."""
    green = picture.pixels[1::picture.channels]
    return math.fsum(abs(green[i + 1] - green[i]) for i in places)


def cartoon(result, original, _):
    """two thirds of the texture of the flatter half are gone, and four fifths of the light of the hundredth with the steepest edges"""
    flat, steep = flat_and_steep(original)
    before, after = (picture.pixels[1::picture.channels] for picture in (original, result))
    return (texture(result, flat) <= texture(original, flat) / 3
            and average(after, steep) <= 0.2 * average(before, steep))


# graph: (what it promises, the photograph it reads, a chain that makes its input where that is not the photograph)
EXPECTED = {
    'panning': (panning, 'mountains.jpg', None),
    'out-of-focus': (out_of_focus, 'hubble_deep_field.jpg', None),
    'smooth-and-keep-edges': (smooth_and_keep_edges, 'hubble_deep_field.jpg', None),
    'less-color-noise': (less_color_noise, 'mountains.jpg', ['mountains.jpg', 'gegl:noise-rgb', 'correlated=false', 'independent=true', 'linear=false',
                         'red=0.12', 'green=0.12', 'blue=0.12', 'seed=7']),
    'sharpen-edges-only': (sharpen_edges_only, 'mountains.jpg', None),
    'count-galaxies': (count_galaxies, 'hubble_deep_field.jpg', None),
    'through-the-haze': (through_the_haze, 'mountains.jpg', None),
    'flash-and-no-flash': (flash_and_no_flash, 'mountains.jpg', ['mountains.jpg', 'gegl:noise-rgb', 'correlated=false',
                           'independent=true', 'red=0.3', 'green=0.3', 'blue=0.3', 'seed=7']),
    'dust-and-scratches': (dust_and_scratches, 'mountains.jpg', ['mountains.jpg', 'gegl:noise-hurl', 'pct-random=4', 'seed=7']),
    'edge-map': (edge_map, 'mountains.jpg', None),
    'sharpen-lightness': (sharpen_lightness, 'seeding.jpg', None),
    'cartoon': (cartoon, 'mountains.jpg', None),
    'even-light': (even_light, 'seeding.jpg', None),
    'soft-glow': (soft_glow, 'mountains.jpg', None),
    'sharpen-for-print': (sharpen_for_print, 'mountains.jpg', None),
    'seamless-texture': (seamless_texture, None, [None, 'gegl:color', 'value=rgb(0.5, 0.5, 0.5)', 'gegl:noise-hurl',
                         'pct-random=100', 'seed=3', 'gegl:crop', 'width=256', 'height=256']),
}


def make(gegl, arguments, out, report, name, **env):
    """Runs gegl; the picture, or None.  Only messages of ours may be on stderr, and a warning fails."""
    code, lines = gegl.run(arguments, **env)
    strange = [line for line in lines if not line.startswith('tessera: ')]
    if not report.check(f'{name}: gegl is content', code == 0 and not strange and os.path.exists(out),
                        '' if code == 0 and not strange else f'exit {code}: ' + ' | '.join(strange)):
        return None, lines
    return Picture(out), lines


def source(gegl, chain, out, report, name, made={}):
    if out in made:
        return made[out]
    first = [os.path.join(IMAGES, chain[0])] if chain[0] else []
    made[out] = make(gegl, first + ['-o', out, '--'] + chain[1:], out, report, name, GEGL_USE_OPENCL='no')[0]
    return made[out]


def check_graph(gegl, path, work, report):
    name = os.path.splitext(os.path.basename(path))[0]
    legs = {
        'C': {'GEGL_USE_OPENCL': 'no'},
        'ours in C': {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'off'},
        'OpenCL': {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'force'},
    }
    pictures = {}
    for leg, env in legs.items():
        out = os.path.join(work, f'{name}-{leg.replace(" ", "-")}.npy')
        pictures[leg], lines = make(gegl, [path, '-o', out], out, report, f'{name}, {leg}', TESSERA_DEBUG='paths', **env)
        if pictures[leg] is None:
            return
        wanted = ': OpenCL on ' if leg == 'OpenCL' else ': C ('
        ran = [line for line in lines if ', in all ' in line]
        report.check(f'{name}, {leg}: the filter ran there', ran and all(wanted in line for line in ran), '' if ran else 'no filter ran')
    close = pictures['OpenCL'].difference(pictures['ours in C'])
    report.check(f'{name}: our C and OpenCL agree to 1e-5', close <= 1e-5, f'{close:.2g}')
    close = pictures['OpenCL'].difference(pictures['C'])
    report.check(f'{name}: all in C and all on OpenCL agree to a level', close <= LEVEL, f'{close:.2g}')

    if name not in EXPECTED:
        report.check(f'{name}: what it promises is stated in {os.path.basename(__file__)}', False)
        return
    promise, photograph, chain = EXPECTED[name]
    original = photograph and source(gegl, [photograph], os.path.join(work, f'original-{photograph}.npy'), report, f'{name}, the photograph')
    noisy = chain and source(gegl, chain, os.path.join(work, f'{name}-noisy.npy'), report, f'{name}, the input')
    for leg in ('C', 'OpenCL'):
        report.check(f'{name}, {leg}: {promise.__doc__}', promise(pictures[leg], original, noisy))


def main():
    gegl, report = Gegl(sys.argv[1], same_conversions=True), Report()
    missing = gegl.missing()
    if report.check('the operations exist', not missing, ', '.join(missing)):
        graphs = sorted(name for name in os.listdir(GRAPHS) if name.endswith('.xml'))
        report.check('there are graphs', len(graphs) >= len(EXPECTED))
        with tempfile.TemporaryDirectory(prefix='tessera-graphs-') as work:
            for graph in graphs:
                check_graph(gegl, os.path.join(GRAPHS, graph), work, report)
    report.finish()


main()
