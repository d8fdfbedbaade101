"""One load cell: raw counts to the number of tiles it carries, and when that number changed.

Owns the signal model of weight. Refuses to know turns, phases and tags. Messages -> session -> **weight** -> inference.

Theory of operation. A rack at rest is a flat line: noise of a few hundredths of a gram, slow drift of the zero. Hands
make anything else: presses of kilograms, leaning, taps, impacts that ring down. So the cell is a machine of two states.

    RESTING --sample outside the band, and so the next--> DISTURBED
    DISTURBED --a flat window worth a whole number of tiles--> RESTING   (a `Step` is told, dated back to its edge)

At rest the level follows the drift. A new rest is counted against the *old* rest, not against the calibrated zero: the
difference is whole tiles plus the spread of their weights, while zero drift, creep and the spread of the tiles that
stayed cancel. The zero decides the first rest, after a gap, and where a lasting rest fits it better than the last one.
A flat window that is no whole number of tiles is a resting hand: the last count stands.

What cannot be trusted is not counted: while codes are no weights, wiring drifts, an arm lies there, or a reboot may
have moved the zero by a tile, the count is None and a `CountSettled` says why.

A step of one tile is more than fifty standard deviations of noise, so what limits dating is the sampling interval and
the hand, not statistics (research: hardware figures); no moving average stands in the way of the edge.
"""

from enum import Enum, auto

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import Place, WeightSample
from hw import weight_dating
from hw.calibration import CellCalibration
from hw.observations import NO_REST, CountSettled, Moment, Observation, Quality, SensorHealth, Step, Zone, ZoneMoving
from hw.weight_codes import Codes
from hw.weight_dating import Touch
from hw.weight_scale import Refined, Scale

BAND_FLOOR_G = 0.8
"""Least half-width of the resting band: above creep and tremor of the table, far below a tile (our choice)."""

BAND_CEILING_G = 4.0
"""Greatest half-width of the resting band: below half of a 10 g tile, so that no tile hides in the noise."""

BAND_SIGMAS = 6.0
"""Half-width of the band in standard deviations of the noise."""

NOISE_START_G = 0.15
"""Noise assumed before any was seen; HX711 figures are 0.02 to 0.3 g rms."""

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
LEAST_EXPOSED = 3
UNLIKELY_S = 0.8
"""More tiles than a hand has, a handful at once, a tile or two that come onto a ledge, or a load that is only about
whole tiles must rest so long to be believed: an arm or a finger may lie there."""

LONG_REST_S = 1.5
"""So long a flat line is a rest even where it disagrees with the last one: then the calibrated zero decides."""

SPIKE_S = 0.03
"""A lone excursion shorter than this, or of a single sample, is a spike and no touch."""

RING_S = 0.05
"""A landing tile rings: between two swings the load is at its old level for no longer than this (20 Hz and more)."""

RING_SAMPLES = 1.5
"""Or a sample and a half, where conversions are far apart: a tile that bounces touches twice (our choice)."""

GAP_S = 1.5
"""Silence after which a rest is not taken for granted: what happened meanwhile has no date."""

LEANED_S = 20.0
"""A disturbance longer than this without any rest leaves the count unknown (our choice)."""

SETTLING_SAMPLES = 5
"""First samples after power-up that are off by up to a tile's tenth and are dropped. Our choice."""

DRIFT_G = 5.0
"""A resting level that wanders so far within `DRIFT_S` is a badly wired cell (research: 10 to 100 g in seconds)."""

DRIFT_S = 10.0
"""Such a cell is trusted again after it has lain still for as long."""

EDGE_TILES = 0.45
EDGE_SAMPLES = 8
EDGE_S = 0.3
"""A tile or a hand changes the load by so much within so long, or so many samples where 16 are smoothed into one:
10 g take half a second and more of bad wiring, which wanders by 1 to 10 g a second."""


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
        self._scale = Scale(calibration)
        self.count: int | None = None
        self.resting_since_s: float | None = None
        self.spikes = 0
        self._gain_g = 1.0 / calibration.counts_per_g
        self._zero_counts = calibration.zero_counts
        self._state = _State.STARTING
        self._noise_g = NOISE_START_G
        self._band_g = max(BAND_FLOOR_G, BAND_SIGMAS * NOISE_START_G)
        self._flat_g = max(FLAT_FLOOR_G, FLAT_SIGMAS * NOISE_START_G)
        self._level_g = 0.0
        self._level_n = 0
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
        self._standing: int | None = None
        self._drifting = False
        self._touched = False
        self._dropped = SETTLING_SAMPLES
        self._codes = Codes()
        self._rebooted = False
        self._early_s = 0.0
        self._late_s = 0.0

    @property
    def invalid(self) -> int:
        """Codes that were no weight."""
        return self._codes.invalid

    @property
    def tile(self) -> Refined:
        """What a tile weighs, as play has shown so far."""
        return self._scale.tile

    @property
    def zero(self) -> Refined:
        """What the empty rack weighs above its calibrated zero, as play has shown so far."""
        return self._scale.zero

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
            raw, at_s = sample.raw, clock.at(sample.ticks)
            quality = self._codes.quality
            usable = self._codes.take(raw, at_s)
            if self._codes.quality is not quality:
                self._codes_changed(seen_s, told)
            if not usable:
                continue
            if self._dropped:
                self._dropped -= 1
                continue
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

    def unheard(self, at_s: float, seen_s: float) -> list[Observation]:
        """The node spoke at `at_s` and had no sample of this cell; return what that tells."""
        told: list[Observation] = []
        quality = self._codes.quality
        self._codes.unheard(at_s)
        if self._codes.quality is not quality:
            self._codes_changed(seen_s, told)
        return told

    def _codes_changed(self, seen_s: float, told: list[Observation]) -> None:
        quality = self._codes.quality
        told.append(self._health(quality, seen_s, self._codes.trouble))
        if quality is not Quality.GOOD:
            self._lose(quality.value, seen_s, told)

    def _rest(self, at_s: float, grams: float, seen_s: float, told: list[Observation], last_s: float | None) -> None:
        off_g = grams - self._level_g
        if -self._band_g < off_g < self._band_g:
            if self._strays:
                self._calm(at_s, grams)
            self._level_n += 1
            if self._level_n == self._long_n and self.count is not None:
                self._scale.rested(self._level_g, self.count, at_s)
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
                    self._drift(self._level_g - self._anchor_g, seen_s, told)
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
            self._touched = False
            self._state = _State.DISTURBED
            told.append(ZoneMoving(self.place, self.zone, self._times[1], seen_s))
            self._feel(max(self._grams, key=lambda g: abs(g - self._level_g)))
            self._settle(seen_s, told)

    def _calm(self, at_s: float, grams: float) -> None:
        """A sample in the band after one or two outside: between two swings of an impact, or a spike is over."""
        self._times.append(at_s)
        self._grams.append(grams)
        if at_s - self._stray_s > max(RING_S, RING_SAMPLES * self._interval_s):
            self.spikes += 1
            self._strays = 0
            self._times.clear()
            self._grams.clear()

    def _drift(self, wandered_g: float, seen_s: float, told: list[Observation]) -> None:
        """The load wanders as no hand moves it: the count is unknown until it lies still again."""
        told.append(self._health(Quality.DRIFTING, seen_s, f"{wandered_g:+.1f} g at rest"))
        self._lose("drifting", seen_s, told)
        self._drifting, self._touched = True, False

    def _move(self, at_s: float, grams: float, seen_s: float, told: list[Observation]) -> None:
        self._times.append(at_s)
        self._grams.append(grams)
        self._feel(grams)
        if len(self._times) > 4000:
            del self._times[1:2001], self._grams[1:2001]
        self._settle(seen_s, told)
        if self._state is _State.DISTURBED and self.count is not None and at_s - self._times[0] > LEANED_S:
            self._lose(NO_REST, seen_s, told)

    def _feel(self, grams: float) -> None:
        """Whether a hand or a tile moved the load, by its pace: bad wiring takes seconds for a tile."""
        past = self._grams[max(-len(self._grams), -1 - max(EDGE_SAMPLES, int(EDGE_S / self._interval_s)))]
        if abs(grams - past) > EDGE_TILES * self.tile_g:
            self._touched = True

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
        if self.count is None:
            return
        wandered_g = level_g - self._level_g
        if not self._touched and abs(wandered_g) > DRIFT_G:
            # a neighbour's hand on the frame goes again; bad wiring stays away
            if times[-1] - times[0] > DRIFT_S:
                self._drift(wandered_g, seen_s, told)
            return
        before = self.count
        after = self._scale.changed(level_g, self._level_g, before, self._noise_g)
        if after is None:
            after = self._scale.lasting(level_g, self._level_g, before)
            if after is None or not self._flat_since(level_g, LONG_REST_S):
                return
        unlikely = after > HAND_TILES or abs(after - before) > HANDFUL
        unlikely = unlikely or (self.zone is Zone.LEDGE and before < after < LEAST_EXPOSED)
        unlikely = unlikely or not self._scale.is_plain(wandered_g, before, after, self._noise_g)
        if unlikely and not self._flat_since(level_g, UNLIKELY_S):
            return
        if self._scale.is_step(wandered_g, before, after):
            self._scale.stepped(wandered_g, before, after, times[first])
            self._tell_step(before, after, first, level_g, seen_s, told)
        else:
            self._correct(times[first], after, seen_s, told)
        self._begin_rest(times[first], level_g, len(window), after)

    def _correct(self, since_s: float, count: int, seen_s: float, told: list[Observation]) -> None:
        """The weight of all that lies there says that the count was wrong before: a count, but nothing happened now."""
        moment = Moment(since_s, self._times[0] - self._early_s, since_s + self._late_s)
        told.append(CountSettled(self.place, self.zone, count, moment, seen_s))

    def _flat_since(self, level_g: float, span_s: float) -> bool:
        """Whether the load has been at `level_g` for `span_s`."""
        times, grams = self._times, self._grams
        since = len(grams) - 1
        while since > 1 and abs(grams[since - 1] - level_g) < self._flat_g:
            since -= 1
        return times[-1] - times[since] >= span_s

    def _start(self, since_s: float, level_g: float, n: int, seen_s: float, told: list[Observation]) -> None:
        """The first rest, and a rest after the last one was lost, as far as it can be counted."""
        count = self._counted_anew(level_g, seen_s, told)
        if count is None:
            return
        self._rebooted = self._drifting = False
        self._scale.settled(level_g, count, since_s)
        self._begin_rest(since_s, level_g, n, count)
        moment = Moment(since_s, since_s - self._interval_s - self._early_s, since_s + self._late_s)
        told.append(CountSettled(self.place, self.zone, count, moment, seen_s))

    def _counted_anew(self, level_g: float, seen_s: float, told: list[Observation]) -> int | None:
        if self._drifting:
            if not self._flat_since(level_g, DRIFT_S):
                return None
            # where nobody touched the rack, what drifted was the zero
            return self._scale.first(level_g) if self._touched else self._standing
        if self._standing is None:
            return self._scale.first(level_g)
        if not self._rebooted:
            return self._scale.again(level_g, self._level_g, self._standing)
        at_once = self.count is not None
        possible = self._scale.rebooted(level_g, self._level_g, self._standing, at_once=at_once)
        if len(possible) > 1 and at_once:
            self._lose("zero unknown after a reboot", seen_s, told)
        return possible[0] if len(possible) == 1 else None

    def _begin_rest(self, since_s: float, level_g: float, n: int, count: int) -> None:
        self._state = _State.RESTING
        self.count = self._standing = count
        self.resting_since_s = since_s
        self._level_g = level_g
        self._level_n = n
        self._anchor_s, self._anchor_g = since_s, level_g
        self._long_n = n + int(1.0 / self._interval_s)
        self._times = []
        self._grams = []

    def _tell_step(
        self, before: int, after: int, rest: int, level_g: float, seen_s: float, told: list[Observation]
    ) -> None:
        times, grams = self._times, self._grams
        old_g, tile_g = self._level_g, self.tile_g
        touch = Touch(
            times=times,
            grams=grams,
            rest=rest,
            old_g=old_g,
            new_g=level_g,
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
                residue_g=level_g - old_g - (after - before) * tile_g,
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
