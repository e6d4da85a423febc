"""GUI-Owl 1.5: the `mobile_use` tool on a screen of 1000x1000, with an action in words before the call.

Source: X-PLUG/MobileAgent, Mobile-Agent-v3.5/mobile_use/utils.py (MIT). Older steps are listed as their sentences, the
newest four are turns with their screenshots.
"""

from odyssey_recorder.agents.adapter import Adapter, PromptWords, Turns
from odyssey_recorder.agents.frames import Fit
from odyssey_recorder.agents.mobile_use import act, sentence_in, split, tools, write
from odyssey_recorder.agents.phrases import form

_NAMES = (
    "key", "click", "long_press", "swipe", "type", "system_button", "open", "wait", "answer", "interact", "terminate",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FORM = """

# Response format

Response format for every step:
1) Action: a short imperative describing what to do in the UI.
2) A single <tool_call>...</tool_call> block containing only the JSON: \
{"name": <function-name>, "arguments": <args-json-object>}.

Rules:
- Output exactly in the order: Action, <tool_call>.
- Be brief: one for Action.
- Do not output anything else outside those two parts.
- If finishing, use action=terminate in the tool call."""
_REQUEST = "Please generate the next move according to the UI screenshot, instruction and previous actions."


def _words(told: PromptWords) -> tuple[str, str]:
    """The tool is told as JSON with real line breaks, as the model was trained."""
    system = tools("1000x1000", _NAMES, older=True).replace("\\n", "\n") + _FORM
    day = told.moment.day
    date = "" if day is None else f"Today's date is: {day:%Y-%m-%d} {_WEEKDAYS[day.weekday()]}."
    done = told.listed("None", "Step {0}: {1}")
    return system, f"{_REQUEST}\n\nInstruction: {date}{told.task}\n\nPrevious actions:\n{done}"


ADAPTERS = (
    Adapter(
        "gui-owl-1.5",
        _words,
        split,
        act,
        write,
        form=form("Action: $sentence\n$call"),
        fit=Fit(10_035_200, factor=28),
        turns=Turns(of_pictured=True),
        pictures=4,
        retold=sentence_in,
        sampling={"temperature": 0.0, "top_p": 1.0},
        source="X-PLUG/MobileAgent 11cea57",
    ),
)
