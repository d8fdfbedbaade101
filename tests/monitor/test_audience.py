"""Nothing that a viewer may not see, in any byte that leaves."""

from typing import Any, get_args

import msgspec
import pytest

from monitor.alerts import PUBLIC_RULES, Alert, AlertState, Authority, Level, Rule
from monitor.audience import (
    COUNT_RULES,
    DIRECTOR_EVENTS,
    PUBLIC_EVENTS,
    Audience,
    PublicEvents,
    directors_alert,
    directors_event,
    public_alert,
    public_health,
)
from monitor.events import Corrected, CountChanged, Discarded, Event, Exposed, Passed, Racked, Seat

KINDS: tuple[Any, ...] = get_args(Event)
IDENTITIES = {"uid": "SECRET-UID", "uids": ("SECRET-UID",), "face": "SECRET-FACE"}
NUMBERS = {"count": 97, "previous": 97, "n": 97}
CLOSED = Audience()
PRACTICE = Audience(practice=True)


def full(kind: Any, **more: object) -> Event:
    """An event of a kind with every secret that its shape can hold."""
    names = {field.name for field in msgspec.structs.fields(kind)}
    keys = {key: value for key, value in (IDENTITIES | NUMBERS | {"replaces": 1}).items() if key in names}
    event: Event = kind(**{"at": 1.0, "seq": 1, "table": "T1", "seat": Seat.SOUTH, **keys, **more})
    return event


def alert(rule: Rule) -> Alert:
    return Alert(
        id="a",
        rule=rule,
        at=1.0,
        raised_at=2.0,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.NOTICE,
        message="secret 97" if rule not in PUBLIC_RULES else "West called.",
        state=AlertState.RAISED,
        seat=Seat.WEST,
        expected=97,
        count=97,
    )


def text(record: object) -> str:
    return msgspec.json.encode(record).decode()


def test_every_kind_has_an_audience() -> None:
    assert set(PUBLIC_EVENTS) | set(DIRECTOR_EVENTS) == set(KINDS)
    assert not set(PUBLIC_EVENTS) & set(DIRECTOR_EVENTS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("audience", [CLOSED, PRACTICE, Audience(count_monitoring=False)])
def test_identities_leave_the_log_for_nobody(kind: Any, audience: Audience) -> None:
    public = PublicEvents(audience)
    public.take(full(Discarded))
    assert "SECRET" not in text(directors_event(full(kind), audience))
    assert "SECRET" not in text(public.take(full(kind)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_public_gets_no_number_of_tiles(kind: Any) -> None:
    public = PublicEvents(CLOSED)
    public.take(full(Discarded))
    assert "97" not in text(public.take(full(kind)))


@pytest.mark.parametrize("rule", Rule)
def test_the_public_gets_four_rules_and_of_sensors_only_that_one_ails(rule: Rule) -> None:
    shown = public_alert(alert(rule), CLOSED)
    assert (shown is not None) == (rule in PUBLIC_RULES)
    assert "97" not in text(shown)
    health = public_health(alert(rule))
    assert (health is not None) == (rule is Rule.SENSOR_FAULT)
    assert "97" not in text(health)


@pytest.mark.parametrize("rule", sorted(COUNT_RULES))
def test_practice_shows_counts_and_count_alerts_at_the_table(rule: Rule) -> None:
    assert public_alert(alert(rule), PRACTICE) == alert(rule)
    assert PublicEvents(PRACTICE).take(full(CountChanged)) == full(CountChanged)


@pytest.mark.parametrize("rule", sorted(COUNT_RULES))
def test_without_count_monitoring_nobody_gets_a_count(rule: Rule) -> None:
    off = Audience(practice=True, count_monitoring=False)
    assert directors_alert(alert(rule), off) is None
    assert public_alert(alert(rule), off) is None
    assert directors_event(full(CountChanged), off) is None
    assert PublicEvents(off).take(full(CountChanged)) is None


def test_a_correction_is_public_where_what_it_corrects_was() -> None:
    public = PublicEvents(CLOSED)
    assert public.take(Passed(at=1.0, seq=1)) is None
    assert public.take(Racked(at=2.0, seq=2)) is not None
    assert public.take(Corrected(at=1.0, seq=3, replaces=1, struck=True)) is None
    first = public.take(Corrected(at=2.1, seq=4, replaces=2, count=97, n=97, uid="SECRET"))
    assert first == Corrected(at=2.1, seq=4, replaces=2)
    assert public.take(Corrected(at=2.2, seq=5, replaces=4, struck=True)) is not None
    assert public.take(Corrected(at=2.2, seq=6, replaces=2, new_kind="count_changed")) is None


def test_the_director_sees_all_but_identities() -> None:
    assert directors_event(full(Exposed), CLOSED) == Exposed(at=1.0, seq=1, table="T1", seat=Seat.SOUTH, n=97)
    assert directors_alert(alert(Rule.WRONG_COUNT), CLOSED) == alert(Rule.WRONG_COUNT)
