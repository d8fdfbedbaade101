"""Draws the claim and the act that stands against it from close by: two moments, each with its bounds.

Owns the picture that shows whether one was first. On the timeline a tenth of a second is thinner than a mark.
"""

from typing import Final

from monitor.alerts import Fact
from monitor.pictures.drawing import SHADE, Drawing, draw_seconds
from monitor.pictures.frame import Frame
from monitor.reports.when import Clock
from monitor.rules.explain import happened

WIDTH: Final = 720.0
HEIGHT: Final = 80.0
_LEFT, _RIGHT = 190.0, WIDTH - 12
_ROWS = (20.0, 46.0)
_AXIS = 62.0


def closeup(claim: Fact, act: Fact, clock: Clock) -> str:
    """The picture as SVG; the stretch in which either may have been first is grey."""
    pair = sorted((claim, act), key=lambda fact: fact.at)
    low_s, high_s = min(fact.earliest for fact in pair), max(fact.latest for fact in pair)
    pad_s = max(0.02, 0.12 * (high_s - low_s))
    frame = Frame(low_s - pad_s, high_s + pad_s, _LEFT, _RIGHT)
    told = " ".join(f"{happened(fact)} {_bounds(fact, clock)}." for fact in pair)
    drawing = Drawing(WIDTH, HEIGHT, f"Closer look. {told} {order(claim, act)}")
    either_low, either_high = max(fact.earliest for fact in pair), min(fact.latest for fact in pair)
    if either_low <= either_high:
        left = frame.x(either_low)
        drawing.box(left, 4, max(frame.x(either_high) - left, 1.5), _AXIS - 4, fill=SHADE)
    for fact, y in zip(pair, _ROWS, strict=True):
        x, low, high = frame.x(fact.at), frame.x(fact.earliest), frame.x(fact.latest)
        drawing.words(2, y + 4, happened(fact), size=12, bold=True)
        drawing.line(low, y, high, y, width=1.6)
        for end in (low, high):
            drawing.line(end, y - 6, end, y + 6, width=1.6)
        drawing.path(f"M{x:.1f},{y:.1f} m-5,0 a5,5 0 1,0 10,0 a5,5 0 1,0 -10,0 z", fill="#000000")
    drawing.line(_LEFT, _AXIS, _RIGHT, _AXIS)
    draw_seconds(drawing, frame, claim.at, _AXIS)
    return drawing.svg()


def order(first: Fact, second: Fact) -> str:
    """Whether the bounds of two facts tell which was first."""
    earlier, later = sorted((first, second), key=lambda fact: fact.at)
    if earlier.latest < later.earliest:
        return f"{happened(earlier)} first: the bounds do not overlap."
    return f"{happened(first)}, {happened(second)}: which was first the bounds do not tell."


def _bounds(fact: Fact, clock: Clock) -> str:
    return f"between {clock.time(fact.earliest)} and {clock.time(fact.latest)}"
