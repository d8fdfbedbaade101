"""Draws the pictures of `docs/articles.md` anew: `python -m tests.monitor.rules.redraw`."""

import re
from pathlib import Path

from monitor.rules.diagrams import diagrams

PAGE = Path(__file__).parents[3] / "docs" / "articles.md"


def redrawn(page: str) -> str:
    """The page with every picture as the tables say."""
    for name, drawn in diagrams().items():
        place = re.compile(rf"<!-- picture: {name} -->\n(?:```mermaid\n.*?\n```\n)?", re.DOTALL)
        page = place.sub(f"<!-- picture: {name} -->\n```mermaid\n{drawn}\n```\n", page)
    return page


if __name__ == "__main__":
    PAGE.write_text(redrawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
