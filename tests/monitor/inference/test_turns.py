"""The search over turns: what moves fed by hand are read as, and what later evidence takes back."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.observations import Zone
from monitor.events import SEATS, Called, Discarded, Exposed, Racked, Returned, Seat, Via
from monitor.inference.belief import Stage
from monitor.inference.moves import Landed, Move
from monitor.inference.turns import LAG_S, WIDTH, Turns

from .script import EAST, NORTH, SOUTH, WEST, Play, moment

SLOPE, LEDGE = Zone.SLOPE, Zone.LEDGE
E, S, W, N = SEATS


# ---- ordinary turns


def test_picked_racked_discarded() -> None:
    play = Play().goes(EAST, 101.0).comes(SOUTH, 104.0).goes(SOUTH, 106.0).comes(WEST, 109.0).goes(WEST, 111.0)
    play.wait(115.0)
    assert play.story == [
        ("Discarded", E),
        ("Racked", S),
        ("Discarded", S),
        ("Racked", W),
        ("Discarded", W),
    ]
    assert play.struck == []
    racked = play.event(Racked, SOUTH)
    assert (racked.at, racked.earliest, racked.latest) == (104.0, 103.98, 104.02)
    assert (racked.confidence or 0.0) > 0.9
    assert play.turns.best.turn == NORTH


def test_discarded_before_the_pick_is_racked() -> None:
    """With one hand and the other: the tile goes first, the pick comes after."""
    play = Play().goes(EAST, 101.0).goes(SOUTH, 104.0).comes(SOUTH, 104.8).comes(WEST, 108.0).wait(112.0)
    assert play.story == [("Discarded", E), ("Discarded", S), ("Racked", S), ("Racked", W)]
    assert play.struck == []


def test_the_pick_that_a_slow_sensor_tells_late_is_no_other_turn() -> None:
    """Held in hand for five seconds after the discard, and known only when it had been given up."""
    play = Play(lag_s=2.0137).goes(EAST, 101.0).goes(SOUTH, 104.0).comes(SOUTH, 109.0).wait(116.0)
    assert play.story == [("Discarded", E), ("Discarded", S), ("Racked", S)]
    assert (play.turns.best.turn, play.turns.best.players[SOUTH].base) == (WEST, 13)


@pytest.mark.parametrize("seat", [SOUTH, WEST, NORTH])
def test_a_tile_lifted_and_put_back_is_nothing(seat: int) -> None:
    """In the own turn before the pick, and off turn; the same tile leaves no difference of weight."""
    play = Play().goes(EAST, 101.0)
    play.goes(seat, 103.0, residue_g=0.3, noise_g=0.05).comes(seat, 104.0, residue_g=-0.3, noise_g=0.05)
    play.comes(SOUTH, 106.5).goes(SOUTH, 108.5).wait(113.0)
    assert play.story == [("Discarded", E), ("Racked", S), ("Discarded", S)]


def test_several_tiles_sorted_at_once_are_nothing() -> None:
    play = Play().goes(EAST, 101.0).goes(NORTH, 103.0, 3).comes(NORTH, 104.5, 3).comes(SOUTH, 106.0).wait(110.0)
    assert play.story == [("Discarded", E), ("Racked", S)]


def test_a_landed_tile_is_dated_between_lifting_and_landing() -> None:
    discarded = Play().goes(EAST, 101.0).wait(105.0).event(Discarded, EAST)
    assert discarded.low <= 101.0 < discarded.at < 101.5 < discarded.high < 102.5


def test_nothing_is_told_before_it_is_seen_or_much_later_than_the_lag() -> None:
    play = Play(lag_s=0.7137).goes(EAST, 101.0).comes(SOUTH, 104.0).goes(SOUTH, 105.0).comes(WEST, 108.0)
    play.wait(115.0)
    for finding in play.found:
        seen = finding.event.seen_at
        assert seen is not None
        assert finding.event.low < seen <= finding.event.at + 0.7137 + LAG_S + 0.3
    assert len(play.found) == 4


def test_the_end_of_play_tells_what_is_believed_by_then() -> None:
    play = Play().goes(EAST, 101.0)
    assert play.story == []
    assert not play.turns.all_told(105.0)
    play.end()
    assert play.story == [("Discarded", E)]
    assert play.turns.all_told(105.0)


# ---- turns that nobody saw


def test_a_pick_thrown_on_leaves_no_trace_and_is_passed_over() -> None:
    """South's turn was not seen: West's racking is told all the same, and nobody is out of turn."""
    play = Play().goes(EAST, 101.0).comes(WEST, 106.0).goes(WEST, 108.0).wait(113.0)
    assert play.story == [("Discarded", E), ("Racked", W), ("Discarded", W)]
    assert play.turns.best.turn == NORTH


def test_two_such_turns_running() -> None:
    play = Play().goes(EAST, 101.0).comes(NORTH, 109.0).goes(NORTH, 111.0).wait(116.0)
    assert play.story == [("Discarded", E), ("Racked", N), ("Discarded", N)]


def test_a_pick_thrown_on_is_seen_by_the_floor() -> None:
    play = Play(sees_floor=True).goes(EAST, 101.0, uid="A").lands("A", EAST, 101.4)
    play.lands("B", -1, 104.0).comes(WEST, 107.0, uid="C").wait(111.0)
    assert play.story == [("Discarded", E), ("Discarded", S), ("Racked", W)]
    thrown = play.event(Discarded, SOUTH)
    assert isinstance(thrown, Discarded)
    assert (thrown.uid, thrown.at) == ("B", 104.0)


def test_a_late_start_knows_nobody_s_turn_and_learns_it() -> None:
    play = Play(turn=-1).comes(WEST, 104.0).goes(WEST, 106.0).comes(NORTH, 109.0).goes(NORTH, 111.0).wait(116.0)
    assert play.story == [("Racked", W), ("Discarded", W), ("Racked", N), ("Discarded", N)]
    assert play.turns.best.turn == EAST


def test_a_second_pick_and_a_discard_in_one_touch_show_once_play_goes_on() -> None:
    """South's rack is touched and holds fourteen as before; then three others play, and South still does."""
    touch = {
        "zone": SLOPE,
        "residue_g": 0.4,
        "noise_g": 0.05,
        "raised": 1,
        "landings": (moment(106.0),),
        "until_s": 109.0,
    }
    play = Play(zone=SLOPE).goes(EAST, 101.0).comes(SOUTH, 104.0).comes(SOUTH, 106.0, 0, **touch)
    for seat, at_s in ((WEST, 112.0), (NORTH, 117.0), (EAST, 122.0)):
        play.comes(seat, at_s).goes(seat, at_s + 2.0)
    play.wait(128.0)
    assert play.turns.best.players[SOUTH].base == 14
    assert 106.0 < play.event(Discarded, SOUTH).at < 109.2


def test_a_tile_racked_long_before_a_claim_does_not_go_back_for_it() -> None:
    """South sorts while West shows what it claimed: nothing went back to the wall."""
    play = Play(zone=SLOPE).goes(EAST, 101.0).comes(SOUTH, 104.0).press(WEST, 114.0)
    play.goes(SOUTH, 116.0).comes(SOUTH, 118.0).wait(124.0)
    assert ("Returned", S) not in play.story


def test_who_holds_the_turn_is_as_sure_as_the_readings() -> None:
    play = Play().goes(EAST, 101.0).wait(104.0)
    assert play.turns.holds(SOUTH) == 0.0
    play.comes(SOUTH, 104.5)
    assert play.turns.holds(SOUTH) > 0.9
    play.comes(NORTH, 105.0)
    assert play.turns.holds(SOUTH) + play.turns.holds(NORTH) < 1.0


def test_a_tag_that_came_back_under_no_name_is_put_back() -> None:
    """Two tiles were in a hand when play began, nobody knows which: they come back, and none is away then."""
    play = Play(zone=SLOPE).goes(EAST, 101.0, uid="A")
    play.turns.start_lifted(WEST, 2)
    play.comes(WEST, 102.0, uid="B", own=True).comes(WEST, 102.3, uid="C", own=True).wait(103.0)
    assert play.turns.best.players[WEST].away == 0
    play.comes(SOUTH, 105.0, uid="D").goes(SOUTH, 107.0, uid="E").wait(112.0)
    assert play.story == [("Discarded", E), ("Racked", S), ("Discarded", S)]


def test_dead_seats_are_skipped() -> None:
    play = Play().goes(EAST, 101.0)
    play.turns.dead(SOUTH)
    assert play.turns.best.turn == WEST
    play.comes(WEST, 103.0).goes(SOUTH, 104.0).comes(SOUTH, 104.6).goes(WEST, 105.0).comes(NORTH, 107.0).wait(112.0)
    assert play.story == [("Discarded", E), ("Racked", W), ("Discarded", W), ("Racked", N)]
    assert play.turns.best.players[SOUTH].stage is Stage.DEAD


def test_a_seat_that_dies_in_its_turn_passes_it_on() -> None:
    play = Play().goes(EAST, 101.0).comes(SOUTH, 104.0).wait(106.0)
    play.turns.dead(SOUTH)
    assert play.turns.best.turn == WEST
    play.comes(WEST, 109.0).goes(WEST, 111.0).wait(116.0)
    assert play.story == [("Discarded", E), ("Racked", S), ("Racked", W), ("Discarded", W)]


# ---- claims


def claim(play: Play, *, pressed: bool = True) -> Play:
    """West claims East's discard for a pung: two tiles from the slope and the discard lie on the ledge at 105.1."""
    play.goes(EAST, 101.0)
    if pressed:
        play.press(WEST, 102.0)
    if play.zone is Zone.RACK:
        return play.comes(WEST, 105.1)
    return play.goes(WEST, 103.0, 2).comes(WEST, 105.1, 3, zone=LEDGE)


@pytest.mark.parametrize("zone", [Zone.RACK, SLOPE])
def test_a_pressed_claim_is_exposed_and_play_goes_on_to_the_claimer_s_right(zone: Zone) -> None:
    play = claim(Play(zone=zone)).goes(WEST, 108.0).comes(NORTH, 111.0).wait(116.0)
    assert play.story == [("Discarded", E), ("Exposed", W), ("Discarded", W), ("Racked", N)]
    exposed = play.event(Exposed, WEST)
    assert isinstance(exposed, Exposed)
    assert exposed.n == (3 if zone is SLOPE else None)
    assert exposed.at == 105.1
    assert play.turns.best.turn == NORTH


def test_a_claim_without_a_press_is_known_from_its_exposure() -> None:
    """Called at the latest when the tiles lie there; long before, as far as anybody knows."""
    play = claim(Play(zone=SLOPE), pressed=False).goes(WEST, 108.0).comes(NORTH, 111.0).wait(116.0)
    assert sorted(play.story) == sorted(
        [("Discarded", E), ("Called", W), ("Exposed", W), ("Discarded", W), ("Racked", N)]
    )
    called = play.event(Called, WEST)
    assert isinstance(called, Called)
    assert called.via is Via.EXPOSURE
    assert called.low < 102.0 < called.at
    assert called.high <= 105.2


def test_a_press_that_nothing_follows_is_ignored() -> None:
    play = Play().goes(EAST, 101.0).press(WEST, 102.0).comes(SOUTH, 103.0).goes(SOUTH, 105.0).comes(WEST, 108.0)
    play.wait(113.0)
    assert play.story == [("Discarded", E), ("Racked", S), ("Discarded", S), ("Racked", W)]


def test_a_claim_overtaken_by_a_racking_in_the_same_moment() -> None:
    """South racks as West presses: both happened, and the picked tile goes back into the wall."""
    play = Play(zone=SLOPE).goes(EAST, 101.0).press(WEST, 102.0).comes(SOUTH, 102.02)
    assert not play.turns.all_told(102.0) or ("Racked", S) in play.story
    play.goes(WEST, 103.0, 2).goes(SOUTH, 104.0).comes(WEST, 105.1, 3, zone=LEDGE)
    play.goes(WEST, 108.0).comes(NORTH, 111.0).wait(116.0)
    assert play.story == [
        ("Discarded", E),
        ("Racked", S),
        ("Returned", S),
        ("Exposed", W),
        ("Discarded", W),
        ("Racked", N),
    ]
    assert play.event(Returned, SOUTH).at == 104.0


def test_what_a_slow_sensor_says_after_the_press_is_the_discard_it_is_for() -> None:
    """East's tile left before the press and is known after it."""
    play = Play(zone=SLOPE, lag_s=1.6137).press(WEST, 102.0)
    play.goes(EAST, 101.5).goes(WEST, 103.0, 2).comes(WEST, 105.1, 3, zone=LEDGE).goes(WEST, 108.0).wait(114.0)
    assert play.story == [("Discarded", E), ("Exposed", W), ("Discarded", W)]


# ---- what cannot be, and what proves wrong


def test_a_tile_cannot_come_from_the_rack_where_another_reading_left_it() -> None:
    """Told as discarded, the same tile comes back to the rack it came from: it was only lifted."""
    play = Play().goes(EAST, 101.0, uid="A").wait(105.0)
    assert play.story == [("Discarded", E)]
    play.comes(EAST, 106.0, uid="A", own=True).wait(109.0)
    assert play.story == []
    assert play.struck == [("Discarded", E)]
    play.goes(EAST, 110.0, uid="B").comes(SOUTH, 113.0, uid="C").wait(117.0)
    assert play.story == [("Discarded", E), ("Racked", S)]
    discarded = play.event(Discarded, EAST)
    assert isinstance(discarded, Discarded)
    assert discarded.uid == "B"


def test_a_lifted_tile_that_lands_on_the_floor_was_the_discard() -> None:
    """North lifts two off turn, puts one back; East's goes to the floor: each tile tells which it was."""
    play = Play(sees_floor=True)
    play.goes(NORTH, 100.6, uid="X").goes(EAST, 101.0, uid="A").comes(NORTH, 101.4, uid="X", own=True)
    play.lands("A", EAST, 101.5).wait(105.0)
    assert play.story == [("Discarded", E)]


def test_a_finding_that_is_disowned_is_struck_by_its_key() -> None:
    play = Play().goes(EAST, 101.0, uid="A").wait(105.0).comes(EAST, 106.0, uid="A", own=True).wait(110.0)
    told, struck = play.found
    assert (told.struck, struck.struck) == (False, True)
    assert told.key == struck.key


def test_findings_stand_for_good_after_a_while() -> None:
    """A tile told as discarded half a minute ago is not taken back, whatever turns up now."""
    play = Play().goes(EAST, 101.0, uid="A").comes(SOUTH, 104.0, uid="B").wait(131.0)
    play.comes(EAST, 131.0, uid="A", own=True).wait(140.0)
    assert ("Discarded", E) in play.story


def test_two_versions_of_a_finding_grow_old_together() -> None:
    """A discard that one explanation has from its leaving and another from its landing: it is not taken back when only
    the one is too old to be looked at."""
    play = Play(sees_floor=True).goes(EAST, 101.0, uid="A").lands("A", EAST, 103.5)
    play.comes(SOUTH, 104.0, uid="B").wait(150.0)
    assert play.struck == []
    assert [kind for kind, _ in play.story] == ["Discarded", "Racked"]


def test_a_discard_is_dated_by_a_landing_that_comes_late() -> None:
    """Its tag was last heard as several tiles were lifted; it lay on the rack again before it was discarded."""
    play = Play(sees_floor=True).goes(EAST, 101.0, uid="A").goes(EAST, 101.1, uid="B")
    play.comes(EAST, 102.0, uid="B", own=True).lands("A", EAST, 103.0).wait(110.0)
    discarded = play.event(Discarded, EAST)
    assert discarded.at == 103.0
    assert discarded.low <= 102.0
    assert discarded.high == moment(103.0).latest_s


def test_a_touch_that_leaves_an_odd_weight_is_no_turn() -> None:
    """A crooked tile weighs three grams more; nobody played four turns in two seconds for that."""
    odd = {"residue_g": 3.8, "noise_g": 0.05, "raised": 4, "landings": (moment(103.4),), "until_s": 104.0}
    play = Play().goes(EAST, 101.0).wait(102.5).comes(EAST, 103.4, 0, **odd).wait(110.0)
    assert play.story == [("Discarded", E)]


@pytest.mark.parametrize(("landings", "kind"), [(1, "Racked"), (4, "Exposed")])
def test_a_press_and_a_restless_rack_are_rather_an_exposure(landings: int, kind: str) -> None:
    """After a call in the moment of a racking: one landing is the caller's own turn, several are an exposure."""
    play = Play().goes(EAST, 101.0).press(NORTH, 103.0).comes(SOUTH, 103.15).goes(SOUTH, 104.5)
    at = tuple(moment(107.0 + 0.3 * k) for k in range(landings))
    play.comes(NORTH, 107.0, landings=at, raised=2).wait(112.0)
    assert (kind, N) in play.story


def test_a_tile_that_never_comes_back_is_given_up() -> None:
    """North lost a tile off turn: its base is one fewer, and its turn goes on from there."""
    play = Play(sees_floor=True).goes(EAST, 101.0, uid="A").lands("A", EAST, 101.5).goes(NORTH, 103.0, 2, uid=None)
    play.comes(SOUTH, 104.0, uid="B").wait(125.0)
    north = play.turns.best.players[NORTH]
    assert north.away == 0
    assert north.base == 11
    assert ("Racked", S) in play.story


# ---- the search itself


MOVES = st.tuples(
    st.integers(0, 3),
    st.sampled_from([-3, -2, -1, -1, -1, 0, 1, 1, 1, 2, 3]),
    st.sampled_from([Zone.RACK, SLOPE, LEDGE]),
    st.sampled_from([None, None, "A", "B", "C"]),
    st.sampled_from(["move", "move", "move", "press", "land", "dead", "wait"]),
    st.floats(0.0, 6.0),
    st.booleans(),
)


def run(acts: list[tuple[int, int, Zone, str | None, str, float, bool]]) -> tuple[Play, list[str]]:
    """Whatever comes, in whatever order; the story as text."""
    play = Play(sees_floor=any(act[4] == "land" for act in acts))
    at_s = 100.0
    for seat, tiles, zone, uid, what, pause_s, own in acts:
        at_s += pause_s
        match what:
            case "press":
                play.press(seat, at_s)
            case "land":
                play.lands(uid or "D", seat if own else -1, at_s)
            case "dead":
                play.turns.dead(seat)
            case "wait":
                play.wait(at_s)
            case _:
                rises = (moment(at_s - 0.3), moment(at_s)) if abs(tiles) > 1 or tiles == 0 else ()
                n = tiles if uid is None else max(-1, min(1, tiles))
                play.comes(seat, at_s, n, zone=zone, uid=uid, own=own, landings=rises, raised=1, noise_g=0.05)
        beam = play.turns._beam
        assert 1 <= len(beam) <= WIDTH
        assert beam[0].score == 0.0
        assert all(a.score >= b.score for a, b in pairwise(beam))
        assert what == "dead" or len({e.facts for e in beam}) == len(beam)
    play.wait(play.now_s + 3.0).end()
    return play, [f"{f.struck} {f.key} {f.event}" for f in play.found]


@settings(max_examples=80, deadline=None)
@given(acts=st.lists(MOVES, max_size=14))
def test_whatever_comes_the_beam_is_bounded_and_the_same_twice(
    acts: list[tuple[int, int, Zone, str | None, str, float, bool]],
) -> None:
    play, told = run(acts)
    for finding in play.found:
        assert finding.event.seat in SEATS
        assert finding.struck or 0.0 < (finding.event.confidence or 0.0) < 1.0
    assert run(acts)[1] == told


def test_findings_of_one_moment_come_in_order_of_time() -> None:
    turns = Turns((13, 13, 13, 13), EAST, 100.0, sees_floor=False)
    turns.start_holding(EAST)
    for number, (seat, tiles, at_s) in enumerate([(EAST, -1, 101.0), (SOUTH, 1, 101.9), (SOUTH, -1, 102.6)], 1):
        turns.move(Move(number, seat, Zone.RACK, tiles, moment(at_s), 103.0))
    times = [f.event.at for f in turns.finish(103.0)]
    assert times == sorted(times)
    assert turns.landed(Landed(9, "A", EAST, moment(103.2), 103.3)) == []


def test_seats_are_named_as_they_sit() -> None:
    assert list(SEATS) == [Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH]
    assert Play().goes(EAST, 101.0).wait(105.0).event(Discarded, EAST).seat is Seat.EAST


def test_a_claim_taken_back_gives_the_turn_back() -> None:
    play = Play().goes(EAST, 101.0).press(WEST, 102.0).wait(103.0)
    assert (play.turns.best.players[WEST].stage, play.turns.best.turn) == (Stage.CLAIMING, WEST)
    play.turns.withdrawn(WEST, 103.0)
    assert (play.turns.best.players[WEST].stage, play.turns.best.turn) == (Stage.RESTING, SOUTH)
