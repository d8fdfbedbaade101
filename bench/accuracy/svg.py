"""Small plots as inline SVG: dots in rows, lines over levels, reliability. Colours come from the page's style sheet.

Owns drawing alone: numbers in, text out. Each plot is drawn for a column 320 px wide and grows with it; words are for
people who cannot see the colours too.
"""

import math
from collections.abc import Sequence
from html import escape

from msgspec import Struct

WIDTH = 320.0
_ROW = 24.0


class Axis(Struct, frozen=True):
    """Values from `low` to `high` onto pixels from `start` to `end`; `log`: by their logarithm."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a value lies; outside values lie on the edge."""
        inside = min(self.high, max(self.low, value))
        if self.log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


class Dot(Struct, frozen=True):
    """A mark at a value. `style` is a class of the style sheet; `tip` is said when one points at it."""

    value: float
    style: str
    tip: str
    shape: str = "dot"
    down: float = 0.0
    """Pixels below the middle of its row, so that dots of equal value are seen side by side."""


class Row(Struct, frozen=True):
    """One named row of dots."""

    name: str
    dots: tuple[Dot, ...]


class Line(Struct, frozen=True):
    """One tier over several levels; None where it has no figure."""

    name: str
    style: str
    values: tuple[float | None, ...]


class Point(Struct, frozen=True):
    """A bin of a reliability diagram: confidence, share that was right with the bounds of that share, how many."""

    confidence: float
    right: float
    low: float
    high: float
    n: int


def rows(title: str, of: Sequence[Row], axis: Sequence[float], *, log: bool = False, unit: str = "") -> str:
    """Rows of dots over one axis, whose ticks are `axis`."""
    names = 96.0
    height = _ROW * len(of)
    x = Axis(axis[0], axis[-1], names, WIDTH - 24, log)
    parts = [_tick_v(x(tick), height, f"{tick:g}{unit if tick == axis[-1] else ''}") for tick in axis]
    for k, row in enumerate(of):
        y = _ROW * (k + 0.5)
        parts.append(f'<line class="rule" x1="{names}" x2="{WIDTH - 24}" y1="{y}" y2="{y}"/>')
        parts.append(_text(names - 6, y + 4, row.name, "end"))
        parts += [_dot(x(dot.value), y + dot.down, dot) for dot in row.dots]
    return _svg(title, height + 20, parts)


def lines(title: str, of: Sequence[Line], levels: Sequence[str], high: float, digits: int = 2) -> str:
    """Lines over levels from 0 to `high`."""
    height = 150.0
    x = Axis(0, max(1, len(levels) - 1), 44, WIDTH - 40)
    y = Axis(0, high, height, 10)
    parts = [_tick_h(y(high * k / 4), f"{high * k / 4:.{digits}f}") for k in range(5)]
    parts += [_text(x(k), height + 16, level, "middle") for k, level in enumerate(levels)]
    for line in of:
        known = [(x(k), y(v), v) for k, v in enumerate(line.values) if v is not None]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py, _ in known)
        parts.append(f'<polyline class="line {line.style}" points="{path}"/>')
        parts += [_dot(px, py, Dot(v, line.style, f"{line.name} {v:.{digits + 1}f}")) for px, py, v in known]
    return _svg(title, height + 24, parts)


def reliability(title: str, points: Sequence[Point]) -> str:
    """Share that was right over confidence, with the line where both are equal."""
    height = 200.0
    x, y = Axis(0, 1, 44, WIDTH - 40), Axis(0, 1, height, 10)
    parts = [_tick_h(y(k / 4), f"{k / 4:.2f}") for k in range(5)]
    parts += [_text(x(k / 4), height + 16, f"{k / 4:.2f}", "middle") for k in range(5)]
    parts.append(f'<line class="aim" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>')
    for point in points:
        px, low, high = x(point.confidence), y(point.low), y(point.high)
        parts.append(f'<line class="bar" x1="{px:.1f}" x2="{px:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
        tip = f"said {point.confidence:.3f}, right {point.right:.3f} of {point.n}"
        radius = 2.0 + 1.2 * math.log10(max(1, point.n))
        parts.append(
            f'<circle class="ours" cx="{px:.1f}" cy="{y(point.right):.1f}" r="{radius:.1f}">'
            f"<title>{escape(tip)}</title></circle>"
        )
    return _svg(title, height + 24, parts)


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95 % bounds of a share of k in n."""
    if n == 0:
        return 0.0, 1.0
    share = k / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    inside = "".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height + 6:.0f}" role="img" aria-label="{escape(title)}">'
        f'<g transform="translate(0,2)">{inside}</g></svg>'
    )


def _dot(x: float, y: float, dot: Dot) -> str:
    tip = f"<title>{escape(dot.tip)}</title>"
    match dot.shape:
        case "tick":
            return f'<line class="{dot.style}" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 7:.1f}" y2="{y + 7:.1f}">{tip}</line>'
        case _:
            return f'<circle class="{dot.style}" cx="{x:.1f}" cy="{y:.1f}" r="4">{tip}</circle>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _tick_v(x: float, height: float, words: str) -> str:
    return f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height:.0f}"/>' + _text(
        x, height + 14, words, "middle"
    )


def _tick_h(y: float, words: str) -> str:
    return f'<line class="grid" x1="44" x2="{WIDTH - 40:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>' + _text(
        38, y + 4, words, "end"
    )
