from pathlib import Path

import pytest

from odyssey_recorder.simulator.discovery import running_dir

ENVIRONMENT = {"HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/7", "LOCALAPPDATA": "/local"}


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", "/run/user/7/avd/running"),
        ("darwin", "/home/ann/Library/Caches/TemporaryItems/avd/running"),
        ("win32", "/local/Temp/avd/running"),
    ],
)
def test_emulators_are_found_where_each_system_keeps_such_files(
    monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)

    assert running_dir(ENVIRONMENT) == Path(folder)


def test_without_a_runtime_folder_they_are_found_in_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")

    assert running_dir({"HOME": "/home/ann"}) == Path("/home/ann/.android/avd/running")
