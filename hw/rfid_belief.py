"""Where one tile is: a hidden Markov model of few states, moved by every inventory that tells something.

Owns the probability of each place a tile may be at. Refuses to know which change is decisive and when it happened.

States: *still* at its anchor (the antenna where it was last found at rest) and audible; *hushed* there, that is
present and not heard for a while (`hw.rfid_silence`); at each of the candidates, the antennas that heard it lately, at
*rest*, at rest and *dull* (it lies so that it is heard less) or *faint* (a weak tag, heard now and then), *touching* (a
tap, a click, a hand reaching over) or *near* (held before the rack); and *away* from all of them. One tile has one
belief over all places, so it can be in one place only.
"""

from hw.rfid_antenna import STRAY, AntennaWatch
from hw.rfid_silence import SilenceLaw

PLACED_PER_S = 0.05
"""How often a tile that is away comes to rest at one given antenna that has heard it. Our choice."""
FAINT_SHARE = 0.02
FAINT_HEARD = 0.25
"""Share of tags that are weak, and of rounds in which these are heard. Our choice."""
FAINT_READINGS = 12.0
"""What a weak tag's rate weighs at first beside its readings. Our choice."""
DULL_SHARE = 0.04
DULL_HEARD = 0.7
"""Share of rests in which a tile is heard less than usual, for how it lies, and how much less. Our choice."""
TOUCHED_PER_S = 0.02
TOUCH_S = 0.15
TOUCH_HEARD = 0.95
"""How often a tile that is away touches the rack without being let go, mean time, and how much as often as a resting
one it is heard meanwhile: taps and clicks. Our choice."""
NEARED_PER_S = 0.05
NEAR_S = 0.5
NEAR_RESTS = 0.5
LEAVES_NEAR = 0.8
"""The same for a tile held within hearing, the share of these that is placed there next, and how many of those lifted
are held so first. Our choice. How well it is heard meanwhile is learned (`hw.rfid_held`)."""
BESIDE_SHARE = 0.2
"""How well the rack's other antenna hears a tile held near, beside the antenna it is held at. Our choice."""
HUSHED_HEARD = 0.03
"""Share of rounds in which a hushed tile is heard after all. Our choice."""
MARGINAL_BELOW = 0.35
"""A tag heard in fewer rounds than this is marginal. Our choice."""
TAG_FORGET_READINGS = 600.0
"""A tag's own readings weigh at most this many. Our choice."""
TAG_PRIOR_MOST = 15.0
"""However much tags are alike, the mean weighs no more than this: one may be weak. Our choice."""
RATE_FLOOR = 0.12
RATE_CEILING = 0.96
"""A tag is believed to be heard in no fewer and no more of its rounds than this: nothing is certain. Our choice."""
SURE = 0.99
UNLIKELY = 0.02
"""Beliefs above and below which dating takes the tile to have been there, and not there. Our choice."""
LONGEST_STEP_S = 0.6
"""Transitions are worked out for pauses up to this long; a longer one moves no more. Our choice."""


class Candidate:
    """One antenna at which a tile may be, with the probability of each state there since it left its anchor."""

    __slots__ = ("at", "dull", "faint", "heard_s", "near", "rest", "touch", "unlikely_s")

    def __init__(self, at: AntennaWatch, unlikely_s: float) -> None:
        self.at = at
        self.rest = 0.0
        self.dull = 0.0
        self.faint = 0.0
        self.touch = 0.0
        self.near = 0.0
        self.unlikely_s = unlikely_s
        """When the tile was last believed not to rest here."""
        self.heard_s = unlikely_s

    @property
    def here(self) -> float:
        """Probability that the tile came to rest here since it left its anchor."""
        return self.rest + self.dull + self.faint


class TileBelief:
    """One enrolled tile. `home`: where it is said to be; `anchor`: where it last rested for sure (`None`: nowhere)."""

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
        """Share of complete rounds of `at` in which this tile is heard while it rests there, as known by now."""
        prior = min(TAG_PRIOR_MOST, at.tag_prior_readings)
        heard = prior * at.heard_rate + self.tag_heard + self.pending_heard
        rate = heard / (prior + self.tag_readings + self.pending_heard + self.pending_missed)
        return min(RATE_CEILING, max(RATE_FLOOR, rate))

    def is_marginal(self, at: AntennaWatch) -> bool:
        """Whether the tag was seldom heard even before it came into question."""
        prior = min(TAG_PRIOR_MOST, at.tag_prior_readings)
        return prior * at.heard_rate + self.tag_heard < MARGINAL_BELOW * (prior + self.tag_readings)

    def learn(self, readings: int, heard: int) -> None:
        """`heard` of `readings` rounds heard this tile where it rested."""
        self.tag_readings += readings
        self.tag_heard += heard
        if self.tag_readings > TAG_FORGET_READINGS:
            scale = TAG_FORGET_READINGS / self.tag_readings
            self.tag_readings *= scale
            self.tag_heard *= scale

    def be_faint(self) -> None:
        """Believe the tag to be a weak one, until its readings say something else."""
        self.tag_readings, self.tag_heard = FAINT_READINGS, FAINT_READINGS * FAINT_HEARD

    def rest_at(self, antenna: AntennaWatch) -> float:
        """Probability that the tile rests at `antenna`. Only for a tile in question."""
        rest = self.still + self.hushed if antenna is self.anchor else 0.0
        for candidate in self.candidates:
            if candidate.at is antenna:
                rest += candidate.here
        return rest

    def observe(
        self, by: AntennaWatch, heard: bool, at_s: float, law: SilenceLaw, held: float, quality: float = 1.0
    ) -> None:
        """Move the belief by one round of `by` at `at_s` that heard the tile or, being complete, did not.

        `held`: how much as often as a resting tile one is heard that a hand holds near. `quality`: how much of its
        usual hearing the antenna had in that round, 0 to 1.
        """
        elapsed = at_s - self.updated_s
        if elapsed > 0.0:
            self.updated_s = at_s
            if elapsed > LONGEST_STEP_S:
                elapsed = LONGEST_STEP_S
        else:
            elapsed = 0.0
        lift = law.lift_per_s * elapsed
        place = PLACED_PER_S * elapsed
        touched = TOUCHED_PER_S * elapsed
        neared = NEARED_PER_S * elapsed
        release = elapsed / (TOUCH_S + elapsed)
        parted = elapsed / (NEAR_S + elapsed)
        hearing = self.hearing_rate(by) * quality
        cross = by.cross_rate
        sibling = by.sibling
        faint_share = FAINT_SHARE * FAINT_READINGS / (FAINT_READINGS + self.tag_readings)
        before = away = self.away
        total = from_anchor = 0.0
        near_hearing = max(STRAY, hearing * held)
        near_beside = max(STRAY, near_hearing * BESIDE_SHARE)
        anchor = self.anchor
        if anchor is not None:
            still, hushed = self.still, self.hushed
            ending = law.end_per_s(at_s - self.silent_since_s) * elapsed
            ended = hushed * (min(0.9, ending))
            hushing = still * law.silence_per_s * elapsed
            lifted = still * lift
            from_anchor = LEAVES_NEAR * lifted
            away += lifted - from_anchor
            if anchor is by:
                likely, likely_hushed = hearing, HUSHED_HEARD
            else:
                likely, likely_hushed = (cross if anchor is sibling else STRAY), STRAY
            still = (still - lifted - hushing + ended) * (likely if heard else 1.0 - likely)
            hushed = (hushed + hushing - ended) * (likely_hushed if heard else 1.0 - likely_hushed)
            total = still + hushed
            self.still, self.hushed = still, hushed
        for candidate in self.candidates:
            rest, faint, touch, near = candidate.rest, candidate.faint, candidate.touch, candidate.near
            dull = candidate.dull
            lifted, dimmed, faded = rest * lift, dull * lift, faint * lift
            let_go, put = touch * release, near * parted
            at = candidate.at
            left = lifted + dimmed + faded
            near_by = LEAVES_NEAR * left + (from_anchor if at is anchor else 0.0)
            away += (1.0 - LEAVES_NEAR) * left + put * (1.0 - NEAR_RESTS) - before * (place + touched + neared)
            placed = before * place + put * NEAR_RESTS
            rest += placed * (1.0 - faint_share - DULL_SHARE) - lifted
            dull += placed * DULL_SHARE - dimmed
            faint += placed * faint_share - faded
            touch += before * touched - let_go
            near += before * neared - put + near_by + let_go
            if at is by:
                if heard:
                    candidate.heard_s = at_s
                    rest *= hearing
                    dull *= hearing * DULL_HEARD
                    faint *= FAINT_HEARD
                    touch *= hearing * TOUCH_HEARD
                    near *= near_hearing
                else:
                    rest *= 1.0 - hearing
                    dull *= 1.0 - hearing * DULL_HEARD
                    faint *= 1.0 - FAINT_HEARD
                    touch *= 1.0 - hearing * TOUCH_HEARD
                    near *= 1.0 - near_hearing
            else:
                likely, likely_near = (cross, near_beside) if at is sibling else (STRAY, STRAY)
                if not heard:
                    likely, likely_near = 1.0 - likely, 1.0 - likely_near
                rest *= likely
                dull *= likely
                faint *= likely
                touch *= likely_near
                near *= likely_near
            candidate.rest, candidate.faint, candidate.touch, candidate.near = rest, faint, touch, near
            candidate.dull = dull
            total += rest + dull + faint + touch + near
        away *= STRAY if heard else 1.0 - STRAY
        total += away
        self.away = away / total
        self.still /= total
        self.hushed /= total
        if self.still > SURE:
            self.sure_s = at_s
        for candidate in self.candidates:
            candidate.rest /= total
            candidate.dull /= total
            candidate.faint /= total
            candidate.touch /= total
            candidate.near /= total
            if candidate.here < UNLIKELY:
                candidate.unlikely_s = at_s
