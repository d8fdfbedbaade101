"""`rackwatch check`: is everything there that a run would need?"""

from pathlib import Path
from typing import Annotated

import typer


def command(
    settings: Annotated[Path, typer.Argument(help="Settings file (TOML), such as config/club.toml.", metavar="FILE")],
    show: Annotated[bool, typer.Option("--show", help="List every setting and where its value comes from.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Look at files only, not at ports, broker and page.")] = False,
) -> None:
    """Check settings, set-ups, serial ports, broker, log and page, and say how to mend what is wrong.

    Nothing is changed, and a monitor that runs is not disturbed. Exit code 0: all is well; 1: something is not; 2: the
    settings cannot be used.
    """
    import asyncio

    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    from monitor.cli._console import silence_log
    from monitor.settings_file import load_settings
    from monitor.surroundings import Finding, look_around, look_at_files

    silence_log()  # what a transport logs is found and told here
    console = Console(highlight=False)
    file = load_settings(settings)
    if show:
        grid = Grid("setting", "value", "from", box=None, pad_edge=False)
        for row in file.rows():
            grid.add_row(escape(row.key), escape(row.value), escape(row.origin))
        console.print(grid)
        console.print()

    def tell(finding: Finding) -> None:
        sign = "[green]✓[/green]" if finding.well else "[red]✗[/red]"
        console.print(sign, f"{escape(finding.what)}:", escape(finding.words), markup=True, soft_wrap=True)
        if finding.mend:
            console.print("   ", finding.mend, markup=False, soft_wrap=True)

    wrong = 0

    async def look() -> None:
        nonlocal wrong
        for finding in look_at_files(file):
            tell(finding)
            wrong += not finding.well
        if not quick:
            async for finding in look_around(file):
                tell(finding)
                wrong += not finding.well

    tell(Finding("settings", well=True, words=str(settings)))
    asyncio.run(look())
    if wrong:
        console.print(f"{wrong} to mend.")
        raise typer.Exit(1)
