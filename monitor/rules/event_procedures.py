"""What only this event asks of its players, beyond the League: noticed, never ruled.

Owns the findings whose authority is the event's. The League allows what is found here (August 2026: several joker
exchanges may be made together; Article 107: picking alone closes nothing).
"""

from monitor.alerts import Authority, Fact, Level, Rule, What
from monitor.events import Called, JokerExchanged, Seat
from monitor.rules import claim_window, tile_count
from monitor.rules.profile import Exchange, Profile
from monitor.rules.state import IN_TURN, Finding, Hand, fact


def exchanged(hand: Hand, event: JokerExchanged, root: int, seat: Seat, profile: Profile) -> Hand:
    """An event may ask for one joker exchange at a time: the next only once the rack is whole again."""
    if profile.procedure.joker_exchange is not Exchange.ONE_AT_A_TIME:
        return hand
    view, before = hand.seat(seat), hand.turn.exchange
    unfinished = (
        before is not None
        and before.seat is seat
        and view.rest is not None
        and view.rest.at >= before.at
        and view.count is not None
        and view.count < IN_TURN
    )
    if not unfinished and (event.n is None or event.n < 2):
        return hand
    act = fact(event, What.JOKER_EXCHANGED, event.n)
    return hand.found(_asked(act, root, seat, tile_count.ARTICLE, "procedure.joker_exchange"))


def called(hand: Hand, event: Called, root: int, seat: Seat, profile: Profile) -> Hand:
    """An event may hold a player who has picked from the wall to that pick."""
    if not profile.procedure.touch_commits or not hand.seat(seat).picked:
        return hand
    act = fact(event, What.CALLED)
    return hand.found(_asked(act, root, seat, claim_window.ARTICLE, "procedure.touch_commits"))


def _asked(act: Fact, root: int, seat: Seat, article: str, key: str) -> Finding:
    return Finding(
        key=f"{Rule.EVENT_PROCEDURE}-{seat}-{root}",
        rule=Rule.EVENT_PROCEDURE,
        seat=seat,
        moment=act,
        article=article,
        level=Level.NOTICE,
        facts=(act,),
        authority=Authority.EVENT,
        rests_on=key,
    )
