from io import StringIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from hw.observations import NO_REST
from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.cli._looks import PLAIN_SIGNS, Looks
from monitor.cli._screen import screen
from monitor.cli._words import recording_time, sureness
from monitor.events import SEATS, Closing, CountChanged, Discarded, Racked, Seat
from monitor.playback import Player, Shown
from monitor.timeline import Timeline, TimelineBuilder, Told
from monitor.view import Counts, Doing, Phase, TableView, Window, WindowState

E, S, W, N = SEATS


def an_alert(state: AlertState = AlertState.RAISED, number: int = 1) -> Alert:
    return Alert(
        id=f"T1-{number}",
        rule=Rule.WRONG_COUNT,
        at=60.0,
        raised_at=61.0 + number,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="South has 14 tiles in or on its rack after its discard, where 13 belong. " * number,
        state=state,
        seat=S,
    )


BUSY = TableView(
    "T1",
    hand=3,
    phase=Phase.PLAY,
    east=W,
    turn=N,
    doing=Doing.PICKED,
    window=Window(WindowState.OPEN, discarder=W, since=70.0),
    caller=E,
    dead=(E,),
    counts=(
        Counts(E, rack=13, slope=10, ledge=3),
        Counts(S, rack=14, confidence=0.4),
        Counts(W, reason=NO_REST),
        Counts(N, reason="silent"),
    ),
    alerts=(an_alert(number=2), an_alert(AlertState.WITHDRAWN)),
    recent=(Discarded(at=70.0, seat=W), Racked(at=68.0, seat=W, confidence=0.75)),
)
LINE = Timeline("T1", 0.0, 120.0, (), (61.0,), TableView("T1"))


def text(view: TableView, width: int, height: int = 24, at_s: float = 75.0, **keys: object) -> str:
    player = Player(LINE, 4.0)
    player.seek(at_s)
    shown = msgspec.structs.replace(player.shown, view=view)
    return drawn(shown, width, height, **keys)


def drawn(shown: Shown, width: int, height: int = 24, **keys: object) -> str:
    console = Console(width=width, height=height, color_system=None, record=True, file=StringIO())
    looks = msgspec.structs.replace(Looks(width, height, recording_time, "hand.jsonl.gz"), **keys)
    console.print(screen(shown, looks))
    return console.export_text()


def test_a_busy_moment_at_80_columns() -> None:
    shown = text(BUSY, 80)
    for words in (
        "T1 · hand 3 · hand.jsonl.gz",
        "▶ 4 ×",
        "Phase    Play",
        "Turn     North has picked",
        "open on West's discard since 1:10.0 (5 s), East calls",
        "East     13  10 + 3  ■■■■■■■■■■ ▣▣▣",
        "sure  dead",
        "unsure (40%)  ▲ ruling due",
        "West  E   ?  in motion",
        "▸ North     ?  not known: silent",
        "RULING DUE  Wrong number of tiles · South · Article 205",
        "withdrawn: Wrong number of tiles · South",
        "1:10.0  West discarded",
        "1:08.0  West racked, likely (75%)",
        "Sensors in order",
        "1:15.0 of 2:00.0",
        "space pause",
        "q quit",
    ):
        assert words in shown, words


def test_a_busy_moment_at_40_columns() -> None:
    shown = text(BUSY, 40)
    for words in (
        "T1 · hand 3",
        "Turn   North has picked",
        "open on West's discard",
        "since 1:10.0 (5 s), East calls",
        "East     13  10 + 3   sure  dead",
        "14           unsure (40%)  ▲",
        "in motion",
        "RULING DUE",
        "Wrong number of tiles · South",
        "1:10.0  West discarded",
        "1:15.0 of 2:00.0",
        "space pause",
        "q quit",
    ):
        assert words in shown, words


@pytest.mark.parametrize(
    ("window", "says"),
    [
        (Window(), "Window   no discard yet"),
        (Window(WindowState.CLOSED, W, 71.0, N, Closing.RACKED), "closed on West's discard: North racked at 1:11.0"),
        (Window(WindowState.CLAIMED, W, 71.0, E, Closing.CLAIMED), "closed on West's discard: East claimed it"),
        (Window(WindowState.CLOSED), "Window   closed: closed it"),
    ],
)
def test_the_window(window: Window, says: str) -> None:
    assert says in text(TableView("T1", window=window), 80)


@given(width=st.integers(20, 200), height=st.integers(10, 60), number=st.integers(0, 9), plain=st.booleans())
def test_a_screen_is_as_large_as_asked_for(width: int, height: int, number: int, plain: bool) -> None:
    view = msgspec.structs.replace(BUSY, alerts=tuple(an_alert(number=one) for one in range(1, number + 1)))
    shown = text(view, width, max(height, 14), **({"signs": PLAIN_SIGNS} if plain else {}))
    lines = shown.splitlines()
    assert len(lines) == max(height, 14)
    assert max(map(len, lines)) <= width
    if plain:
        assert shown.replace("±", "").replace("…", "").isascii()


def test_alerts_that_do_not_fit_are_counted() -> None:
    view = msgspec.structs.replace(BUSY, alerts=tuple(an_alert(number=one) for one in range(9, 0, -1)))
    assert "and 8 more" in text(view, 80)
    assert "West discarded" in text(view, 80)
    assert "more" not in text(view, 80, height=70)


def test_nothing_in_a_record_reaches_the_terminal_as_a_command() -> None:
    view = TableView("T1\x1b[2J", recent=(Racked(at=1.0, seat=E),), counts=(Counts(E, reason="\x1b]0;x\x07"),))
    shown = text(view, 80)
    assert "\x1b" not in shown
    assert "\x07" not in shown


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("identities", [False, True])
def test_no_identity_unless_asked_for(width: int, identities: bool) -> None:
    builder = TimelineBuilder("T1", identities=identities)
    builder.take(Told(1.0, 1, Racked(at=1.0, seat=S, uid="SECRET1")))
    builder.take(Told(2.0, 1, Discarded(at=2.0, seat=S, uid="SECRET2", face="SECRET3")))
    builder.take(Told(3.0, 1, CountChanged(at=3.0, seat=S, count=13)))
    player = Player(builder.finish(0.0, 10.0))
    player.end()
    shown = drawn(player.shown, width)
    assert ("SECRET1" in shown, "SECRET3" in shown) == (identities, identities)
    assert "South discarded" in shown


def test_paused_and_at_the_end() -> None:
    player = Player(LINE, 0.25)
    player.pause()
    assert "‖ paused, 0.25 ×" in drawn(player.shown, 80)
    player.end()
    assert "the end" in drawn(player.shown, 80)
    assert "4 later records do not fit" in drawn(Player(msgspec.structs.replace(LINE, left_out=4)).shown, 80)


def test_moments_and_doubts_in_words() -> None:
    assert [recording_time(at_s) for at_s in (0.0, 59.96, 61.25, 3723.0, -0.01, -2.0)] == [
        "0:00.0",
        "1:00.0",
        "1:01.2",
        "1:02:03.0",
        "0:00.0",
        "-0:02.0",
    ]
    assert [sureness(one) for one in (None, 1.0, 0.9, 0.8, 0.4)] == [
        "sure",
        "sure",
        "sure",
        "likely (80%)",
        "unsure (40%)",
    ]


def test_a_sensor_that_is_ill_is_named() -> None:
    fault = msgspec.structs.replace(
        an_alert(), rule=Rule.SENSOR_FAULT, message="The west node is silent.", seat=Seat.WEST
    )
    assert "SENSOR  The west node is silent. (and 1 more)" in text(TableView("T1", health=(fault, fault)), 80)
