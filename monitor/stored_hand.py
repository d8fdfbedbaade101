"""One hand out of an event log, as a timeline: no sensors, no rules, only what was told then.

Owns which records belong to it and when each was told. Refuses to know screens. Between `monitor.log` and
`monitor.playback`; the log is read and never changed.

A record says itself when it was known, on the clock of its events. A later word on an alert (withdrawn, resolved) does
not: it is dated between the records beside it, by the host's time at which they were all handed to the log. A hand over
which the monitor was started again is laid out on the clock of its first run.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec import Struct

from monitor.alerts import Alert
from monitor.audience import Audience
from monitor.errors import LogError
from monitor.events import Event
from monitor.log.part import Part
from monitor.log.reader import LogReader, Run, ToldRecord
from monitor.timeline import MOMENTS, Timeline, TimelineBuilder, Told, known_s

Passed = Callable[[Iterable[ToldRecord]], Iterable[ToldRecord]]
"""Passes records through and may show how far they are."""


class StoredHand(Struct, frozen=True):
    """A hand to be played. `ahead_s`: seconds since 1970 minus the timeline's clock."""

    table: str
    hand: int
    timeline: Timeline
    ahead_s: float


class _Row(Struct, frozen=True):
    """A record of the hand on the clock of the hand's first run; `stated_s`: when it says that it was known."""

    run: int
    hand: int
    handed_s: float
    stated_s: float | None
    record: Event | Alert


def stored_hand(
    log: LogReader,
    table: str | None = None,
    hand: int | None = None,
    *,
    identities: bool = False,
    audience: Audience | None = None,
    earlier_hands: int | None = None,
    passed: Passed = lambda rows: rows,
) -> StoredHand:
    """Lay out a hand: of `table`, or of the only one there is; `hand`, or the last. Raises `LogError`.

    `audience`: the table's, where it may not show everything. `earlier_hands`: so many before it are read for what
    stands as it begins; all, where none is given.
    """
    table, hand = _which(log, table, hand)
    builder = TimelineBuilder(table, identities=identities, audience=audience)
    runs = log.runs()
    after = 0 if earlier_hands is None else _before_hand(log, table, hand - earlier_hands)
    earlier: list[ToldRecord] = []
    rows: list[ToldRecord] = []
    left_out = 0
    for row in passed(log.told(Part(table=table, after=after), identities=identities)):
        if row.hand > hand:
            break
        if row.hand < hand:
            if earlier and earlier[-1].hand != row.hand:
                builder.before(_before(earlier))
                earlier.clear()
            earlier.append(row)
        elif len(rows) < MOMENTS:
            rows.append(row)
        else:
            left_out += 1
    if not rows:
        raise LogError(str(log.place), f"{table}, hand {hand}, was purged")
    builder.before(_before(earlier))
    first = runs[rows[0].run]
    told = list(_dated(list(_on_one_clock(rows, runs))))
    for one in told:
        builder.take(one)
    timeline = builder.finish(told[0].at_s, told[-1].at_s)
    timeline = msgspec.structs.replace(timeline, left_out=timeline.left_out + left_out)
    return StoredHand(table, hand, timeline, first.utc_s(0.0))


def _which(log: LogReader, table: str | None, hand: int | None) -> tuple[str, int]:
    spans = log.hands()
    tables = sorted({span.table for span in spans})
    if not tables:
        raise LogError(str(log.place), "holds no record yet")
    if table is None and len(tables) > 1:
        raise LogError(str(log.place), f"holds several tables. Say which with --table: {', '.join(tables)}")
    table = tables[0] if table is None else table
    if table not in tables:
        raise LogError(str(log.place), f"holds nothing of table {table}. It holds {', '.join(tables)}")
    hands = sorted(span.hand for span in spans if span.table == table)
    hand = hands[-1] if hand is None else hand
    if hand not in hands:
        raise LogError(str(log.place), f"holds no hand {hand} of {table}. It holds {', '.join(map(str, hands))}")
    return table, hand


def _before_hand(log: LogReader, table: str, hand: int) -> int:
    """The number of the last record before a hand and all later ones of its table."""
    return min(span.first_seq for span in log.hands(table) if span.hand >= hand) - 1


def _before(rows: Iterable[ToldRecord]) -> Iterator[Told]:
    for row in rows:
        yield Told(row.mono_s, row.hand, row.record, row.run)


def _on_one_clock(rows: Iterable[ToldRecord], runs: dict[int, Run]) -> Iterator[_Row]:
    """Rows of later runs moved to the first one's clock, by the time of day and never back."""
    ahead_s: float | None = None
    run: int | None = None
    shift_s = last_s = 0.0
    alerts: set[str] = set()
    for row in rows:
        start = runs[row.run]
        if ahead_s is None:
            ahead_s = start.utc_s(0.0)
        elif row.run != run:
            shift_s = max(start.utc_s(0.0) - ahead_s, last_s - start.mono_s)
        run = row.run
        record = _moved(row.record, shift_s)
        stated_s: float | None = known_s(record)
        if isinstance(record, Alert):
            if record.id in alerts:
                stated_s = None
            alerts.add(record.id)
        last_s = max(last_s, row.mono_s + shift_s)
        yield _Row(row.run, row.hand, row.mono_s + shift_s, stated_s, record)


def _moved(record: Event | Alert, shift_s: float) -> Event | Alert:
    if not shift_s:
        return record
    moments = ("at", "earliest", "latest", "raised_at" if isinstance(record, Alert) else "seen_at")
    held = {name: getattr(record, name) for name in moments}
    moved = {name: at + shift_s for name, at in held.items() if at is not None}
    return msgspec.structs.replace(record, **moved)


def _dated(rows: list[_Row]) -> Iterator[Told]:
    """Each record with the moment at which it was told; these never go back."""
    coming: list[_Row | None] = []
    following: _Row | None = None
    for row in reversed(rows):
        coming.append(following)
        following = row if row.stated_s is not None else following
    before: _Row | None = None
    before_s = 0.0
    for row, after in zip(rows, reversed(coming), strict=True):
        if row.stated_s is not None:
            at_s = row.stated_s if before is None else max(before_s, row.stated_s)
            before, before_s = row, at_s
        else:
            at_s = before_s = _between(row, before, before_s, after)
            before = row
        yield Told(at_s, row.hand, row.record, row.run)


def _between(row: _Row, before: _Row | None, before_s: float, after: _Row | None) -> float:
    """When a record was told that does not say so itself, by its share of the host's time between its neighbours."""
    after_s = None if after is None or after.stated_s is None else after.stated_s
    if before is None:
        return known_s(row.record) if after_s is None else after_s
    if after is None or after_s is None:
        return before_s + max(0.0, row.handed_s - before.handed_s)
    if after_s <= before_s or after.handed_s <= before.handed_s:
        return before_s
    share = (row.handed_s - before.handed_s) / (after.handed_s - before.handed_s)
    return before_s + (after_s - before_s) * min(max(share, 0.0), 1.0)
