#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-match.py BUILD: the command tessera-match on files of keypoints and on two pictures: what it prints and writes, its exit codes."""
import filecmp
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from match_commands import Command, IMAGES, MIRRORED, TURNED, corner_error, make_small, make_turned, mapped, matrix_of, points, write
from common import Picture, Report


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
    strange = shutil.copy(a, os.path.join(work, 'a "b" \\ 1e5,2.50.key'))
    text = match(strange, b, '--json', '-').stdout
    named = os.path.basename(json.loads(text)['a']['file']) == os.path.basename(strange)
    report.check('--json: a name with quotes, numbers as people write them, a row a line',
                 named and '"ratio": 0.8,' in text and len(text.splitlines()) > 120, text[:300])
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
    make_turned(match, turned)
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
    """A disk that takes only so much: exit 2, and nothing is left.  libjpeg ends the process then, whatever else wants to be done first where one ends."""
    registers = os.path.join(match.gegl.build, 'tests', 'match', 'libregisters.so')
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
                                          TMPDIR=work, GEGL_USE_OPENCL='no', GEGL_SWAP='RAM', LD_PRELOAD=registers if 1024 * size < whole else '')
                good = done.returncode == 0 and os.path.getsize(out) == whole if 1024 * size >= whole else done.returncode == 2 and not os.path.exists(out)
                report.check(f'{name}, room for {size} KiB of {whole / 1024:.0f}', good, f'exit {done.returncode} {done.stderr}')
                if os.path.exists(out):
                    os.remove(out)


def main():
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-match-') as work:
        match = Command(sys.argv[1], work)
        a, b = check_formats(report, match, work)
        check_options(report, match, work, a, b)
        check_refusals(report, match, work, a, b)
        check_pictures(report, match, work)
        small = os.path.join(work, 'small.ppm')
        make_small(match, small)
        check_links(report, match, work, a, b, small)
        check_own(report, match, work, a, small)
        check_ended(report, match, work)
        check_full(report, match, work, a, b, small)
        left = [name for name in os.listdir(work) if 'tessera-match-' in name or name.startswith('.tessera-')]
        report.check('no temporary file is left', not left, ', '.join(left))
    report.finish()


main()
