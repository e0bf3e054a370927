#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-sequence.py BUILD [--kills N] [--frames N]: tessera-sequence on a star field whose truth is known: shifts, the object, runs that are killed, memory, parts
that are put together, films, frames that cannot be used, and messages."""
import argparse
import csv
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
from common import Gegl, Report

SNR, V = 12, (1.1, -0.7)
SIZE = 160
MANY, FEW = 500, 32     # frames: for which memory is measured; of which the tables are small
SETTINGS = ('--history', '8', '--block', '10', '--gain', '1.5', '--pictures', '3')
TABLES = ('shifts.csv', 'detections.csv', 'tracks.csv', 'streaks.csv', 'tracks.mpc', 'shifts.svg', 'quality.svg')


class Sequence:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env.update(GEGL_USE_OPENCL='no', GEGL_SWAP='RAM')
        self.program = os.path.join(self.gegl.build, 'tools', 'sequence', 'tessera-sequence')
        self.maker = os.path.join(self.gegl.build, 'tools', 'stars', 'tessera-stars')

    def path(self, *words):
        return os.path.join(self.work, *words)

    def field(self, name, count, snr=SNR, v=V, seed=3):
        done = self.gegl.command([self.maker, f'--frames={count}', f'--size={SIZE}x{SIZE}', f'--seed={seed}', f'--objects={snr},{v[0]},{v[1]}', self.path(name)])
        assert done.returncode == 0, done.stderr
        return self.path(name, 'frames')

    def run(self, *words, settings=SETTINGS):
        done = self.gegl.command([self.program, *words, *settings])
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    def run_killed(self, frames, folder, more, after):
        """Ends it when so many more files of frames are there, and some seconds later.  False: it was done before."""
        process = subprocess.Popen([self.program, frames, '-o', folder, *SETTINGS, '--write', 'whitened'], env=self.gegl.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = written(folder)
        while process.poll() is None and written(folder) - before < more:
            time.sleep(0.001)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        return False


def written(folder):
    """How many files of frames there are, whole or not."""
    path = os.path.join(folder, 'whitened')
    return len(os.listdir(path)) if os.path.isdir(path) else 0


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def differences(a, b):
    """What is not the same in two folders, byte for byte."""
    ours, theirs = files(a), files(b)
    return sorted(set(ours) ^ set(theirs)) + [name for name in ours if name in theirs and not filecmp.cmp(os.path.join(a, name), os.path.join(b, name), False)]


def the_truth(report, sequence, folder):
    """Against what the generator knows: differences of shifts, the object's way."""
    truth = rows(sequence.path('field', 'shifts.csv'))
    found = rows(folder, 'shifts.csv')
    report.check('each frame has a row', len(found) == len(truth) and all(row['state'] in ('used', 'first') for row in found), str(len(found)))
    squares = [(float(row[axis]) - (float(then[axis]) - float(truth[0][axis]))) ** 2
               for row, then in zip(found, truth) for axis in ('x', 'y')]
    rms = math.sqrt(sum(squares) / len(squares))
    report.check('shifts are right to 0.03 px', rms < 0.03, f'{rms:.4f} px rms')
    way = {int(row['frame']): (float(row['x']), float(row['y'])) for row in rows(sequence.path('field', 'objects.csv'))}
    tracks = rows(folder, 'tracks.csv')
    near = [row for row in tracks if math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < 1.5
            and math.dist(V, (float(row['velocity_x']), float(row['velocity_y']))) < 0.3]
    report.check('the object has a track, with its velocity', len(near) >= 3 and len({row['track'] for row in near}) == 1, f'{len(near)} of {len(tracks)} rows')
    number = near[0]['track'] if near else ''
    seen = [row for row in rows(folder, 'detections.csv') if row['track'] == number and math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < 1.5]
    shown = [at for at in way.values() if all(3 <= place <= SIZE - 4 for place in at)]        # later it has left
    report.check('its detections are of that track', len(seen) >= len(shown) // 4 > 3, f'{len(seen)} of {len(shown)} frames')
    flux = sorted(float(row['flux']) for row in seen)
    wanted = float(rows(sequence.path('field', 'objects.csv'))[0]['flux']) / 1.5
    report.check('their flux is the object\'s, within a fifth', flux and abs(flux[len(flux) // 2] / wanted - 1) < 0.2,
                 f'{flux[len(flux) // 2] if flux else 0:.0f}, not {wanted:.0f}')
    report.check('there is a picture of it', os.path.exists(os.path.join(folder, 'tracks', f'{int(number or 0):04d}.png')))
    with open(os.path.join(folder, 'tracks.mpc'), encoding='ascii') as file:
        lines = file.read().splitlines()
    report.check('the report has 80 columns', len(lines) == len(tracks) and all(len(line) == 80 and line[14] == 'C' and line.endswith('XXX') for line in lines))
    row = next((row for row in tracks if row['track'] == number), None)
    line = lines[tracks.index(row)] if row else ' ' * 80
    ra = [float(word) for word in line[32:44].split()]
    dec = [float(word) for word in line[45:56].split()]
    report.check('the place in it is that of the table', row and len(ra) == len(dec) == 3 and abs((ra[0] + ra[1] / 60 + ra[2] / 3600) * 15 - float(row['ra'])) < 2e-5
                 and abs(dec[0] + dec[1] / 60 + dec[2] / 3600 - abs(float(row['dec']))) < 2e-5, line)


def faint(report, sequence):
    """An object that hardly a frame shows: 32 frames do."""
    v = (0.37, -0.21)
    frames = sequence.field('faint', 64, 2.5, v, 5)
    code, output, errors = sequence.run(frames, '-o', sequence.path('deep'), '--gain', '1.5', '--stack', '32', '--fastest', '1', '--json', settings=())
    way = {int(row['frame']): (float(row['x']), float(row['y'])) for row in rows(sequence.path('faint', 'objects.csv'))}
    near = [row for row in rows(sequence.path('deep'), 'tracks.csv') if math.dist(way[int(row['frame'])], (float(row['x']), float(row['y']))) < 2
            and math.dist(v, (float(row['velocity_x']), float(row['velocity_y']))) < 0.05]
    report.check('a faint object is found by adding 32 frames', code == 0 and sum(row['frames'] == '32' for row in near) >= 1, f'{near} {errors}')
    report.check('how many trajectories in a second is told', json.loads(output)['trajectories_per_second'] > 0, output)


def killed(report, sequence, frames, whole, kills, least):
    """Ended at random moments, `least` times or more: the same bytes.  Few frames may be done before."""
    folder = sequence.path('killed')
    times = 0
    while times < kills and sequence.run_killed(frames, folder, random.randrange(1, 10), random.uniform(0.0, 0.02)):
        times += 1
    code, _, errors = sequence.run(frames, '-o', folder, '--write', 'whitened')
    wrong = differences(whole, folder)
    report.check(f'killed {times} times, the folder is that of an undisturbed run', code == 0 and times >= least and not wrong, ' '.join(wrong[:5]) + errors)
    blocks = sorted(os.listdir(os.path.join(folder, 'blocks')))
    before = [os.stat(os.path.join(folder, 'blocks', name)).st_mtime_ns for name in blocks]
    code, output, _ = sequence.run(frames, '-o', folder, '--write', 'whitened', '--json')
    after = [os.stat(os.path.join(folder, 'blocks', name)).st_mtime_ns for name in blocks]
    report.check('what is done is not done again', code == 0 and before == after and json.loads(output)['blocks_made'] == 0, output)
    os.unlink(os.path.join(folder, 'blocks', blocks[1]))
    code, output, _ = sequence.run(frames, '-o', folder, '--write', 'whitened', '--json')
    report.check('what is missing is done again, and is the same', code == 0 and json.loads(output)['blocks_made'] == 1 and not differences(whole, folder), output)


def peak_of(process):
    """The most memory that it held, in bytes, once it has ended."""
    peak = 0
    while process.poll() is None:
        try:
            with open(f'/proc/{process.pid}/status', encoding='utf-8') as file:
                peak = next((1024 * int(line.split()[1]) for line in file if line.startswith('VmHWM')), peak)
        except OSError:
            pass
        time.sleep(0.01)
    return peak


def memory(report, sequence, frames, count):
    """It does not keep frames: of so many it needs hardly more memory than of a tenth."""
    with open(sequence.path('tenth.txt'), 'w', encoding='utf-8') as file:
        file.write(''.join(os.path.join(frames, name) + '\n' for name in sorted(os.listdir(frames))[:count // 10]))
    peaks = [peak_of(subprocess.Popen([sequence.program, what, '-o', sequence.path(f'memory-{i}'), *SETTINGS], env=sequence.gegl.env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)) for i, what in enumerate((sequence.path('tenth.txt'), frames))]
    most = 0.05 * (count - count // 10) * 4 * SIZE * SIZE
    report.check(f'memory is flat over {count} frames', 0 < peaks[0] and peaks[1] - peaks[0] < most, f'{peaks[0] / 1e6:.1f} MB, then {peaks[1] / 1e6:.1f} MB')
    print(f'memory: {peaks[0] / 1e6:.1f} MB with {count // 10} frames, {peaks[1] / 1e6:.1f} MB with {count}')


def parts(report, sequence, frames, whole):
    for part in ('3/3', '1/3'):
        code, _, errors = sequence.run(frames, '-o', sequence.path('shared'), '--part', part)
        report.check(f'part {part} is made', code == 0 and 'merge' in errors, errors)
    code, _, errors = sequence.run('merge', sequence.path('shared'), '-o', sequence.path('early'), settings=())
    report.check('a part that is missing is named', code == 2 and 'missing' in errors, errors)
    for part in ('1/2', '2/2'):
        sequence.run(frames, '-o', sequence.path('part-' + part[0]), '--part', part)
    code, _, errors = sequence.run('merge', sequence.path('part-2'), sequence.path('part-1'), '-o', sequence.path('merged'), settings=())
    wrong = [name for name in TABLES if not filecmp.cmp(os.path.join(whole, name), sequence.path('merged', name), False)]
    report.check('two parts, merged, have the tables of the whole', code == 0 and not wrong, ' '.join(wrong) + errors)
    code, _, errors = sequence.run('merge', sequence.path('part-1'), '-o', sequence.path('merged'), settings=())
    report.check('merging again changes nothing', code == 0 and not [name for name in TABLES if not filecmp.cmp(os.path.join(whole, name), sequence.path('merged', name), False)],
                 errors)
    sequence.run(frames, '-o', sequence.path('shared'), '--part', '2/3')
    code, _, errors = sequence.run(frames, '-o', sequence.path('shared'))
    report.check('three parts in one folder are finished by a run', code == 0 and not differences(sequence.path('plain'), sequence.path('shared')), errors)


def strange(report, sequence, frames):
    """Another night with the same names and sizes is refused, and a block that lost its bytes is named."""
    night, folder = sequence.path('night'), sequence.path('emptied')
    shutil.copytree(frames, night)
    name = sorted(os.listdir(night))[3]
    with open(os.path.join(night, name), 'r+b') as file:
        file.seek(20000)
        file.write(b'\1\2')
    code, _, errors = sequence.run(night, '-o', sequence.path('plain'))
    report.check('other frames of the same names and sizes are refused', code == 2 and 'frames' in errors, errors)
    shutil.copytree(sequence.path('plain'), folder)
    os.truncate(os.path.join(folder, 'blocks', '000001.txt'), 0)
    code, _, errors = sequence.run(frames, '-o', folder)
    report.check('a block without its bytes is named', code == 2 and '000001.txt' in errors, errors)
    with open(sequence.path('plain', 'blocks', '000001.txt'), encoding='utf-8') as file:
        lines = file.read().splitlines()
    for kind, index in (('F', 25), ('D', 999), ('T', 2 * len(lines)), ('T', len(os.listdir(frames)) + 5)):
        row = next(i for i, line in enumerate(lines) if line.startswith(kind))
        with open(os.path.join(folder, 'blocks', '000001.txt'), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines[:row] + [f'{kind}\t{index}\t' + lines[row].split('\t', 2)[2]] + lines[row + 1:]) + '\n')
        code, _, errors = sequence.run(frames, '-o', folder)
        report.check(f'a row {kind} of frame {index}, where it is not, is named', code == 2 and '000001.txt' in errors, f'{code} {errors}')
    os.truncate(os.path.join(folder, 'settings.txt'), 0)
    code, _, errors = sequence.run('merge', folder, '-o', sequence.path('merged-emptied'), settings=())
    report.check('settings without their bytes are named, and taken nowhere',
                 code == 2 and 'settings.txt' in errors and 'settings.txt' not in files(sequence.path('merged-emptied')), f'{code} {errors}')
    for name in os.listdir(night):
        with open(os.path.join(night, name), 'r+b') as file:
            file.seek(file.read(2880).index(b'EXPTIME'))
            file.write(b'EXPTIME =               1.0E30'.ljust(80))
    code, _, errors = sequence.run(night, '-o', sequence.path('endless'))
    report.check('an exposure that cannot be makes no report of a wrong date', code == 0 and rows(sequence.path('endless'), 'tracks.csv')
                 and not os.path.exists(sequence.path('endless', 'tracks.mpc')), errors)
    dark = sequence.path('dark', 'dark.fits')
    os.mkdir(sequence.path('dark'))
    shutil.copy(os.path.join(frames, sorted(os.listdir(frames))[0]), dark)
    code, _, errors = sequence.run(frames, '-o', sequence.path('darkened'), '--dark', sequence.path('dark'), '--part', '1/4')
    report.check('a dark frame is named by its folder', code == 0, errors)
    with open(dark, 'r+b') as file:
        file.seek(20000)
        file.write(b'\1\2')
    code, _, errors = sequence.run(frames, '-o', sequence.path('darkened'), '--dark', sequence.path('dark'), '--part', '2/4')
    report.check('... and another one there is refused', code == 2 and 'dark' in errors and 'other settings' in errors, f'{code} {errors}')
    few = sequence.path('few')                                  # the tables of many are larger than a picture
    os.mkdir(few)
    for name in sorted(os.listdir(frames))[:FEW]:
        os.symlink(os.path.join(frames, name), os.path.join(few, name))
    for name, trap in (('full', 'trap "" XFSZ; '), ('limited', '')):
        done = sequence.gegl.command(['bash', '-c', trap + 'ulimit -f 8; exec "$0" "$@"', sequence.program, few, '-o', sequence.path(name), *SETTINGS])
        pictures = os.listdir(sequence.path(name, 'tracks'))
        report.check('a picture that the disk has no room for is told, and is not there', done.returncode == 2 and 'tracks/' in done.stderr and not pictures, f'{pictures} {done.stderr}')


def twins(report, sequence, frames):
    """Two runs at once in one folder disturb one another in nothing."""
    wrong = []
    for i in range(8):
        folder = sequence.path(f'twins-{i}')
        runs = [subprocess.Popen([sequence.program, frames, '-o', folder, *SETTINGS, '--part', '1/4'], env=sequence.gegl.env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        errors = [run.communicate()[1] for run in runs]
        first = os.path.join('blocks', '000000.txt')
        if any(run.returncode for run in runs) or not filecmp.cmp(sequence.path('plain', first), os.path.join(folder, first), False):
            wrong.append(errors)
    report.check('two runs in one folder at once', not wrong, str(wrong))


def pixels(path):
    """The unsigned 16-bit numbers of a FITS file of one header block or more."""
    with open(path, 'rb') as file:
        data = file.read()
    head = 0
    while not any(data[head + 80 * i:head + 80 * i + 8] == b'END     ' for i in range(36)):
        head += 2880
    return [value + 32768 for value in struct.unpack(f'>{SIZE * SIZE}h', data[head + 2880:head + 2880 + 2 * SIZE * SIZE])]


def film(report, sequence, frames, count):
    """The same frames as a SER film, cut in its last frame, have the same detections."""
    names = sorted(os.listdir(frames))[:count]
    path = sequence.path('film.ser')
    with open(path, 'wb') as file:
        file.write(b'LUCAM-RECORDER' + struct.pack('<7i', 0, 0, 0, SIZE, SIZE, 16, count + 1) + bytes(120) + struct.pack('<2q', 0, 0))
        for name in names:
            file.write(struct.pack(f'<{SIZE * SIZE}H', *pixels(os.path.join(frames, name))))
        file.write(bytes(100))
    with open(sequence.path('names.txt'), 'w', encoding='utf-8') as file:
        file.write(''.join(os.path.join(frames, name) + '\n' for name in names))
    code, _, errors = sequence.run(path, '-o', sequence.path('film'))
    report.check('a film that is cut is used as far as it goes', code == 0 and f'{count} of {count + 1} frames' in errors, errors)
    sequence.run(sequence.path('names.txt'), '-o', sequence.path('list'))
    columns = ('frame', 'x', 'y', 'flux', 'significance')
    ours, theirs = ([[row[c] for c in columns] for row in rows(sequence.path(name), 'detections.csv')] for name in ('film', 'list'))
    report.check('a film and a list of files have the same detections', ours == theirs and len(ours) > 3, f'{len(ours)} and {len(theirs)}')


def on_device(report, sequence, frames, whole):
    """The device, where there is one, gives the bytes of C, and so does a run in which it fails; where it is forced, that is an error."""
    here = dict(sequence.gegl.env)
    sequence.gegl.env.update(GEGL_USE_OPENCL='cpu', TESSERA_OPENCL='force', TESSERA_DEBUG='paths')
    code, _, errors = sequence.run(frames, '-o', sequence.path('device'), '--write', 'whitened')
    if 'there is no device' in errors:
        print('not tested: no OpenCL device')
    else:
        wrong = differences(whole, sequence.path('device'))
        report.check('on the device: the same bytes, and which device it is, once', code == 0 and not wrong and errors.count('computing on') == 1,
                     ' '.join(wrong[:5]) + errors)
        together = [int(n) // SIZE for n in re.findall(r'estimate-shift \d+x(\d+)\+', errors)]
        report.check('one launch is for the shifts of all frames that are at hand', together and max(together) == 16, str(together))
        del sequence.gegl.env['TESSERA_DEBUG']
        sequence.gegl.env.update(TESSERA_FAULT='enqueue:300')
        code, _, errors = sequence.run(frames, '-o', sequence.path('forced'))
        report.check('a device that is forced and fails ends the run, in words', code == 2 and 'forced' in errors and 'frame-' in errors, errors)
        sequence.gegl.env.update(TESSERA_OPENCL='try')
        killed_one = sequence.run_killed(frames, sequence.path('failing'), 12, 0.0)
        code, _, errors = sequence.run(frames, '-o', sequence.path('failing'), '--write', 'whitened')
        wrong = differences(whole, sequence.path('failing'))
        report.check('a device that fails, in a run that is killed: the bytes of C', killed_one and code == 0 and not wrong and 'computed in C instead' in errors,
                     ' '.join(wrong[:5]) + errors)
    sequence.gegl.env.clear()
    sequence.gegl.env.update(here)


def unusable(report, sequence, frames):
    """A frame that is cut, one of another size, and one that shows nothing are named; the rest goes on."""
    folder = sequence.path('damaged')
    shutil.copytree(frames, folder)
    names = sorted(os.listdir(folder))
    with open(os.path.join(folder, names[5]), 'r+b') as file:
        file.truncate(5000)
    done = sequence.gegl.command([sequence.maker, '--frames=1', '--size=96x96', '--seed=1', '--objects=', sequence.path('small')])
    small = os.listdir(sequence.path('small', 'frames')) if done.returncode == 0 else []
    if small:
        shutil.copy(sequence.path('small', 'frames', small[0]), os.path.join(folder, names[12]))
    with open(os.path.join(folder, names[17]), 'r+b') as file:
        data = file.read()
        file.seek(len(data) - 2880 * ((2 * SIZE * SIZE + 2879) // 2880))
        file.write(bytes(2 * SIZE * SIZE))
    with open(os.path.join(folder, 'a-cut.pgm'), 'wb') as file:
        file.write(b'P5\n%d %d\n65535\n' % (SIZE, SIZE) + bytes(SIZE * SIZE))          # half of its pixels
    code, told, errors = sequence.run(folder, '-o', sequence.path('some'), '--json')
    states = {row['name']: row['state'] for row in rows(sequence.path('some'), 'shifts.csv')}
    report.check('a frame that ends early is named and left out', code == 0 and states[names[5]] == 'unreadable' and names[5] in errors, errors)
    report.check('so is a PGM, of which GEGL makes a picture whose end is black', states['a-cut.pgm'] == 'unreadable' and 'a-cut.pgm cannot be read' in errors, errors)
    report.check('and one of another size', small and states[names[12]] == 'unreadable' and '96 x 96' in errors, errors)
    report.check('and one that shows nothing', states[names[17]] == 'lost' and 'shift' in errors, errors)
    left = {row['name']: row['reason'] for row in json.loads(told)['left_out']}
    report.check('--json has their names and reasons', left and set(left) == {name for name, state in states.items() if state in ('unreadable', 'lost')}
                 and all(left.values()) and '96 x 96' in left.get(names[12], ''), str(left))
    report.check('all others are used', sum(state in ('used', 'first') for state in states.values()) == len(names) - 3, str(states))


def first_shows_nothing(report, sequence, frames):
    """Of short sequences too only that frame is lost."""
    for n in (3, 4, 8, 9):
        folder, names = sequence.path(f'short-{n}'), sorted(os.listdir(frames))[:n]
        os.mkdir(folder)
        for name in names:
            shutil.copy(os.path.join(frames, name), folder)
        with open(os.path.join(folder, names[0]), 'r+b') as file:
            file.seek(-2880 * ((2 * SIZE * SIZE + 2879) // 2880), os.SEEK_END)
            file.write(bytes(2 * SIZE * SIZE))
        code, told, errors = sequence.run(folder, '-o', sequence.path(f'short-{n}-found'), '--json')
        report.check(f'of {n} frames the first shows nothing, and is left out alone',
                     code == 0 and [row['name'] for row in json.loads(told)['left_out']] == names[:1], f'{told} {errors}')


def first_of_another_size(report, sequence, frames):
    """The size of most frames counts, not that of the first."""
    folder, name = sequence.path('first'), sorted(os.listdir(frames))[0]
    shutil.copytree(frames, folder)
    os.remove(os.path.join(folder, name))
    shutil.copy(sequence.path('small', 'frames', 'frame-00000.fits'), os.path.join(folder, name))
    code, _, errors = sequence.run(folder, '-o', sequence.path('first-found'))
    states = [row['state'] for row in rows(sequence.path('first-found'), 'shifts.csv')]
    report.check('a first frame of another size is left out alone', code == 0 and states[0] == 'unreadable' and set(states[1:]) == {'used'}
                 and '96 x 96' in errors, f'{states} {errors}')


def messages(report, sequence, frames, whole):
    for words, said in (((sequence.path('nowhere'), '-o', sequence.path('x')), 'no frames'), ((frames,), 'where to'), ((frames, '-o', sequence.path('x'), '--stack', '256', '--fastest', '100'), 'velocities'), ((frames, '-o', sequence.path('x'), '--part', '3/2'), 'part'),
                        ((frames, '-o', sequence.path('x'), '--history', '65'), '64'), ((frames, '-o', sequence.path('x'), '--history', '1'), 'of two frames alone'), ((frames, '-o', sequence.path('x'), '--write', 'all'), 'whitened'),
                        ((frames, '-o', sequence.path('x'), '--dark', sequence.path('no.fits')), 'no.fits'),
                        ((frames, '-o', sequence.path('x'), '--flat', sequence.path('no-flats')), 'no-flats'),
                        *(((frames, '-o', sequence.path('x'), *wrong.split()), said) for wrong, said in (
                            ('--part 1/99999999999', '--part is I/N'), ('--part 4294967297/4294967298', '--part is I/N'), ('--saturation nan', 'above 0'),
                            ('--saturation 0', 'above 0'), ('--saturation -1', 'above 0'), ('--gamma 1e7', '0 to 1000000'), ('--block 1000001', '1 to 1000000'))),
                        ((frames, '-o', whole, '--fwhm', '3'), 'other settings'), ((frames, '-o', '/proc/none'), '/proc/none')):
        code, _, errors = sequence.run(*words, settings=() if {'--history', '--block'} & {*words} else SETTINGS)
        report.check(f'{" ".join(words[1:])[-40:]}: the reason, and 2', code == 2 and said in errors and 'CRITICAL' not in errors, errors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--kills', type=int, default=2)
    parser.add_argument('--frames', type=int, default=32)
    options = parser.parse_args()
    report = Report()
    seed = random.randrange(1 << 30)
    random.seed(seed)
    print(f'seed {seed}')
    with tempfile.TemporaryDirectory() as work:
        sequence = Sequence(options.build, work)
        frames = sequence.field('field', options.frames)
        whole = sequence.path('whole')
        code, output, errors = sequence.run(frames, '-o', whole, '--write', 'whitened', '--json')
        report.check('a folder of frames is computed', code == 0 and json.loads(output)['used'] == options.frames, output + errors)
        if code == 0:
            the_truth(report, sequence, whole)
            report.check('whitened frames are written', len(os.listdir(os.path.join(whole, 'whitened'))) == options.frames)
            faint(report, sequence)
            sequence.run(frames, '-o', sequence.path('plain'))
            killed(report, sequence, frames, whole, options.kills, options.kills if options.frames >= MANY else 1)
            if options.frames >= MANY:
                memory(report, sequence, frames, options.frames)
            on_device(report, sequence, frames, whole)
            parts(report, sequence, frames, whole)
            strange(report, sequence, frames)
            twins(report, sequence, frames)
            film(report, sequence, frames, 14)
            unusable(report, sequence, frames)
            first_shows_nothing(report, sequence, frames)
            first_of_another_size(report, sequence, frames)
            messages(report, sequence, frames, whole)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
