"""When a number of tiles may be called wrong: what counts as motion, and how long news is waited for.

Owns the time that Article 205 leaves open ("temporarily", "in motion", "when the procedure is complete"): every number
of seconds is a profile key. Knows what a rack must hold, not what follows when it does not: that is `tile_count.py`'s.
"""

from math import inf, nextafter

from monitor.events import SEATS, Seat
from monitor.rules.procedure import is_firm
from monitor.rules.profile import Monitoring, Profile
from monitor.rules.state import AT_REST, IN_TURN, Hand, Hold, Phase, Picks, SeatView, Standing, is_sure

FAR_OFF = 2
"""A number that is further off is rather tiles in a hand, or a hand on the rack, than a mistake. Our choice."""

WHOLE_PASS_S = 60.0
"""A rack that is off by a whole pass waits for it: so long, and nobody is still sorting what came. Our choice."""

MOST_OFF = 6
"""Nobody plays on with a number that is further off: the rack is being set up or cleared. Our choice."""


def motion_s(hand: Hand, view: SeatView, profile: Profile) -> float:
    """How long a deviation of a seat that is not acting counts as motion."""
    shortest_s = profile.count.off_turn_motion_s
    if view.count is not None and abs(view.count - AT_REST) > FAR_OFF:
        return max(profile.count.restless_s, shortest_s)
    if view.holding is Hold.TOLD and view.count == AT_REST - 1:
        return max(profile.count.held_pick_s, shortest_s)
    if hand.picks is not Picks.TOLD and _may_have_picked_unseen(hand, view):
        return max(profile.count.restless_s, shortest_s)
    return shortest_s


def carried_s(view: SeatView) -> float:
    """How long the rack has rested with this same wrong number before the seat's last turn."""
    return view.carried_s if view.carried is not None and view.carried == view.count else 0.0


def _may_have_picked_unseen(hand: Hand, view: SeatView) -> bool:
    """One tile came to rest on this rack since the last discard seen, and turns may have passed unseen since then: the
    seat may be in its own turn."""
    if view.count != IN_TURN or view.before != AT_REST or view.rest is None or is_firm(hand) or not hand.windows:
        return False
    return view.rest.at > hand.windows[-1].discard.latest


def is_judged(hand: Hand, seat: Seat, view: SeatView, profile: Profile) -> bool:
    """Whether this rack's number is one that may be called wrong, once it has rested."""
    return (
        hand.phase is Phase.PLAY
        and (not view.acting or _was_wrong_before_its_turn(hand, seat, view))
        and view.standing is Standing.ALIVE
        and view.count is not None
        and view.count != AT_REST
        and abs(view.count - AT_REST) <= MOST_OFF
        and (abs(view.count - AT_REST) <= FAR_OFF or not _others_are_far_off(hand, seat))
        and not view.doubtful
        and view.idle is not None
        and is_sure(view.idle, profile.evidence.ruling_confidence)
        and (view.proven or hand.dealt is not None)
        and seat is not profile.table.empty_seat
        and profile.count.monitoring is Monitoring.ON
    )


def _was_wrong_before_its_turn(hand: Hand, seat: Seat, view: SeatView) -> bool:
    """Whether the seat that is to act has done nothing yet, and its number is wrong since before play began."""
    turn = hand.turn
    untouched = turn.holder is None and seat is not turn.beside and seat not in turn.lent
    return untouched and view.off_at_start is not None and view.off_at_start == view.count


def _others_are_far_off(hand: Hand, seat: Seat) -> bool:
    """Whether another rack is far off too: then the table is cleared, and nobody plays."""
    counts = (view.count for other, view in zip(SEATS, hand.seats, strict=True) if other is not seat)
    return any(count is not None and abs(count - AT_REST) > FAR_OFF for count in counts)


def due_s(since_s: float, rest_s: float, known_s: float, profile: Profile) -> float:
    """After which moment what has rested since `since_s` has rested for longer than `rest_s`, as far as is known.

    Where it became known late, news of its end may be late too.
    """
    late_s = profile.evidence.late_news_s if known_s > since_s else 0.0
    return max(since_s + rest_s + late_s, nextafter(known_s, -inf))


def wrong_from_s(hand: Hand, view: SeatView, profile: Profile) -> float:
    """When the number on this rack will have rested too long for motion, as far as it is known by then."""
    if view.rest is None or view.idle is None or view.strained_s is None:
        return inf
    motion = motion_s(hand, view, profile)
    known_s, since_s = max(view.known_s, view.idle_known_s), max(view.rest.latest, view.clock_s)
    still_s = due_s(since_s, max(0.0, motion - carried_s(view)), known_s, profile)
    strained_s = max(view.strained_s, view.clock_s) + max(profile.count.restless_s, motion)
    return min(still_s, max(strained_s, nextafter(known_s, -inf)))
