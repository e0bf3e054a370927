# SPDX-License-Identifier: LGPL-3.0-or-later
"""Pairs of pictures that have nothing in common, or nothing but what stands still, what repeats, or what looks alike."""
import numpy as np

import drawn
from drawn import HEIGHT, WIDTH

KINDS = ('others', 'others', 'others', 'others', 'crops', 'crops', 'mirrored', 'text', 'windows', 'sky', 'noise', 'logo', 'stamped', 'negative')


def crop(rng, photograph, left=0.0, right=1.0):
    """A frame of a part of the photograph's width."""
    width = (right - left) * photograph.width
    ratio = rng.uniform(0.6, 0.95) * min(width / WIDTH, photograph.height / HEIGHT)
    x, y = left * photograph.width + rng.uniform(0, width - ratio * WIDTH), rng.uniform(0, photograph.height - ratio * HEIGHT)
    return photograph.frame(np.array([[ratio, 0, x], [0, ratio, y], [0, 0, 1.0]]))


def glyphs(rng):
    """A font: 40 signs of strokes."""
    signs = []
    for _ in range(40):
        sign = np.zeros((12, 8), np.float32)
        for _ in range(rng.integers(2, 4)):
            if rng.random() < 0.5:
                sign[rng.integers(0, 11):, :][:2, rng.integers(0, 4):rng.integers(5, 9)] = 1
            else:
                sign[rng.integers(0, 5):rng.integers(7, 13), rng.integers(0, 7):][:, :2] = 1
        signs.append(sign)
    return signs


def page(rng, signs, words):
    """Words of a list, so that the same stand in both pages, in other places."""
    levels = np.full((HEIGHT, WIDTH, 3), 245, np.float32)
    for y in range(20, HEIGHT - 30, 20):
        x = 20
        while True:
            word = words[rng.integers(len(words))]
            if x + 9 * len(word) > WIDTH - 20:
                break
            for sign in word:
                levels[y:y + 12, x:x + 8] = (245 - 220 * signs[sign])[..., None]
                x += 9
            x += 9
    return drawn.softened(levels, 0.6)


def windows(rng, pane):
    """A front of equal windows, lit and dark by chance."""
    cell, levels = 60, drawn.softened(rng.normal(150, 25, (HEIGHT, WIDTH, 3)).astype(np.float32), 1.5)
    for y in range(0, HEIGHT, cell):
        for x in range(0, WIDTH - cell + 1, cell):
            left, top = x + 14, y + 12
            levels[top:top + 38, left:left + 30] = 60
            for dy, dx in ((2, 2), (2, 16), (20, 2), (20, 16)):
                levels[top + dy:top + dy + 16, left + dx:left + dx + 12] = (pane if rng.random() < 0.5 else 90)
    return drawn.softened(levels, 0.7)


def sky(rng):
    """Clouds: noise of many sizes, on a ramp."""
    levels = np.zeros((HEIGHT, WIDTH, 1), np.float32)
    for size in (60, 30, 15, 8):
        coarse = rng.normal(0, size / 3, (HEIGHT // size + 2, WIDTH // size + 2, 1)).astype(np.float32)
        levels += drawn.softened(np.repeat(np.repeat(coarse, size, 0), size, 1)[:HEIGHT, :WIDTH], size / 2)
    return (170 + levels + np.linspace(-20, 20, HEIGHT, dtype=np.float32)[:, None, None]) * np.array([0.8, 0.95, 1.1], np.float32)


class Unrelated:
    def __init__(self, rng, photographs, number, only=''):
        self.kind = only or KINDS[number % len(KINDS)]
        sd = float(rng.choice([0, 2, 4, 6]))
        i, j = rng.choice(len(photographs), 2, replace=False)
        one, other = photographs[i], photographs[j]
        self.words = f'{self.kind}: {one.name[:12]}, {other.name[:12]}, noise {sd:.0f}'
        self.a, self.b = (np.asarray(levels + rng.normal(0, 1, levels.shape) * sd).round().clip(0, 255).astype(np.uint8)
                          for levels in getattr(self, self.kind)(rng, one, other, photographs))

    @staticmethod
    def levels(rng, photograph, **part):
        return drawn.to_levels(crop(rng, photograph, **part)).astype(np.float32)

    def others(self, rng, one, other, _):
        return self.levels(rng, one), self.levels(rng, other)

    def crops(self, rng, one, _other, _):
        return self.levels(rng, one, right=0.49), self.levels(rng, one, left=0.51)

    def mirrored(self, rng, one, _other, _):
        a = self.levels(rng, one)
        return a, a[:, ::-1] if rng.random() < 0.5 else a[::-1]

    def negative(self, rng, one, _other, _):
        a = self.levels(rng, one, right=0.49)
        return a, 255 - self.levels(rng, one, left=0.51)

    def text(self, rng, _one, _other, _):
        signs = glyphs(rng)
        words = [tuple(rng.integers(0, 40, rng.integers(2, 10))) for _ in range(60)]
        return page(rng, signs, words), page(rng, signs, words)

    def windows(self, rng, _one, _other, _):
        return windows(rng, 150), windows(rng, 150)

    def sky(self, rng, _one, _other, _):
        return sky(rng), sky(rng)

    def noise(self, rng, _one, _other, _):
        sd = rng.choice([0.01, 1, 2])
        return [drawn.softened(rng.normal(128, 40, (HEIGHT, WIDTH, 3)).astype(np.float32), sd) for _ in 'ab']

    def logo(self, rng, one, other, photographs):
        """The same logo on both, in other places."""
        patch = drawn.crop_of(rng, photographs, 140, 80)
        return [drawn.pasted(patch, int(rng.integers(0, WIDTH - 140)), int(rng.integers(0, HEIGHT - 80)))(self.levels(rng, which)) for which in (one, other)]

    def stamped(self, rng, one, other, _):
        """What stands still on both: the date, or dust."""
        mark = (drawn.date_stamp if rng.random() < 0.5 else drawn.dust)(rng)
        return mark(self.levels(rng, one)), mark(self.levels(rng, other))
