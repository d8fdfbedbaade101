"""Each record is linked to all before it; heads are signed; tile identities are sealed; payloads may be purged.

Records from before are linked as they are found: the chain proves nothing of the time before it was made. Their tile
identities stay in the open payload, where the first version wrote them.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from monitor.log.chain import ABSENT, FIRST_LINK, Header, digest, link

revision = "0002"
down_revision = "0001"

_ROWS = 1000
_SQLITE_GUARD = """
CREATE TRIGGER records_update BEFORE UPDATE ON records
WHEN NOT (OLD.stream <> 'note' AND NEW.payload IS NULL AND NEW.sealed IS NULL
  AND NEW.seq = OLD.seq AND NEW.run = OLD.run
  AND NEW."table" = OLD."table" AND NEW.hand = OLD.hand AND NEW.stream = OLD.stream AND NEW.kind = OLD.kind
  AND NEW.number = OLD.number AND NEW.mono_s = OLD.mono_s AND NEW.utc_us = OLD.utc_us
  AND NEW.payload_digest = OLD.payload_digest AND NEW.sealed_digest = OLD.sealed_digest AND NEW.link = OLD.link)
BEGIN SELECT RAISE(ABORT, 'records are appended, nothing else'); END
"""
_SQLITE_KEEP = """
CREATE TRIGGER records_delete BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'records are appended, nothing else'); END
"""
_POSTGRESQL_REFUSAL = """
CREATE FUNCTION records_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'records are appended, nothing else'; END $$
"""
_POSTGRESQL_GUARD = """
CREATE TRIGGER records_update BEFORE UPDATE ON records FOR EACH ROW
WHEN (NOT (OLD.stream <> 'note' AND NEW.payload IS NULL AND NEW.sealed IS NULL
  AND NEW.seq = OLD.seq AND NEW.run = OLD.run
  AND NEW."table" = OLD."table" AND NEW.hand = OLD.hand AND NEW.stream = OLD.stream AND NEW.kind = OLD.kind
  AND NEW.number = OLD.number AND NEW.mono_s = OLD.mono_s AND NEW.utc_us = OLD.utc_us
  AND NEW.payload_digest = OLD.payload_digest AND NEW.sealed_digest = OLD.sealed_digest AND NEW.link = OLD.link))
EXECUTE FUNCTION records_refuse()
"""
_POSTGRESQL_KEEP = """
CREATE TRIGGER records_delete BEFORE DELETE ON records FOR EACH ROW EXECUTE FUNCTION records_refuse()
"""


def upgrade() -> None:
    """Copy the records into a table that has the new columns, linking them on the way."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    for index in ("records_by_hand", "records_by_stream"):
        op.drop_index(index, "records")
    op.rename_table("records", "records_before")
    for name in ("salt", "signer", "signature"):
        op.add_column("runs", sa.Column(name, sa.LargeBinary))
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    records = op.create_table(
        "records",
        sa.Column("seq", number, primary_key=True, autoincrement=False),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.run"), nullable=False),
        sa.Column("table", sa.String, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("stream", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("mono_s", sa.Double, nullable=False),
        sa.Column("utc_us", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.LargeBinary),
        sa.Column("payload_digest", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("sealed_digest", sa.LargeBinary, nullable=False),
        sa.Column("link", sa.LargeBinary, nullable=False),
    )
    _copy(records)
    op.drop_table("records_before")
    op.create_index("records_by_hand", "records", ["table", "hand", "seq"])
    op.create_index("records_by_stream", "records", ["stream", "kind", "seq"])
    _signed_tables(number)
    for statement in (
        (_SQLITE_GUARD, _SQLITE_KEEP) if sqlite else (_POSTGRESQL_REFUSAL, _POSTGRESQL_GUARD, _POSTGRESQL_KEEP)
    ):
        op.execute(statement)


def _signed_tables(number: Any) -> None:
    op.create_table(
        "heads",
        sa.Column("seq", number, primary_key=True, autoincrement=False),
        sa.Column("table", sa.String, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("link", sa.LargeBinary, nullable=False),
        sa.Column("utc_us", sa.BigInteger, nullable=False),
        sa.Column("signer", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "ends",
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("link", sa.LargeBinary, nullable=False),
        sa.Column("signer", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "released",
        sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("table", sa.String, primary_key=True),
        sa.Column("hand", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.LargeBinary, nullable=False),
    )


def _copy(records: sa.Table) -> None:
    connection, before, last = op.get_bind(), FIRST_LINK, 0
    query = sa.text("SELECT * FROM records_before WHERE seq > :last ORDER BY seq LIMIT :rows")
    while page := connection.execute(query, {"last": last, "rows": _ROWS}).mappings().all():
        rows = []
        for row in page:
            header = Header(**{name: row[name] for name in Header.__struct_fields__})
            told = bytes(row["payload"])
            before = link(before, header, digest(told), ABSENT)
            rows.append(
                {**row, "payload_digest": digest(told), "sealed": None, "sealed_digest": ABSENT, "link": before}
            )
        connection.execute(sa.insert(records), rows)
        last = page[-1]["seq"]
