import getpass
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from odyssey_recorder.errors import SettingsError
from odyssey_recorder.settings import SettingsStore, log_file, read_settings, settings_file, window_state_file
from tests.dataset.drafts import read_only


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in [name for name in os.environ if name.startswith(("ODYSSEY_", "XDG_STATE_HOME"))]:
        monkeypatch.delenv(variable)
    monkeypatch.delenv("ANDROID_ADB_SERVER_PORT", raising=False)
    return tmp_path


def write_file(text: str) -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(text, encoding="utf-8")


def test_settings_have_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "")
    settings = read_settings()
    assert (settings.dataset.name, settings.drafts.name) == ("GUI-Odyssey", "drafts")
    assert (settings.annotator, settings.adb, settings.adb_server_port) == (getpass.getuser(), "", 5037)


def test_flags_override_the_environment_and_both_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file('dataset = "~/episodes"\nannotator = "Ada"\nadb_server_port = 5039\n')
    settings = read_settings()
    assert (settings.dataset, settings.annotator, settings.adb_server_port) == (home / "episodes", "Ada", 5039)
    monkeypatch.setenv("ODYSSEY_DATASET", "/from/environment")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "5040")
    settings = read_settings(dataset=None)
    assert (settings.dataset, settings.annotator, settings.adb_server_port) == (Path("/from/environment"), "Ada", 5040)
    assert read_settings(dataset=Path("/from/flag")).dataset == Path("/from/flag")


@pytest.mark.parametrize("port", ["0", "65536", "adb"])
def test_invalid_variable_or_flag_is_reported(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    with pytest.raises(SettingsError, match=r"^--adb-server-port: "):
        read_settings(adb_server_port=port)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    with pytest.raises(SettingsError, match=r"^The environment variable ANDROID_ADB_SERVER_PORT: "):
        read_settings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"annotator = '\xff'", "{} cannot be read: 'utf-8' codec"),
        (b"adb_server_port = 0", "adb_server_port in {}: Input should be greater than or equal to 1."),
        (b"colour = 'red'", "colour in {}: unknown setting; the settings are dataset, drafts, tasks, annotator,"),
        (b"dataset = ", "{} cannot be read: Invalid value"),
        (b"a = 1\na = 2", "{} cannot be read: "),
        (b'dataset = "a\\u0000b"', "dataset in {}: "),
        (b"dataset = " + b"[" * 100_000, "{} cannot be read: "),
        (b"dataset = \x00", "{} cannot be read: "),
    ],
    ids=["no text", "port", "unknown", "empty", "twice", "null in text", "brackets", "null"],
)
def test_invalid_settings_file_is_reported_and_never_written(content: bytes, message: str) -> None:
    write_file("")
    settings_file().write_bytes(content)
    with pytest.raises(SettingsError) as refused:
        read_settings()
    assert str(refused.value).startswith(message.format(settings_file()))
    with pytest.raises(SettingsError, match=r"settings\.toml") as unsaved:
        SettingsStore().save({"annotator": "Ada"})
    assert ("nothing was saved" in str(unsaved.value)) is message.startswith("{} cannot be read")
    assert settings_file().read_bytes() == content


def test_user_without_a_name_is_asked_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_user() -> NoReturn:
        raise KeyError("getpwuid(): uid not found: 4242")

    monkeypatch.setattr(getpass, "getuser", no_user)
    with pytest.raises(SettingsError, match="Set ODYSSEY_ANNOTATOR to your name"):
        read_settings()


def saved() -> str:
    return settings_file().read_text(encoding="utf-8")


def test_only_changed_settings_are_written_and_paths_kept(home: Path) -> None:
    after = SettingsStore().save({"annotator": "Ada", "capture": "auto", "practice_tasks": 3, "animations": True})
    assert saved() == 'annotator = "Ada"\npractice_tasks = 3\nanimations = true\n'
    assert (after.annotator, after.practice_tasks, after.animations) == ("Ada", 3, True)
    after = SettingsStore().save({"dataset": "~/episodes", "tasks": home / "tasks.json"})
    assert 'dataset = "~/episodes"' in saved()
    assert (after.dataset, after.tasks) == (home / "episodes", home / "tasks.json")


def test_comments_and_other_settings_are_kept() -> None:
    write_file("# ours\ndataset = \"/data\"  # the big disk\n\n# who\nannotator = 'Ada'\nadb_server_port = 5_039\n")
    SettingsStore().save({"annotator": "Grace", "theme": "dark"})
    assert saved() == (
        '# ours\ndataset = "/data"  # the big disk\n\n# who\nannotator = "Grace"\nadb_server_port = 5_039\n'
        'theme = "dark"\n'
    )


@pytest.mark.parametrize("default", [None, "system"])
def test_setting_reset_to_its_default_is_removed(default: str | None) -> None:
    write_file('annotator = "Ada"\ntheme = "dark"\n')
    SettingsStore().save({"theme": default, "tasks": None})
    assert saved() == 'annotator = "Ada"\n'


def test_invalid_value_or_unwritable_file_is_reported(home: Path) -> None:
    with pytest.raises(SettingsError, match="greater than or equal to 0"):
        SettingsStore().save({"practice_tasks": -1})
    assert not settings_file().exists()
    assert all(path.is_relative_to(home) for path in (log_file(), window_state_file(), settings_file()))
    (home / "odyssey-recorder").write_text("a file where the folder must be")
    with pytest.raises(SettingsError, match=r"^The settings were not saved\. .*odyssey-recorder"):
        SettingsStore().save({"annotator": "Ada"})


def test_linked_settings_file_stays_a_link(home: Path) -> None:
    elsewhere = home / "dotfiles.toml"
    elsewhere.write_text('theme = "dark"\n')
    settings_file().parent.mkdir(parents=True)
    settings_file().symlink_to(elsewhere)
    SettingsStore().save({"annotator": "Ada"})
    assert settings_file().is_symlink()
    assert elsewhere.read_text() == 'theme = "dark"\nannotator = "Ada"\n'


def test_overrides_of_the_file_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODYSSEY_DATASET", "/from/environment")
    monkeypatch.setenv("ODYSSEY_DRAFTS", "/from/environment")
    monkeypatch.setenv("ODYSSEY_ANNOTATOR", "")
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "5040")
    store = SettingsStore(drafts=Path("/from/flag"), capture=None)
    assert store.overrides() == {
        "dataset": "ODYSSEY_DATASET",
        "drafts": "--drafts",
        "adb_server_port": "ANDROID_ADB_SERVER_PORT",
    }
    assert store.read().drafts == Path("/from/flag")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("practice_tasks", "-1", "Input should be greater than or equal to 0."),
        ("adb_server_port", "adb", "Input should be a valid integer"),
        ("dataset", "episodes", "Enter the full path"),
        ("tasks", "/nowhere/tasks.json", "File not found."),
        ("adb", "/nowhere/adb", "Program not found."),
        ("model_url", "api.example.org", "An address starts with https://"),
        ("model_url", "https://", "An address starts with https://"),
        ("model_url", "https://key@example.org", "An address starts with https://"),
        ("model_url", "http://[", "An address starts with https://"),
    ],
)
def test_invalid_value_is_rejected_with_the_reason(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        SettingsStore().check(name, value)
    assert str(refused.value).startswith(message)


def test_settings_in_a_named_pipe_are_rejected() -> None:
    write_file("")
    settings_file().unlink()
    os.mkfifo(settings_file())
    with pytest.raises(SettingsError, match="it is a named pipe, not a file"):
        read_settings()
    with pytest.raises(SettingsError, match="it is a named pipe, not a file"):
        SettingsStore().save({"annotator": "eve"})


def test_unwritable_folder_is_rejected_and_low_space_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "dataset/screenshots").mkdir(parents=True)
    read_only(monkeypatch, home / "dataset/screenshots")
    with pytest.raises(SettingsError, match=r"screenshots cannot be written: .* Make the folder writable"):
        SettingsStore().check("dataset", str(home / "dataset"))
    (home / "note").write_text("")
    with pytest.raises(SettingsError, match="note cannot be written: there is a file where a folder is needed"):
        SettingsStore().check("drafts", str(home / "note"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1024**2))
    assert SettingsStore().check("drafts", str(home)).startswith("Only 0.0 GiB are free")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("model_url", "http://models.example.org/v1", "anyone on the network can read the key"),
        ("model_url", "http://localhost:8000/v1", ""),
        ("model_url", "http://127.0.0.1:8000/v1", ""),
        ("model_url", "https://models.example.org/v1", ""),
        ("dataset", "~/new", "does not exist yet"),
        ("dataset", "~", ""),
        ("dataset", None, ""),
        ("adb", "", ""),
    ],
)
def test_questionable_value_gets_a_hint(name: str, value: str | None, message: str) -> None:
    hint = SettingsStore().check(name, value)
    assert message in hint
    assert bool(message) == bool(hint)


def test_concurrent_saves_lose_nothing() -> None:
    stores = SettingsStore(), SettingsStore()
    barrier = threading.Barrier(2)

    def save(store: SettingsStore, key: str) -> None:
        for number in range(20):
            barrier.wait()
            store.save({key: f"value {number}"})

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(save, *pair) for pair in zip(stores, ("annotator", "model"), strict=True)]:
            done.result()
    found = SettingsStore().read()
    assert (found.annotator, found.model) == ("value 19", "value 19")
