"""The venue's broker as it is configured: who hears counts, who may speak for a node or a referee."""

import asyncio
import re
from pathlib import Path

import aiomqtt
import pytest

from tests.broker import Mosquitto

pytestmark = pytest.mark.broker
CONFIG = Path(__file__).parents[2] / "config" / "mosquitto"
USERS = {"rackwatch": "r", "node": "n", "director": "d", "floor": "f"}
SAID = {
    "rackwatch": ["T1/public/state", "T1/director/events", "monitor/rackwatch/status", "T1/east/light"],
    "node": ["T1/east/readings", "T1/east/input", "T1/director/alerts"],
    "director": ["T1/south/input", "T1/public/events"],
    "floor": ["T1/west/input", "T1/west/readings"],
}


@pytest.fixture
def broker(tmp_path: Path) -> Mosquitto:
    return Mosquitto(tmp_path, users=dict(USERS), extra=f"acl_file {CONFIG / 'rackwatch.acl'}")


async def heard_by(broker: Mosquitto, user: str) -> set[str]:
    """The topics that a user hears of everything that everybody tries to say."""
    heard: set[str] = set()
    ended = f"rackwatch/v1/T1/{'east/light' if user == 'node' else 'public/end'}"
    async with client(broker, user, "ear") as ear, client(broker, "rackwatch", "end") as end:
        await ear.subscribe("rackwatch/#", qos=1)
        for speaker, topics in SAID.items():
            async with client(broker, speaker, "mouth") as mouth:
                for topic in topics:
                    await mouth.publish(f"rackwatch/v1/{topic}", speaker, qos=1)
        await end.publish(ended, "end", qos=1)
        async with asyncio.timeout(10):
            async for message in ear.messages:
                if message.payload == b"end":
                    return heard
                heard.add(str(message.topic).removeprefix("rackwatch/v1/"))
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
    with broker:
        assert await heard_by(broker, user) == hears


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
