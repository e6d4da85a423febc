"""The texts, boxes, memory and alternatives of an episode's steps: each suggestion, decision and fact as an entry.

Stored in ``semantics/<id>.json``, which only grows. The annotation file is never touched by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, model_validator

from odyssey_recorder.annotation.text_kinds import BoxSource, MemoryKind, TextKind
from odyssey_recorder.dataset.entry_file import EntryFile, Form, canonical, with_id
from odyssey_recorder.dataset.entry_store import EntryStore
from odyssey_recorder.dataset.layout import SEMANTICS
from odyssey_recorder.model.moment import LARGEST_WHOLE, in_utc

LONGEST_TEXT = 4_000
"""Characters; nobody reads more about one step."""


_Edge = Annotated[int, Field(ge=0, le=65_535)]


class TextState(Enum):
    MISSING = "missing"
    SUGGESTED = "suggested"
    ACCEPTED = "accepted"
    EDITED = "edited"
    STALE = "stale"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")  # keys of other programs survive a round trip


class ShownImage(_Record):
    """What a model was shown of a screenshot; `mark` is left, top, right, bottom in its pixels, None without one."""

    png_sha256: str
    recipe: str
    mark: tuple[int, int, int, int] | None = None


class RecordedCall(_Record):
    """The request whose answer a text is; fields as of `ModelCall`, and what was shown.

    `effort` is the reasoning effort that was asked for, empty if none was.
    """

    prompt: str
    model_asked: str
    model_answered: str
    host: str
    at: Annotated[datetime, AfterValidator(in_utc)]
    tokens_in: int
    tokens_out: int
    cost: float | None = None
    key: str = ""
    effort: str = ""
    images: tuple[ShownImage, ...] = ()


class StepEntry(_Record):
    """`id` is 32 hexadecimal digits, `at` is UTC. `step_key` identifies the step even if its number changes."""

    id: str = Field(pattern=r"^[0-9a-f]{32}\z")
    at: Annotated[datetime, AfterValidator(in_utc)]
    step_key: str = Field(pattern=r"^[0-9a-f]{16}\z")


class FoundBox(StepEntry):
    """The box of the pressed element as `source` found it.

    `px` is left, top, right, bottom in pixels of the screenshot; None if the source looked and found none. `models` are
    the SHA-256 of SAM2's files, and `score` is what it says of its mask.
    """

    kind: Literal["box"] = "box"
    source: Literal[BoxSource.HIERARCHY, BoxSource.SAM2]
    px: tuple[_Edge, _Edge, _Edge, _Edge] | None
    score: float | None = Field(default=None, allow_inf_nan=False)
    models: tuple[str, ...] = ()


class Suggestion(StepEntry):
    """A text by a model (`call`), or out of a released dataset (`origin`), whose models are not known.

    `inputs_sha` is a hash of what the text depends on: `inputs.py`.
    """

    kind: Literal["suggestion"] = "suggestion"
    field: TextKind
    words: str = Field(max_length=LONGEST_TEXT)
    inputs_sha: str
    origin: Literal["model", "released"]
    call: RecordedCall | None = None
    candidate: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _names_its_author(self) -> "Suggestion":
        if self.origin == "model" and self.call is None:
            raise ValueError("a model's text needs the call that it answered")
        return self

    @property
    def author(self) -> str:
        return self.call.model_answered if self.call is not None else "released"


class TextDecision(StepEntry):
    """A person's decision on a text or a memory. `suggestion` is the id of the one decided on, empty for a text that a
    person wrote anew.

    `seconds` is how long the text was looked at, 0 if unmeasured; `blind` whether the person wrote before seeing the
    suggestion; `bulk` whether it was accepted together with others. A withdrawal undoes the decision before it.
    """

    kind: Literal["decision"] = "decision"
    field: TextKind | MemoryKind
    words: str = Field(max_length=LONGEST_TEXT)
    inputs_sha: str
    by: str = Field(pattern=r"\S")
    decision: Literal["accept", "edit", "reject", "withdraw"]
    suggestion: str = ""
    seconds: float = Field(default=0.0, ge=0, le=LARGEST_WHOLE)
    blind: bool = False
    bulk: bool = False
    reason: str = ""

    @property
    def author(self) -> str:
        return self.by


class Planted(_Record):
    """That a person was shown the text of another step, `of`, as a suggestion, and whether they noticed.

    It has no words, so that a wrong text can never become that of the step.
    """

    kind: Literal["planted"] = "planted"
    id: str = Field(pattern=r"^[0-9a-f]{32}\z")
    at: Annotated[datetime, AfterValidator(in_utc)]
    step_key: str = Field(pattern=r"^[0-9a-f]{16}\z")
    field: TextKind
    of: str = Field(pattern=r"^[0-9a-f]{16}\z")
    by: str = Field(pattern=r"\S")
    is_caught: bool
    seconds: float = Field(default=0.0, ge=0, le=LARGEST_WHOLE)


Score = Annotated[int, Field(ge=1, le=5)]
Scores = tuple[tuple[Score, Score, Score], ...]


class Remembered(StepEntry):
    """What a model wrote for the memory of an episode; the words of a core are empty if nothing is needed later.

    `candidate` counts the answers that were asked for, from 0. If there was a choice, `judge` is the call that made it,
    and `scores` are its marks for each candidate by the three standards of the kind.
    """

    kind: Literal["memory"] = "memory"
    field: MemoryKind
    words: str = Field(max_length=LONGEST_TEXT)
    inputs_sha: str
    call: RecordedCall
    candidate: int = Field(default=0, ge=0)
    judge: RecordedCall | None = None
    scores: Scores = ()

    @property
    def author(self) -> str:
        return self.call.model_answered


Offer = Suggestion | Remembered
"""What a person can decide on."""


class Named(StepEntry):
    """The action that another model reads out of a text, as the official evaluation spells it; empty for none.

    `words` and `inputs_sha` are of the text; `is_right`: there it counts as the recorded one.
    """

    kind: Literal["named"] = "named"
    field: TextKind
    words: str = Field(max_length=LONGEST_TEXT)
    inputs_sha: str
    action: str = Field(max_length=LONGEST_TEXT)
    is_right: bool
    call: RecordedCall

    @property
    def place(self) -> tuple[str, TextKind, str, str]:
        """Names the text; no longer that of the step once this has changed."""
        return self.step_key, self.field, self.words, self.inputs_sha


class Alternative(StepEntry):
    """Another action that a person accepts at the step, as in an annotation file; or, with `withdraws`, no longer.

    `instruction_sha` is of the instruction that it carries out: it counts for no other.
    """

    kind: Literal["alternative"] = "alternative"
    by: str = Field(pattern=r"\S")
    action: dict[str, JsonValue]
    instruction_sha: str
    why: str = ""
    withdraws: str = Field(default="", exclude_if=lambda withdraws: not withdraws)


Entry = Annotated[
    Suggestion | TextDecision | FoundBox | Planted | Remembered | Named | Alternative, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class SemanticsFile(EntryFile[Entry]):
    pass


SEMANTICS_FORM: Form[SemanticsFile] = Form("texts", SemanticsFile, TypeAdapter(Entry), "step_key", with_id)


class SemanticsStore(EntryStore[SemanticsFile]):
    def __init__(self, root: Path) -> None:
        super().__init__(root, SEMANTICS, SEMANTICS_FORM)

    def add(self, episode_id: str, entries: Sequence[Entry]) -> None:
        """Add the entries whose ids are not there yet. Raises as `append`."""
        known = {entry.id for entry in self.read(episode_id).entries}
        if new := [entry for entry in entries if entry.id not in known]:
            self.append(episode_id, *new)


def suggestion_id(step_key: str, field: TextKind | MemoryKind, words: str, of: str) -> str:
    """The same for the same text of the same answer (`of`), so that nothing is suggested twice."""
    return sha256(canonical([step_key, field.value, words, of]).encode()).hexdigest()[:32]


# What is said of a step.


@dataclass(frozen=True, slots=True)
class StepText:
    """The text of one kind that counts. `source` is its entry: None for a missing or a fixed text.

    `suggestions` are all that nobody rejected, newest first; `rejected` is how many were.
    """

    state: TextState
    words: str = ""
    source: Offer | TextDecision | None = None
    suggestions: tuple[Offer, ...] = ()
    rejected: int = 0

    @property
    def is_open(self) -> bool:
        """Whether a model has to write it."""
        return self.state in (TextState.MISSING, TextState.STALE)

    @property
    def suggestion(self) -> Offer | None:
        """The one that counts, or that the decision is on."""
        if not isinstance(self.source, TextDecision):
            return self.source
        return next((suggestion for suggestion in self.suggestions if suggestion.id == self.source.suggestion), None)

    def exported(self, texts: Literal["accepted", "all"]) -> str | None:
        """None if an export of these texts has none."""
        allowed = (TextState.ACCEPTED, TextState.EDITED) + ((TextState.SUGGESTED,) if texts == "all" else ())
        return self.words if self.state in allowed and self.words.strip() else None


def by_text(file: SemanticsFile) -> Mapping[tuple[str, TextKind | MemoryKind], Sequence[Offer | TextDecision]]:
    """The entries on texts and memory, by the key of their step and their kind."""
    found: dict[tuple[str, TextKind | MemoryKind], list[Offer | TextDecision]] = {}
    for entry in file.entries:
        if isinstance(entry, Offer | TextDecision):
            found.setdefault((entry.step_key, entry.field), []).append(entry)
    return found


def step_text(entries: Sequence[Offer | TextDecision], valid: frozenset[str]) -> StepText:
    """What counts of the `entries` on one text, oldest first; `valid` are the inputs for which a text is not stale.

    A person's newest decision counts before any suggestion, unless it is stale and something newer is not. Among
    suggestions the newest that is not stale counts.
    """
    gone = {decision.suggestion for decision in _last_decisions(entries) if decision.decision == "reject"}
    every = [entry for entry in reversed(entries) if not isinstance(entry, TextDecision)]
    offered = tuple(suggestion for suggestion in every if suggestion.id not in gone)
    rejected = len(every) - len(offered)
    decided = _standing(entries)
    fresh = next((suggestion for suggestion in offered if suggestion.inputs_sha in valid), None)
    if decided is not None and decided.inputs_sha in valid:
        state = TextState.EDITED if decided.decision == "edit" else TextState.ACCEPTED
        return StepText(state, decided.words, decided, offered, rejected)
    if fresh is not None:
        return StepText(TextState.SUGGESTED, fresh.words, fresh, offered, rejected)
    stale = decided or next(iter(offered), None)
    if stale is None:
        return StepText(TextState.MISSING, rejected=rejected)
    return StepText(TextState.STALE, stale.words, stale, offered, rejected)


def last_edit(entries: Sequence[Offer | TextDecision]) -> str | None:
    """What a person wrote, stale or not; None if the last decision is another."""
    last = _standing(entries)
    return last.words if last is not None and last.decision == "edit" else None


def _standing(entries: Sequence[Offer | TextDecision]) -> TextDecision | None:
    """The newest decision that gives a text."""
    return next((decision for decision in reversed(_last_decisions(entries)) if decision.decision != "reject"), None)


def _last_decisions(entries: Sequence[Offer | TextDecision]) -> list[TextDecision]:
    """The last decision on each suggestion, and on texts that people wrote from scratch; oldest first."""
    last: dict[str, TextDecision] = {}
    for entry in entries:
        if isinstance(entry, TextDecision):
            last.pop(entry.suggestion, None)
            if entry.decision != "withdraw":
                last[entry.suggestion] = entry
    return [*last.values()]
