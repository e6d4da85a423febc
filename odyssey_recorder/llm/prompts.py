"""Prompts are versioned files; data is inserted so that it cannot become part of their text.

The usual prompts are Markdown: a title and a note for people, then the parts `## System` and `## User`, each a Jinja
template. The filter `json` inserts data as one JSON string or list, which cannot close its delimiters.

The prompts with the contents of the paper, and those that users bring, are plain text with slots such as `{task}`.
Nothing in such a text is ever executed. `{{` and `}}` are braces.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter

from jinja2 import Environment, StrictUndefined, Template, TemplateError
from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError, showable
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, LazyImage, ModelRequest, Part, Words
from odyssey_recorder.model.episode import Json
from odyssey_recorder.resources import data_folder

_NAME = re.compile(r"[a-z][a-z_]*/[1-9][0-9]*")
_PARTS = re.compile(r"\A# [^\n]+\n.*?^## System\n(?P<system>.+?)^## User\n(?P<user>.+)\Z", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """`name` is the id and version ("rewrite/1"), `sha256` the hash of the whole file's text."""

    name: str
    sha256: str
    system: str
    user: str

    def question(  # noqa: PLR0913 - what a request consists of, by keyword
        self,
        data: Mapping[str, Json],
        *,
        schema_name: str,
        answer: type[BaseModel],
        longest: int,
        candidate: int = 0,
        images: Mapping[str, LazyImage] | None = None,
        effort: str = "",
    ) -> ModelRequest:
        """The question about some data, which must define every name in the prompt.

        `longest` is the token limit of the answer; reasoning models take thousands. `images`, by the names of their
        slots, follow the user's text, or stand where a prompt with slots has them. `effort` is the reasoning effort to
        ask for, as the server calls it; empty to send none.

        Raises LanguageModelError if the prompt cannot be rendered.
        """
        messages = self._messages(data, images or {})
        parameters: dict[str, Json] = {LONGEST_ANSWER: longest}
        if effort:
            parameters["reasoning_effort"] = effort
        return ModelRequest(self.name, self.sha256, messages, schema_name, answer, parameters, candidate=candidate)

    def _messages(self, data: Mapping[str, Json], images: Mapping[str, LazyImage]) -> tuple[ChatMessage, ...]:
        return (
            ChatMessage("system", (Words(self._filled(self.system, data)),)),
            ChatMessage("user", (Words(self._filled(self.user, data)), *images.values())),
        )

    def _filled(self, part: str, data: Mapping[str, Json]) -> str:
        try:
            return _compiled(part).render(data).strip()
        except TemplateError as error:
            raise LanguageModelError(f"The prompt {self.name} cannot be filled: {error}. Fix its file.") from error


def read_prompt(name: str, folder: Path | None = None) -> Prompt:
    """Raises LanguageModelError if the prompt does not exist or lacks one of its two parts."""
    if _NAME.fullmatch(name) is None:
        raise LanguageModelError(f'{name!r} names no prompt: expected its id and version, such as "rewrite/1".')
    path = (folder or data_folder("prompts")) / f"{name}.md"
    text = _text_of(path, "Install the program again.")
    parts = _PARTS.match(text)
    if parts is None:
        raise LanguageModelError(f'The prompt {path} must have a title, then the parts "## System" and "## User".')
    return Prompt(name, hashlib.sha256(text.encode()).hexdigest(), parts["system"], parts["user"])


def _text_of(path: Path, advice: str) -> str:
    try:
        return read_text(path, Largest.WRITTEN_BY_HAND)
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageModelError(f"The prompt {path} cannot be read: {error}. {advice}") from error


@lru_cache(maxsize=32)
def _compiled(part: str) -> Template:
    return _jinja().from_string(part)


@cache
def _jinja() -> Environment:
    # The output is not HTML, and inserted data is never rendered as a template.
    jinja = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    jinja.filters["json"] = _as_json
    return jinja


def _as_json(value: Json) -> str:
    """In one line without angle brackets, so that it cannot imitate the tags around data."""
    plain = json.dumps(value, ensure_ascii=False, default=str)  # str() of an undefined value raises
    return plain.replace("<", "\\u003c").replace(">", "\\u003e")


# Prompts with slots.

IMAGES = ("screenshot", "marked_screenshot", "next_screenshot")
"""The slots of images: each is sent where its slot is, or not at all if there is none."""


@dataclass(frozen=True, slots=True)
class Slots:
    """What the prompt of one question can name in braces. `needed` are in each: without them it asks for nothing."""

    needed: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotPrompt(Prompt):
    """Its whole text is the user's message."""

    def parts(self, data: Mapping[str, Json], images: Mapping[str, LazyImage]) -> tuple[Part, ...]:
        """The text with its data, and the images in between. `data` must have every slot of the text."""
        parts: list[Part] = []
        words = ""
        for literal, slot in _pieces(self.user):
            words += literal
            if slot is not None and slot in images:
                parts += (*_spoken(words), images[slot])
                words = ""
            elif slot and slot not in IMAGES:
                words += _as_words(data[slot])
        return (*parts, *_spoken(words))

    def has(self, slot: str) -> bool:
        return any(found == slot for _, found in _pieces(self.user))

    def _messages(self, data: Mapping[str, Json], images: Mapping[str, LazyImage]) -> tuple[ChatMessage, ...]:
        return (ChatMessage("user", self.parts(data, images)),)


def read_slots(source: Path | str, slots: Slots) -> SlotPrompt:
    """A user's file, whose name and hash become the prompt's name; or the prompt of the program with this name.

    Raises LanguageModelError if it cannot be read, lacks a slot, or has an unknown one or a single brace.
    """
    if isinstance(source, str):
        path, advice = data_folder("prompts") / f"{source}.txt", "Install the program again."
    else:
        path, advice = source, "Give ours, paper, or a text file."
    text = _text_of(path, advice).removeprefix("\ufeff")
    try:
        found = dict.fromkeys(slot for _, slot in _pieces(text) if slot is not None)
    except ValueError as error:
        raise LanguageModelError(f"The prompt {path} has {error}. Write {{{{ and }}}} for braces.") from error
    known = (*slots.needed, *slots.others)
    faults = [f"has the unknown slot {{{slot}}}" for slot in found if slot not in known]
    faults += [f"lacks the slot {{{slot}}}" for slot in slots.needed if slot not in found]
    if faults:
        raise LanguageModelError(
            f"The prompt {path} {', '.join(faults)}. These exist: {', '.join(f'{{{slot}}}' for slot in known)}."
        )
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    name = source if isinstance(source, str) else f"{showable(path.name)[:60]}@{sha256[:16]}"
    return SlotPrompt(name, sha256, "", text)


def chosen_prompts(wanted: Sequence[str], known: Mapping[str, tuple[str, Slots]]) -> dict[str, Prompt]:
    """The prompt for each question; `known` are the names of the usual prompts and their slots, by question.

    Each of `wanted` is `ours`, `paper` (for questions that the paper has none for, ours), or a file; with several
    questions, a file is given as `QUESTION=FILE`. The last one counts. Raises LanguageModelError.
    """
    chosen = {question: read_prompt(usual) for question, (usual, _) in known.items()}
    for text in wanted:
        question, _, source = text.partition("=")
        if question not in known:
            question, source = (next(iter(known)) if len(known) == 1 else ""), text
        if not question and source not in ("ours", "paper"):
            raise LanguageModelError(
                f"Say which question {source} is for, as QUESTION=FILE. The questions are {', '.join(known)}."
            )
        for one in [question] if question else known:
            chosen[one] = _from(source, *known[one])
    return chosen


def _from(source: str, usual: str, slots: Slots) -> Prompt:
    of_paper = f"paper_{usual}"
    if source == "ours" or (source == "paper" and not (data_folder("prompts") / f"{of_paper}.txt").is_file()):
        return read_prompt(usual)
    return read_slots(of_paper if source == "paper" else Path(source), slots)


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Literal texts, each with the slot after it. Raises ValueError for a brace that belongs to no slot."""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        try:
            parsed = [*Formatter().parse(line)]
        except ValueError as error:
            raise ValueError(f"a single brace in line {number} ({error})") from error
        for literal, slot, form, conversion in parsed:
            yield literal, f"{slot}!{conversion}:{form}" if conversion or form else slot


def _spoken(words: str) -> tuple[Part, ...]:
    return (Words(words.strip()),) if words.strip() else ()


def _as_words(value: Json) -> str:
    """Lists are numbered lines, from 1."""
    match value:
        case dict():
            return "; ".join(f"{key}: {_as_words(one)}" for key, one in value.items())
        case list():
            return "\n".join(f"{number}. {_as_words(one)}" for number, one in enumerate(value, 1)) or "nothing"
        case _:
            return str(value)
