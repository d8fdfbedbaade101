"""One event, or the passing of time, moves a reading of the table on.

Owns which part of the rules each event concerns, and in what order. Knows no article and no order of knowledge: events
come in order of time, each exactly once (`ledger.py` sees to that). Pure.
"""

from math import inf

from monitor.alerts import Fact, Rule, Verdict, What
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Closing,
    CountChanged,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    EastIs,
    Exposed,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    NewHand,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Recorded,
    Returned,
    Seat,
    ThrownIn,
    Zone,
)
from monitor.rules import claim_window, conduct, procedure, tile_count
from monitor.rules.profile import Profile
from monitor.rules.state import (
    Ending,
    Entry,
    Finding,
    Hand,
    Hold,
    Phase,
    Picks,
    Reading,
    SeatView,
    Standing,
    Step,
    Turn,
    fact,
    replace,
)


def elapsed(reading: Reading, now_s: float, profile: Profile) -> Reading:
    """The reading at `now_s`, if nothing happened until then."""
    hand = reading.hand
    if now_s <= hand.due_s:
        return reading
    hand = conduct.overdue(tile_count.overdue(hand, now_s, profile), now_s)
    return replace(reading, hand=replace(hand, due_s=_due_s(hand, profile)))


def _due_s(hand: Hand, profile: Profile) -> float:
    return min(tile_count.due_s(hand, profile), min((s.due_s for s in hand.strays), default=inf))


def advanced(reading: Reading, entry: Entry, profile: Profile) -> Reading:
    """The reading after one event of the ledger."""
    event = entry.event
    reading = elapsed(reading, entry.at, profile)
    move = procedure.phase_after(reading.hand, event)
    if move is not None and move.new_hand:
        before = _over(reading.hand)
        hand = procedure.new_hand(before.number + 1, reading.next_east, before.seats)
        reading = Reading(hand=hand, before=before)
        move = procedure.phase_after(hand, event) or move
    hand = reading.hand
    if move is not None and move.to is not hand.phase:
        hand = _entered(hand, move.to, event)
    if isinstance(event, EastIs) and hand.phase is Phase.OVER:
        return replace(reading, next_east=event.seat)
    hand = _applied(hand, entry, profile)
    hand = replace(hand, due_s=_due_s(hand, profile))
    return replace(reading, hand=hand)


def _entered(hand: Hand, phase: Phase, event: Recorded) -> Hand:
    if phase is Phase.PLAY and hand.play is None:
        if isinstance(event, PlayStarted | Discarded):
            what = What.PLAY_STARTED if isinstance(event, PlayStarted) else What.DISCARDED
            return tile_count.play_began(procedure.begin_play(hand, fact(event, what)))
        return replace(hand, phase=phase)
    if phase is Phase.PLAY:
        return procedure.at_rest_again(replace(hand, phase=phase), fact(event, What.WITHDRAWN))
    if phase is Phase.OVER:
        return _over(hand)
    return replace(hand, phase=phase)


def _over(hand: Hand) -> Hand:
    return replace(tile_count.hand_over(hand), phase=Phase.OVER, strays=(), due_s=inf)


def _applied(hand: Hand, entry: Entry, profile: Profile) -> Hand:  # noqa: C901 - one line an event kind
    event, root = entry.event, entry.root
    match event:
        case HandStarted() | Dealt():
            east = event.east or event.seat
            if east is not None and hand.east is None:
                hand = replace(hand, east=east)
            if isinstance(event, Dealt):
                hand = tile_count.dealt(hand, fact(event, What.DEALT), profile)
            return hand
        case EastIs():
            return hand if event.seat is None else replace(hand, east=event.seat)
        case NewHand() | HandEnded() | ThrownIn():
            return hand
    seat = event.seat
    if seat is None or hand.phase is Phase.OVER:
        return hand
    if isinstance(event, CountChanged):
        return _rested(hand, event, seat, profile)
    match event:
        case Passed():
            return tile_count.passed(hand, fact(event, What.PASSED), seat) if hand.phase is Phase.CHARLESTON else hand
        case PlayStarted():
            return procedure.with_acting(hand, fact(event, What.PLAY_STARTED), profile)
        case Dead():
            hand = conduct.died(hand, event, root, seat)
            if hand.turn.holder is seat and hand.seat(seat).standing is Standing.DEAD:
                hand = replace(hand, turn=replace(hand.turn, holder=None, step=Step.TO_ACT, racked=None))
            return procedure.with_acting(hand, fact(event, What.DEAD), profile)
    if hand.phase not in (Phase.PLAY, Phase.DECLARED):
        return hand
    match event:
        case Picked():
            hand = _picked(hand, event, root, seat, profile)
        case Named():
            if seat is procedure.next_seat(hand, profile):
                hand = claim_window.shut_by(hand, Closing.NAMED, fact(event, What.NAMED), seat, profile)
                hand = _takes_turn(hand, event, seat)
        case Racked():
            hand = _racked(hand, event, root, seat, profile)
        case Discarded():
            hand = _discarded(hand, event, root, seat, profile)
        case Called():
            hand = _called(hand, event, root, seat, profile)
        case CallWithdrawn():
            hand = claim_window.withdrawn(hand, seat, profile)
            if hand.turn.step is Step.CALLED:
                hand = replace(hand, turn=replace(hand.turn, step=hand.turn.resumes))
        case Exposed():
            hand = _exposed(hand, event, root, seat, profile)
        case JokerExchanged():
            hand = _exchanged(hand, event, root, seat, profile)
        case Returned():
            hand = _returned(hand, seat)
        case Declared():
            hand = _declared(hand, event, root, seat, profile)
        case DeclarationWithdrawn():
            hand = conduct.declaration_withdrawn(claim_window.declaration_withdrawn(hand, seat, profile), seat)
            hand = replace(hand, turn=replace(hand.turn, step=hand.turn.resumes))
        case _:
            return hand
    return procedure.with_acting(hand, _since(event), profile)


_WHATS: dict[type[Recorded], What] = {
    Picked: What.PICKED,
    Named: What.NAMED,
    Racked: What.RACKED,
    Discarded: What.DISCARDED,
    Called: What.CALLED,
    CallWithdrawn: What.WITHDRAWN,
    Exposed: What.EXPOSED,
    JokerExchanged: What.JOKER_EXCHANGED,
    Returned: What.RETURNED,
    Declared: What.DECLARED,
    DeclarationWithdrawn: What.WITHDRAWN,
}


def _since(event: Recorded) -> Fact:
    return fact(event, _WHATS[type(event)])


def _is_guess(event: Recorded, profile: Profile) -> bool:
    return event.confidence is not None and event.confidence < profile.evidence.least_confidence


def _takes_turn(hand: Hand, event: Recorded, seat: Seat) -> Hand:
    """`seat` acts: the turn is its own from here on, as far as anyone can see."""
    turn, kind = hand.turn, type(event)
    began = turn.began if turn.holder is seat and turn.began is not None else _since(event)
    turn = replace(turn, holder=seat, began=began)
    if turn.step is Step.CALLED:
        return replace(hand, turn=replace(turn, resumes=procedure.TURN[turn.resumes].get(kind, turn.resumes)))
    return replace(hand, turn=replace(turn, step=procedure.step_after(turn, kind)))


def _beside_or_holder(hand: Hand, event: Recorded, seat: Seat) -> Hand:
    """`seat` acts: if another is certain to hold the turn, both may be in it until one discards."""
    if procedure.is_firm(hand) and hand.turn.holder is not seat:
        return replace(hand, turn=replace(hand.turn, beside=seat))
    return _takes_turn(hand, event, seat)


def _rested(hand: Hand, event: CountChanged, seat: Seat, profile: Profile) -> Hand:
    hand = tile_count.rested(hand, event, seat, profile)
    if event.zone is Zone.RACK and event.count is not None and hand.phase is Phase.PLAY:
        return claim_window.released(hand, fact(event, What.RESTED), profile)
    return hand


def _picked(hand: Hand, event: Picked, root: int, seat: Seat, profile: Profile) -> Hand:
    if _is_guess(event, profile):
        return hand
    view = hand.seat(seat)
    if view.standing is Standing.DEAD:
        return conduct.dead_hand_acts(hand, event, What.PICKED, seat)
    turn = hand.turn
    if seat not in (procedure.next_seat(hand, profile), turn.holder, turn.beside):
        hand = conduct.picked_astray(hand, event, root, seat, profile)
    if hand.picks is Picks.UNKNOWN:
        hand = replace(hand, picks=Picks.TOLD)
    hand = hand.with_seat(seat, replace(hand.seat(seat), picked=True))
    return _beside_or_holder(hand, event, seat)


def _racked(hand: Hand, event: Racked, root: int, seat: Seat, profile: Profile) -> Hand:
    if _is_guess(event, profile):
        return hand
    view, turn = hand.seat(seat), hand.turn
    if view.standing is Standing.DEAD:
        if view.died_in_turn and not view.racked:
            return hand.with_seat(seat, replace(view, racked=True))  # the tile it held when it was declared dead
        return conduct.dead_hand_acts(hand, event, What.PICKED, seat)
    if _was_held(view, event, profile):
        return hand.with_seat(seat, replace(view, holding=Hold.NO))  # after one's own discard: closes nothing
    is_next = seat is procedure.next_seat(hand, profile)
    if not is_next and seat not in (turn.holder, turn.beside):
        hand = conduct.acted_astray(hand, event, What.RACKED, root, seat, profile)
    if not view.picked and not view.racked and claim_window.claim_of(hand, seat) is None:
        hand = conduct.picks_are_not_all_told(hand)
    if is_next:
        hand = claim_window.racked(hand, fact(event, What.RACKED), seat, profile)
    hand = _beside_or_holder(hand, event, seat)
    if hand.turn.holder is seat:
        hand = replace(hand, turn=replace(hand.turn, racked=fact(event, What.RACKED)))
    return hand.with_seat(seat, replace(hand.seat(seat), racked=True, holding=Hold.NO))


def _was_held(view: SeatView, event: Racked, profile: Profile) -> bool:
    """Whether the racked tile is the one picked before the seat's own last discard."""
    if view.holding is Hold.NO or view.idle is None:
        return False
    if event.at - view.idle.at <= profile.count.off_turn_motion_s:
        return True
    return view.count is not None and view.count < tile_count.AT_REST


def _discarded(hand: Hand, event: Discarded, root: int, seat: Seat, profile: Profile) -> Hand:
    view, turn = hand.seat(seat), hand.turn
    act = fact(event, What.DISCARDED)
    if view.standing is Standing.DEAD:
        return conduct.dead_hand_acts(hand, event, What.DISCARDED, seat)
    if _is_guess(event, profile) and view.count is not None and view.count >= tile_count.IN_TURN:
        return hand  # a guess that the rack contradicts
    if _is_told_late(hand, act, seat, profile):
        return _fill_unseen_turn(hand, event, root, seat, profile)
    claim = claim_window.claim_of(hand, seat)
    firm = procedure.is_firm(hand) and turn.holder is not seat
    in_turn = seat in (turn.holder, turn.beside, procedure.next_seat(hand, profile)) or claim is not None
    if hand.windows and (firm or not in_turn):
        hand = conduct.acted_astray(hand, event, What.DISCARDED, root, seat, profile)
    hand = conduct.discard_explains(hand, act, seat, profile)
    if turn.sizes is not None and not (claim is not None and claim.for_mah_jongg):
        tiles = None if claim is None else claim.tiles
        hand = tile_count.exposure_at_discard(hand, seat, root, tiles, act)
    if hand.windows and not view.picked and claim is None and turn.sizes is None:
        hand = conduct.picks_are_not_all_told(hand)
    hand = tile_count.own_turn_after_all(hand, seat)
    hand = claim_window.discarded(hand, event, seat, root, profile)
    hand = replace(hand, turn=Turn(discarder=seat, beside=turn.holder if firm else None))
    return _after_discard(hand, act, seat, claimed=claim is not None)


def _after_discard(hand: Hand, act: Fact, seat: Seat, *, claimed: bool) -> Hand:
    view = hand.seat(seat)
    if view.racked or claimed:
        holding = Hold.NO
    else:
        holding = Hold.TOLD if view.picked else Hold.PERHAPS
    view = replace(view, idle=act, acting=False, picked=False, racked=False, holding=holding, proven=True)
    return hand.with_seat(seat, view)


def _is_told_late(hand: Hand, act: Fact, seat: Seat, profile: Profile) -> bool:
    """Whether this discard belongs to a turn that seemed unseen when the seat that acts now began."""
    turn = hand.turn
    if turn.holder in (None, seat) or turn.began is None or not hand.windows:
        return False
    turns = procedure.turns_between(hand, seat, profile)
    return turns < procedure.turns_between(hand, turn.holder, profile) and act.earliest <= turn.began.latest


def _fill_unseen_turn(hand: Hand, event: Discarded, root: int, seat: Seat, profile: Profile) -> Hand:
    hand = claim_window.discarded(hand, event, seat, root, profile)
    hand = replace(hand, turn=replace(hand.turn, discarder=seat))
    racked, holder = hand.turn.racked, hand.turn.holder
    if racked is not None and holder is not None and holder is procedure.next_seat(hand, profile):
        hand = claim_window.racked(hand, racked, holder, profile)
    return _after_discard(hand, fact(event, What.DISCARDED), seat, claimed=False)


def _called(hand: Hand, event: Called, root: int, seat: Seat, profile: Profile) -> Hand:
    if _is_guess(event, profile):
        return hand
    if hand.seat(seat).standing is Standing.DEAD:
        return conduct.dead_hand_acts(hand, event, What.CALLED, seat)
    hand = conduct.touched_then_called(hand, event, root, seat, profile)
    hand = claim_window.called(hand, event, seat, root, profile)
    step = procedure.step_after(hand.turn, Called)
    if (
        step is Step.CALLED
        and hand.turn.step is not Step.CALLED
        and claim_window.claim_of(hand, seat) is not None
        and not claim_window.is_late(hand, seat, profile)
    ):
        hand = replace(hand, turn=replace(hand.turn, step=step, resumes=hand.turn.step))
    return hand


def _exposed(hand: Hand, event: Exposed, root: int, seat: Seat, profile: Profile) -> Hand:
    if _is_guess(event, profile):
        return hand
    if hand.seat(seat).standing is Standing.DEAD:
        return conduct.dead_hand_acts(hand, event, What.EXPOSED, seat)
    turn = hand.turn
    shown = fact(event, What.EXPOSED, event.n)
    if turn.sizes is not None and turn.sizes.seat is seat:
        return replace(hand, turn=replace(turn, sizes=shown))
    if turn.holder is seat and claim_window.claim_of(hand, seat) is None:
        return hand
    claimed = claim_window.exposed(hand, event, seat, root, profile)
    if claimed is hand or hand.phase is Phase.DECLARED:
        return claimed
    if claim_window.is_late(claimed, seat, profile):
        return replace(claimed, turn=replace(turn, beside=seat, sizes=shown))
    step = procedure.step_after(turn, Exposed)
    turn = Turn(step=step, holder=seat, discarder=turn.discarder, began=shown, sizes=shown)
    views = tuple(
        view if SEATS[i] is seat else replace(view, picked=False, racked=False) for i, view in enumerate(claimed.seats)
    )
    return replace(claimed, turn=turn, seats=views)


def _exchanged(hand: Hand, event: JokerExchanged, root: int, seat: Seat, profile: Profile) -> Hand:
    if _is_guess(event, profile) or hand.seat(seat).standing is Standing.DEAD:
        return hand
    hand = conduct.exchanged(hand, event, root, seat, profile)
    act = fact(event, What.JOKER_EXCHANGED)
    if seat is not hand.turn.discarder:
        hand = claim_window.shut_by(hand, Closing.JOKER_EXCHANGE, act, seat, profile)
    hand = _beside_or_holder(hand, event, seat)
    owners = event.owners if event.owners else tuple(other for other in SEATS if other is not seat)
    lent = tuple(dict.fromkeys((*hand.turn.lent, *owners)))
    return replace(hand, turn=replace(hand.turn, exchange=act, lent=lent))


def _returned(hand: Hand, seat: Seat) -> Hand:
    hand = hand.with_seat(seat, replace(hand.seat(seat), picked=False, racked=False))
    turn = hand.turn
    if turn.holder is seat and turn.step is Step.CALLED:
        hand = replace(hand, turn=replace(turn, holder=None, resumes=Step.TO_ACT, racked=None))
    elif turn.holder is seat and turn.step in (Step.PICKED, Step.RACKED):
        hand = replace(hand, turn=replace(turn, holder=None, step=procedure.step_after(turn, Returned), racked=None))
    for outcome in list(hand.findings.values()):
        if (
            isinstance(outcome, Finding)
            and outcome.rule is Rule.SIMULTANEOUS_CALL
            and outcome.ending is Ending.NOT_YET
            and outcome.verdict is Verdict.SIMULTANEOUS
            and any(f.what is What.RACKED and f.seat is seat for f in outcome.facts)
        ):
            hand = hand.found(replace(outcome, ending=Ending.RETURNED))
    return hand


def _declared(hand: Hand, event: Declared, root: int, seat: Seat, profile: Profile) -> Hand:
    act = fact(event, What.DECLARED)
    hand = tile_count.declared(hand, seat, act, profile)
    hand = conduct.declared(hand, event, root, seat)
    if hand.seat(seat).standing is Standing.DEAD:
        return hand
    hand = claim_window.declared(hand, event, seat, root, profile)
    turn = hand.turn
    resumes = turn.resumes if turn.step in (Step.CALLED, Step.DECLARED) else turn.step
    turn = replace(turn, step=procedure.step_after(turn, Declared), resumes=resumes)
    return replace(hand, turn=turn, declarer=seat)
