"""Picking, discarding, calling: the play of one hand, turn by turn (procedure, rows 4-12).

Owns the order of play and what the referee logs of it. The gestures themselves are in `turns` (a turn's own moves) and
`claims` (exposures and joker exchanges). Script stage three: deal -> charleston -> **play** -> ending.
"""

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place
from hw.simulator import claims, turns
from hw.simulator.fidgets import fidget
from hw.simulator.options import Ending, Options, RuleFault
from hw.simulator.physical import SEATS, right_of
from hw.simulator.stage import Stage
from hw.simulator.state import Discard, Hand
from hw.simulator.truth import TruthEvent, TruthFault

_CLAIM_RATE = 0.25
"""Share of discards that somebody claims where he can (our choice; two to five exposures a hand)."""
_MISPRESS_RATE = 0.02
"""Share of discards after which a call button is pressed by mistake and nothing follows (our choice)."""

_PLAY_FAULTS = frozenset(
    {
        RuleFault.DOUBLE_PICK,
        RuleFault.NO_PICK,
        RuleFault.TWO_WRONG_IN_PLAY,
        RuleFault.DECLARED_DEAD,
        RuleFault.LATE_CALL,
        RuleFault.SIMULTANEOUS_CALL,
        RuleFault.EARLY_CALL,
        RuleFault.WRONG_EXPOSURE,
        RuleFault.OUT_OF_TURN,
    }
)


class Played(Struct, frozen=True):
    """How play ended: when, by whom (None: the wall ran out, or the recording stops), and how."""

    at_s: float
    winner: Place | None
    ending: Ending


class _Pending(Struct):
    """The rule fault that is still to come, from which discard on, and how often."""

    fault: RuleFault | None
    from_discard: int
    times: int


def play(stage: Stage, east: Place, options: Options, ending: Ending, from_s: float) -> Played:
    """Play from East's first discard until the hand ends the way it is to."""
    fault = options.rule_fault if options.rule_fault in _PLAY_FAULTS else None
    times = 2 if fault is RuleFault.TWO_WRONG_IN_PLAY else 1
    latest = max(4, min(9, options.discards - 5))
    pending = _Pending(fault, int(stage.rng.integers(3, latest)), times)
    hand = Hand(east)
    last = turns.first_discard(stage, hand, from_s)
    stage.referee.log(TruthEvent(at=last.at_s, kind="play_started", seat=east))
    _log_short(stage, east, last.at_s)
    while True:
        hand.discards += 1
        done = (hand.discards >= options.discards and pending.times == 0) or (
            pending.fault is None and hand.discards >= options.discards
        )
        if done and ending is Ending.OPEN:
            return Played(last.at_s, None, ending)
        if done and ending is Ending.MAH_JONGG:
            won = _win(stage, hand, last)
            if won is not None:
                return won
        taken = _claimed(stage, hand, last, pending)
        if taken is None and not stage.wall:
            return Played(last.at_s + stage.people.between(3.0, 9.0), None, Ending.WALL)
        if taken is None:
            taken = _next_turn(stage, hand, last, pending)
        last = taken


def _log_short(stage: Stage, east: Place, at_s: float) -> None:
    """A wrong number that East's first discard makes final."""
    if any(f.kind == "redeal" for f in stage.referee.faults):
        return
    for seat in SEATS:
        if stage.held(seat) != 13:
            stage.referee.fault(
                TruthFault(at=at_s, kind="wrong_count", seat=seat, count=stage.held(seat), expected=13, phase="play")
            )


def _due(pending: _Pending, hand: Hand, *faults: RuleFault) -> bool:
    return pending.times > 0 and pending.fault in faults and hand.discards >= pending.from_discard


# -- claims ------------------------------------------------------------------------------------------------------------


def _claimed(stage: Stage, hand: Hand, last: Discard, pending: _Pending) -> Discard | None:
    """Let somebody claim the discard if he can and will; returns the claimer's own discard."""
    people = stage.people
    forced = _due(pending, hand, RuleFault.SIMULTANEOUS_CALL, RuleFault.EARLY_CALL, RuleFault.WRONG_EXPOSURE)
    if not forced and not people.chance(_CLAIM_RATE):
        _mispress(stage, hand, last)
        return None
    wrong = forced and pending.fault is RuleFault.WRONG_EXPOSURE
    picker = hand.next_after(last.seat)
    racing = forced and not wrong
    claim = claims.find(stage, hand, last, barred=picker if racing else None)
    if claim is None or (racing and not stage.wall):
        return None
    if forced:
        pending.times -= 1
    if racing:
        simultaneous = pending.fault is RuleFault.SIMULTANEOUS_CALL
        spoken_s = turns.race(stage, last, picker, claim.seat, simultaneous=simultaneous)
    else:
        spoken_s = turns.speak(stage, hand, last, picker, claim.seat)
    shown_s = claims.expose(stage, hand, last, claim, spoken_s, wrong=wrong)
    return turns.discard_after_claim(stage, hand, claim.seat, shown_s)


def _mispress(stage: Stage, hand: Hand, last: Discard) -> None:
    """Now and then a call button is touched by mistake and taken back at once."""
    people = stage.people
    seats = [seat for seat in SEATS if seat != last.seat and seat not in hand.dead]
    if not people.chance(_MISPRESS_RATE) or hand.discards < 2:
        return
    seat = stage.some_seat(seats)
    down_s = last.at_s + people.between(0.2, 0.9)
    stage.press(seat, ButtonName.CALL, down_s)
    stage.referee.log(TruthEvent(at=down_s, kind="called", seat=seat, tile=str(last.tile), via="button"))
    withdrawn_s = down_s + people.between(0.6, 1.8)
    stage.enter(withdrawn_s, seat.value, '{"input":"call_withdrawn","by":"director"}')
    stage.referee.log(TruthEvent(at=withdrawn_s, kind="call_withdrawn", seat=seat))
    hand.not_before_s = withdrawn_s + 0.2


# -- turns -------------------------------------------------------------------------------------------------------------


def _next_turn(stage: Stage, hand: Hand, last: Discard, pending: _Pending) -> Discard:
    seat = hand.next_after(last.seat)
    if _due(pending, hand, RuleFault.OUT_OF_TURN):
        pending.times -= 1
        turns.out_of_turn(stage, hand, last, hand.next_after(seat))
    wrong_number = _due(
        pending, hand, RuleFault.DOUBLE_PICK, RuleFault.NO_PICK, RuleFault.DECLARED_DEAD, RuleFault.TWO_WRONG_IN_PLAY
    )
    if wrong_number and seat not in hand.wrong and len(stage.wall) >= 2:
        pending.times -= 1
        picks = 2
        if pending.fault is RuleFault.NO_PICK or (
            pending.fault is RuleFault.TWO_WRONG_IN_PLAY and stage.people.chance(0.5)
        ):
            picks = 0
        thrown = turns.wrong_pick(stage, hand, last, seat, picks)
        hand.wrong.add(seat)
        count = stage.held(seat)
        stage.referee.fault(
            TruthFault(at=thrown.at_s, kind="wrong_count", seat=seat, count=count, expected=13, phase="play")
        )
        if pending.fault is RuleFault.DECLARED_DEAD:
            hand.dies_at_s[seat] = thrown.at_s + stage.people.between(16.0, 24.0)
        return thrown
    late = _due(pending, hand, RuleFault.LATE_CALL)
    if late:
        pending.times -= 1
        return turns.late_call(stage, hand, last, seat)
    _die(stage, hand, last.at_s)
    seat = hand.next_after(last.seat)
    return turns.turn(stage, hand, last, seat)


def _die(stage: Stage, hand: Hand, now_s: float) -> None:
    """Another player has declared a hand dead, and the director enters it."""
    for seat, at_s in list(hand.dies_at_s.items()):
        if at_s <= now_s + 1.0:
            entered_s = max(at_s, now_s + 0.3)
            by = stage.some_seat([other for other in SEATS if other != seat and other not in hand.wrong])
            stage.enter(entered_s, seat.value, f'{{"input":"dead","by":"{by.value}"}}')
            stage.referee.log(TruthEvent(at=entered_s, kind="dead", seat=seat, by=by.value))
            del hand.dies_at_s[seat]
            hand.dead.add(seat)
            hand.not_before_s = entered_s + 0.8


def _win(stage: Stage, hand: Hand, last: Discard) -> Played | None:
    """Somebody declares mah jongg: on this discard or on the own pick. None where nobody may."""
    people = stage.people
    picker = hand.next_after(last.seat)
    able = [s for s in SEATS if s != last.seat and s not in hand.dead and s not in hand.wrong and stage.held(s) == 13]
    if not able:
        return None
    on_discard = people.chance(0.4)
    seat = stage.some_seat(able) if on_discard else picker
    if seat not in able or (not on_discard and not stage.wall):
        return None
    if on_discard:
        declared_s = max(last.at_s + people.between(0.3, 1.8), hand.not_before_s)
        fidget(stage, seat, declared_s - 0.2)
        claims.declare(stage, seat, declared_s)
        shown_s = claims.take_for_mah_jongg(stage, seat, last, declared_s)
    else:
        picked_s = turns.reach(stage, hand, last, seat)
        declared_s = turns.rack_and_declare(stage, seat, picked_s)
        shown_s = declared_s
    shown_s = claims.show_hand(stage, seat, shown_s)
    return Played(shown_s, seat, Ending.MAH_JONGG)


def next_east(east: Place) -> Place:
    """East moves on to the right after every hand, whoever won."""
    return right_of(east)
