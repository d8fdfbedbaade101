"""One load cell: raw counts to the number of tiles it carries, and when that number changed.

Owns the signal model of weight. Refuses to know turns, phases and tags. Messages -> session -> **weight** -> inference.

Theory of operation. A rack at rest is a flat line: noise of a few hundredths of a gram, slow drift of the zero. Hands
make anything else: presses of kilograms, leaning, taps, impacts that ring down. So the cell is a machine of two states.

    RESTING --sample outside the band, and so the next--> DISTURBED
    DISTURBED --a flat window worth a whole number of tiles--> RESTING   (a `Step` is told, dated back to its edge)

At rest the level follows the drift. A new rest is counted against the *old* rest, not against the calibrated zero: the
difference is whole tiles plus the spread of their weights, while zero drift, creep and the spread of the tiles that
stayed cancel. The calibrated zero decides only the first rest and after a gap. A flat window that is no whole number of
tiles is a resting hand: the last count stands.

A step of one tile is more than fifty standard deviations of noise, so what limits dating is the sampling interval and
the hand, not statistics (research: hardware figures); no moving average stands in the way of the edge.
"""

from enum import Enum, auto

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import Place, WeightSample
from hw import weight_dating
from hw.calibration import CellCalibration
from hw.observations import CountSettled, Moment, Observation, Quality, SensorHealth, Step, Zone, ZoneMoving
from hw.weight_dating import Touch

MOST_TILES = 24
"""More than any rack holds: fourteen, three of a pass and a handful in error (our choice)."""

BAND_FLOOR_G = 0.8
"""Least half-width of the resting band: above creep and tremor of the table, far below a tile (our choice)."""

BAND_CEILING_G = 4.0
"""Greatest half-width of the resting band: below half of a 10 g tile, so that no tile hides in the noise."""

BAND_SIGMAS = 6.0
"""Half-width of the band in standard deviations of the noise."""

NOISE_START_G = 0.15
"""Noise assumed before any was seen; HX711 figures are 0.02 to 0.3 g rms."""

SPREAD_SHARE = 0.02
"""Standard deviation of a tile's weight in tiles; 1 to 3 % are usual for a set."""

FLAT_S = 0.2
"""A window this long must be flat to be a rest (our choice: a sixth of the fastest pick-and-discard)."""

FLAT_SAMPLES = 4
"""And hold at least so many samples: at 10 samples a second this is what decides."""

FLAT_SIGMAS = 7.0
"""A rest's range within the window, in standard deviations of the noise: a hand's force wanders more. Our choice."""

FLAT_FLOOR_G = 0.25
"""Least range that is asked for: quantisation and slow settling of a very quiet cell (our choice)."""

HAND_TILES = 14
HANDFUL = 4
UNLIKELY_S = 0.8
"""More tiles than a hand has, or a handful at once, must rest so long to be believed: an arm may lie there."""

LONG_REST_S = 1.5
"""So long a flat line is a rest even where it disagrees with the last one: then the calibrated zero decides."""

SPIKE_S = 0.03
"""A lone excursion shorter than this, or of a single sample, is a spike and no touch."""

RING_S = 0.05
"""A landing tile rings: between two swings the load is at its old level for no longer than this (20 Hz and more)."""

ZERO_SHARE = 0.2
"""How much of a lasting rest's distance from whole tiles the running zero takes on (our choice)."""

GAP_S = 1.5
"""Silence after which a rest is not taken for granted: what happened meanwhile has no date."""

LEANED_S = 20.0
"""A disturbance longer than this without any rest leaves the count unknown (our choice)."""

STALE_SAMPLES = 40
"""So many equal raw codes in a row come from a stuck converter, not from a still table (24 bits never repeat so)."""

SETTLING_SAMPLES = 5
"""First samples after power-up that are off by up to a tile's tenth and are dropped. Our choice."""

DRIFT_G = 5.0
"""A resting level that wanders so far within `DRIFT_S` is a badly wired cell (research: 10 to 100 g in seconds)."""

DRIFT_S = 10.0

_CODE_LIMIT = 1 << 23
_INVALID_CODES = frozenset({_CODE_LIMIT - 1, -_CODE_LIMIT, -1, 0}) | {(1 << n) - 1 for n in range(16, 25)}


class _State(Enum):
    STARTING = auto()
    RESTING = auto()
    DISTURBED = auto()


class LoadCell:
    """The count of one zone of one rack. Feed it samples in the node's order; read `count` and `resting`."""

    def __init__(self, place: Place, zone: Zone, calibration: CellCalibration) -> None:
        self.place = place
        self.zone = zone
        self.tile_g = calibration.tile_g
        self.count: int | None = None
        self.resting_since_s: float | None = None
        self.invalid = 0
        self.spikes = 0
        self._gain_g = 1.0 / calibration.counts_per_g
        self._zero_counts = calibration.zero_counts
        self._state = _State.STARTING
        self._noise_g = NOISE_START_G
        self._band_g = max(BAND_FLOOR_G, BAND_SIGMAS * NOISE_START_G)
        self._flat_g = max(FLAT_FLOOR_G, FLAT_SIGMAS * NOISE_START_G)
        self._level_g = 0.0
        self._level_n = 0
        self._zero_g = 0.0
        self._long_n = 0
        self._anchor_g = 0.0
        self._anchor_s = 0.0
        self._last_s: float | None = None
        self._last_g = 0.0
        self._interval_s = 0.1
        self._times: list[float] = []
        self._grams: list[float] = []
        self._strays = 0
        self._stray_s = 0.0
        self._moving_told = False
        self._dropped = SETTLING_SAMPLES
        self._last_raw = 0
        self._repeats = 0
        self._stale = False
        self._rebooted = False
        self._early_s = 0.0
        self._late_s = 0.0

    @property
    def resting(self) -> bool:
        """Whether the zone is at rest now, so that `count` is what lies there."""
        return self._state is _State.RESTING

    def reboot(self) -> None:
        """The node started anew: the zero may have stepped by a percent, and the first samples are off."""
        self._dropped = SETTLING_SAMPLES
        self._rebooted = True
        self._state = _State.STARTING
        self._strays = 0
        self._times.clear()
        self._grams.clear()

    def feed(self, samples: list[WeightSample], clock: TickMap, seen_s: float) -> list[Observation]:
        """Take samples of this cell's channel; return what they tell, in order. `seen_s`: when they arrived."""
        told: list[Observation] = []
        self._early_s, self._late_s = clock.early_s, clock.late_s
        for sample in samples:
            raw = sample.raw
            if raw in _INVALID_CODES or not -_CODE_LIMIT <= raw < _CODE_LIMIT:
                self.invalid += 1
                continue
            if self._is_stale(raw, seen_s, told):
                continue
            if self._dropped:
                self._dropped -= 1
                continue
            at_s = clock.at(sample.ticks)
            grams = (raw - self._zero_counts) * self._gain_g
            last_s = self._last_s
            if last_s is not None:
                step_s = at_s - last_s
                if step_s <= 0.0:
                    continue
                if step_s > GAP_S:
                    self._resume(at_s, seen_s, told)
                elif step_s < 0.5:
                    self._interval_s += 0.05 * (step_s - self._interval_s)
            self._last_s = at_s
            if self._state is _State.RESTING:
                self._rest(at_s, grams, seen_s, told, last_s)
            else:
                self._move(at_s, grams, seen_s, told)
            self._last_g = grams
        return told

    def _is_stale(self, raw: int, seen_s: float, told: list[Observation]) -> bool:
        if raw != self._last_raw:
            self._last_raw = raw
            self._repeats = 0
            if self._stale:
                self._stale = False
                told.append(self._health(Quality.GOOD, seen_s, "samples vary again"))
            return False
        self._repeats += 1
        if self._repeats == STALE_SAMPLES:
            self._stale = True
            told.append(self._health(Quality.STALE, seen_s, f"the same code {STALE_SAMPLES} times"))
            self._lose("stale", seen_s, told)
        return self._stale

    def _rest(self, at_s: float, grams: float, seen_s: float, told: list[Observation], last_s: float | None) -> None:
        off_g = grams - self._level_g
        if -self._band_g < off_g < self._band_g:
            if self._strays:
                self._calm(at_s, grams)
            self._level_n += 1
            if self._level_n == self._long_n and self.count is not None:
                self._zero_g += ZERO_SHARE * (self._level_g - self.count * self.tile_g - self._zero_g)
            memory = max(3.0, 1.0 / self._interval_s)
            self._level_g += off_g / min(self._level_n, memory)
            jump_g = grams - self._last_g
            if -self._band_g < jump_g < self._band_g:
                # successive differences of white noise have twice its variance: drift and creep do not enter
                self._noise_g += 0.02 * (abs(jump_g) * 0.886 - self._noise_g)
                self._band_g = min(max(BAND_FLOOR_G, BAND_SIGMAS * self._noise_g), BAND_CEILING_G)
                self._flat_g = min(max(FLAT_FLOOR_G, FLAT_SIGMAS * self._noise_g), BAND_CEILING_G)
            if at_s - self._anchor_s > DRIFT_S:
                if abs(self._level_g - self._anchor_g) > DRIFT_G:
                    told.append(
                        self._health(Quality.DRIFTING, seen_s, f"{self._level_g - self._anchor_g:+.1f} g at rest")
                    )
                    self._lose("drifting", seen_s, told)
                self._anchor_s, self._anchor_g = at_s, self._level_g
            return
        if not self._strays:
            self._times = [at_s - self._interval_s if last_s is None else last_s]
            self._grams = [self._level_g]
        self._strays += 1
        self._stray_s = at_s
        self._times.append(at_s)
        self._grams.append(grams)
        if self._strays > max(1, int(SPIKE_S / self._interval_s)):
            self._strays = 0
            self._state = _State.DISTURBED
            told.append(ZoneMoving(self.place, self.zone, self._times[1], seen_s))
            self._settle(seen_s, told)

    def _calm(self, at_s: float, grams: float) -> None:
        """A sample in the band after one or two outside: between two swings of an impact, or a spike is over."""
        self._times.append(at_s)
        self._grams.append(grams)
        if at_s - self._stray_s > RING_S:
            self.spikes += 1
            self._strays = 0
            self._times.clear()
            self._grams.clear()

    def _move(self, at_s: float, grams: float, seen_s: float, told: list[Observation]) -> None:
        self._times.append(at_s)
        self._grams.append(grams)
        if len(self._times) > 4000:
            del self._times[1:2001], self._grams[1:2001]
        self._settle(seen_s, told)
        if self._state is _State.DISTURBED and self.count is not None and at_s - self._times[0] > LEANED_S:
            self._lose("no rest", seen_s, told)

    def _settle(self, seen_s: float, told: list[Observation]) -> None:
        """Come to rest where the newest window is flat and worth whole tiles."""
        times, grams = self._times, self._grams
        end = len(times)
        first = end - 1
        while first > 0 and (times[end - 1] - times[first] < FLAT_S or end - first < FLAT_SAMPLES):
            first -= 1
        if times[end - 1] - times[first] < FLAT_S or end - first < FLAT_SAMPLES:
            return
        window = grams[first:end]
        if self._state is _State.DISTURBED and first == 0:
            return
        if max(window) - min(window) > self._flat_g:
            return
        level_g = sum(window) / len(window)
        if self._state is _State.STARTING:
            self._start(times[first], level_g, len(window), seen_s, told)
            return
        after = self._whole_tiles(level_g)
        if after is None:
            if not self._flat_since(level_g, LONG_REST_S):
                return
            after = round((level_g - self._zero_g) / self.tile_g)
            if not 0 <= after <= MOST_TILES or abs(level_g - self._zero_g - after * self.tile_g) > 0.35 * self.tile_g:
                return
        before = self.count if self.count is not None else after
        if (after > HAND_TILES or abs(after - before) > HANDFUL) and not self._flat_since(level_g, UNLIKELY_S):
            return
        residue_g = level_g - self._level_g - (after - before) * self.tile_g
        self._tell_step(before, after, first, residue_g, seen_s, told)
        self._begin_rest(times[first], level_g, len(window), after)

    def _flat_since(self, level_g: float, span_s: float) -> bool:
        """Whether the load has been at `level_g` for `span_s`."""
        times, grams = self._times, self._grams
        since = len(grams) - 1
        while since > 1 and abs(grams[since - 1] - level_g) < self._flat_g:
            since -= 1
        return times[-1] - times[since] >= span_s

    def _whole_tiles(self, level_g: float) -> int | None:
        """Tiles at a new rest, where the change since the last and the distance from zero are both whole tiles."""
        if self.count is None:
            return None
        change = (level_g - self._level_g) / self.tile_g
        after = self.count + round(change)
        if not 0 <= after <= MOST_TILES:
            return None
        allowed_g = 1.2 + 4.0 * SPREAD_SHARE * self.tile_g * max(1, abs(round(change))) ** 0.5 + self._noise_g
        if abs(change - round(change)) * self.tile_g > min(allowed_g, 0.35 * self.tile_g):
            return None
        allowed_g = 1.5 + 3.0 * SPREAD_SHARE * self.tile_g * max(1, after) ** 0.5 + self._noise_g
        if abs(level_g - self._zero_g - after * self.tile_g) > min(allowed_g, 0.4 * self.tile_g):
            return None
        return after

    def _start(self, since_s: float, level_g: float, n: int, seen_s: float, told: list[Observation]) -> None:
        """The first rest, and a rest after a gap, count from the calibrated zero or, where it holds, the last rest."""
        count = round(level_g / self.tile_g)
        residue_g = level_g - count * self.tile_g
        if self.count is not None:
            shift_g = level_g - self._level_g
            if self._rebooted and abs(shift_g) < 1.6 * self.tile_g and abs(residue_g) > 2.0:
                count = self.count  # the zero stepped at power-up; a tile that moved meanwhile would leave whole tiles
            elif abs(residue_g) > 0.3 * self.tile_g:
                count = self.count + round(shift_g / self.tile_g)
        elif abs(residue_g) > 0.4 * self.tile_g:
            return
        if not 0 <= count <= MOST_TILES:
            return
        self._rebooted = False
        self._zero_g = level_g - count * self.tile_g
        self._begin_rest(since_s, level_g, n, count)
        moment = Moment(since_s, since_s - self._interval_s - self._early_s, since_s + self._late_s)
        told.append(CountSettled(self.place, self.zone, count, moment, seen_s))

    def _begin_rest(self, since_s: float, level_g: float, n: int, count: int) -> None:
        self._state = _State.RESTING
        self.count = count
        self.resting_since_s = since_s
        self._level_g = level_g
        self._level_n = n
        self._anchor_s, self._anchor_g = since_s, level_g
        self._long_n = n + int(1.0 / self._interval_s)
        self._times = []
        self._grams = []

    def _tell_step(
        self, before: int, after: int, rest: int, residue_g: float, seen_s: float, told: list[Observation]
    ) -> None:
        times, grams = self._times, self._grams
        old_g, tile_g = self._level_g, self.tile_g
        touch = Touch(
            times=times,
            grams=grams,
            rest=rest,
            old_g=old_g,
            new_g=old_g + (after - before) * tile_g + residue_g,
            tile_g=tile_g,
            band_g=self._band_g,
            period_s=self._interval_s,
            early_s=self._early_s,
            late_s=self._late_s,
        )
        onset = weight_dating.onset(touch)
        edge, clean = onset, False
        if after != before:
            edge = weight_dating.landing(touch) if after > before else weight_dating.lifting(touch)
            clean = weight_dating.clean(touch)
        spread = [round((g - old_g) / tile_g) for g in (min(grams), max(grams))]
        told.append(
            Step(
                place=self.place,
                zone=self.zone,
                before=before,
                after=after,
                onset=onset,
                edge=edge,
                rest_s=times[rest],
                seen_s=seen_s,
                low=before + spread[0],
                high=before + spread[1],
                residue_g=residue_g,
                noise_g=max(0.03, self._noise_g * 0.5),
                clean=clean,
                rises=weight_dating.steep_rises(touch),
            )
        )

    def _resume(self, at_s: float, seen_s: float, told: list[Observation]) -> None:
        """After silence the next rest is compared with the last, but what changed has no date."""
        self._times = []
        self._grams = []
        self._strays = 0
        self._state = _State.STARTING
        told.append(ZoneMoving(self.place, self.zone, at_s, seen_s))

    def _lose(self, reason: str, seen_s: float, told: list[Observation]) -> None:
        self.count = None
        self._state = _State.STARTING
        self._times = []
        self._grams = []
        since_s = self._last_s if self._last_s is not None else seen_s
        told.append(CountSettled(self.place, self.zone, None, Moment(since_s, since_s, since_s), seen_s, reason))

    def _health(self, quality: Quality, at_s: float, detail: str) -> SensorHealth:
        return SensorHealth(self.place, f"{self.zone} cell", quality, at_s, detail)
