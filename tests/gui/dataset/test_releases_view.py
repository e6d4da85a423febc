"""The releases of the Dataset page, on real files."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.curation.retired import RetireDecision as Retirement
from odyssey_recorder.curation.retired import record_decisions
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.dataset.commands import DatasetCommand
from odyssey_recorder.gui.dataset.releases_view import ReleasesView
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.releases.folder import FileDifference, verify
from odyssey_recorder.services import releases
from odyssey_recorder.services.releases import draft, make_release
from odyssey_recorder.services.review import ReviewService
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.commands.acceptance import accept_episodes
from tests.gui.inspection import faults
from tests.gui.item_views import row_texts
from tests.gui.pilot import WidgetPilot


def reviews_of(root: Path) -> ReviewService:
    return ReviewService(EpisodeIndex(root, None), Checker(None, 1), str)


class ReleasesDriver(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.view = ReleasesView(reviews_of(root), root, background, self.commands)

    def open(self, *names: str) -> None:
        self.show_widget(self.view)
        self.wait_for(*names)

    def rows(self, name: str) -> list[list[str]]:
        return row_texts(self.named(QTableView, name))

    def wait_for(self, *names: str) -> None:
        self.qtbot.waitUntil(lambda: [row[0] for row in self.rows("Releases")] == list(names))

    def make(self, name: str = "") -> None:
        self.press("Make release")
        dialog = self.dialog()
        self.line("Name of the release").setText(name)
        self.press_in(dialog, "Preview")
        self.wait_to_close(dialog)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "dataset", FIRST, SECOND, THIRD)
    return tmp_path / "dataset"


@pytest.fixture
def driver(qtbot: QtBot, background: Background, root: Path) -> ReleasesDriver:
    return ReleasesDriver(qtbot, background, root)


@pytest.fixture
def released(root: Path) -> None:
    """Two releases: of all three episodes, and without the first."""
    accept_episodes(root, FIRST, SECOND, THIRD)
    make_release(root, draft(reviews_of(root), root))
    Trash(root).move(FIRST)
    make_release(root, draft(reviews_of(root), root))


def test_release_is_planned_shown_and_made(driver: ReleasesDriver, root: Path) -> None:
    accept_episodes(root, FIRST, SECOND)
    driver.open()
    driver.wait_for_text("No releases yet.")
    driver.make("../out")
    driver.wait_for_text("cannot name a release")
    driver.make("2026-spring")
    plan = driver.dialog()
    assert driver.says("Release 2 episodes as 2026-spring?")
    assert driver.says(f"{THIRD}.json is not accepted")
    assert not (root / "releases").exists()
    assert not faults(plan)
    driver.press_in(plan, "Make release")
    driver.wait_for("2026-spring")
    assert driver.rows("Releases")[0][2:4] == ["2", "6"]
    assert (root / "releases/2026-spring/SHA256SUMS").is_file()


def test_retired_episode_is_not_released(root: Path) -> None:
    record_decisions(root, [Retirement(episode_id=FIRST, decision="retire", reason="blurred", who="Ada")])
    accept_episodes(root, FIRST, SECOND, THIRD)
    planned = draft(reviews_of(root), root)
    assert planned.ids == [SECOND, THIRD]
    assert planned.left_out == {FIRST: f"{FIRST}.json is retired: blurred"}


@pytest.mark.usefixtures("released")
def test_verifying_lists_lost_and_kept_files(driver: ReleasesDriver, root: Path) -> None:
    driver.open("1.1.0", "1.0.0")
    driver.press("Verify")
    driver.wait_for_text("All files of 1.1.0 are as released.")
    driver.qtbot.waitUntil(lambda: [row[-1] for row in driver.rows("Releases")] == ["all found", "not verified"])

    (root / f"screenshots/{SECOND}_0.png").write_bytes(b"changed")
    driver.named(QTableView, "Releases").selectRow(1)
    driver.press("Verify")
    driver.wait_for_text("1.0.0: 1 difference.")
    differences = {row[0]: row[2] for row in driver.rows("Differences")}
    assert f"trash/{FIRST}-" in differences["kept"].replace("\u200b", "")
    assert "the screenshot of step 1 is not the released one" in differences["lost"]
    assert not faults(driver.window)


@pytest.mark.usefixtures("released")
def test_two_releases_are_compared(driver: ReleasesDriver) -> None:
    driver.open("1.1.0", "1.0.0")
    driver.named(QTableView, "Releases").selectRow(1)
    assert not driver.commands[DatasetCommand.COMPARE_RELEASES].isEnabled(), "there is none before the first"
    driver.named(QTableView, "Releases").selectAll()
    driver.press("Compare")
    driver.wait_for_text("From 1.0.0 to 1.1.0: 1 removed")
    assert driver.rows("Differences") == [["removed", FIRST, "no longer in the dataset"]]


@pytest.mark.usefixtures("released")
def test_cancelled_verification_leaves_the_list_unchanged(
    driver: ReleasesDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_cancelled = Event()

    def verify_later(*arguments: Any) -> list[FileDifference]:
        is_cancelled.wait()
        return verify(*arguments)

    monkeypatch.setattr(releases, "verify", verify_later)
    driver.open("1.1.0", "1.0.0")
    driver.commands[DatasetCommand.VERIFY_RELEASE].trigger()
    driver.background.cancel_jobs()
    is_cancelled.set()
    driver.qtbot.waitUntil(lambda: not driver.background.jobs)
    assert [row[-1] for row in driver.rows("Releases")] == ["not verified"] * 2
    assert driver.commands[DatasetCommand.VERIFY_RELEASE].isEnabled()


@pytest.mark.usefixtures("released")
def test_damaged_release_file_is_named(driver: ReleasesDriver, root: Path) -> None:
    (root / "releases/1.0.0/release.json").write_text("{")
    driver.open()
    driver.wait_for_text("Couldn't read the releases.")
    assert driver.says("release.json is damaged")
