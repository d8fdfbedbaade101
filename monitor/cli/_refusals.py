"""What a replay says at its end of the messages that came to nothing.

Owns the words. Refuses to know why a message is refused: the router counts by reason. A recording in which every
message was understood and was for this table gives no line at all.
"""

from collections.abc import Iterator

from firmware_bridge.arrival import Arrival
from firmware_bridge.received import Received
from firmware_bridge.rejections import Rejected, Rejection
from firmware_bridge.routing import Router
from firmware_bridge.topics import Address, parse_topic

_SHOWN_CHARACTERS = 80
"""Of a topic or a detail; our choice, so that a line stays a line."""


class CountingRouter(Router):
    """A router that also counts what it let through."""

    arrivals = 0

    def route(self, received: Received) -> list[Arrival]:
        """As the router's."""
        arrivals = super().route(received)
        self.arrivals += len(arrivals)
        return arrivals


def refusals(router: CountingRouter, table: str) -> Iterator[str]:
    """One sentence for each reason, most frequent first, and one where nothing at all was for `table`."""
    latest = {rejected.reason: rejected for rejected in router.latest_rejections}
    for reason, count in sorted(router.rejected.items(), key=lambda item: -item[1]):
        yield f"{_messages(count)} refused: {reason}{_example(latest.get(reason))}"
    if router.bad_rows:
        yield f"left out of messages that were otherwise taken: {router.bad_rows} unreadable rows or fields"
    if not router.arrivals:
        spoken_of = sorted(
            {_table_of(one) for one in router.latest_rejections if one.reason is Rejection.UNKNOWN_TABLE}
        )
        speaks = f"; the recording speaks of {', '.join(map(_plain, spoken_of))}" if spoken_of else ""
        yield f"no usable message for table {table}{speaks}"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _example(latest: Rejected | None) -> str:
    """Where the latest of them came from; the router remembers only a few."""
    if latest is None:
        return ""
    detail = f", {_plain(latest.detail)}" if latest.detail else ""
    return f" (latest at {latest.at_s:.1f} s from {_plain(latest.source)}{detail})"


def _table_of(rejected: Rejected) -> str:
    """The table that a message named: in its topic, or, on a serial line, in the detail."""
    address = parse_topic(rejected.source)
    return address.table if isinstance(address, Address) else rejected.detail


def _plain(text: str) -> str:
    """Fit for a terminal, whatever a recording holds."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_SHOWN_CHARACTERS])
