"""The gestures of a turn: reach, look, tap, rack, think, throw; and the turns that go wrong.

Owns human motion between a discard and the next. Whose turn it is and what is claimed is decided in `play`.
"""

from firmware_bridge.messages import ButtonName, Place
from hw.simulator import claims
from hw.simulator.fidgets import fidget, sort_once, to_slope
from hw.simulator.options import Pace
from hw.simulator.physical import SEATS, Spot, Surface
from hw.simulator.stage import FLOOR, Stage
from hw.simulator.state import Discard, Hand
from hw.simulator.truth import TruthEvent, TruthFault

SIMULTANEOUS_WITHIN_S = 0.02
EARLY_S = (0.15, 0.6)
LATE_S = (0.6, 1.4)
"""How far a call lies from the racking it races with (contract: spec of cases)."""


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


def speak(stage: Stage, hand: Hand, last: Discard, picker: Place, caller: Place) -> float:
    """A call in good time, with or without the button, before or after the next player has picked; returns when."""
    people = stage.people
    said_s = max(last.at_s + people.spell(caller, 0.7, 0.6), hand.not_before_s)
    if picker != caller and stage.wall and people.chance(0.35):
        said_s = _pick_and_return(stage, hand, last, picker, caller)
    fidget(stage, caller, said_s - 0.15)
    button = people.chance(0.8)
    if button:
        stage.press(caller, ButtonName.CALL, said_s)
        rivals = [s for s in SEATS if s not in (caller, last.seat) and s not in hand.dead]
        farther = [s for s in rivals if _distance(last.seat, s) > _distance(last.seat, caller)]
        if farther and people.chance(0.08):
            # Two want it; the one nearer in turn gets it.
            rival = stage.some_seat(farther)
            rival_s = said_s + people.between(-0.2, 0.5)
            stage.press(rival, ButtonName.CALL, rival_s)
            stage.referee.log(TruthEvent(at=rival_s, kind="called", seat=rival, tile=str(last.tile), via="button"))
        stage.referee.log(TruthEvent(at=said_s, kind="called", seat=caller, tile=str(last.tile), via="button"))
    else:
        stage.referee.log(TruthEvent(at=said_s, kind="called", seat=caller, tile=str(last.tile), via="exposure"))
    return said_s


def _distance(discarder: Place, seat: Place) -> int:
    return (SEATS.index(seat) - SEATS.index(discarder)) % 4


def _pick_and_return(stage: Stage, hand: Hand, last: Discard, picker: Place, caller: Place) -> float:
    """The next player has the tile in the hand, not racked, when the call comes; it goes back. Returns the call's time."""
    people = stage.people
    pick_s = reach(stage, hand, last, picker)
    tile = draw(stage, hand, picker, pick_s)
    seen_s = look(stage, picker, tile, pick_s)
    said_s = people.between(pick_s + 0.1, seen_s)
    back_s = max(seen_s, said_s + 0.2) + people.spell(picker, people.tempo.reach_s * 1.3)
    _give_back(stage, picker, tile, pick_s, back_s)
    fidget(stage, caller, said_s - 0.15)
    return said_s


def _give_back(stage: Stage, seat: Place, tile: int, lift_s: float, back_s: float) -> None:
    """A picked tile goes back to the wall's end, to be picked next."""
    source = stage.spot(tile)
    wall = Spot(Surface.WALL, source.seat if source.surface is Surface.WALL else seat)
    stage.carry(seat, tile, lift_s, back_s, wall)
    stage.wall.append(tile)
    stage.returned = True
    stage.referee.log(TruthEvent(at=back_s, kind="returned", seat=seat, tile=str(tile)))


def race(stage: Stage, last: Discard, picker: Place, caller: Place, *, simultaneous: bool) -> float:
    """A call within 20 ms of the next player's racking, or a little before it; the tile goes back. Returns the call."""
    people = stage.people
    hand = Hand(picker)
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
    _give_back(stage, picker, tile, lift_s, lift_s + people.spell(picker, people.tempo.reach_s))
    return max(said_s, racked_s)


def discard_after_claim(stage: Stage, hand: Hand, seat: Place, shown_s: float) -> Discard:
    """The claimer may exchange jokers, thinks, and throws."""
    now_s = claims.maybe_exchange(stage, hand, seat, shown_s)
    return throw(stage, hand, seat, think(stage, seat, now_s))


def rack_and_declare(stage: Stage, seat: Place, picked_s: float) -> float:
    """The winner's own pick: racked or not, then declared; returns when declared."""
    tile = draw(stage, Hand(seat), seat, picked_s)
    seen_s = look(stage, seat, tile, picked_s)
    racked_s = rack(stage, seat, tile, picked_s, seen_s + 0.3)
    declared_s = think(stage, seat, racked_s)
    claims.declare(stage, seat, declared_s)
    return declared_s


# -- turns that go wrong -----------------------------------------------------------------------------------------------


def wrong_pick(stage: Stage, hand: Hand, last: Discard, seat: Place, picks: int) -> Discard:
    """Two tiles picked, or none, and one discarded."""
    people = stage.people
    now_s = reach(stage, hand, last, seat)
    for _ in range(picks):
        tile = draw(stage, hand, seat, now_s)
        now_s = rack(stage, seat, tile, now_s, now_s + people.spell(seat, people.tempo.reach_s + people.tempo.look_s))
        now_s += people.between(0.3, 1.0)
    return throw(stage, hand, seat, think(stage, seat, now_s))


def late_call(stage: Stage, hand: Hand, last: Discard, seat: Place) -> Discard:
    """A lawful turn during which somebody calls the last discard after the picked tile was racked; it is not granted."""
    people = stage.people
    pick_s = reach(stage, hand, last, seat)
    tile = draw(stage, hand, seat, pick_s)
    seen_s = look(stage, seat, tile, pick_s)
    racked_s = rack(stage, seat, tile, pick_s, seen_s + people.spell(seat, people.tempo.look_s))
    caller = stage.some_seat([s for s in SEATS if s not in (seat, last.seat) and s not in hand.dead])
    said_s = racked_s + people.between(*LATE_S)
    stage.press(caller, ButtonName.CALL, said_s)
    stage.referee.fault(TruthFault(at=said_s, kind="late_call", seat=caller, racked=racked_s, by=seat.value))
    lift_s = max(think(stage, seat, racked_s), said_s + people.between(1.0, 3.0))
    return throw(stage, hand, seat, lift_s)


def out_of_turn(stage: Stage, hand: Hand, last: Discard, seat: Place) -> None:
    """A seat whose turn it is not picks and racks; the table notices and the tile goes back."""
    people = stage.people
    pick_s = reach(stage, hand, last, seat)
    tile = draw(stage, hand, seat, pick_s)
    seen_s = look(stage, seat, tile, pick_s, tapping=False)
    racked_s = rack(stage, seat, tile, pick_s, seen_s + 0.2)
    stage.referee.fault(TruthFault(at=racked_s, kind="out_of_turn", seat=seat))
    lift_s = racked_s + people.between(2.0, 4.0)
    back_s = lift_s + people.spell(seat, people.tempo.reach_s)
    _give_back(stage, seat, tile, lift_s, back_s)
    hand.not_before_s = back_s + people.between(0.5, 2.0)
