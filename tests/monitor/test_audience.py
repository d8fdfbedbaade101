"""Nothing that a viewer may not see, in any byte that leaves."""

from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from monitor.alerts import PUBLIC_RULES, Alert, AlertState, Authority, Level, Rule
from monitor.audience import (
    COUNT_RULES,
    DIRECTOR_EVENTS,
    PUBLIC_EVENTS,
    REMEMBERED,
    Audience,
    DirectorsRecords,
    PublicRecords,
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
    public = PublicRecords(audience)
    public.event(full(Discarded))
    assert "SECRET" not in text(DirectorsRecords(audience).event(full(kind)))
    assert "SECRET" not in text(public.event(full(kind)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_public_gets_no_number_of_tiles(kind: Any) -> None:
    public = PublicRecords(CLOSED)
    public.event(full(Discarded))
    assert "97" not in text(public.event(full(kind)))


@pytest.mark.parametrize("rule", Rule)
def test_the_public_gets_four_rules_and_of_sensors_only_that_one_ails(rule: Rule) -> None:
    shown = PublicRecords(CLOSED).alert(alert(rule))
    assert (shown is not None) == (rule in PUBLIC_RULES)
    assert "97" not in text(shown)
    health = public_health(alert(rule))
    assert (health is not None) == (rule is Rule.SENSOR_FAULT)
    assert "97" not in text(health)


@pytest.mark.parametrize("rule", sorted(COUNT_RULES))
def test_practice_shows_counts_and_count_alerts_at_the_table(rule: Rule) -> None:
    assert PublicRecords(PRACTICE).alert(alert(rule)) == alert(rule)
    assert PublicRecords(PRACTICE).event(full(CountChanged)) == full(CountChanged)


@pytest.mark.parametrize("rule", sorted(COUNT_RULES))
def test_without_count_monitoring_nobody_gets_a_count(rule: Rule) -> None:
    off = Audience(practice=True, count_monitoring=False)
    assert DirectorsRecords(off).alert(alert(rule)) is None
    assert PublicRecords(off).alert(alert(rule)) is None
    assert DirectorsRecords(off).event(full(CountChanged)) is None
    assert PublicRecords(off).event(full(CountChanged)) is None


def test_a_correction_is_public_where_what_it_corrects_was() -> None:
    public = PublicRecords(CLOSED)
    assert public.event(Passed(at=1.0, seq=1)) is None
    assert public.event(Racked(at=2.0, seq=2)) is not None
    assert public.event(Corrected(at=1.0, seq=3, replaces=1, struck=True)) is None
    first = public.event(Corrected(at=2.1, seq=4, replaces=2, count=97, n=97, uid="SECRET"))
    assert first == Corrected(at=2.1, seq=2, replaces=1)
    assert public.event(Corrected(at=2.2, seq=5, replaces=4, struck=True)) is not None
    assert public.event(Corrected(at=2.2, seq=6, replaces=2, new_kind="count_changed")) is None


def test_what_is_kept_back_leaves_no_gap_in_what_the_public_gets() -> None:
    """Neither in the numbers of events and alert lines nor in the ids of alerts."""

    def told(*, hidden: bool) -> list[Event | Alert | None]:
        public, seq, shown = PublicRecords(CLOSED), 0, list[Event | Alert | None]()
        for number in range(3):
            if hidden:
                seq += 1
                assert public.event(CountChanged(at=1.0, seq=seq, seat=Seat.SOUTH, count=97)) is None
                assert public.alert(replace(alert(Rule.WRONG_COUNT), seq=seq)) is None
            seq += 1
            late = replace(alert(Rule.LATE_CALL), id=f"T1-1-late_call-west-{seq}", seq=seq)
            shown.append(public.event(Racked(at=2.0 + number, seq=seq)))
            shown += [public.alert(late), public.alert(replace(late, state=AlertState.WITHDRAWN, seq=seq))]
        return shown

    with_hidden = told(hidden=True)
    assert with_hidden == told(hidden=False)
    assert [one.seq for one in with_hidden if isinstance(one, Racked)] == [1, 2, 3]
    alerts = [one for one in with_hidden if isinstance(one, Alert)]
    assert [one.seq for one in alerts] == [1, 2, 3, 4, 5, 6]
    assert len({one.id for one in alerts}) == 3
    assert all(raised.id == withdrawn.id for raised, withdrawn in zip(alerts[::2], alerts[1::2], strict=True))


def test_what_is_long_past_is_forgotten() -> None:
    public = PublicRecords(CLOSED)
    for seq in range(1, REMEMBERED + 2):
        public.event(Racked(at=2.0, seq=seq))
    assert public.event(Corrected(at=2.0, seq=5000, replaces=1, struck=True)) is None
    assert public.event(Corrected(at=2.0, seq=5001, replaces=3, struck=True)) is not None


def test_the_director_sees_all_but_identities() -> None:
    assert DirectorsRecords(CLOSED).event(full(Exposed)) == Exposed(at=1.0, seq=1, table="T1", seat=Seat.SOUTH, n=97)
    assert DirectorsRecords(CLOSED).alert(alert(Rule.WRONG_COUNT)) == alert(Rule.WRONG_COUNT)
