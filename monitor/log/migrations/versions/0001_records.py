"""Runs and records, append-only."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """As the first version made it."""
    op.create_table(
        "runs",
        sa.Column("run", sa.Integer, primary_key=True),
        sa.Column("utc_us", sa.BigInteger, nullable=False),
        sa.Column("mono_s", sa.Float, nullable=False),
        sa.Column("version", sa.String, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.run"), nullable=False),
        sa.Column("table", sa.String, nullable=False),
        sa.Column("hand", sa.Integer, nullable=False),
        sa.Column("stream", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("mono_s", sa.Float, nullable=False),
        sa.Column("utc_us", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
    )
    op.create_index("records_by_hand", "records", ["table", "hand", "seq"])
    op.create_index("records_by_stream", "records", ["stream", "kind", "seq"])
