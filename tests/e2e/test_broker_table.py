"""Nodes on a real broker: from JSON on the wire to an alert on MQTT and in the log, and a broker that restarts."""

import asyncio
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.messages import Readings
from firmware_bridge.received import Published
from firmware_bridge.recording import read_recording
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.live_mqtt import Broker, MqttTable
from hw.simulator.options import Options, RuleFault, Tier, Wiring
from monitor.alerts import PUBLIC_RULES, Alert, Rule
from monitor.events import Event, PlayStarted, Seat, without_identities
from tests.broker import Mosquitto
from tests.e2e.fast_loop import fast
from tests.e2e.house import House
from tests.e2e.listener import listening

pytestmark = pytest.mark.broker


def evening_of(seed: int, fault: RuleFault | None) -> Evening:
    return simulate_evening(Options(seed=seed, tier=Tier.HYBRID, rule_fault=fault, discards=8, wiring=Wiring.NETWORK))


def table_of(evening: Evening, broker: Mosquitto) -> MqttTable:
    return MqttTable(evening, Broker(host=broker.host, port=broker.port))


@fast(20.0)
async def test_a_late_call_over_the_broker_reaches_director_public_and_log(tmp_path: Path) -> None:
    evening = evening_of(1, RuleFault.LATE_CALL)
    (fault,) = evening.truth.faults
    with Mosquitto(tmp_path) as broker:
        async with (
            listening(broker, "rackwatch/v1/+/+/+") as heard,
            House(tmp_path, evening.furniture.setup, broker=broker) as house,
        ):
            await house.linked()
            _, alert = await asyncio.gather(
                table_of(evening, broker).run(), house.alert(Rule.LATE_CALL, Seat(str(fault.seat)))
            )
            await house.close()
    assert alert.article == "107"
    assert alert in [row.record for row in house.stored()]
    assert alert in heard.alerts("director")
    public = next(one for one in heard.alerts("public") if one.message == alert.message)
    assert (public.rule, public.seat, public.evidence) == (alert.rule, alert.seat, ())
    assert {one.seq for one in heard.alerts("public")} == set(
        range(1, 1 + max(one.seq for one in heard.alerts("public")))
    )
    assert {one.rule for one in heard.alerts("public")} <= PUBLIC_RULES
    assert heard.payloads("rackwatch/v1/T1/public/state")
    assert heard.payloads("rackwatch/v1/monitor/rackwatch/status") == [b"online", b"offline"]


@fast(20.0)
async def test_a_broker_that_restarts_in_mid_hand_loses_nothing_either_way(tmp_path: Path) -> None:
    evening = evening_of(1, RuleFault.DOUBLE_PICK)
    with Mosquitto(tmp_path) as broker:
        async with (
            listening(broker, "rackwatch/v1/T1/director/#") as heard,
            House(tmp_path, evening.furniture.setup, broker=broker) as house,
        ):
            await house.linked()
            table = table_of(evening, broker)
            playing = asyncio.create_task(table.run())
            await house.until(lambda: any(isinstance(record, PlayStarted) for record in house.records))
            before = len(heard.messages)
            await asyncio.to_thread(broker.stop)
            await asyncio.to_thread(broker.start)
            await playing
            await house.close()
            told = {msgspec.json.encode(record) for record in house.records}
            async with asyncio.timeout(200):
                while not told <= {payload for _, payload in heard.messages}:
                    heard.came.clear()
                    await heard.came.wait()
    assert before > 0
    assert table.dropped == 0
    assert {payload for _, payload in heard.messages} == told
    assert [shown(row.record) for row in house.stored()] == house.records
    recorded = numbers_recorded(tmp_path / "recordings")
    sent = numbers_sent(evening)
    assert {node: sorted(numbers) for node, numbers in recorded.items()} == sent


def shown(record: Event | Alert) -> Event | Alert:
    """A record of the log as it leaves it."""
    return record if isinstance(record, Alert) else without_identities(record)


def numbers_sent(evening: Evening) -> dict[str, list[int]]:
    sent = defaultdict(list)
    for message in evening.messages:
        if message.readings is not None:
            sent[message.readings.node].append(message.readings.seq)
    return {node: sorted(numbers) for node, numbers in sent.items()}


def numbers_recorded(folder: Path) -> dict[str, set[int]]:
    recorded: dict[str, set[int]] = defaultdict(set)
    (path,) = folder.iterdir()
    for received in read_recording(path):
        if isinstance(received, Published) and received.topic.endswith("/readings"):
            readings = msgspec.json.decode(received.payload, type=Readings)
            recorded[readings.node].add(readings.seq)
    return recorded
