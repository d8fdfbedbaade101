"""What Home Assistant is told: by its documented keys, in its own template language, and nothing that is not public."""

import re
from typing import Any

import jinja2
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import nodes
from msgspec.structs import replace

from monitor.alerts import Alert, AlertState, Authority, Level, Rule
from monitor.events import Discarded, Seat
from monitor.home_assistant import BIRTH_TOPIC, Discovery, discovery
from monitor.publisher import PublicState
from monitor.settings import HomeAssistantSettings, MqttSettings, Settings, TableSettings
from monitor.view import Counts, Phase, Window, WindowState

VERSION = "1.2.3"

SHARED = {"availability", "availability_mode", "command_topic", "state_topic", "qos", "encoding"}
DEVICE = {
    *("identifiers", "connections", "manufacturer", "model", "model_id", "name", "hw_version", "serial_number"),
    *("sw_version", "via_device", "suggested_area", "configuration_url"),
}
ORIGIN = {"name", "sw_version", "support_url"}
ENTITY = {
    *("availability", "entity_picture", "enabled_by_default", "entity_category", "icon", "default_entity_id", "name"),
    *("json_attributes_topic", "json_attributes_template", "unique_id", "state_topic", "value_template", "qos"),
    *("device_class", "expire_after", "force_update", "platform"),
}
KEYS = {
    "sensor": ENTITY | {"options", "state_class", "unit_of_measurement", "suggested_display_precision"},
    "binary_sensor": ENTITY | {"payload_on", "payload_off", "off_delay"},
}
"""Documented at home-assistant.io/integrations/mqtt, sensor.mqtt and binary_sensor.mqtt; the same keys stand in
`schemas.py` and the schemas of both platforms in Home Assistant's `components/mqtt`."""
DEVICE_CLASSES = {"sensor": {"enum", "timestamp"}, "binary_sensor": {"connectivity", "problem"}}
TOPIC = re.compile(r"homeassistant/device/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config")
"""Its `discovery.py` takes these topics of a device alone."""


def settings(
    *tables: str, client_id: str = "rackwatch", enabled: bool = True, prefix: str = "homeassistant"
) -> Settings:
    return Settings(
        tables=tuple(TableSettings(name=name, practice=name == "practice") for name in tables),
        mqtt=MqttSettings(host="h", client_id=client_id),
        home_assistant=HomeAssistantSettings(enabled=enabled, discovery_prefix=prefix),
    )


def payloads(found: Discovery) -> dict[str, dict[str, Any]]:
    return {one.topic.split("/")[3]: msgspec.json.decode(one.payload) for one in found.announcements}


TOLD = payloads(discovery(settings("T1", "practice"), VERSION))
ENTITIES = [(device, name) for device, told in TOLD.items() for name in told["components"]]


def rendered(device: str, component: str, state: bytes) -> str:
    """As Home Assistant renders it: the payload as JSON in `value_json`; what is None is written so, and is unknown."""
    template = TOLD[device]["components"][component]["value_template"]
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    return environment.from_string(template).render(value_json=msgspec.json.decode(state))


def shown(view: PublicState) -> dict[str, str]:
    state = msgspec.json.encode(view)
    return {name: rendered("table-T1", name, state) for name in TOLD["table-T1"]["components"]}


def test_each_device_has_one_message_that_the_broker_keeps() -> None:
    found = discovery(settings("T1", "T2"), VERSION)
    assert [one.topic for one in found.announcements] == [
        "homeassistant/device/rackwatch-rackwatch/monitor/config",
        "homeassistant/device/rackwatch-rackwatch/table-T1/config",
        "homeassistant/device/rackwatch-rackwatch/table-T2/config",
    ]
    assert {(one.qos, one.retain) for one in found.announcements} == {(1, True)}
    assert found.subscriptions == ("+/device/rackwatch-rackwatch/+/config", BIRTH_TOPIC)


@pytest.mark.parametrize("device", TOLD)
def test_a_message_has_documented_keys_alone_and_those_that_are_needed(device: str) -> None:
    told = TOLD[device]
    assert {"device", "origin", "components"} <= set(told) <= {"device", "origin", "components"} | SHARED
    assert {"identifiers", "name"} <= set(told["device"]) <= DEVICE
    assert {"name"} <= set(told["origin"]) <= ORIGIN
    assert told["device"]["sw_version"] == told["origin"]["sw_version"] == VERSION


@pytest.mark.parametrize(("device", "name"), ENTITIES)
def test_a_component_is_one_that_home_assistant_takes(device: str, name: str) -> None:
    one = TOLD[device]["components"][name]
    platform = one["platform"]
    assert {"platform", "unique_id", "name"} <= set(one) <= KEYS[platform]
    assert one.get("device_class") in DEVICE_CLASSES[platform] | {None}
    assert ("options" in one) == (one.get("device_class") == "enum")
    assert one.get("entity_category") in {"diagnostic", None}
    assert one.get("icon", "mdi:x").startswith("mdi:")


def test_what_is_said_while_the_monitor_is_away() -> None:
    """Everything is unavailable, but for the sign that says so."""
    status = [{"topic": "rackwatch/v1/monitor/rackwatch/status"}]
    assert TOLD["table-T1"]["availability"] == status
    monitor = TOLD["monitor"]
    assert "availability" not in monitor
    assert monitor["components"]["version"]["availability"] == status
    online = monitor["components"]["online"]
    assert (monitor["state_topic"], online["payload_on"], online["payload_off"]) == (
        status[0]["topic"],
        "online",
        "offline",
    )
    assert rendered("monitor", "version", b'"online"') == VERSION


def test_a_table_is_reached_by_the_monitor() -> None:
    (monitor,) = TOLD["monitor"]["device"]["identifiers"]
    assert TOLD["table-T1"]["device"]["via_device"] == monitor
    assert TOLD["table-T1"]["device"]["name"] == "Table T1"


NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=8), st.lists(NAMES, min_size=1, max_size=4, unique=True)),
        min_size=2,
        max_size=4,
        unique_by=lambda monitor: monitor[0],
    )
)
def test_no_two_devices_or_entities_of_any_monitors_are_taken_for_one(monitors: list[tuple[str, list[str]]]) -> None:
    found = [discovery(settings(*tables, client_id=client_id), VERSION) for client_id, tables in monitors]
    topics = [one.topic for each in found for one in each.announcements]
    told = [msgspec.json.decode(one.payload) for each in found for one in each.announcements]
    devices = [identifier for one in told for identifier in one["device"]["identifiers"]]
    entities = [component["unique_id"] for one in told for component in one["components"].values()]
    for ids in (topics, devices, entities):
        assert len(set(ids)) == len(ids)
    assert all(TOPIC.fullmatch(topic) for topic in topics)
    for each in found:
        assert {topic for topic in topics if each.owns(topic)} == {one.topic for one in each.announcements}


def test_ids_stay_as_they_are() -> None:
    """A club's automations and history hang on them."""
    assert TOLD["table-T1"]["device"]["identifiers"] == ["rackwatch-rackwatch.table.T1"]
    assert {name: one["unique_id"] for name, one in TOLD["table-T1"]["components"].items()} == {
        name: f"rackwatch-rackwatch.table.T1.{name}"
        for name in ("phase", "hand", "turn", "window", "window_open", "last_discard", "problem")
    }
    assert discovery(settings("T1", client_id="a b"), "1").node == discovery(settings("T1", client_id="a b"), "2").node


def test_switched_off_nothing_is_announced_and_what_was_is_still_known() -> None:
    before, now = (discovery(settings("T1", enabled=on), VERSION) for on in (True, False))
    assert now.announcements == ()
    assert now.subscriptions == ("+/device/rackwatch-rackwatch/+/config",)
    assert all(now.owns(one.topic) for one in before.announcements)


def test_what_was_announced_under_another_prefix_is_known_and_what_others_announce_is_not_ours() -> None:
    found = discovery(settings("T1"), VERSION)
    assert found.owns("ha/device/rackwatch-rackwatch/table-T9/config")
    for other in (
        "homeassistant/device/rackwatch-hall/table-T1/config",
        "homeassistant/sensor/rackwatch-rackwatch/table-T1/config",
        "homeassistant/device/rackwatch-rackwatch/config",
        "rackwatch/v1/T1/east/readings",
        "homeassistant/status",
    ):
        assert not found.owns(other)


def test_a_table_before_anything_is_known() -> None:
    assert shown(PublicState("T1")) == {
        "phase": "Waiting for a hand",
        "hand": "0",
        "turn": "None",
        "window": "No discard yet",
        "window_open": "OFF",
        "last_discard": "None",
        "problem": "OFF",
    }


def test_a_table_at_play() -> None:
    state = msgspec.json.decode(
        b'{"table":"T1","hand":3,"phase":"play","turn":"west","window":{"state":"open"},'
        b'"last_discard_utc":"2026-11-14T20:01:02.250000Z","health":[]}',
        type=PublicState,
    )
    assert shown(state) == {
        "phase": "Play",
        "hand": "3",
        "turn": "West",
        "window": "Open",
        "window_open": "ON",
        "last_discard": "2026-11-14T20:01:02.250000Z",
        "problem": "OFF",
    }


@pytest.mark.parametrize(("state", "light"), [("closed", "OFF"), ("claimed", "OFF"), ("open", "ON"), ("none", "OFF")])
def test_the_light_is_on_while_the_discard_may_be_claimed(state: str, light: str) -> None:
    assert shown(PublicState("T1", window=Window(WindowState(state))))["window_open"] == light


VIEWS = st.builds(
    PublicState,
    table=st.just("T1"),
    hand=st.integers(0, 99),
    phase=st.sampled_from(Phase),
    turn=st.none() | st.sampled_from(Seat),
    window=st.builds(Window, state=st.sampled_from(WindowState)),
)


@given(VIEWS)
def test_every_word_is_one_of_those_that_were_announced(view: PublicState) -> None:
    for name, text in shown(view).items():
        one = TOLD["table-T1"]["components"][name]
        if "options" in one:
            assert text in (*one["options"], "None")
        if one["platform"] == "binary_sensor":
            assert text in {"ON", "OFF"}


SECRET = "SECRET-97"


@given(VIEWS)
def test_what_practice_mode_shows_at_the_table_does_not_get_there(view: PublicState) -> None:
    """Practice mode puts counts and count alerts into the public state; Home Assistant shows what it shows without."""
    alert = Alert(
        id=SECRET,
        rule=Rule.WRONG_COUNT,
        at=97.0,
        raised_at=97.0,
        article=SECRET,
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message=SECRET,
        state=AlertState.RAISED,
        seq=97,
        count=97,
        expected=97,
    )
    full = replace(
        view,
        counts=tuple(Counts(seat, 97, 97, 97, SECRET, 0.97) for seat in Seat),
        alerts=(alert,),
        dead=tuple(Seat),
        recent=(Discarded(at=97.0, seq=97, uid=SECRET, face=SECRET),),
    )
    assert shown(full) == shown(view)


@pytest.mark.parametrize(("device", "name"), ENTITIES)
def test_a_component_reads_nothing_but_what_it_is_there_for(device: str, name: str) -> None:
    template = TOLD[device]["components"][name].get("value_template", "")
    tree = jinja2.Environment(autoescape=False).parse(template)
    read = {one.attr for one in tree.find_all(nodes.Getattr)} - {"get"}
    assert read <= {
        "phase": {"phase"},
        "hand": {"hand"},
        "turn": {"turn"},
        "window": {"window", "state"},
        "window_open": {"window", "state"},
        "last_discard": {"last_discard_utc"},
        "problem": {"health"},
    }.get(name, set())


def test_a_table_in_practice_mode_has_nothing_more_and_no_message_speaks_of_counts() -> None:
    found = discovery(settings("T1", "practice"), VERSION)
    _, table, practice = (one.payload for one in found.announcements)
    assert practice.replace(b"practice", b"T1") == table
    for one in found.announcements:
        assert not re.search(rb"count|alert|tiles|slope|ledge|uid|face|json_attributes|director", one.payload)
