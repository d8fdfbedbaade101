"""Article 205: the wrong number of tiles.

Reads beside `seeds/article-205-wrong-number-of-tiles.txt`; `docs/articles.md` numbers its sentences. What the article
says about dead hands is in `dead_hand.py`.

Owns when a number of tiles is judged and what follows. What racks must hold between passes is in `boundary.py`. Knows
nothing of claims. Thirteen tiles are in or on a rack, fourteen in an active turn; what matters is the number when a
procedure is over. So in a seat's own turn nothing is judged until its discard, what moves off turn counts as motion for
a while (`patience.py`), an exchange is judged when it is complete, and the Charleston only at its settled boundaries. A
number that is unknown is never wrong. Nothing here declares a hand dead: another player or the director does.

Time is passed in: `due_s` says when silence alone will tell something, `overdue` tells it.
"""

from math import inf

from monitor.alerts import Authority, Fact, Level, Rule, What
from monitor.events import SEATS, CountChanged, Seat, Zone
from monitor.rules import patience
from monitor.rules.boundary import boundary_rest_s, is_as_dealt, is_boundary, is_short, must_hold, was_fleeting
from monitor.rules.procedure import SEAT, SeatHappening, article_north, is_firm, with_carried
from monitor.rules.profile import Monitoring, Profile, TakenBy, TwoWrong, WrongBeforePlay
from monitor.rules.state import (
    AT_REST,
    IN_TURN,
    INDEX,
    Ending,
    Finding,
    Hand,
    Phase,
    SeatView,
    Standing,
    fact,
    in_time,
    is_sure,
    own_discard,
    replace,
)

ARTICLE = "205"
FEWEST_EXPOSED, MOST_EXPOSED = 3, 6
_WITHHELD_S = 10.0
"""A number of the passes is told within so long, or it was not clear what it meant. Our choice."""
_ABOUT_TILES = (Rule.MISSING_TILE, Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE, Rule.REDEAL)


# ---- what a rack comes to rest with


def rested(hand: Hand, event: CountChanged, seat: Seat, profile: Profile) -> Hand:
    """A rack came to rest with another number of tiles, or can no longer be counted."""
    if event.zone is not Zone.RACK:
        return hand
    if event.count is not None and event.count == hand.seat(seat).count:
        return _surer(hand, event, seat, profile)
    known = event.count is not None
    rest = fact(event, What.RESTED if known else What.UNKNOWN_COUNT, event.count)
    hand = _boundary_that_lasted(rest_ended(hand, seat, rest, profile), rest, profile)
    view = with_carried(hand.seat(seat), seat, rest, profile)
    right = event.count == AT_REST
    at_ease = right and not view.acting
    strained = rest.latest if view.strained_s is None else view.strained_s
    view = replace(
        view,
        count=event.count,
        rest=rest,
        known_s=event.known,
        before=view.before if view.count is None else view.count,
        doubtful=not is_sure(event, profile.evidence.least_confidence),
        strained_s=strained if known and not right else None,
        unknown_since=None if known else view.unknown_since or rest,
        proven=view.proven or at_ease,
        off_at_start=None if at_ease else view.off_at_start,
        carried=None if at_ease else view.carried,
        carried_s=0.0 if at_ease else view.carried_s,
    )
    hand = hand.with_seat(seat, view)
    if hand.phase is Phase.CHARLESTON:
        hand = _late_count_of_the_deal(hand, seat, rest, profile)
        hand = _moved(hand, rest, event.known)
    return hand


def _surer(hand: Hand, event: CountChanged, seat: Seat, profile: Profile) -> Hand:
    """The same number again, surer or less sure: in play the rack rests as before, in the Charleston it rests anew."""
    view, doubtful = hand.seat(seat), not is_sure(event, profile.evidence.least_confidence)
    known_s = event.known if view.doubtful else view.known_s
    surer = None if view.rest is None else replace(view.rest, confidence=event.confidence)
    view = replace(view, doubtful=doubtful, known_s=known_s, rest=surer)
    if hand.phase is not Phase.CHARLESTON or doubtful:
        return hand.with_seat(seat, view)
    rest, at_deal = fact(event, What.RESTED, event.count), hand.dealt_rests[INDEX[seat]]
    hand = _late_count_of_the_deal(hand.with_seat(seat, replace(view, rest=rest)), seat, rest, profile)
    if at_deal is not None and at_deal.count == event.count and not any(hand.passes):
        hand = replace(hand, dealt_due_s=rest.latest + profile.evidence.late_news_s)  # touched when the deal was judged
    return _moved(hand, rest, event.known)


def _moved(hand: Hand, act: Fact, known_s: float) -> Hand:
    """Something moved in the Charleston: its racks must lie still anew."""
    still_s = act.latest if hand.still_s is None else max(hand.still_s, act.latest)
    return replace(hand, still_s=still_s, still_known_s=max(hand.still_known_s, known_s))


# ---- before East's first discard


def dealt(hand: Hand, act: Fact, known_s: float, profile: Profile) -> Hand:
    """All four racks have settled after the deal: what they hold now is what the Charleston must keep."""
    rests = tuple(view.rest if view.count is not None and not view.doubtful else None for view in hand.seats)
    return replace(
        hand,
        dealt=act,
        dealt_rests=rests,
        dealt_due_s=act.latest + profile.evidence.late_news_s,
        passes=(0, 0, 0, 0),
        still_s=act.latest,
        still_known_s=known_s,
    )


def _late_count_of_the_deal(hand: Hand, seat: Seat, rest: Fact, profile: Profile) -> Hand:
    """A rack that could not be counted when the others had settled: its first number is its number at the deal."""
    i = INDEX[seat]
    if hand.dealt is None or hand.dealt_rests[i] is not None or rest.count is None or any(hand.passes):
        return hand
    if not is_as_dealt(hand, seat, rest.count):
        return hand
    rests = (*hand.dealt_rests[:i], rest, *hand.dealt_rests[i + 1 :])
    return replace(hand, dealt_rests=rests, dealt_due_s=rest.latest + profile.evidence.late_news_s)


def passed(hand: Hand, act: Fact, known_s: float, seat: Seat, profile: Profile) -> Hand:
    """A seat's tiles left for a pass."""
    hand = _boundary_that_lasted(hand, act, profile)
    i = INDEX[seat]
    passes = (*hand.passes[:i], hand.passes[i] + 1, *hand.passes[i + 1 :])
    hand = hand.with_seat(seat, replace(hand.seat(seat), passed_s=act.latest))
    return _moved(replace(hand, passes=passes), act, known_s)


def _judge_before_play(hand: Hand, rests: tuple[Fact | None, ...], since: Fact, profile: Profile) -> Hand:
    """What the racks say after the deal, or at a settled boundary of the Charleston."""
    if profile.count.monitoring is Monitoring.OFF or hand.east is None:
        return hand
    known = [
        rest
        for seat, view, rest in zip(SEATS, hand.seats, rests, strict=True)
        if rest is not None and view.standing is not Standing.DEAD and seat is not profile.table.empty_seat
    ]
    wrong = [rest for rest in known if rest.seat is not None and rest.count != must_hold(hand, rest.seat)]
    restart = profile.count.wrong_before_play is WrongBeforePlay.RESTART
    if len(wrong) > 1 or (wrong and restart):
        for seat in SEATS:
            hand = _mended(hand, seat, Ending.SECOND_WRONG, Ending.SECOND_WRONG)
        authority = Authority.LEAGUE if len(wrong) > 1 else Authority.EVENT
        return _redeal(hand, wrong, since, authority, "count.wrong_before_play")
    for rest in known:
        if rest not in wrong and rest.seat is not None:
            hand = _mended(hand, rest.seat, Ending.TILE_TAKEN, Ending.MENDED)
    return _one_wrong(hand, wrong[0], since, profile) if wrong else hand


def _mended(hand: Hand, seat: Seat, missing: Ending, wrong: Ending) -> Hand:
    """Whatever was found about the seat before play no longer waits for anyone."""
    return hand.ended(f"{Rule.MISSING_TILE}-{seat}", missing).ended(f"{Rule.WRONG_COUNT}-{seat}", wrong)


def _one_wrong(hand: Hand, rest: Fact, since: Fact, profile: Profile) -> Hand:
    seat = rest.seat
    if hand.finding(Rule.REDEAL) or seat is None or hand.dealt is None or hand.east is None:
        return hand
    must = must_hold(hand, seat)
    short_since_deal = is_short(rest, must) and is_short(hand.dealt_rests[INDEX[seat]], must)
    is_north = seat is article_north(hand.east)
    may_take = is_north or profile.count.missing_tile_taken_by is TakenBy.ANY
    rule = Rule.MISSING_TILE if short_since_deal and may_take else Rule.WRONG_COUNT
    key = f"{rule}-{seat}"
    found = hand.finding(key)
    if found is not None and found.ending is Ending.NOT_YET:
        return hand
    moment = hand.dealt if rule is Rule.MISSING_TILE else since
    return hand.found(
        Finding(
            key=key,
            rule=rule,
            seat=seat,
            moment=moment,
            article=ARTICLE,
            level=Level.ADVICE,
            facts=in_time(moment, rest),
            expected=must,
            count=rest.count,
            rests_on="count.missing_tile_taken_by" if short_since_deal and not is_north else None,
        )
    )


def _redeal(hand: Hand, wrong: list[Fact], since: Fact, authority: Authority, rests_on: str) -> Hand:
    if hand.finding(Rule.REDEAL) is not None:
        return hand
    return hand.found(
        Finding(
            key=Rule.REDEAL,
            rule=Rule.REDEAL,
            seat=None,
            moment=since,
            article=ARTICLE,
            level=Level.RULING_DUE,
            facts=in_time(since, *wrong),
            authority=authority,
            rests_on=rests_on,
        )
    )


def deal_known(hand: Hand, profile: Profile) -> Hand:
    """What the racks say about the deal, when nothing more will become known about it."""
    dealt = hand.dealt
    if dealt is None or hand.dealt_due_s is None:
        return hand
    rests = tuple(
        None if was_fleeting(hand, seat, rest) else rest for seat, rest in zip(SEATS, hand.dealt_rests, strict=True)
    )
    hand = replace(hand, dealt_rests=rests)
    if not any(hand.passes):  # a tile that was put down just after the others had settled was dealt like them
        rests = tuple(
            view.rest if view.count is not None and view.count == must_hold(hand, seat) else rest
            for seat, view, rest in zip(SEATS, hand.seats, rests, strict=True)
        )
    # of a rack that is touched by now nothing is said until it rests with the same number again
    rests = tuple(None if hand.seat(seat).doubtful else rest for seat, rest in zip(SEATS, rests, strict=True))
    return _judge_before_play(replace(hand, dealt_due_s=None), rests, dealt, profile)


def before_play(hand: Hand, now_s: float, profile: Profile) -> Hand:
    """What the racks say by `now_s` about the deal, and about the Charleston's boundary if it lies still."""
    if hand.dealt_due_s is not None and now_s > hand.dealt_due_s:
        hand = deal_known(hand, profile)
    return _judge_boundary(hand, profile) if now_s > _boundary_due_s(hand, profile) else hand


def _boundary_due_s(hand: Hand, profile: Profile) -> float:
    if hand.still_s is None or not is_boundary(hand, profile):
        return inf
    return patience.due_s(hand.still_s, boundary_rest_s(hand, profile), hand.still_known_s, profile)


def _judge_boundary(hand: Hand, profile: Profile) -> Hand:
    rests = tuple(view.rest for view in hand.seats)
    last = max((rest for rest in rests if rest is not None), key=lambda f: f.at)
    if last.at > hand.seemed_play_s and not any(_became_known_late(hand, seat) for seat in SEATS):
        hand = _judge_before_play(hand, rests, last, profile)
    return replace(hand, still_s=None)


def _became_known_late(hand: Hand, seat: Seat) -> bool:
    """Whether a wrong number was withheld: nobody knew what it meant, and by now it has rather been one of play."""
    view = hand.seat(seat)
    if view.rest is None or view.count == must_hold(hand, seat):
        return False
    return view.known_s - view.rest.at > _WITHHELD_S


def _boundary_that_lasted(hand: Hand, act: Fact, profile: Profile) -> Hand:
    """Something moves in the Charleston, but the racks had lain still for long enough before."""
    if hand.phase is not Phase.CHARLESTON or hand.still_s is None or not is_boundary(hand, profile):
        return hand
    return _judge_boundary(hand, profile) if act.earliest - hand.still_s > boundary_rest_s(hand, profile) else hand


def play_began(hand: Hand, act: Fact, profile: Profile) -> Hand:
    """East has discarded: a tile missing since the deal can no longer be taken; the rack is counted like any other."""
    hand = _boundary_that_lasted(deal_known(hand, profile), act, profile)
    for seat in SEATS:
        if seat is not hand.east and hand.seat(seat).count == AT_REST:
            hand = _mended(hand, seat, Ending.TILE_TAKEN, Ending.MENDED)
        hand = hand.ended(f"{Rule.MISSING_TILE}-{seat}", Ending.PLAY_BEGAN)
    return hand


# ---- in play


def due_s(hand: Hand, profile: Profile) -> float:
    """When silence alone will next tell something about a number of tiles."""
    due = inf
    if hand.phase is Phase.CHARLESTON:
        due = min(inf if hand.dealt_due_s is None else hand.dealt_due_s, _boundary_due_s(hand, profile))
    elif hand.phase is Phase.PLAY:
        for seat, view in zip(SEATS, hand.seats, strict=True):
            if view.count != AT_REST and patience.is_judged(hand, seat, view, profile):
                due = min(due, patience.wrong_from_s(hand, view, profile))
    return due


def overdue(hand: Hand, now_s: float, profile: Profile) -> Hand:
    """What silence until `now_s` tells about numbers of tiles."""
    if hand.phase is Phase.CHARLESTON:
        hand = before_play(hand, now_s, profile)
    elif hand.phase is Phase.PLAY:
        for seat in SEATS:
            view = hand.seat(seat)
            if patience.is_judged(hand, seat, view, profile) and now_s > patience.wrong_from_s(hand, view, profile):
                hand = _wrong(hand, seat, profile)
    return hand


def turns_came(hand: Hand, busy: set[Seat | None], since: Fact, profile: Profile) -> Hand:
    """Seats whose turn another's act brings: what rested wrong on their racks until now is judged before it."""
    for seat in SEATS:
        if seat in busy and seat is not since.seat and hand.seat(seat).count != AT_REST:
            hand = rest_ended(hand, seat, since, profile)
    return hand


def rest_ended(hand: Hand, seat: Seat, until: Fact, profile: Profile) -> Hand:
    """A rack's rest ends as its tiles move or its turn comes, but it had rested wrong for longer than motion does."""
    view = hand.seat(seat)
    if not patience.is_judged(hand, seat, view, profile) or view.rest is None or view.idle is None:
        return hand
    if hand.play is not None and hand.play.at < view.rest.at and view.known_s < hand.play_known_s:
        return hand  # it was told as a number of the passes, where a tile fewer is one on its way
    lasted_s = until.earliest - max(view.rest.latest, view.clock_s) + patience.carried_s(view)
    lasted = lasted_s > patience.motion_s(hand, view, profile)
    return _wrong(hand, seat, profile) if lasted or _was_missing(hand, seat, until) else hand


def _was_missing(hand: Hand, seat: Seat, until: Fact) -> bool:
    """Whether the seat was found short before play and first moves now, after East's first discard: it is too late."""
    missing, play = hand.finding(f"{Rule.MISSING_TILE}-{seat}"), hand.play
    if missing is None or missing.ending is not Ending.PLAY_BEGAN or play is None or until.seat is not seat:
        return False
    view = hand.seat(seat)
    return view.off_at_start == view.count and until.earliest > play.latest


def _wrong(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """A rack holds a wrong number for good. The moment is the end of the procedure that left it so, never the cause."""
    view = hand.seat(seat)
    rest, idle, play = view.rest, view.idle, hand.play
    if rest is None or idle is None or play is None:
        return hand
    off_turn = False
    if view.off_at_start == view.count:
        moment = play
    elif patience.carried_s(view) and view.carried_from is not None:
        moment = view.carried_from
    elif own_discard(view, seat) is not None and rest.at <= idle.at + profile.count.off_turn_motion_s:
        moment = idle
    else:
        moment, off_turn = max(rest, idle, key=lambda f: f.at), True
    provisional = off_turn and not is_firm(hand)
    return _found_wrong(hand, seat, moment, AT_REST, "count.off_turn_motion_s", profile, provisional=provisional)


def _found_wrong(
    hand: Hand,
    seat: Seat,
    moment: Fact,
    expected: int,
    rests_on: str | None,
    profile: Profile,
    *,
    provisional: bool = False,
) -> Hand:
    view = hand.seat(seat)
    if view.rest is None:
        return hand
    hand = hand.with_seat(seat, replace(view, standing=SEAT[view.standing][SeatHappening.FOUND_WRONG]))
    key = f"{Rule.WRONG_COUNT}-{seat}"
    before = hand.finding(key)
    if before is not None and before.ending is not Ending.NOT_YET:
        key += "-2"  # the first was mended before play began: this is another fault
    found = Finding(
        key=key,
        rule=Rule.WRONG_COUNT,
        seat=seat,
        moment=moment,
        article=ARTICLE,
        level=Level.RULING_DUE,
        facts=in_time(moment, view.rest),
        expected=expected,
        count=view.rest.count,
        rests_on=rests_on,
        provisional=provisional,
    )
    hand = hand.found(found)
    wrong = [v.rest for v in hand.seats if v.standing is Standing.WRONG and v.rest is not None]
    if len(wrong) > 1 and profile.count.two_wrong_in_play is TwoWrong.RESTART:
        return _redeal(hand, wrong, moment, Authority.EVENT, "count.two_wrong_in_play")
    return hand


def own_turn_after_all(hand: Hand, seat: Seat) -> Hand:
    """`seat` discarded: what seemed wrong off turn was its own turn, and is judged at this discard instead. What seemed
    wrong on another rack stands: the turn has gone elsewhere."""
    for found in hand.findings(Rule.WRONG_COUNT):
        if not found.provisional:
            continue
        if found.seat is seat:
            view = hand.seat(seat)
            view = replace(view, standing=SEAT[view.standing].get(SeatHappening.PROVED_RIGHT, view.standing))
            hand = hand.without(found.key).with_seat(seat, view)
        else:
            hand = hand.found(replace(found, provisional=False))
    return hand


def declared(hand: Hand, seat: Seat, act: Fact, profile: Profile) -> Hand:
    """Mah jongg ends the seat's procedure: fourteen tiles then, one perhaps still in the hand or on the table."""
    view = hand.seat(seat)
    if (
        profile.count.monitoring is Monitoring.OFF
        or view.standing is not Standing.ALIVE
        or view.rest is None
        or view.count is None
        or view.doubtful
        or not (view.proven or hand.dealt is not None)
    ):
        return hand
    racked, discard = hand.turn.racked, hand.windows[-1].discard if hand.windows else None
    claims = discard is not None and discard.seat is not seat and seat not in (hand.turn.holder, hand.turn.beside)
    whole = racked is not None and racked.seat is seat and view.rest.at >= racked.at
    settled = view.rest.latest <= act.earliest - profile.evidence.crossing_hands_s
    if claims and discard is not None and view.count == IN_TURN and view.rest.latest < discard.earliest and settled:
        return _found_wrong(hand, seat, _since_play(hand, view, act), AT_REST, None, profile)
    if view.count == IN_TURN or (view.count == AT_REST and not whole):
        return hand
    if view.count < IN_TURN and not settled and (view.before is None or view.count < view.before):
        return hand  # tiles are already being shown
    return _found_wrong(hand, seat, _since_play(hand, view, act), IN_TURN, None, profile)


def _since_play(hand: Hand, view: SeatView, act: Fact) -> Fact:
    """The moment of a fault that mah jongg brings out: East's first discard where it is older than play."""
    off, play = view.off_at_start, hand.play
    older = off is not None and view.count is not None and view.count - off in (0, 1)
    return play if older and play is not None else act


# ---- exposures


def exposure_at_discard(hand: Hand, seat: Seat, claimed: int, tiles: int | None, discard: Fact) -> Hand:
    """The claimer discards: from now on the exposure's size stands, and is judged.

    `claimed`: the root of the discard that was claimed; `tiles`: what was called for, if that is known.
    """
    sizes = hand.turn.sizes
    if sizes is None or sizes.count is None or sizes.seat is not seat:
        return hand
    if FEWEST_EXPOSED <= sizes.count <= MOST_EXPOSED and tiles in (None, sizes.count):
        return hand
    return hand.found(
        Finding(
            key=f"{Rule.WRONG_EXPOSURE}-{seat}-{claimed}",
            rule=Rule.WRONG_EXPOSURE,
            seat=seat,
            moment=discard,
            article=ARTICLE,
            level=Level.RULING_DUE,
            facts=in_time(sizes, discard),
            expected=tiles,
            count=sizes.count,
        )
    )


# ---- what ends a finding


def declared_dead(hand: Hand, seat: Seat) -> Hand:
    """Another player or the director declared the hand dead: its number of tiles no longer matters."""
    for found in hand.findings(Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE):
        if found.seat is seat:
            hand = hand.ended(found.key, Ending.DECLARED_DEAD)
    return hand


def hand_over(hand: Hand) -> Hand:
    """The hand is over: nothing about numbers of tiles waits for a ruling any more."""
    for found in hand.findings(*_ABOUT_TILES):
        hand = hand.ended(found.key, Ending.HAND_OVER)
    return hand
