"""The entries of a review file: verdicts with the answers to the three questions, and all else that people did."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from odyssey_recorder.dataset.amendment import Amendment
from odyssey_recorder.dataset.entry_file import EntryFile
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.model.moment import LARGEST_WHOLE, in_utc

MOST_STEPS = 1_000_000
"""More than any episode has, and a number that a widget can hold."""

FASTEST_SCREEN_S = 0.5
"""Seconds too few to read a screen: two fixations of the eye, for the action and for what it points at."""


class Rating(Enum):
    PASS = "pass"
    FAIL = "fail"
    UNSURE = "unsure"


class Decision(Enum):
    ACCEPT = "accept"
    FIX_AND_ACCEPT = "fix and accept"
    SEND_BACK = "send back"
    REJECT = "reject"

    @property
    def accepts(self) -> bool:
        return self in (Decision.ACCEPT, Decision.FIX_AND_ACCEPT)


REASONS: dict[Criterion, dict[str, str]] = {
    Criterion.SCREENSHOTS: {
        "missing": "A screenshot is missing or broken",
        "stale": "It shows an earlier screen",
        "loading": "The screen was not ready yet",
        "blank": "It is black or blank",
        "private": "It shows personal data",
        "another": "It shows another screen",
        "other": "Something else",
    },
    Criterion.SEQUENCE: {
        "unfinished": "The instruction is not completed",
        "result": "The result is not what was requested",
        "stray": "Steps do not belong to the task",
        "action": "An action differs from what was done",
        "text": "The text is wrong",
        "gap": "A step is missing",
        "possible": "The task was possible",
        "apps": "Other apps than requested",
        "other": "Something else",
    },
    Criterion.INSTRUCTION: {
        "lost": "A requested detail is missing",
        "added": "Something was added",
        "changed": "Something was changed",
        "unclear": "It is ambiguous",
        "unnatural": "It sounds unnatural",
        "other": "Something else",
    },
}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")  # keys of other programs survive a round trip


class Judgement(_Record):
    """The answer to one question; fail and unsure need a reason code of the criterion, and may name a step."""

    criterion: Criterion
    answer: Rating
    reason: str = ""
    step: int | None = Field(default=None, ge=0, le=MOST_STEPS)
    words: str = ""


class Subject(_Record):
    """So that a report need not find the episode again; empty in a verdict of another tool."""

    recorder: str = ""
    category: str = ""
    device: str = ""
    template: str = ""
    steps: int = Field(default=0, ge=0, le=MOST_STEPS)


class _Entry(_Record):
    """`id` is 32 random hexadecimal digits, `at` is UTC, `by` the name of a person."""

    id: str = Field(pattern=r"^[0-9a-f]{32}\z")
    at: Annotated[datetime, AfterValidator(in_utc)]
    by: str = Field(pattern=r"\S")


class Verdict(_Entry):
    """One reviewer's verdict on an episode.

    `revision` is the SHA-256 of the annotation file that was judged, after the reviewer's own amendments. `findings`
    are the names of those that were shown, `seconds` how long the episode was looked at (0 if unmeasured), `replay` the
    id of a replay that was used as evidence. A verdict with the id of a `control` only measures the reviewer.
    """

    kind: Literal["verdict"] = "verdict"
    decision: Decision
    judgements: tuple[Judgement, Judgement, Judgement]
    note: str = ""
    revision: str
    seconds: float = Field(default=0.0, ge=0, le=LARGEST_WHOLE)
    findings: tuple[str, ...] = ()
    subject: Subject = Subject()
    replay: str = ""
    control: str = Field(default="", exclude_if=lambda control: not control)

    @field_validator("judgements")
    @classmethod
    def _each_question_once(cls, judgements: tuple[Judgement, ...]) -> tuple[Judgement, ...]:
        if len({judgement.criterion for judgement in judgements}) < len(judgements):
            raise ValueError("the same question is answered twice; expected each of the 3 once")
        return judgements

    def answer(self, criterion: Criterion) -> Rating:
        return next(judgement.answer for judgement in self.judgements if judgement.criterion is criterion)


def is_hasty(seconds: float, screens: int) -> bool:
    """Whether the time is too short to read so many screens; False if it was not measured."""
    return 0 < seconds < screens * FASTEST_SCREEN_S


class Fix(_Entry):
    """One amendment of the episode; `before` and `after` are the revisions. `undoes` is the id of the fix taken back:
    then `amendment` is None. `version` is the name of the complete version before. `removed` maps the keys of
    annotations that were no longer valid to the former numbers of their steps.
    """

    kind: Literal["fix"] = "fix"
    amendment: Amendment | None
    why: str
    before: str
    after: str
    undoes: str = ""
    version: str = ""
    removed: dict[str, tuple[Annotated[int, Field(ge=0)], ...]] = Field(
        default_factory=dict, exclude_if=lambda removed: not removed
    )


class ReplayEvidence(_Entry):
    kind: Literal["replay"] = "replay"
    revision: str
    serial: str
    outcome: Literal["match", "drift", "diverged", "failed"]
    steps: tuple[Literal["match", "drift", "diverged"], ...]
    problem: str = ""


class Move(_Entry):
    kind: Literal["move"] = "move"
    to: Literal["trash", "dataset", "annotator"]
    why: str = ""


class Request(_Entry):
    """A request for a second review; or, with `withdraws`, the withdrawal of the request with that id."""

    kind: Literal["request"] = "request"
    why: str = ""
    withdraws: str = ""


class Reopening(_Entry):
    """A verdict taken back; `verdict` is its id. The verdict stays on record and no longer counts."""

    kind: Literal["reopen"] = "reopen"
    verdict: str
    why: str = ""


class Reply(_Entry):
    """What the annotator or a reviewer says about an episode that was sent back."""

    kind: Literal["reply"] = "reply"
    words: str = Field(pattern=r"\S")


class Defect(Enum):
    """What is wrong with an accepted episode as reviewers are shown it."""

    SCREENSHOT = "screenshot"
    STEP = "step"
    INSTRUCTION = "instruction"


DEFECTS: dict[Defect, str] = {
    Defect.SCREENSHOT: "A step shows the screenshot of the step before",
    Defect.STEP: "A step is left out",
    Defect.INSTRUCTION: "The instruction is that of another episode",
}


class Control(_Entry):
    """Makes a finished episode a control; or with `withdraws` ends that.

    The known verdict is its status, or with a `defect` that it is bad: at `step`, or with `words` as its instruction.
    """

    kind: Literal["control"] = "control"
    episode_id: str
    defect: Defect | None = None
    step: int = Field(default=0, ge=0, le=MOST_STEPS)
    words: str = ""
    withdraws: str = ""


Entry = Annotated[Verdict | Fix | ReplayEvidence | Move | Request | Reopening | Reply, Field(discriminator="kind")]


def taken_back(entries: Iterable[Entry]) -> frozenset[str]:
    """The ids of verdicts that were taken back, and of fixes that were undone."""
    return frozenset(
        entry.verdict if isinstance(entry, Reopening) else entry.undoes
        for entry in entries
        if isinstance(entry, Reopening | Fix)
    )


def standing_verdicts(entries: Collection[Entry]) -> tuple[Verdict, ...]:
    gone = taken_back(entries)
    return tuple(entry for entry in entries if isinstance(entry, Verdict) and entry.id not in gone)


@dataclass(frozen=True, slots=True)
class ReviewFile(EntryFile[Entry]):
    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those that were not taken back."""
        return standing_verdicts(self.entries)

    @property
    def reopenings(self) -> tuple[Reopening, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, Reopening))

    @property
    def moves(self) -> tuple[Move, ...]:
        """Those that carried out a decision since the last verdict was taken back."""
        since = max((reopening.at for reopening in self.reopenings), default=None)
        moves = (entry for entry in self.entries if isinstance(entry, Move))
        return tuple(move for move in moves if since is None or move.at > since)

    @property
    def present_verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts since the episode last came back from the trash: it is judged again."""
        back = (entry.at for entry in self.entries if isinstance(entry, Move) and entry.to == "dataset")
        since = max(back, default=None)
        return tuple(verdict for verdict in self.verdicts if since is None or verdict.at > since)

    @property
    def sent_back(self) -> Move | None:
        """The move that sent the episode back, unless the verdict was taken back since."""
        return next((move for move in self.moves if move.to == "annotator"), None)

    @property
    def replies(self) -> tuple[Reply, ...]:
        """What the annotator and reviewers have said since the episode was sent back."""
        since = self.sent_back
        replies = (entry for entry in self.entries if isinstance(entry, Reply))
        return tuple(reply for reply in replies if since is not None and reply.at >= since.at)

    @property
    def thread(self) -> tuple[str, ...]:
        """Why the episode was sent back, and the replies: who, when (local time) and what, a line for each."""
        reasons = [] if self.sent_back is None else [(self.sent_back, self.sent_back.why)]
        said = (*reasons, *((reply, reply.words) for reply in self.replies))
        return tuple(
            f"{entry.by}, {entry.at.astimezone():%Y-%m-%d %H:%M}: {' '.join(words.split())}" for entry, words in said
        )

    @property
    def fixes(self) -> tuple[Fix, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, Fix))

    @property
    def requests(self) -> tuple[Request, ...]:
        """Those that were not withdrawn."""
        requests = [entry for entry in self.entries if isinstance(entry, Request)]
        withdrawn = {request.withdraws for request in requests}
        return tuple(request for request in requests if not request.withdraws and request.id not in withdrawn)
