"""The players' notice says what holds for the settings it is made from."""

import pytest

from hw.calibration import CellCalibration, TableSetup
from monitor.privacy import privacy_notice
from monitor.settings import Identities, Keep, LogSettings, MqttSettings, RecordingSettings, Settings, TableSettings

PLAIN = TableSetup(table="T1")
WEIGHED = TableSetup(
    table="T1", calibration={"east.rack": CellCalibration(counts_per_g=400.0, zero_counts=0.0, tile_g=12.0)}
)
READ = TableSetup(table="T1", tiles={"E0040100A1B2C3D4": "joker"})


def told(settings: Settings, *setups: TableSetup) -> str:
    return "\n".join(
        sentence
        for section in privacy_notice(settings, setups or (PLAIN,) * len(settings.tables))
        for sentence in section.sentences
    )


def club(*tables: TableSettings, **more: object) -> Settings:
    return Settings(tables=tables or (TableSettings(name="T1"),), **more)  # type: ignore[arg-type]


def test_only_the_sensors_that_are_there_are_named() -> None:
    assert "Scales" not in told(club(), READ)
    assert "antennas" in told(club(), READ)
    assert "Scales" in told(club(), WEIGHED)
    assert "antennas" not in told(club(), WEIGHED)
    assert "antennas" in told(club(TableSettings(name="T1", tiles="blue.json")))


@pytest.mark.parametrize(
    ("identities", "says"),
    [
        (Identities.AFTER_HAND, "once the hand is over"),
        (Identities.SEALED, "with the key of the log alone"),
        (Identities.NEVER, "is not kept in it"),
    ],
)
def test_what_becomes_of_identities(identities: Identities, says: str) -> None:
    assert says in told(club(log=LogSettings(identities=identities)))


def test_how_long_things_are_kept() -> None:
    assert "The log is kept until somebody takes it away." in told(club())
    assert "The log is kept for 1 day." in told(club(log=LogSettings(keep_days=1)))
    assert "What the sensors themselves said is not kept." in told(club())
    recorded = told(club(recording=RecordingSettings(folder="r", keep=Keep.WITH_ALERTS, keep_days=30)))
    assert "where something needed the director" in recorded
    assert "These recordings are kept for 30 days." in recorded
    assert "until somebody takes them away" in told(club(recording=RecordingSettings(folder="r")))


def test_who_sees_counts_depends_on_the_table() -> None:
    league, practice = TableSettings(name="T1"), TableSettings(name="T2", practice=True)
    off = TableSettings(name="T3", count_monitoring=False, practice=True)
    assert "Numbers of tiles are shown to the director alone." in told(club(league))
    mixed = told(club(league, practice, off))
    assert "In practice (table T2) counts" in mixed
    assert "shown to the director alone" in mixed
    assert "No number of tiles is shown to anybody at table T3." in mixed
    assert "director alone" not in told(club(practice))
    nobody = told(club(off))
    assert "neither judged nor shown" in nobody
    assert "counts and count alerts" not in nobody
    assert "director alone" not in nobody


def test_a_broker_is_told_of() -> None:
    assert "broker" not in told(club())
    assert "broker" in told(club(mqtt=MqttSettings(host="localhost")))
