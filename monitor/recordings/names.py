"""What the name of a recording says, both ways.

Owns the pattern. Refuses to know files. Whatever does not have a name of exactly this pattern was not written by the
monitor, and is never touched.

    2026-11-30T19-02-11Z-part-3-run-7.recording.jsonl.gz            whole
    2026-11-30T19-02-11Z-part-3-alert-run-7.recording.jsonl.gz      whole, with an alert above notice
    2026-11-30T19-02-11Z-part-3-run-7.recording.jsonl.gz.part       being written, or cut off by a crash
"""

import re
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

_TIME: Final = "%Y-%m-%dT%H-%M-%SZ"
_PATTERN: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)-part-([1-9]\d{0,8})(-alert)?-run-([1-9]\d{0,8})\.recording\.jsonl\.gz(\.part)?",
    re.ASCII,
)


class RecordingName(Struct, frozen=True):
    """`began` is a wall clock's, to the second; `run` the log's number of the monitor's start, `part` counts from 1."""

    began: datetime
    run: int
    part: int
    alert: bool = False
    being_written: bool = False

    def __str__(self) -> str:
        alert, end = "-alert" if self.alert else "", ".part" if self.being_written else ""
        began = self.began.astimezone(UTC).strftime(_TIME)
        return f"{began}-part-{self.part}{alert}-run-{self.run}.recording.jsonl.gz{end}"

    def whole(self) -> "RecordingName":
        """The name once the file is whole."""
        return msgspec.structs.replace(self, being_written=False)

    def with_alert(self) -> "RecordingName":
        """The name once an alert was raised in the file's time."""
        return msgspec.structs.replace(self, alert=True)


def parse_name(text: str) -> RecordingName | None:
    """What a file's name says, or nothing where it is not the monitor's."""
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    began, part, alert, run, being_written = found.groups()
    try:
        when = datetime.strptime(began, _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return RecordingName(when, int(run), int(part), alert is not None, being_written is not None)
