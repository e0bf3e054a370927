# SPDX-License-Identifier: LGPL-3.0-or-later
"""A screen without a monitor (Xvfb, openbox), its keyboard, mouse and pictures (xdotool, ImageMagick)."""
import ctypes
import os
import signal
import subprocess
import time

WIDTH, HEIGHT = 1360, 860
KEYS = range(8, 256)                # codes of X
TOOLS = ('Xvfb', 'openbox', 'xdotool', 'import', 'xprop')


def give_keys(display, letters):
    """Letters that the keyboard lacks get keys that have none.  xdotool lends them a key itself, but takes it back at once, and a busy
    program asks too late what it was."""
    if not letters:
        return
    x11, count = ctypes.CDLL('libX11.so.6'), ctypes.c_int()
    x11.XOpenDisplay.restype, x11.XGetKeyboardMapping.restype = ctypes.c_void_p, ctypes.POINTER(ctypes.c_ulong)
    at = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    symbols = x11.XGetKeyboardMapping(at, KEYS[0], len(KEYS), ctypes.byref(count))
    keys = {key: set(symbols[i * count.value:(i + 1) * count.value]) for i, key in enumerate(KEYS)}
    wanted = [symbol for symbol in (ord(letter) + 0x1000000 * (letter > '\xff') for letter in letters) if not any(symbol in has for has in keys.values())]
    for key, symbol in zip([key for key, has in keys.items() if has == {0}], wanted):
        x11.XChangeKeyboardMapping(at, key, 2, (ctypes.c_ulong * 2)(symbol, symbol), 1)
    x11.XCloseDisplay(at)


class Screen:
    def __init__(self, env, folder):
        self.env, self.folder, self.programs = dict(env), folder, []
        os.makedirs(folder, exist_ok=True)
        end, other = os.pipe()
        # -- without -noreset the server starts anew when its first client leaves, and takes the window manager with it; without -r a key
        # repeats itself where a busy machine lets 0.6 s pass before xdotool lets go of it: Return then opens a dialog and presses its OK
        self.start(['Xvfb', '-displayfd', str(other), '-screen', '0', f'{WIDTH}x{HEIGHT}x24', '-nolisten', 'tcp', '-noreset', '-r'], 'xvfb', pass_fds=(other,))
        os.close(other)
        with os.fdopen(end, encoding='ascii') as file:
            self.env['DISPLAY'] = ':' + file.readline().strip()
        self.start(['openbox'], 'openbox')
        self.wait(lambda: 'window id' in self.say('xprop', '-root', '_NET_SUPPORTING_WM_CHECK'), 20)

    def start(self, words, name, **more):
        with open(os.path.join(self.folder, name + '.log'), 'wb') as log:
            program = subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **more)
        self.programs.append(program)
        return program

    def say(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, errors='replace', timeout=60).stdout

    def windows(self):
        """{id: name} of those that are seen."""
        ids = self.say('xdotool', 'search', '--onlyvisible', '--name', '.').split()
        return {number: self.say('xdotool', 'getwindowname', number).strip() for number in ids}

    def place(self, window):
        return dict(line.split('=') for line in self.say('xdotool', 'getwindowgeometry', '--shell', window).split())

    def inside(self, window):
        """Whether all of that window is on the screen."""
        at = self.place(window)
        return int(at.get('X', WIDTH)) + int(at.get('WIDTH', 0)) <= WIDTH and int(at.get('Y', HEIGHT)) + int(at.get('HEIGHT', 0)) <= HEIGHT

    def wait(self, condition, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = condition()
            if found:
                return found
            time.sleep(0.2)
        return None

    def key(self, *keys):
        for key in keys:
            self.say('xdotool', 'key', key)
            time.sleep(0.3)

    def type(self, text):
        give_keys(self.env['DISPLAY'], sorted({letter for letter in text if not letter.isascii()}))
        self.say('xdotool', 'type', '--delay', '60', text)

    def click(self, x, y):
        self.say('xdotool', 'mousemove', str(x), str(y), 'click', '1')

    def shot(self, name):
        self.say('import', '-window', 'root', os.path.join(self.folder, name + '.png'))

    def piece(self, x, y, width, height):
        """The pixels that are there, to be compared."""
        return subprocess.run(['import', '-window', 'root', '-crop', f'{width}x{height}+{x}+{y}', '-depth', '8', 'rgb:-'],
                              env=self.env, capture_output=True, timeout=60).stdout

    def close(self):
        for program in reversed(self.programs):
            program.terminate()
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
            try:
                os.killpg(program.pid, signal.SIGKILL)          # plug-ins that outlive GIMP
            except ProcessLookupError:
                pass
