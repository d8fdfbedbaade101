"""Who may see what of an event or an alert (contract: the specification of outputs, *Audience*).

Owns the lists and the blanking. Refuses to know screens and topics: they all ask here. Stands between the log, which
holds everything, and whatever leaves the process.

Public is what happened in the open: phase, turn, window, calls. A public record keeps only keys that are named here,
so a key added to an event later is the director's until somebody decides otherwise. Tile identities leave the log for
nobody. Practice mode lets the table see counts and count alerts as well; count monitoring switched off hides them from
the director too.
"""

from collections import OrderedDict
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from monitor.alerts import PUBLIC_RULES, Alert, Fact, Rule, What
from monitor.events import (
    IDENTITY_KEYS,
    Called,
    CallWithdrawn,
    Corrected,
    CountChanged,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    DirectorCalled,
    Discarded,
    EastIs,
    Event,
    Exposed,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    NewHand,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Returned,
    SeatsSwapped,
    ThrownIn,
    Tick,
    WindowClosed,
    WindowOpened,
    without_identities,
)

PUBLIC_EVENTS: tuple[type, ...] = (
    HandStarted,
    Dealt,
    PlayStarted,
    Picked,
    Named,
    Racked,
    Discarded,
    WindowOpened,
    WindowClosed,
    Called,
    CallWithdrawn,
    Exposed,
    JokerExchanged,
    Returned,
    Declared,
    DeclarationWithdrawn,
    Dead,
    SeatsSwapped,
    ThrownIn,
    HandEnded,
    EastIs,
    NewHand,
)
"""Kinds that everybody at the table sees happen."""

DIRECTOR_EVENTS: tuple[type, ...] = (CountChanged, Passed, DirectorCalled, Corrected, Tick)
"""Kinds that are the director's alone; a correction is public where what it corrects was."""

PUBLIC_KEYS = frozenset(
    {"at", "seq", "table", "seat", "earliest", "latest", "seen_at", "confidence"}
    | {"east", "cause", "via", "claim", "discard_by", "by", "other", "how"}
    | {"replaces", "struck", "new_kind"}
)
"""Keys that a public event keeps; numbers of tiles and identities are not among them."""

PUBLIC_ALERT_KEYS = frozenset(
    {"id", "rule", "at", "raised_at", "article", "authority", "level", "message", "state", "seq", "table", "seat"}
    | {"earliest", "latest", "confidence", "verdict", "rests_on"}
)
"""Keys that a public alert keeps."""

COUNT_RULES = frozenset({Rule.MISSING_TILE, Rule.REDEAL, Rule.WRONG_COUNT})
"""Alerts that tell a number of tiles on a rack."""


_R = TypeVar("_R", bound=Struct)
_K = TypeVar("_K")
_V = TypeVar("_V")
REMEMBERED = 1000
"""Our choice: more than a hand has; what is older than that is not corrected in public."""


class Audience(Struct, frozen=True):
    """What one table's club or event has decided."""

    practice: bool = False
    count_monitoring: bool = True


def tells_count(event: Event) -> bool:
    """Whether an event tells a number of tiles on a rack: such a number, or what corrects or makes one."""
    if isinstance(event, Corrected):
        return event.new_kind == _COUNT_TAG or event.count is not msgspec.UNSET or event.zone is not None
    return isinstance(event, CountChanged)


class DirectorsRecords:
    """Picks what the director may see of a table's records: where counts are not monitored, nothing that tells one.

    A number is never shown, nor any correction of it, whatever it turned into. What was shown and turns into a number
    is told as never having happened. Otherwise only identities are taken away.
    """

    def __init__(self, audience: Audience, *, identities: bool = False) -> None:
        """`audience`: the table's. `identities`: which tile it was is kept, for whoever asked for it."""
        self._counted = audience.count_monitoring
        self._identities = identities
        self._is_count: OrderedDict[int, bool] = OrderedDict()

    def event(self, event: Event) -> Event | None:
        """The event as the director may see it."""
        shown = event if self._counted else self._without_count(event)
        return shown if shown is None or self._identities else without_identities(shown)

    def alert(self, alert: Alert) -> Alert | None:
        """The alert as the director may see it."""
        if self._counted:
            return alert
        if alert.rule in COUNT_RULES:
            return None
        facts = tuple(_uncounted(fact) if fact.what is What.RESTED else fact for fact in alert.facts)
        return msgspec.structs.replace(alert, facts=facts)

    def _without_count(self, event: Event) -> Event | None:
        if not isinstance(event, Corrected):
            hidden = isinstance(event, CountChanged)
            _remember(self._is_count, event.seq, hidden)
            return None if hidden else event
        was_count = self._is_count.get(event.replaces)
        becomes_count = event.new_kind == _COUNT_TAG
        hidden = was_count if was_count is not None else tells_count(event)
        _remember(self._is_count, event.seq, hidden or becomes_count)
        if hidden:
            return None
        if becomes_count:
            return _struck(event)
        return msgspec.structs.replace(event, count=msgspec.UNSET, zone=None)


def _uncounted(fact: Fact) -> Fact:
    return msgspec.structs.replace(fact, count=None)


def _struck(event: Corrected) -> Corrected:
    return Corrected(
        at=event.at, seq=event.seq, table=event.table, seen_at=event.seen_at, replaces=event.replaces, struck=True
    )


class PublicRecords:
    """Picks a table's public records and numbers them by themselves: a gap would tell that something was kept back.

    Events and alert lines count from 1 at each start, a correction names the public number of what it corrects, and an
    alert has a public id. In practice mode nothing is kept back and numbers and ids are the log's.
    """

    def __init__(self, audience: Audience) -> None:
        """`audience`: the table's."""
        self._open = audience.practice and audience.count_monitoring
        self._events: OrderedDict[int, int] = OrderedDict()
        self._event_count = 0
        self._alerts: OrderedDict[str, str] = OrderedDict()
        self._alert_count = 0

    def event(self, event: Event) -> Event | None:
        """The event as the public may see it."""
        if isinstance(event, Corrected):
            if event.replaces not in self._events or not (event.new_kind is None or event.new_kind in _PUBLIC_TAGS):
                return None
        elif not isinstance(event, (*PUBLIC_EVENTS, CountChanged) if self._open else PUBLIC_EVENTS):
            return None
        self._event_count += 1
        _remember(self._events, event.seq, self._event_count)
        if self._open:
            return without_identities(event)
        shown = _only(event, PUBLIC_KEYS)
        if isinstance(shown, Corrected):
            shown = msgspec.structs.replace(shown, replaces=self._events[shown.replaces])
        return msgspec.structs.replace(shown, seq=self._event_count)

    def alert(self, alert: Alert) -> Alert | None:
        """The alert as the public may see it."""
        if self._open and alert.rule in COUNT_RULES:
            return alert
        if alert.rule not in PUBLIC_RULES:
            return None
        shown = _only(alert, PUBLIC_ALERT_KEYS)
        if self._open:
            return shown
        self._alert_count += 1
        if alert.id not in self._alerts:
            _remember(self._alerts, alert.id, f"{alert.table}-{alert.rule}-{self._alert_count}")
        return msgspec.structs.replace(shown, seq=self._alert_count, id=self._alerts[alert.id])


def _remember(numbers: "OrderedDict[_K, _V]", key: "_K", value: "_V") -> None:
    numbers[key] = value
    if len(numbers) > REMEMBERED:
        numbers.popitem(last=False)


def public_health(alert: Alert) -> Alert | None:
    """A sensor's fault as the public page may show it: that there is one and where, not what it measured."""
    if alert.rule is not Rule.SENSOR_FAULT:
        return None
    return msgspec.structs.replace(_only(alert, PUBLIC_ALERT_KEYS), message="A sensor needs attention.")


def _only(record: _R, keys: frozenset[str]) -> _R:
    """The same record with every key at its default that is not in `keys`."""
    blank = {
        field.name: field.default
        for field in fields(record)
        if field.name not in keys and getattr(record, field.name) != field.default
    }
    return msgspec.structs.replace(record, **blank) if blank else record


_COUNT_TAG = str(CountChanged.__struct_config__.tag)
_PUBLIC_TAGS = frozenset(str(kind.__struct_config__.tag) for kind in PUBLIC_EVENTS)  # type: ignore[attr-defined]
assert not PUBLIC_KEYS & IDENTITY_KEYS
