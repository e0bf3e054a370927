#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-stack.py BUILD: tessera-stack on frames of a photograph that is known: noise, sharpness, outliers, what is left out, what a
run that was ended leaves behind, and messages."""
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Gegl, Picture, Report, IMAGES
from damaged import check_cut, check_damaged, check_grey, check_sized, check_turned, check_unknown, content, PHOTOGRAPH

FRAMES, SD, MARGIN = 8, 5.0, 40
SOFT = 0.83                     # with what halving does, 1.2 pixels: at the finest detail a sixth is left, as behind a lens and a color mosaic
UNRELATED = os.path.join(IMAGES, 'friends.jpg')


class Stack:
    def __init__(self, build, work):
        self.gegl, self.work = Gegl(build), work
        self.gegl.env['GEGL_USE_OPENCL'] = 'no'
        self.program = os.path.join(self.gegl.build, 'tools', 'stack', 'tessera-stack')
        self.maker, self.judge = (os.path.join(self.gegl.build, 'tests', 'align', name) for name in ('frames', 'sharpness'))

    def frames(self, name, count, sd, turn, soft=0.0):
        folder = os.path.join(self.work, name)
        os.mkdir(folder)
        done = self.gegl.command([self.maker, PHOTOGRAPH, folder, str(count), str(sd), str(turn), str(soft)])
        assert done.returncode == 0, done.stderr
        return [os.path.join(folder, f'frame-{i}.png') for i in range(count)]

    def run(self, *words, **env):
        done = self.gegl.command([self.program, *words], **env)
        return done.returncode, done.stderr.strip()

    def picture(self, path):
        """In levels of 8 bits, R'G'B'; without alpha."""
        out = os.path.join(self.work, 'levels.ppm')
        code, lines = self.gegl.run([path, '-o', out, '--', 'gegl:opacity', 'value=1'])
        assert code == 0, lines
        return Picture(out)


def inner_rows(picture):
    row = picture.width * picture.channels
    for y in range(MARGIN, picture.height - MARGIN, 3):
        yield picture.pixels[y * row + MARGIN * picture.channels:(y + 1) * row - MARGIN * picture.channels]


def noise(picture, clean):
    """The standard deviation, where neither is clipped."""
    squares = count = 0
    for ours, theirs in zip(inner_rows(picture), inner_rows(clean)):
        for a, b in zip(ours, theirs):
            if 40 < b < 215:
                squares += (a - b) ** 2
                count += 1
    return math.sqrt(squares / count)


def gradient_energy(picture):
    return sum((a - b) ** 2 for row in inner_rows(picture) for a, b in zip(row, row[picture.channels:]))


def check_noise(report, stack):
    frames, clean = stack.frames('noisy', FRAMES, SD, 0), stack.frames('clean', 1, 0, 0)
    out = os.path.join(stack.work, 'mean.png')
    code, lines = stack.run(*frames, '-o', out, '--method', 'mean')
    if not report.check('eight frames are stacked', code == 0 and not lines and os.path.exists(out), f'exit {code} {lines}'):
        return
    wanted = math.sqrt((SD ** 2 + 1 / 12) / FRAMES)
    found = noise(stack.picture(out), stack.picture(clean[0]))
    report.check('the noise of the mean of eight', abs(found / wanted - 1) < 0.05, f'{found:.3f} of 255, sigma / sqrt 8 is {wanted:.3f}')
    for method, words, most in (('median', ('--method', 'median'), 1.35), ('clipped', (), 1.05), ('exposure', ('--method', 'exposure'), 1.05), ('focus', ('--method', 'focus'), 1.05)):
        code, lines = stack.run(*frames, '-o', out, *words)
        found = noise(stack.picture(out), stack.picture(clean[0]))
        report.check(f'the noise of the {method} of eight', code == 0 and wanted * 0.95 < found < most * wanted, f'{found:.3f} of 255')


def sharpness(report, stack, name, frames, *words):
    """The gradient energy of the result in parts of that of one frame."""
    out = os.path.join(stack.work, name + '.png')
    code, lines = stack.run(*frames, '-o', out, *words)
    report.check(f'{name} frames are stacked', code == 0 and os.path.exists(out), f'exit {code} {lines}')
    return gradient_energy(stack.picture(out)) / gradient_energy(stack.picture(frames[0]))


def check_sharpness(report, stack):
    """Frames that are shifted by whole pixels show what wrong transforms cost, turned ones what the kernel costs too.  What that is
    follows from the kernel and the frame (sharpness.c)."""
    part = sharpness(report, stack, 'shifted', stack.frames('shifted', FRAMES, 0, 0))
    report.check('shifted frames stay sharp', 0.97 < part < 1.03, f'{100 * part:.1f} % of the gradient energy of one frame')
    turned = stack.frames('turned', FRAMES, 0, 1)
    for name, frames in (('turned', turned), ('soft', stack.frames('soft', FRAMES, 0, 1, SOFT))):
        part = sharpness(report, stack, name, frames, '--method', 'mean')
        wanted = float(stack.gegl.command([stack.judge, frames[0], str(FRAMES)]).stdout)
        report.check(f'{name} frames are as sharp as the kernel lets them be', abs(part - wanted) < 0.01,
                     f'{100 * part:.1f} % of the gradient energy of one frame, {100 * wanted:.1f} % of it should be left')
    report.check('frames as soft as a camera\'s stay sharp', 0.97 < part < 1.03, f'{100 * part:.1f} %')
    return turned


def check_outlier(report, stack, frames):
    """A frame that nothing aligns is named and left out; most of them: exit 1."""
    out, once = os.path.join(stack.work, 'left-out.png'), os.path.join(stack.work, 'without.png')
    code, lines = stack.run(*frames[:3], UNRELATED, '-o', out)
    report.check('an unrelated picture is left out, and named', code == 0 and f'{UNRELATED} is left out' in lines and 'matches agree' in lines, lines)
    stack.run(*frames[:3], '-o', once)
    with open(out, 'rb') as one, open(once, 'rb') as other:
        report.check('... and changes nothing', one.read() == other.read())
    code, lines = stack.run(frames[0], UNRELATED, os.path.join(IMAGES, 'seeding.jpg'), '-o', out)
    report.check('fewer than half: exit 1', code == 1 and 'only 1 of 3 frames align' in lines, f'exit {code} {lines}')


def check_killed(report, stack, frames):
    """Killed after some frames, whenever: the next run goes on, and its file is the same."""
    whole, out = os.path.join(stack.work, 'whole.tif'), os.path.join(stack.work, 'killed.tif')
    stack.run(*frames, '-o', whole)
    kept = out + '.transforms'
    process = subprocess.Popen([stack.program, *frames, '-o', out], env=stack.gegl.env, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (os.path.exists(kept) and open(kept, encoding='utf-8').read().count('matrix') >= 2):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(kept, encoding='utf-8') as file:
        before = file.read()
    report.check('a killed run has kept some transforms and no picture', 1 < before.count('matrix') < len(frames) - 1 and not os.path.exists(out),
                 f'{before.count("matrix")} of {len(frames) - 1}')
    code, _ = stack.run(*frames, '-o', out)
    with open(whole, 'rb') as one, open(out, 'rb') as other, open(kept, encoding='utf-8') as file:
        report.check('the next run makes the same file', code == 0 and one.read() == other.read())
        report.check('... with the transforms that were there', all(line in file.read() for line in before.splitlines()[-1:]))
    # A transform that is kept is used: one that is wrong shows.
    with open(kept, encoding='utf-8') as file:
        lines = file.read().splitlines(keepends=True)
    words = lines[-1].split('matrix ')
    with open(kept, 'w', encoding='utf-8') as file:
        file.writelines(lines[:-1] + [words[0] + 'matrix 1 0 300 0 1 0 0 0 1\t\n'])
    stack.run(*frames, '-o', out)
    with open(whole, 'rb') as one, open(out, 'rb') as other:
        report.check('kept transforms are not found anew', one.read() != other.read())
    whole_frame = content(frames[-1])
    with open(frames[-1], 'ab') as file:        # the picture is the same
        file.write(b'more')
    stack.run(*frames, '-o', out)
    with open(frames[-1], 'wb') as file:
        file.write(whole_frame)
    with open(whole, 'rb') as one, open(out, 'rb') as other:
        report.check('... but where the file is another', one.read() == other.read())


def check_formats(report, stack, frames):
    for name, words in (('a.png', ()), ('a.tif', ()), ('a.tiff', ('--float',)), ('a.exr', ())):
        out = os.path.join(stack.work, name)
        code, lines = stack.run(*frames[:2], '-o', out, *words, '--memory', '64', '--reference', 'sharpest', '--model', 'homography')
        good = code == 0 and os.path.exists(out) and os.path.getsize(out) > 10000
        report.check(f'{name}', good, f'exit {code} {lines}')
    small, large = os.path.join(stack.work, 'small.png'), os.path.join(stack.work, 'large.png')
    stack.run(*frames, '-o', small, '--memory', '16')
    stack.run(*frames, '-o', large, '--memory', '1000')
    with open(small, 'rb') as one, open(large, 'rb') as other:
        report.check('the same file with little memory', one.read() == other.read())


def check_messages(report, stack, frames):
    cases = (((), 'which pictures'), ((frames[0],), 'which pictures'), ((frames[0], '-o', 'x.jpg'), 'the ending says'),
             ((frames[0], '-o', 'x.png', '--method', 'best'), 'no method called best'),
             ((frames[0], '-o', 'x.png', '--reference', 'third'), 'no reference called third'),
             ((frames[0], '-o', 'x.png', '--float'), '--float is for TIFF'), ((frames[0], '-o', 'x.png', '--memory', '0'), '--memory is 1 or more'),
             ((frames[0], '-o', 'x.png', '--memory', '-5'), '--memory is 1 or more'), ((frames[0], '-o', 'x.png', '--model', 'best'), 'no model called best'),
             ((frames[0], '-o', 'x.png', '--contrast-threshold', '0.6'), '--contrast-threshold is 0 to 0.5'),
             ((frames[0], '-o', 'x.png', '--contrast-threshold', 'nan'), '--contrast-threshold is 0 to 0.5'),
             ((frames[0], '-o', 'x.png', '--contrast-threshold', '-1'), '--contrast-threshold is 0 to 0.5'),
             ((frames[0], '-o', 'x.png', '--max-features', '99'), '--max-features is 100 to 50000'),
             (('nowhere.png', '-o', 'x.png'), 'there is no file nowhere.png'),
             ((__file__, '-o', os.path.join(stack.work, 'x.png')), 'cannot be read as a picture'),
             ((frames[0], '-o', os.path.join(stack.work, 'nowhere', 'x.png')), 'cannot be written'))
    for words, text in cases:
        code, lines = stack.run(*words)
        report.check(f'exit 2: {text}', code == 2 and text in lines, f'exit {code} {lines}')


def check_pipe(report, stack, frames):
    """Whoever reads it saw its end, and the second opening waited for ever."""
    pipe = os.path.join(stack.work, 'pipe.png')
    os.mkfifo(pipe)
    with subprocess.Popen(['cat', pipe], stdout=subprocess.DEVNULL) as reader:
        done = stack.gegl.command([stack.program, *frames[:2], '-o', pipe], timeout=40)
        reader.kill()
    os.mkfifo(os.path.join(stack.work, 'beside.png.transforms'))
    code, lines = stack.run(*frames[:2], '-o', os.path.join(stack.work, 'beside.png'), timeout=40)
    report.check('a pipe that is called as the file of transforms is not waited for', code == 0 and 'is another file' in lines, f'exit {code} {lines}')
    report.check('a pipe is refused before the work', done.returncode == 2 and done.stderr.count('it is no file') == 1, f'exit {done.returncode} {done.stderr}')


def check_babl(report, stack, frames):
    """babl keeps conversions for all programs, and would keep this one's few in their place."""
    home = os.path.join(stack.work, 'home')
    kept = os.path.join(home, 'babl', 'babl-fishes')
    os.makedirs(os.path.dirname(kept))
    with open(kept, 'w', encoding='utf-8') as file:
        file.write('those of other programs\n')
    code, lines = stack.run(*frames[:2], '-o', os.path.join(stack.work, 'babl.png'), '--reference', 'sharpest', XDG_CACHE_HOME=home)
    report.check('what babl keeps for other programs stays', code == 0 and content(kept) == b'those of other programs\n', f'exit {code} {lines}')


def check_losses(report, stack, frames):
    """What was there before stays, and what is wrong is named."""
    own, out, notes, bad, big, tiny = (os.path.join(stack.work, name)
                                       for name in ('own.png', 'kept.png', 'kept.png.transforms', 'bad.jpg', 'big.png', 'tiny.png'))
    shutil.copy(frames[0], own)
    code, lines = stack.run(own, frames[1], '-o', own)
    report.check('a frame is not written over', code == 2 and 'written over' in lines and content(own) == content(frames[0]), f'exit {code} {lines}')
    shutil.copy(frames[0], out)
    for trap in ('trap "" XFSZ; ', ''):
        done = stack.gegl.command(['bash', '-c', trap + 'ulimit -f 8; exec "$0" "$@"', stack.program, frames[0], frames[1], '-o', out])
        report.check('a full disk leaves the old picture', done.returncode == 2 and content(out) == content(frames[0]), f'exit {done.returncode} {done.stderr}')
    with open(notes, 'w', encoding='utf-8') as file:
        file.write('my own notes\n')
    code, lines = stack.run(*frames[:4], '-o', out)
    report.check('a file of another kind stays', content(notes) == b'my own notes\n')
    report.check('... and that is said once, not of each frame', code == 0 and lines.count('is another file') == 1, f'exit {code} {lines}')
    code, lines = stack.run(*frames[:4], '-o', os.path.join(stack.work, 'nowhere', 'x.png'))
    report.check('a folder that is not there is named before the work', code == 2 and lines.count('cannot be written') == 1, f'exit {code} {lines}')
    os.remove(notes)
    os.remove(out)
    os.symlink(own, out)
    stack.run(frames[0], frames[1], '-o', out)
    report.check('a link stays, and what it leads to is written', os.path.islink(out) and content(own) != content(frames[0]))
    with open(bad, 'w', encoding='utf-8') as file:
        file.write('x\n')
    code, lines = stack.run(frames[0], bad, frames[1], '-o', out)
    report.check('a JPEG that is none is named and left out', code == 0 and f'{bad} is left out: it cannot be read' in lines, f'exit {code} {lines}')
    check_cut(report, stack, frames)
    check_sized(report, stack, frames)
    check_damaged(report, stack, frames)
    check_turned(report, stack, frames)
    check_grey(report, stack, frames)
    check_unknown(report, stack, frames)
    check_babl(report, stack, frames)
    check_pipe(report, stack, frames)
    for path, chain in ((big, ['gegl:scale-size', 'x=3000', 'y=2100']), (tiny, ['gegl:crop', 'x=0', 'y=0', 'width=1', 'height=1'])):
        stack.gegl.run([frames[0], '-o', path, '--', *chain])
    code, lines = stack.run('--model', 'translation', big, tiny, '-o', out)
    report.check('a picture of one pixel is left out of a large one', code in (0, 1) and 'is left out' in lines, f'exit {code} {lines}')


def check_fewer(report, stack, frames):
    """A picture of fewer frames takes the place of one of more: that is said, and what was found of the others stays."""
    out, once = os.path.join(stack.work, 'fewer.png'), os.path.join(stack.work, 'again.png')
    _, lines = stack.run(*frames[:4], '-o', out)
    report.check('four frames: nothing to say', not lines, lines)
    shutil.copy(out, once)
    code, lines = stack.run(*frames[:2], frames[4], '-o', out)
    report.check('three frames after four: it is said', code == 0 and f'{out} is of 3 frames now; it was of 4' in lines, f'exit {code} {lines}')
    with open(out + '.transforms', encoding='utf-8') as file:
        report.check('... and the transforms of all are kept', file.read().count('matrix') == 4)
    code, lines = stack.run(*frames[:4], '-o', out)
    report.check('four again: nothing to say, the same picture', code == 0 and not lines and content(out) == content(once), f'exit {code} {lines}')
    whole, times = content(frames[3]), os.stat(frames[3])
    for bytes_of in (b'x' * len(whole), whole):         # a disk that fails, as it was again
        with open(frames[3], 'wb') as file:
            file.write(bytes_of)
        os.utime(frames[3], ns=(times.st_atime_ns, times.st_mtime_ns))
        code, lines = stack.run(*frames[:4], '-o', out)
        if bytes_of is whole:
            report.check('... which can be read again: the same picture, by the transform that was kept', code == 0 and not lines and content(out) == content(once),
                         f'exit {code} {lines}')
        else:
            report.check('a frame whose transform is kept, but which cannot be read, is named and not counted',
                         code == 0 and f'{frames[3]} is left out' in lines and 'of 3 frames now; it was of 4' in lines, f'exit {code} {lines}')
            with open(out + '.transforms', encoding='utf-8') as file:
                report.check('... and its transform stays', file.read().count('matrix') == 4)
    with open(out, 'ab') as file:
        file.write(b'changed by somebody')
    _, lines = stack.run(*frames[:2], '-o', out)
    report.check('a file that is not ours any more is not counted', not lines, lines)


def main():
    report = Report()
    with tempfile.TemporaryDirectory(prefix='tessera-stack-') as work:
        stack = Stack(sys.argv[1], work)
        check_noise(report, stack)
        frames = check_sharpness(report, stack)
        check_outlier(report, stack, frames)
        check_killed(report, stack, frames)
        check_formats(report, stack, frames)
        check_messages(report, stack, frames)
        check_losses(report, stack, frames)
        check_fewer(report, stack, frames)
        shutil.rmtree(os.path.join(work, 'noisy'), ignore_errors=True)
    report.finish()


main()
