"""The releases of the Dataset page, on real files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QLineEdit, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.curation.retired import RetireDecision as Retirement
from odyssey_recorder.curation.retired import record_decisions
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.gui.background import Background, Cancelled, Job, JobWork, Progress
from odyssey_recorder.gui.commands import Command
from odyssey_recorder.gui.dataset.releases_view import ReleasesView
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.reviewing.review import Decision
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from odyssey_recorder.quality.reviewing.views import VerdictDraft
from odyssey_recorder.releases.making import draft_release, make_release
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from tests.gui.inspection import faults
from tests.gui.pilot import WidgetPilot
from tests.quality.folders import FIRST, SECOND, THIRD, write_dataset
from tests.quality.verdicts import judgements

T = TypeVar("T")


class Reader(WidgetPilot):
    def __init__(self, qtbot: QtBot, background: Background, root: Path) -> None:
        super().__init__(qtbot, background)
        self.root = root
        self.view = ReleasesView(root, background, self.commands)

    def open(self, *names: str) -> None:
        self.show_widget(self.view)
        self.wait_for(*names)

    def rows(self, name: str) -> list[list[str]]:
        model = self.named(QTableView, name).model()
        columns = range(model.columnCount())
        return [[str(model.index(row, at).data()) for at in columns] for row in range(model.rowCount())]

    def wait_for(self, *names: str) -> None:
        self.qtbot.waitUntil(lambda: [row[0] for row in self.rows("Releases")] == list(names))

    def make(self, name: str = "") -> None:
        self.press("Make release")
        asked = self.dialog()
        self.named(QLineEdit, "Name of the release").setText(name)
        self.press_in(asked, "Plan")
        self.wait_to_close(asked)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_dataset(tmp_path / "dataset", FIRST, SECOND, THIRD)
    return tmp_path / "dataset"


@pytest.fixture
def reader(qtbot: QtBot, background: Background, root: Path) -> Reader:
    return Reader(qtbot, background, root)


def admit_all(root: Path) -> None:
    """Two versions: of all three episodes, and without the first."""
    for removed in ("", FIRST):
        if removed:
            Trash(root).move(removed)
        make_release(root, draft_release(root, "", lambda: lambda _path: ""))


def accept(root: Path, *ids: str) -> None:
    ReviewStore(root).set_policy(ReviewPolicy(second_share=0.0))
    for name in ("Bea", "Cleo"):
        service = ReviewService(EpisodeIndex(root, None), Checker(None, 1), lambda name=name: name)  # type: ignore[misc]
        service.check_all()
        for one in ids:
            draft = VerdictDraft(Decision.ACCEPT, judgements("ppp"), "", service.open(one).revision, 9.0)
            service.submit(one, draft)


def test_a_release_is_planned_shown_and_made(reader: Reader, root: Path) -> None:
    accept(root, FIRST, SECOND)
    reader.open()
    reader.wait_for_text("No releases yet.")
    reader.make("2026-spring")
    plan = reader.dialog()
    assert reader.says("Release 2 episodes as 2026-spring?")
    assert reader.says(f"{THIRD}.json is not accepted")
    assert not (root / "releases").exists()
    assert not faults(plan)
    reader.press_in(plan, "Make release")
    reader.wait_for("2026-spring")
    assert reader.rows("Releases")[0][2:4] == ["2", "6"]
    assert (root / "releases/2026-spring/SHA256SUMS").is_file()


def test_a_name_that_cannot_be_one_is_refused_before_anything_is_read(reader: Reader, root: Path) -> None:
    reader.open()
    reader.make("../out")
    reader.wait_for_text("cannot name a release")
    assert not (root / "releases").exists()


def test_a_retired_episode_is_not_released(root: Path) -> None:
    record_decisions(root, [Retirement(episode_id=FIRST, decision="retire", reason="blurred", who="Ada")])
    drafted = draft_release(root, "", lambda: lambda _path: "")
    assert drafted.planned.ids == [SECOND, THIRD]
    assert drafted.left_out == {FIRST: f"{FIRST}.json is retired: blurred"}


def test_verifying_names_what_is_lost_and_what_is_kept(reader: Reader, root: Path) -> None:
    admit_all(root)
    reader.open("1.1.0", "1.0.0")
    reader.press("Verify")
    reader.wait_for_text("All files of 1.1.0 are as released.")
    reader.qtbot.waitUntil(lambda: [row[-1] for row in reader.rows("Releases")] == ["all found", "not verified"])

    (root / f"screenshots/{SECOND}_0.png").write_bytes(b"changed")
    reader.named(QTableView, "Releases").selectRow(1)
    reader.press("Verify")
    reader.wait_for_text("1.0.0: 1 difference.")
    told = {row[0]: row[2] for row in reader.rows("What differs")}
    assert f"trash/{FIRST}-" in told["kept"].replace("\u200b", "")
    assert "the screenshot of step 0 is not the released one" in told["lost"]
    assert not faults(reader.window)


def test_two_releases_are_compared(reader: Reader, root: Path) -> None:
    admit_all(root)
    reader.open("1.1.0", "1.0.0")
    reader.named(QTableView, "Releases").selectRow(1)
    assert not reader.commands[Command.COMPARE_RELEASES].isEnabled(), "there is none before the first"
    reader.named(QTableView, "Releases").selectAll()
    reader.press("Compare")
    reader.wait_for_text("From 1.0.0 to 1.1.0: 1 removed")
    assert reader.rows("What differs") == [["removed", FIRST, "no longer in the dataset"]]


class CancelledAtOnce(Background):
    """Cancels every job before its work begins."""

    def start(
        self, title: str, work: JobWork[T], on_done: Callable[[T], object] = lambda _: None, *, can_cancel: bool = True
    ) -> Job:
        is_cancelled = Event()

        def late(tell: Progress, cancelled: Cancelled) -> T:
            is_cancelled.wait()
            return work(tell, cancelled)

        job = super().start(title, late, on_done, can_cancel=can_cancel)
        job.cancel()
        is_cancelled.set()
        return job


@pytest.fixture
def cancelling(qtbot: QtBot) -> Iterator[CancelledAtOnce]:
    made = CancelledAtOnce()
    yield made
    made.close()


def test_work_that_is_cancelled_leaves_the_list_as_it_was(
    qtbot: QtBot, cancelling: CancelledAtOnce, root: Path
) -> None:
    admit_all(root)
    reader = Reader(qtbot, cancelling, root)
    reader.open("1.1.0", "1.0.0")
    reader.commands[Command.VERIFY_RELEASE].trigger()
    reader.qtbot.waitUntil(lambda: not reader.background.jobs)
    assert [row[-1] for row in reader.rows("Releases")] == ["not verified"] * 2
    assert reader.commands[Command.VERIFY_RELEASE].isEnabled()


def test_a_damaged_release_is_told_with_its_file(reader: Reader, root: Path) -> None:
    admit_all(root)
    (root / "releases/1.0.0/release.json").write_text("{")
    reader.open()
    reader.wait_for_text("The releases cannot be read.")
    assert reader.says("release.json is damaged")
