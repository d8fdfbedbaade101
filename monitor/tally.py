"""What a hand comes to, in figures: the one way in which the exports and the session report count.

Owns the figures and which records they are taken of. Refuses to know logs, words and pictures. Pure.

- **Which hands are listed.** A hand of which something was dealt or played. Hand 0, what was under way when the monitor
  started, is no exception: it is listed where play of it was told, and where only sensors spoke before the first hand
  nobody played one.
- **Where a record belongs.** A correction counts in the hand whose event it corrects, also when it becomes known in a
  later one; an alert in the hand in which it was first told, as it stands in the end.
- **What people put right** (`rackwatch amend`) counts as if it had been heard last, as for `rejudge`; the figures
  without it stay beside those with it.
- **When.** A hand takes from its beginning to its end, or to the last act of play that was told; play from the first
  discard to the last; alerts are all but notices of closed windows.

Bounded: of a table the events of its latest hands are held, of older ones the figures.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Rule
from monitor.audience import Audience
from monitor.events import (
    CountChanged,
    Dealt,
    Discarded,
    EastIs,
    Event,
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
from monitor.open_windows import windows_of
from monitor.standing import Standing, StandingEvents

OPEN_HANDS: Final = 2
"""Of a table: the hand that runs, and the one before, which later knowledge may still concern."""
KEPT_HANDS: Final = 2000
"""Hands whose later alerts are waited for; our choice: some megabytes."""
HAND_ALERTS: Final = 4000
"""Alerts of a hand; our choice: several times what a long hand has."""
SAME_CLOCK_S: Final = 60.0
"""Our choice: records whose clocks lie further apart were written before and after the machine started anew."""

_PLAYED: Final = (HandStarted, NewHand, Dealt, PlayStarted, Discarded, Racked)


class Amendment(Struct, frozen=True):
    """What a person put right about a hand: `event` as if the monitor had told it; when it was written down."""

    event: Event
    author: str
    reason: str
    written_utc_s: float


class Dating(Struct, frozen=True):
    """How a record's moments are told. `ahead_s`: UTC seconds since 1970 minus its own; `None`: not known.

    `started_utc_s`: when the machine's own clock was at 0, by which a start of it is known; `None`: not known.
    """

    ahead_s: float | None = None
    started_utc_s: float | None = None


class Uncounted(Struct, frozen=True):
    """How often and how long one rack of a hand could not be counted; a stretch ends with the hand at the latest."""

    seat: Seat
    stretches: int
    total_s: float
    longest_s: float


class HandSummary(Struct, frozen=True):
    """One hand in figures. `windows_s`: one a discard whose window was seen to end.

    `events`: records of it. `alerts`: those first told in it; `standing_alerts`: of these, in the end. `forgotten`:
    events too many to be held. `told`: the hand as the monitor told it, where people put something right.
    """

    table: str
    hand: int
    began_utc_s: float | None
    length_s: float
    play_s: float | None
    east: Seat | None
    how: HandEnd | None
    picks: int
    discards: int
    windows_s: tuple[float, ...]
    uncounted: tuple[Uncounted, ...]
    events: int = 0
    alerts: int = 0
    standing_alerts: int = 0
    forgotten: int = 0
    amendments: tuple[Amendment, ...] = ()
    told: "HandSummary | None" = None

    @property
    def ended_utc_s(self) -> float | None:
        """When it was over."""
        return None if self.began_utc_s is None else self.began_utc_s + self.length_s

    @property
    def pace_s(self) -> float | None:
        """Seconds from a discard to the next, on average."""
        return self.play_s / (self.discards - 1) if self.play_s is not None and self.discards > 1 else None


class HandTally:
    """Sums up one hand."""

    def __init__(self, table: str, hand: int, audience: Audience | None = None) -> None:
        """A hand of a table, nothing of it read yet. `audience`: as for `StandingEvents`."""
        self.table = table
        self.hand = hand
        self.standing = StandingEvents(audience)
        self._dating = Dating()
        self._records = 0
        self._alerts: dict[str, AlertState] = {}
        self._closed = False
        self._figures: HandSummary | None = None

    def event(self, event: Event, dating: Dating) -> bool:
        """One event further; `False` for a correction of what is not of this hand."""
        if not self._records:
            self._dating = dating
        self._records += 1
        return self.correct(event, dating)

    def correct(self, event: Event, dating: Dating) -> bool:
        """The same for a record of a later hand. What another start of the machine told cannot be compared."""
        one, other = self._dating.started_utc_s, dating.started_utc_s
        if one is not None and other is not None and abs(one - other) > SAME_CLOCK_S:
            return True
        return self.standing.take(event, ahead_s=dating.ahead_s)

    def alert(self, alert: Alert) -> None:
        """One line of an alert of this hand."""
        self._alerts[alert.id] = alert.state
        if len(self._alerts) > HAND_ALERTS:
            del self._alerts[next(iter(self._alerts))]

    def holds(self, alert_id: str) -> bool:
        """Whether an alert was first told in this hand."""
        return alert_id in self._alerts

    def close(self, amendments: Sequence[Amendment]) -> None:
        """No event is waited for any more: what people put right is laid over, and the figures stand."""
        if self._closed:
            return
        self._closed = True
        told = self._counted()
        for one in amendments:
            self.standing.amend(one.event, one.author, ahead_s=self._dating.ahead_s)
        figures = self._counted() if amendments else told
        if figures is not None and amendments:
            figures = replace(figures, amendments=tuple(amendments), told=told)
        self._figures = figures

    def let_go(self) -> None:
        """Keep the figures alone."""
        self.standing = StandingEvents(remembered=0)

    def summary(self) -> HandSummary | None:
        """The figures of a closed hand; `None` where nothing of it was dealt or played."""
        if self._figures is None:
            return None
        standing = sum(state is AlertState.RAISED for state in self._alerts.values())
        return replace(self._figures, alerts=len(self._alerts), standing_alerts=standing)

    def _counted(self) -> HandSummary | None:
        events = self.standing.standing
        acts = [one.event for one in events if isinstance(one.event, _PLAYED)]
        if not acts:
            return None
        began, ended = acts[0].at, acts[-1].at
        east: Seat | None = None
        how: HandEnd | None = None
        for one in events:
            match one.event:
                case HandStarted(east=Seat() as seat) | Dealt(east=Seat() as seat) | EastIs(seat=Seat() as seat):
                    east = seat
                case HandEnded(at=at, how=end) | ThrownIn(at=at, how=end):
                    ended, how = max(ended, at), end or how
                case _:
                    pass
        discards = [one.event.at for one in events if isinstance(one.event, Discarded)]
        ahead_s = self._dating.ahead_s
        return HandSummary(
            self.table,
            self.hand,
            began_utc_s=None if ahead_s is None else began + ahead_s,
            length_s=max(0.0, ended - began),
            play_s=discards[-1] - discards[0] if len(discards) > 1 else None,
            east=east,
            how=how,
            picks=_picks(events),
            discards=len(discards),
            windows_s=tuple(_windows(events)),
            uncounted=tuple(_uncounted(events, ended)),
            events=self._records,
            forgotten=self.standing.forgotten,
        )


class Tallies:
    """Every hand of a log, as its records come in the log's order, or table by table."""

    def __init__(
        self,
        amendments: Mapping[tuple[str, int], Sequence[Amendment]],
        audience: Audience | None = None,
        *,
        open_hands: int = OPEN_HANDS,
    ) -> None:
        """`amendments` by table and hand. `open_hands`: hands of a table whose events are held."""
        self._amendments = amendments
        self._audience = audience
        self._open_hands = open_hands
        self._hands: dict[tuple[str, int], HandTally] = {}
        self._of_table: dict[str, list[HandTally]] = {}

    def __len__(self) -> int:
        return len(self._hands)

    def event(self, table: str, hand: int, event: Event, dating: Dating) -> bool:
        """An event; `False` for a correction of what no hand that is held has."""
        tally = self._of(table, hand)
        if tally.event(event, dating):
            return True
        return any(other.correct(event, dating) for other in self._open(table) if other is not tally)

    def alert(self, table: str, hand: int, alert: Alert) -> None:
        """A line of an alert: of the hand in which it was first told."""
        if alert.rule is Rule.WINDOW_CLOSED:
            return
        tally = self._of(table, hand)
        if not tally.holds(alert.id):
            tally = next((one for one in reversed(self._of_table[table]) if one.holds(alert.id)), tally)
        tally.alert(alert)

    def finished(self) -> Iterator[HandSummary]:
        """The earliest hands, where there are too many to be kept: as they stand by now."""
        while len(self._hands) > KEPT_HANDS:
            yield from self._leaving(next(iter(self._hands)))

    def rest(self) -> Iterator[HandSummary]:
        """All hands that are kept, by their first record; nothing is to come any more."""
        while self._hands:
            yield from self._leaving(next(iter(self._hands)))

    def closed(self) -> list[HandTally]:
        """All hands that are kept, with their events; nothing is to come any more."""
        for tally in self._hands.values():
            self._close(tally)
        return list(self._hands.values())

    def _of(self, table: str, hand: int) -> HandTally:
        tally = self._hands.get((table, hand))
        if tally is None:
            tally = self._hands[table, hand] = HandTally(table, hand, self._audience)
            of_table = self._of_table.setdefault(table, [])
            of_table.append(tally)
            for old in of_table[-self._open_hands - 1 : -self._open_hands]:
                self._close(old)
                old.let_go()
        return tally

    def _open(self, table: str) -> Iterator[HandTally]:
        return reversed(self._of_table[table][-self._open_hands :])

    def _close(self, tally: HandTally) -> None:
        tally.close(self._amendments.get((tally.table, tally.hand), ()))

    def _leaving(self, key: tuple[str, int]) -> Iterator[HandSummary]:
        tally = self._hands.pop(key)
        self._of_table[tally.table].remove(tally)
        self._close(tally)
        summary = tally.summary()
        if summary is not None:
            yield summary


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


def _windows(events: Sequence[Standing]) -> Iterator[float]:
    """How long each window stood open, whatever closed it; one whose end was not seen is left out."""
    return (max(0.0, window.closed - window.opened) for window in windows_of(events) if window.closed is not None)


def _uncounted(events: Sequence[Standing], ended: float) -> Iterator[Uncounted]:
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
    return (Uncounted(seat, len(of), sum(of), max(of)) for seat, of in sorted(lengths.items()))
