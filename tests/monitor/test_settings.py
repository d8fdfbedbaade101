from pathlib import Path

import pytest

from monitor.errors import SettingsError, UnusableFileError
from monitor.settings import Identities, LogSettings, Settings, TableSettings, WebSettings
from monitor.settings_file import SettingsFile, load_settings, load_setup

GOOD = """\
[[tables]]
name = "T1"

[[serial]]
table = "T1"
place = "east"
usb_serial = "A50285BI"

[mqtt]
host = "broker"
"""


def load(folder: Path, text: str) -> SettingsFile:
    path = folder / "club.toml"
    path.write_text(text)
    return load_settings(path)


def test_what_is_not_said_is_default(tmp_path: Path) -> None:
    settings = load(tmp_path, '[[tables]]\nname = "T1"\n').settings
    assert settings == Settings(tables=(TableSettings(name="T1"),))
    assert settings.mqtt is None
    assert settings.web == WebSettings(host="127.0.0.1")
    assert settings.log == LogSettings(identities=Identities.AFTER_HAND)


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        ("tables = 1 1", 1, "", "is not TOML"),
        ("", None, "tables", "is missing"),
        (GOOD + "prot = 1\n", 11, "mqtt.prot", "Did you mean port?"),
        (GOOD + "zzz = 1\n", 11, "mqtt.zzz", "Known here: host, port"),
        (GOOD + "[wep]\n", 11, "wep", "Did you mean web?"),
        (GOOD + 'port = "1883"\n', 11, "mqtt.port", 'must be a whole number from 1 to 65535, not "1883"'),
        (GOOD + "port = 70000\n", 11, "mqtt.port", "must be a whole number from 1 to 65535, not 70000"),
        (GOOD + "port = true\n", 11, "mqtt.port", "must be a whole number from 1 to 65535, not true"),
        (GOOD + 'user = "u"\npassword_env = "A"\npassword_file = "b"\n', 13, "mqtt.password_file", "named twice"),
        (GOOD + 'password_env = "A"\n', 9, "mqtt", "no user"),
        (GOOD + 'ca_file = "x.pem"\n', 11, "mqtt.ca_file", "tls = true"),
        (
            '[[tables]]\nname = "T1"\n[home_assistant]\nenabled = true\n',
            4,
            "home_assistant.enabled",
            "Add a section [mqtt]",
        ),
        (GOOD + '[home_assistant]\ndiscovery_prefix = "a/b"\n', 12, "home_assistant.discovery_prefix", "must be text"),
        (GOOD.replace('"east"', '"noth"'), 6, "serial[1].place", "Did you mean north?"),
        (GOOD.replace('table = "T1"', 'table = "T2"'), 5, "serial[1].table", "Did you mean T1?"),
        (GOOD.replace('usb_serial = "A50285BI"', ""), 4, "serial[1]", "Give either"),
        (GOOD.replace('usb_serial = "A50285BI"', 'port = "x"\nusb_serial = "y"'), 4, "serial[1]", "twice"),
        (GOOD + '[[serial]]\ntable = "T1"\nplace = "east"\nport = "x"\n', 13, "serial[2].place", "already has a node"),
        (GOOD + '[[tables]]\nname = "T1"\n', 12, "tables[2].name", "two tables"),
        (GOOD + "[recording]\ntotal_mb = 100\n", 12, "recording.total_mb", "no room for two files of 256 MB"),
        (GOOD + '[recording]\nkeep = "with_alert"\n', 12, "recording.keep", "Did you mean with_alerts?"),
        (GOOD + '[[tables]]\nname = "T 1"\n', 12, "tables[2].name", "must be text"),
        (GOOD + "[[tables]]\n", 11, "tables[2].name", "Add name"),
        (GOOD + '[log]\npath = "a\\u0000b"\n', 12, "log.path", "holds a NUL character"),
        (
            GOOD + '[[tables]]\nname = "T2"\nprofile = "\\u0000.toml"\n',
            13,
            "tables[2].profile",
            "holds a NUL character",
        ),
        ("x = " + "9" * 5000, 1, "", "holds a number of thousands of digits"),
        ("x = 1\nx = 2\n", 2, "", "x is given twice (first on line 1)"),
        ("x = 1\nx = [\n2\n", 3, "", "is not TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, None, "", "is nested too deeply"),
        ("x = " + "{x=" * 5000 + "1" + "}" * 5000, None, "", "is nested too deeply"),
        ("tables = " + "[" * 300 + "]" * 300, 1, "tables[1]", "must be a section"),
        (
            '[[tables]]\nname = "T1"\n[tables.calibration."sout.rack"]\ncounts_per_g=1\nzero_counts=0\ntile_g=1\n',
            3,
            'tables[1].calibration."sout.rack"',
            "Did you mean south.rack?",
        ),
        (
            '[[tables]]\nname = "T1"\n[tables.calibration."east.rack"]\ncounts_per_g=1\n',
            3,
            "tables[1].calibration[…].zero_counts",
            "is missing",
        ),
    ],
)
def test_an_error_names_line_and_key_and_says_what_to_do(
    tmp_path: Path, text: str, line: int | None, key: str, says: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    assert (caught.value.line, caught.value.key) == (line, key)
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "club.toml") + (f":{line}" if line else ""))


def test_a_mark_before_the_text_is_no_part_of_it(tmp_path: Path) -> None:
    for name, text in (("club.toml", GOOD), ("t1.json", '{"table": "T1"}')):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert load_settings(tmp_path / "club.toml").settings == load(tmp_path, GOOD).settings
    assert load_setup(tmp_path / "t1.json").table == "T1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "is no set-up of a table: must be an object in braces, not a list"),
        ('{"x":' + "[" * 5000, "is no set-up of a table: is nested too deeply"),
        ('{"table": 3}', "is no set-up of a table: table: must be text in quotes, not 3"),
        ('{"table": "T1"', "is no set-up of a table: breaks off"),
    ],
)
def test_a_setup_that_is_none_is_said_in_plain_words(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "t1.json").write_text(text)
    with pytest.raises(UnusableFileError) as told:
        load_setup(tmp_path / "t1.json")
    assert says in str(told.value)
    with pytest.raises(SettingsError) as named:
        load(tmp_path, '[[tables]]\nname = "T1"\nsetup = "t1.json"\n').table_setup(0)
    assert named.value.line == 3
    assert says.removeprefix("is no set-up of a table: ") in str(named.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings(tmp_path / "latin.toml")


def test_every_value_tells_where_it_comes_from(tmp_path: Path) -> None:
    rows = {row.key: row for row in load(tmp_path, GOOD).rows()}
    assert (rows["tables[1].name"].value, rows["tables[1].name"].origin) == ("T1", "club.toml:2")
    assert (rows["mqtt.port"].value, rows["mqtt.port"].origin) == ("1883", "default")
    assert rows["serial[1].place"].origin == "club.toml:6"
    assert rows["web.host"].origin == "default"


def test_passwords_come_from_the_environment_or_a_file(tmp_path: Path) -> None:
    from_env = load(tmp_path, GOOD + 'user = "u"\npassword_env = "SECRET"\n')
    assert from_env.mqtt_password({"SECRET": "s3"}) == "s3"
    with pytest.raises(SettingsError, match="SECRET is not set"):
        from_env.mqtt_password({})
    from_file = load(tmp_path, GOOD + 'user = "u"\npassword_file = "pw"\n')
    with pytest.raises(SettingsError, match="pw cannot be read"):
        from_file.mqtt_password({})
    (tmp_path / "pw").write_text("s4\n")
    assert from_file.mqtt_password({}) == "s4"
    assert load(tmp_path, GOOD).mqtt_password({}) is None


def test_a_tables_setup_is_its_file_with_the_settings_laid_over(tmp_path: Path) -> None:
    (tmp_path / "t1.json").write_text(
        '{"table": "X", "tier": "hybrid", "tiles": {"AA": "1-bam"}, "calibration": {'
        '"east.rack": {"counts_per_g": 1, "zero_counts": 2, "tile_g": 3},'
        '"west.rack": {"counts_per_g": 4, "zero_counts": 5, "tile_g": 6}}}'
    )
    (tmp_path / "blue.json").write_text('{"BB": "joker"}')
    setup = load(
        tmp_path,
        '[[tables]]\nname = "T1"\nsetup = "t1.json"\ntiles = "blue.json"\n'
        '[tables.calibration."east.rack"]\ncounts_per_g = 9\nzero_counts = 9\ntile_g = 9\n',
    ).table_setup(0)
    assert setup.table == "T1"
    assert setup.tier == "hybrid"
    assert setup.tiles == {"BB": "joker"}
    assert setup.calibration["east.rack"].counts_per_g == 9
    assert setup.calibration["west.rack"].counts_per_g == 4


def test_a_missing_or_broken_setup_is_an_error_at_its_line(tmp_path: Path) -> None:
    file = load(tmp_path, '[[tables]]\nname = "T1"\nsetup = "t1.json"\n')
    with pytest.raises(SettingsError, match=r"club.toml:3: tables\[1\].setup: .*t1.json cannot be read"):
        file.table_setup(0)
    (tmp_path / "t1.json").write_text("{")
    with pytest.raises(SettingsError, match="does not hold what it should"):
        file.table_setup(0)
    with pytest.raises(UnusableFileError, match="no set-up"):
        load_setup(tmp_path / "t1.json")


def test_a_profile_file_is_relative_to_the_settings(tmp_path: Path) -> None:
    file = load(tmp_path, '[[tables]]\nname = "T1"\n[[tables]]\nname = "T2"\nprofile = "p/cup.toml"\n')
    assert file.profile(0) == "league"
    assert file.profile(1) == str(tmp_path / "p/cup.toml")


BAD_CELLS = [
    ("east.rack", "0", "0", "12", "counts_per_g: must be a finite number other than 0, not 0"),
    ("east.rack", "1e-320", "0", "12", "counts_per_g: must be a finite number other than 0"),
    ("east.rack", "400", "0", "0", "tile_g: must be a finite weight above 0"),
    ("east.rack", "400", "0", "-12.5", "tile_g: must be a finite weight above 0, not -12.5"),
    ("middle.rack", "400", "0", "12", "is no load cell"),
    ("sout.rack", "400", "0", "12", "is no load cell. Did you mean south.rack?"),
    ("east", "400", "0", "12", "is no load cell. Did you mean east.rack?"),
    ("floor.rack", "400", "0", "12", "is no load cell"),
]
BAD_TOML_CELLS = [
    ("east.rack", "nan", "0", "12", "counts_per_g: must be a finite number"),
    ("east.rack", "-inf", "0", "12", "counts_per_g: must be a finite number"),
    ("east.rack", "400", "inf", "12", "zero_counts: must be a finite number, not inf"),
    ("east.rack", "400", "0", "nan", "tile_g: must be a finite weight"),
    ("east.rack", "400", "0", "inf", "tile_g: must be a finite weight"),
]


@pytest.mark.parametrize(("cell", "gain", "zero", "tile", "says"), BAD_CELLS)
def test_a_calibration_that_no_cell_can_have_is_refused_in_a_set_up(
    tmp_path: Path, cell: str, gain: str, zero: str, tile: str, says: str
) -> None:
    path = tmp_path / "t1.json"
    path.write_text(
        f'{{"table": "T1", "calibration": {{"{cell}": {{"counts_per_g": {gain}, "zero_counts": {zero}, '
        f'"tile_g": {tile}}}}}}}'
    )
    with pytest.raises(UnusableFileError) as alone:
        load_setup(path)
    file = load(tmp_path, '[[tables]]\nname = "T1"\nsetup = "t1.json"\n')
    with pytest.raises(SettingsError) as named:
        file.table_setup(0)
    for error in (alone, named):
        assert says in str(error.value)
        assert f't1.json: calibration "{cell}"' in str(error.value)
    assert named.value.line == 3


@pytest.mark.parametrize(("cell", "gain", "zero", "tile", "says"), BAD_CELLS + BAD_TOML_CELLS)
def test_a_calibration_that_no_cell_can_have_is_refused_in_the_settings(
    tmp_path: Path, cell: str, gain: str, zero: str, tile: str, says: str
) -> None:
    with pytest.raises(SettingsError) as error:
        load(
            tmp_path,
            f'[[tables]]\nname = "T1"\n[tables.calibration."{cell}"]\n'
            f"counts_per_g = {gain}\nzero_counts = {zero}\ntile_g = {tile}\n",
        )
    assert says in str(error.value)
    assert cell in error.value.key
    assert error.value.line in {3, 4, 5, 6}


def test_a_home_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"~no-such-user/log: there is no such user's home"):
        load(tmp_path, GOOD).resolve("~no-such-user/log")


def test_a_load_cell_may_be_mounted_upside_down(tmp_path: Path) -> None:
    path = tmp_path / "t1.json"
    path.write_text(
        '{"table": "T1", "calibration": {"east.rack": {"counts_per_g": -4, "zero_counts": 0, "tile_g": 9}}}'
    )
    assert load_setup(path).calibration["east.rack"].counts_per_g == -4


def test_a_set_up_nested_beyond_reason_is_none(tmp_path: Path) -> None:
    (tmp_path / "t1.json").write_text('{"x":' * 100_000)
    with pytest.raises(UnusableFileError, match="is no set-up"):
        load_setup(tmp_path / "t1.json")
