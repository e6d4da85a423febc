"""Damaged or hostile image files: the window keeps working, and names the problem and the file."""

import os
import struct
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.record.mirror_stage import WantedScreen
from odyssey_recorder.gui.record.step_list import THUMBNAIL, NotedSteps
from odyssey_recorder.gui.record.text_question_card import TextQuestionCard
from odyssey_recorder.gui.screen.step_strip import StepThumbnails
from odyssey_recorder.model.action import Type
from odyssey_recorder.recording.view import RecordedStep, TextQuestion
from tests.gui.pilot import texts_in

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes and few links")


def write_huge(path: Path) -> None:
    """A tiny file that claims 30,000 pixels each way."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunks = (header, b"IDAT" + zlib.compress(b""), b"IEND")
    framed = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(framed))


def link_outside(path: Path) -> None:
    outside = path.parents[2] / "outside.png"
    Image.new("RGB", (72, 128)).save(outside)
    path.symlink_to(outside)


BAD_FILES: tuple[tuple[Callable[[Path], object], str], ...] = (
    (os.mkfifo, "was not used: it is a named pipe, not a file. Move it away."),
    (lambda path: path.symlink_to("/dev/zero"), "was not used: it is a device, not a file. Move it away."),
    (Path.mkdir, "was not used: it is a folder, not a file. Move it away."),
    (Path.touch, "cannot be read: "),
    (write_huge, "is not shown: it is 30000 x 30000 pixels, larger than any screen."),
    (link_outside, "was not used: a link in its path leads out of "),
    (lambda path: path.parent.chmod(0o755), "is missing."),
)
"""What replaces a screenshot, and the message about it."""


def make_bad_files(folder: Path, names: Iterable[str]) -> list[str]:
    """Create a bad file of each kind; returns the expected messages."""
    messages = []
    for (make, message), name in zip(BAD_FILES, names, strict=False):
        make(folder / name)
        messages.append(f"The screenshot {name} {message}")
    return messages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "dataset" / "screenshots"
    made.mkdir(parents=True)
    return made


def test_steps_report_problems_of_their_screenshots(background: Background, folder: Path, qtbot: QtBot) -> None:
    steps, names = NotedSteps(), [f"{number}.png" for number in range(len(BAD_FILES))]
    messages = make_bad_files(folder, names)
    StepThumbnails(background, steps, THUMBNAIL).show_steps(
        [RecordedStep(number, Type("a"), folder / name, "") for number, name in enumerate(names)]
    )
    qtbot.waitUntil(lambda: all(step.problem for step in steps.rows))
    assert [step.problem[: len(message)] for step, message in zip(steps.rows, messages, strict=True)] == messages


def test_single_screenshot_views_report_problem(background: Background, folder: Path, qtbot: QtBot) -> None:
    [message] = make_bad_files(folder, ["0.png"])
    wanted, card = WantedScreen(background), TextQuestionCard(background)
    for part in (wanted, card):
        qtbot.addWidget(part)
        part.show()
    wanted.show_screenshot(folder / "0.png")
    qtbot.waitUntil(lambda: wanted.accessibleDescription() == message)
    card.show_question(TextQuestion(0, "milk", screenshot=folder / "0.png"), [RecordedStep(0, Type(""), folder, "")])
    qtbot.waitUntil(lambda: any("it is a named pipe" in text for text in texts_in(card)))
