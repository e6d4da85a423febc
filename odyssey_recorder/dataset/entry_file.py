"""Append-only files of entries, one for each episode, that version control merges line by line; see docs/reviews.md.

Reviews and step texts are kept in this form: in no file is an entry ever changed or removed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.episode import Extra, Json
from odyssey_recorder.validation import faults

FORMAT = 1
_HEAD = ("format", "episode_id", "entries")
_FOOT = "null]}\n"
"""Follows the comma of the last entry, so that every entry has a line of the same form."""
_DECODER = json.JSONDecoder()


class _Entry(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def at(self) -> datetime: ...


_E = TypeVar("_E", bound=_Entry)
_File = TypeVar("_File", bound="EntryFile[Any]")


@dataclass(frozen=True, slots=True)
class EntryFile(Generic[_E]):
    """Oldest first. `problems` are messages about unreadable places: a file that has any is not written."""

    episode_id: str
    entries: tuple[_E, ...] = ()
    extra: Extra = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Form(Generic[_File]):
    """One kind of entry file: what it contains, in messages; its type; its entries, as pydantic reads them.

    `telling` is a key that every entry has, by which entries are found in a broken file; `completed` gives an entry of
    another program the keys that it lacks.
    """

    contains: str
    file: type[_File]
    entry: TypeAdapter[Any]
    telling: str = "id"
    completed: Callable[[dict[str, Json]], dict[str, Json]] = dict

    def read(self, data: bytes, *, episode_id: str, source: str) -> _File:
        """Any order and layout; of a broken file all readable entries. Problems name `source`, entry and key."""
        try:
            tree = parse(data)
        except NotPlainJsonError as error:
            return self._rescued(data, f"{source}: {error}.", episode_id=episode_id, source=source)
        if not isinstance(tree, dict):
            return self.file(episode_id, problems=(f"{source}: expected an object, found {shown(tree)}.",))
        misfit = self._misfit(tree, episode_id)
        if misfit:
            return self.file(episode_id, problems=(f"{source}: {misfit}.",))
        extra = {key: value for key, value in tree.items() if key not in _HEAD}
        listed = tree["entries"]
        assert isinstance(listed, list)
        entries, problems = self._read_all([entry for entry in listed if entry is not None], source=source)
        return self.file(episode_id, entries, extra, problems)

    def read_entry(self, tree: Json, *, place: str) -> Any:
        """Raises ReviewError naming `place` and unreadable keys. An entry without an id gets that of its content."""
        if not isinstance(tree, dict):
            raise ReviewError(f"{place}: expected an object, found {shown(tree)}.")
        try:
            return self.entry.validate_json(_json(self.completed(tree)))
        except ValidationError as error:
            raise ReviewError(f"{place}: {'; '.join(_faults(error))}.") from error

    def _read_all(self, trees: Iterable[Json], *, source: str) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        entries: list[Any] = []
        problems: list[str] = []
        for number, tree in enumerate(trees, 1):
            try:
                entries.append(self.read_entry(tree, place=f"{source}, entry {number}"))
            except ReviewError as error:
                problems.append(str(error))
        return in_order(entries), tuple(problems)

    def _misfit(self, tree: Mapping[str, Json], episode_id: str) -> str:
        number = tree.get("format", FORMAT)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            return f"format: expected {FORMAT}, found {shown(number)}"
        if number > FORMAT:
            return f"format {number} is from a newer version of Odyssey Recorder. Update this one"
        if tree.get("episode_id", episode_id) != episode_id:
            found = shown(tree["episode_id"])
            return f"it contains the {self.contains} of {found}; expected those of {episode_id}"
        if not isinstance(tree.get("entries"), list):
            return f"entries: expected a list, found {shown(tree.get('entries'))}"
        return ""

    def _rescued(self, data: bytes, problem: str, *, episode_id: str, source: str) -> _File:
        text = data.decode(errors="replace")
        whole: list[Json] = []
        at = text.find("{")
        while at >= 0:
            beyond = at + 1
            with suppress(ValueError, RecursionError, NotPlainJsonError):
                tree, end = _DECODER.raw_decode(text, at)
                if self.telling in tree:
                    whole.append(parse(text[at:end]))
                    beyond = end
            at = text.find("{", beyond)
        entries, problems = self._read_all(whole, source=source)
        return self.file(episode_id, entries, problems=(problem, *problems))


def union(one: _File, other: _File) -> _File:
    if one.episode_id != other.episode_id:
        raise ReviewError(f"The entries of {one.episode_id} and {other.episode_id} belong to different episodes.")
    extra = dict(one.extra)
    for key, value in other.extra.items():
        extra[key] = max(value, extra.get(key, value), key=canonical)
    problems = tuple(sorted({*one.problems, *other.problems}))
    return type(one)(one.episode_id, in_order((*one.entries, *other.entries)), extra, problems)


def in_order(entries: Iterable[Any]) -> tuple[Any, ...]:
    lines: dict[str, Any] = {}
    for entry in entries:
        lines.setdefault(canonical(entry.model_dump(mode="json")), entry)
    return tuple(entry for _, entry in sorted(lines.items(), key=lambda item: (item[1].at, item[1].id, item[0])))


def spell(file: EntryFile[Any]) -> bytes:
    """Equal contents give equal bytes. Raises ReviewError if the file has problems or a text a lone surrogate."""
    refuse_problems(file)
    head = json.dumps({"format": FORMAT, "episode_id": file.episode_id})[:-1]
    extra = "".join(f"{_json(key)}: {_json(file.extra[key])},\n" for key in sorted(file.extra))
    entries = "".join(f"{_json(entry.model_dump(mode='json'))},\n" for entry in file.entries)
    try:
        return f'{head},\n{extra}"entries": [\n{entries}{_FOOT}'.encode()
    except UnicodeEncodeError as error:
        raise ReviewError(f"A text of {file.episode_id} contains an invalid character. Enter it again.") from error


def refuse_problems(file: EntryFile[Any]) -> None:
    """Raise ReviewError with every unreadable place of the file, if there is any."""
    if file.problems:
        raise ReviewError(f"{' '.join(file.problems)} Fix it by hand. Nothing is written to it until then.")


def with_id(tree: dict[str, Json]) -> dict[str, Json]:
    return tree if "id" in tree else {**tree, "id": sha256(canonical(tree).encode()).hexdigest()[:32]}


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _faults(error: ValidationError) -> Iterator[str]:
    for fault in faults(error):
        _, _, key = fault.key.partition(".")  # the first part is the kind
        found = "" if fault.type == "missing" else f"; found {shown(fault.found)}"
        yield f"{key or 'kind'}: {fault.message[:1].lower()}{fault.message[1:]}{found}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
