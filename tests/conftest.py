"""How tests share the workers: end-to-end tests run one after another on one of them, for they play hands many times
faster than life and would disturb each other; all other tests go wherever there is room."""

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]


class EndToEndApart(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out tests one by one, and `tests/e2e` as one piece, first."""

    def _split_scope(self, nodeid: str) -> str:
        return "end to end" if nodeid.startswith("tests/e2e/") else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> EndToEndApart:
    return EndToEndApart(config, log)
