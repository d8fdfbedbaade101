"""A real PostgreSQL for tests: own folder, free loopback port, trusting whoever comes, stopped and started at will.

    with PostgreSQL(tmp_path) as server:
        ... server.url("name") ...        # a new, empty database

Where Debian's postgresql is not installed the test is skipped and says so, but for continuous integration (`CI=true`),
where that is a failure. The server refuses to run as root: then it runs as the package's own user.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
import pytest

from tests.broker import free_port

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

    def __init__(self, folder: Path) -> None:
        self._initdb, self._server = _program("initdb"), _program("postgres")
        self._folder = folder / "postgresql"
        self._folder.mkdir(mode=0o700)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self._user = _USER if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(self._folder, self._user, self._user)
            for above in self._folder.parents:  # it has to get here
                if above.stat().st_uid == 0 and above != Path("/"):
                    above.chmod(above.stat().st_mode | 0o011)

    def __enter__(self) -> Self:
        self._run([self._initdb, "-D", "data", "-A", "trust", "-U", "rackwatch", "-E", "UTF8", "--no-sync"])
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = {"port": str(self.port), "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        log = (self._folder.parent / "postgresql.log").open("ab")
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
                    pytest.fail((self._folder.parent / "postgresql.log").read_text())
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop the server at once, as in a power cut: what it promised is on disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def url(self, database: str) -> str:
        """The URL of a new database."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}".encode())
        return self._address(database)

    def _address(self, database: str) -> str:
        return f"postgresql://rackwatch@127.0.0.1:{self.port}/{database}"

    def _run(self, words: list[str]) -> None:
        subprocess.run(
            words, cwd=self._folder, user=self._user, group=self._user, check=True, capture_output=True, timeout=60
        )
