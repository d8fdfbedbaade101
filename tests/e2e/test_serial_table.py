"""Four racks and a floor on pseudo-terminals: from wire bytes to an alert on MQTT and in the event log."""

import asyncio
from pathlib import Path

import pytest

from firmware_bridge.messages import Place
from hw.simulator.evening import simulate_evening
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Options, RuleFault, Tier, Wiring
from monitor.alerts import Alert, AlertState, Rule
from monitor.events import CountChanged, Dealt, Discarded, PlayStarted, Racked, Seat
from tests.broker import Mosquitto
from tests.e2e.fast_loop import fast
from tests.e2e.house import House
from tests.e2e.listener import listening


def options(seed: int, fault: RuleFault | None = None, tier: Tier = Tier.HYBRID) -> Options:
    return Options(seed=seed, tier=tier, rule_fault=fault, discards=8, wiring=Wiring.USB)


@pytest.mark.broker
@fast(40.0)
async def test_a_double_pick_on_four_lines_reaches_the_director_and_the_log(tmp_path: Path) -> None:
    evening = simulate_evening(options(1, RuleFault.DOUBLE_PICK))
    (fault,) = evening.truth.faults
    with Mosquitto(tmp_path) as broker:
        async with (
            PtyTable(evening, tmp_path / "ports") as table,
            listening(broker, "rackwatch/v1/T1/#") as heard,
            House(tmp_path, evening.furniture.setup, serial=table.ports, broker=broker) as house,
        ):
            await house.linked()
            playing = asyncio.create_task(table.play())
            alert = await house.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
            await playing
            await house.close()
    assert (alert.count, alert.article) == (fault.count, "205")
    stored = [row.record for row in house.stored()]
    assert alert in stored
    kinds = {type(record) for record in stored}
    assert {PlayStarted, Racked, Discarded, CountChanged} <= kinds
    assert alert in heard.alerts("director")
    assert all(told.rule is not Rule.WRONG_COUNT for told in heard.alerts("public"))
    public = b"\n".join(payload for topic, payload in heard.messages if "/public/" in topic)
    assert b"window_closed" in public
    assert b'"count":' not in public
    assert b'"uid"' not in b"\n".join(payload for _, payload in heard.messages)


@fast(40.0)
async def test_a_rack_that_is_unplugged_is_missed_found_again_and_never_accused(tmp_path: Path) -> None:
    evening = simulate_evening(options(1))
    async with (
        PtyTable(evening, tmp_path / "ports") as table,
        House(tmp_path, evening.furniture.setup, serial=table.ports) as house,
    ):
        await house.linked()
        playing = asyncio.create_task(table.play())
        await house.until(lambda: any(isinstance(record, Dealt) for record in house.records))
        table.unplug(Place.SOUTH)
        await house.until(lambda: bool(ailing(house)))
        table.plug_in(Place.SOUTH)
        await house.until(lambda: not ailing(house))
        await playing
    assert not any(
        isinstance(record, Alert) and record.rule in {Rule.WRONG_COUNT, Rule.REDEAL, Rule.MISSING_TILE, Rule.LATE_CALL}
        for record in house.records
    )


def ailing(house: House) -> list[Alert]:
    """What stands about South's sensors."""
    latest = {
        record.id: record
        for record in house.records
        if isinstance(record, Alert) and record.rule is Rule.SENSOR_FAULT and record.seat is Seat.SOUTH
    }
    return [alert for alert in latest.values() if alert.state is AlertState.RAISED]
