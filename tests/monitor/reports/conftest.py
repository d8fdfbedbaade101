"""Reports tell the time of day here; in these tests here is Greenwich."""

from collections.abc import Iterator

import pytest

from tests.monitor.reports.logbook import in_utc


@pytest.fixture(autouse=True)
def _greenwich() -> Iterator[None]:
    with in_utc():
        yield
