"""After a hand: checking, sweeping all tiles together, washing them, building the walls (research: faults, row 49).

Script stage four; after it every tile lies in the wall again and a new deal may begin.
"""

from firmware_bridge.messages import Place
from hw.simulator.options import Ending
from hw.simulator.physical import SEATS, Shape, Spot, Surface
from hw.simulator.play import Played
from hw.simulator.stage import FLOOR, Stage
from hw.simulator.truth import TruthEvent


def end_hand(stage: Stage, played: Played) -> float:
    """The winner's hand is checked, or the wall is seen to be out; then the hand is over. Returns when."""
    people = stage.people
    if played.ending is Ending.MAH_JONGG:
        at_s = played.at_s + people.between(6.0, 22.0)
        how = "mah_jongg"
    else:
        at_s = played.at_s + people.between(0.5, 4.0)
        how = "wall"
    at_s = max(at_s, *stage.idle_from_s.values())
    stage.referee.log(TruthEvent(at=at_s, kind="hand_ended", seat=played.winner, how=how))
    return at_s


def throw_in(stage: Stage, from_s: float) -> float:
    """The director throws the hand in for a redeal; returns when that is done."""
    at_s = max(from_s, *stage.idle_from_s.values()) + stage.people.between(0.5, 3.0)
    stage.enter(at_s, "table", '{"input":"throw_in","by":"director"}')
    stage.referee.log(TruthEvent(at=at_s, kind="thrown_in", seat=None, how="redeal"))
    stage.referee.log(TruthEvent(at=at_s, kind="hand_ended", seat=None, how="redeal"))
    return at_s


def sweep_and_build(stage: Stage, from_s: float) -> float:
    """Sweep, wash, build four walls; returns when the table is ready for the next deal."""
    people = stage.people
    last_s = from_s
    for seat in SEATS:
        begin_s = max(from_s + people.between(0.3, 4.0), stage.idle_from_s[seat] + 0.1)
        last_s = max(last_s, _sweep(stage, seat, begin_s))
    undrawn = [tile for tile, spot in _lying(stage) if spot.surface in (Surface.WALL, Surface.TABLE)]
    for tile in undrawn:
        seat = SEATS[tile % 4]
        lift_s = max(from_s + people.between(1.0, 6.0), stage.at_rest_s(tile))
        last_s = max(last_s, stage.carry(seat, tile, lift_s, lift_s + people.between(0.3, 1.0), FLOOR))
    wash_until_s = last_s + people.between(4.0, 12.0)
    now_s = last_s
    while now_s < wash_until_s:
        stage.knock(now_s, people.force(SEATS[0], 3.0, 0.6))
        now_s += people.between(0.1, 0.8)
    return _build(stage, wash_until_s)


def _lying(stage: Stage) -> list[tuple[int, Spot]]:
    return [(tile, stage.spot(tile)) for tile in range(len(stage.faces))]


def _sweep(stage: Stage, seat: Place, from_s: float) -> float:
    """A hand wipes a rack's tiles onto the table, several at a time."""
    people = stage.people
    now_s, last_s = from_s, from_s
    rest = stage.some(stage.slope(seat) + stage.ledge(seat), 200)
    while rest:
        n = min(len(rest), int(stage.rng.integers(2, 8)))
        group, rest = rest[:n], rest[n:]
        now_s = max([now_s, *(stage.at_rest_s(tile) for tile in group)]) + 0.01
        stage.push(seat, Surface.SLOPE, now_s - 0.1, now_s + 0.7, people.force(seat, 150.0), Shape.RUB)
        for tile in group:
            lift_s = now_s + people.between(0.0, 0.3)
            last_s = max(last_s, stage.carry(seat, tile, lift_s, lift_s + people.between(0.15, 0.7), FLOOR))
        now_s += people.between(0.5, 1.6)
    return last_s


def _build(stage: Stage, from_s: float) -> float:
    """Each builds two rows of nineteen before the rack and pushes them up against it."""
    people = stage.people
    order = stage.some(list(range(len(stage.faces))), len(stage.faces))
    last_s = from_s
    for k, seat in enumerate(SEATS):
        now_s = from_s + people.between(0.0, 2.0)
        for first in range(0, 38, 4):
            group = order[38 * k + first : min(38 * k + first + 4, 38 * k + 38)]
            now_s += people.between(0.6, 2.0) * (people.tempo.reach_s / 0.55)
            for tile in group:
                landed_s = now_s + people.between(0.3, 0.9)
                last_s = max(last_s, stage.carry(seat, tile, now_s, landed_s, Spot(Surface.WALL, seat)))
            if people.chance(0.3):
                stage.push(seat, Surface.SLOPE, now_s, now_s + 0.4, people.force(seat, 60.0), Shape.RUB)
    return last_s + people.between(1.0, 5.0)
