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
from monitor.events import Called, Claim, Closing, Declared, Discarded, Exposed, Seat, Via
from monitor.rules.procedure import WINDOW, next_seat
from monitor.rules.profile import Declaration, Profile, RackedWhen
from monitor.rules.state import (
    AT_REST,
    IN_TURN,
    Call,
    Closed,
    Finding,
    Hand,
    Life,
    Opened,
    Openness,
    Order,
    Outcome,
    Shut,
    Window,
    fact,
    in_time,
    is_sure,
    replace,
)

ARTICLE = "107"
TILES_OF_CLAIM = {Claim.PUNG: 3, Claim.KONG: 4, Claim.QUINT: 5, Claim.SEXTET: 6}
"""Sizes of exposures, with the claimed tile (research/procedure.md, 8)."""

UNSEEN = 0
"""The `seq` of a discard that nobody saw: there is no event of it."""

JOKER = "joker"
"""The face of a joker, where a discard's face is known."""

_EXACT_S = 1e-9  # our choice: 103.1 - 103.0 and 0.1 are the same number of seconds
_VAGUE_S = 3.0  # our choice: with wider bounds nobody was watching
_A_WHILE_AGO_S, _LONG_AGO_S = 4.0, 10.0  # our choice: people who regret having let a discard pass say so at once
_WINDOWS_KEPT = 8  # our choice: two go-rounds; nobody claims an older discard
_RESTS_ON = {Closing.RACKED: "window.simultaneous_within_ms", Closing.MAH_JONGG: "window.declaration"}
_STILL_TO_DISCARD = frozenset({Closing.RACKED, Closing.NAMED, Closing.JOKER_EXCHANGE, Closing.CLAIMED})
_BY_NEXT_PLAYER = frozenset({Closing.RACKED, Closing.NAMED, Closing.DISCARDED, Closing.JOKER_EXCHANGE})
_ABOUT_CLAIMS = (Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL)


# ---- what closes a window, and how a claim lies to it


def order(call: Call, shut: Shut, tolerance_s: float) -> Order:
    """How a claim lies to a closing. The article grants simultaneity for racking alone."""
    least_s, most_s = call.low - shut.fact.latest, call.high - shut.fact.earliest
    racked = shut.cause is Closing.RACKED
    within_s = tolerance_s + _EXACT_S if racked else 0.0
    if least_s > within_s:
        return Order.LATE
    if most_s < -within_s:
        return Order.IN_TIME
    if racked and least_s >= -within_s and most_s <= within_s:
        return Order.SIMULTANEOUS
    return Order.UNDETERMINED


def settled(window: Window, tolerance_s: float) -> Window:
    """The window with what closes it: the first act that no claim makes void.

    A claim that came first, or together with a racking, makes the next player's act void; a declaration of mah jongg
    and a claim that is shown are not undone by other claims.
    """
    live = [call for call in window.calls if call.life in (Life.STANDS, Life.SHOWN)]
    for shut in window.shuts:
        void = shut.cause in _BY_NEXT_PLAYER and any(
            call.seat is not shut.seat and order(call, shut, tolerance_s) in (Order.IN_TIME, Order.SIMULTANEOUS)
            for call in live
        )
        if not void:
            return replace(window, shut=shut, openness=WINDOW[Openness.OPEN][shut.cause])
    return replace(window, shut=None, openness=Openness.OPEN)


def against(window: Window, call: Call, tolerance_s: float) -> tuple[Order, Shut] | None:
    """What stands against a claim: how it lies to the act that decides about it. `None`: it is in time."""
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


def _found(hand: Hand, window: Window, call: Call, profile: Profile) -> Finding | None:
    """The finding about one claim, if there is one and it may be told."""
    found = against(window, call, profile.window.tolerance_s)
    if found is None or not call.ripe:
        return None
    lies, shut = found
    least = profile.evidence.ruling_confidence
    if not (is_sure(shut.fact, least) and is_sure(call.fact, least)):
        return None  # whether that closed the window, or whether it was a claim, is itself in doubt
    if _is_rather_for_a_later_discard(hand, call, shut):
        return None
    if lies is Order.UNDETERMINED and (call.low == -inf or _is_vague(call.fact) or _is_vague(shut.fact)):
        return None  # it was spoken, or racked, some time before that was seen: nothing says that it was close
    late = lies is Order.LATE
    rule = Rule.LATE_CALL if late else Rule.SIMULTANEOUS_CALL
    return Finding(
        key=f"{rule}-{call.seat}-{call.root}",
        rule=rule,
        seat=call.seat,
        moment=call.fact,
        article=ARTICLE,
        level=Level.RULING_DUE,
        facts=in_time(window.discard, shut.fact, call.fact),
        verdict=None if late else Verdict(lies.value),
        rests_on=_RESTS_ON.get(shut.cause),
    )


def _is_vague(act: Fact) -> bool:
    """Whether sensors tell so little about when it was that nothing can be close to it."""
    return act.confidence is not None and act.latest - act.earliest > _VAGUE_S


def _is_rather_for_a_later_discard(hand: Hand, call: Call, shut: Shut) -> bool:
    """Whether whoever closed the window has rather discarded since, and no sensor saw it: it calls itself, the closing
    was long ago, its rack rests without a tile more, or the tile more is not known to lie there and the closing was
    some time ago, or an exposure, which a discard follows at once. What people entered is certain, and then nothing
    was missed."""
    if shut.fact.confidence is None:
        return False
    since_s, view = call.low - shut.fact.latest, hand.seat(shut.seat)
    if call.seat is shut.seat or since_s > _LONG_AGO_S:
        return True
    if view.count is not None and view.count >= IN_TURN and not view.doubtful:
        return False
    rests = view.rest if view.count == AT_REST and not view.doubtful else None
    if rests is not None and rests.at <= call.low and (rests.at >= shut.fact.earliest or view.known_s > call.high):
        return True  # without the tile more: it came to rest so in between, or was found since to rest as before
    return shut.cause is Closing.CLAIMED or since_s > _A_WHILE_AGO_S


def _settle(hand: Hand, place: int, window: Window, profile: Profile) -> Hand:
    """Put `window` at `place`, and find anew what it says about its claims and its closing."""
    window = settled(window, profile.window.tolerance_s)
    closed = f"closed-{window.root}"
    stale = {closed, *_keys_of(window.calls)}
    fresh: list[Outcome] = []
    for call in window.calls:
        found = _found(hand, window, call, profile)
        if found is not None:
            old = hand.finding(found.key)
            fresh.append(found if old is None else replace(found, ending=old.ending))
    if window.shut is not None:
        fresh.append(Closed(closed, window.shut.fact, window.shut.cause, window.discard))
    windows = (*hand.windows[:place], window, *hand.windows[place + 1 :])
    hand = replace(hand, windows=windows).without(*(stale - {outcome.key for outcome in fresh}))
    changed = [outcome for outcome in fresh if hand.outcomes.get(outcome.key) != outcome]
    return hand.found(*changed) if changed else hand


def _keys_of(calls: tuple[Call, ...]) -> list[str]:
    return [f"{rule}-{call.seat}-{call.root}" for call in calls for rule in _ABOUT_CLAIMS]


def _ripe_s(window: Window, call: Call, profile: Profile) -> float:
    """From when on a claim may be found late: until then the discard that it is for may not be known yet.

    Long after the window closed, whoever closed it has perhaps discarded since: then news is waited for longer.
    """
    shut, evidence = window.shut, profile.evidence
    still_to_discard = shut is not None and shut.cause in _STILL_TO_DISCARD
    if shut is not None and still_to_discard and call.low - shut.fact.latest > evidence.quick_discard_s:
        return call.high + evidence.slow_news_s
    return call.high + evidence.late_news_s


def due_s(hand: Hand, profile: Profile) -> float:
    """When silence alone will next tell that a claim was late."""
    unripe = (_ripe_s(window, call, profile) for window in hand.windows for call in window.calls if not call.ripe)
    return min(unripe, default=inf)


def overdue(hand: Hand, now_s: float, profile: Profile) -> Hand:
    """Claims about which a newer discard would be known by now."""
    for place, window in enumerate(hand.windows):
        calls = tuple(
            replace(call, ripe=True) if not call.ripe and _ripe_s(window, call, profile) < now_s else call
            for call in window.calls
        )
        if calls != window.calls:
            hand = _settle(hand, place, replace(window, calls=calls), profile)
    return hand


# ---- the closings


def shut_by(hand: Hand, cause: Closing, act: Fact, seat: Seat, profile: Profile) -> Hand:
    """An act that closes the window on the last discard, if there is one."""
    if not hand.windows:
        return hand
    window = hand.windows[-1]
    if any(shut.cause is cause and shut.seat is seat for shut in window.shuts):
        return hand
    window = replace(window, shuts=(*window.shuts, Shut(cause, act, seat)))
    return _settle(hand, len(hand.windows) - 1, window, profile)


def racked(hand: Hand, act: Fact, seat: Seat, profile: Profile) -> Hand:
    """The next player placed the picked tile on the slope. Where an event wants fingers off, the rack's rest closes."""
    if profile.window.racked_when is RackedWhen.PLACED or not hand.windows:
        return shut_by(hand, Closing.RACKED, act, seat, profile)
    window = hand.windows[-1]
    return replace(hand, windows=(*hand.windows[:-1], replace(window, racking=window.racking or act)))


def released(hand: Hand, rest: Fact, seat: Seat, profile: Profile) -> Hand:
    """A rack came to rest: fingers are off the tile that was placed before."""
    racking = hand.windows[-1].racking if hand.windows else None
    if racking is None or racking.seat is not seat or rest.at < racking.at:
        return hand
    off = Fact(What.RACKED, rest.at, max(racking.earliest, rest.earliest), rest.latest, racking.seq, seat)
    return shut_by(hand, Closing.RACKED, off, seat, profile)


def discarded(hand: Hand, event: Discarded, seat: Seat, root: int, profile: Profile) -> Hand:
    """A discard covers the one before, joker or not, and opens its own window.

    A call that may have come after it is a call for it: a call for the newest discard is never late for an older one.
    Claims of the covered discard that nobody showed came to nothing.
    """
    act = fact(event, What.DISCARDED)
    moved: tuple[Call, ...] = ()
    if hand.windows:
        window = hand.windows[-1]
        live = [call for call in window.calls if call.life is Life.STANDS and call.seat is not seat]
        moved = tuple(call for call in live if not call.names_discard and call.high >= act.earliest)
        calls = tuple(
            replace(call, life=Life.PASSED_BY) if call in live else call for call in window.calls if call not in moved
        )
        covered = any(shut.cause is Closing.DISCARDED for shut in window.shuts)
        shuts = window.shuts if covered else (*window.shuts, Shut(Closing.DISCARDED, act, seat))
        hand = hand.without(*_keys_of(moved))
        hand = _settle(hand, len(hand.windows) - 1, replace(window, calls=calls, shuts=shuts), profile)
    opened = Opened(f"opened-{root}", act, event.confidence)
    window = Window(root, seat, act, calls=moved, joker=event.face == JOKER)
    return replace(hand, windows=(*hand.windows[1 - _WINDOWS_KEPT :], window)).found(opened)


def first_discard(hand: Hand) -> Hand:
    """Where East's first discard was told only as the start of play, that opens the first window."""
    play = hand.play
    if hand.windows or play is None or play.what is not What.PLAY_STARTED or play.seat is None:
        return hand
    act = Fact(What.DISCARDED, play.at, play.earliest, play.latest, play.seq, play.seat)
    return replace(hand, windows=(Window(play.seq, play.seat, act),)).found(Opened(f"opened-{play.seq}", act))


def unseen_discard(hand: Hand, seat: Seat, before: Fact) -> Hand:
    """The last discard is one that nobody saw, made by `seat` some time between the last one seen and `before`.

    Its window is the one that was open: whoever called since then may have called for it, and is in time.
    """
    window = hand.windows[-1]
    at = (window.discard.at + before.at) / 2.0
    unseen = Fact(What.DISCARDED, at, window.discard.earliest, before.latest, UNSEEN, seat)
    window = replace(window, seat=seat, discard=unseen, seen=window.seen or window.discard)
    return replace(hand, windows=(*hand.windows[:-1], window))


def no_unseen_discard(hand: Hand, by: Seat, profile: Profile) -> Hand:
    """`by` racked as if turns had passed unseen, and put the tile back: the last discard is the one that was seen."""
    window = hand.windows[-1] if hand.windows else None
    if window is None or window.seen is None or window.seen.seat is None or not _closed_by(window, by):
        return hand
    shuts = tuple(shut for shut in window.shuts if shut.seat is not by)
    window = replace(window, seat=window.seen.seat, discard=window.seen, seen=None, shuts=shuts)
    return _settle(hand, len(hand.windows) - 1, window, profile)


def _closed_by(window: Window, seat: Seat) -> bool:
    return any(shut.cause is Closing.RACKED and shut.seat is seat for shut in window.shuts)


def declared(hand: Hand, event: Declared, seat: Seat, root: int, profile: Profile) -> Hand:
    """Mah jongg: on another's discard also a call for it; either way it closes the window for everyone else."""
    if not hand.windows or hand.windows[-1].seat is seat:
        return hand
    if seat is not next_seat(hand, profile) and seat is not hand.turn.holder:
        hand = called(hand, event, seat, root, profile)
        if profile.window.declaration is Declaration.COMPETES:
            return hand
    return shut_by(hand, Closing.MAH_JONGG, fact(event, What.DECLARED), seat, profile)


def declaration_withdrawn(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """Mah jongg was taken back: it closed nothing and claimed nothing."""
    if not hand.windows:
        return hand
    window = hand.windows[-1]
    shuts = tuple(s for s in window.shuts if not (s.cause is Closing.MAH_JONGG and s.seat is seat))
    calls = tuple(
        replace(c, life=Life.WITHDRAWN) if c.seat is seat and c.fact.what is What.DECLARED else c for c in window.calls
    )
    return _settle(hand, len(hand.windows) - 1, replace(window, shuts=shuts, calls=calls), profile)


def exposed(hand: Hand, event: Exposed, seat: Seat, root: int, profile: Profile) -> Hand:
    """A claim is shown: from here on nobody else competes with it. Shown after a late call, it closes nothing anew."""
    act = fact(event, What.EXPOSED)
    for place in range(len(hand.windows) - 1, max(len(hand.windows) - 3, -1), -1):
        window = hand.windows[place]
        mine = _claim_in(window, seat)
        if mine is not None:
            calls = tuple(replace(c, life=Life.SHOWN) if c is mine else c for c in window.calls)
            found = against(window, mine, profile.window.tolerance_s)
            late = found is not None and found[0] is Order.LATE
            shuts = window.shuts if late else (*window.shuts, Shut(Closing.CLAIMED, act, seat))
            return _settle(hand, place, replace(window, calls=calls, shuts=shuts), profile)
        if window.seat is seat:
            return hand
    if not hand.windows:
        return hand
    window = hand.windows[-1]
    shown = Call(act, root, seat, -inf, act.latest, life=Life.SHOWN)
    shuts = (*window.shuts, Shut(Closing.CLAIMED, act, seat))
    return _settle(hand, len(hand.windows) - 1, replace(window, calls=(*window.calls, shown), shuts=shuts), profile)


# ---- the claims


def called(hand: Hand, event: Called | Declared, seat: Seat, root: int, profile: Profile) -> Hand:
    """A seat claims a discard: the last one, or the one of the seat that it names. Nobody can claim a joker: a call
    that names nobody is then for the discard below. A second call of one discard by one seat is no second claim."""
    named = claim = via = None
    if isinstance(event, Called):
        named, claim, via = event.discard_by or _covered_by_joker(hand, event), event.claim, event.via
    unheard = via is Via.EXPOSURE and event.earliest is None
    call = Call(
        fact=fact(event, What.CALLED if isinstance(event, Called) else What.DECLARED),
        root=root,
        seat=seat,
        low=-inf if unheard else event.low,
        high=event.high,
        ripe=False,
        tiles=None if claim is None else TILES_OF_CLAIM.get(claim),
        for_mah_jongg=isinstance(event, Declared) or claim is Claim.MAH_JONGG,
        names_discard=named is not None,
    )
    for place in range(len(hand.windows) - 1, -1, -1):
        window = hand.windows[place]
        if named is None or (window.seat is named and window.discard.earliest <= call.high):
            if window.seat is seat:
                return hand
            return _settle(hand, place, replace(window, calls=_with(window.calls, call)), profile)
    return hand


def _covered_by_joker(hand: Hand, event: Called) -> Seat | None:
    """Whose discard lies under the joker that was discarded last, clearly before the call."""
    if len(hand.windows) < 2 or not hand.windows[-1].joker or event.low <= hand.windows[-1].discard.latest:
        return None
    return hand.windows[-2].seat


def _with(calls: tuple[Call, ...], call: Call) -> tuple[Call, ...]:
    mine = next((c for c in calls if c.seat is call.seat and c.life is not Life.WITHDRAWN), None)
    if mine is None:
        return (*calls, call)
    tiles = call.tiles if mine.tiles is None else mine.tiles
    told = replace(mine, tiles=tiles, for_mah_jongg=mine.for_mah_jongg or call.for_mah_jongg)
    return tuple(told if c is mine else c for c in calls)


def withdrawn(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """The seat's latest call came to nothing: it was pressed by mistake, or taken back."""
    newest = len(hand.windows) - 1
    for place in range(newest, max(newest - 2, -1), -1):
        window = hand.windows[place]
        mine = _claim_in(window, seat)
        if mine is not None and (place == newest or mine.life is not Life.SHOWN):
            calls = tuple(replace(c, life=Life.WITHDRAWN) if c is mine else c for c in window.calls)
            return _settle(hand, place, replace(window, calls=calls), profile)
    return hand


def died(hand: Hand, seat: Seat, profile: Profile) -> Hand:
    """The seat's hand was declared dead before it had shown what it called: nobody claims any more."""
    claim = claim_of(hand, seat)
    return hand if claim is None or claim.life is not Life.STANDS else withdrawn(hand, seat, profile)


def _claim_in(window: Window, seat: Seat) -> Call | None:
    return next((c for c in window.calls if c.seat is seat and c.life is not Life.WITHDRAWN), None)


def nobody_calls(hand: Hand) -> bool:
    """Whether nobody has called the last discard."""
    return not hand.windows or not hand.windows[-1].calls


def claim_of(hand: Hand, seat: Seat) -> Call | None:
    """The seat's living claim of the last discard."""
    call = _claim_in(hand.windows[-1], seat) if hand.windows else None
    return None if call is None or call.life is Life.PASSED_BY else call


def is_late(hand: Hand, seat: Seat, profile: Profile) -> bool:
    """Whether the seat's claim of the last discard came after its window had closed."""
    call = claim_of(hand, seat)
    found = None if call is None else against(hand.windows[-1], call, profile.window.tolerance_s)
    return found is not None and found[0] is Order.LATE
