"""The rules core's one function: `judge(state, event, profile) -> (state, rulings)`.

Owns how findings become rulings. Records come in order of knowledge, while the articles ask what happened first: so
what is found is a pure function of the ledger (events in order of time, corrections applied) and of the time known so
far, and a ruling is the difference between what was found before this event and after it: new is raised, gone is
withdrawn, ended is resolved, changed is told again under the same id. Nothing is ever silently changed.

Pure: time passes only with events and ticks; a state is never changed, so the same state judged twice says the same.
Only the outcomes that an event may have touched are compared, so an event in order costs the same late in a hand as
early.
"""

from math import inf

from msgspec import Struct

from monitor.alerts import AlertState, Level
from monitor.events import Event
from monitor.rules import fold
from monitor.rules.fold import elapsed
from monitor.rules.ledger import Ledger, heard
from monitor.rules.profile import LEAGUE, Profile
from monitor.rules.state import Ending, Finding, Hand, Outcome, Place, Reading, replace


class Ruling(Struct, frozen=True):
    """What changed about one outcome: its state after this event, and since when it has been raised."""

    place: Place
    state: AlertState
    outcome: Outcome
    raised_s: float


class State(Struct, frozen=True):
    """All that the rules know of one table. `now_s`: the latest time that any record told of. `reading`: the table at
    that time. `told`: the last ruling about each outcome."""

    ledger: Ledger = Ledger()
    now_s: float = -inf
    reading: Reading = Reading()
    told: dict[Place, Ruling] = {}


def judge(state: State, event: Event, profile: Profile = LEAGUE) -> tuple[State, tuple[Ruling, ...]]:
    """Hear one record, in order of knowledge; return the new state and what it changed, in a stable order."""
    ledger = heard(state.ledger, event, profile)
    now_s = max(state.now_s, event.at, event.known)
    return _told(state, ledger, elapsed(replace(ledger.reading, touched=()), now_s, profile), now_s)


def concluded(state: State, profile: Profile = LEAGUE) -> tuple[State, tuple[Ruling, ...]]:
    """Nothing more will become known, as at the end of a file: what waited for later news alone is told now."""
    return _told(state, state.ledger, fold.concluded(state.reading, profile), state.now_s)


def beginning(hand: int) -> State:
    """The state of a table of which nothing is known yet, its first hand numbered so."""
    reading = Reading(hand=Hand(number=hand))
    return State(ledger=Ledger(origin=reading), reading=reading)


def _told(state: State, ledger: Ledger, reading: Reading, now_s: float) -> tuple[State, tuple[Ruling, ...]]:
    """The state with this reading, and what is new in it."""
    touched = {*ledger.touched, *state.reading.touched, *reading.touched}
    rulings = tuple(
        ruling
        for place in sorted(touched, key=lambda p: (p.hand, p.key))
        for ruling in _rulings(place, state.told.get(place), reading, now_s)
    )
    told = {**state.told, **{ruling.place: ruling for ruling in rulings}} if rulings else state.told
    if reading.hand.number > state.reading.hand.number:
        told = {place: ruling for place, ruling in told.items() if place.hand >= reading.hand.number - 1}
    return State(ledger, now_s, reading, told), rulings


def _rulings(place: Place, old: Ruling | None, reading: Reading, now_s: float) -> list[Ruling]:
    outcome = _outcome(place, reading)
    if outcome is None:
        if old is None or old.state is AlertState.WITHDRAWN or place.hand < reading.hand.number - 1:
            return []
        return [replace(old, state=AlertState.WITHDRAWN)]
    ended = isinstance(outcome, Finding) and outcome.ending is not Ending.NOT_YET
    state = AlertState.RESOLVED if ended else AlertState.RAISED
    if old is None and isinstance(outcome, Finding) and ended:
        raised = Ruling(place, AlertState.RAISED, replace(outcome, ending=Ending.NOT_YET), now_s)
        return [raised, Ruling(place, state, outcome, now_s)]
    if old is None:
        return [Ruling(place, state, outcome, now_s)]
    if old.state is state and _says_the_same(old.outcome, outcome):
        return []
    back = state is AlertState.RAISED and old.state is not AlertState.RAISED
    anew = back or _level(outcome) is not _level(old.outcome)
    return [Ruling(place, state, outcome, now_s if anew else old.raised_s)]


def _level(outcome: Outcome) -> Level:
    return outcome.level if isinstance(outcome, Finding) else Level.NOTICE


def _outcome(place: Place, reading: Reading) -> Outcome | None:
    for hand in (reading.hand, reading.before):
        if hand is not None and hand.number == place.hand:
            return hand.outcomes.get(place.key)
    return None


def _says_the_same(old: Outcome, new: Outcome) -> bool:
    if isinstance(old, Finding) and isinstance(new, Finding):
        return replace(old, provisional=new.provisional) == new
    return old == new
