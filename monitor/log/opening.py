"""Opens a log for writing: one engine a place, set up so that a commit is on disk and nobody else writes.

Owns what each database must be told on a connection, and the lock against a second writer: a lock file beside an
SQLite log, an advisory lock that lives as long as the connection in PostgreSQL. Refuses to know tables.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy import event as hooks
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from monitor.errors import LogError, LogInUseError
from monitor.log.complaints import why
from monitor.log.lock import WriterLock
from monitor.log.place import LogPlace

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000")
"""A commit is on disk when it returns, and readers never block."""
_LOCK = 0x7261636B  # "rack", in ASCII
"""Key of the advisory lock: one log a database."""


class Opened:
    """An engine that writes, and the way to let another writer in."""

    def __init__(
        self, engine: AsyncEngine, release: Callable[[], None], is_there: Callable[[], bool] = lambda: True
    ) -> None:
        """Use `open_engine`."""
        self.engine = engine
        self.is_there = is_there
        """Whether what is written still lies where the log is: a file may be moved or removed under its writer, and
        takes every commit all the same."""
        self._release = release

    async def close(self) -> None:
        """Close every connection, then let go of the lock."""
        await self.engine.dispose()
        self._release()


def open_engine(place: LogPlace) -> Opened:
    """Make ready to write. Raises `LogError`; where somebody else writes to PostgreSQL, the first connection does."""
    if place.file is None:
        engine = create_async_engine(place.writing, pool_size=1, max_overflow=0, pool_pre_ping=True)
        hooks.listen(engine.sync_engine, "connect", lambda connection, _: _take_lock(place, connection))
        return Opened(engine, lambda: None)
    try:
        place.file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise LogError(place.file, f"its folder cannot be made ({problem.strerror})") from problem
    lock = WriterLock(place.file)
    try:
        sqlite3.connect(place.file).close()  # said here, a failure leaves no thread behind
    except sqlite3.Error as problem:
        lock.release()
        raise LogError(place.file, f"cannot be opened {why(place, problem)}") from problem
    engine = create_async_engine(place.writing)
    hooks.listen(engine.sync_engine, "connect", _configure)
    hooks.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return Opened(engine, lock.release, _same_file(place.file))


def _same_file(path: Path) -> Callable[[], bool]:
    opened = path.stat()

    def is_there() -> bool:
        try:
            return os.path.samestat(path.stat(), opened)
        except OSError:
            return False

    return is_there


def knock(place: LogPlace) -> None:
    """See whether a database answers; nothing is made. Raises `LogError`."""
    engine = create_engine(place.reading)
    try:
        engine.connect().close()
    except SQLAlchemyError as problem:
        raise LogError(str(place), f"cannot be reached {why(place, problem)}") from problem
    finally:
        engine.dispose()


def _configure(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions are begun by us: else table definitions would be outside of them
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _take_lock(place: LogPlace, connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,))
    (taken,) = cursor.fetchone()
    if not taken:
        cursor.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted", (_LOCK,))
        holder = cursor.fetchone()
        cursor.close()
        raise LogInUseError(str(place), "" if holder is None else str(holder[0]))
    cursor.close()
    connection.commit()
