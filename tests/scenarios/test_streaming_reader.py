"""A streaming reader whose silence never came to prove anything: tiles come and go, and none of it is a crash."""

from hw.simulator.options import Options, Reader, Tier
from monitor.events import Racked

from .stage import played


def test_a_tile_of_which_no_round_proves_anything_came_at_some_time() -> None:
    shown = played(Options(seed=505, tier=Tier.RFID, reader=Reader.STREAMING, discards=12))
    told = shown.of(Racked)
    assert told
    assert all(one.low <= one.at <= one.high <= one.known for one in told)
