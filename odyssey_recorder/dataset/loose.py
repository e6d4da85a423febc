"""What can be understood of an episode file that breaks the format, and each place where it does."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import DeviceInfo, Episode, Extra, Json, TaskInfo


class Rule(Enum):
    """What of the format is broken."""

    COUNT = "step_length is not the count of the steps"
    NUMBER = "steps are not numbered 0..n-1"
    SCREENSHOT = "a screenshot has not the name of its step"
    VOCABULARY = "an action or its info is not one of the format's"
    PLACE = "a point is not on the grid, or has not the form of its action"
    ENDING = "the episode does not end with its one COMPLETE or IMPOSSIBLE"
    FORM = "a value is missing or of another kind"


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where a file breaks a rule; `words` name field, value and what was expected."""

    rule: Rule
    step: int | None
    words: str


@dataclass(frozen=True, slots=True)
class LooseStep:
    """One step by its place in the file; `action` is None where it cannot be understood. `spelled` is all it says."""

    action: Action | None
    spelled: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class LooseEpisode:
    """What a file says; `strict` is the episode that the codec reads, None where there are breaches."""

    episode_id: str
    device: DeviceInfo | None
    task: TaskInfo
    steps: tuple[LooseStep, ...]
    breaches: tuple[Breach, ...]
    strict: Episode | None
    extra: Extra


def read_loosely(data: bytes, *, source: str) -> LooseEpisode:
    """What `data` says of an episode, breaches and all.

    Raises InvalidEpisodeError, naming `source`, only where it is no JSON object with a list of steps.
    """
    raise InvalidEpisodeError(f"{source} is not read yet.")
