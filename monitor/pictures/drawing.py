"""Writes SVG: lines, boxes and words, black on white, as a tree of elements that cannot but be well formed.

Owns the elements and their looks; nothing of what they mean. Shapes and words tell things apart, not colours, so that a
picture says the same from a black and white printer. Lengths are the drawing's own units.
"""

from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from monitor.pictures.frame import Frame
from monitor.plain_text import plain

INK: Final = "#000000"
SOFT: Final = "#6b6b6b"
PALE: Final = "#c9c9c9"
SHADE: Final = "#ececec"
PAPER: Final = "#ffffff"
LETTER_WIDTH: Final = 0.53
"""Of the size of the letters, on average, in the fonts that these are set in; a little more than measured."""


def width_of(words: str, size: float) -> float:
    """About how wide words come out."""
    return len(words) * size * LETTER_WIDTH


class Drawing:
    """One picture of `width` by `height` units; `title` says in words what it shows."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._root = Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {_n(width)} {_n(height)}",
                "width": _n(width),
                "height": _n(height),
                "role": "img",
                "aria-label": plain(title, 1000),
                "font-family": "Libertinus Serif, serif",
            },
        )
        SubElement(self._root, "title").text = plain(title, 1000)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, width: float = 1, ink: str = INK, dash: str = ""
    ) -> None:
        """A straight line; `dash` as SVG writes it."""
        places = {"x1": _n(x1), "y1": _n(y1), "x2": _n(x2), "y2": _n(y2)}
        dashes = {"stroke-dasharray": dash} if dash else {}
        SubElement(self._root, "line", {**places, "stroke": ink, "stroke-width": _n(width), **dashes})

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = PAPER, ink: str = "none", dash: str = ""
    ) -> None:
        """A rectangle."""
        places = {"x": _n(x), "y": _n(y), "width": _n(max(width, 0)), "height": _n(max(height, 0))}
        dashes = {"stroke-dasharray": dash} if dash else {}
        SubElement(self._root, "rect", {**places, "fill": fill, "stroke": ink, **dashes})

    def path(self, outline: str, *, fill: str = "none", ink: str = INK, width: float = 1.3) -> None:
        """A shape, in the language of SVG paths."""
        SubElement(
            self._root,
            "path",
            {"d": outline, "fill": fill, "stroke": ink, "stroke-width": _n(width), "stroke-linejoin": "round"},
        )

    def words(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 11,
        anchor: str = "start",
        bold: bool = False,
        ink: str = INK,
        halo: bool = False,
    ) -> None:
        """A line of text on its base line; `halo`: its letters have a white edge, where lines may cross them."""
        looks = {"x": _n(x), "y": _n(y), "font-size": _n(size), "text-anchor": anchor, "fill": ink}
        weight = {"font-weight": "bold"} if bold else {}
        edge = {"stroke": PAPER, "stroke-width": "3", "paint-order": "stroke"} if halo else {}
        SubElement(self._root, "text", {**looks, **weight, **edge}).text = plain(words)

    def svg(self) -> str:
        """The picture as text."""
        return tostring(self._root, encoding="unicode")


def draw_seconds(drawing: Drawing, frame: Frame, zero_s: float, y: float) -> None:
    """Ticks of an axis at `y`, each with its seconds before or after `zero_s`."""
    for at in frame.ticks(zero_s):
        x = frame.x(at)
        drawing.line(x, y, x, y + 4)
        seconds = at - zero_s
        label = "0 s" if abs(seconds) < 1e-6 else f"{'+' if seconds > 0 else '−'}{abs(seconds):g} s"
        drawing.words(x, y + 15, label, size=10, anchor="middle")


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
