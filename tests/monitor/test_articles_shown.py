"""An alert that rests on no article says of none anywhere: written empty, or `none` as older logs have it."""

from pathlib import Path

import msgspec
import pytest

from monitor.alerts import Authority
from monitor.cli._explained import explained
from monitor.cli._plain import play_lines
from monitor.exports import page_words
from monitor.exports.formats import Format
from monitor.rules.explain import seconds
from monitor.timeline import TimelineBuilder, Told
from monitor.told import told_alerts
from monitor.view import TableView
from monitor.web.pages import Screen, render_card
from monitor.wording import article
from tests.monitor.exports.logs import Batch, a_hand, exported, fault, write_log


@pytest.mark.parametrize("written", ["", "none"])
def test_no_article_is_said_nowhere(written: str, tmp_path: Path) -> None:
    one = msgspec.structs.replace(fault(), article=written, authority=Authority.EVENT)
    assert article(one) == page_words.article(one) == ""
    path = write_log(tmp_path / "log.sqlite", [Batch(100, "T1", [*a_hand(), one])])
    exported(path, Format.CSV, tmp_path / "out")
    shown = [explained(told_alerts(path)[one.id]), (tmp_path / "out" / "alerts.csv").read_text()]
    builder = TimelineBuilder("T1")
    builder.take(Told(one.raised_at, 1, one, 1))
    play_lines(builder.finish(0.0, one.raised_at), 1.0, seconds, shown.append, lambda _: None)
    shown.append(render_card(Screen.DIRECTOR, TableView("T1", health=(one,), alerts=(one,))).html)
    for text in shown:
        assert "Article " not in text
        assert "this event's rule" not in text
    assert not any("none" in text for text in shown[:-1])
    assert "Sensor, West" in shown[2]
    assert "technical" in shown[-1]
