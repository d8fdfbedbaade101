"""Article 107: the window of opportunity for the last discard.

Reads beside `seeds/article-107-window-of-opportunity.txt`; `docs/articles.md` numbers its sentences.

Owns when a discard may be claimed and how a claim lies to what closed its window. Knows nothing of counts. Decides by
the times of things and their bounds, never by the order in which they became known; a window is settled anew whenever
something about it is learned.

The window opens with the discard. It closes when the next player racks, names or discards a picked tile, when another
player begins a joker exchange or declares mah jongg, when the discard is covered by the next one, or when a claim is
shown. Picking alone does not close it. A claim that came first makes the next player's act void: the caller gets the
discard and the picked tile goes back into the wall. A claim at the same time as a racking counts as first.
"""

from math import inf

from monitor.alerts import Fact, Level, Rule, Verdict, What
from monitor.events import Called, Closing, Declared, Discarded, Exposed, Seat, Via
from monitor.rules.procedure import next_seat
from monitor.rules.profile import Declaration, Profile, RackedWhen
from monitor.rules.state import (
    Call,
    Closed,
    Finding,
    Hand,
    Life,
    Opened,
    Openness,
    Order,
    Shut,
    Window,
    fact,
    replace,
)

ARTICLE = "107"
_EXACT_S = 1e-9  # our choice: 103.1 - 103.0 and 0.1 are the same number of seconds
_WINDOWS_KEPT = 8  # our choice: two go-rounds; an older discard is not claimed by anyone
TILES_OF_CLAIM = {"pung": 3, "kong": 4, "quint": 5, "sextet": 6}
"""Sizes of exposures, with the claimed tile."""

_THE_NEXT_PLAYERS = frozenset({Closing.RACKED, Closing.NAMED, Closing.DISCARDED, Closing.JOKER_EXCHANGE})


def order(call: Call, shut: Shut, tolerance_s: float) -> Order:
    """How a claim lies to a closing. The article grants simultaneity for racking alone."""
    least, most = call.low - shut.fact.latest, call.high - shut.fact.earliest
    within_s = tolerance_s + _EXACT_S if shut.cause is Closing.RACKED else 0.0
    if least > within_s:
        return Order.LATE
    if most < -within_s:
        return Order.IN_TIME
    if shut.cause is Closing.RACKED and least >= -within_s and most <= within_s:
        return Order.SIMULTANEOUS
    return Order.UNDETERMINED


def settled(window: Window, tolerance_s: float) -> Window:
    """The window with what closes it: the first act that no earlier claim makes void."""
    live = [call for call in window.calls if call.life in (Life.STANDS, Life.SHOWN)]
    for shut in window.shuts:
        if shut.cause in _THE_NEXT_PLAYERS and any(
            call.seat is not shut.seat
            and order(call, shut, tolerance_s) in (Order.IN_TIME, Order.SIMULTANEOUS)
            for call in live
        ):
            continue
        openness = Openness.CLAIMED if shut.cause is Closing.CLAIMED else Openness.CLOSED
        return replace(window, shut=shut, openness=openness)
    return replace(window, shut=None, openness=Openness.OPEN)


def verdict(window: Window, call: Call, profile: Profile) -> tuple[Order, Shut] | None:
    """How a claim lies to the closing that decides about it, and which that is; `None`: nothing stands against it."""
    tolerance_s = profile.window.tolerance_s
    if call.life is Life.WITHDRAWN:
        return None
    for shut in window.shuts:
        if shut.seat is call.seat and shut.cause in (Closing.MAH_JONGG, Closing.CLAIMED):
            continue
        lies = order(call, shut, tolerance_s)
        if shut is window.shut:
            return None if lies is Order.IN_TIME else (lies, shut)
        if lies is Order.SIMULTANEOUS:
            return lies, shut
    return None


def _found(window: Window, call: Call, profile: Profile) -> Finding | None:
    """The finding about one claim, if there is one."""
    against = verdict(window, call, profile)
    if against is None:
        return None
    lies, shut = against
    if lies is Order.UNDETERMINED and call.via is Via.EXPOSURE and call.low == -inf:
        return None  # it was spoken some time before it was shown: nothing tells that it was late
    late = lies is Order.LATE
    racked = shut.cause is Closing.RACKED
    rule = Rule.LATE_CALL if late else Rule.SIMULTANEOUS_CALL
    facts = sorted((window.discard, shut.fact, call.fact), key=lambda f: f.at)
    return Finding(
        key=f"{rule}-{call.seat}-{call.root}",
        rule=rule,
        seat=call.seat,
        at=call.fact.at,
        low=call.fact.earliest,
        high=call.fact.latest,
        article=ARTICLE,
        level=Level.RULING_DUE,
        facts=tuple(facts),
        verdict=None if late else Verdict(lies.value),
        rests_on="window.simultaneous_within_ms" if racked else None,
        closing=shut.cause,
    )


def settle(hand: Hand, place: int, window: Window, profile: Profile) -> Hand:
    """Put `window` at `place` and find anew what it says about its claims and its closing."""
    window = settled(window, profile.window.tolerance_s)
    outcomes: dict[str, Finding | Closed] = {}
    gone = {f"closed-{window.root}"}
    for call in window.calls:
        gone.update(f"{rule}-{call.seat}-{call.root}" for rule in (Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL))
        found = _found(window, call, profile)
        if found is not None:
            old = hand.finding(found.key)
            outcomes[found.key] = found if old is None else replace(found, ending=old.ending)
    if window.shut is not None:
        key = f"closed-{window.root}"
        outcomes[key] = Closed(key, window.shut.seat, window.shut.fact, window.shut.cause, window.discard)
    windows = list(hand.windows)
    windows[place] = window
    hand = replace(hand, windows=tuple(windows))
    stale = [key for key in gone if key in hand.findings and key not in outcomes]
    if stale:
        hand = hand.without(*stale)
    fresh = [o for o in outcomes.values() if hand.findings.get(o.key) != o]
    return hand.found(*fresh) if fresh else hand


def shut_by(hand: Hand, cause: Closing, event_fact: Fact, seat: Seat, profile: Profile) -> Hand:
    """An act that closes the window on the last discard, if there is one and nothing closed it before."""
    if not hand.windows:
        return hand
    window = hand.windows[-1]
    if any(shut.cause is cause and shut.seat is seat for shut in window.shuts):
        return hand
    window = replace(window, shuts=(*window.shuts, Shut(cause, event_fact, seat)))
    return settle(hand, len(hand.windows) - 1, window, profile)


def racked(hand: Hand, event_fact: Fact, seat: Seat, profile: Profile) -> Hand:
    """The next player placed the picked tile on the slope. Where an event wants fingers off, wait for the rack's rest."""
    if profile.window.racked_when is RackedWhen.PLACED or not hand.windows:
        return shut_by(hand, Closing.RACKED, event_fact, seat, profile)
    window = hand.windows[-1]
    return replace(hand, windows=(*hand.windows[:-1], replace(window, racking=window.racking or event_fact)))


def released(hand: Hand, rest: Fact, profile: Profile) -> Hand:
    """A rack came to rest: fingers are off the tile that was placed before."""
    if not hand.windows:
        return hand
    racking = hand.windows[-1].racking
    if racking is None or racking.seat is not rest.seat or rest.at < racking.at or rest.seat is None:
        return hand
    off = Fact(What.RACKED, rest.at, max(racking.earliest, rest.earliest), rest.latest, racking.seq, rest.seat)
    return shut_by(hand, Closing.RACKED, off, rest.seat, profile)


def discarded(hand: Hand, event: Discarded, seat: Seat, root: int, profile: Profile) -> Hand:
    """A discard covers the one before, joker or not, and opens its own window.

    A call that may have come after it is a call for it: the newest discard's call is never late for an older one.
    """
    event_fact = fact(event, What.DISCARDED)
    moved: tuple[Call, ...] = ()
    if hand.windows:
        window = hand.windows[-1]
        moved = tuple(
            call
            for call in window.calls
            if not call.named_discard
            and call.seat is not seat
            and call.life is Life.STANDS
            and call.high >= event_fact.earliest
        )
        calls = tuple(
            replace(call, life=Life.PASSED_BY) if call.life is Life.STANDS and call.seat is not seat else call
            for call in window.calls
            if call not in moved
        )
        keys = [f"{rule}-{c.seat}-{c.root}" for c in moved for rule in (Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL)]
        shuts = window.shuts
        if not any(shut.cause is Closing.DISCARDED for shut in shuts):
            shuts = (*shuts, Shut(Closing.DISCARDED, event_fact, seat))
        hand = hand.without(*keys)
        hand = settle(hand, len(hand.windows) - 1, replace(window, calls=calls, shuts=shuts), profile)
    opened = Opened(f"opened-{root}", seat, event_fact, event.confidence)
    window = Window(root, seat, event_fact, calls=moved)
    return replace(hand, windows=(*hand.windows[-_WINDOWS_KEPT + 1 :], window)).found(opened)


def called(hand: Hand, event: Called | Declared, seat: Seat, root: int, profile: Profile) -> Hand:
    """A seat claims a discard: the last one, or the one of the seat that it names."""
    named = event.discard_by if isinstance(event, Called) else None
    claim = event.claim if isinstance(event, Called) else None
    via = event.via if isinstance(event, Called) else None
    unheard = via is Via.EXPOSURE and event.earliest is None
    call = Call(
        fact=fact(event, What.CALLED if isinstance(event, Called) else What.DECLARED),
        root=root,
        seat=seat,
        low=-inf if unheard else event.low,
        high=event.high,
        tiles=None if claim is None else TILES_OF_CLAIM.get(claim.value),
        for_mah_jongg=isinstance(event, Declared) or claim == "mah_jongg",
        via=via,
        named_discard=named is not None,
    )
    return _claimed(hand, call, named, profile)


def _claimed(hand: Hand, call: Call, named: Seat | None, profile: Profile) -> Hand:
    for place in range(len(hand.windows) - 1, -1, -1):
        window = hand.windows[place]
        if named is not None and (window.seat is not named or window.discard.earliest > call.high):
            continue
        if window.seat is call.seat:
            return hand
        mine = [c for c in window.calls if c.seat is call.seat and c.life is not Life.WITHDRAWN]
        if mine:
            told = replace(
                mine[0],
                tiles=call.tiles if mine[0].tiles is None else mine[0].tiles,
                for_mah_jongg=mine[0].for_mah_jongg or call.for_mah_jongg,
            )
            calls = tuple(told if c is mine[0] else c for c in window.calls)
        else:
            calls = (*window.calls, call)
        return settle(hand, place, replace(window, calls=calls), profile)
    return hand


def withdrawn(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """The seat's latest call came to nothing: pressed by mistake, or taken back."""
    for place in range(len(hand.windows) - 1, -1, -1):
        window = hand.windows[place]
        for call in reversed(window.calls):
            if call.seat is seat and call.life is not Life.WITHDRAWN:
                calls = tuple(replace(c, life=Life.WITHDRAWN) if c is call else c for c in window.calls)
                return settle(hand, place, replace(window, calls=calls), profile)
    return hand


def declaration_withdrawn(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """Mah jongg was taken back: it closed nothing and claimed nothing."""
    if not hand.windows:
        return hand
    place = len(hand.windows) - 1
    window = hand.windows[place]
    shuts = tuple(s for s in window.shuts if not (s.cause is Closing.MAH_JONGG and s.seat is seat))
    calls = tuple(
        replace(c, life=Life.WITHDRAWN) if c.seat is seat and c.fact.what is What.DECLARED else c for c in window.calls
    )
    return settle(hand, place, replace(window, shuts=shuts, calls=calls), profile)


def declared(hand: Hand, event: Declared, seat: Seat, root: int, profile: Profile) -> Hand:
    """Mah jongg: on another's discard also a call; either way it closes the window for everyone else."""
    if not hand.windows or hand.windows[-1].seat is seat:
        return hand
    on_discard = seat is not next_seat(hand, profile) and seat is not hand.turn.holder
    if on_discard:
        hand = called(hand, event, seat, root, profile)
        if profile.window.declaration is Declaration.COMPETES:
            return hand
    return shut_by(hand, Closing.MAH_JONGG, fact(event, What.DECLARED), seat, profile)


def exposed(hand: Hand, event: Exposed, seat: Seat, root: int, profile: Profile) -> Hand:
    """A claim is shown: from here on nobody else competes with it."""
    event_fact = fact(event, What.EXPOSED)
    for place in range(len(hand.windows) - 1, max(len(hand.windows) - 3, -1), -1):
        window = hand.windows[place]
        mine = next((c for c in window.calls if c.seat is seat and c.life is not Life.WITHDRAWN), None)
        if mine is None:
            if window.seat is seat:
                return hand
            continue
        calls = tuple(replace(c, life=Life.SHOWN) if c is mine else c for c in window.calls)
        against = verdict(window, mine, profile)
        shuts = window.shuts
        if against is None or against[0] is not Order.LATE:
            shuts = (*shuts, Shut(Closing.CLAIMED, event_fact, seat))
        return settle(hand, place, replace(window, calls=calls, shuts=shuts), profile)
    if not hand.windows:
        return hand
    window = hand.windows[-1]
    shown = Call(
        event_fact, root, seat, -inf, event_fact.latest, None, False, Via.EXPOSURE, False, life=Life.SHOWN
    )
    shuts = (*window.shuts, Shut(Closing.CLAIMED, event_fact, seat))
    window = replace(window, calls=(*window.calls, shown), shuts=shuts)
    return settle(hand, len(hand.windows) - 1, window, profile)


def claim_of(hand: Hand, seat: Seat) -> Call | None:
    """The seat's living claim of the last discard."""
    if not hand.windows:
        return None
    return next((c for c in hand.windows[-1].calls if c.seat is seat and c.life in (Life.STANDS, Life.SHOWN)), None)


def is_late(hand: Hand, seat: Seat, profile: Profile) -> bool:
    """Whether the seat's claim of the last discard came after its window had closed."""
    call = claim_of(hand, seat)
    if call is None:
        return False
    against = verdict(hand.windows[-1], call, profile)
    return against is not None and against[0] is Order.LATE
