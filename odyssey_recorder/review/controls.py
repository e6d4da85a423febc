"""Control episodes: which they are, what is altered in them for reviewers, and how these judged them.

All of it is in one file of the dataset, encoded, so that nobody who looks through the reviews learns it by accident.
The episodes' own files never change: a defect exists only in what a reviewer is shown.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, TypeAdapter

from odyssey_recorder.dataset.amending import amended
from odyssey_recorder.dataset.amendment import DropSteps
from odyssey_recorder.dataset.entry_file import EntryFile, Form
from odyssey_recorder.dataset.entry_store import EntryStore
from odyssey_recorder.dataset.episode_row import EpisodeRow
from odyssey_recorder.dataset.file_stamps import stamp
from odyssey_recorder.dataset.layout import CONTROLS, REVIEWS
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.review.review import DEFECTS, Control, Defect, ReplayEvidence, ReviewFile, Verdict
from odyssey_recorder.review.status import ReviewStage, ReviewStatus, comparable_name, same_person
from odyssey_recorder.review.views import OpenedReview

_NAME = "controls"


def _decoded(value: object) -> Any:
    return json.loads(b64decode(value, validate=True)) if isinstance(value, str) else value


def _encoded(entry: BaseModel) -> str:
    return b64encode(entry.model_dump_json().encode()).decode()


class _Sealed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    at: datetime
    sealed: Annotated[
        Annotated[Control | Verdict, Field(discriminator="kind")], BeforeValidator(_decoded), PlainSerializer(_encoded)
    ]


@dataclass(frozen=True, slots=True)
class _ControlFile(EntryFile[_Sealed]):
    pass


_FORM: Form[_ControlFile] = Form("control episodes", _ControlFile, TypeAdapter(_Sealed))


@dataclass(frozen=True, slots=True)
class Controls:
    """`present` are those in force, by episode; `verdicts`, by episode, are those that measured reviewers."""

    present: dict[str, Control] = field(default_factory=dict)
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    _all: dict[str, Control] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Control | Verdict]) -> "Controls":
        known = cls()
        for entry in entries:
            if isinstance(entry, Verdict):
                if entry.control in known._all:
                    known.verdicts.setdefault(known._all[entry.control].episode_id, []).append(entry)
            elif entry.withdraws:
                known.present.pop(entry.episode_id, None)
            else:
                known._all[entry.id] = known.present[entry.episode_id] = entry
        return known

    def for_reviewer(self, file: ReviewFile, status: ReviewStatus, *, recorder: str, reviewer: str) -> Control | None:
        """The control that the episode is for `reviewer`; None if they have a part in it, or its verdict is unknown."""
        control = self.present.get(file.episode_id)
        if control is None or status.stage not in (ReviewStage.ACCEPTED, ReviewStage.SENT_BACK):
            return None
        seen = self.verdicts.get(file.episode_id, ())
        persons = [entry.by for entry in (control, *seen, *file.entries) if not isinstance(entry, ReplayEvidence)]
        knows = not comparable_name(reviewer) or any(same_person(one, reviewer) for one in (recorder, *persons))
        return None if knows else control

    def measured(self, episode: EpisodeRow, stage: ReviewStage) -> Iterable[tuple[Verdict, bool]]:
        """The verdicts on the present files, each with whether what the reviewer was shown is good."""
        for verdict in self.verdicts.get(episode.episode_id, ()):
            if verdict.revision == episode.revision:
                yield verdict, stage is ReviewStage.ACCEPTED
            elif verdict.revision == revision_shown(self._all[verdict.control], episode.revision):
                yield verdict, False


class ControlStore(EntryStore[_ControlFile]):
    """Thread-safe, calls may block. Raises DatasetError, ReviewError."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, REVIEWS, _FORM)
        self._read = "", Controls()

    def known(self) -> Controls:
        now = stamp(self._folder / CONTROLS)
        if self._read[0] != now:
            self._read = now, Controls.of(entry.sealed for entry in self.read_complete(_NAME).entries)
        return self._read[1]

    def add(self, *entries: Control | Verdict) -> None:
        self.append(_NAME, *(_Sealed(id=entry.id, at=entry.at, sealed=entry) for entry in entries))

    def add_from(self, other: "ControlStore") -> None:
        if (file := other.read_complete(_NAME)).entries:
            self.unite(file)

    def _path(self, episode_id: str) -> Path:
        return self._folder / CONTROLS


def revision_shown(control: Control, revision: str) -> str:
    """What a verdict on the shown episode refers to; `revision` is that of the episode's own files."""
    return f"{revision}:{control.id}" if control.defect else revision


def steps_to_alter(steps: int, defect: Defect | None) -> range:
    """Those in which the defect can be seen; all but the first and the last, which are looked at most."""
    return range(1, steps - 1) if defect in (Defect.SCREENSHOT, Defect.STEP) else range(1)


def altered_row(control: Control, row: EpisodeRow) -> EpisodeRow:
    match control.defect:
        case Defect.STEP:
            return replace(row, steps=row.steps - 1)
        case Defect.INSTRUCTION:
            return replace(row, instruction=control.words)
        case _:
            return row


def as_control(review: OpenedReview, control: Control, reviewer: str) -> OpenedReview:
    """As if nobody had judged the episode, and with the control's defect. Raises ReviewError."""
    opened = review.opened
    shown = numbers = tuple(range(len(opened.episode.steps)))
    match control.defect:
        case Defect.SCREENSHOT:
            shown = tuple(number - (number == control.step) for number in numbers)
        case Defect.STEP:
            drop = DropSteps(first=control.step, last=control.step)
            after = amended(opened.episode, opened.provenance, drop)
            opened = replace(opened, episode=after.episode, provenance=after.provenance)
            shown = numbers = after.kept
        case Defect.INSTRUCTION:
            task = replace(opened.episode.task, instruction=control.words)
            opened = replace(opened, episode=replace(opened.episode, task=task))
        case None:
            pass
    places = {number: place for place, number in enumerate(numbers)} | {None: None}
    findings = (replace(one, step=places[one.step]) for one in review.report.findings if one.step in places)
    return replace(
        review,
        opened=replace(opened, files=replace(opened.files, shown=shown)),
        report=replace(review.report, findings=tuple(findings)),
        entries=tuple(entry for entry in review.entries if same_person(entry.by, reviewer)),
        revision=revision_shown(control, review.revision),
        texts=tuple(review.texts[number] for number in numbers) if len(review.texts) > len(numbers) else review.texts,
    )


def defect_text(control: Control) -> str:
    """Empty without a defect."""
    if control.defect is None:
        return ""
    place = "" if control.defect is Defect.INSTRUCTION else f", step {step_number(control.step)}"
    return f"Defect{place}: {DEFECTS[control.defect].lower()}."
