"""Keys from a terminal: bytes to what a person asks for, and the terminal's modes around it.

Owns key bytes and the modes of one terminal, which are put back however the reading ends. Refuses to know what a key
does. `KeyDecoder` is pure: it takes bytes in whatever pieces they come.
"""

import os
import re
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final


class Key(StrEnum):
    """What a key asks for."""

    PAUSE = "space"
    FORWARD = "right"
    BACK = "left"
    FAR_FORWARD = "page down"
    FAR_BACK = "page up"
    HOME = "home"
    END = "end"
    NEXT_ALERT = "n"
    PREVIOUS_ALERT = "p"
    FASTER = "+"
    SLOWER = "-"
    QUIT = "q"


_LETTERS: Final = {
    " ": Key.PAUSE,
    "n": Key.NEXT_ALERT,
    "p": Key.PREVIOUS_ALERT,
    "+": Key.FASTER,
    "=": Key.FASTER,  # the plus key without shift
    "-": Key.SLOWER,
    "_": Key.SLOWER,
    "q": Key.QUIT,
}
_SEQUENCES: Final = {
    "[C": Key.FORWARD,
    "[D": Key.BACK,
    "[H": Key.HOME,
    "[F": Key.END,
    "[1~": Key.HOME,
    "[7~": Key.HOME,
    "[4~": Key.END,
    "[8~": Key.END,
    "[5~": Key.FAR_BACK,
    "[6~": Key.FAR_FORWARD,
}
"""After ESC, as xterm, the Linux console, rxvt, tmux and screen send them; `O` stands for `[` in keypad mode."""

_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)", re.DOTALL)
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_HELD_CHARACTERS: Final = 16
"""Our choice: no key is longer."""


class KeyDecoder:
    """Takes what a terminal sends, in any pieces, and gives the keys that mean something; all else is passed over."""

    def __init__(self) -> None:
        """Nothing has been pressed."""
        self._held = ""

    def feed(self, data: bytes) -> list[Key]:
        """The keys that are whole by now."""
        text = self._held + data.decode("latin-1")
        keys: list[Key] = []
        position = 0
        while position < len(text):
            if text[position] != "\x1b":
                key = _LETTERS.get(text[position].lower())
                position += 1
            elif (found := _SEQUENCE.match(text, position)) is not None:
                key = _SEQUENCES.get(found[0][1:].replace("O", "[", 1))
                position = found.end()
            elif _UNFINISHED.match(text, position) and len(text) - position < _HELD_CHARACTERS:
                break
            else:
                key = None
                position += 1
            if key is not None:
                keys.append(key)
        self._held = text[position:]
        return keys


class Keyboard:
    """A terminal that gives keys as they are pressed."""

    def __init__(self, descriptor: int) -> None:
        """Use `keyboard`."""
        self._descriptor = descriptor
        self._decoder = KeyDecoder()

    def wait(self, seconds: float) -> list[Key]:
        """What was pressed, at once or within `seconds`. A terminal that is gone asks to quit."""
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if not ready:
            return []
        try:
            data = os.read(self._descriptor, 1024)
        except OSError:
            data = b""
        return self._decoder.feed(data) if data else [Key.QUIT]


@contextmanager
def keyboard(descriptor: int | None = None) -> Iterator[Keyboard]:
    """A terminal, of standard input where none is named, with keys given singly and not echoed; put back at the end.

    Ctrl-C goes on to interrupt. Ctrl-Z does nothing: a screen that is played cannot be left standing.
    """
    import termios
    import tty

    descriptor = sys.stdin.fileno() if descriptor is None else descriptor
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        modes = termios.tcgetattr(descriptor)
        modes[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)
        yield Keyboard(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
