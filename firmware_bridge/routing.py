"""From raw receptions to arrivals: the one door that every transport and every recording goes through.

Owns which decoder a reception goes to, which place a serial port stands for, and the count of everything that came to
nothing. Refuses to know transports, sessions and tables' insides. Flow: transports, recordings -> received ->
**routing** -> session.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct

from firmware_bridge.arrival import Arrival, Link
from firmware_bridge.commands import Ping, decode_command
from firmware_bridge.framing import Frame, FrameDecoder
from firmware_bridge.json_messages import JsonMessages
from firmware_bridge.messages import Place, Pong
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.rejections import BadRow, LeftOut, Rejected, Rejection, Unread
from firmware_bridge.serial_node import SerialNode, Unheard

_REMEMBERED = 32
"""Latest rejections kept for a person to look at; our choice."""

_PORTS = 1024
"""Ports decoded at once; our choice, so that a recording of nonsense cannot fill the memory."""

_PINGS = 16
"""Questions that may be open on one line; our choice: one goes out each second."""

_PLACES = {place.value: place for place in Place}


class Seat(Struct, frozen=True):
    """Which place of which table a serial port stands for."""

    table: str
    place: Place


def port_name(seat: Seat) -> str:
    """A name for the port at a place that speaks for itself, in a recording too: `T1/east`."""
    return f"{seat.table}/{seat.place}"


def seat_of_port(port: str) -> Seat | None:
    """The place that a port's name itself tells, if it does."""
    table, _, where = port.rpartition("/")
    place = _PLACES.get(where)
    return Seat(table, place) if table and place is not None else None


class _Line:
    """One serial line: the node's words, and the questions that the host has put to it."""

    def __init__(self, seat: Seat | None) -> None:
        self.seat = seat
        self.node = SerialNode()
        self._commands = FrameDecoder()
        self._pings_s: dict[int, float] = {}

    def sent(self, sent: LineBytes) -> None:
        """The host has sent something: remember when each PING left."""
        self._commands.receive_data(sent.data)
        while (event := self._commands.next_event()) is not None:
            command = decode_command(event) if isinstance(event, Frame) else None
            if isinstance(command, Ping):
                self._pings_s[command.nonce] = sent.at_s
                if len(self._pings_s) > _PINGS:
                    del self._pings_s[next(iter(self._pings_s))]

    def asked_s(self, nonce: int) -> float | None:
        """When the PING with a nonce left; known once."""
        return self._pings_s.pop(nonce, None)


class Router:
    """Decodes whatever is received, for any number of tables. Never raises on what was received."""

    def __init__(self, tables: frozenset[str] | None = None, ports: Mapping[str, Seat] | None = None) -> None:
        """`tables`: those that exist; `None` takes any. `ports`: the place of each serial port, as far as its name
        does not tell it."""
        self._tables = tables
        self._ports = dict(ports or {})
        self._json = JsonMessages(tables)
        self._lines: dict[str, _Line] = {}
        self._rejected: dict[Rejection, int] = {}
        self._first: dict[Rejection, Rejected] = {}
        self._latest: deque[Rejected] = deque(maxlen=_REMEMBERED)
        self._left_out: dict[Unread, int] = {}
        self._first_left_out: dict[Unread, LeftOut] = {}

    @property
    def rejected(self) -> Mapping[Rejection, int]:
        """How many receptions or frames came to nothing, by reason."""
        return self._rejected

    @property
    def first_rejections(self) -> Mapping[Rejection, Rejected]:
        """The first of them, by reason."""
        return self._first

    @property
    def latest_rejections(self) -> tuple[Rejected, ...]:
        """The last few of them, oldest first."""
        return tuple(self._latest)

    @property
    def bad_rows(self) -> int:
        """Rows and fields left out of messages that were otherwise taken."""
        return sum(self._left_out.values())

    @property
    def left_out(self) -> Mapping[Unread, int]:
        """The same by reason."""
        return self._left_out

    @property
    def first_left_out(self) -> Mapping[Unread, LeftOut]:
        """The first of them, by reason."""
        return self._first_left_out

    @property
    def unplaced(self) -> Mapping[str, str]:
        """Ports on which a node speaks that no place is known for, and that node's name."""
        return {
            port: line.node.node
            for port, line in self._lines.items()
            if line.seat is None and line.node.node is not None
        }

    def bind(self, port: str, seat: Seat) -> None:
        """From now on a port stands for a place."""
        self._ports[port] = seat
        if port in self._lines:
            self._lines[port].seat = seat

    def route(self, received: Received) -> list[Arrival]:
        """The arrivals that one reception brings, in order; none where it was rejected or is not whole yet."""
        match received:
            case Published():
                arrival = self._json.decode(received)
                if isinstance(arrival, Rejected):
                    self._reject(arrival)
                    return []
                self._leave_out(arrival.bad, received.at_s, received.topic)
                return [arrival]
            case LineBytes():
                return self._line_bytes(received)
            case _:
                assert_never(received)

    def _line_bytes(self, received: LineBytes) -> list[Arrival]:
        line = self._lines.get(received.port) or self._open(received.port)
        if line is None:
            self._reject(Rejected(received.at_s, received.port, Rejection.UNPLACED_NODE, "too many ports"))
            return []
        if received.sent:
            line.sent(received)
            return []
        line.node.receive_data(received.data)
        arrivals = []
        while (event := line.node.next_event()) is not None:
            if isinstance(event, Unheard):
                self._reject(Rejected(received.at_s, received.port, event.reason, event.detail))
                continue
            message = event.message
            if line.seat is None:
                self._reject(Rejected(received.at_s, received.port, Rejection.UNPLACED_NODE, message.node))
                continue
            if self._tables is not None and line.seat.table not in self._tables:
                self._reject(Rejected(received.at_s, received.port, Rejection.UNKNOWN_TABLE, line.seat.table))
                continue
            self._leave_out(event.bad, received.at_s, received.port)
            arrivals.append(
                Arrival(
                    received.at_s,
                    line.seat.table,
                    line.seat.place,
                    message,
                    Link.USB,
                    bad=event.bad,
                    ping_sent_s=line.asked_s(message.nonce) if isinstance(message, Pong) else None,
                )
            )
        return arrivals

    def _open(self, port: str) -> _Line | None:
        if len(self._lines) >= _PORTS:
            return None
        line = self._lines[port] = _Line(self._ports.get(port) or seat_of_port(port))
        return line

    def _reject(self, rejected: Rejected) -> None:
        self._rejected[rejected.reason] = self._rejected.get(rejected.reason, 0) + 1
        self._first.setdefault(rejected.reason, rejected)
        self._latest.append(rejected)

    def _leave_out(self, bad: Sequence[BadRow], at_s: float, source: str) -> None:
        for row in bad:
            self._left_out[row.reason] = self._left_out.get(row.reason, 0) + 1
            if row.reason not in self._first_left_out:
                self._first_left_out[row.reason] = LeftOut(at_s, source, row)
