# SPDX-License-Identifier: LGPL-3.0-or-later
"""Keypoints, ours and OpenCV's, and where a matrix takes them: what run-points.py and tools/quality share."""
import csv

from greys import cv2, np

SHIFT = 0.25                            # of OpenCV 4.6


class Keypoints:
    """Columns x, y, sigma, angle; 128 elements a row."""

    def __init__(self, frames, descriptors):
        self.frames = np.asarray(frames, float).reshape(-1, 4)
        self.descriptors = np.asarray(descriptors, np.float32).reshape(-1, 128)

    def __len__(self):
        return len(self.frames)

    def distinct(self):
        """Frames without their angles."""
        return np.unique(self.frames[:, :3], axis=0)


def of_opencv(grey, most=0):
    """`most`: at most so many, the strongest; 0: all.  The other settings are its defaults, which are ours too."""
    points, descriptors = cv2.SIFT_create(nfeatures=most).detectAndCompute(grey, None)
    if 0 < most < len(points):                  # it keeps all that are as strong as the last one
        kept = sorted(range(len(points)), key=lambda i: -points[i].response)[:most]
        points, descriptors = [points[i] for i in kept], descriptors[kept]
    frames = [(point.pt[0] - SHIFT, point.pt[1] - SHIFT, point.size / 2, point.angle) for point in points]
    return Keypoints(frames, descriptors if points else [])


def of_file(path):
    with open(path, newline='', encoding='ascii') as file:
        rows = list(csv.reader(file))
    assert rows[0][:7] == ['x', 'y', 'sigma', 'angle', 'response', 'octave', 'layer'] and len(rows[0]) == 135, rows[0]
    numbers = np.array([[float(word) for word in row] for row in rows[1:]]).reshape(-1, 135)
    return Keypoints(numbers[:, :4], numbers[:, 7:])


def to_file(keypoints, path):
    """As tessera:sift-save writes CSV; response, octave and layer are 0, which no reader needs."""
    with open(path, 'w', newline='', encoding='ascii') as file:
        writer = csv.writer(file)
        writer.writerow(['x', 'y', 'sigma', 'angle', 'response', 'octave', 'layer', *(f'd{i}' for i in range(128))])
        for frame, descriptor in zip(keypoints.frames, keypoints.descriptors):
            writer.writerow([*(f'{number:.6f}' for number in frame), 0, 0, 0, *(int(number) for number in descriptor)])


def distances(some, others):
    return np.hypot(some[:, None, 0] - others[None, :, 0], some[:, None, 1] - others[None, :, 1])


def are_partners(some, others, distance, ratio):
    sizes = np.abs(np.log(some[:, None, 2] / others[None, :, 2]))
    return (distances(some, others) <= distance) & (sizes <= np.log(ratio))


def share(found):
    return 100 * found.mean() if found.size else 0.0


def moved(x, y):
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


def turned_by(degrees, width, height):
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    return moved((width - 1) / 2, (height - 1) / 2) @ turn @ moved(-(width - 1) / 2, -(height - 1) / 2)


def mapped(frames, matrix):
    """x, y, sigma where they come to lie."""
    x, y = frames[:, 0], frames[:, 1]
    u, v, w = matrix @ np.stack([x, y, np.ones_like(x)])
    area = np.abs(np.linalg.det(matrix) / w ** 3)
    return np.stack([u / w, v / w, frames[:, 2] * np.sqrt(area)], axis=1)
