"""A JSON line that others wrote, as an event: what is wrong with it in a plain sentence, as little lost as can be.

Owns what no single key can tell (a moment outside its bounds, an act of no seat), and what is done about a bad key:
most make a line unusable; a key that the event can do without is left out; a moment that its bounds do not hold widens
them. Whatever is done is told. The shape of events, and what each key may hold, is `events`'s.
line -> **event_lines** -> court.
"""

from typing import Final, get_args

import msgspec
from msgspec import Raw, Struct

from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Corrected,
    CountChanged,
    Dead,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    EastIs,
    Event,
    Exposed,
    JokerExchanged,
    Named,
    Passed,
    Picked,
    Racked,
    Recorded,
    Returned,
    SeatsSwapped,
    Tick,
    WindowClosed,
    WindowOpened,
    parse_event,
)
from monitor.foreign_text import UNREADABLE, Complaint, complaint_about_json, suggestion

OF_A_SEAT: Final[frozenset[type[Recorded]]] = frozenset(
    {
        CountChanged,
        Passed,
        Picked,
        Named,
        Racked,
        Discarded,
        Called,
        CallWithdrawn,
        Exposed,
        JokerExchanged,
        Returned,
        Declared,
        DeclarationWithdrawn,
        Dead,
        SeatsSwapped,
        EastIs,
    }
)
"""Kinds that tell nothing without the seat they are about. The others may concern the whole table."""

_KINDS: Final = {str(kind.__struct_config__.tag): kind for kind in get_args(Event)}
_SEATED_KINDS: Final = frozenset(name for name, kind in _KINDS.items() if kind in OF_A_SEAT or kind is Corrected)
_CORRECTED_KINDS: Final = tuple(
    name for name, kind in _KINDS.items() if kind not in {Corrected, Tick, WindowOpened, WindowClosed}
)
"""What an event may prove to have been."""

LEFT_OUT: Final = frozenset(
    {
        *("via", "for", "discard_by", "owners", "to", "east", "by", "how", "cause"),
        *("reason", "uid", "uids", "face"),
    }
)
"""Keys that an event can do without: losing a call is worse than not knowing what for. Of the others a default would
say something else than the line (`zone`), or the event tells nothing without them."""

_CHAIRS: Final = ", ".join(SEATS)


class ReadEvent(Struct, frozen=True):
    """An event, and in a sentence each what had to be done to its line before it could be used."""

    event: Event
    done: tuple[str, ...] = ()


def read_event(line: bytes | str) -> ReadEvent | str:
    """The event that a JSON line holds, or why it holds none that can be used."""
    try:
        event = parse_event(line)
    except msgspec.ValidationError as error:
        return _without_bad_keys(line, error)
    except UNREADABLE as error:
        return _with_example(complaint_about_json(error, line, Event), line)
    return _usable(event, ())


def _without_bad_keys(line: bytes | str, error: msgspec.ValidationError) -> ReadEvent | str:
    """The event without the keys that it can do without, if they are all that is wrong."""
    done: tuple[str, ...] = ()
    complaint = complaint_about_json(error, line, Event)
    while (key := _dispensable(complaint)) is not None:
        values = msgspec.json.decode(line, type=dict[str, Raw])
        if key == "seat" and msgspec.json.decode(values["kind"]) in _SEATED_KINDS:
            break
        done = (*done, f"{complaint} (left out)")
        line = msgspec.json.encode({name: value for name, value in values.items() if name != key})
        try:
            return _usable(parse_event(line), done)
        except msgspec.ValidationError as another:
            complaint = complaint_about_json(another, line, Event)
    return _with_example(complaint, line)


def _dispensable(complaint: Complaint) -> str | None:
    """The key that the event might do without."""
    key = complaint.where[0] if complaint.where else None
    return key if isinstance(key, str) and (key in LEFT_OUT or key == "seat") else None


def _with_example(complaint: Complaint, line: bytes | str) -> str:
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    if complaint.where or text.lstrip().startswith("{"):
        return str(complaint)
    return f'{complaint}. An event is a line such as {{"kind":"tick","at":1.5}}'


def _usable(event: Event, done: tuple[str, ...]) -> ReadEvent | str:
    """The event, mended where that loses nothing, or what no single key could tell of it."""
    return contradiction(event) or _mended(event, done)


def contradiction(event: Event) -> str:
    """What makes the event tell nothing, in a sentence; empty where it tells something."""
    if event.seat is None and type(event) in OF_A_SEAT:
        kind = type(event).__struct_config__.tag
        return f"seat: is missing, and {kind} says nothing without it. It must be one of {_CHAIRS}"
    if event.earliest is not None and event.latest is not None and event.earliest > event.latest:
        return f"earliest: {event.earliest} is after latest, {event.latest}. at must lie between the two"
    match event:
        case SeatsSwapped(other=None):
            return f"with: is missing, and seats_swapped says nothing without it. It must be one of {_CHAIRS}"
        case SeatsSwapped(seat=seat, other=other) if seat is other:
            return f"with: must be another seat than the one it is swapped with, not {other}"
        case Passed(seat=seat, to=to) if seat is to:
            return f"to: must be another seat than the one that passes, not {to}"
        case Corrected(new_kind=str(kind)) if kind in _KINDS and kind not in _CORRECTED_KINDS:
            return f"new_kind: {kind} is nothing that an event can prove to have been"
        case Corrected(new_kind=str(kind)) if kind not in _KINDS:
            return f"new_kind: {kind!r} is not known. {suggestion(kind, list(_CORRECTED_KINDS))}"
        case _:
            return ""


def _mended(event: Event, done: tuple[str, ...]) -> ReadEvent:
    """The event with bounds that hold its moment, known no earlier than it happened."""
    at = event.at
    if event.low > at or event.high < at:
        bounds = " and ".join(f"{name} {value}" for name, value in _bounds(event))
        done = (*done, f"at: {at} is not within its bounds, {bounds} (they were widened to hold it)")
        event = msgspec.structs.replace(
            event,
            earliest=None if event.earliest is None else min(event.earliest, at),
            latest=None if event.latest is None else max(event.latest, at),
        )
    if event.known < at:
        done = (*done, f"seen_at: {event.seen_at} is before at, {at} (taken as known at once)")
        event = msgspec.structs.replace(event, seen_at=at)
    return ReadEvent(event, done)


def _bounds(event: Event) -> tuple[tuple[str, float], ...]:
    bounds = (("earliest", event.earliest), ("latest", event.latest))
    return tuple((name, value) for name, value in bounds if value is not None)
