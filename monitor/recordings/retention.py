"""Which recordings go: the club's choice, as a function of what is there.

Owns the decision and its reasons. Pure: files, sizes and the time are handed in, and nothing is removed here.

    a file goes when                                                             setting
    ------------------------------------------------------------------------    --------------------
    it is whole, its time and the hand after it are over, and no alert came      keep = "with_alerts"
    it ended longer ago than that                                                keep_days
    it is among the oldest, and all files with one more would hold too much      total_mb

What is being written, or was cut off and not yet made whole, never goes. The wall clock is believed about age only: a
file from the future is no old one.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from monitor.recordings.names import RecordingName
from monitor.settings import Keep

HAND_S: Final = 20 * 60.0
"""Our choice: a hand takes ten minutes or so. An alert so soon after a file began needs the file before as well."""


class RecordingFile(Struct, frozen=True):
    """One file of the folder; `ended_utc_s` is when it was last written to."""

    name: RecordingName
    size_bytes: int
    ended_utc_s: float


class Retention(Struct, frozen=True):
    """What is kept. `total_bytes` and `keep_s`: 0 is no limit."""

    keep: Keep = Keep.ALL
    total_bytes: int = 0
    keep_s: float = 0.0


class Reason(StrEnum):
    """Why a recording goes."""

    NO_ALERT = "no alert was raised in its time"
    AGE = "it is older than keep_days"
    ROOM = "the folder would hold more than total_mb"


class Removal(Struct, frozen=True):
    """One file that goes."""

    file: RecordingFile
    reason: Reason


def removals(
    files: Sequence[RecordingFile], retention: Retention, now_utc_s: float, reserve_bytes: int
) -> list[Removal]:
    """What goes now, oldest first. `reserve_bytes`: what the file that is being written may come to, which is not
    among `files`."""
    gone: list[Removal] = []
    kept: list[RecordingFile] = []
    for file in sorted(files, key=_age):
        reason = None if file.name.being_written else _outlived(file, retention, now_utc_s)
        if reason is None:
            kept.append(file)
        else:
            gone.append(Removal(file, reason))
    too_much = excess_bytes(kept, retention, reserve_bytes)
    for file in kept:
        if too_much <= 0:
            break
        if not file.name.being_written:
            gone.append(Removal(file, Reason.ROOM))
            too_much -= file.size_bytes
    return sorted(gone, key=lambda removal: _age(removal.file))


def excess_bytes(files: Sequence[RecordingFile], retention: Retention, reserve_bytes: int) -> int:
    """By how much the folder would pass its limit; not above 0 where it would not."""
    if retention.total_bytes == 0:
        return 0
    return sum(file.size_bytes for file in files) + reserve_bytes - retention.total_bytes


def _outlived(file: RecordingFile, retention: Retention, now_utc_s: float) -> Reason | None:
    age_s = now_utc_s - file.ended_utc_s
    if retention.keep is Keep.WITH_ALERTS and not file.name.alert and age_s > HAND_S:
        return Reason.NO_ALERT
    if retention.keep_s > 0.0 and age_s > retention.keep_s:
        return Reason.AGE
    return None


def _age(file: RecordingFile) -> "_Order":
    name = file.name
    return _Order(name.began.timestamp(), name.run, name.part)


class _Order(Struct, frozen=True, order=True):
    began_utc_s: float
    run: int
    part: int
