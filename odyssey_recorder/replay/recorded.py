"""A recorded episode for replay: its provenance belongs to it, and its screenshots are intact."""

from hashlib import sha256
from pathlib import Path

from PIL import Image

from odyssey_recorder.dataset.opened import OpenedEpisode, open_episode
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.errors import ReplayError
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.model.plain_text import step_number


def open_recorded(path: Path) -> OpenedEpisode:
    """Open an annotation file, in a dataset or alone. Raises DatasetError, and ReplayError for foreign provenance."""
    opened = open_episode(path)
    episode, provenance = opened.episode, opened.provenance
    if opened.problem:
        raise ReplayError(f"The provenance cannot be read. {opened.problem}")
    if provenance and (provenance.episode_id, len(provenance.steps)) != (episode.episode_id, len(episode.steps)):
        raise ReplayError(
            f"{opened.files.provenance} is not the provenance of this episode: the id or the number of steps differs."
        )
    return opened


def recorded_screenshot(opened: OpenedEpisode, step: int) -> Image.Image:
    """The screenshot of a step in RGB. Raises ReplayError if it is missing or broken."""
    path = opened.files.screenshot(step)
    try:
        return read_png(path)
    except FileNotFoundError as error:
        raise ReplayError(f"The screenshot of step {step_number(step)} is missing: {path}.") from error
    except OSError as error:
        raise ReplayError(
            f"The screenshot of step {step_number(step)} cannot be read, {path}: {error.strerror}."
        ) from error


def recorded_stroke(opened: OpenedEpisode, step: int) -> TouchStroke | None:
    """The finger of a step in pixels of its screenshot; None if none is recorded."""
    record = opened.record(step)
    if record is None or not isinstance(record.input, StrokeRecord) or not record.input.samples:
        return None
    samples = tuple(TouchSample(Pixel(x, y), time_us) for x, y, time_us in record.input.samples)
    return TouchStroke(samples, record.input.duration_us)


def check_screenshots(opened: OpenedEpisode) -> None:
    """Raise ReplayError for the first screenshot that is missing, broken or changed."""
    size = opened.episode.device.size
    for step in range(len(opened.episode.steps)):
        path, screenshot, record = opened.files.screenshot(step), recorded_screenshot(opened, step), opened.record(step)
        if Size(*screenshot.size) not in (size, size.turned()):
            raise ReplayError(
                f"The screenshot of step {step_number(step)} is {screenshot.width}x{screenshot.height}, "
                f"but the episode's device has {size}: {path}."
            )
        if record is not None and sha256(screenshot.tobytes()).hexdigest() != record.frame.rgb_sha256:
            raise ReplayError(
                f"The screenshot of step {step_number(step)} is not the one that was recorded: its pixels differ from "
                f"the provenance, {path}. Restore the original file."
            )
