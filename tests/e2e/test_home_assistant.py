"""Home Assistant at a real broker, beside the real daemon with a simulated table: what it finds and would show."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import jinja2
import msgspec
import pytest

from hw.simulator.evening import simulate_evening
from hw.simulator.live_mqtt import Broker, MqttTable
from hw.simulator.options import Options, RuleFault, Tier, Wiring
from monitor.alerts import Rule
from monitor.announcer import ABOUT
from monitor.events import Seat
from monitor.home_assistant import BIRTH_TOPIC
from tests.broker import Mosquitto
from tests.e2e.fast_loop import fast
from tests.e2e.house import House

pytestmark = pytest.mark.broker
ON = "[home_assistant]\nenabled = true\n"
ABOVE = "homeassistant/device/rackwatch-rackwatch"
ANNOUNCED = {f"{ABOVE}/monitor/config", f"{ABOVE}/table-T1/config"}
EVENING = simulate_evening(
    Options(seed=1, tier=Tier.HYBRID, rule_fault=RuleFault.DOUBLE_PICK, discards=6, wiring=Wiring.NETWORK)
)


class HomeAssistant:
    """What a Home Assistant hears: discovery, and the states that it was told to read."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.kept: dict[str, bytes] = {}
        self.heard: list[tuple[str, bytes]] = []
        self._came = asyncio.Event()

    async def listen(self) -> None:
        async for message in self.client.messages:
            topic, payload = str(message.topic), message.payload
            assert isinstance(payload, bytes)
            self.heard.append((topic, payload))
            self.kept[topic] = payload
            self._came.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(200):
            while not condition():
                self._came.clear()
                await self._came.wait()

    def devices(self) -> set[str]:
        return {topic for topic, payload in self.kept.items() if topic.endswith("/config") and payload}

    def announcements(self) -> int:
        return sum(topic.endswith("/config") and bool(payload) for topic, payload in self.heard)

    def shown(self, component: str) -> list[str]:
        """What an entity of the table has shown, one after the other."""
        told = msgspec.json.decode(self.kept[f"{ABOVE}/table-T1/config"])
        template = jinja2.Environment().from_string(told["components"][component]["value_template"])
        states = [msgspec.json.decode(payload) for topic, payload in self.heard if topic == told["state_topic"]]
        texts = [template.render(value_json=state) for state in states]
        return [text for number, text in enumerate(texts) if number == 0 or text != texts[number - 1]]


@asynccontextmanager
async def home_assistant(broker: Mosquitto) -> AsyncIterator[HomeAssistant]:
    async with aiomqtt.Client(broker.host, broker.port, identifier="home-assistant", timeout=100) as client:
        await client.subscribe(
            [("homeassistant/#", 1), ("rackwatch/v1/+/public/state", 1), ("rackwatch/v1/monitor/#", 1)]
        )
        home = HomeAssistant(client)
        task = asyncio.create_task(home.listen(), name="Home Assistant")
        try:
            yield home
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def house(folder: Path, broker: Mosquitto, more: str) -> House:
    folder.mkdir(exist_ok=True)
    return House(folder, EVENING.furniture.setup, broker=broker, more=more)


@fast(20.0)
async def test_a_club_sees_its_table_and_no_count(tmp_path: Path) -> None:
    """A hand with a wrong count, which is ruled: what Home Assistant shows of it, and every byte that it gets."""
    (fault,) = EVENING.truth.faults
    with Mosquitto(tmp_path) as broker:
        async with home_assistant(broker) as home, house(tmp_path, broker, ON) as watched:
            await watched.linked()
            playing = asyncio.create_task(MqttTable(EVENING, Broker(host=broker.host, port=broker.port)).run())
            await watched.alert(Rule.WRONG_COUNT, Seat(str(fault.seat)))
            await playing
            await watched.close()
            await home.until(lambda: home.kept.get("rackwatch/v1/monitor/rackwatch/status") == b"offline")
        async with home_assistant(broker) as later:
            await later.until(lambda: later.devices() == ANNOUNCED)
    assert home.devices() == ANNOUNCED
    phases = home.shown("phase")
    assert phases[0] == "Waiting for a hand"
    assert [one for one in phases if one in {"Charleston", "Play"}][:2] == ["Charleston", "Play"]
    assert (
        {"No discard yet", "Open", "Closed"}
        <= set(home.shown("window"))
        <= {"No discard yet", "Open", "Closed", "Claimed"}
    )
    assert set(home.shown("window_open")) == {"ON", "OFF"}
    assert {"East", "South", "West", "North"} <= set(home.shown("turn"))
    assert home.shown("hand")[-1] == "1"
    unknown, *discards = home.shown("last_discard")
    assert unknown == "None"
    assert discards
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", one) for one in discards)
    for topic, payload in home.heard:
        assert not carries_a_secret(topic, payload), topic


def carries_a_secret(topic: str, payload: bytes) -> bool:
    """Tiles, counts and count alerts, by their keys and rules; the names of the keys themselves hold nothing."""
    if topic.endswith("/public/state"):
        state: dict[str, Any] = msgspec.json.decode(payload)
        if state["counts"] or any(one.get("count") or one.get("uid") or one.get("face") for one in state["recent"]):
            return True
        return bool(re.search(rb"wrong_count|missing_tile|redeal|count_changed", payload))
    return bool(re.search(rb"count|alert|tiles|slope|ledge|uid|face|director", payload))


@fast(20.0)
async def test_a_birth_brings_everything_again_and_is_no_reading(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        async with home_assistant(broker) as home, house(tmp_path, broker, ON) as watched:
            await home.until(lambda: home.announcements() == 2)
            await home.client.publish(BIRTH_TOPIC, "online", qos=1)
            await home.until(lambda: home.announcements() == 4)
            await watched.close()
            assert watched.daemon._router.rejected == {}
    assert list((tmp_path / "recordings").iterdir()) == []


@fast(20.0)
async def test_what_is_no_more_goes_and_off_takes_all_of_it_back(tmp_path: Path) -> None:
    gone = f"{ABOVE}/table-T9/config"
    others = "homeassistant/device/zigbee/lamp/config"
    with Mosquitto(tmp_path) as broker:
        async with home_assistant(broker) as home:
            for topic in (gone, others):
                await home.client.publish(topic, b'{"device":{}}', qos=1, retain=True)
            async with house(tmp_path / "on", broker, ON):
                await home.until(lambda: home.devices() == {*ANNOUNCED, others})
            assert home.devices() == {*ANNOUNCED, others}
            async with house(tmp_path / "elsewhere", broker, f'{ON}discovery_prefix = "ha"\n'):
                await home.until(lambda: home.devices() == {others})
            async with house(tmp_path / "on", broker, ON):
                await home.until(lambda: home.devices() == {*ANNOUNCED, others})
            async with house(tmp_path / "off", broker, ""):
                await home.until(lambda: home.devices() == {others})
        async with aiomqtt.Client(broker.host, broker.port, timeout=100) as late:
            await late.subscribe("+/device/#", qos=1)
            await late.publish("end/device/end", b"", qos=1)
            kept = []
            async for message in late.messages:
                if str(message.topic) == "end/device/end":
                    break
                kept.append(str(message.topic))
    assert kept == [others]


@fast(20.0)
async def test_a_broker_that_forgot_everything_is_told_again(tmp_path: Path) -> None:
    with Mosquitto(tmp_path) as broker:
        async with house(tmp_path, broker, ON) as watched:
            async with home_assistant(broker) as home:
                await home.until(lambda: home.devices() == ANNOUNCED)
            await asyncio.to_thread(broker.kill)
            for kept in (tmp_path / "mosquitto").glob("*.db*"):
                kept.unlink()
            await asyncio.to_thread(broker.start)
            async with home_assistant(broker) as home:
                await home.until(lambda: home.devices() == ANNOUNCED and "rackwatch/v1/T1/public/state" in home.kept)
            await watched.close()


@fast(20.0)
async def test_a_broker_that_refuses_is_told_of_and_stops_nothing_else(tmp_path: Path) -> None:
    access = tmp_path / "access"
    access.write_text("topic readwrite rackwatch/v1/#\n")
    with Mosquitto(tmp_path, extra=f"acl_file {access}") as broker:
        async with house(tmp_path, broker, ON) as watched:
            await watched.linked()
            async with asyncio.timeout(200):
                while ABOUT not in watched.daemon._hub._notices:  # noqa: ASYNC110  # a notice tells nobody
                    await asyncio.sleep(0.1)
            assert all(link.connected() for link in watched.daemon._links)
