"""What a replay says at its end of the messages that came to nothing, and of rows that are missing from others.

Owns the words. Refuses to know why something is refused: the router counts by reason and keeps the first. A
recording in which every message was understood whole and was for this table gives no line at all.
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
    for reason, count in sorted(router.rejected.items(), key=lambda item: -item[1]):
        first = router.first_rejections[reason]
        what = "1 message" if count == 1 else f"{count} messages"
        yield f"{what} refused: {reason} ({_place(count, first.at_s, first.source, first.detail)})"
    for unread, count in sorted(router.left_out.items(), key=lambda item: -item[1]):
        seen = router.first_left_out[unread]
        where = _place(count, seen.at_s, seen.source, seen.row.detail)
        what = "row or field left out of its message" if count == 1 else "rows or fields left out of their messages"
        yield f"{count} {what}: {unread} ({where})"
    if not router.arrivals:
        spoken_of = sorted(
            {_table_of(one) for one in router.latest_rejections if one.reason is Rejection.UNKNOWN_TABLE}
        )
        speaks = f"; the recording speaks of {', '.join(map(_plain, spoken_of))}" if spoken_of else ""
        yield f"no usable message for table {table}{speaks}"


def _place(count: int, at_s: float, source: str, detail: str) -> str:
    """Where it was, or where the first of several was."""
    words = f": {_plain(detail)}" if detail else ""
    return f"{'' if count == 1 else 'first '}at {at_s:.1f} s from {_plain(source)}{words}"


def _table_of(rejected: Rejected) -> str:
    """The table that a message named: in its topic, or, on a serial line, in the detail."""
    address = parse_topic(rejected.source)
    return address.table if isinstance(address, Address) else rejected.detail


def _plain(text: str) -> str:
    """Fit for a terminal, whatever a recording holds."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_SHOWN_CHARACTERS])
