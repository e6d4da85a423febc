"""Qwen2.5-VL: calls of its `mobile_use` tool, in pixels of the image as its processor resizes it.

Source: QwenLM/Qwen2.5-VL, cookbooks/mobile_agent. A server's own limit of pixels is unknown: images are sent in a
size that the smallest usual limit, 28 * 28 * 1280, leaves alone. The maker's own is 12,845,056.
"""

from odyssey_recorder.agents.adapter import Adapter, PromptWords
from odyssey_recorder.agents.frames import Fit, sent_frame
from odyssey_recorder.agents.mobile_use import act, split, tools, write_without_answers

_NAMES = ("key", "click", "long_press", "swipe", "type", "system_button", "open", "wait", "terminate")


def _words(told: PromptWords) -> tuple[str, str]:
    system = f"You are a helpful assistant.\n\n{tools(str(told.sent_size), _NAMES, older=True)}"
    progress = "Task progress (You have done the following operation on the current device)"
    return system, f"The user query: {told.task}\n{progress}: {told.listed('', 'Step {0}: {1}; ', '')}"


def _bare(answer: str) -> str:
    return answer.partition("<tool_call>")[2].partition("</tool_call>")[0].strip() or answer


ADAPTERS = (
    Adapter(
        "qwen2.5-vl",
        _words,
        split,
        act,
        write_without_answers,
        frame=sent_frame,
        fit=Fit(28 * 28 * 1280, factor=28),
        retold=_bare,
        source="QwenLM/Qwen2.5-VL d08310c",
    ),
)
