"""Lawful evenings obey the procedure: 13 and 14, order of play, what may be passed, claimed and exchanged."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hw.simulator.options import Ending, Noise, Options, Pace
from hw.simulator.physical import SEATS, Surface, count_steps, right_of
from hw.simulator.tiles import JOKER
from hw.simulator.truth import TruthEvent
from tests.hw.simulator.hands import lying, owned, played

lawful = st.builds(
    Options,
    seed=st.integers(0, 2**32 - 1),
    pace=st.sampled_from(Pace),
    noise=st.sampled_from(Noise),
    ending=st.sampled_from([Ending.OPEN, Ending.MAH_JONGG, Ending.WALL]),
    discards=st.integers(4, 30),
    first_east=st.sampled_from(SEATS),
)
check = settings(max_examples=20, deadline=None)


@check
@given(options=lawful)
def test_east_is_dealt_fourteen_and_the_others_thirteen(options: Options) -> None:
    performance = played(options)
    dealt = next(e for e in performance.referee.events if e.kind == "dealt")
    first_pass_s = min(e.at for e in performance.referee.events if e.kind == "passed")
    happening = performance.happening
    at_s = min(dealt.at, first_pass_s - 0.01)
    assert owned(happening, at_s) == {seat: 14 if seat == options.first_east else 13 for seat in SEATS}
    assert sum(s is not None and s.surface is Surface.WALL for s in lying(happening, at_s).values()) == 99


@check
@given(options=lawful)
def test_at_every_discard_each_seat_has_thirteen(options: Options) -> None:
    performance = played(options)
    for event in performance.referee.events:
        if event.kind == "discarded":
            assert owned(performance.happening, event.at) == dict.fromkeys(SEATS, 13), event


@check
@given(options=lawful)
def test_the_turn_goes_to_the_right_or_to_the_claimer(options: Options) -> None:
    events = sorted(played(options).referee.events, key=lambda e: e.at)
    turns = [e for e in events if e.kind == "discarded"]
    exposures = [e for e in events if e.kind == "exposed"]
    for before, after in pairwise(turns):
        claimers = [e.seat for e in exposures if before.at < e.at < after.at]
        assert before.seat is not None
        assert after.seat == (claimers[0] if claimers else right_of(before.seat))


@check
@given(options=lawful)
def test_discards_are_one_and_the_picks_and_the_claims(options: Options) -> None:
    """Procedure, row 17; what was picked last for a mah jongg is not discarded."""
    events = played(options).referee.events

    def number(kind: str) -> int:
        return sum(e.kind == kind for e in events)

    picks = number("picked") - number("returned")
    kept = 1 if any(e.kind == "declared" for e in events) else 0
    assert picks + number("exposed") + 1 - number("discarded") in {0, kept}
    assert picks <= 99


@check
@given(options=lawful)
def test_no_joker_is_passed_or_claimed_and_exposures_are_of_one_face(options: Options) -> None:
    performance = played(options)
    faces = performance.happening.faces
    play_s = next(e.at for e in performance.referee.events if e.kind == "charleston_over")
    for move in performance.happening.moves:
        if move.source.surface is Surface.SLOPE and move.target.surface is Surface.TABLE and move.landed_s < play_s:
            assert faces[move.tile] != JOKER
    for event in performance.referee.events:
        if event.kind == "exposed":
            assert isinstance(event.tiles, tuple)
            shown = [faces[int(tile)] for tile in event.tiles]
            assert 3 <= len(shown) <= 6
            assert len(set(shown) - {JOKER}) == 1


@check
@given(options=lawful)
def test_a_blind_tile_never_touches_a_rack(options: Options) -> None:
    """Tiles that were forwarded unseen go from felt to felt; all others of a pass come off a slope."""
    performance = played(options)
    passed = [e for e in performance.referee.events if e.kind == "passed"]
    across = [
        m
        for m in performance.happening.moves
        if m.target.surface is Surface.TABLE and m.target.seat != m.hand and m.landed_s < passed[-1].at + 120
    ]
    assert sum(e.n for e in passed if isinstance(e.n, int)) == len(across)
    assert all(m.source.surface in (Surface.SLOPE, Surface.TABLE) for m in across)


@pytest.mark.parametrize("pace", Pace)
def test_paces_differ_as_they_say(pace: Pace) -> None:
    """Procedure: 5 to 10 s a turn; an expert about 1 s to pick and discard."""
    spans: list[float] = []
    for seed in range(6):
        turns = sorted(e.at for e in played(Options(seed=seed, pace=pace)).referee.events if e.kind == "discarded")
        spans += [b - a for a, b in pairwise(turns)]
    median_s = sorted(spans)[len(spans) // 2]
    low_s, high_s = {Pace.SLOW: (8.0, 20.0), Pace.NORMAL: (5.0, 10.0), Pace.EXPERT: (1.5, 4.0)}[pace]
    assert low_s <= median_s <= high_s
    if pace is Pace.EXPERT:
        assert min(spans) < 1.3


def test_all_styles_of_play_occur() -> None:
    """Thrown on without racking, racked after discarding, exchanges of several jokers, returned picks, misspresses."""
    seen: set[str] = set()
    thrown_on = turns = 0
    for seed in range(25):
        events = played(Options(seed=seed, noise=Noise.HARSH, discards=40)).referee.events
        seen |= {e.kind for e in events}
        seen |= {"several jokers" for e in events if e.kind == "joker_exchanged" and isinstance(e.n, int) and e.n > 1}
        seen |= {f"via {e.via}" for e in events if e.kind == "called"}
        by_tile = {e.tile: e.at for e in events if e.kind == "racked"}
        picks = {e.tile: e.at for e in events if e.kind == "picked"}
        discards = sorted((e for e in events if e.kind == "discarded"), key=lambda e: e.at)
        turns += len(discards)
        thrown_on += sum(e.through is True for e in discards)
        seen |= {
            "racked after discarding"
            for tile, at_s in by_tile.items()
            for e in discards
            if tile in picks and picks[tile] < e.at < at_s
        }
    assert seen >= {
        "several jokers", "via button", "via exposure", "returned", "call_withdrawn", "racked after discarding",
    }  # fmt: skip
    assert 0.1 < thrown_on / turns < 0.3


@pytest.mark.parametrize("ending", [Ending.MAH_JONGG, Ending.WALL])
def test_an_evening_sweeps_deals_again_and_moves_east_on(ending: Ending) -> None:
    performance = played(Options(seed=3, hands=3, ending=ending, pace=Pace.EXPERT, discards=12))
    easts = [e.seat for e in performance.referee.events if e.kind == "hand_started"]
    assert easts == list(SEATS[:3])
    ended = [e for e in performance.referee.events if e.kind == "hand_ended"]
    assert [e.how for e in ended] == [ending.value] * 3
    started = [e.at for e in performance.referee.events if e.kind == "hand_started"]
    for at_s in started[1:]:
        assert sum(owned(performance.happening, at_s - 0.05).values()) == 0
    if ending is Ending.WALL:
        lasts = [max(e.at for e in performance.referee.events if e.kind == "discarded" and e.at < x.at) for x in ended]
        for at_s in lasts:
            spots = lying(performance.happening, at_s).values()
            assert not any(s is not None and s.surface is Surface.WALL for s in spots)


@check
@given(options=lawful)
def test_off_turn_no_rack_is_wrong_as_long_as_five_seconds(options: Options) -> None:
    """Contract: deviations of a rack whose seat is not acting count as motion for 5 s; a lawful hand keeps within."""
    performance = played(options)
    events = sorted(performance.referee.events, key=lambda e: e.at)
    start_s = next(e.at for e in events if e.kind == "play_started")
    over = [e.at for e in events if e.kind in ("declared", "hand_ended")]
    end_s = min(over, default=performance.happening.end_s)
    for seat in SEATS:
        turns = own_turns([e for e in events if e.seat == seat])
        steps = [s for s in count_steps(performance.happening) if s.rack == seat and start_s < s.at_s < end_s]
        wrong_from_s: float | None = None
        for step in steps:
            if step.slope + step.ledge != 13:
                wrong_from_s = step.at_s if wrong_from_s is None else wrong_from_s
            elif wrong_from_s is not None:
                acting = any(from_s <= wrong_from_s <= to_s for from_s, to_s in turns)
                assert acting or step.at_s - wrong_from_s < 5.0, step
                wrong_from_s = None


def own_turns(events: list[TruthEvent]) -> list[tuple[float, float]]:
    """From each pick or call of a seat to its discard, and a little longer where it racks after discarding."""
    turns: list[tuple[float, float]] = []
    from_s = None
    for event in events:
        if event.kind in ("picked", "called") and from_s is None:
            from_s = event.at
        elif event.kind in ("discarded", "returned", "call_withdrawn") and from_s is not None:
            turns.append((from_s, event.at + 3.0))
            from_s = None
    return turns if from_s is None else [*turns, (from_s, float("inf"))]
