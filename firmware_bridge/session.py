"""One node's conversation: boots, losses, repeats and disorder, in order of the node's own counting.

Owns what a node's `boot` and `seq` mean. Refuses to know transports, other nodes, and what readings
say. Pure: time comes in with each arrival or through `advance`, so replay and live run are the same. Fourth stage of
the flow: transports -> received -> decode -> **session** -> hw.

    message of                    is                                       so it is
    -------------------------     ------------------------------------     --------------------------------------------
    this boot, the next seq       in order                                 delivered
    this boot, a later seq        after a gap                              held until the gap is filled or given up
    this boot, a known seq        a repeat, DUP flag or not                dropped, counted
    this boot, a seq before       too late, or the counter began anew      believed when three in a row agree
    this boot, a seq far ahead    nonsense, or a long outage               believed when three agree, or none objects
    an unknown boot               a reboot, or nonsense                    believed when two agree, or none objects
    an earlier boot               a straggler                              dropped, counted
    any, retained                 a state from before                      dropped, counted: never an event

Nothing is lost in silence: a `Delivery` says how many messages are missing just before it.
"""

from array import array
from collections import deque
from math import inf

from msgspec import Struct

from firmware_bridge.arrival import Arrival, Link
from firmware_bridge.clock import NodeClock, TickMap
from firmware_bridge.dating import Dater, InOrder, live, node_message
from firmware_bridge.messages import Hello, NodeMessage, Place, Readings

_SEEN = 1024
"""Messages back over which a repeat is recognised by its ticks: 100 s of a node that speaks ten times a second."""

_AGREEING = 3
_STEP = 3
"""A leap is believed after so many messages in a row that rise by so little; our choice."""

_OVERRULED = 3
"""An unknown boot is nonsense when so many messages of the known one follow it; our choice."""

_OLD_BOOTS = 16


class Delivery(Struct, frozen=True, gc=False):
    """Readings of one node, in the node's own order, with the clock to date them.

    `rebooted`: first delivery since the node started anew. `lost`: messages known to be missing just before this one.
    `bad_rows`: rows of this very message that could not be read.
    """

    place: Place
    node: str
    arrived_s: float
    readings: Readings
    clock: TickMap
    rebooted: bool = False
    lost: int = 0
    bad_rows: int = 0


class SessionSettings(Struct, frozen=True):
    """How long to wait for what is missing; our choices, well below what a ruling waits for."""

    hold_s: float = 0.3
    """A gap is given up after this; at once on a serial line, where nothing overtakes."""
    hold_messages: int = 16
    """Most that is held behind a gap; a wider gap is no disorder but a leap."""
    straggler_s: float = 5.0
    """An earlier boot that speaks while the present one has been silent for so long is the present one after all."""


class SessionStats(Struct, frozen=True):
    """What became of a node's messages. `received` is the sum of all but `lost`, `reboots` and what is still held."""

    received: int = 0
    delivered: int = 0
    answers: int = 0
    """HELLO and PONG: used here, not delivered."""
    reordered: int = 0
    """Of those delivered or answers: how many came after a later one."""
    duplicates: int = 0
    late: int = 0
    stragglers: int = 0
    strays: int = 0
    """Of a boot or a far-off count that nothing confirmed."""
    retained: int = 0
    lost: int = 0
    reboots: int = 0


class NodeSession:
    """Puts one node's arrivals in order. Feed it the Readings, Hellos and Pongs of this node, in order of time."""

    def __init__(self, place: Place, node: str, link: Link, settings: SessionSettings | None = None) -> None:
        self._place = place
        self._node = node
        self._link = link
        self._settings = settings or SessionSettings()
        self._counts = dict.fromkeys(SessionStats.__struct_fields__, 0)
        self._boot = -1
        self._next = 0
        self._dater = Dater(link)
        self._seen_ticks = array("q", [-1]) * _SEEN
        self._held: dict[int, Arrival] = {}
        self._gap_since_s = inf
        self._lost_before = 0
        self._began = False
        self._rebooted = False
        self._old_boots: deque[int] = deque(maxlen=_OLD_BOOTS)
        self._newcomers: list[Arrival] = []
        self._overruled = 0
        self._leapers: list[Arrival] = []
        self._last_s = -inf
        self._sensors: Hello | None = None

    @property
    def node(self) -> str:
        """The node's name."""
        return self._node

    @property
    def stats(self) -> SessionStats:
        """Counts so far."""
        return SessionStats(**self._counts)

    @property
    def last_s(self) -> float:
        """When the node was last heard; minus infinity before that. Repeats and stragglers are no sign of life."""
        return self._last_s

    @property
    def hello(self) -> Hello | None:
        """The node's latest introduction since its boot, if it made one."""
        return self._sensors

    @property
    def clock(self) -> NodeClock:
        """The node's clock since its boot."""
        return self._dater.clock

    @property
    def due_s(self) -> float:
        """When `advance` has something to do, unless more arrives before; infinity where nothing is pending."""
        since_s = self._gap_since_s
        for doubtful in (self._newcomers, self._leapers):
            if doubtful:
                since_s = min(since_s, doubtful[0].at_s)
        if self._dater.waits:
            since_s = min(since_s, self._last_s)
        return since_s + self._settings.hold_s

    def feed(self, arrival: Arrival) -> list[Delivery]:
        """Take one arrival; return what is now in order."""
        message = node_message(arrival)
        self._counts["received"] += 1
        if arrival.retained:
            self._counts["retained"] += 1
            return []
        waiting = self._held or self._newcomers or self._leapers or self._dater.waits
        out = self.advance(arrival.at_s) if waiting else []
        if message.boot != self._boot:
            return out + self._of_another_boot(arrival, message)
        ahead = message.seq - self._next
        if 0 <= ahead <= self._settings.hold_messages:
            self._confirm_present()
            if ahead and message.seq in self._held:
                self._counts["duplicates"] += 1
                return out
            self._dater.observe(arrival)
            if isinstance(message, Hello):
                self._sensors = message
            self._last_s = arrival.at_s
            return out + (self._after_gap(arrival, message) if ahead else self._in_order(arrival))
        return out + self._out_of_place(arrival, message)

    def advance(self, now_s: float) -> list[Delivery]:
        """Let time pass: give up gaps that were waited for long enough, believe what nobody contradicted."""
        out: list[Delivery] = []
        since_s = now_s - self._settings.hold_s
        while self._held and self._gap_since_s < since_s:
            out += self._give_up_gap()
        if self._newcomers and self._newcomers[0].at_s < since_s:
            out += self._reboot()
        if self._leapers and self._leapers[0].at_s < since_s and node_message(self._leapers[0]).seq > self._next:
            out += self._leap()
        if self._dater.waits and self._last_s < since_s:
            out += self._dated(self._dater.release())
        return out

    def _of_another_boot(self, arrival: Arrival, message: NodeMessage) -> list[Delivery]:
        if self._boot < 0:
            self._newcomers = [arrival]
            return self._reboot()
        if message.boot in self._old_boots:
            if arrival.at_s - self._last_s < self._settings.straggler_s:
                self._counts["stragglers"] += 1
                return []
            self._old_boots.remove(message.boot)
        if self._newcomers and node_message(self._newcomers[0]).boot != message.boot:
            self._drop_newcomers()
        if any(node_message(newcomer).seq == message.seq for newcomer in self._newcomers):
            self._counts["duplicates"] += 1
            return []
        self._overruled = 0
        self._newcomers.append(arrival)
        confirmed = len(self._newcomers) > 1 or isinstance(message, Hello)
        return self._reboot() if confirmed else []

    def _confirm_present(self) -> None:
        """A message in the present count: what contradicted it was nonsense, or too late."""
        if self._newcomers:
            self._overruled += 1
            if self._overruled >= _OVERRULED:
                self._drop_newcomers()
        if self._leapers:
            self._drop_leapers()

    def _drop_newcomers(self) -> None:
        self._counts["strays"] += len(self._newcomers)
        self._newcomers = []

    def _drop_leapers(self) -> None:
        for arrival in self._leapers:
            self._counts["late" if node_message(arrival).seq < self._next else "strays"] += 1
        self._leapers = []

    def _reboot(self) -> list[Delivery]:
        """Begin anew with the newcomers, after what is still held of the old boot."""
        out: list[Delivery] = []
        while self._held:
            out += self._give_up_gap()
        newcomers, self._newcomers = self._newcomers, []
        first = node_message(min(newcomers, key=lambda arrival: node_message(arrival).seq))
        self._next = 1 if first.seq <= self._settings.hold_messages else first.seq
        if self._boot >= 0:
            self._rebooted = True
            self._counts["reboots"] += 1
            self._lost_before += self._next - 1
            if self._boot != first.boot:
                self._old_boots.append(self._boot)
        self._boot = first.boot
        out += self._dated(self._dater.release())
        self._dater = Dater(self._link)
        self._sensors = None
        self._seen_ticks = array("q", [-1]) * _SEEN
        return out + self._feed_again(newcomers)

    def _feed_again(self, believed: list[Arrival]) -> list[Delivery]:
        self._counts["received"] -= len(believed)
        return [delivery for arrival in believed for delivery in self.feed(arrival)]

    def _after_gap(self, arrival: Arrival, message: NodeMessage) -> list[Delivery]:
        if not self._held:
            self._gap_since_s = arrival.at_s
        self._held[message.seq] = arrival
        return [] if self._link is Link.NETWORK else self._give_up_gap()

    def _out_of_place(self, arrival: Arrival, message: NodeMessage) -> list[Delivery]:
        """Before what is due, or far ahead of it: a repeat, too late, or the count itself has leapt."""
        behind = self._next - message.seq
        if 0 < behind <= _SEEN and self._seen_ticks[message.seq % _SEEN] == message.ticks:
            self._counts["duplicates"] += 1
            return []
        if self._leapers and not 0 < message.seq - node_message(self._leapers[-1]).seq <= _STEP:
            self._drop_leapers()
        self._leapers.append(arrival)
        if len(self._leapers) < _AGREEING:
            return []
        if behind < 0:
            return self._leap()
        if live(self._leapers):
            self._drop_newcomers()
            self._newcomers, self._leapers = self._leapers, []
            return self._reboot()
        self._counts["late"] += 1
        del self._leapers[0]
        return []

    def _leap(self) -> list[Delivery]:
        """The count went on far ahead: what lies between is lost."""
        leapers, self._leapers = self._leapers, []
        out: list[Delivery] = []
        while self._held:
            out += self._give_up_gap()
        self._skip_to(node_message(leapers[0]).seq)
        return out + self._feed_again(leapers)

    def _give_up_gap(self) -> list[Delivery]:
        """The messages before the first held one are lost."""
        first = min(self._held)
        self._skip_to(first)
        return self._in_order(self._held.pop(first))

    def _skip_to(self, seq: int) -> None:
        missing = seq - self._next
        for lost in range(max(self._next, seq - _SEEN), seq):
            self._seen_ticks[lost % _SEEN] = -1
        # What a node said before we began to listen is not lost.
        self._lost_before += missing if self._began else 0
        self._next = seq

    def _in_order(self, arrival: Arrival) -> list[Delivery]:
        """Deliver the next message, and whatever was held for it."""
        out: list[Delivery] = []
        self._began = True
        following: Arrival | None = arrival
        while following is not None:
            self._deliver(following, out)
            self._next += 1
            following = self._held.pop(self._next, None) if self._held else None
            if following is not None:
                self._counts["reordered"] += 1
        self._gap_since_s = min(held.at_s for held in self._held.values()) if self._held else inf
        return out

    def _deliver(self, arrival: Arrival, out: list[Delivery]) -> None:
        message = node_message(arrival)
        self._seen_ticks[message.seq % _SEEN] = message.ticks
        if not isinstance(message, Readings):
            self._counts["answers"] += 1
            return
        self._counts["delivered"] += 1
        self._counts["lost"] += self._lost_before
        out += self._dated(self._dater.date(InOrder(arrival, message, self._rebooted, self._lost_before)))
        self._rebooted = False
        self._lost_before = 0

    def _dated(self, messages: list[InOrder]) -> list[Delivery]:
        if not messages:
            return []
        drawn = self._dater.clock.map
        assert drawn is not None, "the clock is read before anything is dated"
        return [
            Delivery(
                self._place,
                self._node,
                one.arrival.at_s,
                one.readings,
                drawn,
                one.rebooted,
                one.lost,
                one.arrival.bad_rows,
            )
            for one in messages
        ]
