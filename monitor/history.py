"""What was told of a table in its present hand and just before it, as it stands: for pictures of the last minutes.

Owns how much is held: the hand that runs, of the one before it the latest events. Fed with records as their viewer may
see them (`monitor.audience`), in order of knowledge. Refuses to know screens. Between the desk and the pages; pure.
"""

from collections.abc import Iterable
from typing import Final

from monitor.alerts import Alert
from monitor.events import Corrected, Event
from monitor.log.hands import HandCounter
from monitor.standing import HAND_EVENTS, Standing, StandingEvents

EARLIER_EVENTS: Final = 300
"""Of the hand before, our choice: about ten minutes of play."""


class TableHistory:
    """One table's."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._counter = HandCounter()
        self._hand = StandingEvents(remembered=HAND_EVENTS)
        self._earlier = StandingEvents()

    def take(self, record: Event | Alert) -> None:
        """One more record; alerts tell of no event and are let be. A correction finds its event in either hand."""
        if isinstance(record, Alert):
            return
        if isinstance(record, Corrected):
            if not self._hand.take(record):
                self._earlier.take(record)
            return
        number = self._counter.number
        if self._counter.take(record) != number:
            self._earlier, self._hand = self._hand, StandingEvents(remembered=HAND_EVENTS)
            while len(self._earlier) > EARLIER_EVENTS:
                self._earlier.forget_earliest()
        self._hand.take(record)

    @property
    def hand(self) -> list[Standing]:
        """The events of the hand that runs, or ran last, in order of time."""
        return self._hand.standing

    @property
    def all(self) -> list[Standing]:
        """The same behind the latest events of the hand before."""
        return self._earlier.standing + self._hand.standing


class Histories:
    """All tables'."""

    def __init__(self, tables: Iterable[str] = ()) -> None:
        """`tables`: their names; no others are followed."""
        self._tables = {table: TableHistory() for table in tables}

    def take(self, table: str, record: Event | Alert) -> None:
        """A record of a table. Raises `KeyError` for one that is not followed."""
        self._tables[table].take(record)

    def __getitem__(self, table: str) -> TableHistory:
        return self._tables[table]

    def __contains__(self, table: str) -> bool:
        return table in self._tables
