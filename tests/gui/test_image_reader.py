"""Damaged or hostile image files: the window keeps working, and names the problem and the file."""

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.gui.background import Background
from odyssey_recorder.gui.image_reader import read_image
from odyssey_recorder.gui.record.mirror_stage import WantedScreen
from odyssey_recorder.gui.record.step_list import THUMBNAIL, NotedSteps
from odyssey_recorder.gui.record.text_question_card import TextQuestionCard
from odyssey_recorder.gui.step_strip import StepThumbnails
from odyssey_recorder.model.action import Type
from odyssey_recorder.recording.view import RecordedStep, TextQuestion

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
    (os.mkfifo, "was not used: it is a named pipe, not a file. Move it away."),
    (lambda path: path.symlink_to("/dev/zero"), "was not used: it is a device, not a file. Move it away."),
    (Path.mkdir, "was not used: it is a folder, not a file. Move it away."),
    (Path.touch, "cannot be read: "),
    (huge, "is not shown: it is 30000 x 30000 pixels, larger than any screen."),
    (link_out, "was not used: a link in its path leads out of "),
    (lambda path: path.parent.chmod(0o755), "is missing."),
)
"""Replacements of a screenshot, and the message for each."""


def spoil(folder: Path, names: Iterator[str]) -> list[str]:
    """Replace the screenshots `names` by one of each kind; returns the expected messages."""
    said = []
    for (make, words), name in zip(BAD, names, strict=False):
        (folder / name).unlink(missing_ok=True)
        make(folder / name)
        said.append(f"The screenshot {name} {words}")
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "dataset" / "screenshots"
    made.mkdir(parents=True)
    return made


def test_what_is_no_screenshot_is_refused_at_once_and_by_its_name(qtbot: QtBot, folder: Path) -> None:
    for name, words in zip("0123456", spoil(folder, iter("0123456")), strict=True):
        with pytest.raises(DatasetError) as caught:
            read_image(folder / name)
        assert str(caught.value).startswith(words)


def test_steps_say_what_is_wrong_with_their_screenshots(background: Background, folder: Path, qtbot: QtBot) -> None:
    steps, names = NotedSteps(), [f"{number}.png" for number in range(len(BAD))]
    said = spoil(folder, iter(names))
    StepThumbnails(background, steps, THUMBNAIL).show_steps(
        [RecordedStep(number, Type("a"), folder / name, "") for number, name in enumerate(names)]
    )
    qtbot.waitUntil(lambda: all(step.problem for step in steps.rows))
    assert [step.problem[: len(words)] for step, words in zip(steps.rows, said, strict=True)] == said


def test_where_one_screenshot_is_shown_it_says_what_is_wrong(
    background: Background, folder: Path, qtbot: QtBot
) -> None:
    (words, *_) = spoil(folder, iter(["0.png"]))
    wanted, card = WantedScreen(background), TextQuestionCard(background)
    for part in (wanted, card):
        qtbot.addWidget(part)
        part.show()
    wanted.show_screenshot(folder / "0.png")
    qtbot.waitUntil(lambda: wanted.accessibleDescription() == words)
    card.show_question(TextQuestion(0, "milk"), [RecordedStep(0, Type(""), folder / "0.png", "")])
    qtbot.waitUntil(lambda: any("it is a named pipe" in label.text() for label in card.findChildren(QLabel)))
