"""A table's nodes on pseudo-terminals, in real time: the monitor cannot tell them from boards on USB.

Owns the live run over serial lines: what is due, answers to the host's commands, unplugging and plugging in. evening ->
pacing -> **live_serial** -> pty_port -> the monitor.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_bridge.commands import Identify, Light, Ping, decode_command
from firmware_bridge.framing import Frame, FrameDecoder
from firmware_bridge.messages import Place
from hw.simulator.evening import Evening, simulate_evening
from hw.simulator.node import Outgoing
from hw.simulator.options import Options, Wiring
from hw.simulator.pacing import LiveNode, Pacing
from hw.simulator.pty_port import PtyPort
from hw.simulator.reception import encoders_of


class PtyTable:
    """The nodes of one evening, each on its own port `LINKS/NODE` (such as `t1-east`).

    Use as an asynchronous context: the ports are there inside it. The evening begins with `play`.
    """

    def __init__(
        self,
        evening: Evening,
        links: Path,
        pacing: Pacing | None = None,
        *,
        lossless: bool = False,
        resets_when_opened: bool = False,
    ) -> None:
        """`lossless`: wait for a host that reads too slowly, however late everything gets; else bytes are dropped.
        `resets_when_opened`: opening a port restarts its board, as it does many (research: faults, row 37).

        Raises ValueError where the evening's nodes are not wired to serial lines.
        """
        if evening.options.wiring is not Wiring.USB:
            raise ValueError("an evening on serial lines needs Options(wiring=Wiring.USB)")
        self.evening = evening
        self.pacing = pacing or Pacing()
        self.lights: dict[Place, Light] = {}
        """What each node was last told to show."""
        self._links = links
        self._lossless = lossless
        self._resets = resets_when_opened
        self._encoders = encoders_of(evening)
        self._nodes = {life.plan.place: LiveNode(life, self.pacing) for life in evening.lives}
        self._ports: dict[Place, PtyPort] = {}
        self._began_s: float | None = None

    @property
    def ports(self) -> dict[Place, Path]:
        """The stable name of every node's port."""
        return {life.plan.place: self._links / life.plan.name for life in self.evening.lives}

    @property
    def dropped_bytes(self) -> int:
        """Bytes that a host did not take in time."""
        return sum(port.dropped_bytes for port in self._ports.values())

    async def __aenter__(self) -> Self:
        self._links.mkdir(parents=True, exist_ok=True)
        for place, link in self.ports.items():
            self._ports[place] = PtyPort(link, self._listener(place), self._opener(place))
            self._ports[place].plug_in()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for port in self._ports.values():
            port.unplug()

    @property
    def unattended(self) -> list[Place]:
        """The nodes whose ports no host has open."""
        return [place for place, port in self._ports.items() if not port.attended_now]

    async def attended(self) -> None:
        """Wait until a host has opened every port."""
        for port in self._ports.values():
            await port.attended()

    async def deserted(self, place: Place) -> None:
        """Wait until no host has a node's port open."""
        await self._ports[place].deserted()

    async def play(self, passed: Callable[[Sequence[Outgoing]], Iterable[Outgoing]] = iter) -> None:
        """Send the evening from `pacing.start_s` on, each message when it is due; returns at the evening's end.

        `passed`: the messages go through it, for whoever shows how far the evening is.
        """
        loop = asyncio.get_running_loop()
        self._began_s = loop.time()
        for message in passed(self.evening.messages):
            if message.arrived_s < self.pacing.start_s:
                continue
            wait_s = self.pacing.due_s(message.arrived_s, self._began_s) - loop.time()
            if wait_s > 0.0:
                await asyncio.sleep(wait_s)
            await self._send(message)
        wait_s = self.pacing.due_s(self.evening.happening.end_s, self._began_s) - loop.time()
        await asyncio.sleep(max(0.0, wait_s))

    def unplug(self, place: Place) -> None:
        """Pull a node's plug: its host sees a hang-up, its port is gone."""
        self._ports[place].unplug()

    def plug_in(self, place: Place, *, restarts: bool = True) -> None:
        """Put the plug back in. A board powered by USB starts anew (`restarts`)."""
        if restarts:
            self._nodes[place].restart(self._now_s())
        self._ports[place].plug_in()

    def swap(self, place: Place, other: Place) -> None:
        """Pull two nodes' plugs and put each into the other's socket: their ports' names are exchanged."""
        ports = self._ports[place], self._ports[other]
        for port in ports:
            port.unplug()
        ports[0].link, ports[1].link = ports[1].link, ports[0].link
        for one in (place, other):
            self.plug_in(one)

    async def _send(self, message: Outgoing) -> None:
        port = self._ports[message.place]
        relived = self._nodes[message.place].relived(message)
        if relived is None or not port.plugged_in:
            return
        port.write(self._encoders[message.place].encode(relived))
        if self._lossless:
            await port.drained()

    def _now_s(self) -> float:
        if self._began_s is None:
            return self.pacing.start_s
        return self.pacing.table_s(asyncio.get_running_loop().time(), self._began_s)

    def _opener(self, place: Place) -> Callable[[], None]:
        def opened() -> None:
            if self._resets:
                self._nodes[place].restart(self._now_s())

        return opened

    def _listener(self, place: Place) -> Callable[[bytes], None]:
        decoder = FrameDecoder()

        def hear(data: bytes) -> None:
            came = self._nodes[place].ticks(self._now_s())
            decoder.receive_data(data)
            while (event := decoder.next_event()) is not None:
                if isinstance(event, Frame):
                    self._obey(place, event, came)

        return hear

    def _obey(self, place: Place, frame: Frame, came: int) -> None:
        ticks = self._nodes[place].ticks(self._now_s())
        match decode_command(frame):
            case Ping(nonce):
                self._ports[place].write(self._encoders[place].pong(ticks, nonce, came))
            case Identify():
                self._ports[place].write(self._encoders[place].hello(ticks))
            case Light() as light:
                self.lights[place] = light
            case None:
                pass


async def serve_ptys(
    options: Options, links: Path, pacing: Pacing | None = None, ready: Callable[[PtyTable], None] | None = None
) -> None:
    """Play an evening on pseudo-terminals `links/NODE` until it ends; `ready` is called when the ports are there."""
    async with PtyTable(simulate_evening(options), links, pacing) as table:
        if ready is not None:
            ready(table)
        await table.play()
