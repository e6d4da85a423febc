"""What is kept of each annotator on this computer: the answer to the consent text, and the practice attempts."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from odyssey_recorder.errors import PracticeError
from odyssey_recorder.files import Largest, make_folder, read_file, storage_error, write_durably
from odyssey_recorder.practice.score import PASS_MARK
from odyssey_recorder.validation import first_fault

FORMAT = 1
LONGEST_NAME = 80


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ConsentAnswer(_Record):
    """What was answered to which version of the consent text, and when: microseconds since 1970, UTC."""

    version: str
    agreed: bool
    answered_us: int


class Attempt(_Record):
    """One practice episode and what came of it; `hints` were taken."""

    task_id: str
    value: int
    episode_id: str
    scored_us: int
    hints: int = 0


class AnnotatorProfile(_Record):
    """One annotator. Nothing is taken away: `answers` and `attempts` are in the order in which they came."""

    format: int = FORMAT
    name: str
    answers: tuple[ConsentAnswer, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    def has_answered(self, version: str) -> bool:
        """Whether this version of the consent text was answered, one way or the other."""
        return any(answer.version == version for answer in self.answers)

    def agrees_to(self, version: str) -> bool:
        """Whether the last answer was given to this version, and was yes."""
        last = self.answers[-1] if self.answers else None
        return last is not None and last.agreed and last.version == version


@dataclass(frozen=True, slots=True)
class PracticeStatus:
    """How far an annotator is: the best value of each task that was tried, of the tasks that are wanted."""

    best: Mapping[str, int]
    wanted: tuple[str, ...]

    @property
    def left(self) -> int:
        """How many tasks are still to be passed before the queue opens."""
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
        """The profile of `name`, a new one where there is none. Raises PracticeError, DatasetError."""
        path = self._path(name)
        try:
            profile = AnnotatorProfile.model_validate_json(read_file(path, Largest.PROOF))
        except FileNotFoundError:
            return AnnotatorProfile(name=name)
        except OSError as error:
            raise storage_error(error, path, "read") from error
        except ValidationError as error:
            raise PracticeError(
                f"{path} is no annotator's profile ({first_fault(error)}). Move it away to begin anew."
            ) from error
        if profile.format > FORMAT:
            raise PracticeError(f"{path} was written by a newer Odyssey Recorder: update this one.")
        return profile

    def save(self, profile: AnnotatorProfile) -> None:
        """Keep `profile`, durably. Raises DatasetError."""
        make_folder(self._folder)
        write_durably(self._path(profile.name), profile.model_dump_json(indent=2).encode())

    def _path(self, name: str) -> Path:
        """A name's own file: some of its letters for people, a hash for what tells names apart."""
        letters = re.sub("[^a-z0-9]+", "-", name.casefold())[:24].strip("-")
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        return self._folder / f"{letters}-{digest}.json"


def checked_name(words: str) -> str:
    """A name as it is kept: one line, in Unicode's composed form. Raises PracticeError where it is none."""
    name = unicodedata.normalize("NFC", " ".join(words.split()))
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise PracticeError(f"Give your name in one line of 1 to {LONGEST_NAME} letters.")
    return name
