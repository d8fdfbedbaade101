"""What people did about the play: a stream, and kinds of record, that readers of the former schema do not know.

The tables stay as they are. A purge takes acts as it takes events: the guard of schema 2 lets it.
"""

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Nothing but the number, which keeps older versions from a log that they could not read."""
