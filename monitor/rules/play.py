"""What each act of the play phase does to the hand.

Owns, act by act, which of the rules it concerns and in what order they hear of it. Knows no article itself: windows
are `claim_window.py`'s, counts `tile_count.py`'s, dead hands `dead_hand.py`'s, turns `procedure.py`'s and
`turn_order.py`'s. In the flow: called by `fold.py`, in order of time.
"""

from monitor.alerts import Fact, Rule, Verdict, What
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Closing,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    Exposed,
    JokerExchanged,
    Named,
    Picked,
    Racked,
    Recorded,
    Returned,
    Seat,
)
from monitor.rules import claim_window, dead_hand, event_procedures, procedure, tile_count, turn_order
from monitor.rules.profile import Profile
from monitor.rules.state import (
    AT_REST,
    IN_TURN,
    Ending,
    Hand,
    Hold,
    Phase,
    Picks,
    SeatView,
    Standing,
    Step,
    Turn,
    fact,
    is_sure,
    own_discard,
    replace,
)

Act = (
    Picked
    | Named
    | Racked
    | Discarded
    | Called
    | CallWithdrawn
    | Exposed
    | JokerExchanged
    | Returned
    | Declared
    | DeclarationWithdrawn
)
"""What a seat does in play."""


def acted(hand: Hand, event: Act, root: int, seat: Seat, profile: Profile) -> Hand:
    """The hand after an act of `seat`. A reading less likely than not founds nothing, except that a guessed discard
    moves the turn on."""
    if not isinstance(event, Discarded):
        if _is_guess(event, profile):
            return hand
        hand = claim_window.first_discard(hand)
    match event:
        case Picked():
            hand = _picked(hand, event, root, seat, profile)
        case Named():
            hand = _named(hand, event, seat, profile)
        case Racked():
            hand = _racked(hand, event, seat, profile)
        case Discarded():
            hand = _discarded(hand, event, root, seat, profile)
        case Called():
            hand = _called(hand, event, root, seat, profile)
        case CallWithdrawn():
            hand = claim_window.withdrawn(hand, seat, profile)
            if hand.turn.step is Step.CALLED:
                hand = _resumed(hand)
        case Exposed():
            hand = _exposed(hand, event, root, seat, profile)
        case JokerExchanged():
            hand = _exchanged(hand, event, root, seat, profile)
        case Returned():
            hand = _returned(hand, event, root, seat, profile)
        case Declared():
            hand = _declared(hand, event, root, seat, profile)
        case DeclarationWithdrawn():
            hand = dead_hand.declaration_withdrawn(claim_window.declaration_withdrawn(hand, seat, profile), seat)
            if hand.turn.step is Step.DECLARED:
                hand = _resumed(hand)
    since = fact(event, _WHAT[type(event)])
    busy = procedure.acting_seats(hand, profile)
    hand = tile_count.turns_came(hand, busy, since, profile)
    return procedure.with_acting(hand, busy, since, event.known, profile)


_WHAT: dict[type[Recorded], What] = {
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


def _is_guess(event: Recorded, profile: Profile) -> bool:
    return not is_sure(event, profile.evidence.least_confidence)


def _resumed(hand: Hand) -> Hand:
    return replace(hand, turn=replace(hand.turn, step=hand.turn.resumes))


# ---- picking, naming, racking


def _picked(hand: Hand, event: Picked, root: int, seat: Seat, profile: Profile) -> Hand:
    view = hand.seat(seat)
    if view.standing is Standing.DEAD:
        return dead_hand.acts(hand, event, What.PICKED, seat)
    if turn_order.is_anothers_turn(hand, event, seat, profile):
        hand = turn_order.picked(hand, event, root, seat, profile)
    if hand.picks is Picks.UNKNOWN:
        hand = replace(hand, picks=Picks.TOLD)
    hand = hand.with_seat(seat, replace(view, picked=True, holding=Hold.NO))
    return procedure.takes_turn_or_stands_beside(hand, event, fact(event, What.PICKED))


def _named(hand: Hand, event: Named, seat: Seat, profile: Profile) -> Hand:
    if seat is not procedure.next_seat(hand, profile):
        return hand
    act = fact(event, What.NAMED)
    return procedure.takes_turn(claim_window.shut_by(hand, Closing.NAMED, act, seat, profile), event, act)


def _racked(hand: Hand, event: Racked, seat: Seat, profile: Profile) -> Hand:
    view, act = hand.seat(seat), fact(event, What.RACKED)
    if view.standing is Standing.DEAD:
        if _held_at_death(view, act, profile):
            return hand.with_seat(seat, replace(view, racked=True))
        return dead_hand.acts(hand, event, What.RACKED, seat)
    if _was_held(view, event):
        # after one's own discard: it closes nothing, and only now is the procedure over
        return hand.with_seat(seat, replace(view, holding=Hold.NO, clock_s=max(view.clock_s, act.latest)))
    hand = _unseen_turns_before(hand, act, seat, profile)
    is_next = seat is procedure.next_seat(hand, profile)
    if not view.picked and not view.racked and claim_window.claim_of(hand, seat) is None:
        hand = turn_order.picks_are_not_all_told(hand)
    if is_next:
        hand = claim_window.racked(hand, act, seat, profile)
    hand = procedure.takes_turn_or_stands_beside(hand, event, act)
    if hand.turn.holder is seat:
        hand = replace(hand, turn=replace(hand.turn, racked=act))
    return hand.with_seat(seat, replace(hand.seat(seat), racked=True, holding=Hold.NO))


def _unseen_turns_before(hand: Hand, act: Fact, seat: Seat, profile: Profile) -> Hand:
    """Whether turns must have passed unseen for `seat` to rack now: then the last discard is one that nobody saw.

    Told only where turns have been seen without their picks before, where nobody is certain to hold the turn, and where
    there was time enough.
    """
    turn = hand.turn
    if hand.picks is not Picks.NOT_ALL_TOLD or not hand.windows or procedure.is_firm(hand):
        return hand
    if seat in (turn.holder, turn.beside, procedure.next_seat(hand, profile)):
        return hand
    turns = procedure.turns_between(hand, seat, profile)
    thrown = procedure.seat_before(hand, seat, profile)
    if thrown is None or act.earliest - hand.windows[-1].discard.latest < (turns + 1) * profile.evidence.unseen_turn_s:
        return hand
    return replace(claim_window.unseen_discard(hand, thrown, act), turn=Turn(discarder=thrown))


def _held_at_death(view: SeatView, act: Fact, profile: Profile) -> bool:
    """Whether the racked tile was in the hand when it was declared dead: its pick was told, or hands crossed."""
    if not view.died_in_turn or view.racked or view.dead is None:
        return False
    return view.picked or act.earliest - view.dead.latest <= profile.evidence.crossing_hands_s


_HELD_S = 5.0
"""A tile racked so soon after one's own discard is the one that was held: no turn comes again so soon. Our choice."""


def _was_held(view: SeatView, event: Racked) -> bool:
    """Whether the racked tile is the one picked before the seat's own last discard."""
    discard = None if event.seat is None else own_discard(view, event.seat)
    if view.holding is Hold.NO or discard is None:
        return False
    if event.at - discard.at <= _HELD_S:
        return True
    return view.count is not None and view.count < AT_REST


# ---- discarding


def _discarded(hand: Hand, event: Discarded, root: int, seat: Seat, profile: Profile) -> Hand:
    view, turn, act = hand.seat(seat), hand.turn, fact(event, What.DISCARDED)
    if view.standing is Standing.DEAD:
        return dead_hand.acts(hand, event, What.DISCARDED, seat)
    if _is_guess(event, profile) and view.count is not None and view.count >= IN_TURN:
        return hand  # the rack contradicts the guess
    if _fills_unseen_turn(hand, act, seat, profile):
        return _turn_seen_after_all(hand, event, root, seat, profile)
    if hand.play is None:
        hand = _joined_in_play(hand, act, event.known)
    claim = claim_window.claim_of(hand, seat)
    claimed = claim is not None or (turn.sizes is not None and turn.sizes.seat is seat)
    firm = procedure.is_firm(hand) and turn.holder is not seat
    in_turn = seat in (turn.holder, turn.beside, procedure.next_seat(hand, profile))
    if not claimed and (firm or not in_turn):
        hand = turn_order.discards_in_anothers_turn(hand, event, root, seat, profile)
    hand = turn_order.discarded(hand, act, seat, profile)
    if claimed and hand.windows and not (claim is not None and claim.for_mah_jongg):
        tiles = None if claim is None else claim.tiles
        hand = tile_count.exposure_at_discard(hand, seat, hand.windows[-1].root, tiles, act)
    if hand.windows and not view.picked and not claimed:
        hand = turn_order.picks_are_not_all_told(hand)
    hand = tile_count.own_turn_after_all(hand, seat)
    hand = claim_window.discarded(hand, event, seat, root, profile)
    hand = replace(hand, turn=Turn(discarder=seat, beside=turn.holder if firm else None))
    return _after_discard(hand, act, event.known, seat, claimed=claimed)


def _joined_in_play(hand: Hand, act: Fact, known_s: float) -> Hand:
    """The first discard that a monitor sees which came late: racks are counted from here on."""
    views = tuple(
        replace(view, idle=view.idle or act, idle_known_s=known_s, clock_s=max(view.clock_s, act.latest))
        for view in hand.seats
    )
    return replace(hand, play=act, seats=views)


def _after_discard(hand: Hand, act: Fact, known_s: float, seat: Seat, *, claimed: bool) -> Hand:
    view = hand.seat(seat)
    holding = Hold.TOLD if view.picked else Hold.PERHAPS
    if view.racked or claimed:
        holding = Hold.NO
    view = replace(
        view,
        idle=act,
        idle_known_s=known_s,
        clock_s=act.latest,
        acting=False,
        picked=False,
        racked=False,
        holding=holding,
        proven=True,
    )
    return hand.with_seat(seat, view)


def _fills_unseen_turn(hand: Hand, act: Fact, seat: Seat, profile: Profile) -> bool:
    """Whether this discard belongs to a turn that seemed to have passed unseen before the seat that holds it began."""
    holder, began = hand.turn.holder, hand.turn.began
    if holder in (None, seat) or began is None or not hand.windows or act.earliest > began.latest:
        return False
    assert holder is not None
    return procedure.turns_between(hand, seat, profile) < procedure.turns_between(hand, holder, profile)


def _turn_seen_after_all(hand: Hand, event: Discarded, root: int, seat: Seat, profile: Profile) -> Hand:
    hand = claim_window.discarded(hand, event, seat, root, profile)
    hand = replace(hand, turn=replace(hand.turn, discarder=seat))
    racked, holder = hand.turn.racked, hand.turn.holder
    if racked is not None and holder is not None and holder is procedure.next_seat(hand, profile):
        hand = claim_window.racked(hand, racked, holder, profile)
    return _after_discard(hand, fact(event, What.DISCARDED), event.known, seat, claimed=False)


# ---- claiming


def _called(hand: Hand, event: Called, root: int, seat: Seat, profile: Profile) -> Hand:
    if hand.seat(seat).standing is Standing.DEAD:
        return dead_hand.acts(hand, event, What.CALLED, seat)
    hand = event_procedures.called(hand, event, root, seat, profile)
    hand = claim_window.called(hand, event, seat, root, profile)
    step = procedure.step_after(hand.turn, Called)
    if (
        hand.turn.step is not step
        and claim_window.claim_of(hand, seat) is not None
        and not claim_window.is_late(hand, seat, profile)
    ):
        hand = replace(hand, turn=replace(hand.turn, step=step, resumes=hand.turn.step))
    return hand


def _exposed(hand: Hand, event: Exposed, root: int, seat: Seat, profile: Profile) -> Hand:
    if hand.seat(seat).standing is Standing.DEAD:
        return dead_hand.acts(hand, event, What.EXPOSED, seat)
    turn, shown = hand.turn, fact(event, What.EXPOSED, event.n)
    if turn.sizes is not None and turn.sizes.seat is seat:
        return replace(hand, turn=replace(turn, sizes=shown))  # a size may change until the claimer discards
    if turn.holder is seat and claim_window.claim_of(hand, seat) is None:
        return hand
    after = claim_window.exposed(hand, event, seat, root, profile)
    if hand.phase is Phase.DECLARED:
        return after
    if claim_window.is_late(after, seat, profile):
        return replace(after, turn=replace(turn, beside=seat, sizes=shown))
    turn = Turn(
        step=procedure.step_after(turn, Exposed), holder=seat, discarder=turn.discarder, began=shown, sizes=shown
    )
    views = tuple(
        view if other is seat else replace(view, picked=False, racked=False)
        for other, view in zip(SEATS, after.seats, strict=True)
    )
    return replace(after, turn=turn, seats=views)


def _returned(hand: Hand, event: Returned, root: int, seat: Seat, profile: Profile) -> Hand:
    """The picked tile went back into the wall: where the caller had the discard, that is all there was to do."""
    nobody_calls = claim_window.nobody_calls(hand)
    racked = hand.turn.racked if hand.turn.holder is seat else None
    if nobody_calls:
        before = hand
        hand = claim_window.no_unseen_discard(hand, seat, profile)
        if hand is not before:
            hand = replace(hand, turn=Turn(discarder=hand.windows[-1].seat))
    hand = hand.with_seat(seat, replace(hand.seat(seat), picked=False, racked=False))
    turn = hand.turn
    if turn.holder is seat and turn.step is Step.CALLED:
        hand = replace(hand, turn=replace(turn, holder=None, resumes=Step.TO_ACT, racked=None))
    elif turn.holder is seat and turn.step in (Step.PICKED, Step.RACKED):
        hand = replace(hand, turn=replace(turn, holder=None, step=procedure.step_after(turn, Returned), racked=None))
    if nobody_calls:
        hand = turn_order.taken_back(hand, event, root, seat, racked, profile)
    for found in hand.findings(Rule.SIMULTANEOUS_CALL):
        by_seat = any(f.what is What.RACKED and f.seat is seat for f in found.facts)
        if found.verdict is Verdict.SIMULTANEOUS and by_seat:
            hand = hand.ended(found.key, Ending.RETURNED)
    return hand


# ---- exchanging, declaring


def _exchanged(hand: Hand, event: JokerExchanged, root: int, seat: Seat, profile: Profile) -> Hand:
    if hand.seat(seat).standing is Standing.DEAD:
        return hand
    hand = event_procedures.exchanged(hand, event, root, seat, profile)
    act = fact(event, What.JOKER_EXCHANGED)
    if seat is not hand.turn.discarder:
        hand = claim_window.shut_by(hand, Closing.JOKER_EXCHANGE, act, seat, profile)
    hand = procedure.takes_turn_or_stands_beside(hand, event, act)
    owners = event.owners or tuple(other for other in SEATS if other is not seat)
    lent = tuple(dict.fromkeys((*hand.turn.lent, *owners)))
    return replace(hand, turn=replace(hand.turn, exchange=act, lent=lent))


def _declared(hand: Hand, event: Declared, root: int, seat: Seat, profile: Profile) -> Hand:
    hand = tile_count.declared(hand, seat, fact(event, What.DECLARED), profile)
    hand = dead_hand.declared(hand, event, root, seat)
    if hand.seat(seat).standing is Standing.DEAD:
        return hand
    hand = claim_window.declared(hand, event, seat, root, profile)
    turn = hand.turn
    resumes = turn.resumes if turn.step in (Step.CALLED, Step.DECLARED) else turn.step
    turn = replace(turn, step=procedure.step_after(turn, Declared), resumes=resumes)
    return replace(hand, turn=turn, declarer=seat)
