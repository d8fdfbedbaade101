"""What one hand comes to in an evening's report: when, how long, how it ended, how quickly, what was not counted.

Owns the figures and how they are counted. Pure: a hand's standing events in, one struct out.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from monitor.events import (
    CountChanged,
    Dealt,
    Discarded,
    HandEnd,
    HandEnded,
    HandStarted,
    NewHand,
    Picked,
    PlayStarted,
    Racked,
    Seat,
    ThrownIn,
    Zone,
)
from monitor.log.reader import ToldRecord
from monitor.reports.hand_events import Standing
from monitor.reports.marks import windows_of
from monitor.reports.when import clock_of

_PLAYED: Final = (HandStarted, NewHand, Dealt, PlayStarted, Discarded, Racked)


class Uncounted(Struct, frozen=True):
    """How often and how long one rack of a hand could not be counted; a stretch ends with the hand at the latest."""

    seat: Seat
    stretches: int
    total_s: float
    longest_s: float


class HandSummary(Struct, frozen=True):
    """One hand in figures. `play_s`: from the first discard on; 0 where there was none. `windows_s`: one a discard."""

    table: str
    hand: int
    began_utc_s: float
    length_s: float
    play_s: float
    how: HandEnd | None
    picks: int
    discards: int
    windows_s: tuple[float, ...]
    uncounted: tuple[Uncounted, ...]
    dropped: int = 0


def summary_of(first: ToldRecord, events: Sequence[Standing], dropped: int = 0) -> HandSummary | None:
    """The hand in figures; `None` where nothing was dealt or played. `first`: its first row, whose clock is its own."""
    acts = [one.event for one in events if isinstance(one.event, _PLAYED)]
    if not acts:
        return None
    began, ended = acts[0].at, acts[-1].at
    how: HandEnd | None = None
    play = next((event.at for event in acts if isinstance(event, PlayStarted | Discarded)), None)
    for one in events:
        if isinstance(one.event, HandEnded | ThrownIn):
            ended, how = max(ended, one.event.at), one.event.how or how
    return HandSummary(
        table=first.table,
        hand=first.hand,
        began_utc_s=clock_of(first).utc_s(began),
        length_s=max(0.0, ended - began),
        play_s=0.0 if play is None else max(0.0, ended - play),
        how=how,
        picks=_picks(events),
        discards=sum(isinstance(one.event, Discarded) for one in events),
        windows_s=tuple(_windows(events)),
        uncounted=tuple(_uncounted(events, ended)),
        dropped=dropped,
    )


def _picks(events: Sequence[Standing]) -> int:
    """Tiles taken from the wall: a pick that was told and the racking of it are one."""
    holding: set[Seat | None] = set()
    picks = 0
    for one in events:
        match one.event:
            case Picked(seat=seat) | Racked(seat=seat):
                picks += seat not in holding
                holding.add(seat)
            case Discarded(seat=seat):
                holding.discard(seat)
            case _:
                pass
    return picks


def _windows(events: Sequence[Standing]) -> list[float]:
    """How long each window stood open, whatever closed it; one whose end was not seen is left out."""
    return [max(0.0, window.closed - window.opened) for window in windows_of(events) if window.closed is not None]


def _uncounted(events: Sequence[Standing], ended: float) -> list[Uncounted]:
    since: dict[Seat, float] = {}
    lengths: dict[Seat, list[float]] = {}
    for one in events:
        event = one.event
        if not isinstance(event, CountChanged) or event.zone is not Zone.RACK or event.seat is None:
            continue
        if event.count is None:
            since.setdefault(event.seat, event.at)
        elif event.seat in since:
            lengths.setdefault(event.seat, []).append(event.at - since.pop(event.seat))
    for seat, start in since.items():
        lengths.setdefault(seat, []).append(max(0.0, ended - start))
    return [Uncounted(seat, len(of), sum(of), max(of)) for seat, of in sorted(lengths.items())]
