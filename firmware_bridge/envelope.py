"""Geometry of one-way delays: the line that lies just below a cloud of points, and how far below it the truth may be.

Owns the lower convex hull, the choice of the line on it, and the order-statistics bound. Refuses to know clocks and
messages: `x` and `z` are seconds, nothing more. Used by `clock`.

A message can be late but never early, so the fastest messages lie on the line we look for. The line below all points
with the least summed distance to them is the hull's edge over the mean of x (Moon, Skelly, Towsley: Estimation and
removal of clock skew from network delay measurements, INFOCOM 1999).
"""

from collections.abc import Sequence

from msgspec import Struct

_MISS = 0.01
_DENSITY_EXPONENT = 2.0
"""How steeply delays thin out towards their minimum, P(delay < d) ~ d^2: between the sharp edge of a wire (1) and
the soft one of a busy radio (3). Our choice; the bound is tested against all of them."""


class Edge(Struct, frozen=True):
    """One edge of the lower hull: touches the cloud at `x_first` and `x_last`."""

    x_first: float
    z_first: float
    x_last: float
    z_last: float

    def slope(self) -> float:
        """Rise of z a unit of x; 0 where both ends are one point."""
        run = self.x_last - self.x_first
        return (self.z_last - self.z_first) / run if run > 0 else 0.0


def lower_hull(xs: Sequence[float], zs: Sequence[float]) -> list[int]:
    """Indices of the lower hull's vertices; `xs` must rise strictly. (Andrew's monotone chain.)"""
    hull: list[int] = []
    for i, (x, z) in enumerate(zip(xs, zs, strict=True)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (zs[b] - zs[a]) * (x - xs[a]) < (z - zs[a]) * (xs[b] - xs[a]):
                break
            hull.pop()
        hull.append(i)
    return hull


def edge_over(xs: Sequence[float], zs: Sequence[float], x_mean: float) -> Edge:
    """The edge of the lower hull that spans `x_mean`."""
    hull = lower_hull(xs, zs)
    at = 0
    while at < len(hull) - 2 and xs[hull[at + 1]] < x_mean:
        at += 1
    a, b = hull[at], hull[min(at + 1, len(hull) - 1)]
    return Edge(xs[a], zs[a], xs[b], zs[b])


def depth_bound(excesses: Sequence[float], rank: int) -> float:
    """How far the true minimum may lie below the lowest of `excesses` (99 %), from how closely the `rank`-th follows.

    The ratio of the lowest to the `rank`-th distance from the minimum is the `1/exponent` power of a Beta(1, rank - 1)
    variate (de Haan, Estimation of the minimum of a function using order statistics, JASA 1981).
    """
    ordered = sorted(excesses)
    ratio: float = (1.0 - _MISS ** (1.0 / (rank - 1))) ** (1.0 / _DENSITY_EXPONENT)
    return (ordered[rank - 1] - ordered[0]) * ratio / (1.0 - ratio)
