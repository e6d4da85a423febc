"""The text about a step, derived from its files."""

from dataclasses import replace
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import annotations_of
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.gui.review.shown_step import ShownBox, ShownStep, shown_steps
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.finding import EpisodeReport, Finding, Severity
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Box, Point, Size
from tests.episodes import ID, episode
from tests.gui.review.opened_reviews import SMALL, opened_review, provenance_of, step_record


def first_step(record: StepRecord | None = None, **keys: Json) -> ShownStep:
    recorded = episode(Click(Point(500, 500)), Complete())
    steps = (replace(recorded.steps[0], annotations=annotations_of(keys)), recorded.steps[1])
    provenance = None if record is None else provenance_of(record)
    return shown_steps(opened_review(Path("shots"), replace(recorded, steps=steps), provenance))[0]


def test_place_note_and_flags_come_from_provenance() -> None:
    step = first_step(step_record(note="slow page", flags=(Flag(FlagCode.OTHER, ("no effect",)),)))
    assert step.place == "com.android.chrome · Main"
    assert (step.note, step.flags) == ("slow page", ("no effect",))
    step = first_step()
    assert step.proof == "This screenshot has no recording log."
    assert (step.place, step.note, step.flags, step.element) == ("", "", (), None)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (step_record(), "a second one confirmed it before the action was sent"),
        (step_record(age_us=120_000), "0.12 s before the action; a second one, taken after touch-down"),
        (step_record(check=None, age_us=90_000), "not confirmed by a second one"),
        (
            step_record(check=None, frame=step_record().frame.model_copy(update={"streamed": True})),
            "no other one arrived before the action",
        ),
        (
            step_record(frame=step_record().frame.model_copy(update={"settled": False})),
            "Screenshot over screencap, while the screen was moving",
        ),
    ],
)
def test_screenshot_proof_is_described(record: StepRecord, text: str) -> None:
    assert text in first_step(record).proof


def test_unit_of_the_box_depends_on_its_source() -> None:
    assert first_step(step_record(bbox=(10, 20, 30, 40))).element == ShownBox(Box(10, 20, 30, 40), SMALL)
    assert first_step(sam2_bbox=[100, 200, 300, 400]).element == ShownBox(Box(100, 200, 300, 400), Size(1000, 1000))


@pytest.mark.parametrize("box", [[], [1, 2, 3], [300, 200, 100, 400], ["1", 2, 3, 4], "box", None])
def test_invalid_boxes_are_ignored(box: Json) -> None:
    assert first_step(sam2_bbox=box).element is None


def test_findings_and_provenance_belong_to_their_steps() -> None:
    findings = tuple(Finding("IMG07", Severity.WARNING, None, ID, step, "Wrong.", "Look.") for step in (0, 1, None))
    source = episode(Click(Point(1, 1)), Complete())
    steps = shown_steps(opened_review(Path("shots"), source, provenance_of(step_record()), EpisodeReport(ID, findings)))
    assert [step.findings for step in steps] == [(findings[0],), (findings[1],)]
    assert steps[1].proof == "This screenshot has no recording log."
