"""The daemon's settings as one frozen struct.

Owns the names, defaults, limits and descriptions of all settings; `docs/settings.md` is made from them. Refuses to
know files and what is done with a setting. `monitor.settings_file` reads it, the composition root takes it.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from firmware_bridge.messages import Place
from hw.calibration import CellCalibration

TableName = Annotated[
    str, Meta(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$", description="Name; part of every topic.")
]


class TableSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[tables]]`: one table that is watched."""

    name: TableName
    setup: Annotated[
        str | None,
        Meta(
            description="Set-up file (JSON): calibration of the load cells and faces of the tags; "
            "see `docs/calibration.md`."
        ),
    ] = None
    calibration: Annotated[
        dict[str, CellCalibration],
        Meta(description='Calibration by `place.channel`, as in `[tables.calibration."east.rack"]`; over the file\'s.'),
    ] = {}
    tiles: Annotated[
        str | None, Meta(description="Tile set (JSON, uid to face); replaces the set-up file's tiles.")
    ] = None
    profile: Annotated[str, Meta(description="Rules to judge by: `league`, or a TOML file laid over it.")] = "league"
    practice: Annotated[
        bool, Meta(description="Practice mode: the table and the public page see counts and count alerts.")
    ] = False
    count_monitoring: Annotated[
        bool, Meta(description='Off: no count is shown or judged, as with the profile\'s `count.monitoring = "off"`.')
    ] = True


class SerialSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[serial]]`: one node on a serial line. Name it by `usb_serial` or by `port`, not both."""

    table: Annotated[str, Meta(description="Table that the node belongs to.")]
    place: Annotated[Place, Meta(description="`east`, `south`, `west`, `north` (chairs) or `floor`.")]
    usb_serial: Annotated[
        str | None, Meta(description="Serial number of the USB adapter (`rackwatch check` lists those plugged in).")
    ] = None
    port: Annotated[str | None, Meta(description="Device path or glob, such as `/dev/serial/by-path/*usb-0:1.2*`.")] = (
        None
    )
    baud: Annotated[int, Meta(ge=9600, le=4_000_000, description="Baud rate.")] = 115_200


class MqttSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[mqtt]`: the broker. Leave the section out where there is none."""

    host: Annotated[str, Meta(min_length=1, description="Name or address of the broker.")]
    port: Annotated[int, Meta(ge=1, le=65535, description="Port; 8883 is usual with TLS.")] = 1883
    tls: Annotated[bool, Meta(description="Encrypt, and check the broker's certificate.")] = False
    ca_file: Annotated[
        str | None, Meta(description="Certificate authority to trust (PEM) where it is not one the system knows.")
    ] = None
    user: Annotated[str | None, Meta(description="User name.")] = None
    password_env: Annotated[str | None, Meta(description="Environment variable that holds the password.")] = None
    password_file: Annotated[str | None, Meta(description="File that holds the password.")] = None
    client_id: Annotated[
        str, Meta(min_length=1, max_length=64, description="Must be unique at the broker: it keeps our session by it.")
    ] = "rackwatch"


class HomeAssistantSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[home_assistant]`: tables as devices of Home Assistant, by way of the broker; see `docs/home-assistant.md`."""

    enabled: Annotated[bool, Meta(description="Whether Home Assistant is told of the tables; off takes them back.")] = (
        False
    )
    discovery_prefix: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            pattern="^[A-Za-z0-9_-]+$",
            description="Where Home Assistant looks for devices: its MQTT integration's *discovery prefix*.",
        ),
    ] = "homeassistant"


class Identities(StrEnum):
    """What becomes of tile identities."""

    AFTER_HAND = "after_hand"
    SEALED = "sealed"
    NEVER = "never"


class LogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[log]`: the event log."""

    path: Annotated[str, Meta(min_length=1, description="SQLite file; made when it is missing.")] = "rackwatch.sqlite"
    url: Annotated[
        str | None,
        Meta(
            description="PostgreSQL database instead of the file: `postgresql://user@host/database`. Its password "
            "belongs into `PGPASSWORD` or `~/.pgpass`."
        ),
    ] = None
    keep_days: Annotated[
        int,
        Meta(ge=0, le=36_500, description="What is older is taken away once a day, its hashes stay; 0: it is kept."),
    ] = 0
    identities: Annotated[
        Identities,
        Meta(
            description="Which tile it was is encrypted in the log, and is nowhere else. `after_hand`: it may be read "
            "once the hand is over; `sealed`: by whoever has the log's key file alone; `never`: it is not kept."
        ),
    ] = Identities.AFTER_HAND


class WebSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[web]`: the live page."""

    enabled: Annotated[bool, Meta(description="Whether the page is served.")] = True
    host: Annotated[
        str,
        Meta(
            description="Address to listen on. On anything but loopback the director's pages need somebody to sign in."
        ),
    ] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="Port; 0 takes a free one.")] = 8107


class AccessSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[access]`: who is let in to the pages; see `docs/access.md`."""

    file: Annotated[
        str, Meta(min_length=1, description="People and devices (JSON); `rackwatch access` makes and changes it.")
    ] = "access.json"
    idle_hours: Annotated[
        int, Meta(ge=1, le=720, description="A person who has asked for nothing for so many hours signs in again.")
    ] = 12
    session_hours: Annotated[int, Meta(ge=1, le=720, description="And in any case after so many hours.")] = 24
    device_days: Annotated[
        int, Meta(ge=1, le=400, description="A device's code is scanned again after so many days.")
    ] = 90
    https: Annotated[
        bool,
        Meta(description="Browsers come by https, which a proxy in front ends: cookies are sent no other way."),
    ] = False
    proxies: Annotated[
        str | None,
        Meta(
            description="Addresses of proxies, with commas between, that are believed when they say for whom they ask "
            "(`X-Forwarded-For`, `X-Forwarded-Proto`). Absent: nobody is."
        ),
    ] = None


class LinesSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[lines]`: events and alerts as JSON lines, as the director may see them."""

    events: Annotated[str | None, Meta(description="File that events are appended to; `-` is standard output.")] = None
    alerts: Annotated[str | None, Meta(description="File that alerts are appended to; `-` is standard output.")] = None


class Keep(StrEnum):
    """Which recordings are kept."""

    ALL = "all"
    WITH_ALERTS = "with_alerts"


class RecordingSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[recording]`: raw readings as they arrive, for replay; see `docs/recordings.md`."""

    folder: Annotated[str | None, Meta(description="Folder for recordings; absent: none are kept.")] = None
    file_mb: Annotated[
        int,
        Meta(ge=1, le=2000, description="A new file begins before one would pass so many MB (2^20 bytes)."),
    ] = 256
    file_hours: Annotated[int, Meta(ge=1, le=168, description="A new file begins after so many hours.")] = 24
    keep: Annotated[
        Keep,
        Meta(
            description="`all`: each file stays until a limit below takes it; `with_alerts`: only files in whose time, "
            "or in the 20 minutes after it, an alert above *notice* was raised (advice, ruling due)."
        ),
    ] = Keep.ALL
    total_mb: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000_000,
            description="The folder never holds more recordings than so many MB: the oldest go first; 0: no limit.",
        ),
    ] = 20_000
    keep_days: Annotated[
        int, Meta(ge=0, le=36_500, description="Files that ended longer ago than so many days go; 0: no limit.")
    ] = 0


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of the daemon."""

    tables: Annotated[tuple[TableSettings, ...], Meta(min_length=1, description="The tables that are watched.")]
    serial: Annotated[tuple[SerialSettings, ...], Meta(description="Nodes on serial lines.")] = ()
    mqtt: Annotated[MqttSettings | None, Meta(description="The broker, where there is one.")] = None
    home_assistant: Annotated[HomeAssistantSettings, Meta(description="Home Assistant.")] = HomeAssistantSettings()
    log: Annotated[LogSettings, Meta(description="The event log.")] = LogSettings()
    web: Annotated[WebSettings, Meta(description="The live page.")] = WebSettings()
    access: Annotated[AccessSettings, Meta(description="Who is let in.")] = AccessSettings()
    lines: Annotated[LinesSettings, Meta(description="JSON lines.")] = LinesSettings()
    recording: Annotated[RecordingSettings, Meta(description="Recordings.")] = RecordingSettings()
