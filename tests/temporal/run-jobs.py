#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-jobs.py BUILD: the recipes of the page for many workers, with GNU parallel (one worker is killed) and with Slurm on this host alone, which needs root.
The whole is a serial run's, byte for byte.  What Slurm cannot do here is told as skipped."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from importlib import import_module

sequence_test = import_module('run-sequence')
from common import Report, TOP

SCRIPT = os.path.join(TOP, 'data', 'scripts', 'sequence-nights.slurm')
SETTINGS = sequence_test.SETTINGS


def workers_of(parent):
    """The processes below it that are tessera-sequence."""
    found = []
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat', encoding='utf-8') as file:
                    name, _, rest = file.read().rpartition(')')
                if 'tessera-sequenc' in name:
                    found.append((int(entry), int(rest.split()[1])))
            except OSError:
                continue
    parents = {}
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat', encoding='utf-8') as file:
                    parents[int(entry)] = int(file.read().rpartition(')')[2].split()[1])
            except OSError:
                continue
    ours = []
    for process, above in found:
        while above not in (0, 1, parent):
            above = parents.get(above, 0)
        if above == parent:
            ours.append(process)
    return ours


def with_parallel(report, sequence, frames, whole):
    """Two workers, of which one is killed; then the lines of the page again."""
    folder = sequence.path('parallel')
    words = ['parallel', '-j2', sequence.program, frames, '-o', folder, '--part', '{}/4', *SETTINGS, ':::', '1', '2', '3', '4']
    process = subprocess.Popen(words, env={**sequence.gegl.env, 'HOME': sequence.work}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killed, end = 0, time.monotonic() + 60
    while not killed and process.poll() is None and time.monotonic() < end:
        for worker in workers_of(process.pid)[:1]:
            time.sleep(0.2)
            try:
                os.kill(worker, signal.SIGKILL)
                killed = worker
            except ProcessLookupError:
                pass
        time.sleep(0.02)
    output = process.communicate()[0]
    report.check('one of two workers is killed, and parallel says that a job failed', killed and process.returncode == 1, f'{process.returncode} {output[-300:]}')
    code, _, errors = sequence.run('merge', folder, '-o', sequence.path('early'), settings=())
    report.check('what is missing is known', code == 2 and 'missing' in errors, errors)
    done = subprocess.run(words, env={**sequence.gegl.env, 'HOME': sequence.work}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    code, _, errors = sequence.run(frames, '-o', folder)
    wrong = sequence_test.differences(whole, folder)
    report.check('given again, the whole is a serial run\'s', done.returncode == 0 and code == 0 and not wrong, ' '.join(wrong) + errors)


CONFIGURATION = """ClusterName=tessera
SlurmctldHost={host}
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket
CredType=cred/munge
CommunicationParameters=NoAddrCache
MpiDefault=none
ProctrackType=proctrack/pgid
ReturnToService=2
SlurmctldPidFile={work}/slurmctld.pid
SlurmctldPort=16817
SlurmdPidFile={work}/slurmd.pid
SlurmdPort=16818
SlurmdSpoolDir={work}/spool
SlurmUser=root
StateSaveLocation={work}/state
SwitchType=switch/none
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/slurmd.log
NodeName={host} CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """The daemons, for this host alone, in a folder."""

    def __init__(self, work):
        self.work, self.host, self.daemons = work, socket.gethostname().split('.')[0], []
        for name in ('spool', 'state'):
            os.mkdir(os.path.join(work, name))
        with open(os.path.join(work, 'slurm.conf'), 'w', encoding='utf-8') as file:
            file.write(CONFIGURATION.format(work=work, host=self.host, cpus=os.cpu_count()))
        self.env = {**os.environ, 'SLURM_CONF': os.path.join(work, 'slurm.conf')}

    def start(self, *words):
        with open(os.path.join(self.work, os.path.basename(words[0]) + '.out'), 'w', encoding='utf-8') as log:
            self.daemons.append(subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def begin(self):
        """What keeps it from running, or nothing."""
        key = os.path.join(self.work, 'munge.key')
        with open(key, 'wb') as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o600)
        self.start('munged', '--foreground', '--force', f'--key-file={key}', f'--socket={self.work}/munge.socket', f'--pid-file={self.work}/munged.pid',
                   f'--log-file={self.work}/munged.log', f'--seed-file={self.work}/munged.seed')
        time.sleep(1)
        self.start('slurmctld', '-D', '-i')
        time.sleep(2)
        self.start('slurmd', '-D', '-N', self.host)
        for _ in range(40):
            done = subprocess.run(['sinfo', '-h', '-o', '%T'], env=self.env, capture_output=True, text=True)
            if 'idle' in done.stdout:
                return ''
            time.sleep(0.5)
        return (done.stdout + done.stderr).strip() or 'the node does not come up'

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def with_slurm(report, sequence, frames, whole):
    missing = [name for name in ('munged', 'slurmctld', 'slurmd', 'sbatch') if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f'skipped: Slurm needs {", ".join(missing) or "root"}')
        return
    folder = sequence.path('slurm')
    os.mkdir(sequence.path('daemons'))
    os.chmod(sequence.work, 0o755)
    slurm = Slurm(sequence.path('daemons'))
    env = {**sequence.gegl.env, 'SLURM_CONF': slurm.env['SLURM_CONF'], 'PATH': os.path.dirname(sequence.program) + os.pathsep + sequence.gegl.env['PATH']}
    resources = ['--cpus-per-task=1', '--mem=500M', f'--output={sequence.work}/job-%a.log']
    try:
        why = slurm.begin()
        if why:
            print(f'skipped: Slurm does not run here: {why}')
            return
        done = subprocess.run(['sbatch', '--test-only', '--array=1-3', *resources, SCRIPT, frames, folder], env=env, capture_output=True, text=True)
        report.check('sbatch --test-only takes the script', done.returncode == 0, done.stderr)
        done = subprocess.run(['sbatch', '--wait', '--array=1-3', *resources, SCRIPT, frames, folder, *SETTINGS], env=env, capture_output=True, text=True, timeout=240)
        report.check('an array of three jobs ends well', done.returncode == 0, done.stdout + done.stderr)
    finally:
        slurm.end()
    code, _, errors = sequence.run(frames, '-o', folder)
    wrong = sequence_test.differences(whole, folder)
    report.check('the whole of the array is a serial run\'s', code == 0 and not wrong, ' '.join(wrong) + errors)


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as work:
        sequence = sequence_test.Sequence(sys.argv[1], work)
        frames = sequence.field('field', 60)
        whole = sequence.path('whole')
        code, _, errors = sequence.run(frames, '-o', whole)
        report.check('a serial run', code == 0, errors)
        with_parallel(report, sequence, frames, whole)
        with_slurm(report, sequence, frames, whole)
    return report.finish()


if __name__ == '__main__':
    sys.exit(main())
