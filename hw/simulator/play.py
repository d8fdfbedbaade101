"""Picking, discarding, calling: the play of one hand, turn by turn (procedure, rows 4-12).

Owns the order of play: who acts next, which discards are claimed, when the hand ends. The gestures themselves are in
`turns` and `claims`, what goes wrong in `mischief`. Script stage three: deal -> charleston -> **play** -> ending.
"""

from msgspec import Struct

from firmware_bridge.messages import ButtonName, Place
from hw.simulator import claims, mischief, turns
from hw.simulator.fidgets import fidget
from hw.simulator.options import Ending, RuleFault
from hw.simulator.physical import SEATS
from hw.simulator.stage import Stage
from hw.simulator.state import Discard, Hand
from hw.simulator.truth import TruthEvent, TruthFault

_CLAIM_RATE = 0.25
"""Share of discards that somebody claims where he can (our choice; two to five exposures a hand)."""
_MISPRESS_RATE = 0.02
"""Share of discards after which a call button is pressed by mistake and nothing follows (our choice)."""

_QUESTION_RATE = 0.005
"""Share of discards after which a director is called for a question (our choice)."""


class Played(Struct, frozen=True):
    """How play ended: when, by whom (None: the wall ran out, or the recording stops), and how."""

    at_s: float
    winner: Place | None
    ending: Ending


def play(stage: Stage, east: Place, fault: RuleFault | None, ending: Ending, from_s: float) -> Played:
    """Play from East's first discard until the hand ends the way it is to."""
    hand = Hand(east)
    pending = mischief.plan(stage, fault)
    last = turns.first_discard(stage, hand, from_s)
    stage.referee.log(TruthEvent(at=last.at_s, kind="play_started", seat=east))
    _log_short(stage, last.at_s)
    while True:
        hand.discards += 1
        if hand.discards >= stage.options.discards and not pending.times and not hand.dies_at_s:
            if fault is RuleFault.MAH_JONGG_IN_ERROR:
                return Played(mischief.declare_in_error(stage, hand, last), None, ending)
            if ending is Ending.OPEN:
                return Played(last.at_s, None, ending)
            won = _win(stage, hand, last) if ending is Ending.MAH_JONGG else None
            if won is not None:
                return won
        taken = _claimed(stage, hand, last, pending)
        if taken is None and not stage.wall:
            return Played(last.at_s + stage.people.between(3.0, 9.0), None, Ending.WALL)
        last = taken or _next_turn(stage, hand, last, pending)


def _log_short(stage: Stage, at_s: float) -> None:
    """A wrong number that East's first discard makes final, unless the hand is to be thrown in anyway."""
    if any(fault.kind == "redeal" for fault in stage.referee.faults):
        return
    for seat in SEATS:
        if stage.held(seat) != 13:
            n = stage.held(seat)
            stage.referee.fault(TruthFault(at=at_s, kind="wrong_count", seat=seat, count=n, expected=13, phase="play"))


def _claimed(stage: Stage, hand: Hand, last: Discard, pending: mischief.Pending) -> Discard | None:
    """Let somebody claim the discard if he can and will; returns the claimer's own discard."""
    fault = pending.due(hand, mischief.CLAIM_FAULTS)
    if fault is None and not stage.people.chance(_CLAIM_RATE):
        _mispress(stage, hand, last)
        _ask_director(stage, last)
        return None
    picker = hand.next_after(last.seat)
    racing = fault in (RuleFault.SIMULTANEOUS_CALL, RuleFault.EARLY_CALL)
    claim = claims.find(stage, hand, last, barred=picker if racing else None)
    if claim is None or (racing and not stage.wall):
        return None
    if fault is not None:
        pending.times -= 1
    if racing:
        simultaneous = fault is RuleFault.SIMULTANEOUS_CALL
        spoken_s = turns.race(stage, hand, last, claim.seat, simultaneous=simultaneous)
    else:
        spoken_s = turns.speak(stage, hand, last, claim.seat)
    shown_s = claims.expose(stage, hand, last, claim, spoken_s, wrong=fault is RuleFault.WRONG_EXPOSURE)
    return turns.discard_after_claim(stage, hand, claim.seat, shown_s)


def _mispress(stage: Stage, hand: Hand, last: Discard) -> None:
    """Now and then a call button is touched by mistake and taken back at once."""
    people = stage.people
    if not people.chance(_MISPRESS_RATE):
        return
    seat = stage.some_seat([seat for seat in SEATS if seat != last.seat and seat not in hand.dead])
    down_s = last.at_s + people.between(0.2, 0.9)
    stage.press(seat, ButtonName.CALL, down_s)
    stage.referee.log(TruthEvent(at=down_s, kind="called", seat=seat, tile=str(last.tile), via="button"))
    withdrawn_s = down_s + people.between(0.6, 1.8)
    stage.enter(withdrawn_s, seat.value, '{"input":"call_withdrawn","by":"director"}')
    stage.referee.log(TruthEvent(at=withdrawn_s, kind="call_withdrawn", seat=seat))
    hand.not_before_s = withdrawn_s + 0.2


def _ask_director(stage: Stage, last: Discard) -> None:
    """Somebody has a question; play goes on."""
    if stage.people.chance(_QUESTION_RATE):
        seat, at_s = stage.some_seat(list(SEATS)), last.at_s + stage.people.between(0.2, 2.0)
        stage.press(seat, ButtonName.DIRECTOR, at_s)
        stage.referee.log(TruthEvent(at=at_s, kind="director_called", seat=seat))


def _next_turn(stage: Stage, hand: Hand, last: Discard, pending: mischief.Pending) -> Discard:
    mischief.enter_deaths(stage, hand, last.at_s)
    seat = hand.next_after(last.seat)
    fault = pending.due(hand, mischief.TURN_FAULTS)
    match fault:
        case RuleFault.LATE_CALL:
            pending.times -= 1
            return mischief.late_call(stage, hand, last, seat)
        case RuleFault.OUT_OF_TURN:
            pending.times -= 1
            mischief.act_unasked(stage, hand, last, hand.next_after(seat), "out_of_turn")
        case None:
            pass
        case _ if seat not in hand.wrong and len(stage.wall) > 2:
            pending.times -= 1
            return mischief.wrong_number(stage, hand, last, seat, fault)
        case _:
            pass
    if pending.fault is RuleFault.DEAD_HAND_ACTS and hand.dead and not hand.acted_dead:
        for dead in hand.dead:
            hand.acted_dead = True
            mischief.act_unasked(stage, hand, last, dead, "dead_hand_acts")
    return turns.turn(stage, hand, last, seat)


def _win(stage: Stage, hand: Hand, last: Discard) -> Played | None:
    """Somebody declares mah jongg: on this discard or on the own pick. None where nobody may."""
    people = stage.people
    able = [s for s in SEATS if s != last.seat and s not in hand.dead and s not in hand.wrong and stage.held(s) == 13]
    on_discard = people.chance(0.4)
    seat = hand.next_after(last.seat)
    if on_discard and able:
        seat = stage.some_seat(able)
    if seat not in able or (not on_discard and not stage.wall):
        return None
    if on_discard:
        declared_s = max(last.at_s + people.between(0.3, 1.8), hand.not_before_s)
        fidget(stage, seat, declared_s - 0.2)
        claims.declare(stage, seat, declared_s)
        shown_s = claims.take_for_mah_jongg(stage, seat, last, declared_s)
    else:
        shown_s = turns.pick_and_declare(stage, hand, last, seat)
    return Played(claims.show_hand(stage, seat, shown_s), seat, Ending.MAH_JONGG)
