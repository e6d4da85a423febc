"""The boxes of a touched element: which one is chosen, how far they agree, and their effect on scores."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from odyssey_recorder.annotation.text_evidence import touch_of
from odyssey_recorder.annotation.text_kinds import BoxSource
from odyssey_recorder.checking.evidence import StepEvidence
from odyssey_recorder.dataset.amending import box_refusal
from odyssey_recorder.device.view_hierarchy import clickable_at
from odyssey_recorder.model.geometry import GRID, Box, Pixel, Size

CLICK_DISTANCE = 0.14
"""The official evaluator counts a click as right within this distance of the press, in shares of the screen's width
and height (GUIOdyssey_action_matching.py), or in the box.
"""
LARGE = 0.05
"""Share of the screen above which a box is probably a row or a page rather than the element."""
PART = 0.3
"""IoU below which a mask in a large view is a separate element."""
_STRIPS = 1000


@dataclass(frozen=True, slots=True)
class ElementBox:
    """In pixels of the screenshot of `size`; `at` is the press."""

    box: Box
    source: BoxSource
    at: Pixel
    size: Size

    @property
    def share(self) -> float:
        return self.box.area / (self.size.width * self.size.height)


@dataclass(frozen=True, slots=True)
class PressBoxes:
    """Every box that is known of one press."""

    at: Pixel
    size: Size
    raw: Mapping[BoxSource, Box]

    @property
    def every(self) -> Iterator[ElementBox]:
        return (ElementBox(box, source, self.at, self.size) for source, box in self.raw.items())

    @property
    def is_vague(self) -> bool:
        """Whether SAM2 is worth asking: no box is known, or only that of a large view."""
        known = self.raw.keys() - {BoxSource.SAM2}
        return not known or (known == {BoxSource.HIERARCHY} and self._is_large(self.raw[BoxSource.HIERARCHY]))

    @property
    def chosen(self) -> ElementBox:
        """The box to export: of the most trusted source, but SAM2's before a large view that it is only a part of.

        A point without area if there is none.
        """
        views, mask = self.raw.get(BoxSource.HIERARCHY), self.raw.get(BoxSource.SAM2)
        source = next((box_source for box_source in BoxSource if box_source in self.raw), BoxSource.POINT)
        if source is BoxSource.HIERARCHY and views and mask and self._is_large(views) and iou(views, mask) < PART:
            source = BoxSource.SAM2
        point = Box(self.at.x, self.at.y, self.at.x, self.at.y)
        return ElementBox(self.raw.get(source, point), source, self.at, self.size)

    def _is_large(self, box: Box) -> bool:
        return box.area > LARGE * self.size.width * self.size.height


def press_boxes(step: StepEvidence, found: Mapping[BoxSource, Box]) -> PressBoxes | None:
    """The boxes of a step's record and file and those `found` besides; None for a step that presses nothing, or if the
    size of its screenshot is unknown. What cannot be the box of the pressed element is left out.
    """
    touch = touch_of(step)
    if isinstance(touch, str):
        return None
    at, size = touch
    known, grid = dict(found), step.spelled.annotations.sam2_bbox
    if step.record is not None and step.record.bbox is not None:
        known.setdefault(BoxSource(step.record.bbox_source or "hierarchy"), Box(*step.record.bbox))
    if grid and len(grid) == 4:
        known[BoxSource.FILE] = _off_grid(grid, size)
    return PressBoxes(at, size, {source: box for source, box in known.items() if not box_refusal(box, at, size)})


def hierarchy_box(step: StepEvidence) -> Box | None:
    """The box of the topmost view that takes the touch; None on bars and keyboard, which no view hierarchy shows.

    The recorder knew where those were: unless a person drew over its box, that one counts.
    """
    touch, record = touch_of(step), step.record
    if record is not None and record.ui_tree is not None and record.bbox_source != "human":
        return None if record.bbox is None else Box(*record.bbox)
    if isinstance(touch, str) or step.views is None:
        return None
    return clickable_at(step.views, *touch)


def _off_grid(edges: Sequence[int], size: Size) -> Box:
    left, top, right, bottom = edges
    return Box(
        left * size.width // GRID,
        top * size.height // GRID,
        -(-right * size.width // GRID),
        -(-bottom * size.height // GRID),
    )


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


def widening(box: ElementBox) -> float:
    """The area that the box adds to where a click counts as right, as a share of the disc around the press.

    Both are clipped to the screen. A full-width row adds about 0.84, most icons nothing.
    """
    width, height = box.size.width, box.size.height
    left, right = box.box.left / width, box.box.right / width
    x, y = (box.at.x + 0.5) / width, (box.at.y + 0.5) / height
    disc = added = 0.0
    for strip in range(_STRIPS):
        middle = (strip + 0.5) / _STRIPS
        half = math.sqrt(max(0.0, CLICK_DISTANCE**2 - (middle - y) ** 2))
        first, last = max(0.0, x - half), min(1.0, x + half)
        disc += last - first
        if box.box.top / height <= middle < box.box.bottom / height:
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
    for box in boxes:
        by_source[box.source].append(box)
    return {source: _figures(by_source[source]) for source in BoxSource if source in by_source}


def _figures(boxes: Sequence[ElementBox]) -> BoxFigures:
    areas, added = [box.share for box in boxes], [widening(box) for box in boxes]
    large = sum(area > LARGE for area in areas)
    return BoxFigures(len(boxes), fmean(areas), median(areas), large, fmean(added), max(added))
