# SPDX-License-Identifier: LGPL-3.0-or-later
"""What a frame of a sequence costs, its shift and its background: tests/temporal/sequence-speed in C and on the device, and OpenCV and photutils on the same
frames, in one run; beside them the article of data/doc/background-whiten.md."""
import os
import tempfile
import time

from bench_report import number, table

SIZES = ('512x512', '3648x2736')
HISTORY = 20
# The article on the spatio-temporal processing of images on the GPU, 2014: 512 x 512, 20 frames before each one.
ARTICLE = {'512x512': [['the article, CPU', '', '', '70'], ['the article, GPU (2014), gaps removed', '0.06', '0.16', '1.4']]}


class Missing(Exception):
    """A program or a library is not there."""


def legs(program, size, frames, kind, saved):
    """Of each way to compute: its name, milliseconds a frame for the shift, for the background, and for both."""
    words = ['--json', '1', '--size', size, '--history', str(HISTORY), '--frames', str(frames), '--save', saved]
    alone, _ = program.run(words, {'GEGL_USE_OPENCL': 'no', 'GEGL_THREADS': '1'})
    found, _ = program.run(words, {'GEGL_USE_OPENCL': kind or 'no'})
    return [[name] + [number(row[key]) for key in ('shift_ms', 'whiten_ms', 'ms')]
            for name, row in [('C, one thread', alone[0])] + [(row['leg'], row) for row in found]]


def best_ms(work, times=5):
    best = None
    for _ in range(times):
        began = time.perf_counter()
        work()
        passed = (time.perf_counter() - began) * 1e3
        best = passed if best is None else min(best, passed)
    return best


def load(saved, size):
    try:
        import numpy
    except ImportError as error:
        raise Missing('python3-numpy') from error
    width, height = map(int, size.split('x'))
    return numpy, numpy.fromfile(saved, dtype='<u2').reshape(-1, height, width).astype('f4')


def opencv(saved, size):
    """Phase correlation for the shift; the running mean of aligned frames for the background."""
    numpy, frames = load(saved, size)
    try:
        import cv2
    except ImportError as error:
        raise Missing('python3-opencv') from error
    window = cv2.createHanningWindow(frames.shape[:0:-1], cv2.CV_32F)
    shift = best_ms(lambda: cv2.phaseCorrelate(frames[0], frames[1], window))
    history = [frames[i % len(frames)] for i in range(HISTORY)]

    def whiten():
        total = numpy.zeros_like(frames[0])
        for frame in history:
            cv2.accumulate(frame, total)
        return cv2.subtract(frames[1], total / HISTORY)

    background = best_ms(whiten)
    return [f'OpenCV {cv2.__version__}: phaseCorrelate; mean of {HISTORY} frames', number(shift), number(background), number(shift + background)]


def photutils(saved, size):
    """The background of one frame, from itself."""
    _, frames = load(saved, size)
    try:
        import photutils as library
        from photutils.background import Background2D
    except ImportError as error:
        raise Missing('python3-photutils') from error
    background = best_ms(lambda: frames[1] - Background2D(frames[1], 64).background, 2)
    return [f'photutils {library.__version__}: Background2D, of the frame alone', '', number(background), '']


def peers(saved, size):
    rows = []
    for peer in (opencv, photutils):
        try:
            rows.append(peer(saved, size))
        except Missing as missing:
            rows.append([f'{peer.__name__}: {missing} is not installed', '', '', ''])
    return rows


def markdown(program, kind, frames, sizes=SIZES):
    lines = ['# A frame of a sequence', '', f'Milliseconds a frame, {HISTORY} frames before each one, grey, 16 bits; best of three runs. Shift and background may be made '
             'at the same time. What others do is less: it is named.', '']
    with tempfile.TemporaryDirectory() as work:
        for size in sizes:
            saved = os.path.join(work, 'frames.raw')
            rows = legs(program, size, frames, kind, saved) + peers(saved, size) + ARTICLE.get(size, [])
            lines += [f'## {size}', '', *table(['', 'shift', 'background and whitened frame', 'both'], rows)]
    return '\n'.join(lines).rstrip()

