"""Is `confidence` honest? How often what was told with some confidence was so, by kind of event.

Owns the bins of the reliability diagram. They are finest near 1, where an operator's trust is decided; an event without
a confidence is certain and has a bin of its own.
"""

from bisect import bisect_right

from msgspec import Struct

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
"""Lower edges of the bins but the first, which begins at 0; after them a bin for what is told without a confidence."""
BINS = len(EDGES) + 2


class Bin(Struct, frozen=True, array_like=True):
    """Events of about the same confidence: how many, how many of them were right, and their confidences' sum."""

    n: int = 0
    right: int = 0
    summed: float = 0.0

    def with_one(self, confidence: float, *, right: bool) -> "Bin":
        """The bin with one event more."""
        return Bin(self.n + 1, self.right + right, self.summed + confidence)

    def joined(self, other: "Bin") -> "Bin":
        """Both together."""
        return Bin(self.n + other.n, self.right + other.right, self.summed + other.summed)


Diagram = tuple[Bin, ...]
EMPTY: Diagram = (Bin(),) * BINS


def told(diagram: Diagram, confidence: float | None, *, right: bool) -> Diagram:
    """The diagram with one event more; None is certain."""
    k = BINS - 1 if confidence is None else bisect_right(EDGES, confidence)
    one = diagram[k].with_one(1.0 if confidence is None else confidence, right=right)
    return (*diagram[:k], one, *diagram[k + 1 :])


def joined(a: Diagram, b: Diagram) -> Diagram:
    """Both together."""
    return tuple(x.joined(y) for x, y in zip(a, b, strict=True))


def error(diagram: Diagram) -> float | None:
    """Expected calibration error: mean distance of confidence and share that was right; None without events."""
    n = sum(one.n for one in diagram)
    return sum(abs(one.summed - one.right) for one in diagram) / n if n else None
