"""What a printed log of hands says: each hand with its times, pace, alerts and what happened, in plain strings.

Owns the choice and the words; `paper` lays them out. Events stand as they are known in the end, in order of time; what
was taken back is kept and marked. Numbers of tiles and the opening of each window are counted and left out: a hand has
hundreds of the former, and the latter is the discard. No tile's identity is ever among the words. Bounded: too many
hands or lines are refused as soon as they are met.
"""

import re
from collections import Counter
from datetime import datetime, tzinfo
from typing import Final

from msgspec import Struct

from monitor.alerts import AlertState, Rule
from monitor.errors import TooMuchForPaperError
from monitor.events import Corrected, CountChanged, Tick, WindowOpened
from monitor.exports.entries import AlertEntry, Entry, EventEntry, Origin, OtherEntry
from monitor.exports.moments import in_zone, zone_name
from monitor.exports.page_words import article, bounds, length, minutes, printed, seconds
from monitor.exports.standing import HandSummary, HandTally, Standing, StandingEvents
from monitor.wording import ENDINGS, LEVELS, RULES, STATES, event_line, seat_name

MAX_HANDS: Final = 60
MAX_LINES: Final = 6000
"""Events and alerts of a document; our choices: two evenings of a table, and some 300 MB while Typst sets them."""
_LONGEST_NAME: Final = 16
"""Characters of a table's name in the list of hands; our choice."""
_UNSHOWN: Final = (CountChanged, Tick, WindowOpened)


class Named(Struct, frozen=True):
    """Something with its label."""

    label: str
    value: str


class AlertLine(Struct, frozen=True):
    """One alert as it stands, and how it came to."""

    title: str
    article: str
    level: str
    state: str
    time: str
    message: str
    ending: str
    history: list[Named]


class EventLine(Struct, frozen=True):
    """One event. `into`: time since the hand began; `bounds`, `sure`: empty where exact and certain."""

    time: str
    into: str
    text: str
    bounds: str
    sure: str
    note: str
    struck: bool


class HandPage(Struct, frozen=True):
    """One hand."""

    title: str
    day: str
    facts: list[Named]
    alerts: list[AlertLine]
    events: list[EventLine]
    unshown: str


class OverviewLine(Struct, frozen=True):
    """One hand in the list at the beginning."""

    table: str
    hand: str
    began: str
    ended: str
    length: str
    discards: str
    pace: str
    how: str
    alerts: str


class _Alert(Struct):
    origin: Origin
    lines: list[AlertEntry]


class HandPages:
    """Takes entries and gives pages."""

    def __init__(
        self, log: str, zone: tzinfo | None, *, max_hands: int = MAX_HANDS, max_lines: int = MAX_LINES
    ) -> None:
        """`log`: its name, for errors. `zone`: that of the times."""
        self._log = log
        self.zone = zone
        self._max_hands = max_hands
        self._max_lines = max_lines
        self._lines = 0
        self._tallies: dict[tuple[str, int], HandTally] = {}
        self._events: dict[str, StandingEvents] = {}
        self._alerts: dict[tuple[str, str], _Alert] = {}
        self._unshown: dict[tuple[str, int], Counter[str]] = {}

    def take(self, entry: Entry) -> None:
        """One record further. Raises `TooMuchForPaperError`."""
        if isinstance(entry, OtherEntry):
            return
        origin = entry.origin
        key = (origin.table, origin.hand)
        if key not in self._tallies:
            if len(self._tallies) == self._max_hands:
                raise TooMuchForPaperError(self._log, self._max_hands, "hands")
            self._tallies[key] = HandTally(*key)
            self._unshown[key] = Counter()
        self._tallies[key].take(entry)
        if isinstance(entry, AlertEntry):
            self._take_alert(entry)
        else:
            self._take_event(entry)

    def _take_alert(self, entry: AlertEntry) -> None:
        if entry.alert.rule is Rule.WINDOW_CLOSED:
            return
        self._count_line()
        known = self._alerts.setdefault((entry.origin.table, entry.alert.id), _Alert(entry.origin, []))
        known.lines.append(entry)

    def _take_event(self, entry: EventEntry) -> None:
        origin, event = entry.origin, entry.event
        unshown = self._unshown[origin.table, origin.hand]
        if isinstance(event, _UNSHOWN):
            unshown[_UNSHOWN_WORDS[type(event)]] += 1
            return
        self._count_line()
        standing = self._events.setdefault(origin.table, StandingEvents(self._max_lines))
        if not standing.take(entry) and isinstance(event, Corrected):
            unshown["corrections of what is not shown"] += 1

    def _count_line(self) -> None:
        self._lines += 1
        if self._lines > self._max_lines:
            raise TooMuchForPaperError(self._log, self._max_lines, "events and alerts")

    def summaries(self) -> list[HandSummary]:
        """The hands, by table and number."""
        return [tally.summary() for _, tally in sorted(self._tallies.items(), key=lambda item: _natural(*item[0]))]

    def zone_words(self, otherwise: datetime) -> str:
        """The zone of the times, both where a summer began or ended between the first hand and the last."""
        times = [one.began_utc_s for one in self.summaries() if one.began_utc_s is not None] or [otherwise.timestamp()]
        moments = (in_zone(min(times), self.zone), in_zone(max(times), self.zone))
        return " and ".join(dict.fromkeys(zone_name(moment) for moment in moments if moment is not None))

    def overview(self) -> list[OverviewLine]:
        """The list of hands."""
        return [self._overview(summary) for summary in self.summaries()]

    def pages(self) -> list[HandPage]:
        """A page a hand; none for one of which nothing is told."""
        events: dict[tuple[str, int], list[Standing]] = {}
        for table, followed in self._events.items():
            for standing in followed.all():
                events.setdefault((table, standing.origin.hand), []).append(standing)
        alerts: dict[tuple[str, int], list[_Alert]] = {}
        for alert in self._alerts.values():
            alerts.setdefault((alert.origin.table, alert.origin.hand), []).append(alert)
        return [
            self._page(hand, events.get((hand.table, hand.hand), []), alerts.get((hand.table, hand.hand), []))
            for hand in self.summaries()
            if (hand.table, hand.hand) in events or (hand.table, hand.hand) in alerts
        ]

    def _overview(self, hand: HandSummary) -> OverviewLine:
        return OverviewLine(
            printed(hand.table, _LONGEST_NAME),
            str(hand.hand),
            self._time(hand.began_utc_s, "%Y-%m-%d %H:%M:%S"),
            self._time(hand.ended_utc_s, "%H:%M:%S"),
            length(hand.length_s),
            str(hand.discards),
            seconds(hand.pace_s),
            ENDINGS[hand.how] if hand.how is not None else "–",
            _alerts(hand),
        )

    def _page(self, hand: HandSummary, events: list[Standing], alerts: list[_Alert]) -> HandPage:
        pace = f"{hand.discards} {'discard' if hand.discards == 1 else 'discards'}"
        facts = [
            Named("Began", self._time(hand.began_utc_s, "%H:%M:%S")),
            Named("Ended", self._time(hand.ended_utc_s, "%H:%M:%S")),
            Named("Length", length(hand.length_s)),
            Named("Pace", pace if hand.pace_s is None else f"{pace}, one every {seconds(hand.pace_s)}"),
            Named("East", f"{seat_name(hand.east)} chair" if hand.east is not None else "not known"),
            Named("Ended by", ENDINGS[hand.how] if hand.how is not None else "not known"),
        ]
        counts = self._unshown[hand.table, hand.hand]
        unshown = ", ".join(f"{what} ({count})" for what, count in sorted(counts.items()))
        return HandPage(
            f"Table {printed(hand.table)}, hand {hand.hand}",
            self._time(hand.began_utc_s, "%A %-d %B %Y"),
            facts,
            [self._alert_line(alert) for alert in alerts],
            [self._event_line(hand, standing) for standing in events],
            unshown,
        )

    def _alert_line(self, known: _Alert) -> AlertLine:
        """The sentence is the latest with which the alert stood; how it ended may have one of its own."""
        last = known.lines[-1]
        alert = last.alert
        stood = [line.alert.message for line in known.lines if line.alert.state is AlertState.RAISED]
        message = stood[-1] if stood else alert.message
        words = ["told", *(STATES[line.alert.state] for line in known.lines[1:])]
        history = [
            Named(word, self._time(line.origin.written_utc_s, "%H:%M:%S"))
            for word, line in zip(words, known.lines, strict=True)
        ]
        return AlertLine(
            f"{RULES[alert.rule]}{f', {seat_name(alert.seat)}' if alert.seat is not None else ''}",
            article(alert),
            LEVELS[alert.level],
            STATES[alert.state],
            self._moment(last.origin, alert.at),
            printed(message),
            printed(alert.message) if alert.message != message else "",
            history,
        )

    def _event_line(self, hand: HandSummary, standing: Standing) -> EventLine:
        event, origin = standing.event, standing.origin
        at_utc_s = origin.utc_s(event.at)
        began = hand.began_utc_s
        return EventLine(
            self._moment(origin, event.at),
            "" if at_utc_s is None or began is None else minutes(at_utc_s - began),
            printed(event_line(event)),
            bounds(event),
            "" if event.confidence is None else f"{event.confidence:.0%}",
            "taken back" if standing.struck else "corrected" if standing.changed else "",
            standing.struck,
        )

    def _moment(self, origin: Origin, at: float) -> str:
        return self._time(origin.utc_s(at), "%H:%M:%S.%f", cut=-4)

    def _time(self, utc_s: float | None, form: str, *, cut: int | None = None) -> str:
        moment = in_zone(utc_s, self.zone)
        return "–" if moment is None else moment.strftime(form)[:cut]


_UNSHOWN_WORDS: Final[dict[type, str]] = {
    CountChanged: "changes of a number of tiles",
    Tick: "ticks",
    WindowOpened: "openings of the window",
}


def _natural(table: str, hand: int) -> tuple[list[tuple[int, str]], int]:
    """T2 before T10."""
    parts = re.findall(r"\d+|\D+", table)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts], hand


def _alerts(hand: HandSummary) -> str:
    if not hand.alerts:
        return "–"
    return f"{hand.alerts}, {hand.standing_alerts} standing" if hand.standing_alerts else f"{hand.alerts}"
