"""An adapter: what one kind of model is asked for a step, and how its answer is read as one of the nine actions.

Each module of `adapters` has the tuple ADAPTERS; a new model is a new module. All of it is pure.
"""

import json
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from odyssey_recorder.agents import adapters
from odyssey_recorder.agents.frames import CoordinateFrame, Fit, FrameOf, grid_frame
from odyssey_recorder.agents.parsing import UnreadableAnswerError, cleaned, optional_text, text_of
from odyssey_recorder.errors import SettingsError, showable
from odyssey_recorder.llm.model import ChatMessage, LazyImage, Part, Words
from odyssey_recorder.llm.prompts import SlotPrompt, Slots, read_slots
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
    in_words_at,
)
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.geometry import Point, Size

_Part = TypeVar("_Part")
MARKED = "marked_screenshot"
ASKED = Slots(("task", "screenshot"), ("history", MARKED, "app", "width", "height"))
"""What the question for an action can name; `width` and `height` are those of the screenshot as it is sent."""
Kind = Literal["CLICK", "LONG_PRESS", "SCROLL", "TYPE", "HOME", "BACK", "RECENT", "COMPLETE", "IMPOSSIBLE"]
"""The nine actions."""


@dataclass(frozen=True, slots=True)
class SentScreenshot:
    """`image` as it is sent; `true_size` is the screenshot's own.

    `marked` is a copy with a numbered tag on each of the elements whose middles are `marks`, on the grid, from 1.
    """

    image: LazyImage
    true_size: Size
    marked: LazyImage | None = None
    marks: tuple[Point, ...] = ()

    @property
    def sent_size(self) -> Size:
        return Size(*self.image.size)


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known of a screen: its day, the app in front, and the apps that the launcher shows. All may be empty."""

    day: date | None = None
    app: str = ""
    apps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What goes with an action: the thought before it, what is done, and what has been done with it. All may be empty.

    For a person's steps they are the texts of the dataset: intention, low-level instruction, and the next context.
    """

    thought: str = ""
    sentence: str = ""
    summary: str = ""


_NOW, _NOTHING = Moment(), Said()


@dataclass(frozen=True, slots=True)
class PastStep:
    """`raw` is the model's own answer, empty for a step that a person or another model did."""

    action: Action
    screenshot: SentScreenshot | None = None
    raw: str = ""
    said: Said = _NOTHING
    moment: Moment = _NOW


@dataclass(frozen=True, slots=True)
class History:
    """Earlier steps, the oldest first, or in words what was done so far; both may be empty.

    `told` are sentences to the model about what it asked for since: the answer of its user, or that something cannot
    be done here.
    """

    steps: tuple[PastStep, ...] = ()
    memory: str = ""
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptWords:
    """What the words of a prompt are made of.

    `done` are the earlier actions as the model writes them, or what its adapter retells of its answers; a `memory` is
    told in their place. `moment` is that of the screen that the words go with, with the apps that are known by now.
    """

    task: str
    done: Sequence[str]
    sent_size: Size
    true_size: Size
    moment: Moment = _NOW
    memory: str = ""

    def listed(self, none: str, line: str = "{1}", between: str = "\n", first: int = 1) -> str:
        """The memory, or the earlier actions, each as `line` of its number and itself; `none` without any."""
        lines = between.join(line.format(number, action_text) for number, action_text in enumerate(self.done, first))
        return self.memory or lines or none


_FEWEST, _MOST = 100_000, 100_000_000
"""Pixels of a screenshot as it is sent."""
RequestKind = Literal["WAIT", "OPEN", "KEY", "ASK", "NOTE", "LOOK"]
"""To wait some seconds, open an app, press a key, ask or tell the user, note something, see the screen again."""
_SECONDS = re.compile(r"\d{1,4}(?:\.\d{1,3})?")
_USUAL_WAIT_S = 2.0
_KEYS = {
    "home": SystemKey.HOME, "back": SystemKey.BACK, "recent": SystemKey.RECENT, "recents": SystemKey.RECENT,
    "app_switch": SystemKey.RECENT, "appselect": SystemKey.RECENT,
}  # fmt: skip
_REQUESTS: Mapping[RequestKind, str] = {
    "WAIT": "wait {}",
    "OPEN": "open the app {!r:.60}",
    "KEY": "press the key {!r:.60}",
    "ASK": "ask the user {!r:.200}",
    "NOTE": "note {!r:.200}",
    "LOOK": "see the screen again",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a model asks for that is none of the nine actions. `text` is the app, key, question or note."""

    kind: RequestKind
    text: str = ""

    def __str__(self) -> str:
        return _REQUESTS[self.kind].format(f"{self.seconds:g} s" if self.kind == "WAIT" else self.text)

    @property
    def seconds(self) -> float:
        """Of WAIT; what the model wrote may be `2`, `2 seconds` or nothing."""
        found = _SECONDS.search(self.text)
        return float(found[0]) if found else _USUAL_WAIT_S


class RequestError(UnreadableAnswerError):
    """An answer is this request, and no action."""

    def __init__(self, request: Request) -> None:
        super().__init__("not an action", str(request))
        self.request = request


@dataclass(frozen=True, slots=True)
class Reading:
    """The action in an answer, or None and why; with both, the problem is a remark. With a `request` there is none."""

    action: Action | None
    problem: str = ""
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Turns:
    """Earlier steps as messages, instead of a list: the screenshot from the user, then the model's own answer.

    `is_apart`: the task is a message of its own; otherwise it is in the first one with a screenshot. `of_pictured`:
    steps without a screenshot are listed. `again` gives the user's words before and after a later screenshot.
    """

    is_apart: bool = False
    of_pictured: bool = False
    again: Callable[[Moment], tuple[str, ...]] = field(default=lambda _: ("",))


@dataclass(frozen=True, slots=True)
class Adapter(Generic[_Part]):
    """`split` finds the actions in an answer, `act` reads one; both raise UnreadableError only.

    `words` are the system's message, empty for none, and the user's words before the screenshot and, if there are any,
    after it. `write` is the inverse of reading, None for what the grammar cannot express, and `form` puts around it
    what the maker's models say with an action. `fit` gives the size in which a screenshot is sent.

    Earlier steps: `pictures` is how many of the newest the maker shows with their screenshots. `retold` is what the
    list repeats of a whole earlier answer, the model's own if there is one; None: the written action alone.

    `asks` is a whole question in place of `words` and `turns`; earlier steps are listed in its slot `history`.

    `sampling` are parameters of the request, by the maker. `wire` and `tools` are those of ModelRequest. `source` says
    what the adapter was made from, and when.
    """

    name: str
    words: Callable[[PromptWords], tuple[str, ...]]
    split: Callable[[str], Sequence[_Part]]
    act: Callable[[_Part, CoordinateFrame], Action]
    write: Callable[[Action, CoordinateFrame], str | None]
    form: Callable[[str, Said], str] = field(default=lambda written, _: written)
    frame: FrameOf = grid_frame
    fit: Fit = field(default=Fit(longest=2048))
    detail: Literal["high", "original"] = "high"
    answer: type[BaseModel] = FreeText
    turns: Turns | None = None
    pictures: int = 0
    retold: Callable[[str], str] | None = None
    sampling: Mapping[str, Json] = field(default_factory=lambda: {"temperature": 0.0})
    wire: str = "chat"
    tools: tuple[Json, ...] = ()
    source: str = ""
    asks: SlotPrompt | None = None

    @property
    def needs_marks(self) -> bool:
        return self.asks is not None and self.asks.has(MARKED)

    def prompt(
        self, task: str, history: History, screenshot: SentScreenshot, moment: Moment = _NOW
    ) -> tuple[ChatMessage, ...]:
        if self.asks is not None:
            return (ChatMessage("user", self._filled(self.asks, task, history, screenshot, moment)),)
        in_turns = [step for step in history.steps if self._is_turn(step)]
        listed = [step for step in history.steps if not self._is_turn(step)]
        done = [self._listed(step, screenshot) for step in listed]
        moments = [*(step.moment for step in in_turns), moment]
        first = replace(moments[0], apps=moment.apps)
        told = PromptWords(task, done, screenshot.sent_size, screenshot.true_size, first, history.memory)
        system, before, *after = self.words(told)
        is_told = any(history.memory in words for words in (before, *after))
        question, ends = _parts(before, "" if is_told else f"Done so far: {history.memory}"), _parts(*after)
        messages = [ChatMessage("system", _parts(system))]
        if self.turns is None:
            question = (*_earlier(listed, done), *question)
        elif self.turns.is_apart:
            messages.append(ChatMessage("user", (*question, *ends)))
            question = ends = ()
        for step, following in zip(in_turns, moments[1:], strict=True):
            messages.append(ChatMessage("user", (*question, *_picture(step), *ends)))
            messages.append(ChatMessage("assistant", _parts(self._whole(step, screenshot))))
            before, *after = self.turns.again(following) if self.turns is not None else ("",)
            question, ends = _parts(before), _parts(*after)
        news = _parts(*history.told)
        last = (*question, screenshot.image, *ends, *news) if ends else (*question, *news, screenshot.image)
        return tuple(message for message in (*messages, ChatMessage("user", last)) if message.parts)

    def _filled(
        self, asks: SlotPrompt, task: str, history: History, screenshot: SentScreenshot, moment: Moment
    ) -> tuple[Part, ...]:
        done = [self._listed(step, screenshot) for step in history.steps]
        size, memory = screenshot.sent_size, "" if asks.has("history") else history.memory
        told = PromptWords(task, done, size, screenshot.true_size, moment, history.memory)
        data: dict[str, Json] = {
            "task": task,
            "history": told.listed("None", "Step{0}: {1}"),
            "app": moment.app,
            "width": size.width,
            "height": size.height,
        }
        images = {"screenshot": screenshot.image} | ({} if screenshot.marked is None else {MARKED: screenshot.marked})
        before = (*_earlier(history.steps, done), *_parts(memory and f"Done so far: {memory}"))
        return (*before, *asks.parts(data, images), *_parts(*history.told))

    def read(self, raw: str, sent_size: Size, true_size: Size, marks: tuple[Point, ...] = ()) -> Reading:
        """Never raises."""
        frame = replace(self.frame(sent_size, true_size), marks=marks)
        try:
            found = self.split(cleaned(raw))
            action = self.act(found[0], frame)
        except RequestError as error:
            return Reading(None, str(error), error.request)
        except UnreadableAnswerError as error:
            return Reading(None, str(error))
        several = f"several: the first of {len(found)} actions, before {found[1]!r:.80}" if len(found) > 1 else ""
        return Reading(action, several)

    def written(self, action: Action, frame: CoordinateFrame, said: Said = _NOTHING) -> str | None:
        """A whole answer, as `form` makes it; what nobody has said is said in words of ours."""
        call = self.write(action, frame)
        sentence = said.sentence or in_words_at(action)
        whole = Said(said.thought or "This is the next step.", sentence, said.summary or sentence)
        return None if call is None else self.form(call, whole)

    def _is_turn(self, step: PastStep) -> bool:
        return self.turns is not None and (step.screenshot is not None or not self.turns.of_pictured)

    def _listed(self, step: PastStep, now: SentScreenshot) -> str:
        if self.retold is not None:
            return self.retold(self._whole(step, now))
        return self.write(step.action, self._frame_at(step, now)) or describe(step.action)

    def _whole(self, step: PastStep, now: SentScreenshot) -> str:
        """The answer that made the step."""
        written = step.raw or self.written(step.action, self._frame_at(step, now), step.said)
        return written or describe(step.action)

    def _frame_at(self, step: PastStep, now: SentScreenshot) -> CoordinateFrame:
        shown = step.screenshot or now
        return self.frame(shown.sent_size, shown.true_size)


def made(kind: str | None, name: object, frame: CoordinateFrame, place: object = None, text: object = "") -> Action:
    """The action of this type, other than SCROLL, which an answer calls `name`.

    For one of RequestKind, RequestError with the text or number `text`; a KEY that is one of the system keys is that
    action. Raises UnreadableError.
    """
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
        case "KEY" if (key := str(text).lower().removeprefix("keycode_")) in _KEYS:
            return Press(_KEYS[key])
        case "WAIT" | "OPEN" | "KEY" | "ASK" | "NOTE" | "LOOK":
            raise RequestError(Request(kind, "" if text is None else showable(str(text))))
        case _:
            raise UnreadableAnswerError("unmapped", f"{name!r:.60} is no action that can be carried out")


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


def _parts(*texts: str) -> tuple[Part, ...]:
    return tuple(Words(text) for text in texts if text)


def _picture(step: PastStep) -> tuple[Part, ...]:
    return () if step.screenshot is None else (step.screenshot.image,)


def _earlier(steps: Sequence[PastStep], done: Sequence[str]) -> Iterator[Part]:
    for step, told in zip(steps, done, strict=True):
        if step.screenshot is not None:
            yield from (Words(f"An earlier screen, on which this was done: {told}"), step.screenshot.image)


@cache
def all_adapters() -> Mapping[str, Adapter[Any]]:
    """By name."""
    modules = [
        import_module(f"{adapters.__name__}.{module.name}") for module in pkgutil.iter_modules(adapters.__path__)
    ]
    return {adapter.name: adapter for module in modules for adapter in module.ADAPTERS}


def adapter_named(text: str, prompt: Path | None = None) -> Adapter[Any]:
    """The name, and if wanted a colon and the largest number of pixels that a screenshot is sent in.

    It asks with the text of the file `prompt`, whose hash is in its name then, and reads answers as usual.

    Raises SettingsError, and LanguageModelError for a file that cannot be used.
    """
    if prompt is not None:
        asks = read_slots(prompt, ASKED)
        return replace(adapter_named(text), name=f"{text} with {asks.name}", asks=asks)
    known: Mapping[str, Adapter[Any]] = all_adapters()
    name, colon, pixels = text.partition(":")
    if name not in known:
        raise SettingsError(f"There is no adapter {name!r}. Use one of {', '.join(sorted(known))}.")
    if not colon:
        return known[name]
    if not pixels.isascii() or not pixels.isdigit() or not _FEWEST <= int(pixels[:12]) <= _MOST:
        raise SettingsError(f"{pixels!r} is no number of pixels from {_FEWEST:,} to {_MOST:,}.")
    return replace(known[name], name=text, fit=replace(known[name].fit, most=int(pixels)))
