#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-points.py BUILD [--table]: tessera:sift-save against OpenCV's SIFT, on our photographs and scikit-image's.

Every side is given the same grey numbers: perceptual luminance of 8 bits, at most 640 pixels wide and high.  OpenCV's keypoints lie
0.25 pixels to the right and below (it forgets where the centre of a doubled pixel is), and are moved by that.  A partner is within
1 pixel and 10 % of the size.

Camera and coins, and coins turned by 30 degrees, reduced to 0.71 and seen from the side: a frame is repeated if the other picture
has one within 1.5 pixels and 25 % of the size of where it comes to lie; a match (ratio 0.8) is an inlier within 3 pixels.  We
against ourselves, we against OpenCV and OpenCV against us, beside OpenCV against itself.  --table prints all that is measured.
Exit code 77: OpenCV or scikit-image is not there."""
import os
import sys
import tempfile

from greys import LEGS, Bars, cv2, grey_of, np, pictures
from keypoints import are_partners, distances, mapped, moved, of_file, of_opencv, share, turned_by

from common import Gegl, Report

MARGIN, LEAST_SIGMA = 16, 0.9
WARPED = 'scikit-image coins.png'


def of_operation(gegl, report, name, grey, work):
    """Both legs; those of C, or None."""
    source, texts = os.path.join(work, 'grey.png'), []
    cv2.imwrite(source, grey)
    for leg, env in LEGS.items():
        out = os.path.join(work, f'{leg}.csv')
        code, lines = gegl.run([source, '--', 'tessera:sift-save', f'path={out}', 'format=csv'], **env)
        if not report.check(f'{name}: {leg}', code == 0 and not lines and os.path.exists(out), ' | '.join(lines)):
            return None
        with open(out, 'rb') as file:
            texts.append(file.read())
    report.check(f'{name}: the file in C and OpenCL, every byte', texts[0] == texts[1])
    found = of_file(os.path.join(work, 'C.csv'))
    for leg in LEGS:
        os.remove(os.path.join(work, f'{leg}.csv'))
    return found


def check_saver(gegl, report, path, work):
    """gegl PICTURE -o POINTS.key"""
    texts = []
    for name, words in (('saved.key', ['-o', '{}']), ('sink.key', ['--', 'tessera:sift-save', 'path={}'])):
        out = os.path.join(work, name)
        code, lines = gegl.run([path] + [word.format(out) for word in words], **LEGS['C'])
        report.check(f'{name}: gegl writes it', code == 0 and not lines and os.path.exists(out), ' | '.join(lines))
        if os.path.exists(out):
            with open(out, 'rb') as file:
                texts.append(file.read())
    report.check('gegl PICTURE -o POINTS.key is sift-save', len(texts) == 2 and texts[0] == texts[1])


def compare_picture(bars, ours, theirs):
    are = are_partners(ours.frames, theirs.frames, 1, 1.1)
    bars.tell('keypoints, ours / theirs', (len(ours), len(theirs)))
    bars.least('partner within 1 px and 10 %, ours found there / theirs found here', (share(are.any(axis=1)), share(are.any(axis=0))),
               (97, 97))
    away = distances(ours.frames, theirs.frames)
    turned = np.abs((ours.frames[:, None, 3] - theirs.frames[None, :, 3] + 180) % 360 - 180)
    one = np.nonzero(are.any(axis=1))[0]
    other = np.where(are, away + 1e-3 * turned, np.inf)[one].argmin(axis=1)      # of several angles the nearest
    bars.most('distance of partners, median', np.median(away[one, other]), 0.01)
    bars.most('distance of partners, 95 %', np.percentile(away[one, other], 95), 0.05)
    bars.least('angle within 1 degree', (share(turned[one, other] <= 1),), (98,))
    length = np.linalg.norm(ours.descriptors[one] - theirs.descriptors[other], axis=1)
    bars.most('descriptor, median of the distance', np.median(length), 3)
    bars.most('descriptor, 95 % of the distance', np.percentile(length, 95), 40)


# --------------------------------------------------------------------- warps

def from_the_side(width, height):
    corners = np.float32([(0, 0), (width, 0), (width, height), (0, height)])
    to = np.float32([(.08, .03), (.97, .12), (.90, .95), (.02, .88)]) * np.float32([width, height])
    return moved(-0.5, -0.5) @ cv2.getPerspectiveTransform(corners, to) @ moved(0.5, 0.5)


def warps(grey):
    """(name, matrix between centres of pixels, the picture)"""
    height, width = grey.shape
    scale, size = 0.71, (round(0.71 * width), round(0.71 * height))
    reduce = moved(-0.5, -0.5) @ np.diag([scale, scale, 1]) @ moved(0.5, 0.5)
    soft = cv2.GaussianBlur(grey, (0, 0), 0.5 * np.sqrt(1 / scale ** 2 - 1))
    for name, source, matrix, canvas in (('rotate 30', grey, turned_by(30, width, height), (width, height)),
                                         ('scale 0.71', soft, reduce, size),
                                         ('perspective', grey, from_the_side(width, height), (width, height))):
        yield name, matrix, cv2.warpPerspective(source, matrix, canvas, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def repeated(before, after, matrix, shape):
    """The share of the frames that the other picture can show."""
    there = mapped(before.distinct(), matrix)
    height, width = shape
    x, y, sigma = there.T
    there = there[(x >= MARGIN) & (y >= MARGIN) & (x <= width - 1 - MARGIN) & (y <= height - 1 - MARGIN) & (sigma >= LEAST_SIGMA)]
    return share(are_partners(there, after.distinct(), 1.5, 1.25).any(axis=1))


def inliers(before, after, matrix):
    """Their number, and their share of the matches."""
    pairs = [pair[0] for pair in cv2.BFMatcher(cv2.NORM_L2).knnMatch(before.descriptors, after.descriptors, k=2)
             if len(pair) == 2 and pair[0].distance < 0.8 * pair[1].distance]
    there = mapped(before.frames[[pair.queryIdx for pair in pairs]], matrix)
    off = np.hypot(*(there[:, :2] - after.frames[[pair.trainIdx for pair in pairs], :2]).T)
    return int((off <= 3).sum()), share(off <= 3)


def compare_warp(bars, name, sides, matrix, shape):
    """sides: {'ours', 'OpenCV'}: keypoints of both pictures"""
    least = repeated(*sides['OpenCV'], matrix, shape)
    count, good = inliers(*sides['OpenCV'], matrix)
    bars.tell(f'{name}, OpenCV: repeated, inliers, their share', (least, count, good))
    bars.least(f'{name}, repeated', (repeated(*sides['ours'], matrix, shape),), (least - 2,))
    for before, after in (('ours', 'ours'), ('ours', 'OpenCV'), ('OpenCV', 'ours')):
        values = inliers(sides[before][0], sides[after][1], matrix)
        bars.least(f'{name}, {before} to {after}, inliers / their share', values, (0.95 * count, good - 2))


def check_warps(gegl, bars, grey, both, work):
    for name, matrix, other in warps(grey):
        ours = of_operation(gegl, bars.report, f'{bars.name}, {name}', other, work)
        if ours is not None:
            compare_warp(bars, name, {'ours': (both['ours'], ours), 'OpenCV': (both['OpenCV'], of_opencv(other))}, matrix,
                         other.shape)


def main():
    gegl, report, table = Gegl(sys.argv[1]), Report(), '--table' in sys.argv
    with tempfile.TemporaryDirectory() as work:
        check_saver(gegl, report, pictures()[0][1], work)
        for name, path in pictures():
            grey, bars = grey_of(path), Bars(report, name, table)
            ours = of_operation(gegl, report, name, grey, work)
            if ours is None:
                continue
            theirs = of_opencv(grey)
            compare_picture(bars, ours, theirs)
            if name == WARPED:
                check_warps(gegl, bars, grey, {'ours': ours, 'OpenCV': theirs}, work)
    report.finish()


main()
