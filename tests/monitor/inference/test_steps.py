"""Single steps of the grammar: paths of the turn, what a discard ends, what is given up, when two findings are one."""

from math import log

import pytest
from msgspec.structs import replace

from hw.observations import Zone
from monitor.events import SEATS, Discarded, Exposed, Racked
from monitor.inference.belief import Explanation, Key, Player, Stage, Told, next_alive, seat_of
from monitor.inference.moves import Move
from monitor.inference.odds import P_EARLY, P_LOST, P_UNKNOWN_TURN, haste
from monitor.inference.steps import discarding, fits_other, fits_same, given_up, pass_turn, paths_to, put_back, racking

from .script import EAST, NORTH, SOUTH, WEST, moment

THROUGH = log(0.2)


def table(turn: int = EAST, **stages: Stage) -> Explanation:
    """Four players off turn, but for those named."""
    players = [Player(stage=stages.get(seat.value, Stage.RESTING)) for seat in SEATS]
    return Explanation((players[0], players[1], players[2], players[3]), turn, 100.0)


def move(seat: int, tiles: int, at_s: float = 105.0, **more: object) -> Move:
    return Move(1, seat, Zone.RACK, tiles, moment(at_s), at_s + 0.5, **more)  # type: ignore[arg-type]


def test_play_goes_to_the_right_past_dead_hands() -> None:
    players = table(west=Stage.DEAD).players
    assert [next_alive(players, seat) for seat in range(4)] == [SOUTH, NORTH, NORTH, EAST]
    assert [seat_of(k) for k in range(4)] == list(SEATS)
    alone = table(south=Stage.DEAD, west=Stage.DEAD, north=Stage.DEAD).players
    assert next_alive(alone, EAST) == EAST


def test_the_turn_comes_directly_or_over_turns_that_nobody_saw() -> None:
    e = table(turn=SOUTH)
    assert list(paths_to(e, SOUTH, 110.0, THROUGH)) == [(SOUTH, 0.0)]
    ((_, one),) = paths_to(e, WEST, 110.0, THROUGH)
    ((_, two),) = paths_to(e, NORTH, 110.0, THROUGH)
    assert one == pytest.approx(THROUGH)
    assert two == pytest.approx(2 * THROUGH)
    ((_, hasty),) = paths_to(e, NORTH, 101.0, THROUGH)
    assert hasty < two
    assert list(paths_to(table(turn=-1), WEST, 110.0, THROUGH)) == [(WEST, P_UNKNOWN_TURN)]


def test_a_seat_that_holds_a_tile_is_not_passed_over_lightly() -> None:
    ((_, cost),) = paths_to(table(turn=SOUTH, south=Stage.HOLDING), WEST, 110.0, THROUGH)
    assert cost == pytest.approx(P_EARLY)


def test_a_dead_seat_never_gets_the_turn() -> None:
    ((_, cost),) = paths_to(table(turn=SOUTH, west=Stage.DEAD), WEST, 120.0, THROUGH)
    assert cost <= P_LOST


def test_a_discard_ends_what_belonged_to_the_turn() -> None:
    busy = Player(given=1, given_at=moment(104.0), answered=1, gained=3, claimed=True, pressed=True, shown=True)
    player = replace(busy, stage=Stage.HOLDING)
    e = replace(table(turn=EAST).with_player(EAST, player), overtaken=SOUTH)
    after = pass_turn(e, EAST, 106.0, -1.0)
    assert after.players[EAST] == Player(stage=Stage.HOLDING, shown=True, since_s=106.0)
    assert (after.turn, after.turn_since_s, after.overtaken, after.score) == (SOUTH, 106.0, -1, -1.0)
    assert e.players[EAST] is player


def test_tiles_that_a_scale_gives_up_off_turn_leave_the_base_smaller() -> None:
    e = table(turn=SOUTH)
    gone = given_up(e.with_player(WEST, Player(away=2)), WEST, 112.0)
    assert (gone.players[WEST].base, gone.players[WEST].away) == (11, 0)
    assert (gone.turn, gone.story) == (SOUTH, None)


def test_tags_given_up_off_turn_are_silent_where_they_lay() -> None:
    away = frozenset("AB")
    gone = given_up(table(turn=SOUTH).with_player(WEST, Player(away=2, away_uids=away)), WEST, 112.0)
    assert gone.players[WEST] == Player(base=13, silent=away)


def test_of_tiles_given_up_in_the_own_turn_one_was_the_discard() -> None:
    e = table(turn=SOUTH).with_player(SOUTH, Player(stage=Stage.HOLDING, away=1, since_s=103.0))
    gone = given_up(e, SOUTH, 112.0)
    assert (gone.players[SOUTH].base, gone.players[SOUTH].stage, gone.turn) == (13, Stage.RESTING, WEST)
    assert gone.story is not None
    discarded = gone.story.told.event
    assert isinstance(discarded, Discarded)
    assert discarded.low < discarded.at == 103.0 < discarded.high
    assert gone.story.told.seen_s == 112.0  # a story is told in order of knowledge
    two = given_up(e.with_player(SOUTH, Player(stage=Stage.HOLDING, away=2, since_s=103.0)), SOUTH, 112.0)
    assert two.players[SOUTH].base == 12


def test_what_left_before_the_turn_came_was_no_discard_of_it() -> None:
    e = replace(table(turn=SOUTH), turn_since_s=103.0)
    gone = given_up(e.with_player(SOUTH, Player(stage=Stage.HOLDING, away=1, since_s=103.0)), SOUTH, 116.0)
    assert (gone.players[SOUTH].stage, gone.players[SOUTH].base, gone.story) == (Stage.HOLDING, 12, None)


def test_tiles_put_back_are_away_no_more_and_weigh_what_they_did() -> None:
    lifted = Player(away=2, away_uids=frozenset("AB"), away_residue_g=0.5)
    e = table().with_player(WEST, lifted)
    one = put_back(e, move(WEST, 1, uid="A", residue_g=-0.2, noise_g=0.05), lifted, 1).players[WEST]
    assert (one.away, one.away_uids) == (1, frozenset("B"))
    assert one.away_residue_g == pytest.approx(0.3)
    same = put_back(e, move(WEST, 2, residue_g=-0.5, noise_g=0.05), lifted, 2)
    other = put_back(e, move(WEST, 2, residue_g=0.4, noise_g=0.05), lifted, 2)
    assert (same.players[WEST].away, same.players[WEST].away_residue_g) == (0, 0.0)
    assert same.score > other.score + 5.0


def test_weight_tells_the_same_tile_from_another() -> None:
    alike, unlike = move(WEST, 1, residue_g=0.02, noise_g=0.05), move(WEST, 1, residue_g=0.6, noise_g=0.05)
    assert fits_same(alike, 0.0) > fits_other(alike, 0.0)
    assert fits_same(unlike, 0.0) < fits_other(unlike, 0.0)
    unweighed = move(WEST, 1)
    assert (fits_same(unweighed, 0.0), fits_other(unweighed, 0.0)) == (0.0, 0.0)


def test_a_discard_lies_between_lifting_and_landing() -> None:
    told = discarding(WEST, moment(105.0), move(WEST, -1, uid="A"))
    assert (told.seat, told.uid) == (SEATS[WEST], "A")
    assert told.low < 105.0 < told.at < told.high
    racked = racking(WEST, moment(105.0), move(WEST, 1, uid="A"))
    assert (racked.at, racked.earliest, racked.latest) == (105.0, 104.98, 105.02)


def test_haste_costs_and_patience_does_not() -> None:
    assert haste(0.2) < haste(0.6) < haste(0.9) == haste(30.0) == 0.0
    assert haste(-0.1) < 0.0


def test_one_finding_is_known_by_its_tile_or_its_move() -> None:
    seat = SEATS[WEST]
    racked = Racked(at=1.0, seat=seat, uid="A")
    assert Told(3, racked, 2.0).key == Told(9, replace(racked, at=1.4), 2.5).key == Key("A", "Racked", seat)
    assert Told(3, replace(racked, uid=None), 2.0).key != Told(9, replace(racked, uid=None), 2.0).key
    assert Told(3, Exposed(at=1.0, seat=seat), 2.0).key == Key("3", "Exposed", seat)
    assert Told(3, Discarded(at=1.0, seat=seat, uid="A"), 2.0).key != Told(3, racked, 2.0).key


def test_a_story_is_told_newest_first() -> None:
    first, second = Told(1, Racked(at=1.0), 1.0), Told(2, Discarded(at=2.0), 2.0)
    story = table().telling(first, second).story
    assert story is not None
    assert story.told is second
    assert story.before is not None
    assert (story.before.told, story.before.before) == (first, None)
