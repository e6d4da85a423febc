"""What the computer tools of Google, OpenAI and Anthropic share: calls as text, and tools of our own for a phone."""

from collections.abc import Mapping, Sequence

from odyssey_recorder.agents.adapter import PromptWords
from odyssey_recorder.agents.parsing import UnreadableAnswerError
from odyssey_recorder.llm.tool_calls import ToolCall, calls_in
from odyssey_recorder.model.episode import Json

_WHERE, _WORDS = {"x": "integer", "y": "integer"}, {"text": "string"}
_OWN: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "long_press": ("Press the screen at x, y for long.", _WHERE),
    "home": ("Press the key that shows the home screen.", {}),
    "back": ("Press the key that goes back.", {}),
    "recent": ("Press the key that shows the recent apps.", {}),
    "complete": ("The task is done. The text is its answer, if it asks for one, otherwise empty.", _WORDS),
    "impossible": ("The task cannot be done on this phone. The text says why.", _WORDS),
}


def own_tools(schema: str, *names: str, **more: Json) -> tuple[Json, ...]:
    """Tools of our own, all or those named, with their parameters under the key `schema` and `more` for each."""
    return tuple(
        {**more, "name": name, "description": _OWN[name][0], schema: _object(_OWN[name][1])} for name in names or _OWN
    )


def _object(parameters: Mapping[str, str]) -> Json:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in parameters.items()},
        "required": list(parameters),
        "additionalProperties": False,
    }


def split(text: str) -> Sequence[ToolCall]:
    """The calls in an answer; one without any ends the task, with its text as the answer. Raises UnreadableError."""
    words, calls = calls_in(text)
    if not calls and not words:
        raise UnreadableAnswerError("unreadable", "the answer is empty")
    return calls or [ToolCall("complete", {"text": words})]


def words(told: PromptWords) -> tuple[str, str]:
    system = (
        f"You operate an Android phone through its touchscreen, of {told.sent_size} pixels. Carry out the task of the "
        "user, one action at a time; after each you see the screen. Do only what the task asks for."
    )
    done = told.listed("")
    return system, f"Task: {told.task}" + (f"\nDone so far:\n{done}" if done else "")
