"""How quickly a single sensor's decisions come, beside the least time in which anything could have come to them.

The bound. A sensor's readings x1, x2, ... have density f0 before a change and f1 after it. Wald: a sequential test of
f1 against f0 with error rates a (f1 said, f0 true) and b (f0 said, f1 true) needs at f1 on average at least

    E[N] >= ((1 - b) ln((1 - b) / a) + b ln(b / (1 - a))) / D,     D = E1[ln f1(x) / f0(x)]

readings, because each brings D of evidence on average (Wald's identity) and ln((1 - b) / a) is asked for. Here nobody
says when to begin testing: the test has to run all evening. Page's procedure is Wald's test begun again whenever it
comes out for f0, and its false alarms are told by the mean number g of readings between them; Lorden (1971) showed
that no procedure with that g has a smaller worst mean delay than about

    E[N] >= ln(g) / D                                                                                   (the bound)

readings (Moustakides 1986: Page's is the best exactly). So g takes the place of (1 - b) / a at "the same error rates";
it is counted: readings at rest over false decisions. Where none was false g is taken as the readings that there were,
which makes the bound lower than it is and the ratio told greater. No decision can come before one reading: N >= 1.

Of tags. A round of an antenna hears a tile that lies on it with probability p and one that does not with q; both are
counted from the rounds and the truth. A tile that came: D = p ln(p/q) + (1-p) ln((1-p)/(1-q)); one that left: p and q
change places. p is the mean of tiles that are heard differently well; 1/D is convex, so the mean tile's bound is below
the mean of the tiles' bounds.

Readings are taken to be independent. They are not where a tag that lies still falls silent for a while: whoever must
not take that for a departure is entitled to more time than this bound gives, most of all where no antenna elsewhere can
hear the tile instead.

Of scales. One tile of m grams in noise of s grams rms: D = m^2 / (2 s^2), some thousands: the first reading decides,
and what is waited for is the hand that is still on the rack. Wald's bound does not bind there, and the ratio says only
how many readings a rest takes to be told from a hand.

In seconds: the change comes anywhere between two readings, T apart, so the N-th comes (N - 1/2) T later, and takes the
way to the host.
"""

import math

from msgspec import Struct

_LEAST_CHANCE = 1e-4


class Hearing(Struct, frozen=True):
    """What an evening's rounds heard: of tiles at rest on the antenna (`on`) and at rest elsewhere (`off`)."""

    on: int
    on_heard: int
    off: int
    off_heard: int

    @property
    def p(self) -> float:
        """Chance a round of hearing a tile that lies there."""
        return _chance(self.on_heard, self.on)

    @property
    def q(self) -> float:
        """Chance a round of hearing a tile that does not."""
        return _chance(self.off_heard, self.off)


def information(f1: float, f0: float) -> float:
    """Mean evidence, in nats, of one round for `f1` as the chance of being heard against `f0`, where `f1` is true."""
    return f1 * math.log(f1 / f0) + (1.0 - f1) * math.log((1.0 - f1) / (1.0 - f0))


def least_readings(between_false: float, information_nats: float) -> float:
    """The bound in readings; at least one."""
    return max(1.0, math.log(max(1.0, between_false)) / information_nats)


def least_delay_s(readings: float, every_s: float, way_s: float) -> float:
    """The bound in seconds for readings every so often that take so long to the host."""
    return (readings - 0.5) * every_s + way_s


def _chance(k: int, n: int) -> float:
    """A share, kept off 0 and 1, where evidence would be without end."""
    return min(1.0 - _LEAST_CHANCE, max(_LEAST_CHANCE, k / n if n else 0.0))
