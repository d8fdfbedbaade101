"""Draws the seconds around an alert: the four rows of the hand, and over them the alert's moment with its bounds.

Owns the alert's line and the axis; the rows are `monitor.pictures.rows`'s.
"""

from collections.abc import Sequence
from typing import Final

from monitor.alerts import Alert
from monitor.pictures.drawing import PALE, SOFT, Drawing, draw_seconds, width_of
from monitor.pictures.frame import Frame, frame_of
from monitor.pictures.marks import Mark, marks_of, word
from monitor.pictures.rows import BOTTOM, LEFT, RIGHT, WIDTH, draw_rows, draw_windows
from monitor.reports.when import Clock
from monitor.standing import Standing
from monitor.wording import RULES, seat_name

_FOOT: Final = 32.0


def timeline(alert: Alert, events: Sequence[Standing], clock: Clock) -> str:
    """The picture as SVG."""
    frame = frame_of(alert, LEFT, RIGHT)
    marks = marks_of(events, frame, alert)
    drawing = Drawing(WIDTH, BOTTOM + _FOOT, described(alert, marks, clock))
    draw_windows(drawing, events, frame)
    _moment(drawing, alert, frame, clock)
    draw_rows(drawing, events, marks, frame, alert.seat)
    _axis(drawing, alert, frame, clock)
    return drawing.svg()


def described(alert: Alert, marks: Sequence[Mark], clock: Clock) -> str:
    """What the picture shows, for those who cannot see it."""
    told = "; ".join(f"{clock.time(one.at)} {seat_name(one.seat)} {word(one)}" for one in marks)
    return f"Timeline of the four racks around {clock.time(alert.at)}: {told or 'nothing but numbers of tiles'}."


def _moment(drawing: Drawing, alert: Alert, frame: Frame, clock: Clock) -> None:
    """The alert's moment, and the bounds of it."""
    bottom = BOTTOM
    x = frame.x(alert.at)
    if alert.earliest is not None or alert.latest is not None:
        low = frame.x(alert.at if alert.earliest is None else alert.earliest)
        high = frame.x(alert.at if alert.latest is None else alert.latest)
        drawing.box(low, 15, high - low, bottom - 15, fill=PALE)
    drawing.line(x, 13, x, bottom + 3, width=2)
    label = f"{RULES[alert.rule]}, {clock.time(alert.at)}"
    half = width_of(label, 12) / 2
    drawing.words(min(max(x, half + 2), WIDTH - half - 2), 10, label, size=12, anchor="middle", bold=True)


def _axis(drawing: Drawing, alert: Alert, frame: Frame, clock: Clock) -> None:
    """Seconds before and after the alert's moment; the time of day at both ends."""
    y = BOTTOM
    drawing.line(frame.left, y, frame.right, y)
    draw_seconds(drawing, frame, alert.at, y)
    drawing.words(frame.left, y + 28, clock.time(frame.low_s), size=10, ink=SOFT)
    drawing.words(frame.right, y + 28, clock.time(frame.high_s), size=10, anchor="end", ink=SOFT)
