"""Finds the boxes of a dataset's presses and stores them with its texts; exports read the chosen ones from there."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from odyssey_recorder.annotation.boxes import (
    BoxAgreement,
    ElementBox,
    PressBoxes,
    agreement,
    hierarchy_box,
    press_boxes,
)
from odyssey_recorder.annotation.inputs import inputs_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import FoundBox, SemanticsFile, SemanticsStore
from odyssey_recorder.annotation.text_kinds import BoxSource
from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.screenshot import MeasuredScreenshot
from odyssey_recorder.dataset.amending import on_grid, with_grid_box
from odyssey_recorder.dataset.entry_file import canonical
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.dataset.lenient import LenientStep
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Box

if TYPE_CHECKING:
    from odyssey_recorder.annotation.sam2 import MaskBox, Sam2


@dataclass(frozen=True, slots=True)
class BoxedPress:
    """`step` counts from 0; `app` is the package in front, empty if unknown."""

    episode_id: str
    step: int
    device: str
    app: str
    boxes: PressBoxes


class Boxing:
    """Boxes for the presses of the dataset `root`. `sam2` is only asked where it is worth it, or `everywhere`."""

    def __init__(self, root: Path, sam2: "Sam2 | None" = None, *, everywhere: bool = False) -> None:
        self._root = root
        self._store = SemanticsStore(root)
        self._sam2 = sam2
        self._everywhere = everywhere

    def add(self, episode_id: str, evidence: EpisodeEvidence) -> list[BoxedPress]:
        """Find and keep the boxes that are not kept yet; returns all of the episode.

        Raises DatasetError, ReviewError, and SettingsError if SAM2 fails; what was found until then is kept.
        """
        kept = _kept(self._store.read_complete(episode_id))
        opened = open_dataset_episode(self._root, episode_id)
        device = "" if evidence.episode.device is None else evidence.episode.device.device_name
        pressed: list[BoxedPress] = []
        new: list[FoundBox] = []
        try:
            for step, inputs in zip(evidence.steps, inputs_of(opened), strict=True):
                known = kept.get(inputs.step_key, {})
                for box in self._found(step, inputs.step_key, known, opened):
                    new.append(box)
                    known = {**known, box.source: box}
                if boxes := press_boxes(step, _boxes(known)):
                    screen = step.record.screen if step.record else None
                    pressed.append(BoxedPress(episode_id, step.number, device, screen.package if screen else "", boxes))
        finally:
            self._store.add(episode_id, new)
        return pressed

    def _found(
        self, step: StepEvidence, key: str, known: Mapping[BoxSource, FoundBox], opened: OpenedEpisode
    ) -> Iterator[FoundBox]:
        """What is not `known`: the box of the view hierarchy, and then that of SAM2 if it is worth asking."""
        raw = _boxes(known)
        if (box := hierarchy_box(step)) is not None:
            if raw.get(BoxSource.HIERARCHY) != box:
                yield _entry(key, BoxSource.HIERARCHY, box)
            raw[BoxSource.HIERARCHY] = box
        boxes, sam2 = press_boxes(step, raw), self._sam2
        if boxes is None or sam2 is None or not (self._everywhere or boxes.is_vague):
            return
        if BoxSource.SAM2 not in known or known[BoxSource.SAM2].models != sam2.models:
            mask = _mask(sam2, step, boxes, opened)
            box, score = (mask.box, mask.score) if mask else (None, None)
            yield _entry(key, BoxSource.SAM2, box, score, sam2.models)


def _mask(sam2: "Sam2", step: StepEvidence, boxes: PressBoxes, opened: OpenedEpisode) -> "MaskBox | None":
    from odyssey_recorder.annotation.sam2 import best

    path = opened.files.screenshot(step.number)
    data = read_dataset_file(path, Largest.SCREENSHOT)
    if step.record is not None and sha256(data).hexdigest() != step.record.frame.png_sha256:
        raise DatasetError(f"{path} has changed since it was recorded. No box was looked for in it.")
    try:
        image = decode_png(data)
    except BrokenImageError as error:
        raise DatasetError(f"{path}: {error}.") from error
    return best(sam2.boxes(image, boxes.at), (view.box for view in step.views or () if boxes.at in view.box))


def _entry(
    key: str,
    source: Literal[BoxSource.HIERARCHY, BoxSource.SAM2],
    box: Box | None,
    score: float | None = None,
    models: tuple[str, ...] = (),
) -> FoundBox:
    px = None if box is None else (box.left, box.top, box.right, box.bottom)
    name = sha256(canonical([key, source.value, px, models]).encode()).hexdigest()[:32]
    return FoundBox(id=name, at=datetime.now(UTC), step_key=key, source=source, px=px, score=score, models=models)


def _kept(file: SemanticsFile) -> Mapping[str, Mapping[BoxSource, FoundBox]]:
    """The newest box of each source, by the key of the step."""
    kept: defaultdict[str, dict[BoxSource, FoundBox]] = defaultdict(dict)
    for entry in file.entries:
        if isinstance(entry, FoundBox):
            kept[entry.step_key][entry.source] = entry
    return kept


def _boxes(found: Mapping[BoxSource, FoundBox]) -> dict[BoxSource, Box]:
    return {source: Box(*box.px) for source, box in found.items() if box.px is not None}


def with_chosen_boxes(root: Path, found: OpenedEpisode, episode: Episode) -> tuple[Episode, Mapping[int, str]]:
    """`episode`, which is `found` with its texts, with the boxes that `annotate boxes` found where they are best.

    Also returns their sources, by step. Unreadable entries are ignored. Raises DatasetError.
    """
    kept = _kept(SemanticsStore(root).read(episode.episode_id))
    steps, sources = list(episode.steps), {}
    for number, chosen in enumerate(_chosen(kept, found) if kept else ()):
        if chosen and chosen.source in (BoxSource.HIERARCHY, BoxSource.SAM2):
            steps[number] = with_grid_box(steps[number], on_grid(chosen.box, chosen.size))
            sources[number] = chosen.source.value
    return replace(episode, steps=tuple(steps)), sources


def chosen_boxes(root: Path, found: OpenedEpisode) -> list[ElementBox | None]:
    """The best known box of each press, also that of its record or file; None for steps that press nothing.

    Unreadable entries are ignored. Raises DatasetError.
    """
    return _chosen(_kept(SemanticsStore(root).read(found.episode.episode_id)), found)


def _chosen(kept: Mapping[str, Mapping[BoxSource, FoundBox]], found: OpenedEpisode) -> list[ElementBox | None]:
    keys = [inputs.step_key for inputs in inputs_of(found)] if kept else [""] * len(found.episode.steps)
    unmeasured = MeasuredScreenshot("", size=found.episode.device.size)
    chosen: list[ElementBox | None] = []
    for number, (step, key) in enumerate(zip(found.episode.steps, keys, strict=True)):
        spelled = LenientStep(step.action, "", step.annotations)
        evidence = StepEvidence(number, spelled, unmeasured, record=found.record(number))
        boxes = press_boxes(evidence, _boxes(kept.get(key, {})))
        chosen.append(boxes.chosen if boxes else None)
    return chosen


# How far the sources agree.


@dataclass(frozen=True, slots=True)
class SourceAgreement:
    """Of two sources, on presses where both have a box; `device` and `app` are empty for all of them."""

    one: BoxSource
    other: BoxSource
    device: str
    app: str
    agreement: BoxAgreement


def agreements(pressed: Sequence[BoxedPress]) -> Iterator[SourceAgreement]:
    """For each two sources: on all presses, by device, and by app."""
    for one, other in combinations(BoxSource, 2):
        groups: defaultdict[tuple[str, str], list[tuple[Box, Box]]] = defaultdict(list)
        for press in pressed:
            raw = press.boxes.raw
            if one in raw and other in raw:
                for group in {("", ""), (press.device, ""), ("", press.app)}:
                    groups[group].append((raw[one], raw[other]))
        for (device, app), pairs in sorted(groups.items()):
            if figures := agreement(pairs):
                yield SourceAgreement(one, other, device, app, figures)
