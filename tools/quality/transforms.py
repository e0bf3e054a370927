# SPDX-License-Identifier: LGPL-3.0-or-later
"""Changes of a grey picture that are known: turned, scaled, seen from the side, other light, noise, blur, JPEG, all together.

A change has a kind and a value.  What the value leaves open (the sign, the axis, the place, the noise) is drawn from a seed, so that
the same seed gives the same picture.  A matrix takes places of the picture to places of the changed one; the centres of
pixels are at integers."""
import zlib

from greys import cv2, np
from keypoints import moved

# (kind, what the value is, its values from little to much)
KINDS = (('rotation', 'degrees', (10, 30, 45, 60, 90, 150)),
         ('scale', 'factor', (2, 1.4, 0.8, 0.7, 0.5, 0.35)),
         ('perspective', 'degrees from the side', (10, 20, 30, 40, 50)),
         ('brightness', 'factor', (1.5, 0.8, 0.6, 0.4, 0.2)),
         ('noise', 'standard deviation, levels', (2, 5, 10, 15, 25)),
         ('blur', 'standard deviation, pixels', (0.5, 1, 1.5, 2, 3)),
         ('JPEG', 'quality', (90, 70, 50, 30, 15, 8)),
         ('together', 'share of all of them', (0.2, 0.4, 0.6, 0.8, 1)))


def generator(seed, *words):
    """Draws of its own for each change, whatever others are made before it."""
    return np.random.Generator(np.random.PCG64([seed, zlib.crc32(' '.join(map(str, words)).encode())]))


# ------------------------------------------------------------------ geometry

def turned(degrees, scale):
    cosine, sine = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1.0]])


def tilted(degrees, axis, distance):
    """A plane that is turned around an axis through the origin, seen from `distance` pixels."""
    tilt, across = np.radians(degrees), turned(axis, 1)
    lean = np.array([[np.cos(tilt), 0, 0], [0, 1, 0], [np.sin(tilt) / distance, 0, 1]])
    return across @ lean @ across.T


def place(draw, inner, shape, to_shape):
    """The middle goes to the other picture's middle, up to four pixels beside it."""
    x, y = draw.uniform(-4, 4, 2)
    (height, width), (to_height, to_width) = shape, to_shape
    return moved((to_width - 1) / 2 + x, (to_height - 1) / 2 + y) @ inner @ moved(-(width - 1) / 2, -(height - 1) / 2)


def seen(grey, matrix, shape):
    """The picture at the places of the matrix.  Where it becomes smaller, it is first softened as a lens would."""
    height, width = grey.shape
    w = matrix[2] @ np.array([(width - 1) / 2, (height - 1) / 2, 1])
    area = abs(np.linalg.det(matrix) / w ** 3)                          # in the middle
    source = grey.astype(np.float32)
    if area < 1:
        source = cv2.GaussianBlur(source, (0, 0), 0.5 * np.sqrt(1 / area - 1))
    return cv2.warpPerspective(source, matrix, shape[::-1], flags=cv2.INTER_LANCZOS4, borderMode=cv2.BORDER_REPLICATE)


# -------------------------------------------------------------------- pixels

def jpeg(values, quality):
    done, packed = cv2.imencode('.jpg', levels(values), [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    assert done
    return cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE).astype(np.float32)


def levels(values):
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def change(grey, kind, value, seed, name):
    """(the changed picture, the matrix).  `name`: of the picture, so that each has draws of its own."""
    draw, shape = generator(seed, name, kind, value), grey.shape
    sign, axis = draw.choice((-1, 1)), draw.uniform(0, 360)
    matrix, values = np.eye(3), grey.astype(np.float32)
    if kind == 'rotation':
        matrix = place(draw, turned(sign * value, 1), shape, shape)
    elif kind == 'scale':
        to_shape = tuple(round(value * side) for side in shape)
        matrix = place(draw, turned(0, value), shape, to_shape)
        return levels(seen(grey, matrix, to_shape)), matrix
    elif kind == 'perspective':
        matrix = place(draw, tilted(value, axis, 1.5 * max(shape)), shape, shape)
    elif kind == 'brightness':
        values *= value
    elif kind == 'noise':
        values += draw.normal(0, value, shape).astype(np.float32)
    elif kind == 'blur':
        values = cv2.GaussianBlur(values, (0, 0), value)
    elif kind == 'JPEG':
        values = jpeg(values, value)
    elif kind == 'together':
        inner = turned(sign * 45 * value, 1.5 ** (draw.choice((-1, 1)) * value)) @ tilted(40 * value, axis, 1.5 * max(shape))
        matrix = place(draw, inner, shape, shape)
        values = cv2.GaussianBlur(seen(grey, matrix, shape), (0, 0), 0.2 + 0.8 * value) * (1 - 0.5 * value)
        values = jpeg(values + draw.normal(0, 8 * value, shape), 95 - 55 * value)
    if kind in ('rotation', 'perspective'):
        values = seen(grey, matrix, shape)
    return levels(values), matrix
