# SPDX-License-Identifier: LGPL-3.0-or-later
"""The bench's report in markdown, from the measurements in bench.json."""

LEG_NAMES = {'c1': 'C, 1 thread', 'c': 'C, all threads', 'opencl': 'OpenCL'}
STAGES = ('read', 'upload', 'run', 'download', 'write')
SINK_HELP = {
    'whole': 'gegl_node_blit_buffer into a new GeglBuffer',
    'write': 'gegl:write-buffer into a new GeglBuffer, one request, TESSERA_DELIVER=stored',
    'chunks': 'gegl:write-buffer through gegl_processor, 1024 x 1024 pixels at a time, TESSERA_DELIVER=stored',
    'processor': 'gegl:write-buffer through gegl_processor, in chunks of GEGL\'s own choice',
    'preview': 'as GIMP 3 previews: rectangles that begin with a tile and grow to what takes 1/15 s, after a slider moved half way',
    'merge': 'as GIMP 3 applies a filter: the same with 1/8 s (1 s for GEGL\'s area filters), gegl:write-buffer',
}


GIMP_SINKS = ('preview', 'merge')
GOAL_LOCAL, GOAL_WHOLE = 1.5, 1.2


def mpix(result):
    return result['width'] * result['height'] / 1e6


def number(value, digits=3):
    """About three digits, never scientific."""
    if value is None:
        return '-'
    if value == 0:
        return '0'
    if abs(value) < 0.0005:
        return '~0'
    for limit, places in ((100, 0), (10, 1), (1, 2)):
        if abs(value) >= limit:
            return f'{value:.{max(0, places + digits - 3)}f}'
    return f'{value:.{digits}f}'.rstrip('0').rstrip('.')


def table(head, rows):
    lines = ['| ' + ' | '.join(head) + ' |', '|' + '|'.join('---' for _ in head) + '|']
    return lines + ['| ' + ' | '.join(row) + ' |' for row in rows] + ['']


def panels(report):
    """{(pixels, format): [results]} in the order of the first."""
    found = {}
    for result in report['results']:
        found.setdefault((result['width'] * result['height'], result['format']), []).append(result)
    return found


def lines_of(results):
    """{(row, sink): {leg: result}}"""
    found = {}
    for result in results:
        found.setdefault((result['row'], result['sink']), {})[result['leg']] = result
    return found


def panel_title(results):
    first = results[0]
    return f'{mpix(first):.1f} Mpix ({first["width"]} x {first["height"]}), {first["format"]}'


def legs_of(report):
    present = {result['leg'] for result in report['results']}
    return [leg for leg in LEG_NAMES if leg in present]


def leg_title(report, leg):
    threads = next(result['threads'] for result in report['results'] if result['leg'] == leg)
    return f'C, {threads} threads' if leg == 'c' else LEG_NAMES[leg]


def rival_cell(result):
    rival = result['rival'] if result else None
    if not rival:
        return ['-', '-']
    smaller = rival['mpix'] < mpix(result) * 0.99
    note = f' at {rival["mpix"]:.2f} Mpix' if smaller else ''
    few = f' ({rival["runs"]:.0f} run{"s" if rival["runs"] > 1 else ""})' if not rival['warmed'] else ''
    return [number(rival['min_ms']) + note + few, ('~' if smaller else '') + number(result['ratio'])]


def speed(report):
    legs = legs_of(report)
    text = ['## Speed', '',
            'Milliseconds, minimum and in brackets median; then GEGL\'s own filter in the same process, and how many times faster '
            'ours is (of the minima; ~: per pixel, as the rival was too slow for the whole picture). The last column: OpenCL against C '
            'on all threads.', '']
    for results in panels(report).values():
        text += [f'### {panel_title(results)}', '']
        rows = []
        for (row, sink), by_leg in lines_of(results).items():
            cells = [row, sink]
            for leg in legs:
                result = by_leg.get(leg)
                cells.append(f'{number(result["ours"]["min_ms"])} ({number(result["ours"]["median_ms"])})' if result else '-')
                cells += rival_cell(result)
            both = 'c' in by_leg and 'opencl' in by_leg
            cells.append(number(by_leg['c']['ours']['min_ms'] / by_leg['opencl']['ours']['min_ms']) if both else '-')
            rows.append(cells)
        head = ['filter', 'sink']
        for leg in legs:
            head += [leg_title(report, leg), 'GEGL', 'times']
        text += table(head + ['C / OpenCL'], rows)
    return text


def as_gimp(report):
    rows = []
    for result in report['results']:
        if result['sink'] not in GIMP_SINKS:
            continue
        ratio = result['ours']['min_ms'] / result['whole_ms']
        goal = GOAL_WHOLE if result['is_whole'] else GOAL_LOCAL
        missed = result['leg'] == 'c' and ratio > goal
        rows.append([result['row'], f'{mpix(result):.1f}', result['format'], leg_title(report, result['leg']), result['sink'],
                     number(result['whole_ms']), number(result['ours']['min_ms']), f'{result["per_run"]["requests"]:g}',
                     f'**{ratio:.2f}**' if missed else number(ratio), f'{goal:g}', *rival_cell(result)])
    if not rows:
        return []
    return ['## As GIMP asks', '',
            'The rectangles of a preview and of a filter that is applied, against one whole request, in turn (milliseconds, minima). The goal is '
            f'for C: at most {GOAL_LOCAL:g} times for a local filter, {GOAL_WHOLE:g} times for one that needs the whole image; bold: missed.', ''] + \
        table(['filter', 'Mpix', 'format', 'leg', 'sink', 'whole', 'in rectangles', 'requests', 'ratio', 'goal', 'GEGL', 'times'], rows)


def breakdown(report):
    text = ['## Where the time goes', '',
            'Mean milliseconds of a run with every command of the device timed, which costs a little. `rest` is what GEGL does outside our filter; `process` is our filter; on a device its stages '
            'overlap, so the ideal is that process is no longer than the slowest stage.', '']
    for leg in legs_of(report):
        rows = []
        on_device = leg == 'opencl'
        for result in (result for result in report['results'] if result['leg'] == leg):
            stages, per_run = result['stages_ms'], result['per_run']
            cells = [result['row'], f'{mpix(result):.1f}', result['format'], result['sink'], number(stages['process'] + stages['rest']),
                     number(stages['rest']), number(stages['process'])]
            if on_device:
                slowest = max(STAGES, key=lambda stage: stages[stage])
                cells += [number(stages[stage]) for stage in STAGES]
                cells += [slowest, number((stages['process'] + stages['rest']) / stages[slowest] if stages[slowest] else None),
                          number(per_run['uploaded_bytes'] / 1e6), number(per_run['downloaded_bytes'] / 1e6),
                          f'{per_run["bands"]:g}', f'{per_run["launches"]:g}']
            rows.append(cells + [f'{per_run["requests"]:g}'])
        head = ['filter', 'Mpix', 'format', 'sink', 'wall', 'rest', 'process']
        if on_device:
            head += [*STAGES, 'slowest', 'wall / slowest', 'MB up', 'MB down', 'bands', 'launches']
        text += [f'### {leg_title(report, leg)}', ''] + table(head + ['requests'], rows)
    return text


def peers(report):
    rows = []
    for result in report['results']:
        peer = result.get('peer')
        if peer and result['leg'] != 'opencl':
            both = peer['min_ms'] + peer['copy_ms']
            rows.append([result['row'], f'{mpix(result):.1f}', leg_title(report, result['leg']), number(result['ours']['min_ms']),
                         f'{peer["chain"]} ({peer["library"]})', number(peer['min_ms']), number(peer['copy_ms']),
                         number(result['ours']['min_ms'] / both)])
    if not rows:
        return []
    return ['## Beside arrays', '',
            'OpenCV, or a formula as a textbook has it, on plain arrays of RGBA floats with as many threads, in turn with ours in one process; '
            'ours is the whole graph, which copies the picture besides. Milliseconds, minima.', ''] + table(
                ['filter', 'Mpix', 'leg', 'ours', 'peer', 'peer', 'a copy through GEGL', 'ours / (peer + copy)'], rows)


def share(value, peak):
    return f'{100 * value / peak:.0f} %' if peak else '-'


def kernels(report):
    device = report['device']
    rows = []
    for result in report['results']:
        stages, per_run = result['stages_ms'], result['per_run']
        if result['leg'] != 'opencl' or not stages['run']:
            continue
        up, down = (per_run[f'{way}loaded_bytes'] / 1e6 / stages[f'{way}load'] if stages[f'{way}load'] else 0 for way in ('up', 'down'))
        rows.append([result['row'], f'{mpix(result):.1f}', result['format'], result['sink'], number(stages['run']),
                     number(result['kernel_gb_s']), share(result['kernel_gb_s'], device['copy_gb_s']),
                     f'{number(up)} ({share(up, device["upload_pinned_gb_s"])})',
                     f'{number(down)} ({share(down, device["download_pinned_gb_s"])})'])
    if not rows:
        return []
    return ['## Kernels and the bus', '',
            f'{device["name"]} at best: copies {number(device["copy_gb_s"])} GB/s in its memory (read and written), '
            f'uploads {number(device["upload_pinned_gb_s"])} GB/s pinned and {number(device["upload_pageable_gb_s"])} pageable, '
            f'downloads {number(device["download_pinned_gb_s"])} and {number(device["download_pageable_gb_s"])}, '
            f'{number(device["gflops"])} GFLOP/s of float4 fma (wall clock, best of 10).',
            'A kernel\'s GB/s: the image once in and once out in float, 32 bytes a pixel and filter, over the kernels\' time; what it reads '
            'again from caches is not counted.', ''] + \
        table(['filter', 'Mpix', 'format', 'sink', 'kernels ms', 'GB/s', 'of a copy', 'upload GB/s (of pinned)', 'download GB/s (of pinned)'],
              rows)


def passes(report):
    device = report['device']
    rows = []
    for result in report['results']:
        if result['leg'] != 'opencl' or result['sink'] != 'write':
            continue
        for kernel in result.get('kernels', []):
            rate = kernel['reads'] / 1e6 / kernel['ms'] if kernel['ms'] else 0      # thousand million reads a second
            rows.append([result['row'], f'{mpix(result):.1f}', result['format'], kernel['name'], f'{kernel["launches"]:g}', number(kernel['ms']),
                         number(rate), share(8 * rate, device['gflops']), share(16 * rate, device['copy_gb_s'])])
    if not rows:
        return []
    return ['### Passes', '',
            'Each kernel over the runs with timed commands (sink `write`). Reads: pixels that its work-items read, thousand millions a second. '
            'As arithmetic: 8 operations a read (a product and a sum of four floats) against the measured fma rate; as bandwidth: 16 bytes a read '
            'against a copy, over 100 % where caches serve them.', ''] + table(
                ['filter', 'Mpix', 'format', 'kernel', 'launches', 'ms', 'reads/s', 'arithmetic', 'bandwidth'], rows)


def memory(report):
    rows, seen = [], set()
    for result in report['results']:
        mib = result['memory_mib']
        key = (result['row'], result['width'], result['format'], result['leg'])
        first = result['first_ms'] - result['ours']['median_ms']
        same_size = result['rival'] and result['rival']['mpix'] > mpix(result) * 0.99
        rows.append([result['row'], f'{mpix(result):.1f}', result['format'], result['sink'], leg_title(report, result['leg']),
                     number(mib['host'] or None), number(same_size and mib['rival_host'] or None), number(mib['device']), number(mib['pinned']),
                     '' if key in seen or result['sink'] != 'whole' else f'{number(max(first, 0))} ({number(result["build_ms"])})'])
        seen.add(key)
    return ['## Memory and first use', '',
            'Peaks in MiB: the process with the input and the result (-: not known), with GEGL\'s filter on the same picture, device memory, pinned memory. First use: '
            'milliseconds by which the first run of a fresh process is longer than the median one, and in brackets what of that is '
            'building programs.', ''] + \
        table(['filter', 'Mpix', 'format', 'sink', 'leg', 'host', 'host, GEGL', 'device', 'pinned', 'first use (build)'], rows)


def warnings(report):
    found = {}
    for result in report['results']:
        for flag in result['flags']:
            found.setdefault(flag, []).append(f'{result["row"]}, {mpix(result):.1f} Mpix, {result["format"]}, {result["sink"]}, '
                                              f'{LEG_NAMES[result["leg"]]}')
    if not found:
        return ['No warnings: every leg ran where it should, without fall-back, and made no allocation, build or OpenCL object after the '
                'warm-up.', '']
    return ['## Warnings', ''] + [f'- **warning:** {flag}: {places[0]}' + (f', and {len(places) - 1} more' if len(places) > 1 else '')
                                  for flag, places in found.items()] + ['']


def method(report):
    seen = report.get('requests') or {'sizes': {}}
    chosen = report['options']
    text = ['## How it was measured', '']
    for sink, by_leg in seen['sizes'].items():
        asked = '; '.join(f'{LEG_NAMES[leg]}: ' + ', '.join(sizes[:4]) + (' ...' if len(sizes) > 4 else '')
                          for leg, sizes in by_leg.items())
        text.append(f'- Sink `{sink}`: {SINK_HELP.get(sink, sink)}. At {seen["mpix"]} Mpix the filter was asked for {asked}.')
    worst = {}
    for result in report['results']:
        kind = 'u8' if result['format'].endswith(' u8') else 'float'
        worst[kind] = max(worst.get(kind, 0.0), result.get('difference', 0.0))
    return text + [
        f'- {chosen["runs"]} timed runs after a warm-up, ours and GEGL\'s in turn in one process; fewer, but 2 at least, where ours would take over '
        '20 s or the rival over 3 s. A rival that needs over 1 s has 2 runs, over 10 s 1, without a warm-up; one that would need over '
        f'{chosen["rival_limit"]:g} s runs on a smaller picture, as does OpenCL on a processor (1 Mpix). With one thread, rivals are '
        'timed with the sink `whole` alone.',
        '- A fresh process for each filter, size, format and leg; the legs take turns and change their order'
        + (f'; {report["seconds"] / 60:.1f} minutes in all.' if 'seconds' in report else '.'),
        '- Largest difference between the legs on 64 x 64 sampled pixels: '
        + ', '.join(f'{value:.2g} ({kind})' for kind, value in worst.items()) + '.', '']


def markdown(report):
    box, device = report['machine'], report['device']
    text = ['# Tessera bench', '',
            f'{box["date"]}, {box["processor"]}, {box["threads"]} processors, {box["system"]}; OpenCL: '
            + (f'{device["name"]} (GEGL_USE_OPENCL={report["kind"]}, TESSERA_OPENCL=force)' if device else 'none') + '.', '']
    if report['results']:
        for part in (speed, as_gimp, peers, breakdown, kernels, passes, memory, warnings, method):
            text += part(report)
    return '\n'.join(text).rstrip()
