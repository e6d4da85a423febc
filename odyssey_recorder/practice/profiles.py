"""The profile of each annotator on this computer: answers to the consent text, and practice attempts."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.files import Largest, make_folder, read_file, storage_error, write_durably
from odyssey_recorder.practice.score import PASS_MARK
from odyssey_recorder.validation import FrozenModel, first_fault

FORMAT = 1
LONGEST_NAME = 80


class ConsentAnswer(FrozenModel):
    """The answer to one version of the consent text; `answered_us` is microseconds since 1970, UTC."""

    version: str
    agreed: bool
    answered_us: int


class Attempt(FrozenModel):
    task_id: str
    value: int
    episode_id: str
    scored_us: int
    hints: int = 0


class AnnotatorProfile(FrozenModel):
    """One annotator; `answers` and `attempts` only grow, in order of time."""

    format: int = FORMAT
    name: str
    answers: tuple[ConsentAnswer, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    def has_answered(self, version: str) -> bool:
        """Whether this version was answered, with yes or no."""
        return any(answer.version == version for answer in self.answers)

    def agrees_to(self, version: str) -> bool:
        """Whether the last answer was yes, and to this version."""
        last = self.answers[-1] if self.answers else None
        return last is not None and last.agreed and last.version == version


@dataclass(frozen=True, slots=True)
class PracticeStatus:
    """The progress of an annotator: the best value of each attempted task, and the tasks that must be passed."""

    best: Mapping[str, int]
    wanted: tuple[str, ...]

    @property
    def left(self) -> int:
        """How many tasks must still be passed before the queue opens."""
        return sum(not self.has_passed(task_id) for task_id in self.wanted)

    def has_passed(self, task_id: str) -> bool:
        return self.best.get(task_id, 0) >= PASS_MARK


def status(attempts: Sequence[Attempt], wanted: tuple[str, ...]) -> PracticeStatus:
    best: dict[str, int] = {}
    for attempt in attempts:
        best[attempt.task_id] = max(attempt.value, best.get(attempt.task_id, 0))
    return PracticeStatus(best, wanted)


class ProfileStore:
    """The folder with one file per annotator."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, name: str) -> AnnotatorProfile:
        """The profile of `name`, or a new one. Raises PracticeError, DatasetError."""
        path = self._path(name)
        try:
            profile = AnnotatorProfile.model_validate_json(read_file(path, Largest.PROVENANCE))
        except FileNotFoundError:
            return AnnotatorProfile(name=name)
        except OSError as error:
            raise storage_error(error, path, "read") from error
        except ValidationError as error:
            raise PracticeError(
                f"{path} is not an annotator profile ({first_fault(error)}). Move it away to start over."
            ) from error
        if profile.format > FORMAT:
            raise PracticeError(f"{path} was written by a newer version of Odyssey Recorder. Update this one.")
        return profile

    def save(self, profile: AnnotatorProfile) -> None:
        """Raises DatasetError."""
        make_folder(self._folder)
        write_durably(self._path(profile.name), profile.model_dump_json(indent=2).encode())

    def _path(self, name: str) -> Path:
        """The file of a name: some letters of it for people, and a hash that makes it unique."""
        letters = re.sub("[^a-z0-9]+", "-", name.casefold())[:24].strip("-")
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        return self._folder / f"{letters}-{digest}.json"


def checked_name(text: str) -> str:
    """The name as it is stored: one line, NFC-normalized. Raises PracticeError if it is invalid."""
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise PracticeError(f"Enter your name in one line of 1 to {LONGEST_NAME} characters.")
    return name
