"""`rackwatch --help` is there at once: a command imports what it needs when it runs."""

import subprocess
import sys

HEAVY = {
    "alembic",
    "argon2",
    "cryptography",
    "jinja2",
    "litestar",
    "numpy",
    "pikepdf",
    "psycopg",
    "segno",
    "sqlalchemy",
    "typst",
    "uvicorn",
    "xlsxwriter",
}


def test_the_command_itself_loads_nothing_heavy() -> None:
    program = "import sys, monitor.cli; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert "typer" in done.stdout.split()
    assert HEAVY & set(done.stdout.split()) == set()
