from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.view import Phase, TableView, Window, WindowState
from monitor.web.order import SETTLE_S, Places, by_name, needs_someone, place

NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,32}", fullmatch=True)


def alert(rule: Rule, raised_at: float = 10.0, state: AlertState = AlertState.RAISED) -> Alert:
    return Alert(
        id=f"{rule}-{raised_at}",
        rule=rule,
        at=raised_at,
        raised_at=raised_at,
        article="107",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="",
        state=state,
    )


QUIET = TableView("T1")
CALLED = replace(QUIET, alerts=(alert(Rule.LATE_CALL),))
FAULTY = replace(QUIET, health=(alert(Rule.SENSOR_FAULT),))


def test_what_needs_someone_is_first_then_the_name() -> None:
    views = [
        replace(CALLED, table="T30"),
        replace(CALLED, table="T9", alerts=(alert(Rule.OUT_OF_TURN, 50.0), alert(Rule.LATE_CALL, 20.0))),
        replace(FAULTY, table="T40"),
        TableView("T2"),
        TableView("T10"),
    ]
    assert sorted([views[k] for k in (3, 0, 4, 2, 1)], key=place) == views
    assert [needs_someone(view) for view in views] == [True, True, True, False, False]


def test_only_what_all_may_know_decides_in_practice_mode_too() -> None:
    told = replace(QUIET, alerts=(alert(Rule.WRONG_COUNT), alert(Rule.LATE_CALL, state=AlertState.WITHDRAWN)))
    assert place(told) == place(QUIET)
    assert not needs_someone(told)


def test_a_window_moves_no_card() -> None:
    for state in WindowState:
        assert place(replace(QUIET, phase=Phase.PLAY, window=Window(state, since=3.0))) == place(QUIET)


@given(st.integers(0, 10**30), st.integers(0, 10**30))
def test_numbers_in_names_count(one: int, other: int) -> None:
    assert (by_name(f"T{one}") < by_name(f"T{other}")) == (one < other)


@given(NAMES, NAMES)
def test_different_names_have_different_places(one: str, other: str) -> None:
    assert (by_name(one) == by_name(other)) == (one == other)


@given(st.lists(st.tuples(st.sampled_from([QUIET, CALLED, FAULTY]), st.floats(0.0, 3.0))))
def test_a_card_comes_forward_at_once_and_goes_back_when_it_has_been_quiet(told: list[tuple[TableView, float]]) -> None:
    places, now_s, quiet_since_s, held = Places(), 0.0, None, None
    for view, passed_s in told:
        now_s += passed_s
        shown, wanted = places.place(view, now_s), place(view)
        assert shown <= wanted
        if held is None or wanted <= held:
            assert shown == wanted
            quiet_since_s = None
        elif quiet_since_s is None:
            assert shown == held
            quiet_since_s = now_s
        elif now_s < quiet_since_s + SETTLE_S:
            assert shown == held
            assert places.due(now_s) == []
        else:
            assert shown == wanted
            quiet_since_s = None
        held = shown


def test_a_card_that_may_go_back_is_told() -> None:
    places = Places()
    places.place(CALLED, 0.0)
    places.place(QUIET, 5.0)
    assert places.due(5.0 + SETTLE_S - 0.1) == []
    assert places.due(5.0 + SETTLE_S) == ["T1"]
    assert places.place(QUIET, 5.0 + SETTLE_S) == place(QUIET)
    assert places.due(1e9) == []
