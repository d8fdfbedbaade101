"""Does a tile lie on a rack that its antennas hardly hear? Judged from who is heard there now and then, at no rest.

Owns which enrolled tiles that rest nowhere were heard at each rack in which seconds, and how likely one of them lies
there. Refuses to decide where a tile is (`hw.rfid_moves` does). Rounds -> **tiles hardly heard** -> `Unheard`.

A rack that shows twelve tags has twelve tiles, or thirteen one of which is hardly heard: a weak tag, or one that lies
badly. Such a tile is heard in some seconds, as a stray from the wall is in fewer; a wrong number of tiles is rare. The
two explanations are weighed against each other: a short rack accuses nobody while the tag is the likelier one.

Seconds are counted, not rounds: a tile that is held by the rack for a moment is heard in many rounds, and few seconds.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from math import exp, lgamma

from firmware_bridge.messages import Place
from hw.rfid_belief import TileBelief

LOOK_S = 1.0
"""It is asked again after so long: what is counted is seconds."""
WINDOW_S = 30
"""So far back it is asked who was heard. Our choice."""
AFTER_LEAVING_S = 1
"""A tile that left is in somebody's hand, within hearing, for as long after. Our choice."""
STRAY_WORTH_S = 20.0
"""How many seconds the mean of all strays is worth as a guess at one tile's share: those of the wall before the rack
are heard oftener than others. Our choice."""
STRAY_PRIOR, STRAY_PRIOR_S = 0.02, 100.0
"""Share of seconds in which a tile elsewhere is heard, before anything was, and the tile-seconds it weighs. Our
choice."""
SELDOM = 0.35
HARDLY_PRIOR, HARDLY_PRIOR_TAGS = 0.003, 100.0
HARDLY_OF_SELDOM = 0.25
"""Share of tiles that are hardly heard where they lie: assumed at first, with its weight; and as many more as a
quarter of those that are seen to be heard seldom. Our choice."""
READINGS = 10.0
"""A tag's rate is known after so many readings. Our choice."""
DEALT_SHARE = 13 / 152
"""Share of all tiles that lie on one rack."""
WRONG_NUMBER = 0.008
"""How often a rack really has a tile too few, by which what is likelier is judged. Our choice."""


class TilesUnheard:
    """Of each rack, whether a tile that is hardly heard is likelier there than a wrong number."""

    def __init__(self, tiles: Iterable[TileBelief]) -> None:
        self._tiles = {tile.uid: tile for tile in tiles}
        self._heard: dict[Place, dict[str, deque[int]]] = {}
        self._since_s: dict[Place, float] = {}
        self._likely: dict[Place, bool] = {}
        self._looked_s = float("-inf")

    def heard(self, place: Place, uids: Iterable[str], at_s: float) -> None:
        """A round of an antenna of the rack at `place` heard tiles that do not rest there."""
        self._since_s.setdefault(place, at_s)
        tiles, second = self._heard.setdefault(place, {}), int(at_s)
        for uid in uids:
            if self._tiles[uid].home is not None:
                continue
            seconds = tiles.get(uid)
            if seconds is None:
                tiles[uid] = deque([second], maxlen=WINDOW_S)
            elif seconds[-1] < second:
                seconds.append(second)

    def changes(self, now_s: float) -> Iterator[tuple[Place, bool]]:
        """The racks of which something else holds by now than was said of them (at first: that nothing is likely)."""
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        for place in self._heard:
            likely = self._expected(place, now_s) > WRONG_NUMBER
            if likely is not self._likely.get(place, False):
                self._likely[place] = likely
                yield place, likely

    def _expected(self, place: Place, now_s: float) -> float:
        """How many tiles that rest nowhere lie at `place` hardly heard, as an expectation."""
        from_s, heard = max(now_s - WINDOW_S, self._since_s[place]), self._heard[place]
        spans: Counter[tuple[int, int]] = Counter()
        for uid, tile in self._tiles.items():
            if tile.home is None:
                since_s = max(from_s, tile.left_s + AFTER_LEAVING_S)
                k = sum(since_s <= each < now_s for each in heard[uid]) if uid in heard else 0
                spans[k, max(0, int(now_s - since_s))] += 1
        stray = STRAY_PRIOR * STRAY_PRIOR_S + sum(k * tiles for (k, _), tiles in spans.items())
        stray /= STRAY_PRIOR_S + sum(seconds * tiles for (_, seconds), tiles in spans.items())
        odds = sum(_odds(k, seconds, stray) * tiles for (k, seconds), tiles in spans.items())
        return odds * DEALT_SHARE * self._hardly_heard()

    def _hardly_heard(self) -> float:
        """Share of this table's tiles that are hardly heard, as known by now."""
        known = [tile.tag_heard / tile.tag_readings for tile in self._tiles.values() if tile.tag_readings >= READINGS]
        hardly = HARDLY_PRIOR * HARDLY_PRIOR_TAGS + HARDLY_OF_SELDOM * sum(rate < SELDOM for rate in known)
        return hardly / (HARDLY_PRIOR_TAGS + len(known))


def _odds(k: int, seconds: int, stray: float) -> float:
    """How much likelier a tile that lies there hardly heard is heard in `k` of so many seconds than a stray is.

    The one is heard in any share of them, the other in a share about `stray` (beta-binomial).
    """
    k = min(k, seconds)
    a, b = stray * STRAY_WORTH_S, (1.0 - stray) * STRAY_WORTH_S
    lies = _log_beta(k + 1.0, seconds - k + 1.0)
    strays = _log_beta(k + a, seconds - k + b) - _log_beta(a, b)
    return exp(lies - strays)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
