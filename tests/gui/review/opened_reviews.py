"""Opened episodes with real files, each step with its own screenshot."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.provenance import CheckRecord, EpisodeProvenance, ScreenRecord, StepRecord
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Episode, TaskInfo, screenshot_name
from odyssey_recorder.model.finding import EpisodeReport, Finding
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.review.review import Entry
from odyssey_recorder.review.views import OpenedReview, ReviewRow
from tests.dataset import drafts
from tests.episodes import ID, episode

SMALL = Size(72, 128)
REVISION = "5" * 64


def open_review(
    folder: Path,
    *actions: Action,
    episode_id: str = ID,
    task: TaskInfo | None = None,
    provenance: EpisodeProvenance | None = None,
    findings: Sequence[Finding] = (),
) -> OpenedReview:
    """An episode with these actions, by default one of each kind, with screenshots in `folder`."""
    recorded = episode(*actions, episode_id=episode_id)
    recorded = recorded if task is None else replace(recorded, task=task)
    draw_screenshots(folder, recorded)
    return opened_review(folder, recorded, provenance, EpisodeReport(episode_id, tuple(findings)))


def opened_review(
    folder: Path,
    recorded: Episode,
    provenance: EpisodeProvenance | None = None,
    report: EpisodeReport | None = None,
    entries: Iterable[Entry] = (),
) -> OpenedReview:
    """Like `open_review`, for a given episode and without drawing screenshots."""
    opened = OpenedEpisode(recorded, EpisodeFiles.of(folder / f"{recorded.episode_id}.json"), provenance)
    row = ReviewRow(EpisodeRow(recorded.episode_id, annotator="Ada"))
    return OpenedReview(row, opened, report or EpisodeReport(recorded.episode_id), tuple(entries), REVISION)


def draw_screenshots(folder: Path, recorded: Episode, size: Size = SMALL) -> None:
    """Grey screenshots, lighter with each step, with a dark square that moves down."""
    for number in range(len(recorded.steps)):
        draw_screenshot(
            folder / screenshot_name(recorded.episode_id, number), size, shade=60 + 15 * number, top=10 * number
        )


def draw_screenshot(path: Path, size: Size, *, shade: int, top: int) -> None:
    screenshot = Image.new("RGB", (size.width, size.height), (shade, shade, shade))
    ImageDraw.Draw(screenshot).rectangle((10, top, 19, top + 9), (20, 20, 20))
    screenshot.save(path)


def provenance_of(*steps: StepRecord, episode_id: str = ID) -> EpisodeProvenance:
    return drafts.provenance_of(episode_id, steps, annotator="Ada")


def step_record(**changes: object) -> StepRecord:
    screen = ScreenRecord(rotation=0, posture="", package="com.android.chrome", activity=".Main", keyboard_shown=False)
    proved = {"screen": screen, "check": CheckRecord(number=8, started_us=3, arrived_us=4)}
    return drafts.record(drafts.png(0)).model_copy(update=proved | changes)
