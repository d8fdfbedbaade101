"""A streaming reader whose silence never came to prove anything: tiles come and go, and none of it is a crash."""

from hw.simulator.options import Options, Reader, Tier
from monitor.alerts import Level

from .stage import played


def test_a_rack_that_hears_the_wall_as_well_wrongs_nobody_and_what_is_told_has_its_bounds() -> None:
    """North's antenna counts 47 tiles: no deal is seen, no play joined, and what buttons say is told all the same."""
    shown = played(Options(seed=505, tier=Tier.RFID, reader=Reader.STREAMING, discards=12))
    assert shown.events
    assert all(one.low <= one.at <= one.high <= one.known for one in shown.events)
    assert [alert for alert in shown.alerts if alert.level in {Level.ADVICE, Level.RULING_DUE}] == []
