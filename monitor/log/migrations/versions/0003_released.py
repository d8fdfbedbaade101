"""The release of a key is a record of its own: a kind of note that readers of the former schema do not know.

The tables stay as they are. The writer notes the keys that it finds (`monitor.log.store`), since a note needs a run, a
link and a signed end.
"""

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Nothing but the number, which keeps older versions from a log that they could not read."""
