"""Draws an evening: hands as bars, a row a table, with alerts as marks on them; and how many alerts each rule had.

Owns both pictures. Which mark an alert gets is its level; whether it still stands is whether the mark is filled.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from monitor.alerts import AlertState, Level, Rule
from monitor.pictures.drawing import INK, PALE, PAPER, SHADE, SOFT, Drawing, width_of
from monitor.pictures.frame import Frame
from monitor.plain_text import plain
from monitor.reports.session import AlertSummary, Session, began_utc_s
from monitor.reports.when import hours_minutes
from monitor.wording import RULES

WIDTH: Final = 720.0
TABLES_A_PICTURE: Final = 24
"""Our choice: a picture that fits a sheet."""
_ROW: Final = 26.0
_LEFT, _RIGHT = 70.0, WIDTH - 10
_STEPS_S: Final = (60.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 21600.0)
_SHAPES: Final = {
    Level.RULING_DUE: "m-5,-4.5 h10 l-5,9 z",
    Level.ADVICE: "m-5,4.5 h10 l-5,-9 z",
    Level.NOTICE: "m0,-4.5 l4.5,4.5 l-4.5,4.5 l-4.5,-4.5 z",
    Level.TECHNICAL: "m-3,-3 h6 v6 h-6 z",
}


def evening_plots(session: Session) -> Iterator[str]:
    """The evening, some tables a picture, all on one scale; nothing where no hand was played."""
    if not session.hands:
        return
    low_s = min(began_utc_s(hand) for hand in session.hands)
    high_s = max(began_utc_s(hand) + hand.length_s for hand in session.hands)
    frame = Frame(low_s - 1, max(high_s, low_s + 60) + 1, _LEFT, _RIGHT)
    for tables in _in_parts(session.tables):
        yield _evening(session, tables, frame)


def _in_parts(tables: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(tables), TABLES_A_PICTURE):
        yield tables[start : start + TABLES_A_PICTURE]


def _evening(session: Session, tables: Sequence[str], frame: Frame) -> str:
    bottom = 6 + _ROW * len(tables)
    drawing = Drawing(WIDTH, bottom + 22, evening_alt(session, tables))
    for at in ticks(frame):
        x = frame.x(at)
        drawing.line(x, 4, x, bottom + 4, width=0.5, ink=PALE)
        drawing.words(x, bottom + 16, hours_minutes(at), size=10, anchor="middle")
    drawing.line(frame.left, bottom, frame.right, bottom)
    for number, table in enumerate(tables):
        y = 6 + _ROW * number
        drawing.words(2, y + 17, plain(table, 10), size=12, bold=True)
        for hand in session.hands:
            if hand.table == table:
                left, right = frame.x(began_utc_s(hand)), frame.x(began_utc_s(hand) + hand.length_s)
                drawing.box(
                    left, y + 10, max(right - left, 2), 12, fill=SHADE, ink=SOFT, dash="" if hand.how else "3 2"
                )
                if right - left > width_of(f"{hand.hand}", 9) + 3:
                    drawing.words((left + right) / 2, y + 19.5, f"{hand.hand}", size=9, anchor="middle")
        for alert in session.alerts:
            if alert.table == table:
                fill = INK if alert.state is AlertState.RAISED else PAPER
                drawing.path(f"M{frame.x(alert.at_utc_s):.1f},{y + 5:.1f} {_SHAPES[alert.level]}", fill=fill, width=1)
    return drawing.svg()


def evening_alt(session: Session, tables: Sequence[str]) -> str:
    """What the picture shows, for those who cannot see it."""
    told = [
        f"{table}: {sum(hand.table == table for hand in session.hands)} hands, "
        f"{sum(alert.table == table for alert in session.alerts)} alerts"
        for table in tables
    ]
    return f"Hands over the evening, with alerts as marks. {'; '.join(told)}."


def ticks(frame: Frame) -> list[float]:
    """Round times of day: full hours, or parts of them."""
    step_s = next((step for step in _STEPS_S if (frame.high_s - frame.low_s) / step <= 11), _STEPS_S[-1])
    first = int(frame.low_s // step_s) + 1
    return [step_s * number for number in range(first, int(frame.high_s // step_s) + 1)]


def rule_plot(alerts: Sequence[AlertSummary]) -> str:
    """How many alerts each rule had: black stand, grey ended, white proved wrong; nothing where there are none."""
    rules = [rule for rule in Rule if any(alert.rule is rule for alert in alerts)]
    if not rules:
        return ""
    most = max(sum(alert.rule is rule for alert in alerts) for rule in rules)
    drawing = Drawing(WIDTH, 18.0 * len(rules) + 6, rule_alt(alerts))
    unit = min((WIDTH - 260) / most, 24.0)
    for number, rule in enumerate(rules):
        y = 4 + 18.0 * number
        drawing.words(176, y + 11, RULES[rule], size=11, anchor="end")
        x = 184.0
        for state, fill in ((AlertState.RAISED, INK), (AlertState.RESOLVED, PALE), (AlertState.WITHDRAWN, PAPER)):
            count = sum(alert.rule is rule and alert.state is state for alert in alerts)
            if count:
                drawing.box(x, y + 1, unit * count, 12, fill=fill, ink=INK)
                x += unit * count
        drawing.words(x + 6, y + 11, f"{sum(alert.rule is rule for alert in alerts)}", size=11, bold=True)
    return drawing.svg()


def rule_alt(alerts: Sequence[AlertSummary]) -> str:
    """What the picture shows, for those who cannot see it."""
    told = []
    for rule in Rule:
        states = [alert.state for alert in alerts if alert.rule is rule]
        if states:
            told.append(f"{RULES[rule]} {len(states)}, of which {states.count(AlertState.RAISED)} stand")
    return f"Alerts by rule. {'; '.join(told)}."
