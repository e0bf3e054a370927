#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-live.py BUILD: frames that follow, in a later run and while --live waits for them: the tables are those of one run over all frames."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report

FRAMES, NIGHT = 52, '60'
SETTINGS = ('--history', '8', '--block', '10', '--pictures', '2', '--night', NIGHT, '--write', 'whitened')
PATIENCE = 240                          # seconds


def tables_differ(a, b):
    """Of two folders, all but the blocks, which name their files, and the page, which tells the folder's age."""
    return [name for name in sequence_test.differences(a, b) if not name.startswith(('blocks', 'settings'))]


class Live:
    """A night in a folder of its own, that grows; what --live has told of it, a line of JSON for each turn."""

    def __init__(self, sequence, field, name):
        self.names, self.field = sorted(os.listdir(field)), field
        self.night, self.found = sequence.path(name), sequence.path(name + '-found')
        os.mkdir(self.night)
        self.told = []

    def add(self, begin, end):
        for name in self.names[begin:end]:
            shutil.copy(os.path.join(self.field, name), self.night)

    def add_slowly(self, index, parts=2):
        """A part of a frame, and each half of a second one more."""
        with open(os.path.join(self.field, self.names[index]), 'rb') as file:
            data = file.read()
        with open(os.path.join(self.night, self.names[index]), 'wb') as file:
            for i in range(parts):
                file.write(data[len(data) * i // parts:len(data) * (i + 1) // parts])
                file.flush()
                time.sleep(0.5 if i + 1 < parts else 0)

    def start(self, sequence, *options):
        self.process = subprocess.Popen([sequence.program, self.night, '-o', self.found, *SETTINGS, '--live', '--json', *options], env=sequence.gegl.env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=lambda: self.told.extend(self.process.stdout), daemon=True)
        self.errors = []
        self.speaker = threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True)
        self.reader.start()
        self.speaker.start()

    def frames(self):
        return json.loads(self.told[-1])['frames'] if self.told else 0

    def until(self, frames):
        began = time.monotonic()
        while self.frames() < frames and self.process.poll() is None and time.monotonic() - began < PATIENCE:
            time.sleep(0.05)
        return self.frames() == frames

    def end(self):
        self.process.send_signal(signal.SIGTERM)         # a job in the background ignores SIGINT
        return self.process.wait(30)


def in_turns(sequence, report, field, whole):
    """Runs that go on; each block that more frames cannot change is made once."""
    live, made = Live(sequence, field, 'turns'), 0
    for begin, end in ((0, 30), (30, 32), (32, FRAMES)):
        live.add(begin, end)
        code, output, errors = sequence.run(live.night, '-o', live.found, '--json', settings=SETTINGS)
        told = json.loads(output) if code == 0 else {}
        report.check(f'{end} frames', code == 0 and told['frames'] == end, errors)
        made = told.get('blocks_made', 0)
    report.check('a night that grew has the tables of one that was whole', not tables_differ(live.found, whole), str(tables_differ(live.found, whole)))
    report.check('what more frames cannot change was not made again', 3 <= made <= 5, f'{made} blocks')
    code, output, errors = sequence.run(live.night, '-o', live.found, '--json', settings=SETTINGS)
    report.check('without new frames nothing is made', code == 0 and json.loads(output)['blocks_made'] == 0, errors)
    os.remove(os.path.join(live.night, live.names[-1]))
    code, _, errors = sequence.run(live.night, '-o', live.found, settings=SETTINGS)
    report.check('with fewer frames it is refused, in words', code == 2 and 'other settings or frames' in errors, errors)


def not_without_night(sequence, report, field):
    live, settings = Live(sequence, field, 'nightless'), SETTINGS[:-4]
    live.add(0, 36)
    sequence.run(live.night, '-o', live.found, settings=settings)
    live.add(36, 44)
    code, _, errors = sequence.run(live.night, '-o', live.found, settings=settings)
    report.check('a night whose length is not said is refused when it grows', code == 2 and 'night 36' in errors, errors)
    with open(os.path.join(live.night, live.names[3]), 'r+b') as file:
        file.write(b'SIMPLE  =                    F')
    code, _, errors = sequence.run(live.night, '-o', live.found, *('--night', '36'), settings=settings)
    report.check('one of which a frame was changed is refused too', code == 2 and live.names[3] in errors, errors)


def set_clock(path, milliseconds):
    """The frame was taken so much later in its second."""
    with open(path, 'r+b') as file:
        data = file.read(2880)
        at = data.index(b'DATE-OBS=')
        card = data[at:at + 31][:-1] + b".%03d'" % milliseconds if data[at + 30:at + 31] == b"'" else b''
        file.seek(at)
        file.write(card.ljust(80))


def of_an_uneven_clock(sequence, report, field):
    """The middle interval is another with each frame: the tables are those of one run even so."""
    live, whole = Live(sequence, field, 'uneven'), sequence.path('uneven-whole')
    told = ''
    for begin, end in ((0, 1), (1, 30), (30, 44)):
        live.add(begin, end)
        for i in range(begin, end):
            set_clock(os.path.join(live.night, live.names[i]), 7 * i * i % 400)
        code, _, errors = sequence.run(live.night, '-o', live.found, settings=SETTINGS)
        with open(os.path.join(live.found, 'settings.txt')) as file:
            cadence = [line for line in file if line.startswith('cadence ')]
        report.check(f'{end} frames of an uneven clock', code == 0 and cadence != told, errors)
        told = cadence
    sequence.run(live.night, '-o', whole, settings=SETTINGS)
    report.check('... have the tables of one run', not tables_differ(live.found, whole), str(tables_differ(live.found, whole)))


def not_of_fewer(sequence, report, field):
    """A part of a night that grew, beside blocks of what it was."""
    live, merged = Live(sequence, field, 'parts'), sequence.path('parts-merged')
    live.add(0, 20)
    sequence.run(live.night, '-o', live.found, settings=SETTINGS)
    live.add(20, 40)
    sequence.run(live.night, '-o', live.found, '--part', '2/2', settings=SETTINGS)
    code, _, errors = sequence.run('merge', live.found, '-o', merged)
    report.check('blocks of a night that has grown since are not merged', code == 2 and 'block 1 of 4 is missing' in errors, errors)
    first = sequence.path('parts-first')
    sequence.run(live.night, '-o', first, '--part', '1/2', settings=SETTINGS)
    code, _, errors = sequence.run('merge', live.found, first, '-o', sequence.path('parts-both'))
    report.check('... and do not stand in the way of new ones', code == 0, errors)


def as_they_come(sequence, report, field, whole):
    live = Live(sequence, field, 'live')
    live.start(sequence)
    live.add(0, 14)
    report.check('the first frames are found', live.until(14), ''.join(live.errors))
    live.add_slowly(14)
    live.add(15, 33)
    report.check('... and those that follow, one of them slowly', live.until(33), ''.join(live.errors))
    live.add(33, FRAMES)
    report.check('... and the last ones', live.until(FRAMES), ''.join(live.errors))
    live.end()
    report.check('--live leaves the tables of one run', not tables_differ(live.found, whole), str(tables_differ(live.found, whole)))
    report.check('no frame was left out on the way', all(not json.loads(line)['left_out'] for line in live.told), ''.join(live.told))


def however_they_come(sequence, report, field):
    """First a frame that is cut, and last one that takes so long that the folder has been still meanwhile."""
    live = Live(sequence, field, 'however')
    with open(os.path.join(live.field, live.names[0]), 'rb') as file:
        data = file.read()
    with open(os.path.join(live.night, live.names[0]), 'wb') as file:
        file.write(data[:len(data) // 2])
    live.start(sequence)
    began = time.monotonic()
    while not any('none of the 1 frames' in line for line in live.errors) and time.monotonic() - began < PATIENCE:
        time.sleep(0.05)
    report.check('a frame that is cut does not end it', live.process.poll() is None, ''.join(live.errors))
    live.add(0, 10)
    report.check('... and it goes on with others', live.until(10), ''.join(live.errors))
    time.sleep(10)
    live.add_slowly(10, 24)
    report.check('a frame that took 12 seconds is found', live.until(11), ''.join(live.errors))
    live.end()


def past_one_that_never_ends(sequence, report, field):
    """A file that changes all the time holds back those after it for a minute."""
    live, over = Live(sequence, field, 'endless'), threading.Event()
    live.add(0, 10)

    def touch():
        while not over.wait(0.5):
            os.utime(os.path.join(live.night, live.names[4]))

    writer = threading.Thread(target=touch, daemon=True)
    writer.start()
    live.start(sequence)
    report.check('those before a file that still changes are taken', live.until(4), ''.join(live.errors))
    report.check('... and after a while those after it', live.until(9), ''.join(live.errors))
    over.set()
    writer.join()
    live.add(10, 12)
    report.check('... and those that follow, without it, when it is whole', live.until(11), ''.join(live.errors))
    live.end()
    told = [line for line in live.errors if 'still changes' in line]
    report.check('it is named once, and in --json', len(told) == 1 and live.names[4] in told[0] and live.names[4] in str(json.loads(live.told[-1])['left_out']), str(told) + live.told[-1])


def of_a_master(sequence, report, field):
    """A dark frame that cannot be read for a while ends nothing; one that never could be is an error."""
    live, dark = Live(sequence, field, 'darkened'), sequence.path('a-dark.fits')
    shutil.copy(os.path.join(field, os.path.pardir, 'dark.fits'), dark)
    live.add(0, 12)
    live.start(sequence, '--dark', dark)
    report.check('frames with a dark are found', live.until(12), ''.join(live.errors))
    os.rename(dark, dark + '.kept')
    live.add(12, 14)
    began = time.monotonic()
    while not any('a-dark.fits' in line for line in live.errors) and time.monotonic() - began < PATIENCE:
        time.sleep(0.05)
    os.rename(dark + '.kept', dark)
    live.add(14, 16)
    report.check('without it for a while, the others are found once it is there again', live.until(16), ''.join(live.errors))
    live.end()
    code, _, errors = sequence.run(live.night, '-o', sequence.path('none'), '--live', '--dark', sequence.path('nowhere.fits'), settings=SETTINGS)
    report.check('a dark that was never there is an error', code == 2 and 'nowhere.fits' in errors, errors)


def not_a_film(sequence, report, field):
    code, _, errors = sequence.run(os.path.join(field, sorted(os.listdir(field))[0]), '-o', sequence.path('none'), '--live', settings=SETTINGS)
    report.check('--live of one file is an error, in words', code == 2 and '--live takes a folder' in errors, errors)
    code, _, errors = sequence.run(sequence.path('nowhere'), '-o', sequence.path('none'), '--live', settings=SETTINGS)
    report.check('... and of a folder that is not there', code == 2 and '--live takes a folder' in errors, errors)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        sequence = sequence_test.Sequence(os.path.abspath(sys.argv[1]), work)
        field, whole = sequence.field('field', FRAMES), sequence.path('whole')
        code, _, errors = sequence.run(field, '-o', whole, settings=SETTINGS)
        report.check('all frames in one run', code == 0, errors)
        in_turns(sequence, report, field, whole)
        not_without_night(sequence, report, field)
        of_an_uneven_clock(sequence, report, field)
        not_of_fewer(sequence, report, field)
        as_they_come(sequence, report, field, whole)
        however_they_come(sequence, report, field)
        past_one_that_never_ends(sequence, report, field)
        of_a_master(sequence, report, field)
        not_a_film(sequence, report, field)
    report.finish()


main()
