"""`rackwatch access`: who may see and do what on the pages and the API."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from monitor.access.book import Book
    from monitor.access.file import AccessFile
    from monitor.access.roles import Role
    from monitor.settings_file import SettingsFile

app = typer.Typer(
    no_args_is_help=True,
    help="Who may see and do what on the pages and the API: people, devices, API tokens. What is changed counts at "
    "once, in a monitor that runs too.",
)

SettingsArgument = Annotated[
    Path, typer.Argument(help="Settings file (TOML), such as config/club.toml.", metavar="FILE")
]
NameArgument = Annotated[str, typer.Argument(help="Whose name.", metavar="NAME")]
RoleOption = Annotated[
    str, typer.Option(help="club, scorer, director or admin; each may do what those before it may.", metavar="ROLE")
]
StdinOption = Annotated[bool, typer.Option("--stdin", help="Read the password from standard input, for scripts.")]


@app.command("add")
def add(settings: SettingsArgument, name: NameArgument, role: RoleOption, stdin: StdinOption = False) -> None:
    """Let a person sign in by name and password, which is asked for twice."""
    from monitor.access.book import Person, with_entry
    from monitor.access.passwords import hash_of

    _, access = _opened(settings)
    book = access.book()
    person = Person(name=name, role=_role(role), password="$argon2id$", added=_today())  # noqa: S106  # yet to be asked
    with_entry(book, person)  # what cannot be is told before anybody types a password
    person = Person(name=name, role=person.role, password=hash_of(_password(stdin)), added=person.added)
    _write(access, with_entry(book, person))
    typer.echo(f"{name} may sign in as {person.role}.")


@app.command("device")
def device(
    settings: SettingsArgument,
    name: NameArgument,
    role: RoleOption,
    table: Annotated[str | None, typer.Option(help="For this table alone (club, scorer).")] = None,
    address: Annotated[
        str | None,
        typer.Option(help="Where browsers find the pages, such as http://192.168.1.5:8107; without it, from [web]."),
    ] = None,
    printed: Annotated[
        Path | None,
        typer.Option("--print", help="Write the code to FILE.html (a page to print) or FILE.svg.", metavar="FILE"),
    ] = None,
) -> None:
    """Make a token for a device or a program. It is shown once, with a code for the device to scan.

    A screen or tablet scans the code and is signed in. A program sends the token: Authorization: Bearer TOKEN.
    """
    from monitor.access.book import Device, with_entry
    from monitor.access.opening import is_loopback
    from monitor.access.printed import link, terminal_code, write_code
    from monitor.access.tokens import digest_of, new_token

    file, access = _opened(settings)
    if table is not None and table not in {one.name for one in file.settings.tables}:
        raise typer.BadParameter(f"there is no table {table} in {settings}")
    found = address or _address(file)
    if printed is not None and found is None:
        raise typer.BadParameter("say with --address where browsers find the pages: [web] names no address of its own")
    token = new_token()
    made = Device(name=name, role=_role(role), sha256=digest_of(token), table=table, added=_today())
    book = with_entry(access.book(), made)
    if printed is not None and found is not None:
        write_code(printed, made, found, token)
    _write(access, book)
    typer.echo(f"{name} is let in as {made.role}{f' for table {table}' if table else ''}. Its token, shown this once:")
    typer.echo(f"\n{token}\n")
    if found is None:
        typer.echo("With --address there is a code to scan as well: [web] names no address that another device finds.")
        return
    typer.echo(terminal_code(link(found, token)))
    typer.echo(f"The code opens {found}/with{f', and is in {printed}, too' if printed else ''}.")
    if address is None and is_loopback(file.settings.web.host):
        typer.echo("Only this machine finds that address. With --address the code opens one that others find.")


@app.command("list")
def list_all(settings: SettingsArgument) -> None:
    """List people and devices with their roles, and who sees the director's pages."""
    from time import time

    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    from monitor.access.book import Device
    from monitor.access.door import who_is_let_in
    from monitor.access.opening import door_of

    file, access = _opened(settings)
    console = Console(highlight=False)
    entries = access.book().entries
    if entries:
        grid = Grid("name", "role", "table", "kind", "since", box=None, pad_edge=False)
        for entry in entries:
            kind = "device" if isinstance(entry, Device) else "person"
            grid.add_row(escape(entry.name), entry.role, escape(entry.table or ""), kind, escape(entry.added))
        console.print(grid)
    console.print(f"{access.path}: {who_is_let_in(door_of(file, time))}.", markup=False, soft_wrap=True)


@app.command("revoke")
def revoke(settings: SettingsArgument, name: NameArgument) -> None:
    """Let a person or a device in no more; its sessions end at once."""
    from monitor.access.book import without

    _, access = _opened(settings)
    _write(access, without(access.book(), name))
    typer.echo(f"{name} is let in no more.")


@app.command("password")
def password(settings: SettingsArgument, name: NameArgument, stdin: StdinOption = False) -> None:
    """Give a person another password; sessions that began with the old one end at once."""
    from monitor.access.book import with_password
    from monitor.access.passwords import hash_of

    _, access = _opened(settings)
    book = access.book()
    with_password(book, name, "$argon2id$")
    _write(access, with_password(book, name, hash_of(_password(stdin))))
    typer.echo(f"{name} has another password.")


def _opened(settings: Path) -> "tuple[SettingsFile, AccessFile]":
    from monitor.access.file import AccessFile
    from monitor.access.opening import access_path
    from monitor.settings_file import load_settings

    file = load_settings(settings)
    return file, AccessFile(access_path(file))


def _write(access: "AccessFile", book: "Book") -> None:
    """The book, and beside it the key of sessions, so that those who sign in from now on outlast a restart."""
    from monitor.access.file import session_key

    access.write(book)
    session_key(access.path, make=True)


def _role(word: str) -> "Role":
    from monitor.access.roles import Role

    roles = [role for role in Role if role is not Role.PUBLIC]
    if word not in roles:
        raise typer.BadParameter(f"{word} is no role. Roles: {', '.join(roles)}")
    return Role(word)


def _password(stdin: bool) -> str:
    import sys

    from monitor.access.passwords import flaw_of

    said = (
        sys.stdin.readline().rstrip("\r\n")
        if stdin
        else typer.prompt("Password", hide_input=True, confirmation_prompt="Once more")
    )
    flaw = flaw_of(said)
    if flaw:
        raise typer.BadParameter(flaw)
    return str(said)


def _address(file: "SettingsFile") -> str | None:
    """Where the pages are found, as far as the settings say; `None` for every address, and for a port to be chosen."""
    web = file.settings.web
    if web.port == 0 or web.host in {"0.0.0.0", "::", ""}:  # noqa: S104  # asked for, not listened on
        return None
    host = f"[{web.host}]" if ":" in web.host else web.host
    return f"http://{host}:{web.port}"


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()
