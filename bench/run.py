"""Runs every measurement of this folder and prints them as one table: `make bench`."""

import importlib
import pkgutil

import bench


def main() -> None:
    """Measure and print, a line as soon as it is known."""
    print(f"{'what':<34}{'ratio':>10}  {'beside':<44}figure")
    for module in sorted(info.name for info in pkgutil.iter_modules(bench.__path__)):
        rows = getattr(importlib.import_module(f"bench.{module}"), "rows", None)
        if rows is None:
            continue
        for row in rows():
            print(f"{row.what:<34}{row.ratio:>10.2f}  {row.beside:<44}{row.figure}", flush=True)


if __name__ == "__main__":
    main()
