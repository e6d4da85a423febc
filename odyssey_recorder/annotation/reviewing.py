"""Reviewing of texts: what a person is shown, what is hidden or planted, and what is stored."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar
from uuid import uuid4

from odyssey_recorder.annotation.checking import CheckedText, checked_texts
from odyssey_recorder.annotation.findings import Support, TextFinding, verdict_on
from odyssey_recorder.annotation.inputs import EpisodeTexts, texts_of
from odyssey_recorder.annotation.memory import StepMemory, memory_of
from odyssey_recorder.annotation.near_duplicates import SeenTexts
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import (
    Offer,
    Planted,
    SemanticsFile,
    SemanticsStore,
    StepText,
    Suggestion,
    TextDecision,
    TextState,
    by_text,
)
from odyssey_recorder.annotation.text_kinds import MemoryKind, TextKind
from odyssey_recorder.annotation.trust import Seen, TrustFigures, agreement, trust_figures
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.dataset.file_stamps import stamp
from odyssey_recorder.dataset.layout import annotation_path, episode_ids, provenance_path, semantics_path
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError, OdysseyError

_PLANTED_KINDS = (TextKind.INSTRUCTION, TextKind.INTENTION)
_SAME = 0.8
"""Agreement from which an edited text still says what the planted one said."""
IDLE_S = 30.0
"""Of a longer pause between two inputs the rest is idle time."""

CONTRADICTED = "contradicted"

_Key = tuple[str, TextKind | MemoryKind]
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the instructions that are written blind first; of the instructions and intentions that are replaced."""

    blind: float = 0.10
    planted: float = 0.02


@dataclass(frozen=True, slots=True)
class Plant:
    """The text of another step, shown in place of the suggestion; `step` counts from 0."""

    words: str
    step: int
    step_key: str


@dataclass(frozen=True, slots=True)
class ShownText:
    """One text or memory as a person is shown it; `step` counts from 0.

    A text to be written blind has no words yet. Another is hidden while the instruction of its step has to be.
    """

    step: int
    kind: TextKind | MemoryKind
    step_key: str
    inputs_sha: str
    text: StepText
    findings: tuple[TextFinding, ...] = ()
    is_blind: bool = False
    is_hidden: bool = False
    plant: Plant | None = None

    @property
    def words(self) -> str:
        if self.is_blind or self.is_hidden:
            return ""
        return self.text.words if self.plant is None else self.plant.words

    @property
    def verdict(self) -> Support:
        return Support.COULD_NOT_LOOK if self.plant is not None else verdict_on(self.findings)

    @property
    def state(self) -> str:
        is_contradicted = self.text.state is TextState.SUGGESTED and self.verdict is Support.CONTRADICTS
        return CONTRADICTED if is_contradicted else self.text.state.value

    @property
    def is_fixed(self) -> bool:
        """Whether the format alone gives it."""
        return self.text.state is TextState.ACCEPTED and self.text.source is None

    @property
    def is_open(self) -> bool:
        """Whether it waits for a decision."""
        return self.text.state in (TextState.SUGGESTED, TextState.STALE, TextState.MISSING) and not self.is_hidden

    @property
    def suggestion(self) -> Offer | None:
        """The one that is decided on."""
        return self.text.suggestion

    @property
    def may_be_empty(self) -> bool:
        """A core text is empty if nothing of the screen is needed later."""
        return self.kind is MemoryKind.CORE and self.text.state is not TextState.MISSING and not self.is_hidden


@dataclass(frozen=True, slots=True)
class OpenedTexts:
    """`steps` has the four texts of each step in the order of `TextKind`, and its memory if the episode has any."""

    found: OpenedEpisode
    file: SemanticsFile
    steps: Sequence[Sequence[ShownText]]

    @property
    def all(self) -> list[ShownText]:
        return [text for step in self.steps for text in step]


@dataclass(frozen=True, slots=True)
class AnnotatedEpisode:
    """`states` counts the texts; `problem` says why they cannot be read."""

    episode_id: str
    instruction: str = ""
    states: Mapping[str, int] | None = None
    problem: str = ""


def drawn(by: str, step_key: str, kind: TextKind | MemoryKind) -> float:
    """A number in [0, 1) that is always the same for this person and text."""
    return int(sha256(f"{by.casefold()}:{step_key}:{kind.value}".encode()).hexdigest()[:13], 16) / 16**13


class TextReviewing:
    """The texts of one dataset, for one person. Calls may block, and raise DatasetError or ReviewError."""

    def __init__(
        self, root: Path, evidence: Callable[[Path], EpisodeEvidence], who: Callable[[], str], shares: Shares = Shares()
    ) -> None:
        self.root = root
        self._evidence = evidence
        self.who = who
        self._shares = shares
        self._store = SemanticsStore(root)
        self._last: tuple[OpenedEpisode, EpisodeEvidence] | None = None
        self._rows: dict[str, tuple[str, AnnotatedEpisode]] = {}
        self._seen: dict[str, tuple[str, Seen]] = {}

    def rows(self) -> Iterator[list[AnnotatedEpisode]]:
        """Those of the last call, then each that has to be checked again because its files have changed.

        An episode that cannot be read has its problem.
        """
        ids = sorted(episode_ids(self.root))
        yield [self._rows[episode_id][1] for episode_id in ids if episode_id in self._rows]
        for episode_id in ids:
            before = self._rows.get(episode_id)
            paths = (annotation_path(episode_id), provenance_path(episode_id), semantics_path(episode_id))
            mark = "|".join((self.who(), *(stamp(self.root / path) for path in paths)))
            if (row := _kept(self._rows, episode_id, mark, self._row)) is not (before and before[1]):
                yield [row]

    def _row(self, episode_id: str) -> AnnotatedEpisode:
        try:
            return self.row(self.open(episode_id))
        except OdysseyError as error:
            return AnnotatedEpisode(episode_id, problem=str(error))

    def row(self, opened: OpenedTexts) -> AnnotatedEpisode:
        episode = opened.found.episode
        states = Counter(text.state for text in opened.all if not text.is_fixed)
        return AnnotatedEpisode(episode.episode_id, episode.task.instruction, states)

    def open(self, episode_id: str) -> OpenedTexts:
        file = self._store.read_complete(episode_id)
        found = open_dataset_episode(self.root, episode_id)
        texts = texts_of(found, file)
        checked = self._checked(found) if file.entries else []
        findings = {(text.step, text.kind): tuple(text.findings) for text in checked}
        has_memory = any(isinstance(kind, MemoryKind) for _, kind in by_text(file))
        memory = memory_of(found, file, texts.inputs) if has_memory else ()
        return OpenedTexts(found, file, _Shower(self.who(), self._shares, texts, memory, file, findings).steps())

    def save(self, episode_id: str, *entries: TextDecision | Planted) -> OpenedTexts:
        self._store.append(episode_id, *entries)
        return self.open(episode_id)

    def accept_supported(self, episode_id: str) -> tuple[int, int]:
        """Accept all that `supported` returns; returns how many, and how many texts still wait for a decision."""
        opened = self.open(episode_id)
        if entries := supported(opened, self.who()):
            opened = self.save(episode_id, *entries)
        return len(entries), sum(text.is_open for text in opened.all)

    def undo(self, episode_id: str, entries: Sequence[TextDecision]) -> OpenedTexts:
        """Take decisions back: the one before each is made again, or it is withdrawn."""
        file = self._store.read(episode_id)
        return self.save(episode_id, *(_undone(file, entry) for entry in entries))

    def figures(self) -> list[TrustFigures]:
        """Files with unreadable places count with what is readable."""
        ids = self._store.ids()
        marks = [stamp(self.root / semantics_path(episode_id)) for episode_id in ids]
        return trust_figures([_kept(self._seen, *both, self._read_seen) for both in zip(ids, marks, strict=True)])

    def _read_seen(self, episode_id: str) -> Seen:
        return Seen.of(self._store.read(episode_id))

    def _checked(self, found: OpenedEpisode) -> list[CheckedText]:
        episode_id = found.episode.episode_id
        if self._last is None or self._last[0] != found:
            self._last = found, self._evidence(self.root / annotation_path(episode_id))
        return checked_texts(self.root, episode_id, self._last[1], SeenTexts())


def _kept(kept: dict[str, tuple[str, _Made]], key: str, mark: str, make: Callable[[str], _Made]) -> _Made:
    if key not in kept or kept[key][0] != mark:
        kept[key] = mark, make(key)
    return kept[key][1]


@dataclass(frozen=True, slots=True)
class _Shower:
    """Decides what person `by` is shown of the texts of an episode."""

    by: str
    shares: Shares
    texts: EpisodeTexts
    memory: Sequence[StepMemory]
    file: SemanticsFile
    findings: Mapping[tuple[int, TextKind | MemoryKind], tuple[TextFinding, ...]]

    def steps(self) -> list[list[ShownText]]:
        decided = {(entry.step_key, entry.field) for entry in self.file.entries if isinstance(entry, TextDecision)}
        tested = {
            (entry.step_key, entry.field)
            for entry in self.file.entries
            if isinstance(entry, Planted) and entry.by == self.by
        }
        steps = [list(self._step(number, decided, tested)) for number in range(len(self.texts.steps))]
        for number, memory in enumerate(self.memory):
            steps[number] += self._remembered(number, memory, is_blind=any(step.is_blind for step in steps[number]))
        return steps

    def _remembered(self, number: int, memory: StepMemory, *, is_blind: bool) -> Iterator[ShownText]:
        key = self.texts.inputs[number].step_key
        for kind, text in memory.kept.items():
            is_hidden, said = is_blind and text.state is TextState.SUGGESTED, self.findings.get((number, kind), ())
            yield ShownText(number, kind, key, memory.inputs.get(kind, ""), text, said, is_hidden=is_hidden)

    def _step(self, number: int, decided: Set[_Key], tested: Set[_Key]) -> Iterator[ShownText]:
        inputs, step = self.texts.inputs[number], self.texts.steps[number]
        is_blind = (inputs.step_key, TextKind.INSTRUCTION) not in decided and self._is_blind(inputs.step_key, step)
        for kind, text in step.items():
            said = self.findings.get((number, kind), ())
            may_plant = _is_plain(text, said) and not is_blind and (inputs.step_key, kind) not in decided | tested
            is_asked = is_blind and kind is TextKind.INSTRUCTION
            yield ShownText(
                number,
                kind,
                inputs.step_key,
                inputs.shown(kind, self.texts.edited[:number], with_box=True),
                text,
                said,
                is_blind=is_asked,
                is_hidden=is_blind and not is_asked and text.state is TextState.SUGGESTED,
                plant=self._plant(number, kind) if may_plant else None,
            )

    def _is_blind(self, step_key: str, step: Mapping[TextKind, StepText]) -> bool:
        is_suggested = step[TextKind.INSTRUCTION].state is TextState.SUGGESTED
        return is_suggested and drawn(self.by, step_key, TextKind.INSTRUCTION) < self.shares.blind

    def _plant(self, number: int, kind: TextKind) -> Plant | None:
        """The text of the nearest step with another action and other words."""
        own = self.texts.inputs[number]
        share = drawn(self.by, own.step_key, kind) - (self.shares.blind if kind is TextKind.INSTRUCTION else 0)
        if kind not in _PLANTED_KINDS or not 0 <= share < self.shares.planted:
            return None
        words = self.texts.steps[number][kind].words
        for other in sorted(range(len(self.texts.steps)), key=lambda step: abs(step - number)):
            said, inputs = self.texts.steps[other][kind], self.texts.inputs[other]
            differs = inputs.action != own.action and agreement(said.words, words) < _SAME
            if differs and isinstance(said.source, Suggestion):
                return Plant(said.words, other, inputs.step_key)
        return None


def _is_plain(text: StepText, findings: Sequence[TextFinding]) -> bool:
    return text.state is TextState.SUGGESTED and verdict_on(findings) is not Support.CONTRADICTS


# What is kept.


Choice = Literal["accept", "edit", "reject"]


def decided_on(  # noqa: PLR0913 - the decision
    shown: ShownText, by: str, decision: Choice, words: str, seconds: float, *, on: Offer | None = None
) -> TextDecision | Planted:
    """What is kept of a decision on `shown`, or on another suggestion for it. Raises DatasetError if it has no words.

    Line breaks become spaces.
    """
    words, now = " ".join(words.split()), datetime.now(UTC)
    plant, own = shown.plant, on or shown.suggestion
    _require_name(by)
    if plant is not None and isinstance(shown.kind, TextKind):
        is_caught = decision == "reject" or (decision == "edit" and agreement(words, plant.words) < _SAME)
        return Planted(
            id=uuid4().hex, at=now, step_key=shown.step_key, field=shown.kind, of=plant.step_key, by=by,
            is_caught=is_caught, seconds=seconds,
        )  # fmt: skip
    if decision != "reject" and not words and not shown.may_be_empty:
        raise DatasetError("The text is empty. Write it first.")
    return TextDecision(
        id=uuid4().hex, at=now, step_key=shown.step_key, field=shown.kind, words=words, inputs_sha=shown.inputs_sha,
        by=by, decision=decision, suggestion=own.id if own is not None else "", seconds=seconds, blind=shown.is_blind,
    )  # fmt: skip


def supported(opened: OpenedTexts, by: str) -> list[TextDecision]:
    """Accepts all suggestions that the evidence supports; never one that is blind, hidden, planted or contradicted.

    Raises DatasetError without a name.
    """
    _require_name(by)
    return [
        decision.model_copy(update={"bulk": True})
        for text in opened.all
        if text.text.state is TextState.SUGGESTED and text.words and text.verdict is Support.SUPPORTS
        if isinstance(decision := decided_on(text, by, "accept", text.words, 0.0), TextDecision)
    ]


def _require_name(by: str) -> None:
    if not by.strip():
        raise DatasetError("Your name is not set. Enter it in Settings.")


def _undone(file: SemanticsFile, last: TextDecision) -> TextDecision:
    before = None
    for entry in file.entries:
        if entry.id == last.id:
            break
        if isinstance(entry, TextDecision) and _place(entry) == _place(last):
            before = entry
    again = before or last.model_copy(update={"decision": "withdraw"})
    return again.model_copy(update={"id": uuid4().hex, "at": datetime.now(UTC), "seconds": 0.0})


def _place(decision: TextDecision) -> tuple[str, TextKind | MemoryKind, str]:
    return decision.step_key, decision.field, decision.suggestion


class ActiveTime:
    """Seconds spent on a text; of a longer pause only `IDLE_S` count. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self._seconds = 0.0

    def restart(self) -> None:
        self._last, self._seconds = self._clock(), 0.0

    def touch(self) -> float:
        """Note that the person did something; returns the seconds so far."""
        now = self._clock()
        self._seconds += min(now - self._last, IDLE_S)
        self._last = now
        return self._seconds
