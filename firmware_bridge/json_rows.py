"""Reads a damaged JSON message row by row, so that one bad field costs that field and not the message.

Owns what of a damaged payload is kept: rows that read are kept, the others are left out and counted. Refuses to know
topics and arrivals. The slow second chance behind the strict decoder of `json_messages`.
"""

import re
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.messages import (
    WEAKEST_RSSI_DBM,
    Antenna,
    Boot,
    ButtonEdge,
    FaultBits,
    Input,
    InputName,
    InventoryRound,
    NodeName,
    Readings,
    Seq,
    TagRead,
    Ticks,
    Tiles,
    WeightSample,
)
from firmware_bridge.rejections import BadRow, Rejection, Unread
from firmware_bridge.uids import UidForms
from firmware_bridge.undecodable import UNREADABLE, why

T = TypeVar("T")

_ABSENT = Raw(b"null")

_BARE_WORD = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+]?(?:nan|inf(?:inity)?)\b', re.IGNORECASE | re.DOTALL)
"""A JSON string (left alone), or a number that is none, as C's printf and Python write it: `nan`, `-inf`, `NaN`."""


class _Head(Struct):
    """The fields without which a message is none, and its arrays, not yet read."""

    node: NodeName
    boot: Boot
    seq: Seq
    ticks: Ticks
    weight: Raw = _ABSENT
    inventory: Raw = _ABSENT
    reads: Raw = _ABSENT
    button: Raw = _ABSENT
    faults: Raw = _ABSENT


class _InputHead(Struct):
    """The word without which an input is none, and its other fields, not yet read."""

    input: InputName
    by: Raw = _ABSENT
    n: Raw = _ABSENT
    owners: Raw = _ABSENT
    how: Raw = _ABSENT
    claim: Raw = msgspec.field(default=_ABSENT, name="for")
    discard_by: Raw = _ABSENT
    other: Raw = msgspec.field(default=_ABSENT, name="with")


class _InventoryRow(Struct, array_like=True):
    ticks: Ticks
    antenna: Antenna
    uids: Raw = _ABSENT
    complete: Raw = _ABSENT


class _ReadRow(Struct, array_like=True):
    ticks: Ticks
    antenna: Antenna
    uid: str
    rssi_dbm: Raw = _ABSENT


_head = msgspec.json.Decoder(_Head)
_input_head = msgspec.json.Decoder(_InputHead)
_rows = msgspec.json.Decoder(list[Raw])
_weight_row = msgspec.json.Decoder(WeightSample)
_button_row = msgspec.json.Decoder(ButtonEdge)
_inventory_row = msgspec.json.Decoder(_InventoryRow)
_read_row = msgspec.json.Decoder(_ReadRow)
_text = msgspec.json.Decoder(str)
_texts = msgspec.json.Decoder(tuple[str, ...])
_flag = msgspec.json.Decoder(bool)
_tiles = msgspec.json.Decoder(Tiles)
_fault_bits = msgspec.json.Decoder(FaultBits)
_decibels = msgspec.json.Decoder(float)


class Unreadable(Struct, frozen=True):
    """Not even row by row."""

    reason: Rejection
    detail: str


class Salvaged(Struct, frozen=True):
    """What could be kept of a message, and the rows or fields that could not."""

    message: Readings | Input
    bad: tuple[BadRow, ...]


def salvage_readings(payload: bytes, forms: UidForms) -> Salvaged | Unreadable:
    """Keep every row of a node's message that reads."""
    try:
        head = _head.decode(_cleaned(payload))
    except UNREADABLE as failure:
        return _unreadable(failure)
    reader = _RowReader(head.node, forms)
    readings = Readings(
        head.node,
        head.boot,
        head.seq,
        head.ticks,
        weight=reader.whole_rows(_weight_row, head.weight),
        inventory=reader.inventory(head.inventory),
        reads=reader.reads(head.reads),
        button=reader.whole_rows(_button_row, head.button),
        faults=reader.value(_fault_bits, head.faults) or 0,
    )
    return Salvaged(readings, tuple(reader.bad))


def salvage_input(payload: bytes) -> Salvaged | Unreadable:
    """Keep every field of an input that reads."""
    try:
        head = _input_head.decode(_cleaned(payload))
    except UNREADABLE as failure:
        return _unreadable(failure)
    reader = _RowReader("", UidForms())
    said = Input(
        input=head.input,
        by=reader.value(_text, head.by),
        n=reader.value(_tiles, head.n),
        owners=reader.value(_texts, head.owners),
        how=reader.value(_text, head.how),
        claim=reader.value(_text, head.claim),
        discard_by=reader.value(_text, head.discard_by),
        other=reader.value(_text, head.other),
    )
    return Salvaged(said, tuple(reader.bad))


def with_canonical_uids(readings: Readings, forms: UidForms) -> Salvaged:
    """A message that reads as a whole: bring its uids into form, leave out what is no uid."""
    reader = _RowReader(readings.node, forms)
    inventory = tuple(
        reader.heard(row.ticks, row.antenna, row.uids, complete=row.complete) for row in readings.inventory
    )
    reads = tuple(
        TagRead(row.ticks, row.antenna, uid, row.rssi_dbm)
        for row in readings.reads
        if (uid := reader.uid(row.uid)) is not None
    )
    return Salvaged(msgspec.structs.replace(readings, inventory=inventory, reads=reads), tuple(reader.bad))


class _RowReader:
    """Reads the arrays of one message and notes what it had to leave out."""

    def __init__(self, node: str, forms: UidForms) -> None:
        self._node = node
        self._forms = forms
        self.bad: list[BadRow] = []

    def value(self, decoder: msgspec.json.Decoder[T], raw: Raw) -> T | None:
        """A field, or `None` where it is `null`, absent or (noted) unreadable."""
        if bytes(raw) == b"null":
            return None
        try:
            return decoder.decode(raw)
        except UNREADABLE as failure:
            self.bad.append(BadRow(Unread.WRONG_SHAPE, why(failure)))
            return None

    def whole_rows(self, decoder: msgspec.json.Decoder[T], rows: Raw) -> tuple[T, ...]:
        """The rows that read as they should."""
        good = []
        for raw in self.value(_rows, rows) or ():
            try:
                good.append(decoder.decode(raw))
            except UNREADABLE as failure:
                self.bad.append(BadRow(Unread.WRONG_SHAPE, why(failure)))
        return tuple(good)

    def uid(self, text: str) -> str | None:
        """A uid in canonical form; what is none is noted."""
        uid = self._forms.canonical(self._node, text)
        if uid is None:
            self.bad.append(BadRow(Unread.NO_UID, text))
        return uid

    def heard(self, ticks: int, antenna: Antenna, texts: tuple[str, ...], *, complete: bool) -> InventoryRound:
        """A round. One that heard what reads as no uid is incomplete: that may have been any tag."""
        uids = tuple(uid for text in texts if (uid := self.uid(text)) is not None)
        return InventoryRound(ticks, antenna, uids, complete and len(uids) == len(texts))

    def inventory(self, rows: Raw) -> tuple[InventoryRound, ...]:
        """The rounds of which at least time and antenna read. Where anything else did not, they are incomplete."""
        good = []
        for row in self.whole_rows(_inventory_row, rows):
            before = len(self.bad)
            texts = tuple(self._text_or_blank(raw) for raw in self.value(_rows, row.uids) or ())
            complete = self.value(_flag, row.complete) is True and len(self.bad) == before
            good.append(self.heard(row.ticks, row.antenna, texts, complete=complete))
        return tuple(good)

    def reads(self, rows: Raw) -> tuple[TagRead, ...]:
        """The reads of which all but the strength reads."""
        good = []
        for row in self.whole_rows(_read_row, rows):
            uid = self.uid(row.uid)
            rssi_dbm = self.value(_decibels, row.rssi_dbm)
            if uid is not None:
                good.append(TagRead(row.ticks, row.antenna, uid, WEAKEST_RSSI_DBM if rssi_dbm is None else rssi_dbm))
        return tuple(good)

    @staticmethod
    def _text_or_blank(raw: Raw) -> str:
        """A string; a blank one where there is none, which is no uid and is noted as such."""
        try:
            return _text.decode(raw)
        except UNREADABLE:
            return ""


def _cleaned(payload: bytes) -> bytes:
    """The payload with `null` for every number that is none."""
    return _BARE_WORD.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", payload)


def _unreadable(failure: Exception) -> Unreadable:
    shape = isinstance(failure, msgspec.ValidationError)
    return Unreadable(Rejection.WRONG_SHAPE if shape else Rejection.NOT_JSON, why(failure))
