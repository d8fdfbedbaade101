"""Puts an evening into words and pictures: hands, windows, alerts and what became of them, and the sensors' health.

Owns what stands in the report and in which order. Pure.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from msgspec import Struct

from monitor.alerts import AlertState, Authority, Level, Rule
from monitor.events import SEATS, Seat
from monitor.plain_text import plain
from monitor.reports.hand_summary import HandSummary
from monitor.reports.incident_page import Named
from monitor.reports.session import AlertSummary, Session
from monitor.reports.session_plots import evening_plots, rule_alt, rule_plot
from monitor.reports.when import hours_minutes, local, minutes, zone_name
from monitor.wording import ENDINGS, LEVELS, RULES, STATES, seat_name

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
    windows: tuple[WindowRow, ...]
    tables: tuple[TableSection, ...]
    health: tuple[HealthRow, ...]
    dropped: str
    source: str


def session_page(session: Session, log_name: str) -> SessionPage:
    """The page."""
    of_play = [alert for alert in session.alerts if alert.rule is not Rule.SENSOR_FAULT]
    day = f"{session.evening:%A %-d %B %Y}"
    dropped = sum(hand.dropped for hand in session.hands)
    return SessionPage(
        title=day,
        heads=tuple(_heads(session)),
        sentence=_sentence(session, of_play),
        evening=tuple(Picture(svg, EVENING_ALT) for svg in evening_plots(session)),
        rules=Picture(rule_plot(session.alerts), rule_alt(session.alerts)),
        alerts=tuple(_alert(alert) for alert in of_play),
        windows=tuple(_windows(session)),
        tables=tuple(_tables(session, of_play)),
        health=tuple(_health(session)),
        dropped=f"{dropped} events of hands too long to be held are not counted here." if dropped else "",
        source=plain(f"{log_name}, run {', '.join(map(str, session.runs))}", 200),
    )


def _heads(session: Session) -> Iterator[Named]:
    yield Named("Tables", plain(", ".join(session.tables), 300))
    yield Named("Hands", f"{len(session.hands)}")
    if session.hands:
        low = min(hand.began_utc_s for hand in session.hands)
        high = max(hand.began_utc_s + hand.length_s for hand in session.hands)
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


def _tables(session: Session, alerts: Sequence[AlertSummary]) -> Iterator[TableSection]:
    of_table: dict[str, list[AlertSummary]] = {}
    for alert in alerts:
        of_table.setdefault(alert.table, []).append(alert)
    for table in session.tables:
        about = of_table.get(table, [])
        rows = [_hand(hand, about) for hand in session.hands if hand.table == table]
        if rows:
            yield TableSection(plain(table, 60), tuple(rows))


def _hand(hand: HandSummary, of_table: Sequence[AlertSummary]) -> HandRow:
    paced = hand.play_s >= LEAST_PLAY_S
    about = [alert for alert in of_table if alert.hand == hand.hand]
    return HandRow(
        hand=f"{hand.hand}" if hand.hand else "0 (under way)",
        began=hours_minutes(hand.began_utc_s),
        length=minutes(hand.length_s),
        how=NOT_TOLD if hand.how is None else ENDINGS[hand.how],
        picks=f"{hand.picks * 60 / hand.play_s:.1f}" if paced else "–",
        discards=f"{hand.discards * 60 / hand.play_s:.1f}" if paced else "–",
        window=_s(median(hand.windows_s)) if hand.windows_s else "–",
        longest=_s(max(hand.windows_s)) if hand.windows_s else "–",
        alerts=", ".join(RULES[alert.rule] for alert in about) or "none",
    )


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
