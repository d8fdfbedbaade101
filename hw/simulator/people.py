"""How quickly and how roughly each of the four people moves. Draws durations and forces; knows no rules.

Medians come from the research notes (5-10 s a turn, 1-2 s of courtesy before racking, about 1 s for an expert's pick
and discard, presses of 2-3.6 kg, taps of 500 g); their spread is our choice.
"""

import math

from msgspec import Struct
from numpy.random import Generator

from firmware_bridge.messages import Place
from hw.simulator.options import Noise, Pace
from hw.simulator.physical import SEATS


class Manner(Struct, frozen=True):
    """One person's way: `slowness` and `heaviness` are factors, the others chances a turn or an idle spell."""

    slowness: float
    heaviness: float
    throws_through: float
    discards_first: float
    taps: float
    sorts: float
    leans: float
    racks_received_first: float
    piles_the_deal: float
    rests_on_ledge: float


class Tempo(Struct, frozen=True):
    """Medians in seconds of what a pace is made of."""

    reach_s: float
    look_s: float
    think_s: float
    gap_s: float
    pass_s: float
    boundary_s: float
    sort_s: float


TEMPOS = {
    Pace.SLOW: Tempo(reach_s=0.75, look_s=1.3, think_s=6.0, gap_s=1.8, pass_s=8.0, boundary_s=2.5, sort_s=3.5),
    Pace.NORMAL: Tempo(reach_s=0.55, look_s=0.8, think_s=2.6, gap_s=1.1, pass_s=4.5, boundary_s=1.2, sort_s=2.2),
    Pace.EXPERT: Tempo(reach_s=0.32, look_s=0.25, think_s=0.55, gap_s=0.45, pass_s=2.5, boundary_s=0.6, sort_s=1.2),
}
ROUGHNESS = {Noise.QUIET: 0.5, Noise.NORMAL: 1.0, Noise.HARSH: 1.6, Noise.BRUTAL: 2.5}
LONGEST_SORT_S = {Noise.QUIET: 2.5, Noise.NORMAL: 3.2, Noise.HARSH: 4.0, Noise.BRUTAL: 4.5}
"""Tiles lifted to be sorted are back within this: off turn a deviation counts as motion for 5 s only (contract: spec of
outputs), so a lawful hand has none that lasts as long."""
HEAVIEST_PRESS_G = 3600.0
"""Largest press just before lifting that was measured (research: load cells)."""


class People:
    """The four players' manners and dice."""

    def __init__(self, rng: Generator, pace: Pace, noise: Noise) -> None:
        self.rng = rng
        self.tempo = TEMPOS[pace]
        self.roughness = ROUGHNESS[noise]
        self.longest_sort_s = LONGEST_SORT_S[noise]
        self.manners = {seat: self._manner() for seat in SEATS}

    def _manner(self) -> Manner:
        rng, rough = self.rng, self.roughness
        return Manner(
            slowness=float(rng.uniform(0.75, 1.4)),
            heaviness=float(rng.lognormal(0.0, 0.35)) * rough,
            throws_through=float(rng.uniform(0.05, 0.35)),
            discards_first=float(rng.uniform(0.05, 0.3)),
            taps=float(rng.choice([0.05, 0.2, 0.6])),
            sorts=float(rng.uniform(0.1, 0.6)),
            leans=min(0.8, float(rng.uniform(0.0, 0.35)) * rough),
            racks_received_first=float(rng.choice([0.0, 0.1, 0.8])),
            piles_the_deal=float(rng.choice([0.0, 0.2, 0.9])),
            rests_on_ledge=0.02 * rough if rough > 1.0 else 0.0,
        )

    def chance(self, probability: float) -> bool:
        """Toss a coin that falls heads with this probability."""
        return bool(self.rng.random() < probability)

    def between(self, low: float, high: float) -> float:
        """Uniform."""
        return float(self.rng.uniform(low, high))

    def spell(self, seat: Place, median_s: float, spread: float = 0.4) -> float:
        """A duration of this person: log-normal about the median, never below 40 ms."""
        return max(0.04, float(self.rng.lognormal(math.log(median_s * self.manners[seat].slowness), spread)))

    def force(self, seat: Place, median_g: float, spread: float = 0.9) -> float:
        """A push of this person: log-normal about the median, at most the heaviest that was measured."""
        return min(
            HEAVIEST_PRESS_G, float(self.rng.lognormal(math.log(median_g * self.manners[seat].heaviness), spread))
        )
