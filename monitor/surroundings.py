"""Looks at everything that a run would need, without running: ports, broker, log, page, recordings.

Owns the questions and what to do about each answer. Refuses to know terminals: it yields findings. Changes nothing; a
monitor that is running is not disturbed.
"""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.errors import plain_reason
from firmware_bridge.transports.mqtt import MqttTransport
from firmware_bridge.transports.serial_port import matching_devices
from firmware_bridge.transports.transport import LinkState
from hw.calibration import TableSetup
from hw.set_status import set_status
from monitor.access.door import Standing, who_is_let_in
from monitor.access.file import open_to_others
from monitor.access.opening import door_of, is_loopback
from monitor.errors import LogError, MonitorError, PortInUseError
from monitor.links import mqtt_broker, serial_port
from monitor.log.lock import refuse_if_held
from monitor.log.opening import knock
from monitor.log.place import LogPlace
from monitor.log.reader import open_log
from monitor.profiles import load_profile
from monitor.recordings.folder import RESERVE_BYTES
from monitor.recordings.names import parse_name
from monitor.settings import RecordingSettings
from monitor.settings_file import SettingsFile
from monitor.web.server import listen

BROKER_S: Final = 6.0
"""How long a broker has to answer; the transport itself gives up an attempt after five seconds."""
LEAST_FREE_BYTES: Final = 200 << 20
"""Our choice: a tournament day of a hundred tables fits."""
BY_ID: Final = Path("/dev/serial/by-id")
_PTS: Final = Path("/dev/pts")
_SIMULATE: Final = "A simulated table has its ports while rackwatch demo or rackwatch simulate runs."
_OTHERS: Final = 0o077
"""Of a file's mode: what all but its owner may do."""


class Finding(Struct, frozen=True):
    """One thing that was looked at. `mend` says what to do where it is not well."""

    what: str
    well: bool
    words: str
    mend: str = ""


def look_at_files(file: SettingsFile) -> Iterator[Finding]:
    """Set-ups, profiles, log, recordings: what can be seen without opening a port or a connection."""
    for index, table in enumerate(file.settings.tables):
        yield _setup(file, index, f"table {table.name}")
    yield _log(file)
    if file.settings.web.enabled:
        yield _access(file)
    if file.settings.recording.folder is not None:
        yield _recordings(file.settings.recording, file.resolve(file.settings.recording.folder))


async def look_around(file: SettingsFile) -> AsyncIterator[Finding]:
    """Serial ports, broker, page."""
    for line in file.settings.serial:
        port = serial_port(file, line)
        devices = matching_devices(port)
        yield _port(
            f"{line.table} {line.place}", port.usb_serial or port.path or "", devices, by_path=line.port is not None
        )
    if file.settings.mqtt is not None:
        yield await _broker(file)
    if file.settings.web.enabled:
        yield _page(file)


def plugged_in() -> list[str]:
    """USB serial adapters by the names that the system gives them, serial numbers included."""
    return sorted(path.name for path in BY_ID.glob("*")) if BY_ID.is_dir() else []


def _setup(file: SettingsFile, index: int, what: str) -> Finding:
    table = file.settings.tables[index]
    try:
        setup = file.table_setup(index)
        profile = load_profile(file.profile(index))
    except MonitorError as problem:
        return Finding(what, well=False, words=str(problem), mend="Correct the file that it names.")
    if not setup.calibration and not setup.tiles:
        return Finding(
            what,
            well=False,
            words="has neither calibrated load cells nor enrolled tiles, so nothing can be counted",
            mend=f"Give {table.name} a set-up (setup = …), and fill it with rackwatch calibrate and rackwatch enrol.",
        )
    words = f"{_cells(setup)}, {len(setup.tiles)} tiles, rules: {profile.title}"
    status = set_status(setup.tiles)
    if setup.tiles and not status.complete:
        mend = f"Finish the set: rackwatch enrol {file.path.name} {table.name}."
        return Finding(what, well=False, words=f"{words}. {status.words}", mend=mend)
    return Finding(what, well=True, words=words)


def _cells(setup: TableSetup) -> str:
    """How many load cells there are, and since when the oldest of their figures stand."""
    dated = sorted(cell.measured.when[:10] for cell in setup.calibration.values() if cell.measured is not None)
    cells = f"{len(setup.calibration)} load cells"
    if not dated:
        return cells
    undated = len(setup.calibration) - len(dated)
    return f"{cells} (calibrated {dated[0]}{f' or later, {undated} at an unknown time' if undated else ' or later'})"


def _log(file: SettingsFile) -> Finding:
    place = file.log_place()
    path = place.file
    if path is None:
        return _log_server(place)
    if not path.parent.exists():
        return _folder("event log", path.parent)
    try:
        refuse_if_held(path)
        if path.exists():
            open_log(msgspec.structs.replace(place, brief=True)).close()
    except LogError as problem:
        return Finding("event log", well=False, words=str(problem), mend="Then check again.")
    key = place.key_file
    if key.exists() and key.stat().st_mode & _OTHERS:
        words = f"{key} may be read by others than its owner, who could then sign in this monitor's name"
        return Finding("event log", well=False, words=words, mend=f"chmod 600 {key}")
    return _folder("event log", path.parent)


def _access(file: SettingsFile) -> Finding:
    """Who sees the director's pages."""
    door = door_of(file, time.time)
    path, said = door.file.path, who_is_let_in(door)
    if open_to_others(path):
        others = f"{path} may be read by others than its owner, who could then guess passwords at leisure"
        return Finding("access", well=False, words=others, mend=f"chmod 600 {path}")
    match door.standing():
        case Standing.UNUSABLE:
            mend = "Correct the file, or move it away and let everybody in anew with rackwatch access add."
            return Finding("access", well=False, words=said, mend=mend)
        case Standing.NOBODY:
            mend = f"rackwatch access add {file.path.name} NAME --role director. The floor is served in any case."
            return Finding("access", well=False, words=said, mend=mend)
        case Standing.SIGN_IN if not is_loopback(file.settings.web.host) and not file.settings.access.https:
            return Finding("access", well=True, words=f"{said}; passwords cross the network as they are (no https)")
        case _:
            return Finding("access", well=True, words=said)


def _log_server(place: LogPlace) -> Finding:
    """A database may be empty: the monitor makes the log in it."""
    try:
        knock(place)
    except LogError as problem:
        return Finding("event log", well=False, words=str(problem), mend="Then check again.")
    return Finding("event log", well=True, words=f"{place} answers")


def _folder(what: str, folder: Path) -> Finding:
    there = folder
    while not there.exists():
        there = there.parent
    if not there.is_dir():
        return Finding(what, well=False, words=f"{there} is no folder", mend="Set another path, or rename that file.")
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding(
            what, well=False, words=f"{there} cannot be written", mend="Change its owner, or set another path."
        )
    free = shutil.disk_usage(there).free
    if free < LEAST_FREE_BYTES:
        return Finding(what, well=False, words=f"only {free >> 20} MB are free in {there}", mend="Make room.")
    made = "" if folder.exists() else ", will be made"
    return Finding(what, well=True, words=f"{folder}{made}, {free >> 30} GB free")


def _recordings(wanted: RecordingSettings, folder: Path) -> Finding:
    """The folder, what it holds, and whether the disk has room for what it may come to hold."""
    finding = _folder("recordings", folder)
    if not finding.well or not folder.exists():
        return finding
    names = [path for path in folder.iterdir() if parse_name(path.name) is not None and not path.is_symlink()]
    held_mb = sum(path.stat().st_size for path in names if path.is_file()) >> 20
    words = f"{finding.words}; {len(names)} recordings, {held_mb} MB"
    if wanted.total_mb == 0:
        return msgspec.structs.replace(finding, words=f"{words}, no limit (total_mb)")
    room_mb = (shutil.disk_usage(folder).free - RESERVE_BYTES) >> 20
    words = f"{words} of at most {wanted.total_mb} MB (total_mb)"
    if room_mb < wanted.total_mb - held_mb:
        words = f"{words}; the disk will be full before that, and recording pauses then"
    return msgspec.structs.replace(finding, words=words)


def _port(what: str, wanted: str, devices: list[str], *, by_path: bool) -> Finding:
    there = ", ".join(plugged_in()) or "none"
    if not devices:
        kind = "nothing at" if by_path else "no adapter with the USB serial number"
        simulated = f" {_SIMULATE}" if by_path else ""
        mend = f"Plug the node in, or correct the name. Plugged in now: {there}.{simulated}"
        return Finding(what, well=False, words=f"{kind} {wanted}", mend=mend)
    device = devices[0]
    if not Path(device).exists():
        words = f"{device} leads to {Path(device).readlink()}, which is gone"
        return Finding(what, well=False, words=words, mend=f"Plug the node in. {_SIMULATE}")
    if not Path(device).is_char_device():
        mend = f"Name a serial port. Plugged in now: {there}."
        return Finding(what, well=False, words=f"{device} is no serial port", mend=mend)
    if not os.access(device, os.R_OK | os.W_OK):
        mend = "Let this user read it: usermod -aG dialout USER, then sign in again."
        return Finding(what, well=False, words=f"{device} may not be opened", mend=mend)
    others = f" (first of {len(devices)} that fit)" if len(devices) > 1 else ""
    end = Path(device).resolve()
    simulated = f", a pseudo-terminal ({end}): no board, but a program such as rackwatch simulate"
    return Finding(what, well=True, words=f"{device}{others}{simulated if end.parent == _PTS else ''}")


async def _broker(file: SettingsFile) -> Finding:
    try:
        broker = mqtt_broker(file)
    except MonitorError as problem:
        return Finding("broker", well=False, words=str(problem), mend="Correct it.")
    # a name of its own: the broker would cut off a monitor that runs under the same one
    visitor = msgspec.structs.replace(
        broker, client_id=f"{broker.client_id}-check", session_expiry_s=0, subscriptions=(), birth=None, will=None
    )
    where = f"{broker.host}:{broker.port}"
    async with MqttTransport(visitor) as transport:
        until_s = time.monotonic() + BROKER_S
        while (health := transport.health[0]).state in {LinkState.STARTING, LinkState.MISSING}:
            if time.monotonic() > until_s or health.state is LinkState.MISSING:
                break
            await asyncio.sleep(0.05)
    match health.state:
        case LinkState.OPEN:
            return Finding("broker", well=True, words=where)
        case LinkState.REFUSED:
            mend = "Check user, password and, with TLS, the certificate authority."
            return Finding("broker", well=False, words=f"{where} refuses us: {health.detail}", mend=mend)
        case _:
            mend = "Start the broker, or correct [mqtt] host and port; a firewall may be in the way."
            words = f"{where} does not answer{f': {plain_reason(health.detail)}' if health.detail else ''}"
            return Finding("broker", well=False, words=words, mend=mend)


def _page(file: SettingsFile) -> Finding:
    web = file.settings.web
    try:
        with listen(web.host, web.port):
            return Finding("page", well=True, words=f"http://{web.host}:{web.port}/")
    except PortInUseError as problem:
        mend = "Is a monitor running already? Otherwise set another port."
        return Finding("page", well=False, words=str(problem), mend=mend)
