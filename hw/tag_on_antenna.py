"""Which one tag lies on an antenna, from its inventories: told apart from strays, phantoms and a second tile.

Owns shares of rounds in which ids are heard. Refuses to know which tile a tag is. Inventories -> **tag on the antenna**
-> enrolment.

A tile that lies there is heard in most rounds; a neighbour's or a phantom in few. So the share of the latest rounds
decides, never a single read. An incomplete round is evidence for what it heard and none against the rest.
"""

from collections import Counter, deque
from enum import StrEnum
from math import log

from msgspec import Struct

from firmware_bridge.uids import reversed_bytes, well_formed

WINDOW_S = 6.0
WINDOW_ROUNDS = 48
MOST_ROUNDS = 600
"""Rounds older than this are forgotten, but for the latest few of a slow reader; our choice."""
SURE_ROUNDS = 8
SURE_HEARD = 6
SURE_S = 0.8
"""A tile must have lain there for so many rounds, in so many of them, and so long. Our choice: a hand that passes is
quicker, and a stray that is heard in a twentieth of rounds does so once in 100,000 times."""
SURE_SHARE = 0.6
"""Raw read rates of 60 to 70 % are normal (SMURF, VLDB 2006)."""
WEAK_ROUNDS = 40
WEAK_HEARD = 10
WEAK_S = 3.0
WEAK_SHARE = 0.25
"""A weak tag: in this share of rounds at least, so often, over so long, and no other id near it. Our choice."""
SECOND_SHARE = 0.4
"""Another id that is heard at least this share as often as the first lies there too."""
SEVERAL_SHARE = 0.3
"""Below it ids that are heard side by side are strays, and no tiles that lie there."""
STRAY_SHARE = 0.5
"""An id that another antenna hears at least this share as often lies there, or between."""
GONE_S = 0.7
GONE_ROUNDS = 4
GONE_MOST = 25
GONE_CHANCE = 1e-4
"""A tile is gone when it has been silent over so long and so many complete rounds in a row that a tile heard as often
as it was would be silent so with this chance. Our choice."""


class Heard(Struct, frozen=True, gc=False):
    """One inventory round. `here`: of the antenna that tiles are laid on, and not of another one of the table."""

    at_s: float
    uids: tuple[str, ...]
    complete: bool = True
    here: bool = True


class Lies(StrEnum):
    """What can be said of the antenna."""

    NOTHING = "nothing"
    UNSURE = "unsure"
    ONE = "one"
    WEAK = "weak"
    SEVERAL = "several"
    ELSEWHERE = "elsewhere"
    GARBLED = "garbled"


class Seen(Struct, frozen=True):
    """The verdict: `uid` is what is heard most; `share` of rounds, `rounds` of them; `others` that lie there too."""

    lies: Lies
    uid: str = ""
    share: float = 0.0
    rounds: int = 0
    others: tuple[str, ...] = ()


class TagOnAntenna:
    """The latest rounds. Feed it every round in order of time."""

    def __init__(self) -> None:
        self.ignored: frozenset[str] = frozenset()
        """Ids that are heard although nothing was laid there: residents, such as a tile left under the felt."""
        self._rounds: deque[Heard] = deque()
        self._elsewhere: deque[Heard] = deque()

    def feed(self, heard: Heard) -> None:
        """Take one round."""
        rows = self._rounds if heard.here else self._elsewhere
        rows.append(heard)
        for kept in (self._rounds, self._elsewhere):
            while len(kept) > WINDOW_ROUNDS and (heard.at_s - kept[0].at_s > WINDOW_S or len(kept) > MOST_ROUNDS):
                kept.popleft()

    def clear(self) -> None:
        """Forget all rounds: another tile comes."""
        self._rounds.clear()

    def gone(self, uid: str, share: float) -> bool:
        """Whether a tile that lay there, heard in this share of rounds, has been taken off."""
        silent = 0
        needed = _silences(share)
        last_s = self._rounds[-1].at_s if self._rounds else 0.0
        for heard in reversed(self._rounds):
            if uid in heard.uids:
                return False
            silent += heard.complete
            if silent >= needed and last_s - heard.at_s >= GONE_S:
                return True
        return False

    def seen(self) -> Seen:
        """What lies there now."""
        counts = Counter(uid for heard in self._rounds for uid in set(heard.uids) - self.ignored)
        left = {uid for uid, times in counts.items() if self._left(uid, times)}
        for uid in left:
            del counts[uid]
        if not counts:
            garbled = len(self._rounds) >= SURE_ROUNDS and not any(heard.complete for heard in self._rounds)
            return Seen(Lies.GARBLED if garbled else Lies.NOTHING)
        uid = max(counts, key=lambda one: (counts[one], one))
        times = counts[uid]
        rounds = self._since_first_heard(uid)
        asked = sum(heard.complete or uid in heard.uids for heard in rounds)
        share, lasted_s = times / asked, rounds[-1].at_s - rounds[0].at_s
        beside = Counter(one for heard in rounds for one in set(heard.uids) - self.ignored - left - {uid})
        others = tuple(sorted(one for one, n in beside.items() if n >= max(2, SECOND_SHARE * times)))
        seen = Seen(Lies.UNSURE, uid, share, asked, others)
        if asked < SURE_ROUNDS or lasted_s < SURE_S:
            return seen
        if any(not are_one_tag(uid, other) for other in others):
            return _as(Lies.SEVERAL, seen) if share >= SEVERAL_SHARE else seen
        if share >= SURE_SHARE and times >= SURE_HEARD:
            return _as(Lies.ELSEWHERE if self._elsewhere_too(uid, share) else Lies.ONE, seen)
        if asked >= WEAK_ROUNDS and lasted_s >= WEAK_S and share >= WEAK_SHARE and times >= WEAK_HEARD:
            return _as(Lies.ELSEWHERE if self._elsewhere_too(uid, share) else Lies.WEAK, seen)
        return seen

    def sure(self) -> frozenset[str]:
        """Every id that is heard as surely as one that lies there alone must be; none where it lies elsewhere."""
        counts = Counter(uid for heard in self._rounds for uid in set(heard.uids) - self.ignored)
        found = set()
        for uid, times in counts.items():
            lay = self._since_first_heard(uid)
            asked = sum(heard.complete or uid in heard.uids for heard in lay)
            long = asked >= SURE_ROUNDS and lay[-1].at_s - lay[0].at_s >= SURE_S
            share = times / asked
            if long and times >= SURE_HEARD and share >= SURE_SHARE and not self._elsewhere_too(uid, share):
                found.add(uid)
        return frozenset(found)

    def _left(self, uid: str, times: int) -> bool:
        """Whether a tile that was heard in some of the rounds is no longer there."""
        lay = self._since_first_heard(uid)
        while uid not in lay[-1].uids:
            lay.pop()
        asked = sum(heard.complete or uid in heard.uids for heard in lay)
        return times >= GONE_ROUNDS and self.gone(uid, times / asked)

    def _since_first_heard(self, uid: str) -> list[Heard]:
        """The rounds from the first on that heard it: before that it did not lie there."""
        rounds = list(self._rounds)
        first = next(k for k, heard in enumerate(rounds) if uid in heard.uids)
        return rounds[first:]

    def _elsewhere_too(self, uid: str, share: float) -> bool:
        asked = sum(heard.complete or uid in heard.uids for heard in self._elsewhere)
        times = sum(uid in heard.uids for heard in self._elsewhere)
        return times >= 2 and times / asked >= STRAY_SHARE * share


def are_one_tag(uid: str, other: str) -> bool:
    """Whether two ids are the same tag in either byte order."""
    return well_formed(uid) is not None and len(uid) == len(other) and reversed_bytes(uid) == other


def differ_by_a_digit(uid: str, other: str) -> bool:
    """Whether two ids of one length differ in exactly one digit."""
    return len(uid) == len(other) and sum(a != b for a, b in zip(uid, other, strict=True)) == 1


def _silences(share: float) -> float:
    """After how many silent rounds a tile is gone that was heard in this share of them."""
    needed = log(GONE_CHANCE) / log(min(max(1.0 - share, GONE_CHANCE), 0.99))
    return min(max(needed, GONE_ROUNDS), GONE_MOST)


def _as(lies: Lies, seen: Seen) -> Seen:
    return Seen(lies, seen.uid, seen.share, seen.rounds, seen.others)
