"""Row 49 of the faults seen in the field: gestures at the end of a game were logged as moves."""

import pytest

from hw.simulator.options import Ending, Noise, Options, Tier
from monitor.alerts import Rule
from monitor.events import Discarded, Exposed, HandEnded, JokerExchanged, Racked

from .stage import played


@pytest.mark.parametrize("tier", [Tier.WEIGHT80, Tier.RFID])
def test_row_49_tiles_swept_together_and_built_into_walls_are_the_end_of_a_hand_and_no_moves(tier: Tier) -> None:
    """From the end of the first hand to the deal of the second: racks are emptied, tiles washed and stacked."""
    shown = played(Options(seed=49, tier=tier, noise=Noise.QUIET, hands=2, discards=8, ending=Ending.MAH_JONGG))
    truth = shown.truth.events
    ended_s = next(event.at for event in truth if event.kind == "hand_ended")
    dealt_s = next(event.at for event in truth if event.kind == "dealt" and event.at > ended_s)
    moves = shown.of(Racked, Discarded, Exposed, JokerExchanged)
    assert [move for move in moves if move.at < ended_s]
    assert [move for move in moves if ended_s < move.at < dealt_s] == []
    assert len([end for end in shown.of(HandEnded) if end.at < dealt_s]) == 1
    assert [a for a in shown.raised(*Rule) if a.rule is not Rule.SENSOR_FAULT and ended_s < a.at < dealt_s] == []
    assert shown.false_alarms == []
