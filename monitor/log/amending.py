"""A hand as it is to be read: what was told, and what people put right since.

Owns how notes are laid over events. The original stays in the log; the rules take a correction like the monitor's own.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from monitor.alerts import Alert
from monitor.errors import LogError
from monitor.events import Corrected, Dealt, Event, HandStarted, NewHand, PlayStarted, Seat, SeatsSwapped, Tick
from monitor.log.notes import Amended, Note
from monitor.log.part import Part
from monitor.log.payloads import refusal
from monitor.log.place import LogPlace
from monitor.log.reader import LogReader
from monitor.log.schema import Stream
from monitor.log.store import EventLog

AFTERWARDS_S = 60.0
"""A hand that nothing follows is judged as if so much time passed after it (our choice: what waits is due by then)."""


class Struck(Struct, frozen=True):
    """The correction that strikes an event, and the event."""

    correction: Corrected
    event: Event


def amendments(log: LogReader, table: str, hand: int) -> list[Amended]:
    """What people put right about a hand, in order."""
    notes = (stored.record for stored in log.records(Part(table=table, stream=Stream.NOTE)))
    return [note for note in notes if isinstance(note, Amended) and note.hand == hand]


def events_of(log: LogReader, table: str, hand: int) -> Iterator[Event]:
    """The events of a hand in order of knowledge, as they were told. Raises `LogError`."""
    for stored in log.records(Part(table=table, hand=hand, stream=Stream.EVENT)):
        if stored.record is None:
            raise LogError(str(log.place), f"{table}, hand {hand}, was purged")
        if not isinstance(stored.record, Alert | Note):
            yield stored.record


def heard_in(log: LogReader, table: str, hand: int) -> Iterator[Event]:
    """What the rules heard of a hand: its events, and the passing of time, which no event tells, up to the next hand.

    Alerts tell when they were raised; where no hand follows, a minute passes after the last event.
    """
    until_s, last = 0.0, 0
    for stored in log.records(Part(table=table, hand=hand)):
        match stored.record:
            case None:
                raise LogError(str(log.place), f"{table}, hand {hand}, was purged")
            case Alert(raised_at=raised_s):
                until_s = max(until_s, raised_s)
                yield Tick(at=until_s, table=table)
            case Note():
                pass
            case event:
                until_s, last = max(until_s, event.known), max(last, event.seq)
                yield event
    following = log.records(Part(table=table, hand=hand + 1, stream=Stream.EVENT))
    first = next((each.record for each in following if isinstance(each.record, HandStarted | NewHand)), None)
    for number, note in enumerate(amendments(log, table, hand), 1):
        yield replace(note.event, seq=last + number)
    if until_s > 0.0:
        at_s = until_s + AFTERWARDS_S if first is None else max(until_s, min(first.known, until_s + AFTERWARDS_S))
        yield Tick(at=at_s, table=table)


def swap(log: LogReader, table: str, hand: int, one: Seat, other: Seat) -> SeatsSwapped:
    """That two whole racks were taken for each other's, in all of a hand."""
    told = list(events_of(log, table, hand))
    if not told:
        raise LogError(str(log.place), f"holds no hand {hand} of {table}")
    begun = [event.at for event in told if isinstance(event, PlayStarted | Dealt | HandStarted | NewHand)]
    return SeatsSwapped(at=max(begun, default=told[0].at), table=table, seat=one, other=other)


def strike(log: LogReader, table: str, hand: int, seq: int) -> Struck:
    """That the event numbered `seq` never happened."""
    for event in events_of(log, table, hand):
        if event.seq == seq and not isinstance(event, Corrected):
            return Struck(Corrected(at=event.at, table=table, seat=event.seat, replaces=seq, struck=True), event)
    raise LogError(str(log.place), f"{table}, hand {hand}, has no event numbered {seq}")


async def write_notes(place: LogPlace, version: str, notes: Sequence[Note]) -> None:
    """Append notes to a log that no monitor writes to just now. Raises `LogError`, `LogInUseError`."""
    for why in filter(None, map(refusal, notes)):
        raise LogError(str(place), f"the note could not be read back ({why}): nothing was written")
    async with EventLog.writing(place, version) as log:
        for note in notes:
            await log.append(note.table, [note])
