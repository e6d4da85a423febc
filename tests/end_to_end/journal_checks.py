"""Compares recorded steps with the emulator's journal: where each finger was felt, when, and what was on the screen."""

import hashlib
from pathlib import Path

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord, StrokeRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.flag import FlagCode
from odyssey_recorder.model.geometry import Pixel
from odyssey_simulator.journal import RecordedInput
from tests.recording.recording_bench import pixels

MIRROR_DOUBTS = {FlagCode.CONNECTION_BROKE, FlagCode.UNPROVEN, FlagCode.CHANGING, FlagCode.NEWER}
PASSIVE_DOUBTS = {
    FlagCode.MOVING, FlagCode.CHANGING, FlagCode.UNWATCHED, FlagCode.CLOCK_CHANGED, FlagCode.CLOCK_UNREAD,
    FlagCode.OLDER, FlagCode.OLDER_THAN_LAST_ACTION,
}  # fmt: skip


def published(store: EpisodeStore, episode_id: str) -> tuple[Episode, EpisodeProvenance]:
    provenance = store.provenance(episode_id)
    assert provenance is not None
    return store.load(episode_id), provenance


def published_steps(store: EpisodeStore, episode_id: str) -> list[StepRecord]:
    """The records of all steps but COMPLETE; their screenshots are as recorded."""
    episode, provenance = published(store, episode_id)
    *steps, end = provenance.steps
    assert end.input is None
    for number, step in enumerate(steps):
        assert pixel_hash(store.root / screenshot_path(episode.episode_id, number)) == step.frame.rgb_sha256
    return steps


def pixel_hash(screenshot: Path) -> str:
    return hashlib.sha256(pixels(screenshot).tobytes()).hexdigest()


def tap_position(tap: RecordedInput) -> Pixel:
    """Where a touch was felt; the emulator's window and its gRPC service put it a fraction of a pixel off."""
    x, y = (round(float(number)) for number in tap.text.split()[-1].split(","))
    return Pixel(x, y)


def step_position(step: StepRecord) -> Pixel:
    assert isinstance(step.input, StrokeRecord)
    x, y, _ = step.input.samples[0]
    return Pixel(x, y)


def is_same_position(step: StepRecord, tap: RecordedInput) -> bool:
    """To a pixel, the resolution of the kernel's axes."""
    start, felt = step_position(step), tap_position(tap)
    return max(abs(felt.x - start.x), abs(felt.y - start.y)) <= 1


def is_same_touch(step: StepRecord, tap: RecordedInput) -> bool:
    """Compare by the device clock's timestamp, or by position if that is uncertain."""
    if step.clock_offset_us is not None:
        return tap.event_us == step.touched_us - step.clock_offset_us
    return is_same_position(step, tap)


def is_same_screen(step: StepRecord, tap: RecordedInput) -> bool:
    return step.frame.rgb_sha256 == tap.frame.rgb_sha256


def has_any(step: StepRecord, doubts: set[FlagCode]) -> bool:
    return any(flag.code in doubts for flag in step.flags)
