"""Article 205 about dead hands: who may declare whom, what a dead hand may no longer do, and mah jongg by a wrong hand.

Reads beside `seeds/article-205-wrong-number-of-tiles.txt`; `docs/articles.md` numbers its sentences.

Owns the findings about declarations and dead hands. Declares nobody dead itself: a hand is dead once another living
player, or the director, said so. From then on it neither picks, discards nor claims; its number of tiles no longer
matters, and its exposures made before stay open to joker exchanges.
"""

from monitor.alerts import Fact, Level, Rule, What
from monitor.events import SEATS, Dead, Declared, Recorded, Seat
from monitor.rules import tile_count
from monitor.rules.procedure import SEAT, SeatHappening
from monitor.rules.state import Ending, Finding, Hand, Standing, fact, replace


def died(hand: Hand, event: Dead, root: int, seat: Seat) -> Hand:
    """A hand was declared dead: by another living player, or by the director. Else the declaration is not valid."""
    act = fact(event, What.DEAD, by=event.by)
    declarer = _seat_named(event.by)
    if declarer is seat:
        return hand.found(_invalid(declarer, root, (act,)))
    if declarer is not None:
        dead = hand.seat(declarer).dead
        if dead is not None and dead.latest < act.earliest:
            return hand.found(_invalid(declarer, root, (dead, act)))
    view = hand.seat(seat)
    if view.standing is Standing.DEAD:
        return hand
    standing = SEAT[view.standing][SeatHappening.DECLARED_DEAD]
    view = replace(view, standing=standing, dead=act, died_in_turn=view.acting)
    return tile_count.declared_dead(hand.with_seat(seat, view), seat)


def _seat_named(by: str | None) -> Seat | None:
    """The seat that declared it; `None` where the director did, or nobody said who."""
    return next((seat for seat in SEATS if seat.value == by), None)


def _invalid(seat: Seat, root: int, facts: tuple[Fact, ...]) -> Finding:
    return Finding(
        key=f"{Rule.INVALID_DECLARATION}-{seat}-{root}",
        rule=Rule.INVALID_DECLARATION,
        seat=seat,
        moment=facts[-1],
        article=tile_count.ARTICLE,
        level=Level.RULING_DUE,
        facts=facts,
    )


def acts(hand: Hand, event: Recorded, what: What, seat: Seat) -> Hand:
    """A dead hand picked, discarded or claimed. What it did before it was declared dead, or together with that, is no
    fault. However often it acts, it is one fault."""
    dead = hand.seat(seat).dead
    if dead is None or event.low <= dead.latest:
        return hand
    act = fact(event, what)
    key = f"{Rule.DEAD_HAND_ACTS}-{seat}"
    before = hand.finding(key)
    if before is not None:
        return hand.found(replace(before, facts=(*before.facts, act)))
    return hand.found(
        Finding(
            key=key,
            rule=Rule.DEAD_HAND_ACTS,
            seat=seat,
            moment=act,
            article=tile_count.ARTICLE,
            level=Level.RULING_DUE,
            facts=(dead, act),
        )
    )


def declared(hand: Hand, event: Declared, root: int, seat: Seat) -> Hand:
    """Mah jongg by a hand that is dead, or whose number of tiles or exposure waits for a ruling."""
    act = fact(event, What.DECLARED)
    dead = hand.seat(seat).dead
    if dead is not None:
        return hand if act.earliest <= dead.latest else hand.found(_invalid(seat, root, (dead, act)))
    for found in hand.findings(Rule.WRONG_COUNT, Rule.WRONG_EXPOSURE):
        if found.seat is seat and found.level is Level.RULING_DUE and found.ending is Ending.NOT_YET:
            because = next(f for f in reversed(found.facts) if f.count is not None)
            return hand.found(_invalid(seat, root, (act,) if because == act else (because, act)))
    return hand


def declaration_withdrawn(hand: Hand, seat: Seat) -> Hand:
    """Mah jongg was taken back before anything was shown: nothing is left to rule."""
    for found in hand.findings(Rule.INVALID_DECLARATION):
        if found.seat is seat and found.moment.what is What.DECLARED:
            hand = hand.ended(found.key, Ending.TAKEN_BACK)
    return hand
