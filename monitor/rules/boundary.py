"""What racks must hold between the passes of the Charleston, and when no tile of it is on its way.

Owns the settled boundaries of the Charleston and which numbers are those of the deal. Knows nothing of what follows
where a number is wrong: that is `tile_count.py`'s. A number that was seen while a pass was under way, or while a fresh
hand was sorted, is no number of a boundary.
"""

from monitor.alerts import Fact
from monitor.events import SEATS, Seat
from monitor.rules import patience
from monitor.rules.profile import Profile
from monitor.rules.state import AT_REST, IN_TURN, INDEX, Hand


def must_hold(hand: Hand, seat: Seat) -> int | None:
    """What a rack must hold between passes; `None` while nobody knows who is East."""
    if hand.east is None:
        return None
    return IN_TURN if seat is hand.east else AT_REST


def is_boundary(hand: Hand, profile: Profile) -> bool:
    """Whether no tile of the Charleston is on its way: all have passed equally often, and the racks hold what they held
    after the deal, or what they ought to hold once a missing tile is taken."""
    seated = [i for i, seat in enumerate(SEATS) if seat is not profile.table.empty_seat]
    counts = [hand.seats[i].count for i in seated if not hand.seats[i].doubtful]
    held = [count for count in counts if count is not None]
    if hand.dealt is None or hand.east is None or len(held) < len(seated):
        return False
    if len({hand.passes[i] for i in seated}) > 1 or any(_is_stale(hand, SEATS[i]) for i in seated):
        return False
    full = AT_REST * len(seated) + 1
    at_deal = [rest.count for rest in (hand.dealt_rests[i] for i in seated) if rest is not None]
    then = sum(count or 0 for count in at_deal) if len(at_deal) == len(seated) else full
    if sum(held) < full and not any(_is_still_short(hand, SEATS[i]) for i in seated):
        return False  # what the deal lacked has been taken: another tile is on its way
    return min(then, full) <= sum(held) <= max(then, full)


def _is_still_short(hand: Hand, seat: Seat) -> bool:
    """Whether a rack that was dealt too few tiles still has too few."""
    must = must_hold(hand, seat)
    return is_short(hand.seat(seat).rest, must) and is_short(hand.dealt_rests[INDEX[seat]], must)


def _is_stale(hand: Hand, seat: Seat) -> bool:
    """Whether a wrong number on this rack was seen before the seat's own tiles left: it is the number of a pass."""
    view, at_deal = hand.seat(seat), hand.dealt_rests[INDEX[seat]]
    if view.rest is None or view.rest == at_deal or view.count == must_hold(hand, seat):
        return False
    return view.rest.at < view.passed_s


def boundary_rest_s(hand: Hand, profile: Profile) -> float:
    """How long a boundary must lie still: longer where a rack is off by a whole pass, which is rather on its way."""
    off = (
        abs(view.count - must)
        for seat, view in zip(SEATS, hand.seats, strict=True)
        if view.count is not None and (must := must_hold(hand, seat)) is not None
    )
    far = max(off, default=0) > patience.FAR_OFF
    return patience.WHOLE_PASS_S if far else profile.count.boundary_rest_s


def is_as_dealt(hand: Hand, seat: Seat, count: int) -> bool:
    """Whether this may be what the rack was dealt: no pass is under way, for the others hold what they held then."""
    must = must_hold(hand, seat)
    others = zip(hand.seats, hand.dealt_rests, strict=True)
    same = all(rest is None or view.count == rest.count for view, rest in others)
    return same and (must is None or abs(count - must) <= patience.FAR_OFF)


def was_fleeting(hand: Hand, seat: Seat, rest: Fact | None) -> bool:
    """Whether a wrong number that was first seen after the deal did not last: the rack was being sorted."""
    if rest is None or hand.dealt is None or rest.at <= hand.dealt.at or rest.count == must_hold(hand, seat):
        return False
    return hand.seat(seat).rest != rest


def is_short(rest: Fact | None, must: int | None) -> bool:
    """Whether this many tiles are known to be fewer than there must be."""
    return rest is not None and rest.count is not None and must is not None and rest.count < must
