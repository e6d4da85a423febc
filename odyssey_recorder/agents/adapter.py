"""An adapter: what one kind of model is asked for a step, and how its answer is read as one of the nine actions.

Each module of `adapters` has the tuple ADAPTERS; a new model is a new module. All of it is pure.
"""

import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from odyssey_recorder.agents import adapters
from odyssey_recorder.agents.frames import CoordinateFrame, FrameOf, grid_frame, within
from odyssey_recorder.agents.parsing import UnreadableAnswerError, cleaned, optional_text, text_of
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.llm.model import ChatMessage, LazyImage, Part, Words
from odyssey_recorder.llm.schema import FreeText
from odyssey_recorder.model.action import (
    Action,
    Click,
    Complete,
    Impossible,
    LongPress,
    Press,
    Scroll,
    SystemKey,
    Type,
    action_type,
    describe,
)
from odyssey_recorder.model.geometry import Size

_Part = TypeVar("_Part")
Kind = Literal["CLICK", "LONG_PRESS", "SCROLL", "TYPE", "HOME", "BACK", "RECENT", "COMPLETE", "IMPOSSIBLE"]
"""The nine actions."""


@dataclass(frozen=True, slots=True)
class SentScreenshot:
    """`image` as it is sent; `true_size` is the screenshot's own."""

    image: LazyImage
    true_size: Size

    @property
    def sent_size(self) -> Size:
        return Size(*self.image.size)


@dataclass(frozen=True, slots=True)
class PastStep:
    action: Action
    screenshot: SentScreenshot | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Earlier steps, the oldest first, and in words what was done so far; both may be empty."""

    steps: tuple[PastStep, ...] = ()
    memory: str = ""


@dataclass(frozen=True, slots=True)
class PromptWords:
    """What the words of a prompt are made of; `done` are the earlier actions as the model writes them."""

    task: str
    done: Sequence[str]
    sent_size: Size
    true_size: Size

    def listed(self, none: str, line: str = "{1}", between: str = "\n") -> str:
        """The earlier actions, each as `line` of its number from 1 and itself; `none` without any."""
        return between.join(line.format(number, action_text) for number, action_text in enumerate(self.done, 1)) or none


@dataclass(frozen=True, slots=True)
class Reading:
    """The action in an answer, or None and why; with both, the problem is a remark."""

    action: Action | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Adapter(Generic[_Part]):
    """`split` finds the actions in an answer, `act` reads one; both raise UnreadableError only.

    `write` is the inverse, None for what the grammar cannot express. `words` are the system's message, empty for none,
    and the user's. `fit` gives the size in which a screenshot is sent. With `in_turns`, earlier steps are messages of
    their own instead of a list.
    """

    name: str
    words: Callable[[PromptWords], tuple[str, str]]
    split: Callable[[str], Sequence[_Part]]
    act: Callable[[_Part, CoordinateFrame], Action]
    write: Callable[[Action, CoordinateFrame], str | None]
    frame: FrameOf = grid_frame
    fit: Callable[[Size], Size] = field(default=within(2048))
    answer: type[BaseModel] = FreeText
    in_turns: bool = False

    def prompt(self, task: str, history: History, screenshot: SentScreenshot) -> tuple[ChatMessage, ...]:
        past = [(step, self._written(step.action, step.screenshot or screenshot)) for step in history.steps]
        done = [] if self.in_turns else [written for _, written in past]
        system, user = self.words(PromptWords(task, done, screenshot.sent_size, screenshot.true_size))
        memory = (f"What has been done so far: {history.memory}",) if history.memory else ()
        first = ChatMessage("system", (Words(system),)) if system else None
        question = tuple(map(Words, (user, *memory)))
        messages = self._turns(past, question, screenshot) if self.in_turns else _at_once(past, question, screenshot)
        return tuple([first, *messages] if first else messages)

    def read(self, raw: str, sent_size: Size, true_size: Size) -> Reading:
        """Never raises."""
        try:
            found = self.split(cleaned(raw))
            action = self.act(found[0], self.frame(sent_size, true_size))
        except UnreadableAnswerError as error:
            return Reading(None, str(error))
        return Reading(action, f"several: the first of {len(found)} actions" if len(found) > 1 else "")

    def _written(self, action: Action, shown: SentScreenshot) -> str:
        return self.write(action, self.frame(shown.sent_size, shown.true_size)) or describe(action)

    def _turns(
        self, past: Sequence[tuple[PastStep, str]], question: tuple[Part, ...], screenshot: SentScreenshot
    ) -> list[ChatMessage]:
        messages = [ChatMessage("user", question)]
        for step, written in past:
            if step.screenshot is not None:
                messages.append(ChatMessage("user", (step.screenshot.image,)))
            messages.append(ChatMessage("assistant", (Words(written),)))
        return [*messages, ChatMessage("user", (screenshot.image,))]


def made(kind: str | None, name: object, frame: CoordinateFrame, place: object = None, text: object = "") -> Action:
    """The action of this type, other than SCROLL, which an answer calls `name`. Raises UnreadableError."""
    match kind:
        case "CLICK":
            return Click(frame.at(place))
        case "LONG_PRESS":
            return LongPress(frame.at(place))
        case "TYPE":
            return Type(text_of(text))
        case "HOME" | "BACK" | "RECENT":
            return Press(SystemKey(kind))
        case "COMPLETE":
            return Complete(optional_text(text))
        case "IMPOSSIBLE":
            return Impossible(optional_text(text))
        case _:
            raise UnreadableAnswerError("unmapped", f"{name!r:.60} is none of the nine actions")


def json_of(
    action: Action, frame: CoordinateFrame, names: Mapping[str, str], *, key: str, pair: str = "", **more: object
) -> str:
    """Its name as `key`, its place as x and y or as the `pair`, its text as `text`, and `more`."""
    fields: dict[str, object] = {key: names[action_type(action)]}
    match action:
        case Click(point) | LongPress(point) | Scroll(point) if pair:
            fields[pair] = frame.place(point)
        case Click(point) | LongPress(point) | Scroll(point):
            fields["x"], fields["y"] = frame.place(point)
        case Type(text) | Complete(text) | Impossible(text):
            fields["text"] = text
        case Press():
            pass
    return json.dumps(fields | more, ensure_ascii=False)


def _at_once(
    past: Sequence[tuple[PastStep, str]], question: tuple[Part, ...], screenshot: SentScreenshot
) -> list[ChatMessage]:
    earlier: list[Part] = []
    for step, written in past:
        if step.screenshot is not None:
            earlier += [Words(f"An earlier screen, on which this was done: {written}"), step.screenshot.image]
    return [ChatMessage("user", (*earlier, *question, screenshot.image))]


@cache
def all_adapters() -> Mapping[str, Adapter[Any]]:
    """By name."""
    modules = [
        import_module(f"{adapters.__name__}.{module.name}") for module in pkgutil.iter_modules(adapters.__path__)
    ]
    return {adapter.name: adapter for module in modules for adapter in module.ADAPTERS}


def adapter_named(name: str) -> Adapter[Any]:
    """Raises SettingsError."""
    known = all_adapters()
    if name not in known:
        raise SettingsError(f"There is no adapter {name!r}. Use one of {', '.join(sorted(known))}.")
    return known[name]
