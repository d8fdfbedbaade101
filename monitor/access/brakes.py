"""Slows down whoever guesses passwords: by where the guesses come from, and by the name they are for.

Pure: what time it is, is told. An attempt counts from its beginning, so that many at once are no way round. What is
remembered is bounded. A wait for a name is short, for anybody can fail under a director's name.
"""

from collections import OrderedDict
from typing import Final

from msgspec import Struct

FORGET_S: Final = 3600.0
KEYS: Final = 4096


class Patience(Struct, frozen=True):
    """So many attempts are free; then the wait doubles from one second to `longest_s`."""

    free: int
    longest_s: float


PEER: Final = Patience(free=20, longest_s=900.0)
NAME: Final = Patience(free=5, longest_s=60.0)
"""Our choice: a person who mistypes is not held up, and 300 guesses an hour are the most that come through."""


class _Tally(Struct):
    attempts: int
    last_s: float
    free_at_s: float


class Brake:
    """Attempts by one kind of key."""

    def __init__(self, patience: Patience) -> None:
        """Nobody has tried yet."""
        self._patience = patience
        self._tallies: OrderedDict[str, _Tally] = OrderedDict()

    def wait_s(self, key: str, now_s: float) -> float:
        """Seconds until the next attempt may be made; 0: now."""
        tally = self._tallies.get(key)
        return max(0.0, tally.free_at_s - now_s) if tally is not None else 0.0

    def attempt(self, key: str, now_s: float) -> None:
        """One is being made."""
        tally = self._tallies.pop(key, None)
        if tally is None or now_s - tally.last_s > FORGET_S:
            tally = _Tally(0, now_s, now_s)
        tally.attempts += 1
        tally.last_s = now_s
        over = tally.attempts - self._patience.free
        tally.free_at_s = now_s + (min(2.0 ** min(over, 30), self._patience.longest_s) if over >= 0 else 0.0)
        self._tallies[key] = tally
        if len(self._tallies) > KEYS:
            self._tallies.popitem(last=False)

    def forgive(self, key: str) -> None:
        """That attempt was right: it counts no more."""
        tally = self._tallies.get(key)
        if tally is not None:
            tally.attempts -= 1
            tally.free_at_s = tally.last_s

    def clear(self, key: str) -> None:
        """Whoever it is has shown that it is so."""
        self._tallies.pop(key, None)
