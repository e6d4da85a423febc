"""Prompts are versioned files; data is inserted so that it cannot become part of their text.

A prompt's file is Markdown: a title and a note for people, then the parts `## System` and `## User`, each a Jinja
template. The filter `json` inserts data as one JSON string or list, which cannot close its delimiters.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template, TemplateError
from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, LazyImage, ModelRequest, Words
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
        images: Sequence[LazyImage] = (),
        effort: str = "",
    ) -> ModelRequest:
        """The question about some data, which must define every name in the prompt.

        `longest` is the token limit of the answer; reasoning models take thousands. `images` follow the user's text.
        `effort` is the reasoning effort to ask for, as the server calls it; empty to send none.

        Raises LanguageModelError if the prompt cannot be rendered.
        """
        messages = (
            ChatMessage("system", (Words(self._filled(self.system, data)),)),
            ChatMessage("user", (Words(self._filled(self.user, data)), *images)),
        )
        parameters: dict[str, Json] = {LONGEST_ANSWER: longest}
        if effort:
            parameters["reasoning_effort"] = effort
        return ModelRequest(self.name, self.sha256, messages, schema_name, answer, parameters, candidate=candidate)

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
    try:
        text = read_text(path, Largest.WRITTEN_BY_HAND)
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageModelError(f"The prompt {path} cannot be read: {error}. Install the program again.") from error
    parts = _PARTS.match(text)
    if parts is None:
        raise LanguageModelError(f'The prompt {path} must have a title, then the parts "## System" and "## User".')
    return Prompt(name, hashlib.sha256(text.encode()).hexdigest(), parts["system"], parts["user"])


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
