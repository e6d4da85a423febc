"""The box of a touched element: from the view hierarchy or a person, how far boxes agree, and what they are worth."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from odyssey_recorder.annotation.evidence import touch_of
from odyssey_recorder.device.view_hierarchy import clickable_at
from odyssey_recorder.model.geometry import Box, Pixel, Size
from odyssey_recorder.quality.checks.targets import may_be_keyboard
from odyssey_recorder.quality.evidence import StepEvidence

CLICK_DISTANCE = 0.14
"""The official evaluator counts a click as right within this distance of the press, in shares of the screen's width
and height (GUIOdyssey_action_matching.py), or in the box.
"""
LARGE = 0.05
"""Share of the screen above which a box is probably a row or a page rather than the element."""
_STRIPS = 1000


class BoxSource(StrEnum):
    HUMAN = "human"
    HIERARCHY = "hierarchy"
    SAM2 = "sam2"
    POINT = "point"


@dataclass(frozen=True, slots=True)
class ElementBox:
    """In pixels of the screenshot of `size`; `at` is the press. `why` says why there is nothing better than a point."""

    box: Box
    source: BoxSource
    at: Pixel
    size: Size
    why: str = ""

    @property
    def share(self) -> float:
        return self.box.area / (self.size.width * self.size.height)


def element_box(step: StepEvidence) -> ElementBox | None:
    """The box that a person drew, or else of the topmost view that takes the touch, or else a point without area.

    None for a step that presses nothing, or if the size of its screenshot is unknown.
    """
    touch = touch_of(step)
    if isinstance(touch, str):
        return None
    at, size = touch
    if step.record is not None and step.record.bbox is not None and step.record.bbox_source == "human":
        return ElementBox(Box(*step.record.bbox), BoxSource.HUMAN, at, size)
    if step.views is None:
        why = f"there is no view hierarchy: {step.no_views}"
    elif may_be_keyboard(step, at):
        why = "the touch is on the keyboard, which no view hierarchy shows"
    elif (box := clickable_at(step.views, at, size)) is not None:
        return ElementBox(box, BoxSource.HIERARCHY, at, size)
    else:
        why = "no view but one as large as the screen is there"
    return ElementBox(Box(at.x, at.y, at.x, at.y), BoxSource.POINT, at, size, why)


# --- agreement -------------------------------------------------------------------------------------------


def overlap(one: Box, other: Box) -> int:
    """In pixels."""
    left, top = max(one.left, other.left), max(one.top, other.top)
    return Box(left, top, min(one.right, other.right), min(one.bottom, other.bottom)).area


def iou(one: Box, other: Box) -> float:
    """Intersection over union, 0..1; 0 for two boxes without area."""
    shared = overlap(one, other)
    union = one.area + other.area - shared
    return shared / union if union else 0.0


@dataclass(frozen=True, slots=True)
class BoxAgreement:
    """Of pairs of boxes for the same presses. `containment` is the mean share of the smaller box that is in the larger:
    a low IoU with a high containment is a row against its icon, and no error.
    """

    pairs: int
    median_iou: float
    half: float
    three_quarters: float
    containment: float


def agreement(pairs: Sequence[tuple[Box, Box]]) -> BoxAgreement | None:
    """None without pairs; `half` and `three_quarters` are the shares of pairs with at least that IoU."""
    if not pairs:
        return None
    values = [iou(one, other) for one, other in pairs]
    held = [overlap(one, other) / smaller for one, other in pairs if (smaller := min(one.area, other.area))]
    return BoxAgreement(
        pairs=len(pairs),
        median_iou=median(values),
        half=fmean(value >= 0.5 for value in values),
        three_quarters=fmean(value >= 0.75 for value in values),
        containment=fmean(held) if held else 0.0,
    )


# --- the official click rule -----------------------------------------------------------------------------


def widening(one: ElementBox) -> float:
    """The area that the box adds to where a click counts as right, as a share of the disc around the press.

    Both are clipped to the screen. A full-width row adds about 0.84, most icons nothing.
    """
    width, height = one.size.width, one.size.height
    left, right = one.box.left / width, one.box.right / width
    x, y = (one.at.x + 0.5) / width, (one.at.y + 0.5) / height
    disc = added = 0.0
    for strip in range(_STRIPS):
        middle = (strip + 0.5) / _STRIPS
        half = math.sqrt(max(0.0, CLICK_DISTANCE**2 - (middle - y) ** 2))
        first, last = max(0.0, x - half), min(1.0, x + half)
        disc += last - first
        if one.box.top / height <= middle < one.box.bottom / height:
            added += right - left - max(0.0, min(right, last) - max(left, first))
    return added / disc if disc else 0.0


@dataclass(frozen=True, slots=True)
class BoxFigures:
    """Of all boxes of one source; areas are shares of the screen, `large` counts those above `LARGE`."""

    boxes: int
    mean_area: float
    median_area: float
    large: int
    mean_widening: float
    most_widening: float


def box_figures(boxes: Iterable[ElementBox]) -> Mapping[BoxSource, BoxFigures]:
    by_source: defaultdict[BoxSource, list[ElementBox]] = defaultdict(list)
    for one in boxes:
        by_source[one.source].append(one)
    return {source: _figures(by_source[source]) for source in BoxSource if source in by_source}


def _figures(boxes: Sequence[ElementBox]) -> BoxFigures:
    areas, added = [one.share for one in boxes], [widening(one) for one in boxes]
    large = sum(area > LARGE for area in areas)
    return BoxFigures(len(boxes), fmean(areas), median(areas), large, fmean(added), max(added))
