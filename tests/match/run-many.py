#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-many.py BUILD: tessera-match of folders, for COLMAP and hugin, with settings of its search; and which of these are refused together."""
import filecmp
import json
import math
import os
import re
import shutil
import struct
import sys
import tempfile

from match_commands import Command, IMAGES, TURNED, corner_error, make_small, make_turned, mapped, points, write
from common import Report


def check_exclusions(report, match, work, a, b, small):
    """Numbers of keypoints are those of files that COLMAP imports, or refused; so is what would do nothing."""
    texts = [os.path.splitext(path)[0] + '.txt' for path in (a, b)]
    other = os.path.join(work, 'other.ppm')
    shutil.copy(small, other)
    os.makedirs(os.path.join(work, 'elsewhere'), exist_ok=True)
    shutil.copy(small, os.path.join(work, 'elsewhere'))
    same = os.path.join(work, 'elsewhere', os.path.basename(small))
    cases = {'--colmap of pictures': ([small, other, '--colmap', '-'], 'have them written by --keypoints FOLDER'),
             '--colmap of a picture and a file': ([small, texts[0], '--colmap', '-'], 'have them written by --keypoints FOLDER'),
             '--colmap of a key file': ([a, texts[1], '--colmap', '-'], '.key and .csv files are none of these'),
             '--colmap of two pictures with one name': ([small, same, '--colmap', '-', '--keypoints', 'kept'], 'two pictures are called small.ppm'),
             '--keypoints of files': ([*texts, '--keypoints', 'kept'], '--keypoints is for pictures'),
             '--keypoints over a file that is compared': ([small, small + '.txt', '--keypoints', '.'], 'would be written over'),
             '--max-features of files': ([*texts, '--max-features', '10'], 'are for pictures'),
             '--contrast-threshold of files': ([*texts, '--contrast-threshold', '0.02'], 'are for pictures'),
             '--edge-threshold of files': ([*texts, '--edge-threshold', '12'], 'are for pictures'),
             'an edge threshold of 1': ([small, other, '--edge-threshold', '1'], '--edge-threshold is not'),
             '--normalization of files': ([*texts, '--normalization', 'root'], 'are for pictures'),
             'a normalization of another name': ([small, other, '--normalization', 'l1'], '--normalization is neither'),
             'a threshold below 0': ([small, other, '--contrast-threshold', '-0.5'], '--contrast-threshold is not'),
             'a threshold that is no number': ([small, other, '--contrast-threshold', 'nan'], '--contrast-threshold is not'),
             'fewer than no keypoints': ([small, other, '--max-features', '-1'], '--max-features is not'),
             '--neighbours of two': ([small, other, '--neighbours', '1'], '--neighbours is for'),
             'neighbours below 0': ([small, other, other, '--neighbours', '-1'], '--neighbours is not'),
             '--pto of files': ([*texts, '--pto', '-'], '--pto needs pictures'),
             '--picture of three': ([small, other, same, '--picture', 'x.png'], '--picture is for two'),
             'two lists on one output': ([small, other, '--json', '-', '--pto', '-'], 'only one of'),
             '--keypoints where no folder can be': ([small, other, '--keypoints', small], 'cannot be made')}
    write(small + '.txt', points(TURNED, 5, 0)[0])
    for name, (words, said) in cases.items():
        done = match(*words)
        report.check(f'{name}: exit 2, one line', done.returncode == 2 and done.stderr.startswith('tessera-match: ') and done.stderr.count('\n') == 1
                     and said in done.stderr and not done.stdout, f'exit {done.returncode}, {done.stderr!r} {done.stdout[:80]!r}')
    os.remove(small + '.txt')


def blocks_of(text):
    """Of a list of COLMAP's: both names, and pairs of indices."""
    for block in text.strip('\n').split('\n\n'):
        first, *rest = block.split('\n')
        yield tuple(first.split()), [tuple(map(int, line.split())) for line in rest]


def places_of(path):
    with open(path, encoding='ascii') as file:
        return [tuple(map(float, line.split()[:2])) for line in file.read().split('\n')[1:-1]]


def check_settings(report, match, work, photo, turned):
    """The keypoints that were used are those of the files that are written; options do what tessera:sift-save's properties do."""
    words = '--max-features', '300', '--contrast-threshold', '0.02', '--edge-threshold', '14', '--normalization', 'root'
    done = match(photo, turned, *words, '--keypoints', 'points', '--colmap', '-')
    (names, pairs), = blocks_of(done.stdout)
    files = [os.path.join(work, 'points', name + '.txt') for name in names]
    report.check('--keypoints: a file for each picture', done.returncode == 0 and names == (os.path.basename(photo), os.path.basename(turned))
                 and sorted(os.listdir(os.path.join(work, 'points'))) == sorted(name + '.txt' for name in names), done.stderr)
    told = json.loads(match(photo, turned, *words, '--json', '-').stdout)
    places = [places_of(path) for path in files]
    report.check('--keypoints: 300 of each', [len(side) for side in places] == [300, 300] == [told[side]['keypoints'] for side in 'ab'])
    report.check('--keypoints: the list counts them', len(pairs) == len(told['matches']) > 50 and all(
        pair == (row[0], row[1]) and max(abs(one - other - 0.5) for k in (0, 1) for one, other in zip(places[k][pair[k]], row[4 + 2 * k:6 + 2 * k])) < 2e-4
        for pair, row in zip(pairs, told['matches'])))
    report.check('--keypoints: the files give the same list', match(*files, '--colmap', '-').stdout == done.stdout)
    own = os.path.join(work, 'own.jpg.txt')
    match.gegl.run([photo, '--', 'tessera:sift-save', 'path=' + own, 'max-features=300', 'contrast-threshold=0.02', 'edge-threshold=14', 'normalization=root'], GEGL_USE_OPENCL='no')
    report.check('--keypoints: the bytes of tessera:sift-save', filecmp.cmp(own, files[0], shallow=False))
    plain = os.path.join(work, 'plain.jpg.txt')
    match.gegl.run([photo, '--', 'tessera:sift-save', 'path=' + plain, 'max-features=300', 'contrast-threshold=0.02', 'edge-threshold=14'], GEGL_USE_OPENCL='no')
    report.check('--normalization root: other bytes than l2', places_of(plain) == places[0] and not filecmp.cmp(own, plain, shallow=False))
    match(photo, turned, '--keypoints', 'defaults', '--quiet')
    counts = [len(places_of(os.path.join(work, 'defaults', name + '.txt'))) for name in names]
    told = json.loads(match(photo, turned, '--json', '-').stdout)
    report.check('all keypoints by default', min(counts) > 800 and counts == [told[side]['keypoints'] for side in 'ab'], str(counts))


def check_stored(report, match, work, other):
    """COLMAP and hugin read the pixels of a file as they are stored; people see them upright."""
    photo, upright = os.path.join(IMAGES, 'seeding.jpg'), os.path.join(work, 'upright.jpg')
    with open(photo, 'rb') as file:
        data = file.read()
    tag = b'Exif\0\0MM\0*' + struct.pack('>IHHHIHHI', 8, 1, 274, 3, 1, 6, 0, 0)
    with open(upright, 'wb') as file:
        file.write(data[:2] + b'\xff\xe1' + struct.pack('>H', 2 + len(tag)) + tag + data[2:])
    told = json.loads(match(upright, other, '--json', '-').stdout)
    report.check('a photograph taken upright: seen so', (told['a']['width'], told['a']['height']) == (768, 1024), str(told['a']))
    project = match(upright, photo, '--keypoints', 'stored', '--pto', '-').stdout
    files = [os.path.join(work, 'stored', name + '.txt') for name in ('upright.jpg', 'seeding.jpg')]
    report.check('... and for COLMAP and hugin as it is stored', filecmp.cmp(*files, shallow=False) and project.count('\ni w1024 h768 ') == 2, project[:300])
    report.check('... whose control points are the same places', re.findall(r'^c n0 N1 x(\S+) y(\S+) ', project, re.M) == re.findall(r'^c .* X(\S+) Y(\S+) t0$', project, re.M) != [])


def check_dark(report, match, work, photo, turned):
    """Where few keypoints are found, they are looked for again, lower; not if a threshold is asked for."""
    dark = []
    for number, path in enumerate((photo, turned)):
        dark.append(os.path.join(work, f'dark{number}.png'))
        match.gegl.run([path, '-o', dark[-1], '--', 'gegl:brightness-contrast', 'contrast=0.3'], GEGL_USE_OPENCL='no')
    done = match(*dark)
    told = json.loads(match(*dark, '--json', '-').stdout)
    report.check('dark pictures: aligned at a lower threshold, which is said', done.returncode == 0 and 'at contrast threshold 0.01 (at 0.04 ' in done.stdout
                 and told['a']['contrast_threshold'] == 0.01, done.stdout + done.stderr)
    done = match(*dark, '--contrast-threshold', '0.04')
    report.check('dark pictures with --contrast-threshold: no other', done.returncode == 1 and 'at contrast threshold' not in done.stdout, done.stdout)
    done = match(*dark, '--contrast-threshold', '0.01')
    report.check('dark pictures with a lower one: aligned', done.returncode == 0, done.stdout)
    noisy = []
    for number in range(2):
        noisy.append(os.path.join(work, f'noisy{number}.png'))
        match.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', noisy[-1], '--', 'gegl:crop', f'x={128 * number}', 'width=896', 'height=768', 'gegl:brightness-contrast', 'contrast=0.5',
                        'gegl:noise-rgb', 'red=0.15', 'green=0.15', 'blue=0.15', f'seed={number}'], GEGL_USE_OPENCL='no')
    done = match(*noisy)
    told = json.loads(match(*noisy, '--json', '-').stdout)
    first = [int(n) for n in re.findall(r'at 0\.04 (\d+)\)', done.stdout)]
    report.check('pictures with enough keypoints, of which too few agree: aligned at a lower threshold', done.returncode == 0 and len(first) == 2 and min(first) >= 200
                 and abs(told['matrix'][2] - 128) < 1 and abs(told['matrix'][5]) < 1, done.stdout)
    stained = []
    for name in 'seeding', 'mountains':
        stained.append(os.path.join(work, f'stained-{name}.png'))
        match.gegl.run([os.path.join(IMAGES, name + '.jpg'), '-o', stained[-1], '--', 'gegl:crop', 'width=640', 'height=640', 'gegl:brightness-contrast', 'contrast=0.5',
                        'gegl:noise-rgb', 'red=0.1', 'green=0.1', 'blue=0.1', 'seed=7'], GEGL_USE_OPENCL='no')
    done = match(*stained)
    report.check('unrelated pictures with the same faint noise of a sensor: not aligned', done.returncode == 1, done.stdout)
    report.check('enough keypoints, at the threshold that is asked for alone', match(*noisy, '--contrast-threshold', '0.04').returncode == 1, '')


def check_hugin(report, match, work, photo, turned):
    """A project: pictures with their sizes, and control points that agree with the matrix."""
    done = match(photo, turned, '--pto', 'two.pto', '--json', '-')
    matrix = json.loads(done.stdout)['matrix']
    with open(os.path.join(work, 'two.pto'), encoding='utf-8') as file:
        lines = file.read().split('\n')
    images = [line for line in lines if line.startswith('i ')]
    report.check('--pto: a panorama, two pictures, what is to be found', sum(line.startswith('p ') for line in lines) == 1 and len(images) == 2
                 and images[0].startswith('i w768 h768 f0 v50 ') and images[0].endswith(f' n"{photo}"')
                 and images[1].startswith('i w700 h600 f0 v50 ') and images[1].endswith(' n"turned.png"')
                 and {'v', 'v v0', 'v v1', 'v r1', 'v p1', 'v y1'} == {line for line in lines if line[:1] == 'v'}, '\n'.join(images))
    pattern = re.compile(r'c n0 N1 x(\S+) y(\S+) X(\S+) Y(\S+) t0')
    found = [pattern.fullmatch(line) for line in lines if line.startswith('c ')]
    off = [math.dist(mapped(matrix, float(c[3]), float(c[4])), (float(c[1]), float(c[2]))) for c in found if c]
    squares = {(float(c[1]) * 8 // 768, float(c[2]) * 8 // 768) for c in found if c}
    report.check('--pto: control points, spread over the picture, where the matrix says', all(found) and 20 < len(off) <= 64 and max(off) < 3
                 and len(squares) == len(off), f'{len(off)}, {max(off, default=0):.2f} px')
    done = match(photo, os.path.join(IMAGES, 'seeding.jpg'), '--pto', '-')
    report.check('--pto of what does not align: no control points', done.returncode == 1 and '\nc n' not in done.stdout and done.stdout.count('\ni w') == 2, done.stdout)


def check_folder(report, match, work, photo):
    """All pairs of a folder, each picture searched once; what cannot be read is left out; neighbours alone."""
    folder = os.path.join(work, 'many')
    os.mkdir(folder)
    for number in range(4):
        match.gegl.run([photo, '-o', os.path.join(folder, f'view{8 + number}.png'), '--', 'gegl:crop', f'x={60 * number}', f'y={20 * number}', 'width=400', 'height=400',
                        'gegl:translate', f'x={-60 * number}', f'y={-20 * number}'], GEGL_USE_OPENCL='no')
    match.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', os.path.join(folder, 'zoo.png'), '--', 'gegl:crop', 'width=400', 'height=400'], GEGL_USE_OPENCL='no')
    for name in 'notes.md', 'view9.xcf', '.hidden.png':
        with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
            file.write('no picture\n')
    with open(os.path.join(folder, 'view10.png'), 'rb') as whole, open(os.path.join(folder, 'broken.png'), 'wb') as file:
        file.write(whole.read(3000))
    done = match('many', '--json', 'many.json', '--colmap', 'many.txt', '--keypoints', 'many-points', '--pto', 'many.pto')
    names = ['view8.png', 'view9.png', 'view10.png', 'view11.png', 'zoo.png']
    with open(os.path.join(work, 'many.json'), encoding='utf-8') as file:
        told = json.load(file)
    lines = done.stdout.splitlines()
    report.check('a folder: what cannot be read is named, on one line', done.returncode == 0 and done.stderr.count('\n') == 1
                 and done.stderr.startswith('tessera-match: many/broken.png: ') and done.stderr.endswith('; it is left out\n'), done.stderr)
    report.check('a folder: the pictures in the order of their numbers', [os.path.basename(picture['file']) for picture in told['pictures']] == names, str(told['pictures']))
    order = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    aligned = [(pair['a'], pair['b']) for pair in told['pairs'] if pair['aligned']]
    report.check('a folder: a line for each pair, and the sum', len(lines) == 11 and lines[-1] == '6 of 10 pairs are aligned'
                 and all(line.startswith(f'many/{names[a]}, many/{names[b]}: ') for line, (a, b) in zip(lines, order)), done.stdout)
    report.check('a folder: the right pairs', [(pair['a'], pair['b']) for pair in told['pairs']] == order
                 and aligned == [(a, b) for a, b in order if b < 4], str(aligned))
    report.check('a folder: the right transforms', all(corner_error(pair['matrix'], [1, 0, 60 * (pair['b'] - pair['a']), 0, 1, 20 * (pair['b'] - pair['a']), 0, 0, 1], 400, 400) < 0.1
                                                       for pair in told['pairs'] if pair['aligned']))
    one = json.loads(match('many/view8.png', 'many/view10.png', '--json', '-').stdout)
    report.check('a folder: a pair as it is alone', [one[key] for key in ('matrix', 'matches', 'inliers')] == [told['pairs'][1][key] for key in ('matrix', 'matches', 'inliers')])
    with open(os.path.join(work, 'many.txt'), encoding='ascii') as file:
        blocks = list(blocks_of(file.read()))
    report.check('a folder: COLMAP has all pairs', [both for both, _ in blocks] == [(names[a], names[b]) for a, b in order]
                 and [pairs for _, pairs in blocks] == [[tuple(row[:2]) for row in pair['matches']] for pair in told['pairs']]
                 and sorted(os.listdir(os.path.join(work, 'many-points'))) == sorted(name + '.txt' for name in names))
    with open(os.path.join(work, 'many.pto'), encoding='utf-8') as file:
        project = file.read()
    linked = {tuple(map(int, pair)) for pair in re.findall(r'^c n(\d+) N(\d+) ', project, re.M)}
    report.check('a folder: hugin has the pairs that are aligned', linked == set(aligned) and re.findall(r'^i .* n"([^"]*)"$', project, re.M) == ['many/' + name for name in names]
                 and project.count(' v=0 ') == 4, project[:300])
    report.check('a folder: the files of keypoints give the same list', match('many-points', '--colmap', '-').stdout.split() == match('many', '--colmap', '-', '--keypoints', 'again').stdout.split())
    few = json.loads(match('many', '--neighbours', '1', '--json', '-').stdout)
    report.check('--neighbours 1: each with the next', [(pair['a'], pair['b']) for pair in few['pairs']] == [(0, 1), (1, 2), (2, 3), (3, 4)])
    done = match('many/view8.png', 'many/broken.png')
    report.check('of two, one that cannot be read is an error', done.returncode == 2 and 'broken.png' in done.stderr and not done.stdout, done.stderr)
    done = match('many/view8.png', 'many/broken.png', 'many/notes.md')
    report.check('fewer than two are left: exit 2', done.returncode == 2 and 'fewer than two pictures are left' in done.stderr and not done.stdout, done.stderr)
    done = match('many/view8.png', 'many/zoo.png', os.path.join(IMAGES, 'mountains.jpg'))
    report.check('no pair of three is aligned: exit 1', done.returncode == 1 and done.stdout.endswith('\n0 of 3 pairs are aligned\n'), done.stdout)


def main():
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-match-') as work:
        match = Command(sys.argv[1], work)
        photo, turned, small = os.path.join(IMAGES, 'friends.jpg'), os.path.join(work, 'turned.png'), os.path.join(work, 'small.ppm')
        make_turned(match, turned)
        make_small(match, small)
        a, b = (write(os.path.join(work, name), side) for name, side in zip(('A.key', 'B.key'), points(TURNED, 60, 60)))
        for path, side in zip((a, b), points(TURNED, 60, 60)):
            write(os.path.splitext(path)[0] + '.txt', side)
        check_exclusions(report, match, work, a, b, small)
        check_settings(report, match, work, photo, turned)
        check_stored(report, match, work, turned)
        check_dark(report, match, work, photo, turned)
        check_hugin(report, match, work, photo, turned)
        check_folder(report, match, work, photo)
        left = [name for name in os.listdir(work) if name.startswith('.tessera-')]
        report.check('no temporary file is left', not left, ', '.join(left))
    report.finish()


main()
