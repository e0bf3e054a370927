# SPDX-License-Identifier: LGPL-3.0-or-later
"""What run-corners.py and run-points.py share: grey pictures, the two legs, bars.  Needs OpenCV and scikit-image."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import IMAGES

try:
    import cv2
    import numpy as np
    import skimage
except ImportError as error:
    print(f'{error}: python3-opencv and python3-skimage are needed')
    sys.exit(77)

LARGEST = 640
LUMINANCE = (0.22248840, 0.71690369, 0.06060791)        # of linear sRGB (D50), as babl has it
SAMPLES = ('camera.png', 'astronaut.png', 'coffee.png', 'brick.png', 'coins.png', 'hubble_deep_field.jpg')
LEGS = {'C': {'GEGL_USE_OPENCL': 'no'}, 'OpenCL': {'GEGL_USE_OPENCL': 'cpu', 'TESSERA_OPENCL': 'force'}}


def pictures():
    """(name, path)"""
    data = os.path.join(os.path.dirname(skimage.__file__), 'data')
    ours = sorted(name for name in os.listdir(IMAGES) if name.endswith('.jpg'))
    return ([(name, os.path.join(IMAGES, name)) for name in ours]
            + [(f'scikit-image {name}', os.path.join(data, name)) for name in SAMPLES])


def grey_of(path):
    """8-bit perceptual luminance."""
    pixels = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if pixels.ndim == 3:
        coded = pixels[:, :, 2::-1] / 255
        linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4) @ LUMINANCE
        pixels = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
        pixels = np.round(255 * pixels).astype(np.uint8)
    height, width = pixels.shape
    if max(width, height) > LARGEST:
        size = round(width * LARGEST / max(width, height)), round(height * LARGEST / max(width, height))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return pixels


class Bars:
    """What is measured of one picture, beside what is accepted."""

    def __init__(self, report, name, table):
        self.report, self.name, self.table = report, name, table

    def most(self, what, value, bar):
        self.report.check(f'{self.name}: {what}', value <= bar, f'{value:.3g}, at most {bar:g}')

    def least(self, what, values, bars):
        self.report.check(f'{self.name}: {what}', all(value >= bar for value, bar in zip(values, bars)),
                          ' / '.join(f'{value:.5g}' for value in values) + ', at least ' + ' / '.join(f'{bar:g}' for bar in bars))

    def tell(self, what, values):
        if self.table:
            print(f'     {self.name}: {what}: ' + ' / '.join(f'{value:.5g}' for value in values))
