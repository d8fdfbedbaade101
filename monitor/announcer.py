"""Tells Home Assistant what there is, and takes back what is no more.

Owns when: at each connection to the broker, and when Home Assistant says that it has started. Refuses to know what is
told (`monitor.home_assistant`) and how it is sent. What earlier runs announced needs no list: the broker keeps their
messages and hands them out when we subscribe. What this run does not announce is taken back by an empty one: a table
that is no longer in the settings, an old prefix, everything where Home Assistant was switched off.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from firmware_bridge.received import Published, Received
from firmware_bridge.transports.transport import Publication, SendOutcome
from monitor.home_assistant import BIRTH_TOPIC, Discovery

ROUND_S: Final = 0.5
"""How often it is looked whether something is to be announced; our choice. A birth told ten times is answered once."""
HEARD_S: Final = 10.0
"""How long the broker may take to hand our own messages out to us; our choice."""
ABOUT: Final = "Home Assistant's topics"


class Announcer:
    """One monitor's announcements at one broker."""

    def __init__(
        self,
        discovery: Discovery,
        send: Callable[[Publication], SendOutcome],
        open_since: Callable[[], float | None],
        clock: Callable[[], float],
        notice: Callable[[str, str | None], None],
    ) -> None:
        """`send` never waits; `open_since` tells since when (host seconds) the broker is there."""
        self._discovery = discovery
        self._send = send
        self._open_since = open_since
        self._clock = clock
        self._notice = notice
        self._wanted = frozenset(one.topic for one in discovery.announcements)
        self._unheard: set[str] = set()
        self._told_s = 0.0
        self._since_s: float | None = None
        self._born = False

    def take(self, received: Received) -> bool:
        """Whether it was for us: Home Assistant's birth, or one of our own announcements, of this run or another."""
        if not isinstance(received, Published):
            return False
        if received.topic == BIRTH_TOPIC:
            self._born = self._born or received.payload == b"online"
            return True
        if not self._discovery.owns(received.topic):
            return False
        self._unheard.discard(received.topic)
        if received.payload and received.topic not in self._wanted:
            self._send(Publication(received.topic, b"", retain=True))
        return True

    async def run(self) -> None:
        """Announce; until cancelled."""
        while True:
            self.announce()
            self._tell_of_silence()
            await asyncio.sleep(ROUND_S)

    def announce(self) -> None:
        """Announce everything to a broker that is newly there, and to a Home Assistant that has started."""
        since_s = self._open_since()
        if since_s is None or (since_s == self._since_s and not self._born):
            return
        self._since_s, self._born = since_s, False
        self._told_s = self._clock()
        self._unheard = set(self._wanted)
        for one in self._discovery.announcements:
            self._send(one)

    def _tell_of_silence(self) -> None:
        """A broker that refuses a topic says nothing; but what it takes comes back to us."""
        if not self._unheard or self._since_s != self._open_since():
            self._notice(ABOUT, None)
        elif self._clock() - self._told_s > HEARD_S:
            self._notice(
                ABOUT,
                f"The broker does not take what Home Assistant is told ({min(self._unheard)}): its access list has to "
                "allow it, or the prefix is another.",
            )
