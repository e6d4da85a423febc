"""What each text of a step depends on, and so which texts an amendment makes stale.

| changed | stale |
|---|---|
| instruction | all texts |
| what step k types, or its kind of press | all of k but its context; all but the instruction of later steps |
| the box of step k | all of k but its context, if a model was shown it |
| steps dropped | all but the instruction of the steps after them |
| the end | the texts of the terminal step |
| the intention of step k, edited by a person | contexts after k |
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from odyssey_recorder.annotation.semantics import (
    SemanticsFile,
    SemanticsStore,
    StepText,
    TextState,
    by_text,
    last_edit,
    step_text,
)
from odyssey_recorder.annotation.text_kinds import TextKind, fixed_text
from odyssey_recorder.dataset.entry_file import canonical, refuse_problems
from odyssey_recorder.dataset.layout import read_dataset_file
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.files import Largest
from odyssey_recorder.model.action import Action, Click, LongPress, describe, is_terminal

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the texts of one step depend on. `box` is that of the touched element in pixels, None without one."""

    step_key: str
    png_sha256: str
    box: Box | None
    action: Action
    instruction: str
    before: tuple[Action, ...]

    def valid(self, kind: TextKind, edited: Sequence[str | None]) -> frozenset[str]:
        """The hashes of all inputs for which a text of this kind is not stale.

        `edited` are the intentions of the steps before, each None unless a person wrote it. Without a box, or shown
        without it, a text does not depend on it.
        """
        boxes = {None} if kind is TextKind.CONTEXT else {None, self.box}
        return frozenset(self._hash(kind, edited, box) for box in boxes)

    def shown(self, kind: TextKind, edited: Sequence[str | None], *, with_box: bool) -> str:
        """The hash of the inputs for a text that is made now."""
        is_marked = with_box and kind is not TextKind.CONTEXT
        return self._hash(kind, edited, self.box if is_marked else None)

    def _hash(self, kind: TextKind, edited: Sequence[str | None], box: Box | None) -> str:
        before = [describe(action) for action in self.before]
        own = describe(self.action)
        match kind:
            case TextKind.INSTRUCTION:
                whole: list[object] = [self.instruction, own, box]
            case TextKind.CONTEXT:
                whole = [self.instruction, before, list(edited), own if is_terminal(self.action) else ""]
            case TextKind.DESCRIPTION | TextKind.INTENTION:
                whole = [self.instruction, before, own, box]
        return sha256(canonical(whole).encode()).hexdigest()


def inputs_of(found: OpenedEpisode) -> list[Inputs]:
    """Of every step. Raises DatasetError if a step without provenance has no readable screenshot either."""
    episode = found.episode
    actions = tuple(step.action for step in episode.steps)
    return [
        Inputs(key, png, _box(found, number), actions[number], episode.task.instruction, actions[:number])
        for number, (key, png) in enumerate(_keys(found))
    ]


def _box(found: OpenedEpisode, number: int) -> Box | None:
    record = found.record(number)
    is_press = isinstance(found.episode.steps[number].action, Click | LongPress)
    return record.bbox if record is not None and is_press else None


def _keys(found: OpenedEpisode) -> Iterator[tuple[str, str]]:
    """For each step a key that survives renumbering, and the SHA-256 of its screenshot.

    Released data has no times of touches: there steps with equal screenshots are told apart by their order.
    """
    seen: Counter[str] = Counter()
    for number in range(len(found.episode.steps)):
        record = found.record(number)
        if record is not None:
            png, moment = record.frame.png_sha256, str(record.touched_us)
        else:
            png = sha256(read_dataset_file(found.files.screenshot(number), Largest.SCREENSHOT)).hexdigest()
            moment = f"#{seen[png]}"
            seen[png] += 1
        yield sha256(f"{png}{moment}".encode()).hexdigest()[:16], png


@dataclass(frozen=True, slots=True)
class EpisodeTexts:
    """The texts of each step by kind, and the intentions that people edited; all in the order of the steps."""

    inputs: Sequence[Inputs]
    steps: Sequence[Mapping[TextKind, StepText]]
    edited: Sequence[str | None]


def read_texts(root: Path, found: OpenedEpisode) -> EpisodeTexts:
    """The texts that the dataset `root` has for an episode. Raises DatasetError, ReviewError."""
    file = SemanticsStore(root).read(found.episode.episode_id)
    refuse_problems(file)
    return texts_of(found, file)


def texts_of(found: OpenedEpisode, file: SemanticsFile) -> EpisodeTexts:
    """Raises DatasetError: see `inputs_of`."""
    inputs, entries = inputs_of(found), by_text(file)
    edited: list[str | None] = []
    steps: list[dict[TextKind, StepText]] = []
    for number, step_inputs in enumerate(inputs):
        texts = {}
        for kind in TextKind:
            fixed = fixed_text(step_inputs.action, number, kind)
            text = step_text(entries.get((step_inputs.step_key, kind), ()), step_inputs.valid(kind, edited))
            texts[kind] = StepText(TextState.ACCEPTED, fixed) if fixed and text.state is not TextState.EDITED else text
        edited.append(last_edit(entries.get((step_inputs.step_key, TextKind.INTENTION), ())))
        steps.append(texts)
    return EpisodeTexts(inputs, steps, edited)
