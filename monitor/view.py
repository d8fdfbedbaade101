"""What a screen shows of one table, folded from the records its viewer may see.

Owns the reading of events for the eye: phase, turn, window, counts, what stands and what was last. Refuses to judge
(that is the rules') and to choose what may be seen: it is fed by `monitor.audience`, one fold for the director and one
for the public, so a public view cannot hold what the public fold was never given. Pure: no clock.
"""

from collections import deque
from enum import StrEnum
from math import inf
from typing import Final

import msgspec
from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Closing,
    Corrected,
    CountChanged,
    Dead,
    Dealt,
    Declared,
    Discarded,
    EastIs,
    Event,
    Exposed,
    HandEnded,
    HandStarted,
    JokerExchanged,
    NewHand,
    Picked,
    PlayStarted,
    Racked,
    Returned,
    Seat,
    SeatsSwapped,
    ThrownIn,
    WindowClosed,
    WindowOpened,
    Zone,
)
from monitor.standing import HAND_EVENTS, StandingEvents, moment

RECENT_EVENTS: Final = 14
ENDED_ALERTS: Final = 8
_LONG_AGO: Final = (-inf, False)


class Phase(StrEnum):
    """Where the hand is."""

    UNKNOWN = "unknown"
    DEAL = "deal"
    CHARLESTON = "charleston"
    PLAY = "play"
    OVER = "over"


class Doing(StrEnum):
    """What the seat whose turn it is has done so far."""

    TO_PICK = "to pick"
    PICKED = "picked"
    RACKED = "racked"
    EXPOSED = "exposed"
    EXCHANGED = "exchanged"
    DECLARED = "declared"
    TO_DISCARD = "to discard"


class WindowState(StrEnum):
    """Whether the last discard may be claimed."""

    NONE = "none"
    OPEN = "open"
    CLOSED = "closed"
    CLAIMED = "claimed"


class Window(Struct, frozen=True):
    """The window on the last discard. `seat`: who closed or claimed it; `since`: when it came to its state."""

    state: WindowState = WindowState.NONE
    discarder: Seat | None = None
    since: float | None = None
    seat: Seat | None = None
    cause: Closing | None = None


class Counts(Struct, frozen=True):
    """Tiles of one seat; `None`: not known. `reason` says why the whole is not known.

    `confidence`: how sure the whole is, 0 to 1; `None`: certain, or not known.
    """

    seat: Seat
    rack: int | None = None
    slope: int | None = None
    ledge: int | None = None
    reason: str = ""
    confidence: float | None = None

    @property
    def total(self) -> int | None:
        """Tiles in and on the rack."""
        if self.rack is None and self.slope is not None and self.ledge is not None:
            return self.slope + self.ledge
        return self.rack

    @property
    def placed(self) -> tuple[int | None, int | None]:
        """Tiles on slope and ledge, together as many as the rack has: tags heard or silent for a moment change none."""
        if self.total is None:
            return self.slope, self.ledge
        ledge = min(self.ledge or 0, self.total)
        return self.total - ledge, ledge


class TableView(Struct, frozen=True):
    """One table at a glance. `counts` is empty where the viewer may not see them."""

    table: str
    hand: int = 0
    phase: Phase = Phase.UNKNOWN
    east: Seat | None = None
    turn: Seat | None = None
    doing: Doing = Doing.TO_DISCARD
    window: Window = Window()
    last_discard: float | None = None
    caller: Seat | None = None
    dead: tuple[Seat, ...] = ()
    counts: tuple[Counts, ...] = ()
    alerts: tuple[Alert, ...] = ()
    """Those that stand, then a few that ended; newest first."""
    health: tuple[Alert, ...] = ()
    recent: tuple[Event, ...] = ()
    """The last few events, latest first, without counts and windows: those are shown where they belong."""


class TableFold:
    """Takes a table's records one by one; `view` is what they amount to.

    Events come in order of knowledge but are read in order of time (`monitor.standing`): after one that became known
    late, a correction or a swap of racks the hand is folded again. A hand has a few hundred events, so nothing cleverer
    is due.
    """

    def __init__(self, table: str) -> None:
        """Nothing is known of the table yet."""
        self.view = TableView(table)
        self._start = self.view
        self._events = StandingEvents()
        self._latest = _LONG_AGO
        self._alerts: dict[str, Alert] = {}
        self._ended: deque[str] = deque()

    def take_event(self, event: Event, hand: int) -> None:
        """An event that became known, with the number of its hand."""
        if isinstance(event, Corrected):
            if self._events.take(event):
                self._fold_again()
            return
        if hand != self.view.hand:
            self._events, self._latest = StandingEvents(), _LONG_AGO
            self._start = self.view = msgspec.structs.replace(_fresh(self.view), hand=hand)
        if len(self._events) >= HAND_EVENTS:
            earliest = self._events.forget_earliest()
            self._start = self._start if earliest.struck else _after(self._start, earliest.event)
        self._events.take(event)
        if moment(event) < self._latest or isinstance(event, SeatsSwapped):
            self._fold_again()
        else:
            self.view = _after(self.view, event)
            self._latest = moment(event)

    def take_alert(self, alert: Alert) -> None:
        """An alert, or a later word on one."""
        if alert.rule is Rule.WINDOW_CLOSED:
            return
        self._alerts.pop(alert.id, None)
        self._alerts[alert.id] = alert
        if alert.state is not AlertState.RAISED:
            self._ended.append(alert.id)
        while len(self._ended) > ENDED_ALERTS:
            oldest = self._ended.popleft()
            if oldest in self._alerts and self._alerts[oldest].state is not AlertState.RAISED:
                del self._alerts[oldest]
        newest_first = tuple(reversed(self._alerts.values()))
        standing = tuple(one for one in newest_first if one.state is AlertState.RAISED)
        ended = tuple(one for one in newest_first if one.state is not AlertState.RAISED)
        self.view = msgspec.structs.replace(
            self.view,
            alerts=tuple(one for one in standing + ended if one.rule is not Rule.SENSOR_FAULT),
            health=tuple(one for one in standing if one.rule is Rule.SENSOR_FAULT),
        )

    def _fold_again(self) -> None:
        folded = self._start
        standing = self._events.standing
        for one in standing:
            folded = _after(folded, one.event)
        self._latest = moment(standing[-1].event) if standing else _LONG_AGO
        self.view = msgspec.structs.replace(folded, alerts=self.view.alerts, health=self.view.health)


def _moment(event: Event) -> float:
    return event.at


def _fresh(view: TableView) -> TableView:
    """A hand begins: the racks are known and the sensors' health stands; everything of the last hand is gone."""
    return TableView(
        view.table,
        hand=view.hand,
        counts=view.counts,
        alerts=view.alerts,
        health=view.health,
        recent=view.recent,
    )


def _after(view: TableView, event: Event) -> TableView:
    """One event further."""
    if isinstance(event, CountChanged):
        return _with(view, counts=_counted(view.counts, event))
    if isinstance(event, WindowOpened):
        return _with(
            view, window=Window(WindowState.OPEN, discarder=event.seat or view.window.discarder, since=event.at)
        )
    if isinstance(event, WindowClosed):
        state = WindowState.CLAIMED if event.cause is Closing.CLAIMED else WindowState.CLOSED
        return _with(view, window=Window(state, view.window.discarder, event.at, event.seat, event.cause))
    view = _with(view, recent=tuple(sorted((event, *view.recent), key=_moment, reverse=True))[:RECENT_EVENTS])
    match event:
        case HandStarted(east=east):
            return _with(_fresh(view), phase=Phase.DEAL, east=east or view.east)
        case NewHand():
            return _with(_fresh(view), phase=Phase.DEAL)
        case Dealt(east=east):
            return _with(view, phase=Phase.CHARLESTON, east=east or view.east)
        case EastIs(seat=seat):
            return _with(view, east=seat)
        case PlayStarted(seat=seat):
            return _with(view, phase=Phase.PLAY, turn=view.turn or seat or view.east)
        case Picked(seat=seat):
            return _acts(view, seat, Doing.PICKED)
        case Racked(seat=seat):
            return _acts(view, seat, Doing.RACKED)
        case Returned(seat=seat):
            return _acts(view, seat, Doing.TO_PICK)
        case JokerExchanged(seat=seat):
            return _acts(view, seat, Doing.EXCHANGED)
        case Exposed(seat=seat):
            return _with(_acts(view, seat, Doing.EXPOSED), caller=None)
        case Declared(seat=seat):
            return _acts(view, seat, Doing.DECLARED)
        case Called(seat=seat):
            return _with(view, caller=seat)
        case CallWithdrawn():
            return _with(view, caller=None)
        case Discarded(seat=seat, at=at) if seat is not None:
            view = _with(view, last_discard=at, caller=None, window=_with_discarder(view.window, seat))
            return _acts(view, _next_alive(seat, view.dead), Doing.TO_PICK)
        case Dead(seat=seat) if seat is not None and seat not in view.dead:
            return _with(view, dead=(*view.dead, seat))
        case HandEnded() | ThrownIn():
            return _with(view, phase=Phase.OVER, turn=None, caller=None, window=Window())
        case _:
            return view


def _with(view: TableView, **changes: object) -> TableView:
    return msgspec.structs.replace(view, **changes)


def _acts(view: TableView, seat: Seat | None, doing: Doing) -> TableView:
    phase = Phase.PLAY if view.phase in (Phase.UNKNOWN, Phase.PLAY) else view.phase
    return _with(view, phase=phase, turn=seat, doing=doing)


def _with_discarder(window: Window, seat: Seat) -> Window:
    return msgspec.structs.replace(window, discarder=seat)


def _next_alive(seat: Seat, dead: tuple[Seat, ...]) -> Seat:
    following = seat.right
    while following in dead and following is not seat:
        following = following.right
    return following


def _counted(counts: tuple[Counts, ...], event: CountChanged) -> tuple[Counts, ...]:
    by_seat = {one.seat: one for one in counts} or {seat: Counts(seat) for seat in SEATS}
    if event.seat is None:
        return counts
    one = by_seat[event.seat]
    match event.zone:
        case Zone.RACK:
            reason = (event.reason or "") if event.count is None else ""
            confidence = event.confidence if event.count is not None else None
            by_seat[event.seat] = msgspec.structs.replace(one, rack=event.count, reason=reason, confidence=confidence)
        case Zone.SLOPE:
            by_seat[event.seat] = msgspec.structs.replace(one, slope=event.count)
        case Zone.LEDGE:
            by_seat[event.seat] = msgspec.structs.replace(one, ledge=event.count)
    return tuple(by_seat.values())
