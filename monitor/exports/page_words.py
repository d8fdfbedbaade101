"""The small words of a printed log of hands: lengths, bounds, articles, and long words that may be broken.

Owns how a single value is written. Refuses to know hands and pages.
"""

import re
from typing import Final

from monitor import wording
from monitor.alerts import Alert, Authority
from monitor.events import Event
from monitor.plain_text import LONGEST, plain

_LONGEST_WORD: Final = 40
"""Letters after which a word may be broken; our choice, so that no text runs out of its cell."""
_NO_TENTHS_S: Final = 10.0
"""Our choice: from here on tenths of a second tell nothing."""


def printed(text: str, longest: int = LONGEST) -> str:
    """Plain, and no word of it that cannot be broken."""
    return re.sub(rf"\S{{{_LONGEST_WORD}}}(?=\S)", lambda word: word[0] + "\u200b", plain(text, longest))


def article(alert: Alert) -> str:
    """The article it rests on; a technical finding rests on none."""
    told = printed(wording.article(alert))
    return f"{told}, this event's rule" if told and alert.authority is Authority.EVENT else told


def length(length_s: float | None) -> str:
    """How long something took, such as `3 min 07 s`."""
    if length_s is None:
        return "–"
    full, rest = divmod(round(length_s), 60)
    return f"{full} min {rest:02} s" if full else f"{rest} s"


def seconds(pace_s: float | None) -> str:
    """Some seconds; tenths where there are few of them."""
    if pace_s is None:
        return "–"
    return f"{pace_s:.0f} s" if pace_s >= _NO_TENTHS_S else f"{pace_s:.1f} s"


def minutes(into_s: float) -> str:
    """A moment counted from a beginning, such as `3:07`."""
    full, rest = divmod(abs(round(into_s)), 60)
    return f"{'−' if into_s < 0 else ''}{full}:{rest:02}"


def bounds(event: Event) -> str:
    """How far before and after its time an event may lie; empty where the time is exact."""
    if event.earliest is None and event.latest is None:
        return ""
    before_s, after_s = event.at - event.low, event.high - event.at
    if round(before_s, 2) == round(after_s, 2):
        return f"±{before_s:.2f} s"
    return f"−{before_s:.2f} / +{after_s:.2f} s"
