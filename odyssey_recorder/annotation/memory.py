"""The memory of an episode (Chain-of-Memory, arXiv 2506.18158): what its steps keep, and what a later step recalls.

Short-term memory is the last action results, four if nothing else is said. Long-term memory is a list of core texts
with their apps, which depends on a rule: `paper` is the paper's, where a core replaces the last entry if the app in
front is that of the step before, so that an entry of another app can be lost; `kept` replaces the last entry only if it
is of the same app. Neither is stored: both follow from the entries.
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
from odyssey_recorder.checking.one_episode.apps import package_of
from odyssey_recorder.dataset.entry_file import canonical
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import describe
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import step_number

Rule = Literal["paper", "kept"]
Part = Literal["stm", "ltm", "screen"]

SHORT_TERM = 4
"""Action results in the short-term memory, as in the paper."""


@dataclass(frozen=True, slots=True)
class Recall:
    """What of the memory is told, in this order: the last `length` action results (stm), the long-term memory by `rule`
    (ltm), and what on the step's own screen matters for the task (screen).
    """

    rule: Rule = "paper"
    parts: tuple[Part, ...] = ("stm", "ltm")
    length: int = SHORT_TERM


@dataclass(frozen=True, slots=True)
class Memorized:
    """What is in memory of one step; what is not known is empty. `app` is the package in front, or its name."""

    result: str = ""
    screen: str = ""
    core: str = ""
    app: str | None = None


@dataclass(frozen=True, slots=True)
class StepMemory:
    """`app` is the package in front as the recording has it, otherwise that of the app which a model names, or its
    name; None if neither is known.
    """

    inputs: Mapping[MemoryKind, str]
    kept: Mapping[MemoryKind, StepText]
    app: str | None

    def words(self, kind: MemoryKind) -> str:
        text = self.kept[kind]
        return "" if text.is_open else text.words

    @property
    def is_open(self) -> bool:
        """Whether something is missing or outdated; the app may be missing."""
        return any(text.is_open for kind, text in self.kept.items() if kind is not MemoryKind.APP)

    @property
    def memorized(self) -> Memorized:
        result, screen, core = map(self.words, (MemoryKind.RESULT, MemoryKind.SCREEN, MemoryKind.CORE))
        return Memorized(result, screen, core, self.app)


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
        app = "" if record is None else record.package
        if app:
            del hashes[MemoryKind.APP], kept[MemoryKind.APP]
        elif not kept[MemoryKind.APP].is_open:
            app = package_of(kept[MemoryKind.APP].words)
        steps.append(StepMemory(hashes, kept, app or None))
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
    yield MemoryKind.APP, _hash([step_inputs.png_sha256])


def _hash(whole: list[object]) -> str:
    return sha256(canonical(whole).encode()).hexdigest()


def short_term(results: Sequence[str], length: int = SHORT_TERM) -> list[str]:
    """What the last of these steps recalls; `results` are the action results of all steps so far, first empty."""
    return [result for result in results if result][-length:]


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


def told(steps: Sequence[Memorized], recall: Recall) -> str:
    """In words what is known before the action at the last of these steps, as in Algorithm 1: the results of the
    actions so far, the newest one seen on the step's own screen, and the long-term memory with that screen's core.
    """
    kept = long_term([step.core for step in steps], [step.app for step in steps], recall.rule)
    entries = " ".join(f"{memory.app or 'an app'}: {memory.core}" for memory in kept)
    words: dict[Part, str] = {
        "stm": " ".join(short_term([step.result for step in steps], recall.length)),
        "ltm": f"Remembered: {entries}" if entries else "",
        "screen": f"On this screen: {steps[-1].screen}" if steps[-1].screen else "",
    }
    return " ".join(filter(None, (words[part] for part in recall.parts)))


def told_at_each(steps: Sequence[Memorized], recall: Recall) -> list[str]:
    return [told(steps[: number + 1], recall) for number in range(len(steps))]


def recalled(episode_id: str, steps: Sequence[StepMemory], recall: Recall) -> list[str]:
    """What `told` tells at each step. Raises DatasetError if some is missing."""
    refuse_lacking(episode_id, steps)
    return told_at_each([step.memorized for step in steps], recall)


def refuse_lacking(episode_id: str, steps: Sequence[StepMemory]) -> None:
    """Raises DatasetError if some memory is missing or outdated."""
    lacking = [number for number, step in enumerate(steps) if step.is_open]
    if lacking:
        which = f"step {step_number(lacking[0])}{' and others have' if lacking[1:] else ' has'}"
        raise DatasetError(f"{episode_id}: {which} no memory, or an outdated one. Run `annotate run --memory`.")


def memory_json(found: OpenedEpisode, file: SemanticsFile, rule: Rule) -> dict[str, Json]:
    """The memory of an episode as `chain_of_memory/<id>.json` has it. Raises DatasetError if some is missing, and as
    `inputs_of`.
    """
    steps = memory_of(found, file, inputs_of(found))
    refuse_lacking(found.episode.episode_id, steps)
    memorized = [step.memorized for step in steps]
    results = [step.result for step in memorized]
    cores, apps = [step.core for step in memorized], [step.app for step in memorized]
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
                "screen_info": step.screen,
                "long_term": {"is_stored": bool(cores[number]), "core": cores[number], "app": step.app},
                "short_term_memory": list[Json](short_term(results[: number + 1])),
                "long_term_memory": [
                    {"app": memory.app, "core": memory.core, "step": memory.step}
                    for memory in long_term(cores[: number + 1], apps[: number + 1], rule)
                ],
            }
            for number, step in enumerate(memorized)
        ],
    }
