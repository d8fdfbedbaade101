"""What the rules know of a table: frozen records only, one reading of a hand and all that follows from it.

Owns the shape of the rules' memory. Knows no rule: how a reading moves is said in `procedure.py` and in the two
articles, `tile_count.py` (205) and `claim_window.py` (107). In the flow: `ledger.py` puts the events in order of time
and folds them into a `Reading`; `judge.py` tells how the findings changed.

"Not seen" and "unknown" are values here, never an absence: a count may be unknown, a turn may have passed unseen.
"""

from enum import StrEnum
from math import inf

import msgspec
from msgspec import Struct

from monitor.alerts import Authority, Fact, Level, Rule, Verdict, What
from monitor.events import SEATS, Closing, Event, Recorded, Seat

INDEX = {seat: i for i, seat in enumerate(SEATS)}
"""A seat's place in the tuples of four below, in order of play to the right."""

AT_REST = 13
"""Tiles in or on a rack between turns (Article 205, its first sentence)."""

IN_TURN = 14
"""Tiles in an active turn."""

replace = msgspec.structs.replace


class Phase(StrEnum):
    """Where a hand is. `UNSEEN`: the monitor has not yet seen what tells it."""

    UNSEEN = "unseen"
    SET_UP = "set_up"
    DEAL = "deal"
    CHARLESTON = "charleston"
    PLAY = "play"
    DECLARED = "declared"
    OVER = "over"


class Step(StrEnum):
    """What is known of the turn that runs."""

    TO_ACT = "to_act"
    PICKED = "picked"
    RACKED = "racked"
    CALLED = "called"
    EXPOSING = "exposing"
    EXCHANGING = "exchanging"
    DECLARED = "declared"


class Openness(StrEnum):
    """The window of opportunity on the last discard."""

    NONE = "none"
    OPEN = "open"
    CLOSED = "closed"
    CLAIMED = "claimed"


class Standing(StrEnum):
    """A seat's hand: alive, alive with a wrong count that waits for a ruling, or declared dead."""

    ALIVE = "alive"
    WRONG = "wrong"
    DEAD = "dead"


class Picks(StrEnum):
    """Whether picks from the wall are told at this table. Only where they are does a missing one mean anything."""

    UNKNOWN = "unknown"
    TOLD = "told"
    NOT_ALL_TOLD = "not_all_told"


class Hold(StrEnum):
    """Whether a seat that has discarded still holds the tile it picked: no, perhaps, or surely: its pick was told."""

    NO = "no"
    PERHAPS = "perhaps"
    TOLD = "told"


class Life(StrEnum):
    """Whether a claim lives: it stands, was shown by an exposure, was taken back, or play went on without it."""

    STANDS = "stands"
    SHOWN = "shown"
    WITHDRAWN = "withdrawn"
    PASSED_BY = "passed_by"


class Order(StrEnum):
    """How a claim lies to what closed the window, as far as the bounds of both tell."""

    IN_TIME = "in_time"
    SIMULTANEOUS = "simultaneous"
    UNDETERMINED = "undetermined"
    LATE = "late"


class Ending(StrEnum):
    """Why a finding no longer waits for anyone."""

    NOT_YET = "not_yet"
    TILE_TAKEN = "tile_taken"
    MENDED = "mended"
    SECOND_WRONG = "second_wrong"
    PLAY_BEGAN = "play_began"
    DECLARED_DEAD = "declared_dead"
    RETURNED = "returned"
    TAKEN_BACK = "taken_back"
    KNOWN_AGAIN = "known_again"
    HAND_OVER = "hand_over"


# ---- what comes out


class Finding(Struct, frozen=True):
    """What a rule found. `key` is stable in its hand: the same fault keeps it, however knowledge changes.

    `moment` is the one the contract names for the rule. `provisional`: an off-turn finding that falls if the seat
    proves to have been in its own turn.
    """

    key: str
    rule: Rule
    seat: Seat | None
    moment: Fact
    article: str
    level: Level
    facts: tuple[Fact, ...]
    authority: Authority = Authority.LEAGUE
    verdict: Verdict | None = None
    expected: int | None = None
    count: int | None = None
    rests_on: str | None = None
    ending: Ending = Ending.NOT_YET
    provisional: bool = False


class Opened(Struct, frozen=True):
    """A window that opened, for the derived event."""

    key: str
    moment: Fact
    confidence: float | None = None


class Closed(Struct, frozen=True):
    """A window that closed: the derived event, and the notice."""

    key: str
    moment: Fact
    cause: Closing
    discard: Fact


Outcome = Finding | Opened | Closed


# ---- Article 107


class Call(Struct, frozen=True):
    """A claim on a discard. `low` is minus infinity where only its showing is known.

    `ripe`: it may be found late; before that, the discard that it is for may not be known yet.
    """

    fact: Fact
    root: int
    seat: Seat
    low: float
    high: float
    ripe: bool = True
    tiles: int | None = None
    for_mah_jongg: bool = False
    names_discard: bool = False
    life: Life = Life.STANDS


class Shut(Struct, frozen=True):
    """An act that closes a window, unless a claim that came first makes it void."""

    cause: Closing
    fact: Fact
    seat: Seat


class Window(Struct, frozen=True):
    """The opportunity to claim one discard: what claims it and what closes it, in order of time.

    `shut` is what closes it in the end. `racking`: a racking that counts only once the fingers are off. `seen`: the
    last discard that was seen, where this one is a discard that nobody saw. `joker`: the discard is known to be one.
    """

    root: int
    seat: Seat
    discard: Fact
    calls: tuple[Call, ...] = ()
    shuts: tuple[Shut, ...] = ()
    racking: Fact | None = None
    seen: Fact | None = None
    shut: Shut | None = None
    joker: bool = False
    openness: Openness = Openness.OPEN


# ---- the turn and the seats


class Turn(Struct, frozen=True):
    """Whose turn it is, as far as it is known.

    `holder` has acted since the last discard, first with `began`, and racked with `racked`; `beside` is a second seat
    that may be in its turn, where two are at odds. `resumes`: where the turn is if what came between is taken back.
    `lent`: seats whose racks an exchange is working on. `sizes`: the latest number of tiles of the claim's exposure.
    """

    step: Step = Step.TO_ACT
    holder: Seat | None = None
    beside: Seat | None = None
    discarder: Seat | None = None
    resumes: Step = Step.TO_ACT
    began: Fact | None = None
    racked: Fact | None = None
    exchange: Fact | None = None
    lent: tuple[Seat, ...] = ()
    sizes: Fact | None = None


class Stray(Struct, frozen=True):
    """An act by a seat whose turn it did not seem to be: a finding at `due_s`, unless it is explained by then.

    `after`: the discard whose turn it should have been. `held_by`: the seat that was certain to hold the turn.
    """

    fact: Fact
    root: int
    seat: Seat
    due_s: float
    after: Fact
    held_by: Seat | None = None


class SeatView(Struct, frozen=True):
    """One seat. `count` is the number at rest on the rack, `None` while it cannot be known; `before` the one before.

    `idle`: what ended the seat's last procedure, known at `idle_known_s`; deviations count from `clock_s`. `holding`:
    it discarded, and the tile it picked may still be in the hand. `strained_s`: since when the count has been wrong
    without a break. `carried`: the number it rested wrong with after its own discard `carried_from`, for `carried_s`,
    when its next turn came: where play is fast, each time is too short to tell. `passed_s`: when its tiles last left
    for a pass. `proven`: seen right at rest, or seen discarding, so that a late start cannot mislead.
    """

    standing: Standing = Standing.ALIVE
    count: int | None = None
    rest: Fact | None = None
    known_s: float = -inf
    before: int | None = None
    doubtful: bool = False
    strained_s: float | None = None
    carried: int | None = None
    carried_s: float = 0.0
    carried_from: Fact | None = None
    passed_s: float = -inf
    unknown_since: Fact | None = None
    idle: Fact | None = None
    idle_known_s: float = -inf
    clock_s: float = -inf
    acting: bool = False
    picked: bool = False
    racked: bool = False
    holding: Hold = Hold.NO
    proven: bool = False
    off_at_start: int | None = None
    dead: Fact | None = None
    died_in_turn: bool = False


def own_discard(view: SeatView, seat: Seat) -> Fact | None:
    """The seat's own discard, if that ended its last procedure (the start of play is East's)."""
    idle = view.idle
    if idle is None or idle.seat is not seat or idle.what not in (What.DISCARDED, What.PLAY_STARTED):
        return None
    return idle


FOUR_SEATS = (SeatView(), SeatView(), SeatView(), SeatView())


class Hand(Struct, frozen=True):
    """One hand as the events tell it so far.

    `dealt_rests`: what each rack held at the deal, where known; judged at `dealt_due_s`, which is `None` once it was.
    `still_s`: since when nothing has moved in the Charleston, known at `still_known_s`, `None` once that was judged.
    `play_known_s`: when it was known that play had begun. `seemed_play_s`: until when it seemed to have. `over_s`: when
    it ended. `due_s`: when silence alone may next bring something. `touched`: what the latest event may have changed.
    """

    number: int = 1
    phase: Phase = Phase.UNSEEN
    east: Seat | None = None
    picks: Picks = Picks.UNKNOWN
    dealt: Fact | None = None
    dealt_rests: tuple[Fact | None, ...] = (None, None, None, None)
    dealt_due_s: float | None = None
    passes: tuple[int, ...] = (0, 0, 0, 0)
    still_s: float | None = None
    still_known_s: float = -inf
    play: Fact | None = None
    play_known_s: float = -inf
    seemed_play_s: float = -inf
    turn: Turn = Turn()
    declarer: Seat | None = None
    windows: tuple[Window, ...] = ()
    strays: tuple[Stray, ...] = ()
    seats: tuple[SeatView, ...] = FOUR_SEATS
    outcomes: dict[str, Outcome] = {}
    over_s: float | None = None
    touched: tuple[str, ...] = ()
    due_s: float = inf

    def seat(self, seat: Seat) -> SeatView:
        """The view of one seat."""
        return self.seats[INDEX[seat]]

    def with_seat(self, seat: Seat, view: SeatView) -> "Hand":
        """The same hand with another view of one seat."""
        i = INDEX[seat]
        return replace(self, seats=(*self.seats[:i], view, *self.seats[i + 1 :]))

    def found(self, *outcomes: Outcome) -> "Hand":
        """The same hand with these outcomes added, or put in the place of those with the same keys."""
        new = {o.key: o for o in outcomes}
        return replace(self, outcomes={**self.outcomes, **new}, touched=(*self.touched, *new))

    def without(self, *keys: str) -> "Hand":
        """The same hand without the outcomes of these keys."""
        gone = [key for key in keys if key in self.outcomes]
        if not gone:
            return self
        kept = {k: v for k, v in self.outcomes.items() if k not in gone}
        return replace(self, outcomes=kept, touched=(*self.touched, *gone))

    def finding(self, key: str) -> Finding | None:
        """The finding of this key, standing or ended."""
        found = self.outcomes.get(key)
        return found if isinstance(found, Finding) else None

    def findings(self, *rules: Rule) -> list[Finding]:
        """The findings of these rules, standing or ended."""
        return [o for o in self.outcomes.values() if isinstance(o, Finding) and o.rule in rules]

    def ended(self, key: str, ending: Ending) -> "Hand":
        """The same hand with this finding ended, if it stands."""
        found = self.finding(key)
        if found is None or found.ending is not Ending.NOT_YET:
            return self
        return self.found(replace(found, ending=ending))


# ---- the ledger


class Place(Struct, frozen=True):
    """Where an outcome is kept: the number of its hand in the stream, and its key there."""

    hand: int
    key: str


class Reading(Struct, frozen=True):
    """The table after some event: the hand that runs and the one before it, which late knowledge may still change.

    `next_east`: the East chair that was named for the hand to come. `touched`: outcomes the event may have changed.
    """

    hand: Hand = Hand()
    before: Hand | None = None
    next_east: Seat | None = None
    touched: tuple[Place, ...] = ()


class Entry(Struct, frozen=True):
    """One event in the ledger, as it stands after corrections.

    `at` is its place in time, `heard` its place in the order of knowledge, `root` the `seq` of the first record of it,
    `names` every `seq` it may be called by, `raw` what was told before racks were found to be swapped.
    """

    event: Event
    raw: Event
    root: int
    heard: int
    names: tuple[int, ...]
    at: float
    struck: bool = False


def fact(event: Recorded, what: What, count: int | None = None, by: str | None = None) -> Fact:
    """The event in short: what, who, when, within which bounds."""
    return Fact(what, event.at, event.low, event.high, event.seq, event.seat, count, by, event.confidence)


def is_sure(act: Fact | Recorded, least: float) -> bool:
    """Whether the readings are at least so sure of this; what people entered is certain."""
    return act.confidence is None or act.confidence >= least


def in_time(*facts: Fact) -> tuple[Fact, ...]:
    """These facts in order of time, each once."""
    return tuple(sorted(dict.fromkeys(facts), key=lambda f: f.at))
