"""How the event log came to be what it is: one Alembic revision a schema, and the way from whatever is found to now.

Owns which revision a database has. Refuses to know what is in the records. A log of a newer version is refused; an
older one is brought up to date by the writer, in one transaction, before anything is appended.
"""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from monitor.log.schema import SCHEMA_VERSION

NO_LOG = 0
"""The schema of a database that holds nothing yet."""
FOREIGN = -1
"""And of one that holds something else than a log."""


def schema_of(connection: Connection) -> int:
    """The schema that a database has."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" in tables:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if found is None:
            return NO_LOG
        return int(found) if str(found).isdecimal() else FOREIGN
    if {"records", "runs"} <= set(tables):
        return 1
    return FOREIGN if tables else NO_LOG


def upgrade(connection: Connection, found: int) -> None:
    """Bring a database from schema `found` to this version's."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    if found == 1 and "alembic_version" not in inspect(connection).get_table_names():
        command.stamp(config, "0001")
    command.upgrade(config, "head")
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"PRAGMA user_version = {SCHEMA_VERSION}"))
