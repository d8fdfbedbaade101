"""The project's handed recordings, where they are there: legal hands raise nothing, a wrong count is found."""

import json
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.recording import BadLine, read_recording
from hw.calibration import TableSetup
from monitor.alerts import Alert, AlertState, Rule

from .stage import FALSE_ALARMS, watched

CASES = Path(__file__).parents[3] / "shared" / "cases"
TIERS = ("weight10", "weight80", "rfid", "rfid_floor", "hybrid")

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the handed cases are not here")


def standing(name: str) -> tuple[list[Alert], list[dict[str, object]]]:
    """Alerts of the judged kinds that were not withdrawn, first lines; and the faults of the truth."""
    setup = msgspec.json.decode((CASES / f"{name}.setup.json").read_bytes(), type=TableSetup)
    lines = [one for one in read_recording(CASES / f"{name}.recording.jsonl.gz") if not isinstance(one, BadLine)]
    alerts = [r for batch in watched(setup, lines) for r in batch if isinstance(r, Alert) and r.rule in FALSE_ALARMS]
    last = {alert.id: alert.state for alert in alerts}
    kept = [a for a in alerts if a.state is AlertState.RAISED and last[a.id] is not AlertState.WITHDRAWN]
    faults = json.loads((CASES / f"{name}.truth.json").read_text())["faults"]
    return kept, faults


@pytest.mark.parametrize("tier", TIERS)
def test_a_legal_hand_raises_no_alarm(tier: str) -> None:
    alerts, faults = standing(f"{tier}-000-legal")
    assert faults == []
    assert [f"{a.rule.value} {a.seat} at {a.at:.1f}" for a in alerts] == []


@pytest.mark.parametrize("tier", TIERS)
def test_two_tiles_picked_are_found_and_nothing_else(tier: str) -> None:
    alerts, faults = standing(f"{tier}-003-double_pick")
    assert {(a.rule, a.seat, a.count) for a in alerts} == {
        (Rule.WRONG_COUNT, fault["seat"], fault["count"]) for fault in faults
    }
