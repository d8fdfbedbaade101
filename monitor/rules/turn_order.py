"""Out of turn: a seat picked or discarded when it was not its turn.

Owns the finding and the evidence that it takes. A turn that nobody saw never makes anything out of turn: without a
floor antenna a pick thrown on leaves no trace. So it is told only where no other reading is left:

- picks are told at this table, and the seat picked though the turn was another's;
- another seat is certain to hold the turn (fourteen tiles at rest on its rack) and goes on holding it;
- there was no time for the turns between.

A racking by itself is never out of turn: sensors take a tile that is sorted for one, and a rack with a wrong number
seems to hold the turn. One that was taken back before the seat whose turn it was played on is: a turn that nobody saw
would have left nothing to take back.

Source: play goes to the right, the next player picks (Article 107, its first paragraph and the League's answers).
"""

from math import inf

from monitor.alerts import Fact, Level, Rule, What
from monitor.events import Recorded, Seat
from monitor.rules.procedure import is_firm, next_seat, turns_between
from monitor.rules.profile import Profile
from monitor.rules.state import IN_TURN, Finding, Hand, Openness, Picks, Stray, fact, in_time, is_sure, replace

ARTICLE = "107"

_GOES_ON_S = 10.0
"""For so long a seat must go on holding its turn for another's act to be out of turn. Our choice."""
_PLAYS_ON_S = 40.0
"""So soon after a tile was taken back the seat whose turn it was discards, or holds fourteen. Our choice."""


def _are_sure(act: Fact, after: Fact, profile: Profile) -> bool:
    least = profile.evidence.sure_confidence
    return is_sure(act, least) and is_sure(after, least)


def is_anothers_turn(hand: Hand, event: Recorded, seat: Seat, profile: Profile) -> bool:
    """Whether a pick by `seat` is one in another's turn, as far as it is seen. The next player who picks while a claim
    is shown does so out of turn, unless hands crossed."""
    turn = hand.turn
    if seat in (turn.holder, turn.beside):
        return False
    if seat is not next_seat(hand, profile):
        return True
    claimed = bool(hand.windows) and hand.windows[-1].openness is Openness.CLAIMED
    return claimed and turn.began is not None and event.low > turn.began.latest + profile.evidence.crossing_hands_s


def picked(hand: Hand, event: Recorded, root: int, seat: Seat, profile: Profile) -> Hand:
    """`seat` picked though another was next: out of turn, unless hands merely crossed or picks are not all told."""
    if hand.picks is Picks.NOT_ALL_TOLD or not hand.windows:
        return hand
    act, after = fact(event, What.PICKED), hand.windows[-1].discard
    if act.earliest <= after.latest or not _are_sure(act, after, profile):
        return hand
    due_s = event.high + profile.evidence.crossing_hands_s + profile.evidence.late_news_s
    stray = Stray(act, root, seat, due_s, after)
    return replace(hand, strays=(*hand.strays, stray))


def discards_in_anothers_turn(hand: Hand, event: Recorded, root: int, seat: Seat, profile: Profile) -> Hand:
    """`seat` discarded though it was not next. `hand` is as it was before the act."""
    if not hand.windows:
        return hand
    act, after = fact(event, What.DISCARDED), hand.windows[-1].discard
    if not _are_sure(act, after, profile):
        return hand
    turns = turns_between(hand, seat, profile)
    if turns and act.latest - after.earliest < (turns + 1) * profile.evidence.fastest_turn_s:
        return _found(hand, act, root, seat, after)
    if is_firm(hand) and hand.turn.holder is not seat:
        stray = Stray(act, root, seat, act.latest + _GOES_ON_S, after, hand.turn.holder)
        return replace(hand, strays=(*hand.strays, stray))
    return hand


def taken_back(hand: Hand, event: Recorded, root: int, seat: Seat, racked: Fact | None, profile: Profile) -> Hand:
    """`seat` took the tile `racked` back to the wall. Where the turn was another's and nobody calls the last discard,
    it was out of turn if the seat whose turn it was plays on. `hand` is as it is without the racking."""
    due = next_seat(hand, profile)
    if racked is None or due in (None, seat) or not hand.windows or hand.windows[-1].seat is seat:
        return hand
    after, least = hand.windows[-1].discard, profile.evidence.ruling_confidence
    if racked.earliest <= after.latest or not (is_sure(event, least) and is_sure(after, least)):
        return hand
    stray = Stray(racked, root, seat, event.high + _PLAYS_ON_S, after, due)
    return replace(hand, strays=(*hand.strays, stray))


def discarded(hand: Hand, discard: Fact, seat: Seat, profile: Profile) -> Hand:
    """`seat` discarded: whoever acted before, while it held the turn, was out of turn after all; but a pick by another
    just before the discard was only quick."""
    for stray in hand.strays:
        least = profile.evidence.ruling_confidence if stray.fact.what is What.RACKED else 0.0
        if stray.held_by is seat and discard.earliest > stray.fact.latest and is_sure(discard, least):
            hand = _found(hand, stray.fact, stray.root, stray.seat, stray.after)
    crossing_s = profile.evidence.crossing_hands_s
    strays = tuple(stray for stray in hand.strays if _outlasts(stray, discard, seat, crossing_s))
    return hand if len(strays) == len(hand.strays) else replace(hand, strays=strays)


def _outlasts(stray: Stray, discard: Fact, seat: Seat, crossing_s: float) -> bool:
    """Whether an act may still prove out of turn after a discard."""
    if stray.fact.what is What.RACKED or stray.held_by is seat:
        return False  # the turn that it was in is over
    return stray.held_by is not None or stray.seat is seat or discard.earliest - stray.fact.latest > crossing_s


def picks_are_not_all_told(hand: Hand) -> Hand:
    """A turn was seen without its pick: at this table a missing pick means nothing, and never did."""
    if hand.picks is Picks.NOT_ALL_TOLD:
        return hand
    on_picks = [found.key for found in hand.findings(Rule.OUT_OF_TURN) if found.moment.what is What.PICKED]
    strays = tuple(stray for stray in hand.strays if stray.held_by is not None)
    return replace(hand.without(*on_picks), picks=Picks.NOT_ALL_TOLD, strays=strays)


def due_s(hand: Hand) -> float:
    """When silence alone will next tell that an act was out of turn."""
    return min((stray.due_s for stray in hand.strays), default=inf)


def overdue(hand: Hand, now_s: float) -> Hand:
    """Acts by seats whose turn it was not, which nothing has explained by now."""
    for stray in hand.strays:
        if now_s <= stray.due_s:
            continue
        hand = replace(hand, strays=tuple(s for s in hand.strays if s is not stray))
        held = None if stray.held_by is None else hand.seat(stray.held_by).count
        if stray.held_by is None or (held is not None and held >= IN_TURN):
            hand = _found(hand, stray.fact, stray.root, stray.seat, stray.after)
    return hand


def _found(hand: Hand, act: Fact, root: int, seat: Seat, after: Fact) -> Hand:
    if any(found.seat is seat and found.facts[0] == after for found in hand.findings(Rule.OUT_OF_TURN)):
        return hand  # the same turn: it was told when it began
    return hand.found(
        Finding(
            key=f"{Rule.OUT_OF_TURN}-{seat}-{root}",
            rule=Rule.OUT_OF_TURN,
            seat=seat,
            moment=act,
            article=ARTICLE,
            level=Level.NOTICE,
            facts=in_time(after, act),
        )
    )
