"""How an episode stands among its reviewers: who may judge it next, whether that is blind, and what came of it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.quality.review import Verdict


class Stage(Enum):
    """How far the review of an episode is."""

    UNREVIEWED = "Unreviewed"
    SECOND = "Second review"
    DISPUTED = "Disputed"
    ACCEPTED = "Accepted"
    SENT_BACK = "Sent back"
    REJECTED = "Rejected"


class Turn(Enum):
    """As which reviewer somebody would judge an episode; a second sees nothing of the first, a third sees both."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


class WhyTwice(Enum):
    """Why an episode is judged by two."""

    SAMPLE = "in the sample"
    WARNINGS = "has warnings"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the review of an episode is; `verdicts` are those that count, in the order they were given.

    `changed` is True where the episode's files were changed since by no fix, so that earlier verdicts do not count.
    """

    stage: Stage
    verdicts: tuple[Verdict, ...] = ()
    twice: WhyTwice | None = None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """How a dataset is reviewed: the share of each stratum that is judged twice, and the seed that chooses them."""

    seed: int = 0
    second_share: float = 0.1


@dataclass(frozen=True, slots=True)
class Stratum:
    """What a sample is spread over."""

    category: str
    device: str
    annotator: str


def sample(episodes: Mapping[str, Stratum], policy: Policy) -> frozenset[str]:
    """The ids of the episodes that are judged twice: of each stratum the share of the policy, rounded up."""
    raise NotImplementedError


def standing(verdicts: Sequence[Verdict], revisions: Iterable[str], twice: WhyTwice | None) -> Standing:
    """How an episode stands; `revisions` are its present one and those that fixes have led from to it."""
    raise NotImplementedError


def turn(now: Standing, *, recorder: str, reviewer: str) -> Turn | str:
    """As what `reviewer` may judge the episode now; otherwise why not, in words for the reviewer."""
    raise NotImplementedError
