"""The JSON form of node messages and inputs (contract: spec of recordings), both ways.

Owns payloads as a whole: which are taken as they are, which go through the slow repair, which are refused. Refuses to
know where a message came from, what time it is, and what it means. Third stage of the flow:
transports -> received -> **decode** -> session.

Decoding is strict first: one typed pass, which nearly every message takes. What fails it, or holds a uid not seen
before, is read again by `json_rows`, which keeps what can be kept and counts the rest.
"""

import msgspec

from firmware_bridge.arrival import Arrival
from firmware_bridge.json_rows import (
    Salvaged,
    Unreadable,
    salvage_input,
    salvage_readings,
    with_canonical_uids,
)
from firmware_bridge.messages import Input, Readings
from firmware_bridge.received import Published
from firmware_bridge.rejections import Rejected, Rejection
from firmware_bridge.topics import Address, TopicKind, parse_topic
from firmware_bridge.uids import UidForms
from firmware_bridge.undecodable import UNREADABLE

MAX_PAYLOAD_BYTES = 1 << 16
"""A node's message of 100 ms is below 4 kB; our choice leaves room for one that catches up after an outage."""

_TOPICS_REMEMBERED = 4096
_DETAIL_CHARACTERS = 120

_readings = msgspec.json.Decoder(Readings)
_input = msgspec.json.Decoder(Input)
_encoder = msgspec.json.Encoder()


def encode_readings(readings: Readings) -> bytes:
    """A message as a node would send it; empty arrays are left out."""
    return _encoder.encode(readings)


def encode_input(said: Input) -> bytes:
    """An input as a referee's device would send it."""
    return _encoder.encode(said)


class JsonMessages:
    """Decodes the messages of any number of tables and nodes. Never raises on what was received."""

    def __init__(self, tables: frozenset[str] | None = None) -> None:
        """`tables`: those that exist; `None` takes any."""
        self._tables = tables
        self._addresses: dict[str, Address | Rejection] = {}
        self._forms = UidForms()

    def decode(self, published: Published) -> Arrival | Rejected:
        """Return the message, or why there is none."""
        topic = published.topic
        address = self._addresses.get(topic) or self._address(topic)
        if isinstance(address, Rejection):
            return Rejected(published.at_s, topic, address)
        if len(published.payload) > MAX_PAYLOAD_BYTES:
            return Rejected(published.at_s, topic, Rejection.TOO_LONG, f"{len(published.payload)} bytes")
        if not published.payload.isascii() and not _is_utf8(published.payload):
            return Rejected(published.at_s, topic, Rejection.NOT_UTF8)
        result = self._readings(published) if address.kind is TopicKind.READINGS else self._input(published)
        if isinstance(result, Unreadable):
            return Rejected(published.at_s, topic, result.reason, result.detail[:_DETAIL_CHARACTERS])
        if isinstance(result, Salvaged):
            return Arrival(
                published.at_s,
                address.table,
                address.place,
                result.message,
                retained=published.retain,
                bad=result.bad,
            )
        return Arrival(published.at_s, address.table, address.place, result, retained=published.retain)

    def _address(self, topic: str) -> Address | Rejection:
        address = parse_topic(topic)
        if isinstance(address, Address) and self._tables is not None and address.table not in self._tables:
            address = Rejection.UNKNOWN_TABLE
        if len(self._addresses) >= _TOPICS_REMEMBERED:
            self._addresses.clear()
        self._addresses[topic] = address
        return address

    def _readings(self, published: Published) -> Readings | Salvaged | Unreadable:
        try:
            readings = _readings.decode(published.payload)
        except UNREADABLE:
            return salvage_readings(published.payload, self._forms)
        for row in readings.inventory:
            if row.uids and not self._forms.all_canonical(readings.node, row.uids):
                return with_canonical_uids(readings, self._forms)
        for read in readings.reads:
            if not self._forms.all_canonical(readings.node, (read.uid,)):
                return with_canonical_uids(readings, self._forms)
        return readings

    @staticmethod
    def _input(published: Published) -> Input | Salvaged | Unreadable:
        try:
            return _input.decode(published.payload)
        except UNREADABLE:
            return salvage_input(published.payload)


def _is_utf8(payload: bytes) -> bool:
    """A typed decoder does not look at keys it does not know; the contract is about the whole payload."""
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
