"""How a hand proceeds: its phases, the turn, the window and each seat, as tables; and who acts when.

Owns the state machines that both articles take for granted. Knows no article: what may be claimed is said in
`claim_window.py`, what must be counted in `tile_count.py`. A pair that a table does not name changes nothing.
`docs/articles.md` draws its diagrams from these tables.

The turn follows what is seen. A pick thrown on may pass unseen, so a later seat that acts has its turn by that alone;
only where another seat is certain to hold the turn is it anything else (`turn_order.py`).
"""

from enum import StrEnum
from math import inf

from msgspec import Struct

from monitor.alerts import Fact, What
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    Closing,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    Exposed,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    NewHand,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Recorded,
    Returned,
    Seat,
    ThrownIn,
)
from monitor.rules.profile import Profile
from monitor.rules.state import (
    AT_REST,
    IN_TURN,
    INDEX,
    Hand,
    Life,
    Openness,
    Phase,
    SeatView,
    Standing,
    Step,
    Turn,
    own_discard,
    replace,
)

Kind = type[Recorded]


class Move(Struct, frozen=True):
    """Where an event leads; `new_hand`: another hand begins with it."""

    to: Phase
    new_hand: bool = False


_ENDS: dict[Kind, Move] = {HandEnded: Move(Phase.OVER), ThrownIn: Move(Phase.OVER)}
_BEGINS: dict[Kind, Move] = {
    HandStarted: Move(Phase.DEAL, new_hand=True),
    NewHand: Move(Phase.SET_UP, new_hand=True),
    Dealt: Move(Phase.CHARLESTON, new_hand=True),
}
_PLAY_BEGINS: dict[Kind, Move] = {PlayStarted: Move(Phase.PLAY), Discarded: Move(Phase.PLAY)}

PHASES: dict[Phase, dict[Kind, Move]] = {
    Phase.UNSEEN: {
        HandStarted: Move(Phase.DEAL),
        NewHand: Move(Phase.SET_UP),
        Dealt: Move(Phase.CHARLESTON),
        Passed: Move(Phase.CHARLESTON),
        Picked: Move(Phase.PLAY),
        Named: Move(Phase.PLAY),
        Racked: Move(Phase.PLAY),
        Exposed: Move(Phase.PLAY),
        JokerExchanged: Move(Phase.PLAY),
        Declared: Move(Phase.DECLARED),
        **_PLAY_BEGINS,
        **_ENDS,
    },
    Phase.SET_UP: {
        HandStarted: Move(Phase.DEAL),
        Dealt: Move(Phase.CHARLESTON),
        Passed: Move(Phase.CHARLESTON),
        **_PLAY_BEGINS,
        **_ENDS,
    },
    Phase.DEAL: {
        Dealt: Move(Phase.CHARLESTON),
        **_PLAY_BEGINS,
        **_ENDS,
    },
    Phase.CHARLESTON: {
        HandStarted: _BEGINS[HandStarted],
        NewHand: _BEGINS[NewHand],
        **_PLAY_BEGINS,
        **_ENDS,
    },
    Phase.PLAY: {
        Declared: Move(Phase.DECLARED),
        **_BEGINS,
        **_ENDS,
    },
    Phase.DECLARED: {
        DeclarationWithdrawn: Move(Phase.PLAY),
        Picked: Move(Phase.PLAY),
        Racked: Move(Phase.PLAY),
        Discarded: Move(Phase.PLAY),
        **_BEGINS,
        **_ENDS,
    },
    Phase.OVER: {
        PlayStarted: Move(Phase.PLAY, new_hand=True),
        **_BEGINS,
    },
}
"""Phases of a hand. In `DECLARED`, picks, rackings and discards of the declaring seat do not count, for it is showing
its tiles; and only that seat can take its declaration back. A dead hand's declaration leads nowhere."""

TURN: dict[Step, dict[Kind, Step]] = {
    Step.TO_ACT: {
        Picked: Step.PICKED,
        Named: Step.PICKED,
        Racked: Step.RACKED,
        Called: Step.CALLED,
        Exposed: Step.EXPOSING,
        JokerExchanged: Step.EXCHANGING,
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.PICKED: {
        Racked: Step.RACKED,
        Returned: Step.TO_ACT,
        Called: Step.CALLED,
        Exposed: Step.EXPOSING,
        JokerExchanged: Step.EXCHANGING,
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.RACKED: {
        Returned: Step.TO_ACT,
        Called: Step.CALLED,
        Exposed: Step.EXPOSING,
        JokerExchanged: Step.EXCHANGING,
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.CALLED: {
        CallWithdrawn: Step.TO_ACT,
        Exposed: Step.EXPOSING,
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.EXPOSING: {
        JokerExchanged: Step.EXCHANGING,
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.EXCHANGING: {
        Declared: Step.DECLARED,
        Discarded: Step.TO_ACT,
    },
    Step.DECLARED: {
        DeclarationWithdrawn: Step.TO_ACT,
        Discarded: Step.TO_ACT,
    },
}
"""The turn. `TO_ACT`: the seat to the right of the last discard may pick, the others may claim. A discard ends it.
Only a call that is not late leads to `CALLED`; a call or a declaration taken back leads to where the turn was before
it, which is `TO_ACT` unless the next player has acted meanwhile."""

WINDOW: dict[Openness, dict[Kind | Closing, Openness]] = {
    Openness.NONE: {Discarded: Openness.OPEN},
    Openness.OPEN: {
        Closing.RACKED: Openness.CLOSED,
        Closing.NAMED: Openness.CLOSED,
        Closing.DISCARDED: Openness.CLOSED,
        Closing.JOKER_EXCHANGE: Openness.CLOSED,
        Closing.MAH_JONGG: Openness.CLOSED,
        Closing.CLAIMED: Openness.CLAIMED,
    },
    Openness.CLOSED: {Discarded: Openness.OPEN},
    Openness.CLAIMED: {Discarded: Openness.OPEN},
}
"""The window on the last discard. Each discard opens its own; what closes it is told by cause."""


class SeatHappening(StrEnum):
    """What changes a hand's standing."""

    FOUND_WRONG = "found_wrong"
    PROVED_RIGHT = "proved_right"
    DECLARED_DEAD = "declared_dead"


SEAT: dict[Standing, dict[SeatHappening, Standing]] = {
    Standing.ALIVE: {
        SeatHappening.FOUND_WRONG: Standing.WRONG,
        SeatHappening.DECLARED_DEAD: Standing.DEAD,
    },
    Standing.WRONG: {
        SeatHappening.PROVED_RIGHT: Standing.ALIVE,
        SeatHappening.DECLARED_DEAD: Standing.DEAD,
    },
    Standing.DEAD: {},
}
"""A hand's standing. A wrong hand plays on until another player or the director declares it dead."""


# ---- phases


def phase_after(hand: Hand, event: Recorded) -> Move | None:
    """Where `event` leads the hand, `None` if the phase stays."""
    move = PHASES[hand.phase].get(type(event))
    if isinstance(event, Declared) and event.seat is not None and hand.seat(event.seat).standing is Standing.DEAD:
        return None
    if hand.phase is Phase.DECLARED and move is not None and move.to is Phase.PLAY:
        mine = event.seat is hand.declarer
        return move if mine is isinstance(event, DeclarationWithdrawn) else None
    return move


def new_hand(before: Hand, east: Seat | None, *, is_dealt: bool) -> Hand:
    """The next hand. What came to rest on the racks since the last one ended is known; everything else begins again.

    Where nobody saw the last one end: what lies on the racks, if the new hand is dealt already, else nothing.
    """
    since_s = before.over_s if before.over_s is not None else -inf if is_dealt else inf
    views = tuple(
        SeatView(count=v.count, rest=v.rest, doubtful=v.doubtful)
        if v.rest is not None and v.rest.at > since_s
        else SeatView()
        for v in before.seats
    )
    return Hand(number=before.number + 1, east=east, seats=views)


def begin_play(hand: Hand, since: Fact, known_s: float) -> Hand:
    """East's first discard: from here on every rack is counted, and what was wrong before is remembered as older."""
    views = tuple(
        replace(
            view,
            idle=since,
            idle_known_s=known_s,
            clock_s=since.latest,
            acting=False,
            strained_s=None if view.count in (AT_REST, None) else since.latest,
            off_at_start=view.count if _was_off_before(view, since) and seat is not hand.east else None,
        )
        for seat, view in zip(SEATS, hand.seats, strict=True)
    )
    east = hand.east
    if east is None and (since.what is What.PLAY_STARTED or hand.dealt is not None):
        east = since.seat
    return replace(hand, play=since, play_known_s=known_s, seats=views, east=east, turn=Turn(discarder=east))


def _was_off_before(view: SeatView, since: Fact) -> bool:
    """Whether a rack's number was wrong before `since`. One tile more that cannot be ordered may be a pick after it."""
    picked = view.count == IN_TURN and view.rest is not None and view.rest.latest > since.earliest
    return view.count != AT_REST and not picked


def at_rest_again(hand: Hand, since: Fact, known_s: float) -> Hand:
    """A declaration was taken back, play goes on: racks are given their time anew."""
    views = tuple(replace(view, idle_known_s=known_s, clock_s=since.latest) for view in hand.seats)
    return replace(hand, seats=views)


# ---- whose turn


def next_seat(hand: Hand, profile: Profile) -> Seat | None:
    """The seat to the right of the last discard, dead hands and an empty seat skipped; `None` if nobody discarded."""
    discarder = hand.turn.discarder
    return None if discarder is None else seat_after(hand, discarder, profile)


def seat_after(hand: Hand, seat: Seat, profile: Profile) -> Seat | None:
    """The next seat in play to the right of `seat`; `None` if no other is left."""
    place = INDEX[seat]
    for step in (1, 2, 3):
        i = (place + step) % 4
        if hand.seats[i].standing is not Standing.DEAD and SEATS[i] is not profile.table.empty_seat:
            return SEATS[i]
    return None


def turns_between(hand: Hand, seat: Seat, profile: Profile) -> int:
    """How many turns must have passed unseen if it is `seat`'s turn now; 0 for the next in turn."""
    turns, at = 0, next_seat(hand, profile)
    while at is not None and at is not seat and turns < 4:
        turns, at = turns + 1, seat_after(hand, at, profile)
    return turns


def seat_before(hand: Hand, seat: Seat, profile: Profile) -> Seat | None:
    """The seat in play whose right-hand neighbour `seat` is, dead hands and an empty seat skipped."""
    return next((other for other in SEATS if seat_after(hand, other, profile) is seat and _plays(hand, other)), None)


def _plays(hand: Hand, seat: Seat) -> bool:
    return hand.seat(seat).standing is not Standing.DEAD


def is_firm(hand: Hand) -> bool:
    """Whether the seat that holds the turn is certain to be in it still: the tile it took is on its rack."""
    holder = hand.turn.holder
    if holder is None or hand.turn.step not in (Step.RACKED, Step.EXPOSING, Step.EXCHANGING):
        return False
    count = hand.seat(holder).count
    return count is not None and count >= IN_TURN


def article_north(east: Seat) -> Seat:
    """The seat at East's left, whichever chair it is: the article's North."""
    return SEATS[(INDEX[east] + 3) % 4]


def step_after(turn: Turn, kind: Kind) -> Step:
    """The turn's step after an event of this kind."""
    return TURN[turn.step].get(kind, turn.step)


def takes_turn(hand: Hand, event: Recorded, act: Fact) -> Hand:
    """A seat acts: the turn is its own from here on, as far as anyone can see."""
    turn, kind = hand.turn, type(event)
    began = turn.began if turn.holder is act.seat and turn.began is not None else act
    turn = replace(turn, holder=act.seat, began=began)
    if turn.step is Step.CALLED:
        return replace(hand, turn=replace(turn, resumes=TURN[turn.resumes].get(kind, turn.resumes)))
    return replace(hand, turn=replace(turn, step=step_after(turn, kind)))


def takes_turn_or_stands_beside(hand: Hand, event: Recorded, act: Fact) -> Hand:
    """A seat acts: if another is certain to hold the turn, both may be in it until one discards."""
    if is_firm(hand) and hand.turn.holder is not act.seat:
        return replace(hand, turn=replace(hand.turn, beside=act.seat))
    return takes_turn(hand, event, act)


def with_carried(view: SeatView, seat: Seat, until: Fact, profile: Profile) -> SeatView:
    """The seat when its rest ends, because its turn comes or its tiles move: if the rack had rested wrong with one
    number since its own discard, that is remembered until it is right."""
    rest, discard = view.rest, own_discard(view, seat)
    if view.acting or view.count in (AT_REST, None) or rest is None or discard is None:
        return view
    rested_s = max(0.0, until.earliest - max(rest.latest, view.clock_s))
    if view.carried == view.count:
        return replace(view, carried_s=view.carried_s + rested_s)
    if rested_s > view.carried_s and rest.at <= discard.latest + profile.count.off_turn_motion_s:
        return replace(view, carried=view.count, carried_s=rested_s, carried_from=discard)
    return view


def acting_seats(hand: Hand, profile: Profile) -> set[Seat | None]:
    """Every seat that may be in a procedure: its turn, a claim, an exchange with its exposure."""
    turn = hand.turn
    busy: set[Seat | None] = {turn.holder, turn.beside, *turn.lent}
    if turn.holder is None:
        busy.add(next_seat(hand, profile))
    if hand.windows and hand.windows[-1].openness is not Openness.CLAIMED:
        busy.update(call.seat for call in hand.windows[-1].calls if call.life is Life.STANDS)
    return busy


def with_acting(hand: Hand, busy: set[Seat | None], since: Fact, known_s: float, profile: Profile) -> Hand:
    """The hand with every seat told whether it is acting; who stopped acting is idle from `since` on."""
    views: list[SeatView] | None = None
    for i, view in enumerate(hand.seats):
        acting = SEATS[i] in busy
        if acting is not view.acting:
            views = views or list(hand.seats)
            if acting:
                views[i] = replace(with_carried(view, SEATS[i], since, profile), acting=True)
            else:
                views[i] = replace(view, acting=False, idle=since, idle_known_s=known_s, clock_s=since.latest)
    return hand if views is None else replace(hand, seats=tuple(views))
