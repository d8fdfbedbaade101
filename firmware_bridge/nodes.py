"""All nodes of one table: who speaks for which place, and who has fallen silent.

Owns the assignment of nodes to places and what is said about nodes as such. Refuses to know what readings mean. Takes
arrivals of one table, gives deliveries and notices in order of knowledge. Pure: time comes in.

A place has one holder, the first node heard there. Another node at the same place is reported and not delivered while
the holder speaks; it takes over when the holder has been silent (a board was exchanged, or two readers swapped names).
"""

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct

from firmware_bridge.arrival import Arrival
from firmware_bridge.messages import Hello, Input, Place
from firmware_bridge.session import Delivery, NodeSession, SessionSettings

_SETTLED_MESSAGES = 10
_UNSETTLED_S = 0.5
"""A holder that has hardly spoken gives way so soon: one stray message must not keep a place; our choice."""

_NODES = 64
"""Names of nodes remembered; our choice: a table has five."""


class NodeSilent(Struct, frozen=True):
    """Nothing came from a place since `since_s`; `node` is the one that held it, `None` where none was ever heard."""

    place: Place
    node: str | None
    since_s: float
    seen_s: float


class NodeBack(Struct, frozen=True):
    """A silent place speaks again."""

    place: Place
    node: str
    silent_since_s: float
    seen_s: float


class PlaceContested(Struct, frozen=True):
    """A second node speaks for a place that `node` holds; nothing of the rival is used."""

    place: Place
    node: str
    rival: str
    seen_s: float


class PlaceTakenOver(Struct, frozen=True):
    """`node` speaks for a place that `previous` held: what is known of its sensors is void."""

    place: Place
    node: str
    previous: str
    seen_s: float


class NodeElsewhere(Struct, frozen=True):
    """A node speaks for `place`, but it is known as the one at `expected`: cables or names are swapped."""

    place: Place
    node: str
    expected: Place
    seen_s: float


class NodeIntroduced(Struct, frozen=True):
    """A node said which sensors it has."""

    place: Place
    hello: Hello
    seen_s: float


Notice = NodeSilent | NodeBack | PlaceContested | PlaceTakenOver | NodeElsewhere | NodeIntroduced


class Voice(Enum):
    """Whether a place is being heard."""

    UNHEARD = "unheard"
    SPEAKING = "speaking"
    SILENT = "silent"


class _Seat:
    """One place: who holds it, who else wants it, and whether it is being heard."""

    def __init__(self, place: Place, since_s: float) -> None:
        self.place = place
        self.holder: NodeSession | None = None
        self.heard_s = since_s
        self.voice = Voice.UNHEARD
        self.rivals: set[str] = set()
        self.introduced: Hello | None = None


class TableNodes:
    """The nodes of one table. Feed it the table's node arrivals in order of time."""

    def __init__(
        self,
        places: Iterable[Place] = (),
        expected: Mapping[str, Place] | None = None,
        settings: SessionSettings | None = None,
        silence_s: float = 3.0,
    ) -> None:
        """`places`: where a node must be, so that one never heard is reported too; since the first time handed in.
        `expected`: where nodes belong, as far as it is known. `silence_s`: nodes send each second (PROTOCOL.md)."""
        self._settings = settings or SessionSettings()
        self._homes = dict(expected or {})
        self._silence_s = silence_s
        self._unseated = tuple(places)
        self._seats: dict[Place, _Seat] = {}
        self._strangers: set[tuple[str, Place]] = set()
        self._rival_messages = 0
        self._retained = 0

    @property
    def rival_messages(self) -> int:
        """Messages not used because another node holds their place."""
        return self._rival_messages

    @property
    def retained(self) -> int:
        """Retained messages, not used: they tell a state from before, never an event."""
        return self._retained

    def holder(self, place: Place) -> NodeSession | None:
        """The conversation with the node that holds a place."""
        seat = self._seats.get(place)
        return seat.holder if seat else None

    def feed(self, arrival: Arrival) -> list[Delivery | Notice]:
        """Take one arrival of a node; return what is now in order, and what is to be said about the nodes."""
        message = arrival.message
        place = arrival.place
        assert place is not None, "nodes have places"
        assert not isinstance(message, Input), "inputs are no readings"
        if arrival.retained:
            self._retained += 1
            return []
        out: list[Delivery | Notice] = []
        seat = self._seats.get(place) or self._seat(place, arrival.at_s)
        if seat.holder is None or seat.holder.node != message.node:
            out += self._claim(seat, arrival, message.node)
        holder = seat.holder
        if holder is None or holder.node != message.node:
            return out
        deliveries = holder.feed(arrival)
        if holder.last_s > seat.heard_s or seat.voice is Voice.UNHEARD:
            if seat.voice is Voice.SILENT:
                out.append(NodeBack(place, message.node, seat.heard_s, arrival.at_s))
            seat.voice = Voice.SPEAKING
            seat.heard_s = holder.last_s
        if isinstance(message, Hello) and holder.hello is message and not _same(message, seat.introduced):
            seat.introduced = message
            out.append(NodeIntroduced(place, message, arrival.at_s))
        out += deliveries
        return out

    def advance(self, now_s: float) -> list[Delivery | Notice]:
        """Let time pass to `now_s`: what was waited for in vain, and who has fallen silent."""
        for place in self._unseated:
            self._seat(place, now_s)
        out: list[Delivery | Notice] = []
        for seat in self._seats.values():
            holder = seat.holder
            if holder is not None and holder.due_s < now_s:
                out += holder.advance(now_s)
                seat.heard_s = max(seat.heard_s, holder.last_s)
            if seat.voice is not Voice.SILENT and now_s - seat.heard_s > self._silence_s:
                seat.voice = Voice.SILENT
                out.append(NodeSilent(seat.place, holder.node if holder else None, seat.heard_s, now_s))
        return out

    def _seat(self, place: Place, since_s: float) -> _Seat:
        for missing in (*self._unseated, place):
            self._seats.setdefault(missing, _Seat(missing, since_s))
        self._unseated = ()
        return self._seats[place]

    def _claim(self, seat: _Seat, arrival: Arrival, node: str) -> list[Notice]:
        """A node speaks for a place that it does not hold: it takes it, takes it over, or is a rival."""
        out: list[Notice] = []
        home = self._homes.setdefault(node, seat.place) if len(self._homes) < _NODES else seat.place
        if home is not seat.place and (node, seat.place) not in self._strangers:
            self._strangers.add((node, seat.place))
            out.append(NodeElsewhere(seat.place, node, home, arrival.at_s))
        if seat.holder is None:
            seat.holder = NodeSession(seat.place, node, arrival.link, self._settings)
            return out
        settled = seat.holder.stats.delivered >= _SETTLED_MESSAGES
        if arrival.at_s - seat.holder.last_s <= (self._silence_s if settled else _UNSETTLED_S):
            self._rival_messages += 1
            if node not in seat.rivals and len(seat.rivals) < _NODES:
                seat.rivals.add(node)
                out.append(PlaceContested(seat.place, seat.holder.node, node, arrival.at_s))
            return out
        out.append(PlaceTakenOver(seat.place, node, seat.holder.node, arrival.at_s))
        seat.holder = NodeSession(seat.place, node, arrival.link, self._settings)
        seat.rivals.clear()
        seat.introduced = None
        return out


def _same(hello: Hello, before: Hello | None) -> bool:
    """Whether a node introduces itself as it did before: it does so each second on a serial line."""
    return before is not None and (hello.boot, hello.protocol, hello.channels, hello.antennas, hello.buttons) == (
        before.boot,
        before.protocol,
        before.channels,
        before.antennas,
        before.buttons,
    )
