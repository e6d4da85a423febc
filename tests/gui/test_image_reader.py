"""Damaged or hostile image files: the window keeps working, and names the problem and the file."""

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QLabel, QListView, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.published import PublishedEpisodes
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.image_reader import read_picture
from odyssey_recorder.gui.record.mirror_stage import WantedScreen
from odyssey_recorder.gui.record.step_list import THUMBNAIL, NotedSteps
from odyssey_recorder.gui.record.text_question_card import TextQuestionCard
from odyssey_recorder.gui.review.before_after import BeforeAfterView
from odyssey_recorder.gui.step_strip import StepThumbnails
from odyssey_recorder.gui.workplace import Workplace, load_pages
from odyssey_recorder.model.action import Type
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.recording.view import RecordedStep, TextQuestion
from tests.episodes import ALL_KINDS, ID, episode
from tests.gui.pilot import Pilot
from tests.gui.review.bench_review import BenchReviewing
from tests.gui.review.reviewer import Reviewer

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


def huge(path: Path) -> None:
    """A tiny file that claims 30,000 pixels each way."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunks = (header, b"IDAT" + zlib.compress(b""), b"IEND")
    told = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(told))


def link_out(path: Path) -> None:
    outside = path.parents[2] / "outside.png"
    Image.new("RGB", (72, 128)).save(outside)
    path.symlink_to(outside)


BAD: tuple[tuple[Callable[[Path], object], str], ...] = (
    (os.mkfifo, "is not used: it is a named pipe, not a file. Move it away."),
    (lambda path: path.symlink_to("/dev/zero"), "is not used: it is a device, not a file. Move it away."),
    (Path.mkdir, "is not used: it is a folder, not a file. Move it away."),
    (Path.touch, "cannot be read: "),
    (huge, "is not shown: it has 30000 x 30000 pixels, more than any screen has."),
    (link_out, "is not used: a link on the way there leads out of "),
    (lambda path: path.parent.chmod(0o755), "is missing."),
)
"""Replacements of a screenshot, and the message for each."""


def spoil(folder: Path, names: Iterator[str]) -> list[str]:
    """Replace the screenshots `names` by one of each kind; returns the expected messages."""
    said = []
    for (make, words), name in zip(BAD, names, strict=False):
        (folder / name).unlink(missing_ok=True)
        make(folder / name)
        said.append(f"The picture {name} {words}")
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "dataset" / "screenshots"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


def told(model: QAbstractItemModel, role: Qt.ItemDataRole) -> list[str]:
    return [str(model.index(row, 0).data(role)) for row in range(model.rowCount())]


def test_what_is_no_picture_is_refused_at_once_and_by_its_name(qtbot: QtBot, folder: Path) -> None:
    for name, words in zip("0123456", spoil(folder, iter("0123456")), strict=True):
        with pytest.raises(DatasetError) as caught:
            read_picture(folder / name)
        assert str(caught.value).startswith(words)


def test_the_dataset_page_shows_the_episode_and_says_what_is_wrong_with_its_pictures(
    open_at: Callable[[Workplace], Pilot], tmp_path: Path, folder: Path
) -> None:
    load_pages()
    (folder.parent / "annotations").mkdir()
    write_episode(folder.parent / "annotations" / f"{ID}.json", episode())
    said = spoil(folder, (screenshot_name(ID, number) for number in range(len(ALL_KINDS))))
    pilot = open_at(Workplace(dataset=lambda: PublishedEpisodes(folder.parent)))
    pilot.press("Dataset")
    table = pilot.named(QTableView, "Episodes")
    pilot.qtbot.waitUntil(lambda: table.model().rowCount() == 1)
    table.selectRow(0)
    strip = pilot.named(QListView, "Steps of the episode").model()
    pilot.qtbot.waitUntil(lambda: strip.rowCount() > 0 and all(told(strip, Qt.ItemDataRole.ToolTipRole)))
    tips = told(strip, Qt.ItemDataRole.ToolTipRole)
    assert [tip[: len(words)] for tip, words in zip(tips, said, strict=False)] == said
    assert said[0] in told(strip, Qt.ItemDataRole.AccessibleTextRole)[0]
    pilot.press("Record")
    assert pilot.mirror.isVisible()


def test_the_review_page_shows_the_episode_and_says_what_is_wrong_with_its_pictures(
    open_at: Callable[[Workplace], Pilot], tmp_path: Path
) -> None:
    load_pages()
    bench = BenchReviewing(tmp_path / "dataset")
    episode_id = bench.record("Buy milk", *ALL_KINDS)
    said = spoil(bench.root / "screenshots", (screenshot_name(episode_id, number) for number in range(len(ALL_KINDS))))
    pilot = open_at(Workplace(review=lambda: bench))
    pilot.press("Review")
    reviewer = Reviewer(pilot)
    pilot.qtbot.waitUntil(lambda: reviewer.listed == ["Buy milk"])
    reviewer.open(0)
    view = pilot.find(BeforeAfterView)
    for number, words in enumerate(said):
        reviewer.viewer.go_to_step(number)
        wanted = f"Before step {number}: {words}"
        pilot.qtbot.waitUntil(lambda wanted=wanted: view.shown.startswith(wanted))  # type: ignore[misc]


def test_the_steps_of_a_draft_say_what_is_wrong_with_their_pictures(
    background: Background, folder: Path, qtbot: QtBot
) -> None:
    steps, names = NotedSteps(), [f"{number}.png" for number in range(len(BAD))]
    said = spoil(folder, iter(names))
    StepThumbnails(background, steps, THUMBNAIL).show_steps(
        [RecordedStep(number, Type("a"), folder / name, "") for number, name in enumerate(names)]
    )
    qtbot.waitUntil(lambda: all(step.problem for step in steps.rows))
    assert [step.problem[: len(words)] for step, words in zip(steps.rows, said, strict=True)] == said


def test_where_one_picture_is_asked_for_it_is_said_that_there_is_none(
    background: Background, folder: Path, qtbot: QtBot
) -> None:
    (words, *_) = spoil(folder, iter(["0.png"]))
    wanted, card = WantedScreen(background), TextQuestionCard(background)
    for part in (wanted, card):
        qtbot.addWidget(part)
        part.show()
    wanted.show_picture(folder / "0.png")
    qtbot.waitUntil(lambda: wanted.accessibleDescription() == words)
    card.show_question(TextQuestion(0, "milk"), [RecordedStep(0, Type(""), folder / "0.png", "")])
    qtbot.waitUntil(lambda: any("it is a named pipe" in label.text() for label in card.findChildren(QLabel)))
