"""Reads YAML with every scalar as text exactly as written, and the line of every value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import yaml

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DEEPEST = 8
_HINTS = {"mapping values are not allowed in this context": "a text with a colon and a space must be in quotes"}

Value = str | list["Value"] | dict[str, "Value"]
Place = tuple[str | int, ...]
"""Keys and list indices (from 0) that lead to a value."""


class MarkedYamlError(Exception):
    """A text that cannot be read; lines count from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """The contents of a file, and the line (from 1) of each key and list item by its place."""

    value: Value
    lines: Mapping[Place, int]

    def line_of(self, place: Place) -> int:
        """The line of a place, or of its nearest existing ancestor."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


@dataclass(slots=True)
class _Open:
    """An unfinished mapping or list; `key` is the key of the next value, in a mapping."""

    value: list[Value] | dict[str, Value]
    place: Place
    key: str | None = None


@dataclass(slots=True)
class _Reading:
    """A document built event by event, without recursion, so that deep nesting cannot overflow the stack."""

    value: Value = ""
    lines: dict[Place, int] = field(default_factory=dict)
    stack: list[_Open] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        line = _line(event)
        match event:
            case yaml.ScalarEvent(value=text):
                self._take_text(str(text), line)
            case yaml.MappingStartEvent():
                self._open({}, line)
            case yaml.SequenceStartEvent():
                self._open([], line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.stack.pop()
            case yaml.AliasEvent():
                raise MarkedYamlError(line, "aliases (*) are not supported; write out the value")
            case _:
                pass  # start and end of the document

    def _take_text(self, text: str, line: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or isinstance(top.value, list) or top.key is not None:
            self._put(text, line)
            return
        if text in top.value:
            raise MarkedYamlError(line, f'the key "{text}" appears twice')
        top.key = text
        self.lines[*top.place, text] = line

    def _open(self, value: list[Value] | dict[str, Value], line: int) -> None:
        if len(self.stack) == _DEEPEST:
            raise MarkedYamlError(line, "nested too deeply")
        self.stack.append(_Open(value, self._put(value, line)))

    def _put(self, value: Value, line: int) -> Place:
        if not self.stack:
            self.value = value
            return ()
        top = self.stack[-1]
        if isinstance(top.value, list):
            place: Place = (*top.place, len(top.value))
            self.lines[place] = line
            top.value.append(value)
            return place
        if top.key is None:
            raise MarkedYamlError(line, "a key must be a text")
        key, top.key = top.key, None
        top.value[key] = value
        return (*top.place, key)


@lru_cache(maxsize=1000)
def read_marked(text: str) -> MarkedDocument:
    """The single document of a YAML text; an empty text is "". Raises MarkedYamlError.

    All templates are read again whenever they may have changed, and most have not. Do not change the result.
    """
    reading = _Reading()
    for event in _events(text):
        reading.take(event)
    return MarkedDocument(reading.value, reading.lines)


def _events(text: str) -> Iterator[yaml.Event]:
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise MarkedYamlError(_line(event), "a second document starts here; a file can hold only one")
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or ""
        raise MarkedYamlError(mark.line + 1 if mark else 1, f"invalid YAML: {_HINTS.get(problem, problem)}") from error
    except yaml.YAMLError as error:
        raise MarkedYamlError(1, f"invalid YAML: {error}") from error


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
