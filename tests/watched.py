# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs a program and ends it when it hangs, whatever else the machine does.

On a busy machine a healthy test takes many times longer, so the wall clock says nothing.  Each second of a program and of all that
it started is one of three: it computed; it waited for a processor or a disk; or it did nothing.  What it computed has a limit
(a loop without end), and so has what it did nothing (a lock that nobody releases).  Waiting has none: that is the machine's
fault.  Several threads that compute at once count as one: else the limit would depend on the number of processors."""
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

TICKS = os.sysconf('SC_CLK_TCK')
SAMPLE = 1.0                    # seconds
stopping = threading.Event()    # Ctrl-C: the programs are in sessions of their own, which do not hear it


def stat(path):
    """Fields of a stat file of /proc from the state on; None where the process is gone."""
    try:
        with open(path, encoding='ascii', errors='replace') as file:
            return file.read().rpartition(')')[2].split()
    except OSError:
        return None


class Family:
    """A process, its session, and all that descends from it, even when the parent is gone."""

    def __init__(self, leader):
        self.leader, self.known = leader, {}            # process: when it started

    def look(self):
        """Returns (seconds computed so far, does one wait for a processor or a disk)."""
        all_of_them = {int(name): fields for name in os.listdir('/proc') if name.isdigit()
                       and (fields := stat(f'/proc/{name}/stat'))}
        members = {pid for pid, fields in all_of_them.items()
                   if pid == self.leader or int(fields[3]) == self.leader or self.known.get(pid) == fields[19]}
        while more := {pid for pid, fields in all_of_them.items() if int(fields[1]) in members} - members:
            members |= more
        self.known = {pid: all_of_them[pid][19] for pid in members}
        # A process's time and that of its children that have ended.
        ticks = sum(sum(map(int, all_of_them[pid][11:15])) for pid in members)
        return ticks / TICKS, any(self.waits(pid) for pid in members)

    @staticmethod
    def waits(pid):
        try:
            threads = os.listdir(f'/proc/{pid}/task')
        except OSError:
            return False
        return any((fields := stat(f'/proc/{pid}/task/{thread}/stat')) and fields[0] in 'RD' for thread in threads)

    def kill(self):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            self.look()
            for pid in self.known:
                try:
                    os.kill(pid, sign)
                except OSError:
                    pass
            time.sleep(0.3)


class Done:
    """How a program ended: its exit code, what it printed, why it was ended (or ''), the seconds it took and those it computed; and of
    all processors together."""

    def __init__(self, code, output, why, seconds, computed, processors):
        self.code, self.output, self.why, self.seconds, self.computed, self.processors = code, output, why, seconds, computed, processors


def watch(process, computes, idles, wait=None):
    """Waits for the end, by `wait` (seconds) if that is given; returns why the program was killed, or '', and the seconds that it computed."""
    family, computed, idle, before = Family(process.pid), 0.0, 0.0, 0.0
    last = time.monotonic()
    while True:
        try:
            (wait or process.wait)(SAMPLE)
            return '', computed
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        so_far, waits = family.look()
        worked = min(max(so_far - before, 0.0), now - last)
        computed += worked
        if not waits:
            idle += now - last - worked
        before, last = so_far, now
        why = 'interrupted' if stopping.is_set() else \
            f'timed out after {computed:.0f} s of processor time' if computes and computed > computes else \
            f'hangs: it did nothing for {idle:.0f} s' if idle > idles else ''
        if why:
            family.kill()
            process.wait()
            return why, computed


def communicate(process, limit):
    """What a program prints into pipes, while it computes less than `limit` seconds and does nothing for less than that.
    Returns (output, errors, why it was killed or '')."""
    said = []
    why, _ = watch(process, limit, limit, lambda seconds: said.append(process.communicate(timeout=seconds)))
    output, errors = said[0] if said else process.communicate()
    return output, errors, why


def ended(process, seconds):
    """Waits for the end as process.wait does; returns the seconds that all processors worked for it."""
    until = time.monotonic() + seconds
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return used.ru_utime + used.ru_stime
        if time.monotonic() > until:
            raise subprocess.TimeoutExpired(process.args, seconds)
        time.sleep(0.02)


def run(words, log, cwd, computes=None, idles=1800, **env):
    """Runs a program with a folder of its own for temporary files, which goes with it; its output is in the file `log`."""
    folder = tempfile.mkdtemp(prefix='tessera-test-')
    began, used = time.monotonic(), []
    try:
        with open(log, 'wb') as file:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, cwd=cwd,
                                       start_new_session=True, env={**os.environ, 'TMPDIR': folder, **env})
            why, computed = watch(process, computes, idles, lambda seconds: used.append(ended(process, seconds)))
        with open(log, encoding='utf-8', errors='replace') as file:
            return Done(process.returncode, file.read(), why, time.monotonic() - began, computed, sum(used) or computed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
