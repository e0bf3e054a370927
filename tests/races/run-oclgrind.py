#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-oclgrind.py BUILD [FILTER...]: runs every kernel on small pictures on Oclgrind, a device that looks at each access:
data races, and what lies out of bounds.  The parity driver draws the pictures, so that the pixels are compared as well.
(What nobody has written it tells wrongly: 21.10 crashes in that plug-in, and takes for unwritten what was uploaded.)"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import TOP, Gegl, Report

DRIVER = '/usr/lib/oclgrind/liboclgrind-rt-icd.so'
SECONDS = 300
SEED = '20261121'

# Filter, cases, what is the same in all of them; what the stub driver says in between.  An instruction of Oclgrind's takes a
# microsecond, so reaches are small; a part that a group cannot show is where a bound is wrong by one.
SMALL = 'width=37,height=21'
PHOTOGRAPHS = [os.path.join(TOP, 'data', 'images', name + '.jpg') for name in ('seeding', 'friends', 'mountains')]
RUNS = [
    ('bilateral-filter', 2, f'{SMALL},spatial-sigma=4,range-sigma=0.2'),
    ('bilateral-grid', 4, 'width=23,height=18,spatial-sigma=3,range-sigma=0.2'),
    ('bilateral-grid', 3, 'width=23,height=18,spatial-sigma=3,range-sigma=0.2,aux=working'),
    ('bilateral-grid', 2, 'width=41,height=20,spatial-sigma=18,range-sigma=0.5'),
    ('bilateral-grid', 3, 'width=41,height=20,spatial-sigma=9,range-sigma=0.5,guide=luminance', 'lie:gpu'),      # Oclgrind is a processor too
    ('bilateral-grid', 2, 'width=14,height=9,spatial-sigma=2,range-sigma=0.01,content=hdr'),
    ('bilateral-grid', 2, 'width=24,height=20,spatial-sigma=18,range-sigma=0.5,content=far'),
    ('cielab', 12, SMALL),
    ('detail', 3, 'width=23,height=18,radius=4'),
    ('detail', 2, 'width=41,height=20,radius=18,content=far'),
    ('tone', 3, 'width=23,height=18,radius=4,compression=1'),
    ('convolution', 12, SMALL),
    ('convolution', 12, 'width=131,height=9'),           # a group is 128 wide
    ('equalize', 6, f'{SMALL},bins=256'),
    ('gaussian-blur', 4, f'{SMALL},std-dev-x=1.5,std-dev-y=1'),
    ('gaussian-blur', 2, f'{SMALL},std-dev-x=14,std-dev-y=13'),
    ('harris-corners', 6, f'{SMALL},sigma=0.7,threshold=0.02,result=overlay'),
    ('harris-corners', 4, f'{SMALL},sigma=1'),
    ('label', 16, SMALL),
    ('label', 3, 'width=150,height=40'),
    ('mean-blur', 6, f'{SMALL},radius=3'),
    ('mean-blur', 2, f'{SMALL},radius=17'),
    ('median-blur', 4, f'{SMALL},radius=1,percentile=50,neighborhood=square'),
    ('median-blur', 3, 'width=19,height=13,radius=2,percentile=50,neighborhood=square'),
    ('median-blur', 2, 'width=15,height=11,radius=3,percentile=50,neighborhood=square'),
    ('median-blur', 4, 'width=15,height=11,radius=2,percentile=30'),
    ('median-blur', 3, 'width=19,height=13,radius=4,percentile=50,neighborhood=square'),
    ('median-blur', 2, 'width=37,height=70,radius=3,neighborhood=circle'),       # more than a group's pixels
    *(('median-blur', 2, f'width=15,height=11,radius={radius},percentile=50,neighborhood=square,format=srgb-u8') for radius in (1, 2, 3)),
    ('motion-blur', 6, f'{SMALL},length=6'),
    ('sift', 1, 'width=24,height=20,octaves=2,upsample=1,intervals=1,sigma=0.8,contrast-threshold=0,edge-threshold=100,content=noise,alpha=opaque,'
                'format=working,specials=0,max-features=0,roi-w=0,roi-h=0'),
    ('sharpen-lens', 3, 'width=23,height=18,radius=0.7,iterations=2'),
    ('sharpen-lens', 2, 'width=14,height=11,radius=1.5,iterations=1'),
    ('sobel', 12, SMALL),
    ('template', 6, SMALL),
    ('template', 40, f'{SMALL},law=native,sent=1,bands=0,x=0,y=0,roi-w=0,roi-h=0'),      # tiles of every width
    ('unsharp-mask', 4, f'{SMALL},std-dev=1'),
    ('unsharp-mask', 2, f'{SMALL},std-dev=14'),
    *(('unsharp-mask', 2, f'{SMALL},std-dev={deviation},format=srgb-u8') for deviation in (1, 14)),
]

# What has a test of its own, and the result that it tells then.
OTHERS = [('background-whiten', ['temporal/sequence-answers', 'background-whiten-faults', '--small'], 27),
          *(('circles', ['features/sift-test', 'marks', '--case', case, *PHOTOGRAPHS], 12) for case in ('8', '13')),
          ('estimate-shift', ['temporal/sequence-answers', 'estimate-shift', '--small'], 16), ('match', ['match/point-answers', 'matches', '--small'], 12),
          ('sequence', ['temporal/sequence-speed', '--size', '24x20', '--history', '2', '--batch', '1', '--frames', '2', '--threads', '1'], 35),
          ('tracks', ['temporal/sequence-answers', 'tracks', '--small'], 12)]


def kernels():
    """All that the sources define; three macros make several each."""
    found = set()
    for path in glob.glob(os.path.join(TOP, 'opencl', 'kernels', '*.[ch]*')) + glob.glob(os.path.join(TOP, 'opencl', 'kernels', 'shared', '*.h')):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        found.update(re.findall(r'^kernel void (?!name\b)(\w+) \(', text, re.MULTILINE))
        found.update(re.findall(r'^DEFINE_TILE \((\w+),', text, re.MULTILINE))
        found.update(name + n for name, n in re.findall(r'^MEDIAN_KERNEL \((\w+), \d+, (\d+), ', text, re.MULTILINE))
        found.update('median_select_' + name for name in re.findall(r'^SELECT \((\w+), ', text, re.MULTILINE))
    return found


def is_meant(text):
    """label_join joins trees, label_shorten and label_flatten follow them, by what they read while others write: a reader sees an older
    parent, which is one as well, and the exchange notices.  These accesses are volatile or atomic, in global memory."""
    accesses = re.findall(r'entity: .*\n\t  (.*)', text)
    return re.search('data race at global memory.*\n\tKernel: label_(join|shorten|flatten)\n', text) and len(accesses) == 2 \
        and all('volatile' in access or 'atomic' in access for access in accesses)


def findings(path):
    """What Oclgrind wrote, one text for each, those that are meant left out."""
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8', errors='replace') as file:
        texts = re.split(r'\n(?=\S)', '\n' + file.read())
    return [text for text in texts if text.strip() and not is_meant(text)]


def run(report, gegl, folder, met, number, filter, cases, settings, plan=''):
    part = '--laws' if 'law=' in settings else '--parity'
    stub = os.path.join(gegl.build, 'tests', 'driver', 'libstub-icd.so')
    behind = {'STUB_ICD_LIBRARY': stub, 'STUB_ICD_DRIVER': DRIVER, 'STUB_ICD_PLAN': plan, 'OCL_ICD_VENDORS': vendors(folder, 'stub', stub)} if plan else {}
    look_at(report, gegl, folder, met, number, f'{filter}, {settings}', cases,
            ['check/check', '--tight-memory', '--filter', filter, part, '--cases', str(cases), '--seed', SEED, '--set', settings], **behind)


def vendors(folder, name, library):
    """A folder with one driver."""
    there = os.path.join(folder, name)
    os.makedirs(there, exist_ok=True)
    with open(os.path.join(there, name + '.icd'), 'w', encoding='utf-8') as file:
        file.write(library + '\n')
    return there


def look_at(report, gegl, folder, met, number, name, cases, command, **env):
    log = os.path.join(folder, f'log-{number}')
    done = gegl.command(['stdbuf', '-oL', os.path.join(gegl.build, 'tests', command[0]), *command[1:]], SECONDS, OCLGRIND_LOG=log, **env)
    met.update(re.findall(r"^Instructions executed for kernel '(\w+)'", done.stdout, re.MULTILINE))
    said = re.sub(r"^(Instructions executed for .*| +\d+ - .*|)\n", '', done.stdout, flags=re.MULTILINE)
    count = re.search(r'^(\d+) passed, 0 failed$', said, re.MULTILINE)
    # Oclgrind itself now and then falls over while the process ends.
    report.check(f'{name}: pixels', count and int(count.group(1)) == cases, '' if count else said[-1500:] + done.stderr[-1500:])
    found = findings(log)
    report.check(f'{name}: accesses', not found, f'{len(found)} findings\n' + ''.join(found[:3]) if found else '')


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    report = Report()
    if not os.path.exists(DRIVER):
        report.check('oclgrind is installed', False, DRIVER)
        report.finish()
    gegl = Gegl(sys.argv[1])
    met = set()                         # kernels that ran
    kept = {name: os.environ[name] for name in ('GEGL_PATH', 'LD_LIBRARY_PATH') if os.environ.get('OCLGRIND_KEEPS_PATH') and name in os.environ}
    with tempfile.TemporaryDirectory(prefix='tessera-oclgrind-') as folder:
        gegl.env.update(OCL_ICD_VENDORS=vendors(folder, 'oclgrind', DRIVER), GEGL_USE_OPENCL='yes', GEGL_SWAP='RAM', OCLGRIND_DATA_RACES='1', OCLGRIND_CHECK_API='1',
                        OCLGRIND_INST_COUNTS='1', OCLGRIND_NUM_THREADS='1', OCLGRIND_MAX_ERRORS='5000',
                        OCLGRIND_GLOBAL_MEM_SIZE=str(1 << 30), **kept)
        for number, (filter, *rest) in enumerate(RUNS):
            if filter in sys.argv[2:] or len(sys.argv) == 2:
                run(report, gegl, folder, met, number, filter, *rest)
        for number, (name, command, cases) in enumerate(OTHERS, len(RUNS)):
            if name in sys.argv[2:] or len(sys.argv) == 2:
                look_at(report, gegl, folder, met, number, name, cases, command)
    if len(sys.argv) == 2:
        left = sorted(kernels() - met)
        report.check(f'each of {len(kernels())} kernels ran', not left, ', '.join(left))
    report.finish()


main()
