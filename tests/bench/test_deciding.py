"""Single decisions of an evening: most clear changes are told, after they happened and not before the bound."""

from statistics import fmean

import pytest

from bench.accuracy.deciding import decisions
from hw.simulator.evening import simulate_evening
from hw.simulator.options import Noise, Options, Tier


@pytest.mark.parametrize(
    ("tier", "kinds"),
    [
        (Tier.WEIGHT10, {"scale, a tile came", "scale, a tile left"}),
        (Tier.RFID, {"tag came to a slope", "tag left a slope"}),
    ],
)
def test_decisions_of_a_quiet_hand(tier: Tier, kinds: set[str]) -> None:
    found = decisions(simulate_evening(Options(seed=31, tier=tier, noise=Noise.QUIET, discards=5)))
    assert {one.kind for one in found} == kinds
    for one in found:
        assert one.least_s is not None
        assert len(one.delay_s) >= 2
        assert one.missed + one.false <= len(one.delay_s)
        assert one.least_s < fmean(one.delay_s) < 4.0
        assert min(one.delay_s) > 0.0
