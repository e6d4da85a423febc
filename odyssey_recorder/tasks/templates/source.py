"""Finds and reads the YAML files of template folders and collects their problems."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from odyssey_recorder.errors import TaskError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.tasks.fields import Problem, faults_in
from odyssey_recorder.tasks.templates.marked_yaml import MarkedDocument, MarkedYamlError, Place, read_marked

_Kind = TypeVar("_Kind", bound=BaseModel)
_ENDING = ".yaml"


@dataclass(frozen=True, slots=True)
class Written:
    name: str
    source: Path
    document: MarkedDocument

    def problem(self, place: Place, message: str) -> Problem:
        return Problem(self.source, self.document.line_of(place), ".".join(map(str, place)), message)


@dataclass(slots=True)
class TemplateSource:
    """`broken` are unreadable files by room (subfolder) and name; files that refer to them are not blamed."""

    folders: tuple[Path, ...]
    problems: list[Problem] = field(default_factory=list)
    broken: set[tuple[str, str]] = field(default_factory=set)

    def look_around(self, rooms: tuple[str, ...]) -> None:
        """Report files that would be ignored. Raises TaskError if a folder is missing."""
        for folder in self.folders:
            if not folder.is_dir():
                raise TaskError(f"No template folder {folder}. Create it, or fix the setting templates.")
            for path in sorted(folder.iterdir()):
                if path.is_dir() and path.name not in rooms and not path.name.startswith((".", "_")):
                    self.problems.append(
                        Problem(path, 1, "", f"not read: the folder must be one of {', '.join(rooms)}")
                    )
            for path in sorted(folder.glob("*/*.yml")):
                self.problems.append(Problem(path, 1, "", f"not read: the file extension must be {_ENDING}"))

    def read(self, room: str, kind: type[_Kind]) -> Iterator[tuple[Written, _Kind]]:
        first: dict[str, Path] = {}
        for folder in self.folders:
            for path in sorted((folder / room).glob(f"*{_ENDING}")):
                before = first.setdefault(path.stem, path)
                if before is not path:
                    self.problems.append(Problem(path, 1, "", f"{before} has the same name; give it another"))
                    continue
                found = read_file(path, kind)
                if isinstance(found, list):
                    self.problems += found
                    self.broken.add((room, path.stem))
                else:
                    yield found


def read_file(path: Path, kind: type[_Kind]) -> tuple[Written, _Kind] | list[Problem]:
    try:
        written = Written(path.stem, path, read_marked(read_text(path, Largest.WRITTEN_BY_HAND, encoding="utf-8-sig")))
    except MarkedYamlError as error:
        return [Problem(path, error.line, "", error.message)]
    except UnicodeDecodeError:
        return [Problem(path, 1, "", "cannot be read: it is not UTF-8 text")]
    except OSError as error:
        return [Problem(path, 1, "", f"cannot be read: {error.strerror or error}")]
    try:
        return written, kind.model_validate(written.document.value)
    except ValidationError as error:
        return [written.problem(_without_shapes(place), words) for place, words in faults_in(error)]


def _without_shapes(place: Place) -> Place:
    """The place without the names of union members, in ``<>``, that pydantic inserts."""
    return tuple(part for part in place if not str(part).startswith("<"))
