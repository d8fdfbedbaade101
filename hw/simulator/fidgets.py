"""What hands do when it is nobody's business: sorting, tapping, leaning, resting on the ledge, pushing the wall out.

Owns idle hands. Every spell ends before the time it is given, so a script may fill any pause of a seat with it. Refuses
to know rules. Called by the scripts just before a seat acts.
"""

from firmware_bridge.messages import Place
from hw.simulator.physical import Shape, Spot, Surface
from hw.simulator.stage import Stage

_SHORTEST_SORT_S = 0.9
"""A pause shorter than this is not used for lifting tiles (our choice)."""


def sort_once(stage: Stage, seat: Place, from_s: float, until_s: float, most: int = 4) -> float:
    """Lift one to `most` tiles off the slope for a while and put them back; returns when the last has landed."""
    people = stage.people
    tiles = [tile for tile in stage.slope(seat) if stage.at_rest_s(tile) <= from_s]
    if until_s - from_s < _SHORTEST_SORT_S or not tiles:
        return from_s
    chosen = stage.some(tiles, 1 + int(stage.rng.integers(0, most)))
    lifted_s, last_s = from_s + people.between(0.02, 0.2), from_s
    until_s = min(until_s, from_s + people.longest_sort_s)
    lifts: list[float] = []
    for _ in chosen:
        lifts.append(lifted_s)
        lifted_s += people.between(0.0, 0.35)
    budget_s = until_s - lifted_s - 0.05 * len(chosen)
    if budget_s < 0.15:
        return from_s
    held_s = min(budget_s, people.spell(seat, people.tempo.sort_s * 0.5, 0.6))
    down_s = lifted_s + held_s
    back = [stage.spot(tile) for tile in chosen]
    for tile, at_s, spot in zip(chosen, lifts, back, strict=True):
        if people.chance(0.5):
            stage.hover(tile, seat, Surface.SLOPE, at_s, min(down_s, until_s - 0.02))
        last_s = stage.carry(seat, tile, at_s, min(down_s, until_s - 0.01), spot)
        down_s += people.between(0.02, 0.3)
    if people.chance(0.6):
        rub(stage, seat, from_s, last_s)
    stage.busy(seat, last_s)
    return last_s


def rub(stage: Stage, seat: Place, from_s: float, to_s: float) -> None:
    """Tiles are slid along the rack without being lifted: the rack is jostled."""
    grams = stage.people.force(seat, 35.0, 0.7)
    stage.push(seat, Surface.SLOPE, from_s, max(to_s, from_s + 0.2), grams, Shape.RUB)
    stage.busy(seat, to_s)


def lean(stage: Stage, seat: Place, from_s: float, to_s: float) -> None:
    """A forearm or hand rests on the rack, now lightly, now with a kilogram."""
    people = stage.people
    surface = Surface.LEDGE if people.chance(0.6) else Surface.SLOPE
    stage.push(seat, surface, from_s, to_s, people.force(seat, 140.0, 1.2), Shape.HOLD)


def nudge_rack(stage: Stage, seat: Place, from_s: float) -> float:
    """The rack is pushed or turned to bring the wall out; returns when it stands again."""
    people = stage.people
    to_s = from_s + people.between(0.5, 2.2)
    stage.push(seat, Surface.LEDGE, from_s, to_s, people.force(seat, 400.0, 0.6), Shape.HOLD)
    stage.push(seat, Surface.SLOPE, from_s, to_s, people.force(seat, 120.0, 0.6), Shape.RUB)
    stage.busy(seat, to_s)
    return to_s


def fidget(stage: Stage, seat: Place, until_s: float, eagerness: float = 1.0) -> None:
    """Fill a seat's idle time with what people do, up to `until_s`. `eagerness` scales how much of it."""
    people = stage.people
    manner = people.manners[seat]
    now_s = stage.idle_from_s[seat] + people.between(0.1, 0.8)
    while now_s < until_s - 0.4:
        now_s += float(stage.rng.exponential(people.tempo.think_s * 1.5 / max(eagerness, 0.05)))
        if now_s >= until_s - 0.4:
            break
        dice = people.between(0.0, 1.0)
        if dice < 0.55 * manner.sorts + 0.1:
            now_s = sort_once(stage, seat, now_s, until_s)
        elif dice < 0.75 * manner.sorts + 0.2:
            to_s = min(until_s - 0.05, now_s + people.spell(seat, 1.0))
            rub(stage, seat, now_s, to_s)
            now_s = to_s
        elif dice < 0.75 * manner.sorts + 0.2 + 0.5 * manner.leans:
            to_s = now_s + people.spell(seat, 3.5, 0.8)
            lean(stage, seat, now_s, to_s)
            now_s = min(to_s, until_s)
        elif dice < 0.75 * manner.sorts + 0.23 + 0.5 * manner.leans:
            if until_s - now_s > 3.0:
                now_s = nudge_rack(stage, seat, now_s)
        else:
            # Fingers drum on the rack.
            length_s = people.between(0.05, 0.3)
            stage.push(seat, Surface.LEDGE, now_s, now_s + length_s, people.force(seat, 60.0), Shape.PULSE)
            now_s += length_s


def sort_hand(stage: Stage, seat: Place, from_s: float, until_s: float) -> None:
    """Arrange a fresh hand: one sort after the other until time is up."""
    people = stage.people
    now_s = from_s
    while now_s < until_s - _SHORTEST_SORT_S:
        now_s = sort_once(stage, seat, now_s, until_s, most=6) + people.between(0.05, 0.9)


def to_slope(seat: Place) -> Spot:
    """The concealed side of a seat's rack."""
    return Spot(Surface.SLOPE, seat)
