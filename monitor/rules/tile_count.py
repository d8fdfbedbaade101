"""Article 205: the wrong number of tiles.

Reads beside `seeds/article-205-wrong-number-of-tiles.txt`; `docs/articles.md` numbers its sentences.

Owns what a rack must hold and when that may be judged. Knows nothing of claims. Thirteen tiles are in or on a rack,
fourteen in an active turn; what matters is the number when a procedure is over. So in a seat's own turn nothing is
judged until its discard, what moves off turn counts as motion for a while, an exchange is judged when it is complete,
and the Charleston only at its settled boundaries. A number that is unknown is never wrong. Nothing here declares a hand
dead: another player or the director does.

Time is passed in: `due_s` says when silence alone will tell something, `overdue` tells it.
"""

from math import inf

from monitor.alerts import Authority, Fact, Level, Rule, What
from monitor.events import SEATS, CountChanged, Seat, Zone
from monitor.rules.procedure import article_north, is_firm
from monitor.rules.profile import Monitoring, Profile, TakenBy, TwoWrong, WrongBeforePlay
from monitor.rules.state import (
    INDEX,
    Ending,
    Finding,
    Hand,
    Hold,
    Phase,
    SeatView,
    Standing,
    fact,
    replace,
)

ARTICLE = "205"
AT_REST = 13
IN_TURN = 14
FEWEST_EXPOSED, MOST_EXPOSED = 3, 6


# ---- what a rack comes to rest with


def rested(hand: Hand, event: CountChanged, seat: Seat, profile: Profile) -> Hand:
    """A rack came to rest with another number of tiles, or can no longer be counted."""
    if event.zone is not Zone.RACK:
        return hand
    old = hand.seat(seat)
    what = What.UNKNOWN_COUNT if event.count is None else What.RESTED
    rest = fact(event, what, event.count)
    hand = _motion_that_lasted(hand, seat, rest, profile)
    view = hand.seat(seat)
    right = event.count == AT_REST
    strained = None if right or event.count is None else (view.strained_s if old.count is not None else None)
    if strained is None and not right and event.count is not None:
        strained = rest.latest
    view = replace(
        view,
        count=event.count,
        rest=rest,
        known_s=event.known,
        before=old.count if old.count is not None else old.before,
        doubtful=event.confidence is not None and event.confidence < profile.evidence.least_confidence,
        strained_s=strained,
        proven=view.proven or (right and not view.acting),
        off_at_start=None if right and not view.acting else view.off_at_start,
        unknown_since=(view.unknown_since or rest) if event.count is None else None,
    )
    hand = hand.with_seat(seat, view)
    if event.count is not None:
        hand = _known_again(hand, seat)
    if hand.phase is Phase.CHARLESTON:
        hand = _late_count_of_the_deal(hand, seat, rest, profile)
        hand = _moved(hand, rest)
    return hand


def _moved(hand: Hand, since: Fact) -> Hand:
    """Something moved in the Charleston: its racks must lie still anew."""
    return replace(hand, still_s=since.latest if hand.still_s is None else max(hand.still_s, since.latest))


def _known_again(hand: Hand, seat: Seat) -> Hand:
    fault = hand.finding(f"{Rule.SENSOR_FAULT}-{seat}")
    if fault is None or fault.ending is not Ending.NOT_YET:
        return hand
    return hand.found(replace(fault, ending=Ending.KNOWN_AGAIN))


# ---- before East's first discard


def dealt(hand: Hand, event_fact: Fact, profile: Profile) -> Hand:
    """All four racks have settled after the deal: what they hold now is what the Charleston must keep."""
    counts = tuple(None if view.doubtful else view.count for view in hand.seats)
    hand = replace(
        hand,
        dealt=event_fact,
        dealt_counts=counts,
        passes=(0, 0, 0, 0),
        still_s=event_fact.latest,
    )
    return _judge_before_play(hand, event_fact, profile)


def _late_count_of_the_deal(hand: Hand, seat: Seat, rest: Fact, profile: Profile) -> Hand:
    """A rack that could not be counted when the others had settled: its first number is its number at the deal."""
    i = INDEX[seat]
    if hand.dealt is None or hand.dealt_counts[i] is not None or rest.count is None or any(hand.passes):
        return hand
    counts = (*hand.dealt_counts[:i], rest.count, *hand.dealt_counts[i + 1 :])
    return _judge_before_play(replace(hand, dealt_counts=counts), rest, profile)


def passed(hand: Hand, event_fact: Fact, seat: Seat) -> Hand:
    """A seat's tiles left for a pass."""
    i = INDEX[seat]
    passes = (*hand.passes[:i], hand.passes[i] + 1, *hand.passes[i + 1 :])
    return _moved(replace(hand, passes=passes), event_fact)


def must_hold(hand: Hand, seat: Seat) -> int | None:
    """What a rack must hold between passes; `None` while nobody knows who is East."""
    if hand.east is None:
        return None
    return IN_TURN if seat is hand.east else AT_REST


def is_boundary(hand: Hand, profile: Profile) -> bool:
    """Whether no tile of the Charleston is on its way: all have passed equally often and the racks hold what they held
    after the deal, or what they ought to hold once a missing tile is taken."""
    if hand.dealt is None or hand.east is None:
        return False
    seated = [i for i, seat in enumerate(SEATS) if seat is not profile.table.empty_seat]
    counts = [hand.seats[i].count for i in seated if not hand.seats[i].doubtful]
    known = [count for count in counts if count is not None]
    if len(known) < len(seated) or len({hand.passes[i] for i in seated}) != 1:
        return False
    full = AT_REST * len(seated) + 1
    after_deal = [hand.dealt_counts[i] for i in seated]
    held = full if None in after_deal else sum(count or 0 for count in after_deal)
    return min(held, full) <= sum(known) <= max(held, full)


def _wrong_before_play(hand: Hand, profile: Profile) -> list[Seat]:
    if hand.east is None:
        return []
    return [
        seat
        for seat, view in zip(SEATS, hand.seats, strict=True)
        if seat is not profile.table.empty_seat
        and view.count is not None
        and not view.doubtful
        and view.standing is not Standing.DEAD
        and view.count != must_hold(hand, seat)
    ]


def _judge_before_play(hand: Hand, since: Fact, profile: Profile) -> Hand:
    """What the racks say after the deal or at a settled boundary of the Charleston."""
    if profile.count.monitoring is Monitoring.OFF:
        return hand
    wrong = _wrong_before_play(hand, profile)
    restart = profile.count.wrong_before_play is WrongBeforePlay.RESTART
    if len(wrong) > 1 or (wrong and restart):
        for seat in SEATS:
            hand = _end(hand, f"{Rule.MISSING_TILE}-{seat}", Ending.SECOND_WRONG)
            hand = _end(hand, f"{Rule.WRONG_COUNT}-{seat}", Ending.SECOND_WRONG)
        return _redeal(hand, wrong, since, None if len(wrong) > 1 else "count.wrong_before_play")
    for seat in SEATS:
        if seat not in wrong:
            hand = _end(hand, f"{Rule.MISSING_TILE}-{seat}", Ending.TILE_TAKEN)
            hand = _end(hand, f"{Rule.WRONG_COUNT}-{seat}", Ending.MENDED)
    return _one_wrong(hand, wrong[0], since, profile) if wrong else hand


def _one_wrong(hand: Hand, seat: Seat, since: Fact, profile: Profile) -> Hand:
    if hand.finding(Rule.REDEAL.value) is not None:
        return hand
    view, must = hand.seat(seat), must_hold(hand, seat)
    at_deal = hand.dealt_counts[INDEX[seat]]
    if hand.dealt is None or must is None or view.rest is None or hand.east is None:
        return hand
    short = view.count is not None and view.count < must and at_deal is not None and at_deal < must
    is_north = seat is article_north(hand.east)
    if short and (is_north or profile.count.missing_tile_taken_by is TakenBy.ANY):
        key, rule, at, expected = f"{Rule.MISSING_TILE}-{seat}", Rule.MISSING_TILE, hand.dealt, must
        rests_on = None if is_north else "count.missing_tile_taken_by"
    else:
        key, rule, at, expected = f"{Rule.WRONG_COUNT}-{seat}", Rule.WRONG_COUNT, since, must
        rests_on = None
    if hand.finding(key) is not None and not _ended(hand, key):
        return hand
    return hand.found(
        Finding(
            key=key,
            rule=rule,
            seat=seat,
            at=at.at,
            low=at.earliest,
            high=at.latest,
            article=ARTICLE,
            level=Level.ADVICE,
            facts=_in_time(at, view.rest),
            expected=expected,
            count=view.count,
            rests_on=rests_on,
        )
    )


def _redeal(hand: Hand, wrong: list[Seat], since: Fact, rests_on: str | None) -> Hand:
    if hand.finding(Rule.REDEAL.value) is not None:
        return hand
    rests = [view.rest for seat, view in zip(SEATS, hand.seats, strict=True) if seat in wrong and view.rest]
    return hand.found(
        Finding(
            key=Rule.REDEAL.value,
            rule=Rule.REDEAL,
            seat=None,
            at=since.at,
            low=since.earliest,
            high=since.latest,
            article=ARTICLE,
            level=Level.RULING_DUE,
            facts=_in_time(since, *rests),
            authority=Authority.LEAGUE if rests_on is None else Authority.EVENT,
            rests_on=rests_on,
        )
    )


def play_began(hand: Hand) -> Hand:
    """East has discarded: a tile missing since the deal can no longer be taken; the rack is counted like any other."""
    for seat in SEATS:
        view = hand.seat(seat)
        taken = view.count is not None and view.count == must_hold(hand, seat)
        hand = _end(hand, f"{Rule.MISSING_TILE}-{seat}", Ending.TILE_TAKEN if taken else Ending.PLAY_BEGAN)
        if taken:
            hand = _end(hand, f"{Rule.WRONG_COUNT}-{seat}", Ending.MENDED)
    return hand


# ---- in play


def patience_s(hand: Hand, seat: Seat, view: SeatView, profile: Profile) -> float:
    """How long a deviation of a seat that is not acting counts as motion."""
    if view.holding is Hold.TOLD and view.count == AT_REST - 1:
        return max(profile.count.held_pick_s, profile.count.off_turn_motion_s)
    if _may_have_picked_unseen(hand, seat, view):
        return max(profile.count.restless_s, profile.count.off_turn_motion_s)
    return profile.count.off_turn_motion_s


def _may_have_picked_unseen(hand: Hand, seat: Seat, view: SeatView) -> bool:
    """One tile came to rest on this rack, and turns before may have passed unseen: the seat may be in its own turn."""
    own = view.idle is not None and view.idle.what is What.DISCARDED and view.idle.seat is seat
    stayed = own and view.rest is not None and view.idle is not None and view.rest.at <= view.idle.latest
    return view.count == IN_TURN and view.before == AT_REST and not is_firm(hand) and not stayed


def is_judged(hand: Hand, seat: Seat, view: SeatView, profile: Profile) -> bool:
    """Whether this rack's number may be called wrong at all."""
    return (
        hand.phase is Phase.PLAY
        and not view.acting
        and view.standing is Standing.ALIVE
        and view.count is not None
        and view.count != AT_REST
        and not view.doubtful
        and view.idle is not None
        and (view.proven or hand.dealt is not None)
        and seat is not profile.table.empty_seat
        and profile.count.monitoring is Monitoring.ON
    )


def due_s(hand: Hand, profile: Profile) -> float:
    """When silence alone will next tell something about a number of tiles."""
    due = inf
    if hand.phase is Phase.CHARLESTON:
        if is_boundary(hand, profile):
            due = inf if hand.still_s is None else hand.still_s + profile.count.boundary_rest_s
    elif hand.phase is Phase.PLAY:
        for i, view in enumerate(hand.seats):
            if view.count != AT_REST and is_judged(hand, SEATS[i], view, profile):
                due = min(due, _wrong_from_s(hand, SEATS[i], view, profile))
    if hand.phase in (Phase.CHARLESTON, Phase.PLAY):
        for i, view in enumerate(hand.seats):
            if view.unknown_since is not None and not _told_unknown(hand, SEATS[i]):
                due = min(due, view.unknown_since.at + profile.evidence.unknown_count_s)
    return due


def _wrong_from_s(hand: Hand, seat: Seat, view: SeatView, profile: Profile) -> float:
    rest, idle = view.rest, view.idle
    if rest is None or idle is None:
        return inf
    patience = patience_s(hand, seat, view, profile)
    still = max(rest.latest, idle.latest, view.known_s) + patience
    strained = view.strained_s if view.strained_s is not None else rest.latest
    restless = max(max(strained, idle.latest) + max(profile.count.restless_s, patience), view.known_s)
    return min(still, restless)


def overdue(hand: Hand, now_s: float, profile: Profile) -> Hand:
    """What silence until `now_s` tells about numbers of tiles."""
    if hand.phase is Phase.CHARLESTON:
        still = hand.still_s
        if still is not None and now_s > still + profile.count.boundary_rest_s and is_boundary(hand, profile):
            hand = replace(_judge_before_play(hand, _last_of_boundary(hand), profile), still_s=None)
    elif hand.phase is Phase.PLAY:
        for seat in SEATS:
            view = hand.seat(seat)
            if is_judged(hand, seat, view, profile) and now_s > _wrong_from_s(hand, seat, view, profile):
                hand = _wrong(hand, seat, profile)
    if hand.phase in (Phase.CHARLESTON, Phase.PLAY):
        for seat in SEATS:
            since = hand.seat(seat).unknown_since
            if since is not None and now_s > since.at + profile.evidence.unknown_count_s:
                hand = _unknown(hand, seat, since)
    return hand


def _last_of_boundary(hand: Hand) -> Fact:
    rests = [view.rest for view in hand.seats if view.rest is not None]
    return max((*rests, *((hand.dealt,) if hand.dealt else ())), key=lambda f: f.at)


def _motion_that_lasted(hand: Hand, seat: Seat, rest: Fact, profile: Profile) -> Hand:
    """Another number came, but the last one had rested for longer than motion does."""
    view = hand.seat(seat)
    if not is_judged(hand, seat, view, profile) or view.rest is None or view.idle is None:
        return hand
    lasted_s = rest.earliest - max(view.rest.latest, view.idle.latest)
    return _wrong(hand, seat, profile) if lasted_s > patience_s(hand, seat, view, profile) else hand


def _wrong(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    view = hand.seat(seat)
    rest, idle = view.rest, view.idle
    if rest is None or idle is None or hand.play is None:
        return hand
    own = idle is hand.play or idle.seat is seat
    if view.off_at_start is not None and view.off_at_start == view.count:
        at = hand.play
    elif own and rest.at <= idle.at + profile.count.off_turn_motion_s:
        at = idle
    else:
        at = max(rest, idle, key=lambda f: f.at)
    provisional = not own and not is_firm(hand)
    provisional = provisional or (at is rest and not is_firm(hand))
    return _found_wrong(hand, seat, at, AT_REST, provisional, "count.off_turn_motion_s", profile)


def _found_wrong(
    hand: Hand, seat: Seat, at: Fact, expected: int, provisional: bool, rests_on: str | None, profile: Profile
) -> Hand:
    view = hand.seat(seat)
    if view.rest is None:
        return hand
    hand = hand.with_seat(seat, replace(view, standing=Standing.WRONG))
    key = f"{Rule.WRONG_COUNT}-{seat}"
    if _ended(hand, key):
        key += "-2"
    hand = hand.found(
        Finding(
            key=key,
            rule=Rule.WRONG_COUNT,
            seat=seat,
            at=at.at,
            low=at.earliest,
            high=at.latest,
            article=ARTICLE,
            level=Level.RULING_DUE,
            facts=_in_time(at, view.rest),
            expected=expected,
            count=view.rest.count,
            rests_on=rests_on,
            provisional=provisional,
        )
    )
    wrong = [s for s, v in zip(SEATS, hand.seats, strict=True) if v.standing is Standing.WRONG]
    if len(wrong) > 1 and profile.count.two_wrong_in_play is TwoWrong.RESTART:
        return _redeal(hand, wrong, at, "count.two_wrong_in_play")
    return hand


def own_turn_after_all(hand: Hand, seat: Seat) -> Hand:
    """`seat` discarded: what seemed wrong off turn was its own turn, and is judged at this discard instead. What seemed
    wrong on other racks stands."""
    for outcome in list(hand.findings.values()):
        if isinstance(outcome, Finding) and outcome.provisional:
            if outcome.seat is seat:
                hand = hand.without(outcome.key)
                hand = hand.with_seat(seat, replace(hand.seat(seat), standing=Standing.ALIVE))
            else:
                hand = hand.found(replace(outcome, provisional=False))
    return hand


def declared(hand: Hand, seat: Seat, event_fact: Fact, profile: Profile) -> Hand:
    """Mah jongg ends the seat's procedure: fourteen tiles then, of which one may still be in the hand or on the table."""
    view = hand.seat(seat)
    if (
        profile.count.monitoring is Monitoring.OFF
        or view.standing is not Standing.ALIVE
        or view.count is None
        or view.doubtful
        or view.rest is None
        or not (view.proven or hand.dealt is not None)
    ):
        return hand
    whole = view.rest.at >= _racked_at(hand, seat)
    if view.count in (IN_TURN, IN_TURN if whole else AT_REST):
        return hand
    if view.count < IN_TURN and view.rest.latest > event_fact.earliest - profile.evidence.crossing_hands_s:
        return hand  # tiles are already being shown
    return _found_wrong(hand, seat, event_fact, IN_TURN, False, None, profile)


def _racked_at(hand: Hand, seat: Seat) -> float:
    racked = hand.turn.racked
    return racked.at if racked is not None and racked.seat is seat else inf


# ---- exposures


def exposure_at_discard(hand: Hand, seat: Seat, root: int, tiles: int | None, since: Fact) -> Hand:
    """The claimer discards: from now on the exposure's size stands, and is judged."""
    sizes = hand.turn.sizes
    if sizes is None or sizes.count is None or sizes.seat is not seat:
        return hand
    if FEWEST_EXPOSED <= sizes.count <= MOST_EXPOSED and tiles in (None, sizes.count):
        return hand
    return hand.found(
        Finding(
            key=f"{Rule.WRONG_EXPOSURE}-{seat}-{root}",
            rule=Rule.WRONG_EXPOSURE,
            seat=seat,
            at=since.at,
            low=since.earliest,
            high=since.latest,
            article=ARTICLE,
            level=Level.RULING_DUE,
            facts=_in_time(sizes, since),
            expected=tiles,
            count=sizes.count,
        )
    )


# ---- what ends a finding


def declared_dead(hand: Hand, seat: Seat) -> Hand:
    """Another player or the director declared the hand dead: its number of tiles no longer matters."""
    for outcome in list(hand.findings.values()):
        if (
            isinstance(outcome, Finding)
            and outcome.seat is seat
            and outcome.rule in (Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE)
        ):
            hand = _end(hand, outcome.key, Ending.DECLARED_DEAD)
    return hand


def hand_over(hand: Hand) -> Hand:
    """The hand is over: nothing about numbers of tiles waits for a ruling any more."""
    for outcome in list(hand.findings.values()):
        if isinstance(outcome, Finding) and outcome.rule in (
            Rule.MISSING_TILE,
            Rule.WRONG_COUNT,
            Rule.WRONG_EXPOSURE,
            Rule.REDEAL,
            Rule.SENSOR_FAULT,
        ):
            hand = _end(hand, outcome.key, Ending.HAND_OVER)
    return hand


def _end(hand: Hand, key: str, ending: Ending) -> Hand:
    found = hand.finding(key)
    if found is None or found.ending is not Ending.NOT_YET:
        return hand
    return hand.found(replace(found, ending=ending))


def _ended(hand: Hand, key: str) -> bool:
    found = hand.finding(key)
    return found is not None and found.ending is not Ending.NOT_YET


def _told_unknown(hand: Hand, seat: Seat) -> bool:
    found = hand.finding(f"{Rule.SENSOR_FAULT}-{seat}")
    return found is not None and found.ending is Ending.NOT_YET


def _unknown(hand: Hand, seat: Seat, since: Fact) -> Hand:
    if _told_unknown(hand, seat):
        return hand
    return hand.found(
        Finding(
            key=f"{Rule.SENSOR_FAULT}-{seat}",
            rule=Rule.SENSOR_FAULT,
            seat=seat,
            at=since.at,
            low=since.earliest,
            high=since.latest,
            article="none",
            level=Level.TECHNICAL,
            facts=(since,),
            authority=Authority.EVENT,
            rests_on="evidence.unknown_count_s",
        )
    )


def _in_time(*facts: Fact) -> tuple[Fact, ...]:
    return tuple(sorted(dict.fromkeys(facts), key=lambda f: f.at))
