"""What the program says to a language model: prompts are versioned files, and data never becomes a part of their text.

A prompt's file is Markdown: a title and a word on when it is asked, for people, then the parts `## System` and
`## User`, each a Jinja template. Data is put in by the filter `json`, as one JSON string or list: it cannot end the
place that it stands in.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template, TemplateError
from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, ModelRequest, Words
from odyssey_recorder.model.episode import Json
from odyssey_recorder.resources import data_folder

_NAME = re.compile(r"[a-z][a-z_]*/[1-9][0-9]*")
_PARTS = re.compile(r"\A# [^\n]+\n.*?^## System\n(?P<system>.+?)^## User\n(?P<user>.+)\Z", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A version of a prompt: `name` is its id and version ("rewrite/1"), `sha256` that of the whole file's text."""

    name: str
    sha256: str
    system: str
    user: str

    def question(
        self, data: Mapping[str, Json], *, schema_name: str, answer: type[BaseModel], longest: int, candidate: int = 0
    ) -> ModelRequest:
        """The question about some data; each name that the prompt speaks of must be there.

        `longest` is how many tokens the answer may have; models that think before they speak take thousands for that.

        Raises LanguageModelError where the prompt cannot be filled.
        """
        messages = (
            ChatMessage("system", (Words(self._filled(self.system, data)),)),
            ChatMessage("user", (Words(self._filled(self.user, data)),)),
        )
        return ModelRequest(
            self.name, self.sha256, messages, schema_name, answer, {LONGEST_ANSWER: longest}, candidate=candidate
        )

    def _filled(self, part: str, data: Mapping[str, Json]) -> str:
        try:
            return _compiled(part).render(data).strip()
        except TemplateError as error:
            raise LanguageModelError(f"The prompt {self.name} cannot be filled: {error}. Mend its file.") from error


def read_prompt(name: str, folder: Path | None = None) -> Prompt:
    """The prompt of this id and version, from the program's own ones where no `folder` is given.

    Raises LanguageModelError where there is none, or its file has not the two parts.
    """
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
    # The output is no HTML, and what is put in is never a template.
    jinja = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    jinja.filters["json"] = _as_json
    return jinja


def _as_json(value: Json) -> str:
    """`value` in one line and without angle brackets, so that it cannot feign the marks around data."""
    plain = json.dumps(value, ensure_ascii=False, default=str)  # what is undefined is no JSON, and raises as a text
    return plain.replace("<", "\\u003c").replace(">", "\\u003e")
