"""The lower hull, its edge over the mean, and how deep the minimum may lie."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.envelope import Edge, depth_bound, edge_over, lower_hull

clouds = st.lists(
    st.tuples(st.integers(0, 1000), st.integers(-1000, 1000)), min_size=1, max_size=40, unique_by=lambda point: point[0]
).map(lambda points: ([float(x) for x, _ in sorted(points)], [float(z) for _, z in sorted(points)]))


@given(clouds)
def test_no_point_lies_below_the_hull_and_its_slopes_rise(cloud: tuple[list[float], list[float]]) -> None:
    xs, zs = cloud
    hull = lower_hull(xs, zs)
    assert hull[0] == 0
    assert hull[-1] == len(xs) - 1
    slopes = [Edge(xs[a], zs[a], xs[b], zs[b]).slope() for a, b in pairwise(hull)]
    assert slopes == sorted(slopes)
    for a, b in pairwise(hull):
        slope = Edge(xs[a], zs[a], xs[b], zs[b]).slope()
        for i in range(a, b + 1):
            assert zs[i] >= zs[a] + slope * (xs[i] - xs[a]) - 1e-9


@given(clouds)
def test_the_edge_over_the_mean_has_the_least_summed_distance(cloud: tuple[list[float], list[float]]) -> None:
    xs, zs = cloud
    mean = sum(xs) / len(xs)
    edge = edge_over(xs, zs, mean)
    assert edge.x_first <= mean <= edge.x_last

    def height_over_mean(slope: float) -> float:
        return min(z - slope * (x - mean) for x, z in zip(xs, zs, strict=True))

    best = height_over_mean(edge.slope())
    for slope in (edge.slope() - 0.01, edge.slope() + 0.01, 0.0):
        assert height_over_mean(slope) <= best + 1e-9


def test_one_point_has_no_slope() -> None:
    assert edge_over([3.0], [5.0], 3.0).slope() == 0.0


@pytest.mark.parametrize("exponent", [1.0, 2.0])
@pytest.mark.parametrize(("count", "rank"), [(12, 3), (40, 8), (64, 12)])
def test_the_minimum_lies_no_deeper_than_stated_99_times_in_100(exponent: float, count: int, rank: int) -> None:
    rng = random.Random(20)
    missed = 0
    for _ in range(2000):
        delays = [rng.random() ** (1.0 / exponent) for _ in range(count)]
        missed += min(delays) > depth_bound([delay - min(delays) for delay in delays], rank)
    assert missed <= 2000 * 0.015
