"""Passive mode over adb alone beside busy programs: quiet taps have no flag, and real changes are not hidden.

The reference is the emulator's journal. Between two frames adb cannot notice a change; a step's statements must be
true even then.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.model.action import Click
from odyssey_recorder.simulator.journal import FeltInput
from odyssey_recorder.simulator.phone import Phase
from tests.end_to_end.laboratory import Laboratory
from tests.end_to_end.test_faults_in_a_row import is_of
from tests.recording.recording_bench import PASSIVE, RecordingBench

TAPS = 100
PATIENCE_S = 30.0

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Tapped:
    step: StepRecord
    tap: FeltInput
    is_click: bool

    @property
    def is_right(self) -> bool:
        return self.step.frame.rgb_sha256 == self.tap.frame.rgb_sha256


def _spin() -> None:
    while True:
        pass


@contextmanager
def busy_programs(count: int) -> Iterator[None]:
    programs = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(count)]
    for program in programs:
        program.start()
    try:
        yield
    finally:
        for program in programs:
            program.terminate()
            program.join()


def tap(lab: Laboratory, number: int, held_s: float) -> None:
    at = lab.place(number)
    lab.emulator.guest.window_touch(at.x, at.y, pressed=True)
    time.sleep(held_s)
    lab.emulator.guest.window_touch(at.x, at.y, pressed=False)


def change_beside_the_kernel(lab: Laboratory, number: int) -> None:
    """Someone else turns a switch, as `input tap` does, which `getevent` does not report."""
    at = lab.place(number)
    lab.phone.touch(Phase.DOWN, at.x, at.y)
    lab.phone.touch(Phase.UP, at.x, at.y)


def kernel_taps(lab: Laboratory) -> list[FeltInput]:
    return [tap for tap in lab.recorded().touch_downs() if tap.event_us is not None]


def tap_often(
    lab: Laboratory, folder: Path, programs: int, before_tap: Callable[[int, Random], None], held_s: float
) -> list[Tapped]:
    """A hundred taps beside busy programs, each after `before_tap`; their steps, in order."""
    service, random, before = RecordingBench(folder), Random(programs), len(kernel_taps(lab))
    with busy_programs(programs), service.recording(lab.device(), service.draft(PASSIVE)) as recording:
        for number in range(TAPS):
            recording.ready(steps=number)
            time.sleep(random.uniform(0.5, 1.0))
            before_tap(number, random)
            tap(lab, number, held_s)
        recording.ready(steps=TAPS)
        recording.recorder.complete("done")
        recording.recorder.wait_for(lambda view: view.published is not None, PATIENCE_S)
    taps = kernel_taps(lab)[before:]
    episode = service.store.load(recording.draft.episode_id)
    provenance = service.store.provenance(episode.episode_id)
    assert provenance is not None
    found = [
        Tapped(record, next(tap for tap in taps if is_of(record, tap)), isinstance(step.action, Click))
        for step, record in zip(episode.steps, provenance.steps, strict=True)
        if record.input is not None
    ]
    assert [one.tap.number for one in found] == [tap.number for tap in taps]
    return found


@pytest.mark.parametrize("held_s", [0.0, 0.08])
@pytest.mark.parametrize("programs", [0, 2])
def test_of_a_hundred_quiet_taps_fewer_than_two_are_flagged(
    lab: Laboratory, tmp_path: Path, programs: int, held_s: float
) -> None:
    steps = tap_often(lab, tmp_path, programs, lambda _, __: None, held_s)
    flags = [one.step.flags for one in steps if one.step.flags]
    proved = sum(one.step.check is not None for one in steps)
    print(f"{programs} busy programs, held {held_s} s: {proved} proved, flags {flags}")  # noqa: T201 - a figure
    assert all(one.is_click and one.is_right for one in steps)
    assert len(flags) < TAPS / 50


@pytest.mark.parametrize("programs", [0, 2])
def test_a_screen_that_changed_shortly_before_the_tap_is_recorded_flagged_or_older_by_its_own_word(
    lab: Laboratory, tmp_path: Path, programs: int
) -> None:
    def change(number: int, random: Random) -> None:
        change_beside_the_kernel(lab, number + 3)
        time.sleep(random.uniform(0.0, 0.15))

    wrong = [one for one in tap_often(lab, tmp_path, programs, change, 0.0) if not one.is_right]
    silent = [one for one in wrong if not one.step.flags]
    print(f"{programs} busy programs: {len(wrong)} wrong, {len(silent)} of these without a flag")  # noqa: T201 - a figure
    for one in wrong:
        assert one.step.check is None, "no wrong picture is proved"
    for one in silent:
        seen_ns = one.tap.t_ns - (one.step.age_us or 0) * 1000
        assert seen_ns <= one.tap.frame.t_ns + (one.step.clock_uncertainty_us or 0) * 1000
