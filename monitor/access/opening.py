"""From the settings to the entrance of the pages: the access file's door, the key of its sessions, how browsers come.

Makes nothing but, where there is an access file, the key beside it.
"""

import ipaddress
import os
import time
from collections.abc import Callable
from pathlib import Path

import structlog
from msgspec import Struct

from monitor.access.door import Door
from monitor.access.file import session_key
from monitor.access.sessions import Lifetimes
from monitor.errors import UnusableFileError
from monitor.settings_file import SettingsFile

_log = structlog.get_logger("rackwatch.access")


class Entrance(Struct, frozen=True):
    """What the pages are made with. `key`: 32 secret bytes; `proxies`: whom to believe, empty for nobody."""

    door: Door
    key: bytes
    https: bool = False
    proxies: str = ""


def access_path(file: SettingsFile) -> Path:
    """Where the access file is, or would be."""
    return file.resolve(file.settings.access.file)


def door_of(file: SettingsFile, wall: Callable[[], float]) -> Door:
    """The door alone; `wall` gives UTC seconds since 1970."""
    wanted = file.settings.access
    lifetimes = Lifetimes(wanted.idle_hours * 3600.0, wanted.session_hours * 3600.0, wanted.device_days * 86_400.0)
    loopback = is_loopback(file.settings.web.host) and wanted.proxies is None
    return Door(access_path(file), lifetimes, wall, loopback=loopback)


def entrance(file: SettingsFile, wall: Callable[[], float]) -> Entrance:
    """All of it. A key that cannot be kept is told and lasts until the monitor ends."""
    wanted = file.settings.access
    path = access_path(file)
    try:
        key = session_key(path, make=path.exists())
    except UnusableFileError as problem:
        _log.warning("sign-ins last until the monitor ends only", why=str(problem))
        key = None
    return Entrance(door_of(file, wall), key or os.urandom(32), wanted.https, wanted.proxies or "")


def of_this_machine(path: Path) -> Entrance:
    """For whoever sits at this very machine, nobody being named in the file at `path`: for tests and measurements."""
    door = Door(path, Lifetimes(3600.0, 3600.0, 3600.0), time.time, loopback=True)
    return Entrance(door, os.urandom(32))


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this very machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
