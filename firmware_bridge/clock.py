"""A node's ticks in host time, with a stated bound.

Owns the fit of one node's clock since one boot. Refuses to know messages, sessions and what the times are used for.

A message made at tick T arrives at `arrived_s`, some delay later. The delay is never negative and often close to its
minimum, so over time the earliest arrivals draw the line of the minimum delay (`envelope`). What one-way data cannot
show is that minimum itself: it is assumed to lie between zero and a limit of the link, and that much belongs to the
bound. Where the host has asked and the node answered (PING, PONG), the moment of asking bounds the truth from below.

    host_s - early_s <= truth <= host_s + late_s        (99 %)
    early_s: assumed minimum delay + how far below the line the fastest possible message may lie + slope's doubt
    late_s:  slope's doubt since the last point that touched the line: no message arrives before it was made
"""

from collections import deque
from math import exp

from msgspec import Struct

from firmware_bridge.arrival import Link
from firmware_bridge.envelope import depth_bound, edge_over
from firmware_bridge.messages import TICKS_MODULUS

_HALF = TICKS_MODULUS // 2
_TICK_S = 1e-6
_PPM = 1e-6

_POINTS = 64
"""Points kept for the fit; our choice: a fit takes some 50 us."""

_FIRST_BUCKET_S = 0.1
_REFIT_SHARE = 0.1
_REFIT_AT_MOST_S = 5.0
"""A new fit when the span has grown by a tenth, and at least so often; our choice."""

_RESOLUTION_S = 20e-6
"""No bound is narrower: an AVR's microseconds step by 4, and an event loop is no better; our choice."""

_RANK_SHARE = 5
_RANK_MIN, _RANK_MAX = 3, 12
"""Which of the lowest points tells how sharp the minimum is: every fifth's worth, within these; our choice."""

_CLEARLY = 2.0
"""A slope so many times its doubt beyond the limit shows a clock that is no crystal, such as a ceramic resonator."""

_SPELL_S = 2.0
"""Delays within a spell of congestion are alike, so that few of them prove little. How long such a spell lasts is our
choice; it only widens the bounds of the first ten seconds."""

_KEPT_WHEN_OLD = 8
_CONFIRMATIONS = 3
_AGREEMENT_S = 0.25
"""So many messages in a row, so close to each other, far below the line, mean that the clock itself has leapt."""

_STEP_UP_S = 0.25
_STEP_UP_PATIENCE_S = 60.0
_STEP_UP_MESSAGES = 20
"""No network's minimum stays so far up for so long: the clock itself has leapt; our choice."""

_PLAUSIBLE_DELAY_S = 30.0
_TWO_WAY_KEPT = 32


class TickMap(Struct, frozen=True):
    """A line from one node's ticks to host seconds, valid near the message it came with.

    The truth lies in `[at(ticks) - early_s, at(ticks) + late_s]` with 99 % confidence. `rate_s` is host seconds a tick.
    """

    ticks: int
    host_s: float
    rate_s: float
    early_s: float
    late_s: float

    def at(self, ticks: int) -> float:
        """Host seconds of a sample, up to half a wrap (35 min) away from the reference, either way."""
        return self.host_s + ((ticks - self.ticks + _HALF) % TICKS_MODULUS - _HALF) * self.rate_s


class ClockSettings(Struct, frozen=True):
    """What is assumed of a link and of the nodes' crystals."""

    min_delay_s: float
    """Longest that the fastest possible message may take."""
    first_delay_s: float
    """99 % of single messages take less."""
    window_s: float
    """Points older than this are forgotten: a crystal's rate changes with its temperature."""
    rate_limit_ppm: float = 120.0
    """Node's crystal (up to 100 ppm, PROTOCOL.md) against the host's own (some 20)."""
    wander_ppm_per_min: float = 1.0
    """How fast the rate may change: warming up by some kelvin a minute; our choice."""


NETWORK_CLOCK = ClockSettings(min_delay_s=0.010, first_delay_s=0.5, window_s=300.0)
"""Our choice: an idle Wi-Fi cell delivers within 1-3 ms and a broker on the same network adds less than one; a node's
own stack takes a few."""

USB_CLOCK = ClockSettings(min_delay_s=0.006, first_delay_s=0.05, window_s=60.0)
"""A frame of 59 bytes takes 5.1 ms at 115 200 baud, USB polls each millisecond. PING and PONG narrow it."""

_SETTINGS = {Link.NETWORK: NETWORK_CLOCK, Link.USB: USB_CLOCK}


class _Message(Struct, frozen=True):
    ticks: int
    arrived_s: float


class _Low(Struct, frozen=True):
    """A moment on the node's clock before which the host had already asked."""

    x: float
    z: float


class NodeClock:
    """The clock of one node since one boot. Feed it every message; take the map after each."""

    def __init__(self, link: Link, settings: ClockSettings | None = None) -> None:
        self._settings = settings or _SETTINGS[link]
        self.outliers = 0
        """Messages whose ticks fit neither the line nor each other."""
        self.restarts = 0
        """How often the fit had to begin anew because the clock leapt."""
        self.off_specification = False
        """Whether the node's clock runs at a rate that no crystal has: its bounds were not true at first."""
        self._map: TickMap | None = None
        self._suspects: list[_Message] = []
        self._start(0, 0.0)

    def _start(self, ticks: int, arrived_s: float) -> None:
        self._ticks0, self._arrived0_s = ticks, arrived_s
        self._last_x, self._last_arrived_s = 0.0, arrived_s
        self._near_s, self._since_near = arrived_s, 0
        self._xs: list[float] = []
        self._zs: list[float] = []
        self._lows: deque[_Low] = deque(maxlen=_TWO_WAY_KEPT)
        self._bucket_s = _FIRST_BUCKET_S
        self._bucket = 0
        self._lowest_x, self._lowest_z = 0.0, 0.0
        self._offset = self._rate = 0.0
        self._doubt = self._settings.rate_limit_ppm * _PPM
        self._early_s = self._settings.first_delay_s + self._settings.min_delay_s
        self._late_s = self._doubt * _REFIT_AT_MOST_S
        self._fitted_x = 0.0

    @property
    def map(self) -> TickMap | None:
        """The line as known now; `None` before the first message."""
        return self._map

    def observe(self, ticks: int, arrived_s: float) -> TickMap:
        """Take a message made at `ticks` that arrived at `arrived_s`; return the line as known now."""
        if self._map is None:
            return self._begin(ticks, arrived_s)
        x = self._unwrapped(ticks, arrived_s)
        z = arrived_s - self._arrived0_s - x
        excess = z - (self._offset + self._rate * x)
        if excess < -self._early_s - self._doubt * abs(x - self._fitted_x):
            return self._suspect(ticks, arrived_s)
        if self._suspects:
            self.outliers += len(self._suspects)
            self._suspects.clear()
        if excess < _STEP_UP_S:
            self._near_s, self._since_near = arrived_s, 0
        else:
            self._since_near += 1
            if arrived_s - self._near_s > _STEP_UP_PATIENCE_S and self._since_near > _STEP_UP_MESSAGES:
                self.restarts += 1
                return self._begin(ticks, arrived_s)
        if excess > _PLAUSIBLE_DELAY_S:
            self.outliers += 1
            return self._map
        self._last_x, self._last_arrived_s = x, arrived_s
        self._keep(x, z)
        below = z - (self._offset + self._rate * x)
        if below < 0.0:
            self._offset += below
            self._redraw(x)
        return self._map

    def observe_two_way(self, sent_s: float, received_ticks: int, ticks: int, arrived_s: float) -> TickMap:
        """Take an answer made at `ticks` to a question that left at `sent_s` and was heard at `received_ticks`."""
        self.observe(ticks, arrived_s)
        x = self._unwrapped(received_ticks, sent_s)
        z = sent_s - self._arrived0_s - x
        if z - (self._offset + self._rate * x) > self._late_s + self._early_s:
            self.outliers += 1
        else:
            self._lows.append(_Low(x, z))
            self._fit()
        assert self._map is not None
        return self._map

    def _begin(self, ticks: int, arrived_s: float) -> TickMap:
        self._start(ticks, arrived_s)
        return self._redraw(0.0)

    def _unwrapped(self, ticks: int, host_s: float) -> float:
        """Seconds on the node's clock since the first message, however often `ticks` has wrapped since."""
        expected = self._ticks0 + round((self._last_x + host_s - self._last_arrived_s) / _TICK_S)
        nearest = expected + (ticks - expected + _HALF) % TICKS_MODULUS - _HALF
        return (nearest - self._ticks0) * _TICK_S

    def _suspect(self, ticks: int, arrived_s: float) -> TickMap:
        """Earlier than the line allows: broken ticks, unless several in a row agree that the clock has leapt."""
        self._suspects.append(_Message(ticks, arrived_s))
        if len(self._suspects) == _CONFIRMATIONS:
            suspects = self._suspects
            self._suspects = []
            first = suspects[0]
            leaps = [
                (one.arrived_s - first.arrived_s)
                - ((one.ticks - first.ticks + _HALF) % TICKS_MODULUS - _HALF) * _TICK_S
                for one in suspects
            ]
            if max(leaps) - min(leaps) < _AGREEMENT_S:
                self.restarts += 1
                self._map = None
                for one in suspects:
                    self.observe(one.ticks, one.arrived_s)
            else:
                self.outliers += len(suspects)
        assert self._map is not None
        return self._map

    def _keep(self, x: float, z: float) -> None:
        """Keep the lowest point of each bucket of time; buckets grow as the span does."""
        bucket = int(x / self._bucket_s)
        if bucket < self._bucket:
            return
        if bucket == self._bucket:
            if z - self._rate * x < self._lowest_z - self._rate * self._lowest_x:
                self._lowest_x, self._lowest_z = x, z
            return
        self._xs.append(self._lowest_x)
        self._zs.append(self._lowest_z)
        if len(self._xs) >= _POINTS:
            self._thin(x)
        self._bucket = int(x / self._bucket_s)
        self._lowest_x, self._lowest_z = x, z
        if x - self._fitted_x >= min(_REFIT_SHARE * (x - self._xs[0]), _REFIT_AT_MOST_S):
            self._fit()

    def _thin(self, x: float) -> None:
        """Make room: two buckets into one until the window is reached, then the oldest goes."""
        xs, zs = self._xs, self._zs
        if self._bucket_s * _POINTS < self._settings.window_s:
            self._bucket_s *= 2
            kept = [
                i if zs[i] - self._rate * xs[i] <= zs[i + 1] - self._rate * xs[i + 1] else i + 1
                for i in range(0, len(xs) - 1, 2)
            ]
        else:
            old = x - self._settings.window_s
            kept = [i for i in range(1, len(xs)) if xs[i] >= old or i >= len(xs) - _KEPT_WHEN_OLD]
        self._xs = [xs[i] for i in kept]
        self._zs = [zs[i] for i in kept]

    def _fit(self) -> None:
        xs = [*self._xs, self._lowest_x]
        zs = [*self._zs, self._lowest_z]
        settings = self._settings
        now, span = xs[-1], xs[-1] - xs[0]
        limit = settings.rate_limit_ppm * _PPM
        wander = settings.wander_ppm_per_min * _PPM / 60.0
        depth_s = settings.first_delay_s
        rate, doubt = 0.0, limit
        if len(xs) >= _RANK_MIN:
            slope = edge_over(xs, zs, sum(xs) / len(xs)).slope()
            rank = min(max(len(xs) // _RANK_SHARE, _RANK_MIN), _RANK_MAX)
            alike_s = settings.first_delay_s * exp(-span / _SPELL_S)
            seen_s = depth_bound([z - slope * x for x, z in zip(xs, zs, strict=True)], rank)
            depth_s = min(depth_s, max(seen_s, alike_s))
            spread = 2.0 * depth_s / span + wander * span / 2.0
            trust = limit * limit / (limit * limit + spread * spread)
            self.off_specification = abs(slope) > limit + _CLEARLY * spread
            if self.off_specification:
                rate, doubt = slope, spread
            else:
                rate = min(max(slope * trust, -limit), limit)
                doubt = spread * trust**0.5
        levels = [z - rate * x for x, z in zip(xs, zs, strict=True)]
        offset = min(levels)
        touched_x = xs[levels.index(offset)]
        ahead = now + _REFIT_AT_MOST_S
        late_s = min(level - offset + doubt * (ahead - x) for level, x in zip(levels, xs, strict=True))
        early_s = settings.min_delay_s + depth_s + doubt * (ahead - touched_x)
        if self._lows:
            low = max(low.z - rate * low.x - doubt * (now - low.x) for low in self._lows)
            if low > offset:
                late_s = max(late_s - (low - offset), 0.0)
                offset = low
            early_s = min(early_s, offset - low + doubt * (ahead - now))
        self._rate, self._doubt, self._offset, self._fitted_x = rate, doubt, offset, now
        self._early_s = max(early_s, _RESOLUTION_S)
        self._late_s = max(late_s, _RESOLUTION_S)
        self._redraw(now)

    def _redraw(self, x: float) -> TickMap:
        self._map = TickMap(
            (self._ticks0 + round(x / _TICK_S)) % TICKS_MODULUS,
            self._arrived0_s + x + self._offset + self._rate * x,
            _TICK_S * (1.0 + self._rate),
            self._early_s,
            self._late_s,
        )
        return self._map
