#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""run-smoke.py BUILD: what packages are made from agrees with the build: versions, lists of files, metainfo, manifest.
Builds nothing; ./run test package/debian does."""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from common import Report, TOP

DEBIAN = os.path.join(TOP, 'data', 'packaging', 'debian')
METAINFO = 'org.gimp.GIMP.Plugin.Tessera.metainfo.xml'
MANIFEST = os.path.join(TOP, 'data', 'packaging', 'flatpak', 'org.gimp.GIMP.Plugin.Tessera.json')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def introspect(build, what):
    return json.loads(subprocess.run(['meson', 'introspect', what, build], check=True, capture_output=True, text=True).stdout)


def introspect_option(build, name):
    return next(option['value'] for option in introspect(build, '--buildoptions') if option['name'] == name)


def patterns_of(line):
    """As dh_install reads {one,other}."""
    found = re.search(r'\{([^{}]*)\}', line)
    return [line[:found.start()] + one + line[found.end():] for one in found[1].split(',')] if found else [line]


def packaged(path, pattern):
    """Of a file, or a folder whose files are not listed."""
    return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + '/*')


def check_files(report, build):
    prefix = introspect_option(build, 'prefix')
    installed = ['usr/' + os.path.relpath(path, prefix) for path in introspect(build, '--installed').values()]
    patterns = [line for name in glob.glob(os.path.join(DEBIAN, '*.install')) for word in read(name).split() for line in patterns_of(word)]
    if not any('/gimp/2.0/' in path for path in installed):         # built without GIMP 2.10
        patterns = [pattern for pattern in patterns if '/gimp/2.0/' not in pattern]
    for path in installed:
        report.check(f'{path} is in one package', sum(packaged(path, pattern) for pattern in patterns) == 1)
    for pattern in patterns:
        report.check(f'{pattern} is installed', any(packaged(path, pattern) for path in installed))


def check_destdir(report, build):
    """All that is installed lands below DESTDIR, at its place."""
    wanted = list(introspect(build, '--installed').values())
    with tempfile.TemporaryDirectory(prefix='tessera-destdir-') as root:
        done = subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', root], capture_output=True, text=True)
        found = ['/' + os.path.relpath(os.path.join(place, name), root) for place, _, names in os.walk(root) for name in names]
    missing = [path for path in wanted if not any(packaged(file, path) for file in found)]
    strange = [file for file in found if not any(packaged(file, path) for path in wanted)]
    report.check('DESTDIR: everything is below it, at its place', done.returncode == 0 and not missing + strange,
                 f'{len(found)} files' if done.returncode == 0 and not missing + strange else done.stderr + ' '.join(missing + strange))


def check_metainfo(report, build, version):
    path = os.path.join(build, 'data', METAINFO)
    component = ElementTree.parse(path).getroot()
    report.check("the metainfo's newest release is this version", component.find('releases/release').get('version') == version)
    manifest = json.loads(read(MANIFEST))
    report.check("metainfo's and manifest's identifiers agree", manifest['id'] == component.find('id').text == METAINFO[:-13])
    with open(os.path.join(TOP, 'po', 'LINGUAS'), encoding='utf-8') as file:
        languages = file.read().split()
    shown = [text.get('{http://www.w3.org/XML/1998/namespace}lang') or '' for text in component.findall('summary')]
    known = sorted(filter(None, (tag.replace('-Hans', '').replace('-', '_') for tag in shown)))       # gettext 0.23 writes zh-Hans-CN
    report.check('the metainfo is in every language', known == sorted(languages), ' '.join(shown))
    if not report.check('appstreamcli is there (package appstream)', shutil.which('appstreamcli')):
        return
    for form in ('', 'published-'):
        file = os.path.join(build, 'data', form + METAINFO)
        shown = {element.tag for element in ElementTree.parse(file).getroot()} & {'url', 'screenshots'}
        addresses = introspect_option(build, 'homepage') and introspect_option(build, 'screenshots_url')
        report.check(f'{form}metainfo: homepage and screenshots where there are addresses', len(shown) == (2 if form or addresses else 0), ' '.join(shown))
        done = subprocess.run(['appstreamcli', 'validate', '--pedantic', '--no-net', '--no-color', file], capture_output=True, text=True)
        output = (done.stdout + done.stderr).strip()
        # -- AppStream 1.0 warns of the homepage where there is none
        bad = [line for line in output.splitlines() if line.startswith(('E:', 'W:')) and (form or 'url-homepage-missing' not in line)]
        report.check(f'{form}metainfo: appstreamcli has no error and no warning', not bad and 'alidation' in output,
                     ' | '.join(bad) or output.splitlines()[-1])


def main():
    build = sys.argv[1]
    report = Report()
    version = introspect(build, '--projectinfo')['version']
    newest = re.match(r'tessera \(([^-]+)-', read(os.path.join(DEBIAN, 'changelog')))
    report.check("the Debian changelog's newest entry is of this version", newest and newest[1] == version)
    report.check('so are the news', f'## {version}' in read(os.path.join(TOP, 'NEWS.md')))
    depends = re.findall(r'^Depends:((?:.*\n)(?: .*\n)*)', read(os.path.join(DEBIAN, 'control')), re.MULTILINE)
    report.check('no package depends on OpenCL', depends and not re.search('opencl|pocl', ''.join(depends), re.IGNORECASE))
    check_files(report, build)
    check_destdir(report, build)
    check_metainfo(report, build, version)
    report.finish()


main()
