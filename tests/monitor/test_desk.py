import pytest
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.audience import Audience
from monitor.desk import Desk, Outlets
from monitor.events import CountChanged, Discarded, Event, Racked, Seat
from monitor.log.notes import Amended, Purged
from monitor.log.scribe import Logged
from monitor.view import TableFold, TableView


class Seen:
    def __init__(self) -> None:
        self.director: list[Event | Alert] = []
        self.public: list[Event | Alert] = []
        self.director_views: list[TableView] = []
        self.public_views: list[TableView] = []
        self.notices: list[str | None] = []
        self.outlets = Outlets(
            directors_record=lambda _, record: self.director.append(record),
            public_record=lambda _, record: self.public.append(record),
            directors_view=self.director_views.append,
            public_view=self.public_views.append,
            notice=lambda _, text: self.notices.append(text),
        )


def alert(rule: Rule) -> Alert:
    return Alert(
        id=rule.value,
        rule=rule,
        at=3.0,
        raised_at=3.0,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="South has 14 tiles.",
        state=AlertState.RAISED,
        seat=Seat.SOUTH,
    )


def test_everybody_is_shown_an_empty_table_at_once() -> None:
    seen = Seen()
    Desk({"T1": Audience(), "T2": Audience()}, seen.outlets)
    assert [view.table for view in seen.director_views] == ["T1", "T2"]
    assert [view.table for view in seen.public_views] == ["T1", "T2"]


def test_a_group_goes_to_each_as_they_may_see_it() -> None:
    seen = Seen()
    desk = Desk({"T1": Audience(), "T2": Audience()}, seen.outlets)
    count = CountChanged(at=1.0, seq=1, seat=Seat.SOUTH, count=14)
    racked = Racked(at=2.0, seq=2, seat=Seat.SOUTH, uid="SECRET")
    records: list[Event | Alert] = [count, racked, alert(Rule.WRONG_COUNT), alert(Rule.SENSOR_FAULT)]
    desk.take([Logged(seq, "T1", 3, record) for seq, record in enumerate(records, 1)])
    bare = Racked(at=2.0, seq=2, seat=Seat.SOUTH)
    assert seen.director == [count, bare, alert(Rule.WRONG_COUNT), alert(Rule.SENSOR_FAULT)]
    assert seen.public == [replace(bare, seq=1)]
    director, public = seen.director_views[-1], seen.public_views[-1]
    assert len(seen.director_views) == 3
    assert director.counts[1].total == 14
    assert [one.rule for one in director.alerts] == [Rule.WRONG_COUNT]
    assert (public.counts, public.alerts) == ((), ())
    assert [one.message for one in public.health] == ["A sensor needs attention."]
    assert public.turn is Seat.SOUTH


def test_notes_about_the_log_are_shown_to_nobody() -> None:
    seen = Seen()
    desk = Desk({"T1": Audience()}, seen.outlets)
    event = Racked(at=2.0, seq=2, seat=Seat.SOUTH)
    purged = Purged(author="rackwatch", reason="old", through=7, records=7, before_utc_us=9)
    amended = Amended(author="Ada", reason="missed", event=event, hand=1, table="T1")
    desk.take([Logged(1, "", 0, purged), Logged(2, "T1", 1, amended)])
    assert (seen.director, seen.public, seen.notices) == ([], [], [])
    assert len(seen.director_views) == 1


def test_tables_do_not_mix() -> None:
    seen = Seen()
    desk = Desk({"T1": Audience(), "T2": Audience()}, seen.outlets)
    desk.take([Logged(1, "T2", 0, Discarded(at=1.0, seq=1, seat=Seat.EAST))])
    assert [view.turn for view in seen.public_views] == [None, None, Seat.SOUTH]


def test_a_view_that_fails_stops_neither_the_log_nor_the_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen()
    desk = Desk({"T1": Audience(), "T2": Audience()}, seen.outlets)
    whole = TableFold.take_event

    def sick(self: TableFold, event: Event, hand: int) -> None:
        if self.view.table == "T1":
            raise ZeroDivisionError
        whole(self, event, hand)

    monkeypatch.setattr(TableFold, "take_event", sick)
    event = Discarded(at=1.0, seq=1, seat=Seat.EAST)
    desk.take([Logged(1, "T1", 0, event), Logged(2, "T2", 0, event)])
    assert seen.public_views[-1].turn is Seat.SOUTH
    assert "T1: a record could not be shown" in str(seen.notices[-1])
