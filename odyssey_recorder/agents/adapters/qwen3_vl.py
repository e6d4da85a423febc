"""Qwen3-VL: the `mobile_use` tool on a screen of 999x999, with a thought and an action in words before the call.

Source: QwenLM/Qwen3-VL, cookbooks/mobile_agent.ipynb. The temperature is that of the AndroidWorld harnesses.
"""

from odyssey_recorder.agents.adapter import Adapter, PromptWords
from odyssey_recorder.agents.frames import Fit, grid_999_frame
from odyssey_recorder.agents.mobile_use import act, sentence_in, split, tools, write
from odyssey_recorder.agents.phrases import form

_NAMES = ("click", "long_press", "swipe", "type", "answer", "system_button", "wait", "terminate")
_FORM = """

# Response format

Response format for every step:
1) Thought: one concise sentence explaining the next move (no multi-step reasoning).
2) Action: a short imperative describing what to do in the UI.
3) A single <tool_call>...</tool_call> block containing only the JSON: \
{"name": <function-name>, "arguments": <args-json-object>}.

Rules:
- Output exactly in the order: Thought, Action, <tool_call>.
- Be brief: one sentence for Thought, one for Action.
- Do not output anything else outside those three parts.
- If finishing, use action=terminate in the tool call."""


def _words(told: PromptWords) -> tuple[str, str]:
    progress = "Task progress (You have done the following operation on the current device)"
    done = told.listed("", "Step {0}: {1}; ", "")
    return f"\n\n{tools('999x999', _NAMES)}{_FORM}", f"The user query: {told.task}.\n{progress}: {done}.\n"


ADAPTERS = (
    Adapter(
        "qwen3-vl",
        _words,
        split,
        act,
        write,
        form=form("Thought: $thought\nAction: $sentence\n$call"),
        frame=grid_999_frame,
        fit=Fit(16_777_216, factor=32),
        retold=sentence_in,
        source="QwenLM/Qwen3-VL 9658872",
    ),
)
