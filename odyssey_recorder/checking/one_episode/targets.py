"""Checks of what an action hit, for criterion (ii): the views under a click, the launcher, the screen, the box."""

from collections.abc import Iterator

from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.finding_text import named
from odyssey_recorder.checking.one_episode.apps import is_launcher
from odyssey_recorder.checking.one_episode.check import (
    CheckResults,
    Found,
    Unchecked,
    after,
    is_without_effect,
    no_screen,
)
from odyssey_recorder.checking.thresholds import BOX_SLACK, LARGEST_BOX
from odyssey_recorder.dataset.amending import touched_pixel
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.model.action import Click, LongPress, Press, SystemKey
from odyssey_recorder.model.finding import Severity
from odyssey_recorder.model.geometry import GRID, Box, Pixel, Point

_BOX = "sam2_bbox"


def check_click_target(evidence: EpisodeEvidence) -> CheckResults:
    """A CLICK hits no view of the app, or no clickable view and the screen looks the same afterwards. A click with an
    effect hit what view hierarchies do not show before Android 14, such as the keyboard or the menu over selected text.
    Without a view hierarchy this is not checked."""
    for step in evidence.steps:
        if not isinstance(action := step.spelled.action, Click):
            continue
        if step.views is None:
            yield Unchecked(step.number, f"there is no view hierarchy: {step.no_views}")
            continue
        size = step.record.frame.size if step.record else step.screenshot.size if step.screenshot else None
        if size is None:
            yield Unchecked(step.number, "the size of the screenshot is unknown")
            continue
        yield from _check_hit(evidence, step, action.point, touched_pixel(action, step.record, size))


def _check_hit(evidence: EpisodeEvidence, step: StepEvidence, point: Point, at: Pixel) -> CheckResults:
    under = [node for node in step.views or () if at in node.box]
    if any(node.clickable for node in under):
        return
    found = f"The CLICK at {point.x}, {point.y} hits {'nothing that can be clicked' if under else 'no view of the app'}"
    no_effect = is_without_effect(evidence, step)
    if not under and may_be_keyboard(step, at):
        yield Unchecked(step.number, "the click is on the keyboard, which no view hierarchy shows")
    elif not under or no_effect:
        after_it = ", and after it the screen looks the same" if no_effect else ""
        yield Found(step.number, f"{found}{after_it}.", "Check whether it had an effect; if not, drop the step.")
    elif no_effect is None:
        yield Unchecked(step.number, "there is no clickable view, and it is unknown whether the click had an effect")


def may_be_keyboard(step: StepEvidence, at: Pixel) -> bool:
    screen = step.record.screen if step.record else None
    below_all = all(at.y >= node.box.bottom for node in step.views or ())
    return below_all and (screen is None or screen.keyboard_shown)


def check_system_keys(evidence: EpisodeEvidence) -> CheckResults:
    """After HOME the launcher is not in front, by the provenance of the next step; or after BACK the screen looks the
    same."""
    for step in evidence.steps:
        following = after(evidence, step)
        if following is None or not isinstance(action := step.spelled.action, Press):
            continue
        match action.key:
            case SystemKey.HOME:
                yield from _check_home(evidence, step, following)
            case SystemKey.BACK:
                yield from _check_back(evidence, step)
            case SystemKey.RECENT:
                pass


def _check_home(evidence: EpisodeEvidence, step: StepEvidence, following: StepEvidence) -> CheckResults:
    screen = following.record.screen if following.record else None
    if screen is None:
        yield Unchecked(step.number, no_screen(evidence))
    elif not is_launcher(screen.package):
        found = f"After HOME, {named(screen.package)} is in front instead of the launcher."
        yield Found(step.number, found, "Check whether HOME was pressed. If it had no effect, drop the step.")


def _check_back(evidence: EpisodeEvidence, step: StepEvidence) -> CheckResults:
    no_effect = is_without_effect(evidence, step)
    if no_effect is None:
        yield Unchecked(step.number, "this screenshot and the next cannot be compared")
    elif no_effect:
        yield Found(step.number, "After BACK the screen looks the same.", "Drop the step if it had no effect.")


# Boxes.


def check_boxes(evidence: EpisodeEvidence) -> CheckResults:
    """The box of a CLICK or LONG_PRESS, sam2_bbox in the file or the one in the provenance, is empty, not a box,
    reversed, or does not contain the press within `BOX_SLACK` thousandths; or it is missing although other presses of
    the file have one. A box larger than `LARGEST_BOX` of the screen is a warning."""
    has_boxes = any(_grid_box(step) for step in evidence.steps)
    for step in evidence.steps:
        match step.spelled.action:
            case Click() | LongPress() as action:
                yield from _check_box(evidence, step, action, has_boxes=has_boxes)
            case _:
                pass


def _check_box(
    evidence: EpisodeEvidence, step: StepEvidence, action: Click | LongPress, *, has_boxes: bool
) -> CheckResults:
    faults = list(_annotated_box(step, action.point, has_boxes=has_boxes))
    if step.record is not None and step.record.bbox is not None:
        faults += _proved_box(evidence, step.record, step.record.bbox, action)
    elif not faults and not step.spelled.annotations.has(_BOX):
        yield Unchecked(step.number, "the box of the pressed element is unknown")
    if faults:
        wrong, severity = faults[0]
        yield Found(step.number, wrong, "Draw the box again around the pressed element.", severity)


_Wrong = Iterator[tuple[str, Severity]]


def _annotated_box(step: StepEvidence, point: Point, *, has_boxes: bool) -> _Wrong:
    if not step.spelled.annotations.has(_BOX):
        if has_boxes:
            yield f"{_BOX} is missing, although other steps have one.", Severity.ERROR
        return
    box = _grid_box(step)
    if box is None:
        yield (
            f"{_BOX} is not four whole numbers of 0..{GRID}. With it, every prediction counts as wrong.",
            Severity.ERROR,
        )
    else:
        yield from _wrong(box, Pixel(point.x, point.y), slack=(BOX_SLACK, BOX_SLACK), whole=GRID * GRID)


def _grid_box(step: StepEvidence) -> Box | None:
    edges = step.spelled.annotations.sam2_bbox
    return Box(*edges) if edges and all(0 <= edge <= GRID for edge in edges) else None


def _proved_box(
    evidence: EpisodeEvidence, record: StepRecord, bbox: tuple[int, int, int, int], action: Click | LongPress
) -> _Wrong:
    size, device = record.frame.size, evidence.episode.device
    whole = device.size if device else size
    slack = BOX_SLACK * size.width // GRID, BOX_SLACK * size.height // GRID
    at = touched_pixel(action, record, size)
    yield from _wrong(Box(*bbox), at, slack=slack, whole=whole.width * whole.height)


def _wrong(box: Box, at: Pixel, *, slack: tuple[int, int], whole: int) -> _Wrong:
    words = f"The box [{box.left}, {box.top}, {box.right}, {box.bottom}]"
    if box.left > box.right or box.top > box.bottom:
        yield f"{words} is reversed.", Severity.ERROR
    elif not (
        box.left - slack[0] <= at.x <= box.right + slack[0] and box.top - slack[1] <= at.y <= box.bottom + slack[1]
    ):
        yield f"{words} does not contain the press at {at.x}, {at.y}.", Severity.ERROR
    elif box.area > LARGEST_BOX * whole:
        yield f"{words} covers {box.area / whole:.0%} of the screen.", Severity.WARNING
