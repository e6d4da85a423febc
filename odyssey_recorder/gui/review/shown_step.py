"""One step as shown to a reviewer: its action, its screenshot, and the facts in its provenance as text."""

from dataclasses import dataclass
from pathlib import Path

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import StepAnnotations
from odyssey_recorder.model.finding import Finding
from odyssey_recorder.model.flag import describe_flag
from odyssey_recorder.model.geometry import GRID, Box, Size
from odyssey_recorder.review.views import OpenedReview

_GRID = Size(GRID, GRID)


@dataclass(frozen=True, slots=True)
class ShownBox:
    """A touched element's box on a screenshot of `size`, in pixels or on the dataset's grid."""

    box: Box
    size: Size


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step; `place` is where on the device, `proof` how its screenshot was checked, one line each.

    `tree` is its view hierarchy, if there is one, of a screen of the size `screen`.
    """

    number: int
    action: Action
    screenshot: Path
    element: ShownBox | None
    note: str
    flags: tuple[str, ...]
    place: str
    proof: str
    findings: tuple[Finding, ...]
    tree: Path | None = None
    screen: Size = _GRID
    texts: str = ""


def shown_steps(review: OpenedReview) -> tuple[ShownStep, ...]:
    return tuple(_shown(review, number) for number in range(len(review.opened.episode.steps)))


def _shown(review: OpenedReview, number: int) -> ShownStep:
    opened = review.opened
    step, record = opened.episode.steps[number], opened.record(number)
    return ShownStep(
        number=number,
        action=step.action,
        screenshot=opened.files.screenshot(number),
        element=_element(record, step.annotations),
        note=record.note if record else "",
        flags=tuple(map(describe_flag, record.flags)) if record else (),
        place=_place(record),
        proof=_proof(record),
        findings=tuple(finding for finding in review.report.findings if finding.step == number),
        tree=opened.files.ui_tree(number) if record is not None and record.ui_tree else None,
        screen=record.frame.size if record is not None else _GRID,
        texts=next(iter(review.texts[number:]), "") if len(review.texts) > 1 else "".join(review.texts),
    )


def _element(record: StepRecord | None, annotations: StepAnnotations) -> ShownBox | None:
    """The box in the provenance, or else in a file of the second release."""
    if record is not None and record.bbox is not None:
        return ShownBox(Box(*record.bbox), record.frame.size)
    match annotations.sam2_bbox:
        case (left, top, right, bottom) if left < right and top < bottom:
            return ShownBox(Box(left, top, right, bottom), _GRID)
        case _:
            return None


def _place(record: StepRecord | None) -> str:
    if record is None or record.screen is None:
        return ""
    screen = record.screen
    activity = screen.activity.removeprefix(screen.package)
    keyboard = "keyboard shown" if screen.keyboard_shown else ""
    return " · ".join(filter(None, (screen.package, activity.lstrip("./"), keyboard)))


def _proof(record: StepRecord | None) -> str:
    if record is None:
        return "This screenshot has no recording log."
    way = f"Screenshot over {record.frame.source}"
    age = "" if record.age_us is None else f", {record.age_us / 1_000_000:.2f} s before the action"
    rest = "" if record.frame.settled else ", while the screen was moving"
    return f"{way}{age}{rest}; {_proved(record)}."


def _proved(record: StepRecord) -> str:
    if record.check is not None and record.age_us is None:
        return "a second one confirmed it before the action was sent"
    if record.check is not None:
        return "a second one, taken after touch-down, shows the same"
    if record.frame.streamed:
        return "no other one arrived before the action"
    return "not confirmed by a second one"
