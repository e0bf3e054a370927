#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-match.py BUILD: the command tessera-match on files of keypoints and on pictures: what it prints and writes, its exit codes."""
import filecmp
import json
import math
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES

TURNED = [1.1, -0.2, 40.0, 0.2, 1.1, -30.0, 0.0, 0.0, 1.0]
MIRRORED = [-1.0, 0.0, 899.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]


def mapped(m, x, y):
    w = m[6] * x + m[7] * y + m[8]
    return (m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w


def points(matrix, right, wrong, seed=1):
    """Keypoints of A and B, (x, y, sigma, angle, descriptor); the first `right` ones are the same."""
    rng = random.Random(seed)
    a, b = [], []
    for i in range(right + wrong):
        x, y = rng.uniform(0, 900), rng.uniform(0, 600)
        d = [rng.randrange(256) for _ in range(128)]
        there = mapped(matrix, x, y) if i < right else (rng.uniform(0, 900), rng.uniform(0, 600))
        b.append((x, y, 2.0, 30.0, d))
        a.append((*there, 2.0, 60.0, [min(255, max(0, v + rng.randint(-4, 4))) for v in d]))
    rng.shuffle(a)
    return a, b


def write(path, keypoints):
    ending = os.path.splitext(path)[1]
    with open(path, 'w', encoding='ascii') as file:
        file.write('x,y,sigma,angle,response,octave,layer,' + ','.join(f'd{k}' for k in range(128)) + '\n' if ending == '.csv' else f'{len(keypoints)} 128\n')
        for x, y, sigma, angle, d in keypoints:
            if ending == '.key':
                turned = -math.radians(angle)
                file.write(f'{y:.4f} {x:.4f} {sigma:.4f} {turned:.6f}')
                file.write(''.join(('\n ' if k % 20 == 0 else ' ') + str(v) for k, v in enumerate(d)) + '\n')
            elif ending == '.txt':
                file.write(f'{x + 0.5:.4f} {y + 0.5:.4f} {sigma:.4f} {math.radians(angle):.6f} ' + ' '.join(map(str, d)) + '\n')
            else:
                file.write(f'{x:.4f},{y:.4f},{sigma:.4f},{angle:.4f},0.02,0,1,' + ','.join(map(str, d)) + '\n')
    return path


class Command:
    def __init__(self, build, work):
        self.gegl = Gegl(build)
        self.program = os.path.join(self.gegl.build, 'tools', 'match', 'tessera-match')
        self.work = work

    def __call__(self, *words, timeout=300, **env):
        return self.gegl.command([self.program, *words], timeout, cwd=self.work, GEGL_USE_OPENCL='no', GEGL_SWAP='RAM', TMPDIR=self.work, **env)


def corner_error(found, wanted, width=900, height=600):
    return sum(math.dist(mapped(found, x, y), mapped(wanted, x, y)) for x in (0, width) for y in (0, height)) / 4


def matrix_of(output):
    lines = output.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('Matrix ('))
    return [float(word) for line in lines[at + 1:at + 4] for word in line.split()]


def check_formats(report, match, work):
    a, b = points(TURNED, 60, 60)
    files = [[write(os.path.join(work, f'{name}.{ending}'), side) for ending in ('key', 'txt', 'csv')] for name, side in (('A', a), ('B', b))]
    printed = set()
    for one, other in zip(files[0], files[1][1:] + files[1][:1]):
        done = match(one, other)
        said = f'{os.path.basename(one)}, {os.path.basename(other)}'
        good = report.check(f'{said}: aligned, exit 0, nothing on stderr', done.returncode == 0 and not done.stderr, done.stderr or done.stdout[:0])
        if good:
            report.check(f'{said}: the counts', 'Matches: 120\nInliers: 60 (50.0 %), from 60 places; rms 0.0' in done.stdout, done.stdout)
            off = corner_error(matrix_of(done.stdout), TURNED)
            report.check(f'{said}: the matrix', off < 0.01, f'{off:.2g} px')
            printed.add(done.stdout.partition('Matches')[2])
    report.check('all formats say the same', len(printed) == 1)
    return files[0][0], files[1][0]


def check_options(report, match, work, a, b):
    out = os.path.join(work, 'out.json')
    first = match(a, b, '--json', out)
    with open(out, encoding='utf-8') as file:
        told = json.load(file)
    report.check('--json: what is printed', told['aligned'] is True and told['reason'] == '' and told['inliers'] == told['places'] == 60
                 and told['model'] == 'similarity' and told['seed'] == 1 and told['ratio'] == 0.8 and told['mutual'] is True
                 and told['matrix'] == matrix_of(first.stdout) and told['a']['keypoints'] == told['b']['keypoints'] == 120, str(told)[:300])
    rows = [dict(zip(told['columns'], row)) for row in told['matches']]
    report.check('--json: the inliers are those of the matrix', len(rows) == 120 and all(
        (math.dist(mapped(told['matrix'], row['x_b'], row['y_b']), (row['x_a'], row['y_a'])) < 3) == (row['inlier'] == 1) for row in rows))
    report.check('--json -: JSON alone', json.loads(match(a, b, '--json', '-').stdout) == told)
    report.check('a comma for a point changes nothing', match(a, b, '--json', '-', LC_ALL='de_DE.UTF-8').stdout == match(a, b, '--json', '-').stdout)
    for model, zeros in (('translation', (1, 3, 6, 7)), ('similarity', (6, 7)), ('affine', (6, 7)), ('homography', ())):
        found = json.loads(match(a, b, '--json', '-', '--model', model).stdout)
        report.check(f'--model {model}: a matrix of that kind, the right one', found['model'] == model and all(found['matrix'][k] == 0 for k in zeros)
                     and found['aligned'] == (model != 'translation') and (model == 'translation' or corner_error(found['matrix'], TURNED) < 0.01), str(found['matrix']))
    seeds = [json.loads(match(a, b, '--json', '-', '--seed', str(seed)).stdout)['matrix'] for seed in (1, 2)]
    report.check('--seed: other samples, the same transform', seeds[0] != seeds[1] and corner_error(*seeds) < 0.01 or seeds[0] == seeds[1], str(seeds))
    few = json.loads(match(a, b, '--json', '-', '--ratio', '0.01').stdout)
    report.check('--ratio: fewer matches', len(few['matches']) < 120 and not few['aligned'])
    twice = write(os.path.join(work, 'twice.key'), points(TURNED, 60, 60)[0] * 2)
    counts = [len(json.loads(match(twice, b, '--json', '-', *words).stdout)['matches']) for words in ((), ('--no-mutual',))]
    report.check('--no-mutual: both copies of A match', counts == [120, 240], str(counts))
    done = match(a, b, '--quiet')
    report.check('--quiet: silence, and the exit code', (done.returncode, done.stdout, done.stderr) == (0, '', ''))
    texts = [os.path.splitext(path)[0] + '.txt' for path in (a, b)]
    done = match(*texts, '--colmap', '-')
    lines = done.stdout.split('\n')
    report.check('--colmap: names, a pair of indices for each match, an empty line', lines[0] == 'A B' and lines[-2:] == ['', '']
                 and [tuple(map(int, line.split())) for line in lines[1:-2]] == [(row['a'], row['b']) for row in rows], str(lines[:3]))
    blank = write(os.path.join(work, 'A B.txt'), points(TURNED, 60, 60)[0])
    done = match(blank, texts[1], '--colmap', '-')
    report.check('--colmap: a name with a blank is refused', done.returncode == 2 and 'cannot hold the name "A B"' in done.stderr, done.stderr)


def check_refusals(report, match, work, a, b):
    a_few, b_few = points(TURNED, 7, 40)
    done = match(write(os.path.join(work, 'few-a.key'), a_few), write(os.path.join(work, 'few-b.key'), b_few), '--model', 'similarity')
    report.check('too few: exit 1, the reason with its numbers', done.returncode == 1 and not done.stderr
                 and 'Not aligned: 7 of 47 matches agree; 8 are needed\n' in done.stdout and 'Matrix' not in done.stdout, done.stdout)
    a_mirror, b_mirror = points(MIRRORED, 60, 10)
    done = match(write(os.path.join(work, 'mirror-a.key'), a_mirror), write(os.path.join(work, 'mirror-b.key'), b_mirror), '--model', 'homography')
    report.check('mirrored: exit 1, the reason', done.returncode == 1 and 'mirrored' in done.stdout, done.stdout)
    none = write(os.path.join(work, 'none.key'), [])
    done = match(none, b)
    report.check('no keypoint: exit 1', done.returncode == 1 and '0 of 0 matches agree; ' in done.stdout, done.stdout + done.stderr)
    with open(a, encoding='ascii') as file:
        text = file.read()
    cut = os.path.join(work, 'cut.key')
    with open(cut, 'w', encoding='ascii') as file:
        file.write(text[:-1000])
    os.mkdir(os.path.join(work, 'folder.png'))
    os.mkdir(os.path.join(work, 'empty'))
    a_txt, b_txt = (os.path.splitext(path)[0] + '.txt' for path in (a, b))
    cases = {'a cut file': ([cut, b], r'cut.key:'), 'no file': (['gone.key', b], 'gone.key'), 'a folder without pictures': (['empty'], 'the folder has 0'),
             'a folder that is called a picture': (['folder.png', b], 'folder.png is no file'), 'no picture': (['gone.jpg', b], 'gone.jpg: there is no such file'), 'one argument': ([a], 'two pictures or keypoint files'),
             'no argument': ([], 'two pictures or keypoint files'),
             'no such model': ([a, b, '--model', 'fisheye'], '--model is none of'), 'a ratio of 0': ([a, b, '--ratio', '0'], '--ratio is not'),
             'a ratio of 2': ([a, b, '--ratio', '2'], '--ratio is not'), 'a ratio that is no number': ([a, b, '--ratio', 'nan'], '--ratio is not'),
             'a picture of files': ([a, b, '--picture', 'x.png'], '--picture needs two pictures'), 'no such option': ([a, b, '--seeds', '1'], '--seeds'),
             'a place where nothing can be written': ([a, b, '--quiet', '--json', os.path.join(work, 'no', 'x.json')], 'x.json'),
             'a list where nothing can be written': ([a_txt, b_txt, '--quiet', '--colmap', os.path.join(work, 'no', 'x.txt')], 'x.txt')}
    for name, (words, said) in cases.items():
        done = match(*words)
        report.check(f'{name}: exit 2, one line', done.returncode == 2 and done.stderr.startswith('tessera-match: ') and done.stderr.count('\n') == 1
                     and said in done.stderr and not done.stdout, f'exit {done.returncode}, {done.stderr!r} {done.stdout[:80]!r}')
    done = match('--help')
    report.check('--help: the options and the exit codes', done.returncode == 0 and '--no-mutual' in done.stdout and '2 something was wrong' in done.stdout)


def check_pictures(report, match, work):
    """A photograph against a part of it that is turned; two that have nothing in common."""
    first, other = os.path.join(IMAGES, 'friends.jpg'), os.path.join(IMAGES, 'seeding.jpg')
    turned, lines = os.path.join(work, 'turned.png'), os.path.join(work, 'lines.ppm')
    match.gegl.run([first, '-o', turned, '--', 'gegl:rotate', 'origin-x=384', 'origin-y=384', 'degrees=20', 'gegl:crop', 'x=0', 'y=0', 'width=700', 'height=600'],
                   GEGL_USE_OPENCL='no')
    told = {}
    for threads in '1', '4':
        done = match(first, turned, '--json', '-', '--model', 'similarity', GEGL_THREADS=threads)
        report.check(f'pictures, {threads} threads: exit 0, nothing on stderr', done.returncode == 0 and not done.stderr, done.stderr)
        told[threads] = done.stdout
    report.check('1 and 4 threads: the same bytes', told['1'] == told['4'])
    found = json.loads(told['1'])
    turn = math.radians(20)
    wanted = [math.cos(turn), -math.sin(turn), 0, math.sin(turn), math.cos(turn), 0, 0, 0, 1]      # y down, and gegl:rotate turns the other way
    wanted[2], wanted[5] = 383.5 - (wanted[0] + wanted[1]) * 383.5, 383.5 - (wanted[3] + wanted[4]) * 383.5
    off = corner_error(found['matrix'], wanted, 700, 600)
    report.check('a photograph that was turned by 20 degrees', off < 0.3 and found['b']['width'] == 700 and found['b']['height'] == 600, f'{off:.3f} px')
    done = match(first, turned, '--picture', lines, '--quiet')
    if report.check('--picture: exit 0, silence', (done.returncode, done.stdout, done.stderr) == (0, '', '') and os.path.exists(lines), done.stderr):
        shown = Picture(lines)
        report.check('--picture: side by side', (shown.width, shown.height, shown.channels) == (768 + 700, 768, 3), f'{shown.width} x {shown.height}')
        plain = os.path.join(work, 'plain.ppm')
        match.gegl.run([first, '-o', plain], GEGL_USE_OPENCL='no')
        first_shown = Picture(plain)
        rows = [shown.pixels[3 * shown.width * y:3 * shown.width * y + 3 * 768] for y in range(768)]
        same = sum(abs(one - two) <= 1 for y, row in enumerate(rows) for one, two in zip(row, first_shown.pixels[3 * 768 * y:3 * 768 * (y + 1)]))
        report.check('--picture: between the lines there is the photograph', 0.5 < same / (3 * 768 * 768) < 0.99, f'{same / (3 * 768 * 768):.3f}')
        marks = [row for row in found['matches'] if row[3]]
        colored = sum(any(abs(rows[round(y)][3 * round(x) + c] - first_shown.pixels[3 * (768 * round(y) + round(x)) + c]) > 8 for c in range(3))
                      for _, _, _, _, x, y, _, _ in marks)
        report.check('--picture: a mark at each inlier', colored > 0.95 * len(marks), f'{colored} of {len(marks)}')
    done = match(first, turned, '--quiet', '--picture', os.path.join(work, 'lines.nothing'))
    report.check('--picture of an unknown kind: exit 2', done.returncode == 2 and 'lines.nothing: GEGL cannot write' in done.stderr
                 and not os.path.exists(os.path.join(work, 'lines.nothing')), done.stderr)
    done = match(first, other)
    report.check('two that have nothing in common: exit 1', done.returncode == 1 and 'Not aligned: ' in done.stdout, done.stdout[-80:] + done.stderr)
    for name in 'hello.jpg', 'hello.png', 'hello.nothing':
        with open(os.path.join(work, name), 'w', encoding='ascii') as file:
            file.write('hello\n')
        done = match(os.path.join(work, name), other, timeout=30)
        report.check(f'{name}, which is no picture: exit 2, the cause', done.returncode == 2 and f'{name}: ' in done.stderr.splitlines()[-1]
                     and ('cannot be read' in done.stderr or 'has no loader' in done.stderr), done.stderr)
    match.gegl.run([other, '-o', os.path.join(work, 'whole.png')], GEGL_USE_OPENCL='no')
    for source, name, size in ((other, 'short.jpg', 20), (other, 'short.jpg', 600), (os.path.join(work, 'whole.png'), 'short.png', 60)):
        with open(source, 'rb') as whole, open(os.path.join(work, name), 'wb') as file:
            file.write(whole.read(size))
        done = match(os.path.join(work, name), other, timeout=30)
        report.check(f'{name}, which ends after {size} bytes: exit 2, the cause', done.returncode == 2 and f'{name}: this picture cannot be read: ' in done.stderr, done.stderr[-200:])


def kept_link(work, name, target):
    """A link to a file that only its owner may read."""
    path, link = os.path.join(work, target), os.path.join(work, name)
    with open(path, 'w', encoding='ascii') as file:
        file.write('old\n')
    os.chmod(path, 0o600)
    os.symlink(target, link)
    return path, link


def check_links(report, match, work, a, b, small):
    """What a link leads to is written, with the permissions it had; a link to nothing makes the file; one to itself is an error."""
    texts = [os.path.splitext(path)[0] + '.txt' for path in (a, b)]
    for option, one, other, name in (('--json', a, b, 'to.json'), ('--colmap', *texts, 'to.matches'), ('--picture', small, small, 'to.ppm')):
        path, link = kept_link(work, name, 'end-' + name)
        done = match(one, other, '--quiet', option, link)
        report.check(f'{option}: a link stays', done.returncode == 0 and os.path.islink(link) and os.path.getsize(path) > 100
                     and os.stat(path).st_mode & 0o777 == 0o600, done.stderr)
        os.remove(path)
        done = match(one, other, '--quiet', option, link)
        report.check(f'{option}: a link to nothing', done.returncode == 0 and os.path.islink(link) and os.path.getsize(path) > 100, done.stderr)
    path, link = kept_link(work, 'to.key', 'end-to.key')
    code, lines = match.gegl.run([small, '-o', link], GEGL_USE_OPENCL='no')
    report.check('sift-save: a link stays', code == 0 and not lines and os.path.islink(link) and os.path.getsize(path) > 100
                 and os.stat(path).st_mode & 0o777 == 0o600, str(lines))
    os.symlink('round.json', os.path.join(work, 'round.json'))
    done = match(a, b, '--quiet', '--json', os.path.join(work, 'round.json'))
    report.check('a link to itself: exit 2', done.returncode == 2 and 'round.json cannot be written' in done.stderr, done.stderr)


def check_own(report, match, work, a, small):
    """What is compared is not written over, whatever it is called there."""
    own, other = (os.path.join(work, name) for name in ('own.txt', 'own.ppm'))
    a = os.path.splitext(a)[0] + '.txt'
    shutil.copy(a, own)
    shutil.copy(small, other)
    os.symlink('own.ppm', os.path.join(work, 'link.ppm'))
    for words in ((own, a, '--json', own), (a, own, '--colmap', own), (other, small, '--picture', other), (small, other, '--picture', 'link.ppm')):
        done = match(*words, '--quiet')
        report.check(f'{words[2]} {os.path.basename(words[3])}: not written over', done.returncode == 2 and 'would be written over' in done.stderr
                     and filecmp.cmp(own, a, shallow=False) and filecmp.cmp(other, small, shallow=False), f'exit {done.returncode} {done.stderr}')


def check_ended(report, match, work):
    """Ended while it compares, it leaves no file behind."""
    large = os.path.join(work, 'large.ppm')
    match.gegl.run([os.path.join(IMAGES, 'mountains.jpg'), '-o', large, '--', 'gegl:scale-ratio', 'x=2', 'y=2'], GEGL_USE_OPENCL='no')
    os.mkdir(os.path.join(work, 'copies'))
    for name in 'abc':
        os.link(large, os.path.join(work, 'copies', name + '.ppm'))
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        process = subprocess.Popen([match.program, 'copies', '--json', 'ended.json', '--pto', 'ended.pto'], cwd=work, env={**match.gegl.env, 'TMPDIR': work, 'GEGL_USE_OPENCL': 'no'}, stdout=subprocess.DEVNULL,
                                   preexec_fn=lambda: [signal.signal(ignored, signal.SIG_DFL) for ignored in (signal.SIGINT, signal.SIGHUP)])
        while process.poll() is None and sum(name.startswith('.tessera-') for name in os.listdir(work)) < 2:
            time.sleep(0.001)
        process.send_signal(number)
        left = process.wait(), [name for name in os.listdir(work) if name.startswith(('.tessera-', 'ended.'))]
        report.check(f'signal {int(number)}: the exit code of a program that was ended, and no file', left == (-number, []), str(left))


def check_full(report, match, work, a, b, small):
    """A disk that takes only so much: exit 2, and nothing is left."""
    os.symlink('/dev/full', os.path.join(work, 'full.json'))
    done = match(a, b, '--quiet', '--json', os.path.join(work, 'full.json'))
    report.check('--json to a full device: exit 2', done.returncode == 2 and 'full cannot be written: No space' in done.stderr, done.stderr)
    report.check('... which is still a link', os.path.islink(os.path.join(work, 'full.json')))
    done = match(a, b, '--quiet', '--json', '/dev/stdout')
    report.check('a pipe behind a link is written', done.returncode == 0 and done.stdout == match(a, b, '--json', '-').stdout, done.stderr)
    for words in ((), ('--json', '-'), ('--colmap', '-')):
        texts = [os.path.splitext(path)[0] + '.txt' for path in (a, b)]
        done = match.gegl.command(['bash', '-c', 'exec "$0" "$@" > /dev/full', match.program, *texts, *words])
        report.check(f'{" ".join(words) or "printed"} to a full device: exit 2', done.returncode == 2 and 'standard output' in done.stderr, done.stderr)
    for option, one, other, names, sizes in (('--json', a, b, ('cut.json',), (1, 8)), ('--picture', small, small, ('cut.png', 'cut.jpg', 'cut.ppm', 'cut.tif'), (8, 40, 100))):
        for name in names:
            out = os.path.join(work, name)
            match(one, other, '--quiet', option, out)
            whole = os.path.getsize(out)
            os.remove(out)
            for size in sizes:
                done = match.gegl.command(['bash', '-c', ('' if size == 8 else 'trap "" XFSZ; ') + f'ulimit -f {size}; exec "$0" "$@"', match.program, one, other, '--quiet', option, out],
                                          TMPDIR=work, GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
                good = done.returncode == 0 and os.path.getsize(out) == whole if 1024 * size >= whole else done.returncode == 2 and not os.path.exists(out)
                report.check(f'{name}, room for {size} KiB of {whole / 1024:.0f}', good, f'exit {done.returncode} {done.stderr}')
                if os.path.exists(out):
                    os.remove(out)


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
        a, b = check_formats(report, match, work)
        check_options(report, match, work, a, b)
        check_refusals(report, match, work, a, b)
        check_pictures(report, match, work)
        small = os.path.join(work, 'small.ppm')
        match.gegl.run([os.path.join(IMAGES, 'seeding.jpg'), '-o', small, '--', 'gegl:scale-ratio', 'x=0.3', 'y=0.3'], GEGL_USE_OPENCL='no')
        check_links(report, match, work, a, b, small)
        check_own(report, match, work, a, small)
        check_ended(report, match, work)
        check_full(report, match, work, a, b, small)
        photo, turned = os.path.join(IMAGES, 'friends.jpg'), os.path.join(work, 'turned.png')
        check_exclusions(report, match, work, a, b, small)
        check_settings(report, match, work, photo, turned)
        check_stored(report, match, work, turned)
        check_dark(report, match, work, photo, turned)
        check_hugin(report, match, work, photo, turned)
        check_folder(report, match, work, photo)
        left = [name for name in os.listdir(work) if 'tessera-match-' in name or name.startswith('.tessera-')]
        report.check('no temporary file is left', not left, ', '.join(left))
    report.finish()


main()
