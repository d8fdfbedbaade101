"""Where one tile is: a hidden Markov model with few states, moved by every inventory that tells something.

Owns the probability of each place a tile may be at. Refuses to know which change is decisive and when it happened.
States: *at rest* at an antenna, *hovering* at an antenna (in a hand that taps, sorts or reaches over), and *away* from
all of them (in a hand, in the wall, out of play). Only antennas that heard the tile lately have states of their own,
so a belief is two or three numbers and an update takes about two microseconds.
"""

from hw.rfid_antenna import STRAY, AntennaWatch

LIFTED_PER_S = 0.03
"""How often a tile at rest is lifted. A tile is moved every half minute or so in play. Our choice."""
PLACED_PER_S = 0.5
"""How often a tile that is away comes to rest at one given antenna near which it has been. Our choice."""
HOVERED_PER_S = 0.25
"""How often a tile that is away hovers at such an antenna. Our choice."""
HOVER_S = 0.3
"""Mean time a hand holds a tile within hearing without letting go: taps and clicks. Our choice."""
HOVER_RESTS = 0.1
"""Share of hoverings that end in the tile being placed there. Our choice."""
HOVER_HEARD = 0.6
"""A hovering tile is heard this much as often as a resting one. Our choice."""
TAG_PRIOR_READINGS = 6.0
"""What the antenna's mean weighs beside a tag's own readings. Our choice."""
TAG_FORGET_READINGS = 600.0
"""A tag's own readings weigh at most this many. Our choice."""
SURE = 0.998
UNLIKELY = 0.02
"""Beliefs above and below which dating takes the tile to have been there, and not there. Our choice."""
RATE_FLOOR = 0.05
RATE_CEILING = 0.985
"""A tag is believed to be heard in no fewer and no more of its rounds than this: nothing is certain. Our choice."""


class Candidate:
    """One antenna at which a tile may be: probability of rest there, and of hovering there."""

    __slots__ = ("at", "hover", "rest", "unlikely_s")

    def __init__(self, at: AntennaWatch, rest: float, unlikely_s: float) -> None:
        self.at = at
        self.rest = rest
        self.hover = 0.0
        self.unlikely_s = unlikely_s
        """When the tile was last believed not to rest here."""


class TileBelief:
    """One enrolled tile. `home` is where it was last decided to be (`None`: away)."""

    __slots__ = (
        "away", "candidates", "heard", "home", "home_rounds", "is_open", "pending_heard", "pending_missed", "readings",
        "still", "sure_s", "uid", "updated_s",
    )  # fmt: skip

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.home: AntennaWatch | None = None
        self.is_open = False
        self.still = 0.0
        """Probability that it has rested at home all the while; `rest` there is that it came back."""
        self.away = 1.0
        self.candidates: list[Candidate] = []
        self.updated_s = float("-inf")
        self.sure_s = float("-inf")
        """When the tile was last believed beyond doubt to rest at its home."""
        self.home_rounds = 0
        self.readings = 0.0
        self.heard = 0.0
        self.pending_heard = 0
        self.pending_missed = 0

    def hearing_rate(self, at: AntennaWatch) -> float:
        """Share of complete rounds of `at` in which this tile is heard while it rests there."""
        heard = TAG_PRIOR_READINGS * at.heard_rate + self.heard + self.pending_heard
        rate = heard / (TAG_PRIOR_READINGS + self.readings + self.pending_heard + self.pending_missed)
        return min(RATE_CEILING, max(RATE_FLOOR, rate))

    def learn(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard this tile where it rested."""
        self.readings += readings
        self.heard += heard
        if self.readings > TAG_FORGET_READINGS:
            scale = TAG_FORGET_READINGS / self.readings
            self.readings *= scale
            self.heard *= scale

    def rest_at(self, antenna: AntennaWatch | None) -> float:
        """Probability that the tile rests at `antenna` (`None`: at none of them)."""
        if antenna is None:
            return 1.0 - self.still - sum(c.rest for c in self.candidates)
        still = self.still if antenna is self.home else 0.0
        for candidate in self.candidates:
            if candidate.at is antenna:
                return still + candidate.rest
        return still

    def observe(self, by: AntennaWatch, heard: bool, at_s: float) -> None:
        """Move the belief by one round of `by` at `at_s` that heard the tile or, being complete, did not."""
        elapsed = at_s - self.updated_s
        if elapsed > 0.0:
            self.updated_s = at_s
        else:
            elapsed = 0.0
        lift = LIFTED_PER_S * elapsed
        place = PLACED_PER_S * elapsed
        hover = HOVERED_PER_S * elapsed
        if place > 0.3:
            place = 0.3
            hover = 0.15
            lift = min(lift, 0.3)
        drop = elapsed / (HOVER_S + elapsed)
        away = self.away
        away_after = away
        hearing = self.hearing_rate(by)
        stray = STRAY
        sibling = by.sibling
        total = 0.0
        home = self.home
        if home is not None:
            still = self.still
            lifted = still * lift
            away_after += lifted
            likely = hearing if home is by else by.cross_rate if home is sibling else stray
            still = (still - lifted) * (likely if heard else 1.0 - likely)
            total = still
            self.still = still
        for candidate in self.candidates:
            rest = candidate.rest
            hovering = candidate.hover
            lifted = rest * lift
            dropped = hovering * drop
            placed = away * place
            hovered = away * hover
            away_after += lifted + dropped * (1.0 - HOVER_RESTS) - placed - hovered
            rest += placed + dropped * HOVER_RESTS - lifted
            hovering += hovered - dropped
            at = candidate.at
            if at is by:
                likely_rest = hearing
                likely_hover = hearing * HOVER_HEARD
            elif at is sibling:
                likely_rest = likely_hover = by.cross_rate
            else:
                likely_rest = likely_hover = stray
            if heard:
                rest *= likely_rest
                hovering *= likely_hover
            else:
                rest *= 1.0 - likely_rest
                hovering *= 1.0 - likely_hover
            candidate.rest = rest
            candidate.hover = hovering
            total += rest + hovering
        away_after *= stray if heard else 1.0 - stray
        total += away_after
        self.away = away_after / total
        if home is not None:
            self.still /= total
            if self.still > SURE:
                self.sure_s = at_s
        for candidate in self.candidates:
            candidate.rest /= total
            candidate.hover /= total
            if candidate.rest < UNLIKELY:
                candidate.unlikely_s = at_s
