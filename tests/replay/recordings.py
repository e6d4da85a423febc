"""Writes episodes of the fake device to disk, as a dataset folder or as a lone file."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from odyssey_recorder.dataset.codec import write_episode
from odyssey_recorder.dataset.provenance import FrameRecord, StepRecord, StrokeRecord
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.replay.player import PlayRules
from tests.dataset import drafts
from tests.fakes import PHONE_SIZE, screenshot

EPISODE_ID = "0000000000000042"

AT_ONCE = PlayRules(patience_ms=0, settle=SettleRule(still_ms=0))

ONE_OF_EACH: tuple[Action, ...] = (
    Click(Point(500, 250)),
    Type("buy milk"),
    Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(500, 500), Point(500, 200))),
    LongPress(Point(100, 900)),
    Press(SystemKey.BACK),
    Complete("done"),
)


def episode_of(actions: Sequence[Action], *, size: Size = PHONE_SIZE, instruction: str = "Buy milk.") -> Episode:
    return Episode(
        EPISODE_ID,
        DeviceInfo("Fake Phone", size),
        TaskInfo("General_Tool", ("Notes", "Clock"), "Buy {}.", "Buy milk.", instruction),
        tuple(Step(screenshot_name(EPISODE_ID, number), action) for number, action in enumerate(actions)),
    )


def write_dataset(root: Path, episode: Episode) -> Path:
    """Write a dataset folder without provenance; return the annotation file."""
    (root / "annotations").mkdir(parents=True)
    (root / "screenshots").mkdir()
    write_images(root / "screenshots", episode)
    path = root / "annotations" / f"{episode.episode_id}.json"
    write_episode(path, episode)
    return path


def write_images(folder: Path, episode: Episode) -> None:
    """Write the screenshots: screen 1, which follows HOME, and one more after each action."""
    for number, step in enumerate(episode.steps):
        screenshot(number + 1, episode.device.size).save(folder / step.screenshot)


def write_provenance(root: Path, episode: Episode, strokes: Mapping[int, TouchStroke], **origin: Any) -> Path:
    """Write the provenance of a dataset folder's episode, with these recorded strokes by step number."""
    steps = []
    for number in range(len(episode.steps)):
        image = screenshot(number + 1, episode.device.size)
        digest = sha256(image.tobytes()).hexdigest()
        frame = FrameRecord(
            number=1, source="fake", started_us=0, arrived_us=1, settled=True, width=image.width,
            height=image.height, png_sha256="", rgb_sha256=digest,
        )  # fmt: skip
        recorded = None
        if stroke := strokes.get(number):
            samples = tuple((sample.at.x, sample.at.y, sample.time_us) for sample in stroke.samples)
            recorded = StrokeRecord(samples=samples, duration_us=stroke.duration_us)
        steps.append(StepRecord(frame=frame, check=None, touched_us=2, input=recorded))
    return drafts.write_provenance(root, drafts.provenance_of(episode.episode_id, steps, **origin))
