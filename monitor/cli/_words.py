"""What a replay says beside the catalogue of words: how sure, how long, how moments of a recording are written.

Owns these phrases, for the screen and for plain lines alike. Pure.
"""

from typing import Final

from monitor.events import Event, WindowClosed, WindowOpened
from monitor.wording import event_line

SURE: Final = 0.9
LIKELY: Final = 0.7
"""Confidence from which something is called so; our choice."""


def recording_time(at_s: float) -> str:
    """A moment of a recording: minutes and seconds since it began, hours where there are any."""
    tenths = round(abs(at_s) * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if at_s < 0 and tenths else ""
    return f"{sign}{f'{hours}:{minutes:02}' if hours else minutes}:{rest / 10:04.1f}"


def printable(text: str) -> str:
    """Fit for a terminal, as long as before, whatever a recording or a log holds."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def since(seconds: float) -> str:
    """How long ago something was."""
    return f"{max(0.0, seconds):.0f} s"


def sureness(confidence: float | None) -> str:
    """How sure something is, in words; with its number where it is not."""
    if confidence is None or confidence >= SURE:
        return "sure"
    return f"{'likely' if confidence >= LIKELY else 'unsure'} ({confidence:.0%})"


def event_words(event: Event, about: Event | None = None) -> str:
    """An event in words, with how sure it is where it is not sure, and with which tile it was where it holds that."""
    words = event_line(event, about)
    if not isinstance(event, (WindowOpened, WindowClosed)) and sureness(event.confidence) != sureness(None):
        words += f", {sureness(event.confidence)}"
    tile = _tile(event)
    return f"{words} [{tile}]" if tile else words


def _tile(event: Event) -> str:
    held = (getattr(event, "face", None) or getattr(event, "uid", None), *(getattr(event, "uids", None) or ()))
    return ", ".join(one for one in held if one)
