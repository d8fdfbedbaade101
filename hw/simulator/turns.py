"""The gestures of a turn: reach, look, tap, rack, think, throw, call.

Owns human motion between a discard and the next. Whose turn it is and what is claimed is decided in `play`.
"""

from firmware_bridge.messages import ButtonName, Place
from hw.simulator import claims
from hw.simulator.fidgets import fidget, sort_once, to_slope
from hw.simulator.options import Pace
from hw.simulator.physical import SEATS, Spot, Surface
from hw.simulator.stage import FLOOR, Stage
from hw.simulator.state import Discard, Hand
from hw.simulator.truth import TruthEvent

SIMULTANEOUS_WITHIN_S = 0.02
EARLY_S = (0.15, 0.6)
"""How far before a racking a call comes that races with it (contract: spec of cases)."""


def first_discard(stage: Stage, hand: Hand, from_s: float) -> Discard:
    """East opens the play."""
    lift_s = from_s + stage.people.spell(hand.east, stage.people.tempo.think_s)
    fidget(stage, hand.east, lift_s - 0.1, 1.5)
    return throw(stage, hand, hand.east, max(lift_s, stage.idle_from_s[hand.east] + 0.05))


def throw(stage: Stage, hand: Hand, seat: Place, lift_s: float, tile: int | None = None) -> Discard:
    """Lift a tile off the slope and lay it on the table."""
    people = stage.people
    if tile is None:
        tile = claims.worst_tile(stage, hand, seat, lift_s)
    lift_s = max(lift_s, stage.at_rest_s(tile) + 0.02)
    at_s = lift_s + people.spell(seat, people.tempo.reach_s, 0.35)
    stage.carry(seat, tile, lift_s, at_s, FLOOR)
    stage.referee.log(TruthEvent(at=at_s, kind="discarded", seat=seat, tile=str(tile), lifted=lift_s))
    return Discard(tile, seat, at_s)


def reach(stage: Stage, hand: Hand, last: Discard, seat: Place) -> float:
    """When the seat takes its tile off the wall; the seat has fidgeted until then."""
    people = stage.people
    gap_s = people.spell(seat, people.tempo.gap_s, 0.5)
    if stage.options.pace is not Pace.EXPERT and people.chance(0.08):
        gap_s += people.between(3.0, 12.0)
    pick_s = max(last.at_s + gap_s, hand.not_before_s)
    if stage.returned:
        pick_s = max(pick_s, stage.at_rest_s(stage.wall[-1]) + people.between(0.1, 0.5))
    fidget(stage, seat, pick_s - 0.1)
    pick_s = max(pick_s, stage.idle_from_s[seat] + 0.05)
    for other in SEATS:
        # Others' hands are idle meanwhile; filling only the past keeps every later wish possible.
        if other != seat and people.chance(0.5):
            fidget(stage, other, last.at_s)
    return pick_s


def draw(stage: Stage, hand: Hand, seat: Place, pick_s: float) -> int:
    """The tile that a seat takes off the wall at `pick_s`; it stays in its hand."""
    tile = claims.drawn(stage, hand, seat)
    stage.referee.log(TruthEvent(at=pick_s, kind="picked", seat=seat, tile=str(tile)))
    return tile


def look(stage: Stage, seat: Place, tile: int, pick_s: float, *, tapping: bool = True) -> float:
    """Bring the tile home, look at it, perhaps tap it on the rack; returns when that is over."""
    people = stage.people
    now_s = pick_s + people.spell(seat, people.tempo.reach_s)
    looked_s = now_s + people.spell(seat, people.tempo.look_s)
    if people.chance(0.6):
        stage.hover(tile, seat, Surface.SLOPE, now_s, looked_s)
    now_s = looked_s
    if tapping and people.chance(people.manners[seat].taps):
        for _ in range(int(stage.rng.integers(1, 5))):
            now_s = stage.tap(seat, tile, now_s + people.between(0.05, 0.5))
        now_s += people.between(0.05, 0.4)
    stage.busy(seat, now_s)
    return now_s


def rack(stage: Stage, seat: Place, tile: int, pick_s: float, at_s: float) -> float:
    """Place the picked tile on the slope; returns when it lies there."""
    at_s = stage.carry(seat, tile, pick_s, at_s, to_slope(seat))
    stage.referee.log(TruthEvent(at=at_s, kind="racked", seat=seat, tile=str(tile)))
    return at_s


def think(stage: Stage, seat: Place, from_s: float) -> float:
    """Consider the hand with fingers that cannot keep still; returns when the decision is made."""
    people = stage.people
    until_s = from_s + people.spell(seat, people.tempo.think_s, 0.6)
    if people.chance(people.manners[seat].sorts):
        sort_once(stage, seat, from_s + people.between(0.1, 0.5), until_s - 0.05)
    fidget(stage, seat, until_s - 0.05)
    return max(until_s, stage.idle_from_s[seat] + 0.03)


def turn(stage: Stage, hand: Hand, last: Discard, seat: Place) -> Discard:
    """A lawful turn in one of its styles."""
    people, manner = stage.people, stage.people.manners[seat]
    pick_s = reach(stage, hand, last, seat)
    tile = draw(stage, hand, seat, pick_s)
    dice = people.between(0.0, 1.0)
    seen_s = look(stage, seat, tile, pick_s)
    if claims.swaps_directly(stage, hand, seat, tile):
        now_s = claims.exchange_drawn(stage, hand, seat, tile, pick_s, seen_s)
        return throw(stage, hand, seat, think(stage, seat, now_s))
    if dice < manner.throws_through:
        return _throw_through(stage, seat, tile, pick_s, seen_s)
    if dice < manner.throws_through + manner.discards_first:
        lift_s = seen_s + people.spell(seat, people.tempo.look_s, 0.5)
        thrown = throw(stage, hand, seat, lift_s)
        rack(stage, seat, tile, pick_s, max(thrown.at_s - people.between(0.0, 0.3), lift_s) + people.between(0.15, 2.5))
        return thrown
    rest_s = seen_s
    if people.chance(manner.rests_on_ledge):
        rest_s = _rest_on_ledge(stage, seat, tile, pick_s, seen_s)
        pick_s = rest_s
    racked_s = rack(stage, seat, tile, pick_s, rest_s + people.spell(seat, people.tempo.look_s, 0.5))
    now_s = claims.maybe_exchange(stage, hand, seat, racked_s)
    return throw(stage, hand, seat, think(stage, seat, now_s))


def _throw_through(stage: Stage, seat: Place, tile: int, pick_s: float, seen_s: float) -> Discard:
    people = stage.people
    at_s = seen_s + people.spell(seat, people.tempo.reach_s)
    stage.carry(seat, tile, pick_s, at_s, FLOOR)
    event = TruthEvent(at=at_s, kind="discarded", seat=seat, tile=str(tile), lifted=pick_s, through=True)
    stage.referee.log(event)
    return Discard(tile, seat, at_s)


def _rest_on_ledge(stage: Stage, seat: Place, tile: int, pick_s: float, seen_s: float) -> float:
    """The picked tile is laid on top of the rack a while, which is not racking it; returns when it is lifted again."""
    people = stage.people
    laid_s = stage.carry(seat, tile, pick_s, seen_s + 0.1, Spot(Surface.LEDGE, seat))
    return laid_s + people.between(0.4, 2.0)


# -- claims spoken -----------------------------------------------------------------------------------------------------


def speak(stage: Stage, hand: Hand, last: Discard, caller: Place) -> float:
    """A call in good time, with or without the button, before or after the next player has picked; returns when."""
    people = stage.people
    said_s = max(last.at_s + people.spell(caller, 0.7, 0.6), hand.not_before_s)
    picker = hand.next_after(last.seat)
    if picker != caller and stage.wall and people.chance(0.35):
        said_s = _pick_and_return(stage, hand, last, picker)
    fidget(stage, caller, said_s - 0.15)
    button = people.chance(0.8)
    if button:
        stage.press(caller, ButtonName.CALL, said_s)
        if people.chance(0.06):
            # Not sure that it was heard: the button is pressed again.
            stage.press(caller, ButtonName.CALL, said_s + people.between(0.6, 1.5))
        _rival(stage, hand, last, caller, said_s)
    via = "button" if button else "exposure"
    stage.referee.log(TruthEvent(at=said_s, kind="called", seat=caller, tile=str(last.tile), via=via))
    return said_s


def _rival(stage: Stage, hand: Hand, last: Discard, caller: Place, said_s: float) -> None:
    """Now and then two want the same discard; the one nearer in turn gets it."""
    people = stage.people

    def distance(seat: Place) -> int:
        return (SEATS.index(seat) - SEATS.index(last.seat)) % 4

    farther = [s for s in SEATS if s != last.seat and s not in hand.dead and distance(s) > distance(caller)]
    if farther and people.chance(0.08):
        rival = stage.some_seat(farther)
        rival_s = max(last.at_s + 0.05, said_s + people.between(-0.2, 0.5))
        stage.press(rival, ButtonName.CALL, rival_s)
        stage.referee.log(TruthEvent(at=rival_s, kind="called", seat=rival, tile=str(last.tile), via="button"))


def _pick_and_return(stage: Stage, hand: Hand, last: Discard, picker: Place) -> float:
    """The next player has the tile in the hand, not racked, when the call comes; it goes back. Returns the call."""
    people = stage.people
    pick_s = reach(stage, hand, last, picker)
    tile = draw(stage, hand, picker, pick_s)
    seen_s = look(stage, picker, tile, pick_s)
    said_s = people.between(pick_s + 0.1, seen_s)
    back_s = max(seen_s, said_s + 0.2) + people.spell(picker, people.tempo.reach_s * 1.3)
    give_back(stage, picker, tile, pick_s, back_s)
    return said_s


def give_back(stage: Stage, seat: Place, tile: int, lift_s: float, back_s: float) -> None:
    """A picked tile goes back to the wall's end, to be picked next."""
    source = stage.spot(tile)
    wall = Spot(Surface.WALL, source.seat if source.surface is Surface.WALL else seat)
    stage.carry(seat, tile, lift_s, back_s, wall)
    stage.wall.append(tile)
    stage.returned = True
    stage.referee.log(TruthEvent(at=back_s, kind="returned", seat=seat, tile=str(tile)))


def race(stage: Stage, hand: Hand, last: Discard, caller: Place, *, simultaneous: bool) -> float:
    """A call within 20 ms of the next player's racking, or a little before it; the tile goes back. Returns the call."""
    people = stage.people
    picker = hand.next_after(last.seat)
    pick_s = reach(stage, hand, last, picker)
    tile = draw(stage, hand, picker, pick_s)
    seen_s = look(stage, picker, tile, pick_s)
    racked_s = rack(stage, picker, tile, pick_s, seen_s + people.spell(picker, people.tempo.look_s) + 0.2)
    if simultaneous:
        said_s = racked_s + people.between(-SIMULTANEOUS_WITHIN_S, SIMULTANEOUS_WITHIN_S)
    else:
        said_s = max(racked_s - people.between(*EARLY_S), last.at_s + 0.1)
    fidget(stage, caller, min(said_s, racked_s) - 0.15)
    stage.press(caller, ButtonName.CALL, said_s)
    kind = "simultaneous" if simultaneous else "close_call"
    stage.referee.log(TruthEvent(at=said_s, kind=kind, seat=caller, racked=racked_s, by=picker.value))
    lift_s = racked_s + people.between(0.5, 1.8)
    give_back(stage, picker, tile, lift_s, lift_s + people.spell(picker, people.tempo.reach_s))
    return max(said_s, racked_s)


def discard_after_claim(stage: Stage, hand: Hand, seat: Place, shown_s: float) -> Discard:
    """The claimer may exchange jokers, thinks, and throws."""
    now_s = claims.maybe_exchange(stage, hand, seat, shown_s)
    return throw(stage, hand, seat, think(stage, seat, now_s))


def pick_and_declare(stage: Stage, hand: Hand, last: Discard, seat: Place) -> float:
    """The winner's own pick, racked, thought about, and declared; returns when."""
    pick_s = reach(stage, hand, last, seat)
    tile = draw(stage, hand, seat, pick_s)
    seen_s = look(stage, seat, tile, pick_s)
    racked_s = rack(stage, seat, tile, pick_s, seen_s + stage.people.between(0.1, 0.5))
    declared_s = think(stage, seat, racked_s)
    claims.declare(stage, seat, declared_s)
    return declared_s
