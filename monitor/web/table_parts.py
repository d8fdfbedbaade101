"""One table at one moment, as the parts of its page: the table that is played and a hand that is played back alike.

Owns what stands in each part. Refuses to know where view and events come from: whoever asks has them as the director
may see them. The page puts in a part where it changed. Pure: told what time it is.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, AlertState
from monitor.events import (
    SEATS,
    CountChanged,
    Discarded,
    Event,
    Exposed,
    Seat,
    Tick,
    WindowClosed,
    WindowOpened,
)
from monitor.rules.explain import explain
from monitor.standing import Standing
from monitor.view import Counts, TableView
from monitor.web.pages import template
from monitor.web.picture import doubted, racks
from monitor.web.plot import plot
from monitor.web.words import say
from monitor.wording import PHASES, WINDOWS, event_line, seat_name, turn_line, window_line

STORY: Final = 200
"""Our choice: so many of a hand's events are listed, the latest; few hands have more."""
_UNTOLD: Final = (CountChanged, WindowOpened, WindowClosed, Tick)
"""Kinds that the plot, the racks and the band show."""
_TO_SECONDS: Final = 8
"""Letters of a time of day without its hundredths."""


class Moment(Struct, frozen=True):
    """A page at `now_s`, on the clock of the events: its parts by name."""

    now_s: float
    parts: dict[str, str]


class RackLine(Struct, frozen=True):
    """One seat in words. `latest_s`: when it last discarded."""

    name: str
    number: str
    ledge: str
    exposed: str
    discards: int
    latest_s: float | None
    faults: tuple[str, ...]


class StoryLine(Struct, frozen=True):
    """One event: the time of day, and a sentence."""

    time: str
    words: str


def moment(
    view: TableView, hand: Sequence[Standing], shown: Sequence[Standing], now_s: float, clock: Callable[[float], str]
) -> Moment:
    """The parts at `now_s`. `hand`: the hand's events; `shown`: those that the plot may show; both in order of time.

    `clock` writes a moment as the time of day, to hundredths.
    """
    drawn = template("_table_parts.html")
    context = drawn.new_context(
        {
            "view": view,
            "racks": racks(view),
            "phase": PHASES[view.phase],
            "turn": turn_line(view),
            "window": WINDOWS[view.window.state],
            "window_line": window_line(view),
            "explanations": {alert.id: explain(alert, clock) for alert in view.alerts},
            "waiting": sum(alert.state is AlertState.RAISED for alert in view.alerts),
            "lines": rack_lines(view, hand),
            "of_table": [fault.message for fault in view.health if fault.seat is None],
            "plot": plot(shown, now_s),
            "story": _story(hand, clock),
        }
    )
    return Moment(now_s, {name: "".join(block(context)).strip() for name, block in drawn.blocks.items()})


def rack_lines(view: TableView, hand: Sequence[Standing]) -> list[RackLine]:
    """The four seats in words; without numbers where the view has none."""
    counts = {one.seat: one for one in view.counts}
    events = [one.event for one in hand]
    return [_rack_line(seat, counts.get(seat), events, view.health) for seat in SEATS]


def _rack_line(seat: Seat, counts: Counts | None, events: Sequence[Event], health: Sequence[Alert]) -> RackLine:
    thrown = [event.at for event in events if isinstance(event, Discarded) and event.seat is seat]
    exposed = [event.n for event in events if isinstance(event, Exposed) and event.seat is seat]
    return RackLine(
        name=seat_name(seat),
        number="" if counts is None else _number(counts),
        ledge="" if counts is None or counts.ledge is None else str(counts.ledge),
        exposed=" + ".join(say("rack.unknown") if n is None else str(n) for n in exposed),
        discards=len(thrown),
        latest_s=thrown[-1] if thrown else None,
        faults=tuple(fault.message for fault in health if fault.seat is seat),
    )


def _number(counts: Counts) -> str:
    if counts.total is None:
        return say("rack.not-known", reason=counts.reason).strip()
    if doubted(counts) and counts.confidence is not None:
        return say("rack.unsure", number=counts.total, percent=round(100 * counts.confidence))
    return say("rack.sure", number=counts.total)


def _story(hand: Sequence[Standing], clock: Callable[[float], str]) -> list[StoryLine]:
    """What happened, the latest first."""
    told = [one.event for one in hand if not isinstance(one.event, _UNTOLD)][-STORY:]
    return [StoryLine(clock(event.at)[:_TO_SECONDS], event_line(event)) for event in reversed(told)]
