"""A beam of readings: those that are one merged, the best kept, their scores counted from the best.

Owns how the searches of `turns` and `charleston` forget. Refuses to know what is read.
"""

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace


class Scored(Struct, frozen=True, kw_only=True):
    """One reading of what happened: the greater `score` (a logarithm), the likelier."""

    score: float = 0.0

    @property
    def facts(self) -> tuple[object, ...]:
        """What two readings must share to be one: everything but score and story."""
        raise NotImplementedError


_Reading = TypeVar("_Reading", bound=Scored)


def best_of(grown: list[_Reading], width: int, far_off: float) -> list[_Reading]:
    """At most `width` readings, none worse than the best by more than `far_off`. Sorts `grown`, which is not empty."""
    grown.sort(key=lambda e: -e.score)
    best = grown[0].score
    seen: set[tuple[object, ...]] = set()
    kept: list[_Reading] = []
    for e in grown:
        if e.score < best - far_off or len(kept) >= width:
            break
        facts = e.facts
        if facts not in seen:
            seen.add(facts)
            kept.append(replace(e, score=e.score - best))
    return kept
