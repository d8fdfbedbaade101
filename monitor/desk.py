"""Where a durable record is shown round: for each table, what director and public see of it.

Owns one table's two folds and the way from a logged record to screens, broker, JSON lines and terminal. Refuses to know
how any of them work, and decides nothing about audiences: `monitor.audience` does. Called by the log after each commit.
"""

from collections.abc import Callable, Sequence

import structlog
from msgspec import Struct

from monitor.alerts import Alert
from monitor.audience import Audience, DirectorsRecords, PublicRecords, public_health
from monitor.events import Event
from monitor.log.notes import Note
from monitor.log.scribe import Logged
from monitor.view import TableFold, TableView

_log = structlog.get_logger("rackwatch.desk")


class Outlets(Struct, frozen=True):
    """Who is told. Each is called in the order of the log and must not block."""

    directors_record: Callable[[str, Event | Alert], None]
    public_record: Callable[[str, Event | Alert], None]
    directors_view: Callable[[TableView], None]
    public_view: Callable[[TableView], None]
    notice: Callable[[str, str | None], None] = lambda _about, _text: None


class Desk:
    """All tables' folds."""

    def __init__(self, audiences: dict[str, Audience], outlets: Outlets) -> None:
        """`audiences` by table; their empty views are shown at once."""
        self._tables = {table: _Shown(table, audience) for table, audience in audiences.items()}
        self._outlets = outlets
        for shown in self._tables.values():
            self._show(shown)

    def take(self, group: Sequence[Logged]) -> None:
        """Show round a group of durable records."""
        touched: dict[str, _Shown] = {}
        for logged in group:
            if isinstance(logged.record, Note):
                continue  # about the log, for whoever reads it
            shown = self._tables[logged.table]
            touched[logged.table] = shown
            try:
                self._take(shown, logged)
            except Exception as problem:  # what is wrong with one table's view must stop neither the log nor the others
                _log.exception("a record could not be shown", table=logged.table, seq=logged.seq)
                self._outlets.notice(
                    f"{logged.table} view", f"{logged.table}: a record could not be shown ({problem}); the log has it."
                )
        for shown in touched.values():
            self._show(shown)

    def _take(self, shown: "_Shown", logged: Logged) -> None:
        match logged.record:
            case Alert() as alert:
                self._alert(shown, alert)
            case Note():
                pass
            case event:
                self._event(shown, event, logged.hand)

    def _event(self, shown: "_Shown", event: Event, hand: int) -> None:
        directors = shown.directors_records.event(event)
        if directors is not None:
            shown.director.take_event(directors, hand)
            self._outlets.directors_record(shown.table, directors)
        public = shown.public_records.event(event)
        if public is not None:
            shown.public.take_event(public, hand)
            self._outlets.public_record(shown.table, public)

    def _alert(self, shown: "_Shown", alert: Alert) -> None:
        directors = shown.directors_records.alert(alert)
        if directors is not None:
            shown.director.take_alert(directors)
            self._outlets.directors_record(shown.table, directors)
        public = shown.public_records.alert(alert)
        if public is not None:
            shown.public.take_alert(public)
            self._outlets.public_record(shown.table, public)
        health = public_health(alert)
        if health is not None:
            shown.public.take_alert(health)

    def _show(self, shown: "_Shown") -> None:
        self._outlets.directors_view(shown.director.view)
        self._outlets.public_view(shown.public.view)


class _Shown:
    """One table as both see it."""

    def __init__(self, table: str, audience: Audience) -> None:
        self.table = table
        self.director = TableFold(table)
        self.public = TableFold(table)
        self.directors_records = DirectorsRecords(audience)
        self.public_records = PublicRecords(audience)
