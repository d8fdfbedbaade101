"""What was told beside what happened: one to one, by seat and nearness in time.

Owns the greedy matching that the handed cases are scored with. Refuses to know kinds and windows.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct


class Placed(Protocol):
    """Anything with a time and a seat."""

    @property
    def at(self) -> float:
        """When."""
        ...

    @property
    def seat(self) -> str | None:
        """Whose."""
        ...


_True = TypeVar("_True", bound=Placed)
_Told = TypeVar("_Told", bound=Placed)


class Span(Struct, frozen=True):
    """From `low_s` to `high_s`, both inside."""

    low_s: float
    high_s: float

    def holds(self, at_s: float) -> bool:
        """Is the moment inside?"""
        return self.low_s <= at_s <= self.high_s


class Pair(Struct, Generic[_True, _Told], frozen=True):
    """Something that happened, and what was told of it."""

    true: _True
    told: _Told


class Matching(Struct, Generic[_True, _Told], frozen=True):
    """`missed`: happened, never told. `extra`: told, never happened."""

    pairs: tuple[Pair[_True, _Told], ...]
    missed: tuple[_True, ...]
    extra: tuple[_Told, ...]


def match(true: Iterable[_True], told: Iterable[_Told], window: Callable[[_True], Span]) -> Matching[_True, _Told]:
    """Each thing that happened, in order of time, takes the nearest of what was told of its seat inside its window."""
    left: list[_Told] = sorted(told, key=_at)
    pairs: list[Pair[_True, _Told]] = []
    missed: list[_True] = []
    for one in sorted(true, key=_at):
        span = window(one)
        near = nearest(one, [t for t in left if t.seat == one.seat and span.holds(t.at)])
        if near is None:
            missed.append(one)
        else:
            left = [t for t in left if t is not near]
            pairs.append(Pair(one, near))
    return Matching(tuple(pairs), tuple(missed), tuple(left))


def nearest(one: Placed, among: Sequence[_Told]) -> _Told | None:
    """The nearest in time, the earlier where two are as near; None of none."""
    return min(among, key=lambda t: abs(t.at - one.at), default=None)


def _at(one: Placed) -> float:
    return one.at
