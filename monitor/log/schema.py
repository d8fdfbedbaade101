"""The tables of the event log, the same for every database.

Owns names and types of the columns. A record's payload is the JSON that was made of it, byte for byte; the other
columns are there to find it. Two clocks: `mono_s`, the host's monotonic seconds that the payload's `at` is on too (it
starts anew with the machine, hence `runs`), and `utc_us`, microseconds since 1970.
"""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

SCHEMA_VERSION = 1
"""Kept in the file (`PRAGMA user_version` in SQLite)."""


class Stream(StrEnum):
    """Which stream a record belongs to; `number` counts within stream, table and run."""

    EVENT = "event"
    ALERT = "alert"


metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run", Integer, primary_key=True),
    Column("utc_us", BigInteger, nullable=False),
    Column("mono_s", Float, nullable=False),
    Column("version", String, nullable=False),
)
"""One row a start of the monitor."""

records = Table(
    "records",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("run", Integer, ForeignKey("runs.run"), nullable=False),
    Column("table", String, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("stream", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("mono_s", Float, nullable=False),
    Column("utc_us", BigInteger, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Index("records_by_hand", "table", "hand", "seq"),
    Index("records_by_stream", "stream", "kind", "seq"),
)
"""One row an event or alert, in the order in which they became durable. Appended to, never changed."""

APPEND_ONLY = tuple(
    f"CREATE TRIGGER records_{what.lower()} BEFORE {what} ON records "
    f"BEGIN SELECT RAISE(ABORT, 'records are appended, nothing else'); END"
    for what in ("UPDATE", "DELETE")
)
"""SQLite statements that make a slip of any program fail."""
