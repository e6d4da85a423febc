"""Qwen3-VL: the tool of Qwen2.5-VL on a screen of 999x999, and a thought before it (QwenLM/Qwen3-VL, cookbooks)."""

from collections.abc import Sequence
from functools import partial

from odyssey_recorder.agents.adapter import Adapter, PromptWords
from odyssey_recorder.agents.adapters.qwen25_vl import CLICKS, act, query, tools, write
from odyssey_recorder.agents.frames import Fit, grid_999_frame
from odyssey_recorder.agents.parsing import Fields, json_objects

_FORM = """

# Response format

Response format for every step:
1) Thought: one concise sentence explaining the next move (no multi-step reasoning).
2) Action: a short imperative describing what to do in the UI.
3) A single <tool_call>...</tool_call> block containing only the JSON: \
{"name": <function-name>, "arguments": <args-json-object>}.

Do not output anything else outside those three parts. If finishing, use action=terminate in the tool call."""


def _words(text: PromptWords) -> tuple[str, str]:
    return tools("999x999", CLICKS | {"answer": "Output the answer."}) + _FORM, query(text)


def _split(text: str) -> Sequence[Fields]:
    begin = text.find("<tool_call>")
    return json_objects(text[begin:] if begin >= 0 else text)


_write = partial(write, answers=True)
ADAPTERS = (Adapter("qwen3-vl", _words, _split, act, _write, frame=grid_999_frame, fit=Fit(32 * 32 * 1280, factor=32)),)
