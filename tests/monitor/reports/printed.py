"""A report's PDF as bytes, for tests that read it."""

import tempfile
from pathlib import Path

from monitor.reports.paper import Kind, Page, write_pdf
from monitor.typesetting.sizes import Paper


def pdf(kind: Kind, page: Page, paper: Paper = Paper.A4) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.pdf"
        write_pdf(path, kind, page, paper)
        return path.read_bytes()
