"""What a director would have seen of one table, moment by moment: a hand or an evening, laid out to be played.

Owns the order of moments and the view at each. Refuses to know where records come from (a recording through the table,
an event log) and to play them: `monitor.playback` does. Between the records and whoever plays them. Pure: no clock.

Every moment keeps the view as it was then. Views share what did not change, so this costs less than folding a hand
again for every step back, and stepping back cannot show anything else than playing did.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.audience import Audience, DirectorsRecords
from monitor.events import Event
from monitor.view import TableFold, TableView

MOMENTS: Final = 200_000
"""Our choice: some hundred hands. What comes later is left out, counted and told."""


class Told(Struct, frozen=True):
    """A record and when it was told. `run`: which start of the monitor told it; each start knows nothing yet."""

    at_s: float
    hand: int
    record: Event | Alert
    run: int = 0


class Moment(Struct, frozen=True):
    """What was told at one moment, as the director may see it, and the view from then on."""

    at_s: float
    records: tuple[Event | Alert, ...]
    view: TableView


class Timeline(Struct, frozen=True):
    """Moments in order, each later than the one before. `left_out` records came after the last that fitted."""

    table: str
    began_s: float
    ended_s: float
    moments: tuple[Moment, ...]
    alerts_s: tuple[float, ...]
    """When alerts came that ask for a director's eye: neither a sensor's nor a mere window that closed."""
    first: TableView
    """The view before the first moment."""
    left_out: int = 0

    def view(self, at_s: float) -> TableView:
        """What was seen at `at_s`."""
        known = bisect_right(self.moments, at_s, key=_at_s)
        return self.moments[known - 1].view if known else self.first


class TimelineBuilder:
    """Takes records in order of knowledge and lays them out; `finish` gives the timeline."""

    def __init__(self, table: str, *, identities: bool = False, audience: Audience | None = None) -> None:
        """`identities`: keep which tile it was; otherwise no moment holds any."""
        self._table = table
        self._shown = DirectorsRecords(Audience() if audience is None else audience, identities=identities)
        self._fold = TableFold(table)
        self._first = self._fold.view
        self._run: int | None = None
        self._moments: list[Moment] = []
        self._pending: list[Event | Alert] = []
        self._now_s: float | None = None
        self._alerts: dict[str, float] = {}
        self._left_out = 0

    def before(self, earlier: Iterable[Told]) -> None:
        """What was told before the first moment: it is seen from the beginning, and not played."""
        for told in earlier:
            self._see(told)
        self._first = self._fold.view

    def take(self, told: Told) -> None:
        """One more record. It is never shown before it says that it was known, nor before those taken earlier."""
        at_s = max(told.at_s, known_s(told.record))
        if self._now_s is None or at_s > self._now_s:
            self._close()
            self._now_s = at_s
        if len(self._moments) >= MOMENTS:
            self._left_out += 1
            return
        record = self._see(told)
        if record is None:
            return
        self._pending.append(record)
        if isinstance(record, Alert) and record.state is AlertState.RAISED and wants_an_eye(record):
            self._alerts.setdefault(record.id, self._now_s)

    def finish(self, began_s: float, ended_s: float) -> Timeline:
        """The timeline from `began_s` to `ended_s`, or further where records say so."""
        self._close()
        last_s = self._moments[-1].at_s if self._moments else ended_s
        first_s = self._moments[0].at_s if self._moments else began_s
        return Timeline(
            table=self._table,
            began_s=min(began_s, first_s),
            ended_s=last_s if self._left_out else max(ended_s, last_s),
            moments=tuple(self._moments),
            alerts_s=tuple(sorted(set(self._alerts.values()))),
            first=self._first,
            left_out=self._left_out,
        )

    def _see(self, told: Told) -> Event | Alert | None:
        """Fold a record in; give what the director may see of it."""
        if self._run is not None and told.run != self._run:
            self._fold = TableFold(self._table)
        self._run = told.run
        record = told.record
        if isinstance(record, Alert):
            alert = self._shown.alert(record)
            if alert is not None:
                self._fold.take_alert(alert)
            return alert
        event = self._shown.event(record)
        if event is None:
            return None
        self._fold.take_event(event, told.hand)
        return event

    def _close(self) -> None:
        if self._pending and self._now_s is not None:
            self._moments.append(Moment(self._now_s, tuple(self._pending), self._fold.view))
            self._pending.clear()


def known_s(record: Event | Alert) -> float:
    """The earliest moment at which a record can have been known, by its own words."""
    return record.raised_at if isinstance(record, Alert) else record.known


def wants_an_eye(alert: Alert) -> bool:
    """Whether a director would want to be taken to an alert."""
    return alert.rule not in {Rule.WINDOW_CLOSED, Rule.SENSOR_FAULT}


def _at_s(moment: Moment) -> float:
    return moment.at_s
