"""The text about a step, derived from its files."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import annotations_of
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.gui.review.shown_step import ShownBox, ShownStep, shown_steps
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Box, Point, Size
from odyssey_recorder.quality.finding import EpisodeReport, Finding, Severity
from tests.episodes import ID, episode
from tests.gui.review.opened import SMALL, provenance_of, reviewed, step_record


def first_step(record: StepRecord | None = None, **keys: Json) -> ShownStep:
    made = episode(Click(Point(500, 500)), Complete())
    steps = (replace(made.steps[0], annotations=annotations_of(keys)), made.steps[1])
    proof = None if record is None else provenance_of(record)
    return shown_steps(reviewed(Path("shots"), replace(made, steps=steps), proof))[0]


def test_the_provenance_tells_place_note_and_flags_and_without_one_that_is_said() -> None:
    step = first_step(step_record(note="slow page", flags=(Flag(FlagCode.OTHER, ("no effect",)),)))
    assert step.place == "com.android.chrome · Main"
    assert (step.note, step.flags) == ("slow page", ("no effect",))
    step = first_step()
    assert step.proof == "No provenance for this screenshot."
    assert (step.place, step.note, step.flags, step.element) == ("", "", (), None)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (step_record(), "the action waited until a second frame showed the same"),
        (step_record(age_us=120_000), "0.12 s before the action; a second frame, requested after touch-down"),
        (step_record(check=None, age_us=90_000), "not confirmed by a second frame"),
        (
            step_record(check=None, frame=step_record().frame.model_copy(update={"streamed": True})),
            "no other frame arrived before the action",
        ),
        (
            step_record(frame=step_record().frame.model_copy(update={"settled": False})),
            "Taken by grpc, while the screen was moving",
        ),
    ],
)
def test_how_a_screenshot_was_proved_is_said(record: StepRecord, words: str) -> None:
    assert words in first_step(record).proof


def test_the_box_of_the_provenance_is_in_pixels_of_its_frame_that_of_a_released_file_on_the_grid() -> None:
    assert first_step(step_record(bbox=(10, 20, 30, 40))).element == ShownBox(Box(10, 20, 30, 40), SMALL)
    assert first_step(sam2_bbox=[100, 200, 300, 400]).element == ShownBox(Box(100, 200, 300, 400), Size(1000, 1000))


@pytest.mark.parametrize("box", [[], [1, 2, 3], [300, 200, 100, 400], ["1", 2, 3, 4], "box", None])
def test_what_is_no_box_is_none(box: Json) -> None:
    assert first_step(sam2_bbox=box).element is None


def test_a_step_has_its_own_findings() -> None:
    findings = tuple(Finding("IMG07", Severity.WARNING, None, ID, step, "It is so.", "Look.") for step in (0, 1, None))
    made = episode(Click(Point(1, 1)), Complete())
    steps = shown_steps(reviewed(Path("shots"), made, report=EpisodeReport(ID, findings)))
    assert [step.findings for step in steps] == [(findings[0],), (findings[1],)]


def test_a_provenance_with_too_few_steps_is_no_provenance_of_the_others() -> None:
    made = episode(Click(Point(1, 1)), Complete())
    steps = shown_steps(reviewed(Path("shots"), made, provenance_of(step_record())))
    assert steps[1].proof == "No provenance for this screenshot."
