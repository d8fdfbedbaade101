"""The rules core's one function: `judge(state, event, profile) -> (state, rulings)`.

Owns how findings become rulings. Records come in order of knowledge, while the articles ask what happened first: so
what is found is a pure function of the ledger (events in order of time, corrections applied) and of the time known so
far, and a ruling is the difference between what was found before this event and after it: new is raised, gone is
withdrawn, ended is resolved, changed is told again under the same id. Nothing is ever silently changed.

Pure: time passes only with events and ticks; a state is never changed, so the same state judged twice says the same.
"""

from math import inf

from msgspec import Struct

from monitor.alerts import AlertState
from monitor.events import Event
from monitor.rules.fold import elapsed
from monitor.rules.ledger import Ledger, heard
from monitor.rules.profile import LEAGUE, Profile
from monitor.rules.state import Ending, Finding, Hand, Outcome, Reading, replace


class Ruling(Struct, frozen=True):
    """What changed about one outcome. `key` is stable in its hand, `hand` the number of the hand in the stream.

    `state` is the outcome's state after this event; `first_s` when it was first raised.
    """

    hand: int
    key: str
    state: AlertState
    outcome: Outcome
    first_s: float


class State(Struct, frozen=True):
    """All that the rules know of one table. `now_s`: the latest time that any record told of."""

    ledger: Ledger = Ledger()
    now_s: float = -inf
    reading: Reading = Reading()
    told: dict[tuple[int, str], Ruling] = {}


def judge(state: State, event: Event, profile: Profile = LEAGUE) -> tuple[State, tuple[Ruling, ...]]:
    """Hear one record, in order of knowledge; return the new state and what it changed, in a stable order."""
    ledger = heard(state.ledger, event, profile)
    now_s = max(state.now_s, event.at, event.known)
    reading = elapsed(ledger.reading, now_s, profile)
    told, rulings = state.told, ()
    if _outcomes_changed(state.reading, reading):
        told, rulings = _differences(state.told, reading, now_s)
    return replace(state, ledger=ledger, now_s=now_s, reading=reading, told=told), rulings


def _outcomes_changed(old: Reading, new: Reading) -> bool:
    if old.hand.findings is not new.hand.findings:
        return True
    before, after = old.before, new.before
    if before is None or after is None:
        return before is not after
    return before.findings is not after.findings


def _differences(
    told: dict[tuple[int, str], Ruling], reading: Reading, now_s: float
) -> tuple[dict[tuple[int, str], Ruling], tuple[Ruling, ...]]:
    hands = [hand for hand in (reading.before, reading.hand) if hand is not None]
    oldest = hands[0].number
    changed: list[Ruling] = []
    found: set[tuple[int, str]] = set()
    for hand in hands:
        changed += _told_of(hand, told, found, now_s)
    gone = [
        replace(ruling, state=AlertState.WITHDRAWN)
        for place, ruling in told.items()
        if place not in found and place[0] >= oldest and ruling.state is not AlertState.WITHDRAWN
    ]
    changed += sorted(gone, key=lambda r: (r.hand, r.key))
    told = {place: ruling for place, ruling in told.items() if place[0] >= oldest}
    told.update({(ruling.hand, ruling.key): ruling for ruling in changed})
    return told, tuple(changed)


def _told_of(
    hand: Hand, told: dict[tuple[int, str], Ruling], found: set[tuple[int, str]], now_s: float
) -> list[Ruling]:
    changed = []
    for key, outcome in hand.findings.items():
        place = (hand.number, key)
        found.add(place)
        old = told.get(place)
        ended = isinstance(outcome, Finding) and outcome.ending is not Ending.NOT_YET
        now_is = AlertState.RESOLVED if ended else AlertState.RAISED
        if old is not None and old.state is now_is and (old.outcome is outcome or _same(old.outcome, outcome)):
            continue
        if old is None and ended:
            changed.append(Ruling(hand.number, key, AlertState.RAISED, outcome, now_s))
        changed.append(Ruling(hand.number, key, now_is, outcome, now_s if old is None else old.first_s))
    return sorted(changed, key=lambda r: r.key)


def _same(old: Outcome, new: Outcome) -> bool:
    if isinstance(old, Finding) and isinstance(new, Finding):
        return replace(old, provisional=new.provisional) == new
    return old == new
