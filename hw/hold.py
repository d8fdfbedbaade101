"""A few seconds in which a load cell should lie still: what it reads, how surely, or why it cannot be trusted.

Owns the judgement of raw counts whose scale may not be known yet: codes that are no weight, stuck converters, spikes,
hands, drift. Refuses to know tiles beyond one number, what a tile is worth. Samples -> **hold** -> guided calibration.

A window of `HOLD_S` slides over the samples until it lies still. All figures are robust: the noise is 1.4826 times the
median deviation, spikes are left out, and the error of the level is taken from the scatter of the window's tenths,
which also sees noise that is not white.
"""

from collections import deque
from enum import StrEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hw.weight_codes import CODE_LIMIT, INVALID_CODES, SATURATED_CODES

Floats = NDArray[np.float64]

HOLD_S = 5.0
"""How long a cell must lie still; our choice: fifty samples of the slowest converter."""
LEAST_SAMPLES = 30
GAP_S = 1.5
"""A longer silence begins the window anew."""
LOOK_S = 0.2
"""How often the window is looked at."""
STUCK_SAMPLES = 25
"""So many equal codes in a row come from a stuck converter (24 bits never repeat so; research: faults, row 18)."""
INVALID_SHARE = 0.2
"""A converter of whose codes more are no weights is sick; up to 5 % is what loose timing does (faults, row 1)."""
SPIKE_SIGMAS = 6.0
SPIKE_SHARE = 0.05
SPIKE_RUN = 3
"""So many samples far out in a row, or more than that share of them, are no spikes but a touch. Our choice."""
SMOOTH_RATIO = 3.0
"""A reading that wanders so much more than from sample to sample is being moved. Our choice: a node that averages
eight samples is within it."""
NOISE_MOST_TILES = 0.07
"""About 0.8 g: more than twice the noise of any sound converter (research: 0.02 to 0.3 g). Our choice."""
NOISE_MOST_COUNTS = 4000.0
"""The same where a tile's worth is not known: 0.8 g of the steepest cell (5000 counts a gram)."""
HAND_TILES = 2.0
HAND_SIGMAS = 60.0
HAND_COUNTS = 20_000.0
"""An excursion beyond this is a hand, below it the table shakes; the latter two where a tile's worth is not known."""
DRIFT_SIGMAS = 5.0
DRIFT_SURE = 4.0
DRIFT_TILES_PER_MIN = 0.25
"""About 3 g a minute: six times the creep that a sound cell shows (research: load cells). Our choice."""
NOISE_FLOOR_COUNTS = 0.5
"""A code is a whole number."""
BATCHES = 10

_MAD_TO_SD = 1.4826


class Trouble(StrEnum):
    """Why a cell is not (yet) still."""

    SILENT = "silent"
    OUT_OF_RANGE = "out of range"
    SATURATED = "saturated"
    STUCK = "stuck"
    NOT_STILL = "not still"
    HAND = "hand"
    DRIFT = "drift"


class CellSample(Struct, frozen=True, gc=False):
    """One conversion, dated on one clock."""

    at_s: float
    raw: int


class Hold(Struct, frozen=True):
    """A still window. `level_se_counts`: standard error of the mean level; `noise_counts`: sd of one sample."""

    at_s: float
    level_counts: float
    level_se_counts: float
    noise_counts: float
    slope_counts_per_s: float
    samples: int
    samples_per_s: float


class HoldWindow:
    """Collects one hold. Feed it samples; `hold` is there once it lay still, `trouble` says what is in the way."""

    def __init__(self, tile_counts: float | None = None) -> None:
        """`tile_counts`: what a tile is worth, as far as it is known."""
        self.hold: Hold | None = None
        self.trouble: Trouble | None = None
        self._tile_counts = None if tile_counts is None else abs(tile_counts)
        self._good: deque[CellSample] = deque()
        self._bad_s: deque[float] = deque()
        self._saturated_s: deque[float] = deque()
        self._repeats = 0
        self._last_raw: int | None = None
        self._last_s: float | None = None
        self._began_s: float | None = None
        self._looked_s = float("-inf")

    @property
    def share(self) -> float:
        """How much of the time that it must lie still has passed, 0 to 1."""
        if self.hold is not None:
            return 1.0
        if not self._good:
            return 0.0
        return min(0.99, (self._good[-1].at_s - self._good[0].at_s) / HOLD_S)

    def feed(self, sample: CellSample) -> None:
        """Take one sample, in the order of time. After the hold, samples change nothing."""
        if self.hold is not None:
            return
        at_s, raw = sample.at_s, sample.raw
        if self._last_s is not None and at_s <= self._last_s:
            return
        if self._last_s is not None and at_s - self._last_s > GAP_S:
            self._begin_anew()
        self._last_s = at_s
        self._repeats = self._repeats + 1 if raw == self._last_raw else 0
        self._last_raw = raw
        if raw in SATURATED_CODES:
            self._saturated_s.append(at_s)
        elif raw in INVALID_CODES or not -CODE_LIMIT <= raw < CODE_LIMIT:
            self._bad_s.append(at_s)
        else:
            self._good.append(sample)
        for dated in (self._bad_s, self._saturated_s):
            while dated and at_s - dated[0] > HOLD_S:
                dated.popleft()
        while len(self._good) > 1 and self._good[1].at_s <= at_s - HOLD_S:
            self._good.popleft()
        if at_s - self._looked_s >= LOOK_S:
            self._looked_s = at_s
            self._look()

    def advance(self, now_s: float) -> None:
        """Let time pass: a cell that says nothing shows only so."""
        if self.hold is not None:
            return
        since_s = self._last_s if self._last_s is not None else self._began_s
        if since_s is None:
            self._began_s = now_s
        elif now_s - since_s > GAP_S:
            self._begin_anew()
            self.trouble = Trouble.SILENT

    def _begin_anew(self) -> None:
        self._good.clear()
        self._bad_s.clear()
        self._saturated_s.clear()

    def _look(self) -> None:
        sick = self._sickness()
        if sick is not None:
            self.trouble = sick
            return
        if len(self._good) < LEAST_SAMPLES or self._good[-1].at_s - self._good[0].at_s < HOLD_S * 0.98:
            if self.trouble in {Trouble.SILENT, Trouble.OUT_OF_RANGE, Trouble.SATURATED, Trouble.STUCK}:
                self.trouble = None
            return
        at_s = np.array([sample.at_s for sample in self._good])
        counts = np.array([float(sample.raw) for sample in self._good])
        found = judged(at_s, counts, self._tile_counts)
        if isinstance(found, Hold):
            self.hold, self.trouble = found, None
        else:
            self.trouble = found

    def _sickness(self) -> Trouble | None:
        """What is wrong with the converter itself."""
        every = len(self._good) + len(self._bad_s) + len(self._saturated_s)
        if self._repeats >= STUCK_SAMPLES:
            if self._last_raw in SATURATED_CODES:
                return Trouble.SATURATED
            return Trouble.STUCK if self._last_raw not in INVALID_CODES else Trouble.OUT_OF_RANGE
        if every < LEAST_SAMPLES // 3:
            return None
        if len(self._saturated_s) > INVALID_SHARE * every:
            return Trouble.SATURATED
        return Trouble.OUT_OF_RANGE if len(self._bad_s) > INVALID_SHARE * every else None


def judged(at_s: Floats, counts: Floats, tile_counts: float | None) -> Hold | Trouble:
    """Whether a window of samples lies still: its figures, or what is in the way."""
    middle_s = 0.5 * float(at_s[0] + at_s[-1])
    slope = _slope(at_s, counts)
    flat = counts - slope * (at_s - middle_s)
    level = float(np.median(flat))
    off = flat - level
    noise = max(NOISE_FLOOR_COUNTS, _MAD_TO_SD * float(np.median(np.abs(off))))
    quick = max(NOISE_FLOOR_COUNTS, _MAD_TO_SD * float(np.median(np.abs(np.diff(counts)))) / 2.0**0.5)
    far = np.abs(off) > SPIKE_SIGMAS * noise
    swing = float(np.ptp(counts)) if _longest_run(far) >= SPIKE_RUN else float(np.ptp(counts[~far]))
    drifted = abs(slope) * float(at_s[-1] - at_s[0])
    wild = noise > (NOISE_MOST_COUNTS if tile_counts is None else NOISE_MOST_TILES * tile_counts)
    moved = _longest_run(far) >= SPIKE_RUN or float(far.mean()) > SPIKE_SHARE
    if moved or wild or noise > SMOOTH_RATIO * quick:
        hand = swing > min(HAND_SIGMAS * quick, HAND_COUNTS)
        if tile_counts is not None:
            hand = swing > HAND_TILES * tile_counts
        return Trouble.HAND if hand else Trouble.NOT_STILL
    kept, kept_s = counts[~far], at_s[~far]
    error = _error_of_mean(kept - slope * (kept_s - middle_s))
    slope_error = error * 12.0**0.5 / float(at_s[-1] - at_s[0])
    steep = drifted > DRIFT_SIGMAS * noise
    if tile_counts is not None:
        steep = abs(slope) * 60.0 > DRIFT_TILES_PER_MIN * tile_counts
    if steep and abs(slope) > DRIFT_SURE * slope_error:
        return Trouble.DRIFT
    n = int(kept.size)
    per_s = 1.0 / float(np.median(np.diff(at_s)))
    return Hold(middle_s, float(kept.mean()), error, noise, slope, n, per_s)


def _slope(at_s: Floats, counts: Floats) -> float:
    """Counts a second: the line through the medians of the window's first and last third."""
    third = max(1, at_s.size // 3)
    rise = float(np.median(counts[-third:]) - np.median(counts[:third]))
    return rise / (float(at_s[-third:].mean()) - float(at_s[:third].mean()))


def _error_of_mean(values: Floats) -> float:
    """Standard error of the mean, from single samples or from the means of tenths, whichever is greater."""
    single = float(values.std(ddof=1)) / values.size**0.5
    means = np.array([part.mean() for part in np.array_split(values, BATCHES)])
    rounding = 12.0**-0.5 / values.size**0.5
    scatter = float(means.std(ddof=1)) / BATCHES**0.5
    return float(max(single, scatter, rounding))


def _longest_run(far: NDArray[np.bool_]) -> int:
    longest = run = 0
    for one in far.tolist():
        run = run + 1 if one else 0
        longest = max(longest, run)
    return longest
