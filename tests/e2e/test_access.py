"""The venue's broker as it is configured: who hears counts, who may speak for a node or a referee."""

import asyncio
import re
from pathlib import Path

import aiomqtt
import pytest

from tests.broker import Mosquitto

pytestmark = pytest.mark.broker
CONFIG = Path(__file__).parents[2] / "config" / "mosquitto"
USERS = {"rackwatch": "r", "node": "n", "director": "d", "floor": "f", "homeassistant": "h"}
SAID = {
    "rackwatch": ["T1/public/state", "T1/director/events", "monitor/rackwatch/status", "T1/east/light"],
    "node": ["T1/east/readings", "T1/east/input", "T1/director/alerts"],
    "director": ["T1/south/input", "T1/public/events"],
    "floor": ["T1/west/input", "T1/west/readings"],
}


@pytest.fixture
def broker(tmp_path: Path) -> Mosquitto:
    return Mosquitto(tmp_path, users=dict(USERS), extra=f"acl_file {CONFIG / 'rackwatch.acl'}")


async def heard_by(broker: Mosquitto, user: str, topics: str, said: dict[str, list[str]]) -> set[tuple[str, str]]:
    """The topics that a user hears, and who spoke, of everything that everybody tries to say."""
    heard: set[tuple[str, str]] = set()
    ended = f"rackwatch/v1/T1/{'east/light' if user == 'node' else 'public/state'}"
    async with client(broker, user, "ear") as ear, client(broker, "rackwatch", "end") as end:
        await ear.subscribe([(topics, 1), (ended, 1)])
        for speaker, spoken in said.items():
            async with client(broker, speaker, "mouth") as mouth:
                for topic in spoken:
                    await mouth.publish(topic, speaker, qos=1)
        await end.publish(ended, "end", qos=1)
        async with asyncio.timeout(10):
            async for message in ear.messages:
                if message.payload == b"end":
                    return heard
                assert isinstance(message.payload, bytes)
                heard.add((str(message.topic), message.payload.decode()))
    raise AssertionError("the broker hung up")


def client(broker: Mosquitto, user: str, name: str) -> aiomqtt.Client:
    return aiomqtt.Client(
        broker.host,
        broker.port,
        username=user,
        password=USERS[user],
        identifier=f"{user}-{name}",
        protocol=aiomqtt.ProtocolVersion.V5,
    )


@pytest.mark.parametrize(
    ("user", "hears"),
    [
        ("floor", {"T1/public/state", "monitor/rackwatch/status"}),
        ("node", {"T1/east/light"}),
        ("homeassistant", {"T1/public/state", "monitor/rackwatch/status"}),
        (
            "director",
            {
                "T1/public/state",
                "T1/director/events",
                "monitor/rackwatch/status",
                "T1/east/light",
                "T1/east/readings",
                "T1/south/input",
            },
        ),
    ],
)
async def test_who_hears_and_who_may_speak(broker: Mosquitto, user: str, hears: set[str]) -> None:
    said = {speaker: [f"rackwatch/v1/{topic}" for topic in topics] for speaker, topics in SAID.items()}
    with broker:
        heard = await heard_by(broker, user, "rackwatch/#", said)
    assert {topic.removeprefix("rackwatch/v1/") for topic, _ in heard} == hears


ANNOUNCED = "homeassistant/device/rackwatch-rackwatch/table-T1/config"
BORN = "homeassistant/status"


@pytest.mark.parametrize("user", USERS)
async def test_home_assistant_is_told_by_the_monitor_alone_and_tells_it_of_its_birth(
    broker: Mosquitto, user: str
) -> None:
    said = {(ANNOUNCED, "rackwatch"), (ANNOUNCED, "homeassistant"), (BORN, "homeassistant")}
    with broker:
        heard = await heard_by(broker, user, "homeassistant/#", {speaker: [ANNOUNCED, BORN] for speaker in USERS})
    assert heard == (said if user in {"rackwatch", "homeassistant"} else set())


def test_the_venues_configuration_is_one_that_mosquitto_takes(tmp_path: Path) -> None:
    """With the certificate and the passwords of a test, and its own port and folder."""
    shown = (CONFIG / "rackwatch.conf").read_text()
    kept = [
        line
        for line in shown.splitlines()
        if line and not re.match(r"#|listener|cafile|certfile|keyfile|persistence|password_file|allow_anonymous", line)
    ]
    text = "\n".join(kept).replace("/etc/mosquitto/rackwatch.acl", str(CONFIG / "rackwatch.acl"))
    assert "message_size_limit" in text
    lines = [line for line in text.splitlines() if not line.startswith(("autosave", "max_queued", "per_listener"))]
    with Mosquitto(tmp_path, users=dict(USERS), extra="\n".join(lines), tls=True) as broker:
        assert "Error" not in broker.log
