"""What `rackwatch calibrate` and `rackwatch enrol` share: readings from nodes or a recording, a person's lines.

Owns where readings come from and how lines of standard input meet them. Refuses to know the procedures: a `Talk` is
told what was heard, what time it is and what was said, until it is over.

With a recording, time is the recording's. A line may begin with the second at which it is said (`@12.5 14`); others
are said as soon as they are asked for.
"""

import asyncio
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec
import typer

from firmware_bridge.messages import Input
from firmware_bridge.nodes import TableNodes
from firmware_bridge.received import Received
from firmware_bridge.recording import BadLine, read_recording
from firmware_bridge.routing import Router
from firmware_bridge.session import Delivery
from firmware_bridge.transports.mqtt import MqttTransport
from firmware_bridge.transports.serial_port import SerialTransport
from monitor.cli._running import run_until_stopped
from monitor.links import Link, mqtt_broker, serial_port, troubles
from monitor.settings_file import SettingsFile

TICK_S = 0.25
"""How often a live run looks at the time; our choice."""


class Talk(Protocol):
    """A procedure with a person."""

    over: bool
    """Whether there is nothing more to do."""

    @property
    def asks(self) -> bool:
        """Whether a word of the person is waited for."""

    def heard(self, delivery: Delivery) -> None:
        """Readings came."""

    def passed(self, now_s: float) -> None:
        """Time has passed."""

    def said(self, line: str) -> None:
        """The person said something."""

    def ended(self) -> None:
        """Nothing more will be said, or heard."""


class Readings:
    """A table's receptions, decoded and dated."""

    def __init__(self, table: str) -> None:
        self._router = Router(frozenset({table}))
        self._nodes = TableNodes()

    def of(self, received: Received) -> Iterator[Delivery]:
        """What one reception brings."""
        for arrival in self._router.route(received):
            if arrival.place is not None and not isinstance(arrival.message, Input):
                yield from (one for one in self._nodes.feed(arrival) if isinstance(one, Delivery))

    def advance(self, now_s: float) -> list[Delivery]:
        """What was waited for in vain."""
        return [one for one in self._nodes.advance(now_s) if isinstance(one, Delivery)]


def hold_talk(talk: Talk, file: SettingsFile, table: str, recording: Path | None) -> None:
    """Lead a talk to its end, over the table's nodes or a recording."""
    if recording is not None:
        _recorded(talk, table, recording)
    else:
        _live(talk, file, table)


def _recorded(talk: Talk, table: str, recording: Path) -> None:
    readings = Readings(table)
    lines = deque(line.strip() for line in sys.stdin)
    for received in read_recording(recording):
        if isinstance(received, BadLine):
            typer.echo(f"{recording}:{received.number}: {received.reason}", err=True)
            continue
        while lines and not talk.over:
            at_s, words = _dated(lines[0])
            if at_s > received.at_s or (lines[0] == words and not talk.asks):
                break
            lines.popleft()
            talk.said(words)
        for delivery in (*readings.advance(received.at_s), *readings.of(received)):
            talk.heard(delivery)
        talk.passed(received.at_s)
        if talk.over:
            return
    talk.ended()


def _dated(line: str) -> tuple[float, str]:
    """When a line is said in a recording, and what; minus infinity where it does not say when."""
    first, _, words = line.partition(" ")
    if first.startswith("@"):
        try:
            return float(first[1:]), words.strip()
        except ValueError:
            pass
    return float("-inf"), line


def _live(talk: Talk, file: SettingsFile, table: str) -> None:
    readings = Readings(table)
    links = _links(file, table)

    def receive(received: Received) -> None:
        for delivery in readings.of(received):
            talk.heard(delivery)

    async def work(stop: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()

        def listen() -> None:
            for line in sys.stdin:
                loop.call_soon_threadsafe(talk.said, line.strip())
            loop.call_soon_threadsafe(talk.ended)

        tasks = [asyncio.create_task(link.run(receive), name=link.name) for link in links]
        # a thread of its own: a read of standard input cannot be broken off, and must not hold up the end
        threading.Thread(target=listen, name="standard input", daemon=True).start()
        told: dict[str, str | None] = {}
        try:
            while not talk.over and not stop.is_set() and not any(task.done() for task in tasks):
                now_s = time.monotonic()
                for delivery in readings.advance(now_s):
                    talk.heard(delivery)
                talk.passed(now_s)
                _tell_troubles(links, told)
                await asyncio.sleep(TICK_S)
            if not talk.over:
                talk.ended()
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    run_until_stopped(work)


def _links(file: SettingsFile, table: str) -> list[Link]:
    """The table's own serial lines, and the broker under a name that disturbs no monitor that is running."""
    links = []
    ports = [serial_port(file, line) for line in file.settings.serial if line.table == table]
    if ports:
        links.append(Link("serial lines", lambda: SerialTransport(ports, time.monotonic)))
    if file.settings.mqtt is not None:
        broker = mqtt_broker(file)
        visitor = msgspec.structs.replace(
            broker, client_id=f"{broker.client_id}-setting-up", session_expiry_s=0, birth=None, will=None
        )
        links.append(Link("broker", lambda: MqttTransport(visitor, time.monotonic)))
    if not links:
        raise file.error((), f"names neither serial lines of table {table} nor a broker, so there is nothing to hear")
    return links


def _tell_troubles(links: list[Link], told: dict[str, str | None]) -> None:
    """Say once what is the matter with a link, and once that it is well again."""
    for link in links:
        for name, trouble in troubles(link):
            if trouble != told.get(name):
                typer.echo(trouble or f"{name} is open.", err=True)
            told[name] = trouble
