# SPDX-License-Identifier: LGPL-3.0-or-later
"""GIMP as a program without a window: which one is here, how it is called, what it prints by itself, and its dialect of Script-Fu."""
import os
import re
import shutil
import subprocess

import watched

# GTK of any plug-in with a dialog, where Debian has GIMP 2.10 without the engine of its theme (gtk2-engines-pixbuf)
THEME = 'Unable to locate theme engine'
# what a GIMP without Tessera prints, headless, with a fresh profile
NOISE = (r'Welcome to GIMP|Glycin running without sandbox|batch command executed successfully|cannot open display|Failed to parse tag cache|'
         r'script-fu-Warning: TESSERA |file-tiff:\d+\): |INFO: a stray image seems|libpng warning: Ignoring attempt to write 16-bit bKGD|'
         # its loaders of raw files, which look for programs that are not there
         r'file-(rawtherapee|darktable)|'
         r'gimp_wire_read\(\): unexpected EOF|gimp_flush\(\): error: Broken pipe|assertion .G_IS_OBJECT \(object\). failed|^\s*$|'
         # on a loaded machine, 8 times of 20, when it quits while the interpreter of a script is still there
         r'gimp_finalize: list of contexts not empty upon exit \(2 contexts left\)|stale context: (\(null\)|PDB Context) \(of type |'
         # Four of GIMP 3's own plug-ins have nothing to say when it first asks (its interpreter of scripts ends with 1: it has no display).
         # On a loaded machine one has ended before GIMP looks whether it began, and GIMP takes how it ended for an error of the start.
         r'Unable to run plug-in "(?!tessera)|^\(/usr/lib/\S+/gimp/3\.0/plug-ins/(?!tessera)\S+\)$|'
         r'Failed to execute child process “(?!.*tessera).*” \((Success|Operation not permitted)\)$')

# Each picture that jobs begin with is loaded once: its loader is a program of its own.
LOADED = """(define loaded (list))
(define (image-of path load)
  (let* ((known (assoc path loaded)))
    (if known (car (gimp-image-duplicate (cdr known)))
      (begin (set! loaded (cons (cons path (car (load))) loaded)) (image-of path load)))))
"""
UNLOAD = '(for-each (lambda (one) (gimp-image-delete (cdr one))) loaded)\n'
# What the canvas shows, wherever the layer is and however it grew.
FLAT = '(set! layer (car (gimp-image-merge-visible-layers image CLIP-TO-IMAGE)))'


def quoted(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


class Gimp:
    """One GIMP with the profile in the home folder of `env`."""

    def __init__(self, env, work):
        self.env, self.work, self.runs = env, work, 0
        self.output = []                                                # lines of the last run
        self.profile = os.path.join(env['HOME'], '.config', 'GIMP', self.folder)

    def gimprc(self, text):
        os.makedirs(os.path.join(self.profile, 'gradients'), exist_ok=True)      # where it is missing, GIMP complains when it ends
        with open(os.path.join(self.profile, 'gimprc'), 'w', encoding='utf-8') as file:
            file.write(text)

    def run(self, script, timeout=600, **env):
        """Runs Script-Fu; returns (exit code, lines that are not GIMP's own)."""
        self.runs += 1
        path = os.path.join(self.work, f'script-{self.runs}.scm')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(LOADED + script + UNLOAD if '(image-of ' in script else script)
        words = [self.program, '-i', '-f', *self.interpreter, '-b', f'(load {quoted(path)})', *self.end]
        process = subprocess.Popen(words, env={**self.env, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors='replace', cwd=self.work)
        text, _, why = watched.communicate(process, timeout)
        self.output = (text + why).splitlines()
        return 124 if why else process.returncode, [line for line in self.output if not re.search(NOISE, line)]

    def said(self, what):
        """The texts that the script said with (say WHAT ...)."""
        return [line.split(f'TESSERA {what} ', 1)[1] for line in self.output if f'TESSERA {what} ' in line]

    def load(self, path):
        load = f'(car {self.load_call(path)})' if path.endswith('.xcf') else f'(image-of {quoted(path)} (lambda () {self.load_call(path)}))'
        return f'(image {load}) (layer {self.first_layer}) (copy 0)'

    def job(self, number, path, steps):
        """Steps on the picture; whether it ended is said.  An error in it ends the script: GIMP's catch hides its text."""
        return f'(gimp-message "TESSERA begin {number}")\n(let* ({self.load(path)})\n  ' + '\n  '.join(steps) \
               + f'\n  (gimp-image-delete image))\n(gimp-message "TESSERA end {number}")\n'

    def save_opened(self, path):
        return f'(let* ((image {self.opened}) (layer {self.first_layer})) {self.save_ppm(path)})'

    def seen(self, path):
        """Saves what the window of the opened image shows: the projection as it stands, not one made anew."""
        return f'(let* ((opened {self.opened}) (image (car (gimp-image-new (car ({self.width} opened)) (car ({self.height} opened)) RGB))) ' \
               f'(layer (car (gimp-layer-new-from-visible opened image "seen")))) (gimp-image-insert-layer image layer 0 0) ' \
               f'(set! layer (car (gimp-image-flatten image))) {self.save_ppm(path)} (gimp-image-delete image))'


class Gimp210(Gimp):
    version, folder, program = '2.10', '2.10', 'gimp-console-2.10'
    interpreter, end = [], ['-b', '(gimp-quit 1)']
    first_layer = '(car (gimp-image-get-active-drawable image))'
    effects, perceptual, linear_tiff = False, 'PRECISION-FLOAT-GAMMA', True
    opened, width, height = '(vector-ref (cadr (gimp-image-list)) 0)', 'gimp-image-width', 'gimp-image-height'

    def load_call(self, path):
        return f'(gimp-file-load RUN-NONINTERACTIVE {quoted(path)} {quoted(path)})'

    def save(self, path):
        return f'(gimp-file-save RUN-NONINTERACTIVE image layer {quoted(path)} {quoted(path)})'

    @staticmethod
    def listed(layer):
        """As GIMP 3 wants what may be several."""
        return layer

    @staticmethod
    def save_ppm(path):
        return f'(file-ppm-save RUN-NONINTERACTIVE image layer {quoted(path)} {quoted(path)} TRUE)'

    def apply(self, operation, values, effect=False):
        assert not effect
        words = ' '.join(f'{key}={shell_word(value)}' for key, value in values.items())
        return f'({self.procedure(operation)} RUN-NONINTERACTIVE image layer {quoted(words)})'

    def recalled(self, operation, values):
        """As the last dialog would have left it."""
        words = ' '.join(f'{key}={shell_word(value)}' for key, value in values.items())
        return f'(gimp-attach-parasite (list "{self.procedure(operation)}" 1 {quoted(words)}))\n  ' \
               f'({self.procedure(operation)} RUN-WITH-LAST-VALS image layer "")'

    @staticmethod
    def procedure(operation):
        return 'plug-in-' + operation.replace(':', '-')

    def procedures(self, prefix, **env):
        """{procedure: (label, line, place in the menus)}.  2.10 translates them later, when it makes its menus."""
        self.run('(let* ((all (gimp-plugins-query "")))\n  (for-each (lambda (path name)\n    (if (string=? (substring name 0 (min (string-length name) '
                 f'{len(prefix)})) "{prefix}")\n      (gimp-message (string-append "TESSERA procedure " name "|" path "|" '
                 '(car (gimp-procedural-db-proc-info name))))))\n    (cadr all) (list-ref all 11)))', **env)
        found = {}
        for name, path, line in (said.split('|') for said in self.said('procedure')):
            place, _, label = path.rpartition('/')
            found[name] = label, line, place
        return found


class Gimp3(Gimp):
    version, folder, program, newest = '3', '3.0', 'gimp-console-3.0', '3.0.4'
    interpreter, end = ['--batch-interpreter=plug-in-script-fu-eval'], ['--quit']
    first_layer = '(vector-ref (car (gimp-image-get-layers image)) 0)'
    effects, perceptual, linear_tiff = True, 'PRECISION-FLOAT-NON-LINEAR', False      # its TIFFs are perceptual always
    groups, has_browser = ('group',), False                 # that can have an effect: 3.0 has none for those that pass through
    opened, width, height = '(vector-ref (car (gimp-get-images)) 0)', 'gimp-image-get-width', 'gimp-image-get-height'

    def load_call(self, path):
        return f'(gimp-file-load RUN-NONINTERACTIVE {quoted(path)})'

    def save(self, path):
        return f'(gimp-file-save RUN-NONINTERACTIVE image {quoted(path)} -1)'

    save_ppm = save

    @staticmethod
    def listed(layer):
        return f'(vector {layer})'

    @staticmethod
    def effect(layer):
        """The first effect of a layer."""
        return f'(vector-ref (car (gimp-drawable-get-filters {layer})) 0)'

    def edit(self, layer, values):
        """Its effect gets other values, and is merged: that is what makes GIMP 3.0 look at them."""
        words = ' '.join(f'{quoted(key)} {scheme_value(value)}' for key, value in values.items())
        return f'(let* ((effect {self.effect(layer)})) (gimp-drawable-filter-configure effect LAYER-MODE-REPLACE 1.0 {words})\n' \
               f'    (gimp-drawable-merge-filter {layer} effect))'

    def apply(self, operation, values, effect=False):
        call = 'gimp-drawable-append-new-filter' if effect else 'gimp-drawable-merge-new-filter'
        words = ' '.join(f'{quoted(key)} {scheme_value(value)}' for key, value in values.items())
        return f'({call} layer {quoted(operation)} "tested" LAYER-MODE-REPLACE 1.0 {words})'


    def procedures(self, prefix, **env):
        """{procedure: (label, line, place in the menus)}, as GIMP wrote down what its plug-ins said in that language."""
        self.run('', **env)
        with open(os.path.join(self.profile, 'pluginrc'), encoding='utf-8', errors='replace') as file:
            said = re.findall(r'\(proc-def "(' + prefix + r'[^"]*)" \d+\s+"([^"]*)"((?:\s+"[^"]*")*)\s+\d+\s+\(menu-path "([^"]*)"', file.read())
        return {name: (re.findall('"([^"]*)"', rest)[-1], line, place) for name, line, rest, place in said}


class Gimp32(Gimp3):
    version, folder, program, newest = '3.2', '3.2', 'gimp-console-3.2', '3.2.6'
    groups, has_browser = ('group', 'passing'), True


def scheme_value(value):
    if isinstance(value, bool):
        return 'TRUE' if value else 'FALSE'
    return repr(value) if isinstance(value, (int, float)) else quoted(value)


def plain(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def shell_word(value):
    text = plain(value)
    return text if re.fullmatch(r'[\w.,:#+-]+', text) else "'" + text.replace("'", "'\\''") + "'"


def programs():
    """The GIMPs of this machine."""
    return [kind for kind in (Gimp210, Gimp3, Gimp32) if shutil.which(kind.program)]
