from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import (
    SEATS,
    Called,
    Corrected,
    CountChanged,
    Discarded,
    Event,
    Exposed,
    HandStarted,
    PlayStarted,
    Racked,
    WindowClosed,
    WindowOpened,
    Zone,
)
from monitor.playback import FASTEST, SLOWEST, SPEEDS, Motion, Player
from monitor.timeline import Timeline, TimelineBuilder, Told, known_s
from monitor.view import TableFold, TableView

E, S, W, N = SEATS
MOMENTS_S = st.integers(0, 400).map(lambda quarters: quarters / 4)


def alert(id_: str, raised_at: float, state: AlertState = AlertState.RAISED, rule: Rule = Rule.WRONG_COUNT) -> Alert:
    return Alert(
        id=id_,
        rule=rule,
        at=raised_at - 1.0,
        raised_at=raised_at,
        article="205",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="South has 14 tiles.",
        state=state,
        seat=S,
    )


@st.composite
def events(draw: st.DrawFn) -> Event:
    seat = draw(st.sampled_from(SEATS))
    at = draw(MOMENTS_S)
    keys = {"at": at, "seat": seat, "seen_at": at + draw(st.integers(0, 20)) / 4}
    kind = draw(
        st.sampled_from([Discarded, Racked, Called, Exposed, WindowOpened, WindowClosed, PlayStarted, HandStarted])
    )
    if draw(st.booleans()):
        zone = draw(st.sampled_from(Zone))
        return CountChanged(count=draw(st.none() | st.integers(0, 15)), zone=zone, reason="no rest", **keys)
    if draw(st.integers(0, 5)) == 0:
        return Corrected(replaces=draw(st.integers(1, 20)), struck=draw(st.booleans()), **keys)
    if kind is Discarded and draw(st.booleans()):
        return Discarded(uid="E0SECRET", face="3B", **keys)
    made: Event = kind(**keys)
    return made


@st.composite
def tellings(draw: st.DrawFn) -> list[Told]:
    """Records in order of knowledge, as a table gives them: never told before they are known."""
    records: list[Event | Alert] = list(draw(st.lists(events(), max_size=25)))
    for number in range(draw(st.integers(0, 4))):
        raised_at = draw(MOMENTS_S)
        state = draw(st.sampled_from(AlertState))
        rule = draw(st.sampled_from([Rule.WRONG_COUNT, Rule.WINDOW_CLOSED, Rule.SENSOR_FAULT, Rule.LATE_CALL]))
        records.append(alert(f"T1-{number % 2}", raised_at, state, rule))
    records.sort(key=known_s)
    told: list[Told] = []
    hand, run = 1, 1
    for seq, record in enumerate(records, 1):
        hand += draw(st.integers(0, 9)) == 0
        run += draw(st.integers(0, 15)) == 0
        at_s = known_s(record) + draw(st.sampled_from([0.0, 0.0, 0.25]))
        told.append(Told(at_s, hand, msgspec.structs.replace(record, seq=seq), run))
    return sorted(told, key=lambda one: one.at_s)


def laid_out(told: list[Told], **keys: bool) -> Timeline:
    builder = TimelineBuilder("T1", **keys)
    for one in told:
        builder.take(one)
    return builder.finish(0.0, 110.0)


def played_to(told: list[Told], at_s: float) -> TableView:
    """The view by folding what was told until then, and nothing else."""
    fold, run = TableFold("T1"), None
    for one in told:
        if one.at_s > at_s:
            break
        if run is not None and one.run != run:
            fold = TableFold("T1")
        run = one.run
        if isinstance(one.record, Alert):
            fold.take_alert(one.record)
        else:
            event = one.record
            if isinstance(event, Discarded):
                event = msgspec.structs.replace(event, uid=None, face=None)
            fold.take_event(event, one.hand)
    return fold.view


@given(tellings(), MOMENTS_S)
def test_a_moment_is_what_was_told_until_then(told: list[Told], at_s: float) -> None:
    player = Player(laid_out(told))
    player.seek(at_s)
    assert player.shown.view == played_to(told, at_s)


KEYS = st.sampled_from(
    ["pause", "home", "end", "next_alert", "previous_alert", "faster", "slower", "on", "back", "play", "play"]
)


def press(player: Player, key: str) -> None:
    match key:
        case "on":
            player.skip(10.0)
        case "back":
            player.skip(-10.0)
        case "play":
            player.advance(0.75)
        case _:
            getattr(player, key)()


@given(tellings(), st.lists(KEYS, max_size=30))
def test_wherever_keys_lead_the_view_is_that_of_playing_there(told: list[Told], keys: list[str]) -> None:
    timeline = laid_out(told)
    player = Player(timeline, 4.0)
    for key in keys:
        press(player, key)
        shown = player.shown
        assert timeline.began_s <= shown.at_s <= timeline.ended_s
        assert SLOWEST <= shown.speed <= FASTEST
        straight = Player(timeline)
        while straight.shown.at_s + 1.0 <= shown.at_s:
            straight.advance(1.0)
        straight.seek(shown.at_s)
        assert straight.shown.view == shown.view == played_to(told, shown.at_s)


@given(tellings(), MOMENTS_S)
def test_nothing_is_shown_before_it_was_known(told: list[Told], at_s: float) -> None:
    timeline = laid_out(told)
    view = timeline.view(at_s)
    for event in view.recent:
        assert event.known <= at_s
    for one in (*view.alerts, *view.health):
        assert one.raised_at <= at_s
    assert all(known_s(record) <= moment.at_s for moment in timeline.moments for record in moment.records)
    assert all(before.at_s < after.at_s for before, after in pairwise(timeline.moments))


@given(tellings())
def test_no_moment_holds_an_identity_unless_asked_for(told: list[Told]) -> None:
    assert b"SECRET" not in msgspec.json.encode(laid_out(told))
    named = any(isinstance(one.record, Discarded) and one.record.uid for one in told)
    assert (b"SECRET" in msgspec.json.encode(laid_out(told, identities=True))) == named


def test_a_record_that_is_told_too_early_waits_until_it_was_known() -> None:
    timeline = laid_out([Told(1.0, 1, Racked(at=2.0, seat=S, seen_at=3.0)), Told(1.0, 1, alert("a", 4.0))])
    assert [moment.at_s for moment in timeline.moments] == [3.0, 4.0]
    assert timeline.view(2.9).recent == ()


def player_with_alerts() -> Player:
    told = [Told(at_s, 1, alert(f"T1-{at_s}", at_s)) for at_s in (20.0, 50.0)]
    told.insert(1, Told(30.0, 1, alert("w", 30.0, rule=Rule.WINDOW_CLOSED)))
    told.insert(2, Told(31.0, 1, alert("s", 31.0, rule=Rule.SENSOR_FAULT)))
    told.insert(3, Told(32.0, 1, alert("T1-20.0", 20.0, AlertState.WITHDRAWN)))
    return Player(laid_out(told))


def test_from_alert_to_alert_and_back() -> None:
    player = player_with_alerts()
    player.pause()
    stops: list[float] = []
    for key in ("next_alert", "next_alert", "next_alert", "previous_alert", "previous_alert"):
        press(player, key)
        stops.append(player.shown.at_s)
    assert stops == [20.0, 50.0, 50.0, 20.0, 20.0]


def test_an_alert_that_just_came_is_passed_over_going_back_while_playing() -> None:
    player = player_with_alerts()
    player.seek(51.0)
    player.previous_alert()
    assert player.shown.at_s == 20.0
    player.seek(51.0)
    player.pause()
    player.previous_alert()
    assert player.shown.at_s == 50.0


def test_time_passes_at_its_speed_and_not_while_paused_or_at_the_end() -> None:
    player = player_with_alerts()
    player.advance(2.0)
    player.faster()
    player.advance(2.0)
    assert player.shown.at_s == 6.0
    player.pause()
    player.advance(60.0)
    assert (player.shown.at_s, player.motion) == (6.0, Motion.PAUSED)
    player.pause()
    player.advance(60.0)
    assert (player.shown.at_s, player.motion) == (110.0, Motion.ENDED)
    player.pause()
    assert (player.shown.at_s, player.motion) == (0.0, Motion.PLAYING)


def test_every_speed_has_its_neighbours() -> None:
    player = Player(laid_out([]), 0.15)
    player.slower()
    player.slower()
    assert player.shown.speed == SLOWEST
    climbed = [SLOWEST]
    for _ in SPEEDS:
        player.faster()
        climbed.append(player.shown.speed)
    assert tuple(climbed[:-1]) == SPEEDS
    assert climbed[-1] == FASTEST


def test_what_was_told_before_is_seen_from_the_beginning_and_not_played() -> None:
    builder = TimelineBuilder("T1")
    builder.before([Told(1.0, 1, CountChanged(at=1.0, seat=S, count=13)), Told(2.0, 1, alert("a", 2.0))])
    builder.take(Told(10.0, 2, HandStarted(at=10.0)))
    timeline = builder.finish(10.0, 20.0)
    assert timeline.began_s == 10.0
    assert timeline.first.counts[1].total == 13
    assert [one.id for one in timeline.view(10.0).alerts] == ["a"]
    assert timeline.alerts_s == ()


def test_a_timeline_is_bounded_and_says_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monitor.timeline.MOMENTS", 3)
    timeline = laid_out([Told(float(at), 1, Racked(at=float(at), seat=S)) for at in range(1, 8)])
    assert len(timeline.moments) == 3
    assert timeline.left_out == 4
    assert timeline.ended_s == 3.0
