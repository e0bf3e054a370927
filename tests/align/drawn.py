# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pairs of frames whose movement is known, drawn from large photographs: each pixel of a frame is the mean of the light in some places of
the photograph, so a frame is made as a camera makes it and the truth is exact.  And pairs that show nothing in common."""
import math

import numpy as np

WIDTH, HEIGHT = 640, 480
KINDS = ('shift', 'turn', 'hand', 'hand', 'pan', 'affine', 'plane')


def to_light(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def to_levels(light):
    light = light.clip(0, 1)
    return np.rint(255 * np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)).astype(np.uint8)


def softened(picture, sd):
    """Gaussian, by rows and columns."""
    reach = max(1, int(3 * sd + 0.5))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sd) ** 2)
    for axis in (0, 1):
        padded = np.pad(picture, [(reach, reach) if i == axis else (0, 0) for i in range(picture.ndim)], 'edge')
        n = picture.shape[axis]
        picture = sum(np.float32(tap) * np.take(padded, range(k, k + n), axis) for k, tap in enumerate(taps / taps.sum()))
    return picture


def place(matrix, x, y):
    w = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2]
    return (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2]) / w, (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2]) / w


def corners(width, height):
    return [(-0.5, -0.5), (width - 0.5, -0.5), (width - 0.5, height - 0.5), (-0.5, height - 0.5)]


def overlap(matrix, width=WIDTH, height=HEIGHT):
    """The polygon of A that B covers, and its share of A."""
    polygon = [place(matrix, *corner) for corner in corners(width, height)]
    for axis, limit, sign in ((0, -0.5, 1), (0, width - 0.5, -1), (1, -0.5, 1), (1, height - 0.5, -1)):
        cut = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1]):
            a, b = sign * (p[axis] - limit), sign * (q[axis] - limit)
            if a >= 0:
                cut.append(p)
            if (a >= 0) != (b >= 0):
                cut.append(tuple(p[i] + (q[i] - p[i]) * a / (a - b) for i in (0, 1)))
        polygon = cut
        if not polygon:
            return [], 0.0
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(polygon, polygon[1:] + polygon[:1])) / 2
    return polygon, abs(area) / (width * height)


def distances(found, truth):
    """At each corner of the overlap, in pixels of A, how far B's picture lies from where it belongs."""
    polygon, _ = overlap(truth)
    back = np.linalg.inv(truth)
    return [math.dist(place(found, *place(back, *corner)), corner) for corner in polygon]


# ------------------------------------------------------------------ movements --

def about_middle(matrix):
    middle = np.array([[1, 0, (WIDTH - 1) / 2], [0, 1, (HEIGHT - 1) / 2], [0, 0, 1.0]])
    return middle @ matrix @ np.linalg.inv(middle)


def turned(degrees, scale=1.0):
    a = math.radians(degrees)
    return np.array([[scale * math.cos(a), -scale * math.sin(a), 0], [scale * math.sin(a), scale * math.cos(a), 0], [0, 0, 1]])


def camera(rng, tilt, turn):
    """A camera that turns by `tilt` degrees, in a direction of its own, and rolls by `turn`: 28 to 70 mm on a full frame."""
    f, way, t = rng.uniform(0.78, 1.95) * WIDTH, rng.uniform(0, 2 * math.pi), math.radians(tilt)
    axis = np.array([[0, 0, math.cos(way)], [0, 0, math.sin(way)], [-math.cos(way), -math.sin(way), 0]])
    rotation = np.eye(3) + math.sin(t) * axis + (1 - math.cos(t)) * axis @ axis
    k = np.diag([f, f, 1.0])
    return k @ rotation @ turned(turn) @ np.linalg.inv(k)


def movement(rng, kind):
    """(p_A ~ M p_B, the least model that has it, what it is in words)."""
    shift = np.eye(3)
    shift[:2, 2] = rng.uniform(-0.75, 0.75, 2) * (WIDTH, HEIGHT)
    near = np.eye(3)
    near[:2, 2] = rng.normal(0, 12, 2)
    if kind == 'shift':
        if rng.random() < 0.3:
            shift = np.rint(shift)
        return shift, 'translation', 'shift'
    if kind == 'turn':
        degrees, scale = rng.uniform(-30, 30), math.exp(rng.uniform(math.log(0.6), math.log(1.6)))
        return shift @ about_middle(turned(degrees, scale)), 'similarity', f'turn {degrees:.0f}, scale {scale:.2f}'
    if kind in ('hand', 'pan'):
        tilt, turn = math.exp(rng.uniform(math.log(0.1), math.log(5))), rng.normal(0, 1.5)
        return (near if kind == 'hand' else shift) @ about_middle(camera(rng, tilt, turn)), 'homography', f'{kind}, tilt {tilt:.2f}'
    bent = turned(rng.uniform(-30, 30), math.exp(rng.uniform(math.log(0.7), math.log(1.4))))
    bent = bent @ np.array([[1 + rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0], [0, 1, 0], [0, 0, 1]])
    if kind == 'plane':
        bent[2, :2] = rng.uniform(-0.2, 0.2, 2) / (WIDTH, HEIGHT)
    return shift @ about_middle(bent), 'affine' if kind == 'affine' else 'homography', kind


# --------------------------------------------------------------------- frames --

class Photograph:
    def __init__(self, name, levels):
        self.name = name
        self.light = softened(to_light(levels.astype(np.float32) / 255).astype(np.float32), 0.7)
        self.height, self.width = self.light.shape[:2]

    def frame(self, to_photograph):
        """Light, as floats; `to_photograph`: from the frame's pixels."""
        middle = [place(to_photograph, WIDTH / 2 + dx, HEIGHT / 2 + dy) for dx, dy in ((0, 0), (1, 0), (0, 1))]
        inside = min(4, max(2, math.ceil(max(math.dist(middle[0], other) for other in middle[1:]) - 0.1)))         # each way
        step = (np.arange(inside) + 0.5) / inside - 0.5
        sums = np.zeros((HEIGHT, WIDTH, 3), np.float32)
        y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float64)
        flat = self.light.reshape(-1, 3)
        for dy in step:
            for dx in step:
                u, v = place(to_photograph, x + dx, y + dy)
                u, v = u.clip(0, self.width - 1.001), v.clip(0, self.height - 1.001)
                left, top = u.astype(np.int32), v.astype(np.int32)
                u, v = (u - left).astype(np.float32)[..., None], (v - top).astype(np.float32)[..., None]
                at = top * self.width + left
                above = flat[at] * (1 - u) + flat[at + 1] * u
                sums += above * (1 - v) + (flat[at + self.width] * (1 - u) + flat[at + self.width + 1] * u) * v
        return sums / inside ** 2

    def holds(self, to_photograph):
        return all(0 <= x < self.width - 1 and 0 <= y < self.height - 1 for x, y in (place(to_photograph, *corner) for corner in corners(WIDTH, HEIGHT)))


def developed(rng, light, gain=1.0, sd=0.0, standing=()):
    """Levels of 8 bits; what stands still is between the scene and the sensor."""
    levels = to_levels(light * gain).astype(np.float32)
    for mark in standing:
        levels = mark(levels)
    return (levels + rng.normal(0, 1, levels.shape) * sd if sd else levels).round().clip(0, 255).astype(np.uint8)


def crop_of(rng, photographs, width, height):
    """Detail of another photograph, as levels."""
    other = photographs[rng.integers(len(photographs))]
    y, x = rng.integers(0, other.height - 2 * height), rng.integers(0, other.width - 2 * width)
    return to_levels(other.light[y:y + 2 * height:2, x:x + 2 * width:2]).astype(np.float32)


def pasted(patch, x, y):
    def put(levels):
        levels = levels.copy()
        levels[y:y + patch.shape[0], x:x + patch.shape[1]] = patch
        return levels
    return put


def date_stamp(rng):
    """Digits of seven bars, as cameras burn them into a corner."""
    bars = {'0': 'abcdef', '1': 'bc', '2': 'abged', '3': 'abgcd', '4': 'fgbc', '5': 'afgcd', '6': 'afgedc', '7': 'abc', '8': 'abcdefg', '9': 'abcdfg'}
    places = {'a': (0, 0, 9, 2), 'b': (7, 0, 2, 9), 'c': (7, 8, 2, 9), 'd': (0, 15, 9, 2), 'e': (0, 8, 2, 9), 'f': (0, 0, 2, 9), 'g': (0, 7, 9, 2)}
    text = ''.join(rng.choice(list(bars), 8))

    def put(levels):
        levels = levels.copy()
        for i, digit in enumerate(text):
            for bar in bars[digit]:
                x, y, w, h = places[bar]
                x, y = WIDTH - 140 + 15 * i + x, HEIGHT - 35 + y
                levels[y:y + h, x:x + w] = (255, 150, 40)
        return levels
    return put


def dust(rng):
    """Dark spots of a sensor that stand in each frame."""
    spots = [(rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT), rng.uniform(2, 6), rng.uniform(0.3, 0.8)) for _ in range(rng.integers(10, 40))]

    def put(levels):
        y, x = np.mgrid[:HEIGHT, :WIDTH]
        for cx, cy, r, depth in spots:
            left, top, right, bottom = (int(v) for v in (max(0, cx - 4 * r), max(0, cy - 4 * r), cx + 4 * r, cy + 4 * r))
            area = np.s_[top:bottom, left:right]
            levels[area] *= 1 - depth * np.exp(-0.5 * ((x[area] - cx) ** 2 + (y[area] - cy) ** 2) / r ** 2)[..., None].astype(np.float32)
        return levels
    return put


class Related:
    """A pair with its truth."""

    def __init__(self, rng, photographs, number, only=''):
        self.kind = KINDS[number % len(KINDS)] if not only else only
        photograph = photographs[(number // len(KINDS) + number) % len(photographs)]
        self.matrix, self.least, words = self.draw(rng, photograph)
        self.share = overlap(self.matrix)[1]
        gain = 0.0 if rng.random() < 0.4 else rng.uniform(-3, 3)
        sd = float(rng.choice([0, 2, 4, 6]))
        words += f', {gain:+.1f} EV, noise {sd:.0f}'
        standing, moving = [], []
        if rng.random() < 0.25:
            patch = crop_of(rng, photographs, int(rng.integers(80, 220)), int(rng.integers(80, 200)))
            moving = [patch]
            words += f', object {patch.shape[1]}x{patch.shape[0]}'
        chance = rng.random()
        if chance < 0.1:
            standing, words = [date_stamp(rng)], words + ', date'
        elif chance < 0.2:
            patch = crop_of(rng, photographs, int(rng.integers(60, 160)), int(rng.integers(30, 100)))
            standing, words = [pasted(patch, 10, HEIGHT - 10 - patch.shape[0])], words + ', logo'
        elif chance < 0.3:
            standing, words = [dust(rng)], words + ', dust'
        self.words = f'{photograph.name[:12]}: {words}, overlap {self.share:.2f}'
        marks = [[pasted(patch, int(rng.integers(0, WIDTH - patch.shape[1])), int(rng.integers(0, HEIGHT - patch.shape[0]))) for patch in moving] for _ in 'ab']
        self.a = developed(rng, photograph.frame(self.of_a), 1.0, sd, marks[0] + standing)
        self.b = developed(rng, photograph.frame(self.of_a @ self.matrix), 2.0 ** gain, sd, marks[1] + standing)

    def draw(self, rng, photograph):
        """A movement whose frames lie within the photograph, with the overlap that is wished: 0.3 to 0.95; from the hand 0.6 to 1."""
        wished, near = (0.8, 0.2) if self.kind == 'hand' else (rng.uniform(0.3, 0.95), 0.04)
        largest = min(photograph.width / WIDTH, photograph.height / HEIGHT)
        for attempt in range(100000):
            matrix, least, words = movement(rng, self.kind)
            if abs(overlap(matrix)[1] - wished) > near + attempt * 1e-4:
                continue
            ratio = rng.uniform(min(1.25, 0.6 * largest), min(0.8 * largest, 3.0))
            self.of_a = np.array([[ratio, 0, rng.uniform(0, photograph.width - ratio * WIDTH)], [0, ratio, rng.uniform(0, photograph.height - ratio * HEIGHT)], [0, 0, 1]])
            if photograph.holds(self.of_a @ matrix):
                return matrix / matrix[2, 2], least, words
        raise RuntimeError(f'{photograph.name} is too small')
