"""The stretches of a hand in which the last discard could be claimed, from its standing events.

Owns the pairing of a window's opening with what ended it. For pictures and figures; pure.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from monitor.events import Event, HandEnded, Seat, ThrownIn, WindowClosed, WindowOpened
from monitor.standing import Standing


class OpenWindow(Struct, frozen=True):
    """A stretch in which a discard could be claimed, and the bounds of its end where that was seen.

    `covered`: where it was not, when at the latest nothing could be claimed any more: the next discard, the hand's end.
    """

    discarder: Seat | None
    opened: float
    closed: float | None = None
    closed_earliest: float = 0.0
    closed_latest: float = 0.0
    covered: float | None = None

    def ended(self, else_s: float) -> float:
        """When it was over, as far as is known."""
        return next((at for at in (self.closed, self.covered) if at is not None), else_s)


def windows_of(events: Iterable[Standing]) -> list[OpenWindow]:
    """The stretches in which the last discard could be claimed, in order of time."""
    windows: list[OpenWindow] = []
    for one in events:
        event: Event = one.event
        match event:
            case WindowOpened() | HandEnded() | ThrownIn():
                if windows and windows[-1].closed is None and windows[-1].covered is None:
                    windows[-1] = msgspec.structs.replace(windows[-1], covered=event.at)
                if isinstance(event, WindowOpened):
                    windows.append(OpenWindow(event.seat, event.at))
            case WindowClosed() if windows and windows[-1].closed is None:
                last = windows[-1]
                windows[-1] = OpenWindow(last.discarder, last.opened, event.at, event.low, event.high)
            case _:
                pass
    return windows
