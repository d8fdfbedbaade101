"""Hands out of the event log for pages: read off the event loop, one at a time, and the last few kept.

Owns how much is read and held. Refuses to know pages. Only what a director may see of the table is read, and never
which tile it was. Between the log and the pages of earlier hands.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from monitor.alerts import Alert
from monitor.audience import Audience, DirectorsRecords
from monitor.log.part import Part
from monitor.log.place import LogPlace
from monitor.log.reader import open_log
from monitor.stored_hand import StoredHand, stored_hand
from monitor.tally import Dating, HandSummary, Tallies

LISTED: Final = 30
"""Hands on one page of the list; our choice: an evening, read in well under a second."""
KEPT: Final = 4
KEPT_S: Final = 600.0
LATEST_KEPT_S: Final = 15.0
"""How many hands are kept, and how long: what is purged meanwhile is soon gone here too, and a table's latest hand may
still grow. Our choice."""
EARLIER: Final = 3
"""Hands that are read before the one that is played, for what stands as it begins; our choice."""


class HandList(Struct, frozen=True):
    """Hands of a table, the latest first. `before`: the number before which there are more; `None`: no more."""

    hands: tuple[HandSummary, ...]
    before: int | None


class _Kept(Struct, frozen=True):
    until_s: float
    stored: StoredHand


class Shelf:
    """One log's."""

    def __init__(self, place: LogPlace, audiences: Mapping[str, Audience], now_s: Callable[[], float]) -> None:
        """`audiences` by table; `now_s`: the host's seconds."""
        self._place = place
        self._audiences = audiences
        self._now_s = now_s
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()
        self._reading = asyncio.Semaphore(1)

    async def listed(self, table: str, before: int | None = None) -> HandList:
        """The latest hands, or those before a number. Raises `LogError` where the log cannot be read."""
        async with self._reading:
            return await asyncio.to_thread(self._listed, table, before)

    async def hand(self, table: str, number: int) -> StoredHand | None:
        """One hand; `None` where the log has none of that number, or it was purged.

        Raises `LogError` where the log cannot be read.
        """
        key, kept = (table, number), self._kept.get((table, number))
        if kept is not None and self._now_s() < kept.until_s:
            self._kept.move_to_end(key)
            return kept.stored
        async with self._reading:
            kept = await asyncio.to_thread(self._read, table, number)
        if kept is None:
            return None
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept.stored

    def _listed(self, table: str, before: int | None) -> HandList:
        with open_log(self._place) as log:
            spans = sorted(log.hands(table), key=lambda span: span.hand)
            spans = [span for span in spans if before is None or span.hand < before]
            shown, more = spans[-LISTED:], len(spans) > LISTED
            if not shown:
                return HandList((), None)
            audience = self._audiences[table]
            runs, tallies, records = log.runs(), Tallies({}, audience), DirectorsRecords(audience)
            wanted, last_seq = {span.hand for span in shown}, max(span.last_seq for span in shown)
            for row in log.told(Part(table=table, after=min(span.first_seq for span in shown) - 1)):
                if row.seq > last_seq:
                    break
                if row.hand not in wanted:
                    continue
                if isinstance(row.record, Alert):
                    alert = records.alert(row.record)
                    if alert is not None:
                        tallies.alert(table, row.hand, alert)
                else:
                    ahead_s = runs[row.run].utc_s(0.0)
                    tallies.event(table, row.hand, row.record, Dating(ahead_s, ahead_s))
            hands = sorted(tallies.rest(), key=lambda one: one.hand, reverse=True)
            return HandList(tuple(hands), shown[0].hand if more else None)

    def _read(self, table: str, number: int) -> _Kept | None:
        with open_log(self._place) as log:
            numbers = {span.hand for span in log.hands(table)}
            if not any(True for _ in log.told(Part(table=table, hand=number))):
                return None
            keeps_s = LATEST_KEPT_S if number == max(numbers) else KEPT_S
            stored = stored_hand(log, table, number, audience=self._audiences[table], earlier_hands=EARLIER)
            return _Kept(self._now_s() + keeps_s, stored)
