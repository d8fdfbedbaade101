"""A real PostgreSQL for tests: own folder with its socket, trusting whoever comes, stopped and started at will.

    with PostgreSQL() as server:
        ... server.url("name") ...        # a new, empty database

Where Debian's postgresql is not installed the test is skipped and says so, but for continuous integration (`CI=true`),
where that is a failure. The server refuses to run as root: then it runs as the package's own user.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg
import pytest

_START_TIMEOUT_S = 30.0
_USER = "postgres"


def _program(name: str) -> str:
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / name).exists():
            return str(folder / name)
    if os.environ.get("CI") == "true":
        pytest.fail("PostgreSQL is not installed (apt-get install postgresql)")
    pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")


class PostgreSQL:
    """One server."""

    def __init__(self) -> None:
        self._initdb, self._server = _program("initdb"), _program("postgres")
        self._folder = Path(tempfile.mkdtemp(prefix="rackwatch-postgresql-"))
        self._log = self._folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _USER if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(self._folder, self._user, self._user)

    def __enter__(self) -> Self:
        self._run([self._initdb, "-D", "data", "-A", "trust", "-U", "rackwatch", "-E", "UTF8", "--no-sync"])
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = {"listen_addresses": "", "unix_socket_directories": str(self._folder)}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        log = self._log.open("ab")
        self._process = subprocess.Popen(
            [self._server, "-D", "data", "-F", *words],
            cwd=self._folder,
            user=self._user,
            group=self._user,
            stdout=log,
            stderr=log,
        )
        log.close()
        deadline_s = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                psycopg.connect(self._address("postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline_s:
                    pytest.fail(self._log.read_text())
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop the server at once, with everybody who is connected; it recovers when it is started again."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_START_TIMEOUT_S)
            self._process = None

    def url(self, database: str) -> str:
        """The URL of a new database."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}".encode())
        return self._address(database)

    def _address(self, database: str) -> str:
        return f"postgresql://rackwatch@/{database}?host={quote(str(self._folder), safe='')}"

    def _run(self, words: list[str]) -> None:
        subprocess.run(
            words, cwd=self._folder, user=self._user, group=self._user, check=True, capture_output=True, timeout=60
        )
