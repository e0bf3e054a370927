# SPDX-License-Identifier: LGPL-3.0-or-later
"""One GIMP with its windows on a screen without a monitor: menus, dialogs, and a line into it, GIMP's own Script-Fu server."""
import gettext
import glob
import os
import socket
import struct
import time

import watched
from gimp_program import Gimp3
from screen import Screen

GIMPRC = '''(check-updates no)
(color-profile-policy keep)
(save-session-info no)
(save-device-status no)
'''
GIMPRC_3 = '(config-version "{newest}")\n(show-welcome-dialog no)\n(edit-non-visible yes)\n'
FIRST_MENU = (30, 62)           # of the bar; F10, which opens it, does nothing in GIMP 3.2
MIDDLE = (680, 430)
# how often Left leads from the first menu of the bar to another (of eight times Right, 2.10 in Portuguese loses one), and Down from its
# top to a submenu
MENUS = {'Colors': 5, 'Filters': 3}
SUBMENUS = {'Blur': 2, 'Enhance': 3, 'Edge-Detect': 7, 'Generic': 8}
UNNAMED = 'GNU Image Manipulation Program'      # a plug-in's dialog, before it has its title
AUX = 2                             # what GIMP 3 puts before the numbers where there is a second input: whether, and which


def folder_name(operation):
    return operation['name'].split(':')[1]


def search_words(operation):
    """What finds it and not GIMP's own of that kind."""
    words = operation['gimp:menu-label'].split('(')[0].strip().lower()
    return words + (' (tessera' if '(Tessera' in operation['gimp:menu-label'] else '')


class Session:
    """One GIMP with one photograph.  `served`: it takes scripts while its windows are open."""

    def __init__(self, installed, gimp, out, picture, served=False, rc='', **env):
        self.gimp = gimp
        gimp.gimprc(GIMPRC + (GIMPRC_3.format(newest=gimp.newest) if isinstance(gimp, Gimp3) else '') + rc)
        with open(os.path.join(gimp.profile, 'sessionrc'), 'w', encoding='utf-8') as file:
            file.write('(single-window-mode yes) (hide-docks no)\n')
        self.unnamed = {UNNAMED, gettext.translation('gimp20', '/usr/share/locale', [env.get('LANGUAGE', 'en')], fallback=True).gettext(UNNAMED)}
        env = {**installed.gegl.env, 'NO_AT_BRIDGE': '1', 'GTK_CSD': '0', 'GDK_BACKEND': 'x11', 'GEGL_USE_OPENCL': 'no', **env}
        self.screen = Screen(env, out)
        words = [gimp.program.replace('console-', ''), '-n', '-s']
        if served:
            self.port = free_port()
            words += [*gimp.interpreter, '-b', f'(plug-in-script-fu-server RUN-NONINTERACTIVE "127.0.0.1" {self.port} "")']
        self.served, self.program = served, self.screen.start([*words, picture], 'gimp')
        self.window = self.screen.wait(self.image_window, 120)
        if self.window:
            time.sleep(2)
            for words in (['windowactivate', '--sync'], ['windowsize', '--sync'], ['windowmove']):
                self.screen.say('xdotool', *words, self.window, *{'windowsize': ['1300', '800'], 'windowmove': ['10', '30']}.get(words[0], []))
            time.sleep(1)
            self.come_back()

    def image_window(self):
        return next((number for number, name in self.screen.windows().items() if 'picture' in name), None)

    def changed(self):
        """By the title, whose name is not the picture's any more once that was exported."""
        return self.screen.windows().get(self.window, '').startswith('*')

    def alive(self):
        return self.program.poll() is None

    def ask(self, script, seconds=60):
        """What the script's value is, as GIMP prints it; None where it does not answer in time, or says that it failed."""
        try:
            with socket.create_connection(('127.0.0.1', self.port), 10) as line:
                line.settimeout(seconds)
                line.sendall(b'G' + struct.pack('>H', len(script.encode())) + script.encode())
                _, failed, length = struct.unpack('>cBH', received(line, 4))
                answer = received(line, length).decode('utf-8', 'replace')
        except OSError:
            return None
        return None if failed else answer

    def processes(self):
        """GIMP and the plug-ins it started."""
        parents = {}
        for name in os.listdir('/proc'):
            if name.isdigit():
                parents[int(name)] = int((status(name) + [0, 0])[1])
        found = [self.program.pid]
        for parent in found:
            found += [pid for pid, of in parents.items() if of == parent]
        return found

    def settle(self, seconds=180):
        """Waits until GIMP and its plug-ins have had nothing to do for two seconds.  `computed` is how many seconds they did,
        on a machine that has nothing else to do: those of the busiest thread."""
        until, quiet, before, self.computed = time.monotonic() + seconds, 0, self.work(), 0
        threads = self.threads()
        while quiet < 2 and time.monotonic() < until:
            time.sleep(1)
            now = self.work()
            threads, earlier = self.threads(), threads
            self.computed += max((ticks - earlier.get(thread, 0) for thread, ticks in threads.items()), default=0) / watched.TICKS
            quiet, before = (quiet + 1 if now - before <= 5 and not self.waits() else 0), now
        return quiet >= 2

    def waits(self):
        """Whether one of them computes, or would if the machine had a processor for it."""
        return any(watched.Family.waits(pid) for pid in self.processes())

    def work(self):
        """Processor time so far, in ticks."""
        return sum(int(ticks) for pid in self.processes() for ticks in status(pid)[11:13])

    def threads(self):
        """{thread: processor time so far}, in ticks."""
        return {thread: sum(int(ticks) for ticks in status(f'{pid}/{thread}')[11:13])
                for pid in self.processes() for thread in glob.glob('task/*', root_dir=f'/proc/{pid}')}

    def busy(self):
        before, waited = self.work(), 0
        for _ in range(4):
            time.sleep(0.05)
            waited += self.waits()
        return self.work() - before > 5 or waited == 4

    def opened(self):
        """The picture is there, and what is served answers."""
        return self.window and (not self.served or self.screen.wait(self.answers, 30))

    def answers(self, seconds=120):
        """How long GIMP takes to answer a script; None: longer than that."""
        began = time.monotonic()
        return time.monotonic() - began if self.ask('(car (gimp-version))', seconds) else None

    def memory(self):
        """Of the program, what is its own, in MiB."""
        with open(f'/proc/{self.program.pid}/status', encoding='ascii') as file:
            return next(int(line.split()[1]) for line in file if line.startswith('RssAnon')) / 1024

    def focus(self, window=None):
        """The keyboard goes to the image's window, or to another."""
        self.screen.say('xdotool', 'windowactivate', '--sync', window or self.window)

    def undo(self, seconds=30):
        """Whether one step brings the picture back as it was opened."""
        self.focus()
        self.screen.key('ctrl+z')
        return self.screen.wait(lambda: not self.changed(), seconds)

    def menu(self, path):
        """A picture of the menu with that path."""
        bar, *names = path.split('/')[1:]
        self.focus()
        time.sleep(1)
        self.screen.click(*FIRST_MENU)
        time.sleep(1)                                       # the first menu is made now; keys would be lost
        self.screen.key(*['Left'] * MENUS[bar])
        time.sleep(1)
        if names:
            self.screen.key(*['Down'] * SUBMENUS[names[-1]], 'Right')
        time.sleep(1.5)
        self.screen.shot('menu-' + '-'.join([bar, *names]).lower())
        self.screen.key('Escape', 'Escape', 'Escape')
        self.screen.say('xdotool', 'mousemove', *map(str, MIDDLE))

    def dialog(self, operation, again=False, tabs=0):
        """Opens its dialog from the action search, or as the last filter's; returns (window, name).  So many tabs lead to a number where there is no second input."""
        name = folder_name(operation)
        found = self.again(name) if again else self.search(search_words(operation), name)
        if found and tabs:
            self.focus(found[0])
            self.screen.key(*['Tab'] * (tabs + (AUX if self.gimp.effects and operation['aux'] else 0)))
        return found

    def search(self, words, name):
        """Opens the first hit; returns the new window's number and name."""
        return self.new_window(self.choose(words, name), name)

    def choose(self, words, name):
        """What the first hit does.  Returns the windows that there were, the search among them."""
        windows = self.open_search()
        time.sleep(1)
        self.screen.type(words)
        time.sleep(2)
        self.screen.shot(f'{name}-search')
        self.screen.key('Return')                           # the first hit is chosen already
        return windows

    def open_search(self):
        before = set(self.screen.windows())
        for _ in range(3):                                  # the key is lost while GIMP has no focus yet
            self.focus()
            self.screen.key('slash')
            if self.screen.wait(lambda: set(self.screen.windows()) - before, 10):
                break
        return self.screen.windows()

    def come_back(self):
        """GIMP 3.2 learns which pointer there is when its picture gets the focus, but not from a focus that it had while it started.  What it
        learns in the middle of a filter puts an end to that (TRAPS.md).  So the focus goes away and comes back."""
        before = set(self.screen.windows())
        self.open_search()
        self.screen.key('Escape')
        self.screen.wait(lambda: set(self.screen.windows()) <= before, 10)
        time.sleep(1)

    def again(self, name):
        """The dialog of the last filter."""
        before = self.screen.windows()
        self.focus()
        self.screen.key('ctrl+shift+f')
        return self.new_window(before, name)

    def new_window(self, before, name):
        def dialog():
            return next(((number, title) for number, title in self.screen.windows().items()
                         if number not in before and title not in {'', before.get(self.window), *self.unnamed}), None)
        found = self.screen.wait(dialog, 60)
        time.sleep(3)
        self.screen.shot(f'{name}-dialog')
        return found

    def press_ok(self, dialog):
        self.screen.key('Return')
        if self.screen.wait(lambda: dialog not in self.screen.windows(), 3) is None:
            self.screen.key('alt+o')                        # Return in a field of several lines is a new line
        return self.screen.wait(self.changed, 30)


def status(pid):
    """What follows the name in /proc/PID/stat."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
            return file.read().rpartition(')')[2].split()
    except OSError:
        return []


def type_number(session, value):
    """Into the number that has the focus; leaving it is what makes it count."""
    session.screen.say('xdotool', 'key', 'ctrl+a')
    session.screen.say('xdotool', 'type', '--delay', '10', str(value))
    session.screen.say('xdotool', 'key', 'Tab', 'shift+Tab')


def free_port():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        return taken.getsockname()[1]


def received(line, count):
    data = b''
    while len(data) < count:
        piece = line.recv(count - len(data))
        if not piece:
            raise ConnectionError('GIMP hung up')
        data += piece
    return data
