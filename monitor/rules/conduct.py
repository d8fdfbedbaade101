"""Who may act and who may declare: turn order, dead hands, declarations, an event's own procedures.

Owns the findings about conduct: out of turn, a dead hand that acts, a declaration by someone who may not make it, a
procedure that only this event asks for. Knows nothing of counts or windows but what a hand already says. Sources: the
dead hand's rights and duties and who may declare whom from Article 205; the turn from the procedure both articles take
for granted.

A turn that nobody saw never makes anything out of turn. It is told only where the evidence leaves no other reading:
picks are told at this table and the seat picked though the turn was another's; or another seat is known to hold its
fourteen tiles and goes on holding them; or there was no time for the turns between.
"""

from monitor.alerts import Authority, Fact, Level, Rule, What
from monitor.events import Dead, Declared, JokerExchanged, Recorded, Seat
from monitor.rules import tile_count
from monitor.rules.procedure import is_firm, next_seat, turns_between
from monitor.rules.profile import Exchange, Profile
from monitor.rules.state import (
    Ending,
    Finding,
    Hand,
    Phase,
    Picks,
    Standing,
    Stray,
    fact,
    replace,
)

DIRECTOR = "director"


def _finding(
    key: str,
    rule: Rule,
    seat: Seat,
    facts: tuple[Fact, ...],
    article: str,
    level: Level = Level.RULING_DUE,
    authority: Authority = Authority.LEAGUE,
    rests_on: str | None = None,
) -> Finding:
    """A finding whose moment is its last fact's."""
    at = facts[-1]
    return Finding(
        key=key,
        rule=rule,
        seat=seat,
        at=at.at,
        low=at.earliest,
        high=at.latest,
        article=article,
        level=level,
        facts=facts,
        authority=authority,
        rests_on=rests_on,
    )


# ---- out of turn


def is_sure(event: Recorded, profile: Profile) -> bool:
    """Whether a reading is sure enough to say that someone acted out of turn."""
    return event.confidence is None or event.confidence >= profile.evidence.sure_confidence


def picked_astray(hand: Hand, event: Recorded, root: int, seat: Seat, profile: Profile) -> Hand:
    """`seat` picked though another was next: found out of turn unless hands merely crossed or picks are not all told."""
    if hand.picks is Picks.NOT_ALL_TOLD or not is_sure(event, profile) or hand.turn.discarder is None:
        return hand
    discard = hand.windows[-1].discard if hand.windows else None
    if discard is not None and event.low <= discard.latest:
        return hand
    due_s = event.high + profile.evidence.crossing_hands_s
    stray = Stray(fact(event, What.PICKED), root, seat, due_s, next_seat(hand, profile), None)
    return replace(hand, strays=(*hand.strays, stray))


def acted_astray(hand: Hand, event: Recorded, what: What, root: int, seat: Seat, profile: Profile) -> Hand:
    """`seat` racked or discarded though it was not next. `hand` is as before the act."""
    if not is_sure(event, profile) or hand.turn.discarder is None:
        return hand
    act = fact(event, what)
    if what is What.DISCARDED and hand.windows:
        turns = turns_between(hand, seat, profile)
        elapsed_s = event.high - hand.windows[-1].discard.earliest
        if turns and elapsed_s < (turns + 1) * profile.evidence.fastest_turn_s:
            return _out_of_turn(hand, act, root, seat, hand.windows[-1].discard)
    holder = hand.turn.holder
    if is_firm(hand) and holder is not seat:
        due_s = act.latest + profile.count.off_turn_motion_s
        return replace(hand, strays=(*hand.strays, Stray(act, root, seat, due_s, holder, holder)))
    return hand


def discard_explains(hand: Hand, event_fact: Fact, seat: Seat, profile: Profile) -> Hand:
    """`seat` discarded: a pick just before, by a player who was quick, is no fault."""
    crossing = profile.evidence.crossing_hands_s
    strays = tuple(
        s
        for s in hand.strays
        if not (s.held_by is None and s.seat is not seat and event_fact.earliest - s.fact.latest <= crossing)
    )
    return hand if len(strays) == len(hand.strays) else replace(hand, strays=strays)


def picks_are_not_all_told(hand: Hand) -> Hand:
    """A turn was seen without its pick: at this table a missing pick means nothing, and never did."""
    keys = [
        o.key
        for o in hand.findings.values()
        if isinstance(o, Finding) and o.rule is Rule.OUT_OF_TURN and o.facts[-1].what is What.PICKED
    ]
    strays = tuple(s for s in hand.strays if s.held_by is not None)
    return replace(hand.without(*keys), picks=Picks.NOT_ALL_TOLD, strays=strays)


def overdue(hand: Hand, now_s: float) -> Hand:
    """Acts by seats whose turn it was not, which nothing has explained by now."""
    for stray in hand.strays:
        if now_s <= stray.due_s:
            continue
        hand = replace(hand, strays=tuple(s for s in hand.strays if s is not stray))
        if stray.held_by is not None:
            count = hand.seat(stray.held_by).count
            if count is None or count < tile_count.IN_TURN:
                continue
        before = hand.windows[-1].discard if hand.windows else None
        for window in hand.windows:
            if window.discard.at <= stray.fact.at and window.discard.seq != stray.fact.seq:
                before = window.discard
        hand = _out_of_turn(hand, stray.fact, stray.root, stray.seat, before)
    return hand


def _out_of_turn(hand: Hand, act: Fact, root: int, seat: Seat, before: Fact | None) -> Hand:
    for outcome in hand.findings.values():
        if isinstance(outcome, Finding) and outcome.rule is Rule.OUT_OF_TURN and outcome.seat is seat:
            last = outcome.facts[0]
            if before is not None and last.seq == before.seq:
                return hand  # the same turn: it was told when it began
    facts = (act,) if before is None or before.seq == act.seq else (before, act)
    return hand.found(
        _finding(f"{Rule.OUT_OF_TURN}-{seat}-{root}", Rule.OUT_OF_TURN, seat, facts, "107", Level.NOTICE)
    )


# ---- dead hands


def dead_hand_acts(hand: Hand, event: Recorded, what: What, seat: Seat) -> Hand:
    """A hand declared dead picked, discarded or claimed. What it did before that moment, or together with it, is no fault."""
    dead = hand.seat(seat).dead
    key = f"{Rule.DEAD_HAND_ACTS}-{seat}"
    if dead is None or event.low <= dead.latest:
        return hand
    act = fact(event, what)
    old = hand.finding(key)
    if old is not None:
        return hand.found(replace(old, facts=(*old.facts, act)))
    found = _finding(key, Rule.DEAD_HAND_ACTS, seat, (dead, act), tile_count.ARTICLE)
    return hand.found(found)


def died(hand: Hand, event: Dead, root: int, seat: Seat) -> Hand:
    """A hand was declared dead: by another living player, or by the director; else the declaration is not valid."""
    event_fact = fact(event, What.DEAD, by=event.by)
    declarer = _seat_named(event.by)
    if declarer is not None:
        theirs = hand.seat(declarer)
        own = declarer is seat
        if own or (theirs.dead is not None and theirs.dead.latest < event.low):
            facts = (event_fact,) if own or theirs.dead is None else (theirs.dead, event_fact)
            key = f"{Rule.INVALID_DECLARATION}-{declarer}-{root}"
            return hand.found(_finding(key, Rule.INVALID_DECLARATION, declarer, facts, tile_count.ARTICLE))
    view = hand.seat(seat)
    if view.standing is Standing.DEAD:
        return hand
    view = replace(view, standing=Standing.DEAD, dead=event_fact, died_in_turn=view.acting)
    return tile_count.declared_dead(hand.with_seat(seat, view), seat)


def _seat_named(by: str | None) -> Seat | None:
    try:
        return Seat(by) if by is not None else None
    except ValueError:
        return None


# ---- mah jongg by a hand that may not


def declared(hand: Hand, event: Declared, root: int, seat: Seat) -> Hand:
    """Mah jongg by a hand that is dead, or whose number of tiles or exposure is known to be wrong."""
    view = hand.seat(seat)
    faults = [
        outcome
        for outcome in hand.findings.values()
        if isinstance(outcome, Finding)
        and outcome.seat is seat
        and outcome.rule in (Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE)
        and outcome.level is Level.RULING_DUE
        and outcome.ending is Ending.NOT_YET
    ]
    if view.dead is not None and event.low > view.dead.latest:
        because: tuple[Fact, ...] = (view.dead,)
    elif faults and view.dead is None:
        because = (faults[0].facts[-1],)
    else:
        return hand
    key = f"{Rule.INVALID_DECLARATION}-{seat}-{root}"
    facts = (*because, fact(event, What.DECLARED))
    return hand.found(_finding(key, Rule.INVALID_DECLARATION, seat, facts, tile_count.ARTICLE))


def declaration_withdrawn(hand: Hand, seat: Seat) -> Hand:
    """Taken back before anything was shown: nothing is left to rule."""
    for outcome in list(hand.findings.values()):
        if (
            isinstance(outcome, Finding)
            and outcome.rule is Rule.INVALID_DECLARATION
            and outcome.seat is seat
            and outcome.facts[-1].what is What.DECLARED
            and outcome.ending is Ending.NOT_YET
        ):
            hand = hand.found(replace(outcome, ending=Ending.TAKEN_BACK))
    return hand


# ---- an event's own procedures


def exchanged(hand: Hand, event: JokerExchanged, root: int, seat: Seat, profile: Profile) -> Hand:
    """Several joker exchanges together are the League's; an event may ask for one at a time."""
    if profile.procedure.joker_exchange is not Exchange.ONE_AT_A_TIME:
        return hand
    view, running = hand.seat(seat), hand.turn.exchange
    unfinished = (
        running is not None
        and running.seat is seat
        and view.rest is not None
        and view.rest.at > running.at
        and view.count is not None
        and view.count < tile_count.IN_TURN
    )
    if not unfinished and (event.n is None or event.n < 2):
        return hand
    return _asked(hand, fact(event, What.JOKER_EXCHANGED, event.n), root, seat, "procedure.joker_exchange")


def touched_then_called(hand: Hand, event: Recorded, root: int, seat: Seat, profile: Profile) -> Hand:
    """An event may hold a player who has picked from the wall to that pick."""
    if not profile.procedure.touch_commits or not hand.seat(seat).picked or hand.phase is not Phase.PLAY:
        return hand
    return _asked(hand, fact(event, What.CALLED), root, seat, "procedure.touch_commits")


def _asked(hand: Hand, act: Fact, root: int, seat: Seat, key: str) -> Hand:
    return hand.found(
        _finding(
            f"{Rule.EVENT_PROCEDURE}-{seat}-{root}",
            Rule.EVENT_PROCEDURE,
            seat,
            (act,),
            tile_count.ARTICLE if key == "procedure.joker_exchange" else "107",
            Level.NOTICE,
            Authority.EVENT,
            key,
        )
    )
