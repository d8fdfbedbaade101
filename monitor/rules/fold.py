"""One event, or the passing of time, moves a reading of the table on.

Owns the phases of a hand and which part of the rules each event concerns. Knows no article and no order of knowledge:
events come in order of time, each exactly once (`ledger.py` sees to that). Pure.
"""

from math import inf

from monitor.alerts import Fact, What
from monitor.events import (
    CountChanged,
    Dead,
    Dealt,
    Discarded,
    EastIs,
    HandStarted,
    Passed,
    PlayStarted,
    Recorded,
    Seat,
    Zone,
)
from monitor.rules import claim_window, dead_hand, play, procedure, sensing, tile_count, turn_order
from monitor.rules.profile import Profile
from monitor.rules.state import Entry, Hand, Phase, Place, Reading, Standing, Turn, fact, replace

_IN_PLAY = (Phase.PLAY, Phase.DECLARED)


def elapsed(reading: Reading, now_s: float, profile: Profile) -> Reading:
    """The reading at `now_s`, if nothing happened until then."""
    hand = reading.hand
    if now_s <= hand.due_s:
        return reading
    hand = tile_count.overdue(replace(hand, touched=()), now_s, profile)
    hand = sensing.overdue(hand, now_s, profile)
    hand = turn_order.overdue(hand, now_s)
    hand = claim_window.overdue(hand, now_s, profile)
    touched = (*reading.touched, *_places(hand))
    return replace(reading, hand=replace(hand, touched=(), due_s=_due_s(hand, profile)), touched=touched)


def concluded(reading: Reading, profile: Profile) -> Reading:
    """The reading if nothing more will become known: what waited for later news alone is told."""
    hand = reading.hand
    if hand.phase is Phase.CHARLESTON:
        hand = tile_count.deal_known(hand, profile)
    hand = claim_window.overdue(hand, inf, profile)
    return replace(reading, hand=hand, touched=(*reading.touched, *_places(hand)))


def _due_s(hand: Hand, profile: Profile) -> float:
    return min(
        tile_count.due_s(hand, profile),
        sensing.due_s(hand, profile),
        turn_order.due_s(hand),
        claim_window.due_s(hand, profile),
    )


def _places(hand: Hand) -> tuple[Place, ...]:
    return tuple(Place(hand.number, key) for key in hand.touched)


def seemed_play(reading: Reading, until_s: float) -> Reading:
    """The reading where until then play seemed to have begun, and had not."""
    return replace(reading, hand=replace(reading.hand, seemed_play_s=until_s))


def advanced(reading: Reading, entry: Entry, profile: Profile) -> Reading:
    """The reading after one event of the ledger."""
    event = entry.event
    reading = elapsed(replace(reading, touched=()), entry.at, profile)
    hand, before, touched, next_east = reading.hand, reading.before, reading.touched, reading.next_east
    move = procedure.phase_after(hand, event)
    if move is not None and move.new_hand:
        before = hand if hand.phase is Phase.OVER else _over(hand, None, profile)
        touched = (*touched, *_places(before))
        before = replace(before, touched=())
        hand = procedure.new_hand(before, next_east, is_dealt=isinstance(event, Dealt | PlayStarted))
        next_east = None
    if isinstance(event, EastIs) and hand.phase is Phase.OVER:
        next_east = event.seat
    else:
        if move is not None and move.to is not hand.phase:
            hand = _entered(hand, move.to, event, profile)
        hand = _applied(hand, entry, profile)
    touched = (*touched, *_places(hand))
    hand = replace(hand, touched=(), due_s=_due_s(hand, profile))
    return Reading(hand, before, next_east, touched)


def _entered(hand: Hand, phase: Phase, event: Recorded, profile: Profile) -> Hand:
    """The hand as its phase changes."""
    if phase is Phase.OVER:
        return _over(hand, event.at, profile)
    if phase is Phase.PLAY and hand.phase is Phase.DECLARED:
        hand = procedure.at_rest_again(hand, fact(event, What.WITHDRAWN), event.known)
    elif phase is Phase.PLAY and isinstance(event, PlayStarted | Discarded):
        act = fact(event, What.PLAY_STARTED if isinstance(event, PlayStarted) else What.DISCARDED)
        hand = procedure.begin_play(tile_count.play_began(hand, act, profile), act, event.known)
    return replace(hand, phase=phase)


def _over(hand: Hand, at: float | None, profile: Profile) -> Hand:
    """The hand at its end, `None` if nobody saw when: claims are told, numbers of tiles no longer matter."""
    hand = claim_window.overdue(replace(hand, phase=Phase.OVER, strays=(), over_s=at), inf, profile)
    return sensing.hand_over(tile_count.hand_over(hand))


def _applied(hand: Hand, entry: Entry, profile: Profile) -> Hand:
    """What the event does beside its change of phase."""
    event = entry.event
    match event:
        case HandStarted() | Dealt():
            if hand.east is None:
                hand = replace(hand, east=event.east or event.seat)
            if isinstance(event, Dealt):
                return tile_count.dealt(hand, fact(event, What.DEALT), event.known, profile)
            return hand
        case EastIs():
            return hand if event.seat is None else replace(hand, east=event.seat)
        case _ if event.seat is None:
            return hand
        case CountChanged():
            return _rested(hand, event, event.seat, profile)
        case _ if hand.phase is Phase.OVER:
            return hand
        case Passed():
            if hand.phase is not Phase.CHARLESTON:
                return hand
            return tile_count.passed(hand, fact(event, What.PASSED), event.known, event.seat, profile)
        case PlayStarted():
            return _with_acting(hand, fact(event, What.PLAY_STARTED), event.known, profile)
        case Dead():
            return _died(hand, event, entry.root, event.seat, profile)
        case _ if isinstance(event, play.Act) and hand.phase in _IN_PLAY:
            return play.acted(hand, event, entry.root, event.seat, profile)
        case _:
            return hand


def _rested(hand: Hand, event: CountChanged, seat: Seat, profile: Profile) -> Hand:
    hand = tile_count.rested(hand, event, seat, profile)
    if event.zone is not Zone.RACK or event.count is None:
        return hand
    hand = sensing.known_again(hand, seat)
    return claim_window.released(hand, fact(event, What.RESTED), seat, profile) if hand.phase in _IN_PLAY else hand


def _died(hand: Hand, event: Dead, root: int, seat: Seat, profile: Profile) -> Hand:
    hand = dead_hand.died(hand, event, root, seat)
    if hand.seat(seat).standing is Standing.DEAD:
        hand = claim_window.died(hand, seat, profile)
    if hand.turn.holder is seat and hand.seat(seat).standing is Standing.DEAD:
        turn = hand.turn
        claimed = turn.sizes is not None and turn.sizes.seat is seat
        discarder = seat if claimed else turn.discarder  # play goes on from the claimer
        hand = replace(hand, turn=Turn(discarder=discarder, beside=turn.beside))
    return _with_acting(hand, fact(event, What.DEAD), event.known, profile)


def _with_acting(hand: Hand, since: Fact, known_s: float, profile: Profile) -> Hand:
    return procedure.with_acting(hand, procedure.acting_seats(hand, profile), since, known_s, profile)
