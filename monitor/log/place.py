"""Where an event log is kept: an SQLite file, or a PostgreSQL database named by a URL.

Owns how a log is named in settings, on the command line and in messages, and which driver opens it. A password in a
URL is never shown.
"""

import os
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from monitor.errors import LogError

_POSTGRESQL = "postgresql"
_DRIVER = "postgresql+psycopg"
_BESIDE = ("", "-wal", "-shm", ".lock", ".key")
"""Endings of the files that belong to an SQLite log."""


class LogPlace(Struct, frozen=True):
    """One log's place: `file`, or `url` where it is no file; its key is in `folder` then.

    `brief`: a reader has done in a moment, and leaves nothing beside a file to which nobody writes.
    """

    file: Path | None
    url: URL | None = None
    folder: Path = Path()
    brief: bool = False

    def __str__(self) -> str:
        """As it is told to people."""
        return str(self.file) if self.url is None else self.url.render_as_string(hide_password=True)

    @property
    def writing(self) -> URL:
        """What the writer's asynchronous engine opens."""
        return self.url or URL.create("sqlite+aiosqlite", database=str(self.file))

    @property
    def reading(self) -> URL:
        """What a reader opens; a file is opened so that it cannot be changed.

        On a medium that cannot be written SQLite cannot put its index of the newest records beside the file: it is told
        that nobody writes, which is so.
        """
        if self.url is not None or self.file is None:
            return self.url or make_url("sqlite://")
        alone = self.brief or not os.access(self.file.parent, os.W_OK)
        alone = alone and not self.file.with_name(f"{self.file.name}-wal").exists()
        query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if alone else {})
        return URL.create("sqlite", database=f"file:{quote(str(self.file))}", query=query)

    @property
    def name(self) -> str:
        """What it is called, without the folders that lead there."""
        return str(self) if self.file is None else self.file.name

    @property
    def files(self) -> tuple[Path, ...]:
        """The log's own files, which nothing else may replace."""
        if self.file is None:
            return (self.key_file,)
        names = dict.fromkeys((self.file, self.file.resolve()))
        return tuple(name.with_name(name.name + ending) for name in names for ending in _BESIDE)

    @property
    def key_file(self) -> Path:
        """Where the log's secret is kept: beside the file, whatever links lead there."""
        if self.file is None:
            return self.folder / "rackwatch-log.key"
        real = self.file.resolve()
        return real.with_name(real.name + ".key")


def log_place(text: str | Path, folder: Path = Path()) -> LogPlace:
    """A path, or `postgresql://user@host/database` with its key in `folder`. Raises `LogError` for any other URL."""
    if isinstance(text, Path) or "://" not in text:
        return LogPlace(Path(text))
    try:
        url = make_url(text)
    except ArgumentError as problem:
        raise LogError(text.partition("://")[0] + "://…", "this is no URL of a database") from problem
    if url.get_backend_name() != _POSTGRESQL:
        raise LogError(url.render_as_string(), f"is neither a path nor a URL that begins with {_POSTGRESQL}://")
    return LogPlace(None, url.set(drivername=_DRIVER), folder)
