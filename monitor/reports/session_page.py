"""Puts an evening into words and pictures: hands, windows, alerts and what became of them, and the sensors' health.

Owns what stands in the report and in which order. Pure.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from msgspec import Struct

from monitor.alerts import AlertState, Authority, Level, Rule
from monitor.events import SEATS, Seat
from monitor.plain_text import plain
from monitor.reports.act_sentences import act_sentence
from monitor.reports.incident_page import Named
from monitor.reports.session import AlertSummary, RulingSummary, Session, began_utc_s
from monitor.reports.session_plots import evening_plots, rule_alt, rule_plot
from monitor.reports.when import hours_minutes, local, minutes, zone_name
from monitor.tally import HandSummary
from monitor.wording import ENDINGS, LEVELS, RULES, STATES, put_right, seat_name

EVENING_ALT: Final = "Hands over the evening, with alerts as marks; the tables below tell the same."
NOT_TOLD: Final = "not told"
LEAST_PLAY_S: Final = 30.0
"""Our choice: of a hand that was played for less there is no pace."""


class HandRow(Struct, frozen=True):
    """One hand in words."""

    hand: str
    began: str
    length: str
    how: str
    picks: str
    discards: str
    window: str
    longest: str
    alerts: str


class AmendedRow(Struct, frozen=True):
    """What a person put right about a hand, when, and what was told of the hand before."""

    when: str
    where: str
    who: str
    what: str
    told: str


class TableSection(Struct, frozen=True):
    """One table's hands."""

    table: str
    hands: tuple[HandRow, ...]


class AlertRow(Struct, frozen=True):
    """One alert in words."""

    when: str
    where: str
    rule: str
    seen: str
    became: str
    id: str


class RulingRow(Struct, frozen=True):
    """One ruling in words; `undone`: it does not count any more."""

    when: str
    where: str
    rule: str
    ruled: str
    id: str
    undone: bool


class WindowRow(Struct, frozen=True):
    """How long a table's windows stood open."""

    table: str
    windows: str
    median: str
    longest: str


class HealthRow(Struct, frozen=True):
    """What one rack's sensors left unknown."""

    table: str
    seat: str
    stretches: str
    total: str
    longest: str
    faults: str
    standing: str


class Picture(Struct, frozen=True):
    """A drawing, and what it shows in words."""

    svg: str
    alt: str


class SessionPage(Struct, frozen=True):
    """All words and pictures of a session report, ready to be set."""

    title: str
    heads: tuple[Named, ...]
    sentence: str
    evening: tuple[Picture, ...]
    rules: Picture
    alerts: tuple[AlertRow, ...]
    rulings: tuple[RulingRow, ...]
    windows: tuple[WindowRow, ...]
    tables: tuple[TableSection, ...]
    amended: tuple[AmendedRow, ...]
    health: tuple[HealthRow, ...]
    dropped: str
    source: str


def session_page(session: Session, log_name: str) -> SessionPage:
    """The page."""
    of_play = [alert for alert in session.alerts if alert.rule is not Rule.SENSOR_FAULT]
    day = f"{session.evening:%A %-d %B %Y}"
    dropped = sum(hand.forgotten for hand in session.hands)
    return SessionPage(
        title=day,
        heads=tuple(_heads(session)),
        sentence=_sentence(session, of_play),
        evening=tuple(Picture(svg, EVENING_ALT) for svg in evening_plots(session)),
        rules=Picture(rule_plot(session.alerts), rule_alt(session.alerts)),
        alerts=tuple(_alert(alert) for alert in of_play),
        rulings=tuple(_ruling(one) for one in session.rulings),
        windows=tuple(_windows(session)),
        tables=tuple(_tables(session)),
        amended=tuple(_amended(session)),
        health=tuple(_health(session)),
        dropped=f"{dropped} events of hands too long to be held are not counted here." if dropped else "",
        source=plain(f"{log_name}, run {', '.join(map(str, session.runs))}", 200),
    )


def _heads(session: Session) -> Iterator[Named]:
    yield Named("Tables", plain(", ".join(session.tables), 300))
    yield Named("Hands", f"{len(session.hands)}")
    if session.hands:
        low = min(began_utc_s(hand) for hand in session.hands)
        high = max(began_utc_s(hand) + hand.length_s for hand in session.hands)
        yield Named("Played", f"{hours_minutes(low)} to {hours_minutes(high)} {zone_name(low)}")
        lengths = [hand.length_s for hand in session.hands if hand.how is not None]
        if lengths:
            yield Named("A hand", f"{minutes(median(lengths))} minutes (median), {minutes(max(lengths))} the longest")


def _sentence(session: Session, of_play: Sequence[AlertSummary]) -> str:
    due = [alert for alert in of_play if alert.level is Level.RULING_DUE]
    open_ = sum(alert.state is AlertState.RAISED for alert in due)
    faults = sum(alert.rule is Rule.SENSOR_FAULT for alert in session.alerts)
    rulings = f"{_count(len(due), 'alert')} asked for a ruling" + (f", {open_} of them still at the end" if due else "")
    return (
        f"{_count(len(session.tables), 'table')}, {_count(len(session.hands), 'hand')}. {rulings}. "
        f"{_count(faults, 'sensor fault')}."
    )


def _count(number: int, what: str) -> str:
    return f"{number or 'No'} {what}{'' if number == 1 else 's'}"


def _alert(alert: AlertSummary) -> AlertRow:
    stands = STATES[alert.state]
    own = " This event's own rule." if alert.authority is Authority.EVENT else ""
    return AlertRow(
        when=f"{local(alert.at_utc_s):%H:%M:%S}",
        where=plain(f"{alert.table}, hand {alert.hand}", 60),
        rule=f"{RULES[alert.rule]} ({LEVELS[alert.level]})",
        seen=plain(alert.seen + own, 240),
        became=plain(f"{stands}: {alert.ended}" if alert.ended and alert.ended != alert.seen else stands, 240),
        id=plain(alert.id, 80),
    )


def _ruling(ruling: RulingSummary) -> RulingRow:
    return RulingRow(
        when=f"{local(ruling.line.made.utc_s):%H:%M:%S}",
        where=plain(f"{ruling.table}, hand {ruling.hand}", 60),
        rule=RULES[ruling.rule],
        ruled=plain(act_sentence(ruling.line), 240),
        id=plain(ruling.alert, 80),
        undone=not ruling.line.stands,
    )


def _tables(session: Session) -> Iterator[TableSection]:
    of_table: dict[str, list[AlertSummary]] = {}
    for alert in session.alerts:
        of_table.setdefault(alert.table, []).append(alert)
    for table in session.tables:
        about = of_table.get(table, [])
        rows = [_hand(hand, about) for hand in session.hands if hand.table == table]
        if rows:
            yield TableSection(plain(table, 60), tuple(rows))


def _hand(hand: HandSummary, of_table: Sequence[AlertSummary]) -> HandRow:
    paced_s = hand.play_s if hand.play_s is not None and hand.play_s >= LEAST_PLAY_S else None
    about = [alert for alert in of_table if alert.hand == hand.hand]
    return HandRow(
        hand=(f"{hand.hand}" if hand.hand else "0 (under way)") + (" (put right)" if hand.amendments else ""),
        began=hours_minutes(began_utc_s(hand)),
        length=minutes(hand.length_s),
        how=NOT_TOLD if hand.how is None else ENDINGS[hand.how],
        picks=f"{hand.picks * 60 / paced_s:.1f}" if paced_s else "–",
        discards=f"{60 / hand.pace_s:.1f}" if paced_s and hand.pace_s else "–",
        window=_s(median(hand.windows_s)) if hand.windows_s else "–",
        longest=_s(max(hand.windows_s)) if hand.windows_s else "–",
        alerts=_counted([alert.rule for alert in about]) or "none",
    )


def _amended(session: Session) -> Iterator[AmendedRow]:
    for hand in session.hands:
        for one in hand.amendments:
            yield AmendedRow(
                when=f"{local(one.written_utc_s):%-d %B %H:%M}",
                where=plain(f"{hand.table}, hand {hand.hand}", 60),
                who=plain(one.author, 80),
                what=plain(f"{put_right(one.event)} ({one.reason})", 500),
                told="" if hand.told is None else _figures(hand.told),
            )


def _figures(hand: HandSummary) -> str:
    """A hand as the monitor told it, beside what it came to be."""
    how = NOT_TOLD if hand.how is None else ENDINGS[hand.how]
    return f"{minutes(hand.length_s)}, {_count(hand.discards, 'discard').lower()}, end: {how}"


def _windows(session: Session) -> Iterator[WindowRow]:
    every: list[float] = []
    for table in session.tables:
        of = [length for hand in session.hands if hand.table == table for length in hand.windows_s]
        every += of
        if of:
            yield _window_row(plain(table, 60), of)
    if every and len(session.tables) > 1:
        yield _window_row("All", every)


def _window_row(name: str, lengths: Sequence[float]) -> WindowRow:
    return WindowRow(name, f"{len(lengths)}", _s(median(lengths)), _s(max(lengths)))


def _s(length_s: float) -> str:
    return f"{length_s:.1f} s"


def _health(session: Session) -> Iterator[HealthRow]:
    """Racks that could not be counted for a while, or had a fault told; whole nodes and tables under *The table*."""
    seats: tuple[Seat | None, ...] = (*SEATS, None)
    for table in session.tables:
        hands = [hand for hand in session.hands if hand.table == table]
        for seat in seats:
            of = [one for hand in hands for one in hand.uncounted if one.seat is seat]
            faults = [
                alert
                for alert in session.alerts
                if alert.table == table and alert.rule is Rule.SENSOR_FAULT and alert.seat is seat
            ]
            if of or faults:
                yield HealthRow(
                    table=plain(table, 60),
                    seat=seat_name(seat),
                    stretches=f"{sum(one.stretches for one in of)}",
                    total=minutes(sum(one.total_s for one in of)),
                    longest=minutes(max((one.longest_s for one in of), default=0.0)),
                    faults=f"{len(faults)}",
                    standing=_standing(faults),
                )


def _standing(faults: Sequence[AlertSummary]) -> str:
    """What is still wrong at the evening's end."""
    stands = [alert for alert in faults if alert.state is AlertState.RAISED]
    if not stands:
        return "nothing"
    more = f" (and {len(stands) - 1} more)" if len(stands) > 1 else ""
    return plain(stands[-1].seen, 120) + more


def _counted(rules: Sequence[Rule]) -> str:
    """What was raised, each rule once with how often; a sick sensor may have been told of a hundred times."""
    return ", ".join(f"{RULES[rule]}{f' ({times})' if times > 1 else ''}" for rule, times in Counter(rules).items())
