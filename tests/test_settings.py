import getpass
from pathlib import Path
from typing import NoReturn

import pytest

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.settings import read_settings, settings_file


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("DATASET", "DRAFTS", "ANNOTATOR", "ADB"):
        monkeypatch.delenv(f"ODYSSEY_{variable}", raising=False)
    monkeypatch.delenv("ANDROID_ADB_SERVER_PORT", raising=False)
    return tmp_path


def write_file(text: str) -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text(text, encoding="utf-8")


def test_without_any_setting_there_are_defaults() -> None:
    settings = read_settings()
    assert settings.dataset.name == "GUI-Odyssey"
    assert settings.drafts.name == "drafts"
    assert (settings.annotator, settings.adb, settings.adb_server_port) == (getpass.getuser(), "", 5037)


def test_the_file_is_above_the_defaults(home: Path) -> None:
    write_file('dataset = "~/episodes"\nannotator = "Ada"\nadb_server_port = 5039\n')
    settings = read_settings()
    assert (settings.dataset, settings.annotator, settings.adb_server_port) == (home / "episodes", "Ada", 5039)


def test_the_environment_is_above_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write_file('dataset = "/from/file"\nannotator = "Ada"\nadb_server_port = 5039\n')
    monkeypatch.setenv("ODYSSEY_DATASET", "/from/environment")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "5040")
    settings = read_settings()
    assert (settings.dataset, settings.adb_server_port) == (Path("/from/environment"), 5040)
    assert settings.annotator == "Ada"


def test_flags_are_above_all_unless_they_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "/from/environment")
    assert read_settings(dataset=Path("/from/flag")).dataset == Path("/from/flag")
    assert read_settings(dataset=None).dataset == Path("/from/environment")


def test_an_empty_variable_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "")
    assert read_settings().dataset.name == "GUI-Odyssey"


@pytest.mark.parametrize("port", ["0", "65536", "adb"])
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(SettingsError, match=r"^The environment variable ANDROID_ADB_SERVER_PORT: "):
        read_settings()


def test_a_wrong_flag_is_named() -> None:
    with pytest.raises(SettingsError, match=r"^--adb-server-port: "):
        read_settings(adb_server_port=0)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("adb_server_port = 0", "adb_server_port in {}: Input should be greater than or equal to 1."),
        ("colour = 'red'", "colour in {}: there is no such setting; there are dataset, drafts, annotator, adb,"),
        ("dataset = ", "{} cannot be read: Invalid value"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(text: str, complaint: str) -> None:
    write_file(text)
    with pytest.raises(SettingsError) as refused:
        read_settings()
    assert str(refused.value).startswith(complaint.format(settings_file()))


def test_a_file_that_is_no_text_is_named() -> None:
    write_file("")
    settings_file().write_bytes(b"annotator = '\xff'")
    with pytest.raises(SettingsError, match=r"settings\.toml cannot be read: 'utf-8' codec"):
        read_settings()


def test_a_user_without_a_name_is_asked_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> NoReturn:
        raise KeyError("getpwuid(): uid not found: 4242")

    monkeypatch.setattr(getpass, "getuser", nobody)
    with pytest.raises(SettingsError, match="set ODYSSEY_ANNOTATOR to your name"):
        read_settings()
