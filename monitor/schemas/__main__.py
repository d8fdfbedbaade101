"""Writes the schemas and their page into a folder: `python -m monitor.schemas [FOLDER]`, by default `docs/schema`.

Owns the folder: schemas of kinds that are no more are removed from it.
"""

import sys
from pathlib import Path
from typing import Final

from monitor.schemas.build import SUFFIX, schemas
from monitor.schemas.reference import reference

FOLDER: Final = Path("docs/schema")


def write(folder: Path) -> None:
    """Make the folder hold what the code makes, and no schema else."""
    folder.mkdir(parents=True, exist_ok=True)
    made = schemas()
    for old in set(folder.glob("*" + SUFFIX)) - {folder / each.file_name for each in made}:
        old.unlink()
    for each in made:
        (folder / each.file_name).write_text(each.text, encoding="utf-8")
    (folder / "README.md").write_text(reference(made), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
