"""The director's queue: what was raised, and what directors did about it, as cases.

Owns which alert is a case, how it stands, what may be done about it, and which comes first. Alerts and acts, as they
became durable -> **docket** -> chair, pages, reports. Pure: reads no clock, no log. Every fold is total: whatever a log
holds has a reading, and the same records give the same docket, live or read again.

An act names the version of the case that its author saw. Where another director acted meanwhile it is refused, with
what that one did; words (`Remarked`) are always taken. Nothing is deleted: an undoing is an act, the original stays.

    new ── acknowledged ── taken ── ruled          given back: acknowledged; any of them may be ruled at once
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from monitor.acts import (
    Acknowledged,
    Act,
    AllThrownIn,
    DeclaredDead,
    Dismissed,
    GivenBack,
    Remarked,
    Ruling,
    Taken,
    TimeAdded,
    Undone,
    Upheld,
)
from monitor.alerts import Alert, AlertState, Level, Rule
from monitor.events import Event, HandEnded, HandStarted, NewHand, ThrownIn
from monitor.wording import act_words

CASES_MOST: Final = 2000
"""Our choice: a hall of 300 tables in a day that goes badly. What is settled and oldest makes room."""
ACTS_MOST: Final = 500
"""About one alert; our choice."""


Dated = Callable[[float], float]
"""Seconds since 1970 of a moment on the host's clock; each start of the monitor has its own."""


class Handling(StrEnum):
    """How far directors are with a case."""

    NEW = "new"
    ACKNOWLEDGED = "acknowledged"
    TAKEN = "taken"
    RULED = "ruled"


_RULINGS: Final[frozenset[type[Act]]] = frozenset({Upheld, Dismissed, DeclaredDead, AllThrownIn, TimeAdded})
_ALWAYS: Final[frozenset[type[Act]]] = frozenset({Remarked, Undone})
_ALLOWED: Final[Mapping[Handling, frozenset[type[Act]]]] = {
    Handling.NEW: _RULINGS | _ALWAYS | {Acknowledged, Taken},
    Handling.ACKNOWLEDGED: _RULINGS | _ALWAYS | {Taken},
    Handling.TAKEN: _RULINGS | _ALWAYS | {Taken, GivenBack},
    Handling.RULED: _RULINGS | _ALWAYS,
}
_LEADS_TO: Final[Mapping[type[Act], Handling]] = {
    Acknowledged: Handling.ACKNOWLEDGED,
    Taken: Handling.TAKEN,
    GivenBack: Handling.ACKNOWLEDGED,
    **dict.fromkeys(_RULINGS, Handling.RULED),
}


class Made(Struct, frozen=True):
    """An act as it is durable: the number of its record in the log, who, when, in which words, what."""

    record: int
    author: str
    utc_s: float
    words: str
    did: Act


class Line(Struct, frozen=True):
    """An act and whether it counts; one that was undone does not."""

    made: Made
    stands: bool


def told(acts: Sequence[Made]) -> tuple[Line, ...]:
    """Acts about one alert, in the order of the log, each with whether it counts: no undoing that counts names it."""
    undone: set[int] = set()
    lines: list[Line] = []
    for made in reversed(acts):
        stands = made.record not in undone
        if stands and isinstance(made.did, Undone):
            undone.add(made.did.record)
        lines.append(Line(made, stands))
    return tuple(reversed(lines))


class Case(Struct, frozen=True):
    """One alert and what became of it. `alert`: its line as it last stood; `state`, `ended`: how it is now, and why.

    `hand`: the hand it is about. `earlier`: raised before the monitor was started anew; nobody but a director ends it.
    """

    alert: Alert
    hand: int
    first_seen_utc_s: float
    state: AlertState = AlertState.RAISED
    ended: str = ""
    acts: tuple[Line, ...] = ()
    earlier: bool = False

    @property
    def version(self) -> int:
        """How many acts there are besides words."""
        return sum(not isinstance(line.made.did, Remarked) for line in self.acts)

    @property
    def handling(self) -> Handling:
        """How far directors are with it, by the last act that counts; a ruling outlasts all but its undoing."""
        if self.rulings:
            return Handling.RULED
        last = self._last
        return Handling.NEW if last is None else _LEADS_TO[type(last.did)]

    @property
    def by(self) -> str:
        """Who did what `handling` says; empty where it is new."""
        last = self.rulings[-1] if self.rulings else self._last
        return "" if last is None else last.author

    @property
    def rulings(self) -> tuple[Made, ...]:
        """The rulings that count."""
        return tuple(line.made for line in self.acts if line.stands and isinstance(line.made.did, Ruling))

    @property
    def remarks(self) -> tuple[Made, ...]:
        """The words that count."""
        return tuple(line.made for line in self.acts if line.stands and isinstance(line.made.did, Remarked))

    @property
    def needs_ruling(self) -> bool:
        """Whether it stands, asks for a ruling and has none."""
        due = self.alert.level is Level.RULING_DUE and self.state is AlertState.RAISED
        return due and self.handling is not Handling.RULED

    @property
    def open(self) -> bool:
        """Whether it wants somebody: it stands and is not ruled, or was taken back while somebody goes there."""
        if self.handling is Handling.RULED:
            return False
        return self.state is AlertState.RAISED or self.handling is Handling.TAKEN

    @property
    def seconds_added(self) -> float:
        """By the rulings that count."""
        return sum(made.did.seconds for made in self.rulings if isinstance(made.did, TimeAdded))

    @property
    def _last(self) -> Made | None:
        led = (line.made for line in reversed(self.acts) if line.stands and type(line.made.did) in _LEADS_TO)
        return next(led, None)

    def after(self, made: Made) -> "Case":
        """The case with one act more."""
        return replace(self, acts=told([*(line.made for line in self.acts), made]))

    def complaint(self, author: str, did: Act) -> str:
        """Why this may not be done about it as it stands, in words; empty where it may."""
        if len(self.acts) >= ACTS_MOST:
            return f"There are {ACTS_MOST} acts about this alert, and no room for more."
        if type(did) not in _ALLOWED[self.handling]:
            return f"It is {self.handling}{f' by {self.by}' if self.by else ''}."
        if isinstance(did, Taken) and self.handling is Handling.TAKEN and self.by == author:
            return "You have taken it already."
        if isinstance(did, Undone):
            named = next((line for line in self.acts if line.made.record == did.record), None)
            if named is None:
                return f"Record {did.record} is no act about this alert."
            if not named.stands:
                return f"Record {did.record} does not count any more: it was undone."
        rulings = [made.did for made in self.after(Made(_NOT_YET, author, 0.0, "", did)).rulings]
        if any(isinstance(one, Upheld) for one in rulings) and any(isinstance(one, Dismissed) for one in rulings):
            return "It cannot be upheld and dismissed: undo the one first."
        if isinstance(did, Ruling) and not isinstance(did, TimeAdded) and rulings.count(did) > 1:
            return "That is ruled already."
        return ""


_NOT_YET: Final = 1 << 62
"""Stands for the record of an act that has none yet: no act names it."""


class ActConflict(Struct, frozen=True):
    """Refused: somebody acted since the version that the act was made on. `meanwhile`: what, oldest first."""

    case: Case
    meanwhile: tuple[Made, ...]

    @property
    def text(self) -> str:
        """What the others did, in a sentence."""
        if not self.meanwhile:
            return "The case is not as you saw it."
        return f"Meanwhile {', '.join(f'{made.author} {act_words(made.did)}' for made in self.meanwhile)}."


class Refused(Struct, frozen=True):
    """Refused, and why in a sentence."""

    text: str


class Filter(Struct, frozen=True):
    """Which cases are wanted; empty: all. Ages in seconds since they were first seen."""

    tables: frozenset[str] = frozenset()
    rules: frozenset[Rule] = frozenset()
    youngest_s: float = 0.0
    oldest_s: float = float("inf")

    def takes(self, case: Case, now_utc_s: float) -> bool:
        """Whether a case is one of them."""
        age_s = max(0.0, now_utc_s - case.first_seen_utc_s)
        return (
            (not self.tables or case.alert.table in self.tables)
            and (not self.rules or case.alert.rule in self.rules)
            and self.youngest_s <= age_s <= self.oldest_s
        )


class _OnTable(Struct, frozen=True):
    """The newest hand of a table: its number, when it began, and whether it is over."""

    hand: int
    began_utc_s: float
    over: bool


class Docket:
    """All cases. Takes records in the order of the log; `dropped` counts cases that made room for newer ones."""

    def __init__(self, most: int = CASES_MOST) -> None:
        """`most`: cases that are held."""
        self._cases: dict[str, Case] = {}
        self._hands: dict[str, _OnTable] = {}
        self._most = most
        self.dropped = 0

    def take_event(self, event: Event, table: str, hand: int, utc_s: Dated) -> None:
        """An event, for the sake of which hand is on. Table and hand are the log's."""
        on = self._hands.get(table)
        match event:
            case HandStarted() | NewHand():
                if on is None or on.hand != hand:  # racks fill after a new hand was announced: one hand
                    self._hands[table] = _OnTable(hand, utc_s(event.at), over=False)
            case HandEnded() | ThrownIn():
                began_utc_s = on.began_utc_s if on is not None and on.hand == hand else float("-inf")
                self._hands[table] = _OnTable(hand, began_utc_s, over=True)
            case _:
                pass

    def take_alert(self, alert: Alert, hand: int, utc_s: Dated) -> None:
        """A line of an alert, as the director may see it; `hand` is the log's, which what is found late may follow."""
        if alert.rule is Rule.WINDOW_CLOSED:
            return
        case = self._cases.get(alert.id)
        if alert.state is AlertState.RAISED:
            on = self._hands.get(alert.table)
            late = on is not None and on.hand == hand and utc_s(alert.at) < on.began_utc_s
            new = Case(alert, hand - 1 if late else hand, utc_s(alert.raised_at))
            self._cases[alert.id] = (
                new if case is None else replace(case, alert=alert, state=alert.state, ended="", earlier=False)
            )
            self._make_room()
        elif case is not None:
            if alert.state is AlertState.WITHDRAWN and not case.acts:
                del self._cases[alert.id]  # nobody has done anything about it
            else:
                self._cases[alert.id] = replace(case, state=alert.state, ended=alert.message)

    def take_act(self, alert: str, made: Made) -> None:
        """An act about an alert; of one that is no case here it says nothing."""
        case = self._cases.get(alert)
        if case is not None:
            self._cases[alert] = case.after(made)

    def restarted(self) -> None:
        """The monitor starts anew, and its tables know nothing of what they said: only what still matters is kept.

        That is a case about which somebody acted; and one that stands and asked for a ruling and has none, or whose
        hand is not over. Sensors are looked at anew.
        """
        for id_, case in list(self._cases.items()):
            matters = case.needs_ruling or not self.is_over(case.alert.table, case.hand)
            stands = case.state is AlertState.RAISED and case.alert.rule is not Rule.SENSOR_FAULT
            if case.acts or (stands and matters):
                self._cases[id_] = replace(case, earlier=True)
            else:
                del self._cases[id_]

    def is_over(self, table: str, hand: int) -> bool:
        """Whether a hand of a table is known to be over."""
        on = self._hands.get(table)
        return on is not None and (hand < on.hand or (hand == on.hand and on.over))

    def case(self, alert: str) -> Case | None:
        """The case of an alert."""
        return self._cases.get(alert)

    def cases(self, wanted: Filter | None = None, now_utc_s: float = 0.0) -> list[Case]:
        """What needs a ruling, then what else is open, then the rest; the oldest first. `now_utc_s`: for their age."""
        found: Iterable[Case] = self._cases.values()
        return sorted((one for one in found if wanted is None or wanted.takes(one, now_utc_s)), key=_urgency)

    def objection(self, case: Case, author: str, did: Act, version: int) -> ActConflict | Refused | None:
        """Why an act that was made on this version of a case is not taken; `None` where it is."""
        acts = [line.made for line in case.acts if not isinstance(line.made.did, Remarked)]
        if version != len(acts) and not isinstance(did, Remarked):
            return ActConflict(case, tuple(acts[max(version, 0) :]))
        why = case.complaint(author, did)
        return Refused(why) if why else None

    def _make_room(self) -> None:
        if len(self._cases) > self._most:
            least = max(self._cases.values(), key=lambda case: (_rank(case), -case.first_seen_utc_s, case.alert.id))
            del self._cases[least.alert.id]
            self.dropped += 1


def _rank(case: Case) -> int:
    return 0 if case.needs_ruling else 1 if case.open else 2


def _urgency(case: Case) -> tuple[int, float, str]:
    return _rank(case), case.first_seen_utc_s, case.alert.id
