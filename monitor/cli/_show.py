"""Plays a timeline in front of a person: a screen that takes keys on a terminal, plain lines elsewhere.

Owns the loop and its clock, the only one there is here. Refuses to know what a screen looks like (`_screen`) and how a
key changes the play (`monitor.playback`). The terminal is put back however this ends: at a key, at Ctrl-C, when asked
to terminate, and when something fails.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from types import FrameType
from typing import Final, NoReturn, assert_never

from rich.console import Console
from rich.live import Live

from monitor.cli._keys import Key, Keyboard, keyboard
from monitor.cli._looks import PLAIN_SIGNS, Looks, Signs
from monitor.cli._plain import play_lines
from monitor.cli._screen import screen
from monitor.playback import Player
from monitor.timeline import Timeline

FRAME_S: Final = 0.1
"""Our choice: time is seen to pass, and a small machine is not kept busy."""
SKIP_S: Final = 10.0
FAR_SKIP_S: Final = 60.0
_TERMINATED: Final = 128 + signal.SIGTERM


def show(timeline: Timeline, speed: float, clock: Callable[[float], str], title: str) -> None:
    """Play until the person quits; where there is no terminal for drawing and keys, as plain lines to the end."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal of few characters shows what it can
    console = Console(highlight=False)
    if sys.platform == "win32" or console.is_dumb_terminal or not (sys.stdout.isatty() and sys.stdin.isatty()):
        _show_lines(timeline, speed, clock)
    else:
        _show_screen(timeline, speed, clock, title, console)


def _show_lines(timeline: Timeline, speed: float, clock: Callable[[float], str]) -> None:
    def say(line: str) -> None:
        print(line, flush=True)  # noqa: T201

    with suppress(BrokenPipeError):  # whoever read along has gone, as `head` does
        play_lines(timeline, speed, clock, say, time.sleep)


def _show_screen(timeline: Timeline, speed: float, clock: Callable[[float], str], title: str, console: Console) -> None:
    signs = PLAIN_SIGNS if console.options.ascii_only else Signs()
    player = Player(timeline, speed)

    def draw(live: Live) -> None:
        width, height = console.size
        live.update(screen(player.shown, Looks(width, height, clock, title, signs)), refresh=True)

    live = Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
    with _terminable(), keyboard() as keys, live:
        _play(player, keys, lambda: draw(live))


def _play(player: Player, keys: Keyboard, draw: Callable[[], None]) -> None:
    before_s = time.monotonic()
    while True:
        draw()
        pressed = keys.wait(FRAME_S)
        now_s = time.monotonic()
        player.advance(now_s - before_s)
        before_s = now_s
        for key in pressed:
            if key is Key.QUIT:
                return
            _obey(player, key)


def _obey(player: Player, key: Key) -> None:
    match key:
        case Key.PAUSE:
            player.pause()
        case Key.FORWARD:
            player.skip(SKIP_S)
        case Key.BACK:
            player.skip(-SKIP_S)
        case Key.FAR_FORWARD:
            player.skip(FAR_SKIP_S)
        case Key.FAR_BACK:
            player.skip(-FAR_SKIP_S)
        case Key.HOME:
            player.home()
        case Key.END:
            player.end()
        case Key.NEXT_ALERT:
            player.next_alert()
        case Key.PREVIOUS_ALERT:
            player.previous_alert()
        case Key.FASTER:
            player.faster()
        case Key.SLOWER:
            player.slower()
        case Key.QUIT:
            pass
        case _:
            assert_never(key)


@contextmanager
def _terminable() -> Iterator[None]:
    """A request to terminate ends the play in good order, so that the terminal is put back."""

    def asked(_number: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, asked)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
