"""What the window needs of the doctor beyond the command line: progress, cancelling, and the report."""

import json
from functools import partial
from pathlib import Path

import pytest

from odyssey_recorder.doctor import Doctor, DoctorFinding, Level
from odyssey_recorder.errors import DatasetError, SettingsError
from odyssey_recorder.settings import read_settings

FOUND = [
    DoctorFinding("adb", f"{Path.home()}/sdk/adb, server 41"),
    DoctorFinding("Android SDK", "not found", Level.NOTE, "Install it: sdk install", "sdk install"),
]


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    monkeypatch.setenv("ODYSSEY_ADB", "/nowhere/adb")
    return Doctor(partial(read_settings, dataset=tmp_path), on_screen=False, log=tmp_path / "the.log")


def test_report_lists_remedies_without_the_home_folder(doctor: Doctor, tmp_path: Path) -> None:
    doctor.save(FOUND, tmp_path / "report.txt")
    report = (tmp_path / "report.txt").read_text()
    assert "ok       adb: ~/sdk/adb, server 41" in report
    assert "note     Android SDK: not found\n         Install it: sdk install\n" in report
    assert str(Path.home()) not in report
    doctor.save(FOUND, tmp_path / "report.JSON")
    tree = json.loads((tmp_path / "report.JSON").read_text())
    assert (tree[1]["what"], tree[1]["level"], tree[1]["command"]) == ("Android SDK", "note", "sdk install")
    with pytest.raises(DatasetError, match=r"report\.txt cannot be written"):
        doctor.save(FOUND, tmp_path / "no such folder" / "report.txt")


def test_progress_is_reported_and_examination_can_be_cancelled(doctor: Doctor) -> None:
    progress: list[tuple[float | None, str]] = []
    found = doctor.examine(lambda share, words: progress.append((share, words)), lambda: len(progress) == 2)
    assert progress == [(0.0, "Checking the program…"), (0.2, "Checking adb and the devices…")]
    assert [finding.what for finding in found] == ["Odyssey Recorder", "Libraries", "Log file", "adb"]
    assert found[-1].level.fails


def test_settings_are_reread_each_time(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    [adb] = [finding for finding in adb_findings(doctor) if finding.what == "adb"]
    assert "/nowhere/adb" in adb.found
    monkeypatch.setenv("ODYSSEY_ADB", "/elsewhere/adb")
    [adb] = [finding for finding in adb_findings(doctor) if finding.what == "adb"]
    assert "/elsewhere/adb" in adb.found
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "no number")
    with pytest.raises(SettingsError, match="ANDROID_ADB_SERVER_PORT"):
        doctor.examine()


def adb_findings(doctor: Doctor) -> list[DoctorFinding]:
    steps: list[str] = []
    return doctor.examine(lambda _share, words: steps.append(words), lambda: len(steps) == 2)
