"""The tables of the event log, the same for every database.

Owns names and types of the columns. A record's payload is the JSON that was made of it, byte for byte, without the keys
that tell which tile it was; these are sealed beside it. The other columns are there to find it, and to prove that it is
the record that was written. Two clocks: `mono_s`, the host's monotonic seconds that the payload's `at` is on too (it
starts anew with the machine, hence `runs`), and `utc_us`, microseconds since 1970.
"""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

SCHEMA_VERSION = 4
"""The newest of `monitor.log.migrations`. In SQLite also `PRAGMA user_version`, which versions before 2 look at."""

RELEASES_NOTED = 3
"""Since this schema each released key is noted among the records."""


class Stream(StrEnum):
    """Which stream a record belongs to; `number` counts within stream, table and run.

    Acts are what people did about the play. Notes tell of the log itself, and are never purged.
    """

    EVENT = "event"
    ALERT = "alert"
    ACT = "act"
    NOTE = "note"


metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run", Integer, primary_key=True),
    Column("utc_us", BigInteger, nullable=False),
    Column("mono_s", Float, nullable=False),
    Column("version", String, nullable=False),
    Column("salt", LargeBinary),
    Column("signer", LargeBinary),
    Column("signature", LargeBinary),
)
"""One row a start of the monitor, signed. `salt`: random, so that no two starts seal with the same keys."""

records = Table(
    "records",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("run", Integer, ForeignKey("runs.run"), nullable=False),
    Column("table", String, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("stream", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("mono_s", Double, nullable=False),
    Column("utc_us", BigInteger, nullable=False),
    Column("payload", LargeBinary),
    Column("payload_digest", LargeBinary, nullable=False),
    Column("sealed", LargeBinary),
    Column("sealed_digest", LargeBinary, nullable=False),
    Column("link", LargeBinary, nullable=False),
    Index("records_by_hand", "table", "hand", "seq"),
    Index("records_by_stream", "stream", "kind", "seq"),
)
"""One row an event, alert, act or note, in the order in which they became durable. Appended to, never changed; a purge
takes payloads away and leaves their digests. `sealed`: what tells which tile it was, encrypted (`monitor.log.keys`)."""

heads = Table(
    "heads",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("table", String, nullable=False),
    Column("hand", Integer, nullable=False),
    Column("link", LargeBinary, nullable=False),
    Column("utc_us", BigInteger, nullable=False),
    Column("signer", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)
"""One row a hand that is over: the link of its last record, signed. `signer`: the public key."""

ends = Table(
    "ends",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("link", LargeBinary, nullable=False),
    Column("signer", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)
"""The one row (`place` 1) that says where the log ends, signed with every group: what is cut off shows."""

released = Table(
    "released",
    metadata,
    Column("run", Integer, primary_key=True, autoincrement=False),
    Column("table", String, primary_key=True),
    Column("hand", Integer, primary_key=True, autoincrement=False),
    Column("key", LargeBinary, nullable=False),
)
"""Keys of hands whose tile identities may be known: `monitor.log.keys.seal`. Each is noted among the records
(`monitor.log.notes.Released`), and goes when a purge has taken all that it opens."""
