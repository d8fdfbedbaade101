"""What Home Assistant is told there is: a device for each table and one for the monitor, by MQTT discovery.

Owns topics and payloads of discovery: one message a device with its components (Home Assistant 2024.12 or newer,
home-assistant.io/integrations/mqtt/#device-discovery-payload). Refuses to know when they are sent (`monitor.announcer`)
and what a table shows: a component is a reading of the public state, which the broker has anyway. So nothing gets there
that is not public, and in practice mode nothing more. Pure: settings in, publications out.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.transports.transport import Publication
from monitor.events import SEATS
from monitor.settings import Settings
from monitor.topics import state_topic, status_topic
from monitor.view import WindowState
from monitor.wording import PHASES, SIGNS, WINDOWS, seat_name

BIRTH_TOPIC: Final = "homeassistant/status"
"""Where Home Assistant says `online` when it has started: its default, whatever the discovery prefix."""

_ALLOWED = re.compile(r"[A-Za-z0-9_-]+")
"""What Home Assistant allows in the ids of a discovery topic."""

_encode = msgspec.json.Encoder().encode


class Availability(Struct, frozen=True):
    """A topic that says `online` or `offline`."""

    topic: str


class Origin(Struct, frozen=True):
    """Who speaks."""

    name: str
    sw_version: str


class Device(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One device as Home Assistant lists it. `via_device`: identifier of the device that it is reached by."""

    identifiers: tuple[str, ...]
    name: str
    manufacturer: str
    model: str
    sw_version: str
    via_device: str | None = None


class Component(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entity. `value_template` (Jinja) reads its state out of what comes on the state topic; *None*: unknown."""

    platform: str
    unique_id: str
    name: str
    value_template: str | None = None
    device_class: str | None = None
    options: tuple[str, ...] = ()
    icon: str | None = None
    entity_category: str | None = None
    payload_on: str | None = None
    payload_off: str | None = None
    availability: tuple[Availability, ...] = ()


class Announcement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A discovery message: a device, its components by id, and what they share."""

    device: Device
    origin: Origin
    components: dict[str, Component]
    state_topic: str
    availability: tuple[Availability, ...] = ()
    qos: int = 0


class Discovery(Struct, frozen=True):
    """What one monitor tells Home Assistant. `node`: its own level in discovery topics."""

    node: str
    announcements: tuple[Publication, ...]
    """One a device, kept by the broker; none where Home Assistant is switched off."""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What is to be heard: what we, or earlier runs of ours, have announced under any prefix, and the birth of
        Home Assistant if there is anything to tell it."""
        own = f"+/device/{self.node}/+/config"
        return (own, BIRTH_TOPIC) if self.announcements else (own,)

    def owns(self, topic: str) -> bool:
        """Whether a topic is one of this monitor's announcements, present or past."""
        levels = topic.split("/")
        return len(levels) == 5 and levels[1:3] == ["device", self.node] and levels[4] == "config"


def discovery(settings: Settings, version: str) -> Discovery:
    """All that there is to announce: nothing where Home Assistant is switched off or there is no broker."""
    client_id = settings.mqtt.client_id if settings.mqtt is not None else ""
    node = _node(client_id)
    if settings.mqtt is None or not settings.home_assistant.enabled:
        return Discovery(node, ())
    devices = {"monitor": _monitor(node, client_id, version)}
    devices |= {f"table-{table.name}": _table(node, client_id, table.name, version) for table in settings.tables}
    above = f"{settings.home_assistant.discovery_prefix}/device/{node}"
    return Discovery(
        node,
        tuple(
            Publication(f"{above}/{name}/config", _encode(announcement), retain=True)
            for name, announcement in devices.items()
        ),
    )


def _node(client_id: str) -> str:
    """The monitor's level in topics: its client id, or where that holds what Home Assistant forbids, one like it."""
    if _ALLOWED.fullmatch(client_id):
        return f"rackwatch-{client_id}"
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", client_id).strip("-")
    return f"rackwatch-{readable}-{sha256(client_id.encode()).hexdigest()[:8]}"


def _monitor(node: str, client_id: str, version: str) -> Announcement:
    here = f"{node}.monitor"
    return Announcement(
        device=Device(
            identifiers=(here,), name="Rackwatch", manufacturer="Rackwatch", model="Monitor", sw_version=version
        ),
        origin=Origin("Rackwatch", version),
        state_topic=status_topic(client_id),
        components={
            "online": Component(
                platform="binary_sensor",
                unique_id=f"{here}.online",
                name=SIGNS["online"],
                device_class="connectivity",
                entity_category="diagnostic",
                payload_on="online",
                payload_off="offline",
            ),
            "version": Component(
                platform="sensor",
                unique_id=f"{here}.version",
                name=SIGNS["version"],
                icon="mdi:tag-outline",
                entity_category="diagnostic",
                value_template=version,
                availability=(Availability(status_topic(client_id)),),
            ),
        },
        qos=1,
    )


def _table(node: str, client_id: str, table: str, version: str) -> Announcement:
    here = f"{node}.table.{table}"
    return Announcement(
        device=Device(
            identifiers=(here,),
            name=f"Table {table}",
            manufacturer="Rackwatch",
            model="American Mah Jongg table",
            sw_version=version,
            via_device=f"{node}.monitor",
        ),
        origin=Origin("Rackwatch", version),
        state_topic=state_topic(table),
        availability=(Availability(status_topic(client_id)),),
        components={
            "phase": _worded(here, "phase", "value_json.phase", PHASES.items(), "mdi:cards-outline"),
            "hand": Component(
                platform="sensor",
                unique_id=f"{here}.hand",
                name=SIGNS["hand"],
                icon="mdi:pound",
                value_template="{{ value_json.hand }}",
            ),
            "turn": _worded(
                here,
                "turn",
                "value_json.turn",
                ((seat, seat_name(seat)) for seat in SEATS),
                "mdi:arrow-right-circle-outline",
            ),
            "window": _worded(
                here, "window", "value_json.window.state", WINDOWS.items(), "mdi:hand-back-right-outline"
            ),
            "window_open": Component(
                platform="binary_sensor",
                unique_id=f"{here}.window_open",
                name=SIGNS["window_open"],
                icon="mdi:lightbulb-outline",
                value_template=f"{{{{ 'ON' if value_json.window.state == '{WindowState.OPEN}' else 'OFF' }}}}",
            ),
            "last_discard": Component(
                platform="sensor",
                unique_id=f"{here}.last_discard",
                name=SIGNS["last_discard"],
                device_class="timestamp",
                value_template="{{ value_json.last_discard_utc }}",
            ),
            "problem": Component(
                platform="binary_sensor",
                unique_id=f"{here}.problem",
                name=SIGNS["problem"],
                device_class="problem",
                entity_category="diagnostic",
                value_template="{{ 'ON' if value_json.health else 'OFF' }}",
            ),
        },
        qos=1,
    )


def _worded(here: str, sign: str, value: str, words: Iterable[tuple[str, str]], icon: str) -> Component:
    """A sensor that says one of a few words; a value that has none is unknown."""
    shown = {key: word[0].upper() + word[1:] for key, word in words}
    return Component(
        platform="sensor",
        unique_id=f"{here}.{sign}",
        name=SIGNS[sign],
        device_class="enum",
        options=tuple(shown.values()),
        icon=icon,
        value_template=f"{{{{ {_encode(shown).decode()}.get({value}) }}}}",
    )
