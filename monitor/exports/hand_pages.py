"""What a printed log of hands says: each hand with its times, pace, alerts and what happened, in plain strings.

Owns the choice and the words; `paper` lays them out. Events stand as they are known in the end, in order of time; what
was taken back is kept and marked. Numbers of tiles and the opening of each window are counted and left out: a hand has
hundreds of the former, and the latter is the discard. No tile's identity is ever among the words. Bounded: too many
hands or lines are refused as soon as they are met.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

from msgspec import Struct

from monitor.alerts import AlertState, Rule
from monitor.docket import Made, told
from monitor.errors import TooMuchForPaperError
from monitor.events import CountChanged, Tick, WindowOpened
from monitor.exports.act_words import act_line, own_words
from monitor.exports.entries import ActEntry, AlertEntry, Entry, EventEntry, Origin
from monitor.exports.moments import in_zone, zone_name
from monitor.exports.page_words import article, bounds, length, minutes, printed, seconds
from monitor.log.notes import Acted
from monitor.standing import Standing
from monitor.tally import Amendment, HandSummary, HandTally, Tallies
from monitor.wording import ENDINGS, LEVELS, RULES, STATES, event_line, put_right, seat_name

MAX_HANDS: Final = 60
MAX_LINES: Final = 6000
"""Events and alerts of a document; our choices: two evenings of a table, and some 300 MB while Typst sets them."""
_LONGEST_NAME: Final = 16
"""Characters of a table's name in the list of hands; our choice."""
_LONGEST_AMENDMENT: Final = 600
"""Characters; our choice: more than the longest name and reason that a note may have."""
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


class ActLine(Struct, frozen=True):
    """What a person did, and in which words. `about`: the alert, empty where it was about none; `undone`: struck."""

    time: str
    text: str
    words: str
    about: str
    undone: bool


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
    put_right: list[Named]
    alerts: list[AlertLine]
    acts: list[ActLine]
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
    note: str


class _Alert(Struct):
    origin: Origin
    lines: list[AlertEntry]


class HandPages:
    """Takes entries and gives pages."""

    def __init__(
        self,
        log: str,
        zone: tzinfo | None,
        amendments: Mapping[tuple[str, int], Sequence[Amendment]],
        *,
        max_hands: int = MAX_HANDS,
        max_lines: int = MAX_LINES,
    ) -> None:
        """`log`: its name, for errors. `zone`: that of the times. `amendments` by table and hand."""
        self._log = log
        self.zone = zone
        self._max_hands = max_hands
        self._max_lines = max_lines
        self._lines = 0
        self._amendments = amendments
        self._tallies = Tallies(amendments, open_hands=max_hands)
        self._alerts: dict[tuple[str, str], _Alert] = {}
        self._acts: dict[tuple[str, int], list[ActEntry]] = {}
        self._unshown: dict[tuple[str, int], Counter[str]] = {}

    def take(self, entry: Entry) -> None:
        """One record further. Raises `TooMuchForPaperError`."""
        if isinstance(entry, ActEntry):
            self._take_act(entry)
        if not isinstance(entry, AlertEntry | EventEntry):
            return
        key = (entry.origin.table, entry.origin.hand)
        if key not in self._unshown:
            if len(self._unshown) == self._max_hands:
                raise TooMuchForPaperError(self._log, self._max_hands, "hands")
            self._unshown[key] = Counter()
        if isinstance(entry, AlertEntry):
            self._take_alert(entry)
        else:
            self._take_event(entry)

    def _take_alert(self, entry: AlertEntry) -> None:
        origin, alert = entry.origin, entry.alert
        self._tallies.alert(origin.table, origin.hand, alert)
        if alert.rule is Rule.WINDOW_CLOSED:
            return
        self._count_line()
        known = self._alerts.setdefault((origin.table, alert.id), _Alert(origin, []))
        known.lines.append(entry)

    def _take_act(self, entry: ActEntry) -> None:
        """Under the hand that its alert is about; of one that is not exported, and of a round for all, nothing."""
        act, origin = entry.act, entry.origin
        if origin.table:
            self._count_line()
            hand = act.hand if isinstance(act, Acted) else origin.hand
            self._acts.setdefault((origin.table, hand), []).append(entry)

    def _take_event(self, entry: EventEntry) -> None:
        origin, event = entry.origin, entry.event
        followed = self._tallies.event(origin.table, origin.hand, event, origin.dating)
        unshown = self._unshown[origin.table, origin.hand]
        if isinstance(event, _UNSHOWN):
            unshown[_UNSHOWN_WORDS[type(event)]] += 1
            return
        self._count_line()
        if not followed:
            unshown["corrections of what is not shown"] += 1

    def _count_line(self) -> None:
        self._lines += 1
        if self._lines > self._max_lines:
            raise TooMuchForPaperError(self._log, self._max_lines, "events and alerts")

    def summaries(self) -> list[HandSummary]:
        """The hands that were played, by table and number."""
        return [summary for tally in self.hands() if (summary := tally.summary()) is not None]

    def hands(self) -> list[HandTally]:
        """All that was told, by table and number."""
        return sorted(self._tallies.closed(), key=lambda tally: _natural(tally.table, tally.hand))

    def zone_words(self, otherwise: datetime) -> str:
        """The zone of the times, both where a summer began or ended between the first hand and the last."""
        times = [one.began_utc_s for one in self.summaries() if one.began_utc_s is not None] or [otherwise.timestamp()]
        moments = (in_zone(min(times), self.zone), in_zone(max(times), self.zone))
        return " and ".join(dict.fromkeys(zone_name(moment) for moment in moments if moment is not None))

    def overview(self) -> list[OverviewLine]:
        """The list of hands."""
        return [self._overview(summary) for summary in self.summaries()]

    def pages(self) -> list[HandPage]:
        """A page a hand, and one for what was told before the first; none for one of which nothing is told."""
        alerts: dict[tuple[str, int], list[_Alert]] = {}
        for alert in self._alerts.values():
            alerts.setdefault((alert.origin.table, alert.origin.hand), []).append(alert)
        pages = []
        for tally in self.hands():
            events = [one for one in tally.standing.all if not isinstance(one.event, _UNSHOWN)]
            of_hand = alerts.get((tally.table, tally.hand), [])
            if events or of_hand or (tally.table, tally.hand) in self._acts:
                pages.append(self._page(tally, events, of_hand))
        return pages

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
            self._as_told(hand),
        )

    def _page(self, tally: HandTally, events: list[Standing], alerts: list[_Alert]) -> HandPage:
        hand = tally.summary()
        began_utc_s = None if hand is None else hand.began_utc_s
        counts = self._unshown[tally.table, tally.hand]
        unshown = ", ".join(f"{what} ({count})" for what, count in sorted(counts.items()))
        which = f"hand {tally.hand}" if tally.hand or hand is not None else "before the first hand"
        return HandPage(
            f"Table {printed(tally.table)}, {which}",
            self._time(began_utc_s, "%A %-d %B %Y") if hand is not None else "",
            [] if hand is None else self._facts(hand),
            self._put_right(tally, hand),
            [self._alert_line(alert) for alert in alerts],
            list(self._act_lines(tally.table, tally.hand)),
            [self._event_line(began_utc_s, standing) for standing in events],
            unshown,
        )

    def _facts(self, hand: HandSummary) -> list[Named]:
        pace = f"{hand.discards} {'discard' if hand.discards == 1 else 'discards'}"
        return [
            Named("Began", self._time(hand.began_utc_s, "%H:%M:%S")),
            Named("Ended", self._time(hand.ended_utc_s, "%H:%M:%S")),
            Named("Length", length(hand.length_s)),
            Named("Pace", pace if hand.pace_s is None else f"{pace}, one every {seconds(hand.pace_s)}"),
            Named("East", f"{seat_name(hand.east)} chair" if hand.east is not None else "not known"),
            Named("Ended by", ENDINGS[hand.how] if hand.how is not None else "not known"),
        ]

    def _put_right(self, tally: HandTally, hand: HandSummary | None) -> list[Named]:
        """Who put what right and why, then what the figures were before."""
        lines = [
            Named(
                self._time(one.written_utc_s, "%Y-%m-%d %H:%M"),
                printed(f"{one.author}: {put_right(one.event)} ({one.reason}).", _LONGEST_AMENDMENT),
            )
            for one in self._amendments.get((tally.table, tally.hand), ())
        ]
        if hand is not None and hand.told is not None:
            lines.append(Named("As told", "; ".join(f"{fact.label}: {fact.value}" for fact in self._facts(hand.told))))
        return lines

    def _as_told(self, hand: HandSummary) -> str:
        """What people put right, in the list of hands."""
        if not hand.amendments:
            return ""
        told = hand.told
        before = "" if told is None else f"; as told: {told.discards} discards, {length(told.length_s)}"
        return f"put right by {printed(', '.join(dict.fromkeys(one.author for one in hand.amendments)))}{before}"

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

    def _act_lines(self, table: str, hand: int) -> Iterator[ActLine]:
        entries = self._acts.get((table, hand), [])
        acted = [
            Made(entry.origin.seq, "", 0.0, "", entry.act.did) for entry in entries if isinstance(entry.act, Acted)
        ]
        undone = {line.made.record for line in told(acted) if not line.stands}
        for entry in entries:
            act = entry.act
            about = f"{RULES[act.rule]}, {act.alert}" if isinstance(act, Acted) else ""
            yield ActLine(
                self._time(entry.origin.at_utc_s, "%H:%M:%S"),
                printed(f"{act.author} {act_line(act)}"),
                printed(own_words(act)),
                printed(about),
                entry.origin.seq in undone,
            )

    def _event_line(self, began_utc_s: float | None, standing: Standing) -> EventLine:
        event = standing.event
        at_utc_s = None if standing.ahead_s is None else event.at + standing.ahead_s
        return EventLine(
            self._time(at_utc_s, "%H:%M:%S.%f", cut=-4),
            "" if at_utc_s is None or began_utc_s is None else minutes(at_utc_s - began_utc_s),
            printed(event_line(event)),
            bounds(event),
            "" if event.confidence is None else f"{event.confidence:.0%}",
            printed(_note(standing)),
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


def _note(standing: Standing) -> str:
    """What became of an event, and by whom."""
    what = "taken back" if standing.struck else "corrected" if standing.changed else ""
    if not standing.by:
        return what
    told = event_line(standing.told)
    if not standing.struck and told != event_line(standing.event):
        what = f"told as: {told}"
    what = what or ("added" if standing.told == standing.event else "corrected")
    return f"{what} (put right by {standing.by})"


def _natural(table: str, hand: int) -> tuple[list[tuple[int, str]], int]:
    """T2 before T10."""
    parts = re.findall(r"\d+|\D+", table)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts], hand


def _alerts(hand: HandSummary) -> str:
    if not hand.alerts:
        return "–"
    return f"{hand.alerts}, {hand.standing_alerts} standing" if hand.standing_alerts else f"{hand.alerts}"
