"""Where one tile is: a hidden Markov model of few states, moved by every inventory that tells something.

Owns the probability of each place a tile may be at. Refuses to know which change is decisive and when it happened.

States: *still* at its anchor (the antenna where it was last found at rest) and audible; *hushed* there, that is
present and not heard for a while (`hw.rfid_silence`); *at rest* or *hovering* (in a hand that taps, sorts or reaches
over) at one of the candidates, the antennas that heard it lately; *away* from all of them. One tile has one belief over
all places, so it can be in one place only. A belief is three to seven numbers and an update takes a few microseconds.
"""

from hw.rfid_antenna import STRAY, AntennaWatch
from hw.rfid_silence import SilenceLaw

PLACED_PER_S = 0.5
"""How often a tile that is away comes to rest at one given antenna that has heard it. Our choice."""
HOVERED_PER_S = 0.2
"""How often a tile that is away hovers at such an antenna. Our choice."""
HOVER_S = 0.2
"""Mean time a hand holds a tile within hearing without letting go: taps and clicks. Our choice."""
HOVER_RESTS = 0.1
"""Share of hoverings that end in the tile being placed there. Our choice."""
HOVER_HEARD = 0.6
"""A hovering tile is heard this much as often as a resting one. Our choice."""
HUSHED_HEARD = 0.03
"""Share of rounds in which a hushed tile is heard after all. Our choice."""
TAG_FORGET_READINGS = 600.0
"""A tag's own readings weigh at most this many. Our choice."""
RATE_FLOOR = 0.05
RATE_CEILING = 0.985
"""A tag is believed to be heard in no fewer and no more of its rounds than this: nothing is certain. Our choice."""
SURE = 0.998
UNLIKELY = 0.02
"""Beliefs above and below which dating takes the tile to have been there, and not there. Our choice."""
LONGEST_STEP = 0.3
"""No transition moves more than this share in one update, however long the pause before it. Our choice."""


class Candidate:
    """One antenna at which a tile may be: probability of rest there since it left its anchor, and of hovering there."""

    __slots__ = ("at", "hover", "rest", "unlikely_s")

    def __init__(self, at: AntennaWatch, unlikely_s: float) -> None:
        self.at = at
        self.rest = 0.0
        self.hover = 0.0
        self.unlikely_s = unlikely_s
        """When the tile was last believed not to rest here."""


class TileBelief:
    """One enrolled tile. `home` is where it is said to be, `anchor` where it was last found at rest (`None`: nowhere)."""

    __slots__ = (
        "anchor",
        "away",
        "candidates",
        "heard_s",
        "home",
        "hushed",
        "is_open",
        "left_s",
        "misses_in_row",
        "pending_heard",
        "pending_missed",
        "rested_from_rounds",
        "rested_from_s",
        "silent_since_s",
        "still",
        "sure_s",
        "tag_heard",
        "tag_readings",
        "uid",
        "updated_s",
    )

    def __init__(self, uid: str) -> None:
        self.uid = uid
        self.home: AntennaWatch | None = None
        self.anchor: AntennaWatch | None = None
        self.is_open = False
        """Whether the tile is in question; a closed one is where it is said to be, and its probabilities are stale."""
        self.still = 0.0
        self.hushed = 0.0
        self.away = 1.0
        self.candidates: list[Candidate] = []
        self.updated_s = float("-inf")
        self.heard_s = float("-inf")
        """When any antenna last heard it while it was in question."""
        self.silent_since_s = float("-inf")
        """When its anchor last heard it."""
        self.left_s = float("-inf")
        """It had not left its last rest before this."""
        self.misses_in_row = 0
        """Complete rounds of its anchor since then."""
        self.sure_s = float("-inf")
        """When it was last believed beyond doubt to rest at its anchor."""
        self.rested_from_rounds = 0
        self.rested_from_s = 0.0
        self.tag_readings = 0.0
        self.tag_heard = 0.0
        self.pending_heard = 0
        self.pending_missed = 0

    def hearing_rate(self, at: AntennaWatch) -> float:
        """Share of complete rounds of `at` in which this tile is heard while it rests there."""
        heard = at.tag_prior_readings * at.heard_rate + self.tag_heard + self.pending_heard
        rate = heard / (at.tag_prior_readings + self.tag_readings + self.pending_heard + self.pending_missed)
        return min(RATE_CEILING, max(RATE_FLOOR, rate))

    def learn(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard this tile where it rested."""
        self.tag_readings += readings
        self.tag_heard += heard
        if self.tag_readings > TAG_FORGET_READINGS:
            scale = TAG_FORGET_READINGS / self.tag_readings
            self.tag_readings *= scale
            self.tag_heard *= scale

    def rest_at(self, antenna: AntennaWatch) -> float:
        """Probability that the tile rests at `antenna`. Only for a tile in question."""
        rest = self.still + self.hushed if antenna is self.anchor else 0.0
        for candidate in self.candidates:
            if candidate.at is antenna:
                rest += candidate.rest
        return rest

    def observe(self, by: AntennaWatch, heard: bool, at_s: float, law: SilenceLaw) -> None:
        """Move the belief by one round of `by` at `at_s` that heard the tile or, being complete, did not."""
        elapsed = at_s - self.updated_s
        if elapsed > 0.0:
            self.updated_s = at_s
        else:
            elapsed = 0.0
        lift = law.lift_per_s * elapsed
        place = PLACED_PER_S * elapsed
        hover = HOVERED_PER_S * elapsed
        if place > LONGEST_STEP:
            place = LONGEST_STEP
            hover = LONGEST_STEP / 2
            lift = min(LONGEST_STEP, lift)
        drop = elapsed / (HOVER_S + elapsed)
        hearing = self.hearing_rate(by)
        sibling = by.sibling
        away_before = away = self.away
        total = 0.0
        anchor = self.anchor
        if anchor is not None:
            still, hushed = self.still, self.hushed
            ending = law.end_per_s(at_s - self.silent_since_s) * elapsed
            ended = hushed * (ending if ending < 0.9 else 0.9)
            hushing = still * law.silence_per_s * elapsed
            lifted = still * lift
            away += lifted
            likely = hearing if anchor is by else by.cross_rate if anchor is sibling else STRAY
            still = (still - lifted - hushing + ended) * (likely if heard else 1.0 - likely)
            hushed = (hushed + hushing - ended) * (HUSHED_HEARD if heard else 1.0 - HUSHED_HEARD)
            total = still + hushed
            self.still, self.hushed = still, hushed
        for candidate in self.candidates:
            rest, hovering = candidate.rest, candidate.hover
            lifted = rest * lift
            dropped = hovering * drop
            placed = away_before * place
            hovered = away_before * hover
            away += lifted + dropped * (1.0 - HOVER_RESTS) - placed - hovered
            rest += placed + dropped * HOVER_RESTS - lifted
            hovering += hovered - dropped
            at = candidate.at
            if at is by:
                likely_rest, likely_hover = hearing, hearing * HOVER_HEARD
            elif at is sibling:
                likely_rest = likely_hover = by.cross_rate
            else:
                likely_rest = likely_hover = STRAY
            if heard:
                rest *= likely_rest
                hovering *= likely_hover
            else:
                rest *= 1.0 - likely_rest
                hovering *= 1.0 - likely_hover
            candidate.rest, candidate.hover = rest, hovering
            total += rest + hovering
        away *= STRAY if heard else 1.0 - STRAY
        total += away
        self.away = away / total
        self.still /= total
        self.hushed /= total
        if self.still > SURE:
            self.sure_s = at_s
        for candidate in self.candidates:
            candidate.rest /= total
            candidate.hover /= total
            if candidate.rest < UNLIKELY:
                candidate.unlikely_s = at_s
