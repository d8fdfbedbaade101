"""A rack that cannot be counted for long is told to the technician, and nothing is ruled from it.

Owns the one technical finding of the rules core. Knows no article. What ails a node itself (silence, drift, loss) is
told where its readings are read; here only the table's events are known.
"""

from math import inf

from monitor.alerts import Authority, Level, Rule
from monitor.events import SEATS, Seat
from monitor.rules.profile import Profile
from monitor.rules.state import Ending, Finding, Hand, Phase

SORTED_S = 30.0
"""In the passes a rack that is sorted and leaned on is uncounted for so long and no sensor fails. Our choice."""

_WATCHED = (Phase.CHARLESTON, Phase.PLAY)


def due_s(hand: Hand, profile: Profile) -> float:
    """When silence alone will next tell that a rack could not be counted."""
    due = inf
    if hand.phase in _WATCHED:
        for seat, view in zip(SEATS, hand.seats, strict=True):
            if view.unknown_since is not None and not _is_told(hand, seat):
                due = min(due, view.unknown_since.at + _patience_s(hand, profile))
    return due


def overdue(hand: Hand, now_s: float, profile: Profile) -> Hand:
    """Racks that could not be counted for so long by `now_s`."""
    if hand.phase not in _WATCHED:
        return hand
    for seat, view in zip(SEATS, hand.seats, strict=True):
        since = view.unknown_since
        if since is None or now_s <= since.at + _patience_s(hand, profile) or _is_told(hand, seat):
            continue
        found = Finding(
            key=_key(seat),
            rule=Rule.SENSOR_FAULT,
            seat=seat,
            moment=since,
            article="",
            level=Level.TECHNICAL,
            facts=(since,),
            authority=Authority.EVENT,
            rests_on="evidence.unknown_count_s",
        )
        hand = hand.found(found)
    return hand


def _patience_s(hand: Hand, profile: Profile) -> float:
    least_s = profile.evidence.unknown_count_s
    return max(least_s, SORTED_S) if hand.phase is Phase.CHARLESTON else least_s


def known_again(hand: Hand, seat: Seat) -> Hand:
    """The rack can be counted again."""
    return hand.ended(_key(seat), Ending.KNOWN_AGAIN)


def hand_over(hand: Hand) -> Hand:
    """Between hands nobody counts."""
    for seat in SEATS:
        hand = hand.ended(_key(seat), Ending.HAND_OVER)
    return hand


def _key(seat: Seat) -> str:
    return f"{Rule.SENSOR_FAULT}-{seat}"


def _is_told(hand: Hand, seat: Seat) -> bool:
    found = hand.finding(_key(seat))
    return found is not None and found.ending is Ending.NOT_YET
