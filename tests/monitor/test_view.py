import msgspec
from hypothesis import given
from hypothesis import strategies as st

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Closing,
    Corrected,
    CountChanged,
    Dead,
    Dealt,
    Declared,
    Discarded,
    Event,
    Exposed,
    HandEnded,
    HandStarted,
    PlayStarted,
    Racked,
    SeatsSwapped,
    WindowClosed,
    WindowOpened,
    Zone,
)
from monitor.standing import HAND_EVENTS
from monitor.view import (
    ENDED_ALERTS,
    RECENT_EVENTS,
    Doing,
    Phase,
    TableFold,
    TableView,
    Window,
    WindowState,
)

E, S, W, N = SEATS


def folded(events: list[Event], hand: int = 1) -> TableView:
    fold = TableFold("T1")
    for seq, event in enumerate(events, 1):
        fold.take_event(msgspec.structs.replace(event, seq=seq), hand)
    return fold.view


OPENING: list[Event] = [
    HandStarted(at=1.0, east=E),
    Dealt(at=10.0, east=E),
    PlayStarted(at=20.0, seat=E),
    Discarded(at=20.0, seat=E),
    WindowOpened(at=20.0, seat=E),
]


def test_a_hand_from_deal_to_end() -> None:
    assert folded([]).phase is Phase.UNKNOWN
    assert folded(OPENING[:1]).phase is Phase.DEAL
    assert folded(OPENING[:2]).phase is Phase.CHARLESTON
    view = folded(OPENING)
    assert (view.phase, view.east, view.turn, view.doing) == (Phase.PLAY, E, S, Doing.TO_PICK)
    assert view.window == Window(WindowState.OPEN, discarder=E, since=20.0)
    view = folded([*OPENING, Racked(at=22.0, seat=S), WindowClosed(at=22.0, seat=S, cause=Closing.RACKED)])
    assert (view.turn, view.doing) == (S, Doing.RACKED)
    assert view.window == Window(WindowState.CLOSED, E, 22.0, S, Closing.RACKED)
    over = folded([*OPENING, HandEnded(at=30.0)])
    assert (over.phase, over.turn, over.window.state) == (Phase.OVER, None, WindowState.NONE)


def test_a_claim_takes_the_turn_when_it_is_shown() -> None:
    called = folded([*OPENING, Called(at=21.0, seat=N)])
    assert (called.turn, called.caller) == (S, N)
    assert folded([*OPENING, Called(at=21.0, seat=N), CallWithdrawn(at=22.0, seat=N)]).caller is None
    shown = folded([*OPENING, Called(at=21.0, seat=N), Exposed(at=24.0, seat=N, n=3)])
    assert (shown.turn, shown.doing, shown.caller) == (N, Doing.EXPOSED, None)
    assert folded([*OPENING, Exposed(at=24.0, seat=N), Discarded(at=25.0, seat=N)]).turn is E


def test_a_dead_hand_is_skipped() -> None:
    view = folded([*OPENING, Dead(at=21.0, seat=W), Racked(at=22.0, seat=S), Discarded(at=23.0, seat=S)])
    assert (view.dead, view.turn) == ((W,), N)


def test_counts_by_zone() -> None:
    view = folded(
        [
            CountChanged(at=1.0, seat=S, count=13),
            CountChanged(at=1.0, seat=W, zone=Zone.SLOPE, count=10),
            CountChanged(at=1.0, seat=W, zone=Zone.LEDGE, count=3),
            CountChanged(at=2.0, seat=N, count=None, reason="a hand rests on it"),
        ]
    )
    assert [one.total for one in view.counts] == [None, 13, 13, None]
    assert view.counts[3].reason == "a hand rests on it"
    assert view.recent == ()


def test_a_monitor_that_comes_late_shows_play_at_the_first_discard() -> None:
    assert folded([Discarded(at=1.0, seat=W)]).phase is Phase.PLAY


def test_a_new_hand_forgets_the_last_but_keeps_racks_and_standing_alerts() -> None:
    fold = TableFold("T1")
    fold.take_event(CountChanged(at=1.0, seq=1, seat=S, count=13), 0)
    fold.take_alert(alert("a", AlertState.RAISED))
    fold.take_event(Discarded(at=2.0, seq=2, seat=S), 0)
    fold.take_event(HandStarted(at=9.0, seq=3), 1)
    assert (fold.view.hand, fold.view.phase, fold.view.turn) == (1, Phase.DEAL, None)
    assert fold.view.counts[1].total == 13
    assert len(fold.view.alerts) == 1


def alert(name: str, state: AlertState, rule: Rule = Rule.LATE_CALL) -> Alert:
    return Alert(
        id=name,
        rule=rule,
        at=1.0,
        raised_at=1.0,
        article="107",
        authority=Authority.LEAGUE,
        level=Level.NOTICE,
        message="…",
        state=state,
    )


def test_alerts_stand_first_and_ended_ones_fade() -> None:
    fold = TableFold("T1")
    for number in range(ENDED_ALERTS + 3):
        fold.take_alert(alert(f"{number}", AlertState.RAISED))
    for number in range(1, ENDED_ALERTS + 3):
        fold.take_alert(alert(f"{number}", AlertState.RESOLVED))
    names = [one.id for one in fold.view.alerts]
    assert names[0] == "0"
    assert len(names) == 1 + ENDED_ALERTS
    assert names[1] == f"{ENDED_ALERTS + 2}"


def test_sensors_are_health_and_window_notices_are_no_news() -> None:
    fold = TableFold("T1")
    fold.take_alert(alert("s", AlertState.RAISED, Rule.SENSOR_FAULT))
    fold.take_alert(alert("w", AlertState.RAISED, Rule.WINDOW_CLOSED))
    assert [one.id for one in fold.view.health] == ["s"]
    assert fold.view.alerts == ()
    fold.take_alert(alert("s", AlertState.RESOLVED, Rule.SENSOR_FAULT))
    assert fold.view.health == ()


_seats = st.sampled_from(SEATS)
_plays = st.lists(
    st.one_of(
        st.builds(Racked, at=st.integers(0, 50).map(float), seat=_seats),
        st.builds(Discarded, at=st.integers(0, 50).map(float), seat=_seats),
        st.builds(Exposed, at=st.integers(0, 50).map(float), seat=_seats),
        st.builds(CountChanged, at=st.integers(0, 50).map(float), seat=_seats, count=st.integers(0, 16)),
        st.builds(Called, at=st.integers(0, 50).map(float), seat=_seats),
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda event: event.at,
)


@given(_plays)
def test_what_is_known_late_is_read_in_its_place(plays: list[Event]) -> None:
    in_time = folded(sorted(plays, key=lambda event: event.at))
    as_known = folded(plays)
    without_numbers = [msgspec.structs.replace(event, seq=0) for event in as_known.recent]
    assert without_numbers == [msgspec.structs.replace(event, seq=0) for event in in_time.recent]
    assert msgspec.structs.replace(as_known, recent=()) == msgspec.structs.replace(in_time, recent=())


@given(_plays, st.data())
def test_a_corrected_hand_looks_as_if_it_had_been_seen_right_at_once(plays: list[Event], data: st.DataObject) -> None:
    wrong = data.draw(st.integers(0, len(plays) - 1))
    fold = TableFold("T1")
    for seq, event in enumerate(plays, 1):
        fold.take_event(msgspec.structs.replace(event, seq=seq), 0)
    if data.draw(st.booleans()):
        fold.take_event(Corrected(at=0.0, seq=100, replaces=wrong + 1, struck=True), 0)
        right = plays[:wrong] + plays[wrong + 1 :]
    else:
        fold.take_event(Corrected(at=7.5, seq=100, replaces=wrong + 1, seat=N), 0)
        fold.take_event(Corrected(at=8.5, seq=101, replaces=100, new_kind="declared"), 0)
        right = [*plays[:wrong], Declared(at=8.5, seat=N), *plays[wrong + 1 :]]
    seen = msgspec.structs.replace(fold.view, recent=())
    assert seen == msgspec.structs.replace(folded(right, hand=0), recent=())


def test_a_swap_of_racks_moves_what_was_seen_of_them() -> None:
    opened = [*OPENING, CountChanged(at=21.0, seat=S, count=14), Racked(at=22.0, seat=S)]
    view = folded([*opened, SeatsSwapped(at=25.0, seat=S, other=W)])
    assert (view.turn, view.counts[2].total, view.counts[1].total) == (W, 14, None)


def test_a_correction_to_a_kind_from_the_future_changes_nothing() -> None:
    fold = TableFold("T1")
    fold.take_event(Racked(at=2.0, seq=1, seat=S), 0)
    seen = fold.view
    fold.take_event(Corrected(at=3.0, seq=2, replaces=1, new_kind="dreamt"), 0)
    assert fold.view == seen


def test_what_is_kept_is_bounded() -> None:
    fold = TableFold("T1")
    for seq in range(1, HAND_EVENTS + 50):
        fold.take_event(Racked(at=float(seq), seq=seq, seat=S), 0)
    assert len(fold._events) == HAND_EVENTS
    assert len(fold.view.recent) == RECENT_EVENTS
    fold.take_event(Corrected(at=1.0, seq=9_999, replaces=HAND_EVENTS, struck=True), 0)
    assert fold.view.turn is S


def test_how_sure_a_count_is_and_where_its_tiles_lie() -> None:
    counted: list[Event] = [
        CountChanged(at=1.0, seat=S, count=14, confidence=0.4),
        CountChanged(at=1.0, seat=S, zone=Zone.SLOPE, count=11),
        CountChanged(at=1.0, seat=S, zone=Zone.LEDGE, count=4),
    ]
    south = folded(counted).counts[1]
    assert (south.confidence, south.total, south.placed) == (0.4, 14, (10, 4))
    south = folded([*counted, CountChanged(at=2.0, seat=S, count=13)]).counts[1]
    assert (south.confidence, south.placed) == (None, (9, 4))
    south = folded([*counted, CountChanged(at=2.0, seat=S, count=None, reason="silent", confidence=0.4)]).counts[1]
    assert (south.confidence, south.reason) == (None, "silent")
