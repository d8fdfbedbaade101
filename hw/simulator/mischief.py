"""What people do wrong at the table, each with its entry in the referee's log (contract: spec of cases and outputs).

Owns the unlawful turns of play; the unlawful deals and passes are in `deal` and `charleston`. `play` asks which fault
is due and calls it at the right moment.
"""

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place
from hw.simulator import claims, turns
from hw.simulator.options import RuleFault
from hw.simulator.physical import SEATS
from hw.simulator.stage import Stage
from hw.simulator.state import Discard, Hand
from hw.simulator.truth import TruthEvent, TruthFault

LATE_S = (0.6, 1.4)
"""How long after the racking a late call comes (contract: spec of cases)."""
_DEATH_AFTER_S = (16.0, 24.0)
"""How long after the wrong discard another player declares the hand dead; the handed case takes 20 s."""

CLAIM_FAULTS = frozenset({RuleFault.SIMULTANEOUS_CALL, RuleFault.EARLY_CALL, RuleFault.WRONG_EXPOSURE})
_NUMBER_FAULTS = frozenset(
    {
        RuleFault.DOUBLE_PICK,
        RuleFault.NO_PICK,
        RuleFault.TWO_WRONG_IN_PLAY,
        RuleFault.DECLARED_DEAD,
        RuleFault.DEAD_HAND_ACTS,
        RuleFault.OWN_DEATH,
        RuleFault.MAH_JONGG_IN_ERROR,
    }
)
_DEADLY = frozenset({RuleFault.DECLARED_DEAD, RuleFault.DEAD_HAND_ACTS, RuleFault.OWN_DEATH})
TURN_FAULTS = _NUMBER_FAULTS | {RuleFault.LATE_CALL, RuleFault.OUT_OF_TURN}


class Pending(Struct):
    """The fault of play still to come: from which discard on, and how many times."""

    fault: RuleFault | None
    from_discard: int
    times: int

    def due(self, hand: Hand, among: frozenset[RuleFault]) -> RuleFault | None:
        """The fault, if its time has come and it is one of these."""
        if self.times > 0 and self.fault in among and hand.discards >= self.from_discard:
            return self.fault
        return None


def plan(stage: Stage, fault: RuleFault | None) -> Pending:
    """When the fault of play is to happen: early enough that something follows it."""
    from_discard = int(stage.rng.integers(3, max(4, min(9, stage.options.discards - 5))))
    if fault not in CLAIM_FAULTS | TURN_FAULTS:
        return Pending(None, from_discard, 0)
    return Pending(fault, from_discard, 2 if fault is RuleFault.TWO_WRONG_IN_PLAY else 1)


def wrong_number(stage: Stage, hand: Hand, last: Discard, seat: Place, fault: RuleFault) -> Discard:
    """A turn that leaves its seat with a wrong number of tiles: two picked or none, one discarded."""
    people = stage.people
    now_s = turns.reach(stage, hand, last, seat)
    none = fault is RuleFault.NO_PICK or (fault is RuleFault.TWO_WRONG_IN_PLAY and people.chance(0.5))
    for _ in range(0 if none else 2):
        tile = turns.draw(stage, hand, seat, now_s)
        landed_s = now_s + people.spell(seat, people.tempo.reach_s + people.tempo.look_s)
        now_s = turns.rack(stage, seat, tile, now_s, landed_s) + people.between(0.3, 1.0)
    thrown = turns.throw(stage, hand, seat, turns.think(stage, seat, now_s))
    hand.wrong.add(seat)
    n = stage.held(seat)
    stage.referee.fault(TruthFault(at=thrown.at_s, kind="wrong_count", seat=seat, count=n, expected=13, phase="play"))
    if fault in _DEADLY:
        hand.dies_at_s[seat] = thrown.at_s + people.between(*_DEATH_AFTER_S)
        hand.dies_by_itself = fault is RuleFault.OWN_DEATH
    return thrown


def enter_deaths(stage: Stage, hand: Hand, now_s: float) -> None:
    """A hand is declared dead, by another player as is right or by its own, and the director enters it."""
    people = stage.people
    for seat, at_s in list(hand.dies_at_s.items()):
        if at_s > now_s + 1.0:
            continue
        entered_s = max(at_s, now_s + 0.3, stage.idle_from_s[seat] + 0.3)
        others = [other for other in SEATS if other != seat and other not in hand.wrong]
        by = seat if hand.dies_by_itself else stage.some_seat(others)
        if people.chance(0.5):
            asked_s = entered_s - people.between(3.0, 8.0)
            stage.press(by, ButtonName.DIRECTOR, asked_s)
            stage.referee.log(TruthEvent(at=asked_s, kind="director_called", seat=by))
        stage.enter(entered_s, seat.value, f'{{"input":"dead","by":"{by.value}"}}')
        del hand.dies_at_s[seat]
        hand.not_before_s = entered_s + 0.8
        if by == seat:
            stage.referee.fault(TruthFault(at=entered_s, kind="invalid_declaration", seat=seat, by=by.value))
        else:
            stage.referee.log(TruthEvent(at=entered_s, kind="dead", seat=seat, by=by.value))
            hand.dead.add(seat)


def late_call(stage: Stage, hand: Hand, last: Discard, seat: Place) -> Discard:
    """A lawful turn in which somebody calls the last discard after the pick was racked; the call is not granted."""
    people = stage.people
    pick_s = turns.reach(stage, hand, last, seat)
    tile = turns.draw(stage, hand, seat, pick_s)
    seen_s = turns.look(stage, seat, tile, pick_s)
    racked_s = turns.rack(stage, seat, tile, pick_s, seen_s + people.spell(seat, people.tempo.look_s))
    caller = stage.some_seat([s for s in SEATS if s not in (seat, last.seat) and s not in hand.dead])
    said_s = racked_s + people.between(*LATE_S)
    stage.press(caller, ButtonName.CALL, said_s)
    stage.referee.fault(TruthFault(at=said_s, kind="late_call", seat=caller, racked=racked_s, by=seat.value))
    lift_s = max(turns.think(stage, seat, racked_s), said_s + people.between(1.0, 3.0))
    return turns.throw(stage, hand, seat, lift_s)


def act_unasked(stage: Stage, hand: Hand, last: Discard, seat: Place, kind: str) -> None:
    """A seat whose turn it is not, or whose hand is dead, picks and racks; the table notices and the tile goes back."""
    people = stage.people
    pick_s = turns.reach(stage, hand, last, seat)
    tile = turns.draw(stage, hand, seat, pick_s)
    seen_s = turns.look(stage, seat, tile, pick_s, tapping=False)
    racked_s = turns.rack(stage, seat, tile, pick_s, seen_s + 0.2)
    stage.referee.fault(TruthFault(at=racked_s, kind=kind, seat=seat))
    lift_s = racked_s + people.between(2.0, 4.0)
    back_s = lift_s + people.spell(seat, people.tempo.reach_s)
    turns.give_back(stage, seat, tile, lift_s, back_s)
    hand.not_before_s = back_s + people.between(0.5, 2.0)


def declare_in_error(stage: Stage, hand: Hand, last: Discard) -> float:
    """The seat with the wrong number declares mah jongg on its own turn and shows it; returns when it is shown."""
    while hand.next_after(last.seat) not in hand.wrong and stage.wall:
        last = turns.turn(stage, hand, last, hand.next_after(last.seat))
    seat = hand.next_after(last.seat)
    pick_s = turns.reach(stage, hand, last, seat)
    tile = turns.draw(stage, hand, seat, pick_s)
    seen_s = turns.look(stage, seat, tile, pick_s)
    racked_s = turns.rack(stage, seat, tile, pick_s, seen_s + 0.3)
    declared_s = turns.think(stage, seat, racked_s)
    claims.declare(stage, seat, declared_s, button=True)
    stage.referee.fault(TruthFault(at=declared_s, kind="invalid_declaration", seat=seat))
    return claims.show_hand(stage, seat, declared_s)
