"""The memory of an episode (Chain-of-Memory, arXiv 2506.18158): what its steps keep, and what a later step recalls.

Short-term memory is the last four action results. Long-term memory is a list of core texts with their apps, which
depends on a rule: `paper` is the paper's, where a core replaces the last entry if the app in front is that of the step
before, so that an entry of another app can be lost; `kept` replaces the last entry only if it is of the same app.
Neither is stored: both follow from the entries.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from odyssey_recorder.annotation.inputs import Inputs, inputs_of
from odyssey_recorder.annotation.semantics import (
    Remembered,
    SemanticsFile,
    StepText,
    TextDecision,
    TextState,
    by_text,
    step_text,
)
from odyssey_recorder.annotation.text_kinds import MemoryKind
from odyssey_recorder.dataset.entry_file import canonical
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import describe
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import step_number

Rule = Literal["paper", "kept"]

SHORT_TERM = 4
"""Action results in the short-term memory, as in the paper."""


@dataclass(frozen=True, slots=True)
class StepMemory:
    """`app` is the package in front, None if that is not known."""

    inputs: Mapping[MemoryKind, str]
    kept: Mapping[MemoryKind, StepText]
    app: str | None

    def words(self, kind: MemoryKind) -> str:
        text = self.kept[kind]
        return "" if text.is_open else text.words


@dataclass(frozen=True, slots=True)
class LongTerm:
    """An entry of the long-term memory; `step` counts from 0."""

    app: str | None
    core: str
    step: int


def memory_of(found: OpenedEpisode, file: SemanticsFile, inputs: Sequence[Inputs]) -> list[StepMemory]:
    """The memory of every step; `inputs` are the episode's. The first step has no action result."""
    entries, steps = by_text(file), []
    for number, step_inputs in enumerate(inputs):
        hashes = dict(_hashes(inputs, number))
        kept = {MemoryKind.RESULT: StepText(TextState.ACCEPTED)} if number == 0 else {}
        for kind, wanted in hashes.items():
            kept[kind] = step_text(entries.get((step_inputs.step_key, kind), ()), frozenset({wanted}))
        record = found.record(number)
        app = record.screen.package or None if record is not None and record.screen is not None else None
        steps.append(StepMemory(hashes, kept, app))
    return steps


def _hashes(inputs: Sequence[Inputs], number: int) -> Iterator[tuple[MemoryKind, str]]:
    """The hashes of what each entry depends on: an action result only on the action and the two screenshots."""
    step_inputs = inputs[number]
    if number:
        last = inputs[number - 1]
        yield MemoryKind.RESULT, _hash([last.png_sha256, describe(last.action), last.box, step_inputs.png_sha256])
    whole = _hash(
        [step_inputs.instruction, [describe(action) for action in step_inputs.before], step_inputs.png_sha256]
    )
    yield MemoryKind.SCREEN, whole
    yield MemoryKind.CORE, whole


def _hash(whole: list[object]) -> str:
    return sha256(canonical(whole).encode()).hexdigest()


def short_term(results: Sequence[str]) -> list[str]:
    """What the last of these steps recalls; `results` are the action results of all steps so far, first empty."""
    return [result for result in results if result][-SHORT_TERM:]


def long_term(cores: Sequence[str], apps: Sequence[str | None], rule: Rule) -> list[LongTerm]:
    """What is recalled after steps with these core texts, empty ones included, and these apps in front.

    An app that is not known is another one each time.
    """
    found: list[LongTerm] = []
    for step, (core, app) in enumerate(zip(cores, apps, strict=True)):
        if not core:
            continue
        before = (apps[step - 1] if step else None) if rule == "paper" else found[-1].app if found else None
        if found and app is not None and app == before:
            found.pop()
        found.append(LongTerm(app, core, step))
    return found


def recalled(episode_id: str, steps: Sequence[StepMemory], rule: Rule) -> list[str]:
    """For each step in words what is known before its action: the results of the last actions, the newest one seen on
    the step's own screen, and the long-term memory of the steps before. Raises DatasetError if some is missing.
    """
    refuse_lacking(episode_id, steps)
    results = [step.words(MemoryKind.RESULT) for step in steps]
    cores, apps = [step.words(MemoryKind.CORE) for step in steps], [step.app for step in steps]
    entries = []
    for number in range(len(steps)):
        kept = [f"{memory.app or 'an app'}: {memory.core}" for memory in long_term(cores[:number], apps[:number], rule)]
        remembered = [f"Remembered from earlier screens: {' '.join(kept)}"] if kept else []
        entries.append(" ".join([*short_term(results[: number + 1]), *remembered]))
    return entries


def refuse_lacking(episode_id: str, steps: Sequence[StepMemory]) -> None:
    """Raises DatasetError if some memory is missing or outdated."""
    lacking = [number for number, step in enumerate(steps) if any(text.is_open for text in step.kept.values())]
    if lacking:
        which = f"step {step_number(lacking[0])}{' and others have' if lacking[1:] else ' has'}"
        raise DatasetError(f"{episode_id}: {which} no memory, or an outdated one. Run `annotate run --memory`.")


def memory_json(found: OpenedEpisode, file: SemanticsFile, rule: Rule) -> dict[str, Json]:
    """The memory of an episode as `chain_of_memory/<id>.json` has it. Raises DatasetError if some is missing, and as
    `inputs_of`.
    """
    steps = memory_of(found, file, inputs_of(found))
    refuse_lacking(found.episode.episode_id, steps)
    results = [step.words(MemoryKind.RESULT) for step in steps]
    cores = [step.words(MemoryKind.CORE) for step in steps]
    apps = [step.app for step in steps]
    texts = [text for step in steps for text in step.kept.values()]
    calls = [text.suggestion.call for text in texts if isinstance(text.suggestion, Remembered)]
    return {
        "episode_id": found.episode.episode_id,
        "rule": rule,
        "short_term": SHORT_TERM,
        "prompts": list[Json](sorted({call.prompt for call in calls})),
        "models": list[Json](sorted({call.model_answered for call in calls})),
        "people": list[Json](sorted({text.source.by for text in texts if isinstance(text.source, TextDecision)})),
        "steps": [
            {
                "step": number,
                "action_result": results[number],
                "screen_info": step.words(MemoryKind.SCREEN),
                "long_term": {"is_stored": bool(cores[number]), "core": cores[number], "app": step.app},
                "short_term_memory": list[Json](short_term(results[: number + 1])),
                "long_term_memory": [
                    {"app": memory.app, "core": memory.core, "step": memory.step}
                    for memory in long_term(cores[: number + 1], apps[: number + 1], rule)
                ],
            }
            for number, step in enumerate(steps)
        ],
    }
